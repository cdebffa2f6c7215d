/** The requested deal of each applicant, assessed as the service does it, without the fifty-nine others. */
import { isRefusal } from '../core/refusal.ts';
import type { AssessedDeal } from '../underwriting/deal.ts';
import type { LendingPolicy } from '../underwriting/policy.ts';
import type { Model } from '../underwriting/score.ts';
import { assessRequested } from '../underwriting/underwrite.ts';
import type { Applicant } from './population.ts';

export type Assessed = { readonly applicant: Applicant; readonly deal: AssessedDeal };

/** The versions to study; those in force on the day of each application unless given. */
export type Versions = { readonly model?: Model; readonly policy?: LendingPolicy };

export function assess(applicant: Applicant, versions: Versions = {}): Assessed {
  const deal = assessRequested({ ...applicant.input, ...versions });
  if (isRefusal(deal)) throw new Error(deal.detail);
  return { applicant, deal };
}
