/**
 * An administrator who invites somebody sees the link. If that person becomes an administrator before they accept, the link would make one administrator
 * two: so it ends, and the next one takes a second administrator like every invitation of an administrator.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Colleague, type Desk, desk } from '../support/administrators.ts';
import { type TestApp, testApp } from '../support/app.ts';

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

const tokenIn = (url: string): string => url.split('#')[1] ?? '';
const invited = async (token: string) => (await service.access.people.invited(token))?.userId ?? null;

async function agreed(path: string, body: object): Promise<void> {
  const asked = await anna.post(path, body);
  expect(asked.status, asked.text).toBe(202);
  const done = await ben.post('approve', { approvalId: asked.body.data.approvalId, reason: 'Agreed' });
  expect(done.status, done.text).toBe(200);
}

async function inventedColleague(roles: string[]) {
  const made = await anna.post('users', { email: `n${Math.trunc(service.clock.now)}@example.com`, name: 'New', roles });
  const { userId, invitationUrl } = made.body.data;
  const token = tokenIn(invitationUrl);
  expect(await invited(token)).toBe(userId);
  return { userId, token };
}

test('by other roles', async () => {
  const { userId, token } = await inventedColleague(['agent']);
  await agreed('update-user', { userId, roles: ['administrator'] });
  expect(await invited(token)).toBeNull();
  expect((await anna.post('invite-user', { userId })).status).toBe(202);
});

test('by a role that begins to administer', async () => {
  await anna.post('roles', { name: 'night-desk', scopes: ['loans:read'], limits: {} });
  const { userId, token } = await inventedColleague(['night-desk']);
  await agreed('roles', { name: 'night-desk', scopes: ['loans:read', 'admin'], limits: {} });
  expect(await invited(token)).toBeNull();
  expect((await anna.post('invite-user', { userId })).status).toBe(202);
});

test('the link of an approved invitation, which the approver has seen, too; that of others stays', async () => {
  const agent = await room.colleague(['agent']);
  const asked = await anna.post('invite-user', { userId: agent.userId });
  const seen = await ben.post('approve', { approvalId: asked.body.data.approvalId, reason: 'Agreed' });
  const token = tokenIn(seen.body.data.result.invitationUrl);
  expect(await invited(token)).toBe(agent.userId);
  expect((await anna.post('update-user', { userId: agent.userId, roles: ['manager'] })).status).toBe(200);
  expect(await invited(token)).toBe(agent.userId);
  await agreed('update-user', { userId: agent.userId, roles: ['manager', 'administrator'] });
  expect(await invited(token)).toBeNull();
});
