import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { loadPolicy } from './load-policy.ts';
import { inEconomy } from './macro.ts';
import {
  applyRules,
  type Circumstances,
  costOfFunds,
  dealersMarkup,
  grouped,
  highestRateIn,
  inWords,
  type LendingPolicy,
  longestTerm,
  type Measures,
  macroOn,
  type Rule,
} from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { principalStatements, REASONS, type ReasonCode } from './reasons.ts';

const policy = POLICIES[0] as LendingPolicy;

/** A deal that breaks no rule and requires no condition. */
const FINE: Measures = {
  score: 720,
  scores: 1,
  frozen: 0,
  deceased: 0,
  ssnNoMatch: 0,
  ssnPartial: 0,
  addressDiscrepancy: 0,
  dti: 0.3,
  pti: 0.08,
  ltv: 0.95,
  frontEndLtv: 0.9,
  productsToValue: 0.05,
  amount: 20_000_00,
  income: 5_000_00,
  term: 60,
  rate: 7,
  rateWithCharges: 7,
  apr: 7,
  pastDueLines: 0,
  seriousLateLines: 0,
  inquiries: 1,
  accounts: 8,
  vehicleAge: 3,
  mileage: 30_000,
  defaultProbability: 0.03,
  standardDefault: 0.03,
  balloonToLoan: 0,
  ltvOverTime: null,
  deferredMonths: 0,
  fairValue: 20_500_00,
  netYield: 6,
};
const cause = (code: ReasonCode, cost: number) => ({ code, detail: '', cost });
const ABOUT: Circumstances = {
  grade: 'B',
  states: ['OH'],
  today: date('2026-01-15'),
  bounds: { buyRate: 5, highestOffer: 7, markupCap: null, paidOut: 20_000_00, hurdle: 4.5 },
  because: (why) =>
    why === 'score'
      ? [cause('delinquent-credit', 0.8), cause('limited-credit', 0.3)]
      : [cause('excessive-obligations', 0.5), cause('collateral-insufficient', 0.4)],
};
const apply = (change: Partial<Measures>, about: Partial<Circumstances> = {}) =>
  applyRules(policy, { ...FINE, ...change }, { ...ABOUT, ...about });
const declinedBy = (...args: Parameters<typeof apply>) => apply(...args).reasons.map(({ rule }) => rule);

test('a deal within every limit gets no decline and no warning', () => {
  expect(apply({})).toEqual({ reasons: [], declinedBy: [], warnings: [], demands: policy.demands });
});

/** Each rule that declines, a deal at its limit, and one beyond it. */
const LIMITS: [rule: string, at: Partial<Measures>, beyond: Partial<Measures>, about?: Partial<Circumstances>][] = [
  ['frozen-file', { frozen: 0 }, { frozen: 1 }],
  ['deceased', { deceased: 0 }, { deceased: 1 }],
  ['ssn-no-match', { ssnNoMatch: 0 }, { ssnNoMatch: 1 }],
  ['minimum-score', { score: 540 }, { score: 539 }],
  ['a-score', { scores: 1 }, { scores: 0 }],
  ['maximum-past-due', { pastDueLines: 3 }, { pastDueLines: 4 }],
  ['minimum-income', { income: 1_200_00 }, { income: 1_199_99 }],
  ['maximum-dti', { dti: 0.5 }, { dti: 0.5001 }],
  ['maximum-pti', { pti: 0.19 }, { pti: 0.1901 }],
  ['maximum-pti', { pti: 0.16 }, { pti: 0.1601 }, { grade: 'E' }],
  ['maximum-ltv', { ltv: 1.35 }, { ltv: 1.3501 }],
  ['maximum-ltv', { ltv: 1.2 }, { ltv: 1.2001 }, { grade: 'E' }],
  ['maximum-front-end-ltv', { frontEndLtv: 1.25 }, { frontEndLtv: 1.2501 }],
  ['maximum-products', { productsToValue: 0.25 }, { productsToValue: 0.2501 }],
  ['maximum-vehicle-age', { vehicleAge: 15, term: 36 }, { vehicleAge: 16, term: 36 }],
  ['maximum-mileage', { mileage: 175_000 }, { mileage: 175_001 }],
  ['term-by-vehicle-age', { vehicleAge: 4, term: 84 }, { vehicleAge: 5, term: 84 }],
  ['term-by-vehicle-age', { vehicleAge: 10, term: 60 }, { vehicleAge: 11, term: 60 }],
  ['maximum-term', { vehicleAge: null, term: 84 }, { vehicleAge: null, term: 85 }],
  ['minimum-term', { term: 12 }, { term: 11 }],
  ['minimum-amount', { amount: 2_500_00 }, { amount: 2_499_99 }],
  ['maximum-amount', { amount: 125_000_00 }, { amount: 125_000_01 }],
  ['minimum-rate', { rate: 5 }, { rate: 4.99 }],
  ['markup-cap', { rate: 6.5 }, { rate: 6.51 }, { bounds: { ...ABOUT.bounds, markupCap: 6.5 } }],
  ['state-rate-cap', { rateWithCharges: 25 }, { rateWithCharges: 25.01 }],
  ['maximum-apr', { apr: 30.115 }, { apr: 30.116 }],
  ['minimum-apr', { apr: 1.865 }, { apr: 1.864 }],
  ['maximum-default-probability', { defaultProbability: 0.4 }, { defaultProbability: 0.400001 }],
  ['maximum-risk-of-the-person', { standardDefault: 0.45 }, { standardDefault: 0.450001 }],
  ['maximum-balloon', { balloonToLoan: 0.5 }, { balloonToLoan: 0.5001 }],
  ['maximum-ltv-over-time', { ltvOverTime: 1.35 }, { ltvOverTime: 1.3501 }],
  ['maximum-deferral', { deferredMonths: 2 }, { deferredMonths: 3 }],
  ['minimum-value', { fairValue: 20_000_00 }, { fairValue: 19_999_99 }],
  ['minimum-net-yield', { netYield: 4.5 }, { netYield: 4.4999 }],
];

describe('at the limit a deal passes, beyond it the rule is broken', () => {
  test.each(LIMITS)('%s', (rule, at, beyond, about = {}) => {
    expect(declinedBy(at, about)).toEqual([]);
    expect(new Set(declinedBy(beyond, about))).toEqual(new Set([rule]));
  });

  test('every rule that declines is tested', () => {
    const declines = policy.rules.filter(({ outcome }) => 'decline' in outcome).map(({ id }) => id);
    expect(new Set(LIMITS.map(([rule]) => rule))).toEqual(new Set(declines));
  });
});

describe('reasons', () => {
  test('say what the notice says, with the figures beside it', () => {
    expect(apply({ dti: 0.523 }).reasons).toEqual([
      {
        code: 'excessive-obligations',
        statement: 'Excessive obligations in relation to income',
        rule: 'maximum-dti',
        detail: 'Debt to income 52.3 %, at most 50 %',
      },
    ]);
  });

  test('a low score gives the reasons behind it, and the model its largest factors: never the score itself', () => {
    expect(apply({ score: 500 }).reasons.map(({ code }) => code)).toEqual(
      ABOUT.because('score').map(({ code }) => code),
    );
    expect(apply({ defaultProbability: 0.5 }).reasons.map(({ code }) => code)).toEqual(
      ABOUT.because('model').map(({ code }) => code),
    );
  });

  test('are about the person, then about the terms, the furthest beyond its limit first; each statement once, four at most', () => {
    const { reasons } = apply({ score: 500, pastDueLines: 9, dti: 0.9, pti: 0.5, ltv: 2, frontEndLtv: 2, term: 120 });
    expect(principalStatements(reasons)).toEqual([
      REASONS['delinquent-credit'],
      REASONS['income-insufficient'],
      REASONS['excessive-obligations'],
      REASONS['collateral-insufficient'],
    ]);
  });
});

describe('a file that cannot be read, or may be somebody else’s', () => {
  test.each([
    ['frozen', REASONS['file-frozen']],
    ['deceased', REASONS['identity-not-verified']],
    ['ssnNoMatch', REASONS['identity-not-verified']],
  ] as const)('is the only reason: %s', (measure, statement) => {
    const others = { scores: 0, pastDueLines: 9, dti: 0.9, ltv: 2, defaultProbability: 0.9 };
    const { reasons, declinedBy } = apply({ ...others, [measure]: 1 });
    expect(principalStatements(reasons)).toEqual([statement]);
    // An authority to override must cover them all.
    expect(declinedBy).toEqual(expect.arrayContaining([...apply(others).declinedBy]));
    expect(principalStatements(apply(others).reasons).length).toBeGreaterThan(1);
  });

  test('another address requires proof', () => {
    expect(apply({ addressDiscrepancy: 1 })).toMatchObject({
      reasons: [],
      demands: expect.arrayContaining([{ kind: 'residence', text: 'Proof of residence' }]),
    });
  });
});

test('demands and warnings, with the figures', () => {
  const { demands, warnings, reasons } = apply({ dti: 0.44, pti: 0.13, mileage: 130_000 });
  expect(reasons).toEqual([]);
  expect(demands.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['proofOfIncome', 'vehicleInspection']));
  expect(warnings).toEqual([
    'High obligations in relation to income (Debt to income 44 %, at most 43 %)',
    'High mileage (Mileage 130,000 miles, at most 120,000 miles)',
  ]);
});

test('an unknown value breaks no rule', () => {
  const unknown = { vehicleAge: null, mileage: null, inquiries: null, apr: null, score: null };
  expect(declinedBy(unknown)).toEqual([]);
});

describe('limits by state and date', () => {
  test('hold in their state alone, from their first day to their last', () => {
    const rate = { rate: 20, apr: 20, rateWithCharges: 20 };
    expect(declinedBy(rate, { states: ['FL'], today: date('2024-06-30') })).toEqual(['state-rate-cap']);
    expect(declinedBy(rate, { states: ['FL'], today: date('2024-07-01') })).toEqual([]);
    expect(declinedBy(rate, { states: ['NY'] })).toEqual(['state-rate-cap']);
    expect(declinedBy(rate, { states: ['CA'] })).toEqual([]);
    expect(declinedBy(rate, { states: [] })).toEqual([]);
  });

  test('limit what is offered', () => {
    expect(highestRateIn(policy, ['NY'], date('2026-01-15'))).toBe(16);
    expect(highestRateIn(policy, ['CA'], date('2026-01-15'))).toBe(29.99);
  });
});

test('the longest term depends on the age of the vehicle', () => {
  expect([0, 4, 5, 8, 11, 30].map((age) => longestTerm(policy, age))).toEqual([84, 84, 72, 60, 48, 36]);
  expect(longestTerm(policy, null)).toBeNull();
});

test('economic figures are those in effect on the day; before the first entry, the first applies', () => {
  expect(macroOn(policy, date('2024-12-31'))).toEqual({ unemployment: 3.7, cpi: 3.1, fedRate: 5.33 });
  expect(macroOn(policy, date('2025-01-01'))).toEqual({ unemployment: 4, cpi: 3, fedRate: 4.33 });
  expect(macroOn(policy, date('1999-01-01'))).toEqual({ unemployment: 3.6, cpi: 2.3, fedRate: 1.55 });
});

describe('the cost of funds', () => {
  const day = date('2026-01-15');
  const twoPoints = (from: string, one: number, five: number) => ({
    from: date(from),
    source: 'by hand',
    points: [
      { months: 12, percent: one },
      { months: 60, percent: five },
    ],
  });
  const flat = {
    ...policy,
    averageLifeShare: 0.5,
    funds: [twoPoints('2025-01-01', 3, 5), twoPoints('2026-01-01', 4, 8)],
  };

  test('is on the straight line between two points of the curve, by the average life', () => {
    // 72 months are lent for 36 on average: half-way from 12 to 60 months.
    expect([24, 72, 120, 6, 200].map((term) => costOfFunds(flat, day, term))).toEqual([400, 600, 800, 400, 800]);
  });

  test('is that of the curve in effect on the day; before the first, of the first', () => {
    const on = (text: string) => costOfFunds(flat, date(text), 72);
    expect([on('2025-12-31'), on('2026-01-01'), on('2001-01-01')]).toEqual([400, 600, 400]);
  });

  test('moves with the rates of another economy, and is never negative', () => {
    const at = (points: number) => {
      const { fedRate, ...rest } = macroOn(flat, day);
      return costOfFunds(inEconomy(flat, day, { ...rest, fedRate: fedRate + points }), day, 72);
    };
    expect([at(0), at(1.25), at(-9)]).toEqual([600, 725, 0]);
  });
});

test('what a dealer may add depends on the term', () => {
  const markup = [
    { upToMonths: 60, points: 2 },
    { upToMonths: 72, points: 1.25 },
  ];
  const own = { ...policy, dealer: { ...policy.dealer, markup } };
  expect([12, 60, 61, 72, 84].map((term) => dealersMarkup(own, term))).toEqual([200, 200, 125, 125, 125]);
});

test('figures in words', () => {
  expect([inWords(1.04, 'ratio'), inWords(0.12345, 'ratio'), inWords(7.49, 'percent'), inWords(0, 'ratio')]).toEqual([
    '104 %',
    '12.35 %',
    '7.49 %',
    '0 %',
  ]);
  expect([inWords(1_234_567_89, 'dollars'), inWords(1, 'years'), inWords(2, 'years'), inWords(60, 'months')]).toEqual([
    '1,234,567.89',
    '1 year',
    '2 years',
    '60 months',
  ]);
  expect([grouped('1234567'), grouped('999'), grouped('-1234.56')]).toEqual(['1,234,567', '999', '-1,234.56']);
});

describe('a policy is checked when it is loaded', () => {
  const rule = (change: object) =>
    ({ ...policy, rules: [{ ...(policy.rules[0] as Rule), ...change }] }) as LendingPolicy;
  const cap = (change: object, more: object[] = []) =>
    rule({
      limit: {
        byState: [
          {
            state: 'OH',
            from: '2020-01-01',
            until: null,
            limit: 25,
            source: 'x',
            asOf: '2026-01-01',
            status: 'confirmed',
            ...change,
          },
          ...more,
        ],
      },
    });

  const priced = (change: object) => ({ ...policy, pricing: { ...policy.pricing, ...change } }) as LendingPolicy;
  const points = policy.funds[0]?.points ?? [];

  test.each<[string, LendingPolicy, string]>([
    ['an unknown measure', rule({ measure: 'age' }), 'frozen-file: the measure must be one of'],
    ['another unknown measure', rule({ measure: 'zip' }), 'the measure must be one of'],
    ['a rule on fraud alerts', rule({ measure: 'fraudAlert' }), 'the measure must be one of'],
    [
      'a reason that is not in the list',
      rule({ outcome: { decline: 'we do not like it' } }),
      'must decline for a known reason',
    ],
    ['a limit that is not a number', rule({ limit: Number.NaN }), 'the limit must be a number'],
    ['a grade without a limit', rule({ limit: { byGrade: { A: 1 } } }), 'the limit is missing for grade B, C, D, E, F'],
    [
      'ages that are not in order',
      rule({
        limit: {
          byVehicleAge: [
            { upTo: 5, limit: 1 },
            { upTo: 5, limit: 2 },
          ],
        },
      }),
      'must be in ascending order',
    ],
    ['an unknown state', cap({ state: 'Ohio' }), 'Ohio is not a state code'],
    ['a state’s limit that ends before it begins', cap({ until: '2019-01-01' }), 'OH ends before it begins'],
    [
      'two limits of a state at once',
      cap({}, [
        {
          state: 'OH',
          from: '2021-01-01',
          until: null,
          limit: 20,
          source: 'y',
          asOf: '2026-01-01',
          status: 'confirmed',
        },
      ]),
      'OH has two limits',
    ],
    ['a limit without a source', cap({ source: '' }), 'the source for OH is missing'],
    ['an id twice', { ...policy, rules: [policy.rules[0], policy.rules[0]] } as LendingPolicy, 'ids must be unique'],
    ['a term of no months', { ...policy, terms: [0, 12, 24, 36, 48] }, 'terms: must be whole years in months'],
    [
      'a term without end',
      { ...policy, terms: [12, 24, 36, 48, 12e12] },
      'terms: must be whole years in months, up to 600',
    ],
    ['too few terms', { ...policy, terms: [12, 24] }, 'at least five'],
    [
      'a grade without a price',
      { ...policy, pricing: { ...policy.pricing, D: undefined } } as never,
      'grade D is missing',
    ],
    ['a highest rate that is none', { ...policy, highestRate: 1 }, 'highestRate: must be from 5 to 99 percent'],
    [
      'a worse grade that costs less to service',
      priced({ E: { ...policy.pricing.E, servicingPercent: 0.5 } }),
      'pricing E: servicingPercent must not be less than that of a better grade',
    ],
    [
      'a worse grade with less capital',
      priced({ F: { ...policy.pricing.F, capitalPercent: 1 } }),
      'pricing F: capitalPercent must not be less than that of a better grade',
    ],
    ['a flat fee of half a cent', priced({ A: { ...policy.pricing.A, dealerFlat: 0.5 } }), 'the dealer’s flat fee'],
    ['no curve', { ...policy, funds: [] }, 'funds: at least one curve is required'],
    ['curves that are not in order', { ...policy, funds: [...policy.funds].reverse() }, 'in ascending order'],
    [
      'a curve that goes back',
      { ...policy, funds: [{ from: date('2020-01-01'), source: 'x', points: [...points, ...points] }] },
      'funds 2020-01-01: months must be ascending',
    ],
    ['money that is lent for no time', { ...policy, averageLifeShare: 0 }, 'averageLifeShare'],
    [
      'a hurdle above what the capital earns',
      priced({ F: { ...policy.pricing.F, hurdlePoints: 2.41 } }),
      'pricing F: hurdlePoints must be at most',
    ],
    [
      'a hurdle that falls with the grade',
      priced({ E: { ...policy.pricing.E, hurdlePoints: 0.9 } }),
      'pricing E: hurdlePoints must be at most',
    ],
    [
      'a worse grade that is priced by shorter loans',
      priced({ F: { ...policy.pricing.F, shortestMonths: 24 } }),
      'pricing F: shortestMonths must be at most',
    ],
    [
      'a price by loans that the sheet does not have',
      priced({ F: { ...policy.pricing.F, shortestMonths: 96 } }),
      'pricing F: shortestMonths must be at most',
    ],
    ['more than all of the markup', { ...policy, dealer: { ...policy.dealer, sharePercent: 101 } }, 'sharePercent'],
    ['no limit to the markup', { ...policy, dealer: { ...policy.dealer, markup: [] } }, 'dealer: months'],
    [
      'an acquisition fee of a car',
      { ...policy, acquisition: { ...policy.acquisition, maximumFee: 20_000_00 } },
      'acquisition: maximumFee',
    ],
    ['a limit of a deal that is none', rule({ limit: { ofDeal: 'age' } }), 'the limit must be one of buyRate'],
    [
      'a curve from nowhere',
      { ...policy, funds: policy.funds.map((one) => ({ ...one, source: '' })) },
      'the source is missing',
    ],
    [
      'an economy from nowhere',
      { ...policy, macro: policy.macro.map((row) => ({ ...row, source: '' })) },
      'macro 2020-01-01: the source',
    ],
    ['figures that never grow old', { ...policy, oldAfterDays: 4_000 }, 'oldAfterDays: must be'],
    ['no economic figures', { ...policy, macro: [] }, 'macro: at least one entry is required'],
    ['an invalid date', { ...policy, effectiveFrom: '2026-02-30' } as never, 'effectiveFrom: must be a valid date'],
  ])('%s', (_, wrong, complaint) => {
    expect(() => loadPolicy(wrong)).toThrow(complaint);
  });

  test('every mistake is listed, with the version', () => {
    expect(() => loadPolicy({ ...policy, terms: [], macro: [] })).toThrow(
      new RegExp(`${policy.version} cannot be used.*terms.*macro`),
    );
  });
});
