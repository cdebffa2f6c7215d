/** Clients have no limits. Somebody whose role has some must not get around them by a client that they make, or whose credentials they see. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Colleague, type Desk, desk } from '../support/administrators.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let room: Desk;
let limited: Colleague;
beforeAll(async () => {
  service = await testApp();
});
afterAll(() => service.close());
beforeEach(async () => {
  room = await desk(service);
  limited = await room.colleague(['agent', 'administrator']);
});

const code = ({ status, body }: Answered) => (status === 200 ? 'done' : body.code);
const SERVICING = ['loans:read', 'servicing:write'] as const;

test('by a new client, another scope, a new secret or a new key', async () => {
  const made = await limited.post('clients', { name: 'mine', scopes: SERVICING });
  expect(code(made)).toBe('insufficient_scope');
  expect(made.body.detail).toContain('limit');
  const reading = await limited.post('clients', { name: 'mine', scopes: ['loans:read', 'events:read'] });
  expect(code(reading)).toBe('done');
  const { clientId } = reading.body.data;
  expect(code(await limited.post('update-client', { clientId, scopes: SERVICING }))).toBe('insufficient_scope');
  const other = await room.client([...SERVICING]);
  expect(code(await limited.post('rotate-client', { clientId: other.clientId, what: 'both' }))).toBe(
    'insufficient_scope',
  );
  expect(code(await limited.post('create-key', { clientId: other.clientId }))).toBe('insufficient_scope');
  // They may still take away.
  expect(code(await limited.post('revoke-client', { clientId: other.clientId }))).toBe('done');
});

test('somebody without limits makes such a client, and lets only others without limits approve it', async () => {
  const manager = await room.colleague(['manager', 'administrator']);
  expect(code(await manager.post('clients', { name: 'desk', scopes: SERVICING }))).toBe('done');
});
