import { describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { formatDecimal } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { readFacts } from '../../src/underwriting/facts.ts';
import { underwrite } from '../../src/underwriting/underwrite.ts';
import { BANDS, bandOf } from './bands.ts';
import { type Applicant, GROUPS, population } from './population.ts';

const ON = date('2026-01-15');
const people = population({ size: 1_500, seed: 'population', on: ON });

const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;

function factsOf({ input }: Applicant) {
  const facts = readFacts({ ...input, amount: input.contract.amount, unscoredAs: 540 });
  if (isRefusal(facts)) throw new Error(facts.detail);
  return facts;
}

describe('a population', () => {
  test('is the same for the same seed, and a part of a larger one', () => {
    const few = population({ size: 20, seed: 'population', on: ON });
    expect(few).toEqual(people.slice(0, 20));
    expect(population({ size: 20, seed: 'another', on: ON })).not.toEqual(few);
  });

  test('can be underwritten as it is', () => {
    for (const { input } of people.slice(0, 12)) expect(isRefusal(underwrite(input))).toBe(false);
  });

  test('has people in every band, and a few without a score', () => {
    const share = (band: string) => people.filter((who) => who.band === band).length / people.length;
    for (const { name } of BANDS) expect(share(name), name).toBeGreaterThan(0.06);
    expect(share('no score')).toBeGreaterThan(0.01);
    expect(share('no score')).toBeLessThan(0.08);
  });

  test('income, value, loan to value and the age of the car follow the score', () => {
    const in_ = (...bands: string[]) => people.filter(({ band }) => bands.includes(band)).map(factsOf);
    const [good, bad] = [in_('780+', '720–779'), in_('560–599', 'below 560')];
    expect(mean(good.map(({ income }) => income.total))).toBeGreaterThan(1.5 * mean(bad.map((f) => f.income.total)));
    expect(mean(good.map(({ vehicle }) => vehicle.value))).toBeGreaterThan(1.4 * mean(bad.map((f) => f.vehicle.value)));
    expect(mean(good.map(({ vehicle }) => vehicle.age ?? 0))).toBeLessThan(mean(bad.map((f) => f.vehicle.age ?? 0)));
    const ltv = (who: Applicant) => who.input.contract.amount / factsOf(who).vehicle.value;
    const prime = people.filter(({ score }) => (score ?? 0) >= 720);
    const subprime = people.filter(({ score }) => score !== null && score < 600);
    expect(mean(prime.map(ltv))).toBeLessThan(1);
    expect(mean(subprime.map(ltv))).toBeGreaterThan(1.08);
  });

  test('groups differ in what comes before the application, and the application does not tell which', () => {
    const [a, b] = GROUPS.map((group) => people.filter((who) => who.group === group)) as [Applicant[], Applicant[]];
    expect(b.length / people.length).toBeGreaterThan(0.3);
    const score = (list: Applicant[]) => mean(list.flatMap((who) => (who.score === null ? [] : [who.score])));
    expect(score(a) - score(b)).toBeGreaterThan(15);
    expect(mean(a.map((who) => factsOf(who).income.total))).toBeGreaterThan(
      mean(b.map((w) => factsOf(w).income.total)),
    );
    for (const { input } of people.slice(0, 50)) {
      expect(JSON.stringify(input)).not.toMatch(/group/i);
    }
  });

  test('asks for the rate it is told to', () => {
    const [first] = population({ size: 1, seed: 'population', on: ON, rateOf: () => 7.5 });
    expect(formatDecimal((first as Applicant).input.contract.rate)).toBe('7.5');
    expect({ ...first?.input, contract: null }).toEqual({ ...people[0]?.input, contract: null });
  });
});

test.each([
  [850, '780+'],
  [780, '780+'],
  [779, '720–779'],
  [560, '560–599'],
  [559, 'below 560'],
  [300, 'below 560'],
  [null, 'no score'],
])('a score of %s is in band %s', (score, band) => {
  expect(bandOf(score)).toBe(band);
});
