/**
 * A purchase and how it is paid for: the car, the down payment, the products financed with it, the requested contract, and the
 * household's income. All of it follows from the score, as dealers and applicants would choose it; only the product decides whether it is
 * approved.
 */
import type { SeededRandom } from '../bureau/simulator/random.ts';
import { type Frequency, PER_YEAR, type PlainDate } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents, ZERO } from '../core/money.ts';
import { percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import { buildSchedule, type Schedule, type ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import type { Household } from './household.ts';
import type { Vehicle } from './vehicle.ts';

/**
 * The dealers' rate sheet: rate and down payment by score. Its steps are where the grade of an ordinary application changes (A, B, C, D,
 * E and what is hardly ever lent to), so that a loan's rate agrees with the grade that it is given.
 */
const QUOTES: readonly { least: number; rate: string; downPercent: readonly [from: number, to: number] }[] = [
  { least: 750, rate: '8.45', downPercent: [8, 16] },
  { least: 700, rate: '9.35', downPercent: [10, 18] },
  { least: 650, rate: '11.49', downPercent: [16, 26] },
  { least: 600, rate: '15.95', downPercent: [28, 36] },
  { least: 540, rate: '19.95', downPercent: [32, 40] },
  { least: 0, rate: '19.95', downPercent: [34, 42] },
];

export type Purchase = {
  readonly downPayment: Cents;
  readonly gap: Cents;
  /** Gap cover and service contract. */
  readonly products: Cents;
  /** Products included: what amortizes. */
  readonly amount: Cents;
  readonly rate: string;
};

/** `downPercent`: of the price, where a story sets it. */
export function inventPurchase(
  of: SeededRandom,
  { retail }: Vehicle,
  { score, months, downPercent }: { score: number; months: number; downPercent: number | undefined },
): Purchase {
  const quote = QUOTES.find(({ least }) => score >= least) as (typeof QUOTES)[number];
  const dollars = (amount: number) => cents(Math.round(amount / 100) * 100);
  // A shorter loan is smaller: who has cash pays more down.
  const usual = of.whole(...quote.downPercent) + Math.max(0, 48 - months);
  const downPayment = dollars((retail * (downPercent ?? usual)) / 100);
  const gap = of.oneIn(2) ? dollars(of.whole(395, 795) * 100) : ZERO;
  const service = of.oneIn(2) ? dollars((retail * of.whole(3, 7)) / 100) : ZERO;
  const taxAndTitle = dollars(retail * 0.07 + 285_00);
  const products = cents(gap + service);
  return { downPayment, gap, products, amount: cents(retail + taxAndTitle - downPayment + products), rate: quote.rate };
}

export type ContractOptions = {
  readonly frequency?: Frequency;
  /** The day it is signed; null: the day it will be funded, so that no date is given. The day of the application when absent. */
  readonly contractDate?: PlainDate | null;
  readonly firstPaymentDate?: PlainDate | null;
  /** Percent of the loan that is due with the last installment, beside it. */
  readonly balloonPercent?: number;
  readonly interestOnlyCount?: number;
  readonly prepaymentPenalty?: Cents;
};

export function contractFor(
  { amount, rate }: Purchase,
  months: number,
  on: PlainDate,
  options: ContractOptions,
): Contract {
  const frequency = options.frequency ?? 'Monthly';
  const balloon = cents(Math.round((amount * (options.balloonPercent ?? 0)) / 10_000) * 100);
  return {
    amount,
    rate: percent(rate),
    variable: false,
    dayCount: 'actual/365',
    rounding: 'half-up',
    frequency,
    count: (months * PER_YEAR[frequency]) / 12,
    contractDate: options.contractDate === undefined ? on : options.contractDate,
    firstPaymentDate: options.firstPaymentDate ?? null,
    amortization: balloon > 0 ? 'Balloon' : options.interestOnlyCount ? 'InterestOnly' : 'FullAmortization',
    balloon,
    interestOnlyCount: options.interestOnlyCount ?? 0,
    payment: null,
    prepaymentPenalty: options.prepaymentPenalty ?? ZERO,
  };
}

export function scheduleOf(contract: Contract, start: PlainDate): Schedule {
  const terms = termsOf(contract, start);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  if (isRefusal(schedule)) throw new Error(`An invented loan has no schedule: ${schedule.detail}`);
  return schedule;
}

/** The payment of an average month. */
export function monthlyPaymentOf({ interestOnlyCount, frequency }: Contract, { rows }: Schedule): Cents {
  const { payment } = rows[interestOnlyCount] as ScheduleRow;
  return cents(Math.round((payment * PER_YEAR[frequency]) / 12));
}

export type Income = {
  /** Per month, like all amounts of these. */
  readonly gross: Cents;
  readonly employment: 'Full Time' | 'Part Time' | 'Self Employed';
  readonly other: Cents | null;
  /** Null: lives with family and pays nothing. */
  readonly housing: Cents | null;
  /** Housing and the payments of all accounts in the household's reports. */
  readonly obligations: Cents;
};

/** The largest shares of its income that a household of the demonstration spends. */
const MOST_FOR_ACCOUNTS = 0.2;
const MOST_FOR_A_HOME = 0.22;
const PART_TIME_BELOW = cents(2_500_00);

/** Enough for the payment, the accounts and the home; `paymentPercent`: the payment's share of it, where a story sets it. */
export function inventIncome(
  of: SeededRandom,
  household: Household,
  { payment, paymentPercent }: { payment: Cents; paymentPercent: number | undefined },
): Income {
  const { applicant, credit, coApplicant } = household;
  const { mortgage } = credit;
  const others = credit.others + (coApplicant?.others ?? 0);
  const usual = (payment * 100) / of.whole(6, 11);
  const wanted =
    paymentPercent === undefined
      ? Math.max(usual, (payment + others) / MOST_FOR_ACCOUNTS, mortgage / MOST_FOR_A_HOME)
      : (payment * 100) / paymentPercent;
  // To the next fifty dollars.
  const gross = cents(Math.ceil(wanted / 50_00) * 50_00);
  const rent = Math.round((gross * of.whole(12, 22)) / 50_000) * 500;
  const housing = applicant.housing === null ? null : cents(Math.max(mortgage, rent));
  return {
    gross,
    employment: gross < PART_TIME_BELOW ? 'Part Time' : of.oneIn(6) ? 'Self Employed' : 'Full Time',
    other: of.oneIn(4) ? cents(of.whole(4, 24) * 50_00) : null,
    housing,
    obligations: cents((housing ?? 0) + others),
  };
}
