/** The contract of a loan that is created, and the schedule it gives. */
import { type DayCount, type Frequency, PER_YEAR, type PlainDate, parseDate } from '../core/calendar.ts';
import { type Amortization, type Contract, MAX_COUNT, MAX_TERM, type ScheduleTerms } from '../core/loan.ts';
import { AmountOutOfRange, type Cents, formatCents, type Rounding, ZERO } from '../core/money.ts';
import type { LateFeePolicy, Policy } from '../core/policy.ts';
import { comparePercent, percent } from '../core/rate.ts';
import type { Mistakes, Reader } from '../core/reader.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { buildSchedule, type Schedule, type ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import { amountOr, contradiction, dateOf, type Own, required } from './own-members.ts';

export function readContract(
  read: Reader,
  own: Own,
  { today, rounding, asGiven = false }: { today: PlainDate; rounding: Rounding; asGiven?: boolean },
): { contract: Contract; principalAmount: Cents; term: number } {
  const { amount, principalAmount } = readAmounts(read, own);
  const frequency = (own.paymentFrequency ?? 'Monthly') as Frequency;
  const term = own.term === undefined ? 1 : read.whole(own, 'term', '', [1, MAX_TERM]);
  const contractDate = dateOf(read, own, 'originationDate');
  const next = dateOf(read, own, 'nextPaymentDate');
  const balloon = amountOr(read, own, 'balloonAmount', ZERO);
  const contract: Contract = {
    amount,
    rate: own.interestRate === undefined ? percent('0') : read.percent(own, 'interestRate', ''),
    variable: own.interestRateType === 'Variable',
    dayCount: (own.dayCount ?? 'actual/365') as DayCount,
    rounding,
    frequency,
    count: readCount(read, own, { term, frequency, asGiven }),
    contractDate,
    firstPaymentDate:
      dateOf(read, own, 'firstPaymentDate') ??
      // If the loan has not begun, the next payment is the first.
      (contractDate === null || contractDate >= today ? next : null),
    amortization: (own.amortizationType ?? (balloon > 0 ? 'Balloon' : 'FullAmortization')) as Amortization,
    balloon,
    interestOnlyCount:
      own.interestOnlyCount === undefined ? 0 : read.whole(own, 'interestOnlyCount', '', [0, MAX_COUNT]),
    payment: own.scheduledPayment === undefined ? null : read.positiveAmount(own, 'scheduledPayment', ''),
    prepaymentPenalty: amountOr(read, own, 'prepaymentPenalty', ZERO),
  };
  return { contract, principalAmount, term };
}

function readAmounts(read: Reader, own: Own): { amount: Cents; principalAmount: Cents } {
  const loan = own.loanAmount === undefined ? null : read.positiveAmount(own, 'loanAmount', '');
  const principal = own.principalAmount === undefined ? null : read.positiveAmount(own, 'principalAmount', '');
  const amount = loan ?? principal;
  if (amount === null) required(read, '/loanAmount', 'This field or principalAmount is required.');
  if (loan !== null && principal !== null && loan > 0 && principal > loan) {
    const detail = `Must not exceed the loan amount of ${formatCents(loan)}; ${formatCents(principal)} was given.`;
    contradiction(read, '/principalAmount', detail);
  }
  return { amount: amount ?? ZERO, principalAmount: principal ?? amount ?? ZERO };
}

/** Months × payments a year ÷ 12. Where that is not whole, the caller says which of its neighbours it is. */
function readCount(
  read: Reader,
  own: Own,
  { term, frequency, asGiven }: { term: number; frequency: Frequency; asGiven: boolean },
): number {
  const twelfths = term * PER_YEAR[frequency];
  const whole = twelfths % 12 === 0 ? twelfths / 12 : null;
  if (own.installment === undefined) {
    if (whole !== null || asGiven) return whole ?? Math.max(1, Math.round(twelfths / 12));
    const detail = `${term} months of ${frequency} payments are not a whole number of installments; give the number of installments.`;
    required(read, '/installment', detail);
    return 1;
  }
  const count = read.whole(own, 'installment', '', [1, MAX_COUNT]);
  if (asGiven) return count;
  if (whole === null ? Math.abs(count * 12 - twelfths) >= 12 : count !== whole) {
    const known =
      whole === null ? `between ${Math.floor(twelfths / 12)} and ${Math.ceil(twelfths / 12)}` : String(whole);
    const detail = `${count} was given; ${term} months of ${frequency} payments are ${known} installments.`;
    contradiction(read, '/installment', detail);
  }
  return count;
}

/** The caller's names for values that have another name in the engine. */
const NAMES: Readonly<Record<string, string>> = {
  dueDates: 'firstPaymentDate',
  disbursements: 'loanAmount',
  interestStart: 'originationDate',
  payment: 'scheduledPayment',
};

/** The schedule that the contract gives when it begins on its own date, else today. */
export function planContract(
  contract: Contract,
  today: PlainDate,
): { terms: ScheduleTerms; schedule: Schedule } | Mistakes | Refusal {
  const terms = termsOf(contract, contract.contractDate ?? today);
  if (isRefusal(terms)) return inCallersWords(terms);
  if (parseDate(terms.dueDates.at(-1) ?? '') === null) {
    const detail = 'The last installment must be due before the year 2200.';
    return { mistakes: [{ pointer: '/term', code: 'range', detail }] };
  }
  try {
    const schedule = buildSchedule(terms);
    return isRefusal(schedule) ? inCallersWords(schedule) : { terms, schedule };
  } catch (error) {
    if (!(error instanceof AmountOutOfRange)) throw error;
    return { mistakes: [], detail: 'The amounts are too large to be computed exactly; check the rate and the dates.' };
  }
}

function inCallersWords(refusal: Refusal): Refusal {
  const { member } = refusal;
  return member === undefined ? refusal : { ...refusal, member: NAMES[member] ?? member };
}

/** Dates that follow from others may be given, and must then be the same. */
export function checkDates(
  read: Reader,
  given: Readonly<Record<'maturityDate' | 'lastPaymentDate', PlainDate | null>>,
  contract: Contract,
  terms: ScheduleTerms,
  { rows }: Schedule,
): void {
  // A payment that clears the loan early ends it before the last date of the calendar; either is called its end.
  const ends: PlainDate[] = [(rows.at(-1) as ScheduleRow).dueDate, terms.dueDates.at(-1) as PlainDate];
  for (const name of ['maturityDate', 'lastPaymentDate'] as const) {
    const date = given[name];
    if (date === null) continue;
    if (contract.contractDate === null && contract.firstPaymentDate === null) {
      const detail =
        'The dates are set when the loan is funded; give originationDate or firstPaymentDate, or omit this field.';
      contradiction(read, `/${name}`, detail);
    } else if (!ends.includes(date)) {
      contradiction(read, `/${name}`, `${date} was given; the schedule’s last payment is on ${ends[0]}.`);
    }
  }
}

/**
 * The contract's own late fee and grace days, a flat fee or a percentage within floor and cap; where it is silent about
 * the fee, the grace days or the judgement, the policy in force applies. `shown` is the flat amount, or the floor.
 */
export function readLateFee(
  read: Reader,
  own: Own,
  policy: Own,
  inForce: Policy,
): { policy: LateFeePolicy | null; shown: Cents; graceDays: number } {
  const at = '/lateFeePolicy';
  const flat = amountOr(read, own, 'lateFee', ZERO);
  const rate = policy.percent === undefined ? null : read.percent(policy, 'percent', at);
  const [floor, cap] = (['floor', 'cap'] as const).map((name) =>
    policy[name] === undefined ? null : read.amount(policy, name, at),
  ) as [Cents | null, Cents | null];
  const graceDays = policy.graceDays === undefined ? inForce.graceDays : read.whole(policy, 'graceDays', at, [0, 366]);
  // The schema has checked the name.
  const judge = (policy.judge as LateFeePolicy['judge'] | undefined) ?? inForce.lateFee?.judge ?? 'currentFirst';
  if (rate !== null && comparePercent(rate, percent('100')) > 0) {
    read.note(`${at}/percent`, { code: 'range', detail: 'Must be <= 100.' });
  }
  // A record shows the floor of a percentage as its late fee.
  if (rate !== null && flat > 0 && flat !== floor) {
    const detail = 'A late fee is a flat amount (lateFee) or a percentage with floor and cap, not both.';
    contradiction(read, `${at}/percent`, detail);
  }
  for (const [name, bound] of [['floor', floor] as const, ['cap', cap] as const]) {
    if (bound !== null && rate === null)
      contradiction(read, `${at}/${name}`, 'A floor and a cap are allowed only with a percentage.');
  }
  if (floor !== null && cap !== null && floor > cap) {
    contradiction(read, `${at}/floor`, `${formatCents(floor)} was given; the cap is ${formatCents(cap)}.`);
  }
  if (rate === null && own.lateFee === undefined && inForce.lateFee !== null) {
    const fee = inForce.lateFee;
    const grace = policy.graceDays === undefined ? fee.graceDays : graceDays;
    return { policy: { ...fee, graceDays: grace, judge }, shown: fee.flat ?? fee.floor ?? ZERO, graceDays };
  }
  if (rate !== null)
    return { policy: { flat: null, percent: rate, floor, cap, graceDays, judge }, shown: floor ?? ZERO, graceDays };
  if (flat === 0) return { policy: null, shown: ZERO, graceDays };
  return { policy: { flat, percent: null, floor: null, cap: null, graceDays, judge }, shown: flat, graceDays };
}
