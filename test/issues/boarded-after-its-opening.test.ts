/** A loan that is recorded later than the day of its opening, and was the owner's from that later day on: what was earned or fell due between is not the owner's. */
import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { cents, formatCents } from '../../src/core/money.ts';
import { type DatedLine, isPriorPeriod, journalOf } from '../../src/ledger/journal.ts';
import { balances, booksOf } from '../../src/ledger/post.ts';
import { contractOf, type Life, live, money } from '../support/life.ts';

const lateFee = {
  flat: money('25'),
  percent: null,
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst' as const,
};

/** 6,000.00 on 20 March, recorded on 15 June: 85 days of 30/360 at 12 % are 170.00. Late fees would be of 12 April, May and June. */
function boarded(policy: Parameters<typeof live>[1] = {}): Life {
  const contract = contractOf({ contractDate: date('2025-06-01'), firstPaymentDate: date('2025-07-01'), count: 24 });
  const life = live(contract, { lateFee, ...policy }).approve('2026-06-15');
  const figures = { principal: money('6000'), interest: money('80'), fees: money('50') };
  const opening = { date: date('2026-03-20'), ...figures, paidThrough: date('2026-03-01') };
  const ownedFrom = date('2026-06-15');
  life.take('2026-06-15', { do: 'fund-loan', date: null, opening: { ...opening, ownedFrom } });
  return life;
}

const linesOf = (life: Life) => journalOf(life.events).lines.flat();
const told = (line: DatedLine) =>
  `${line.dateEffective}${isPriorPeriod(line) ? ' prior' : ''} ${line.entry} ${line.account} ${formatCents(line.amount)}`;

/** With the interest accrued in the open stretch, which is in the lender's book. */
function income(life: Life, on: string): string {
  const loan = life.loan(on);
  const counted = loan.chargeOff === null ? loan.interest - loan.interestEnded : 0;
  return formatCents(cents(0 - balances(booksOf(loan)).interestIncome + counted));
}

test('its books begin with lines against `opening` alone: no late fee, no income from before', () => {
  const life = boarded();
  expect(linesOf(life).map(told)).toEqual([
    '2026-03-20 prior opening loanPrincipal 6000.00',
    '2026-03-20 prior opening interestReceivable 80.00',
    '2026-03-20 prior opening feeReceivable 50.00',
    '2026-03-20 prior opening accruedInterest 22.00',
    '2026-03-20 prior opening opening -6152.00',
    '2026-04-01 prior opening accruedInterest 58.00',
    '2026-04-01 prior opening opening -58.00',
    '2026-05-01 prior opening accruedInterest 62.00',
    '2026-05-01 prior opening opening -62.00',
    // The lender's book counts the interest of the open stretch as income from here on: the earlier part is taken out again.
    '2026-06-01 opening accruedInterest -142.00',
    '2026-06-01 opening opening 142.00',
    '2026-06-15 opening interestIncome 170.00',
    '2026-06-15 opening opening -170.00',
  ]);
  expect(income(life, '2026-06-15')).toBe('0.00');
  expect(income(life, '2026-06-20')).toBe('10.00');
});

test('the borrower is charged no late fee for the time before, and the next one as usual', () => {
  const life = boarded();
  expect(life.loan('2026-06-15').fees.map(({ feeId }) => feeId)).toEqual(['opening']);
  expect(life.loan('2026-07-12').fees.map(({ feeId, date: day }) => `${feeId} ${day}`)).toEqual([
    'opening 2026-03-20',
    'late-13 2026-07-12',
  ]);
});

test('a payment from before that becomes known later changes the opening figures, and no income', () => {
  const life = boarded();
  life.pay('2026-06-20', '500', 'P', { date: date('2026-06-10'), reason: 'sent on by the earlier servicer' });
  // 80 days of 6,000.00 are 160.00, so 240.00 of interest are paid and 260.00 of principal; 10 days of 5,740.00 are 19.13, half of them here.
  expect(income(life, '2026-06-20')).toBe('9.56');
  expect(balances(booksOf(life.loan('2026-06-20'))).opening).toBe(-613_000 - 16_957);
});

test('interest earned before is an expense when it is lost, and goes back to the opening in non-accrual', () => {
  const lost = boarded();
  lost.take('2026-06-20', { do: 'charge-off', date: null, reason: 'policy', collateral: money('0') });
  // 6,000.00, 80.00 and 170.00 of interest, 50.00 of fees.
  expect(balances(booksOf(lost.loan('2026-06-20')))).toMatchObject({
    chargeOffExpense: 630_000,
    opening: -630_000,
    interestIncome: 0,
  });
  const uncounted = boarded({ nonAccrualDays: 60 });
  expect(balances(booksOf(uncounted.loan('2026-06-20')))).toMatchObject({ opening: -605_000, interestIncome: 0 });
});
