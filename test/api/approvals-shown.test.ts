/** The request for approval as the person who decides on it sees it, and the entries of decisions in the audit trail. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/http/routes.ts';
import { PERSONAL_MEMBERS } from '../../src/loans/approvals/body.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';

let all: Approving;
let alice: Someone;
let bob: Someone;
let manager: Someone;
let loanId: string;

const reason = 'The borrower, Ms. Example, is ill';
const purpose = { headers: { purpose: 'To decide on the request' } };

beforeAll(async () => {
  all = await approving();
  [alice, bob] = [await all.person('alice'), await all.person('bob')];
  manager = await all.person('manager', {}, ['loans:read', 'loans:read_pii', 'servicing:write']);
  await all.policy({ approvals: { 'change-rate': true, 'update-party': true } });
  loanId = await all.loan();
});
afterAll(() => all.service.close());

const shown = async (who: Someone, id: string, more = {}) => {
  const answer = await who.get(`approvals/${id}`, more);
  expect(answer.status, answer.text).toBe(200);
  return { body: answer.body.data.body, cached: answer.headers.get('cache-control') };
};
const requested = async (path: string, body: object): Promise<string> =>
  (await all.done(alice.post(path, { loanId, ...body }), 202)).data.approvalId;

it('has the body of the call, without what may name a person', async () => {
  const id = await requested('change-rate', { interestRate: '5.5', why: 'modification', reason });
  const body = { interestRate: '5.5', why: 'modification', reason: null };
  expect(await shown(bob, id)).toEqual({ body, cached: 'private, no-cache' });
  // A person has to say why.
  expect((await shown(manager, id)).body).toEqual(body);
});

it('has all of it for those who may see personal data, which is a disclosure', async () => {
  const body = { party: 'applicant', changes: { email: 'moved@example.com' }, reason };
  const id = await requested('update-party', body);
  expect((await shown(bob, id)).body).toEqual({ party: 'applicant', changes: null, reason: null });
  expect(await shown(manager, id, purpose)).toEqual({ body, cached: 'no-store' });
  const auditor = await all.program(['audit:read']);
  const { data } = await all.done(auditor.get(`audit?loanId=${loanId}&operation=read-approval`));
  const seen = { kind: 'saw', subject: 'approval', userId: manager.userId, outcome: 'done', purposeGiven: true };
  expect(data.items).toMatchObject([seen]);
});

it('withholds every member that is not in the ledger', () => {
  const open = new Set<string>();
  for (const { body, carryOut } of operations) {
    const { properties = {} } = (body ?? {}) as { properties?: Record<string, object> };
    for (const name of carryOut === undefined ? [] : Object.keys(properties)) {
      if (!PERSONAL_MEMBERS.has(name)) open.add(name);
    }
  }
  // A new member is added here if the ledger has it in plain; otherwise to PERSONAL_MEMBERS.
  const ids = [
    'loanId',
    'refId',
    'feeId',
    'quoteId',
    'holdId',
    'servicerId',
    'transactionHash',
    'trace',
    'to',
    'stipulationId',
  ];
  const dates = ['date', 'paymentDate', 'goodThrough', 'serviceFrom', 'serviceTo', 'from'];
  const figures = ['amount', 'collateral', 'collateralAmount', 'interestRate', 'periods', 'dealIndex'];
  const choices = [
    'kind',
    'why',
    'what',
    'party',
    'purpose',
    'method',
    'code',
    'ground',
    'name',
    'state',
    'reasonCode',
  ];
  const flags = [
    'approved',
    'repull',
    'published',
    'documentsComplete',
    'principalOnly',
    'acceptOverpayment',
    'override',
    'chargeRetroactive',
  ];
  expect([...open].sort()).toEqual([...ids, ...dates, ...figures, ...choices, ...flags].sort());
});

it('a decision that was refused is in the trail under its own name, with the request and the loan', async () => {
  const id = await requested('change-rate', { interestRate: '4', why: 'modification', reason: 'Agreed' });
  const auditor = await all.program(['audit:read']);
  const decide = (who: Someone, path: string, more = {}) => who.post(path, { approvalId: id, reason: 'Seen', ...more });
  await all.done(decide(alice, 'approve'), 403);
  await all.done(alice.post('loan-repay', { loanId, refId: 'P-1', amount: '0.01' }));
  await all.done(decide(bob, 'approve'), 409);
  await all.done(decide(bob, 'approve', { reason: ' ' }), 422);
  await all.done(decide(bob, 'reject'));
  await all.done(decide(alice, 'reject'), 409);
  const { data } = await all.done(auditor.get(`audit?loanId=${loanId}&limit=100`));
  const decisions = data.items.filter((one: Record<string, string>) => one.approvalId === id);
  const told = decisions.map((one: Record<string, string>) => [one.kind, one.operation, one.outcome, one.userId]);
  expect(told).toEqual([
    ['tried', 'reject', 'already_decided', alice.userId],
    ['did', 'reject', 'done', bob.userId],
    ['tried', 'approve', 'invalid_request', bob.userId],
    ['tried', 'approve', 'outcome_changed', bob.userId],
    ['tried', 'approve', 'own_request', alice.userId],
    ['did', 'change-rate', 'approval_requested', alice.userId],
  ]);
});

it('a refused decision on another organization’s request does not name its loan', async () => {
  const id = await requested('change-rate', { interestRate: '3', why: 'modification', reason: 'Agreed' });
  const { access, call } = all.service;
  const { organizationId } = await access.createOrganization('Other');
  const { clientId, clientSecret } = await access.createClient(organizationId, {
    name: 'test',
    scopes: ['servicing:write', 'audit:read'],
  });
  const signed = await call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const token = signed.body.data.token;
  const send = (reason: string) => call('POST', '/v2/chain/approve', { token, body: { approvalId: id, reason } });
  expect([(await send('Seen')).status, (await send('')).status]).toEqual([404, 422]);
  const { data } = (await call('GET', '/v2/chain/audit?operation=approve', { token })).body;
  const none = { operation: 'approve', loanId: null, organizationId };
  expect(data.items).toMatchObject([none, none]);
});
