/** A charge-off that the cycle recorded for its days past due, whose ground a payment of an earlier day takes away: the answer says so. */
import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type Command, decide } from '../../src/core/decide/decide.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { fold } from '../../src/core/fold.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { statusOf } from '../../src/core/status.ts';
import { live, money, payment } from '../support/life.ts';

/** Nothing is paid of twelve installments from 1 February on: 120 days past due in June, charged off at its end. */
function chargedOff(automatic: boolean): readonly LoanEvent[] {
  const stamp = { date: date('2026-06-30'), recordedOn: date('2026-06-30'), recordedAt: '2026-06-30T23:59:59.999Z' };
  const fact = { type: 'chargedOff', collateral: money('0'), ...(automatic ? { automatic } : {}) } as const;
  return [...live().fund().events, { ...fact, ...stamp } as LoanEvent];
}

function answered(events: readonly LoanEvent[], command: Command) {
  const decision = decide(events, command, { today: date('2026-07-10'), at: '2026-07-10T12:00:00.000Z' });
  if (isRefusal(decision)) throw new Error(decision.detail);
  return { decision, ground: decision.changes?.filter(({ what }) => what === 'chargeOffGround') };
}

const backdated = (amount: string): Command => ({
  ...payment(amount, 'late'),
  date: date('2026-02-01'),
  reason: 'lockbox of February',
});

test('the answer names the charge-off, which stays', () => {
  const { decision, ground } = answered(chargedOff(true), backdated('1776.98'));
  expect(ground).toEqual([{ date: '2026-06-30', what: 'chargeOffGround', before: 'pastDue', after: 'gone' }]);
  expect(statusOf(decision.loan)).toBe('ChargedOff');
  expect(decision.loan.chargeOff?.ground).toBe('gone');
  // The return of that payment brings it back.
  const again = answered([...chargedOff(true), ...decision.events], {
    ...{ do: 'return-repayment', refId: 'late', date: null, reason: 'R01' },
  } as Command);
  expect(again.ground).toEqual([{ date: '2026-06-30', what: 'chargeOffGround', before: 'gone', after: 'pastDue' }]);
});

test('not of a payment that leaves it due, nor of a charge-off by a person', () => {
  expect(answered(chargedOff(true), backdated('100')).ground).toEqual([]);
  expect(answered(chargedOff(false), backdated('1776.98')).ground).toEqual([]);
  expect(fold(chargedOff(false), date('2026-07-01')).chargeOff?.ground).toBeNull();
});
