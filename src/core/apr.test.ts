import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Apr, apr, type DatedAmount, expandRuns, type Unit, type UnitPeriod } from './apr.ts';
import { addDays, addMonths, date, daysBetween, type PlainDate, parts } from './calendar.ts';
import { type Cents, parseCents } from './money.ts';
import { isRefusal, type Refusal } from './refusal.ts';

/** "2-10-78", as the regulation writes dates. */
function day(text: string): PlainDate {
  const [month, dayOfMonth, year] = text.split('-') as [string, string, string];
  return date(`19${year}-${month.padStart(2, '0')}-${dayOfMonth.padStart(2, '0')}`);
}

function money(text: string): Cents {
  const amount = parseCents(text);
  if (amount === null) throw new Error(`no amount: ${text}`);
  return amount;
}

type Run = readonly [first: string, count: number, amount: string, unit?: Unit, multiple?: number];

function unwrap<T>(value: T | Refusal): T {
  if (isRefusal(value)) throw new Error(`${value.refused}: ${value.detail}`);
  return value;
}

function paymentsOf(runs: readonly Run[]): DatedAmount[] {
  return unwrap(
    expandRuns(
      runs.map(([first, count, amount, unit, multiple = 1]) => ({
        firstDate: /^\d{4}/.test(first) ? date(first) : day(first),
        count,
        amount: money(amount),
        every: unit === undefined ? null : { unit, multiple },
      })),
    ),
  );
}

function ask(
  advances: readonly (readonly [string, string])[],
  runs: readonly Run[],
  unitPeriod: UnitPeriod | null = null,
): Apr | Refusal {
  return apr({
    advances: advances.map(([on, amount]) => ({ date: /^\d{4}/.test(on) ? date(on) : day(on), amount: money(amount) })),
    payments: paymentsOf(runs),
    unitPeriod,
  });
}

const answer = (...input: Parameters<typeof ask>): Apr => unwrap(ask(...input));

/** The regulation gives two decimals. */
const published = ({ aprPercent }: Apr) => (Math.round(Number(aprPercent) * 100) / 100).toFixed(2);

/** "1 + 0.6333333333" unit-periods to the first payment. */
const toFirst = ({ firstPaymentUnitPeriods: { full, fraction } }: Apr) => `${full} + ${fraction}`;

describe('12 CFR 1026 Appendix J (b)(9), (c): the published examples', () => {
  test('(b)(9)(i) 36 monthly payments of $33.61 on $1,000: 12.83 %', () => {
    expect(published(answer([['1-10-78', '1000']], [['2-10-78', 36, '33.61', 'month']]))).toBe('12.83');
  });

  test('(c)(1)(i) monthly payments, regular first period: 9.69 %', () => {
    const found = answer([['1-10-78', '5000']], [['2-10-78', 24, '230', 'month']]);
    expect(published(found)).toBe('9.69');
    expect(found).toMatchObject({
      amountFinanced: 500_000,
      financeCharge: 52_000,
      totalOfPayments: 552_000,
      unitPeriod: { unit: 'month', multiple: 1 },
      unitPeriodsPerYear: { numerator: 12, denominator: 1 },
      firstPaymentUnitPeriods: { full: 1, fraction: '0.0000000000' },
    });
  });

  test('(c)(1)(ii) monthly payments, long first period: t = 1, f = 19/30, 11.82 %', () => {
    const found = answer([['2-10-78', '6000']], [['4-1-78', 36, '200', 'month']]);
    expect(published(found)).toBe('11.82');
    expect(toFirst(found)).toBe('1 + 0.6333333333');
  });

  test('(c)(1)(iii) semimonthly payments, short first period: t = 0, f = 6/15, 10.34 %', () => {
    const found = answer([['2-23-78', '5000']], [['3-1-78', 24, '219.17', 'semimonth']]);
    expect(published(found)).toBe('10.34');
    expect(found.unitPeriod).toEqual({ unit: 'semimonth', multiple: 1 });
    expect(toFirst(found)).toBe('0 + 0.4000000000');
  });

  test('(c)(1)(iv) quarterly payments, long first period: t = 1, f = 39/90, 8.97 %', () => {
    const found = answer([['5-23-78', '10000']], [['10-1-78', 40, '385', 'month', 3]]);
    expect(published(found)).toBe('8.97');
    expect(found.unitPeriod).toEqual({ unit: 'month', multiple: 3 });
    expect(found.unitPeriodsPerYear).toEqual({ numerator: 12, denominator: 3 });
    expect(toFirst(found)).toBe('1 + 0.4333333333');
  });

  test('(c)(1)(v) weekly payments, long first period: t = 4, f = 4/7, 14.96 %', () => {
    const found = answer([['3-20-78', '500']], [['4-21-78', 30, '17.60', 'week']]);
    expect(published(found)).toBe('14.96');
    expect(found.unitPeriod).toEqual({ unit: 'week', multiple: 1 });
    expect(toFirst(found)).toBe('4 + 0.5714285714');
  });

  test('(c)(2)(i) monthly payments, irregular first payment: 10.08 %', () => {
    const found = answer(
      [['1-10-78', '5000']],
      [
        ['2-10-78', 1, '250'],
        ['3-10-78', 23, '230', 'month'],
      ],
    );
    expect(published(found)).toBe('10.08');
  });

  test('(c)(2)(ii) payments every 4 weeks, long first period, irregular first payment: t = 1, f = 5/28, 28.50 %', () => {
    const found = answer(
      [['3-18-78', '400']],
      [
        ['4-20-78', 1, '39.50'],
        ['5-18-78', 11, '38.31', 'week', 4],
      ],
    );
    expect(published(found)).toBe('28.50');
    expect(found.unitPeriodsPerYear).toEqual({ numerator: 52, denominator: 4 });
    expect(toFirst(found)).toBe('1 + 0.1785714286');
  });

  test('(c)(3)(i) monthly payments, irregular final payment: 10.50 %', () => {
    const found = answer(
      [['1-10-78', '5000']],
      [
        ['2-10-78', 23, '230', 'month'],
        ['1-10-80', 1, '280'],
      ],
    );
    expect(published(found)).toBe('10.50');
  });

  test('(c)(3)(ii) payments every 2 weeks, short first period, irregular final payment: t = 0, f = 8/14, 12.22 %', () => {
    const found = answer(
      [['4-3-78', '200']],
      [
        ['4-11-78', 19, '9.50', 'week', 2],
        ['1-2-79', 1, '30'],
      ],
    );
    expect(published(found)).toBe('12.22');
    expect(toFirst(found)).toBe('0 + 0.5714285714');
  });

  test('(c)(4)(i) monthly payments, irregular first and final payment: 10.90 %', () => {
    const found = answer(
      [['1-10-78', '5000']],
      [
        ['2-10-78', 1, '250'],
        ['3-10-78', 22, '230', 'month'],
        ['1-10-80', 1, '280'],
      ],
    );
    expect(published(found)).toBe('10.90');
  });

  test('(c)(4)(ii) payments every two months, short first period, irregular first and final payment: f = 52/60, 7.30 %', () => {
    const found = answer(
      [['1-10-78', '8000']],
      [
        ['3-1-78', 1, '449.36'],
        ['5-1-78', 18, '465', 'month', 2],
        ['5-1-81', 1, '200'],
      ],
    );
    expect(published(found)).toBe('7.30');
    expect(found.unitPeriod).toEqual({ unit: 'month', multiple: 2 });
    expect(toFirst(found)).toBe('0 + 0.8666666667');
  });

  test('(c)(5)(i) single payment, less than a year in days: 255 days, 11.45 %', () => {
    const found = answer([['1-3-78', '1000']], [['9-15-78', 1, '1080']]);
    expect(published(found)).toBe('11.45');
    expect(found.unitPeriod).toEqual({ unit: 'day', multiple: 255 });
    expect(found.unitPeriodsPerYear).toEqual({ numerator: 365, denominator: 255 });
    expect(toFirst(found)).toBe('1 + 0.0000000000');
  });

  test('(c)(5)(ii) single payment, less than a year in exact calendar months: 8.80 %', () => {
    const found = answer([['7-15-78', '1000']], [['1-15-79', 1, '1044']]);
    expect(found.aprPercent).toBe('8.8000000000');
    expect(found.unitPeriod).toEqual({ unit: 'month', multiple: 6 });
  });

  test('(c)(5)(iii) single payment, more than one and less than two years, the fraction in exact months: 8.76 %', () => {
    const found = answer([['1-17-78', '1000']], [['7-17-79', 1, '1135.19']]);
    expect(published(found)).toBe('8.76');
    expect(found.unitPeriod).toEqual({ unit: 'year', multiple: 1 });
    expect(toFirst(found)).toBe('1 + 0.5000000000');
  });

  test('(c)(5)(iv) single payment, exactly two years: 11.36 %', () => {
    const found = answer([['1-3-78', '1000']], [['1-3-80', 1, '1240']]);
    expect(published(found)).toBe('11.36');
    expect(toFirst(found)).toBe('2 + 0.0000000000');
  });

  test('(c)(6)(i) skipped payments: every 4 weeks, the second of a month two weeks later: 12.00 %', () => {
    const payments: DatedAmount[] = [];
    let on = day('2-20-78');
    for (let n = 0; n < 24; n++) {
      payments.push({ date: on, amount: money('100') });
      const next = addDays(on, 28);
      on = next.slice(0, 7) === on.slice(0, 7) ? addDays(next, 14) : next;
    }
    const found = unwrap(
      apr({ advances: [{ date: day('1-25-78'), amount: money('2135') }], payments, unitPeriod: null }),
    );
    expect(published(found)).toBe('12.00');
    expect(found.unitPeriod).toEqual({ unit: 'week', multiple: 4 });
  });

  test('(c)(6)(ii) skipped payments plus single payments: t = 6, f = 12/30, 10.22 %', () => {
    const found = answer(
      [['3-3-78', '7350']],
      [
        ['9-15-78', 3, '1000', 'month'],
        ['3-15-79', 1, '2000'],
        ['9-15-79', 3, '750', 'month'],
        ['2-1-80', 1, '1000'],
      ],
    );
    expect(published(found)).toBe('10.22');
    expect(toFirst(found)).toBe('6 + 0.4000000000');
  });

  test('(c)(7)(i) construction loan, three advances: 10.25 %', () => {
    const found = answer(
      [
        ['4-10-79', '20000'],
        ['6-12-79', '20000'],
        ['9-18-79', '20000'],
      ],
      [['12-10-79', 240, '612.36', 'month']],
    );
    expect(published(found)).toBe('10.25');
    expect(toFirst(found)).toBe('8 + 0.0000000000');
  });

  test('(c)(7)(ii) student loan, eight advances, payments from before the first one: 32.04 %', () => {
    const found = answer(
      [
        ...['78', '79', '80', '81'].map((year) => [`9-5-${year}`, '1800'] as const),
        ...['79', '80', '81', '82'].map((year) => [`1-5-${year}`, '1000'] as const),
      ],
      [['7-1-78', 50, '240', 'month']],
    );
    expect(published(found)).toBe('32.04');
    expect(found.unitPeriod).toEqual({ unit: 'month', multiple: 1 });
    expect(toFirst(found)).toBe('0 + 0.0000000000');
  });
});

describe('figures published by others', () => {
  test('J. L. Sherman SCE documentation: 36 monthly payments of 322.67 on 10,000, disclosed as 10.000 %', () => {
    const found = answer([['2022-03-16', '10000']], [['2022-04-16', 36, '322.67', 'month']]);
    expect(Number(found.aprPercent)).toBeCloseTo(10, 3);
  });

  test.each([
    ['(c)(1)(iv) with a shorter first period', '1978-06-23', '10000', ['1978-10-01', 40, '385', 'month', 3], '9.15'],
    ['(c)(1)(iv) with less than a unit-period', '1978-07-23', '10000', ['1978-10-01', 40, '385', 'month', 3], '9.32'],
    ['daily payments', '2023-10-26', '1000', ['2023-11-30', 5, '220', 'day'], '94.15'],
    ['weekly payments, long first period', '2023-10-28', '1000', ['2023-11-30', 5, '250', 'week'], '176.52'],
    ['weekly payments, regular first period', '2023-11-23', '1000', ['2023-11-30', 5, '250', 'week'], '412.40'],
    ['weekly payments, short first period', '2023-11-24', '1000', ['2023-11-30', 5, '250', 'week'], '434.30'],
    ['yearly payments, odd days over 365', '2023-10-26', '1000', ['2023-11-30', 5, '500', 'year'], '78.34'],
  ] as [string, string, string, Run, string][])('FSharp.Finance.Personal tests: %s', (_, on, amount, run, expected) => {
    expect(published(answer([[on, amount]], [run]))).toBe(expected);
  });
});

describe('12 CFR 1026 Appendix J (b)(4): the unit-period', () => {
  const found = (start: string, ...dates: string[]) =>
    unwrap(
      apr({
        advances: [{ date: date(start), amount: money('1000') }],
        payments: dates.map((on) => ({ date: date(on), amount: money('1000') })),
        unitPeriod: null,
      }),
    ).unitPeriod;

  test('(i) the common period that occurs most often', () => {
    expect(found('2024-01-01', '2024-01-15', '2024-02-15', '2024-03-15', '2024-03-29')).toEqual({
      unit: 'week',
      multiple: 2,
    });
    expect(found('2024-01-10', '2024-02-10', '2024-03-10', '2024-06-10')).toEqual({ unit: 'month', multiple: 1 });
    expect(found('2024-01-10', '2025-01-10', '2026-01-10')).toEqual({ unit: 'year', multiple: 1 });
    expect(found('2024-01-01', '2024-01-11', '2024-01-21', '2024-01-31')).toEqual({ unit: 'day', multiple: 10 });
    expect(found('2024-01-01', '2024-01-02', '2024-01-03')).toEqual({ unit: 'day', multiple: 1 });
  });

  test('(i) a period of four weeks stays one where it is a month, too', () => {
    expect(found('2023-01-04', '2023-02-01', '2023-03-01', '2023-03-29')).toEqual({ unit: 'week', multiple: 4 });
    // And months stay months where they have the same number of days.
    expect(found('2023-07-01', '2023-08-01', '2023-09-01')).toEqual({ unit: 'month', multiple: 1 });
    expect(found('2023-01-01', '2023-02-01', '2023-03-01', '2025-02-01', '2025-03-01')).toEqual({
      unit: 'month',
      multiple: 1,
    });
  });

  test('(i)(A) of common periods that occur equally often the smaller', () => {
    expect(found('2024-01-10', '2024-02-10', '2024-03-10', '2024-05-10', '2024-07-10')).toEqual({
      unit: 'month',
      multiple: 1,
    });
    expect(found('2024-01-10', '2024-01-17', '2024-01-24', '2024-02-24', '2024-03-24')).toEqual({
      unit: 'week',
      multiple: 1,
    });
  });

  test('(i) not to exceed one year', () => {
    expect(found('2020-01-10', '2022-01-10', '2024-01-10')).toEqual({ unit: 'year', multiple: 1 });
    expect(found('2020-01-10', '2022-01-10', '2024-01-10', '2024-04-10', '2024-07-10')).toEqual({
      unit: 'month',
      multiple: 3,
    });
  });

  test('(i)(B) no common period: the average, to the nearest standard interval, of equals the lower', () => {
    // 45 and 31 days: 38, between 35 (five weeks) and 42.
    expect(found('2024-01-16', '2024-03-01', '2024-04-01')).toEqual({ unit: 'week', multiple: 5 });
    // 29 and 31 days: 30, a month.
    expect(found('2023-03-03', '2023-04-01', '2023-05-02')).toEqual({ unit: 'month', multiple: 1 });
    // 50 and 67: 58.5, nearer to 60 (two months) than to 56 (eight weeks).
    expect(found('2023-03-03', '2023-04-22', '2023-06-28')).toEqual({ unit: 'month', multiple: 2 });
    // 3 and 5: 4, as near to 1 day as to a week.
    expect(found('2023-03-03', '2023-03-06', '2023-03-11')).toEqual({ unit: 'day', multiple: 1 });
    // 600 and 500 days: no more than a year.
    expect(found('2020-01-01', '2021-08-23', '2023-01-05')).toEqual({ unit: 'year', multiple: 1 });
  });

  test('semimonths are two dates of every month: 1st and 16th, 15th and last, 1st and 15th', () => {
    const semimonth = { unit: 'semimonth', multiple: 1 };
    expect(found('2024-01-10', '2024-02-01', '2024-02-16', '2024-03-01', '2024-03-16', '2024-04-01')).toEqual(
      semimonth,
    );
    expect(
      found('2024-01-10', '2024-01-15', '2024-01-31', '2024-02-15', '2024-02-29', '2024-03-15', '2024-03-31'),
    ).toEqual(semimonth);
    expect(found('2024-01-10', '2024-02-01', '2024-02-15', '2024-03-01', '2024-03-15', '2024-04-01')).toEqual(
      semimonth,
    );
    expect(found('2023-01-04', '2023-01-18', '2023-02-01', '2023-02-15', '2023-03-01')).toEqual({
      unit: 'week',
      multiple: 2,
    });
  });

  test('(b)(3)(iv) the last day of every month is a month after the last day of the one before', () => {
    expect(found('2023-01-31', '2023-02-28', '2023-03-31', '2023-04-30', '2023-05-31')).toEqual({
      unit: 'month',
      multiple: 1,
    });
    expect(found('2022-12-30', '2023-01-30', '2023-02-28', '2023-03-30')).toEqual({ unit: 'month', multiple: 1 });
  });

  test('(b)(3)(i) intervals between advances are periods too', () => {
    const found = unwrap(
      apr({
        advances: ['2024-01-01', '2024-01-08', '2024-01-15', '2024-01-22'].map((on) => ({
          date: date(on),
          amount: money('100'),
        })),
        payments: ['2024-06-10', '2024-07-10', '2024-08-10'].map((on) => ({ date: date(on), amount: money('150') })),
        unitPeriod: null,
      }),
    );
    expect(found.unitPeriod).toEqual({ unit: 'week', multiple: 1 });
  });

  test('(ii) a single payment: the term, not more than a year', () => {
    expect(found('2024-01-31', '2024-02-29')).toEqual({ unit: 'month', multiple: 1 });
    expect(found('2024-01-10', '2024-12-10')).toEqual({ unit: 'month', multiple: 11 });
    expect(found('2024-01-10', '2024-12-11')).toEqual({ unit: 'day', multiple: 336 });
    expect(found('2024-01-10', '2025-01-09')).toEqual({ unit: 'day', multiple: 365 });
    expect(found('2024-01-10', '2025-01-10')).toEqual({ unit: 'year', multiple: 1 });
    expect(found('2024-01-10', '2025-01-11')).toEqual({ unit: 'year', multiple: 1 });
    // Weeks do not make it one: 365 ÷ 14, not 26.
    expect(found('2024-01-10', '2024-01-24')).toEqual({ unit: 'day', multiple: 14 });
  });

  test('a given unit-period is used, up to a year', () => {
    const given = (unit: Unit, multiple: number) =>
      ask([['2024-01-10', '1000']], [['2024-02-10', 12, '90', 'month']], { unit, multiple });
    expect(given('month', 12)).toMatchObject({ unitPeriod: { unit: 'year', multiple: 1 } });
    expect(given('day', 1)).toMatchObject({ unitPeriodsPerYear: { numerator: 365, denominator: 1 } });
    for (const [unit, multiple] of [
      ['month', 13],
      ['year', 2],
      ['week', 53],
      ['semimonth', 2],
      ['day', 366],
      ['month', 0],
      ['month', 1.5],
    ] as const) {
      expect(given(unit, multiple)).toMatchObject({ refused: 'invalid_value', member: 'unitPeriod' });
    }
  });
});

describe('12 CFR 1026 Appendix J (b)(5): unit-periods between two dates', () => {
  const first = (start: string, run: Run, unitPeriod: UnitPeriod | null = null) =>
    toFirst(answer([[start, '1000']], [run], unitPeriod));

  test('(ii) months back from the later date, the days left over of 30', () => {
    expect(first('2024-01-15', ['2024-03-01', 12, '100', 'month'])).toBe('1 + 0.5666666667');
    expect(first('2024-01-31', ['2024-03-30', 12, '100', 'month'])).toBe('1 + 0.9666666667');
    // Thirty days left over are a full unit-period: (1 + 30/30·i) is 1 + i.
    expect(first('2024-01-02', ['2024-02-01', 12, '100', 'month'])).toBe('1 + 0.0000000000');
  });

  test('(b)(3)(iv) series for the last day, the 29th and the 30th count from those days in a short month', () => {
    // Last days: back from 28 February is 31 January, 16 days after the 15th; so for every payment.
    expect(first('2023-01-15', ['2023-02-28', 1, '1100'])).toBe('1 + 0.0000000000');
    const lastDays = (payments: readonly string[]) =>
      unwrap(
        apr({
          advances: [{ date: date('2023-01-15'), amount: money('1000') }],
          payments: payments.map((on) => ({ date: date(on), amount: money('400') })),
          unitPeriod: null,
        }),
      );
    expect(toFirst(lastDays(['2023-02-28', '2023-03-31', '2023-04-30']))).toBe('1 + 0.5333333333');
    expect(toFirst(lastDays(['2023-02-28', '2023-03-30', '2023-04-30']))).toBe('1 + 0.5000000000');
    expect(toFirst(lastDays(['2023-02-28', '2023-03-28', '2023-04-28']))).toBe('1 + 0.4333333333');
    // One fraction for all three: the same as any loan with 1 month and 16 days to the first of three payments.
    const plain = answer([['2023-05-16', '1000']], [['2023-07-01', 3, '400', 'month']]);
    expect(lastDays(['2023-02-28', '2023-03-31', '2023-04-30']).aprPercent).toBe(plain.aprPercent);
  });

  test('(iii) a multiple of months: thirty days a month, over the days of the unit-period', () => {
    expect(first('2024-01-15', ['2024-06-01', 8, '200', 'month', 6])).toBe('0 + 0.7611111111');
    expect(first('2024-01-15', ['2024-02-16', 8, '200', 'semimonth'])).toBe('2 + 0.0666666667');
  });

  test('(iv) days and weeks: the days between, over those of the unit-period', () => {
    expect(first('2024-02-20', ['2024-03-11', 8, '200', 'week', 2])).toBe('1 + 0.4285714286');
    expect(first('2024-02-20', ['2024-03-11', 8, '200', 'day'])).toBe('20 + 0.0000000000');
  });

  test('(v) years: full ones back from the later date, then months of 12 or days of 365', () => {
    expect(first('2024-01-15', ['2025-04-15', 3, '500', 'year'])).toBe('1 + 0.2500000000');
    expect(first('2024-01-15', ['2025-04-16', 3, '500', 'year'])).toBe('1 + 0.2520547945');
    // 2 March 2023 to 1 March 2024 are 365 days, though less than a year: 365/365.
    expect(first('2023-03-02', ['2024-03-01', 3, '500', 'year'])).toBe('1 + 0.0000000000');
  });
});

describe('refusals', () => {
  test('payments that add up to less than the advances have no finance charge', () => {
    expect(ask([['2024-01-10', '1000']], [['2024-02-10', 12, '83.33', 'month']])).toMatchObject({
      refused: 'no_solution',
      facts: { amountFinanced: 100_000, totalOfPayments: 99_996 },
    });
  });

  test('no finance charge is 0', () => {
    const found = answer([['2024-01-10', '1200']], [['2024-02-25', 12, '100', 'month']]);
    expect(found).toMatchObject({ aprPercent: '0.0000000000', financeCharge: 0, unitPeriodPercent: '0.0000000000' });
  });

  test('a single date, no advances, no payments, negative amounts', () => {
    expect(ask([['2024-01-10', '1000']], [['2024-01-10', 1, '1100']])).toMatchObject({ refused: 'no_solution' });
    expect(ask([], [['2024-01-10', 1, '1100']])).toMatchObject({ refused: 'required', member: 'advances' });
    expect(ask([['2024-01-10', '1000']], [['2024-02-10', 1, '0']])).toMatchObject({
      refused: 'required',
      member: 'payments',
    });
    const negative = [{ date: date('2024-02-10'), amount: -1 as Cents }];
    const advances = [{ date: date('2024-01-10'), amount: money('1000') }];
    expect(apr({ advances, payments: negative, unitPeriod: null })).toMatchObject({ refused: 'invalid_value' });
  });

  test('payments that come before every advance have no rate', () => {
    expect(ask([['2024-05-10', '1000']], [['2024-01-10', 2, '600', 'month']])).toMatchObject({
      refused: 'no_solution',
    });
  });

  test('sums that are too large', () => {
    expect(ask([['2024-01-10', '1000']], [['2024-02-10', 100, '9999999999999.99', 'month']])).toMatchObject({
      refused: 'invalid_value',
    });
  });
});

describe('runs of payments', () => {
  const run = (first: string, count: number, unit: Unit, multiple = 1) =>
    paymentsOf([[first, count, '1', unit, multiple]]).map(({ date }) => date);

  test('months keep the day, semimonths are pairs', () => {
    expect(run('2023-01-31', 3, 'month')).toEqual(['2023-01-31', '2023-02-28', '2023-03-31']);
    expect(run('2024-02-29', 2, 'year')).toEqual(['2024-02-29', '2025-02-28']);
    expect(run('2024-01-01', 3, 'semimonth')).toEqual(['2024-01-01', '2024-01-16', '2024-02-01']);
    expect(run('2024-01-01', 3, 'week', 2)).toEqual(['2024-01-01', '2024-01-15', '2024-01-29']);
    expect(run('2024-01-01', 3, 'day', 10)).toEqual(['2024-01-01', '2024-01-11', '2024-01-21']);
  });

  test('sorted by date, over all runs', () => {
    const dates = paymentsOf([
      ['2024-03-01', 2, '1', 'month'],
      ['2024-02-15', 1, '2'],
    ]).map(({ date }) => date);
    expect(dates).toEqual(['2024-02-15', '2024-03-01', '2024-04-01']);
  });

  test('what cannot be expanded is refused', () => {
    const one = {
      firstDate: date('2024-01-01'),
      amount: money('1'),
      every: { unit: 'month', multiple: 1 } as UnitPeriod | null,
    };
    expect(expandRuns([{ ...one, count: 0 }])).toMatchObject({ refused: 'invalid_value' });
    expect(expandRuns([{ ...one, count: 1.5 }])).toMatchObject({ refused: 'invalid_value' });
    expect(expandRuns([{ ...one, count: 2, every: null }])).toMatchObject({ refused: 'required' });
    expect(expandRuns([{ ...one, count: 2, every: { unit: 'day', multiple: 0 } }])).toMatchObject({
      refused: 'invalid_value',
    });
    expect(expandRuns([{ ...one, count: 12_001, every: { unit: 'day', multiple: 1 } }])).toMatchObject({
      refused: 'invalid_value',
    });
    expect(expandRuns([{ ...one, count: 3_000 }])).toMatchObject({ refused: 'invalid_value' });
    expect(expandRuns([{ ...one, count: 1, every: null }])).toHaveLength(1);
  });
});

/**
 * The general equation (b)(8) computed independently: term by term, in decimal fixed point with 200 places. The counts are of months, for
 * loans whose dates are no later than the 28th.
 */
function worth(start: PlainDate, flows: readonly DatedAmount[], rate: bigint, places: bigint): bigint {
  let total = 0n;
  for (const { date: on, amount } of flows) {
    let full = 0;
    while (addMonths(on, -(full + 1)) >= start) full += 1;
    const odd = BigInt(daysBetween(start, addMonths(on, -full)));
    let value = (BigInt(amount) * places * 30n * places) / (30n * places + odd * rate);
    for (let n = 0; n < full; n++) value = (value * places) / (places + rate);
    total += value;
  }
  return total;
}

describe('properties', () => {
  const safeDay = fc
    .tuple(fc.integer({ min: 2000, max: 2040 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
    .map(([y, m, d]) => date(`${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`));
  const loan = fc
    .record({
      start: safeDay,
      wait: fc.integer({ min: 1, max: 70 }),
      count: fc.integer({ min: 3, max: 72 }),
      advance: fc.integer({ min: 10_000, max: 9_000_000 }),
      charge: fc.integer({ min: 0, max: 9_000_000 }),
      later: fc.integer({ min: 0, max: 60 }),
    })
    .map(({ start, wait, count, advance, charge, later }) => {
      const soon = addDays(start, wait);
      const first = parts(soon)[2] > 28 ? addDays(soon, 5) : soon;
      const amount = Math.ceil((advance + charge) / count) as Cents;
      const second = addDays(start, later);
      const half = Math.floor(advance / 2);
      return {
        advances: [
          { date: start, amount: half as Cents },
          { date: parts(second)[2] > 28 ? start : second, amount: (advance - half) as Cents },
        ],
        payments: Array.from({ length: count }, (_, n) => ({ date: addMonths(first, n), amount })),
        unitPeriod: null,
      };
    });

  test('at the answer the equation (b)(8) changes its sign: all ten decimals are right', () => {
    fc.assert(
      fc.property(loan, (input) => {
        const found = unwrap(apr(input));
        fc.pre(found.unitPeriod.unit === 'month');
        const start = (input.advances[0] as DatedAmount).date;
        const places = 10n ** 200n;
        // APR in units of half of the last decimal: percent × 12 unit-periods × 2 × 10^10.
        const at = (shift: bigint) => {
          const rate = ((BigInt(found.aprPercent.replace('.', '')) * 2n + shift) * places) / (2n * 10n ** 12n * 12n);
          return worth(start, input.advances, rate, places) - worth(start, input.payments, rate, places);
        };
        expect(at(-1n) <= 0n && at(1n) >= 0n).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('an advance after payments: the curve is flat near zero, and its root is found', () => {
    const found = answer(
      [
        ['2000-01-01', '50'],
        ['2000-02-22', '50'],
      ],
      [['2000-01-02', 3, '33.35', 'month']],
    );
    expect(found.financeCharge).toBe(5);
    expect(Number(found.aprPercent)).toBeGreaterThan(0);
  });

  test('the scale of the amounts does not matter', () => {
    fc.assert(
      fc.property(loan, fc.integer({ min: 2, max: 1_000 }), (input, scale) => {
        const scaled = (list: readonly DatedAmount[]) =>
          list.map(({ date, amount }) => ({ date, amount: (amount * scale) as Cents }));
        expect(
          unwrap(apr({ ...input, advances: scaled(input.advances), payments: scaled(input.payments) })).aprPercent,
        ).toBe(unwrap(apr(input)).aprPercent);
      }),
      { numRuns: 40 },
    );
  });

  test('28 years later, when the calendar repeats, the APR is the same', () => {
    fc.assert(
      fc.property(loan, (input) => {
        const later = (list: readonly DatedAmount[]) =>
          list.map(({ date, amount }) => ({ date: addMonths(date, 28 * 12), amount }));
        const moved = { ...input, advances: later(input.advances), payments: later(input.payments) };
        expect(unwrap(apr(moved)).aprPercent).toBe(unwrap(apr(input)).aprPercent);
      }),
      { numRuns: 40 },
    );
  });

  test('the order of advances and payments does not matter, nor does splitting a payment', () => {
    fc.assert(
      fc.property(loan, (input) => {
        const [first, ...rest] = input.payments as [DatedAmount, ...DatedAmount[]];
        const part = Math.floor(first.amount / 3);
        const shuffled = [
          ...rest.reverse(),
          { ...first, amount: (first.amount - part) as Cents },
          { ...first, amount: part as Cents },
        ];
        expect(apr({ ...input, advances: [...input.advances].reverse(), payments: shuffled })).toEqual(apr(input));
      }),
      { numRuns: 40 },
    );
  });

  test('a cent more a payment is a higher APR, when all advances come first', () => {
    fc.assert(
      fc.property(loan, (input) => {
        const [{ date: start }] = input.advances as [DatedAmount, ...DatedAmount[]];
        const advances = input.advances.map(({ amount }) => ({ date: start, amount }));
        const more = input.payments.map(({ date, amount }) => ({ date, amount: (amount + 1) as Cents }));
        const rate = (payments: readonly DatedAmount[]) =>
          Number(unwrap(apr({ advances, payments, unitPeriod: null })).aprPercent);
        expect(rate(more)).toBeGreaterThan(rate(input.payments));
      }),
      { numRuns: 40 },
    );
  });

  test('the solver ends for any payments and advances, in whatever order they come', () => {
    const flow = fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 1, max: 10 ** 7 }));
    const list = fc.array(flow, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(list, list, (advances, payments) => {
        const dated = (flows: [number, number][]) =>
          flows.map(([days, amount]) => ({ date: addDays(date('2020-01-01'), days), amount: amount as Cents }));
        const found = apr({ advances: dated(advances), payments: dated(payments), unitPeriod: null });
        if (!isRefusal(found)) {
          expect(found.aprPercent).toMatch(/^\d+\.\d{10}$/);
          return;
        }
        expect(found.refused).toBe('no_solution');
        // With a cost, and an advance on the first day, the curve goes from below zero to above it: there is a root.
        const sum = (flows: [number, number][], until = 2_000) =>
          flows.reduce((all, [days, amount]) => all + (days <= until ? amount : 0), 0);
        const first = Math.min(...[...advances, ...payments].map(([days]) => days));
        expect(sum(payments) > sum(advances) && sum(advances, first) > sum(payments, first)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe('interpretation of (b)(4) and (b)(5) for a series', () => {
  test('(c)(1): a regular series of half months has one fraction, that of its first payment', () => {
    // By the equation with t + f, t + 1 + f, …: 5,000.00 on 10 January, 24 of 219.17 from 1 February, 1 + 7/15 unit-periods later.
    const found = unwrap(ask([['2024-01-10', '5000']], [['2024-02-01', 24, '219.17', 'semimonth']]));
    expect(found.firstPaymentUnitPeriods).toEqual({ full: 1, fraction: '0.4666666667' });
    expect(found.aprPercent).toBe('9.4726949894');
    // A first payment that is one half month away leaves nothing odd: the rate is that of 24 periods without fractions.
    expect(unwrap(ask([['2024-01-31', '5000']], [['2024-02-15', 24, '219.17', 'semimonth']])).aprPercent).toBe(
      '9.8329808256',
    );
  });

  test('(b)(5)(v)(A): whole months are whole months after a year too, a month’s last day standing in', () => {
    const found = unwrap(ask([['2024-01-31', '1000']], [['2025-04-30', 1, '1100']]));
    expect(found.firstPaymentUnitPeriods).toEqual({ full: 1, fraction: '0.2500000000' });
  });

  test('(b)(4)(i): periods of two and of four months have an average of three months', () => {
    const found = unwrap(
      ask(
        [['2024-01-10', '1000']],
        [
          ['2024-03-10', 1, '500'],
          ['2024-07-10', 1, '600'],
        ],
      ),
    );
    expect(found.unitPeriod).toEqual({ unit: 'month', multiple: 3 });
  });
});
