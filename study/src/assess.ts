/** The requested deal of each applicant, assessed as the service does it, without the fifty-nine others. */
import { isRefusal } from '../../src/core/refusal.ts';
import type { AssessedDeal } from '../../src/underwriting/deal.ts';
import type { LendingPolicy } from '../../src/underwriting/policy.ts';
import type { Model } from '../../src/underwriting/score.ts';
import { assessRequested, type UnderwritingInput } from '../../src/underwriting/underwrite.ts';
import type { Applicant } from './population.ts';

export type Assessed = { readonly applicant: Applicant; readonly deal: AssessedDeal };

/** The versions to study; those in force on the day of each application unless given. */
export type Versions = { readonly model?: Model; readonly policy?: LendingPolicy };

export function assess(applicant: Applicant, versions: Versions = {}): Assessed {
  return { applicant, deal: requestedDeal({ ...applicant.input, ...versions }) };
}

/** The rate at which a dealer quotes the deal: the buy rate of its sheet, and half of what a dealer may add. */
export function quotedRate(input: UnderwritingInput): number {
  const { buyRate, highestOffer } = requestedDeal(input).sheet;
  return Math.round((buyRate + highestOffer) * 50) / 100;
}

function requestedDeal(input: UnderwritingInput): AssessedDeal {
  const deal = assessRequested(input);
  if (isRefusal(deal)) throw new Error(deal.detail);
  return deal;
}
