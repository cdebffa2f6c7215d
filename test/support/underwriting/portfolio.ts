/**
 * Loans simulated by the model's hazards: each month a random number decides whether a loan stops paying, then whether it is prepaid.
 * The outcomes of many are compared with the predictions, by grade.
 */
import fc from 'fast-check';
import type { Hazards } from '../../../src/core/forecast.ts';
import { GRADES, type Grade } from '../../../src/core/grade.ts';
import type { AssessedDeal } from '../../../src/underwriting/deal.ts';
import { dealLogOdds, effectsOf, hazardsOf, incentiveOf, type Model, sumOf } from '../../../src/underwriting/score.ts';
import { anyFigures } from './applicants.ts';
import { requested } from './deals.ts';

/** The requested deals of random applicants, by the service's own model and policy. */
export function randomPortfolio(size: number): AssessedDeal[] {
  return fc.sample(anyFigures, { numRuns: size, seed: 11 }).map((figures) => requested(figures));
}

/** Small, fast and the same everywhere (mulberry32): numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Outcome = {
  readonly loans: number;
  readonly predicted: number;
  readonly defaulted: number;
  readonly error: number;
};

/** By grade: the mean prediction, the share that defaulted, and the standard deviation of their difference (one sigma). */
export function livePortfolio(
  deals: readonly AssessedDeal[],
  model: Model,
  { lives, seed }: { lives: number; seed: number },
): Map<Grade, Outcome> {
  const random = randomNumbers(seed);
  const sums = new Map(GRADES.map((grade) => [grade, { loans: 0, predicted: 0, defaulted: 0, variance: 0 }]));
  for (const deal of deals) {
    const hazards = hazardsFor(deal, model);
    const sum = sums.get(deal.grade);
    if (sum === undefined) throw new Error('No such grade.');
    for (let n = 0; n < lives; n++) {
      sum.loans += 1;
      sum.predicted += deal.defaultProbability;
      sum.variance += deal.defaultProbability * (1 - deal.defaultProbability);
      if (defaults(hazards, random)) sum.defaulted += 1;
    }
  }
  return new Map(
    [...sums].map(([grade, { loans, predicted, defaulted, variance }]) => [
      grade,
      { loans, predicted: predicted / loans, defaulted: defaulted / loans, error: Math.sqrt(variance) / loans },
    ]),
  );
}

function hazardsFor(deal: AssessedDeal, model: Model): Hazards {
  const months = deal.forecast.rows.filter(
    ({ scheduledPrincipal, scheduledInterest }) => scheduledPrincipal + scheduledInterest > 0,
  );
  const prepay = sumOf(effectsOf(deal.features, model.prepay.features));
  const logOdds = {
    default: dealLogOdds(model, deal.effects),
    prepay: prepay + incentiveOf(model, deal.grade, deal.rate - deal.sheet.uncappedRate),
  };
  return hazardsOf(model, logOdds, months.at(-1)?.month ?? 1);
}

function defaults(hazards: Hazards, random: () => number): boolean {
  for (let i = 0; i < hazards.default.length; i++) {
    if (random() < (hazards.default[i] as number)) return true;
    if (random() < (hazards.prepay[i] as number)) return false;
  }
  return false;
}

/** Predicted and simulated, a bar of one character for each percent. */
export function plot(outcomes: ReadonlyMap<Grade, Outcome>): string {
  const bar = (share: number, mark: string) => mark.repeat(Math.max(1, Math.round(share * 100)));
  const percent = (share: number) => `${(share * 100).toFixed(2).padStart(5)} %`;
  return [...outcomes]
    .flatMap(([grade, { loans, predicted, defaulted }]) => [
      `${grade}  predicted ${percent(predicted)} ${bar(predicted, '░')}`,
      `   simulated ${percent(defaulted)} ${bar(defaulted, '█')}  (${loans.toLocaleString('en-US')} loans)`,
    ])
    .join('\n');
}
