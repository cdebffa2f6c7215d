/** The due dates of the installments that are open in a record: from the next payment to the maturity, on the grid of the contract or on that of a changed due date. */
import { type PlainDate, stepDate } from '../core/calendar.ts';
import type { Contract, ScheduleTerms } from '../core/loan.ts';
import type { Cents } from '../core/money.ts';
import type { Policy } from '../core/policy.ts';
import type { Reader } from '../core/reader.ts';
import { dueDatesFrom, type ScheduleRow } from '../core/schedule.ts';
import type { BoardedRecord } from './boarded-record.ts';
import { contradiction, required } from './own-members.ts';
import type { Figures } from './seasoned.ts';

/** A record of a loan that goes on here, with what its contract gives. */
export type LiveRecord = {
  readonly record: BoardedRecord;
  readonly figures: Figures;
  readonly maturity: PlainDate | null;
  readonly contract: Contract;
  readonly policy: Policy;
  readonly terms: ScheduleTerms;
  readonly rows: readonly ScheduleRow[];
  /** The payment of the contract was given beside the record. */
  readonly isAgreed: boolean;
};

export type OpenDates = {
  /** Due dates of the installments that are not fully paid. */
  readonly days: readonly PlainDate[];
  /** The due date before the first of them; null: none is paid. */
  readonly paidThrough: PlainDate | null;
  readonly acceleratedOn: PlainDate | null;
  readonly maturity: PlainDate;
};

/** From the oldest unpaid due date to the maturity, on the grid of the contract or on that of a changed due date. */
export function openDates(read: Reader, live: LiveRecord, principal: Cents): OpenDates {
  const { record, figures, contract, terms } = live;
  const { asOf, metadata, status } = record;
  const last = terms.dueDates.at(-1) as PlainDate;
  const maturity = live.maturity ?? metadata.scheduledMaturityDate ?? last;
  const next = figures.nextPaymentDate ?? (status === 'ChargedOff' ? (maturity < asOf ? maturity : asOf) : null);
  const owes = principal > 0 || (figures.opening?.unpaidInterest ?? 0) > 0;
  if (!owes && next === null) return { days: [], paidThrough: last, acceleratedOn: null, maturity };
  if (next === null) {
    required(read, '/nextPaymentDate', 'Give the due date of the oldest unpaid installment.');
    return NO_DATES;
  }
  const through = figures.opening?.paidThrough ?? null;
  if (through !== null && through >= next) {
    contradiction(read, '/opening/paidThrough', `${through} was given; the installment due on ${next} is not paid.`);
  }
  if (next > maturity) {
    contradiction(read, '/nextPaymentDate', `${next} was given; the maturity date is ${maturity}.`);
    return NO_DATES;
  }
  const all = daysBetween(contract, { next, maturity, first: terms.dueDates[0] as PlainDate });
  // If a due date was moved off the grid, there is one more date than there are installments: none is due between the first two.
  const days = all.length === contract.count + 1 ? all.filter((_, i) => i !== 1) : all;
  const remaining = metadata.remainingTerm ?? days.length;
  let acceleratedOn: PlainDate | null = null;
  if (remaining > days.length) {
    // Everything became due on one day: installments that were due later count as due on it.
    if (maturity > asOf) {
      const detail = `${remaining} was given; from ${next} to ${maturity} there are ${days.length} due dates.`;
      contradiction(read, `${metadata.at}/remainingTerm`, detail);
      return NO_DATES;
    }
    acceleratedOn = maturity;
    while (days.length < Math.min(remaining, contract.count)) days.push(maturity);
  }
  const paid = contract.count - days.length;
  if (paid < 0) {
    const detail = `${contract.count} installments were given; from ${next} to ${maturity} there are ${days.length} due dates.`;
    contradiction(read, '/nextPaymentDate', detail);
  }
  if (paid === 0 && terms.dueDates[0] !== next && contract.firstPaymentDate !== null) {
    const detail = `${next} was given; with ${days.length} installments left of ${contract.count} it is the first due date, which is ${contract.firstPaymentDate}.`;
    contradiction(read, '/nextPaymentDate', detail);
  }
  const before = stepDate(next, contract.frequency, -1);
  const start = terms.interestStart;
  return { days, paidThrough: paid > 0 ? (before > start ? before : start) : null, acceleratedOn, maturity };
}

const NO_DATES: OpenDates = { days: [], paidThrough: null, acceleratedOn: null, maturity: '' as PlainDate };

function daysBetween(
  { frequency, count }: Contract,
  { next, maturity, first }: Record<'next' | 'maturity' | 'first', PlainDate>,
): PlainDate[] {
  // Beyond the contract's own dates, where installments were moved.
  const far = count + MOST_MOVED;
  const back: PlainDate[] = [];
  for (let n = 0; n < far; n++) {
    const day = stepDate(maturity, frequency, -n);
    if (day < next) break;
    back.unshift(day);
  }
  const grids = [dueDatesFrom(first, frequency, far), dueDatesFrom(next, frequency, far), back];
  for (const grid of grids) {
    const [from, to] = [grid.indexOf(next), grid.indexOf(maturity)];
    if (from >= 0 && to >= from) return grid.slice(from, to + 1);
  }
  // Off any grid: the last installment is due on the maturity that was given.
  return [...dueDatesFrom(next, frequency, far).filter((day) => day < maturity), maturity].slice(0, far);
}

/** The most periods by which the last installment may be due later than agreed. */
const MOST_MOVED = 120;
