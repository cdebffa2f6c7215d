/** The requested deal of each applicant, assessed as the service does it, without the fifty-nine others. */
import { ZERO } from '../core/money.ts';
import { isRefusal } from '../core/refusal.ts';
import { type AssessedDeal, assessDeal } from '../underwriting/deal.ts';
import { readFacts } from '../underwriting/facts.ts';
import { MODELS } from '../underwriting/model-data.ts';
import { type LendingPolicy, macroOn } from '../underwriting/policy.ts';
import { POLICIES } from '../underwriting/policy-data.ts';
import { inForce, type Model } from '../underwriting/score.ts';
import type { UnderwritingInput } from '../underwriting/underwrite.ts';
import type { Applicant } from './population.ts';

export type Assessed = { readonly applicant: Applicant; readonly deal: AssessedDeal };

/** The versions to study; those in force on the day of each application unless given. */
export type Versions = { readonly model?: Model; readonly policy?: LendingPolicy };

export function assess(applicant: Applicant, versions: Versions = {}): Assessed {
  return { applicant, deal: requestedDeal(applicant.input, versions) };
}

function requestedDeal(input: UnderwritingInput, versions: Versions): AssessedDeal {
  const model = versions.model ?? inForce(MODELS, input.today);
  const policy = versions.policy ?? inForce(POLICIES, input.today);
  const facts = readFacts({ ...input, amount: input.contract.amount });
  if (isRefusal(facts)) throw new Error(facts.detail);
  const macro = input.macro ?? macroOn(policy, input.today);
  const setting = { facts, model, policy, macro, today: input.today, prepaidFinanceCharge: ZERO };
  const deal = assessDeal({ contract: input.contract, term: input.term, moreDown: ZERO }, setting);
  if (isRefusal(deal)) throw new Error(deal.detail);
  return deal;
}
