/**
 * The figures of a record, computed from the loan as it stands on the day of the view: what is late, the dates, the payment by the
 * schedule, and the terms as they are shown.
 */
import { LRUCache } from 'lru-cache';
import type { EndedRecord } from '../../boarding/file.ts';
import { PER_YEAR, type PlainDate, stepDate } from '../../core/calendar.ts';
import { keptOf, soundOf } from '../../core/charged-off.ts';
import { parseExactDecimal, roundedText } from '../../core/decimal.ts';
import { type Delinquency, delinquency } from '../../core/delinquency.ts';
import type { BoardedPayment, Handover } from '../../core/handover.ts';
import { type ChargeOff, type Contract, isHistory, type Loan } from '../../core/loan.ts';
import { AmountOutOfRange, type Cents, cents, ZERO } from '../../core/money.ts';
import { formatDecimal, parsePercent } from '../../core/rate.ts';
import { isRefusal } from '../../core/refusal.ts';
import { buildSchedule, dueDatesFrom, type Schedule } from '../../core/schedule.ts';
import { paymentStatus } from '../../core/status.ts';
import { termsOf } from '../../core/terms.ts';
import { truthInLending } from '../../core/truth-in-lending.ts';
import { macroShown } from '../../underwriting/macro.ts';
import { remainingBalance } from './figures.ts';
import type { PublicView } from './view.ts';

type FileAndLoan = Pick<PublicView['view'], 'file' | 'loan'>;

/** The figures in a record: as they were given for a loan that had ended before it was boarded, computed for any other. */
export type RecordFigures = EndedRecord & {
  /** Percent a year, and months. */
  readonly rate: string;
  readonly term: number;
  /** A fraction; '' where there is none. */
  readonly apr: string;
  /** JSON text. */
  readonly macro: string;
  readonly collateral: Cents | null;
};

type Figures = {
  readonly late: Delinquency;
  readonly dates: EndedRecord['dates'];
  readonly rate: string;
  readonly term: number;
  readonly collateral: Cents | null;
  readonly scheduledPayment: Cents;
  /** All money received and not returned, by an earlier servicer too. */
  readonly received: Cents;
  readonly principalPaid: Cents;
  readonly interestPaid: Cents;
  readonly feesPaid: Cents;
  readonly recovered: Cents;
  readonly fundedOn: PlainDate | null;
  /** On the books: after a charge-off only what is kept for the collateral. */
  readonly principalOnBooks: Cents;
  /** Principal written off so far: at the charge-off, and of what was kept for the collateral since. */
  readonly writtenOff: Cents;
};

export function recordFigures(view: FileAndLoan & Pick<PublicView['view'], 'paymentHashes'>): RecordFigures {
  const { file } = view;
  const { rate, term, asAgreed } = termsShown(view);
  return {
    ...(endedIn(view) ?? computed(view)),
    rate,
    term,
    apr: asAgreed && file.apr !== '' ? file.apr : planOf(view).apr,
    macro: macroShown(file),
    collateral: view.loan.collateralValue ?? file.collateralValue,
  };
}

function computed(view: FileAndLoan & Pick<PublicView['view'], 'paymentHashes'>): EndedRecord {
  const { loan } = view;
  const figures = figuresOf(view);
  const { late } = figures;
  const { contract } = loan;
  const planned = loan.stage === 'Funded' ? null : planOf(view);
  return {
    repaid: figures.received,
    remaining: remainingBalance(loan),
    pastDue: late.pastDueAmount,
    daysPastDue: late.daysPastDue,
    dates: figures.dates,
    metadata: {
      fundedDate: figures.fundedOn,
      currentDpd: late.daysPastDue,
      originalBalance: contract.amount,
      currentBalance: figures.principalOnBooks,
      originalTerm: contract.count,
      remainingTerm: planned?.remaining ?? late.remaining,
      scheduledPayment: planned?.payment ?? figures.scheduledPayment,
      currentPaymentDue: late.nextDueAmount,
      pastDueAmount: late.pastDueAmount,
      totalPrincipalPaid: figures.principalPaid,
      totalInterestPaid: figures.interestPaid,
      totalFeesPaid: figures.feesPaid,
      chargeoffAmount: figures.writtenOff,
      recoveredAmount: figures.recovered,
      paymentStatus: paymentStatus(loan, late),
      scheduledMaturityDate: loan.installments.at(-1)?.dueDate ?? null,
    },
    payments: paymentsOf(view),
  };
}

/** Those that an earlier servicer received come first. One that was posted in error is left out. */
function paymentsOf({
  loan: { payments, handover },
  paymentHashes,
}: Pick<PublicView['view'], 'loan' | 'paymentHashes'>): BoardedPayment[] {
  const shown: BoardedPayment[] = [...(handover?.payments ?? [])];
  for (const { refId, amount, date, status, allocation, balance } of payments) {
    if (status === 'Reversed') continue;
    const { principal, interest, fees } = allocation;
    const transactionHash = paymentHashes.get(refId) ?? '';
    shown.push({ refId, amount, date, status, principal, interest, fees, balance, transactionHash });
  }
  return shown;
}

/**
 * As the loan stands, with nothing scheduled before funding, and without the annual percentage rate, which takes a hundred times as long as
 * everything else.
 */
export function figuresOf(view: FileAndLoan): Figures {
  const { file, loan } = view;
  const late = delinquency(loan);
  const { rate, term } = termsShown(view);
  const { chargeOff, handover, totals } = loan;
  const ended = endedIn(view);
  // For a boarded loan, earlier principal was paid to the previous servicer.
  const paidElsewhere =
    handover?.principalPaid ?? (loan.openedOn === null ? 0 : loan.contract.amount - totals.disbursed);
  return {
    late,
    received: cents(totals.received + (handover?.received ?? 0)),
    principalOnBooks: chargeOff === null ? loan.principal : keptOf(loan, chargeOff),
    writtenOff: chargeOff === null ? ZERO : writtenOffOf(chargeOff, handover),
    dates: datesOf(view, late),
    rate,
    term,
    collateral: loan.collateralValue ?? file.collateralValue,
    scheduledPayment: scheduledPayment(loan, late),
    principalPaid: cents(totals.principalPaid + paidElsewhere),
    interestPaid: cents(totals.interestPaid + (handover?.interestPaid ?? 0)),
    feesPaid: cents(totals.feesPaid + (handover?.feesPaid ?? 0)),
    recovered: cents((chargeOff?.recovered ?? 0) + (handover?.chargedOff?.recovered ?? 0)),
    fundedOn: loan.fundedOn,
    ...(loan.rescission === null ? {} : NEVER_FUNDED),
    ...(ended === null ? {} : ofEnded(ended)),
  };
}

/** The record of a loan that had ended elsewhere, unless its boarding was cancelled. */
function endedIn({ file, loan }: FileAndLoan): EndedRecord | null {
  return isHistory(loan) ? file.ended : null;
}

/** A contract that is void from its beginning was never funded, and nothing was paid on it. */
const NEVER_FUNDED = { principalPaid: ZERO, interestPaid: ZERO, feesPaid: ZERO, fundedOn: null } as const;

function ofEnded({ repaid, dates, metadata }: EndedRecord): Partial<Figures> {
  return {
    dates,
    received: repaid,
    scheduledPayment: metadata.scheduledPayment ?? ZERO,
    principalPaid: metadata.totalPrincipalPaid ?? ZERO,
    interestPaid: metadata.totalInterestPaid ?? ZERO,
    feesPaid: metadata.totalFeesPaid ?? ZERO,
    writtenOff: metadata.chargeoffAmount ?? ZERO,
    recovered: metadata.recoveredAmount ?? ZERO,
    fundedOn: metadata.fundedDate,
  };
}

/** The amount written off; after a charge-off by an earlier servicer, what was written off there, and what was lost here of the part that was kept. */
function writtenOffOf(chargeOff: ChargeOff, handover: Handover | null): Cents {
  const elsewhere = handover?.chargedOff?.writtenOff;
  if (elsewhere === undefined) return cents(chargeOff.principal - soundOf(chargeOff));
  return cents(elsewhere + chargeOff.writtenDown + chargeOff.givenUp);
}

/** The scheduled amount of the next installment. The last one is only the remaining balance, so there it is the amount of the one before. */
function scheduledPayment({ installments }: Loan, { nextDueDate }: Delinquency): Cents {
  const last = installments.length - 1;
  const next = nextDueDate === null ? last : installments.findIndex(({ dueDate }) => dueDate === nextDueDate);
  return installments[next === last && last > 0 ? last - 1 : next]?.amount ?? ZERO;
}

/** Before funding, those that the contract already fixes. */
function datesOf(view: FileAndLoan, late: Delinquency): EndedRecord['dates'] {
  const { file, loan } = view;
  const { contract, terms } = loan;
  const { installments } = loan.rescission?.before ?? loan;
  if (terms !== null) {
    const maturity = installments.at(-1)?.dueDate ?? '';
    return {
      origination: terms.interestStart,
      first: installments[0]?.dueDate ?? '',
      next: late.nextDueDate ?? '',
      last: maturity,
      maturity,
    };
  }
  const { contractDate, frequency, count } = contract;
  const first = contract.firstPaymentDate ?? (contractDate === null ? null : stepDate(contractDate, frequency, 1));
  if (first === null) return { origination: '', first: '', next: '', last: '', maturity: '' };
  const paidThrough = file.opening?.paidThrough ?? null;
  const next =
    paidThrough === null ? first : (dueDatesFrom(first, frequency, count).find((date) => date > paidThrough) ?? '');
  const ended = loan.stage === 'Rejected' || loan.stage === 'Cancelled';
  const { maturity } = planOf(view);
  return { origination: contractDate ?? '', first, next: ended ? '' : next, last: maturity, maturity };
}

/** The percentage and the term as they were given, unless another deal was agreed on, or the rate has changed since. */
function termsShown({ file, loan }: FileAndLoan): { rate: string; term: number; asAgreed: boolean } {
  const { contract } = loan;
  if (file.ended !== null) return { rate: file.interestRate, term: file.term, asAgreed: true };
  const given = parsePercent(file.interestRate);
  const is = (rate: Loan['rate']) => given !== null && given.digits === rate.digits && given.scale === rate.scale;
  const perYear = PER_YEAR[contract.frequency];
  const sameTerm = Math.abs(contract.count * 12 - file.term * perYear) < 12;
  return {
    rate: is(loan.rate) ? file.interestRate : formatDecimal(loan.rate),
    term: sameTerm ? file.term : Math.round((contract.count * 12) / perYear),
    asAgreed: is(contract.rate) && sameTerm,
  };
}

// ---- what the contract gives when it begins on its date ----

type Plan = {
  readonly apr: string;
  readonly maturity: PlainDate | '';
  /** The next installment, and the number that are left; for a seasoned loan those after the ones paid elsewhere. */
  readonly payment: Cents;
  readonly remaining: number;
};

/** Solving for the annual percentage rate takes about a millisecond, so that it is done once for a contract. */
const plans = new LRUCache<string, Plan>({ max: 10_000 });

function planOf({ file, loan }: FileAndLoan): Plan {
  const { contract } = loan;
  const start = loan.terms?.interestStart ?? contract.contractDate ?? loan.on;
  const { rate } = contract;
  const paidThrough = file.opening?.paidThrough ?? '';
  const key = [
    contract.amount,
    rate.digits,
    rate.scale,
    contract.dayCount,
    contract.rounding,
    contract.frequency,
    contract.count,
    start,
    contract.firstPaymentDate,
    contract.amortization,
    contract.balloon,
    contract.interestOnlyCount,
    contract.payment,
    file.prepaidFinanceCharge,
    paidThrough,
  ].join(' ');
  const known = plans.get(key);
  if (known !== undefined) return known;
  const plan = newPlan(contract, start, { prepaid: file.prepaidFinanceCharge, paidThrough });
  plans.set(key, plan);
  return plan;
}

function newPlan(
  contract: Contract,
  start: PlainDate,
  { prepaid, paidThrough }: { prepaid: Cents; paidThrough: string },
): Plan {
  const unplanned = { apr: '', payment: contract.payment ?? ZERO, remaining: contract.count };
  const terms = termsOf(contract, start);
  if (isRefusal(terms) && contract.firstPaymentDate === null) return { ...unplanned, maturity: '' };
  if (isRefusal(terms)) {
    // A first payment that was agreed on has passed before the loan was funded: the dates are open, the amounts those from today on.
    const { payment, remaining } = newPlan({ ...contract, firstPaymentDate: null }, start, { prepaid, paidThrough });
    return { apr: '', maturity: '', payment, remaining };
  }
  const calendarEnd = terms.dueDates.at(-1) ?? '';
  try {
    const disclosed = truthInLending(terms, { prepaid, financed: ZERO });
    const schedule = isRefusal(disclosed) ? buildSchedule(terms) : disclosed.schedule;
    if (isRefusal(schedule)) return { ...unplanned, maturity: calendarEnd };
    const rate = isRefusal(disclosed) ? null : parseExactDecimal(disclosed.aprPercent ?? '');
    return {
      apr: rate === null ? '' : roundedText({ ...rate, scale: rate.scale + 2 }, 6),
      maturity: isRefusal(disclosed) ? calendarEnd : (schedule.rows.at(-1)?.dueDate ?? ''),
      ...plannedPayments(schedule, paidThrough),
    };
  } catch (error) {
    if (!(error instanceof AmountOutOfRange)) throw error;
    return { ...unplanned, maturity: calendarEnd };
  }
}

/** As `scheduledPayment` has it: never the last one, unless it is the only one. */
function plannedPayments({ rows }: Schedule, paidThrough: string): Pick<Plan, 'payment' | 'remaining'> {
  const remaining = rows.filter(({ dueDate }) => dueDate > paidThrough).length;
  const next = Math.min(rows.length - remaining, Math.max(0, rows.length - 2));
  return { payment: rows[next]?.payment ?? ZERO, remaining };
}
