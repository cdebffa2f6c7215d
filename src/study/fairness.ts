/**
 * Fair lending over a simulated population: what the model and the policy make of two proxy groups. A fair lending analysis infers such
 * groups from names and addresses; here they are drawn with the applicants (`population.ts`), and differ in what comes before the
 * application: credit files and incomes. Nothing that underwriting reads tells the group. Three questions are asked:
 *
 * - How different are the outcomes? Approval (adverse impact ratio), price, reasons.
 * - How much of it remains between applicants alike in what may be considered? The effect of the group by regression, before and after.
 * - What does most of it? Each rule and each feature left out in turn, with what that costs in losses.
 */
import { isRefusal } from '../core/refusal.ts';
import type { AssessedDeal } from '../underwriting/deal.ts';
import { incomeIn } from '../underwriting/facts.ts';
import { principalStatements } from '../underwriting/reasons.ts';
import { assessRequested, type UnderwritingInput } from '../underwriting/underwrite.ts';
import { BANDS } from './bands.ts';
import { type Alternative, alternatives } from './fairness-alternatives.ts';
import { type Applicant, GROUPS, type Group } from './population.ts';
import { averageEffect, type Estimate, type Fit, leastSquares, logistic } from './regression.ts';
import { mean, NORMAL_95, ratioOfShares, standardizedDifference, variance } from './statistics.ts';
import type { Versions } from './versions.ts';

/** An applicant with what was decided. */
export type Subject = {
  readonly group: Group;
  readonly approved: boolean;
  readonly rules: readonly string[];
  readonly statements: readonly string[];
  /** Percent a year: the lowest rate that the lender offers for this risk, and the rate asked for. */
  readonly buyRate: number;
  readonly askedRate: number;
  readonly amount: number;
  readonly expectedLoss: number;
  readonly factors: Readonly<Record<Factor, number | null>>;
};

/** What a lender may consider, by the names of the report. */
export const FACTORS = {
  score: 'Credit score',
  ltv: 'Loan to value, %',
  income: 'Income a month, $',
  dti: 'Debt to income, %',
  term: 'Term, months',
  vehicleAge: 'Vehicle age, years',
} as const;
export type Factor = keyof typeof FACTORS;

export type FairLending = {
  readonly applicants: number;
  readonly groups: Readonly<Record<Group, GroupFigures>>;
  /** Approval of group B over that of group A, with its interval of 95 percent. */
  readonly adverseImpact: { readonly ratio: number; readonly low: number; readonly high: number } | null;
  readonly differences: {
    readonly factor: Factor;
    readonly A: number | null;
    readonly B: number | null;
    readonly standardized: number | null;
  }[];
  readonly price: { readonly buyRate: Difference; readonly askedRate: Difference };
  readonly effects: readonly Effect[];
  /** Of all applicants of a group, how many were given each statement, the most frequent first. */
  readonly reasons: readonly { readonly statement: string; readonly A: number; readonly B: number }[];
  readonly alternatives: readonly Alternative[];
  /** Applications decided again with the name, address, age and sex of somebody else: how many came out differently in any figure. */
  readonly redecided: { readonly applications: number; readonly changed: number };
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

/** How being in group B changes the outcome: share of approvals (1 is all), or points of a rate. `error`: null where it is not known. */
export type GroupEffect = { readonly effect: number; readonly error: number | null };

export function fairLending(
  applicants: readonly Applicant[],
  versions: Versions,
  progress: (part: string, done: number, total: number) => void = () => {},
): FairLending {
  const decided = (using: Versions, part: string) =>
    applicants.map((applicant, i) => {
      progress(part, i, applicants.length);
      return subjectOf(applicant, requested(applicant.input, using));
    });
  const subjects = decided(versions, 'decision');
  const of = (group: Group) => subjects.filter((subject) => subject.group === group);
  const approvals = (group: Group) => ({
    count: of(group).filter(({ approved }) => approved).length,
    of: of(group).length,
  });
  return {
    applicants: subjects.length,
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
    alternatives: alternatives(subjects, versions, (using, name) => decided(using, `without ${name}`)),
    redecided: decideAgain(applicants, versions, progress),
  };
}

// ---- decisions ----

function requested(input: UnderwritingInput, versions: Versions): AssessedDeal {
  const deal = assessRequested({ ...input, ...versions });
  if (isRefusal(deal)) throw new Error(`A simulated application cannot be assessed: ${deal.detail}`);
  return deal;
}

function subjectOf({ group, input, score }: Applicant, deal: AssessedDeal): Subject {
  const { reasons } = deal.findings;
  return {
    group,
    approved: deal.decision === 'APPROVED',
    rules: [...new Set(reasons.map(({ rule }) => rule))],
    statements: principalStatements(reasons),
    buyRate: deal.sheet.buyRate,
    askedRate: deal.rate,
    amount: deal.contract.amount,
    expectedLoss: deal.forecast.totals.netLoss,
    factors: {
      score,
      ltv: deal.ratios.ltv * 100,
      income: (incomeIn(input.request) ?? 0) / 100,
      dti: deal.ratios.dti * 100,
      term: deal.term,
      vehicleAge: deal.features.vehicleAge,
    },
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
  const average = (rows: readonly (readonly number[])[]): GroupEffect | null => {
    const effect = averageEffect(rows, logistic(rows, approved), GROUP);
    return effect === null ? null : { effect, error: null };
  };
  return [
    linear('approval', approved),
    { on: 'approval', by: 'logistic', before: average(alone), after: average(controlled) },
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

// ---- decided again as somebody else ----

/** What a proxy for a group is usually made of. None of it is read by underwriting, except that a minor cannot sign. */
const SOMEBODY_ELSE = {
  ApplicantFirstName: 'Guadalupe',
  ApplicantLastName: 'Washington',
  ApplicantDOB: '19431224',
  ApplicantAge: '82',
  ApplicantAddress: '1 Other Street',
  ApplicantCity: 'Elsewhere',
  ApplicantZip: '60629',
  County: 'Cook',
  Sex: 'F',
  MaritalStatus: 'Separated',
  PreferredLanguage: 'es',
  EmploymentType: 'Retired',
  OtherIncomeType: 'Public assistance',
};

function decideAgain(
  applicants: readonly Applicant[],
  versions: Versions,
  progress: (part: string, done: number, total: number) => void,
): FairLending['redecided'] {
  let changed = 0;
  applicants.forEach(({ input }, i) => {
    progress('as somebody else', i, applicants.length);
    const request = input.request as { readonly ApplicantInfo: object };
    const other = { ...input, request: { ...request, ApplicantInfo: { ...request.ApplicantInfo, ...SOMEBODY_ELSE } } };
    if (JSON.stringify(requested(other, versions)) !== JSON.stringify(requested(input, versions))) changed += 1;
  });
  return { applications: applicants.length, changed };
}
