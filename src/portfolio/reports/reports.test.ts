/**
 * Reports of a book that can be checked by hand. Three loans of one lender, amounts in dollars:
 *
 * A, 12,000 at 6 %, funded in January. February: an installment of 1,000 principal and 60 interest. March: an installment of 1,000 principal and
 *    55 interest, and 2,000 ahead of schedule.
 * B, 6,000 at 12 %, funded in January; nothing is paid: 31 days past due at the end of February, charged off in March, 200 recovered then.
 * C, 3,000 at 9 %, funded in February and paid off in March: 100 by schedule, 2,900 ahead, 20 interest and a fee of 5.
 */
import { describe, expect, test } from 'vitest';
import { date } from '../../core/calendar.ts';
import { decimalText, percentText } from '../rates.ts';
import { DECIMALS, MEASURES, type Measure, SUM_NAMES, SUMS, type SumKind, sumsOf } from '../sums.ts';
import { cashflowRows } from './cashflows.ts';
import { delinquencyRows } from './delinquency.ts';
import { prepaymentRows } from './prepayment.ts';
import { type Cell, type Dated, type Row, tableOf } from './report.ts';
import { type Rolled, rollRateRows } from './roll-rates.ts';
import { summaryRows } from './summary.ts';
import { vintageRows } from './vintages.ts';
import { yieldRows } from './yield.ts';

const [JANUARY, FEBRUARY, MARCH] = [date('2026-01-31'), date('2026-02-28'), date('2026-03-31')];

type Figures = Partial<Record<string, number>> & { rate: number };

/** A position in whole dollars, as a scan adds it up. Each field that is not given is 0. */
function position(kind: Omit<SumKind, 'owed'> & { owed?: boolean }, figures: Figures) {
  const amountOf = (field: string) => {
    if (field === 'rate' || field === 'predictedYield' || field === 'predictedLoss') {
      return BigInt(Math.round((figures[field] ?? 0) * 100)) * 10n ** BigInt(DECIMALS - 2);
    }
    const value = BigInt(figures[field] ?? 0);
    return field === 'remaining' || field === 'age' ? value : value * 100n;
  };
  const measures = Object.entries(MEASURES).map(([name, factors]) => [
    name,
    factors.reduce((product, factor) => {
      if (typeof factor === 'string') return product * amountOf(factor);
      return figures[factor.known] === undefined ? 0n : product;
    }, 1n),
  ]);
  return { kind: { owed: true, ...kind }, measures: Object.fromEntries(measures) as Record<Measure, bigint> };
}

const dated = (on: typeof JANUARY, vintage: string, slice: string, ...all: ReturnType<typeof position>[]): Dated => ({
  ...{ date: on, vintage, slice },
  sums: sumsOf(all),
});

const A = { original: 12_000, rate: 6, predictedYield: 5, predictedLoss: 2 };
const B = { original: 6_000, rate: 12 };
const C = { original: 3_000, rate: 9 };

/** By grade: A and C are graded A, B is graded D. */
const BOOK: readonly Dated[] = [
  dated(
    JANUARY,
    '2026-01',
    'A',
    position(
      { status: 'Funded', bucket: 'current', began: 'entered' },
      { ...A, principal: 12_000, remaining: 12, disbursed: 12_000 },
    ),
  ),
  dated(
    JANUARY,
    '2026-01',
    'D',
    position(
      { status: 'Funded', bucket: 'current', began: 'entered' },
      { ...B, principal: 6_000, remaining: 24, disbursed: 6_000 },
    ),
  ),
  dated(
    FEBRUARY,
    '2026-01',
    'A',
    position(
      { status: 'Current', bucket: 'current', began: 'open' },
      {
        ...{ ...A, principal: 11_000, interest: 10, remaining: 11, age: 1, openingPrincipal: 12_000 },
        ...{ principalReceived: 1_000, interestReceived: 60, scheduled: 1_060 },
      },
    ),
  ),
  dated(
    FEBRUARY,
    '2026-01',
    'D',
    position(
      { status: 'Delinquent', bucket: '30-59', began: 'open' },
      {
        ...B,
        principal: 6_000,
        interest: 60,
        fees: 25,
        remaining: 24,
        age: 1,
        openingPrincipal: 6_000,
        scheduled: 282,
      },
    ),
  ),
  dated(
    FEBRUARY,
    '2026-02',
    'A',
    position(
      { status: 'Funded', bucket: 'current', began: 'entered' },
      { ...C, principal: 3_000, remaining: 30, disbursed: 3_000 },
    ),
  ),
  dated(
    MARCH,
    '2026-01',
    'A',
    position(
      { status: 'Current', bucket: 'current', began: 'open' },
      {
        ...{ ...A, principal: 8_000, remaining: 10, age: 2, openingPrincipal: 11_000, principalReceived: 3_000 },
        ...{ unscheduledPrincipal: 2_000, interestReceived: 55, scheduled: 1_055 },
      },
    ),
  ),
  dated(
    MARCH,
    '2026-01',
    'D',
    position(
      { status: 'ChargedOff', bucket: '60-89', began: 'open' },
      { ...B, principal: 5_800, age: 2, openingPrincipal: 6_000, chargedOff: 6_000, recovered: 200 },
    ),
  ),
  dated(
    MARCH,
    '2026-02',
    'A',
    position(
      { status: 'ClosedEarly', bucket: 'current', began: 'open', owed: false },
      {
        ...{ ...C, age: 1, openingPrincipal: 3_000, principalReceived: 3_000, unscheduledPrincipal: 2_900 },
        ...{ interestReceived: 20, feesReceived: 5, scheduled: 110 },
      },
    ),
  ),
];

/** Amounts in dollars, counts as they are, ratios as percent or with two decimals. */
function shown(row: Row | undefined, ratios: 'percent' | 'number' = 'percent'): Record<string, string | number | null> {
  const text = (cell: Cell, name: string) => {
    if (cell === null || typeof cell === 'string') return cell;
    if (typeof cell === 'bigint') return /[cC]ount$|^months$|^age$/.test(name) ? Number(cell) : Number(cell) / 100;
    return ratios === 'percent' ? percentText(cell) : decimalText(cell, 2);
  };
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, cell]) => [name, text(cell, name)]));
}

/** The totals as a report shows them: dates and vintages merged over slices, and of a report that is not about vintages over these too. */
const totals = (
  rowsOf: (all: readonly Dated[]) => readonly Row[],
  book = BOOK.map((one) => ({ ...one, vintage: '' })),
) => tableOf(book, false, rowsOf).totals;

describe('summary', () => {
  test('February: 20,000.00 owed, of which 30 percent 31 days past due', () => {
    const [row] = totals((all) => summaryRows(all, FEBRUARY));
    expect(shown(row)).toMatchObject({
      ...{ count: 3, original: 21_000, principal: 20_000, interest: 70, fees: 25 },
      // (11,000 × 6 + 6,000 × 12 + 3,000 × 9) ÷ 20,000
      averageRate: '8.25',
      ...{ fundedCount: 1, currentCount: 1, delinquentCount: 1, delinquentPrincipal: 6_000, defaultedCount: 0 },
      ...{ pastDue30Count: 1, pastDue30Principal: 6_000, pastDue30Share: '30', predictedLoss: '2' },
    });
    // (11,000 × 11 + 6,000 × 24 + 3,000 × 30) ÷ 20,000 and (11,000 × 1 + 6,000 × 1) ÷ 20,000
    expect(shown(row, 'number')).toMatchObject({ averageRemainingTerm: '17.75', averageAge: '0.85' });
  });

  test('March: one open loan, one claim, and what was lost so far', () => {
    const [row] = totals((all) => summaryRows(all, MARCH));
    expect(shown(row)).toMatchObject({
      ...{ count: 1, principal: 8_000, averageRate: '6', chargedOffCount: 1, chargedOffClaims: 5_800 },
      ...{ totalChargedOff: 6_000, totalRecovered: 200, totalForgiven: 0, pastDue30Count: 0, pastDue30Share: '0' },
    });
  });

  test('of an empty book everything is 0, and there is nothing to average', () => {
    const [row] = totals((all) => summaryRows(all, MARCH), []);
    expect(shown(row)).toMatchObject({
      count: 0,
      principal: 0,
      averageRate: null,
      averageAge: null,
      pastDue30Share: null,
    });
  });

  test('slices add up to the totals', () => {
    const book = BOOK.map((one) => ({ ...one, vintage: '' }));
    const { totals: all, slices } = tableOf(book, true, (some) => summaryRows(some, FEBRUARY));
    expect(slices.map(({ slice, rows }) => [slice, rows[0]?.principal])).toEqual([
      ['A', 1_400_000n],
      ['D', 600_000n],
    ]);
    expect(all[0]?.principal).toBe(2_000_000n);
  });
});

test('delinquency has every bucket with its share', () => {
  const rows = totals((all) => delinquencyRows(all, FEBRUARY)).map((row) => shown(row));
  expect(rows).toEqual([
    { bucket: 'current', count: 2, principal: 14_000, countShare: '66.6667', principalShare: '70' },
    { bucket: '1-29', count: 0, principal: 0, countShare: '0', principalShare: '0' },
    { bucket: '30-59', count: 1, principal: 6_000, countShare: '33.3333', principalShare: '30' },
    { bucket: '60-89', count: 0, principal: 0, countShare: '0', principalShare: '0' },
    { bucket: '90-119', count: 0, principal: 0, countShare: '0', principalShare: '0' },
    { bucket: '120+', count: 0, principal: 0, countShare: '0', principalShare: '0' },
  ]);
});

test('cashflows lead from the opening to the closing principal', () => {
  const rows = totals((all) => cashflowRows(all, null)).map((row) => shown(row));
  expect(rows).toMatchObject([
    { month: '2026-01', openingPrincipal: 0, disbursed: 18_000, received: 0, closingPrincipal: 18_000 },
    {
      ...{ month: '2026-02', through: '2026-02-28', openingPrincipal: 18_000, disbursed: 3_000, scheduled: 1_342 },
      ...{ received: 1_060, scheduledPrincipal: 1_000, interest: 60 },
      ...{ unscheduledPrincipal: 0, chargedOff: 0, closingPrincipal: 20_000 },
    },
    {
      ...{ month: '2026-03', openingPrincipal: 20_000, scheduled: 1_165, received: 6_280, scheduledPrincipal: 1_100 },
      ...{
        unscheduledPrincipal: 4_900,
        interest: 75,
        fees: 5,
        recoveries: 200,
        chargedOff: 6_000,
        closingPrincipal: 8_000,
      },
    },
  ]);
  for (const row of rows) {
    const flows = ['disbursed', 'scheduledPrincipal', 'unscheduledPrincipal', 'chargedOff', 'forgiven'].map((name) =>
      Number(row[name]),
    );
    const [lent = 0, ...paid] = flows;
    expect(Number(row.openingPrincipal) + lent - paid.reduce((a, b) => a + b)).toBe(row.closingPrincipal);
  }
});

test('a month that is not over has nothing scheduled yet', () => {
  const [, february] = totals((all) => cashflowRows(all, FEBRUARY));
  expect(february).toMatchObject({ scheduled: null });
});

describe('prepayment', () => {
  const rows = totals(prepaymentRows).map((row) => shown(row));

  test('begins with the first month that began with a balance', () => {
    expect(rows.map(({ period, months }) => [period, months])).toEqual([
      ...[['2026-02', 1]],
      ...[['2026-03', 1]],
      ...[['last3Months', 2]],
      ...[['last6Months', 2]],
      ...[['last12Months', 2]],
      ...[['life', 2]],
    ]);
  });

  test('March: 4,900 of 20,000 less 1,100 scheduled', () => {
    // SMM 4,900 ÷ 18,900; CPR 1 − (14,000 ÷ 18,900)^12; age (11,000 × 2 + 6,000 × 2 + 3,000 × 1) ÷ 20,000 = 1.85
    // ABS 0.259259 ÷ (1 + 0.259259 × 0.85)
    expect(rows[1]).toMatchObject({ smm: '25.9259', cpr: '97.2711', abs: '21.2443' });
    // With the 6,000 charged off: 10,900 ÷ 18,900. CDR 1 − (1 − 6,000 ÷ 20,000)^12
    expect(rows[1]).toMatchObject({ smmWithChargeOffs: '57.672', cdr: '98.6159' });
  });

  test('two months together leave as much as the one and the other', () => {
    // 1 − (1 × 14,000 ÷ 18,900)^(1/2), and for a year 1 − (14,000 ÷ 18,900)^6
    expect(rows[5]).toMatchObject({ openingPrincipal: 18_000, smm: '13.9337', cpr: '83.4805' });
    // From age 0 before February: (1 − S) ÷ 2
    expect(rows[5]).toMatchObject({ abs: '12.963' });
  });
});

test('yield: income over half of the balances before and after, for a year', () => {
  const rows = totals(yieldRows).map((row) => shown(row));
  expect(rows.map(({ period }) => period)).toEqual(['2026-01', '2026-02', '2026-03', 'last12Months', 'life']);
  // 60 × 12 ÷ ((18,000 + 20,000) ÷ 2); predicted for loan A alone, of (12,000 + 11,000) of 38,000
  expect(rows[1]).toMatchObject({
    income: 60,
    averageBalance: 19_000,
    realized: '3.7895',
    predicted: '5',
    difference: '-1.2105',
  });
  expect(rows[1]).toMatchObject({ predictedShare: '60.5263' });
  // 75 + 5 + 200 − 6,000
  expect(rows[2]).toMatchObject({ income: -5_720, averageBalance: 14_000, realized: '-490.2857' });
  // (60 − 5,720) × 12 ÷ (9,000 + 19,000 + 14,000)
  expect(rows[4]).toMatchObject({ income: -5_660, averageBalance: 14_000, realized: '-161.7143' });
});

describe('vintages', () => {
  const rows = totals((all) => vintageRows(all, [JANUARY, FEBRUARY, MARCH]), [...BOOK]).map((row) => shown(row));

  test('follow each pool from its first month on', () => {
    expect(rows.map(({ vintage, month, age }) => `${vintage} ${month} ${age}`)).toEqual([
      '2026-01 2026-01 0',
      '2026-01 2026-02 1',
      '2026-01 2026-03 2',
      '2026-02 2026-02 0',
      '2026-02 2026-03 1',
    ]);
  });

  test('with what was lost, prepaid and left of the original', () => {
    expect(rows[2]).toMatchObject({
      ...{ originalCount: 2, original: 18_000, count: 1, principal: 8_000, poolFactor: '44.4444', grossLoss: 6_000 },
      ...{ recoveries: 200, netLoss: 5_800, grossLossShare: '33.3333', netLossShare: '32.2222', prepaid: 2_000 },
      ...{ prepaidShare: '11.1111', pastDue60Principal: 0, pastDue60Share: '0' },
    });
    expect(rows[4]).toMatchObject({
      originalCount: 1,
      original: 3_000,
      count: 0,
      poolFactor: '0',
      prepaidShare: '96.6667',
      pastDue60Share: null,
    });
  });

  test('a pool of which no loan is left keeps its row', () => {
    const gone = BOOK.filter(({ date: on, vintage }) => !(on === MARCH && vintage === '2026-02'));
    const last = vintageRows(gone, [JANUARY, FEBRUARY, MARCH]).at(-1);
    expect(shown(last)).toMatchObject({
      vintage: '2026-02',
      month: '2026-03',
      original: 3_000,
      principal: 0,
      poolFactor: '0',
    });
  });
});

test('roll rates are of what was in a bucket before', () => {
  const rolled: Rolled[] = [
    { slice: '', from: 'current', to: 'current', count: 1n, principalFrom: 1_100_000n, principalTo: 800_000n },
    { slice: '', from: 'current', to: 'paidOff', count: 1n, principalFrom: 300_000n, principalTo: 0n },
    { slice: '', from: '30-59', to: 'chargedOff', count: 1n, principalFrom: 600_000n, principalTo: 580_000n },
    { slice: '', from: 'new', to: 'current', count: 2n, principalFrom: 0n, principalTo: 50_000n },
  ];
  expect(rollRateRows(rolled).map((row) => shown(row))).toEqual([
    {
      from: 'current',
      to: 'current',
      count: 1,
      principalFrom: 11_000,
      principalTo: 8_000,
      countRate: '50',
      principalRate: '78.5714',
    },
    {
      from: 'current',
      to: 'paidOff',
      count: 1,
      principalFrom: 3_000,
      principalTo: 0,
      countRate: '50',
      principalRate: '21.4286',
    },
    {
      from: '30-59',
      to: 'chargedOff',
      count: 1,
      principalFrom: 6_000,
      principalTo: 5_800,
      countRate: '100',
      principalRate: '100',
    },
    { from: 'new', to: 'current', count: 2, principalFrom: 0, principalTo: 500, countRate: null, principalRate: null },
  ]);
});

test('the sums of a bucket or a status are of open loans of which something is owed', () => {
  const sold = position(
    { status: 'Current', bucket: '30-59', began: 'open', owed: false },
    { ...A, openingPrincipal: 500 },
  );
  const sums = sumsOf([sold]);
  const counted = SUM_NAMES.filter((name) => SUMS[name].measure === 'loans' && sums[name] !== 0n);
  expect(counted).toEqual([]);
  expect(sums.openingPrincipal).toBe(50_000n);
});
