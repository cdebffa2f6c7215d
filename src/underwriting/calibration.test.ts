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
    // A worse grade is also expected to default more often; few of these applicants are an A, so their own share is by chance.
    expect(predicted).toBeGreaterThan(worse);
    worse = predicted;
  }
});
