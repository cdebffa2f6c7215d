/** What a request shows to whoever decides on it: the body of the call, and what may name a person only as a disclosure. */
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
  const [entry] = await all.service.db.query(
    "SELECT kind, subject, user_id, outcome FROM audit WHERE operation = 'read-approval' AND loan_id = $1",
    [`\\x${loanId.slice(2)}`],
  );
  expect(entry).toEqual({ kind: 'saw', subject: 'approval', user_id: manager.userId, outcome: 'done' });
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
  const ids = ['loanId', 'refId', 'feeId', 'quoteId', 'holdId', 'servicerId', 'transactionHash', 'trace', 'to'];
  const dates = ['date', 'paymentDate', 'goodThrough', 'serviceFrom', 'serviceTo', 'from'];
  const figures = ['amount', 'collateral', 'collateralAmount', 'interestRate', 'periods', 'dealIndex'];
  const choices = ['kind', 'why', 'what', 'party', 'purpose', 'method', 'code', 'ground', 'name'];
  const flags = ['approved', 'published', 'documentsComplete', 'principalOnly', 'acceptOverpayment', 'override'];
  expect([...open].sort()).toEqual([...ids, ...dates, ...figures, ...choices, ...flags].sort());
});
