import { describe, expect, test } from 'vitest';
import { inputOf, ORDINARY, reportOf, TODAY } from '../../test/support/underwriting/applicants.ts';
import { cents } from '../core/money.ts';
import { isRefusal } from '../core/refusal.ts';
import { type Facts, readFacts } from './facts.ts';

type Change = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The ordinary application with some fields changed. */
function read(change: Change = {}, figures: Partial<typeof ORDINARY> = {}, more: object = {}) {
  const input = inputOf({ ...ORDINARY, ...figures });
  const request = structuredClone(input.request) as Record<string, Record<string, unknown>>;
  for (const [part, members] of Object.entries(change)) request[part] = { ...request[part], ...members };
  return readFacts({ ...input, amount: input.contract.amount, request, unscoredAs: 540, ...more });
}

function facts(...args: Parameters<typeof read>): Facts {
  const found = read(...args);
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

function refusal(...args: Parameters<typeof read>): string {
  const found = read(...args);
  return isRefusal(found) ? `${found.refused} ${found.member}` : 'none';
}

describe('income', () => {
  test('the monthly figure, and other income beside it', () => {
    const { income } = facts({ ApplicantInfo: { MonthlyGross: 4583.3333, OtherIncomeAmount: '$500' } });
    expect(income).toMatchObject({ total: 5_083_33, applicant: 4_583_33, other: 500_00, estimated: false });
  });

  test('without one, a twelfth of a yearly figure, which is counted as a warning', () => {
    const found = facts({ ApplicantInfo: { MonthlyGross: null, ApplicantIncome: '64,800.00' } });
    expect(found.income.total).toBe(5_400_00);
    expect(found.warnings).toContain('Income was taken from ApplicantIncome as an annual amount');
  });

  test('an estimate comes last and is marked as one', () => {
    const { income } = facts({ ApplicantInfo: { MonthlyGross: '', EstimatedIncome: '48000' } });
    expect(income).toMatchObject({ total: 4_000_00, estimated: true });
  });

  test('a zero counts only when no other figure is given', () => {
    expect(facts({ ApplicantInfo: { MonthlyGross: 0, ReportedIncome: '36000' } }).income.total).toBe(3_000_00);
    expect(facts({ ApplicantInfo: { MonthlyGross: 0 } }).income.total).toBe(0);
  });

  test('missing income is refused with the field to fill in; so are negative and unreadable amounts', () => {
    expect(refusal({ ApplicantInfo: { MonthlyGross: null } })).toBe('required Request.ApplicantInfo.MonthlyGross');
    expect(refusal({ ApplicantInfo: { MonthlyGross: -1 } })).toBe('invalid_value Request.ApplicantInfo.MonthlyGross');
    expect(refusal({ ApplicantInfo: { MonthlyGross: 'a lot' } })).toBe(
      'invalid_value Request.ApplicantInfo.MonthlyGross',
    );
    expect(refusal({ ApplicantInfo: { OtherIncomeAmount: '-20' } })).toBe(
      'invalid_value Request.ApplicantInfo.OtherIncomeAmount',
    );
  });

  test('an unreadable figure beside a readable one is counted', () => {
    const { warnings } = facts({ ApplicantInfo: { MonthlyGross: '?', ReportedIncome: '60000' } });
    expect(warnings).toContain('MonthlyGross cannot be read; ReportedIncome was used');
  });

  test('a co-applicant’s income is added; missing income is counted as a warning', () => {
    expect(facts({}, { joint: { score: 700, income: 2_000 } }).income).toMatchObject({
      total: 7_400_00,
      coApplicant: 2_000_00,
    });
    expect(facts({}, { joint: { score: 700, income: null } }).warnings).toContain(
      'Income of the co-applicant is missing',
    );
  });
});

describe('obligations', () => {
  const mortgage = {
    kind: 'mortgage',
    months: 40,
    open: true,
    high: 360_000,
    used: 90,
    late: 0,
    pastDue: false,
  } as const;

  test('payments of open accounts and housing', () => {
    // Cards: 2,000 ÷ 40 = 50 each. Student loan: 18,000 ÷ 120 = 150.
    expect(facts().obligations).toEqual({ total: 1_600_00, housing: 1_350_00, tradeLines: 250_00 });
  });

  test('a reported mortgage and the housing payment are the same expense: the larger counts once', () => {
    const lines = [...ORDINARY.lines, mortgage];
    expect(facts({}, { lines }).obligations).toEqual({ total: 1_600_00, housing: 1_350_00, tradeLines: 1_250_00 });
    expect(facts({}, { lines, housing: 800 }).obligations.total).toBe(1_250_00);
  });

  test('a housing cost that is left out counts as the whole income, also beside a mortgage that is less', () => {
    const warning = 'Housing payment of the applicant is missing: all of the income counts as spent on it';
    for (const lines of [ORDINARY.lines, [...ORDINARY.lines, mortgage]]) {
      const found = facts({}, { lines, housing: null });
      expect(found.obligations).toMatchObject({ total: 5_650_00, housing: 5_400_00 });
      expect(found.leftOut).toEqual([{ what: 'housing', person: 'applicant' }]);
      expect(found.warnings).toContain(warning);
    }
  });

  test('one that is stated as next to nothing counts as the least that a household spends', () => {
    const least = { leastHousing: cents(300_00) };
    for (const housing of [0, 100]) {
      const found = facts({}, { housing }, least);
      expect(found.obligations.housing).toBe(300_00);
      expect(found.leftOut).toEqual([{ what: 'leastHousing', person: 'applicant' }]);
    }
    expect(facts({}, { housing: 300 }, least).leftOut).toEqual([]);
  });

  test('each person states theirs; a co-applicant of whom only the number is known lives with the applicant', () => {
    const joint = { score: 700, income: 2_000 };
    const theirs = (stated: unknown) =>
      facts({ CoApplicantInfo: { MonthlyGross: 2_000, HousingMonthlyPayment: stated } }, { joint });
    expect(theirs('600').obligations.housing).toBe(1_950_00);
    expect(theirs('').obligations.housing).toBeGreaterThanOrEqual(7_400_00);
    const onlyNumber = facts({}, { joint: { score: 700, income: null } });
    expect(onlyNumber.obligations.housing).toBe(1_350_00);
    expect(onlyNumber.leftOut).toContainEqual({ what: 'housing', person: 'coApplicant' });
  });

  test('a person whose state is left out is not lent to at the cap of another’s', () => {
    const joint = { score: 700, income: null };
    const states = (co: Change[string], applicant: Change[string] = {}) =>
      facts({ ApplicantInfo: applicant, CoApplicantInfo: co }, { joint }).states;
    expect(states({ CoApplicantState: 'ny', MonthlyGross: 900 })).toEqual(['NY', 'OH']);
    for (const left of [{ CoApplicantState: '' }, { CoApplicantState: 'New York' }, { CoApplicantState: null }])
      expect(states({ MonthlyGross: 900, ...left })).toEqual([]);
    expect(states({ CoApplicantCity: 'Albany' })).toEqual([]);
    expect(states({ CoApplicantState: 'NY' }, { ApplicantState: '' })).toEqual([]);
    // One of whom only the number is given lives with the applicant.
    expect(states({})).toEqual(['OH']);
    expect(states({ CoApplicantZip: '10001' })).toEqual(['OH']);
  });

  test('a date of birth and a source of income that are left out are noted, and change no figure', () => {
    const found = facts({ ApplicantInfo: { ApplicantDOB: '', EmploymentType: null } });
    expect(found.leftOut).toEqual([
      { what: 'birthDate', person: 'applicant' },
      { what: 'incomeSource', person: 'applicant' },
    ]);
    expect({ ...found, leftOut: [] }).toEqual(facts());
  });

  test('joint accounts count once', () => {
    const joint = facts({}, { joint: { score: 700, income: null } });
    expect(joint.credit.accounts).toBe(4);
    expect(joint.obligations.tradeLines).toBe(250_00);
  });
});

describe('the vehicle', () => {
  test('loan to value uses the wholesale value, or 70 % of the retail value with a warning', () => {
    expect(facts().vehicle).toMatchObject({ value: 24_000_00, wholesale: 24_000_00, retail: 27_600_00 });
    const found = facts({ VehicleInfo: { VehicleWholesaleValue: '' } });
    expect(found.vehicle).toMatchObject({ value: 19_320_00, wholesale: null });
    expect(found.warnings).toHaveLength(1);
  });

  test('a vehicle without a value is refused', () => {
    const nothing = { VehicleInfo: { VehicleWholesaleValue: '0', VehicleRetailValue: null } };
    expect(refusal(nothing)).toBe('required Request.VehicleInfo.VehicleWholesaleValue');
  });

  test('negative mileage and impossible years are refused', () => {
    const vehicle = { year: '', age: '', mileage: '', vin: '' };
    expect(refusal({ VehicleInfo: { VehicleMileage: '-5' } }, {}, { vehicle })).toBe(
      'invalid_value Request.VehicleInfo.VehicleMileage',
    );
    expect(refusal({ VehicleInfo: { VehicleMileage: '99,999,999' } }, {}, { vehicle })).toBe(
      'invalid_value Request.VehicleInfo.VehicleMileage',
    );
    expect(refusal({ VehicleInfo: { VehicleYear: '2099' } }, {}, { vehicle })).toBe(
      'invalid_value Request.VehicleInfo.VehicleYear',
    );
  });

  test('a vehicle without a mileage or a year is refused: it may be older than any other', () => {
    const vehicle = { year: '', age: '', mileage: '', vin: '' };
    const left = (name: string) => refusal({ VehicleInfo: { VehicleAge: '', [name]: 'unknown' } }, {}, { vehicle });
    expect(left('VehicleMileage')).toBe('required Request.VehicleInfo.VehicleMileage');
    expect(left('VehicleYear')).toBe('required Request.VehicleInfo.VehicleYear');
  });

  test('an invalid VIN is counted', () => {
    const vehicle = { year: '2024', age: '', mileage: '9', vin: '' };
    const found = facts({ VehicleInfo: { VehicleVIN: '1HGCM82643A004352' } }, {}, { vehicle });
    expect(found.vehicle.vin).toBe('impossible');
    expect(found.warnings).toEqual(['VIN is invalid: a character is wrong or missing']);
  });

  test('next year’s model is new; an age that contradicts the model year is counted', () => {
    const vehicle = { year: '2027', age: '4', mileage: '10', vin: '' };
    const found = facts({}, {}, { vehicle });
    expect(found.vehicle.age).toBe(0);
    expect(found.warnings).toContain('The given vehicle age is 4 years, but 0 by model year');
  });
});

describe('the people', () => {
  test('a co-applicant without a number or without a bureau report is refused', () => {
    const refused = 'required Request.CoApplicantInfo.CoApplicantSSN';
    expect(refusal({ ApplicationInfo: { ApplicantsNumber: '2' } })).toBe(refused);
    expect(refusal({ CoApplicantInfo: { CoApplicantSSN: '12' } })).toBe(refused);
    expect(refusal({ CoApplicantInfo: { CoApplicantSSN: '900-42-0043' } })).toBe(refused);
  });

  test('an applicant without a file, and a co-applicant without one, are counted', () => {
    const none = reportOf({ ...ORDINARY, hit: false }, TODAY);
    expect(facts({}, { hit: false }).warnings).toContain('The credit bureau has no file on the applicant');
    expect(facts({}, {}, { coApplicant: none }).warnings).toContain(
      'The credit bureau has no file on the co-applicant',
    );
  });

  test('the lower of two scores counts; someone without one counts as the lowest that is lent to', () => {
    const scored = (score: number | null, their: number | null) =>
      facts({}, { score: score as number, joint: { score: their, income: null } }).credit;
    expect([scored(712, 645), scored(645, 712)].map(({ score }) => score)).toEqual([645, 645]);
    for (const one of [scored(null, 645), scored(645, null)]) {
      expect(one).toMatchObject({ score: 540, unscored: 'score', hit: true });
    }
    expect(scored(512, null)).toMatchObject({ score: 512, unscored: null });
    expect(scored(null, null).score).toBeNull();
    const said = (score: number) => facts({}, { score: 712, joint: { score, income: 1 } }).warnings.join();
    for (const apart of [662, 762]) {
      expect(said(apart)).toContain('The applicants’ scores are 50 points apart; the lower one counts');
    }
    for (const near of [663, 712, 761]) expect(said(near)).not.toContain('points apart');
  });

  test('the date of birth is used only for the capacity to contract', () => {
    expect(facts({ ApplicantInfo: { ApplicantDOB: '20080115' } }).ofAge).toBe(true);
    expect(facts({ ApplicantInfo: { ApplicantDOB: '20080116' } }).ofAge).toBe(false);
    expect(facts({ ApplicantInfo: { ApplicantDOB: '' } }).ofAge).toBe(true);
  });

  test('everybody is of age by the law of the state they live in; of whom only the number is given lives with the applicant', () => {
    const ofAge = (request: Change) => facts(request).ofAge;
    expect(ofAge({ ApplicantInfo: { ApplicantDOB: '20080115', ApplicantState: 'al' } })).toBe(false);
    expect(ofAge({ ApplicantInfo: { ApplicantDOB: '20070115', ApplicantState: 'AL' } })).toBe(true);
    expect(ofAge({ ApplicantInfo: { ApplicantDOB: '20050116', ApplicantState: 'MS' } })).toBe(false);
    const co = (more: object) => ({ CoApplicantInfo: { CoApplicantDOB: '20080115', ...more } });
    const joint = (applicant: object, more: object = {}) =>
      facts(
        { ApplicantInfo: { ApplicantDOB: '19800101', ...applicant }, ...co(more) },
        {},
        { coApplicant: reportOf(ORDINARY, TODAY) },
      );
    expect([joint({ ApplicantState: 'NE' }), joint({ ApplicantState: 'NY' })].map((one) => one.ofAge)).toEqual([
      false,
      true,
    ]);
    expect(joint({ ApplicantState: 'NY' }, { CoApplicantState: 'NE' }).ofAge).toBe(false);
    expect(joint({ ApplicantState: 'NE' }, { CoApplicantState: 'NY' }).ofAge).toBe(true);
  });
});

test('products are the loan amount beyond the advance, or the figure in the application', () => {
  expect(facts().products).toBe(1_200_00);
  expect(facts({}, {}, { principalAmount: cents(24_960_00) }).products).toBe(1_200_00);
  expect(facts({ RequestedTermsInfo: { RequestedLoanBackendProductsAmount: '900' } }).products).toBe(1_200_00);
  expect(facts({ RequestedTermsInfo: { RequestedLoanBackendProductsAmount: '900' } }).warnings).toHaveLength(1);
  const dear = { RequestedTermsInfo: { RequestedLoanBackendProductsAmount: '25,000' } };
  expect(facts(dear, {}, { principalAmount: cents(24_960_00) }).products).toBe(0);
});

test('an application with meaningless values is refused, never an error', () => {
  for (const request of [null, undefined, 7, 'text', [], {}, { ApplicantInfo: 3 }]) {
    const input = inputOf(ORDINARY);
    expect(isRefusal(readFacts({ ...input, amount: input.contract.amount, unscoredAs: 540, request }))).toBe(true);
  }
});
