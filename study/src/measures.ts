/** The usual measures of a risk model: how well it ranks, how well it counts, and whether its population has moved. */

/** A loan with what was predicted of it and what became of it. A higher prediction is a higher risk. */
export type Observed = { readonly predicted: number; readonly bad: boolean };

/**
 * Kolmogorov–Smirnov: the largest distance between the distributions of the bad and of the good loans, 0 to 1. Loans with the same
 * prediction are counted together, so that their order does not matter.
 */
export function kolmogorovSmirnov(loans: readonly Observed[]): number {
  const { bad, good } = counts(loans);
  let [badSoFar, goodSoFar, most] = [0, 0, 0];
  for (const step of stepsOf(loans)) {
    badSoFar += step.bad;
    goodSoFar += step.good;
    most = Math.max(most, Math.abs(badSoFar / bad - goodSoFar / good));
  }
  return most;
}

/** The probability that a bad loan was given a higher risk than a good one; a tie counts half. */
export function areaUnderCurve(loans: readonly Observed[]): number {
  const { bad, good } = counts(loans);
  let [goodBelow, pairs] = [0, 0];
  for (const step of stepsOf(loans)) {
    pairs += step.bad * (goodBelow + step.good / 2);
    goodBelow += step.good;
  }
  return pairs / (bad * good);
}

/** 0: no better than chance. 1: every bad loan was ranked above every good one. */
export function gini(loans: readonly Observed[]): number {
  return 2 * areaUnderCurve(loans) - 1;
}

function counts(loans: readonly Observed[]): { bad: number; good: number } {
  const bad = loans.filter((loan) => loan.bad).length;
  const good = loans.length - bad;
  if (bad === 0 || good === 0) throw new RangeError('Ranking is measured on good and bad loans together.');
  return { bad, good };
}

/** From the lowest prediction to the highest: how many bad and good loans have it. */
function stepsOf(loans: readonly Observed[]): { bad: number; good: number }[] {
  const steps = new Map<number, { bad: number; good: number }>();
  for (const { predicted, bad } of [...loans].sort((a, b) => a.predicted - b.predicted)) {
    const step = steps.get(predicted) ?? { bad: 0, good: 0 };
    steps.set(predicted, step);
    if (bad) step.bad += 1;
    else step.good += 1;
  }
  return [...steps.values()];
}

export type Tenth = {
  readonly loans: number;
  /** Mean prediction and share of bad loans. */
  readonly predicted: number;
  readonly observed: number;
  /** One standard deviation of `observed` if the predictions are right. */
  readonly error: number;
};

/** Loans in ten parts of equal size by prediction, the lowest risk first. */
export function byTenths(loans: readonly Observed[], parts = 10): Tenth[] {
  const sorted = [...loans].sort((a, b) => a.predicted - b.predicted);
  return Array.from({ length: parts }, (_, n) => {
    const part = sorted.slice(Math.floor((n * sorted.length) / parts), Math.floor(((n + 1) * sorted.length) / parts));
    const sum = (of: (loan: Observed) => number) => part.reduce((all, loan) => all + of(loan), 0);
    return {
      loans: part.length,
      predicted: sum(({ predicted }) => predicted) / part.length,
      observed: sum(({ bad }) => (bad ? 1 : 0)) / part.length,
      error: Math.sqrt(sum(({ predicted }) => predicted * (1 - predicted))) / part.length,
    };
  });
}

/**
 * Population stability index of a figure: Σ (now − then) · ln(now ÷ then) over the tenths of the earlier population. Below 0.1 it is
 * usually taken as stable, above 0.25 as another population. An empty part counts as half a member.
 */
export function stabilityIndex(then: readonly number[], now: readonly number[], parts = 10): number {
  if (then.length === 0 || now.length === 0) throw new RangeError('Stability is measured on two populations.');
  const cuts = cutsOf(then, parts);
  const [before, after] = [sharesOf(then, cuts), sharesOf(now, cuts)];
  return before.reduce(
    (sum, share, i) => sum + ((after[i] as number) - share) * Math.log((after[i] as number) / share),
    0,
  );
}

/** The upper ends of all parts but the last, without repetitions. */
function cutsOf(figures: readonly number[], parts: number): number[] {
  const sorted = [...figures].sort((a, b) => a - b);
  const ends = Array.from({ length: parts - 1 }, (_, n) => sorted[Math.ceil(((n + 1) * sorted.length) / parts) - 1]);
  return [...new Set(ends as number[])];
}

function sharesOf(figures: readonly number[], cuts: readonly number[]): number[] {
  const members = new Array<number>(cuts.length + 1).fill(0);
  for (const figure of figures) {
    const at = cuts.findIndex((cut) => figure <= cut);
    const part = at < 0 ? cuts.length : at;
    members[part] = (members[part] as number) + 1;
  }
  return members.map((count) => Math.max(count, 0.5) / figures.length);
}
