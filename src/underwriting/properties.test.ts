/** Properties of the record and of the decision of every applicant. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyFigures, inputOf } from '../../test/support/underwriting/applicants.ts';
import { columnSum, digits, everyDeal, readCashflows } from '../../test/support/underwriting/cashflows.ts';
import { APPLICANTS, everyApplicant, SEED, TIMEOUT } from '../../test/support/underwriting/every-applicant.ts';
import { compounded } from '../core/price.ts';
import { isRefusal } from '../core/refusal.ts';
import type { FileFlags } from './report.ts';
import { type Assessment, publicText, recordTexts, type UnderwritingInput, underwrite } from './underwrite.ts';

function assess(input: UnderwritingInput): Assessment {
  const found = underwrite(input);
  if (isRefusal(found)) throw new Error(`${found.refused}: ${found.detail}`);
  return found;
}

/** Fields of `UnderwritingInfo` that are the sums of columns. */
const TOTALS = Object.entries({
  ForecastPrincipalPaid: 'PrincipalPaid',
  ForecastInterestPaid: 'InterestPaid',
  ForecastChargeoffAmount: 'ChargeoffAmount',
  ForecastRecoveredAmount: 'RecoveredAmount',
  ForecastTotalPaid: 'TotalPaid',
  ForecastTotalPaidLessFees: 'TotalPaidLessFees',
  ForecastPresentValue: 'PresentValue',
  ForecastFairValuePrice: 'FairValue',
  FairValuePrice: 'FairValue',
  TermsFundedAmount: 'FundedAmount',
  DefaultProb: 'DefaultProb',
});
const CUMULATIVE = Object.entries({
  CumulativePrincipalPaid: 'PrincipalPaid',
  CumulativeInterestPaid: 'InterestPaid',
  CumulativeChargeoffAmount: 'ChargeoffAmount',
  CumulativeRecoveredAmount: 'RecoveredAmount',
  CumulativeTotalPaidLessFees: 'TotalPaidLessFees',
});
const NEVER_NEGATIVE = [
  ...['BeginningBalance', 'PrincipalPaid', 'PrepaidPrincipal', 'InterestPaid', 'ChargeoffAmount', 'RecoveredAmount'],
  ...['TotalPaid', 'ServicingFee', 'EndingBalance', 'PresentValue'],
];

describe('the record of every applicant', () => {
  everyApplicant('has sixty different, complete deals without an invalid figure', (figures) => {
    const found = assess(inputOf(figures));
    const { DealTermsInfo, UnderwritingInfo } = found.underwriting;
    expect([DealTermsInfo.length, UnderwritingInfo.length, found.deals.length]).toEqual([60, 60, 60]);
    const terms = DealTermsInfo.map(
      ({ TermsTerm, TermsAPR, TermsLoanAmount }) => `${TermsTerm} ${TermsAPR} ${TermsLoanAmount}`,
    );
    expect(new Set(terms).size).toBe(60);
    expect(DealTermsInfo[0]).toMatchObject({ TermsTerm: String(figures.term), TermsAPR: String(Number(figures.rate)) });
    const others = DealTermsInfo.slice(1).map(({ TermsTerm }) => Number(TermsTerm));
    expect(others.filter((term) => term < 1 || (term % 12 !== 0 && term !== figures.term))).toEqual([]);
    const strange = [...DealTermsInfo, ...UnderwritingInfo].flatMap((entry) =>
      Object.entries(entry).filter(([name, value]) => {
        const isText = /Reason|Warnings$|Status/.test(name);
        return typeof value !== 'string' || !(isText || /^-?\d+(\.\d+)?$/.test(value));
      }),
    );
    expect(strange).toEqual([]);
    const { Response, Underwriting } = recordTexts(found);
    const everything = `${Response}${Underwriting}${JSON.stringify(found.details)}`;
    const zeros = ['-0', '-0.00', '-0.0000', '-0.000000', '-0.0000000000'].flatMap((zero) => [
      `"${zero}"`,
      `,${zero},`,
      `:${zero},`,
    ]);
    expect(['NaN', 'Infinity', 'undefined', ...zeros].filter((wrong) => everything.includes(wrong))).toEqual([]);
    expect(Object.values(found.details).every((value) => typeof value === 'string')).toBe(true);
  });

  everyApplicant('keeps the identities to the cent, and every total is the sum of its rows', (figures) => {
    const found = assess(inputOf(figures));
    const csv = everyDeal(found);
    const { blocks } = readCashflows(csv);
    expect(blocks).toHaveLength(60);
    // Every cell is a figure with its decimals, except the words and the date.
    const cell = /^(?:\d+,(?:-?\d+\.\d\d,){17}(?:\d\.\d{6},){2}(?:-?\d+\.\d\d,){3}Projected,\d{4}-\d\d-\d\d,\d+\n)+$/;
    expect(cell.test(csv.slice(csv.indexOf('\n') + 1))).toBe(true);
    // Collected and checked in one expectation: a hundred thousand of them would take most of the time.
    const wrong: string[] = [];
    found.underwriting.UnderwritingInfo.forEach((info, i) => {
      const block = blocks[i] as (typeof blocks)[number];
      const of = (name: string) => digits(info[name]);
      const same = (what: string, one: number, other: number) => {
        if (one !== other) wrong.push(`deal ${i}: ${what} is ${one}, not ${other}`);
      };
      const loan = digits(found.underwriting.DealTermsInfo[i]?.TermsLoanAmount);
      const [principal, interest, recovered] = [
        of('ForecastPrincipalPaid'),
        of('ForecastInterestPaid'),
        of('ForecastRecoveredAmount'),
      ];
      const chargedOff = of('ForecastChargeoffAmount');
      same('paid and charged off', principal + chargedOff, loan);
      same('gross', of('ForecastTotalPaid'), principal + interest + recovered);
      same('net', of('ForecastTotalPaidLessFees'), of('ForecastTotalPaid') - columnSum(block, 'ServicingFee'));
      same('net loss', of('ForecastNetLossAmount'), chargedOff - recovered);
      same('solvent', of('SolventProb'), 1_000_000 - of('DefaultProb'));
      const discounts = of('TermsLoanDiscount') + of('TermsDealerDiscount') + of('TermsDiscountFee');
      same('total discount', of('TermsTotalDiscount'), discounts);
      same('funded', of('TermsFundedAmount'), loan - discounts + of('TermsDealerFlat'));
      same('front end and products', of('TermsApprovedFrontEndAmt') + of('TermsApprovedBackEndProducts'), loan);
      for (const [total, column] of TOTALS) same(total, of(total), columnSum(block, column));
      for (const [cumulative, column] of CUMULATIVE) {
        same(cumulative, block.figures(cumulative).at(-1) as number, columnSum(block, column));
      }
      same('the last balance', block.figures('EndingBalance').at(-1) as number, 0);
      same('the last pool factor', block.figures('PoolFactor').at(-1) as number, 0);
      for (const name of NEVER_NEGATIVE) same(`least ${name}`, Math.min(0, ...block.figures(name)), 0);
    });
    expect(wrong).toEqual([]);
    const first = found.underwriting.UnderwritingInfo[0] as Record<string, string>;
    const details = {
      predictedPrincipalPaid: 'ForecastPrincipalPaid',
      predictedInterestPaid: 'ForecastInterestPaid',
      predictedChargeoffAmount: 'ForecastChargeoffAmount',
      predictedRecoveredAmount: 'ForecastRecoveredAmount',
      predictedGrossCashflow: 'ForecastTotalPaid',
      predictedNetCashflow: 'ForecastTotalPaidLessFees',
      fairValuePrice: 'ForecastFairValuePrice',
      defaultProbability: 'DefaultProb',
    } as const;
    for (const [name, member] of Object.entries(details)) {
      expect(Number(found.details[name as keyof typeof details]), name).toBe(Number(first[member]));
    }
  });

  everyApplicant(
    'has yields that reproduce the price: discounted at them, the rows are worth the funded amount to the cent',
    (figures) => {
      const found = assess(inputOf(figures));
      const { blocks } = readCashflows(everyDeal(found));
      for (const i of [0, 1, 23, 59]) {
        const info = found.underwriting.UnderwritingInfo[i] as Record<string, string>;
        const block = blocks[i] as (typeof blocks)[number];
        const price = digits(block.column('FundedAmount')[0]);
        for (const [simple, compounding, column] of [
          ['ForecastSimpleIRR', 'ForecastCompoundingIRR', 'TotalPaid'],
          ['ForecastSimpleNetIRR', 'ForecastCompoundingNetIRR', 'TotalPaidLessFees'],
        ] as const) {
          // By the rate as it is written: the twelfth root of a year's growth is a month's.
          const month = (1 + Number(info[compounding])) ** (1 / 12);
          const worth = block.figures(column).reduce((sum, paid, n) => sum + paid / month ** n, 0);
          // Ten decimals move a loan of millions by more than a cent.
          expect(Math.abs(worth - price), compounding).toBeLessThan(Math.max(1, price * 2e-8));
          expect(compounded(Number(info[simple]) / 12)).toBeCloseTo(Number(info[compounding]), 8);
        }
      }
    },
  );

  everyApplicant('is reproducible byte for byte', (figures) => {
    const [one, two] = [assess(inputOf(figures)), assess(inputOf(structuredClone(figures)))];
    expect(recordTexts(two)).toEqual(recordTexts(one));
    expect(two.details).toEqual(one.details);
  });
});

describe('every decision', () => {
  everyApplicant(
    'declines with reasons that can be disclosed to a borrower, and approves within every limit',
    (figures) => {
      const found = assess(inputOf(figures));
      for (const deal of found.assessed) {
        const { decision, findings, ratios } = deal;
        expect(decision === 'DECLINED').toBe(findings.reasons.length > 0);
        for (const { statement, detail } of findings.reasons)
          expect(statement.length * detail.length).toBeGreaterThan(0);
        if (decision === 'DECLINED') continue;
        expect(deal.defaultProbability).toBeLessThanOrEqual(0.4);
        expect(deal.standardDefaultProbability).toBeLessThanOrEqual(0.45);
        expect(ratios.dti).toBeLessThanOrEqual(0.5);
      }
      const offers = found.response.LoanTerms as unknown[];
      expect(offers).toHaveLength(found.deals.filter(({ decision }) => decision === 'APPROVED').length);
      expect(found.response.DeclineReason === '').toBe(found.decision === 'APPROVED');
    },
  );

  /** Fields about the person that must not affect the decision. */
  const PERSON = fc.record({
    ApplicantAge: fc.constantFrom('18', '29', '44', '67', '81', ''),
    ApplicantDOB: fc.constantFrom('19441224', '19590131', '19840302', '20040607', ''),
    ApplicantZip: fc.constantFrom('00042', '10001', '60629', '90210', ''),
    County: fc.constantFrom('Example County', 'Wayne', 'Cook', 'Bronx', ''),
    MaritalStatus: fc.constantFrom('Married', 'Unmarried', 'Separated', 'widow'),
    Sex: fc.constantFrom('F', 'M', 'X', ''),
    Race: fc.constantFrom('', 'declined to answer', 'any'),
    // Names of any language and script: they tell origin, sex and age.
    ApplicantFirstName: fc.constantFrom('Petra', 'Mrs. Omar', 'Yusuf', 'Zora', 'Łukasz', 'محمد', '愛子', 'Оксана', ''),
    ApplicantLastName: fc.constantFrom('Larksmere', 'Garcia Núñez', 'Nguyễn', 'Smith', 'O’Brien', 'Παπαδόπουλος', ''),
    MiddleInitial: fc.constantFrom('', 'J', 'É'),
    PreferredLanguage: fc.constantFrom('', 'en', 'es', 'zh'),
    Citizenship: fc.constantFrom('', 'US', 'Permanent resident', 'Visa'),
    Religion: fc.constantFrom('', 'any'),
    Dependents: fc.constantFrom('', '0', '4'),
    EmploymentType: fc.constantFrom('Full Time', 'Retired', 'Public assistance', 'Self Employed', 'Unemployed'),
    ApplicantEmploymentTypes: fc.constantFrom('Full Time', 'Social security', 'Alimony'),
    EmploymentCompany: fc.constantFrom('Example Freight', 'State of Ohio', ''),
    OtherIncomeType: fc.constantFrom('', 'Alimony', 'Child support', 'Public assistance', 'Second job'),
    ApplicantCity: fc.constantFrom('Exampleton', 'Detroit', ''),
    HomePhone: fc.constantFrom('202-555-0142', ''),
  });

  /** The same of a co-applicant, and whether the two are married. */
  const OTHER_PERSON = fc.record({
    CoApplicantFirstName: fc.constantFrom('', 'Guadalupe', 'John', '秀英'),
    CoApplicantLastName: fc.constantFrom('', 'Larksmere', 'Washington'),
    CoApplicantAge: fc.constantFrom('', '23', '79'),
    CoApplicantDOB: fc.constantFrom('19430102', '20030405'),
    CoApplicantZip: fc.constantFrom('', '00042', '60629'),
    CoApplicantRelationship: fc.constantFrom('', 'Spouse', 'Parent', 'None'),
    MaritalStatus: fc.constantFrom('', 'Married', 'Separated'),
    Sex: fc.constantFrom('', 'F', 'M'),
    EmploymentType: fc.constantFrom('Full Time', 'Retired'),
  });

  type Parts = { ApplicantInfo: Record<string, unknown>; CoApplicantInfo: Record<string, unknown> };
  const sameBytes = (input: UnderwritingInput, change: (request: Parts) => void) => {
    const request = structuredClone(input.request) as Parts;
    change(request);
    const [one, other] = [assess(input), assess({ ...input, request })];
    expect(recordTexts(other)).toEqual(recordTexts(one));
    expect(other.details).toEqual(one.details);
  };

  test('is blind to age, sex, marital status, names, origin, ZIP code, county and the kind of income (12 CFR 1002.6)', {
    timeout: TIMEOUT,
  }, () => {
    const property = fc.property(anyFigures, PERSON, OTHER_PERSON, (figures, person, other) => {
      sameBytes(inputOf(figures), (request) => {
        Object.assign(request.ApplicantInfo, person);
        // A person who is described without being on the application makes it incomplete.
        if (figures.joint !== null) Object.assign(request.CoApplicantInfo, other);
      });
    });
    fc.assert(property, { numRuns: APPLICANTS, seed: SEED });
  });

  test('is blind to where an income comes from: a dollar of public assistance, alimony or a pension is a dollar', {
    timeout: TIMEOUT,
  }, () => {
    const source = fc.constantFrom('Public assistance', 'Alimony', 'Child support', 'Social security', 'Second job');
    const property = fc.property(anyFigures, source, fc.integer({ min: 1, max: 99 }), (figures, type, percent) => {
      // A zero is often an empty field, so some of each is needed.
      const other = Math.floor((figures.income * percent) / 100);
      fc.pre(other > 0 && other < figures.income);
      sameBytes(inputOf(figures), ({ ApplicantInfo }) => {
        ApplicantInfo.MonthlyGross = figures.income - other;
        ApplicantInfo.OtherIncomeAmount = String(other);
        ApplicantInfo.OtherIncomeType = type;
      });
    });
    fc.assert(property, { numRuns: APPLICANTS, seed: SEED });
  });
});

describe('a fraud alert', () => {
  const ALERT = fc.record({
    fraudAlert: fc.constantFrom<FileFlags['fraudAlert']>('initial', 'extended', 'activeDuty'),
    alertPhone: fc.constantFrom(null, '202-555-0142'),
  });
  /** The sixty deals without the warnings, which count the alert. */
  const deals = (found: Assessment) => ({
    ...found.underwriting,
    UnderwritingInfo: found.underwriting.UnderwritingInfo.map((info) => ({
      ...info,
      AllWarnings: '',
      WarningsNumber: '',
    })),
  });
  const response = ({ response: { Stipulations: _, ...rest } }: Assessment) => rest;

  test('changes no deal, decision, reason, grade, price or default probability: only stipulations and warnings', {
    timeout: TIMEOUT,
  }, () => {
    const property = fc.property(anyFigures, ALERT, fc.boolean(), (figures, alert, second) => {
      const onSecond = second && figures.joint !== null;
      const plain = assess(inputOf(figures));
      const marked = assess(inputOf({ ...figures, [onSecond ? 'coFlags' : 'flags']: alert }));
      expect(deals(marked)).toEqual(deals(plain));
      expect(response(marked)).toEqual(response(plain));
      expect(marked.details).toEqual(plain.details);
      expect(marked.deals).toEqual(plain.deals);
      expect(marked.notice).toEqual(plain.notice);
      expect(marked.stipulations.length).toBe(plain.stipulations.length + 1);
      expect(marked.warnings.length).toBe(plain.warnings.length + 1);
      expect(marked.stipulations.join('\n').includes('202-555-0142')).toBe(alert.alertPhone !== null);
      const { Underwriting } = recordTexts(marked);
      expect(`${publicText(marked)}${Underwriting}`).not.toContain('202-555-0142');
      expect(publicText(marked)).not.toMatch(/alert/i);
    });
    fc.assert(property, { numRuns: APPLICANTS, seed: SEED });
  });
});
