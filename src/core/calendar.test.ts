import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  addMonths,
  type DayCount,
  date,
  datesFrom,
  dayNumber,
  daysBetween,
  daysInMonth,
  FREQUENCIES,
  fromDayNumber,
  isLeapYear,
  lastOfMonth,
  parseDate,
  parts,
  stepDate,
  yearFraction,
} from './calendar.ts';

const anyDay = fc
  .integer({ min: dayNumber(date('1900-01-01')), max: dayNumber(date('2199-12-31')) })
  .map(fromDayNumber);

describe('dates', () => {
  test('day numbers match the proleptic Gregorian calendar of JavaScript', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        expect(dayNumber(day) * 86_400_000).toBe(Date.parse(`${day}T00:00:00Z`));
        expect(fromDayNumber(dayNumber(day))).toBe(day);
        expect(parseDate(day)).toBe(day);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    '2023-02-29',
    '1900-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-04-31',
    '2024-01-00',
    '1899-12-31',
    '2200-01-01',
  ])('%s is not a date', (text) => expect(parseDate(text)).toBeNull());

  test.each(['2024-1-01', '20240101', ' 2024-01-01', '2024-01-01T00:00', '2024/01/01', '', '2024-01-0١'])(
    '%j is not a date',
    (text) => expect(parseDate(text)).toBeNull(),
  );

  test('leap years: every fourth, not the centuries, but every fourth of those', () => {
    expect([1900, 2000, 2023, 2024, 2100].map(isLeapYear)).toEqual([false, true, false, true, false]);
    expect(daysInMonth(2024, 2)).toBe(29);
    expect(daysBetween(date('2024-02-28'), date('2024-03-01'))).toBe(2);
    expect(daysBetween(date('2100-02-28'), date('2100-03-01'))).toBe(1);
    expect(lastOfMonth(date('2024-02-10'))).toBe('2024-02-29');
  });

  test('a date beyond the accepted years is still formatted correctly', () => {
    expect(addDays(date('2199-12-31'), 1)).toBe('2200-01-01');
    expect(addMonths(date('1900-01-31'), -2)).toBe('1899-11-30');
  });
});

describe('month steps keep the original day (domain rules: 31 Jan → 28/29 Feb → 31 Mar)', () => {
  test('from the 31st', () => {
    expect(datesFrom(date('2023-01-31'), 'Monthly', 5)).toEqual([
      '2023-01-31',
      '2023-02-28',
      '2023-03-31',
      '2023-04-30',
      '2023-05-31',
    ]);
    expect(addMonths(date('2023-12-31'), 2)).toBe('2024-02-29');
    expect(addMonths(date('2024-02-29'), 12)).toBe('2025-02-28');
    expect(addMonths(date('2024-02-29'), -12)).toBe('2023-02-28');
    expect(addMonths(date('2024-02-29'), 1, 31)).toBe('2024-03-31');
  });

  test('a step of months never leaves its month and is undone by the step back with the day kept', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -600, max: 600 }), (day, months) => {
        const there = addMonths(day, months);
        const [y1, m1, d1] = parts(day);
        const [y2, m2, d2] = parts(there);
        expect((y2 - y1) * 12 + m2 - m1).toBe(months);
        expect(d2).toBe(Math.min(d1, daysInMonth(y2, m2)));
        expect(addMonths(there, -months, d1)).toBe(day);
      }),
    );
  });

  test('semi-monthly dates are a pair fifteen days apart in every month', () => {
    expect(datesFrom(date('2024-01-01'), 'SemiMonthly', 4)).toEqual([
      '2024-01-01',
      '2024-01-16',
      '2024-02-01',
      '2024-02-16',
    ]);
    expect(datesFrom(date('2023-01-15'), 'SemiMonthly', 5)).toEqual([
      '2023-01-15',
      '2023-01-30',
      '2023-02-15',
      '2023-02-28',
      '2023-03-15',
    ]);
    expect(datesFrom(date('2023-01-31'), 'SemiMonthly', 4)).toEqual([
      '2023-01-31',
      '2023-02-16',
      '2023-02-28',
      '2023-03-16',
    ]);
    expect(stepDate(date('2023-01-15'), 'SemiMonthly', -1)).toBe('2022-12-30');
    expect(stepDate(date('2023-01-20'), 'SemiMonthly', -1)).toBe('2023-01-05');
  });

  test('the other frequencies', () => {
    expect(datesFrom(date('2024-02-20'), 'Weekly', 3)).toEqual(['2024-02-20', '2024-02-27', '2024-03-05']);
    expect(datesFrom(date('2023-12-20'), 'BiWeekly', 3)).toEqual(['2023-12-20', '2024-01-03', '2024-01-17']);
    expect(datesFrom(date('2023-11-30'), 'Quarterly', 3)).toEqual(['2023-11-30', '2024-02-29', '2024-05-30']);
    expect(datesFrom(date('2023-08-31'), 'SemiAnnual', 3)).toEqual(['2023-08-31', '2024-02-29', '2024-08-31']);
    expect(datesFrom(date('2024-02-29'), 'Annual', 5).at(-1)).toBe('2028-02-29');
    expect(datesFrom(date('2024-02-29'), 'Annual', 0)).toEqual([]);
  });

  test('datesFrom is stepDate for 0, 1, 2, …', () => {
    fc.assert(
      fc.property(
        anyDay,
        fc.constantFrom(...FREQUENCIES),
        fc.integer({ min: 0, max: 90 }),
        (first, frequency, count) => {
          expect(datesFrom(first, frequency, count)).toEqual(
            Array.from({ length: count }, (_, n) => stepDate(first, frequency, n)),
          );
        },
      ),
    );
  });
});

/**
 * The worked examples that ISDA publishes with the 2006 definitions (30-360-2006ISDADefs.xls): start, end, and the days by 4.16(f) 30/360
 * bond basis, 4.16(g) 30E/360, and actual. For 4.16(h) 30E/360 ISDA the end is not the termination date.
 */
const ISDA_2006: readonly (readonly [
  from: string,
  to: string,
  bond: number,
  euro: number,
  isda: number,
  actual: number,
])[] = [
  ['2007-01-15', '2007-01-30', 15, 15, 15, 15],
  ['2007-01-15', '2007-02-15', 30, 30, 30, 31],
  ['2007-01-15', '2007-07-15', 180, 180, 180, 181],
  ['2007-09-30', '2008-03-31', 180, 180, 180, 183],
  ['2007-09-30', '2007-10-31', 30, 30, 30, 31],
  ['2007-09-30', '2008-09-30', 360, 360, 360, 366],
  ['2007-01-15', '2007-01-31', 16, 15, 15, 16],
  ['2007-01-31', '2007-02-28', 28, 28, 30, 28],
  ['2007-02-28', '2007-03-31', 33, 32, 30, 31],
  ['2006-08-31', '2007-02-28', 178, 178, 180, 181],
  ['2007-02-28', '2007-08-31', 183, 182, 180, 184],
  ['2007-02-14', '2007-02-28', 14, 14, 16, 14],
  ['2007-02-26', '2008-02-29', 363, 363, 364, 368],
  ['2008-02-29', '2009-02-28', 359, 359, 360, 365],
  ['2008-02-29', '2008-03-30', 31, 31, 30, 30],
  ['2008-02-29', '2008-03-31', 32, 31, 30, 31],
  ['2007-02-28', '2007-03-05', 7, 7, 5, 5],
  ['2007-10-31', '2007-11-28', 28, 28, 28, 28],
  ['2007-08-31', '2008-02-29', 179, 179, 180, 182],
  ['2008-02-29', '2008-08-31', 182, 181, 180, 184],
  ['2008-08-31', '2009-02-28', 178, 178, 180, 181],
  ['2009-02-28', '2009-08-31', 183, 182, 180, 184],
];

describe('day counts', () => {
  test.each(ISDA_2006)('ISDA 2006 4.16 published examples: %s to %s', (from, to, bond, euro, isda, actual) => {
    const count = (dayCount: DayCount) => yearFraction(date(from), date(to), dayCount);
    expect(count('30/360')).toEqual({ days: bond, basis: 360 });
    expect(count('30E/360')).toEqual({ days: euro, basis: 360 });
    expect(count('30E/360 ISDA')).toEqual({ days: isda, basis: 360 });
    expect(count('actual/360')).toEqual({ days: actual, basis: 360 });
    expect(count('actual/365')).toEqual({ days: actual, basis: 365 });
    expect(count('actual/364')).toEqual({ days: actual, basis: 364 });
  });

  test('30/360 US: the last day of February is a 30th (SIFMA Standard Securities Calculation Methods)', () => {
    const days = (from: string, to: string) => yearFraction(date(from), date(to), '30/360 US').days;
    expect(days('2007-02-28', '2007-08-31')).toBe(180);
    expect(days('2007-08-31', '2008-02-29')).toBe(179);
    expect(days('2008-02-29', '2009-02-28')).toBe(360);
    expect(days('2007-02-28', '2007-03-05')).toBe(5);
    expect(days('2007-01-15', '2007-01-31')).toBe(16);
    expect(days('2007-01-30', '2007-01-31')).toBe(0);
  });

  test('ISDA EMU memorandum of 1998, actual/actual: 1 November 2003 to 1 May 2004 is 61/365 + 121/366', () => {
    const { days, basis } = yearFraction(date('2003-11-01'), date('2004-05-01'), 'actual/actual');
    expect(BigInt(days) * 365n * 366n).toBe((61n * 366n + 121n * 365n) * BigInt(basis));
  });

  test('ISDA EMU memorandum of 1998, actual/actual: the other examples', () => {
    const same = (from: string, to: string, ...pieces: [days: number, inYear: number][]) => {
      const { days, basis } = yearFraction(date(from), date(to), 'actual/actual');
      const over = pieces.reduce((all, [n, inYear]) => all + (n * 365 * 366) / inYear, 0);
      expect(days * 365 * 366).toBe(over * basis);
    };
    same('1999-02-01', '1999-07-01', [150, 365]);
    same('1999-07-01', '2000-07-01', [184, 365], [182, 366]);
    same('2002-08-15', '2003-07-15', [334, 365]);
    same('2003-07-15', '2004-01-15', [170, 365], [14, 366]);
    same('1999-07-30', '2000-01-30', [155, 365], [29, 366]);
    same('2000-01-30', '2000-06-30', [152, 366]);
  });

  test('actual/actual is one a calendar year, and additive over any day between', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 2_000 }), (from, a, b) => {
        const size = (x: string, y: string) => {
          const { days, basis } = yearFraction(date(x), date(y), 'actual/actual');
          return (days * 133_590) / basis;
        };
        fc.pre(parts(from)[0] < 2185);
        const middle = addDays(from, a);
        const to = addDays(middle, b);
        expect(size(from, middle) + size(middle, to)).toBe(size(from, to));
      }),
    );
    expect(yearFraction(date('2024-01-01'), date('2028-01-01'), 'actual/actual')).toEqual({
      days: 4 * 133_590,
      basis: 133_590,
    });
  });
});
