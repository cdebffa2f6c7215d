import { describe, expect, test } from 'vitest';
import { type Figures, inputOf, type Line, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { isRefusal } from '../core/refusal.ts';
import { creditReasons, modelReasons, type ScoredApplicant } from './adverse-action.ts';
import type { CreditFacts } from './credit-facts.ts';
import { MODELS } from './model-data.ts';
import { POLICIES } from './policy-data.ts';
import {
  countedShare,
  dealLogOdds,
  effectOf,
  effectsOf,
  type FeatureName,
  type Features,
  type FeatureWeight,
  hazardsOf,
  lifetimeDefault,
  loadModel,
  type Model,
  sumOf,
} from './score.ts';
import { type Assessment, underwrite } from './underwrite.ts';

const model = MODELS[0] as Model;

/** Every feature at its reference. */
const REFERENCE = Object.fromEntries(
  model.default.features.map(({ name, reference }) => [name, reference]),
) as Features;
const MARGINAL: Features = { ...REFERENCE, ...model.marginal };

const CREDIT = { hit: true, scoreFactors: [] as readonly string[], accounts: 6, monthsInFile: 90 } as CreditFacts;

function seen(change: Partial<Features>, credit: Partial<CreditFacts> = {}): ScoredApplicant {
  const effects = effectsOf({ ...MARGINAL, ...change }, model.default.features);
  return { model, effects, credit: { ...CREDIT, ...credit } };
}

const codes = (list: readonly { readonly code: string }[]) => list.map(({ code }) => code);

describe('the marginal applicant', () => {
  test('is at or slightly below the highest risk that the policy approves', () => {
    const rule = POLICIES[0]?.rules.find(({ id }) => id === 'maximum-default-probability');
    const limit = rule?.limit as number;
    const logOdds = {
      default: dealLogOdds(model, effectsOf(MARGINAL, model.default.features)),
      prepay: sumOf(effectsOf(MARGINAL, model.prepay.features)),
    };
    const probability = lifetimeDefault(hazardsOf(model, logOdds, 66));
    expect(probability).toBeLessThanOrEqual(limit);
    expect(probability).toBeGreaterThan(limit * 0.7);
  });

  test('that names an unknown feature, or a value out of bounds, is refused with the model', () => {
    for (const marginal of [{ fedRate: 3 }, { score: 200 }, { ltv: Number.NaN }]) {
      expect(() => loadModel({ ...model, marginal } as Model)).toThrow(/marginal\.\w+: must be a feature of the model/);
    }
  });
});

describe('what costs more than it costs the marginal applicant is a reason, the most costly first', () => {
  test.each<[string, Partial<Features>, string[]]>([
    ['accounts past due', { pastDueLines: 5 }, ['delinquent-credit']],
    ['card balances', { utilisation: 1 }, ['balances-too-high']],
    ['inquiries', { inquiries: 8 }, ['recent-inquiries']],
    ['a thin file', { thinFile: 1 }, ['limited-credit']],
    ['debts', { debtToIncome: 0.8 }, ['excessive-obligations']],
    ['a large loan for the income', { amountToIncome: 1 }, ['income-insufficient']],
    ['a long term', { term: 96 }, ['term-too-long']],
    ['an old car', { vehicleAge: 12 }, ['collateral-insufficient']],
    ['a rate above the market', { markup: 8 }, ['rate-above-risk']],
    [
      'several',
      { pastDueLines: 4, inquiries: 6, debtToIncome: 0.9 },
      ['excessive-obligations', 'delinquent-credit', 'recent-inquiries'],
    ],
  ])('%s', (_, change, expected) => {
    expect(codes(modelReasons(seen(change)))).toEqual(expected);
  });

  test('at most four', () => {
    const all = { pastDueLines: 5, utilisation: 1, inquiries: 10, thinFile: 1, debtToIncome: 1, amountToIncome: 1.5 };
    expect(modelReasons(seen({ ...all, term: 96 }))).toHaveLength(4);
  });

  test('what is no worse than its reference is none, although the marginal applicant has better', () => {
    const better = { ...model, marginal: { ...model.marginal, vehicleAge: 0, term: 36 } };
    const effects = effectsOf({ ...MARGINAL, vehicleAge: 3, term: 60, inquiries: 8 }, model.default.features);
    expect(codes(modelReasons({ model: better, effects, credit: CREDIT }))).toEqual(['recent-inquiries']);
  });

  test('the economy is none: it is the same for everybody', () => {
    expect(codes(modelReasons(seen({ unemployment: 15, cpi: 12, inquiries: 4 })))).toEqual(['recent-inquiries']);
  });

  test('whoever is worse than the marginal applicant in nothing gets what counts most against the references', () => {
    // As in a bad economy: the file is the marginal one, and everybody's risk is higher.
    expect(codes(modelReasons(seen({ unemployment: 12 })))).toContain('delinquent-credit');
  });

  test('a deal counts as far as the model counts it', () => {
    const bad = { ltv: 2, term: 96, amountToIncome: 1.5, vehicleAge: 20, mileage: 250_000 };
    const { effects, credit } = seen(bad);
    const cost = sumOf(effects.filter(({ about }) => about === 'deal' || about === 'vehicle'));
    expect(cost).toBeGreaterThan(model.default.dealShift.high * 2);
    const stated = modelReasons({ model, effects, credit }).reduce((sum, one) => sum + one.cost, 0);
    expect(stated).toBeLessThanOrEqual(model.default.dealShift.high);
    expect(countedShare(model, effects)).toBeCloseTo(model.default.dealShift.high / cost);
  });
});

describe('the score is never a reason: its cost is shared among those behind it', () => {
  const low = { score: 510, pastDueLines: 0, seriousLateLines: 0, utilisation: 0.3, inquiries: 1, thinFile: 0 };

  test('by what the file shows, in proportion', () => {
    const reasons = modelReasons(seen({ ...low, pastDueLines: 1, inquiries: 4 }));
    expect(codes(reasons)).toEqual(['recent-inquiries', 'delinquent-credit']);
    const effect = (name: FeatureName, value: number) =>
      effectOf(model.default.features.find((one) => one.name === name) as FeatureWeight, value);
    const score = effect('score', 510) - effect('score', model.marginal.score as number);
    const [late, asked] = [effect('pastDueLines', 1), effect('inquiries', 4)];
    // Both cost something themselves, too.
    const own = (name: 'pastDueLines' | 'inquiries') => effect(name, model.marginal[name] as number);
    expect(reasons[1]?.cost).toBeCloseTo((score * late) / (late + asked) + late - own('pastDueLines'));
    expect(reasons[0]?.cost).toBeCloseTo((score * asked) / (late + asked) + asked - own('inquiries'));
  });

  test('what the bureau names among its key factors counts twice', () => {
    const file = { ...low, pastDueLines: 1, inquiries: 4 };
    const named = modelReasons(seen(file, { scoreFactors: ['Accounts are past due now'] }));
    expect(codes(named)).toEqual(['delinquent-credit', 'recent-inquiries']);
  });

  test.each([
    ['A bankruptcy is on record', 'bankruptcy'],
    ['Unpaid collections', 'collection'],
    ['Foreclosure on record', 'repossession'],
    ['Accounts were charged off or repossessed', 'delinquent-credit'],
    ['Serious delinquency', 'delinquent-credit'],
    ['Payments were 90 days late in the last two years', 'delinquent-credit'],
    ['Proportion of balances to credit limits is too high on revolving accounts', 'balances-too-high'],
    ['An account uses more than half of its limit', 'balances-too-high'],
    ['Too many inquiries in the last 12 months', 'recent-inquiries'],
    ['Length of time accounts have been established', 'limited-credit'],
    ['Credit history is short', 'limited-credit'],
    ['Something else', 'credit-history'],
  ])('where the file shows nothing, by the bureau’s factors: %s', (factor, code) => {
    expect(codes(modelReasons(seen(low, { scoreFactors: [factor] })))).toEqual([code]);
    expect(codes(creditReasons(seen(low, { scoreFactors: [factor] })))).toEqual([code]);
  });

  test('a factor does not bring in what the file contradicts', () => {
    const file = { ...low, inquiries: 5 };
    expect(codes(modelReasons(seen(file, { scoreFactors: ['Revolving balances are high'] })))).toEqual([
      'recent-inquiries',
    ]);
  });

  test('a score that is too low has the same reasons, whatever the score', () => {
    const file = { pastDueLines: 2, seriousLateLines: 1, utilisation: 0.9, inquiries: 1, thinFile: 0 };
    for (const score of [350, 500, 538, 539]) {
      expect(codes(creditReasons(seen({ ...file, score })))).toEqual(['delinquent-credit', 'balances-too-high']);
    }
  });

  test('what hardly counts does not stand in for the bureau’s factors', () => {
    const file = seen({ ...low, utilisation: 0.35 }, { scoreFactors: ['Credit history is short'] });
    expect(codes(creditReasons(file))).toEqual(['limited-credit']);
    expect(codes(creditReasons(seen({ ...low, utilisation: 0.45 })))).toEqual(['balances-too-high']);
  });

  test('a file without a score says too little, whatever else is in it', () => {
    const file = seen({ ...low, score: null, utilisation: 0.9, pastDueLines: 2 }, { score: null });
    expect(codes(creditReasons(file))).toEqual(['limited-credit']);
  });

  test('without a file that is the reason', () => {
    const nobody = seen({ score: null, thinFile: 1, utilisation: null }, { hit: false, accounts: 0 });
    expect(codes(creditReasons(nobody))).toEqual(['no-credit-file']);
    expect(codes(modelReasons(nobody))).toEqual(['no-credit-file']);
  });
});

test('the figures are those that count against the applicant', () => {
  const detail = (change: Partial<Features>, code: string) =>
    modelReasons(seen(change)).find((one) => one.code === code)?.detail;
  expect(detail({ pastDueLines: 3, seriousLateLines: 4 }, 'delinquent-credit')).toBe(
    'accounts past due 3, accounts ever 90 days past due 4',
  );
  expect(detail({ ltv: 1.4, vehicleAge: 2, mileage: 80_000 }, 'collateral-insufficient')).toBe(
    'loan to value 140 %, mileage 80,000 miles',
  );
  expect(detail({ thinFile: 1 }, 'limited-credit')).toBe('accounts 6, in file for 90 months');
  expect(detail({ debtToIncome: 0.612 }, 'excessive-obligations')).toBe('obligations to income about 61.2 %');
});

// ---- whole applications ----

function assess(figures: Partial<Figures>): Assessment {
  const found = underwrite(inputOf({ ...ORDINARY, ...figures }));
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

const late: Line = { kind: 'auto', months: 30, open: true, high: 9_000, used: 50, late: 4, pastDue: true };

describe('a decline', () => {
  test('by the model states the file, the rule and the figures, and the record says the same in all places', () => {
    const once: Line = { ...late, open: false, pastDue: false };
    const file = { score: 541, lines: [late, late, late, once, once], monthsInFile: 20, inquiries: 9 };
    const found = assess({ ...file, ltv: 98, products: 0, rate: '29.99', income: 9_000 });
    const statement = 'Delinquent past or present credit obligations with others';
    expect(found.reasons[0]).toMatchObject({ statement, rule: 'maximum-default-probability' });
    expect(found.reasons[0]?.detail).toMatch(
      /^Default probability [\d.]+ %, at most [\d.]+ %: accounts past due 3, accounts ever 90 days past due 5$/,
    );
    const entry = found.underwriting.UnderwritingInfo[0] ?? {};
    expect(entry.DecisionReason).toContain(`${statement} (${found.reasons[0]?.detail})`);
    expect(entry.DecisionReasonSimple).toBe(found.response.DeclineReason);
    expect(found.response.DeclineReason).toBe(found.notice?.applicant.reasons.join('; '));
  });

  test('by the risk of the person states nothing about the deal or the vehicle, which that risk does not depend on', () => {
    const file = { score: 541, lines: [late, late], inquiries: 6, monthsInFile: 60 };
    const small = { ltv: 40, products: 0, value: 12_000, vehicleAge: 12, mileage: 150_000, term: 36 };
    const { reasons, response } = assess({ ...file, ...small, rate: '24.99', income: 9_000 });
    expect(new Set(reasons.map(({ rule }) => rule))).toEqual(new Set(['maximum-risk-of-the-person']));
    expect(reasons.map(({ code }) => code)).not.toContain('collateral-insufficient');
    expect(response.DeclineReason).toContain('Delinquent past or present credit obligations with others');
  });

  test('by the risk at the sheet’s rate does not state the rate asked for: a lower one would be declined as well', () => {
    const file = { score: 545, lines: [late], inquiries: 4, monthsInFile: 60, income: 9_000 };
    const at = (rate: string) => assess({ ...file, ltv: 99, products: 0, rate, term: 72 }).reasons;
    for (const rate of ['24.99', '29.99']) {
      expect(at(rate).map(({ rule }) => rule)).toContain('maximum-default-probability');
      expect(at(rate).map(({ code }) => code)).not.toContain('rate-above-risk');
    }
  });

  test('by several rules states each before the further reasons of any', () => {
    const { reasons } = assess({ score: 500, lines: [late], inquiries: 9, ltv: 190, income: 2_400 });
    const rules = reasons.map(({ rule }) => rule);
    expect(rules.slice(0, 3)).toEqual(['minimum-score', 'maximum-pti', 'maximum-dti']);
    expect(new Set(rules).size).toBeLessThan(rules.length);
    const repeated = rules.findIndex((rule, i) => rules.indexOf(rule) < i);
    expect(rules.slice(0, repeated)).toContain('maximum-default-probability');
  });

  test('at a rate below the sheet states the rate, and not that the deal loses money', () => {
    const found = assess({ rate: '2.00' });
    expect(found.response.DeclineReason).toBe('Rate requested is below the lowest rate we offer for this credit');
    expect(found.reasons.map(({ code }) => code)).toContain('cost-not-covered');
  });
});

describe('a joint application', () => {
  test('has the reasons of both people’s files; each notice has only its own person’s score', () => {
    const joint = { score: 512, income: 2_000 };
    const found = assess({ score: null, lines: [late, late, late, late, late], joint });
    expect(found.notice?.applicant.reasons).toContain('Delinquent past or present credit obligations with others');
    expect(found.notice?.applicant.score).toBeNull();
    expect(found.notice?.coApplicant?.score?.value).toBe(512);
    expect(JSON.stringify(found.notice?.applicant)).not.toMatch(/512|accounts past due/);
    expect(JSON.stringify(found.notice?.coApplicant)).not.toMatch(/accounts past due/);
  });
});
