/**
 * A seasoned loan's servicing figures become one opening: from there on everything is computed. They come in one of three ways: as
 * `opening`, as `nextPaymentDate` and `delinquent*` of a creation, or as `metadata` of the funding (`funding-metadata.ts`). Whatever else
 * is said of the loan must agree with what the engine makes of the opening today; where it does not, the mistake shows both figures.
 */
import { addDays, type PlainDate } from '../core/calendar.ts';
import { type Delinquency, delinquency } from '../core/delinquency.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import type { Contract, Opening, ScheduleTerms } from '../core/loan.ts';
import { type Cents, formatCents, ZERO } from '../core/money.ts';
import type { Policy } from '../core/policy.ts';
import type { Reader } from '../core/reader.ts';
import type { ScheduleRow } from '../core/schedule.ts';
import { isObjectAt, type Span } from './json-source.ts';
import { amountOr, contradiction, dateOf, type Own, required, textsOf } from './own-members.ts';
import { membersAt } from './record-parts.ts';

/** A loan with its dates set, as it will be once it is funded. */
export type Planned = {
  readonly contract: Contract;
  readonly policy: Policy;
  readonly terms: ScheduleTerms;
  readonly rows: readonly ScheduleRow[];
  readonly today: PlainDate;
};

/** The part of a creation about earlier servicing. */
export type Figures = {
  readonly opening: {
    /** Null: not given. Beside a record, which has a date, a balance and scheduled interest, they may be left out. */
    readonly asOf: PlainDate | null;
    readonly principal: Cents | null;
    readonly unpaidInterest: Cents | null;
    readonly unpaidFees: Cents;
    readonly paidThrough: PlainDate | null;
    /** Null: from the day of the figures on. */
    readonly ownedFrom: PlainDate | null;
  } | null;
  /** Null as its date: that of the figures. */
  readonly purchase: {
    readonly price: Cents;
    readonly date: PlainDate | null;
    readonly creditDiscount: Cents;
  } | null;
  readonly nextPaymentDate: PlainDate | null;
  readonly delinquentDays: number | null;
  readonly delinquentAmount: Cents | null;
};

export function readFigures(
  read: Reader,
  own: Own,
  source: string,
  { given, isRecord }: { given: ReadonlyMap<string, Span>; isRecord: boolean },
): Figures {
  const span = given.get('opening');
  const opening = textsOf(source, membersAt(source, span));
  const at = '/opening';
  const has = span !== undefined && isObjectAt(source, span.start);
  for (const name of ['asOf', 'principal']) {
    if (has && !isRecord && opening[name] === undefined) required(read, `${at}/${name}`);
  }
  return {
    opening: !has
      ? null
      : {
          asOf: opening.asOf === undefined ? null : read.date(opening, 'asOf', at),
          principal: opening.principal === undefined ? null : read.positiveAmount(opening, 'principal', at),
          unpaidInterest: opening.unpaidInterest === undefined ? null : read.amount(opening, 'unpaidInterest', at),
          unpaidFees: opening.unpaidFees === undefined ? ZERO : read.amount(opening, 'unpaidFees', at),
          paidThrough: opening.paidThrough === undefined ? null : read.date(opening, 'paidThrough', at),
          ownedFrom: opening.ownedFrom === undefined ? null : read.date(opening, 'ownedFrom', at),
        },
    purchase: readPurchase(read, source, given.get('purchase')),
    nextPaymentDate: dateOf(read, own, 'nextPaymentDate'),
    delinquentDays: own.delinquentDays === undefined ? null : read.whole(own, 'delinquentDays', '', [0, 100_000]),
    delinquentAmount: amountOr(read, own, 'delinquentAmount', null),
  };
}

function readPurchase(read: Reader, source: string, span: Span | undefined): Figures['purchase'] {
  if (span === undefined || !isObjectAt(source, span.start)) return null;
  const purchase = textsOf(source, membersAt(source, span));
  const at = '/purchase';
  if (purchase.price === undefined) required(read, `${at}/price`);
  return {
    price: purchase.price === undefined ? ZERO : read.positiveAmount(purchase, 'price', at),
    date: purchase.date === undefined ? null : read.date(purchase, 'date', at),
    creditDiscount: purchase.creditDiscount === undefined ? ZERO : read.amount(purchase, 'creditDiscount', at),
  };
}

/** The price is for the principal and the interest of one day, that of the figures. Null for them: the loan comes without any. */
export function purchaseOf(
  read: Reader,
  purchase: Figures['purchase'],
  figures: { readonly date: PlainDate; readonly ownedFrom?: PlainDate } | null,
): Pick<Opening, 'purchase'> {
  if (purchase === null) return {};
  if (figures === null) {
    const detail =
      'Only a loan in repayment that is boarded with its figures can have a purchase. Give its figures in opening.';
    contradiction(read, '/purchase', detail);
    return {};
  }
  const { price, creditDiscount } = purchase;
  const date = purchase.date ?? figures.date;
  const owned = figures.ownedFrom ?? figures.date;
  if (date !== figures.date || owned !== date) {
    const given = date === figures.date ? `ownedFrom is ${owned}` : `${date} was given`;
    const detail = `${given}; the price is for the principal and the interest of the figures, which are as of ${figures.date}. Give the figures as of the day of the purchase.`;
    contradiction(read, '/purchase/date', detail);
  }
  return { purchase: { price, date, creditDiscount } };
}

/** The opening of a loan that is created; null when nothing was paid yet. What is wrong is noted. */
export function openingOf(read: Reader, figures: Figures, loan: Planned): Opening | null {
  const { contract, rows, today } = loan;
  const { opening: given, nextPaymentDate: next, delinquentDays, delinquentAmount } = figures;
  const begun = contract.contractDate !== null && contract.contractDate <= today;
  if (given !== null && !begun) {
    const detail =
      contract.contractDate === null
        ? 'This field is required with an opening.'
        : `The contract date (${contract.contractDate}) is in the future; with an opening it must be in the past.`;
    read.note('/originationDate', { code: contract.contractDate === null ? 'required' : 'contradiction', detail });
    return null;
  }
  const paid = paidRows();
  if (paid === null) return null;
  const opening = given === null ? fromSchedule() : takenOver();
  if (begun) agree(opening);
  const bought = purchaseOf(read, figures.purchase, opening);
  return opening === null ? null : { ...opening, ...bought };

  /** The number of paid installments, from the first; null when that was noted to be wrong. */
  function paidRows(): number | null {
    const through = given?.paidThrough ?? null;
    if (next !== null) {
      const index = rows.findIndex(({ dueDate }) => dueDate === next);
      if (index === -1) {
        contradiction(read, '/nextPaymentDate', `Must be a due date of the schedule; ${datesAround(rows, next)}.`);
        return null;
      }
      if (!begun && index > 0) {
        const detail = `This is installment ${index + 1}, so earlier ones must be paid; give an originationDate in the past.`;
        contradiction(read, '/nextPaymentDate', detail);
        return null;
      }
      if (through !== null && paidUpTo(rows, through) !== index) {
        const after = rows[paidUpTo(rows, through)]?.dueDate ?? 'nothing';
        contradiction(
          read,
          '/nextPaymentDate',
          `${next} was given; the next due date after opening.paidThrough (${through}) is ${after}.`,
        );
        return null;
      }
      return index;
    }
    if (through !== null) return paidUpTo(rows, through);
    if (!begun) {
      const pastDue =
        (delinquentDays ?? 0) > 0 ? '/delinquentDays' : (delinquentAmount ?? 0) > 0 ? '/delinquentAmount' : null;
      if (pastDue === null) return 0;
      contradiction(
        read,
        pastDue,
        'A loan that has not started cannot be past due; give an originationDate in the past.',
      );
      return null;
    }
    if (delinquentDays !== null || delinquentAmount === 0) {
      return paidByDays(read, '/delinquentDays', delinquentDays ?? 0, loan);
    }
    if (delinquentAmount !== null) {
      required(
        read,
        '/nextPaymentDate',
        'Give this field or delinquentDays with delinquentAmount, to show which installments are paid.',
      );
      return null;
    }
    if (given !== null && (rows[0] as ScheduleRow).dueDate <= (given.asOf ?? today)) {
      required(
        read,
        '/opening/paidThrough',
        'Give this field or nextPaymentDate, to show which installments are paid.',
      );
      return null;
    }
    return 0;
  }

  function takenOver(): Opening | null {
    if (given === null || paid === null) return null;
    const { unpaidFees, paidThrough } = given;
    // Noted where they are missing.
    const [asOf, principal, unpaidInterest] = [
      given.asOf ?? today,
      given.principal ?? ZERO,
      given.unpaidInterest ?? ZERO,
    ];
    const start = loan.terms.interestStart;
    if (asOf > today)
      read.note('/opening/asOf', { code: 'date_in_future', detail: 'The date must not be in the future.' });
    if (asOf < start) contradiction(read, '/opening/asOf', `${asOf} was given; the contract date is ${start}.`);
    if (paidThrough !== null && paidThrough < start) {
      contradiction(read, '/opening/paidThrough', `${paidThrough} was given; the contract date is ${start}.`);
    }
    if (principal > contract.amount) {
      contradiction(
        read,
        '/opening/principal',
        `${formatCents(principal)} was given; the loan amount is ${formatCents(contract.amount)}.`,
      );
    }
    if (paid === rows.length) {
      const detail = `${paidThrough} was given, so every installment would be paid, but the principal is ${formatCents(principal)}.`;
      contradiction(read, '/opening/paidThrough', detail);
    }
    return {
      date: asOf,
      principal,
      interest: unpaidInterest,
      fees: unpaidFees,
      paidThrough: rows[paid - 1]?.dueDate ?? null,
      ...ownedFromOf(read, given.ownedFrom, { asOf, today }),
    };
  }

  /** Everything due was paid as it fell due: the principal is the schedule's. */
  function fromSchedule(): Opening | null {
    const row = rows[(paid ?? 0) - 1];
    if (row === undefined) return null;
    if (row.dueDate > today) {
      required(
        read,
        '/opening',
        'The loan is paid ahead, so its principal cannot be derived from the schedule; give the figures in opening.',
      );
      return null;
    }
    return { date: row.dueDate, principal: row.balance, interest: ZERO, fees: ZERO, paidThrough: row.dueDate };
  }

  /** Figures of the opening's own day are right too. */
  function agree(made: Opening | null): void {
    if (delinquentDays === null && delinquentAmount === null) return;
    const late = lateOn(loan, made, today);
    const then = given === null || made === null || made.date > today ? late : lateOn(loan, made, made.date);
    checkDays(read, '/delinquentDays', delinquentDays, late, then);
    checkAmount(read, '/delinquentAmount', delinquentAmount, late, then);
  }
}

/**
 * The day from which interest is the owner's income. Interest of before the figures is in them: whoever earned it, it was booked before the
 * loan came here.
 */
export function ownedFromOf(
  read: Reader,
  ownedFrom: PlainDate | null,
  { asOf, today }: { asOf: PlainDate; today: PlainDate },
): Pick<Opening, 'ownedFrom'> {
  const at = '/opening/ownedFrom';
  if (ownedFrom === null) return {};
  if (ownedFrom > today) read.note(at, { code: 'date_in_future', detail: 'The date must not be in the future.' });
  if (ownedFrom < asOf) {
    const detail = `${ownedFrom} was given; the figures are as of ${asOf}, and interest from before is in unpaidInterest. Leave the field out if the loan was owned earlier.`;
    contradiction(read, at, detail);
  }
  return ownedFrom === asOf ? {} : { ownedFrom };
}

// ---- what a funding's metadata shares with it ----

function paidUpTo(rows: readonly ScheduleRow[], day: PlainDate): number {
  const open = rows.findIndex(({ dueDate }) => dueDate > day);
  return open === -1 ? rows.length : open;
}

/** The oldest installment that is not paid was due so many days ago; with none past due, all that was due before today is paid. */
export function paidByDays(read: Reader, pointer: string, days: number, { rows, today }: Planned): number | null {
  const oldest = addDays(today, -days);
  const index = rows.findIndex(({ dueDate }) => (days === 0 ? dueDate >= oldest : dueDate === oldest));
  if (index >= 0) return index;
  const detail =
    days === 0
      ? `Nothing past due was given, but the last installment was due on ${rows.at(-1)?.dueDate}, so the loan would be paid off.`
      : `${days} was given, but ${days} days before ${today} is ${oldest}, which is not a due date; ${datesAround(rows, oldest)}.`;
  read.note(pointer, { code: 'contradiction', detail });
  return null;
}

function datesAround(rows: readonly ScheduleRow[], day: PlainDate): string {
  const before = rows.findLast(({ dueDate }) => dueDate < day)?.dueDate;
  const after = rows.find(({ dueDate }) => dueDate > day)?.dueDate;
  if (before === undefined) return `the first due date is ${after}`;
  return after === undefined ? `the last due date is ${before}` : `the nearest due dates are ${before} and ${after}`;
}

/** The delinquency of the loan on a day if it were funded with this opening. */
export function lateOn(
  { contract, policy, terms, today }: Planned,
  opening: Opening | null,
  on: PlainDate,
): Delinquency {
  const begin = terms.interestStart < on ? terms.interestStart : on;
  const stamp = { recordedOn: today, recordedAt: `${today}T00:00:00.000Z` };
  const events: LoanEvent[] = [
    { type: 'created', contract, policy, date: begin, ...stamp },
    { type: 'funded', terms, date: begin, ...stamp },
  ];
  if (opening !== null) {
    const { date, ...figures } = opening;
    events.push({ type: 'opened', ...figures, date, ...stamp });
  }
  return delinquency(fold(events, on));
}

export function checkDays(read: Reader, at: string, given: number | null, late: Delinquency, then: Delinquency): void {
  if (given === null || given === late.daysPastDue || given === then.daysPastDue) return;
  const since = late.oldestDueDate === null ? 'nothing is past due' : `unpaid since ${late.oldestDueDate}`;
  read.note(at, {
    code: 'contradiction',
    detail: `${given} was given; computed from the dates and payments it is ${late.daysPastDue} (${since}).`,
  });
}

export function checkAmount(read: Reader, at: string, given: Cents | null, late: Delinquency, then: Delinquency): void {
  if (given === null || given === late.pastDueAmount || given === then.pastDueAmount) return;
  const known = formatCents(late.pastDueAmount);
  read.note(at, {
    code: 'contradiction',
    detail: `${formatCents(given)} was given; computed from the dates and payments it is ${known}.`,
  });
}
