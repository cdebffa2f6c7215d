import { expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { ZERO } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { openDeals, settingFor } from '../../src/underwriting/deal.ts';
import { readFacts } from '../../src/underwriting/facts.ts';
import { MODELS } from '../../src/underwriting/model-data.ts';
import type { LendingPolicy } from '../../src/underwriting/policy.ts';
import { POLICIES } from '../../src/underwriting/policy-data.ts';
import { type Effect, effectOf, type Model } from '../../src/underwriting/score.ts';
import type { UnderwritingInput } from '../../src/underwriting/underwrite.ts';
import { population } from './population.ts';

const [model, policy] = [MODELS[0] as Model, POLICIES[0] as LendingPolicy];

/** The model's effects for a requested deal at the buy rate, if its risk is at or slightly below the limit; null otherwise. */
function marginalEffects({ contract, ...input }: UnderwritingInput, limit: number): readonly Effect[] | null {
  const facts = readFacts({ ...input, amount: contract.amount, unscoredAs: 540 });
  if (isRefusal(facts) || facts.credit.score === null) return null;
  const { today, term } = input;
  const given = { facts, model, policy, today, term, prepaidFinanceCharge: ZERO, markupCap: null };
  const { sheetOf, assess } = openDeals(settingFor(given));
  const terms = { contract, term, moreDown: ZERO };
  const deal = assess({ ...terms, contract: { ...contract, rate: percent(sheetOf(terms).buyRate.toFixed(2)) } });
  if (isRefusal(deal) || deal.defaultProbability > limit || deal.defaultProbability < limit * 0.75) return null;
  return deal.effects;
}

test('the marginal applicant of the model is the average of those who are only just approved', () => {
  const limit = policy.rules.find(({ id }) => id === 'maximum-default-probability')?.limit as number;
  const people = population({ size: 1_300, seed: 'marginal', on: date('2026-01-15') });
  const marginal = people.flatMap(({ input }) => {
    const effects = marginalEffects(input, limit);
    return effects === null ? [] : [effects];
  });
  expect(marginal.length).toBeGreaterThan(60);
  for (const [i, weight] of model.default.features.entries()) {
    const stated = model.marginal[weight.name];
    if (stated === undefined) continue;
    const average = marginal.reduce((sum, effects) => sum + (effects[i]?.effect ?? 0), 0) / marginal.length;
    // In log-odds: a step and a half of what orders the reasons.
    expect(Math.abs(effectOf(weight, stated) - average), weight.name).toBeLessThan(0.15);
  }
});
