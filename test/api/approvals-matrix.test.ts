/** Every operation on a loan under a policy that requires an approval of each: requested, nothing changes; approved, it is done as requested. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATION_NAMES, type Operation } from '../../src/core/decide/decide.ts';
import type { LoanStatus } from '../../src/core/loan.ts';
import type { Answered } from '../support/app.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { loanIn } from '../support/statuses.ts';

const reason = 'As agreed';

/** For each a status from which it succeeds, its body, and what has to be done before. */
const CALLS: Partial<Record<Operation, readonly [LoanStatus, object, ...(readonly [string, object])[]]>> = {
  'request-documents': ['ApplicationSubmitted', {}],
  'verify-documents': ['DocumentsRequested', { documentsComplete: true }],
  'start-underwriting': ['ApplicationSubmitted', {}],
  'complete-underwriting': ['UnderwritingStarted', { approved: true }],
  'request-collateral': ['Approved', {}],
  'approve-collateral': ['Approved', { collateralAmount: '15000' }],
  'fund-loan': ['Approved', {}],
  'initiate-repayment': ['Funded', {}],
  'loan-repay': ['Current', { amount: '10.00', refId: 'NEW-1' }],
  'acknowledge-repayment': ['Current', { refId: 'P-1' }],
  'return-repayment': ['Current', { refId: 'P-1', code: 'R01', reason }],
  'reverse-repayment': ['Current', { refId: 'P-1', reason }],
  'payoff-quotes': ['Current', { goodThrough: '2026-01-25' }],
  settle: ['Current', { amount: '100', goodThrough: '2026-01-31', reason }],
  'assess-fee': ['Current', { feeId: 'F-2', name: 'Title fee', amount: '15' }],
  'waive-fee': ['Current', { feeId: 'F-1', reason }],
  'change-rate': ['Current', { interestRate: '6', reason }],
  extend: ['Current', { periods: 1, reason, override: true }],
  'change-due-date': ['Current', { to: '2026-02-20', reason }],
  reamortize: ['Current', { reason }],
  reage: ['Delinquent', { reason, override: true }],
  'place-hold': ['Current', { kind: 'fraud', reason }],
  'release-hold': ['Current', { holdId: 'H-1', reason }],
  delinquent: ['Delinquent', {}],
  default: ['Delinquent', { ground: 'other', reason }],
  accelerate: ['Delinquent', { reason }],
  'payment-reminders': ['Current', {}],
  'charge-off': ['Current', { reason }],
  'write-down': ['ChargedOff', { amount: '10', reason }],
  'record-recovery': ['ChargedOff', { amount: '10', refId: 'NEW-2' }],
  'refund-credit': [
    'ClosedEarly',
    { amount: '5', refId: 'NEW-3' },
    ['loan-repay', { amount: '5', refId: 'C-1', acceptOverpayment: true }],
  ],
  cancel: ['Approved', { reason }],
  publish: ['Current', { published: true }],
  transfer: ['Current', { what: 'servicer', to: 'SRV-9', date: '2026-03-01', reason }],
  'cancel-transfer': [
    'Current',
    { what: 'servicer' },
    ['transfer', { what: 'servicer', to: 'SRV-9', date: '2026-03-01', reason }],
  ],
  'update-party': ['Current', { party: 'applicant', changes: { phone: '614-555-0173' }, reason }],
};
/** `close` records nothing; the others need a second organization, or the hash of a transaction. */
const ELSEWHERE: readonly Operation[] = ['close', 'accept-transfer', 'undo'];

let all: Approving;
let one: Someone;
let other: Someone;

beforeAll(async () => {
  all = await approving();
  const scopes = [
    'loans:read',
    'loans:write',
    'servicing:write',
    'servicing:override',
    'payments:write',
    'underwriting:write',
    'loans:fund',
  ] as const;
  [one, other] = await Promise.all([all.program([...scopes]), all.person('other', {}, [...scopes])]);
  await all.policy({ approvals: Object.fromEntries(OPERATION_NAMES.map((name) => [name, true])) });
});
afterAll(() => all.service.close());

/** Posts a request, and approves it if it needs an approval. */
async function post(path: string, body: object): Promise<Answered> {
  if (path === 'loans') {
    const { service } = all;
    const [token, key] = [await service.token(), service.credentials.apiKey];
    return service.call('POST', `/v2/chain/${path}`, { token, key, body });
  }
  const answer = await one.post(path, body);
  if (answer.status !== 202) return answer;
  const approved = await other.post('approve', { approvalId: answer.body.data.approvalId, reason });
  return { ...approved, body: { ...approved.body, data: approved.body.data?.result } };
}

const payoffOf = async (loanId: string): Promise<string> =>
  (await all.done(one.get(`loans/${loanId}/payoff`))).data.payoff;

it('names every operation', () => {
  const named = new Set([...Object.keys(CALLS), ...ELSEWHERE]);
  expect(OPERATION_NAMES.filter((name) => !named.has(name))).toEqual([]);
});

it.each(Object.entries(CALLS))('%s', async (operation, [status, more, ...before]) => {
  const loanId = await loanIn(status, post, payoffOf);
  for (const [path, body] of before) expect((await post(path, { loanId, ...body })).status).toBe(200);
  const facts = async () => (await all.done(one.get(`loans/${loanId}/timeline`))).data.items;
  const history = await facts();
  const body = { loanId, ...more };
  const dry = await all.done(one.post(`${operation}?dryRun=true`, body));
  expect(dry.data.approval).toBe(true);
  const { data } = await all.done(one.post(operation, body), 202);
  expect(data.preview.events).toEqual(dry.data.events);
  expect(await facts()).toHaveLength(history.length + 1);
  const { approvalId } = data;
  const approved = (await all.done(other.post('approve', { approvalId, reason }))).data;
  expect(approved).toMatchObject({
    state: 'approved',
    operation,
    result: { transactionHash: approved.transactionHash },
  });
  expect(approved.result.loanStatus).toBe(data.preview.loanStatus);
  const done = (await facts()).slice(history.length + 2);
  expect(done.map(({ type, approvalId: id }: Record<string, string>) => [type, id])).toEqual(
    data.preview.events.map(({ type }: { type: string }) => [type, approvalId]),
  );
  expect(done.at(-1)).toMatchObject({ clientId: one.clientId, userId: null, approvedBy: { userId: other.userId } });
});
