/** Whether what is predicted comes to pass: portfolios of random applicants, each living many lives by its own hazards. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyFigures, inputOf } from '../../test/underwriting/applicants.ts';
import { livePortfolio } from '../../test/underwriting/portfolio.ts';
import { ZERO } from '../core/money.ts';
import { isRefusal } from '../core/refusal.ts';
import { type AssessedDeal, assessDeal } from './deal.ts';
import { readFacts } from './facts.ts';
import { MODELS } from './model-data.ts';
import { type LendingPolicy, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import type { Model } from './score.ts';

const model = MODELS[0] as Model;
const policy = POLICIES[0] as LendingPolicy;

function portfolio(size: number): AssessedDeal[] {
  return fc.sample(anyFigures, { numRuns: size, seed: 11 }).map((figures) => {
    const input = inputOf(figures);
    const facts = readFacts({ ...input, amount: input.contract.amount });
    if (isRefusal(facts)) throw new Error(facts.detail);
    const macro = input.macro ?? macroOn(policy, input.today);
    const setting = { facts, model, policy, macro, today: input.today, prepaidFinanceCharge: ZERO };
    const deal = assessDeal({ contract: input.contract, term: input.term, moreDown: ZERO }, setting);
    if (isRefusal(deal)) throw new Error(deal.detail);
    return deal;
  });
}

test('in every grade as many loans default as were predicted to, within four standard errors', {
  timeout: 300_000,
}, () => {
  const size = process.env.TEST_LONG ? 2_000 : 300;
  const outcomes = livePortfolio(portfolio(size), model, { lives: process.env.TEST_LONG ? 100 : 40, seed: 5 });
  let worse = 0;
  for (const [grade, { loans, predicted, defaulted, error }] of outcomes) {
    expect(loans, grade).toBeGreaterThan(100);
    expect(Math.abs(defaulted - predicted), `grade ${grade}: predicted ${predicted}, lived ${defaulted}`).toBeLessThan(
      4 * error,
    );
    // A worse grade is worse in life too.
    expect(defaulted).toBeGreaterThan(worse);
    worse = defaulted;
  }
});
