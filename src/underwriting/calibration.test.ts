/** Compares predicted with simulated defaults: portfolios of random applicants, each simulated many times by its own hazards. */
import { expect, test } from 'vitest';
import { livePortfolio, randomPortfolio } from '../../test/support/underwriting/portfolio.ts';
import { MODELS } from './model-data.ts';
import type { Model } from './score.ts';

const model = MODELS[0] as Model;

test('in every grade the share of defaults matches the prediction within four standard errors', {
  timeout: 300_000,
}, () => {
  const size = process.env.TEST_LONG ? 2_000 : 500;
  const outcomes = livePortfolio(randomPortfolio(size), model, { lives: process.env.TEST_LONG ? 100 : 40, seed: 5 });
  let worse = 0;
  for (const [grade, { loans, predicted, defaulted, error }] of outcomes) {
    expect(loans, grade).toBeGreaterThan(50);
    expect(Math.abs(defaulted - predicted), `grade ${grade}: predicted ${predicted}, lived ${defaulted}`).toBeLessThan(
      4 * error,
    );
    // A worse grade also defaults more often, as far as there are enough of it: the deals of a handful of people are theirs, not their grade's.
    if (loans < 500) continue;
    expect(defaulted).toBeGreaterThan(worse);
    worse = defaulted;
  }
});
