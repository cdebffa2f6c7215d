/**
 * The journal beside the statement: which lines belong to which row. Lines of an event are beside the first row that shows it, those of an
 * acknowledgement beside its payment, those of every report of a military service beside its first day, and a date-driven change (a late fee, a scheduled disbursement) beside the row of its day. Every line
 * has one place. Some have no row: the start of non-accrual, or a late fee that a backdated payment has since reversed.
 */
import { addDays, type PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold, foldAll, stateOn } from '../core/fold.ts';
import type { StatementRow } from '../core/statement.ts';
import { type DatedLine, linesOfDays } from './journal.ts';
import { booksOf } from './post.ts';

/** A line with the index of its event in the history, from 0; null: not recorded yet. */
export type PlacedLine<L extends DatedLine> = { readonly line: L; readonly at: number | null };

export function besideRows<L extends DatedLine>(
  rows: readonly StatementRow[],
  events: readonly LoanEvent[],
  placed: readonly PlacedLine<L>[],
): { byRow: readonly (readonly L[])[]; others: readonly L[] } {
  const byRow = rows.map((): L[] => []);
  const others: L[] = [];
  const ofEvent = new Map<LoanEvent, L[]>();
  const ofPayment = new Map<string, L[]>();
  const ofService = new Map<string, L[]>();
  const ofDay = new Map<PlainDate, L[]>();
  rows.forEach(({ event, date }, i) => {
    const lines = byRow[i] as L[];
    if (event === null) setFirst(ofDay, date, lines);
    else setFirst(ofEvent, event, lines);
    if (event?.type === 'paymentSubmitted') setFirst(ofPayment, event.refId, lines);
    if (event?.type === 'militaryService') setFirst(ofService, event.from, lines);
  });
  for (const { line, at } of placed) {
    const event = at === null ? undefined : events[at];
    const own =
      event?.type === 'paymentAcknowledged'
        ? ofPayment.get(event.refId)
        : event?.type === 'militaryService'
          ? ofService.get(event.from)
          : event && ofEvent.get(event);
    // An event records the date-driven changes of the days before it; one that looks back also those of its own day, separately.
    const isOfDay = event === undefined || line.datePosted < event.recordedOn;
    const mayBeOfDay = event !== undefined && event.date < line.datePosted && line.dateEffective === line.datePosted;
    const lines = isOfDay ? ofDay.get(line.datePosted) : ((mayBeOfDay ? ofDay.get(line.datePosted) : undefined) ?? own);
    (lines ?? others).push(line);
  }
  return { byRow, others };
}

function setFirst<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (!map.has(key)) map.set(key, value);
}

/** The date-driven changes since the last event, up to a day, that are not recorded yet. */
export function unwrittenLines(events: readonly LoanEvent[], through: PlainDate): DatedLine[] {
  const last = events.at(-1);
  if (last === undefined || through <= last.recordedOn) return [];
  const folding = foldAll(events);
  const books = booksOf(stateOn(folding, last.recordedOn) ?? fold(events, last.recordedOn));
  const between = { after: last.recordedOn, before: addDays(through, 1) };
  return linesOfDays({ folding, events }, books, between)?.lines ?? [];
}
