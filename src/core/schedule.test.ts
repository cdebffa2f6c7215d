import { describe, expect, test } from 'vitest';
import { date, type Frequency } from './calendar.ts';
import type { ScheduleTerms } from './loan.ts';
import { cents, formatCents, parseCents } from './money.ts';
import { percent } from './rate.ts';
import { isRefusal } from './refusal.ts';
import { buildSchedule, dueDatesFrom, type Schedule } from './schedule.ts';

const money = (text: string) => parseCents(text) ?? cents(-1);

/** Whole months of 30/360 are what the spreadsheet functions mean by a rate divided by twelve. */
function termsOf(amount: string, rate: string, count: number, more: Partial<ScheduleTerms> = {}): ScheduleTerms {
  return {
    disbursements: [{ date: date('2026-01-01'), amount: money(amount) }],
    rate: percent(rate),
    rateChanges: [],
    dayCount: '30/360',
    rounding: 'half-up',
    interestStart: date('2026-01-01'),
    dueDates: dueDatesFrom(date('2026-02-01'), 'Monthly', count),
    amortization: 'FullAmortization',
    balloon: cents(0),
    interestOnlyCount: 0,
    skip: [],
    payment: null,
    ...more,
  };
}

function scheduleOf(terms: ScheduleTerms): Schedule {
  const schedule = buildSchedule(terms);
  if (isRefusal(schedule)) throw new Error(schedule.detail);
  return schedule;
}

const level = (terms: ScheduleTerms) => formatCents(scheduleOf(terms).levelPayment ?? cents(-1));

describe('level payment: the cent-rounded payment that clears the loan (published examples)', () => {
  test.each([
    ['Microsoft, PMT function', '10000', '8', 10, '1037.03'],
    ['Apache OpenOffice, PMT function', '5000', '5.5', 24, '220.48'],
    ['MESCIUS SpreadJS, PMT', '5000', '6', 15, '346.82'],
    ['Claris FileMaker, PMT: a sports car', '21000', '6.9', 48, '501.90'],
    ['Oracle PeopleTools, PMT', '50000', '14', 120, '776.33'],
    ['Federal Reserve Board, Keys to Vehicle Leasing, daily simple interest example', '18800', '9', 48, '467.84'],
  ])('%s', (_source, amount, rate, count, payment) => {
    expect(level(termsOf(amount, rate, count))).toBe(payment);
  });

  test('Microsoft, PPMT function: 2,000 at 10 % over two years pays 75.62 of principal in the first month', () => {
    expect(scheduleOf(termsOf('2000', '10', 24)).rows[0]?.principal).toBe(7562);
  });

  test('Microsoft, IPMT and PPMT functions, yearly payments', () => {
    const yearly = (count: number) => ({ dueDates: dueDatesFrom(date('2027-01-01'), 'Annual', count) });
    // IPMT: the last year's interest of 8,000 at 10 % over three years is 292.45.
    expect(scheduleOf(termsOf('8000', '10', 3, yearly(3))).rows[2]?.interest).toBe(29245);
    // PPMT: the principal of year ten of 200,000 at 8 % is 27,598.05; cents rounded each year move it by two.
    const last = scheduleOf(termsOf('200000', '8', 10, yearly(10))).rows[9]?.principal ?? 0;
    expect(Math.abs(last - 2759805)).toBeLessThanOrEqual(10);
  });

  test('Microsoft, CUMIPMT and CUMPRINC functions: 125,000 at 9 % over thirty years', () => {
    const { rows } = scheduleOf(termsOf('125000', '9', 360));
    expect([rows[0]?.interest, rows[0]?.principal]).toEqual([93750, 6828]);
    const second = rows.slice(12, 24);
    // 11,135.23 and 934.11 without rounding; a cent a month at most.
    expect(Math.abs(second.reduce((sum, row) => sum + row.interest, 0) - 1113523)).toBeLessThanOrEqual(12);
    expect(Math.abs(second.reduce((sum, row) => sum + row.principal, 0) - 93411)).toBeLessThanOrEqual(12);
  });

  test('Oracle PeopleTools, PMT with a balloon of 30,000', () => {
    const terms = termsOf('50000', '14', 120, { amortization: 'Balloon', balloon: money('30000') });
    expect(level(terms)).toBe('660.53');
    const last = scheduleOf(terms).rows.at(-1);
    // The balloon is due with the last installment, beside it.
    expect((last?.payment ?? 0) - 30000_00).toBeGreaterThan(650_00);
    expect((last?.payment ?? 0) - 30000_00).toBeLessThan(670_00);
  });
});

describe('schedule: every row (Apache Fineract, EMICalculation.feature, 360/30 products, from 1 January 2024)', () => {
  const from2024 = (amount: string, rate: string) =>
    termsOf(amount, rate, 6, {
      disbursements: [{ date: date('2024-01-01'), amount: money(amount) }],
      interestStart: date('2024-01-01'),
      dueDates: dueDatesFrom(date('2024-02-01'), 'Monthly', 6),
    });
  test.each([
    [
      '7 %',
      '7',
      [
        [17.01, 0.58, 83.57],
        [17.01, 0.49, 67.05],
        [17.01, 0.39, 50.43],
        [17.01, 0.29, 33.71],
        [17.01, 0.2, 16.9],
        [17.0, 0.1, 0],
      ],
    ],
    [
      '12 %, C3154',
      '12',
      [
        [17.25, 1.0, 83.75],
        [17.25, 0.84, 67.34],
        [17.25, 0.67, 50.76],
        [17.25, 0.51, 34.02],
        [17.25, 0.34, 17.11],
        [17.28, 0.17, 0],
      ],
    ],
    [
      '9.4822 %, C3155',
      '9.4822',
      [
        [17.13, 0.79, 83.66],
        [17.13, 0.66, 67.19],
        [17.13, 0.53, 50.59],
        [17.13, 0.4, 33.86],
        [17.13, 0.27, 17.0],
        [17.13, 0.13, 0],
      ],
    ],
  ])('100.00 at %s in six months', (_name, rate, rows) => {
    expect(scheduleOf(from2024('100', rate)).rows.map((row) => [row.payment, row.interest, row.balance])).toEqual(
      rows.map((row) => row.map((amount) => Math.round(amount * 100))),
    );
  });
});

describe('schedule: over the real dates', () => {
  const real = (more: Partial<ScheduleTerms>) => termsOf('20000', '5', 60, { dayCount: 'actual/365', ...more });

  test('interest of 30 days at 5 % on 20,000 is 82.19, of 25 days 68.49 (Southeast Toyota Finance, simple interest)', () => {
    const firstInterest = (day: string) =>
      scheduleOf(real({ dueDates: dueDatesFrom(date(day), 'Monthly', 60) })).rows[0]?.interest;
    expect(firstInterest('2026-01-31')).toBe(8219);
    expect(firstInterest('2026-01-26')).toBe(6849);
    // The page multiplies a rounded per-diem for 35 days (95.90). Multiplied first and rounded once it is 95.89.
    expect(firstInterest('2026-02-05')).toBe(9589);
  });

  test('53 days at 9 % on 10,000 are 130.68 (Bankrate, Dr. Don, 23 August 2001)', () => {
    const terms = termsOf('10000', '9', 12, {
      dayCount: 'actual/365',
      dueDates: dueDatesFrom(date('2026-02-23'), 'Monthly', 12),
    });
    expect(scheduleOf(terms).rows[0]?.interest).toBe(13068);
  });

  test('the level payment includes the odd first period: a longer one raises it', () => {
    const payment = (first: string) =>
      scheduleOf(real({ dueDates: dueDatesFrom(date(first), 'Monthly', 60) })).levelPayment ?? 0;
    expect(payment('2026-02-01')).toBeLessThan(payment('2026-02-15'));
    expect(payment('2026-02-15')).toBeLessThan(payment('2026-03-01'));
  });

  test('the last installment takes what is left, for every frequency', () => {
    for (const frequency of ['Monthly', 'SemiMonthly', 'BiWeekly', 'Weekly', 'Quarterly', 'SemiAnnual', 'Annual']) {
      const dueDates = dueDatesFrom(date('2027-01-01'), frequency as Frequency, 9);
      const { rows, totals, levelPayment } = scheduleOf(real({ dueDates }));
      expect(rows.at(-1)?.balance).toBe(0);
      expect(totals.principal).toBe(20000_00);
      expect(totals.payment).toBe(totals.principal + totals.interest);
      // Half a cent of rounding per installment, and its growth: never more than a few cents.
      expect(Math.abs((rows.at(-1)?.payment ?? 0) - (levelPayment ?? 0))).toBeLessThan(15);
    }
  });

  test('zero rate: principal alone, the odd cent in the last', () => {
    const { rows, levelPayment } = scheduleOf(termsOf('1000', '0', 3));
    expect(levelPayment).toBe(33333);
    expect(rows.map(({ payment }) => payment)).toEqual([33333, 33333, 33334]);
  });

  test('half-up and half-even differ at 50.125', () => {
    const first = (rounding: 'half-up' | 'half-even') =>
      scheduleOf(termsOf('4010', '15', 12, { rounding })).rows[0]?.interest;
    // 4,010 × 15 % ÷ 12 = 50.125.
    expect(first('half-up')).toBe(5013);
    expect(first('half-even')).toBe(5012);
  });
});

describe('schedule: other shapes', () => {
  test('interest only, then level: the principal stays the same, then the level payments clear it', () => {
    const { rows, levelPayment } = scheduleOf(termsOf('10000', '6', 9, { interestOnlyCount: 3 }));
    expect(rows.slice(0, 3).map(({ payment, principal }) => [payment, principal])).toEqual([
      [5000, 0],
      [5000, 0],
      [5000, 0],
    ]);
    // PMT(6 %/12; 6; 10,000) = 1,695.95.
    expect(levelPayment).toBe(169595);
    expect(rows.at(-1)?.balance).toBe(0);
  });

  test('interest only until the end: the last installment pays the principal', () => {
    const { rows, levelPayment } = scheduleOf(termsOf('10000', '6', 4, { amortization: 'InterestOnly' }));
    expect(levelPayment).toBeNull();
    expect(rows.map(({ payment }) => payment)).toEqual([5000, 5000, 5000, 1005000]);
  });

  test('nothing is due on a skipped installment, and unpaid interest never bears interest', () => {
    const { rows } = scheduleOf(termsOf('10000', '12', 6, { skip: [2, 3] }));
    expect(rows.slice(1, 3).map(({ payment }) => payment)).toEqual([0, 0]);
    // Three months of simple interest on the balance after the first payment, not of compound interest.
    const balance = rows[0]?.balance ?? 0;
    expect(rows[3]?.interest).toBe(Math.round((balance * 3) / 100));
    expect(rows.at(-1)?.balance).toBe(0);
  });

  test('a given payment is honoured; the last installment takes what is left, more or less', () => {
    const more = scheduleOf(termsOf('10000', '12', 12, { payment: money('900') })).rows;
    expect(more[0]?.payment).toBe(90000);
    expect(more.at(-1)?.payment ?? 0).toBeLessThan(90000);
    const less = scheduleOf(termsOf('10000', '12', 12, { payment: money('800') })).rows;
    expect(less.at(-1)?.payment ?? 0).toBeGreaterThan(80000);
    expect(less.at(-1)?.balance).toBe(0);
  });

  test('a second disbursement and a rate change begin new stretches', () => {
    const { rows } = scheduleOf(
      termsOf('10000', '12', 12, {
        disbursements: [
          { date: date('2026-01-01'), amount: money('6000') },
          { date: date('2026-01-16'), amount: money('4000') },
        ],
        rateChanges: [{ date: date('2026-01-21'), rate: percent('6') }],
      }),
    );
    // 6,000 × 12 % × 15/360 + 10,000 × 12 % × 5/360 + 10,000 × 6 % × 10/360 = 30.00 + 16.67 + 16.67.
    expect(rows[0]?.interest).toBe(6334);
    expect(rows.at(-1)?.balance).toBe(0);
  });

  test('interest carried over is added to the first payment and raises the level payment by its share alone', () => {
    expect(level(termsOf('10000', '12', 12))).toBe('888.49');
    const brought = buildSchedule(termsOf('10000', '12', 12), money('100'));
    if (isRefusal(brought)) throw new Error(brought.detail);
    // 100.00 × 1.01^11 at the end ÷ 12.682503 (twelve payments of 1 grown to the end) = 8.79690 more than 888.48789.
    expect(brought.levelPayment).toBe(89728);
    expect(brought.rows[0]?.interest).toBe(20000);
    expect(brought.rows.at(-1)?.balance).toBe(0);
  });

  test.each([
    ['required', { disbursements: [] }],
    ['invalid_value', { dueDates: [date('2026-03-01'), date('2026-02-01')] }],
    ['invalid_value', { skip: [12] }],
    ['contradiction', { balloon: cents(100) }],
    ['required', { amortization: 'Balloon' as const }],
  ])('%s for terms that give no schedule', (code, more) => {
    expect(buildSchedule(termsOf('10000', '12', 12, more))).toMatchObject({ refused: code });
  });
});
