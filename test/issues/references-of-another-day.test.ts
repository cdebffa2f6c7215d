/** A used reference counts as used on any day: events may be dated later than the day a command is decided on. */
import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { live, money } from '../support/life.ts';
import { repay } from '../support/loans.ts';

const EARLIER = '2026-02-09';
const LATER = '2026-02-10';
const FEE = { do: 'assess-fee', feeId: 'F', kind: 'fee', name: 'wire', amount: money('15'), date: null } as const;

/** The outcome of a command on the earlier day, when everything that a reference can name was recorded on the later one. */
function decided(command: Command, day = EARLIER) {
  const life = live().approve('2026-01-01').fund('2026-01-01');
  life.take(LATER, FEE);
  life.take(LATER, repay('P', 50_000));
  life.take(LATER, { do: 'payoff-quotes', quoteId: 'Q', date: null, goodThrough: date('2026-02-20') });
  const decision = life.ask(day, command);
  if (isRefusal(decision)) return decision.refused;
  return decision.repeated ? 'repeated' : decision.events;
}

test('a fee is not charged twice', () => {
  expect(decided(FEE)).toBe('reference_conflict');
});

test('a fee can be waived, on the day it is charged at the earliest', () => {
  expect(decided({ do: 'waive-fee', feeId: 'F', amount: null, reason: 'goodwill' })).toMatchObject([
    { type: 'feeWaived', amount: 1_500, date: LATER },
  ]);
});

test.each(['payoff-quotes', 'settle'] as const)('a quote is not given twice: %s', (name) => {
  const goodThrough = date('2026-02-20');
  const again: Command =
    name === 'settle'
      ? { do: name, quoteId: 'Q', amount: money('1'), goodThrough, reason: 'hardship' }
      : { do: name, quoteId: 'Q', date: null, goodThrough };
  expect(decided(again)).toBe('reference_conflict');
});

test('a payment is recognised, acknowledged and returned', () => {
  expect(decided(repay('P', 50_000))).toBe('repeated');
  expect(decided({ do: 'acknowledge-repayment', refId: 'P' })).toMatchObject([{ type: 'paymentAcknowledged' }]);
  expect(decided({ do: 'return-repayment', refId: 'P', date: null, reason: 'NSF' }, LATER)).toMatchObject([
    { type: 'paymentReturned' },
  ]);
  // Not unknown: a payment cannot be returned before it was received.
  expect(decided({ do: 'return-repayment', refId: 'P', date: null, reason: 'NSF' })).toBe('contradiction');
  expect(decided({ do: 'close', refId: 'P' })).toBe('contradiction');
});
