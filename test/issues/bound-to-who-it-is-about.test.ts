/** An approval binds to whom it is about: a role that is given to others, or somebody who was disabled, since the request is another outcome. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Colleague, type Desk, desk } from '../support/administrators.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let room: Desk;
let anna: Colleague;
let ben: Colleague;
beforeAll(async () => {
  service = await testApp();
});
afterAll(() => service.close());
beforeEach(async () => {
  room = await desk(service);
  [anna, ben] = [await room.administrator(), await room.administrator()];
});

const code = ({ status, body }: Answered) => (status === 200 ? 'done' : status === 202 ? 'waits' : body.code);
const approve = (approvalId: string, previewHash?: string) =>
  ben.post('approve', { approvalId, reason: 'Agreed', ...(previewHash && { previewHash }) });

test('a role that begins to administer: those who have it', async () => {
  const role = { name: 'night-desk', scopes: ['loans:read'], limits: {} };
  expect(code(await anna.post('roles', role))).toBe('done');
  const trusted = await room.colleague(['night-desk']);
  const asked = await anna.post('roles', { ...role, scopes: ['loans:read', 'admin'] });
  expect(code(asked)).toBe('waits');
  const { approvalId, preview } = asked.body.data;
  expect(preview).toMatchObject({ name: 'night-desk', begin: [trusted.userId], cease: [] });
  // Somebody of her own choice, whom nobody has to agree to yet.
  const invented = await room.colleague(['agent']);
  expect(code(await anna.post('update-user', { userId: invented.userId, roles: ['night-desk'] }))).toBe('done');
  const changed = await approve(approvalId);
  expect(code(changed)).toBe('outcome_changed');
  expect(changed.body.preview.begin).toEqual([trusted.userId, invented.userId].sort());
  expect((await invented.get('users')).status).toBe(403);
  const done = await approve(approvalId, changed.body.previewHash);
  expect([code(done), done.body.data.result]).toEqual(['done', { name: 'night-desk' }]);
  expect((await invented.get('users')).status).toBe(200);
  // The other way round they cease to.
  const back = await anna.post('roles', role);
  expect(back.body.data.preview).toMatchObject({ begin: [], cease: [trusted.userId, invented.userId].sort() });
});

test('a new invitation: whether it brings somebody back who was disabled', async () => {
  const agent = await room.colleague(['agent']);
  const asked = await anna.post('invite-user', { userId: agent.userId });
  const { approvalId, preview } = asked.body.data;
  expect(preview.returns).toBe(false);
  expect(code(await anna.post('disable-user', { userId: agent.userId }))).toBe('done');
  const changed = await approve(approvalId);
  expect([code(changed), changed.body.preview?.returns]).toEqual(['outcome_changed', true]);
  expect(code(await approve(approvalId, changed.body.previewHash))).toBe('done');
});
