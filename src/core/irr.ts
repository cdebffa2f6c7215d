/**
 * Internal rate of return and present value, as in spreadsheets (IRR, XIRR, NPV, XNPV), without an initial guess: amounts are exact
 * decimals, the answer has ten decimals, and it is always the same root. Of several roots it is the one nearest zero from above, else
 * the nearest below zero; a rate is above -100 %.
 */
import { daysBetween, type PlainDate } from './calendar.ts';
import type { ExactDecimal } from './decimal.ts';
import { leastRate, mergeFlows, reverse, solved, tenDecimals } from './discount.ts';
import { type Fixed, type Flow, powerOf } from './discount-curve.ts';
import { type Cents, cents, divide, type Rounding } from './money.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { Work } from './work.ts';

export type DatedFlow = { readonly date: PlainDate; readonly amount: ExactDecimal };

/** More flows than a century of weekly payments; the bound keeps the solver's time in check. */
const MAX_FLOWS = 12_000;

/** The nominal rate a year: the rate of one period × the periods of a year. */
export function irr(amounts: readonly ExactDecimal[], periodsPerYear: number): { irrPercent: string } | Refusal {
  if (!Number.isInteger(periodsPerYear) || periodsPerYear < 1 || periodsPerYear > 366) {
    return refuse('invalid_value', 'The number of periods per year must be a whole number from 1 to 366.', {
      member: 'periodsPerYear',
    });
  }
  const rate = growth(
    amounts.map((amount, full) => ({ full, amount })),
    1,
  );
  if (!('value' in rate)) return rate;
  const one = 1n << BigInt(rate.bits);
  return { irrPercent: tenDecimals((rate.value - one) * 100n * BigInt(periodsPerYear), one) };
}

/** The effective rate a year of dated flows, days over 365 from the first date. */
export function datedIrr(flows: readonly DatedFlow[]): { irrPercent: string } | Refusal {
  const start = firstDate(flows);
  const rate = growth(
    flows.map(({ date, amount }) => ({ full: start === null ? 0 : daysBetween(start, date), amount })),
    365,
  );
  if (!('value' in rate)) return rate;
  const one = 1n << BigInt(rate.bits);
  return { irrPercent: tenDecimals((powerOf(rate.value, 365, rate.bits) - one) * 100n, one) };
}

/** 1 + the rate of one step. */
function growth(steps: readonly { full: number; amount: ExactDecimal }[], power: number): Fixed | Refusal {
  if (steps.length > MAX_FLOWS) return tooMany();
  return solved((work) => growthOf(steps, power, work));
}

function growthOf(
  steps: readonly { full: number; amount: ExactDecimal }[],
  power: number,
  work: Work,
): Fixed | Refusal {
  const flows = mergeFlows(toFlows(steps));
  const above = leastRate(flows, power, work);
  if (above !== null) return { value: (1n << BigInt(above.bits)) + above.value, bits: above.bits };
  // Below zero nothing grows, so the precision of the step is enough.
  const below = leastRate(reverse(flows), 1, work);
  if (below === null) {
    return refuse('no_solution', 'No rate between -100 % and 10^310 % solves for these cash flows.', {
      facts: { flows: flows.length },
    });
  }
  const one = 1n << BigInt(below.bits);
  return { value: (one << BigInt(below.bits)) / (one + below.value), bits: below.bits };
}

function toFlows(steps: readonly { full: number; amount: ExactDecimal }[]): Flow[] {
  const scale = steps.reduce((most, { amount }) => Math.max(most, amount.scale), 0);
  return steps.map(({ full, amount }) => ({
    amount: amount.digits * 10n ** BigInt(scale - amount.scale),
    full,
    part: 0,
    parts: 1,
  }));
}

function firstDate(flows: readonly DatedFlow[]): PlainDate | null {
  return flows.reduce<PlainDate | null>((first, { date }) => (first === null || date < first ? date : first), null);
}

function tooMany(): Refusal {
  return refuse('invalid_value', `At most ${MAX_FLOWS} cash flows are accepted.`, { facts: { most: MAX_FLOWS } });
}

/**
 * The value of flows on a day, in cents, rounded once at the end. Dated flows at an effective rate a year (XNPV: days over 365; flows
 * before the day grow, later ones shrink); or one flow a period at a nominal rate a year, the first after `firstPeriod` periods (1: NPV and
 * an annuity in arrears; 0: an annuity in advance).
 */
export type PresentValueInput =
  | { readonly flows: readonly DatedFlow[]; readonly on: PlainDate; readonly effectivePercent: ExactDecimal }
  | {
      readonly amounts: readonly ExactDecimal[];
      readonly firstPeriod: 0 | 1;
      readonly nominalPercent: ExactDecimal;
      readonly periodsPerYear: number;
    };

/** Far more precise than a cent: 2^-320 leaves more than 200 bits after 12,000 roundings of the largest amounts. */
const PRESENT_VALUE_BITS = 320;

export function presentValue(input: PresentValueInput, rounding: Rounding = 'half-up'): Cents | Refusal {
  const dated = 'flows' in input;
  const steps = dated
    ? input.flows.map(({ date, amount }) => ({ full: daysBetween(input.on, date), amount }))
    : input.amounts.map((amount, n) => ({ full: n + input.firstPeriod, amount }));
  if (steps.length > MAX_FLOWS) return tooMany();
  const bits = PRESENT_VALUE_BITS;
  const one = 1n << BigInt(bits);
  const { digits, scale } = dated ? input.effectivePercent : input.nominalPercent;
  const perYear = dated ? 1 : input.periodsPerYear;
  if (!Number.isInteger(perYear) || perYear < 1 || perYear > 366) {
    return refuse('invalid_value', 'The number of periods per year must be a whole number from 1 to 366.', {
      member: 'periodsPerYear',
    });
  }
  const rate = divide(digits * one, 100n * 10n ** BigInt(scale) * BigInt(perYear), 'half-even');
  // Below -99.99 % a flow years ahead is worth more than the fixed point was sized for.
  if (rate * 10_000n < -9_999n * one || rate > one * 1_000_000n) {
    return refuse('invalid_value', 'The rate must be between -99.99 % and 100,000,000 %.', {
      member: dated ? 'effectivePercent' : 'nominalPercent',
    });
  }
  const step = dated ? yearRoot(one + rate, bits) : one + rate;
  const shrink = (one << BigInt(bits)) / step;
  const finest = steps.reduce((most, { amount }) => Math.max(most, amount.scale), 0);
  let total = 0n;
  for (const { full, amount } of steps) {
    const factor = full < 0 ? powerOf(step, -full, bits) : powerOf(shrink, full, bits);
    total += amount.digits * 10n ** BigInt(finest - amount.scale) * factor;
  }
  // To 25 decimals of a cent first, so that a tie on paper is a tie again.
  const fine = divide(total * 10n ** 27n, one * 10n ** BigInt(finest), 'half-even');
  const value = divide(fine, 10n ** 25n, rounding);
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < -BigInt(Number.MAX_SAFE_INTEGER)) {
    return refuse('no_solution', 'The present value is too large.');
  }
  return cents(Number(value));
}

/** The growth of a day: the 365th root of a year's, by Newton's method from the double's (each turn doubles its digits). */
function yearRoot(growth: bigint, bits: number): bigint {
  const shift = BigInt(bits);
  const start = (Number(growth) / 2 ** bits) ** (1 / 365);
  let root = BigInt(Math.round(start * 2 ** 52)) << (shift - 52n);
  for (let n = 0; n < 12; n++) {
    // root ← root − (root^365 − growth) ÷ (365 · root^364)
    const below = powerOf(root, 364, bits);
    const step = ((((below * root) >> shift) - growth) << shift) / (365n * below);
    root -= step;
    if (step < 4n && step > -4n) break;
  }
  return root;
}
