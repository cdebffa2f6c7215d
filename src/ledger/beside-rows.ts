/**
 * The journal beside the statement: which lines belong to which row. Lines of an event are beside the first row that shows it, those of an
 * acknowledgement beside its payment, those of every report of a military service beside its first day, those of a late fee beside that fee,
 * whoever recorded its day, and a scheduled disbursement beside the row of its day. Every line has one place. Some have no row: the start of
 * non-accrual, or a late fee that a backdated payment has since reversed.
 */
import { addDays, type PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold, foldAll, stateOn } from '../core/fold.ts';
import type { StatementRow } from '../core/statement.ts';
import type { Account } from './chart.ts';
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
  const lent = new Map<PlainDate, L[]>();
  const lateFees = new Map<PlainDate, FeeRow<L>[]>();
  rows.forEach(({ event, date, kind, amount }, i) => {
    const lines = byRow[i] as L[];
    if (event === null && kind === 'fee') {
      const ofDate = lateFees.get(date) ?? [];
      lateFees.set(date, [...ofDate, { amount, lines, taken: new Set() }]);
    } else if (event === null) {
      setFirst(ofDay, date, lines);
      if (kind === 'disbursed') setFirst(lent, date, lines);
    } else setFirst(ofEvent, event, lines);
    if (event?.type === 'paymentSubmitted') setFirst(ofPayment, event.refId, lines);
    if (event?.type === 'militaryService') setFirst(ofService, event.from, lines);
  });
  const ownFees = new Map<LoanEvent, Set<Account>>();
  for (const { line, at } of placed) {
    const event = at === null ? undefined : events[at];
    const own =
      event?.type === 'paymentAcknowledged'
        ? ofPayment.get(event.refId)
        : event?.type === 'militaryService'
          ? ofService.get(event.from)
          : event && ofEvent.get(event);
    const fee = line.entry === 'assessment' && !isOwnFee(line, event) ? feeRowOf(line) : undefined;
    const lines = fee ?? rowOf(line, event, own) ?? others;
    lines.push(line);
  }
  return { byRow, others };

  function rowOf(line: L, event: LoanEvent | undefined, own: L[] | undefined): L[] | undefined {
    const { entry, datePosted, dateEffective } = line;
    const day = ofDay.get(datePosted);
    // An event records the date-driven changes of the days before it; one that looks back also those of its own day, separately.
    if (event === undefined || datePosted < event.recordedOn) return day;
    if (dateEffective !== datePosted) return own;
    if (entry === 'disbursement' && event.type !== 'funded' && event.type !== 'disbursed') {
      return lent.get(datePosted) ?? own;
    }
    return event.date < datePosted ? (day ?? own) : (own ?? day);
  }

  /** The fee that an event itself assesses, or takes back by being undone: it is not the late fee of that day. */
  function isOwnFee({ account, amount, dateEffective }: L, event: LoanEvent | undefined): boolean {
    const assessed = event?.type === 'undone' ? events[event.sequence - 1] : event;
    if (event === undefined || assessed?.type !== 'feeAssessed') return false;
    const seen = ownFees.get(event) ?? new Set();
    if (seen.has(account) || assessed.date !== dateEffective || assessed.amount !== Math.abs(amount)) return false;
    ownFees.set(event, seen.add(account));
    return true;
  }

  /** Late fees of one day are told apart by their amounts; military service may have changed them since. */
  function feeRowOf({ dateEffective, account, amount }: L): L[] | undefined {
    const ofDate = lateFees.get(dateEffective);
    const row = ofDate?.find((one) => one.amount === Math.abs(amount) && !one.taken.has(account)) ?? ofDate?.[0];
    row?.taken.add(account);
    return row?.lines;
  }
}

/** The row of a late fee, and the accounts of which it has a line. */
type FeeRow<L> = { readonly amount: number; readonly lines: L[]; readonly taken: Set<Account> };

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
