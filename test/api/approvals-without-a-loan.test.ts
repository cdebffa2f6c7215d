/** Requests for approval that belong to no loan: as others, they are stored, shown, decided once, lapse, and are carried out with the decision. */
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { date } from '../../src/core/calendar.ts';
import { operations } from '../../src/http/routes.ts';
import { ORGANIZATION_OPERATIONS } from '../../src/policy/approvals.ts';
import { type Colleague, type Desk, desk } from '../support/administrators.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

const DAY_MS = 86_400_000;
const NAMED = { 'create-client': true, 'close-period': true, 'create-user': true };

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
  await service.access.putRole(room.organizationId, { name: 'all', scopes: [...SCOPES], limits: {} });
  [anna, ben] = [await room.colleague(['all']), await room.colleague(['all'])];
  await names({});
});

const names = async (values: object) => {
  const from = new Date(service.clock.now).toISOString().slice(0, 10);
  const answer = await anna.post('policies', {
    policyId: 'own',
    lenderId: null,
    from,
    values: { approvals: NAMED, ...values },
  });
  expect(answer.status, answer.text).toBe(200);
};
const CLIENT = { name: 'desk', scopes: ['loans:read'] };
const code = ({ status, body }: Answered) => (status === 200 ? 'done' : status === 202 ? 'waits' : body.code);
const ask = async (body: object = CLIENT, more = {}): Promise<string> => {
  const { status, body: answer, text } = await anna.post('clients', body, more);
  expect(status, text).toBe(202);
  return answer.data.approvalId;
};
const approve = (who: Pick<Colleague, 'post'>, approvalId: string) =>
  who.post('approve', { approvalId, reason: 'Agreed' });
const clients = async () => {
  const { items } = (await anna.get('clients')).body.data;
  return items.filter(({ kind }: { kind: string }) => kind === 'program') as { clientId: string; holders: string[] }[];
};

test('every operation that may be named can be requested and carried out, and no other', () => {
  const able = operations.filter(({ approved }) => approved !== undefined).map(({ name }) => name);
  expect(able.sort()).toEqual([...ORGANIZATION_OPERATIONS]);
  for (const one of operations.filter(({ approved }) => approved !== undefined)) expect(one.accepted).toBeDefined();
});

describe('a request', () => {
  test('says what would be done, and does nothing', async () => {
    const { body } = await anna.post('clients', CLIENT);
    expect(body).toMatchObject({
      message: 'approval required',
      data: { loanId: null, operation: 'create-client', lapsesOn: '2026-01-22', preview: CLIENT },
    });
    expect(await clients()).toEqual([]);
    const { data } = (await ben.get(`approvals/${body.data.approvalId}`)).body;
    expect(data).toMatchObject({
      ...{ loanId: null, version: null, transactionHash: null, state: 'pending', body: CLIENT, preview: CLIENT },
      requestedBy: { userId: anna.userId },
      decidedBy: null,
      result: null,
    });
  });

  test('is the same for the same call, also at the same moment', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => ask()));
    expect(new Set(ids).size).toBe(1);
    expect(await ask({ ...CLIENT, name: 'other' })).not.toBe(ids[0]);
  });

  test('is listed with those of loans for whoever may do it, and for its requester', async () => {
    const id = await ask();
    const listed = async (who: Pick<Colleague, 'get'>, query = '') => {
      const { body, status } = await who.get(`approvals${query}`);
      return status === 200 ? body.data.items.map(({ approvalId }: { approvalId: string }) => approvalId) : body.code;
    };
    const [agent, boss] = [await room.colleague(['agent']), await room.administrator()];
    expect([await listed(ben), await listed(boss), await listed(agent)]).toEqual([[id], [id], []]);
    expect([await listed(ben, '?state=approved'), await listed(ben, '?state=pending')]).toEqual([[], [id]]);
    expect(code(await agent.get(`approvals/${id}`))).toBe('not_found');
    // Page by page.
    const more = [id, await ask({ ...CLIENT, name: 'two' }), await ask({ ...CLIENT, name: 'three' })];
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Answered = await ben.get(`approvals?limit=1${cursor && `&cursor=${cursor}`}`);
      const { data } = page.body;
      seen.push(...data.items.map(({ approvalId }: { approvalId: string }) => approvalId));
      cursor = data.nextCursor;
    }
    expect(seen.sort()).toEqual(more.sort());
    const elsewhere = await (await desk(service)).administrator();
    expect([code(await elsewhere.get(`approvals/${id}`)), await listed(elsewhere)]).toEqual(['not_found', []]);
    expect(code(await approve(elsewhere, id))).toBe('not_found');
  });

  test('lapses on its last day, and the same call is then a new one', async () => {
    const id = await ask();
    service.clock.now += 8 * DAY_MS;
    await Promise.all([anna.signIn(), ben.signIn()]);
    expect((await ben.get(`approvals/${id}`)).body.data.state).toBe('lapsed');
    expect([code(await approve(ben, id)), code(await ben.post('reject', { approvalId: id, reason: 'No' }))]).toEqual([
      'approval_lapsed',
      'approval_lapsed',
    ]);
    expect(await ask()).not.toBe(id);
    service.clock.now -= 8 * DAY_MS;
  });

  slowTest('is refused beyond a hundred that wait', async () => {
    for (let n = 0; n < 100; n += 25) {
      await Promise.all(Array.from({ length: 25 }, (_, m) => ask({ ...CLIENT, name: `c${n + m}` })));
    }
    expect(code(await anna.post('clients', CLIENT))).toBe('conflict');
  });

  test('is not made by what would be refused anyway, nor by a dry run', async () => {
    const administrator = await room.administrator();
    expect(code(await administrator.post('clients', CLIENT))).toBe('insufficient_scope');
    expect(code(await anna.post('ledger/close?dryRun=true', { period: '2025-12' }))).toBe('conflict');
    expect((await ben.get('approvals')).body.data.items).toEqual([]);
  });
});

describe('a decision', () => {
  test('carries it out with the rights of the requester, and shows a secret once', async () => {
    const id = await ask();
    const boss = await room.administrator();
    const { body } = await approve(boss, id);
    const { clientId, clientSecret } = body.data.result;
    const token = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    expect(token.status).toBe(200);
    // Both have seen, or may have seen, its credentials.
    expect((await clients()).map(({ holders }) => holders)).toEqual([[anna.userId, boss.userId]]);
    for (const again of [await approve(boss, id), await boss.get(`approvals/${id}`)]) {
      expect(again.body.data).toMatchObject({ state: 'approved', result: CLIENT });
      expect(again.text).not.toContain(clientSecret);
    }
    const rows = await service.db.query('SELECT a::text AS row FROM organization_approvals a WHERE approval_id = $1', [
      id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(clientSecret);
  });

  test('counts once, whoever decides at the same moment', async () => {
    const others = await Promise.all([1, 2, 3].map(() => room.colleague(['all'])));
    for (let round = 0; round < 4; round++) {
      const before = (await clients()).length;
      const id = await ask({ ...CLIENT, name: `round ${round}` });
      const decided = await Promise.all([
        ...others.map((one) => approve(one, id)),
        ben.post('reject', { approvalId: id, reason: 'No' }),
      ]);
      expect(decided.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(decided.filter((one) => code(one) === 'already_decided')).toHaveLength(3);
      const { state } = (await ben.get(`approvals/${id}`)).body.data;
      expect((await clients()).length - before).toBe(state === 'approved' ? 1 : 0);
    }
  });

  test('by a client is possible, unless the policy leaves it to people; never by whoever holds the requester', async () => {
    const program = await room.client([...SCOPES]);
    expect(code(await approve(program, await ask()))).toBe('done');
    await names({ approvers: 'people' });
    expect(code(await approve(program, await ask({ ...CLIENT, name: 'next' })))).toBe('person_required');
    expect(code(await approve(anna, await ask({ ...CLIENT, name: 'next' })))).toBe('own_request');
  });

  test('of what cannot be done any more is that refusal, and leaves it pending', async () => {
    const who = { email: 'twice@example.com', name: 'Twice', roles: ['agent'] };
    const asked = await anna.post('users', who);
    expect(asked.text).not.toContain('twice@example.com');
    const { approvalId } = asked.body.data;
    await service.access.createUser(room.organizationId, who);
    expect(code(await approve(ben, approvalId))).toBe('conflict');
    expect((await ben.get(`approvals/${approvalId}`)).body.data).toMatchObject({ state: 'pending', body: who });
    const rejected = await ben.post('reject', { approvalId, reason: 'There already' });
    expect(rejected.body.data).toMatchObject({ state: 'rejected', decidedBy: { userId: ben.userId } });
  });

  test('answers the requester’s idempotency key', async () => {
    const role = { name: 'night', scopes: ['loans:read'] };
    await names({ approvals: { ...NAMED, 'put-role': true } });
    const send = () => anna.post('roles', role, { 'idempotency-key': 'night-1' });
    const first = await send();
    expect([first.status, (await send()).body.data.approvalId]).toEqual([202, first.body.data.approvalId]);
    expect(code(await approve(ben, first.body.data.approvalId))).toBe('done');
    const replayed = await send();
    expect([replayed.status, replayed.headers.get('idempotent-replayed'), replayed.body.data]).toEqual([
      200,
      'true',
      { name: 'night' },
    ]);
  });
});

test('a month is closed for the requester once somebody else agrees', async () => {
  const program = await room.client([...SCOPES]);
  const step = async (path: string, body: object) => {
    const answer = await program.post(path, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const { loanId } = await step('loans', creation());
  await step('start-underwriting', { loanId });
  await step('complete-underwriting', { loanId, approved: true });
  await step('initiate-repayment', { loanId });
  const before = service.clock.now;
  service.clock.now = Date.parse('2026-02-02T12:00:00Z');
  await Promise.all([anna.signIn(), ben.signIn()]);
  await service.loans.cycle.runCyclesThrough(room.organizationId, date('2026-01-31'));
  const close = () => anna.post('ledger/close', { period: '2026-01' });
  const asked = await close();
  expect(asked.body.data).toMatchObject({ operation: 'close-period', preview: { period: '2026-01' } });
  expect((await ben.get('ledger/periods')).body.data.items).toEqual([]);
  const { data } = (await approve(ben, asked.body.data.approvalId)).body;
  const closed = { period: '2026-01', hash: data.preview.hash, closedBy: { userId: anna.userId } };
  expect([data.state, data.result]).toMatchObject(['approved', closed]);
  // It is closed: the same call again asks nobody.
  expect((await close()).body.data).toEqual(data.result);
  service.clock.now = before;
});

test('the policy of one lender cannot name them, and an amount cannot be given', async () => {
  const from = new Date(service.clock.now).toISOString().slice(0, 10);
  const put = (lenderId: string | null, approvals: object) =>
    anna.post('policies', { policyId: lenderId ?? 'own', lenderId, from, values: { approvals } });
  const pointers = async (answer: Promise<Answered>) =>
    (await answer).body.errors.map(({ pointer }: { pointer: string }) => pointer);
  expect(await pointers(put('L-1', { 'create-client': true }))).toEqual(['/values/approvals/create-client']);
  expect(await pointers(put(null, { ...NAMED, 'close-period': { above: '1' } }))).toEqual([
    '/values/approvals/close-period/above',
  ]);
  // Its rules for loans do not touch those of the organization.
  expect(code(await put('L-1', { 'charge-off': true }))).toBe('done');
});
