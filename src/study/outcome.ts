/** What a version of the model and the policy makes of an application, as the few figures that studies add up. */
import type { Grade } from '../core/grade.ts';
import type { Cents } from '../core/money.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import type { AssessedDeal } from '../underwriting/deal.ts';
import { assessRequested, type UnderwritingInput, underwrite } from '../underwriting/underwrite.ts';
import type { Versions } from './versions.ts';

export type Outcome = {
  /** `countered`: not as requested, but another of the sixty deals can be offered. */
  readonly decision: 'approved' | 'countered' | 'declined';
  /** The rules that decline the requested deal, each once, in the order of the policy. */
  readonly rules: readonly string[];
  /** Of the deal that would be made: the requested one, or the counter-offer. */
  readonly deal: DealFigures;
};

export type DealFigures = {
  readonly grade: Grade;
  readonly defaultProbability: number;
  readonly amount: Cents;
  readonly paidOut: Cents;
  /** Percent a year. */
  readonly rate: number;
  readonly expectedLoss: Cents;
  readonly netYieldPercent: number;
};

/** With `counterOffers` all sixty deals are assessed, which takes some sixty times as long. */
export function outcomeOf(
  input: UnderwritingInput,
  versions: Versions,
  { counterOffers }: { counterOffers: boolean },
): Outcome | Refusal {
  const asked = { ...input, ...versions };
  if (!counterOffers) {
    const deal = assessRequested(asked);
    return isRefusal(deal) ? deal : outcome(deal, undefined);
  }
  const assessed = underwrite(asked);
  if (isRefusal(assessed)) return assessed;
  const [requested] = assessed.assessed as readonly [AssessedDeal];
  return outcome(
    requested,
    assessed.assessed.find(({ decision }) => decision === 'APPROVED'),
  );
}

function outcome(requested: AssessedDeal, offered: AssessedDeal | undefined): Outcome {
  const approved = requested.decision === 'APPROVED';
  return {
    decision: approved ? 'approved' : offered === undefined ? 'declined' : 'countered',
    rules: [...new Set(requested.findings.reasons.map(({ rule }) => rule))],
    deal: figuresOf(approved ? requested : (offered ?? requested)),
  };
}

function figuresOf({ grade, defaultProbability, contract, dealer, rate, forecast, price }: AssessedDeal): DealFigures {
  return {
    grade,
    defaultProbability,
    amount: contract.amount,
    paidOut: dealer.funded,
    rate,
    expectedLoss: forecast.totals.netLoss,
    netYieldPercent: price.compoundingNetIrr * 100,
  };
}
