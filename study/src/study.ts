/**
 * The whole study: populations, their assessment, the comparison with published ranges, the measures out of time. It is a generator, so
 * that a caller can show how far it is: it yields the number of applications assessed so far.
 */
import { date, type PlainDate } from '../../src/core/calendar.ts';
import { inEconomy } from '../../src/underwriting/macro.ts';
import { MODELS } from '../../src/underwriting/model-data.ts';
import { POLICIES } from '../../src/underwriting/policy-data.ts';
import { inForce } from '../../src/underwriting/score.ts';
import { type Assessed, assess, quotedRate } from './assess.ts';
import {
  type BandFigures,
  byBand,
  type Compared,
  compared,
  type Performance,
  performanceOf,
  RECESSION,
} from './calibration.ts';
import type { FitOptions } from './fit.ts';
import { type Applicant, population } from './population.ts';

export type StudyOptions = { readonly size: number; readonly seed: string };

export type Study = StudyOptions & {
  readonly modelVersion: string;
  readonly policyVersion: string;
  readonly on: PlainDate;
  readonly bands: readonly BandFigures[];
  readonly compared: readonly Compared[];
  readonly performance: readonly Performance[];
  /** Share of the scores in steps of 40 points, from 480 on: percent, of the development population and of the later one. */
  readonly scores: {
    readonly from: readonly number[];
    readonly before: readonly number[];
    readonly now: readonly number[];
  };
};

/** Developed on applications of one year, tested on those of another and its economy. */
const DEVELOPED = date('2024-06-15');
const TESTED = date('2026-01-15');

/** The sample whose bands stand beside published figures, and by which a model is fitted. */
export function studiedSample({ size, seed }: StudyOptions): FitOptions {
  return { size, seed: `${seed} later`, on: TESTED };
}

/** The number of applications that a study assesses. */
export function workOf({ size }: StudyOptions): number {
  return size * 3;
}

export function* study(options: StudyOptions): Generator<number, Study> {
  const { size, seed } = options;
  let done = 0;
  function* assessed(applicants: readonly Applicant[]): Generator<number, Assessed[]> {
    const list: Assessed[] = [];
    for (const applicant of applicants) {
      list.push(assess(applicant));
      done += 1;
      yield done;
    }
    return list;
  }
  const development = yield* assessed(
    population({ size, seed: `${seed} development`, on: DEVELOPED, rateOf: quotedRate }),
  );
  const later = yield* assessed(population({ ...studiedSample(options), rateOf: quotedRate }));
  const policy = inEconomy(inForce(POLICIES, TESTED), TESTED, RECESSION);
  const inRecession = yield* assessed(
    later.map(({ applicant }) => ({ ...applicant, input: { ...applicant.input, policy } })),
  );
  const bands = byBand(later);
  const fewerPrime = later.filter(({ applicant }, n) => (applicant.score ?? 0) < 720 || n % 3 === 0);
  const samples = [
    { name: 'Development', on: DEVELOPED, loans: development },
    { name: 'Out of time', on: TESTED, loans: later },
    { name: 'Out of time, an unforeseen recession', on: TESTED, loans: later, world: inRecession },
    { name: 'Out of time, two thirds of the prime applicants lost', on: TESTED, loans: fewerPrime },
  ];
  return {
    ...options,
    modelVersion: inForce(MODELS, TESTED).version,
    policyVersion: inForce(POLICIES, TESTED).version,
    on: TESTED,
    bands,
    compared: compared(bands),
    performance: samples.map((sample) => performanceOf(sample, development)),
    scores: scoresOf(development, later),
  };
}

const STEPS = Array.from({ length: 9 }, (_, n) => 480 + n * 40);

function scoresOf(before: readonly Assessed[], now: readonly Assessed[]): Study['scores'] {
  const shares = (loans: readonly Assessed[]) =>
    STEPS.map((from, n) => {
      const upTo = STEPS[n + 1] ?? Number.POSITIVE_INFINITY;
      const least = n === 0 ? 0 : from;
      const inside = loans.filter(({ applicant: { score } }) => score !== null && score >= least && score < upTo);
      return (100 * inside.length) / loans.length;
    });
  return { from: STEPS, before: shares(before), now: shares(now) };
}
