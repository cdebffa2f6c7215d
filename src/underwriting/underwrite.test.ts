import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Figures, inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { byTheBook } from '../../test/support/underwriting/book.ts';
import { type Block, columnSum, digits, everyDeal, readCashflows } from '../../test/support/underwriting/cashflows.ts';
import type { Grade } from '../core/grade.ts';
import { cents, MAX_CENTS } from '../core/money.ts';
import { percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import type { AssessedDeal } from './deal.ts';
import { dealDetails } from './decision.ts';
import { MODELS } from './model-data.ts';
import { costOfFunds, type LendingPolicy, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { costsFor } from './rate-sheet.ts';
import { type FeatureName, gradeOf, type Model } from './score.ts';
import {
  type Assessment,
  dealCashflows,
  modelOf,
  policyOf,
  publicText,
  recordTexts,
  type UnderwritingInput,
  underwrite,
} from './underwrite.ts';

const model = MODELS[0] as Model;
const policy = POLICIES[0] as LendingPolicy;

function assess(input: UnderwritingInput): Assessment {
  const found = underwrite(input);
  if (isRefusal(found)) throw new Error(`${found.refused}: ${found.detail}`);
  return found;
}

/**
 * An applicant with almost every feature at its reference, so that the figures can be checked by hand: income 5,300.00, housing 1,000.00,
 * account payments of 250.00; 20,000.00 at 6 % over 60 months on a car worth 20,000.00.
 */
const GOLDEN = {
  ...ORDINARY,
  score: 680,
  lines: [
    { kind: 'card', months: 96, open: true, high: 10_000, used: 30, late: 0, pastDue: false },
    { kind: 'student', months: 110, open: true, high: 21_000, used: 40, late: 0, pastDue: false },
    { kind: 'auto', months: 70, open: false, high: 15_000, used: 0, late: 0, pastDue: false },
  ],
  inquiries: 1,
  monthsInFile: 120,
  income: 5_300,
  housing: 1_000,
  value: 20_000,
  ltv: 100,
  products: 0,
  rate: '6.00',
  term: 60,
  vehicleAge: 3,
  mileage: 40_000,
  macro: { unemployment: 4.5, cpi: 2.5, fedRate: 4 },
} as const;

describe('an applicant whose figures can be checked by hand', () => {
  const found = assess(inputOf(GOLDEN));
  const deal = found.assessed[0] as Assessment['assessed'][number];
  const info = found.underwriting.UnderwritingInfo[0] as Record<string, string>;
  const terms = found.underwriting.DealTermsInfo[0] as Record<string, string>;

  test('the payment is 386.64: to the cent the level payment over the real days', () => {
    expect(terms.TermsMonthlyPayment).toBe('386.64');
  });

  test('ratios: 386.64 of 5,300.00, with 1,250.00 of obligations, on a value of 20,000.00', () => {
    // Card 3,000 ÷ 40 = 75, student loan 21,000 ÷ 120 = 175, housing 1,000.
    expect(found.facts.obligations.total).toBe(1_250_00);
    // 386.64 ÷ 5,300 = 0.072951; (386.64 + 1,250) ÷ 5,300 = 0.308800; both half-up to four decimals.
    expect([terms.TermsPTI, terms.TermsDTI, terms.TermsLTV]).toEqual(['0.0730', '0.3088', '1.0000']);
  });

  // The model sees 1.1^90 = 5,313.02 of income and 1.1^75 = 1,271.90 of obligations: 0.239393 of the income. The loan is 20,000.00 of
  // 63,756.24 a year, 0.313695. The record shows the payment as 386.64 ÷ 5,313.02 = 0.072772, and with the obligations 0.312165.
  const [SEEN_DEBTS, SEEN_AMOUNT] = [0.2394, 0.3137];
  const VEHICLE = { value: 20_000_00, age: 3, mileage: 40_000 };

  test('the public record shows the same coarse figures, in whole percent', () => {
    // One that the cap of the state is unverified.
    expect(deal.shown).toMatchObject({ pti: '0.07', dti: '0.31', warnings: 1 });
  });

  test('log-odds: the loan and the obligations are below their references, all else is at it', () => {
    const moved = Object.fromEntries(
      deal.effects.filter(({ effect }) => effect !== 0).map(({ name, effect }) => [name, effect]),
    );
    expect(Object.keys(moved)).toEqual(['debtToIncome', 'amountToIncome']);
    expect(moved.debtToIncome).toBeCloseTo((weightOf('debtToIncome') * (SEEN_DEBTS - 0.25)) / 0.1, 12);
    expect(moved.amountToIncome).toBeCloseTo((weightOf('amountToIncome') * (SEEN_AMOUNT - 0.4)) / 0.1, 12);
  });

  test('the probabilities of default and of no default add up to one, and the grade is that of the person', () => {
    expect(digits(info.DefaultProb) + digits(info.SolventProb)).toBe(1_000_000);
    expect(found.details.grade).toBe(gradeOf(model, deal.standardDefaultProbability));
    // Under the standard deal only the obligations are off their reference.
    const debts = (weightOf('debtToIncome') * (SEEN_DEBTS - 0.25)) / 0.1;
    const level = { amount: 0, interest: Array<number>(60).fill(0), principal: Array<number>(60).fill(0) };
    const risk = { others: debts, deal: 0, prepay: 0, aboveMarket: 0, grade: 'A' } as const;
    const { defaulted } = byTheBook(model, risk, level, { vehicle: VEHICLE, feePercent: 0 });
    expect(deal.standardDefaultProbability).toBe(Math.round(sum(defaulted) * 1e6) / 1e6);
  });

  test('totals: principal and charge-off make up the loan, gross and net follow', () => {
    const amount = (name: string) => digits(info[name]);
    expect(amount('ForecastPrincipalPaid') + amount('ForecastChargeoffAmount')).toBe(20_000_00);
    expect(amount('ForecastTotalPaid')).toBe(
      amount('ForecastPrincipalPaid') + amount('ForecastInterestPaid') + amount('ForecastRecoveredAmount'),
    );
    expect(amount('ForecastNetLossAmount')).toBe(amount('ForecastChargeoffAmount') - amount('ForecastRecoveredAmount'));
  });

  test('worth: net months discounted at the cost of funds and of capital, a twelfth a month', () => {
    const { capital } = costsFor({ model, policy }, deal.standardDefaultProbability);
    // The curve of January 2026, in an economy with another rate of the central bank.
    const moved = GOLDEN.macro.fedRate - macroOn(policy, inputOf(GOLDEN).today).fedRate;
    const funds = costOfFunds(policy, inputOf(GOLDEN).today, 60) / 100 + moved;
    const required = funds + capital / 100;
    expect(deal.discountPercent).toBeCloseTo(required, 10);
    const block = readCashflows(dealCashflows(found, 0)).blocks[0] as Block;
    const worth = (column: string) =>
      block.column(column).reduce((all, paid, month) => all + digits(paid) / (1 + required / 1200) ** month, 0);
    expect(digits(info.ForecastPresentValue)).toBe(Math.round(worth('TotalPaid')));
    expect(digits(info.FairValuePrice)).toBe(Math.round(worth('TotalPaidLessFees')));
  });

  /** Rates far below and above the market, deals beyond the bounds of their shift, old and new cars. */
  const VARIATIONS = [
    { rate: '6.00' },
    { rate: '0.00' },
    { rate: '14.00' },
    { rate: '36.00' },
    { value: 10_000, ltv: 200 },
    { value: 60_000, ltv: 33.333_333_333_333_336 },
    { vehicleAge: 14, mileage: 170_000 },
    { vehicleAge: 0, mileage: 12, score: 560 },
    { score: 800, rate: '3.99', macro: { unemployment: 10, cpi: 7, fedRate: 1 } },
  ];

  test.each(VARIATIONS)(
    'every month is what the book expects, within the cent that rounding may move: %j',
    (change) => {
      const figures = { ...GOLDEN, ...change };
      const assessment = assess(inputOf(figures));
      const own = assessment.assessed[0] as AssessedDeal;
      const book = expectation(figures, own);
      expect(own.defaultProbability).toBeCloseTo(sum(book.defaulted), 6);
      const block = readCashflows(dealCashflows(assessment, 0)).blocks[0] as Block;
      const { saleLagMonths, collectionLagMonths } = model.collateral;
      expect(block.rows).toBe(1 + 60 + model.chargeOffLagMonths + Math.max(saleLagMonths, collectionLagMonths));
      // Scheduled and early payments are rounded apart, and one month closes the loan.
      for (const [column, expected, slack] of [
        ['PrincipalPaid', book.principal.map((amount, month) => amount + (book.prepaid[month] ?? 0)), 2.01],
        ['InterestPaid', book.interest, 0.51],
        ['ChargeoffAmount', book.chargedOff, 1.51],
        ['RecoveredAmount', book.recovered, 0.51],
        ['ServicingFee', book.fee, 0.51],
      ] as const) {
        let [told, hoped] = [0, 0];
        block.column(column).forEach((text, month) => {
          told += digits(text);
          hoped += expected[month] ?? 0;
          expect(Math.abs(told - hoped), `${column} ${month}`).toBeLessThan(slack);
        });
      }
    },
  );

  function expectation(figures: typeof GOLDEN | Figures, own: AssessedDeal) {
    const of = own.forecast.rows.slice(1, 61);
    const aboveMarket = Number(figures.rate) - own.sheet.uncappedRate;
    const moved = (name: FeatureName, value: number) => {
      const { weight, reference, unit } = featureOf(name);
      return (weight * (value - reference)) / unit;
    };
    const ltv = 20_000 / figures.value;
    return byTheBook(
      model,
      {
        others:
          moved('score', figures.score ?? 0) +
          moved('debtToIncome', SEEN_DEBTS) +
          moved('unemployment', figures.macro?.unemployment ?? 0) +
          moved('cpi', figures.macro?.cpi ?? 0),
        deal:
          moved('amountToIncome', SEEN_AMOUNT) +
          moved('ltv', Math.round(ltv * 1e4) / 1e4) +
          moved('markup', Math.min(20, Math.max(0, aboveMarket))) +
          moved('vehicleAge', figures.vehicleAge) +
          moved('mileage', figures.mileage),
        prepay: sum(
          model.prepay.features.map(({ name, weight, reference, unit, high }) => {
            const value =
              name === 'score' ? (figures.score ?? 0) : name === 'ltv' ? Math.round(ltv * 1e4) / 1e4 : Number.NaN;
            return (weight * (Math.min(high, value) - reference)) / unit;
          }),
        ),
        aboveMarket,
        grade: own.grade,
      },
      {
        amount: 20_000_00,
        interest: of.map((row) => row.scheduledInterest),
        principal: of.map((row) => row.scheduledPrincipal),
      },
      {
        vehicle: { value: figures.value * 100, age: figures.vehicleAge, mileage: figures.mileage },
        feePercent: costsFor({ model, policy }, own.standardDefaultProbability).servicing / 100,
      },
    );
  }
});

function featureOf(name: FeatureName) {
  const found = model.default.features.find((feature) => feature.name === name);
  if (found === undefined) throw new Error(`The model has no ${name}.`);
  return found;
}

function weightOf(name: FeatureName): number {
  return featureOf(name).weight;
}

function sum(list: readonly number[]): number {
  return list.reduce((all, one) => all + one, 0);
}

describe('the record', () => {
  const found = assess(inputOf({ ...ORDINARY, rate: '9.49', joint: { score: 655, income: 1_800 } }));

  test('Response has every field of the interface, in its order and types, and the hard stops', () => {
    const { response } = found;
    expect(Object.keys(response)).toEqual([
      ...[
        'ApplicationID',
        'ApplicationType',
        'Comments',
        'CreditScoreCoapplicant',
        'CreditScorePrimary',
        'Date',
        'DealerID',
      ],
      ...['Decision', 'DecisionDate', 'DeclineReason', 'LoanTerms', 'Stipulations', 'hardStops'],
    ]);
    expect(response.hardStops).toEqual([]);
    expect(response).toMatchObject({
      ApplicationID: 'APP-000042',
      ApplicationType: 'Complete',
      CreditScoreCoapplicant: 655,
      CreditScorePrimary: 712,
      Date: '2026-01-15',
      DealerID: 'DLR-1001',
      Decision: 'APPROVED',
      DecisionDate: '2026-01-15 14:05:09',
      DeclineReason: '',
    });
    const offers = response.LoanTerms as Record<string, unknown>[];
    expect(offers.length).toBeGreaterThan(10);
    for (const offer of offers) {
      // A dealer's share of the rate above the buy rate, where there is one.
      if (offer.Participation !== null) expect(offer.Participation).toBeGreaterThan(0);
      const types = Object.entries({ ...offer, Participation: null }).map(
        ([name, value]) => `${name} ${value === null ? 'null' : typeof value}`,
      );
      expect(types).toEqual([
        ...[
          'AcquisitionFee number',
          'AssetPrice number',
          'DEALER_FLAT string',
          'DefaultProb number',
          'Description string',
        ],
        ...[
          'Discount number',
          'FundedAmount number',
          'GrossYield number',
          'IRR number',
          'LTV number',
          'Participation null',
        ],
        ...[
          'Payment number',
          'Rate number',
          'TermMonths number',
          'TotalLoanAmount number',
          'VehicleWholesaleValue number',
        ],
      ]);
    }
  });

  test('sixty entries each, with every field of the interface, in its order, all strings', () => {
    const { DealTermsInfo, UnderwritingInfo } = found.underwriting;
    expect([DealTermsInfo.length, UnderwritingInfo.length]).toEqual([60, 60]);
    for (const entry of DealTermsInfo) {
      expect(Object.keys(entry).join(' ')).toBe(
        'ApprovedDownPayment TermsAPR TermsDTI TermsFrontEndLTV TermsLTV TermsLoanAmount TermsMonthlyPayment TermsPTI TermsTerm',
      );
    }
    for (const entry of UnderwritingInfo) {
      expect(Object.keys(entry).join(' ')).toBe(
        'AllWarnings CollateralDefaultProb DecisionReason DecisionReasonSimple DecisionStatus DefaultProb FairValuePrice ' +
          'ForecastChargeoffAmount ForecastCompoundingIRR ForecastCompoundingNetIRR ForecastFairValuePrice ForecastInterestPaid ' +
          'ForecastNetLossAmount ForecastPresentValue ForecastPrincipalPaid ForecastRecoveredAmount ForecastSimpleIRR ' +
          'ForecastSimpleNetIRR ForecastTotalPaid ForecastTotalPaidLessFees SolventProb TermsApprovedBackEndProducts ' +
          'TermsApprovedFrontEndAmt TermsApprovedFrontEndLTV TermsDealerDiscount TermsDealerFlat TermsDiscountFee ' +
          'TermsFundedAmount TermsLoanDiscount TermsTotalDiscount WarningsNumber',
      );
    }
  });

  test('the texts have the fields of the interface in its order, and the bureau’s text unchanged', () => {
    const input = inputOf(ORDINARY);
    const texts = recordTexts(assess(input));
    expect(texts.Underwriting).toContain(`"PrimaryCreditInfo":${input.primary.attributes},"UnderwritingInfo":[`);
    expect(Object.keys(JSON.parse(texts.Underwriting))).toEqual([
      ...['CashflowsCsv', 'CoApplicantCreditBureauPDF', 'CoApplicantCreditBureauTradeLines', 'DealTermsInfo'],
      ...['PrimaryCreditBureauPDF', 'PrimaryCreditBureauTradeLines', 'PrimaryCreditInfo', 'UnderwritingInfo'],
    ]);
    expect(JSON.parse(texts.Response)).toEqual(assess(input).response);
  });

  test('the record and the public record have the cash flows of one deal: the requested one, or another that is chosen', () => {
    const assessment = assess(inputOf(ORDINARY));
    for (const dealIndex of [0, 7]) {
      const own = dealCashflows(assessment, dealIndex);
      const { forecast } = assessment.assessed[dealIndex] as AssessedDeal;
      expect(own.split('\n')).toHaveLength(forecast.rows.length + 2);
      expect(JSON.parse(recordTexts(assessment, dealIndex).Underwriting).CashflowsCsv).toBe(own);
      expect(JSON.parse(publicText(assessment, dealIndex)).CashflowsCsv).toBe(own);
    }
    expect(recordTexts(assessment)).toEqual(recordTexts(assessment, 0));
    expect(publicText(assessment)).toBe(publicText(assessment, 0));
  });

  test('cash flows: one block of months a deal, from funding on, and sums that are the totals', () => {
    const { columns, blocks } = readCashflows(everyDeal(found));
    expect([columns[0], columns.at(-1), columns.includes('Type'), columns.includes('Date')]).toEqual([
      'Month',
      'row_no',
      true,
      true,
    ]);
    expect(blocks).toHaveLength(60);
    for (const block of blocks) {
      expect(block.column('Month')).toEqual(Array.from({ length: block.rows }, (_, i) => String(i)));
      expect(new Set(block.column('Type'))).toEqual(new Set(['Projected']));
      expect(block.column('Date')[0]).toBe('2026-01-15');
    }
  });

  test('loan details are those of the requested deal; those of another come from its entries in the record', () => {
    const { DealTermsInfo, UnderwritingInfo } = found.underwriting;
    const of = (i: number) =>
      dealDetails(DealTermsInfo[i] ?? {}, UnderwritingInfo[i] ?? {}, found.details.grade as Grade);
    expect(found.details).toMatchObject(of(0));
    const other = found.assessed[7] as Assessment['assessed'][number];
    expect(of(7)).toMatchObject({
      grade: other.grade,
      defaultProbability: String(other.defaultProbability),
      ltv: String(other.ratios.ltv),
      lendingDecisionReason: UnderwritingInfo[7]?.DecisionReason,
    });
    expect(Number(of(7).predictedNetCashflow)).toBe(other.forecast.totals.totalPaidLessFees / 100);
  });

  test('the report’s hash is over what the bureau sent, both answers of a joint application', () => {
    const input = inputOf({ ...ORDINARY, joint: { score: 655, income: 1_800 } });
    const hash = createHash('sha256')
      .update(input.primary.raw)
      .update((input.coApplicant as { raw: Uint8Array }).raw);
    expect(found.details.creditReportHash).toBe(`0x${hash.digest('hex')}`);
  });
});

describe('the decision', () => {
  test('is on the requested deal; other deals that can be offered are listed with their index', () => {
    const dear = assess(inputOf({ ...ORDINARY, ltv: 150 }));
    expect(dear.decision).toBe('DECLINED');
    expect(dear.response.DeclineReason).toMatch(/^Value or type of collateral not sufficient/);
    const offers = dear.response.LoanTerms as { Description: string }[];
    const first = dear.deals.findIndex(({ decision }) => decision === 'APPROVED');
    expect(offers[0]?.Description).toMatch(new RegExp(`^Deal ${first}: `));
    expect(dear.response.Comments).toContainEqual(expect.stringContaining(`the nearest is Deal ${first}: `));
    expect(dear.stipulations).toContain('Proof of insurance that names the lender as loss payee');
  });

  test('without any offer gives reasons and no stipulations', () => {
    const bad = assess(inputOf({ ...ORDINARY, score: 430 }));
    expect(bad).toMatchObject({ decision: 'DECLINED', stipulations: [] });
    expect(bad.response).toMatchObject({ LoanTerms: [], Stipulations: [] });
    expect(bad.reasons.length).toBeGreaterThan(0);
  });

  test('of an applicant without a file says so', () => {
    const { response, details } = assess(inputOf({ ...ORDINARY, hit: false }));
    expect(response.DeclineReason).toMatch(/^No credit file/);
    expect(details.applicantCreditVision).toBe('The credit bureau has no file on this person.');
    expect(response.CreditScorePrimary).toBe(0);
  });

  test('of an applicant without income is a decline, with ratios that are numbers', () => {
    const { decision, underwriting, response } = assess(inputOf({ ...ORDINARY, income: 0 }));
    expect(decision).toBe('DECLINED');
    expect(response.DeclineReason).toContain('Income insufficient for amount of credit requested');
    expect(underwriting.DealTermsInfo[0]).toMatchObject({ TermsDTI: '2.0000', TermsPTI: '2.0000' });
  });

  test('of a minor is a decline for capacity, whatever else is given', () => {
    const input = inputOf(ORDINARY);
    const request = structuredClone(input.request) as { ApplicantInfo: Record<string, unknown> };
    request.ApplicantInfo.ApplicantDOB = '20090101';
    const found = assess({ ...input, request });
    expect(found.deals.every(({ decision }) => decision === 'DECLINED')).toBe(true);
    expect(found.response.DeclineReason).toBe('Applicant is not of legal age to enter into a binding contract');
  });
});

describe('bad input is refused with the field at fault', () => {
  const input = inputOf(ORDINARY);
  const { contract } = input;
  test.each<[string, Partial<UnderwritingInput>, string]>([
    ['0 months', { term: 0 }, 'invalid_value term'],
    ['half a month', { term: 60.5 }, 'invalid_value term'],
    ['no months at all', { term: Number.NaN }, 'invalid_value term'],
    ['a loan of nothing', { contract: { ...contract, amount: cents(0) } }, 'invalid_value loanAmount'],
    ['an advance above the loan', { principalAmount: cents(99_999_00) }, 'invalid_value principalAmount'],
    [
      'amounts that are too large',
      { contract: { ...contract, amount: MAX_CENTS, rate: percent('9999') }, principalAmount: MAX_CENTS },
      'invalid_value loanAmount',
    ],
    ['no installments', { contract: { ...contract, count: 0 } }, 'required dueDates'],
    [
      'a first payment before the loan',
      { contract: { ...contract, firstPaymentDate: '2025-12-01' as never } },
      'contradiction firstPaymentDate',
    ],
  ])('%s', (_, change, refusal) => {
    const found = underwrite({ ...input, ...change });
    expect(isRefusal(found) ? `${found.refused} ${found.member}` : 'none').toBe(refusal);
  });
});

describe('unusual loans are underwritten like all others', () => {
  const input = inputOf(ORDINARY);
  const { contract } = input;
  test.each<[string, Partial<UnderwritingInput['contract']>]>([
    ['with a balloon', { amortization: 'Balloon', balloon: cents(8_000_00) }],
    ['with a balloon of nearly everything', { amortization: 'Balloon', balloon: cents(24_900_00) }],
    ['with interest alone at first', { interestOnlyCount: 24 }],
    ['with interest alone until the end', { amortization: 'InterestOnly' }],
    ['without interest', { rate: percent('0') }],
    ['with an odd first period', { firstPaymentDate: '2026-03-20' as never }],
    ['from a date of its own', { contractDate: '2025-12-31' as never }],
    ['by 30/360', { dayCount: '30/360' }],
    ['with a payment of its own', { payment: cents(450_00) }],
    ['every week', { frequency: 'Weekly', count: 312 }],
    ['every year', { frequency: 'Annual', count: 6 }],
  ])('%s', (_, change) => {
    const found = assess({ ...input, contract: { ...contract, ...change } });
    expect(found.assessed).toHaveLength(60);
    for (const [i, block] of readCashflows(everyDeal(found)).blocks.entries()) {
      const amount = digits(found.underwriting.DealTermsInfo[i]?.TermsLoanAmount);
      expect(columnSum(block, 'PrincipalPaid') + columnSum(block, 'ChargeoffAmount')).toBe(amount);
    }
  });

  test('the annual percentage rate used by the rules is within five hundredths of a point of the disclosed one', () => {
    for (const change of [
      {},
      { firstPaymentDate: '2026-03-20' as never },
      { frequency: 'BiWeekly', count: 156 } as const,
      { contractDate: '2025-12-31' as never },
    ]) {
      for (const prepaidFinanceCharge of [cents(0), cents(750_00)]) {
        const found = assess({ ...input, contract: { ...contract, ...change }, prepaidFinanceCharge });
        expect(found.assessed[0]?.apr).toBeCloseTo(Number(found.details.apr) * 100, 1);
      }
    }
  });
});

describe('a run can be repeated from its stored input and versions', () => {
  const digest = (found: Assessment) => {
    const { Response, Underwriting } = recordTexts(found);
    // With the flows of every deal.
    const all = Underwriting.replace(JSON.stringify(dealCashflows(found, 0)), () => JSON.stringify(everyDeal(found)));
    return createHash('sha256').update(Response).update(all).update(JSON.stringify(found.details)).digest('hex');
  };

  test('byte for byte, on every machine: the digest is fixed here', () => {
    expect(digest(assess(inputOf(ORDINARY)))).toMatchInlineSnapshot(
      `"a458595dbff7926cf613270dcc7408375784ddc29b3cf66bb0bc9bcea80d0755"`,
    );
    const odd = {
      ...ORDINARY,
      score: 588,
      day: 45,
      frequency: 'BiWeekly',
      rate: '14.4375',
      joint: { score: 700, income: 900 },
    } as const;
    expect(digest(assess(inputOf(odd)))).toMatchInlineSnapshot(
      `"236bdd2465d7c5a268a3197498c899cc6fa2669a1adb6677f334138dd1219ea0"`,
    );
  });

  test('with the versions it names, whatever is in effect today', () => {
    const found = assess(inputOf(ORDINARY));
    expect([found.modelVersion, found.policyVersion]).toEqual([model.version, policy.version]);
    const again = assess({
      ...inputOf(ORDINARY),
      model: modelOf(found.modelVersion) as Model,
      policy: policyOf(found.policyVersion) as LendingPolicy,
    });
    expect(digest(again)).toBe(digest(found));
    expect([modelOf('none'), policyOf('none')]).toEqual([null, null]);
  });

  test('another policy decides otherwise', () => {
    const strict = {
      ...policy,
      version: 'strict',
      rules: policy.rules.map((rule) => (rule.id === 'minimum-score' ? { ...rule, limit: 800 } : rule)),
    };
    expect(assess({ ...inputOf(ORDINARY), policy: strict })).toMatchObject({
      decision: 'DECLINED',
      policyVersion: 'strict',
    });
  });
});
