/**
 * Approval rules and limits are for what a call brings about, not for its name: by an operation that does what another does, by undo, and at
 * the creation of a loan.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { signedIn } from '../support/people.ts';
import { creation } from '../support/statuses.ts';

let all: Approving;
let manager: Someone;
beforeAll(async () => {
  all = await approving();
  manager = await inRole('manager');
});
afterAll(() => all.service.close());

const reason = 'As agreed';

/** A person in built-in roles. */
async function inRole(...roles: string[]): Promise<Someone> {
  const { service } = all;
  const { userId, headers } = await signedIn(service, roles);
  const send = (method: string, path: string, body?: object) =>
    service.call(method, `/v2/chain/${path}`, { headers, ...(body === undefined ? {} : { body }) });
  return {
    ...{ clientId: '', userId },
    post: (path, body) => send('POST', path, body),
    get: (path) => send('GET', path),
  };
}

async function approvedLoan(more: object = {}): Promise<string> {
  const { loanId } = (await all.done(manager.post('loans', creation(more)))).data;
  await all.done(manager.post('start-underwriting', { loanId }));
  await all.done(manager.post('complete-underwriting', { loanId, approved: true, reason }));
  return loanId;
}

const timeline = async (loanId: string): Promise<{ type: string; transactionHash: string }[]> =>
  (await all.done(manager.get(`loans/${loanId}/timeline`))).data.items;
const statusOf = async (loanId: string): Promise<string> =>
  (await all.done(manager.get(`loans/${loanId}/summary`))).data.loanStatus;

describe('initiate-repayment funds a loan', () => {
  test('which waits for the approval that fund-loan needs, of somebody who may fund', async () => {
    const lenderId = 'L-FUNDING';
    await all.done(
      all.service.call('POST', '/v2/chain/policies', {
        token: await all.service.token(),
        body: { policyId: 'funding', lenderId, from: '2026-01-15', values: { approvals: { 'fund-loan': true } } },
      }),
    );
    const loanId = await approvedLoan({ lenderId });
    const dry = await all.done(manager.post('initiate-repayment?dryRun=true', { loanId }));
    expect(dry.data.approval).toBe(true);
    const { data } = await all.done(manager.post('initiate-repayment', { loanId }), 202);
    expect(await statusOf(loanId)).toBe('Approved');
    // The scope of the operation alone is not enough for what it brings about.
    const servicing = await all.person('servicing', {}, ['loans:read', 'servicing:write']);
    const decision = { approvalId: data.approvalId, reason };
    const refused = await servicing.post('approve', decision);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    await all.done((await inRole('manager')).post('approve', decision));
    expect(await statusOf(loanId)).toBe('Current');
    // A loan that is funded is not funded again.
    const funded = await approvedLoan();
    await all.done(manager.post('fund-loan', { loanId: funded }));
    await all.done(manager.post('initiate-repayment', { loanId: funded }));
  });

  test('which is above the limit of a role for fund-loan', async () => {
    const scopes: Scope[] = ['loans:read', 'servicing:write', 'loans:fund'];
    const limited = await all.person('funder', { 'fund-loan': 0 }, scopes);
    const loanId = await approvedLoan();
    await all.done(limited.post('initiate-repayment', { loanId }), 202);
    expect(await statusOf(loanId)).toBe('Approved');
  });
});

describe('undo needs what the undone fact needed', () => {
  let agent: Someone;
  beforeAll(async () => {
    agent = await inRole('agent');
  });

  /** Does something as a manager and returns what undoes it. */
  async function toUndo(
    path: string,
    type: string,
    body: object,
  ): Promise<{ loanId: string; transactionHash: string; reason: string }> {
    const loanId = await all.loan();
    await all.done(manager.post(path, { loanId, ...body }));
    const fact = (await timeline(loanId)).findLast((one) => one.type === type);
    return { loanId, transactionHash: fact?.transactionHash ?? '', reason };
  }

  test.each([
    [
      'a fee above what an agent may waive',
      'assess-fee',
      'feeAssessed',
      { feeId: 'F-9', name: 'Repair', amount: '500.00' },
    ],
    [
      'a fee that an agent may charge and not waive',
      'assess-fee',
      'feeAssessed',
      { feeId: 'F-9', name: 'Repair', amount: '50.01' },
    ],
    ['a charge-off', 'charge-off', 'chargedOff', { reason }],
    ['a change of the rate', 'change-rate', 'rateChanged', { interestRate: '5', why: 'modification', reason }],
    ['a settlement', 'settle', 'payoffQuoted', { amount: '100', goodThrough: '2026-01-31', reason }],
  ])('%s', async (_what, path, type, body) => {
    const undone = await toUndo(path, type, body);
    const dry = await all.done(agent.post('undo?dryRun=true', undone));
    expect(dry.data.approval).toBe(true);
    const before = await timeline(undone.loanId);
    const { data } = await all.done(agent.post('undo', undone), 202);
    expect((await timeline(undone.loanId)).filter((one) => one.type === 'undone')).toEqual([]);
    expect((await timeline(undone.loanId)).length).toBe(before.length + 1);
    // Two agents do not do together what neither may do alone.
    const decision = { approvalId: data.approvalId, reason };
    const above = await (await inRole('agent')).post('approve', decision);
    expect([above.status, above.body.code]).toEqual([403, 'above_limit']);
    await all.done(manager.post('approve', decision));
    expect((await timeline(undone.loanId)).at(-1)).toMatchObject({ type: 'undone', userId: agent.userId });
  });

  test('and no more: a small fee, a hold, a quote', async () => {
    const fee = await toUndo('assess-fee', 'feeAssessed', { feeId: 'F-9', name: 'Repair', amount: '50.00' });
    await all.done(agent.post('undo', fee));
    const hold = await toUndo('place-hold', 'holdPlaced', { kind: 'fraud', reason });
    await all.done(agent.post('undo', hold));
    const quote = await toUndo('payoff-quotes', 'payoffQuoted', { goodThrough: '2026-01-25' });
    await all.done(agent.post('undo', quote));
    // A quote is recorded with the scope for payments, and undone with it.
    const again = await toUndo('payoff-quotes', 'payoffQuoted', { goodThrough: '2026-01-25' });
    const servicing = await all.program(['loans:read', 'servicing:write']);
    const refused = await servicing.post('undo', again);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
  });

  test('a fee counts as waived by the rule of the policy too', async () => {
    const lenderId = 'L-WAIVING';
    await all.done(
      all.service.call('POST', '/v2/chain/policies', {
        token: await all.service.token(),
        body: {
          policyId: 'waiving',
          lenderId,
          from: '2026-01-15',
          values: { approvals: { 'waive-fee': { above: '60' } } },
        },
      }),
    );
    const loanId = await all.loan({ lenderId });
    const fact = (await timeline(loanId)).findLast((one) => one.type === 'feeAssessed');
    const undone = { loanId, transactionHash: fact?.transactionHash ?? '', reason };
    const program = await all.program();
    expect((await all.done(program.post('undo?dryRun=true', undone))).data.approval).toBe(true);
    await all.done(program.post('undo', undone), 202);
  });
});

describe('a payment on a charged-off loan is a recovery by either name', () => {
  test('a rule for one binds the other', async () => {
    const loanId = await all.loan();
    await all.done(manager.post('charge-off', { loanId, reason }));
    const repay = { loanId, amount: '200', refId: 'R-1' };
    const scopes: Scope[] = ['loans:read', 'payments:write', 'servicing:write'];
    const limited = await all.person('recovering', { 'record-recovery': 10_000 }, scopes);
    await all.done(limited.post('record-recovery', repay), 202);
    await all.done(limited.post('loan-repay', repay), 202);
    await all.done(limited.post('loan-repay', { ...repay, amount: '100', refId: 'R-2' }));
    const taking = await all.person('taking', { 'loan-repay': 10_000 }, scopes);
    await all.done(taking.post('record-recovery', { ...repay, refId: 'R-3' }), 202);
    // The scope is that of the call.
    const desk = await all.program(['loans:read', 'payments:write']);
    await all.done(desk.post('loan-repay', { ...repay, refId: 'R-4' }));
  });
});

describe('a creation', () => {
  test('does not publish a loan whose publication needs an approval', async () => {
    const lenderId = 'L-PUBLIC';
    await all.done(
      all.service.call('POST', '/v2/chain/policies', {
        token: await all.service.token(),
        body: { policyId: 'public', lenderId, from: '2026-01-15', values: { approvals: { publish: true } } },
      }),
    );
    const refused = await manager.post('loans', creation({ lenderId, published: true }));
    expect([refused.status, refused.body.refusal]).toEqual([409, 'approval_required']);
    expect(refused.body.detail).toContain('POST /publish');
    const { loanId } = (await all.done(manager.post('loans', creation({ lenderId })))).data;
    await all.done(manager.post('publish', { loanId, published: true }), 202);
  });
});

describe('a second role', () => {
  test('lifts no limit on what it does not allow', async () => {
    const both = await inRole('agent', 'underwriter');
    const loanId = await all.loan();
    const body = { loanId, what: 'servicer', to: 'SRV-9', date: '2026-01-20', reason };
    await all.done(both.post('transfer', body), 202);
  });
});
