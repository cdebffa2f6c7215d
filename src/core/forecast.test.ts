import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMonths, date, type Frequency, type PlainDate } from './calendar.ts';
import { type Forecast, type ForecastTerms, forecast, type Hazards, type Recovery } from './forecast.ts';
import { cents, formatCents } from './money.ts';
import { percent } from './rate.ts';
import { isRefusal } from './refusal.ts';
import { buildSchedule, dueDatesFrom } from './schedule.ts';

const START = date('2026-01-15');

/** The collateral always covers what is owed, and four tenths of it are found; nothing is collected beside it. */
const FOUR_TENTHS: Recovery = {
  proceeds: Array(400).fill(9e15),
  foundShare: 0.4,
  collectedShare: 0,
  saleLagMonths: 1,
  collectionLagMonths: 0,
};
const BASE = { chargeOffLagMonths: 1, recovery: FOUR_TENTHS, servicingFeePercent: 0 };

/** Three installments of 1,000.00 principal each. */
const three: ForecastTerms = {
  amount: cents(3_000_00),
  start: START,
  installments: [1, 2, 3].map((n) => ({
    dueDate: addMonths(START, n),
    interest: cents(30_00 - (n - 1) * 10_00),
    principal: cents(1_000_00),
  })),
  ...BASE,
};

function always(share: number, prepay = 0, months = 120): Hazards {
  return { default: Array(months).fill(share), prepay: Array(months).fill(prepay) };
}

const shown = ({ rows }: Forecast) =>
  rows.map((row) => {
    const { principalPaid, prepaid, interestPaid, chargedOff, recovered, servicingFee, endingBalance } = row;
    const amounts = [principalPaid, prepaid, interestPaid, chargedOff, recovered, servicingFee, endingBalance];
    return [row.month, row.date, ...amounts.map(formatCents)].join(' ');
  });

describe('by hand', () => {
  test('without defaults and early payments: the schedule itself', () => {
    const { rows, totals } = forecast(three, always(0));
    expect(rows.slice(1, 4).map((row) => [row.principalPaid, row.interestPaid, row.endingBalance])).toEqual([
      [1_000_00, 30_00, 2_000_00],
      [1_000_00, 20_00, 1_000_00],
      [1_000_00, 10_00, 0],
    ]);
    expect(totals).toMatchObject({ principalPaid: 3_000_00, interestPaid: 60_00, chargedOff: 0, netLoss: 0 });
  });

  test('a tenth stops each month: it is charged off a month later, and four tenths of that are recovered a month after', () => {
    // Paying: 0.9, 0.81, 0.729. Stopped owe 3,000, 0.9 × 2,000, 0.81 × 1,000, a tenth of each.
    expect(shown(forecast(three, always(0.1)))).toEqual([
      '0 2026-01-15 0.00 0.00 0.00 0.00 0.00 0.00 3000.00',
      '1 2026-02-15 900.00 0.00 27.00 0.00 0.00 0.00 2100.00',
      '2 2026-03-15 810.00 0.00 16.20 300.00 0.00 0.00 990.00',
      '3 2026-04-15 729.00 0.00 7.29 180.00 120.00 0.00 81.00',
      '4 2026-05-15 0.00 0.00 0.00 81.00 72.00 0.00 0.00',
      '5 2026-06-15 0.00 0.00 0.00 0.00 32.40 0.00 0.00',
    ]);
    expect(forecast(three, always(0.1)).totals).toMatchObject({ defaultMillionths: 271_000, netLoss: 336_60 });
  });

  test('the sale brings at most what is owed, and of what is left a part is collected later', () => {
    // Stopped loans owe 300, 180 and 81 (as above). Cars bring 1,500, 4,000 and 500 and half of them are found, so that a loan of 3,000
    // gets 750, one of 2,000 gets 1,000, one of 1,000 gets 250: 75, 90 and 20.25. A fifth of the rest: 45, 18 and 12.15.
    const recovery: Recovery = {
      proceeds: [1_500_00, 4_000_00, 500_00],
      foundShare: 0.5,
      collectedShare: 0.2,
      saleLagMonths: 1,
      collectionLagMonths: 3,
    };
    const { rows, totals } = forecast({ ...three, recovery }, always(0.1));
    const recovered = rows.map((row) => row.recovered);
    expect(recovered).toEqual([0, 0, 0, 75_00, 90_00, 20_25 + 45_00, 18_00, 12_15]);
    expect([totals.recovered, totals.netLoss]).toEqual([260_40, 561_00 - 260_40]);
  });

  test('a tenth of the paying loans prepays, and a fee of 12 % a year is charged on the paying balance', () => {
    const expected = forecast({ ...three, servicingFeePercent: 12 }, always(0, 0.1));
    expect(shown(expected).slice(0, 4)).toEqual([
      '0 2026-01-15 0.00 0.00 0.00 0.00 0.00 0.00 3000.00',
      '1 2026-02-15 1200.00 200.00 30.00 0.00 0.00 30.00 1800.00',
      '2 2026-03-15 990.00 90.00 18.00 0.00 0.00 18.00 810.00',
      '3 2026-04-15 810.00 0.00 8.10 0.00 0.00 8.10 0.00',
    ]);
    expect(expected.totals.totalPaidLessFees).toBe(3_000_00);
  });

  test('all stop at once: nothing is paid, everything is charged off, and there are only recoveries', () => {
    const { totals } = forecast(three, always(1));
    expect(totals).toMatchObject({ principalPaid: 0, interestPaid: 0, chargedOff: 3_000_00, recovered: 1_200_00 });
    expect(totals.defaultMillionths).toBe(1_000_000);
  });

  test('an odd first period leaves its month empty; installments of one month are combined', () => {
    const late = {
      ...three,
      installments: three.installments.map((row, i) => ({ ...row, dueDate: addMonths(date('2026-03-01'), i) })),
    };
    expect(
      forecast(late, always(0))
        .rows.map(({ principalPaid }) => principalPaid)
        .slice(0, 5),
    ).toEqual([0, 0, 1_000_00, 1_000_00, 1_000_00]);
    const quick = {
      ...three,
      installments: three.installments.map((row, i) => ({ ...row, dueDate: addMonths(START, i < 2 ? 1 : 2) })),
    };
    expect(
      forecast(quick, always(0))
        .rows.map(({ principalPaid }) => principalPaid)
        .slice(0, 4),
    ).toEqual([0, 2_000_00, 1_000_00, 0]);
  });

  test('dates keep the day of the month: 31 January, 28 February, 31 March', () => {
    const start = date('2026-01-31');
    const installments = three.installments.map((row, i) => ({ ...row, dueDate: addMonths(start, i + 1) }));
    const { rows } = forecast({ ...three, start, installments }, always(0));
    expect(rows.map(({ date: day }) => day).slice(0, 4)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
    ]);
    expect(rows.map(({ principalPaid }) => principalPaid).slice(1, 4)).toEqual([1_000_00, 1_000_00, 1_000_00]);
  });
});

test('invalid input is an error: hazards above 1, too few of them, a recovery that is no share, installments that do not add up to the loan', () => {
  expect(() => forecast(three, always(1.01))).toThrow('Month 1');
  expect(() => forecast(three, always(Number.NaN))).toThrow('Month 1');
  expect(() => forecast(three, always(0.1, 0, 2))).toThrow('Month 3');
  expect(() => forecast({ ...three, amount: cents(2_999_99) }, always(0))).toThrow('add up');
  const recovering = (change: Partial<Recovery>) => ({ ...three, recovery: { ...FOUR_TENTHS, ...change } });
  expect(() => forecast(recovering({ proceeds: [1, 1] }), always(0))).toThrow('Month 3');
  expect(() => forecast(recovering({ proceeds: [1, -1, 1] }), always(0))).toThrow('Month 2');
  expect(() => forecast(recovering({ foundShare: 1.1 }), always(0))).toThrow('Shares');
  expect(() => forecast(recovering({ collectedShare: Number.NaN }), always(0))).toThrow('Shares');
});

const RUNS = process.env.TEST_LONG ? 2_000 : 50;

const anyLoan = fc.record({
  amount: fc.integer({ min: 1, max: 9_000_000_00 }),
  rate: fc.integer({ min: 0, max: 3_999 }),
  months: fc.integer({ min: 1, max: 84 }),
  frequency: fc.constantFrom<Frequency[]>('Monthly', 'Monthly', 'BiWeekly', 'Quarterly'),
  firstDays: fc.integer({ min: 1, max: 75 }),
  stop: fc.double({ min: 0, max: 0.2, noNaN: true }),
  early: fc.double({ min: 0, max: 0.2, noNaN: true }),
  lags: fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 14 })),
  recovery: fc.record({
    worth: fc.double({ min: 0, max: 2, noNaN: true }),
    found: fc.double({ min: 0, max: 1, noNaN: true }),
    collected: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fee: fc.double({ min: 0, max: 5, noNaN: true }),
});

test('to the cent: paid and charged off make up the loan, totals are the sums of their rows, no amount is negative', () => {
  fc.assert(
    fc.property(anyLoan, ({ amount, rate, months, frequency, firstDays, stop, early, lags, recovery, fee }) => {
      const perMonth = { Monthly: 1, BiWeekly: 2, Quarterly: 1 / 3 }[frequency as 'Monthly'];
      const first = dueDatesFrom(START, 'Weekly', 12)[Math.ceil(firstDays / 7)] as PlainDate;
      const schedule = buildSchedule({
        disbursements: [{ date: START, amount: cents(amount) }],
        rate: percent((rate / 100).toFixed(2)),
        rateChanges: [],
        dayCount: 'actual/365',
        rounding: 'half-up',
        interestStart: START,
        dueDates: dueDatesFrom(first, frequency, Math.max(1, Math.round(months * perMonth))),
        amortization: 'FullAmortization',
        balloon: cents(0),
        interestOnlyCount: 0,
        skip: [],
        payment: null,
      });
      if (isRefusal(schedule)) throw new Error(schedule.detail);
      const terms: ForecastTerms = {
        amount: cents(amount),
        start: START,
        installments: schedule.rows,
        chargeOffLagMonths: lags[0],
        recovery: {
          proceeds: Array.from({ length: 400 }, (_, i) => amount * recovery.worth * 0.99 ** i),
          foundShare: recovery.found,
          collectedShare: recovery.collected,
          saleLagMonths: lags[1],
          collectionLagMonths: lags[2],
        },
        servicingFeePercent: fee,
      };
      const { rows, totals } = forecast(terms, always(stop, early, 400));
      const sum = (pick: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + pick(row), 0);
      expect(totals.principalPaid + totals.chargedOff).toBe(amount);
      expect(totals.totalPaid).toBe(totals.principalPaid + totals.interestPaid + totals.recovered);
      expect(totals.totalPaidLessFees).toBe(totals.totalPaid - totals.servicingFee);
      expect(totals.netLoss).toBe(totals.chargedOff - totals.recovered);
      for (const name of [
        'principalPaid',
        'prepaid',
        'interestPaid',
        'chargedOff',
        'recovered',
        'totalPaid',
        'servicingFee',
        'totalPaidLessFees',
        'defaultMillionths',
      ] as const) {
        expect(
          sum((row) => row[name]),
          name,
        ).toBe(totals[name]);
      }
      expect(sum((row) => row.scheduledPrincipal)).toBe(amount);
      expect(sum((row) => row.scheduledInterest)).toBe(schedule.totals.interest);
      let balance = amount;
      rows.forEach((row, i) => {
        expect(row.month).toBe(i);
        expect(
          Math.min(
            row.principalPaid - row.prepaid,
            row.prepaid,
            row.interestPaid,
            row.chargedOff,
            row.recovered,
            row.servicingFee,
            row.endingBalance,
          ),
        ).toBeGreaterThanOrEqual(0);
        expect(row.beginningBalance).toBe(i === 0 ? 0 : balance);
        balance -= row.principalPaid + row.chargedOff;
        expect(row.endingBalance).toBe(balance);
      });
      expect(balance).toBe(0);
      expect(totals.defaultMillionths).toBeLessThanOrEqual(1_000_000);
      // Each rounded month is the expected one within a cent: so is each total.
      const paying = rows.reduce((share, row) => share - row.defaultMillionths / 1e6, 1);
      expect(paying).toBeGreaterThan(-1e-6);
    }),
    { numRuns: RUNS, seed: 20_260_115 },
  );
}, 120_000);
