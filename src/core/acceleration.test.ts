/** Everything becomes due on the day of the acceleration. */
import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { date } from './calendar.ts';
import type { Command } from './decide/decide.ts';
import { delinquency, openInstallments, pastDueFrom } from './delinquency.ts';
import { explain } from './explain.ts';
import { payoff, payoffsThrough } from './payoff.ts';
import type { LateFeePolicy } from './policy.ts';
import { percent } from './rate.ts';
import { isRefusal } from './refusal.ts';
import { statusOf } from './status.ts';

const LATE_FEE: LateFeePolicy = {
  ...{ flat: money('25'), percent: null, floor: null, cap: null, graceDays: 10, judge: 'currentFirst' },
};
const accelerate: Command = { do: 'accelerate', reason: 'notice expired' };

/** 10,000.00 at 12 % in twelve months of 888.49; the first is paid, those of March and April are not. */
function late(more: Parameters<typeof contractOf>[0] = {}): Life {
  return live(contractOf(more), { lateFee: LATE_FEE }).fund().pay('2026-02-01', '888.49', 'p1');
}
function accelerated(day = '2026-04-20', more: Parameters<typeof contractOf>[0] = {}): Life {
  const life = late(more);
  life.take(day, accelerate);
  return life;
}
const refused = (life: Life, day: string, command: Command) => {
  const decision = life.ask(day, command);
  return isRefusal(decision) ? decision : null;
};

test('payoff, days past due and status stay; the next payment and the amount past due are all that is owed', () => {
  const [before, after] = [late().loan('2026-04-20'), accelerated().loan('2026-04-20')];
  expect(payoff(after)).toEqual(payoff(before));
  expect(delinquency(after)).toMatchObject({
    ...{ daysPastDue: delinquency(before).daysPastDue, bucket: delinquency(before).bucket },
    ...{ oldestDueDate: '2026-03-01', nextDueDate: '2026-03-01', paidAhead: 0 },
    pastDueAmount: after.principal + after.interest,
    nextDueAmount: after.principal + after.interest,
  });
  expect(statusOf(after)).toBe('Delinquent');
  expect(after.acceleratedOn).toBe('2026-04-20');
  expect(pastDueFrom(after)).toBe('2026-03-01');
});

test('the schedule: what was to come is due on that day, and adds up to what is owed', () => {
  const loan = accelerated().loan('2026-05-20');
  expect(loan.installments.map(({ dueDate }) => dueDate)).toEqual([
    ...['2026-02-01', '2026-03-01', '2026-04-01'],
    ...Array.from({ length: 9 }, () => '2026-04-20'),
  ]);
  const view = openInstallments(loan);
  expect(view.reduce((sum, { open }) => sum + open, 0)).toBe(loan.principal + loan.interest);
  expect(view.filter(({ pastDueSince }) => pastDueSince !== null)).toHaveLength(11);
});

test('interest goes on; no further late fee, not even for an installment whose grace days are not over', () => {
  // The installment of 1 April would be judged on 12 April.
  const life = accelerated('2026-04-05');
  expect(life.loan('2026-12-31').fees.map(({ feeId }) => feeId)).toEqual(['late-2']);
  expect(late().loan('2026-12-31').fees).toHaveLength(10);
  const [first, last] = payoffsThrough((day) => life.loan(day), date('2026-06-01'), date('2026-06-02'));
  expect((last?.payoff ?? 0) - (first?.payoff ?? 0)).toBe(first?.perDiem);
});

test('a part payment pays the oldest first and brings no schedule back', () => {
  const life = accelerated();
  life.pay('2026-05-05', '1776.98', 'p2');
  const loan = life.loan('2026-05-05');
  // Both older installments are paid: days past due count from the acceleration.
  expect(delinquency(loan)).toMatchObject({
    ...{ oldestDueDate: '2026-04-20', daysPastDue: 15 },
    nextDueAmount: loan.principal + loan.interest,
  });
  expect(statusOf(loan)).toBe('Delinquent');
  // There are no grace days left: on the second day it is Delinquent again.
  expect(statusOf(accelerated().pay('2026-04-21', '1776.98', 'p2').loan('2026-04-21'))).toBe('Delinquent');
});

test('paid in full it is closed, not closed early, and without a prepayment penalty', () => {
  const life = accelerated('2026-04-20', { prepaymentPenalty: money('100') });
  expect(payoff(late({ prepaymentPenalty: money('100') }).loan('2026-04-20')).prepaymentPenalty).toBe(10_000);
  const { payoff: owed, prepaymentPenalty } = payoff(life.loan('2026-05-01'));
  expect(prepaymentPenalty).toBe(0);
  life.take('2026-05-01', {
    ...{ do: 'loan-repay', refId: 'all', amount: owed, date: null, acceptOverpayment: false, reason: null },
  });
  life.take('2026-05-02', { do: 'acknowledge-repayment', refId: 'p1' });
  life.take('2026-05-02', { do: 'acknowledge-repayment', refId: 'all' });
  expect(statusOf(life.loan('2026-05-02'))).toBe('Closed');
});

test('due dates cannot be changed; the rate can; a second acceleration is refused', () => {
  const life = accelerated();
  const reason = 'hardship';
  for (const command of [
    { do: 'extend', periods: 1, date: null, reason, override: true },
    { do: 'extend', periods: 1, date: date('2026-03-02'), reason, override: true },
    { do: 'change-due-date', to: date('2026-05-10'), date: null, reason },
    { do: 'reage', date: null, reason, override: true },
    { do: 'reamortize', date: null, reason },
  ] satisfies Command[]) {
    expect(refused(life, '2026-04-21', command)?.refused, command.do).toBe('accelerated');
  }
  expect(refused(life, '2026-04-21', { do: 'reamortize', date: null, reason })).toMatchObject({
    refused: 'accelerated',
    detail: 'The loan was accelerated on 2026-04-20, so everything is due; undo the acceleration first.',
  });
  expect(refused(life, '2026-04-21', accelerate)).toMatchObject({ refused: 'accelerated' });
  life.take('2026-04-21', { do: 'change-rate', rate: percent('6'), date: null, why: null, reason });
  const loan = life.loan('2026-06-01');
  expect(delinquency(loan).nextDueAmount).toBe(loan.principal + loan.interest);
});

test('the explanations add up', () => {
  const loan = accelerated().loan('2026-05-20');
  for (const figure of ['pastDue', 'nextPayment'] as const) {
    const found = explain(loan, figure);
    expect(found?.amount).toBe(loan.principal + loan.interest);
    expect(found?.sentences).toContain('The loan was accelerated on 2026-04-20: everything owed is due.');
  }
});

describe('grounds of default', () => {
  const byGround = (ground: 'pastDue' | 'insurance'): Command => ({ do: 'default', ground, reason: 'letters' });

  test('another ground than being past due needs nothing past due, and does not end by payments', () => {
    const life = live().fund();
    expect(refused(life, '2026-01-10', byGround('pastDue'))?.refused).toBe('nothing_past_due');
    life.take('2026-01-10', byGround('insurance'));
    life.pay('2026-02-01', '888.49', 'p1');
    const loan = life.loan('2026-02-01');
    expect([statusOf(loan), loan.defaultGround]).toEqual(['Defaulted', 'insurance']);
  });

  test('accelerated with installments paid ahead: the whole balance is due', () => {
    const life = live().fund().pay('2026-01-05', '2000', 'p1');
    life.take('2026-01-10', byGround('insurance'));
    life.take('2026-01-10', accelerate);
    const today = life.loan('2026-01-10');
    expect(delinquency(today)).toMatchObject({
      ...{ daysPastDue: 0, paidAhead: 0, nextDueDate: '2026-01-10' },
      ...{ pastDueAmount: today.principal + today.interest, nextDueAmount: today.principal + today.interest },
    });
    expect(delinquency(life.loan('2026-01-12')).daysPastDue).toBe(2);
  });

  test('when the loan ends, so does its default', () => {
    const life = live(contractOf({ count: 1 })).fund();
    life.take('2026-01-10', byGround('insurance'));
    life.pay('2026-02-01', '10100', 'p1');
    life.take('2026-02-02', { do: 'acknowledge-repayment', refId: 'p1' });
    expect(statusOf(life.loan('2026-02-02'))).toBe('Closed');
  });
});
