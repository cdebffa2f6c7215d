/**
 * What a lender accepts, as data: rules over a closed list of measures, each with the limit beyond which it declines, requires a
 * condition or warns. A policy has a version and a day from which it holds, and is checked as a whole when it is loaded. Only a
 * measure can be a rule: age, sex, marital status, ZIP code, county and the source of income are not measures.
 */
import { type PlainDate, parseDate } from '../core/calendar.ts';
import { groupedText, shortestDecimal } from '../core/decimal.ts';
import { GRADES, type Grade } from '../core/grade.ts';
import { isReasonCode, REASONS, type Reason, type ReasonCode } from './reasons.ts';

/** How a measure is written for people. */
const MEASURES = {
  score: { name: 'Credit score', as: 'count' },
  scores: { name: 'Credit scores on file', as: 'count' },
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
  fairValue: { name: 'Fair value', as: 'dollars' },
  netYield: { name: 'Net yield', as: 'percent' },
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
  | { readonly byState: readonly StateLimit[] }
  /** A figure of the deal itself. */
  | { readonly ofDeal: DealBound };

/**
 * `buyRate` and `highestOffer`: of the rate sheet for this risk, without and with the dealer's participation; `markupCap`: of the lender's
 * policy, null without one; `paidOut`: all that the deal costs on its first day, in cents; `hurdle`: the lowest net yield, in percent.
 */
const DEAL_BOUNDS = ['buyRate', 'highestOffer', 'markupCap', 'paidOut', 'hurdle'] as const;
export type DealBound = (typeof DEAL_BOUNDS)[number];
export type DealBounds = Readonly<Record<DealBound, number | null>>;

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

/** What a lender's loans of a grade cost, in percent a year of the balance, and what a dealer is paid for one, in cents. */
export type Pricing = {
  /** Collecting, and caring for those who are late. */
  readonly servicingPercent: number;
  /** The share of a loan that is the lender's own capital; the rest is borrowed. */
  readonly capitalPercent: number;
  readonly dealerFlat: number;
};

/** The lender's cost of borrowed money by how long it is lent out on average, from a day on. */
export type FundsCurve = {
  readonly from: PlainDate;
  readonly points: readonly { readonly months: number; readonly percent: number }[];
};

/** What a loan costs on its first day, and how it is brought in: by a part of the rate, else by the dealer. */
export type Acquisition = {
  /** Cents, for examining and booking an application. */
  readonly originationCost: number;
  /** The part of every rate on the sheet that pays for it, in percent a year. */
  readonly ratePercent: number;
  /** What the rate cannot bring in (a small or short loan, a state's cap) the dealer bears: a fee in cents, then a share of the loan. */
  readonly maximumFee: number;
  readonly maximumDiscountPercent: number;
};

/** What a dealer may add to the buy rate, and their share of what it is expected to bring. */
export type Dealer = {
  readonly markup: readonly { readonly upToMonths: number; readonly points: number }[];
  readonly sharePercent: number;
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
  readonly funds: readonly FundsCurve[];
  /** How long money is lent out on average, as a share of the term: a loan is paid back month by month, and often early. */
  readonly averageLifeShare: number;
  /** What the lender's own capital must earn, in points above the cost of borrowed money. */
  readonly targetReturnPoints: number;
  /** The lowest net yield of a deal, in points above the cost of funds. */
  readonly hurdlePoints: number;
  readonly acquisition: Acquisition;
  readonly dealer: Dealer;
  /** Percent of an advance above the vehicle's value that the dealer bears. */
  readonly excessAdvancePercent: number;
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
  readonly bounds: DealBounds;
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
  return { reasons, stipulations: [...new Set(stipulations)], warnings };
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

function boundOf(
  limit: Limit,
  vehicleAge: number | null,
  { grade, state, today, bounds }: Circumstances,
): number | null {
  if (typeof limit === 'number') return limit;
  if ('byGrade' in limit) return limit.byGrade[grade];
  if ('ofDeal' in limit) return bounds[limit.ofDeal];
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

/** The cost of money lent for a term, in hundredths of a percent. `moved`: by how many points all rates differ from the curve's day. */
export function costOfFunds(policy: LendingPolicy, today: PlainDate, term: number, moved: number): number {
  const { points } = (policy.funds.findLast(({ from }) => from <= today) ?? policy.funds[0]) as FundsCurve;
  const months = term * policy.averageLifeShare;
  const after = points.findIndex((point) => point.months >= months);
  const to = points[after] ?? (points.at(-1) as FundsCurve['points'][number]);
  const from = points[after - 1];
  const percent =
    after < 0 || from === undefined
      ? to.percent
      : from.percent + ((to.percent - from.percent) * (months - from.months)) / (to.months - from.months);
  return Math.max(0, Math.round((percent + moved) * 100));
}

/** What a dealer may add to the buy rate of a term, in hundredths of a percent. */
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
  GRADES.forEach((grade, i) => checkPricing(policy, grade, GRADES[i - 1], expect));
  expect(policy.highestRate >= 5 && policy.highestRate <= 99, 'highestRate: must be from 5 to 99 percent');
  const { excessAdvancePercent } = policy;
  expect(excessAdvancePercent >= 0 && excessAdvancePercent <= 100, 'excessAdvancePercent: must be from 0 to 100');
  checkFunds(policy, expect);
  checkCosts(policy, expect);
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

function checkRule(rule: Rule, expect: Expect): void {
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
  } else if ('ofDeal' in limit) {
    expect(DEAL_BOUNDS.includes(limit.ofDeal), `${id}: the limit must be one of ${DEAL_BOUNDS.join(', ')}`);
  } else checkStates(id, limit.byState, expect);
  if ('decline' in outcome) {
    const known = outcome.decline === 'score' || outcome.decline === 'model' || isReasonCode(outcome.decline);
    expect(known, `${id}: must decline for a known reason`);
  } else
    expect(('stipulation' in outcome ? outcome.stipulation : outcome.warning).length > 0, `${id}: the text is missing`);
}

function checkStates(id: string, limits: readonly StateLimit[], expect: Expect): void {
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

type Expect = (holds: boolean, mistake: string) => void;

/** A worse grade costs at least as much: otherwise a lower score could lower the rate. */
function checkPricing({ pricing }: LendingPolicy, grade: Grade, better: Grade | undefined, expect: Expect): void {
  const own = pricing[grade];
  if (own === undefined) {
    expect(false, `pricing: grade ${grade} is missing`);
    return;
  }
  for (const name of ['servicingPercent', 'capitalPercent'] as const) {
    expect(own[name] >= 0 && own[name] <= 50, `pricing ${grade}: ${name} must be from 0 to 50`);
    const least = better === undefined ? 0 : (pricing[better]?.[name] ?? 0);
    expect(own[name] >= least, `pricing ${grade}: ${name} must not be less than that of a better grade`);
  }
  const { dealerFlat } = own;
  expect(
    Number.isInteger(dealerFlat) && dealerFlat >= 0 && dealerFlat <= 1_000_00,
    `pricing ${grade}: the dealer’s flat fee must be at most 1,000.00`,
  );
}

function checkFunds({ funds, averageLifeShare }: LendingPolicy, expect: Expect): void {
  expect(funds.length > 0, 'funds: at least one curve is required');
  funds.forEach(({ from, points }, i) => {
    const later = i === 0 || from > (funds[i - 1]?.from ?? '');
    expect(parseDate(from) !== null && later, `funds ${from}: dates must be valid and in ascending order`);
    const rising = points.every(
      ({ months, percent }, at) => months > (points[at - 1]?.months ?? 0) && percent >= 0 && percent <= 50,
    );
    expect(points.length > 0 && rising, `funds ${from}: months must be ascending, with 0 to 50 percent each`);
  });
  expect(averageLifeShare > 0 && averageLifeShare <= 1, 'averageLifeShare: must be more than 0 and at most 1');
}

function checkCosts(policy: LendingPolicy, expect: Expect): void {
  const { acquisition, dealer, targetReturnPoints, hurdlePoints, pricing } = policy;
  for (const name of ['originationCost', 'maximumFee'] as const) {
    const amount = acquisition[name];
    expect(
      Number.isInteger(amount) && amount >= 0 && amount <= 5_000_00,
      `acquisition: ${name} must be at most 5,000.00`,
    );
  }
  for (const name of ['ratePercent', 'maximumDiscountPercent'] as const) {
    expect(acquisition[name] >= 0 && acquisition[name] <= 50, `acquisition: ${name} must be from 0 to 50`);
  }
  expect(dealer.sharePercent >= 0 && dealer.sharePercent <= 100, 'dealer: sharePercent must be from 0 to 100');
  expect(
    dealer.markup.length > 0 &&
      dealer.markup.every(
        ({ upToMonths, points }, i) =>
          points >= 0 && points <= 25 && upToMonths > (dealer.markup[i - 1]?.upToMonths ?? 0),
      ),
    'dealer: months must be ascending, with 0 to 25 points each',
  );
  expect(targetReturnPoints >= 0 && targetReturnPoints <= 50, 'targetReturnPoints: must be from 0 to 50');
  // Otherwise a deal at the buy rate, which earns what capital must earn, would miss the hurdle.
  const least = ((pricing.A?.capitalPercent ?? 0) * targetReturnPoints) / 100;
  expect(
    hurdlePoints >= 0 && hurdlePoints <= least,
    'hurdlePoints: must be at most what the capital of a grade A loan earns above the cost of funds',
  );
}
