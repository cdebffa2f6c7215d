import { expect, it } from 'vitest';
import { decide } from '../../src/core/decide/decide.ts';
import { fold } from '../../src/core/fold.ts';
import { payoff } from '../../src/core/payoff.ts';
import type { Bucket } from '../../src/core/policy.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { isPaidOff } from '../../src/core/status.ts';
import { day, history, money, paid, terms } from '../support/history.ts';

it('interest that accrues after the last due date is due at once, never in advance', () => {
  // 1.00 a day; forty days when 40.00 arrives, ten of them after the only due date.
  const one = terms('1000.00', ['2026-01-31'], { rate: percent('36.5') });
  const waterfall: Bucket[] = ['pastDue.interest', 'pastDue.fee', 'inAdvance.interest', 'pastDue.principal'];
  const events = history(
    one,
    { waterfall },
    ['2026-02-05', { type: 'feeAssessed', feeId: 'f', kind: 'fee', name: 'title', amount: money('5.00') }],
    ['2026-02-10', paid('a', '40.00')],
  );
  expect(fold(events, day('2026-02-10')).payments[0]?.allocation).toMatchObject({ interest: money('40.00'), fees: 0 });
});

it('a credit pays what is owed as soon as it covers all of it, so that the loan can close', () => {
  const one = terms('100.00', ['2026-02-01']);
  const fee = (amount: string) =>
    ({ type: 'feeAssessed', feeId: 'f', kind: 'fee', name: 'title', amount: money(amount) }) as const;
  const covered = fold(
    history(one, {}, ['2026-01-10', paid('a', '120.00')], ['2026-01-11', fee('15.00')]),
    day('2026-01-11'),
  );
  expect([covered.credit, payoff(covered).fees, isPaidOff(covered)]).toEqual([money('5.00'), 0, true]);

  const more = history(one, {}, ['2026-01-10', paid('a', '120.00')], ['2026-01-11', fee('23.00')]);
  expect(payoff(fold(more, day('2026-01-11')))).toMatchObject({
    fees: money('23.00'),
    credits: money('20.00'),
    payoff: money('3.00'),
  });
  const done = fold([...more, ...history(one, {}, ['2026-01-12', paid('b', '3.00')]).slice(-1)], day('2026-01-12'));
  expect([done.credit, payoff(done).fees, isPaidOff(done)]).toEqual([0, 0, true]);
});

it('the payoff on the day of a charge-off is what a payment after it has to pay: the prepayment penalty no longer applies', () => {
  const events = history(terms('100.00', ['2026-02-01']), {}, ['2026-01-05', paid('a', '10.00')]);
  const [created, ...rest] = events;
  if (created?.type !== 'created') throw new Error('The first event is the creation.');
  const penalized = [{ ...created, contract: { ...created.contract, prepaymentPenalty: money('7.00') } }, ...rest];
  const when = { today: day('2026-01-20'), at: '2026-01-20T000000Z' };
  const off = decide(penalized, { do: 'charge-off', date: null, reason: 'fraud', collateral: money('0') }, when);
  if (isRefusal(off)) throw new Error(off.detail);
  expect(payoff(off.loan).payoff).toBe(money('90.00'));
  const pay = history(terms('100.00', ['2026-02-01']), {}, ['2026-01-20', paid('b', '90.00')]).slice(-1);
  expect(payoff(fold([...penalized, ...off.events, ...pay], day('2026-01-20'))).payoff).toBe(0);
});

it('a quote that was reduced by the credit uses the credit before anything is waived', () => {
  // 20.00 of credit against a fee of 23.00: 3.00 is quoted and paid. Nothing is left to waive or to refund.
  const one = terms('100.00', ['2026-02-01']);
  const quote = { type: 'payoffQuoted', quoteId: 'q', kind: 'payoff', goodThrough: day('2026-01-20') } as const;
  const events = history(
    one,
    {},
    ['2026-01-10', paid('a', '120.00')],
    ['2026-01-11', { type: 'feeAssessed', feeId: 'f', kind: 'fee', name: 'title', amount: money('23.00') }],
    ['2026-01-12', { ...quote, amount: money('3.00') }],
    ['2026-01-13', paid('b', '3.00')],
  );
  const loan = fold(events, day('2026-01-13'));
  expect([loan.credit, loan.totals.feesWaived, loan.totals.feesPaid]).toEqual([0, 0, money('23.00')]);
});
