/** A grant gives nothing until the other organization has accepted it, and that organization can decline or end it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { sandboxIn } from '../support/clocks.ts';
import { loanIn } from '../support/statuses.ts';

let service: TestApp;
let owner: Side;
let grantee: Side;
let loanId: string;
beforeAll(async () => {
  service = await testApp();
  owner = { token: await service.token(), key: service.credentials.apiKey, organizationId: service.organizationId };
  loanId = await loanIn(
    'Current',
    (path, body) => post(path, body, owner),
    async () => '',
  );
  const values = { approvals: { 'waive-fee': true } };
  await done('policies', { policyId: 'P', lenderId: null, from: '2026-01-16', values }, owner);
  service.clock.now += 86_400_000;
  owner.token = await service.token();
  grantee = await side((await service.access.createOrganization('Unasked')).organizationId);
  const waived = await post('waive-fee', { loanId, feeId: 'F-1', reason: 'Goodwill' }, owner);
  expect(waived.status, waived.text).toBe(202);
}, 60_000);
afterAll(() => service.close());

type Side = { token: string; key: string; organizationId: string };

async function side(organizationId: string): Promise<Side> {
  const made = await service.access.createClient(organizationId, { name: 'all', scopes: [...SCOPES] });
  const { clientId, clientSecret } = made;
  const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  return { token: body.data.token, key: made.apiKey, organizationId };
}

const post = (path: string, body: object, { token, key }: Side, headers = {}): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { token, key, body, headers });
const get = (path: string, { token, key }: Side): Promise<Answered> =>
  service.call('GET', `/v2/chain/${path}`, { token, key, headers: { purpose: 'A look' } });

async function done(path: string, body: object, by: Side) {
  const answer = await post(path, body, by);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

const offer = (more: object = {}, to = grantee) =>
  done('grants', { granteeOrganizationId: to.organizationId, access: 'servicing', ...more }, owner);

/** Everything by which the loan could reach the other organization; empty: none of it does. */
async function reaches(): Promise<string[]> {
  const found: string[] = [];
  const look = async (name: string, answer: Answered, shows: (answer: Answered) => boolean) => {
    expect([name, answer.status < 500]).toEqual([name, true]);
    if (answer.status === 200 && shows(answer)) found.push(name);
  };
  const names = ({ text }: Answered) => text.includes(loanId);
  for (const path of ['loans', 'approvals', 'events', 'exports/loans', 'exports/payments', 'exports/journal']) {
    await look(path, await get(path, grantee), names);
  }
  await look('exports/events', await get('exports/events', grantee), names);
  for (const path of ['summary', 'timeline', 'identity', 'disclosures', 'journal', 'payoff', 'holds']) {
    await look(path, await get(`loans/${loanId}/${path}`, grantee), () => true);
  }
  await look('record', await get(`loans/${loanId}`, grantee), () => true);
  await look('public record', await get(`loan-data/${loanId}`, grantee), () => true);
  const count = ({ body }: Answered) => JSON.stringify(body.data).includes('"count":1');
  await look('summary of all', await get('portfolio/summary', grantee), count);
  const pay = await post('loan-repay', { loanId, amount: '1', refId: `P-${found.length}` }, grantee);
  await look('payment', pay, () => true);
  const reach = await service.access.grantsFor(grantee);
  if (reach.length > 0) found.push('webhooks');
  return found;
}

const ALL = [
  ...['loans', 'approvals', 'events', 'exports/loans', 'exports/payments', 'exports/journal', 'exports/events'],
  ...['summary', 'timeline', 'identity', 'disclosures', 'journal', 'payoff', 'holds', 'record', 'public record'],
  ...['summary of all', 'payment', 'webhooks'],
];

/** Entries of the trail of a side about a grant, the oldest first. */
async function trail(of: Side, grantId: string): Promise<object[]> {
  const { items } = (await get('audit?limit=100', of)).body.data;
  return items
    .filter(({ subject }: { subject: string | null }) => subject === grantId)
    .map(({ operation, organizationId, userId, keyId }: Record<string, unknown>) => ({
      ...{ operation, by: organizationId, named: userId !== null || keyId !== null },
    }))
    .reverse();
}

const stateFor = async (of: Side, side: 'given' | 'received', grantId: string) =>
  (await get(`grants?direction=${side}`, of)).body.data.items.find(
    (one: { grantId: string }) => one.grantId === grantId,
  ).state;

describe('a grant', () => {
  test('gives nothing until it is accepted, all of its terms then, and nothing after it was ended', async () => {
    expect(await reaches()).toEqual([]);
    const { grantId, state } = await offer();
    expect(state).toBe('pending');
    expect(await reaches()).toEqual([]);
    expect(await stateFor(grantee, 'received', grantId)).toBe('pending');

    const accepted = await done('accept-grant', { grantId }, grantee);
    expect(accepted).toMatchObject({ grantId, state: 'accepted', acceptedAt: expect.any(String), endedAt: null });
    expect((await done('accept-grant', { grantId }, grantee)).acceptedAt).toBe(accepted.acceptedAt);
    expect((await reaches()).sort()).toEqual([...ALL].sort());
    expect(await stateFor(owner, 'given', grantId)).toBe('accepted');

    expect((await done('end-grant', { grantId }, grantee)).state).toBe('ended');
    expect(await reaches()).toEqual([]);
    expect(await stateFor(owner, 'given', grantId)).toBe('ended');

    const steps = [
      { operation: 'create-grant', by: owner.organizationId, named: true },
      { operation: 'accept-grant', by: grantee.organizationId, named: false },
      { operation: 'accept-grant', by: grantee.organizationId, named: false },
      { operation: 'end-grant', by: grantee.organizationId, named: false },
    ];
    expect(await trail(owner, grantId)).toEqual(steps);
    // Each sees the keys and people of its own entries alone.
    expect(await trail(grantee, grantId)).toEqual(
      steps.map((step) => ({ ...step, named: step.by === grantee.organizationId })),
    );
  });

  test('that was declined, ended or revoked cannot be accepted; another can be offered', async () => {
    const declined = (await offer()).grantId;
    expect((await done('decline-grant', { grantId: declined }, grantee)).state).toBe('declined');
    expect((await done('decline-grant', { grantId: declined }, grantee)).state).toBe('declined');
    const revoked = (await offer()).grantId;
    expect(revoked).not.toBe(declined);
    await done('revoke-grant', { grantId: revoked }, owner);
    for (const grantId of [declined, revoked]) {
      for (const path of ['accept-grant', 'end-grant']) {
        const answer = await post(path, { grantId }, grantee);
        expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'conflict']);
      }
    }
    expect(await reaches()).toEqual([]);
  });

  test('is answered by the other organization alone, with `admin`', async () => {
    const { grantId } = await offer({ access: 'read' });
    const stranger = await side((await service.access.createOrganization('Stranger')).organizationId);
    for (const path of ['accept-grant', 'decline-grant', 'end-grant']) {
      for (const by of [owner, stranger])
        expect([path, (await post(path, { grantId }, by)).status]).toEqual([path, 404]);
      expect((await post(path, { grantId }, { ...owner, token: await service.token(['loans:read']) })).status).toBe(
        403,
      );
    }
    const pending = await post('end-grant', { grantId }, grantee);
    expect([pending.status, pending.body.detail]).toEqual([409, expect.stringContaining('accept or decline')]);
    await done('accept-grant', { grantId }, grantee);
    const late = await post('decline-grant', { grantId }, grantee);
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('/end-grant')]);
    const headers = { 'idempotency-key': 'end-once' };
    expect((await post('end-grant', { grantId }, grantee, headers)).status).toBe(200);
    expect((await post('end-grant', { grantId }, grantee, headers)).headers.get('idempotent-replayed')).toBe('true');
  });

  test('an owner cannot flood another organization with them', async () => {
    const { organizationId } = await service.access.createOrganization('Flooded');
    const flooded = await side(organizationId);
    for (let n = 0; n < 20; n++) await offer({ servicerId: `S-${n}` }, flooded);
    const more = { granteeOrganizationId: organizationId, access: 'read', servicerId: 'S-20' };
    expect((await post('grants', more, owner)).status).toBe(409);
    const { items: received } = (await get('grants?direction=received', flooded)).body.data;
    expect(received).toHaveLength(20);
    await done('accept-grant', { grantId: received[0].grantId }, flooded);
    expect((await post('grants', more, owner)).status).toBe(200);
  });
});

describe('sandboxes and live organizations', () => {
  const give = (from: string, to: string) =>
    service.access.createGrant(from, { granteeOrganizationId: to, access: 'read' }).then(
      (grant) => grant?.state,
      ({ code }: { code: string }) => code,
    );
  const sandbox = async (of: Side): Promise<string> => (await done('sandboxes', { name: 'A' }, of)).organizationId;

  test('share no loans; sandboxes of one organization may', async () => {
    const [one, two, theirs] = [await sandbox(owner), await sandbox(owner), await sandbox(grantee)];
    expect(await give(owner.organizationId, one)).toBe('conflict');
    expect(await give(one, owner.organizationId)).toBe('conflict');
    expect(await give(one, grantee.organizationId)).toBe('conflict');
    expect(await give(one, theirs)).toBe('conflict');
    expect(await give(one, two)).toBe('pending');
  });

  test('what the demonstration gives counts as accepted, and no other sandbox can give that', async () => {
    const demo = await sandboxIn(service, '2026-01-16');
    const to = { granteeOrganizationId: owner.organizationId, access: 'read' } as const;
    const given = await service.access.grantDemo(demo, to);
    expect(given?.state).toBe('accepted');
    expect((await done('end-grant', { grantId: given?.grantId }, owner)).state).toBe('ended');
    expect(await give(demo, owner.organizationId)).toBe('conflict');
    await expect(service.access.grantDemo(await sandbox(owner), to)).rejects.toThrow('Only the demonstration');
    await expect(service.access.grantDemo(grantee.organizationId, to)).rejects.toThrow('Only the demonstration');
  });
});
