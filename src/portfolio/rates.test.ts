import { describe, expect, test } from 'vitest';
import {
  absOf,
  annualRate,
  annualYield,
  averageAbs,
  averageMonthly,
  decimalText,
  percentText,
  type Ratio,
  ratio,
  smmOf,
  whole,
} from './rates.ts';

/** 1.3 % as a ratio. */
const percent = (text: string): Ratio => {
  const [before = '', after = ''] = text.split('.');
  return { over: BigInt(before + after), under: 100n * 10n ** BigInt(after.length) };
};

describe('worked from the definitions', () => {
  test('an SMM of 1.3 % in month 9 is an ABS speed of 1.18 %', () => {
    // 0.013 / (1 + 0.013 × 8) = 0.013 / 1.104
    const abs = absOf(percent('1.3'), whole(9n)) as Ratio;
    expect(decimalText({ over: abs.over * 100n, under: abs.under }, 2)).toBe('1.18');
    expect(percentText(abs)).toBe('1.1775');
  });

  test('1.5 ABS is an SMM of 1.86 % in month 14, and back', () => {
    // SMM = ABS / (1 − ABS × (age − 1)) = 0.015 / (1 − 0.015 × 13)
    const smm = ratio(15n, 1000n - 15n * 13n) as Ratio;
    expect(percentText(smm)).toBe('1.8634');
    expect(percentText(absOf(smm, whole(14n)))).toBe('1.5');
  });

  test('a CPR of 6 % is an SMM of 0.5143 %', () => {
    // 1 − 0.94^(1/12) = 0.0051430
    expect(percentText(annualRate(percent('0.5143')))).toBe('6');
    expect(percentText(averageMonthly(Array(12).fill(percent('0.5143'))))).toBe('0.5143');
  });

  test('a balance of 290 million, 3 million scheduled, at 0.5143 % prepays 1,476,041', () => {
    // 0.005143 × (290,000,000 − 3,000,000)
    const smm = smmOf({ opening: 290_000_000n, scheduled: 3_000_000n, unscheduled: 1_476_041n });
    expect(percentText(smm)).toBe('0.5143');
  });
});

test('Allman, "Modeling Structured Finance Cash Flows with Microsoft Excel" (2007), page 45: 1.50 ABS is an SMM of 1.60 % in month 5', () => {
  const smm = ratio(15n, 1000n - 15n * 4n) as Ratio;
  expect(decimalText({ over: smm.over * 100n, under: smm.under }, 2)).toBe('1.6');
  expect(percentText(absOf(smm, whole(5n)))).toBe('1.5');
});

test('1 % ABS: of 10,000 loans 100 prepay every month, however many are left', () => {
  for (let month = 1n, left = 10_000n; left > 0n; month += 1n, left -= 100n) {
    expect(percentText(absOf(ratio(100n, left) as Ratio, whole(month)))).toBe('1');
  }
});

describe('1.5 ABS from month to month', () => {
  // SMM by the definition: every month 1.5 % of the original number prepays, of those that are left.
  const smm = (month: number) => ratio(15n, 1000n - 15n * BigInt(month - 1)) as Ratio;

  test.each([
    [1, '1.5'],
    [2, '1.5228'],
    [12, '1.7964'],
    [24, '2.2901'],
    [36, '3.1579'],
    [48, '5.0847'],
    [60, '13.0435'],
  ])('month %i: SMM %s %%', (month, expected) => {
    expect(percentText(smm(month))).toBe(expected);
    expect(percentText(absOf(smm(month), whole(BigInt(month))))).toBe('1.5');
  });

  test.each([
    [1, 3],
    [14, 6],
    [7, 12],
    [1, 60],
  ])('from month %i the average of %i months is 1.5 ABS', (first, months) => {
    const monthly = Array.from({ length: months }, (_, i) => smm(first + i));
    expect(percentText(averageAbs({ monthly, firstAge: whole(BigInt(first)) }))).toBe('1.5');
  });
});

describe('averages', () => {
  test('of unequal months leave as much as the months did', () => {
    const average = averageMonthly([percent('1'), percent('2'), percent('3')]) as Ratio;
    // 1 − (0.99 × 0.98 × 0.97)^(1/3) = 1 − 0.941094^(1/3)
    expect(decimalText({ over: average.over * 100n, under: average.under }, 8)).toBe('2.00340148');
    // 1 − 0.941094^4
    expect(percentText(annualRate(average))).toBe('21.561');
  });

  test('of no month there is none, and of everything prepaid it is all', () => {
    expect(averageMonthly([])).toBeNull();
    expect(averageAbs({ monthly: [], firstAge: whole(1n) })).toBeNull();
    expect(percentText(averageMonthly([percent('1'), percent('100')]))).toBe('100');
    expect(percentText(averageAbs({ monthly: [percent('100')], firstAge: whole(5n) }))).toBe('20');
  });
});

describe('the month', () => {
  test('nothing to prepay is no speed; more than there is counts as all', () => {
    expect(smmOf({ opening: 0n, scheduled: 0n, unscheduled: 0n })).toBeNull();
    expect(smmOf({ opening: 100n, scheduled: 100n, unscheduled: 0n })).toBeNull();
    expect(percentText(smmOf({ opening: 100n, scheduled: 0n, unscheduled: 120n }))).toBe('100');
    expect(percentText(smmOf({ opening: 100n, scheduled: 0n, unscheduled: -5n }))).toBe('0');
  });

  test('a loan in its first month, or in none, is one month old', () => {
    expect(percentText(absOf(percent('2'), whole(0n)))).toBe('2');
    expect(percentText(absOf(percent('2'), whole(1n)))).toBe('2');
  });
});

describe('yield', () => {
  const month = (income: bigint, twiceBalance: bigint, days = 30, of = 30) => ({ income, twiceBalance, days, of });

  test('1 a month on 100 is 12 % a year, however many months', () => {
    expect(percentText(annualYield([month(1n, 200n)]))).toBe('12');
    expect(percentText(annualYield([month(1n, 200n), month(1n, 200n), month(1n, 200n)]))).toBe('12');
  });

  test('half a month that earned half of it is the same', () => {
    expect(percentText(annualYield([month(2n, 400n), month(1n, 400n, 15)]))).toBe('12');
  });

  test('losses may be more than income; without a balance there is none', () => {
    expect(percentText(annualYield([month(-3n, 200n)]))).toBe('-36');
    expect(annualYield([])).toBeNull();
    expect(annualYield([month(5n, 0n)])).toBeNull();
  });
});

test('text is rounded once, half away from zero', () => {
  expect(decimalText({ over: 25n, under: 1000n }, 2)).toBe('0.03');
  expect(decimalText({ over: -25n, under: 1000n }, 2)).toBe('-0.03');
  expect(decimalText({ over: 24n, under: 1000n }, 2)).toBe('0.02');
  expect(percentText(null)).toBeNull();
});
