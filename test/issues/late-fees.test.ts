import { expect, it } from 'vitest';
import { fold } from '../../src/core/fold.ts';
import type { LateFeePolicy } from '../../src/core/policy.ts';
import { percent } from '../../src/core/rate.ts';
import { day, history, money, paid, terms } from '../support/history.ts';

/** 5 % of what is open, after ten days. 200.00 without interest in two installments of 100.00. */
const lateFee: LateFeePolicy = {
  flat: null,
  percent: percent('5'),
  floor: null,
  cap: null,
  graceDays: 10,
  judge: 'currentFirst',
};
const two = terms('200.00', ['2026-02-01', '2026-03-01']);
const feesOn = (date: string, events: ReturnType<typeof history>) =>
  fold(events, day(date)).fees.map((fee) => [fee.feeId, fee.date, fee.amount]);

it('the late fee of the last installment is a percentage of that installment, not of all that is past due', () => {
  expect(feesOn('2026-04-01', history(two, { lateFee }))).toEqual([
    ['late-1', '2026-02-12', money('5.00')],
    ['late-2', '2026-03-12', money('5.00')],
  ]);
});

it('an installment with nothing due, because the loan was paid down, is not late', () => {
  // 50.00 is left: it is due with the first installment, and nothing with the second.
  const events = history(two, { lateFee }, ['2026-01-10', paid('a', '150.00', 'principal')]);
  expect(feesOn('2026-04-01', events)).toEqual([['late-1', '2026-02-12', money('2.50')]]);
});

it('an event that moves an installment on the day its late fee would be assessed takes effect first', () => {
  const events = history(two, { lateFee }, ['2026-02-12', { type: 'extended', periods: 1 }]);
  expect(feesOn('2026-02-28', events)).toEqual([]);
});

it('the return of a principal-only payment that had paid the loan off causes the late fee on the day it is recorded', () => {
  const events = history(
    two,
    { lateFee },
    ['2026-01-10', paid('a', '200.00', 'principal')],
    ['2026-02-20', { type: 'paymentReturned', refId: 'a' }],
  );
  expect(feesOn('2026-02-19', events)).toEqual([]);
  expect(feesOn('2026-02-20', events)).toEqual([['late-1', '2026-02-20', money('5.00')]]);
});

it('a returned payment that fees would have reduced had not covered the installment: its late fee is charged at once', () => {
  const waterfall = ['pastDue.fee', 'due.fee', 'pastDue.principal', 'due.principal', 'inAdvance.principal'] as const;
  const events = history(
    two,
    { lateFee, waterfall },
    ['2026-01-05', { type: 'feeAssessed', feeId: 'f', kind: 'fee', name: 'title', amount: money('50.00') }],
    ['2026-02-01', paid('a', '100.00')],
    ['2026-02-20', { type: 'paymentReturned', refId: 'a' }],
  );
  expect(feesOn('2026-02-12', events).at(-1)).toEqual(['late-1', '2026-02-12', money('5.00')]);
});
