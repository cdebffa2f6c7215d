/** Single deals of made-up applicants, assessed by the service's own model and policy: much faster than a decision on sixty. */
import { cents, ZERO } from '../../../src/core/money.ts';
import { isRefusal } from '../../../src/core/refusal.ts';
import { type AssessedDeal, openDeals, type Setting, settingFor } from '../../../src/underwriting/deal.ts';
import { readFacts } from '../../../src/underwriting/facts.ts';
import { MODELS } from '../../../src/underwriting/model-data.ts';
import { type LendingPolicy, lowestScore } from '../../../src/underwriting/policy.ts';
import { POLICIES } from '../../../src/underwriting/policy-data.ts';
import type { Sheet } from '../../../src/underwriting/rate-sheet.ts';
import type { Model } from '../../../src/underwriting/score.ts';
import type { UnderwritingInput } from '../../../src/underwriting/underwrite.ts';
import { type Figures, inputOf } from './applicants.ts';

type Change = Partial<UnderwritingInput>;

function settingOf(input: UnderwritingInput): Setting {
  const { model = MODELS[0] as Model, policy = POLICIES[0] as LendingPolicy } = input;
  const unknownAs = { unscoredAs: lowestScore(policy), leastHousing: cents(policy.leastHousing) };
  const facts = readFacts({ ...input, amount: input.contract.amount, ...unknownAs });
  if (isRefusal(facts)) throw new Error(facts.detail);
  const { today, term, markupCap = null, prepaidFinanceCharge = ZERO } = input;
  return settingFor({ facts, model, policy, today, prepaidFinanceCharge, term, markupCap });
}

/** The requested deal. */
export function requested(figures: Figures, change: Change = {}): AssessedDeal {
  const input = { ...inputOf(figures), ...change };
  const deal = openDeals(settingOf(input)).assess({ contract: input.contract, term: input.term, moreDown: ZERO });
  if (isRefusal(deal)) throw new Error(deal.detail);
  return deal;
}

/** Its rate sheet alone. */
export function sheetOf(figures: Figures, change: Change = {}): Sheet {
  const input = { ...inputOf(figures), ...change };
  return openDeals(settingOf(input)).sheetOf({ contract: input.contract, term: input.term, moreDown: ZERO });
}
