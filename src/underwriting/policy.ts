/**
 * What a lender accepts, as data: rules over a closed list of measures, each with the limit beyond which it declines, requires a
 * condition or warns. A policy has a version and a day from which it holds, and is checked as a whole when it is loaded. Only a
 * measure can be a rule: age, sex, marital status, ZIP code, county and the source of income are not measures.
 */
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { groupedText, shortestDecimal } from '../core/decimal.ts';
import { GRADES, type Grade } from '../core/grade.ts';
import { isReasonCode, REASONS, type Reason, type ReasonCode, reasonsToState } from './reasons.ts';

/** How a measure is written for people. */
const MEASURES = {
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
  amount: { name: 'Loan amount', as: 'dollars' },
  income: { name: 'Monthly income', as: 'dollars' },
  term: { name: 'Term', as: 'months' },
  rate: { name: 'Rate', as: 'percent' },
  apr: { name: 'Annual percentage rate', as: 'percent' },
  pastDueLines: { name: 'Accounts past due', as: 'count' },
  seriousLateLines: { name: 'Accounts ever 90 days past due', as: 'count' },
  inquiries: { name: 'Inquiries in six months', as: 'count' },
  accounts: { name: 'Accounts', as: 'count' },
  vehicleAge: { name: 'Vehicle age', as: 'years' },
  mileage: { name: 'Mileage', as: 'miles' },
  defaultProbability: { name: 'Default probability', as: 'ratio' },
} as const;

export type Measure = keyof typeof MEASURES;
/** Null: unknown; it breaks no rule. */
export type Measures = Readonly<Record<Measure, number | null>>;

export type Limit =
  | number
  | { readonly byGrade: Readonly<Record<Grade, number>> }
  /** The first entry whose `upTo` is at least the vehicle's age. */
  | { readonly byVehicleAge: readonly { readonly upTo: number; readonly limit: number }[] }
  /** Of the applicant's state on the day of the decision; other states have no limit here. */
  | { readonly byState: readonly StateLimit[] };

export type StateLimit = {
  readonly state: string;
  readonly from: PlainDate;
  /** The last day; null: until further notice. */
  readonly until: PlainDate | null;
  readonly limit: number;
  readonly source: string;
};

export type Rule = {
  readonly id: string;
  readonly measure: Measure;
  readonly breaks: 'above' | 'below';
  readonly limit: Limit;
  /** A decline by its reason; `score` and `model`: by the reasons for the low score, or the features that counted most in the model. */
  readonly outcome:
    | { readonly decline: ReasonCode | 'score' | 'model' }
    | { readonly stipulation: string }
    | { readonly warning: string };
};

/** A lender's pricing of a loan, by grade. */
export type Pricing = {
  /** The lowest rate it lends at; the grid offers no lower one. Percent. */
  readonly minimumRate: number;
  /** Deducted from the loan amount when the dealer is paid: percent of it, and a flat fee in cents. */
  readonly discountPercent: number;
  readonly acquisitionFee: number;
  /** The dealer's flat fee for originating the loan, in cents. */
  readonly dealerFlat: number;
  /** Required yield above the central bank's rate: expected cash flows are discounted at the two together. Percent. */
  readonly spreadPercent: number;
};

export type Macro = { readonly unemployment: number; readonly cpi: number; readonly fedRate: number };

export type LendingPolicy = {
  readonly version: string;
  readonly effectiveFrom: PlainDate;
  /** In order: the first declines are the principal reasons. */
  readonly rules: readonly Rule[];
  /** Terms offered in addition to the requested one, in months, ascending. */
  readonly terms: readonly number[];
  /** The highest rate offered, in percent, where no state's cap is lower. */
  readonly highestRate: number;
  readonly pricing: Readonly<Record<Grade, Pricing>>;
  /** Percent of an advance above the vehicle's value that the dealer bears. */
  readonly excessAdvancePercent: number;
  /** Percent a year of the balance. */
  readonly servicingFeePercent: number;
  /** Conditions of every approval. */
  readonly stipulations: readonly string[];
  /** Economic figures by the day from which they hold, in percent. */
  readonly macro: readonly (Macro & { readonly from: PlainDate })[];
};

export type Findings = {
  readonly reasons: readonly Reason[];
  readonly stipulations: readonly string[];
  readonly warnings: readonly string[];
};

export type Circumstances = {
  readonly grade: Grade;
  readonly state: string;
  readonly today: PlainDate;
  /** The reasons behind a decline by the score or by the model, the most important first. */
  readonly because: (why: 'score' | 'model') => readonly ReasonCode[];
};

/** Applies every rule to a deal. */
export function applyRules(policy: LendingPolicy, measures: Measures, about: Circumstances): Findings {
  const reasons: Reason[] = [];
  const stipulations: string[] = [...policy.stipulations];
  const warnings: string[] = [];
  for (const rule of policy.rules) {
    const { id, measure, breaks, outcome } = rule;
    const broken = brokenBy(rule, measures, about);
    if (broken === null) continue;
    const detail = describe(measure, broken.value, breaks, broken.bound);
    if ('stipulation' in outcome) stipulations.push(outcome.stipulation);
    else if ('warning' in outcome) warnings.push(`${outcome.warning} (${detail})`);
    else {
      const codes =
        outcome.decline === 'score' || outcome.decline === 'model' ? about.because(outcome.decline) : [outcome.decline];
      for (const code of codes) reasons.push({ code, statement: REASONS[code], rule: id, detail });
    }
  }
  return { reasons: reasonsToState(reasons), stipulations: [...new Set(stipulations)], warnings };
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

function boundOf(limit: Limit, vehicleAge: number | null, { grade, state, today }: Circumstances): number | null {
  if (typeof limit === 'number') return limit;
  if ('byGrade' in limit) return limit.byGrade[grade];
  if ('byVehicleAge' in limit) {
    if (vehicleAge === null) return null;
    return (limit.byVehicleAge.find(({ upTo }) => vehicleAge <= upTo) ?? limit.byVehicleAge.at(-1))?.limit ?? null;
  }
  return stateLimit(limit.byState, state, today);
}

function stateLimit(limits: readonly StateLimit[], state: string, today: PlainDate): number | null {
  const found = limits.find(
    (entry) => entry.state === state && entry.from <= today && (entry.until === null || today <= entry.until),
  );
  return found?.limit ?? null;
}

/** The highest rate that may be offered: the lower of the policy's and the state's. */
export function highestRateIn(policy: LendingPolicy, state: string, today: PlainDate): number {
  let highest = policy.highestRate;
  for (const { measure, limit } of policy.rules) {
    if (measure !== 'rate' || typeof limit === 'number' || !('byState' in limit)) continue;
    highest = Math.min(highest, stateLimit(limit.byState, state, today) ?? highest);
  }
  return highest;
}

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
  const { unemployment, cpi, fedRate } = (policy.macro.findLast(({ from }) => from <= today) ??
    policy.macro[0]) as Macro;
  return { unemployment, cpi, fedRate };
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

// ---- loading ----

/** Checks a policy and returns it; throws an error that lists every mistake. */
export function loadPolicy(policy: LendingPolicy): LendingPolicy {
  const mistakes: string[] = [];
  const expect = (holds: boolean, mistake: string) => {
    if (!holds) mistakes.push(mistake);
  };
  expect(/^[A-Za-z0-9.-]{1,40}$/.test(policy.version), 'version: must be 1 to 40 letters, digits, points and hyphens');
  expect(parseDate(policy.effectiveFrom) !== null, 'effectiveFrom: must be a valid date');
  const ids = policy.rules.map(({ id }) => id);
  expect(new Set(ids).size === ids.length, 'rules: ids must be unique');
  for (const rule of policy.rules) checkRule(rule, expect);
  const { terms } = policy;
  expect(terms.length >= 5, 'terms: at least five are required for sixty deals');
  expect(
    terms.every((term, i) => Number.isInteger(term) && term > 0 && term % 12 === 0 && term > (terms[i - 1] ?? 0)),
    'terms: must be whole years in months, in ascending order',
  );
  for (const grade of GRADES) checkPricing(grade, policy.pricing[grade], policy.highestRate, expect);
  for (const name of ['excessAdvancePercent', 'servicingFeePercent'] as const) {
    expect(policy[name] >= 0 && policy[name] <= 100, `${name}: must be from 0 to 100 percent`);
  }
  const { macro } = policy;
  expect(macro.length > 0, 'macro: at least one entry is required');
  macro.forEach((entry, i) => {
    const later = i === 0 || entry.from > (macro[i - 1]?.from ?? '');
    expect(parseDate(entry.from) !== null && later, `macro ${entry.from}: dates must be valid and in ascending order`);
    expect(isMacro(entry), `macro ${entry.from}: percentages must be from -50 to 100`);
  });
  if (mistakes.length > 0) throw new Error(`The policy ${policy.version} cannot be used. ${mistakes.join('; ')}.`);
  return policy;
}

export function isMacro({ unemployment, cpi, fedRate }: Macro): boolean {
  return [unemployment, cpi, fedRate].every((figure) => figure >= -50 && figure <= 100);
}

function checkRule(rule: Rule, expect: (holds: boolean, mistake: string) => void): void {
  const { id, measure, breaks, limit, outcome } = rule;
  expect(/^[a-z0-9-]{1,60}$/.test(id), `${id}: the id must be lower-case letters, digits and hyphens`);
  expect(Object.hasOwn(MEASURES, measure), `${id}: the measure must be one of ${Object.keys(MEASURES).join(', ')}`);
  expect(breaks === 'above' || breaks === 'below', `${id}: breaks must be above or below`);
  if (typeof limit === 'number') expect(Number.isFinite(limit), `${id}: the limit must be a number`);
  else if ('byGrade' in limit) {
    const missing = GRADES.filter((grade) => !Number.isFinite(limit.byGrade[grade]));
    expect(missing.length === 0, `${id}: the limit is missing for grade ${missing.join(', ')}`);
  } else if ('byVehicleAge' in limit) {
    const steps = limit.byVehicleAge;
    const rising = steps.every(({ upTo }, i) => upTo > (steps[i - 1]?.upTo ?? -1));
    expect(steps.length > 0 && rising, `${id}: vehicle ages must be in ascending order`);
    expect(
      steps.every((step) => Number.isFinite(step.limit)),
      `${id}: every limit must be a number`,
    );
  } else checkStates(id, limit.byState, expect);
  if ('decline' in outcome) {
    const known = outcome.decline === 'score' || outcome.decline === 'model' || isReasonCode(outcome.decline);
    expect(known, `${id}: must decline for a known reason`);
  } else
    expect(('stipulation' in outcome ? outcome.stipulation : outcome.warning).length > 0, `${id}: the text is missing`);
}

function checkStates(
  id: string,
  limits: readonly StateLimit[],
  expect: (holds: boolean, mistake: string) => void,
): void {
  for (const { state, from, until, limit, source } of limits) {
    expect(/^[A-Z]{2}$/.test(state), `${id}: ${state} is not a state code`);
    expect(
      parseDate(from) !== null && (until === null || parseDate(until) !== null),
      `${id}: the dates for ${state} are invalid`,
    );
    expect(until === null || from <= until, `${id}: ${state} ends before it begins`);
    expect(limit > 0 && limit <= 100, `${id}: the limit for ${state} must be from 0 to 100 percent`);
    expect(source.length > 0, `${id}: the source for ${state} is missing`);
  }
  limits.forEach((one, i) => {
    const clash = limits.slice(i + 1).find((other) => one.state === other.state && overlap(one, other));
    expect(clash === undefined, `${id}: ${one.state} has two limits at the same time`);
  });
}

function overlap(one: StateLimit, other: StateLimit): boolean {
  return one.from <= (other.until ?? '9999-12-31') && other.from <= (one.until ?? '9999-12-31');
}

function checkPricing(
  grade: Grade,
  pricing: Pricing | undefined,
  highestRate: number,
  expect: (holds: boolean, mistake: string) => void,
): void {
  if (pricing === undefined) {
    expect(false, `pricing: grade ${grade} is missing`);
    return;
  }
  const { minimumRate, discountPercent, acquisitionFee, dealerFlat, spreadPercent } = pricing;
  // The grid needs three rates between the two.
  expect(
    minimumRate >= 0 && highestRate - minimumRate >= 1 && highestRate <= 99,
    `pricing ${grade}: the rates must span at least one point`,
  );
  expect(discountPercent >= 0 && discountPercent <= 50, `pricing ${grade}: the discount must be from 0 to 50 percent`);
  for (const amount of [acquisitionFee, dealerFlat]) {
    expect(
      Number.isInteger(amount) && amount >= 0 && amount <= 1_000_00,
      `pricing ${grade}: fees must be at most 1,000.00`,
    );
  }
  expect(spreadPercent >= 0 && spreadPercent <= 50, `pricing ${grade}: the spread must be from 0 to 50 percent`);
}
