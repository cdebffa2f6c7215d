/** The requested deal of each applicant, assessed as the service does it, without the fifty-nine others. */
import { ZERO } from '../core/money.ts';
import { isRefusal } from '../core/refusal.ts';
import { type AssessedDeal, openDeals, settingFor } from '../underwriting/deal.ts';
import { readFacts } from '../underwriting/facts.ts';
import { MODELS } from '../underwriting/model-data.ts';
import type { LendingPolicy } from '../underwriting/policy.ts';
import { POLICIES } from '../underwriting/policy-data.ts';
import { inForce, type Model } from '../underwriting/score.ts';
import type { UnderwritingInput } from '../underwriting/underwrite.ts';
import type { Applicant } from './population.ts';

export type Assessed = { readonly applicant: Applicant; readonly deal: AssessedDeal };

/** The versions to study; those in force on the day of each application unless given. */
export type Versions = { readonly model?: Model; readonly policy?: LendingPolicy };

export function assess(applicant: Applicant, versions: Versions = {}): Assessed {
  const { deals, terms } = requested(applicant.input, versions);
  const deal = deals.assess(terms);
  if (isRefusal(deal)) throw new Error(deal.detail);
  return { applicant, deal };
}

/** The rate at which a dealer quotes the deal: the sheet's buy rate, and half of what a dealer may add. */
export function quotedRate(input: UnderwritingInput, versions: Versions = {}): number {
  const { deals, terms } = requested(input, versions);
  const { buyRate, highestOffer } = deals.sheetOf(terms);
  return Math.round((buyRate + highestOffer) * 50) / 100;
}

function requested(input: UnderwritingInput, versions: Versions) {
  const model = versions.model ?? inForce(MODELS, input.today);
  const policy = versions.policy ?? inForce(POLICIES, input.today);
  const facts = readFacts({ ...input, amount: input.contract.amount });
  if (isRefusal(facts)) throw new Error(facts.detail);
  const { today, term, macro, markupCap = null, prepaidFinanceCharge = ZERO } = input;
  const setting = settingFor({ facts, model, policy, macro, today, prepaidFinanceCharge, term, markupCap });
  return { deals: openDeals(setting), terms: { contract: input.contract, term, moreDown: ZERO } };
}
