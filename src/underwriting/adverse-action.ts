/**
 * The reasons for declining an applicant with a low score or a high risk: the terms of the model that cost this applicant the most.
 *
 * The cost of a feature is what it adds to the log-odds beyond what it adds for the model's marginal applicant, the average of those who were
 * only just approved: one of the two methods of official interpretation 5 of 12 CFR 1002.9(b)(2). A feature at or better than its reference
 * costs nothing, and neither does the economy, which is the same for everybody. The cost of the score is shared among the reasons behind
 * it: what the credit file shows, in proportion to its own weight in the model, and what the bureau names among the score's key factors.
 */
import type { CreditFacts, PersonFacts } from './credit-facts.ts';
import { inWords } from './policy.ts';
import { byCost, type Cause, PRINCIPAL, REASONS, type Reason, type ReasonCode, stepsOf } from './reasons.ts';
import { countedShare, type Effect, effectOf, type FeatureName, isOfDeal, type Model } from './score.ts';

/** The only decision that may depend on age (12 CFR 1002.6(b)(2)). It is not a rule, because no policy can change it. */
export const NO_CAPACITY: Reason = {
  code: 'no-capacity',
  statement: REASONS['no-capacity'],
  rule: 'capacity-to-contract',
  detail: 'An applicant is under 18 by date of birth',
};

/** A frozen file has no score for this reason alone. */
export const FROZEN_FILE: Cause = { code: 'file-frozen', detail: '', cost: 1 };

/** The credit file of an applicant, and the effects that the model finds in it and in a deal. */
export type ScoredApplicant = {
  readonly model: Model;
  readonly effects: readonly Effect[];
  readonly credit: CreditFacts;
};

/** The same with the deal, the vehicle and the economy at their references, as under the standard deal: none of them is a reason there. */
export function ofThePerson(effects: readonly Effect[]): readonly Effect[] {
  return effects.map((one) => (one.about === 'borrower' ? one : { ...one, effect: 0 }));
}

/** The reasons for a low score, or for having none. */
export function creditReasons(seen: ScoredApplicant): Cause[] {
  const { effects, credit } = seen;
  if (!credit.hit) return [{ code: 'no-credit-file', detail: '', cost: 1 }];
  // A bureau that has a file and no score found too little in it. Nothing else in the file is why.
  if (credit.score === null) return principal([{ code: 'limited-credit', cost: 1 }], seen);
  const score = effects.find(({ name }) => name === 'score');
  const shared = sharesOf(seen);
  const found = [...shared].filter(([, share]) => share >= LEAST_SHARE);
  return principal(
    (found.length > 0 ? found : [...shared]).map(([code, share]) => ({
      code,
      cost: share * Math.max(1, score?.effect ?? 1),
    })),
    seen,
  );
}

/** Below it a feature explains too little of a score to be a reason. */
const LEAST_SHARE = 0.1;

/** The reasons for a high risk: what costs the applicant most against the marginal one, the most costly first. */
export function modelReasons(seen: ScoredApplicant): Cause[] {
  const costs = costsOf(seen, marginalEffects(seen.model));
  const against = costs.size > 0 ? costs : costsOf(seen, NOTHING);
  if (against.size === 0) return creditReasons(seen);
  const all = [...against].map(([code, cost]) => ({ code, cost }));
  const noticeable = all.filter(({ cost }) => stepsOf(cost) > 0);
  return principal(noticeable.length > 0 ? noticeable : all.sort((a, b) => b.cost - a.cost).slice(0, 1), seen);
}

function principal(found: readonly Omit<Cause, 'detail'>[], seen: ScoredApplicant): Cause[] {
  return found
    .toSorted(byCost)
    .slice(0, PRINCIPAL)
    .map(({ code, cost }) => ({ code, cost, detail: figuresOf(code, seen) }));
}

// ---- costs ----

type Costs = ReadonlyMap<ReasonCode, number>;
type ByFeature = ReadonlyMap<FeatureName, number>;

/** Against the references: for whoever has an adverse figure everywhere, but none worse than the marginal applicant's. */
const NOTHING: ByFeature = new Map();

/** Computed once for a model. */
const KNOWN_MARGINAL = new WeakMap<Model, ByFeature>();

function marginalEffects(model: Model): ByFeature {
  const { default: hazard, marginal } = model;
  const known =
    KNOWN_MARGINAL.get(model) ??
    new Map(
      hazard.features.map((weight) => [weight.name, effectOf(weight, marginal[weight.name] ?? weight.reference)]),
    );
  KNOWN_MARGINAL.set(model, known);
  return known;
}

/** The cost of every reason that has one. The reasons of several features add up. */
function costsOf(seen: ScoredApplicant, marginal: ByFeature): Costs {
  const { model, effects, credit } = seen;
  const counted = countedShare(model, effects);
  const costs = new Map<ReasonCode, number>();
  const add = (code: ReasonCode, cost: number) => {
    if (cost > 0) costs.set(code, (costs.get(code) ?? 0) + cost);
  };
  effects.forEach(({ name, about, effect }, i) => {
    const reason = model.default.features[i]?.reason ?? null;
    if (reason === null || about === 'economy') return;
    const own = isOfDeal(about) ? effect * counted : effect;
    const cost = own - Math.max(0, marginal.get(name) ?? 0);
    if (name === 'score') for (const [code, share] of sharesOf(seen)) add(code, share * cost);
    else add(IN_FILE.has(name) && !credit.hit ? 'no-credit-file' : reason, cost);
  });
  return costs;
}

// ---- behind the score ----

/** The components of a score, as far as the model sees them. */
const IN_FILE: ReadonlySet<FeatureName> = new Set([
  'pastDueLines',
  'seriousLateLines',
  'utilisation',
  'inquiries',
  'thinFile',
]);

/** A feature that the bureau names among the score's key factors counts twice. */
const NAMED = 2;

/** The weight of what the bureau names and no feature measures. */
const NAMED_ALONE = 0.3;

/** Reasons by the wording of a bureau's key factors: the first that fits. */
const FACTORS: readonly (readonly [RegExp, ReasonCode])[] = [
  [/bankrupt/i, 'bankruptcy'],
  [/charged? off|past due|delinquen|derogatory|\blate\b/i, 'delinquent-credit'],
  [/foreclos|repossess/i, 'repossession'],
  [/collection|judgment/i, 'collection'],
  [/inquir/i, 'recent-inquiries'],
  [/revolving|limit|utili[sz]ation|proportion of balances/i, 'balances-too-high'],
  [/length of time|history is short|too few accounts|average age|lack of|insufficient|opened/i, 'limited-credit'],
];

/** Reasons that no feature of the model measures: the bureau's word is enough. */
const BY_THE_BUREAU: ReadonlySet<ReasonCode> = new Set(['bankruptcy', 'repossession', 'collection']);

/** Read once for a file: the sixty deals of an application share it. */
const KNOWN_NAMED = new WeakMap<CreditFacts, ReadonlySet<ReasonCode>>();

function namedBy(credit: CreditFacts): ReadonlySet<ReasonCode> {
  const codeOf = (text: string) => FACTORS.find(([words]) => words.test(text))?.[1] ?? [];
  const known = KNOWN_NAMED.get(credit) ?? new Set(credit.scoreFactors.flatMap(codeOf));
  KNOWN_NAMED.set(credit, known);
  return known;
}

/** The reasons behind the score and the share of each; the shares add up to one. */
function sharesOf({ model, effects, credit }: ScoredApplicant): Costs {
  if (!credit.hit || credit.unscored === 'file') return new Map([['no-credit-file', 1]]);
  if (credit.unscored === 'score') return new Map([['limited-credit', 1]]);
  const named = namedBy(credit);
  const weights = new Map<ReasonCode, number>();
  effects.forEach(({ name, effect }, i) => {
    const reason = model.default.features[i]?.reason ?? null;
    // Nobody's score is low for what hardly counts: card balances of a third.
    if (reason === null || stepsOf(effect) <= 0 || !IN_FILE.has(name)) return;
    weights.set(reason, (weights.get(reason) ?? 0) + effect * (named.has(reason) ? NAMED : 1));
  });
  for (const code of named) if (BY_THE_BUREAU.has(code)) weights.set(code, NAMED_ALONE);
  // If the file shows nothing, the bureau's factors are all there is.
  if (weights.size === 0) for (const code of named) weights.set(code, 1);
  if (weights.size === 0) weights.set('credit-history', 1);
  let all = 0;
  for (const weight of weights.values()) all += weight;
  return new Map([...weights].map(([code, weight]) => [code, weight / all]));
}

// ---- in words ----

/** The figures behind a reason: of the features that count against the applicant. */
function figuresOf(code: ReasonCode, { model, effects, credit }: ScoredApplicant): string {
  const texts = effects.flatMap(({ name, value, effect }, i) =>
    effect > 0 && model.default.features[i]?.reason === code ? (figureOf(name, value, credit) ?? []) : [],
  );
  return texts.join(', ');
}

/** Null: the score is never a reason, and neither is the economy. */
function figureOf(name: FeatureName, value: number, { accounts, monthsInFile }: CreditFacts): string | null {
  switch (name) {
    case 'pastDueLines':
      return `accounts past due ${inWords(value, 'count')}`;
    case 'seriousLateLines':
      return `accounts ever 90 days past due ${inWords(value, 'count')}`;
    case 'utilisation':
      return `balances to limits ${inWords(value, 'ratio')}`;
    case 'inquiries':
      return `inquiries in six months ${inWords(value, 'count')}`;
    case 'thinFile':
      return `accounts ${accounts === null ? 'not known' : inWords(accounts, 'count')}, ${monthsInFile === null ? 'time in file not known' : `in file for ${inWords(monthsInFile, 'months')}`}`;
    case 'debtToIncome':
      return `obligations to income about ${inWords(value, 'ratio')}`;
    case 'amountToIncome':
      return `loan to yearly income about ${inWords(value, 'ratio')}`;
    case 'ltv':
      return `loan to value ${inWords(value, 'ratio')}`;
    case 'term':
      return `term ${inWords(value, 'months')}`;
    case 'markup':
      return `${inWords(value, 'percent')} above the rate for this risk`;
    case 'vehicleAge':
      return `vehicle age ${inWords(value, 'years')}`;
    case 'mileage':
      return `mileage ${inWords(value, 'miles')}`;
    case 'score':
    case 'unemployment':
    case 'cpi':
      return null;
  }
}

// ---- of two people ----

/** Whether a reason about credit files is in this person's own. Reasons about anything else concern everybody on an application. */
export function inFileOf(code: ReasonCode, own: PersonFacts): boolean {
  const { hit, score, flags, accounts, monthsInFile, monthsUnknown } = own;
  if (namedBy(own).has(code)) return true;
  switch (code) {
    case 'file-frozen':
      return flags.frozen;
    case 'identity-not-verified':
      return flags.deceased || (hit && flags.ssnMatch === 'noMatch');
    case 'no-credit-file':
      return !hit;
    case 'limited-credit':
      return score === null || (accounts ?? FEW) < FEW || (!monthsUnknown && (monthsInFile ?? 0) < SHORT);
    case 'delinquent-credit':
      return own.pastDueLines > 0 || own.seriousLateLines > 0;
    case 'recent-inquiries':
      return (own.inquiries ?? 0) > 1;
    case 'balances-too-high':
      return (own.utilisation ?? 0) > HIGH_BALANCES;
    case 'credit-history':
      return score === null || score < GOOD_SCORE;
    case 'bankruptcy':
    case 'repossession':
    case 'collection':
      return false;
    default:
      return true;
  }
}

/** As a lender reads a file without a model: fewer accounts or months are few, a larger share of the limits is much. */
const [FEW, SHORT, HIGH_BALANCES, GOOD_SCORE] = [3, 24, 0.3, 680] as const;
