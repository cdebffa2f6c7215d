/**
 * The structure of a deal: what of it is paid later than by level payments from the first month on. Interest alone at first, a balloon, a
 * first payment that is deferred and a payment that leaves a rest for the end all keep more owed for longer, while the vehicle loses its
 * value all the same. Such a deal is judged and priced by its own path, and never better than the level loan in its place.
 */
import { daysBetween, PER_YEAR, type PlainDate, stepDate } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents, mulDiv, ZERO } from '../core/money.ts';
import { isRefusal } from '../core/refusal.ts';
import { buildSchedule, type ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';
import type { DealTerms } from './grid.ts';
import type { Findings, LendingPolicy } from './policy.ts';
import { reasonsToState } from './reasons.ts';

export type Structure = {
  readonly isLevel: boolean;
  /** Whole months until the last payment. */
  readonly length: number;
  /** Whole months by which the first payment is later than one period after the start. */
  readonly deferredMonths: number;
  /** After them. */
  readonly interestOnlyMonths: number;
  /** Due with the last payment beyond the regular one, in cents. */
  readonly balloon: number;
  /** The balance on average over the life of the deal, against a level loan of the same term: 1 or more. */
  readonly owedLonger: number;
};

/** The average calendar month has 30.4375 days. */
const MONTH = 30.4375;

export function structureOf({ contract, term }: DealTerms, start: PlainDate): Structure {
  const deferredMonths = deferred(contract, start);
  const perMonth = PER_YEAR[contract.frequency] / 12;
  const { amortization, interestOnlyCount, count, amount } = contract;
  const onlyInterest = amortization === 'InterestOnly' && interestOnlyCount === 0 ? count - 1 : interestOnlyCount;
  const interestOnlyMonths = Math.min(term - 1, Math.round(onlyInterest / perMonth));
  const balloon = contract.payment === null ? contract.balloon : leftAtTheEnd(contract, start);
  const isLevel = deferredMonths === 0 && interestOnlyMonths <= 0 && balloon === 0;
  if (isLevel) return { ...LEVEL, length: term };
  const flat = deferredMonths + interestOnlyMonths;
  const length = term + deferredMonths;
  const share = averageOwed({ flat, falling: term - interestOnlyMonths, left: balloon / amount });
  const owedLonger = Math.max(1, share / averageOwed({ flat: 0, falling: term, left: 0 }));
  return { isLevel, length, deferredMonths, interestOnlyMonths, balloon, owedLonger };
}

export const LEVEL = { isLevel: true, deferredMonths: 0, interestOnlyMonths: 0, balloon: 0, owedLonger: 1 } as const;

function deferred({ firstPaymentDate, frequency }: Contract, start: PlainDate): number {
  if (firstPaymentDate === null) return 0;
  const days = daysBetween(stepDate(start, frequency, 1), firstPaymentDate);
  return Math.max(0, Math.floor(days / MONTH));
}

/** The share of the loan that is owed on average: all of it for some months, then less by the same part each month, down to what is left. */
function averageOwed({ flat, falling, left }: { flat: number; falling: number; left: number }): number {
  const owed = flat + (falling * (1 + left) + (1 - left)) / 2;
  return owed / (flat + falling);
}

/** The rest that a payment which the contract names leaves for the end. Cents that every schedule leaves are not a structure. */
function leftAtTheEnd(contract: Contract, start: PlainDate): number {
  const terms = termsOf(contract, start);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  if (isRefusal(schedule)) return contract.balloon;
  const left = beyondRegular(schedule.rows);
  return Math.min(contract.amount, Math.max(contract.balloon, left <= regularOf(schedule.rows) / 20 ? 0 : left));
}

/** The highest payment before the last one. */
function regularOf(rows: readonly ScheduleRow[]): Cents {
  let highest: Cents = rows.length === 1 ? (rows[0] as ScheduleRow).payment : ZERO;
  for (let i = 0; i < rows.length - 1; i++) {
    const { payment } = rows[i] as ScheduleRow;
    if (payment > highest) highest = payment;
  }
  return highest;
}

function beyondRegular(rows: readonly ScheduleRow[]): number {
  return Math.max(0, (rows.at(-1)?.payment ?? 0) - regularOf(rows));
}

/** The highest payment of an average month, without the final one. */
export function monthlyPayment({ frequency }: Contract, rows: readonly ScheduleRow[]): Cents {
  return cents(mulDiv(regularOf(rows), PER_YEAR[frequency], 1, 12, 'half-up'));
}

/** The final payment beyond a regular one, as a share of the loan. */
export function finalShare({ amount, balloon }: Contract, rows: readonly ScheduleRow[]): number {
  return Math.min(1, Math.max(balloon, beyondRegular(rows)) / amount);
}

/** The level loan in the place of a deal: the same amount, rate and number of payments. */
export function levelled(terms: DealTerms): DealTerms {
  const { contract } = terms;
  const level = { balloon: ZERO, interestOnlyCount: 0, payment: null, firstPaymentDate: null } as const;
  return { ...terms, contract: { ...contract, ...level, amortization: 'FullAmortization' } };
}

const WITHOUT_RATES = new WeakMap<LendingPolicy, LendingPolicy>();

/** The rules that a level loan must meet in the place of another deal: it has a rate of its own. */
export function withoutRates(policy: LendingPolicy): LendingPolicy {
  const rules = policy.rules.filter(({ measure }) => !measure.startsWith('rate') && measure !== 'apr');
  const known = WITHOUT_RATES.get(policy) ?? { ...policy, rules };
  WITHOUT_RATES.set(policy, known);
  return known;
}

type Judged = {
  readonly decision: 'APPROVED' | 'DECLINED';
  readonly findings: Findings;
  readonly shown: { readonly decision: 'APPROVED' | 'DECLINED' };
};

/** With the reasons of the level loan added to a deal's own. */
export function asStrictAs<T extends Judged>(own: T, level: T): T {
  const known = new Set(own.findings.reasons.map(({ rule, code }) => `${rule} ${code}`));
  const more = level.findings.reasons
    .filter(({ rule, code }) => !known.has(`${rule} ${code}`))
    .map((reason) => ({ ...reason, detail: `${reason.detail}, with level payments` }));
  const reasons = reasonsToState([...own.findings.reasons, ...more]);
  const declinedBy = [...new Set([...own.findings.declinedBy, ...level.findings.declinedBy])];
  return {
    ...own,
    findings: { ...own.findings, reasons, declinedBy },
    decision: reasons.length === 0 ? 'APPROVED' : 'DECLINED',
    shown: { ...own.shown, decision: level.shown.decision === 'DECLINED' ? 'DECLINED' : own.shown.decision },
  };
}
