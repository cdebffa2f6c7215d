/**
 * The lending policy, as data: rules over a closed list of measures, each with the limit beyond which it declines, requires a
 * condition or warns. A policy has a version and a day from which it holds, and is checked as a whole when it is loaded
 * (`load-policy.ts`). Only a measure can be a rule: age, sex, marital status, ZIP code, county and the source of income are not measures.
 * It is longer than other files because measures, limits and the texts of both belong together.
 */
import { addDays, type PlainDate } from '../core/calendar.ts';
import { groupedText, shortestDecimal } from '../core/decimal.ts';
import type { Grade } from '../core/grade.ts';
import type { DemandKind, PolicyDemand, Waiver } from './demand-kinds.ts';
import { interpolated } from './interpolate.ts';
import {
  type Break,
  type Cause,
  inOrder,
  REASONS,
  type Reason,
  type ReasonCode,
  type RuleKind,
  reasonsToState,
} from './reasons.ts';

/** The measures, each with its name and format for people. */
export const MEASURES = {
  score: { name: 'Credit score', as: 'count' },
  scores: { name: 'Credit scores on file', as: 'count' },
  // People on the application, by what the bureau says about their files. A fraud alert is not a measure: no policy can decline for one.
  frozen: { name: 'Frozen credit files', as: 'count' },
  deceased: { name: 'People reported as deceased', as: 'count' },
  ssnNoMatch: { name: 'Social security numbers that do not match the file', as: 'count' },
  ssnPartial: { name: 'Social security numbers that match the file in part', as: 'count' },
  addressDiscrepancy: { name: 'Addresses that differ from the file', as: 'count' },
  dti: { name: 'Debt to income', as: 'ratio' },
  pti: { name: 'Payment to income', as: 'ratio' },
  ltv: { name: 'Loan to value', as: 'ratio' },
  frontEndLtv: { name: 'Loan to value without products', as: 'ratio' },
  productsToValue: { name: 'Products to value', as: 'ratio' },
  balloonToLoan: { name: 'Final payment to loan', as: 'ratio' },
  // For a deal that pays later than a level one; null for others.
  ltvOverTime: { name: 'Loan to value by what is owed over time', as: 'ratio' },
  deferredMonths: { name: 'First payment deferred by', as: 'months' },
  amount: { name: 'Loan amount', as: 'dollars' },
  income: { name: 'Monthly income', as: 'dollars' },
  term: { name: 'Term', as: 'months' },
  rate: { name: 'Rate', as: 'percent' },
  apr: { name: 'Annual percentage rate', as: 'percent' },
  // The rate and what prepaid finance charges add to it: the same as the rate where there are none.
  rateWithCharges: { name: 'Rate with all finance charges', as: 'percent' },
  pastDueLines: { name: 'Accounts past due', as: 'count' },
  seriousLateLines: { name: 'Accounts ever 90 days past due', as: 'count' },
  inquiries: { name: 'Inquiries in six months', as: 'count' },
  accounts: { name: 'Accounts', as: 'count' },
  vehicleAge: { name: 'Vehicle age', as: 'years' },
  mileage: { name: 'Mileage', as: 'miles' },
  defaultProbability: { name: 'Default probability', as: 'ratio' },
  standardDefault: { name: 'Default probability under the standard deal', as: 'ratio' },
  fairValue: { name: 'Fair value', as: 'dollars' },
  netYield: { name: 'Net yield', as: 'percent' },
} as const;

export type Measure = keyof typeof MEASURES;

/** The kind of the rules on a measure; rules on the other measures are about the person. */
const KINDS: Readonly<Partial<Record<Measure, RuleKind>>> = {
  ...{ dti: 'terms', pti: 'terms', ltv: 'terms', frontEndLtv: 'terms', productsToValue: 'terms', amount: 'terms' },
  ...{ balloonToLoan: 'terms', ltvOverTime: 'terms', deferredMonths: 'terms' },
  ...{ term: 'terms', vehicleAge: 'terms', mileage: 'terms' },
  ...{ defaultProbability: 'risk', standardDefault: 'risk' },
  ...{ rate: 'rate', apr: 'rate', rateWithCharges: 'rate', fairValue: 'worth', netYield: 'worth' },
};

/** Null: unknown; it breaks no rule. */
export type Measures = Readonly<Record<Measure, number | null>>;

export type Limit =
  | number
  | { readonly byGrade: Readonly<Record<Grade, number>> }
  /** The first entry whose `upTo` is at least the vehicle's age. */
  | { readonly byVehicleAge: readonly { readonly upTo: number; readonly limit: number }[] }
  /** The limit of the applicant's state on the day of the decision; other states have no limit here. */
  | { readonly byState: readonly StateLimit[] }
  /** A figure of the deal itself. */
  | { readonly ofDeal: DealBound };

/**
 * `buyRate` and `highestOffer`: of the rate sheet for this risk, without and with the dealer's participation; `markupCap`: of the lender's
 * policy, null without one; `paidOut`: all that the deal costs on its first day, in cents; `hurdle`: the lowest net yield, in percent.
 */
export const DEAL_BOUNDS = ['buyRate', 'highestOffer', 'markupCap', 'paidOut', 'hurdle'] as const;
export type DealBound = (typeof DEAL_BOUNDS)[number];
export type DealBounds = Readonly<Record<DealBound, number | null>>;

export type StateLimit = {
  readonly state: string;
  readonly from: PlainDate;
  /** The last day; null: until further notice. */
  readonly until: PlainDate | null;
  /** Null: as agreed. */
  readonly limit: number | null;
  readonly source: string;
  /** The day on which it was written down, and whether the lender has confirmed it by the text of the law. */
  readonly asOf: PlainDate;
  readonly status: 'unverified' | 'confirmed';
};

export type Rule = {
  readonly id: string;
  readonly measure: Measure;
  readonly breaks: 'above' | 'below';
  readonly limit: Limit;
  /** A decline by its reason; `score` and `model`: by the reasons for the low score, or the features that counted most in the model. */
  readonly outcome:
    | { readonly decline: ReasonCode | 'score' | 'model' }
    | { readonly demand: PolicyDemand }
    | { readonly warning: string };
};

/**
 * The cost of the best risks of a grade, in percent a year of the balance, what is asked of its loans, and the dealer's flat fee for a loan
 * of the grade, in cents.
 */
export type Pricing = {
  /** Collecting, and caring for those who are late. */
  readonly servicingPercent: number;
  /** The share of a loan that is the lender's own capital; the rest is borrowed. */
  readonly capitalPercent: number;
  /** The lowest net yield of a deal, in points above the cost of funds. */
  readonly hurdlePoints: number;
  /** Months: a loan over fewer has the rate of one over so many. */
  readonly shortestMonths: number;
  readonly dealerFlat: number;
};

/** The lender's cost of borrowed money by how long it is lent out on average, from a day on. */
export type FundsCurve = {
  readonly from: PlainDate;
  readonly source: string;
  readonly points: readonly { readonly months: number; readonly percent: number }[];
};

/** The cost of a loan on its first day, covered by a part of the rate, else by the dealer. */
export type Acquisition = {
  /** Cents, for examining and booking an application. */
  readonly originationCost: number;
  /** The part of every rate on the sheet that pays for it, in percent a year. */
  readonly ratePercent: number;
  /**
   * Limits on the cost that the dealer bears when the rate cannot cover it (a small or short loan, a state's cap): a fee in cents, then a
   * share of the loan.
   */
  readonly maximumFee: number;
  readonly maximumDiscountPercent: number;
};

/** The points that a dealer may add to the buy rate, and their share of what these are expected to bring. */
export type Dealer = {
  readonly markup: readonly { readonly upToMonths: number; readonly points: number }[];
  readonly sharePercent: number;
};

export type Macro = { readonly unemployment: number; readonly cpi: number; readonly fedRate: number };
export type MacroRow = Macro & { readonly from: PlainDate; readonly source: string };

export type LendingPolicy = {
  readonly version: string;
  readonly effectiveFrom: PlainDate;
  /** Rules about the terms that are exceeded by the same share are stated in this order. */
  readonly rules: readonly Rule[];
  /** Terms offered in addition to the requested one, in months, ascending. */
  readonly terms: readonly number[];
  /** The highest rate offered, in percent, where no state's cap is lower. */
  readonly highestRate: number;
  readonly pricing: Readonly<Record<Grade, Pricing>>;
  readonly funds: readonly FundsCurve[];
  /** The average time that money is lent out, as a share of the term: a loan is paid back month by month, and often early. */
  readonly averageLifeShare: number;
  /** The return on the lender's own capital, in points above the cost of borrowed money. */
  readonly targetReturnPoints: number;
  readonly acquisition: Acquisition;
  readonly dealer: Dealer;
  /** Percent of an advance above the vehicle's value that the dealer bears. */
  readonly excessAdvancePercent: number;
  /** Cents a month: a housing cost that is stated as less counts as this. */
  readonly leastHousing: number;
  /** Demands of every approval. */
  readonly demands: readonly PolicyDemand[];
  /** Demands that must be met before funding, beside those that the law asks for. */
  readonly beforeFunding: readonly DemandKind[];
  /** The scope that a waiver of a kind needs; absent: `underwriting:write`. Nobody may waive what the law asks for. */
  readonly waivedBy: Readonly<Partial<Record<DemandKind, Waiver>>>;
  /** Economic figures by the day from which they hold, in percent. */
  readonly macro: readonly MacroRow[];
  /** A cost of funds or an economic figure that is older on the day of a decision brings a warning. */
  readonly oldAfterDays: number;
};

export type Findings = {
  readonly reasons: readonly Reason[];
  /** Every rule that declines, also those whose reasons are not to be stated. */
  readonly declinedBy: readonly string[];
  readonly demands: readonly PolicyDemand[];
  readonly warnings: readonly string[];
};

export type Circumstances = {
  readonly grade: Grade;
  readonly states: readonly string[];
  readonly today: PlainDate;
  readonly bounds: DealBounds;
  /** The reasons behind a decline by the score, by the model, or by the model's risk of the person alone, the most important first. */
  readonly because: (why: 'score' | 'model' | 'person') => readonly Cause[];
};

/** Applies every rule to a deal. */
export function applyRules(policy: LendingPolicy, measures: Measures, about: Circumstances): Findings {
  const declines: Break[] = [];
  const declinedBy: string[] = [];
  const demands = [...policy.demands];
  const warnings: string[] = [];
  for (const rule of policy.rules) {
    const { id, measure, breaks, outcome } = rule;
    const broken = brokenBy(rule, measures, about);
    if (broken === null) continue;
    const detail = describe(measure, broken.value, breaks, broken.bound);
    if ('demand' in outcome) demands.push(outcome.demand);
    else if ('warning' in outcome) warnings.push(`${outcome.warning} (${detail})`);
    else {
      const { decline } = outcome;
      declinedBy.push(id);
      const why = decline === 'model' && measure === 'standardDefault' ? 'person' : decline;
      const causes =
        why === 'score' || why === 'model' || why === 'person'
          ? about.because(why)
          : [{ code: why, detail: '', cost: 0 }];
      const reasons = causes.map(({ code, detail: figures, cost }) => ({
        ...{ code, statement: REASONS[code], rule: id, cost },
        detail: figures === '' ? detail : `${detail}: ${figures}`,
      }));
      declines.push({ kind: KINDS[measure] ?? 'person', excess: excessOf(broken), reasons });
    }
  }
  return { reasons: reasonsToState(inOrder(declines)), declinedBy, demands, warnings };
}

/** Whether a rule on this measure declines. */
export function declinesBy(
  measure: Measure,
  { rules }: LendingPolicy,
  measures: Measures,
  about: Circumstances,
): boolean {
  return rules.some(
    (rule) => rule.measure === measure && 'decline' in rule.outcome && brokenBy(rule, measures, about) !== null,
  );
}

/** The outcome of the rules without reasons: whether any declines, and how many warn. */
export function outcomeOf(
  { rules }: LendingPolicy,
  measures: Measures,
  about: Circumstances,
): { readonly declined: boolean; readonly warnings: number } {
  let declined = false;
  let warnings = 0;
  for (const rule of rules) {
    if (brokenBy(rule, measures, about) === null) continue;
    if ('decline' in rule.outcome) declined = true;
    else if ('warning' in rule.outcome) warnings += 1;
  }
  return { declined, warnings };
}

/** The measure and the limit that it exceeds; null: the rule is met. */
function brokenBy(
  { measure, breaks, limit }: Rule,
  measures: Measures,
  about: Circumstances,
): { readonly value: number; readonly bound: number } | null {
  const value = measures[measure];
  const bound = boundOf(limit, measures.vehicleAge, about);
  if (value === null || bound === null) return null;
  return (breaks === 'above' ? value <= bound : value >= bound) ? null : { value, bound };
}

/** The distance beyond the limit, as a share of it; beyond a limit of zero every unit counts as one. */
function excessOf({ value, bound }: { readonly value: number; readonly bound: number }): number {
  return Math.abs(value - bound) / (Math.abs(bound) || 1);
}

function boundOf(
  limit: Limit,
  vehicleAge: number | null,
  { grade, states, today, bounds }: Circumstances,
): number | null {
  if (typeof limit === 'number') return limit;
  if ('byGrade' in limit) return limit.byGrade[grade];
  if ('ofDeal' in limit) return bounds[limit.ofDeal];
  if ('byVehicleAge' in limit) {
    if (vehicleAge === null) return null;
    return (limit.byVehicleAge.find(({ upTo }) => vehicleAge <= upTo) ?? limit.byVehicleAge.at(-1))?.limit ?? null;
  }
  return stateLimit(limit.byState, states, today);
}

/** The lowest of the limits, where the people of an application live in several states. */
function stateLimit(limits: readonly StateLimit[], states: readonly string[], today: PlainDate): number | null {
  const found = limits.filter(
    ({ state, from, until }) => states.includes(state) && from <= today && (until === null || today <= until),
  );
  const known = found.flatMap(({ limit }) => limit ?? []);
  return known.length === 0 ? null : Math.min(...known);
}

/** The caps on rates that a policy has, by whatever they are measured. */
function capsOn({ rules }: LendingPolicy, today: PlainDate): StateLimit[] {
  return rules.flatMap(({ measure, limit }) =>
    CAPPED.has(measure) && typeof limit !== 'number' && 'byState' in limit
      ? limit.byState.filter(({ from, until }) => from <= today && (until === null || today <= until))
      : [],
  );
}

const CAPPED: ReadonlySet<Measure> = new Set<Measure>(['rate', 'rateWithCharges', 'apr']);

/** The reason that no cap is known for the people on an application, so that nothing can be offered; null: all are known. */
export function unknownCap(policy: LendingPolicy, states: readonly string[], today: PlainDate): string | null {
  if (states.length === 0) return 'The state is missing, so no rate can be said to be allowed';
  const caps = capsOn(policy, today);
  const unknown = states.find((state) => caps.length > 0 && !caps.some((cap) => cap.state === state));
  return unknown === undefined ? null : `The lending policy has no cap on rates for ${unknown}`;
}

/** Also where no cap is known: then a rate may be above it. */
export function isAboveCap(
  policy: LendingPolicy,
  { states, today, rate }: { readonly states: readonly string[]; readonly today: PlainDate; readonly rate: number },
): boolean {
  return unknownCap(policy, states, today) !== null || rate > (stateCapIn(policy, states, today) ?? rate);
}

/** Warnings of every deal under a cap that nobody has confirmed. */
export function unverifiedCaps(policy: LendingPolicy, states: readonly string[], today: PlainDate): string[] {
  return capsOn(policy, today)
    .filter(({ state, status }) => status === 'unverified' && states.includes(state))
    .map(({ state, limit, source }) => {
      const cap = limit === null ? 'that the rate is as agreed' : inWords(limit, 'percent');
      return `The rate cap of ${state} is unverified (${cap}, ${source}): confirm or replace it in the lending policy`;
    });
}

/** The highest rate that may be offered: the lower of the policy's and the state's. */
export function highestRateIn(policy: LendingPolicy, states: readonly string[], today: PlainDate): number {
  return Math.min(policy.highestRate, stateCapIn(policy, states, today) ?? policy.highestRate);
}

/** In percent; null: these states have none. */
function stateCapIn({ rules }: LendingPolicy, states: readonly string[], today: PlainDate): number | null {
  const caps = rules.flatMap(({ measure, limit }) => {
    if (!CAPPED.has(measure) || typeof limit === 'number' || !('byState' in limit)) return [];
    return stateLimit(limit.byState, states, today) ?? [];
  });
  return caps.length === 0 ? null : Math.min(...caps);
}

/** The lowest score that is lent to: by the policy's own limit. */
export function lowestScore(policy: LendingPolicy): number {
  const limits = policy.rules.flatMap(({ measure, breaks, limit, outcome }) =>
    measure === 'score' && breaks === 'below' && typeof limit === 'number' && 'decline' in outcome ? [limit] : [],
  );
  return Math.max(LEAST_SCORE, ...limits);
}

/** No score in use is lower. */
const LEAST_SCORE = 300;

/** The longest term for a vehicle of an age, null: none is set. */
export function longestTerm(policy: LendingPolicy, vehicleAge: number | null): number | null {
  for (const { measure, breaks, limit } of policy.rules) {
    if (measure !== 'term' || breaks !== 'above' || typeof limit === 'number' || !('byVehicleAge' in limit)) continue;
    if (vehicleAge === null) return null;
    return (limit.byVehicleAge.find(({ upTo }) => vehicleAge <= upTo) ?? limit.byVehicleAge.at(-1))?.limit ?? null;
  }
  return null;
}

export function macroOn(policy: LendingPolicy, today: PlainDate): Macro {
  const { unemployment, cpi, fedRate } = macroRow(policy, today);
  return { unemployment, cpi, fedRate };
}

function macroRow({ macro }: LendingPolicy, today: PlainDate): MacroRow {
  return (macro.findLast(({ from }) => from <= today) ?? macro[0]) as MacroRow;
}

export function isMacro({ unemployment, cpi, fedRate }: Macro): boolean {
  return [unemployment, cpi, fedRate].every((figure) => figure >= -50 && figure <= 100);
}

/** The cost of money lent for a term, in hundredths of a percent. */
export function costOfFunds(policy: LendingPolicy, today: PlainDate, term: number): number {
  const { points } = curveOn(policy, today);
  const percent = interpolated(
    points,
    (point) => point.months,
    (point) => point.percent,
    term * policy.averageLifeShare,
  );
  return Math.max(0, Math.round(percent * 100));
}

function curveOn({ funds }: LendingPolicy, today: PlainDate): FundsCurve {
  return (funds.findLast(({ from }) => from <= today) ?? funds[0]) as FundsCurve;
}

/** Warnings of every deal that is priced and scored by figures that the policy itself calls old. */
export function oldFigures(policy: LendingPolicy, today: PlainDate): string[] {
  const used = [
    { name: 'The cost of funds', ...curveOn(policy, today) },
    { name: 'The economic figures', ...macroRow(policy, today) },
  ];
  const { oldAfterDays } = policy;
  return used.flatMap(({ name, from, source }) =>
    addDays(from, oldAfterDays) < today
      ? [`${name} of the lending policy are from ${from}, more than ${oldAfterDays} days ago (${source})`]
      : [],
  );
}

/** The highest markup of a dealer on the buy rate of a term, in hundredths of a percent. */
export function dealersMarkup({ dealer }: LendingPolicy, term: number): number {
  const found = dealer.markup.find(({ upToMonths }) => term <= upToMonths) ?? dealer.markup.at(-1);
  return Math.round((found?.points ?? 0) * 100);
}

// ---- in words ----

function describe(measure: Measure, value: number, breaks: 'above' | 'below', bound: number): string {
  const { name, as } = MEASURES[measure];
  return `${name} ${inWords(value, as)}, at ${breaks === 'above' ? 'most' : 'least'} ${inWords(bound, as)}`;
}

type Unit = (typeof MEASURES)[Measure]['as'];

/** Figures of a rule as text for people. Amounts are whole cents and are shown as dollars. */
export function inWords(value: number, as: Unit): string {
  switch (as) {
    case 'ratio':
      return `${shortestDecimal((value * 100).toFixed(2))} %`;
    case 'percent':
      return `${shortestDecimal(value.toFixed(3))} %`;
    case 'dollars':
      return grouped((value / 100).toFixed(2));
    case 'months':
      return `${value} months`;
    case 'years':
      return value === 1 ? '1 year' : `${value} years`;
    case 'miles':
      return `${grouped(String(value))} miles`;
    case 'count':
      return grouped(String(value));
  }
}

export function grouped(text: string): string {
  return groupedText(text, false);
}
