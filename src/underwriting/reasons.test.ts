/** The order of reasons, and what holds for the reasons of every applicant: few, known, true, and stable. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyFigures, type Figures, inputOf } from '../../test/support/underwriting/applicants.ts';
import { ZERO } from '../core/money.ts';
import { percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import { type AssessedDeal, openDeals, type Setting, settingFor } from './deal.ts';
import { readFacts } from './facts.ts';
import { MODELS } from './model-data.ts';
import type { LendingPolicy } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { type Break, inOrder, principalStatements, REASONS, type ReasonCode } from './reasons.ts';
import type { Model } from './score.ts';

const [model, policy] = [MODELS[0] as Model, POLICIES[0] as LendingPolicy];

describe('the order of reasons', () => {
  const broken = (kind: Break['kind'], excess: number, ...reasons: (readonly [ReasonCode, number?])[]): Break => ({
    ...{ kind, excess },
    reasons: reasons.map(([code, cost = 0]) => ({ code, cost, statement: REASONS[code], rule: kind, detail: '' })),
  });
  const order = (...breaks: Break[]) => inOrder(breaks).map(({ code }) => code);

  test('person, terms, risk, rate, worth', () => {
    expect(
      order(
        broken('worth', 9, ['cost-not-covered']),
        broken('rate', 9, ['rate-not-offered']),
        broken('risk', 9, ['limited-credit']),
        broken('terms', 9, ['collateral-insufficient']),
        broken('person', 0, ['delinquent-credit']),
      ),
    ).toEqual([
      'delinquent-credit',
      'collateral-insufficient',
      'limited-credit',
      'rate-not-offered',
      'cost-not-covered',
    ]);
  });

  test('terms by how far they are beyond the limit, in tenths of it; then as in the policy', () => {
    const dti = (excess: number) => broken('terms', excess, ['excessive-obligations']);
    const ltv = (excess: number) => broken('terms', excess, ['collateral-insufficient']);
    expect(order(dti(0.12), ltv(0.35))).toEqual(['collateral-insufficient', 'excessive-obligations']);
    expect(order(dti(0.31), ltv(0.35))).toEqual(['excessive-obligations', 'collateral-insufficient']);
  });

  test('every rule states its first reason before any states its second; the further ones by cost', () => {
    expect(
      order(
        broken('person', 1, ['delinquent-credit', 0.9], ['recent-inquiries', 0.2]),
        broken('terms', 1, ['products-too-high']),
        broken('risk', 1, ['excessive-obligations', 0.5], ['balances-too-high', 0.4]),
      ),
    ).toEqual([
      'delinquent-credit',
      'products-too-high',
      'excessive-obligations',
      'balances-too-high',
      'recent-inquiries',
    ]);
  });

  test('costs within a tenth of log-odds are equal, and in the order of the list', () => {
    const further = (one: number, other: number) =>
      order(broken('risk', 1, ['limited-credit', 1], ['recent-inquiries', one], ['delinquent-credit', other])).slice(1);
    expect(further(0.24, 0.16)).toEqual(['delinquent-credit', 'recent-inquiries']);
    expect(further(0.26, 0.16)).toEqual(['recent-inquiries', 'delinquent-credit']);
  });

  test('principal are at most four, each statement once, and the worth only where nothing else is', () => {
    const worth = broken('worth', 1, ['cost-not-covered']);
    const twice = broken('terms', 1, ['collateral-insufficient']);
    expect(principalStatements(inOrder([worth]))).toEqual([REASONS['cost-not-covered']]);
    expect(principalStatements(inOrder([worth, twice, twice]))).toEqual([REASONS['collateral-insufficient']]);
    const many = Object.keys(REASONS).map((code) => broken('terms', 1, [code as ReasonCode]));
    expect(principalStatements(inOrder(many))).toHaveLength(4);
  });

  test('statements are different from each other, and none tells of scores, models or policies', () => {
    expect(new Set(Object.values(REASONS)).size).toBe(Object.keys(REASONS).length);
    for (const statement of Object.values(REASONS))
      expect(statement).not.toMatch(/score|model|policy|internal|points/i);
  });
});

// ---- every applicant ----

type RequestedDeal = { readonly deal: AssessedDeal; readonly setting: Setting };

/** The requested deal alone; `atBuyRate`: at the rate of the sheet, so that the rate itself is no reason. */
function asked(figures: Figures, atBuyRate: boolean): RequestedDeal {
  const input = inputOf(figures);
  const facts = readFacts({ ...input, amount: input.contract.amount, unscoredAs: 540 });
  if (isRefusal(facts)) throw new Error(facts.detail);
  const { today, term } = input;
  const setting = settingFor({
    ...{ facts, model, policy, today, term },
    ...{ prepaidFinanceCharge: ZERO, markupCap: null },
  });
  const deals = openDeals(setting);
  const terms = { contract: input.contract, term, moreDown: ZERO };
  const rate = atBuyRate ? percent(deals.sheetOf(terms).buyRate.toFixed(2)) : terms.contract.rate;
  const deal = deals.assess({ ...terms, contract: { ...terms.contract, rate } });
  if (isRefusal(deal)) throw new Error(deal.detail);
  return { deal, setting };
}

/** People near and below the highest risk that is approved, whose deals are otherwise ordinary. */
const anyRisky: fc.Arbitrary<Figures> = fc
  .tuple(anyFigures, fc.integer({ min: 500, max: 610 }), fc.integer({ min: 2_500, max: 9_000 }))
  .map(([figures, score, income]) => ({
    ...figures,
    ...{ score, income, hit: true, ltv: Math.min(figures.ltv, 105), vehicleAge: Math.min(figures.vehicleAge, 8) },
    lines: figures.lines.map((line) => ({ ...line, high: Math.min(line.high, 9_000) })),
  }));

const POPULATIONS: [string, fc.Arbitrary<Figures>, boolean][] = [
  ['anybody', anyFigures, false],
  ['people near the threshold', anyRisky, true],
];

const RUNS = 300;

describe.each(POPULATIONS)('reasons of %s', (_, people, atBuyRate) => {
  test('are few, known, different, and stated for every decline', () => {
    const statements = new Set<string>(Object.values(REASONS));
    fc.assert(
      fc.property(people, (figures) => {
        const { deal } = asked(figures, atBuyRate);
        const stated = principalStatements(deal.findings.reasons);
        expect(stated.length > 0).toBe(deal.decision === 'DECLINED');
        expect(stated.length).toBeLessThanOrEqual(4);
        expect(new Set(stated).size).toBe(stated.length);
        for (const statement of stated) expect(statements).toContain(statement);
      }),
      { numRuns: RUNS },
    );
  });

  test('name only what counts against the applicant', () => {
    fc.assert(
      fc.property(people, (figures) => {
        const { deal, setting } = asked(figures, atBuyRate);
        const { credit } = setting.facts;
        const against = new Set(
          deal.effects.flatMap(({ effect }, i) => (effect > 0 ? (model.default.features[i]?.reason ?? []) : [])),
        );
        const behindTheScore = new Set(['no-credit-file', 'limited-credit', 'credit-history']);
        for (const { code, rule } of deal.findings.reasons) {
          if (rule !== 'maximum-default-probability' && rule !== 'minimum-score' && rule !== 'a-score') continue;
          // The bureau's only factor in these reports is the age of the accounts.
          const known =
            against.has(code) ||
            // The obligations are not known.
            (code === 'application-incomplete' && against.has('excessive-obligations')) ||
            (behindTheScore.has(code) && (against.has('credit-history') || !credit.hit));
          expect(known, `${code} of ${rule}`).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('stay the same under tiny changes for at least 95 of 100', () => {
    const score = (by: number) => (figures: Figures) => ({
      ...figures,
      score: figures.score === null ? null : figures.score + by,
    });
    const income = (by: number) => (figures: Figures) => ({ ...figures, income: Math.round(figures.income * by) });
    const used = (by: number) => (figures: Figures) => ({
      ...figures,
      lines: figures.lines.map((line) => ({ ...line, used: Math.max(0, line.used + by) })),
    });
    const tiny = [
      ...[score(1), score(-1), income(1.01), income(0.99), used(1), used(-1)],
      (figures: Figures) => used(1)(income(0.99)(score(-1)(figures))),
    ];
    let byModel = 0;
    const stated = (figures: Figures) => {
      const { reasons } = asked(figures, atBuyRate).deal.findings;
      if (reasons.some(({ rule }) => rule === 'maximum-default-probability')) byModel += 1;
      return principalStatements(reasons).sort().join('; ');
    };
    const counts = tiny.map(() => ({ same: 0, all: 0 }));
    for (const figures of fc.sample(people, { numRuns: RUNS, seed: 7 })) {
      const before = stated(figures);
      if (before === '') continue;
      for (const [i, change] of tiny.entries()) {
        const after = stated(change(figures));
        if (after === '') continue;
        (counts[i] as { all: number }).all += 1;
        if (after === before) (counts[i] as { same: number }).same += 1;
      }
    }
    expect(byModel).toBeGreaterThan(RUNS);
    for (const { same, all } of counts) {
      expect(all).toBeGreaterThan(RUNS / 3);
      expect(same / all).toBeGreaterThanOrEqual(0.95);
    }
  });
});
