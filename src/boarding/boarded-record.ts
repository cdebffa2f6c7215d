/**
 * A record of a loan, as it was read from this service or another with the same interface, becomes a loan: in the status it had, with
 * everything the record says. An application continues where it was. A loan in repayment, in default or charged off is opened with the
 * figures of its day (`live-record.ts`). A loan that had ended is kept as it was; nothing of it is on the books.
 */
import type { PlainDate } from '../core/calendar.ts';
import { type Dated, FUNDED } from '../core/decide/operation.ts';
import type { BoardedPayment } from '../core/handover.ts';
import { type Contract, type LoanStatus, STATUSES } from '../core/loan.ts';
import { type Cents, cents, ZERO } from '../core/money.ts';
import { isPublicName } from '../core/personal-text.ts';
import type { Reader } from '../core/reader.ts';
import { isRefusal } from '../core/refusal.ts';
import { buildSchedule } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import type { EndedRecord } from './file.ts';
import { entrySpans, isListAt, isObjectAt, type Span } from './json-source.ts';
import { amountOr, contradiction, dateOf, type Own, required, textsOf } from './own-members.ts';
import { membersAt } from './record-parts.ts';
import type { Figures } from './seasoned.ts';

/** The part of a creation about the loan's life at another service. */
export type BoardedRecord = {
  readonly status: LoanStatus;
  readonly asOf: PlainDate;
  readonly repaid: Cents;
  readonly remaining: Cents | null;
  readonly payments: readonly BoardedPayment[];
  readonly metadata: Metadata;
};

type Metadata = ReturnType<typeof readMetadata>;

/** Events that follow the creation at once; for a loan that had ended, the contents of its record. */
export type Boarded = { readonly facts: readonly Dated[]; readonly ended: EndedRecord | null };

/** It is serviced here from the day of its record on. */
export const goesOn = (status: LoanStatus): boolean => FUNDED.includes(status) && !hadEnded(status);
export const hadEnded = (status: LoanStatus): boolean => status === 'Closed' || status === 'ClosedEarly';

/** Members that only a record with a status has. */
const OF_A_STATUS = ['asOf', 'repaidAmount', 'remainingBalance', 'loanPayments', 'metadata'];

/** A loan here has at most 2,000 transactions: what it brings along is bounded in the same way, because it stays in memory with them. */
const MOST_PAYMENTS = 2_000;
/** Days and counts of a record. */
const COUNTS = [0, 100_000] as const;

/** Null: it has no status, so it is a new application. */
export function readRecord(
  read: Reader,
  { source, given, own, isRecord }: { source: string; given: ReadonlyMap<string, Span>; own: Own; isRecord: boolean },
  { today, loanType, opening }: { today: PlainDate; loanType: string; opening: Figures['opening'] },
): BoardedRecord | null {
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
    payments: readPayments(read, source, given.get('loanPayments'), goesOn(known) ? asOf : today),
    metadata: readMetadata(read, source, given.get('metadata'), loanType),
  };

  function isHeld(name: string): boolean {
    const span = given.get(name);
    return span !== undefined && (isObjectAt(source, span.start) || isListAt(source, span.start));
  }
}

/** Beside a record of a loan that goes on here its date and principal may be left out, because the record has them. */
export function checkOpening(read: Reader, { status }: BoardedRecord, opening: NonNullable<Figures['opening']>): void {
  if (goesOn(status)) return;
  if (hadEnded(status)) contradiction(read, '/opening', `A loan that is ${status} cannot have an opening.`);
  for (const name of ['asOf', 'principal'] as const) if (opening[name] === null) required(read, `/opening/${name}`);
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

function readPayments(read: Reader, source: string, span: Span | undefined, asOf: PlainDate): BoardedPayment[] {
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
    const date = own.paymentDate === undefined ? NO_DATE : read.date(own, 'paymentDate', at);
    if (date > asOf) contradiction(read, `${at}/paymentDate`, `${date} was given; the record is as of ${asOf}.`);
    return [
      {
        refId,
        amount: amount('paymentAmount'),
        date,
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
export function withPayment(
  contract: Contract,
  payment: Cents | null,
  { today, isLive }: { today: PlainDate; isLive: boolean },
): Contract {
  if (payment === null || payment === 0 || contract.payment !== null) return contract;
  const start = contract.contractDate ?? today;
  const scheduled = (one: Contract) => {
    const terms = termsOf(one, start);
    const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
    return isRefusal(schedule) ? null : schedule;
  };
  if (contract.amortization === 'Balloon' && contract.balloon === 0) {
    const rows = scheduled({ ...contract, amortization: 'FullAmortization', payment })?.rows ?? [];
    const rest = cents(Math.max(0, (rows.at(-1)?.payment ?? 0) - payment));
    // If the loan goes on here, its last installment takes what is left, however large the balloon was.
    const balloon = rest === 0 && isLive ? cents(1) : rest;
    return balloon === 0 ? contract : withPayment({ ...contract, balloon }, payment, { today, isLive });
  }
  const own = scheduled(contract);
  if (own === null || (own.rows[0]?.payment ?? own.levelPayment) === payment) return contract;
  const agreed = { ...contract, payment };
  return scheduled(agreed) === null ? contract : agreed;
}

/** The result of a record without an opening here: the status of the loan, and the contents of the record if it had ended. */
export function boardStatus(
  read: Reader,
  record: BoardedRecord,
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
