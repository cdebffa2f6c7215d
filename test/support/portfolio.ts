/** The reports of a book from its loans alone: each is read as of a date, as known by a day, and added up here without any SQL. */
import type { PlainDate } from '../../src/core/calendar.ts';
import { bucketOf } from '../../src/core/delinquency.ts';
import type { LoanState } from '../../src/loans/loans.ts';
import type { Characteristics } from '../../src/portfolio/characteristics.ts';
import { monthsBetween } from '../../src/portfolio/months.ts';
import { positionOf } from '../../src/portfolio/position.ts';
import type { Dated } from '../../src/portfolio/reports/report.ts';
import {
  DECIMALS,
  type Field,
  isDecimal,
  type Kind,
  MEASURES,
  type Measure,
  sumsOf,
} from '../../src/portfolio/sums.ts';

export type Read = {
  readonly loan: LoanState['loan'];
  readonly characteristics: Characteristics;
  readonly lenderId: string;
  readonly servicerId: string;
};

export type By = 'none' | 'lender' | 'servicer' | 'grade' | 'state' | 'vintage' | 'status';

/** Null: it has no position on the date. `expected` is what underwriting expected of its month. */
export function datedOf(read: Read, date: PlainDate, by: By, isToday: boolean): Dated | null {
  const position = positionOf(read.loan);
  if (position === null) return null;
  const { grade, state, predictedYield, predictedLoss } = read.characteristics;
  const vintage = position.vintage?.slice(0, 7) ?? '';
  const values: Record<Field, string | number | null> = {
    ...position,
    ...{ predictedYield, predictedLoss, expected: null },
    ...(isToday ? { scheduled: 0 } : {}),
    age: monthsBetween(vintage, date),
  };
  const owes = position.principal > 0 || position.interest > 0 || position.fees > 0;
  const kind: Kind = {
    status: position.status,
    bucket: bucketOf(position.daysPastDue),
    began: position.openingPrincipal > 0 ? 'open' : position.disbursed > 0 ? 'entered' : 'neither',
    owed: owes,
  };
  const measures = Object.entries(MEASURES).map(([name, factors]) => {
    let product = isDecimal(name as Measure) ? 1n : 10n ** BigInt(DECIMALS);
    for (const factor of factors) {
      if (typeof factor === 'string') product *= scaled(factor, values[factor]);
      else product *= values[factor.known] === null ? 0n : 1n;
    }
    return [name, isDecimal(name as Measure) ? product : product / 10n ** BigInt(DECIMALS)];
  });
  const slices = {
    none: '',
    lender: read.lenderId,
    servicer: read.servicerId,
    grade: grade ?? '',
    state: state ?? '',
    vintage,
    status: position.status,
  };
  return { date, slice: slices[by], vintage, sums: sumsOf([{ kind, measures: Object.fromEntries(measures) }]) };
}

/** Percentages in units of 10^-10, everything else as it is. */
function scaled(field: Field, value: string | number | null): bigint {
  if (value === null) return 0n;
  if (field !== 'rate' && field !== 'predictedYield' && field !== 'predictedLoss') return BigInt(value);
  const [whole = '', decimals = ''] = String(value).split('.');
  return BigInt(whole + decimals.padEnd(DECIMALS, '0'));
}
