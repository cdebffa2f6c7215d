/**
 * A loan is boarded on 16 March with figures as of 1 January: 9,000.00 at 12 %, 30/360, so 3.00 a day and 90.00 a month. Interest since the
 * loan was the owner's is its income, whenever the loan was recorded here; interest from before belongs to the purchase.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { type Caller, caller, inCents } from '../support/caller.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let as: Caller;
let bought = '';

const seasoned = (lenderId: string, opening: object) =>
  creation({
    lenderId,
    ...{ loanAmount: '10000', interestRate: '12', dayCount: '30/360' },
    ...{ originationDate: '2025-11-01', firstPaymentDate: '2025-12-01' },
    opening: { asOf: '2026-01-01', principal: '9000', paidThrough: '2026-01-01', ...opening },
  });

const record = (lenderId: string, opening: object) => ({
  ...{ applicationId: `REC-${lenderId}`, borrowerId: 'B-1', lenderId, loanType: 'AutoLoan', loanStatus: 'Current' },
  ...{ loanAmount: '10000', interestRate: '12', term: 12, dayCount: '30/360', originationDate: '2025-11-01' },
  ...{ remainingBalance: '9000', nextPaymentDate: '2026-02-01', asOf: '2026-01-01' },
  opening: { unpaidInterest: '0', ...opening },
});

beforeAll(async () => {
  service = await testApp();
  service.clock.now = Date.parse('2026-03-16T12:00:00Z');
  as = caller(service);
  for (const [lenderId, opening] of [
    ['DEFAULT', {}],
    ['BOUGHT', { ownedFrom: '2026-02-11' }],
    ['TODAY', { ownedFrom: '2026-03-16' }],
  ] as const) {
    const { loanId } = await as.done('loans', seasoned(lenderId, opening));
    for (const step of ['start-underwriting', 'complete-underwriting', 'initiate-repayment']) {
      await as.done(step, { loanId, ...(step === 'complete-underwriting' ? { approved: true } : {}) });
    }
    if (lenderId === 'BOUGHT') bought = loanId;
    await as.done('loans', record(`${lenderId}-RECORD`, opening));
  }
});
afterAll(() => service.close());

/** Interest by 30/360 from a day to 16 March, at 3.00 a day: 75, 35 and no days of the 75. */
const CASES = [
  ['DEFAULT', 225_00, 0],
  ['BOUGHT', 105_00, 120_00],
  ['TODAY', 0, 225_00],
] as const;

test.each(CASES)(
  '%s: on the day of boarding %d cents are income, and %d belong to the purchase',
  async (lender, earned, before) => {
    for (const lenderId of [lender, `${lender}-RECORD`]) {
      expect(await as.balances('2026-03-15', lenderId)).toEqual({});
      expect(await as.balances('2026-03-16', lenderId)).toEqual({
        loanPrincipal: 9_000_00,
        accruedInterest: 225_00,
        ...(earned === 0 ? {} : { interestIncome: -earned }),
        opening: -9_000_00 - before,
      });
    }
  },
);

test('months before the boarding are not touched, and a restated one has the income of its own days', async () => {
  const lines = await as.journal(bought);
  expect(lines.every(({ datePosted }) => datePosted === '2026-03-16')).toBe(true);
  const sums = new Map<string, number>();
  for (const { account, debit, credit, dateEffective } of lines) {
    if (account !== 'interestIncome') continue;
    const month = dateEffective.slice(0, 7);
    sums.set(month, (sums.get(month) ?? 0) + inCents(debit) - inCents(credit));
  }
  // 11 to 28 February are 17 days of 30/360 to the end of the month; March takes back what the lender's book has.
  expect([...sums]).toEqual([
    ['2026-02', -51_00],
    ['2026-03', 171_00],
  ]);
});

test.each([
  ['2026-03-17', 'date_in_future'],
  ['2025-12-31', 'contradiction'],
])('ownedFrom %s is refused', async (ownedFrom, code) => {
  for (const body of [seasoned('REFUSED', { ownedFrom }), record('REFUSED', { ownedFrom })]) {
    const { status, body: problem } = await as.ask('POST', 'loans', body);
    expect(status).toBe(422);
    expect(problem.errors).toMatchObject([{ pointer: '/opening/ownedFrom', code }]);
  }
});
