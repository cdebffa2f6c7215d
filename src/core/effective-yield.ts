/**
 * The yield of a loan with deferred fees and costs, a discount or a premium: the yearly rate at which the carrying amount, growing over each
 * stretch of the contract's flows and falling by each payment, reaches zero with the last of them.
 *
 * The contract's own side does not depend on the yield, so it is computed first, in cents. The deferred amount then follows
 *
 *   left = left × (1 + yield × time) − principal × yield × time + interest,
 *
 * stretch by stretch, and the yield is the one with which nothing is left. It is solved in floating point with additions, multiplications and
 * divisions alone, which are the same on every machine, and rounded; everything after that is exact.
 */
import { addDays, daysBetween, type PlainDate, yearFraction } from './calendar.ts';
import type { Installment, ScheduleTerms } from './loan.ts';
import { cents } from './money.ts';
import { interestOver, type Percent } from './rate.ts';
import type { Work } from './work.ts';

/** Digits behind the point of a percentage. */
const SCALE = 10;
const DIGITS = 1e12;
/** A thousand percent. */
const HIGHEST = 10;
/** Far below the last digit. */
const NEAR = 1e-15;
/** Steps of `Work` for each stretch, which is gone through some fifty times. */
const STEPS_TO_SOLVE = 20;

/** The contract from a day on, by what is known of it then. */
export type Outlook = {
  readonly on: PlainDate;
  readonly principal: number;
  /** Owed for ended stretches. */
  readonly interest: number;
  readonly rate: Percent;
  /** Changes after the day, in order. */
  readonly rates: readonly { readonly date: PlainDate; readonly rate: Percent }[];
  readonly terms: ScheduleTerms;
  readonly installments: readonly Installment[];
};

type Stretch = { readonly principal: number; readonly interest: number; readonly time: number };

/** Null: nothing is still to come that could earn a yield. `left`: net, on the day. */
export function yieldOf(outlook: Outlook, left: number, work: Work | null = null): Percent | null {
  const stretches = stretchesOf(outlook);
  if (!stretches.some(({ principal, time }) => principal > 0 && time > 0)) return null;
  work?.spend(STEPS_TO_SOLVE * stretches.length);
  return { kind: 'percent', digits: Math.round(solve(stretches, left) * DIGITS), scale: SCALE };
}

/** The amount left after the last stretch at a yield: the higher the yield, the less. */
function rest(stretches: readonly Stretch[], left: number, rate: number): number {
  let now = left;
  for (const { principal, interest, time } of stretches) now += interest - (principal - now) * rate * time;
  return now;
}

/** By halving: over a long life what is left grows so fast with the yield that Newton's steps would be too short. */
function solve(stretches: readonly Stretch[], left: number): number {
  let low = 0;
  let high = HIGHEST;
  if (rest(stretches, left, low) <= 0) return low;
  if (rest(stretches, left, high) >= 0) return high;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (high - low < NEAR || middle <= low || middle >= high) return middle;
    if (rest(stretches, left, middle) > 0) low = middle;
    else high = middle;
  }
}

/** As the contract goes on if every payment comes on its day: what is past due is paid at once, and the last payment pays what is left. */
function stretchesOf({ on, principal: owed, interest, rate: first, rates, terms, installments }: Outlook): Stretch[] {
  const open = installments.filter(({ satisfiedOn }) => satisfiedOn === null);
  const last = installments.at(-1);
  if (last !== undefined && open.at(-1) !== last) open.push(last);
  const later = terms.disbursements.filter(({ date }) => date > on);
  const days = new Set<PlainDate>();
  for (const { dueDate } of open) days.add(dueDate > on ? dueDate : on);
  for (const { date } of [...later, ...rates]) days.add(date);
  const stretches: Stretch[] = [];
  let principal = owed;
  let unpaid = interest;
  let rate = first;
  let since = on;
  let next = 0;
  let lent = 0;
  let changed = 0;
  for (const day of [...days].sort()) {
    if (day > since) {
      const time = yearFraction(since, day, terms.dayCount);
      const earned = interestOver(cents(principal), rate, time, terms.rounding);
      stretches.push({ principal, interest: earned, time: daysBetween(since, day) / 365 });
      unpaid += earned;
      since = day;
    }
    for (; (later[lent]?.date ?? '9') <= day; lent++) principal += later[lent]?.amount ?? 0;
    for (; (rates[changed]?.date ?? '9') <= day; changed++) rate = rates[changed]?.rate ?? rate;
    for (; next < open.length && (open[next] as Installment).dueDate <= day; next++) {
      const one = open[next] as Installment;
      const money = one === last ? principal + unpaid : Math.max(0, one.amount - one.paid);
      const toInterest = Math.min(money, unpaid);
      unpaid -= toInterest;
      principal -= Math.min(principal, money - toInterest);
    }
    if (principal === 0 && lent === later.length) break;
  }
  return stretches;
}

/** The changes of the rate that a day knows of: those that the terms schedule, and the end of military service. */
export function ratesAfter(
  on: PlainDate,
  {
    terms,
    agreedRate,
    service,
  }: { terms: ScheduleTerms; agreedRate: Percent; service: { to: PlainDate | null } | null },
  inForce: (agreed: Percent) => Percent,
): Outlook['rates'] {
  const over = service === null || service.to === null ? null : addDays(service.to, 1);
  const scheduled = terms.rateChanges.filter(({ date }) => date > on);
  if (service === null) return scheduled;
  const during = scheduled.filter(({ date }) => over === null || date < over);
  const rates = during.map(({ date, rate }) => ({ date, rate: inForce(rate) }));
  if (over === null || over <= on) return rates;
  rates.push({ date: over, rate: during.at(-1)?.rate ?? agreedRate });
  return [...rates, ...scheduled.filter(({ date }) => date >= over)];
}
