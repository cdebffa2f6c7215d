/**
 * Sets the level of a model by rule. Four dials are turned, and nothing else: the intercepts of default and of prepayment, which set their
 * level, and the two weights of the score, which set how both go with it. Their best place is where the net losses of all bands are nearest
 * to the usual loss of their pools, and their speeds to the middle of their ranges, each distance counted in half-widths of its range, on a
 * logarithmic scale. A loss counts as often as its band has pools, and a figure of any kind that is outside its range costs more than all
 * that. Every other weight, the baselines and the recovery stay as they are.
 *
 * The search goes from dial to dial in whole steps as long as that brings it nearer, so the same population leads to the same place on every
 * machine.
 */
import type { PlainDate } from '../../src/core/calendar.ts';
import type { FeatureWeight, Hazard, Model } from '../../src/underwriting/score.ts';
import { assess, quotedRate } from './assess.ts';
import { byBand, type Compared, compared } from './calibration.ts';
import { expectedOf } from './expected.ts';
import { population } from './population.ts';

/** By name, in steps: whole numbers, so that no place is met twice by different sums. */
export const DIALS = {
  'default.intercept': 0.05,
  'default.score': 0.01,
  'prepay.intercept': 0.05,
  'prepay.score': 0.01,
} as const;
export type DialName = keyof typeof DIALS;
const NAMES = Object.keys(DIALS) as DialName[];
export type Place = Readonly<Record<DialName, number>>;

export type FitOptions = { readonly size: number; readonly seed: string; readonly on: PlainDate };

export type Fitted = {
  readonly model: Model;
  readonly place: Place;
  readonly distance: number;
  readonly compared: readonly Compared[];
};

export function placeOf({ default: stops, prepay }: Model): Place {
  const steps = (name: DialName, value: number) => Math.round(value / DIALS[name]);
  return {
    'default.intercept': steps('default.intercept', stops.intercept),
    'default.score': steps('default.score', scoreOf(stops).weight),
    'prepay.intercept': steps('prepay.intercept', prepay.intercept),
    'prepay.score': steps('prepay.score', scoreOf(prepay).weight),
  };
}

export function valueAt(place: Place, name: DialName): number {
  return Math.round(place[name] * DIALS[name] * 1e4) / 1e4;
}

export function modelAt(model: Model, place: Place): Model {
  const turned = <T extends Hazard>(hazard: T, which: 'default' | 'prepay'): T => ({
    ...hazard,
    intercept: valueAt(place, `${which}.intercept`),
    features: hazard.features.map((feature) =>
      feature.name === 'score' ? { ...feature, weight: valueAt(place, `${which}.score`) } : feature,
    ),
  });
  return { ...model, default: turned(model.default, 'default'), prepay: turned(model.prepay, 'prepay') };
}

function scoreOf({ features }: Hazard): FeatureWeight {
  return features.find(({ name }) => name === 'score') as FeatureWeight;
}

/** A figure outside its range costs this much, and as much again for each half-width beyond its end. */
const OUTSIDE = 1_000;

/** The sum of the squares of the distances; zero: all losses are the usual ones, and all speeds in the middle of their ranges. */
export function distanceOf(figures: readonly Compared[]): number {
  let sum = 0;
  for (const { band, figure, value, low, high, within } of figures) {
    const middle = figure === 'netLoss' ? expectedOf(band).usualLoss : Math.sqrt(low * high);
    const away = Math.abs(Math.log(value / middle)) / (Math.log(high / low) / 2);
    if (figure === 'netLoss') sum += expectedOf(band).pools.length * away ** 2;
    if (figure === 'speed') sum += away ** 2;
    if (!within) sum += OUTSIDE * away;
  }
  return sum;
}

/** The comparison of a model on a population that is quoted its rates by that model. */
export function comparedBy(model: Model, { size, seed, on }: FitOptions): Compared[] {
  const people = population({ size, seed, on, rateOf: (input) => quotedRate({ ...input, model }) });
  return compared(byBand(people.map((applicant) => assess(applicant, { model }))));
}

/** Yields each place that is tried with its distance. */
export function* fitLevel(
  model: Model,
  options: FitOptions,
): Generator<{ readonly place: Place; readonly distance: number }, Fitted> {
  const known = new Map<string, number>();
  function* distanceAt(place: Place): Generator<{ place: Place; distance: number }, number> {
    const key = NAMES.map((name) => place[name]).join(' ');
    const before = known.get(key);
    if (before !== undefined) return before;
    const distance = distanceOf(comparedBy(modelAt(model, place), options));
    known.set(key, distance);
    yield { place, distance };
    return distance;
  }
  let place = placeOf(model);
  let distance = yield* distanceAt(place);
  for (const stride of [4, 2, 1]) {
    for (let moved = true; moved; ) {
      moved = false;
      for (const step of movesOf(stride)) {
        const there = Object.fromEntries(NAMES.map((name) => [name, place[name] + (step[name] ?? 0)])) as Place;
        if (there['default.score'] > 0 || there['prepay.score'] < 0) continue;
        const found = yield* distanceAt(there);
        if (found < distance) [place, distance, moved] = [there, found, true];
      }
    }
  }
  const fitted = modelAt(model, place);
  return { model: fitted, place, distance, compared: comparedBy(fitted, options) };
}

/** Each dial by itself, and a hazard's two together: its level and its slope make up for one another. */
function movesOf(stride: number): Partial<Place>[] {
  const [level, slope, speed, lean] = NAMES as [DialName, DialName, DialName, DialName];
  const moves: Partial<Place>[] = NAMES.flatMap((name) => [{ [name]: stride }, { [name]: -stride }]);
  for (const [one, other] of [
    [level, slope],
    [speed, lean],
  ] as const) {
    for (const sign of [1, -1])
      moves.push({ [one]: stride, [other]: sign * stride }, { [one]: -stride, [other]: sign * stride });
  }
  return moves;
}
