/** A payoff quote or a settlement waives nothing when a payment that its amount had counted was returned or reversed. */
import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { delinquency } from '../../src/core/delinquency.ts';
import { fold } from '../../src/core/fold.ts';
import { payoff } from '../../src/core/payoff.ts';
import { percent } from '../../src/core/rate.ts';
import { closedBy, statusOf } from '../../src/core/status.ts';
import { contractOf, inAnotherOrder, type Life, live, money } from '../support/life.ts';

const contract = contractOf({ amount: money('25000'), rate: percent('7.25'), dayCount: 'actual/365', count: 60 });

const acknowledge = (refId: string): Command => ({ do: 'acknowledge-repayment', refId });
const bounce: Command = { do: 'return-repayment', refId: 'A', date: null, code: 'R01', reason: 'no funds' };

/**
 * 25,000.00 at 7.25 % from 1 January; 5,000.00 on the 15th pays 25,000.00 × 7.25 % × 14 ÷ 365 = 69.52 of interest and 4,930.48 of principal:
 * 20,069.52 is left. Quoted on the 16th for the 18th: 20,069.52 + 20,069.52 × 7.25 % × 3 ÷ 365 = 20,069.52 + 11.96 = 20,081.48. A fee of
 * 30.00 on the 17th is not in the quote. Paid on the 18th: 11.96 of interest, the fee, 20,039.52 of principal; 30.00 is waived.
 */
function paidByQuote(): Life {
  const life = live(contract, { returnFee: money('25') })
    .fund()
    .pay('2026-01-15', '5000', 'A');
  life.take('2026-01-16', { do: 'payoff-quotes', quoteId: 'Q', date: null, goodThrough: date('2026-01-18') });
  const fee = { kind: 'fee', name: 'title copy', amount: money('30'), date: null } as const;
  life.take('2026-01-17', { do: 'assess-fee', feeId: 'F', ...fee });
  life.pay('2026-01-18', '20081.48', 'B');
  for (const refId of ['A', 'B']) life.take('2026-01-19', acknowledge(refId));
  return life;
}

describe('5,000.00 paid, the payoff quoted and paid, and the 5,000.00 returned', () => {
  test('before the return, the quote ended the loan', () => {
    const loan = paidByQuote().loan('2026-01-19');
    expect(loan.quotes[0]).toMatchObject({ amount: 2_008_148, honouredOn: '2026-01-18', isVoid: false });
    expect(loan.payments[1]?.allocation).toMatchObject({ interest: 1_196, fees: 3_000, principal: 2_003_952 });
    expect([loan.totals.principalForgiven, statusOf(loan), closedBy(loan)]).toEqual([3_000, 'ClosedEarly', 'payoff']);
  });

  test('the loan is open again, owes what bounced with its interest, and nothing is waived', () => {
    const life = paidByQuote();
    const { loan, changes } = life.take('2026-01-20', bounce);
    // Without A, the payment of the 18th pays 25,000.00 × 7.25 % × 17 ÷ 365 = 84.42 of interest, the fee of 30.00, and 19,967.06 of
    // principal: 5,032.94 is left. To the 20th that is 5,032.94 × 7.25 % × 2 ÷ 365 = 2.00 of interest; the return fee is 25.00.
    expect(payoff(loan)).toMatchObject({ principal: 503_294, interest: 200, fees: 2_500, payoff: 505_994 });
    expect(loan.payments[1]?.allocation).toMatchObject({ interest: 8_442, fees: 3_000, principal: 1_996_706 });
    expect([loan.totals.principalForgiven, loan.totals.feesWaived]).toEqual([0, 0]);
    expect(loan.quotes[0]).toMatchObject({ isVoid: true, honouredOn: null });
    expect([statusOf(loan), closedBy(loan)]).toEqual(['Current', null]);
    expect(changes).toEqual([
      { date: '2026-01-20', what: 'principal', before: 0, after: 503_294 },
      { date: '2026-01-20', what: 'interest', before: 0, after: 200 },
      { date: '2026-01-20', what: 'fees', before: 0, after: 2_500 },
      { date: '2026-01-20', what: 'status', before: 'ClosedEarly', after: 'Current' },
      { date: '2026-01-15', what: 'paymentInterest', refId: 'A', before: 6_952, after: 0 },
      { date: '2026-01-15', what: 'paymentPrincipal', refId: 'A', before: 493_048, after: 0 },
      { date: '2026-01-18', what: 'paymentInterest', refId: 'B', before: 1_196, after: 8_442 },
      { date: '2026-01-18', what: 'paymentPrincipal', refId: 'B', before: 2_003_952, after: 1_996_706 },
      { date: '2026-01-18', what: 'quote', before: 'honoured', after: 'void' },
      { date: '2026-01-18', what: 'closedBy', before: 'payoff', after: null },
      { date: '2026-01-18', what: 'lienRelease', before: 'due', after: 'withdrawn' },
    ]);
  });

  test('a loan without a lien has no release to withdraw', () => {
    const file = { decision: null, deals: [], opening: null, encumberedStatus: 'Unencumbered' };
    const { changes } = paidByQuote().take('2026-01-20', bounce, file);
    expect(changes?.map(({ what }) => what)).not.toContain('lienRelease');
    expect(changes?.map(({ what }) => what)).toContain('closedBy');
  });

  test('the same whatever became known first, and on the days before the return', () => {
    const life = paidByQuote();
    life.take('2026-01-20', bounce);
    const { events } = life;
    expect(fold(inAnotherOrder(events), date('2026-01-20'))).toEqual(life.loan('2026-01-20'));
    expect(statusOf(life.loan('2026-01-19'))).toBe('Current');
    // As it was known on the 19th, the loan was closed.
    const known = events.filter(({ recordedOn }) => recordedOn <= '2026-01-19');
    expect(statusOf(fold(known, date('2026-01-19')))).toBe('ClosedEarly');
  });

  test('the replacement payment pays what is owed, not what was quoted', () => {
    const life = paidByQuote();
    life.take('2026-01-20', bounce);
    life.pay('2026-01-20', '5000', 'C');
    expect(payoff(life.loan('2026-01-20')).payoff).toBe(5_994);
    life.pay('2026-01-20', '59.94', 'D');
    for (const refId of ['C', 'D']) life.take('2026-01-21', acknowledge(refId));
    expect(closedBy(life.loan('2026-01-21'))).toBe('payoff');
  });

  test('the fee of the return is assessed once; the same return again changes nothing', () => {
    const life = paidByQuote();
    const first = life.take('2026-01-20', bounce);
    expect(first.events.map(({ type }) => type)).toEqual(['feeAssessed', 'paymentReturned']);
    const again = life.take('2026-01-21', bounce);
    expect(again).toMatchObject({ repeated: true, events: [] });
    expect(life.events[again.original ?? -1]).toMatchObject({ type: 'paymentReturned', code: 'R01' });
    expect(life.loan('2026-01-21').fees.map(({ feeId, amount }) => [feeId, amount])).toEqual([
      ['F', 3_000],
      ['return-1', 2_500],
    ]);
  });
});

test('a payment that was returned before the quote was not counted in it: the quote is honoured', () => {
  const life = live(contract).fund().pay('2026-01-15', '5000', 'A');
  life.take('2026-01-16', bounce);
  life.take('2026-01-16', { do: 'payoff-quotes', quoteId: 'Q', date: null, goodThrough: date('2026-01-18') });
  // 25,000.00 + 84.42 of interest for 17 days.
  life.pay('2026-01-18', '25084.42', 'B');
  expect(life.loan('2026-01-18')).toMatchObject({
    principal: 0,
    quotes: [{ honouredOn: '2026-01-18', isVoid: false }],
  });
});

describe('a settlement', () => {
  test('with a payment that was posted in error: what the settlement waived is owed again, without a fee', () => {
    const life = live(contract, { returnFee: money('25') })
      .fund()
      .pay('2026-01-15', '5000', 'A');
    const settlement = { amount: money('10000'), goodThrough: date('2026-02-15'), reason: 'hardship' };
    life.take('2026-01-16', { do: 'settle', quoteId: 'S', ...settlement });
    life.pay('2026-01-18', '10000', 'B');
    for (const refId of ['A', 'B']) life.take('2026-01-19', acknowledge(refId));
    expect(closedBy(life.loan('2026-01-19'))).toBe('settlement');
    const { loan, changes } = life.take('2026-01-20', { do: 'reverse-repayment', refId: 'A', reason: 'wrong loan' });
    // 10,000.00 on the 18th pays 84.42 of interest and 9,915.58 of principal; 15,084.42 × 7.25 % × 2 ÷ 365 = 5.99.
    expect(payoff(loan)).toMatchObject({ principal: 1_508_442, interest: 599, fees: 0 });
    expect(loan.payments[0]?.status).toBe('Reversed');
    expect(changes?.filter(({ what }) => what === 'closedBy' || what === 'quote' || what === 'lienRelease')).toEqual([
      { date: '2026-01-18', what: 'quote', before: 'honoured', after: 'void' },
      { date: '2026-01-18', what: 'closedBy', before: 'settlement', after: null },
      { date: '2026-01-18', what: 'lienRelease', before: 'due', after: 'withdrawn' },
    ]);
  });

  test('a reversed payment can be neither returned nor acknowledged; the same reversal again changes nothing', () => {
    const life = live(contract).fund().pay('2026-01-15', '5000', 'A');
    const reversal: Command = { do: 'reverse-repayment', refId: 'A', reason: 'wrong loan' };
    expect(life.ask('2026-01-16', { ...reversal, reason: '' })).toMatchObject({ refused: 'reason_required' });
    expect(life.ask('2026-01-16', { ...reversal, refId: 'X' })).toMatchObject({ refused: 'unknown_reference' });
    life.take('2026-01-16', reversal);
    expect(life.ask('2026-01-17', bounce)).toMatchObject({ refused: 'reference_conflict' });
    expect(life.ask('2026-01-17', acknowledge('A'))).toMatchObject({ refused: 'reference_conflict' });
    expect(life.take('2026-01-17', reversal)).toMatchObject({ repeated: true, events: [] });
    expect(life.loan('2026-01-17').principal).toBe(2_500_000);
  });
});

describe('money for other purposes', () => {
  test('insurance and sale money does not change due dates and days past due; the last payment decides how the loan ended', () => {
    // Nothing was paid of the installments of 1 February and 1 March.
    for (const purpose of ['insurance', 'sale'] as const) {
      const life = live(contract).fund();
      const before = delinquency(life.loan('2026-03-15'));
      life.pay('2026-03-15', '20000', 'A', { purpose, method: 'wire', trace: '091000010000001' });
      const loan = life.loan('2026-03-15');
      // 25,000.00 × 7.25 % × 73 ÷ 365 = 362.50 of interest comes first.
      expect(loan.payments[0]?.allocation).toMatchObject({ interest: 36_250, principal: 1_963_750, fees: 0 });
      expect(delinquency(loan)).toMatchObject({
        daysPastDue: 42,
        nextDueDate: before.nextDueDate,
        oldestDueDate: before.oldestDueDate,
        paidAhead: 0,
      });
      expect(before.daysPastDue).toBe(42);
      life.pay('2026-03-15', '5362.50', 'B', { purpose });
      for (const refId of ['A', 'B']) life.take('2026-03-16', acknowledge(refId));
      expect([statusOf(life.loan('2026-03-16')), closedBy(life.loan('2026-03-16'))]).toEqual(['ClosedEarly', purpose]);
    }
  });

  test('a shortage that it reduces below the tolerance does not count as paid', () => {
    // On 1 February 400.00 of the 497.98 due is paid; on the 20th a sale leaves some 10.00 of the whole debt.
    const life = live(contract).fund().pay('2026-02-01', '400', 'A');
    const owed = payoff(life.loan('2026-02-20')).payoff;
    expect(delinquency(life.loan('2026-02-20')).daysPastDue).toBe(19);
    life.pay('2026-02-20', ((owed - 1_000) / 100).toFixed(2), 'B', { purpose: 'sale' });
    expect(payoff(life.loan('2026-02-20')).payoff).toBe(1_000);
    expect(delinquency(life.loan('2026-02-20')).daysPastDue).toBe(19);
  });
});

describe('after a charge-off', () => {
  const chargedOff = () => {
    const life = live(contract).fund().pay('2026-02-01', '497.98', 'A');
    life.take('2026-02-02', acknowledge('A'));
    life.take('2026-07-31', { do: 'charge-off', date: null, reason: 'policy', collateral: money('0') });
    return life;
  };

  test('all money is a recovery: nothing is paid ahead, and days past due continue from the oldest open installment', () => {
    const life = chargedOff();
    life.pay('2026-08-10', '20000', 'B', { purpose: 'sale' }).pay('2026-08-11', '3000', 'C');
    const late = delinquency(life.loan('2026-08-31'));
    expect([late.oldestDueDate, late.daysPastDue, late.paidAhead, late.bucket]).toEqual(['2026-03-01', 183, 0, '120+']);
    expect(life.loan('2026-08-31').payments.map(({ recovery }) => recovery)).toEqual([false, true, true]);
    expect(statusOf(life.loan('2026-08-31'))).toBe('ChargedOff');
  });

  test('paid in full, it is closed by recovery; settled, by settlement', () => {
    const recovered = chargedOff();
    recovered.pay('2026-08-10', (payoff(recovered.loan('2026-08-10')).payoff / 100).toFixed(2), 'B');
    recovered.take('2026-08-11', acknowledge('B'));
    expect(closedBy(recovered.loan('2026-08-11'))).toBe('recovery');

    const settled = chargedOff();
    const settlement = { amount: money('9000'), goodThrough: date('2026-08-31'), reason: 'hardship' };
    settled.take('2026-08-01', { do: 'settle', quoteId: 'S', ...settlement });
    settled.pay('2026-08-10', '9000', 'B').take('2026-08-11', acknowledge('B'));
    expect(closedBy(settled.loan('2026-08-11'))).toBe('settlement');
  });
});
