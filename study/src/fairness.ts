/**
 * Fair lending over a simulated population: what the model and the policy make of two proxy groups. A fair lending analysis infers such
 * groups from names and addresses; here they are drawn with the applicants (`population.ts`), and differ in what comes before the
 * application: credit files and incomes. Nothing that underwriting reads tells the group. Three questions are asked:
 *
 * - How different are the outcomes? Approval (adverse impact ratio), price, reasons.
 * - How much of it remains between applicants alike in what may be considered? The effect of the group by regression, before and after.
 * - What does most of it? Each rule and each feature left out in turn, with what that costs in losses.
 */
import { BANDS } from './bands.ts';
import { type Alternative, alternatives, weighing } from './fairness-alternatives.ts';
import { decideAgain, FACTORS, type Factor, type Redecided, type Subject, subjectOf } from './fairness-decisions.ts';
import { type Applicant, GROUPS, type Group } from './population.ts';
import { averageEffect, type Estimate, type Fit, leastSquares, logistic } from './regression.ts';
import { mean, NORMAL_95, ratioOfShares, standardizedDifference, variance } from './statistics.ts';
import type { Versions } from './versions.ts';

export type FairLending = {
  readonly applicants: number;
  readonly model: string;
  readonly policy: string;
  readonly groups: Readonly<Record<Group, GroupFigures>>;
  /** Approval of group B over that of group A, with its interval of 95 percent. */
  readonly adverseImpact: { readonly ratio: number; readonly low: number; readonly high: number } | null;
  readonly differences: {
    readonly factor: Factor;
    readonly A: number | null;
    readonly B: number | null;
    readonly standardized: number | null;
  }[];
  /** Approval by score, from the worst band to the best; a band that is empty in a group has null there. */
  readonly byBand: readonly { readonly band: string; readonly A: number | null; readonly B: number | null }[];
  readonly price: { readonly buyRate: Difference; readonly askedRate: Difference };
  readonly effects: readonly Effect[];
  /** The number of a group's applicants that were given each statement, the most frequent first. */
  readonly reasons: readonly { readonly statement: string; readonly A: number; readonly B: number }[];
  readonly alternatives: readonly Alternative[];
  /** Applications decided again with the name, address, age and sex of somebody else: how many came out differently in any figure. */
  readonly redecided: Redecided;
};

type GroupFigures = {
  readonly applicants: number;
  readonly approved: number;
  readonly buyRate: number | null;
  readonly askedRate: number | null;
};

/** Group B less group A, with its interval of 95 percent. Null: a group is empty. */
type Difference = { readonly difference: number; readonly low: number; readonly high: number } | null;

export type Effect = {
  readonly on: 'approval' | 'buyRate' | 'askedRate';
  readonly by: 'least squares' | 'logistic';
  readonly before: GroupEffect | null;
  readonly after: GroupEffect | null;
};

/** Change of the outcome by being in group B: share of approvals (1 is all), or points of a rate. `error`: null where it is not known. */
export type GroupEffect = { readonly effect: number; readonly error: number | null };

export function fairLending(
  applicants: readonly Applicant[],
  versions: Versions,
  progress: (done: number, total: number) => void = () => {},
): FairLending {
  // Once as it is, once without each feature, once as somebody else.
  const total = applicants.length * (2 + weighing(versions.model).length);
  let done = 0;
  const step = () => progress(done++, total);
  const decided = (using: Versions) =>
    applicants.map((applicant) => {
      step();
      return subjectOf(applicant, using);
    });
  const subjects = decided(versions);
  const of = (group: Group) => subjects.filter((subject) => subject.group === group);
  const approvals = (group: Group) => ({
    count: of(group).filter(({ approved }) => approved).length,
    of: of(group).length,
  });
  return {
    applicants: subjects.length,
    model: versions.model.version,
    policy: versions.policy.version,
    groups: { A: groupFigures(of('A')), B: groupFigures(of('B')) },
    adverseImpact: ratioOfShares(approvals('B'), approvals('A')),
    differences: (Object.keys(FACTORS) as Factor[]).map((factor) => {
      const values = (group: Group) => of(group).flatMap(({ factors }) => factors[factor] ?? []);
      return {
        factor,
        A: mean(values('A')),
        B: mean(values('B')),
        standardized: standardizedDifference(values('B'), values('A')),
      };
    }),
    byBand: BANDS.toReversed().map(({ name, from, to }) => {
      const share = (group: Group) => {
        const inBand = of(group).filter(
          ({ factors }) => factors.score !== null && factors.score >= from && factors.score <= to,
        );
        return mean(inBand.map(({ approved }) => (approved ? 1 : 0)));
      };
      return { band: name, A: share('A'), B: share('B') };
    }),
    price: {
      buyRate: differenceOf(
        of('B').map(({ buyRate }) => buyRate),
        of('A').map(({ buyRate }) => buyRate),
      ),
      askedRate: differenceOf(
        of('B').map(({ askedRate }) => askedRate),
        of('A').map(({ askedRate }) => askedRate),
      ),
    },
    effects: effectsOn(subjects),
    reasons: reasonsBy(of('A'), of('B')),
    alternatives: alternatives(subjects, versions, decided),
    redecided: decideAgain(applicants, versions, step),
  };
}

function groupFigures(subjects: readonly Subject[]): GroupFigures {
  return {
    applicants: subjects.length,
    approved: subjects.filter(({ approved }) => approved).length,
    buyRate: mean(subjects.map(({ buyRate }) => buyRate)),
    askedRate: mean(subjects.map(({ askedRate }) => askedRate)),
  };
}

function differenceOf(one: readonly number[], other: readonly number[]): Difference {
  const [a, b] = [mean(one), mean(other)];
  if (a === null || b === null) return null;
  const within = NORMAL_95 * Math.sqrt(variance(one) / one.length + variance(other) / other.length);
  return { difference: a - b, low: a - b - within, high: a - b + within };
}

function reasonsBy(a: readonly Subject[], b: readonly Subject[]): FairLending['reasons'] {
  const count = (subjects: readonly Subject[], statement: string) =>
    subjects.filter(({ statements }) => statements.includes(statement)).length;
  const all = [...new Set([...a, ...b].flatMap(({ statements }) => statements))];
  return all
    .map((statement) => ({ statement, A: count(a, statement), B: count(b, statement) }))
    .sort((one, other) => other.A + other.B - one.A - one.B || (one.statement < other.statement ? -1 : 1));
}

// ---- the effect of the group ----

/** The column of the group; the constant is before it. */
const GROUP = 1;

function effectsOn(subjects: readonly Subject[]): Effect[] {
  const alone = subjects.map((subject) => [1, isB(subject)]);
  const controlled = independent(subjects.map((subject) => [1, isB(subject), ...controlsOf(subject)]));
  const approved = subjects.map((subject) => (subject.approved ? 1 : 0));
  const linear = (on: Effect['on'], outcomes: readonly number[]): Effect => ({
    on,
    by: 'least squares',
    before: effectIn(leastSquares(alone, outcomes)),
    after: effectIn(leastSquares(controlled, outcomes)),
  });
  return [
    linear('approval', approved),
    {
      on: 'approval',
      by: 'logistic',
      before: logisticEffect(alone, approved),
      after: logisticEffect(controlled, approved),
    },
    linear(
      'buyRate',
      subjects.map(({ buyRate }) => buyRate),
    ),
    linear(
      'askedRate',
      subjects.map(({ askedRate }) => askedRate),
    ),
  ];
}

/**
 * A band whose applicants are all approved or all declined would have a coefficient without end. The group changes nothing there, so its
 * rows count as zero and are left out of the regression, as is usual.
 */
function logisticEffect(rows: readonly (readonly number[])[], outcomes: readonly number[]): GroupEffect | null {
  const isFlag = (j: number) => rows.every((row) => row[j] === 0 || row[j] === 1);
  const certain = (rows[0] ?? []).map((_, j) => {
    if (j <= GROUP || !isFlag(j)) return false;
    const found = new Set(outcomes.filter((__, i) => rows[i]?.[j] === 1));
    return found.size === 1;
  });
  const kept = rows.map((row) => !row.some((value, j) => certain[j] && value === 1));
  const open = rows.filter((_, i) => kept[i]).map((row) => row.filter((_, j) => !certain[j]));
  const fit = logistic(
    open,
    outcomes.filter((_, i) => kept[i]),
  );
  const effect = averageEffect(open, fit, GROUP);
  return effect === null ? null : { effect: (effect * open.length) / rows.length, error: null };
}

function isB({ group }: Subject): number {
  return group === GROUPS[1] ? 1 : 0;
}

function effectIn(fit: Fit): GroupEffect | null {
  const found: Estimate | undefined = fit?.[GROUP];
  return found === undefined ? null : { effect: found.coefficient, error: found.error };
}

/**
 * Approval and price do not follow the score in a straight line, so it counts by band and within the band; no score is a band of its own.
 * The units are chosen so that all columns are of about the same size.
 */
function controlsOf({ factors }: Subject): number[] {
  const { score, ltv, income, dti, term, vehicleAge } = factors;
  const bands = BANDS.slice(1).map(({ from, to }) => (score !== null && score >= from && score <= to ? 1 : 0));
  return [
    ...bands,
    score === null ? 1 : 0,
    score === null ? 0 : (score - 680) / 100,
    ...[(ltv ?? 0) / 100, (income ?? 0) / 10_000, (dti ?? 0) / 100, (term ?? 0) / 60, (vehicleAge ?? 0) / 10],
  ];
}

/** Without the columns that are the same in every row, such as a band that nobody is in. The first is the constant itself. */
function independent(rows: readonly (readonly number[])[]): number[][] {
  const first = rows[0] ?? [];
  const varies = first.map((value, j) => j <= GROUP || rows.some((row) => row[j] !== value));
  return rows.map((row) => row.filter((_, j) => varies[j]));
}
