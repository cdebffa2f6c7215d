import { expect, test } from 'vitest';
import { seededRandom } from '../../src/bureau/simulator/random.ts';
import { addMonths, date } from '../../src/core/calendar.ts';
import { forecast } from '../../src/core/forecast.ts';
import { cents } from '../../src/core/money.ts';
import { absoluteSpeed, defaults, type Month, monthsOf, mortality } from './outcomes.ts';

/** Four payments of $25,000 on $100,000, so that shares are exact in cents; hazards that are easy to follow. */
const start = date('2026-01-15');
const expected = forecast(
  {
    ...{ amount: cents(100_000_00), start, chargeOffLagMonths: 4 },
    recovery: {
      ...{ proceeds: [0, 0, 0, 0], foundShare: 0, collectedShare: 0.5, saleLagMonths: 3, collectionLagMonths: 3 },
    },
    installments: [1, 2, 3, 4].map((n) => ({
      ...{ dueDate: addMonths(start, n), interest: cents(100_00), principal: cents(25_000_00) },
    })),
    servicingFeePercent: 1,
  },
  { default: [0.1, 0.2, 0, 0.5], prepay: [0.5, 0, 0.25, 0] },
);

test('months: who pays, stops and prepays, read back from a forecast', () => {
  const months = monthsOf(expected);
  expect(months).toHaveLength(4);
  const shares = months.map(({ paying, stopped, prepaid }) => [paying, stopped, prepaid]);
  // 1: of all, a tenth stops and half of the others prepays. 2: a fifth of 45 % stops. 3: a quarter of 36 % prepays. 4: half of 27 % stops.
  const byHand = [
    [1, 0.1, 0.45],
    [0.45, 0.09, 0],
    [0.36, 0, 0.09],
    [0.27, 0.135, 0],
  ];
  byHand.forEach((row, m) => {
    for (const [i, share] of row.entries()) expect(shares[m]?.[i], `month ${m + 1}`).toBeCloseTo(share, 5);
  });
});

test('mortality is measured in balances, over all loans of a pool', () => {
  const months = monthsOf(expected);
  // 55 % of what is owed after the first payment.
  expect(mortality([months], 1)).toBeCloseTo(55, 3);
  expect(mortality([months], 2)).toBeCloseTo(20, 3);
  // Nothing is owed after the last one, and nothing later.
  expect(mortality([months], 4)).toBe(0);
  expect(mortality([months], 9)).toBe(0);
  const still = (owed: number): Month => ({ paying: 1, stopped: 0, prepaid: 0, owed, left: 0 });
  expect(mortality([months, [still(75_000_00)]], 1)).toBeCloseTo(27.5, 3);
});

test('an absolute speed is the share of the original loans that leaves', () => {
  // 1.5 % of the original loans leave each month: in month m of those still there 1.5 ÷ (1 − 0.015 (m − 1)) percent.
  for (const age of [1, 2, 12, 36, 60]) {
    const smm = 1.5 / (1 - 0.015 * (age - 1));
    expect(absoluteSpeed(smm, age)).toBeCloseTo(1.5, 12);
  }
});

test('loans that live by the months default as often as the forecast says', () => {
  const months = monthsOf(expected);
  const of = seededRandom('lives');
  const lives = 20_000;
  let bad = 0;
  for (let n = 0; n < lives; n++) if (defaults(months, of)) bad += 1;
  const probability = 0.1 + 0.09 + 0.135;
  const error = Math.sqrt((probability * (1 - probability)) / lives);
  expect(Math.abs(bad / lives - probability)).toBeLessThan(4 * error);
});
