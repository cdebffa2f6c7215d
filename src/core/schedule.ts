/**
 * Builds the installments from the terms. The level payment is the one that clears the loan over the real dates, odd first period
 * included, rounded to the cent; the last installment takes what is left. Interest follows the rule of the engine: a stretch ends at each payment,
 * disbursement or rate change and is rounded there; unpaid interest never bears interest; a skipped installment ends no stretch.
 */
import {
  datesFrom,
  dayNumber,
  FIXED_BASES,
  type Frequency,
  PER_YEAR,
  type PlainDate,
  yearFraction,
} from './calendar.ts';
import type { Contract, ScheduleTerms } from './loan.ts';
import { type Cents, cents, divide, mulDiv, ZERO } from './money.ts';
import { interestOver, type Percent, percentDivisor } from './rate.ts';
import type { Refusal } from './refusal.ts';
import { checkTerms } from './schedule-terms.ts';
import type { Work } from './work.ts';

export type ScheduleRow = {
  readonly n: number;
  readonly dueDate: PlainDate;
  /** `interest` and `principal` are what this payment pays; `balance` is the principal after it. */
  readonly payment: Cents;
  readonly interest: Cents;
  readonly principal: Cents;
  readonly balance: Cents;
};

export type Schedule = {
  /** Null when no installment is level (interest only until the end). */
  readonly levelPayment: Cents | null;
  readonly rows: readonly ScheduleRow[];
  readonly totals: { readonly payment: Cents; readonly interest: Cents; readonly principal: Cents };
};

/** The payment of an average month: the level installment, or the first that pays principal where there is none. */
export function monthlyPayment({ frequency, interestOnlyCount }: Contract, { levelPayment, rows }: Schedule): Cents {
  const installment = levelPayment ?? rows[interestOnlyCount]?.payment ?? ZERO;
  return cents(mulDiv(installment, PER_YEAR[frequency], 1, 12, 'half-up'));
}

/** Steps of `Work` for each installment, disbursement and rate change: for the whole schedule, and for each payment that is tried. */
const STEPS_TO_BUILD = 20;
const STEPS_TO_TRY = 12;

export function dueDatesFrom(first: PlainDate, frequency: Frequency, count: number): PlainDate[] {
  return datesFrom(first, frequency, count);
}

/**
 * `brought` is interest already owed when the schedule begins: the first payment covers it, and it never bears interest. The steps are
 * counted in `work`.
 */
export function buildSchedule(
  terms: ScheduleTerms,
  brought: Cents = ZERO,
  work: Work | null = null,
): Schedule | Refusal {
  const refusal = checkTerms(terms);
  if (refusal) return refusal;
  const periods = splitPeriods(terms);
  const parts = terms.dueDates.length + terms.disbursements.length + terms.rateChanges.length;
  work?.spend(STEPS_TO_BUILD * parts);
  const level = terms.payment ?? levelPayment(terms, periods, brought);
  const rows = simulate(terms, periods, level, brought);
  if (terms.payment === null && level !== null && !inFull(terms, rows, level)) {
    const found = searchPayment(terms, periods, brought, {
      near: level,
      onTry: () => work?.spend(STEPS_TO_TRY * parts),
    });
    return finish(found, simulate(terms, periods, found, brought));
  }
  return finish(level, rows);
}

function finish(level: Cents | null, rows: ScheduleRow[]): Schedule {
  let payment = 0;
  let interest = 0;
  let principal = 0;
  for (const row of rows) {
    payment += row.payment;
    interest += row.interest;
    principal += row.principal;
  }
  return {
    levelPayment: level,
    rows,
    totals: { payment: cents(payment), interest: cents(interest), principal: cents(principal) },
  };
}

/** A part of a period over which principal and rate are constant. `added` is disbursed at its beginning. */
type Part = { readonly days: number; readonly basis: number; readonly rate: Percent; readonly added: Cents };
/** From one payment to the next. Several installments when some are skipped: interest accrues across them. */
type Period = { readonly parts: readonly Part[]; readonly last: number };

function interestOnly(terms: ScheduleTerms, n: number): boolean {
  if (n <= terms.interestOnlyCount) return true;
  return terms.amortization === 'InterestOnly' && terms.interestOnlyCount === 0 && n < terms.dueDates.length;
}

function splitPeriods(terms: ScheduleTerms): Period[] {
  const { dueDates, disbursements, rateChanges, dayCount } = terms;
  const skipped = new Set(terms.skip);
  const periods: Period[] = [];
  let from: PlainDate = (disbursements[0] as { date: PlainDate }).date;
  let rate = terms.rate;
  // If days are only counted, each date is converted to a number once: schedules are built often, and half of the work is dates.
  const fixed = FIXED_BASES[dayCount];
  let fromNumber = dayNumber(from);
  let disbursed = 0;
  let changed = 0;
  for (let n = 1; n <= dueDates.length; n++) {
    if (skipped.has(n)) continue;
    const to = dueDates[n - 1] as PlainDate;
    const parts: Part[] = [];
    let added = 0;
    while (from < to) {
      while (disbursed < disbursements.length && (disbursements[disbursed] as { date: PlainDate }).date <= from) {
        added += (disbursements[disbursed] as { amount: Cents }).amount;
        disbursed += 1;
      }
      while (changed < rateChanges.length && (rateChanges[changed] as { date: PlainDate }).date <= from) {
        rate = (rateChanges[changed] as { rate: Percent }).rate;
        changed += 1;
      }
      let end = to;
      const nextDisbursement = disbursements[disbursed]?.date;
      if (nextDisbursement !== undefined && nextDisbursement < end) end = nextDisbursement;
      const nextChange = rateChanges[changed]?.date;
      if (nextChange !== undefined && nextChange < end) end = nextChange;
      if (from < terms.interestStart && terms.interestStart < end) end = terms.interestStart;
      const endNumber = fixed === undefined ? 0 : dayNumber(end);
      const { days, basis } =
        from < terms.interestStart
          ? NO_TIME
          : fixed === undefined
            ? yearFraction(from, end, dayCount)
            : { days: endNumber - fromNumber, basis: fixed };
      parts.push({ days, basis, rate, added: cents(added) });
      added = 0;
      from = end;
      fromNumber = endNumber;
    }
    // Money disbursed on a due date goes out before that day's payment comes in, as in the fold.
    for (; (disbursements[disbursed]?.date ?? '9') <= to; disbursed++) {
      added += (disbursements[disbursed] as { amount: Cents }).amount;
    }
    if (added > 0) parts.push({ ...NO_TIME, rate, added: cents(added) });
    periods.push({ parts, last: n });
  }
  return periods;
}

const NO_TIME = { days: 0, basis: 365 };

/** Fixed point: 96 binary places keep the payment exact far beyond a cent over any number of installments. */
const ONE = 1n << 96n;

/**
 * The payment P for which disbursements with their growth equal payments with theirs, all carried to the last due date:
 * Σ D·growth − balloon = P · Σ growth. Interest-only periods neither grow nor pay down.
 */
function levelPayment(terms: ScheduleTerms, periods: readonly Period[], brought: Cents): Cents | null {
  let growth = ONE;
  let paid = 0n;
  let lent = 0n;
  let levels = 0;
  // Rate and basis as they are divided by; most loans have one of each.
  let known = { rate: null as Percent | null, basis: 0, digits: 0n, divisor: 1n };
  for (let k = periods.length - 1; k >= 0; k--) {
    const { parts, last } = periods[k] as Period;
    const onlyInterest = interestOnly(terms, last);
    if (!onlyInterest) {
      paid += growth;
      levels += 1;
    }
    if (k === 0 && !onlyInterest) lent += BigInt(brought) * growth;
    // Within a period interest is simple: the factors of its parts add up, from the end.
    let factor = growth;
    for (let i = parts.length - 1; i >= 0; i--) {
      const { days, basis, rate, added } = parts[i] as Part;
      if (!onlyInterest && days > 0 && rate.digits > 0) {
        if (rate !== known.rate || basis !== known.basis) {
          known = { rate, basis, digits: BigInt(rate.digits), divisor: BigInt(percentDivisor(rate) * basis) };
        }
        factor += (growth * (known.digits * BigInt(days))) / known.divisor;
      }
      if (added > 0) lent += BigInt(added) * factor;
    }
    growth = factor;
  }
  if (terms.amortization === 'InterestOnly' && terms.interestOnlyCount === 0 && levels === 1) return null;
  return cents(Number(divide(lent - BigInt(terms.balloon) * ONE, paid, terms.rounding)));
}

function simulate(
  terms: ScheduleTerms,
  periods: readonly Period[],
  level: Cents | null,
  brought: Cents,
): ScheduleRow[] {
  const rows: ScheduleRow[] = [];
  const count = terms.dueDates.length;
  let principal = 0;
  let unpaid: number = brought;
  let repaid = 0;
  let n = 0;
  // Everything disbursed by the due date of a skipped installment.
  let lent = 0;
  let disbursed = 0;
  for (const { parts, last } of periods) {
    for (const part of parts) {
      principal += part.added;
      unpaid += interestOver(principal as Cents, part.rate, part, terms.rounding);
    }
    for (n += 1; n < last; n++) {
      const day = terms.dueDates[n - 1] as PlainDate;
      for (; (terms.disbursements[disbursed]?.date ?? '9') <= day; disbursed++) {
        lent += terms.disbursements[disbursed]?.amount ?? 0;
      }
      rows.push(row(terms, n, 0, 0, 0, lent - repaid));
    }
    const owed = principal + unpaid;
    const asked =
      last === count || (level === null && !interestOnly(terms, last))
        ? owed
        : interestOnly(terms, last)
          ? unpaid
          : (level as number);
    const payment = Math.min(asked, owed);
    const interest = Math.min(payment, unpaid);
    unpaid -= interest;
    principal -= payment - interest;
    repaid += payment - interest;
    rows.push(row(terms, last, payment, interest, payment - interest, principal));
    if (principal === 0 && unpaid === 0 && isLent(terms, last)) break;
  }
  return rows;
}

function row(
  terms: ScheduleTerms,
  n: number,
  payment: number,
  interest: number,
  principal: number,
  balance: number,
): ScheduleRow {
  return {
    n,
    dueDate: terms.dueDates[n - 1] as PlainDate,
    payment: cents(payment),
    interest: cents(interest),
    principal: cents(principal),
    balance: cents(balance),
  };
}

/** Whether nothing is disbursed after an installment: a loan that is paid off before that ends early. */
function isLent(terms: ScheduleTerms, n: number): boolean {
  return (terms.disbursements.at(-1) as { date: PlainDate }).date <= (terms.dueDates[n - 1] as PlainDate);
}

/**
 * Whether every level payment covered the interest of its period and was owed in full. Otherwise the closed form does not hold: it lets
 * unpaid interest bear interest, and allows a payment larger than the loan before its next disbursement.
 */
function inFull(terms: ScheduleTerms, rows: readonly ScheduleRow[], level: Cents): boolean {
  const skipped = new Set(terms.skip);
  for (let i = 0; i < rows.length - 1; i++) {
    const { n, payment, interest, principal } = rows[i] as ScheduleRow;
    if (payment === level && (interest < level || principal > 0)) continue;
    if (!interestOnly(terms, n) && !skipped.has(n)) return false;
  }
  return true;
}

/**
 * The level payment where the closed form does not hold: a search finds the cent below it, and half a cent more shows which is nearer. The
 * search starts near the closed form and expands until it brackets the payment. The shortfall decreases with the payment and is nearly
 * linear there, so the next try is where a line through the two ends crosses zero; the weight of an end that stays is halved (the Illinois
 * rule), and every fourth try halves the bracket. It takes about ten tries; bisection alone takes fifty.
 */
function searchPayment(
  terms: ScheduleTerms,
  periods: readonly Period[],
  brought: Cents,
  { near, onTry }: { near: Cents; onTry: () => void },
): Cents {
  const missingAt = (halfCents: bigint) => {
    onTry();
    return missing(terms, periods, brought, (halfCents * ONE) / 2n);
  };
  let low = BigInt(Math.max(0, near));
  let high = low;
  let atLow = missingAt(low * 2n);
  let atHigh = atLow;
  for (let step = 1n; atLow < 0n && low > 0n; step *= 16n) {
    [high, atHigh] = [low, atLow];
    low = low > step ? low - step : 0n;
    atLow = missingAt(low * 2n);
  }
  for (let step = 1n; atHigh >= 0n; step *= 16n) {
    [low, atLow] = [high, atHigh];
    high += step;
    atHigh = missingAt(high * 2n);
  }
  if (high === low) high += 1n;
  let stayed = 0;
  for (let n = 1; high - low > 1n; n++) {
    const fall = atLow - atHigh;
    const guess = n % 4 === 0 || fall <= 0n ? (low + high) / 2n : low + ((high - low) * atLow) / fall;
    const next = guess <= low ? low + 1n : guess >= high ? high - 1n : guess;
    const found = missingAt(next * 2n);
    if (found >= 0n) {
      low = next;
      atLow = found;
      if (stayed === 1) atHigh /= 2n;
      stayed = 1;
    } else {
      high = next;
      atHigh = found;
      if (stayed === -1) atLow /= 2n;
      stayed = -1;
    }
  }
  const beyondHalf = missingAt(low * 2n + 1n);
  const up = beyondHalf > 0n || (beyondHalf === 0n && (terms.rounding === 'half-up' || low % 2n === 1n));
  return cents(Number(up ? high : low));
}

/** By how much the last installment, without the balloon, is larger than a level payment, all in units of `ONE`; nothing is rounded to cents. */
function missing(terms: ScheduleTerms, periods: readonly Period[], brought: Cents, level: bigint): bigint {
  let principal = 0n;
  let unpaid = BigInt(brought) * ONE;
  for (const { parts, last } of periods) {
    for (const { days, basis, rate, added } of parts) {
      principal += BigInt(added) * ONE;
      unpaid += (principal * (BigInt(rate.digits) * BigInt(days))) / BigInt(percentDivisor(rate) * basis);
    }
    if (last === terms.dueDates.length) break;
    const asked = interestOnly(terms, last) ? unpaid : level;
    const payment = asked < principal + unpaid ? asked : principal + unpaid;
    const interest = payment < unpaid ? payment : unpaid;
    unpaid -= interest;
    principal -= payment - interest;
  }
  return principal + unpaid - BigInt(terms.balloon) * ONE - level;
}
