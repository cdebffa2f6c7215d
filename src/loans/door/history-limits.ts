/**
 * Limits of the history of one loan. A loan is computed from all of its events, on the event loop that all requests share, so
 * their number and what they cost have a bound: measured, a history at these limits is folded within 50 ms on one core.
 *
 * Payments twice a week with their acknowledgements fill it in ten years. What is left over at the end is kept for ending the loan.
 */
import type { Command } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';

export const MOST_EVENTS = 2_000;
/** From here on only what ends a loan, or puts a fact right, is taken. */
const KEPT_FOR_ENDING = 50;

/** By what a loan is ended, or a payment or another fact put right; and holds, which the law may require at any time. */
const ENDING: ReadonlySet<Command['do']> = new Set<Command['do']>([
  'acknowledge-repayment',
  'return-repayment',
  'reverse-repayment',
  'cancel',
  'cancel-boarding',
  'rescind',
  'settle',
  'default',
  'accelerate',
  'charge-off',
  'record-recovery',
  'refund-credit',
  'waive-fee',
  'place-hold',
  'release-hold',
  'close',
  'undo',
]);

/** Changes of terms, by what they cost to fold again. */
export type TermsChanges = {
  /** Every installment is moved or priced again. */
  readonly moved: number;
  /** The level payment is solved for. */
  readonly reamortized: number;
};

const MOVING: ReadonlySet<LoanEvent['type']> = new Set(['militaryService', 'extended', 'reaged', 'dueDateChanged']);

/** Takes events that are in force (`inForce`): one that was undone is not folded. */
export function termsChangesIn(events: readonly LoanEvent[]): TermsChanges {
  let moved = 0;
  let reamortized = 0;
  for (const { type } of events) {
    if (MOVING.has(type)) moved += 1;
    else if (type === 'reamortized') reamortized += 1;
  }
  return { moved, reamortized };
}

export function bothOf(one: TermsChanges, other: TermsChanges): TermsChanges {
  return { moved: one.moved + other.moved, reamortized: one.reamortized + other.reamortized };
}

/**
 * In installments that are computed again, about a microsecond each: a loan of five years takes 600 changes of terms, one of thirty years
 * a hundred, and the longest (2,600 installments) fifteen. Solving for a payment takes longer the more installments there are: 13 times
 * as long as moving them on the longest.
 */
const MOST_TERMS_WORK = 40_000;
const SOLVED_AT_ONCE = 200;

/** Whether the end of a day may still be written down: it leaves room for what ends a loan, and for what a person records. */
export function hasRoomForDays({ version }: { version: number }): boolean {
  return version < MOST_EVENTS - 2 * KEPT_FOR_ENDING;
}

/** Null: the events may be added to a loan with so long a history. */
export function refuseLongHistory(
  { version, termsChanges, installments }: { version: number; termsChanges: TermsChanges; installments: number },
  command: Command['do'],
  events: readonly LoanEvent[],
): Refusal | null {
  const most = ENDING.has(command) ? MOST_EVENTS : MOST_EVENTS - KEPT_FOR_ENDING;
  if (version + events.length > most) {
    const detail = `This loan has ${version} transactions. The limit is ${MOST_EVENTS}, of which the last ${KEPT_FOR_ENDING} are reserved for closing the loan. Close it and board the remaining balance as a new loan.`;
    return refuse('not_supported', detail, { facts: { transactions: version } });
  }
  const more = termsChangesIn(events);
  if (more.moved + more.reamortized === 0) return null;
  const { moved, reamortized } = bothOf(termsChanges, more);
  const work = installments * (moved + reamortized * Math.max(1, installments / SOLVED_AT_ONCE));
  // The first change of each kind is always possible.
  if (work <= MOST_TERMS_WORK || (moved <= 1 && reamortized <= 1)) return null;
  const detail = `The terms of this loan, with ${installments} installments, have changed too often. Close it and board the remaining balance as a new loan.`;
  return refuse('not_supported', detail);
}
