/**
 * A seasoned loan's servicing figures become one opening: from there on everything is computed. They come in one of three ways: as
 * `opening`, as `nextPaymentDate` and `delinquent*` of a creation, or as `metadata` of the funding. Whatever else is said of the loan
 * must agree with what the engine makes of the opening today; where it does not, the mistake shows both figures.
 */
import { addDays, type PlainDate, yearFraction } from '../core/calendar.ts';
import { type Delinquency, delinquency } from '../core/delinquency.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import type { Contract, Opening, Policy, ScheduleTerms } from '../core/loan.ts';
import { type Cents, formatCents, subtract, ZERO } from '../core/money.ts';
import { interestOver } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import { buildSchedule, type ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { readWhole } from './decimals.ts';
import { refusedProblem } from './shell/refusal-problems.ts';
import { Reader } from './wire.ts';

/** A loan with its dates set, as it will be once it is funded. */
export type Planned = {
  readonly contract: Contract;
  readonly policy: Policy;
  readonly terms: ScheduleTerms;
  readonly rows: readonly ScheduleRow[];
  readonly today: PlainDate;
};

/** What a creation says of earlier servicing. */
export type Figures = {
  readonly opening: {
    readonly asOf: PlainDate;
    readonly principal: Cents;
    readonly unpaidInterest: Cents;
    readonly unpaidFees: Cents;
    readonly paidThrough: PlainDate | null;
  } | null;
  readonly nextPaymentDate: PlainDate | null;
  readonly delinquentDays: number | null;
  readonly delinquentAmount: Cents | null;
};

/** The opening of a loan that is created; null when nothing was paid yet. Mistakes are noted, and the caller's `done` throws them. */
export function openingOf(read: Reader, figures: Figures, loan: Planned): Opening | null {
  const { contract, rows, today } = loan;
  const { opening: given, nextPaymentDate: next, delinquentDays, delinquentAmount } = figures;
  const begun = contract.contractDate !== null && contract.contractDate <= today;
  if (given !== null && !begun) {
    const detail =
      contract.contractDate === null
        ? 'An opening needs the contract date.'
        : `The contract date (${contract.contractDate}) is in the future; an opening needs one in the past.`;
    read.note('/originationDate', { code: contract.contractDate === null ? 'required' : 'contradiction', detail });
    return null;
  }
  const paid = paidRows();
  if (paid === null) return null;
  const opening = given === null ? fromSchedule() : takenOver();
  if (begun) agree(opening);
  return opening;

  /** How many installments are paid, from the first; null when that was noted to be wrong. */
  function paidRows(): number | null {
    const through = given?.paidThrough ?? null;
    if (next !== null) {
      const index = rows.findIndex(({ dueDate }) => dueDate === next);
      if (index === -1) {
        contradiction('/nextPaymentDate', `It is no due date of the schedule; ${datesAround(rows, next)}.`);
        return null;
      }
      if (!begun && index > 0) {
        const detail = `It is installment ${index + 1}, so earlier ones are paid; the loan needs an originationDate in the past.`;
        contradiction('/nextPaymentDate', detail);
        return null;
      }
      if (through !== null && paidUpTo(rows, through) !== index) {
        const after = rows[paidUpTo(rows, through)]?.dueDate ?? 'nothing';
        contradiction('/nextPaymentDate', `${next} was given; after opening.paidThrough (${through}) comes ${after}.`);
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
        pastDue,
        'A loan that has not begun has nothing past due; it needs an originationDate in the past.',
      );
      return null;
    }
    if (delinquentDays !== null || delinquentAmount === 0) {
      return paidByDays(read, '/delinquentDays', delinquentDays ?? 0, loan);
    }
    if (delinquentAmount !== null) {
      required(
        '/nextPaymentDate',
        'With delinquentAmount this or delinquentDays is needed, to know which installments are paid.',
      );
      return null;
    }
    if (given !== null && (rows[0] as ScheduleRow).dueDate <= given.asOf) {
      required('/opening/paidThrough', 'This or nextPaymentDate is needed, to know which installments are paid.');
      return null;
    }
    return 0;
  }

  function takenOver(): Opening | null {
    if (given === null || paid === null) return null;
    const { asOf, principal, unpaidInterest, unpaidFees, paidThrough } = given;
    const start = loan.terms.interestStart;
    if (asOf > today)
      read.note('/opening/asOf', { code: 'date_in_future', detail: 'The date cannot be in the future.' });
    if (asOf < start) contradiction('/opening/asOf', `${asOf} was given; the contract date is ${start}.`);
    if (paidThrough !== null && paidThrough < start) {
      contradiction('/opening/paidThrough', `${paidThrough} was given; the contract date is ${start}.`);
    }
    if (principal > contract.amount) {
      contradiction(
        '/opening/principal',
        `${formatCents(principal)} was given; the loan amount is ${formatCents(contract.amount)}.`,
      );
    }
    if (paid === rows.length) {
      const detail = `${paidThrough} was given, by which every installment is paid; the principal is ${formatCents(principal)}.`;
      contradiction('/opening/paidThrough', detail);
    }
    return {
      date: asOf,
      principal,
      interest: unpaidInterest,
      fees: unpaidFees,
      paidThrough: rows[paid - 1]?.dueDate ?? null,
    };
  }

  /** Everything due was paid as it fell due: the schedule tells the principal. */
  function fromSchedule(): Opening | null {
    const row = rows[(paid ?? 0) - 1];
    if (row === undefined) return null;
    if (row.dueDate > today) {
      required(
        '/opening',
        'The loan is paid ahead; give its figures here, because the schedule does not tell the principal.',
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

  function contradiction(pointer: string, detail: string): void {
    read.note(pointer, { code: 'contradiction', detail });
  }

  function required(pointer: string, detail: string): void {
    read.note(pointer, { code: 'required', detail });
  }
}

// ---- metadata of a funding ----

/** What is known of a loan that is about to be funded; a `LoanView` has it. */
export type Boarding = {
  readonly loan: { readonly contract: Contract; readonly policy: Policy };
  readonly file: { readonly loanType: string; readonly term: number; readonly opening: Opening | null };
};

/**
 * `metadata` of POST /fund-loan (`{ AutoLoan: {…} }`, or the members alone), read with the texts of its numbers kept (`exactNumbers`).
 * `date` is the funding date it names, or null; `opening` is what it and the file tell of earlier servicing, or null. `currentBalance`
 * is the principal today; which installments are paid is told by `remainingTerm`, else by `currentDpd`; interest since the last of
 * them is unpaid. Everything else is only held against that. Throws a `Problem`.
 */
export function openingFromMetadata(
  metadata: object,
  view: Boarding,
  today: PlainDate,
): { date: PlainDate | null; opening: Opening | null } {
  const read = new Reader();
  const { loan, file } = view;
  const { contract, policy } = loan;
  const { members, at } = membersOf(read, metadata, file.loanType);
  const has = (name: string) => members[name] !== undefined && members[name] !== null && members[name] !== '';
  const amount = (name: string) => (has(name) ? read.amount(members, name, at) : null);
  const count = (name: string) => (has(name) ? readWhole(read, members, name, at, [0, 100_000]) : null);
  const day = (name: string) => (has(name) ? read.date(members, name, at) : null);

  const fundedDate = day('fundedDate');
  const [originalBalance, currentBalance, principalPaid] = [
    amount('originalBalance'),
    amount('currentBalance'),
    amount('totalPrincipalPaid'),
  ];
  const [originalTerm, remainingTerm, currentDpd] = [
    count('originalTerm'),
    count('remainingTerm'),
    count('currentDpd'),
  ];
  const [pastDueAmount, scheduledPayment, maturity] = [
    amount('pastDueAmount'),
    amount('scheduledPayment'),
    day('scheduledMaturityDate'),
  ];
  for (const name of ['chargeoffAmount', 'recoveredAmount']) {
    if ((amount(name) ?? 0) === 0) continue;
    const detail = 'A loan that was charged off elsewhere cannot be taken over; fund it, then charge it off here.';
    read.note(`${at}/${name}`, { code: 'not_supported', detail });
  }
  read.done();

  const terms = termsOf(contract, fundedDate ?? contract.contractDate ?? today);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  if (isRefusal(terms)) throw refusedProblem(terms);
  if (isRefusal(schedule)) throw refusedProblem(schedule);
  const { rows } = schedule;
  const planned: Planned = { contract, policy, terms, rows, today };

  same('originalBalance', originalBalance, contract.amount, 'the loan amount');
  same('scheduledPayment', scheduledPayment, schedule.levelPayment ?? (rows[0] as ScheduleRow).payment, 'the payment');
  if (originalTerm !== null && originalTerm !== file.term && originalTerm !== contract.count) {
    contradiction(
      'originalTerm',
      `${originalTerm} was given; the term is ${file.term} months, ${contract.count} installments.`,
    );
  }
  const last = (rows.at(-1) as ScheduleRow).dueDate;
  if (maturity !== null && maturity !== last && maturity !== terms.dueDates.at(-1)) {
    contradiction('scheduledMaturityDate', `${maturity} was given; the schedule ends on ${last}.`);
  }
  if (currentBalance !== null && principalPaid !== null && currentBalance + principalPaid !== contract.amount) {
    contradiction(
      'totalPrincipalPaid',
      `${formatCents(principalPaid)} and currentBalance ${formatCents(currentBalance)} were given; the loan amount is ${formatCents(contract.amount)}.`,
    );
  }
  const balance = currentBalance ?? (principalPaid === null ? null : subtract(contract.amount, principalPaid));
  if (balance !== null && (balance > contract.amount || balance <= 0)) {
    contradiction(
      currentBalance === null ? 'totalPrincipalPaid' : 'currentBalance',
      `It leaves a balance of ${formatCents(balance)}; that must be more than zero and at most the loan amount (${formatCents(contract.amount)}).`,
    );
  }
  read.done();

  const paid = paidRows();
  read.done();
  const opening = paid === null ? file.opening : openedBy(paid);
  read.done();
  if (currentDpd !== null || pastDueAmount !== null) {
    const late = lateOn(planned, opening, today);
    checkDays(read, `${at}/currentDpd`, currentDpd, late, late);
    checkAmount(read, `${at}/pastDueAmount`, pastDueAmount, late, late);
    read.done();
  }
  return { date: fundedDate, opening };

  /** How many installments are paid; null when the metadata does not speak of it. */
  function paidRows(): number | null {
    if (remainingTerm !== null) {
      if (remainingTerm >= 1 && remainingTerm <= rows.length) return rows.length - remainingTerm;
      contradiction('remainingTerm', `${remainingTerm} was given; the loan has ${rows.length} installments.`);
      return null;
    }
    if (currentDpd !== null) return paidByDays(read, `${at}/currentDpd`, currentDpd, planned);
    if (balance === null) return null;
    if (balance === contract.amount) return 0;
    const row = rows.findIndex((one) => one.balance === balance);
    if (row >= 0) return row + 1;
    const detail =
      'With a balance that is not the schedule’s, this or remainingTerm is needed, to know which installments are paid.';
    read.note(`${at}/currentDpd`, { code: 'required', detail });
    return null;
  }

  function openedBy(count: number): Opening | null {
    const row = rows[count - 1];
    if (balance === null) {
      if (row === undefined) return null;
      if (row.dueDate <= today) {
        return { date: row.dueDate, principal: row.balance, interest: ZERO, fees: ZERO, paidThrough: row.dueDate };
      }
      read.note(`${at}/currentBalance`, {
        code: 'required',
        detail: 'The loan is paid ahead; the schedule does not tell its balance.',
      });
      return null;
    }
    if (row === undefined && balance === contract.amount) return null;
    const since = row?.dueDate ?? (terms as ScheduleTerms).interestStart;
    const interest =
      since < today
        ? interestOver(balance, contract.rate, yearFraction(since, today, contract.dayCount), contract.rounding)
        : ZERO;
    return { date: today, principal: balance, interest, fees: ZERO, paidThrough: row?.dueDate ?? null };
  }

  function same(name: string, given: Cents | null, known: Cents, what: string): void {
    if (given === null || given === known) return;
    contradiction(name, `${formatCents(given)} was given; ${what} is ${formatCents(known)}.`);
  }

  function contradiction(name: string, detail: string): void {
    read.note(`${at}/${name}`, { code: 'contradiction', detail });
  }
}

/** All members of `metadata.AutoLoan`; those that are not used here are accepted, because a record that was read elsewhere has them. */
const METADATA = new Set([
  ...['fundedDate', 'currentDpd', 'originalBalance', 'currentBalance', 'originalTerm', 'remainingTerm', 'pti', 'dti'],
  ...['ltv', 'scheduledPayment', 'currentPaymentDue', 'pastDueAmount', 'totalPrincipalPaid', 'totalInterestPaid'],
  ...['totalFeesPaid', 'chargeoffAmount', 'recoveredAmount', 'paymentStatus', 'scheduledMaturityDate'],
]);

function membersOf(
  read: Reader,
  metadata: object,
  loanType: string,
): { members: Readonly<Record<string, unknown>>; at: string } {
  const given = metadata as Readonly<Record<string, unknown>>;
  const nested = given[loanType];
  const isNested = typeof nested === 'object' && nested !== null && !Array.isArray(nested);
  if (isNested) refuseUnknown(read, given, new Set([loanType]), '/metadata');
  const members = isNested ? (nested as Readonly<Record<string, unknown>>) : given;
  const at = isNested ? `/metadata/${loanType}` : '/metadata';
  refuseUnknown(read, members, METADATA, at);
  read.done();
  return { members, at };
}

function refuseUnknown(read: Reader, holder: object, known: ReadonlySet<string>, at: string): void {
  for (const [name, value] of Object.entries(holder)) {
    // The caller chose the name: it is repeated only when it is a plain one.
    const pointer = `${at}/${/^[A-Za-z0-9_.-]{1,64}$/.test(name) ? name : '?'}`;
    if (!known.has(name)) read.note(pointer, { code: 'unknown_member', detail: 'This member is not known here.' });
    else if (METADATA.has(name) && value !== null && typeof value !== 'string' && typeof value !== 'number') {
      read.note(pointer, { code: 'type', detail: 'Must be a string or a number.' });
    }
  }
}

// ---- both ----

function paidUpTo(rows: readonly ScheduleRow[], day: PlainDate): number {
  const open = rows.findIndex(({ dueDate }) => dueDate > day);
  return open === -1 ? rows.length : open;
}

/** The oldest installment that is not paid was due so many days ago; with none past due, all that was due before today is paid. */
function paidByDays(read: Reader, pointer: string, days: number, { rows, today }: Planned): number | null {
  const oldest = addDays(today, -days);
  const index = rows.findIndex(({ dueDate }) => (days === 0 ? dueDate >= oldest : dueDate === oldest));
  if (index >= 0) return index;
  const detail =
    days === 0
      ? `Nothing past due was given; the last installment was due on ${rows.at(-1)?.dueDate}, so the loan would be paid off.`
      : `${days} was given; ${days} days before ${today} is ${oldest}, when nothing was due: ${datesAround(rows, oldest)}.`;
  read.note(pointer, { code: 'contradiction', detail });
  return null;
}

function datesAround(rows: readonly ScheduleRow[], day: PlainDate): string {
  const before = rows.findLast(({ dueDate }) => dueDate < day)?.dueDate;
  const after = rows.find(({ dueDate }) => dueDate > day)?.dueDate;
  if (before === undefined) return `the first due date is ${after}`;
  return after === undefined ? `the last due date is ${before}` : `the nearest due dates are ${before} and ${after}`;
}

/** What the engine would find past due on a day if the loan were funded with this opening. */
function lateOn({ contract, policy, terms, today }: Planned, opening: Opening | null, on: PlainDate): Delinquency {
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

function checkDays(read: Reader, at: string, given: number | null, late: Delinquency, then: Delinquency): void {
  if (given === null || given === late.daysPastDue || given === then.daysPastDue) return;
  const since = late.oldestDueDate === null ? 'nothing is past due' : `unpaid since ${late.oldestDueDate}`;
  read.note(at, {
    code: 'contradiction',
    detail: `${given} was given; by the dates and what is paid it is ${late.daysPastDue} (${since}).`,
  });
}

function checkAmount(read: Reader, at: string, given: Cents | null, late: Delinquency, then: Delinquency): void {
  if (given === null || given === late.pastDueAmount || given === then.pastDueAmount) return;
  const known = formatCents(late.pastDueAmount);
  read.note(at, {
    code: 'contradiction',
    detail: `${formatCents(given)} was given; by the dates and what is paid it is ${known}.`,
  });
}
