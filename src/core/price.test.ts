import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMonths, date } from './calendar.ts';
import type { CashflowRow } from './forecast.ts';
import { irr } from './irr.ts';
import { type Cents, cents } from './money.ts';
import { compounded, monthlyRate, priceOf } from './price.ts';
import { isRefusal } from './refusal.ts';

/** Rows of which only the money matters: what is paid each month, and the fee that is taken from it. */
function flows(paid: readonly number[], fees: readonly number[] = []): CashflowRow[] {
  return [0, ...paid].map((amount, month) => {
    const fee = month === 0 ? 0 : (fees[month - 1] ?? 0);
    const none = cents(0);
    return {
      month,
      date: addMonths(date('2026-01-15'), month),
      beginningBalance: none,
      scheduledPrincipal: none,
      scheduledInterest: none,
      principalPaid: none,
      prepaid: none,
      interestPaid: none,
      chargedOff: none,
      recovered: none,
      totalPaid: cents(amount),
      servicingFee: cents(fee),
      totalPaidLessFees: cents(amount - fee),
      endingBalance: none,
      defaultMillionths: 0,
    };
  });
}

/** The annuity of 10,000.00 at 12 % over 12 months is 888.49 (10000 × 0.01 ÷ (1 − 1.01^−12) = 888.4879). */
const ANNUITY = Array(12).fill(888_49);

describe('present value', () => {
  test('an annuity at its own rate is worth what was lent, except for the rounded payment', () => {
    const { presentValue, presentValues } = priceOf(flows(ANNUITY), { paid: cents(10_000_00), discountPercent: 12 });
    expect(presentValue).toBe(10_000_02);
    // 879.693 and 870.983: together 1,750.68, of which the first month has shown 879.69.
    expect(presentValues.slice(0, 3)).toEqual([0, 879_69, 870_99]);
  });

  test('without a discount it is what is paid; the fair value leaves the fees out', () => {
    const fees = Array(12).fill(8_00);
    expect(priceOf(flows(ANNUITY, fees), { paid: cents(1), discountPercent: 0 })).toMatchObject({
      presentValue: 12 * 888_49,
      fairValue: 12 * 880_49,
    });
  });
});

describe('yield', () => {
  test('simple is twelve times the rate of a month, compounding has interest on interest', () => {
    const price = priceOf(flows(ANNUITY), { paid: cents(10_000_00), discountPercent: 0 });
    expect(price.simpleIrr).toBeCloseTo(0.12, 5);
    expect(price.compoundingIrr).toBeCloseTo(0.12683, 5);
    expect(compounded(0.01)).toBeCloseTo(0.126825030131969, 14);
  });

  test('fees make the net yield smaller; a price below par makes both larger', () => {
    const fees = Array(12).fill(8_00);
    const atPar = priceOf(flows(ANNUITY, fees), { paid: cents(10_000_00), discountPercent: 0 });
    const below = priceOf(flows(ANNUITY, fees), { paid: cents(9_500_00), discountPercent: 0 });
    expect(atPar.simpleNetIrr).toBeLessThan(atPar.simpleIrr);
    expect(below.simpleIrr).toBeGreaterThan(atPar.simpleIrr);
    expect(below.simpleNetIrr).toBeGreaterThan(atPar.simpleNetIrr);
  });

  test('less than the price is received: the yield is negative; nothing is received: −100 %', () => {
    const half = priceOf(flows([0, 0, 0, 0, 0, 5_000_00]), { paid: cents(10_000_00), discountPercent: 5 });
    expect(half.simpleIrr / 12).toBeCloseTo(0.5 ** (1 / 6) - 1, 12);
    const nothing = priceOf(flows([0, 0, 0]), { paid: cents(10_000_00), discountPercent: 5 });
    expect([nothing.presentValue, nothing.compoundingIrr]).toEqual([0, -1]);
  });

  test('a price of zero has no yield', () => {
    expect(monthlyRate([0, 100], 0)).toBe(0);
  });
});

const anyFlows = fc.record({
  paid: fc.array(fc.integer({ min: 0, max: 2_000_00 }), { minLength: 1, maxLength: 100 }),
  price: fc.integer({ min: 1_00, max: 60_000_00 }),
});

test('the rate matches the exact solver to ten decimals of a percent', () => {
  fc.assert(
    fc.property(anyFlows, ({ paid, price }) => {
      fc.pre(paid.some((amount) => amount > 0));
      const rate = monthlyRate([0, ...paid], price);
      const exact = irr(
        [-price, ...paid].map((amount) => ({ digits: BigInt(amount), scale: 2 })),
        12,
      );
      fc.pre(!isRefusal(exact) && Math.abs(rate) < 10);
      if (isRefusal(exact)) return;
      expect(Math.abs(rate * 1200 - Number(exact.irrPercent))).toBeLessThan(1e-8 * Math.max(1, Math.abs(rate)));
    }),
    { numRuns: 100, seed: 7 },
  );
});

test('discounted at its net yield a loan is worth what was paid for it, to the cent', () => {
  fc.assert(
    fc.property(anyFlows, ({ paid, price }) => {
      fc.pre(paid.some((amount) => amount > 0));
      const rate = monthlyRate([0, ...paid], price);
      fc.pre(rate > -0.5 && rate < 1);
      const { fairValue } = priceOf(flows(paid), { paid: price as Cents, discountPercent: rate * 1200 });
      expect(Math.abs(fairValue - price)).toBeLessThanOrEqual(1);
    }),
    { numRuns: 200, seed: 8 },
  );
});
