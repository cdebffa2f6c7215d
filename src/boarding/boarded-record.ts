/**
 * A record of a loan, as it was read from this service or another with the same interface, becomes a loan: in the status it had, with
 * everything the record says. An application continues where it was. A loan in repayment, in default or charged off is opened with the
 * figures of its day (`asOf`), and everything after that is computed. A loan that had ended is kept as it was; nothing of it is on the books.
 */
import { type PlainDate, stepDate, yearFraction } from '../core/calendar.ts';
import type { Dated } from '../core/decide/operation.ts';
import { delinquency } from '../core/delinquency.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import {
  type BoardedPayment,
  type Contract,
  type Handover,
  type Loan,
  type LoanStatus,
  type OpenedInstallment,
  type ScheduleTerms,
  STATUSES,
} from '../core/loan.ts';
import { type Cents, cents, formatCents, least, ZERO } from '../core/money.ts';
import { isPublicName } from '../core/personal-text.ts';
import type { Policy } from '../core/policy.ts';
import { interestOver } from '../core/rate.ts';
import type { Reader } from '../core/reader.ts';
import { isRefusal } from '../core/refusal.ts';
import { buildSchedule, dueDatesFrom, type ScheduleRow } from '../core/schedule.ts';
import { isClosed } from '../core/status.ts';
import { termsOf } from '../core/terms.ts';
import type { EndedRecord } from './file.ts';
import { entrySpans, isListAt, isObjectAt, type Span } from './json-source.ts';
import { amountOr, contradiction, dateOf, type Own, required, textsOf } from './own-members.ts';
import { membersAt } from './record-parts.ts';
import type { Figures } from './seasoned.ts';

/** What a creation says of the loan's life at another service. */
export type RecordGiven = {
  readonly status: LoanStatus;
  readonly asOf: PlainDate;
  readonly repaid: Cents;
  readonly remaining: Cents | null;
  readonly payments: readonly BoardedPayment[];
  readonly metadata: Metadata;
};

type Metadata = ReturnType<typeof readMetadata>;

/** What follows the creation at once, and for a loan that had ended what its record shows. */
export type Boarded = { readonly facts: readonly Dated[]; readonly ended: EndedRecord | null };

const ENDED: readonly LoanStatus[] = ['Closed', 'ClosedEarly'];
const LIVE: readonly LoanStatus[] = ['Funded', 'Current', 'Delinquent', 'Defaulted', 'ChargedOff'];

export const hadEnded = (status: LoanStatus): boolean => ENDED.includes(status);
/** It is serviced here from the day of its record on. */
export const goesOn = (status: LoanStatus): boolean => LIVE.includes(status);

/** Members that only a record with a status has. */
const OF_A_STATUS = ['asOf', 'repaidAmount', 'remainingBalance', 'loanPayments', 'metadata'];

/** More would be no loan of installments. */
const MOST_PAYMENTS = 5_000;
/** Days and counts of a record. */
const COUNTS = [0, 100_000] as const;

/** Null: it has no status, so it is a new application. */
export function readRecord(
  read: Reader,
  { source, given, own, isRecord }: { source: string; given: ReadonlyMap<string, Span>; own: Own; isRecord: boolean },
  { today, loanType, opening }: { today: PlainDate; loanType: string; opening: Figures['opening'] },
): RecordGiven | null {
  const status = own.loanStatus;
  if (status === undefined) {
    const needing = isRecord ? 'a record' : OF_A_STATUS.find((name) => own[name] !== undefined || isHeld(name));
    if (needing !== undefined) required(read, '/loanStatus', `This field is required with ${needing}.`);
    return null;
  }
  const known = STATUSES.find((one) => one === status);
  if (known === undefined) {
    read.note('/loanStatus', { code: 'enum', detail: `Must be one of: ${STATUSES.join(', ')}.` });
    return null;
  }
  const asOf = dateOf(read, own, 'asOf') ?? opening?.asOf ?? today;
  if (asOf > today) read.note('/asOf', { code: 'date_in_future', detail: 'The date must not be in the future.' });
  if (opening !== null && opening.asOf !== null && opening.asOf !== asOf) {
    contradiction(read, '/opening/asOf', `${opening.asOf} was given; the record is as of ${asOf}.`);
  }
  return {
    status: known,
    asOf,
    repaid: amountOr(read, own, 'repaidAmount', ZERO),
    remaining: amountOr(read, own, 'remainingBalance', null),
    payments: readPayments(read, source, given.get('loanPayments')),
    metadata: readMetadata(read, source, given.get('metadata'), loanType),
  };

  function isHeld(name: string): boolean {
    const span = given.get(name);
    return span !== undefined && (isObjectAt(source, span.start) || isListAt(source, span.start));
  }
}

/** The nineteen members of `metadata`, under the type of the loan; null: empty or not given. */
function readMetadata(read: Reader, source: string, span: Span | undefined, loanType: string) {
  const kinds = membersAt(source, span);
  for (const name of kinds.keys()) {
    if (name === loanType) continue;
    // The caller chose the name: it is repeated only when it is a plain one.
    const pointer = `/metadata/${/^[A-Za-z]{1,40}$/.test(name) ? name : '?'}`;
    contradiction(read, pointer, 'Must be named after the loan type.');
  }
  const own = textsOf(source, membersAt(source, kinds.get(loanType)));
  const at = `/metadata/${loanType}`;
  const amount = (name: string) => (own[name] === undefined ? null : read.amount(own, name, at));
  const count = (name: string) => (own[name] === undefined ? null : read.whole(own, name, at, COUNTS));
  const day = (name: string) => (own[name] === undefined ? null : read.date(own, name, at));
  const ratio = (name: string) => {
    const text = own[name] ?? '';
    if (/^(\d{1,6}(\.\d{1,12})?)?$/.test(text)) return text;
    read.note(`${at}/${name}`, { code: 'format', detail: 'Must be a fraction such as 0.1250.' });
    return '';
  };
  const { paymentStatus = '' } = own;
  if (paymentStatus !== '' && !(isPublicName(paymentStatus) && paymentStatus.length <= 40)) {
    read.note(`${at}/paymentStatus`, { code: 'format', detail: 'Must be a short name such as On Time.' });
  }
  return {
    at,
    fundedDate: day('fundedDate'),
    currentDpd: count('currentDpd'),
    originalBalance: amount('originalBalance'),
    currentBalance: amount('currentBalance'),
    originalTerm: count('originalTerm'),
    remainingTerm: count('remainingTerm'),
    pti: ratio('pti'),
    dti: ratio('dti'),
    ltv: ratio('ltv'),
    scheduledPayment: amount('scheduledPayment'),
    currentPaymentDue: amount('currentPaymentDue'),
    pastDueAmount: amount('pastDueAmount'),
    totalPrincipalPaid: amount('totalPrincipalPaid'),
    totalInterestPaid: amount('totalInterestPaid'),
    totalFeesPaid: amount('totalFeesPaid'),
    chargeoffAmount: amount('chargeoffAmount'),
    recoveredAmount: amount('recoveredAmount'),
    paymentStatus,
    scheduledMaturityDate: day('scheduledMaturityDate'),
  };
}

function readPayments(read: Reader, source: string, span: Span | undefined): BoardedPayment[] {
  if (span === undefined || !isListAt(source, span.start)) return [];
  const entries = entrySpans(source, span.start);
  if (entries.length > MOST_PAYMENTS) {
    read.note('/loanPayments', { code: 'too_many', detail: `Must have at most ${MOST_PAYMENTS} entries.` });
    return [];
  }
  const references = new Set<string>();
  return entries.flatMap((entry, i): BoardedPayment[] => {
    const at = `/loanPayments/${i}`;
    if (!isObjectAt(source, entry.start)) return [];
    const own = textsOf(source, membersAt(source, entry));
    for (const name of ['paymentId', 'paymentAmount', 'paymentDate']) {
      if (own[name] === undefined) required(read, `${at}/${name}`);
    }
    const amount = (name: string) => (own[name] === undefined ? ZERO : read.amount(own, name, at));
    const refId = read.reference(own, 'paymentId', at);
    if (references.has(refId)) contradiction(read, `${at}/paymentId`, 'Another payment has the same id.');
    references.add(refId);
    return [
      {
        refId,
        amount: amount('paymentAmount'),
        date: own.paymentDate === undefined ? NO_DATE : read.date(own, 'paymentDate', at),
        status: (own.status ?? 'Acknowledged') as BoardedPayment['status'],
        principal: amount('principalPaid'),
        interest: amount('interestPaid'),
        fees: amount('feesPaid'),
        balance: amount('remainingBalance'),
        transactionHash: own.transactionHash ?? '',
      },
    ];
  });
}

/** Placeholder for a date that was noted to be missing. */
const NO_DATE = '1970-01-01' as PlainDate;

/**
 * The contract with the payment of the record, which a schedule of its terms alone need not have: another day count, a payment that the
 * parties agreed on, a balloon. Where the given payment makes no schedule, it is one of a loan whose terms were changed since, and the
 * contract keeps its own.
 */
export function withPayment(contract: Contract, payment: Cents | null, today: PlainDate): Contract {
  if (payment === null || payment === 0 || contract.payment !== null) return contract;
  const start = contract.contractDate ?? today;
  const scheduled = (one: Contract) => {
    const terms = termsOf(one, start);
    const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
    return isRefusal(schedule) ? null : schedule;
  };
  if (contract.amortization === 'Balloon' && contract.balloon === 0) {
    const rows = scheduled({ ...contract, amortization: 'FullAmortization', payment })?.rows ?? [];
    const balloon = cents(Math.max(0, (rows.at(-1)?.payment ?? 0) - payment));
    return balloon === 0 ? contract : withPayment({ ...contract, balloon }, payment, today);
  }
  const own = scheduled(contract);
  if (own === null || (own.rows[0]?.payment ?? own.levelPayment) === payment) return contract;
  const agreed = { ...contract, payment };
  return scheduled(agreed) === null ? contract : agreed;
}

/** What a record of a loan that is not opened here comes to: its status, and what it shows if it had ended. */
export function boardStatus(
  read: Reader,
  record: RecordGiven,
  { own, contract, today }: { own: Own; contract: Contract; today: PlainDate },
): Boarded {
  const { status } = record;
  if (!hadEnded(status)) {
    for (const [name, isGiven] of [
      ['loanPayments', record.payments.length > 0],
      ['repaidAmount', record.repaid > 0],
    ] as const) {
      if (isGiven) contradiction(read, `/${name}`, `A loan that is ${status} has received no payment.`);
    }
    if (status === 'ApplicationSubmitted' || !isEarly(status)) return { facts: [], ended: null };
    return { facts: [{ type: 'boarded', status, date: today }], ended: null };
  }
  const { metadata, remaining, repaid, payments } = record;
  const { at: _, pti: __, dti: ___, ltv: ____, ...shown } = metadata;
  const day = (name: string) => dateOf(read, own, name) ?? ('' as const);
  const ended: EndedRecord = {
    repaid,
    remaining: remaining ?? ZERO,
    pastDue: amountOr(read, own, 'delinquentAmount', ZERO),
    daysPastDue: own.delinquentDays === undefined ? 0 : read.whole(own, 'delinquentDays', '', COUNTS),
    dates: {
      origination: day('originationDate'),
      first: day('firstPaymentDate'),
      next: day('nextPaymentDate'),
      last: day('lastPaymentDate'),
      maturity: day('maturityDate'),
    },
    metadata: {
      ...shown,
      originalBalance: shown.originalBalance ?? contract.amount,
      originalTerm: shown.originalTerm ?? contract.count,
    },
    payments,
  };
  return { facts: [{ type: 'boarded', status: status as 'Closed' | 'ClosedEarly', date: today }], ended };
}

type EarlyStatus = Extract<Dated, { type: 'boarded' }>['status'];

function isEarly(status: LoanStatus): status is EarlyStatus {
  return !goesOn(status);
}

// ---- a loan that goes on here ----

export type LiveRecord = {
  readonly record: RecordGiven;
  readonly figures: Figures;
  readonly maturity: PlainDate | null;
  readonly contract: Contract;
  readonly policy: Policy;
  readonly terms: ScheduleTerms;
  readonly rows: readonly ScheduleRow[];
};

/** The facts by which it is funded and opened. What is wrong is noted. */
export function boardLive(read: Reader, live: LiveRecord): Boarded {
  const { record, figures, contract, terms } = live;
  const { status, asOf, metadata, payments } = record;
  const principal = principalOf(read, live);
  if (asOf < terms.interestStart) {
    contradiction(read, '/asOf', `${asOf} was given; the contract date is ${terms.interestStart}.`);
  }
  const dates = openDates(read, live, principal);
  if (!read.isClean) return NOTHING;
  const isMatured = (dates.days.at(-1) ?? asOf) < asOf || dates.acceleratedOn !== null;
  const interest = interestOf(read, live, { principal, dates, isMatured });
  const installments = installmentsOf(read, live, { principal, interest, dates, isMatured });
  if (!read.isClean) return NOTHING;
  const chargedOff = status === 'ChargedOff';
  const kept = metadata.currentBalance ?? ZERO;
  if (chargedOff && kept > principal) {
    const detail = `${formatCents(kept)} was given; the borrower owes ${formatCents(principal)} (remainingBalance).`;
    contradiction(read, `${metadata.at}/currentBalance`, detail);
  }
  const handover: Handover = {
    fundedOn: metadata.fundedDate,
    received: record.repaid,
    principalPaid: metadata.totalPrincipalPaid ?? cents(Math.max(0, contract.amount - principal)),
    interestPaid: metadata.totalInterestPaid ?? ZERO,
    feesPaid: metadata.totalFeesPaid ?? ZERO,
    payments,
    chargedOff: chargedOff
      ? {
          writtenOff: metadata.chargeoffAmount ?? cents(principal - kept),
          recovered: metadata.recoveredAmount ?? ZERO,
        }
      : null,
  };
  const facts: Dated[] = [
    { type: 'funded', terms, date: terms.interestStart },
    {
      type: 'opened',
      principal,
      interest,
      fees: figures.opening?.unpaidFees ?? ZERO,
      paidThrough: dates.paidThrough,
      record: { handover, installments, acceleratedOn: dates.acceleratedOn, kept: chargedOff ? kept : null },
      date: asOf,
    },
  ];
  if (status !== 'Funded') facts.push({ type: 'repaymentInitiated', date: asOf });
  if (status === 'Defaulted') {
    facts.push({ type: 'defaulted', ground: (figures.delinquentDays ?? 0) > 0 ? 'pastDue' : 'other', date: asOf });
  }
  if (read.isClean) agree(read, live, facts);
  return { facts, ended: null };
}

const NOTHING: Boarded = { facts: [], ended: null };

function principalOf(read: Reader, { record, figures }: LiveRecord): Cents {
  const { remaining, status, metadata } = record;
  const beside = figures.opening?.principal ?? null;
  if (remaining === null && beside === null) required(read, '/remainingBalance');
  const principal = remaining ?? beside ?? ZERO;
  if (beside !== null && beside !== principal) {
    const detail = `${formatCents(beside)} was given; remainingBalance is ${formatCents(principal)}.`;
    contradiction(read, '/opening/principal', detail);
  }
  if (status !== 'ChargedOff' && (metadata.chargeoffAmount ?? 0) > 0) {
    contradiction(read, '/loanStatus', `${status} was given, with a charged-off amount (chargeoffAmount).`);
  }
  return principal;
}

type OpenDates = {
  /** Due dates of the installments that are not fully paid. */
  readonly days: readonly PlainDate[];
  /** The due date before the first of them; null: none is paid. */
  readonly paidThrough: PlainDate | null;
  readonly acceleratedOn: PlainDate | null;
};

/** From the oldest unpaid due date to the maturity, on the grid of the contract or on that of a changed due date. */
function openDates(read: Reader, live: LiveRecord, principal: Cents): OpenDates {
  const { record, figures, contract, terms } = live;
  const { asOf, metadata, status } = record;
  const last = terms.dueDates.at(-1) as PlainDate;
  const maturity = live.maturity ?? metadata.scheduledMaturityDate ?? last;
  const next = figures.nextPaymentDate ?? (status === 'ChargedOff' ? (maturity < asOf ? maturity : asOf) : null);
  const owes = principal > 0 || (figures.opening?.unpaidInterest ?? 0) > 0;
  if (!owes && next === null) return { days: [], paidThrough: last, acceleratedOn: null };
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
  const days = daysBetween(contract, { next, maturity, first: terms.dueDates[0] as PlainDate });
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
  return { days, paidThrough: paid > 0 ? (before > start ? before : start) : null, acceleratedOn };
}

const NO_DATES: OpenDates = { days: [], paidThrough: null, acceleratedOn: null };

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

/** How many periods later than agreed the last installment may be due. */
const MOST_MOVED = 120;

/** As given in `opening`; else what makes up the amount past due, where everything is; else the interest of the schedule since the last paid date. */
function interestOf(
  read: Reader,
  { record, figures, contract, terms }: LiveRecord,
  { principal, dates, isMatured }: { principal: Cents; dates: OpenDates; isMatured: boolean },
): Cents {
  const { asOf, status } = record;
  const { opening, delinquentAmount } = figures;
  if (opening !== null && opening.unpaidInterest !== null) return opening.unpaidInterest;
  if (principal === 0) return ZERO;
  if (isMatured && delinquentAmount !== null) {
    if (delinquentAmount >= principal) return cents(delinquentAmount - principal);
    const detail = `${formatCents(delinquentAmount)} was given; everything is due, and ${formatCents(principal)} of principal is owed.`;
    contradiction(read, '/delinquentAmount', detail);
    return ZERO;
  }
  if (status === 'ChargedOff') return ZERO;
  const since = dates.paidThrough ?? terms.interestStart;
  return since < asOf
    ? interestOver(principal, contract.rate, yearFraction(since, asOf, contract.dayCount), contract.rounding)
    : ZERO;
}

/** Each with what had been paid of it, so that what is past due and what is due next are as given. */
function installmentsOf(
  read: Reader,
  { record, figures, policy, contract, rows }: LiveRecord,
  {
    principal,
    interest,
    dates: { days },
    isMatured,
  }: { principal: Cents; interest: Cents; dates: OpenDates; isMatured: boolean },
): OpenedInstallment[] {
  const { asOf, metadata } = record;
  const paidCount = contract.count - days.length;
  const agreed = metadata.scheduledPayment;
  const planned = rows[paidCount]?.payment ?? null;
  const isPlanned = agreed === null || agreed === 0 || agreed === planned || days.length === 1;
  const amountAt = (i: number): Cents =>
    isPlanned ? (rows[paidCount + i]?.payment ?? agreed ?? ZERO) : (agreed as Cents);
  const open = days.map((dueDate, i) => ({ dueDate, amount: amountAt(i), paid: ZERO }));
  const late = open.filter(({ dueDate }) => dueDate < asOf);
  const { currentPaymentDue } = metadata;
  let shortage = 0;
  if (!isMatured && open.length > 1) {
    const due = late.length > 0 ? late : open.slice(0, 1);
    const sum = due.reduce((total, { amount }) => total + amount, 0);
    const asked = late.length > 0 ? (figures.delinquentAmount ?? sum) : (currentPaymentDue ?? sum);
    const owed = principal + interest;
    if (late.length > 0) shortage = Math.max(0, (currentPaymentDue ?? asked) - asked);
    else if (asked > sum) shortage = asked - sum;
    if (late.length > 0 && asked > sum && asked < owed) {
      const detail = `${formatCents(cents(asked))} was given; the ${late.length} installments due before ${asOf} come to ${formatCents(cents(sum))}.`;
      contradiction(read, '/delinquentAmount', detail);
    }
    // What is owed altogether may be less than the installments.
    let paid = asked < owed ? Math.max(0, sum - asked) : 0;
    for (const one of due) {
      const part = Math.min(paid, one.amount);
      one.paid = cents(part);
      paid -= part;
    }
  }
  return [...paidBefore(shortage), ...open];

  /**
   * Paid installments before the open ones that say more than the schedule does: what is missing of them although they count as paid, and
   * the payment of a loan of which only the last installment is left.
   */
  function paidBefore(missing: number): OpenedInstallment[] {
    const before: OpenedInstallment[] = [];
    let rest = missing;
    const needsPayment = days.length === 1 && agreed !== null && agreed > 0 && rows[paidCount - 1]?.payment !== agreed;
    for (let n = paidCount - 1; n >= 0 && (rest > 0 || (needsPayment && before.length === 0)); n--) {
      const row = rows[n];
      if (row === undefined) break;
      const amount = agreed ?? row.payment;
      const part = least(cents(rest), cents(Math.floor((amount * (100 - policy.satisfiedPercent)) / 100)));
      const dueDate = days[0] !== undefined && row.dueDate > days[0] ? days[0] : row.dueDate;
      before.unshift({ dueDate, amount, paid: cents(amount - part) });
      rest -= part;
    }
    return before;
  }
}

/** Whatever the record says of lateness must be what the engine makes of the opening on its day. */
function agree(read: Reader, { record, figures, contract, policy }: LiveRecord, facts: readonly Dated[]): void {
  const { asOf, status } = record;
  const stamp = { recordedOn: asOf, recordedAt: `${asOf}T00:00:00.000Z` };
  const created: Dated = { type: 'created', contract, policy, date: asOf };
  const loan: Loan = fold(
    [created, ...facts].map((fact): LoanEvent => ({ ...fact, ...stamp })),
    asOf,
  );
  if (isClosed(loan)) {
    contradiction(read, '/loanStatus', `${status} was given, but nothing is owed; give Closed or ClosedEarly.`);
    return;
  }
  const late = delinquency(loan);
  const { nextPaymentDate, delinquentDays, delinquentAmount } = figures;
  const since = late.oldestDueDate === null ? 'nothing is past due' : `unpaid since ${late.oldestDueDate}`;
  if (delinquentDays !== null && delinquentDays !== late.daysPastDue) {
    const detail = `${delinquentDays} was given; on ${asOf} it is ${late.daysPastDue} (${since}).`;
    contradiction(read, '/delinquentDays', detail);
  }
  if (delinquentAmount !== null && delinquentAmount !== late.pastDueAmount) {
    const detail = `${formatCents(delinquentAmount)} was given; on ${asOf} it is ${formatCents(late.pastDueAmount)} (${since}).`;
    contradiction(read, '/delinquentAmount', detail);
  }
  if (nextPaymentDate !== null && late.nextDueDate !== null && nextPaymentDate !== late.nextDueDate) {
    const detail = `${nextPaymentDate} was given; with these amounts the oldest unpaid due date is ${late.nextDueDate}.`;
    contradiction(read, '/nextPaymentDate', detail);
  }
}
