/** The reports of a book from its loans alone: each is read as of a date, as known by a day, and added up here without any SQL. */
import { daysBetween, type PlainDate } from '../../src/core/calendar.ts';
import { bucketOf } from '../../src/core/delinquency.ts';
import type { LoanState } from '../../src/loans/reads/view.ts';
import { CREDIT_AGES, isActive } from '../../src/portfolio/buckets.ts';
import type { Characteristics } from '../../src/portfolio/characteristics.ts';
import { monthsBetween } from '../../src/portfolio/months.ts';
import { type Position, positionOf } from '../../src/portfolio/position.ts';
import type { Dated } from '../../src/portfolio/reports/report.ts';
import type { Rolled } from '../../src/portfolio/reports/roll-rates.ts';
import {
  DECIMALS,
  type Field,
  isDecimal,
  MEASURES,
  type Measure,
  type SumKind,
  sumsOf,
} from '../../src/portfolio/sums.ts';

export type Read = {
  readonly loanId: string;
  readonly loan: LoanState['loan'];
  readonly characteristics: Characteristics;
  readonly lenderId: string;
  readonly servicerId: string;
};

export type By = 'none' | 'lender' | 'servicer' | 'grade' | 'state' | 'vintage' | 'status';

/** Null: it has no position on the date. */
export function datedOf(read: Read, date: PlainDate, by: By, isToday: boolean): Dated | null {
  const position = positionOf(read.loan);
  if (position === null) return null;
  const { predictedYield, predictedLoss } = read.characteristics;
  const vintage = position.vintage?.slice(0, 7) ?? '';
  const values: Record<string, string | number | null> = {
    ...position,
    ...{ predictedYield, predictedLoss },
    ...(isToday ? { scheduled: 0 } : {}),
    age: monthsBetween(vintage, date),
  };
  const stood = position.creditSince === null ? -1 : daysBetween(position.creditSince, date);
  for (const { name, from, to } of CREDIT_AGES) {
    values[name] = position.credits > 0 && stood >= from && stood <= (to ?? stood) ? position.credits : null;
  }
  const owes = position.principal > 0 || position.interest > 0 || position.fees > 0;
  const kind: SumKind = {
    status: position.status,
    bucket: bucketOf(position.daysPastDue),
    began: position.openingPrincipal > 0 ? 'open' : position.disbursed > 0 ? 'entered' : 'neither',
    owed: owes,
  };
  const measures = Object.entries(MEASURES).map(([name, factors]) => {
    let product = isDecimal(name as Measure) ? 1n : 10n ** BigInt(DECIMALS);
    for (const factor of factors) {
      if (typeof factor === 'string') product *= scaled(factor, values[factor] ?? null);
      else product *= values[factor.known] === null ? 0n : 1n;
    }
    return [name, isDecimal(name as Measure) ? product : product / 10n ** BigInt(DECIMALS)];
  });
  const slice = sliceOf(read, position, by);
  return { date, slice, vintage, sums: sumsOf([{ kind, measures: Object.fromEntries(measures) }]) };
}

function sliceOf({ characteristics, lenderId, servicerId }: Read, { vintage, status }: Position, by: By): string {
  const { grade, state } = characteristics;
  return {
    ...{ none: '', lender: lenderId, servicer: servicerId },
    ...{ grade: grade ?? '', state: state ?? '', vintage: vintage?.slice(0, 7) ?? '', status },
  }[by];
}

/** The places of each loan on two dates; those that were in the balance on neither are left out. */
export function rolledOf(before: readonly Read[], after: readonly Read[], by: By): Rolled[] {
  const idsOf = (all: readonly Read[]) => new Map(all.map((read) => [read.loanId, placeOf(read, by)]));
  const [from, to] = [idsOf(before), idsOf(after)];
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((loanId): Rolled[] => {
    const [a, b] = [from.get(loanId) ?? null, to.get(loanId) ?? null];
    if (a === null && b === null) return [];
    const slice = a?.slice ?? b?.slice ?? '';
    const principal = { principalFrom: a?.principal ?? 0n, principalTo: b?.principal ?? 0n };
    return [{ slice, from: a?.place ?? 'new', to: b?.place ?? 'paidOff', count: 1n, ...principal }];
  });
}

/** Null: it is not in the balance. */
function placeOf(read: Read, by: By) {
  const position = positionOf(read.loan);
  if (position === null) return null;
  const { status, daysPastDue, principal, interest, fees } = position;
  if (principal + interest + fees === 0 || !(isActive(status) || status === 'ChargedOff')) return null;
  const place = isActive(status) ? bucketOf(daysPastDue) : ('chargedOff' as const);
  return { place, principal: BigInt(principal), slice: sliceOf(read, position, by) };
}

/** Percentages in units of 10^-10, everything else as it is. */
function scaled(field: Field, value: string | number | null): bigint {
  if (value === null) return 0n;
  if (field !== 'rate' && field !== 'predictedYield' && field !== 'predictedLoss') return BigInt(value);
  const [whole = '', decimals = ''] = String(value).split('.');
  return BigInt(whole + decimals.padEnd(DECIMALS, '0'));
}
