/**
 * The model beside published figures, by score band; and its measures on simulated portfolios: on the population it is shown for, on
 * another one at another time, and in a recession that it did not foresee.
 */
import { seededRandom } from '../../src/bureau/simulator/random.ts';
import type { PlainDate } from '../../src/core/calendar.ts';
import type { Macro } from '../../src/underwriting/policy.ts';
import type { Assessed } from './assess.ts';
import { BANDS, type Band, type ScoreBand } from './bands.ts';
import { type Expected, expectedOf } from './expected.ts';
import { byTenths, gini, kolmogorovSmirnov, type Observed, stabilityIndex, type Tenth } from './measures.ts';
import { absoluteSpeed, defaults, monthsOf, mortality } from './outcomes.ts';

/** Percent throughout. */
export type BandFigures = {
  readonly band: Band;
  readonly loans: number;
  readonly netLoss: number;
  readonly speed: number;
  readonly severity: number;
  readonly lossBy12: number;
  readonly lossBy24: number;
  readonly lossBy36: number;
  readonly defaultProbability: number;
  /** Cumulative share of the net loss, and the speed, by month from 1 on. */
  readonly lossCurve: readonly number[];
  readonly speedCurve: readonly number[];
};

const FIGURE_NAMES = ['netLoss', 'speed', 'severity', 'lossBy12', 'lossBy24', 'lossBy36'] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** The months of the curves: as long as the longest term, and until its last recoveries. */
const CURVE_MONTHS = 84;
const SPEED_MONTHS = 60;
/** Over which the speed of a band is averaged: after the first half year, before the pool is small. */
const [SPEED_FROM, SPEED_TO] = [6, 36];

export function figuresOf(band: Band, loans: readonly Assessed[]): BandFigures {
  const forecasts = loans.map(({ deal }) => deal.forecast);
  const sum = (of: (loan: Assessed) => number) => loans.reduce((all, loan) => all + of(loan), 0);
  const lent = sum(({ deal }) => deal.contract.amount);
  const chargedOff = sum(({ deal }) => deal.forecast.totals.chargedOff);
  const netLoss = sum(({ deal }) => deal.forecast.totals.netLoss);
  const lost = new Array<number>(CURVE_MONTHS + 1).fill(0);
  for (const { rows } of forecasts) {
    for (const { month, chargedOff: off, recovered } of rows) {
      const at = Math.min(month, CURVE_MONTHS);
      lost[at] = (lost[at] as number) + off - recovered;
    }
  }
  let soFar = 0;
  const lossCurve = lost.slice(1).map((amount) => {
    soFar += amount;
    return (100 * soFar) / netLoss;
  });
  const pool = forecasts.map(monthsOf);
  const speedCurve = Array.from({ length: SPEED_MONTHS }, (_, i) => absoluteSpeed(mortality(pool, i + 1), i + 1));
  const measured = speedCurve.slice(SPEED_FROM - 1, SPEED_TO);
  return {
    band,
    loans: loans.length,
    netLoss: (100 * netLoss) / lent,
    speed: measured.reduce((all, speed) => all + speed, 0) / measured.length,
    severity: (100 * netLoss) / chargedOff,
    lossBy12: lossCurve[11] as number,
    lossBy24: lossCurve[23] as number,
    lossBy36: lossCurve[35] as number,
    defaultProbability: (100 * sum(({ deal }) => deal.defaultProbability)) / loans.length,
    lossCurve,
    speedCurve,
  };
}

/** The bands of scores, the best first; a band that nobody is in is left out. */
export function byBand(population: readonly Assessed[]): BandFigures[] {
  return BANDS.flatMap(({ name }) => {
    const loans = population.filter(({ applicant }) => applicant.band === name);
    return loans.length === 0 ? [] : [figuresOf(name, loans)];
  });
}

export type Compared = {
  readonly band: ScoreBand;
  readonly figure: FigureName;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly within: boolean;
};

/** Every figure of every band beside its published range. */
export function compared(bands: readonly BandFigures[]): Compared[] {
  return bands.flatMap((figures) => {
    if (figures.band === 'no score') return [];
    const band = figures.band;
    const expected: Expected = expectedOf(band);
    return FIGURE_NAMES.map((figure) => {
      const { low, high } = expected[figure];
      const value = figures[figure];
      return { band, figure, value, low, high, within: value >= low && value <= high };
    });
  });
}

// ---- outcomes ----

/** Simulated outcomes of each loan: with several, chance weighs less than the differences between loans. */
const LIVES = 10;

/**
 * Loans as predicted, and as they turn out when they live by `world`: the same loans in the economy that comes. Without it the economy
 * is the one that was foreseen.
 */
export function liveOn(
  predicted: readonly Assessed[],
  seed: string,
  world: readonly Assessed[] = predicted,
): Observed[] {
  return predicted.flatMap(({ deal }, n) => {
    const of = seededRandom(`${seed} ${n}`, 'outcome');
    const months = monthsOf((world[n] as Assessed).deal.forecast);
    return Array.from({ length: LIVES }, () => ({
      predicted: deal.defaultProbability,
      bad: defaults(months, of),
    }));
  });
}

export type Performance = {
  readonly name: string;
  readonly on: PlainDate;
  readonly loans: number;
  readonly predicted: number;
  readonly observed: number;
  readonly ks: number;
  readonly gini: number;
  /** Against the development population: of the score, and of the default probability. */
  readonly scoreStability: number;
  readonly riskStability: number;
  readonly tenths: readonly Tenth[];
};

export type Sample = {
  readonly name: string;
  readonly on: PlainDate;
  readonly loans: readonly Assessed[];
  /** The same loans in the economy that comes; the foreseen one unless given. */
  readonly world?: readonly Assessed[];
};

export function performanceOf({ name, on, loans, world }: Sample, development: readonly Assessed[]): Performance {
  const observed = liveOn(loans, name, world);
  const mean = (of: (loan: Observed) => number) => observed.reduce((sum, loan) => sum + of(loan), 0) / observed.length;
  return {
    ...{ name, on, loans: observed.length },
    predicted: mean(({ predicted }) => predicted),
    observed: mean(({ bad }) => (bad ? 1 : 0)),
    ks: kolmogorovSmirnov(observed),
    gini: gini(observed),
    scoreStability: stabilityIndex(scoresOf(development), scoresOf(loans)),
    riskStability: stabilityIndex(risksOf(development), risksOf(loans)),
    tenths: byTenths(observed),
  };
}

function scoresOf(loans: readonly Assessed[]): number[] {
  return loans.flatMap(({ applicant }) => (applicant.score === null ? [] : [applicant.score]));
}

function risksOf(loans: readonly Assessed[]): number[] {
  return loans.map(({ deal }) => deal.defaultProbability);
}

/** An economy that the model did not foresee: unemployment as at the end of 2009. */
export const RECESSION: Macro = { unemployment: 9.9, cpi: 2.7, fedRate: 0.12 };
