/**
 * A deal was once judged by its level installment, and priced as if it had one: interest alone until a last payment of the whole loan had a
 * payment to income of nothing, and a first payment three years out cost what the level loan did. A structure that keeps more owed for
 * longer is judged by its own highest and final payments, its whole length and what is owed over it, and never better than the level loan.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMonths } from '../../src/core/calendar.ts';
import type { Contract } from '../../src/core/loan.ts';
import { cents } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';
import type { AssessedDeal } from '../../src/underwriting/deal.ts';
import { anyFigures, type Figures, inputOf, ORDINARY, TODAY } from '../support/underwriting/applicants.ts';
import { requested, sheetOf } from '../support/underwriting/deals.ts';

const GOOD: Figures = { ...ORDINARY, score: 760, income: 9_000, ltv: 80, rate: '9.00', term: 60 };
const deal = (change: Partial<Contract>, figures = GOOD): AssessedDeal =>
  requested(figures, { contract: { ...inputOf(figures).contract, ...change } });
const rules = ({ findings }: AssessedDeal) => findings.reasons.map(({ rule }) => rule);
const { amount } = inputOf(GOOD).contract;
/** By the usual formula, in cents. */
const levelOf = (months: number, owed: number, rate: number) =>
  (owed * rate) / 1200 / (1 - (1 + rate / 1200) ** -months);

test('the level loan is approved', () => expect(deal({}).decision).toBe('APPROVED'));

test.each<[string, Partial<Contract>]>([
  ['all of it interest only', { amortization: 'InterestOnly' }],
  ['interest only for all but one payment', { interestOnlyCount: 59 }],
  ['a balloon of nearly everything', { amortization: 'Balloon', balloon: cents(amount - 100_00) }],
  ['a payment that leaves most of it', { payment: cents(200_00) }],
])('a last payment of the whole loan is no approval: %s', (_, change) => {
  const found = deal(change);
  expect(rules(found)).toContain('maximum-balloon');
  // Not a payment of nothing: a month's interest at least, or what is paid.
  expect(found.monthlyPayment).toBeGreaterThan((amount * 0.09) / 12 / 1.1);
});

test('a first payment 36 months out is no approval, and costs more', () => {
  const late = { firstPaymentDate: addMonths(TODAY, 37) };
  const [level, found] = [deal({}), deal(late)];
  expect(rules(found)).toEqual(expect.arrayContaining(['maximum-deferral', 'maximum-term']));
  expect(found.sheet.buyRate).toBeGreaterThan(level.sheet.buyRate);
  expect(found.defaultProbability).toBeGreaterThan(level.defaultProbability);
  expect(found.expectedLifeMonths).toBeGreaterThan(level.expectedLifeMonths + 6);
  // Up to two months until the first payment are usual.
  expect(deal({ firstPaymentDate: addMonths(TODAY, 2) }).sheet).toEqual(level.sheet);
});

test('the payment that counts is the highest one', () => {
  const after = deal({ interestOnlyCount: 24 });
  expect(Math.abs(after.monthlyPayment - levelOf(36, amount, 9))).toBeLessThan(levelOf(36, amount, 9) * 0.01);
  expect(after.ratios.pti).toBeCloseTo(after.monthlyPayment / 9_000_00, 3);
});

test('what is owed over the life of the deal counts as loan to value, and in the risk', () => {
  const high = { ...GOOD, ltv: 112 };
  const change = { amortization: 'Balloon', balloon: cents(Math.round(inputOf(high).contract.amount * 0.45)) } as const;
  // On average 0.45 and half of 0.55 are owed, where the level loan owes about a half.
  const share = (0.45 + (0.55 * 61) / 120) / (61 / 120);
  expect(rules(deal({}, high))).not.toContain('maximum-ltv-over-time');
  expect(rules(deal(change, high))).toContain('maximum-ltv-over-time');
  const [level, found] = [deal({}, GOOD), deal({ amortization: 'Balloon', balloon: cents(amount * 0.2) }, GOOD)];
  expect(deal(change, high).features.ltv).toBeCloseTo(1.12 * share, 1);
  expect(found.features.ltv).toBeGreaterThan(level.features.ltv as number);
  expect(found.decision).toBe('APPROVED');
  expect(found.sheet.buyRate).toBeGreaterThan(level.sheet.buyRate);
});

test('a payment of the schedule’s own size is no structure, and one that is too low is a balloon', () => {
  const level = deal({});
  expect(deal({ payment: level.payment }).sheet).toEqual(level.sheet);
  const low = deal({ payment: cents(Math.round((level.payment ?? 0) * 0.8)) });
  expect(low.sheet.buyRate).toBeGreaterThan(level.sheet.buyRate);
});

describe('no structure turns a decline into an approval or lowers the rate', () => {
  const structure = fc.oneof(
    fc.integer({ min: 1, max: 60 }).map((count) => ({ interestOnlyCount: count })),
    fc.constant({ amortization: 'InterestOnly' as const }),
    fc.integer({ min: 1, max: 99 }).map((share) => ({ share })),
    fc.integer({ min: 2, max: 40 }).map((months) => ({ months })),
    fc.integer({ min: 20, max: 99 }).map((part) => ({ part })),
    fc.record({ interestOnlyCount: fc.integer({ min: 1, max: 24 }), share: fc.integer({ min: 5, max: 50 }) }),
    fc.record({ months: fc.integer({ min: 2, max: 12 }), share: fc.integer({ min: 5, max: 50 }) }),
  );

  test('a property over random deals', { timeout: 300_000 }, () => {
    let approved = 0;
    const property = fc.property(anyFigures, structure, (random, change) => {
      const figures: Figures = { ...random, frequency: 'Monthly', income: random.income + 3_000 };
      const { contract, today, term } = inputOf(figures);
      const atBuyRate = { ...contract, rate: percent(sheetOf(figures).buyRate.toFixed(2)) };
      const level = requested(figures, { contract: atBuyRate });
      const given = change as Partial<{ share: number; months: number; part: number } & Contract>;
      const { share, months, part, ...plain } = given;
      if ((plain.interestOnlyCount ?? 0) >= term || (part !== undefined && level.payment === null)) return;
      const structured: Contract = {
        ...atBuyRate,
        ...plain,
        ...(share && {
          amortization: 'Balloon' as const,
          balloon: cents(Math.max(1, Math.floor((contract.amount * share) / 100))),
        }),
        ...(months && { firstPaymentDate: addMonths(today, months) }),
        ...(part && { payment: cents(Math.floor(((level.payment ?? 0) * part) / 100) || 1) }),
      };
      const found = requested(figures, { contract: structured });
      expect(found.sheet.buyRate).toBeGreaterThanOrEqual(level.sheet.buyRate);
      expect(found.sheet.uncappedRate).toBeGreaterThanOrEqual(level.sheet.uncappedRate);
      if (level.decision === 'APPROVED') approved += 1;
      else expect(found.decision).toBe('DECLINED');
      // At its own rate, too.
      const own = { ...structured, rate: percent(found.sheet.buyRate.toFixed(2)) };
      if (requested(figures, { contract: own }).decision === 'DECLINED') return;
      expect(requested(figures, { contract: { ...atBuyRate, rate: own.rate } }).decision).toBe('APPROVED');
    });
    fc.assert(property, { numRuns: process.env.TEST_LONG ? 3_000 : 150, seed: 20_260_115 });
    expect(approved).toBeGreaterThan(5);
  });
});
