/** The outcome of an application by a version of the model and the policy, as the few figures that studies add up. */
import type { Grade } from '../../src/core/grade.ts';
import type { Cents } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';
import type { AssessedDeal } from '../../src/underwriting/deal.ts';
import { assessRequested, type UnderwritingInput, underwrite } from '../../src/underwriting/underwrite.ts';
import type { Versions } from './versions.ts';

export type Outcome = {
  /** `countered`: not as requested, but on other terms. */
  readonly decision: 'approved' | 'countered' | 'declined';
  /** The rules that decline the requested deal, each once, in the order of the policy. */
  readonly rules: readonly string[];
  /** The deal that would be made: the requested one, or the counter-offer. */
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

/**
 * Deals that count besides the requested one. `none`: no other. `rate`: the same deal at the buy rate, because a version with another sheet
 * would otherwise decline every application for its rate alone. `any`: the first of the sixty deals that is approved; some sixty times slower.
 */
export const OFFERS = ['none', 'rate', 'any'] as const;
export type Offers = (typeof OFFERS)[number];

export function outcomeOf(input: UnderwritingInput, versions: Versions, offers: Offers): Outcome | Refusal {
  const deals = offers === 'any' ? sixtyDeals(input, versions) : withBuyRate(input, versions, offers);
  if (isRefusal(deals)) return deals;
  const [requested] = deals;
  const lent = deals.find(({ decision }) => decision === 'APPROVED');
  return {
    decision: lent === undefined ? 'declined' : lent === requested ? 'approved' : 'countered',
    rules: rulesOf(requested),
    deal: figuresOf(lent ?? requested),
  };
}

/** The rules that decline a deal, each once. */
export function rulesOf({ findings }: AssessedDeal): string[] {
  return [...new Set(findings.reasons.map(({ rule }) => rule))];
}

type Deals = readonly [requested: AssessedDeal, ...others: AssessedDeal[]];

function sixtyDeals(input: UnderwritingInput, versions: Versions): Deals | Refusal {
  const found = underwrite({ ...input, ...versions });
  return isRefusal(found) ? found : (found.assessed as unknown as Deals);
}

/** The requested deal and, where that is declined, the same at the buy rate. */
function withBuyRate(input: UnderwritingInput, versions: Versions, offers: 'none' | 'rate'): Deals | Refusal {
  const requested = assessRequested({ ...input, ...versions });
  if (isRefusal(requested)) return requested;
  if (offers === 'none' || requested.decision === 'APPROVED') return [requested];
  const other = atBuyRate(input, versions, requested);
  return isRefusal(other) ? [requested] : [requested, other];
}

/** The requested deal at the buy rate of its own sheet. */
export function atBuyRate(
  input: UnderwritingInput,
  versions: Versions,
  { sheet, rate }: AssessedDeal,
): AssessedDeal | Refusal {
  const buyRate = percent(sheet.buyRate.toFixed(2));
  // A payment that the contract names belongs to the requested rate.
  const contract = rate === sheet.buyRate ? input.contract : { ...input.contract, rate: buyRate, payment: null };
  return assessRequested({ ...input, ...versions, contract });
}

function figuresOf(deal: AssessedDeal): DealFigures {
  const { grade, defaultProbability, contract, paidOut, rate, forecast, netYieldPercent } = deal;
  return {
    grade,
    defaultProbability,
    amount: contract.amount,
    paidOut,
    rate,
    expectedLoss: forecast.totals.netLoss,
    netYieldPercent,
  };
}
