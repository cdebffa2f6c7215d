/** `metadata` of a funding: the record of an earlier servicer shows how far the loan is repaid, and becomes its opening here. */
import { type PlainDate, yearFraction } from '../core/calendar.ts';
import type { Contract, Opening, ScheduleTerms } from '../core/loan.ts';
import { type Cents, formatCents, subtract, ZERO } from '../core/money.ts';
import type { Policy } from '../core/policy.ts';
import { interestOver } from '../core/rate.ts';
import { type Mistakes, Reader } from '../core/reader.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { buildSchedule, type ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { checkAmount, checkDays, lateOn, type Planned, paidByDays } from './seasoned.ts';

/** The known figures of a loan that is about to be funded. */
export type Unfunded = {
  readonly loan: { readonly contract: Contract; readonly policy: Policy };
  readonly file: { readonly loanType: string; readonly term: number; readonly opening: Opening | null };
};

/**
 * `metadata` of POST /fund-loan (`{ AutoLoan: {…} }`, or the members alone), read with the texts of its numbers kept (`exactNumbers`).
 * `date` is the funding date it names, or null; `opening` is what it and the file contain about earlier servicing, or null. `currentBalance`
 * is the principal today; which installments are paid follows from `remainingTerm`, else from `currentDpd`; interest since the last of
 * them is unpaid. Everything else is only compared with that.
 */
export function openingFromMetadata(
  metadata: object,
  view: Unfunded,
  today: PlainDate,
): { date: PlainDate | null; opening: Opening | null } | Mistakes | Refusal {
  const read = new Reader();
  const { loan, file } = view;
  const { contract, policy } = loan;
  const { members, at } = membersOf(read, metadata, file.loanType);
  if (!read.isClean) return { mistakes: read.mistakes };
  const has = (name: string) => members[name] !== undefined && members[name] !== null && members[name] !== '';
  const amount = (name: string) => (has(name) ? read.amount(members, name, at) : null);
  const count = (name: string) => (has(name) ? read.whole(members, name, at, [0, 100_000]) : null);
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
    const detail =
      'A loan that was charged off elsewhere cannot be boarded as charged off; fund it, then charge it off here.';
    read.note(`${at}/${name}`, { code: 'not_supported', detail });
  }
  if (!read.isClean) return { mistakes: read.mistakes };

  const terms = termsOf(contract, fundedDate ?? contract.contractDate ?? today);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  if (isRefusal(terms)) return terms;
  if (isRefusal(schedule)) return schedule;
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
      `The resulting balance is ${formatCents(balance)}; it must be more than zero and at most the loan amount (${formatCents(contract.amount)}).`,
    );
  }
  if (!read.isClean) return { mistakes: read.mistakes };

  const paid = paidRows();
  if (!read.isClean) return { mistakes: read.mistakes };
  if (paid !== null && file.opening?.purchase !== undefined) {
    contradiction(
      'currentBalance',
      'The loan was created with a purchase, whose price is for the figures of its opening. Leave its figures out here.',
    );
  }
  const opening = paid === null ? file.opening : openedBy(paid);
  if (!read.isClean) return { mistakes: read.mistakes };
  if (currentDpd !== null || pastDueAmount !== null) {
    const late = lateOn(planned, opening, today);
    checkDays(read, `${at}/currentDpd`, currentDpd, late, late);
    checkAmount(read, `${at}/pastDueAmount`, pastDueAmount, late, late);
  }
  if (!read.isClean) return { mistakes: read.mistakes };
  return { date: fundedDate, opening };

  /** Number of paid installments; null if the metadata does not give it. */
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
      'The balance differs from the schedule: give this field or remainingTerm to show which installments are paid.';
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
        detail: 'The loan is paid ahead, so its balance cannot be derived from the schedule; give the balance.',
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
  return { members, at };
}

function refuseUnknown(read: Reader, holder: object, known: ReadonlySet<string>, at: string): void {
  for (const [name, value] of Object.entries(holder)) {
    // The caller chose the name: it is repeated only when it is a plain one.
    const pointer = `${at}/${/^[A-Za-z0-9_.-]{1,64}$/.test(name) ? name : '?'}`;
    if (!known.has(name)) read.note(pointer, { code: 'unknown_member', detail: 'Unknown field.' });
    else if (METADATA.has(name) && value !== null && typeof value !== 'string' && typeof value !== 'number') {
      read.note(pointer, { code: 'type', detail: 'Must be a string or a number.' });
    }
  }
}
