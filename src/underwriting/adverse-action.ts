/** Why an application is declined, where the reason lies in the credit file or in the model: in the words of a notice, never as a score. */
import type { CreditFacts } from './credit-facts.ts';
import { isThin } from './features.ts';
import { REASONS, type Reason, type ReasonCode } from './reasons.ts';
import type { Effect, Model } from './score.ts';

/** The only decision that may depend on age (12 CFR 1002.6(b)(2)). It is not a rule, because no policy can change it. */
export const NO_CAPACITY: Reason = {
  code: 'no-capacity',
  statement: REASONS['no-capacity'],
  rule: 'capacity-to-contract',
  detail: 'The applicant is under 18 by date of birth',
};

/** The reasons for a low score that the credit file shows. */
export function creditReasons(credit: CreditFacts, { thinFile }: Model): ReasonCode[] {
  if (!credit.hit) return ['no-credit-file'];
  const found: ReasonCode[] = [];
  if (credit.pastDueLines > 0 || credit.seriousLateLines > 0) found.push('delinquent-credit');
  if ((credit.utilisation ?? 0) > 0.5) found.push('balances-too-high');
  if ((credit.inquiries ?? 0) > 3) found.push('recent-inquiries');
  if (isThin(credit, thinFile)) found.push('limited-credit');
  return found.length > 0 ? found : ['credit-history'];
}

/** The features that count most against the borrower in the model; the score is replaced by the reasons behind it. */
export function modelReasons(model: Model, effects: readonly Effect[], credit: CreditFacts): ReasonCode[] {
  const against = effects
    .map(({ effect }, i) => ({ effect, reason: model.default.features[i]?.reason ?? null }))
    .filter(({ effect, reason }) => effect > 0 && reason !== null)
    .sort((a, b) => b.effect - a.effect)
    .flatMap(({ reason }) => (reason === 'credit-history' ? creditReasons(credit, model) : [reason as ReasonCode]));
  return against.length > 0 ? [...new Set(against)].slice(0, 4) : creditReasons(credit, model);
}
