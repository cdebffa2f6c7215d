/** Months of reports, as the first seven characters of their dates. */
import { addMonths, lastOfMonth, type PlainDate, parts } from '../core/calendar.ts';

/** `2026-10` of any of its dates. */
export const monthOf = (date: string): string => date.slice(0, 7);

export const firstOfMonth = (date: PlainDate): PlainDate => `${monthOf(date)}-01` as PlainDate;

export const isMonthEnd = (date: PlainDate): boolean => lastOfMonth(date) === date;

/** The end of the month before. */
export const monthEndBefore = (date: PlainDate): PlainDate => lastOfMonth(addMonths(firstOfMonth(date), -1));

/** Months from one month to another. */
export function monthsBetween(from: string, to: string): number {
  const index = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7));
  return index(to) - index(from);
}

/** The part of its month that is over at the end of a date. */
export function shareOfMonth(date: PlainDate): { days: number; of: number } {
  return { days: parts(date)[2], of: parts(lastOfMonth(date))[2] };
}
