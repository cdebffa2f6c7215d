import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../src/core/refusal.ts';
import type { LendingPolicy } from '../../src/underwriting/policy.ts';
import type { Model } from '../../src/underwriting/score.ts';
import { assessRequested, type UnderwritingInput } from '../../src/underwriting/underwrite.ts';
import { inputOf, ORDINARY, TODAY } from '../../test/support/underwriting/applicants.ts';
import { openComparison } from './compare.ts';
import type { Offers } from './outcome.ts';
import { population } from './population.ts';
import { type Versions, versionsOn } from './versions.ts';

const now = versionsOn(TODAY);
const applicants = population({ size: 120, seed: 'compare', on: TODAY });

/** The policy with another limit of one rule. */
function withLimit(id: string, limit: number): LendingPolicy {
  const { policy } = now;
  return {
    ...policy,
    version: `${policy.version}-${id}`,
    rules: policy.rules.map((rule) => (rule.id === id ? { ...rule, limit } : rule)),
  };
}

/** On the requested deals alone. */
function compared(challenger: Versions, champion = now) {
  const comparison = openComparison(champion, challenger, 'none');
  for (const { input } of applicants) comparison.add(input.applicationId, input);
  return comparison.result();
}

test('two equal versions: no swaps, one book, no shift', () => {
  const { books, sets, shift, swaps, compared: count, refused } = compared(now);
  expect([count, refused, swaps]).toEqual([120, 0, []]);
  expect(books.challenger).toEqual(books.champion);
  expect([sets.swapIn.applications, sets.swapOut.applications]).toEqual([0, 0]);
  expect(sets.both.applications + sets.neither.applications).toBe(120);
  expect(sets.both.applications).toBe(books.champion.loans);
  expect(sets.swapIn.champion).toEqual({
    defaultProbability: null,
    ratePercent: null,
    expectedLossPercent: null,
    netYieldPercent: null,
  });
  expect(shift).toEqual({ defaultProbability: 0, approvedScores: 0 });
});

test('a tighter rule swaps out exactly those beyond it, and the other way round swaps them in', () => {
  const tighter = { ...now, policy: withLimit('maximum-dti', 0.35) };
  const expected = applicants
    .filter(({ input }) => {
      const deal = assessRequested({ ...input, ...now });
      if (isRefusal(deal)) throw new Error(deal.detail);
      return deal.decision === 'APPROVED' && deal.ratios.dti > 0.35;
    })
    .map(({ input }) => input.applicationId);
  expect(expected.length).toBeGreaterThan(3);
  const { swaps, sets, books } = compared(tighter);
  expect(swaps.map(({ application }) => application)).toEqual(expected);
  for (const { swap, champion, challenger } of swaps) {
    expect([swap, champion.decision, challenger.decision]).toEqual(['out', 'approved', 'declined']);
    expect([champion.rules, challenger.rules]).toEqual([[], ['maximum-dti']]);
  }
  expect(sets.swapOut.applications).toBe(expected.length);
  expect(books.champion.loans - books.challenger.loans).toBe(expected.length);
  const back = compared(now, tighter);
  expect(back.swaps.map(({ application, swap }) => [application, swap])).toEqual(expected.map((id) => [id, 'in']));
  expect(back.sets.swapIn.challenger).toEqual(sets.swapOut.champion);
});

test('another model moves the default probabilities, and the index shows by how much', () => {
  const harder: Model = {
    ...now.model,
    version: 'harder',
    default: { ...now.model.default, intercept: now.model.default.intercept + 0.5 },
  };
  const { books, shift, sets, swaps, challenger } = compared({ ...now, model: harder });
  expect(challenger.model).toBe('harder');
  expect(shift.defaultProbability).toBeGreaterThan(0.05);
  expect(sets.both.challenger.defaultProbability).toBeGreaterThan(sets.both.champion.defaultProbability as number);
  expect(books.challenger.loans).toBeLessThan(books.champion.loans);
  expect(
    swaps.every(({ swap, ...sides }) => {
      return swap === 'out' && sides.challenger.defaultProbability > sides.champion.defaultProbability;
    }),
  ).toBe(true);
});

describe('the figures of a book', () => {
  const inputs = [inputOf(ORDINARY), inputOf({ ...ORDINARY, value: 40_000, income: 9_000 })];
  const deals = inputs.map((input) => {
    const deal = assessRequested({ ...input, ...now });
    if (isRefusal(deal)) throw new Error(deal.detail);
    return deal;
  });

  test('are those of its two loans, weighted by money', () => {
    const comparison = openComparison(now, now);
    for (const [i, input] of inputs.entries()) comparison.add(String(i), input);
    const { champion: book } = comparison.result().books;
    expect(deals.map(({ decision }) => decision)).toEqual(['APPROVED', 'APPROVED']);
    const sum = (value: (deal: (typeof deals)[number]) => number) => deals.reduce((all, deal) => all + value(deal), 0);
    const lent = sum(({ contract }) => contract.amount);
    expect(book.amountCents).toBe(lent);
    expect(book.defaultProbability).toBeCloseTo(sum((deal) => deal.defaultProbability) / 2, 5);
    expect(book.ratePercent).toBeCloseTo(sum(({ rate, contract }) => rate * contract.amount) / lent, 3);
    expect(book.expectedLossPercent).toBeCloseTo((sum(({ forecast }) => forecast.totals.netLoss) / lent) * 100, 3);
    expect(Object.values(book.grades).reduce((all, one) => all + one)).toBe(2);
    expect(book.approvalRate).toBe(1);
  });

  test('an application that cannot be assessed is counted and left out', () => {
    const comparison = openComparison(now, now);
    const [input] = inputs as [(typeof inputs)[number]];
    expect(comparison.add('bad', { ...input, term: 0 })).toMatchObject({ refused: 'invalid_value' });
    expect(comparison.add('good', input)).toBeNull();
    expect(comparison.result()).toMatchObject({ compared: 1, refused: 1 });
  });

  test('of no applications are empty', () => {
    const { books, shift, compared: count } = openComparison(now, now).result();
    expect([count, books.champion.approvalRate, shift.defaultProbability]).toEqual([0, null, null]);
  });
});

describe('what counts besides the requested deal', () => {
  const book = (input: UnderwritingInput, offers: Offers) => {
    const comparison = openComparison(now, now, offers);
    comparison.add('one', input);
    return comparison.result().books.champion;
  };

  test('the same deal at the buy rate, where the requested rate is below it', () => {
    const input = inputOf({ ...ORDINARY, score: 790, rate: '1.99' });
    expect(book(input, 'none')).toMatchObject({ loans: 0, countered: 0 });
    expect(book(input, 'rate')).toMatchObject({ loans: 1, countered: 1 });
    const deal = assessRequested({ ...input, ...now });
    if (isRefusal(deal)) throw new Error(deal.detail);
    expect(book(input, 'rate').ratePercent).toBe(deal.sheet.buyRate);
  });

  test('any of the sixty deals, where the requested term is too long for the vehicle', () => {
    const input = inputOf({ ...ORDINARY, vehicleAge: 6, term: 84, score: 790, ltv: 80, rate: '12.99' });
    expect(book(input, 'rate')).toMatchObject({ loans: 0, countered: 0 });
    expect(book(input, 'any')).toMatchObject({ loans: 1, countered: 1 });
  });
});
