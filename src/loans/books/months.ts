/** Months by name, `2026-10`. */
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';

/** A month, `2026-10`. */
export type Period = string;

export function daysOf(period: Period): { first: PlainDate; last: PlainDate } {
  const first = `${period}-01` as PlainDate;
  return { first, last: lastOfMonth(first) };
}

export const monthOf = (day: PlainDate): Period => day.slice(0, 7);

export const monthAfter = (period: Period): Period => monthOf(addDays(daysOf(period).last, 1));

export const notOver = (): Refusal =>
  refuse('date_in_future', 'The month has not ended yet.', { member: 'period', retryable: true });

export const inTheFuture = (): Refusal =>
  refuse('date_in_future', 'The date must not be after today.', { member: 'period' });

export function cyclePending(day: PlainDate): Refusal {
  const detail = `The cycle of ${day} has not run yet. It runs automatically after midnight, or with npm run nightly; see GET /cycles.`;
  return refuse('cycle_pending', detail, { facts: { date: day }, retryable: true });
}
