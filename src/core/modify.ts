/** Changes to the remaining installments: moved, priced at another rate, or recomputed. What was paid stays paid. */
import { dueOn } from './allocate.ts';
import {
  addDays,
  addMonths,
  daysBetween,
  FREQUENCIES,
  type Frequency,
  PER_YEAR,
  type PlainDate,
  parts,
  stepDate,
  yearFraction,
} from './calendar.ts';
import type { ScheduleTerms, Service } from './loan.ts';
import { type Cents, cents, mulDiv, ZERO } from './money.ts';
import { interestOver, lowerPercent, type Percent } from './rate.ts';
import { isRefusal } from './refusal.ts';
import { buildSchedule } from './schedule.ts';
import { MAX_INSTALLMENTS } from './schedule-terms.ts';
import { interestOwed, type WorkingInstallment, type WorkingLoan } from './working-loan.ts';

/** Steps of `Work` for each installment: to move dates, to compute forgiven interest, to build a schedule. */
const STEPS_TO_MOVE = 30;
const STEPS_TO_FORGIVE = 12;
const STEPS_TO_REAMORTIZE = 12;

type Move = { periods: number } | { from: PlainDate | null; to: PlainDate } | { notBefore: PlainDate };

/**
 * Moves every installment that is still to be paid. The distance between installments stays as it is, so the last one moves as far.
 * A past one that counts as paid stays where it is: only a shortage of it is owed, and it must not determine where the others move. The last
 * one includes whatever is left, so it is moved also when its own amount was paid.
 */
export function moveInstallments(working: WorkingLoan, move: Move, on: PlainDate): void {
  if (working.principal === 0 && working.interestEnded === 0) return;
  working.work?.spend(STEPS_TO_MOVE * working.installments.length);
  working.settled = 0;
  working.settledByCount = 0;
  const last = working.installments.at(-1);
  const moves = ({ dueDate }: WorkingInstallment) => !('from' in move && move.from !== null && dueDate < move.from);
  const unpaid = working.installments.filter(
    (one) =>
      one.satisfiedOn === null &&
      (one.dueDate >= on || one === last || one.paid * 100 < one.amount * working.policy.satisfiedPercent) &&
      moves(one),
  );
  const first = unpaid.findIndex((one) => one.amount > one.paid || one === last);
  // An earlier one has nothing due: it would only move past others that are paid.
  const open = first < 0 ? [last].filter((one) => one !== undefined).filter(moves) : unpaid.slice(first);
  if (open.length === 0) return;
  const oldest = (open[0] as WorkingInstallment).dueDate;
  const dates = open.map(({ dueDate }) => dueDate);
  const frequency = frequencyOf(working);
  let moved: PlainDate[];
  if ('to' in move) {
    // A new day of the month for all; otherwise the same number of days for all.
    const { to } = move;
    const from = move.from ?? oldest;
    const inMonths = 12 % PER_YEAR[frequency] === 0;
    working.dueDay = to;
    moved = dates.map((date) =>
      inMonths ? addMonths(date, monthsBetween(from, to), parts(to)[2]) : addDays(date, daysBetween(from, to)),
    );
  } else {
    const by = stepper(working, frequency);
    let periods = 'periods' in move ? move.periods : 0;
    if ('notBefore' in move) periods = firstWhere(MAX_INSTALLMENTS, (n) => by(oldest, n) >= move.notBefore);
    moved = dates.map((date) => by(date, periods));
  }
  const dateOf = new Map(open.map(({ n }, i) => [n, moved[i] as PlainDate]));
  working.installments = working.installments.map((one) => {
    const dueDate = dateOf.get(one.n);
    // An extension or a re-age gives time for what was missed: from then on money counts as it was allocated.
    return dueDate === undefined ? one : { ...one, dueDate, counted: 'to' in move ? one.counted : one.paid };
  });
  // One that was paid ahead stays where it is, and others may have moved past it.
  working.installments.sort((a, b) => (a.dueDate < b.dueDate ? -1 : a.dueDate > b.dueDate ? 1 : a.n - b.n));
}

/** Derived from the contract's own dates, which stay as they were, whatever was moved since. */
function frequencyOf({ terms, contract }: WorkingLoan): Frequency {
  const [first, ...rest] = terms?.dueDates ?? [];
  const fits = (frequency: Frequency) =>
    rest.slice(0, 3).every((date, i) => date === stepDate(first as PlainDate, frequency, i + 1));
  return [contract.frequency, ...FREQUENCIES].find(fits) ?? contract.frequency;
}

/**
 * A date moved by periods. Dates are on a grid given by the contract's first due date, or by the date they were last changed to: in
 * a short month its last day is used, and later months keep the grid's day. A date off that grid keeps its own day.
 */
function stepper({ dueDay, terms }: WorkingLoan, frequency: Frequency) {
  const grid = dueDay ?? terms?.dueDates[0];
  return (date: PlainDate, periods: number): PlainDate => {
    const steps = grid === undefined ? 0 : stepsBetween(grid, date, frequency);
    const onGrid = grid !== undefined && stepDate(grid, frequency, steps) === date;
    return onGrid ? stepDate(grid, frequency, steps + periods) : stepDate(date, frequency, periods);
  };
}

function stepsBetween(from: PlainDate, to: PlainDate, frequency: Frequency): number {
  if (frequency === 'Weekly' || frequency === 'BiWeekly') {
    return Math.round(daysBetween(from, to) / (frequency === 'Weekly' ? 7 : 14));
  }
  const steps = Math.round((monthsBetween(from, to) * PER_YEAR[frequency]) / 12);
  if (frequency !== 'SemiMonthly') return steps;
  // The later date of a pair is any that is not the earlier: 16 is the earlier one of 16 and 31.
  const day = parts(from)[2];
  const late = (date: PlainDate) => (parts(date)[2] === (day <= 15 ? day : day - 15) ? 0 : 1);
  return steps + late(to) - late(from);
}

function monthsBetween(from: PlainDate, to: PlainDate): number {
  const [y1, m1] = parts(from);
  const [y2, m2] = parts(to);
  return (y2 - y1) * 12 + m2 - m1;
}

/**
 * Military service (50 USC 3937): each payment falls by the interest forgiven in its period, and its scheduled principal stays. The interest
 * forgiven is computed on the balance of the schedule, for the days of service. An installment that was moved pays for the period of the
 * contract, not for the longer one: the interest forgiven in that period counts in proportion to the days of service in its present one.
 */
export function forgive(working: WorkingLoan, service: Service): void {
  const { terms } = working;
  if (terms === null) return;
  const first = (terms.disbursements[0] as { date: PlainDate }).date;
  const skipped = new Set(terms.skip);
  const changes = changesOf(working, terms, service.since);
  working.work?.spend(STEPS_TO_FORGIVE * (working.installments.length + changes.length));
  working.settled = 0;
  working.settledByCount = 0;
  let balance = cents(working.installments.reduce((sum, { principal }) => sum + principal, 0));
  let since = terms.interestStart > first ? terms.interestStart : first;
  let sinceAgreed = since;
  for (const [i, installment] of working.installments.entries()) {
    // Interest of a skipped installment carries into the next.
    if (skipped.has(installment.n)) continue;
    const { dueDate, satisfiedOn } = installment;
    const agreed = terms.dueDates[installment.n - 1] as PlainDate;
    if (dueDate > service.since && satisfiedOn === null) {
      const less =
        dueDate === agreed && since === sinceAgreed
          ? forgivenIn(changes, terms, { balance, start: since, end: dueDate, service })
          : forgivenOfMoved(working, terms, { balance, since, dueDate, sinceAgreed, agreed, service });
      working.installments[i] = lowered(installment, less, service.since);
    }
    balance = cents(balance - installment.principal);
    since = dueDate;
    sinceAgreed = agreed;
  }
}

/** Its interest falls; a payment that does not cover its interest loses principal beyond that, and falls to zero at most. */
function lowered(installment: WorkingInstallment, by: Cents, on: PlainDate): WorkingInstallment {
  const interest = Math.min(by, installment.interest);
  const principal = Math.min(by - interest, installment.principal);
  if (interest + principal === 0) return installment;
  const amount = cents(installment.amount - interest - principal);
  return {
    ...installment,
    amount,
    interest: cents(installment.interest - interest),
    principal: cents(installment.principal - principal),
    satisfiedOn: installment.paid > 0 && installment.paid >= amount ? on : installment.satisfiedOn,
  };
}

type Period = { readonly balance: Cents; readonly service: Service };

/** The interest of a period at the agreed rates above the rate of service, on its days of service. */
function forgivenIn(
  changes: readonly Change[],
  terms: ScheduleTerms,
  { balance, start, end, service }: Period & { start: PlainDate; end: PlainDate },
): Cents {
  const { from: begins, until: ends } = within(service, start, end);
  let total = 0;
  let since = begins;
  for (let next = firstAfter(changes, begins); since < ends; next++) {
    const { rate, later } = changes[next - 1] ?? { rate: terms.rate, later: changes[0]?.later ?? 0 };
    const change = changes[next]?.from ?? ends;
    const until = change < ends ? change : ends;
    const time = yearFraction(since, until, terms.dayCount);
    const at = (one: Percent) => interestOver(cents(Math.max(0, balance - later)), one, time, terms.rounding);
    total += at(rate) - at(lowerPercent(rate, service.rate));
    since = until;
  }
  return cents(total);
}

function forgivenOfMoved(
  { agreedRate }: WorkingLoan,
  { dayCount, rounding }: ScheduleTerms,
  {
    balance,
    since,
    dueDate,
    sinceAgreed,
    agreed,
    service,
  }: Period & Record<'since' | 'dueDate' | 'sinceAgreed' | 'agreed', PlainDate>,
): Cents {
  const time = yearFraction(sinceAgreed, agreed, dayCount);
  const days = daysBetween(since, dueDate);
  const { from, until } = within(service, since, dueDate);
  if (time.days <= 0 || days <= 0 || until <= from) return ZERO;
  const at = (one: Percent) => interestOver(balance, one, time, rounding);
  const whole = at(agreedRate) - at(lowerPercent(agreedRate, service.rate));
  return cents(mulDiv(whole, daysBetween(from, until), 1, days, rounding));
}

/** The days of service between two days. */
function within({ since, to }: Service, start: PlainDate, end: PlainDate): { from: PlainDate; until: PlainDate } {
  const over = to === null ? end : addDays(to, 1);
  return { from: since > start ? since : start, until: over < end ? over : end };
}

/** From a day on: the agreed rate, and the disbursements still to come. In the order of their days, each day once. */
type Change = { readonly from: PlainDate; readonly rate: Percent; readonly later: number };

/** `on`: the present day; rates that the terms schedule later are known ahead. */
function changesOf(
  working: WorkingLoan,
  { disbursements, rate: first, rateChanges }: ScheduleTerms,
  on: PlainDate,
): Change[] {
  const coming = rateChanges.filter(({ date }) => date > on);
  const rates = [...working.rates, ...coming.map(({ date: from, rate }) => ({ from, rate }))];
  const days = [...new Set([...rates.map(({ from }) => from), ...disbursements.map(({ date }) => date)])].sort();
  let later = disbursements.reduce((sum, { amount }) => sum + amount, 0);
  let lent = 0;
  let changed = 0;
  let rate = first;
  return days.map((from) => {
    for (; (disbursements[lent]?.date ?? '9') <= from; lent++) later -= disbursements[lent]?.amount ?? 0;
    for (; (rates[changed]?.from ?? '9') <= from; changed++) rate = rates[changed]?.rate ?? rate;
    return { from, rate, later };
  });
}

/** The index of the first change after a day. */
function firstAfter(changes: readonly Change[], day: PlainDate): number {
  return firstWhere(changes.length, (n) => (changes[n] as Change).from > day);
}

/** The smallest number below `most` for which a monotone condition holds; `most` if there is none. */
function firstWhere(most: number, isTrue: (n: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The payment of the installments not yet due is recomputed, so that it clears the remaining balance. Installments that are due keep
 * their open amounts: that money pays the interest owed and then principal, and only the rest is spread again. Interest owed beyond it is
 * added to the first new payment and never bears interest. During military service it is computed at the agreed rate, and each payment
 * falls by the interest forgiven in it.
 */
export function reamortize(working: WorkingLoan, on: PlainDate): void {
  const { terms } = working;
  // Everything is due already: there is nothing left to spread.
  if (working.acceleratedOn !== null) return;
  working.work?.spend(STEPS_TO_REAMORTIZE * working.installments.length);
  working.settled = 0;
  working.settledByCount = 0;
  const skipped = new Set(terms?.skip);
  const left = working.installments.filter(({ dueDate, satisfiedOn }) => dueDate > on && satisfiedOn === null);
  const { pastDue, due } = dueOn(working, on);
  const asked = pastDue + due;
  const interest = interestOwed(working, on);
  const principal = cents(working.principal - Math.max(0, asked - interest));
  const last = left.at(-1);
  if (terms === null || last === undefined || principal <= 0) return;
  // With nothing due, the present stretch is the beginning of the new first period.
  const interestStart = asked === 0 ? working.stretchSince : on;
  const start = interestStart < on ? interestStart : on;
  const brought = asked === 0 ? working.interestEnded : cents(Math.max(0, interest - asked));
  const balloon = terms.balloon < principal ? terms.balloon : ZERO;
  const interestOnlyCount = Math.max(
    0,
    Math.min(terms.interestOnlyCount - (working.installments.length - left.length), left.length - 1),
  );
  const amortizes =
    (terms.amortization === 'Balloon' && balloon === 0) ||
    (terms.amortization === 'InterestOnly' && terms.interestOnlyCount > 0 && interestOnlyCount === 0);
  const schedule = buildSchedule(
    {
      ...terms,
      // Future disbursements and rate changes belong to the new schedule too.
      disbursements: [
        { date: start, amount: principal },
        ...terms.disbursements.filter(({ date }) => date > on && date < last.dueDate),
      ],
      rate: working.agreedRate,
      rateChanges: terms.rateChanges.filter(({ date }) => date > on),
      interestStart,
      dueDates: left.map(({ dueDate }) => dueDate),
      balloon,
      amortization: amortizes ? 'FullAmortization' : terms.amortization,
      interestOnlyCount,
      skip: left.flatMap(({ n }, i) => (skipped.has(n) && i < left.length - 1 ? [i + 1] : [])),
      payment: null,
    },
    brought,
    working.work,
  );
  if (isRefusal(schedule)) throw new Error(`The loan cannot be re-amortized: ${schedule.detail}`);
  const { service } = working;
  const changes = service === null ? [] : changesOf(working, terms, on);
  let balance = cents(schedule.rows.reduce((sum, row) => sum + row.principal, 0));
  let since = interestStart;
  // They are in the same order.
  let next = 0;
  working.installments = working.installments.map((installment) => {
    if (installment !== left[next]) return installment;
    const row = schedule.rows[next];
    next += 1;
    // Money paid ahead has already reduced the principal.
    const amount = cents((row?.payment ?? 0) + installment.paid);
    const spread = { ...installment, amount, principal: row?.principal ?? ZERO, interest: row?.interest ?? ZERO };
    if (service === null || row === undefined || skipped.has(installment.n)) return spread;
    const less = forgivenIn(changes, terms, { balance, start: since, end: installment.dueDate, service });
    balance = cents(balance - row.principal);
    since = installment.dueDate;
    return lowered(spread, less, on);
  });
}
