/** Approvals over HTTP: a request changes nothing, and its approval carries out what it has shown. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answered } from '../support/app.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';

let all: Approving;
let alice: Someone;
let bob: Someone;
let robot: Someone;
let loanId: string;

const reason = 'Goodwill';
const waive = (more: object = {}) => ({ loanId, feeId: 'F-1', reason, ...more });
const summary = async () => (await all.done(robot.get(`loans/${loanId}/summary`))).data;
const timeline = async () => (await all.done(robot.get(`loans/${loanId}/timeline`))).data.items;
const requested = async (who: Someone, path: string, body: object): Promise<string> =>
  (await all.done(who.post(path, body), 202)).data.approvalId;
const decide = (who: Someone, path: 'approve' | 'reject', approvalId: string, more: object = {}) =>
  who.post(path, { approvalId, reason: 'Looked at it', ...more });
const problem = async (answered: Promise<Answered>, status: number, code: string) => {
  const answer = await answered;
  expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);
  return answer.body;
};

beforeAll(async () => {
  all = await approving();
  [alice, bob, robot] = await Promise.all([all.person('alice'), all.person('bob'), all.program()]);
  await all.policy({ approvals: { 'waive-fee': { above: '50.00' }, 'charge-off': true, 'place-hold': true } });
});
beforeEach(async () => {
  all.on('2026-01-15');
  loanId = await all.loan();
});
afterAll(() => all.service.close());

describe('a request', () => {
  it('is 202 with the preview, and nothing changes', async () => {
    const before = await robot.get(`loans/${loanId}/history`);
    const { message, data } = await all.done(alice.post('waive-fee', waive()), 202);
    expect(message).toBe('approval required');
    expect(data).toMatchObject({ loanId, operation: 'waive-fee', lapsesOn: '2026-01-22' });
    expect(data.approvalId).toMatch(new RegExp(`^approval_${loanId.slice(2, 4)}[0-9a-f]{30}$`));
    const dry = await all.done(alice.post('waive-fee?dryRun=true', waive()));
    expect(dry.data).toMatchObject({ approval: true, dryRun: true });
    expect(data.preview).toEqual(dry.data);
    const after = await robot.get(`loans/${loanId}/history`);
    expect(before.status).toBe(200);
    expect([after.headers.get('etag'), after.text]).toEqual([before.headers.get('etag'), before.text]);
  });

  it('is the same one for the same call of the same caller, also for two at once', async () => {
    const { data } = await all.done(alice.post('waive-fee', waive()), 202);
    const again = await all.done(alice.post('waive-fee', { reason, feeId: 'F-1', loanId }), 202);
    expect(again.data).toEqual(data);
    const both = await Promise.all([1, 2].map(() => bob.post('waive-fee', waive())));
    const ids = both.map(({ status, body }) => (status === 202 ? body.data.approvalId : body));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).not.toBe(data.approvalId);
    const other = await all.done(alice.post('waive-fee', waive({ reason: 'Another' })), 202);
    expect(other.data.approvalId).not.toBe(data.approvalId);
    expect((await summary()).pendingApprovals).toBe(3);
  });

  it('is needed above the amount of the policy, not at it', async () => {
    const dry = await all.done(alice.post('waive-fee?dryRun=true', waive({ amount: '50.00' })));
    expect(dry.data.approval).toBe(false);
    await all.done(alice.post('waive-fee', waive({ amount: '50.01' })), 202);
    await all.done(alice.post('waive-fee', waive({ amount: '50.00' })));
  });

  it('is needed above the limit of the caller’s role', async () => {
    const clerk = await all.person('clerk', { 'waive-fee': 10_00 });
    await all.done(clerk.post('waive-fee', waive({ amount: '10.01' })), 202);
    await all.done(clerk.post('waive-fee', waive({ amount: '10.00' })));
    await all.done(clerk.post('assess-fee', { loanId, feeId: 'F-2', name: 'Fee', amount: '500' }));
  });

  it('comes after everything that refuses the write', async () => {
    await problem(alice.post('waive-fee', waive({ feeId: 'F-9' })), 404, 'not_found');
    await problem(alice.post('waive-fee', waive({ reason: ' ' })), 422, 'invalid_request');
    await problem(alice.post('waive-fee', waive(), { headers: { 'if-match': '1' } }), 412, 'precondition_failed');
    const reader = await all.program(['loans:read']);
    await problem(reader.post('waive-fee', waive()), 403, 'insufficient_scope');
    expect((await summary()).pendingApprovals).toBe(0);
  });

  it('is not needed by a repeated call that changes nothing', async () => {
    await all.policy({ approvals: { 'loan-repay': { above: '10.00' } } });
    const payment = { loanId, refId: 'P-1', amount: '100.00' };
    const id = await requested(alice, 'loan-repay', payment);
    await all.done(decide(bob, 'approve', id));
    const again = await all.done(alice.post('loan-repay', payment));
    expect(again.transactionHash).toMatch(/^0x/);
    expect((await summary()).pendingApprovals).toBe(0);
    await all.policy({ approvals: { 'waive-fee': { above: '50.00' }, 'charge-off': true, 'place-hold': true } });
  });

  it('does not use up the idempotency key, under which the answer is stored once it is approved', async () => {
    const headers = { 'idempotency-key': `key-${loanId}` };
    const first = await alice.post('waive-fee', waive(), { headers });
    const second = await alice.post('waive-fee', waive(), { headers });
    expect([first.status, second.status, second.text]).toEqual([202, 202, first.text]);
    await all.done(decide(bob, 'approve', first.body.data.approvalId));
    const replayed = await alice.post('waive-fee', waive(), { headers });
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(replayed.body.transactionHash).toBe((await timeline()).at(-1).transactionHash);
  });

  it('whose key was used for another call since is carried out without it', async () => {
    const headers = { 'idempotency-key': `other-${loanId}` };
    const first = await alice.post('waive-fee', waive(), { headers });
    const other = { loanId, feeId: 'F-2', name: 'Fee', amount: '5' };
    const used = await alice.post('assess-fee', other, { headers });
    expect([first.status, used.status]).toEqual([202, 200]);
    const after = await all.done(decide(bob, 'approve', first.body.data.approvalId, {}), 409);
    const { previewHash } = after;
    await all.done(decide(bob, 'approve', first.body.data.approvalId, { previewHash }));
    const replayed = await alice.post('assess-fee', other, { headers });
    expect([replayed.status, replayed.text]).toEqual([200, used.text]);
  });
});

describe('an approval', () => {
  it('is by another person, and the write is recorded for the requester', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    const approved = await all.done(decide(bob, 'approve', id));
    expect(approved.data).toMatchObject({ state: 'approved', operation: 'waive-fee', loanId, approvalId: id });
    expect(approved.data).toMatchObject({ requestedBy: { userId: alice.userId }, decidedBy: { userId: bob.userId } });
    expect(approved.data.result).toMatchObject({
      loanStatus: 'Delinquent',
      transactionHash: approved.data.transactionHash,
    });
    const items = await timeline();
    const shown = items
      .slice(-3)
      .map(({ type, userId, approvalId }: Record<string, string>) => [type, userId, approvalId]);
    expect(shown).toEqual([
      ['approvalRequested', alice.userId, id],
      ['approvalApproved', bob.userId, id],
      ['feeWaived', alice.userId, id],
    ]);
    expect(items.at(-1)).toMatchObject({
      clientId: alice.clientId,
      transactionHash: approved.data.transactionHash,
      approvedBy: { userId: bob.userId, clientId: bob.clientId },
    });
    expect(items.at(-2)).toMatchObject({
      version: null,
      transactionHash: null,
      operation: 'waive-fee',
      reasonGiven: true,
    });
    expect(await summary()).toMatchObject({ pendingApprovals: 0, version: items.at(-1).version });
  });

  it('cannot be the requester’s own, through whichever session; a person and a program differ', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    await problem(decide(alice, 'approve', id), 403, 'own_request');
    await problem(decide(await all.person('alice'), 'approve', id), 403, 'own_request');
    await all.done(decide(robot, 'approve', id));
    const programs = await requested(robot, 'place-hold', { loanId, kind: 'dispute', reason });
    await problem(decide(robot, 'approve', programs), 403, 'own_request');
    await all.done(decide(await all.program(), 'approve', programs));
  });

  it('needs the scope of the operation, and a role whose limit allows the amount', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    const reader = await all.program(['loans:read', 'payments:write']);
    const denied = await problem(decide(reader, 'approve', id), 403, 'insufficient_scope');
    expect(denied.scope).toBe('servicing:write');
    await problem(decide(reader, 'reject', id), 403, 'insufficient_scope');
    const clerk = await all.person('clerk', { 'waive-fee': 79_99 });
    const limited = await problem(decide(clerk, 'approve', id), 403, 'above_limit');
    expect(limited.detail).toContain('80.00');
    await all.done(decide(await all.person('chief', { 'waive-fee': 80_00 }), 'approve', id));
  });

  it('needs a reason', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    for (const path of ['approve', 'reject']) {
      const missing = await problem(bob.post(path, { approvalId: id }), 422, 'invalid_request');
      expect(missing.errors).toMatchObject([{ pointer: '/reason', code: 'required' }]);
      const blank = await problem(bob.post(path, { approvalId: id, reason: '  ' }), 422, 'invalid_request');
      expect(blank.errors).toMatchObject([{ pointer: '/reason' }]);
    }
  });

  it('is answered again to whoever gave it, and to others as decided', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    const first = await decide(bob, 'approve', id);
    expect((await decide(bob, 'approve', id)).text).toBe(first.text);
    const told = await problem(decide(robot, 'approve', id), 409, 'already_decided');
    expect(told).toMatchObject({ state: 'approved', decidedBy: { userId: bob.userId }, approvalId: id });
    expect(told.decidedAt).toBe(first.body.data.decidedAt);
    await problem(decide(bob, 'reject', id), 409, 'already_decided');
  });

  it('of what does not exist, or is another organization’s, is not found', async () => {
    await problem(decide(bob, 'approve', 'approval_no'), 404, 'not_found');
    await problem(decide(bob, 'approve', `approval_${'0'.repeat(32)}`), 404, 'not_found');
    await problem(bob.get('approvals/approval_no'), 404, 'not_found');
  });

  it('has the reason of the request with the event, and its own with the decision', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    await all.done(decide(bob, 'approve', id, { reason: 'Fair enough' }));
    const token = await all.service.token();
    const { apiKey: key } = all.service.credentials;
    const seen = await all.service.call('GET', `/v2/chain/loans/${loanId}/timeline`, { token, key });
    const reasons = seen.body.data.items.slice(-3).map((item: { reason: string }) => item.reason);
    expect(reasons).toEqual(['Goodwill', 'Fair enough', 'Goodwill']);
  });

  it('of a write with an id that the service made up keeps that id', async () => {
    const { data } = await all.done(alice.post('place-hold', { loanId, kind: 'dispute', reason }), 202);
    const { result } = (await all.done(decide(bob, 'approve', data.approvalId))).data;
    expect(result.holdId).toBe(data.preview.holdId);
  });

  it('can be undone as any other write, and needs the same approval again', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    const { transactionHash } = (await all.done(decide(bob, 'approve', id))).data;
    const undo = await requested(alice, 'undo', { loanId, transactionHash, reason: 'By mistake' });
    await all.done(decide(bob, 'approve', undo));
    const again = await requested(alice, 'waive-fee', waive());
    expect(again).not.toBe(id);
    await all.done(decide(bob, 'approve', again));
  });
});

describe('a rejection', () => {
  it('leaves the loan as it is', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    const { version } = await summary();
    const rejected = await all.done(decide(bob, 'reject', id));
    expect(rejected.data).toMatchObject({
      state: 'rejected',
      decidedBy: { userId: bob.userId },
      transactionHash: null,
    });
    expect(await all.done(decide(bob, 'reject', id))).toEqual(rejected);
    await problem(decide(bob, 'approve', id), 409, 'already_decided');
    await problem(decide(robot, 'reject', id), 409, 'already_decided');
    expect(await summary()).toMatchObject({ version, pendingApprovals: 0 });
    expect((await timeline()).at(-1)).toMatchObject({ type: 'approvalRejected', userId: bob.userId });
    expect(await requested(alice, 'waive-fee', waive())).not.toBe(id);
  });

  it('by the requester withdraws the request', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    const withdrawn = await all.done(decide(alice, 'reject', id));
    expect(withdrawn.data).toMatchObject({ state: 'rejected', decidedBy: { userId: alice.userId } });
    await problem(decide(bob, 'approve', id), 409, 'already_decided');
  });
});

describe('what the approval binds to', () => {
  it('is what the operation does: interest of days in between does not count', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    all.on('2026-01-20');
    const { result } = (await all.done(decide(bob, 'approve', id))).data;
    expect(result.transactionHash).toMatch(/^0x/);
    expect((await timeline()).at(-1)).toMatchObject({ type: 'feeWaived', date: '2026-01-20', amount: '80' });
  });

  it('to the cent: a charge-off of a later day is another one, unless it has its date', async () => {
    const today = await requested(alice, 'charge-off', { loanId, reason });
    const dated = await requested(alice, 'charge-off', { loanId, reason, date: '2026-01-15' });
    all.on('2026-01-16');
    const changed = await problem(decide(bob, 'approve', today), 409, 'outcome_changed');
    expect(changed.preview).toMatchObject({ loanStatus: 'ChargedOff', dryRun: true });
    const { version } = await summary();
    const { data } = await all.done(robot.get(`approvals/${today}`));
    expect(data.state).toBe('pending');
    expect(data.previewHash).not.toBe(changed.previewHash);
    await all.done(decide(bob, 'approve', dated));
    expect((await summary()).version).toBe(version + 1);
  });

  it('after a change of the loan, to everything that the preview shows', async () => {
    const [one, two] = [await requested(alice, 'waive-fee', waive()), await requested(bob, 'waive-fee', waive())];
    await all.done(alice.post('payment-reminders', { loanId }));
    await all.done(decide(bob, 'approve', one));
    const refused = await problem(decide(alice, 'approve', two), 422, 'invalid_request');
    expect(refused.refusal).toBe('amount_zero');
    expect((await summary()).pendingApprovals).toBe(1);
  });

  it('to a newer preview only for the approver who has seen it', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    await all.done(alice.post('waive-fee', waive({ amount: '1.00' })));
    const { version } = await summary();
    const changed = await problem(decide(bob, 'approve', id), 409, 'outcome_changed');
    expect(changed.preview.events).toEqual([{ type: 'feeWaived', date: '2026-01-15' }]);
    // Nothing has changed for anybody else.
    await problem(decide(robot, 'approve', id), 409, 'outcome_changed');
    const { previewHash } = changed;
    await problem(decide(robot, 'approve', id, { previewHash: `0x${'1'.repeat(64)}` }), 409, 'outcome_changed');
    expect((await summary()).version).toBe(version);
    await all.done(alice.post('waive-fee', waive({ amount: '2.00' })));
    const newer = await problem(decide(bob, 'approve', id, { previewHash }), 409, 'outcome_changed');
    await all.done(decide(bob, 'approve', id, { previewHash: newer.previewHash }));
    expect((await timeline()).at(-1)).toMatchObject({ type: 'feeWaived', amount: '77', approvalId: id });
  });

  it('what is refused now is refused, and the request stays pending', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    await all.done(alice.post('waive-fee', waive({ amount: '40.00' })));
    await all.done(alice.post('waive-fee', waive({ amount: '40.00' })));
    const refused = await problem(decide(bob, 'approve', id), 422, 'invalid_request');
    expect(refused.refusal).toBe('amount_zero');
    expect((await all.done(robot.get(`approvals/${id}`))).data.state).toBe('pending');
    await all.done(decide(bob, 'reject', id));
  });

  it('what was done in the meantime is not done twice', async () => {
    await all.policy({ approvals: { 'loan-repay': { above: '100.00' } } });
    const payment = { loanId, refId: 'P-1', amount: '200.00' };
    const id = await requested(alice, 'loan-repay', payment);
    await all.policy({ approvals: {} });
    await all.done(bob.post('loan-repay', payment));
    const refused = await problem(decide(bob, 'approve', id), 409, 'conflict');
    expect(refused.refusal).toBe('reference_conflict');
    await all.policy({ approvals: { 'waive-fee': { above: '50.00' }, 'charge-off': true, 'place-hold': true } });
  });
});

describe('a request that is not decided', () => {
  it('lapses after the days of the policy, and the same call is a new request then', async () => {
    const id = await requested(alice, 'waive-fee', waive());
    all.on('2026-01-22');
    expect(await requested(alice, 'waive-fee', waive())).toBe(id);
    all.on('2026-01-23');
    await problem(decide(bob, 'approve', id), 409, 'approval_lapsed');
    await problem(decide(bob, 'reject', id), 409, 'approval_lapsed');
    expect((await all.done(robot.get(`approvals/${id}`))).data.state).toBe('lapsed');
    expect((await summary()).pendingApprovals).toBe(0);
    const next = await requested(alice, 'waive-fee', waive());
    expect(next).not.toBe(id);
    expect((await all.done(robot.get(`approvals?loanId=${loanId}&state=lapsed`))).data.items).toMatchObject([
      { approvalId: id },
    ]);
    await all.done(decide(bob, 'approve', next));
  });
});

describe('the list', () => {
  it('has the newest first, by state and loan, page by page', async () => {
    const ids: string[] = [];
    for (const [i, kind] of ['dispute', 'fraud', 'litigation'].entries()) {
      all.service.clock.now += 1_000 * i;
      ids.unshift(await requested(alice, 'place-hold', { loanId, kind, reason }));
    }
    await all.done(decide(bob, 'approve', ids[2] as string));
    await all.done(decide(bob, 'reject', ids[1] as string));
    const listed = async (query: string) => {
      const { data } = await all.done(robot.get(`approvals?loanId=${loanId}${query}`));
      return { ids: data.items.map(({ approvalId }: { approvalId: string }) => approvalId), next: data.nextCursor };
    };
    expect((await listed('')).ids).toEqual(ids);
    expect((await listed('&state=pending')).ids).toEqual([ids[0]]);
    expect((await listed('&state=approved')).ids).toEqual([ids[2]]);
    expect((await listed('&state=rejected')).ids).toEqual([ids[1]]);
    const page = await listed('&limit=2');
    expect(page.ids).toEqual(ids.slice(0, 2));
    const last = await listed(`&limit=2&cursor=${page.next}`);
    expect(last).toEqual({ ids: [ids[2]], next: null });
    await problem(robot.get('approvals?cursor=no'), 422, 'invalid_request');
    await problem(robot.get('approvals?loanId=no'), 422, 'invalid_request');
  });

  it('changes its ETag, and so do timeline and summary', async () => {
    const tags = async () =>
      Promise.all(
        [`approvals?loanId=${loanId}`, `loans/${loanId}/timeline`, `loans/${loanId}/summary`].map(async (path) =>
          (await robot.get(path)).headers.get('etag'),
        ),
      );
    const before = await tags();
    const id = await requested(alice, 'waive-fee', waive());
    const during = await tags();
    await all.done(decide(bob, 'reject', id));
    const after = await tags();
    for (const i of [0, 1, 2]) expect(new Set([before[i], during[i]]).size).toBe(2);
    for (const i of [0, 1, 2]) expect(new Set([during[i], after[i]]).size).toBe(2);
  });
});

describe('at once', () => {
  it.each(['approve', 'reject'] as const)('two people: one approves, the other’s %s is told', async (other) => {
    const id = await requested(alice, 'waive-fee', waive());
    const { version } = await summary();
    const answers = await Promise.all([decide(bob, 'approve', id), decide(robot, other, id)]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('already_decided');
    const { state } = (await all.done(robot.get(`approvals/${id}`))).data;
    expect(state).toBe(statuses[0] === 200 ? 'approved' : other === 'approve' ? 'approved' : 'rejected');
    expect((await summary()).version).toBe(version + (state === 'approved' ? 1 : 0));
  });
});
