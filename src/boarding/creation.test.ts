import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { creationOf, MACRO } from '../../test/support/creation.ts';
import { DEFAULT_POLICY } from '../core/policy.ts';
import { percent } from '../core/rate.ts';
import { CREATION_EXAMPLE, CreationRequest } from '../http/origination/creation.ts';
import { type AjvError, fieldErrors, Problem } from '../http/shared/problems.ts';
import type { Creation } from './creation.ts';

const TODAY = '2026-06-15';
const validate = new Ajv({ strict: false, allErrors: true }).compile(CreationRequest);

/** As the route does it: parsed, checked against the schema, read. */
function creation(source: string): Creation {
  const body = JSON.parse(source) as object;
  if (!validate(body)) {
    throw new Problem('invalid_request', 'schema', { errors: fieldErrors((validate.errors ?? []) as AjvError[]) });
  }
  return creationOf(source, TODAY);
}

const LEAST = {
  applicationId: 'APP-1',
  borrowerId: 'B-1',
  lenderId: 'L-1',
  loanType: 'AutoLoan',
  loanAmount: '10000',
  interestRate: '12',
  term: 12,
};
const create = (more: object = {}) => creation(JSON.stringify({ ...LEAST, ...more }));

/** Pointer and code of every mistake, or [] when it is taken. */
function mistakes(more: object | string): string[] {
  return refusals(more).map(({ pointer, code }) => `${pointer} ${code}`);
}

function refusals(more: object | string) {
  try {
    creation(typeof more === 'string' ? more : JSON.stringify({ ...LEAST, ...more }));
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.status).toBe(422);
    return error.facts.errors ?? [];
  }
}

describe('the least that is needed', () => {
  test('has a documented default for everything else', () => {
    const { contract, policy, file, personal, publicPart, published } = create();
    expect(contract).toEqual({
      amount: 1_000_000,
      rate: percent('12'),
      variable: false,
      dayCount: 'actual/365',
      rounding: 'half-up',
      frequency: 'Monthly',
      count: 12,
      contractDate: null,
      firstPaymentDate: null,
      amortization: 'FullAmortization',
      balloon: 0,
      interestOnlyCount: 0,
      payment: null,
      prepaymentPenalty: 0,
    });
    expect(policy).toEqual(DEFAULT_POLICY);
    expect(file).toEqual({
      applicationId: 'APP-1',
      borrowerId: 'B-1',
      lenderId: 'L-1',
      primaryServicerId: '',
      secondaryServicerId: '',
      borrower: '',
      initialLender: '',
      loanServicer: '',
      loanType: 'AutoLoan',
      state: '',
      principalAmount: 1_000_000,
      collateralType: 'Vehicles',
      collateralValue: null,
      encumberedStatus: 'Lien',
      interestRate: '12',
      spread: '',
      interestRateType: 'Fixed',
      amortizationType: 'FullAmortization',
      term: 12,
      paymentFrequency: 'Monthly',
      prepaymentPenalty: 0,
      lateFee: 0,
      riskRating: '',
      defaultProbability: '',
      grade: '',
      predictedPrincipalPaid: '',
      predictedInterestPaid: '',
      predictedChargeoffAmount: '',
      predictedRecoveredAmount: '',
      predictedGrossCashflow: '',
      predictedNetCashflow: '',
      predictedYield: '',
      apr: '',
      prepaidFinanceCharge: 0,
      originationFee: 0,
      dealerReserve: 0,
      directCosts: 0,
      fairValuePrice: '',
      ltv: '',
      macroEconomicFeatures: '{}',
      macroGiven: '{}',
      macroAtCreation: MACRO,
      assessed: null,
      assessedWith: null,
      vehicle: { year: '', age: '', mileage: '' },
      decision: null,
      deals: [],
      opening: null,
      ended: null,
    });
    expect(personal).toMatchObject({
      lendingDecisionReason: '',
      applicantCreditVision: '',
      coApplicantCreditVision: '',
      vin: '',
      indexRate: '',
      creditReportHash: '',
      retailInstallmentContractHash: '',
      search: {},
    });
    expect(publicPart).toBe(
      '{"indexRate":"","pti":"","dti":"","creditReportHash":"","retailInstallmentContractHash":""}\n' +
        '"loanInfo":{"Auto":{"make":"","model":"","year":"","age":"","mileage":"","vin":""}},' +
        '"Underwriting":{"CashflowsCsv":"","DealTermsInfo":[],"UnderwritingInfo":[]}',
    );
    expect(published).toBe(false);
  });

  test('is named when it is missing, all of it at once', () => {
    const all = ['/applicationId', '/borrowerId', '/lenderId', '/loanType', '/interestRate', '/term', '/loanAmount'];
    expect(mistakes('{}').sort()).toEqual(all.map((pointer) => `${pointer} required`).sort());
    expect(mistakes({ applicationId: '', borrowerId: null, lenderId: '', interestRate: null, term: '' })).toEqual([
      ...['/applicationId', '/borrowerId', '/lenderId', '/interestRate', '/term'].map(
        (pointer) => `${pointer} required`,
      ),
    ]);
    expect(mistakes({ loanAmount: '' })).toEqual(['/loanAmount required']);
  });

  test('may come as numbers or text, and "" or null is as good as absent', () => {
    const empty = Object.keys(CreationRequest.properties)
      .filter((name) => !(name in LEAST))
      .map((name) => [name, name === 'published' ? null : '']);
    const objects = [
      'opening',
      'purchase',
      'lateFeePolicy',
      'macroEconomicFeatures',
      'loanInfo',
      'customData',
      'Request',
      'Response',
      'Underwriting',
      'loanPayments',
      'metadata',
      'loanDetails',
      'data',
    ];
    const nothing = { ...Object.fromEntries(empty), ...Object.fromEntries(objects.map((name) => [name, null])) };
    expect(create(nothing)).toEqual(create());
    const nulls = Object.fromEntries(empty.map(([name]) => [name, null]));
    expect(create(nulls)).toEqual(create());
    expect(create({ loanAmount: 10000, term: '12', interestRate: 12 })).toEqual(create());
    expect(create({ loanAmount: '10,000.00' })).toEqual(create());
  });
});

test('the example of the document is taken', () => {
  expect((CreationRequest as { examples?: unknown }).examples).toEqual([CREATION_EXAMPLE]);
  const { contract, file, personal } = creation(JSON.stringify(CREATION_EXAMPLE));
  expect(contract).toMatchObject({ amount: 2_887_500, count: 60 });
  expect(file).toMatchObject({ collateralValue: 3_140_000, riskRating: 'Low', lateFee: 2_500 });
  expect(personal.search).toEqual({
    ssn: '666-12-3456',
    email: 'ann@example.com',
    lastName: 'Example',
    dateOfBirth: '19800229',
    vin: '1HGCM82633A004352',
  });
});

describe('members', () => {
  test('that are not known are refused by name, in the nested shapes too', () => {
    const more = {
      ...{ loanamount: 1, opening: { asOf: '2026-01-01', principal: 1, balance: 2 }, lateFeePolicy: { flat: 1 } },
      ...{ macroEconomicFeatures: { gdp: 1 }, loanInfo: { colour: 'red', Auto: { doors: 2 } } },
    };
    expect(mistakes(more).sort()).toEqual([
      '/lateFeePolicy/flat unknown_member',
      '/loanInfo/Auto/doors unknown_member',
      '/loanInfo/colour unknown_member',
      '/loanamount unknown_member',
      '/macroEconomicFeatures/gdp unknown_member',
      '/opening/balance unknown_member',
    ]);
    expect(mistakes(`{"__proto__":1,${JSON.stringify(LEAST).slice(1)}`)).toEqual(['/__proto__ unknown_member']);
  });

  test('are taken by their decimal text, never by the nearest binary fraction', () => {
    const text = JSON.stringify(LEAST).replace('"10000"', '9007199254740.93').replace('"12"', '7.250');
    const { contract, file } = creation(text);
    expect(contract.amount).toBe(900_719_925_474_093);
    expect(contract.rate).toEqual(percent('7.25'));
    expect(file.interestRate).toBe('7.250');
  });

  test('that are repeated count once: the last, as the parser has it', () => {
    const text = JSON.stringify(LEAST).replace('"loanAmount"', '"loanAmount":"5","loanAmount"');
    expect(creation(text).contract.amount).toBe(1_000_000);
    expect(creation(JSON.stringify(LEAST).replace('"term"', '"t\\u0065rm"')).contract.count).toBe(12);
  });

  test.each([
    [{ loanAmount: '1e5' }, '/loanAmount exponent'],
    [{ loanAmount: '-5' }, '/loanAmount negative'],
    [{ loanAmount: '10.001' }, '/loanAmount decimals'],
    [{ loanAmount: '12345678901234.50' }, '/loanAmount too_many_digits'],
    [{ loanAmount: 0 }, '/loanAmount amount_zero'],
    [{ interestRate: '-1' }, '/interestRate negative'],
    [{ interestRate: '10000' }, '/interestRate format'],
    [{ term: 0 }, '/term range'],
    [{ term: 601 }, '/term range'],
    [{ term: '12.5' }, '/term format'],
    [{ originationDate: '2026-02-30' }, '/originationDate format'],
    [{ defaultProbability: '1.1' }, '/defaultProbability range'],
    [{ defaultProbability: '-0.1' }, '/defaultProbability range'],
    [{ apr: 'x' }, '/apr format'],
    [{ predictedYield: '-1.5' }, '/predictedYield range'],
    [{ predictedPrincipalPaid: '-1' }, '/predictedPrincipalPaid negative'],
    [{ predictedInterestPaid: '1.2345678' }, '/predictedInterestPaid decimals'],
    [{ predictedInterestPaid: '12345678901234' }, '/predictedInterestPaid too_many_digits'],
    [{ fairValuePrice: '1e3' }, '/fairValuePrice exponent'],
    [{ fairValuePrice: '1,23.5' }, '/fairValuePrice format'],
    [{ predictedNetCashflow: '--1' }, '/predictedNetCashflow negative'],
    [{ creditReportHash: '0xabc' }, '/creditReportHash format'],
    [{ borrower: '0x12' }, '/borrower format'],
    [{ grade: 'G' }, '/grade enum'],
    [{ paymentFrequency: 'Daily' }, '/paymentFrequency enum'],
    [{ loanType: 'Lease' }, '/loanType enum'],
    [{ collateralType: 'Boat' }, '/collateralType enum'],
    [{ encumberedStatus: 'Free' }, '/encumberedStatus enum'],
    [{ interestRateType: 'Floating' }, '/interestRateType enum'],
    [{ amortizationType: 'Bullet' }, '/amortizationType enum'],
    [{ dayCount: '365' }, '/dayCount enum'],
    [{ published: 'yes' }, '/published type'],
    [{ applicantCreditVision: 'x'.repeat(20_001) }, '/applicantCreditVision too_long'],
    [{ indexRate: 'call 555-12-3456' }, '/indexRate format'],
    [{ indexRate: '<b>' }, '/indexRate format'],
    [{ spread: 'x' }, '/spread format'],
    [{ macroEconomicFeatures: { cpi: 'high' } }, '/macroEconomicFeatures/cpi format'],
    [{ macroEconomicFeatures: { cpi: '01' } }, '/macroEconomicFeatures/cpi format'],
    [{ prepaidFinanceCharge: '10000' }, '/prepaidFinanceCharge contradiction'],
    [{ lateFeePolicy: { judge: 'newestFirst' } }, '/lateFeePolicy/judge enum'],
    [{ lateFeePolicy: { percent: '101' } }, '/lateFeePolicy/percent range'],
    [{ lateFeePolicy: { percent: '5', graceDays: 400 } }, '/lateFeePolicy/graceDays range'],
    [{ loanInfo: { vin: '1HGCM82634A004352' } }, '/loanInfo/vin check_digit'],
    [{ Request: [] }, '/Request type'],
  ])('%j: %s', (more, mistake) => {
    expect(mistakes(more)).toEqual([mistake]);
  });

  test('of closed lists name the values that are known', () => {
    expect(refusals({ paymentFrequency: 'Daily' })[0]?.detail).toBe(
      'Must be one of: Monthly, SemiMonthly, BiWeekly, Weekly, Quarterly, SemiAnnual, Annual.',
    );
  });

  test('that are wrong are all reported together', () => {
    expect(mistakes({ loanAmount: '1e5', interestRate: 'x', term: 'y', lateFee: '-1', originationDate: '1' })).toEqual([
      ...[
        '/loanAmount exponent',
        '/term format',
        '/originationDate format',
        '/interestRate format',
        '/lateFee negative',
      ],
    ]);
  });

  test('never come back in what is said about them', () => {
    const secret = '666-99-1234';
    const told = JSON.stringify(refusals({ applicationId: secret, loanInfo: { vin: '1HGCM82634A004352' } }));
    expect(told).not.toContain('99');
    expect(told).not.toContain('HGCM');
  });
});

describe('references', () => {
  test.each(['123-45-6789', '123456789', '123.45.6789', 'SSN:666-12-3456', 'SSN666000001', 'X-666.00.0001'])(
    '%s is refused',
    (id) => {
      expect(mistakes({ borrowerId: id })).toEqual(['/borrowerId personal']);
    },
  );

  test.each(['1234567890', '12345678', 'PAY-000000001', '2026-12-3456', '12-34-5678', 'APP-2026-000117'])(
    '%s is taken',
    (id) => {
      expect(create({ borrowerId: id }).file.borrowerId).toBe(id);
    },
  );

  test('have a form', () => {
    expect(mistakes({ applicationId: 'a b', lenderId: 'x'.repeat(65), primaryServicerId: 'é' })).toEqual([
      ...['/applicationId format', '/lenderId format', '/primaryServicerId format'],
    ]);
  });
});

describe('kinds of loans', () => {
  test.each(['RevolvingCredit', 'LineOfCredit', 'MerchantCashAdvance'])('%s is not supported', (loanType) => {
    expect(mistakes({ loanType })).toEqual(['/loanType not_supported']);
  });

  test('collateral follows the type, and the lien follows the collateral', () => {
    const shown = (more: object) => {
      const { collateralType, encumberedStatus } = create(more).file;
      return [collateralType, encumberedStatus];
    };
    expect(shown({ loanType: 'PersonalLoan' })).toEqual(['None', 'Unencumbered']);
    expect(shown({ loanType: 'Mortgage', collateralType: 'RealEstate' })).toEqual(['RealEstate', 'Lien']);
    expect(shown({ collateralType: 'Vehicle' })).toEqual(['Vehicles', 'Lien']);
    expect(shown({ collateralType: 'None' })).toEqual(['None', 'Unencumbered']);
    expect(shown({ encumberedStatus: 'PostedCollateral' })).toEqual(['Vehicles', 'PostedCollateral']);
  });

  test('the risk rating follows from the grade', () => {
    const rating = (grade: string) => create({ grade }).file.riskRating;
    expect(['A', 'B', 'C', 'D', 'E', 'F', ''].map(rating)).toEqual([
      ...['Low', 'Low', 'Medium', 'Medium', 'High', 'High', ''],
    ]);
  });
});

describe('amounts', () => {
  test('the principal is the advance before financed products', () => {
    expect(create({ principalAmount: '9500' }).file.principalAmount).toBe(950_000);
    const { loanAmount: _, ...rest } = LEAST;
    const alone = creation(JSON.stringify({ ...rest, principalAmount: '9500' }));
    expect([alone.contract.amount, alone.file.principalAmount]).toEqual([950_000, 950_000]);
  });

  test('the principal is never more than the loan; both are shown', () => {
    const [mistake] = refusals({ principalAmount: '10000.01' });
    expect(mistake).toMatchObject({ pointer: '/principalAmount', code: 'contradiction' });
    expect(mistake?.detail).toBe('Must not exceed the loan amount of 10000.00; 10000.01 was given.');
  });

  test('forecasts are kept as they will be shown: amounts with the decimals they were given with', () => {
    const { file } = create({
      predictedPrincipalPaid: '28,875.00',
      predictedInterestPaid: 4123.5,
      predictedChargeoffAmount: '0012.50',
      predictedRecoveredAmount: '0.000001',
      predictedGrossCashflow: '1,234,567,890,123.456789',
      predictedNetCashflow: '-1,200.2575',
      fairValuePrice: '29163.75',
      defaultProbability: '0.0350',
      predictedYield: '-0.0123456789',
      apr: '0.07250000',
    });
    expect(file).toMatchObject({
      predictedPrincipalPaid: '28875.00',
      predictedInterestPaid: '4123.5',
      predictedChargeoffAmount: '12.50',
      predictedRecoveredAmount: '0.000001',
      predictedGrossCashflow: '1234567890123.456789',
      predictedNetCashflow: '-1200.2575',
      fairValuePrice: '29163.75',
      defaultProbability: '0.0350',
      predictedYield: '-0.012346',
      apr: '0.0725',
    });
  });

  test('macro figures are numbers by their text', () => {
    const text = JSON.stringify(LEAST).replace(
      '{',
      '{"macroEconomicFeatures":{ "unemployment" : 4.10, "cpi":"3.2", "fedRate":5e-1},',
    );
    expect(creation(text).file.macroEconomicFeatures).toBe('{"unemployment":4.10,"cpi":3.2,"fedRate":5e-1}');
  });
});

describe('installments', () => {
  test.each([
    [36, 'Monthly', 36],
    [36, 'SemiMonthly', 72],
    [36, 'BiWeekly', 78],
    [36, 'Weekly', 156],
    [36, 'Quarterly', 12],
    [36, 'SemiAnnual', 6],
    [36, 'Annual', 3],
    [600, 'Weekly', 2600],
  ])('%d months %s are %d', (term, paymentFrequency, count) => {
    expect(create({ term, paymentFrequency }).contract.count).toBe(count);
  });

  test('must be given where the number is not whole, and then be one of the neighbours', () => {
    expect(mistakes({ term: 40, paymentFrequency: 'BiWeekly' })).toEqual(['/installment required']);
    expect(mistakes({ term: 40, paymentFrequency: 'Quarterly' })).toEqual(['/installment required']);
    expect(
      [86, 87].map((installment) => create({ term: 40, paymentFrequency: 'BiWeekly', installment }).contract.count),
    ).toEqual([86, 87]);
    expect(mistakes({ term: 40, paymentFrequency: 'BiWeekly', installment: 88 })).toEqual([
      '/installment contradiction',
    ]);
  });

  test('must not contradict the term; both are shown', () => {
    expect(create({ installment: '12' }).contract.count).toBe(12);
    expect(refusals({ installment: 24 })).toEqual([
      {
        pointer: '/installment',
        code: 'contradiction',
        detail: '24 was given; 12 months of Monthly payments are 12 installments.',
      },
    ]);
  });

  test('may be interest alone, or leave a balloon', () => {
    expect(create({ balloonAmount: '4000' }).contract).toMatchObject({ amortization: 'Balloon', balloon: 400_000 });
    expect(create({ amortizationType: 'InterestOnly' }).contract.amortization).toBe('InterestOnly');
    expect(create({ interestOnlyCount: 3 }).contract.interestOnlyCount).toBe(3);
    expect(mistakes({ amortizationType: 'Balloon' })).toEqual(['/balloonAmount required']);
    expect(mistakes({ amortizationType: 'FullAmortization', balloonAmount: '1' })).toEqual([
      '/balloonAmount contradiction',
    ]);
    expect(mistakes({ interestOnlyCount: 12 })).toEqual(['/interestOnlyCount invalid_value']);
    expect(mistakes({ amortizationType: 'InterestOnly', scheduledPayment: '100' })).toEqual([
      '/scheduledPayment contradiction',
    ]);
  });

  test('honour the contract’s own payment', () => {
    expect(create({ scheduledPayment: '900.00' }).contract.payment).toBe(90_000);
    expect(mistakes({ scheduledPayment: '0' })).toEqual(['/scheduledPayment amount_zero']);
  });

  test('end before the year 2200, and amounts stay exact', () => {
    expect(mistakes({ originationDate: '2199-06-01' })).toEqual(['/term range']);
    const absurd = { loanAmount: '9999999999999.99', interestRate: '9999', term: 600, scheduledPayment: '1' };
    expect(() => create(absurd)).toThrow(/too large to be computed/);
  });
});

describe('dates', () => {
  const begun = { originationDate: '2026-06-15' };

  test('a given origination date is the contract date', () => {
    const { contract } = create({ originationDate: '2026-06-01', firstPaymentDate: '2026-07-20' });
    expect(contract).toMatchObject({ contractDate: '2026-06-01', firstPaymentDate: '2026-07-20' });
  });

  test('those that follow may be given when they are the same', () => {
    expect(mistakes({ ...begun, maturityDate: '2027-06-15', lastPaymentDate: '2027-06-15' })).toEqual([]);
    expect(mistakes({ ...begun, nextPaymentDate: '2026-07-15' })).toEqual([]);
    expect(mistakes({ firstPaymentDate: '2026-07-01', maturityDate: '2027-06-01' })).toEqual([]);
  });

  test('a contradiction shows both', () => {
    expect(refusals({ ...begun, maturityDate: '2027-06-16', lastPaymentDate: '2027-05-15' })).toEqual([
      {
        pointer: '/maturityDate',
        code: 'contradiction',
        detail: '2027-06-16 was given; the schedule’s last payment is on 2027-06-15.',
      },
      {
        pointer: '/lastPaymentDate',
        code: 'contradiction',
        detail: '2027-05-15 was given; the schedule’s last payment is on 2027-06-15.',
      },
    ]);
    expect(mistakes({ firstPaymentDate: '2026-06-15' })).toEqual(['/firstPaymentDate contradiction']);
    expect(mistakes({ ...begun, firstPaymentDate: '2026-06-15' })).toEqual(['/firstPaymentDate contradiction']);
  });

  test('that depend on the day of funding cannot be given without one', () => {
    expect(mistakes({ maturityDate: '2027-06-15' })).toEqual(['/maturityDate contradiction']);
  });

  test('a payment that clears the loan early ends it early; the calendar’s last date is accepted too', () => {
    const early = { ...begun, scheduledPayment: '2000' };
    expect(mistakes({ ...early, maturityDate: '2026-12-15' })).toEqual([]);
    expect(mistakes({ ...early, maturityDate: '2027-06-15' })).toEqual([]);
    expect(mistakes({ ...early, maturityDate: '2027-01-15' })).toEqual(['/maturityDate contradiction']);
  });

  test('of a loan that has not begun the next payment is the first', () => {
    expect(create({ nextPaymentDate: '2026-08-01' }).contract.firstPaymentDate).toBe('2026-08-01');
    expect(create({ ...begun, nextPaymentDate: '2026-08-01' }).contract.firstPaymentDate).toBe('2026-08-01');
    expect(mistakes({ firstPaymentDate: '2026-08-01', nextPaymentDate: '2026-09-01' })).toEqual([
      '/nextPaymentDate contradiction',
    ]);
  });
});

describe('late fees', () => {
  test('are flat, or a percentage within floor and cap', () => {
    expect(create({ lateFee: '25' }).policy.lateFee).toEqual({
      ...{ flat: 2_500, percent: null, floor: null, cap: null, graceDays: 10, judge: 'currentFirst' },
    });
    const { policy, file } = create({ lateFeePolicy: { percent: '5', floor: '15', cap: '50', graceDays: 15 } });
    expect(policy.lateFee).toEqual({
      flat: null,
      percent: percent('5'),
      floor: 1_500,
      cap: 5_000,
      graceDays: 15,
      judge: 'currentFirst',
    });
    expect([policy.graceDays, file.lateFee]).toEqual([15, 1_500]);
    expect(create({ lateFee: '25', lateFeePolicy: { graceDays: 5 } }).policy).toMatchObject({
      ...{ lateFee: { flat: 2_500, graceDays: 5 }, graceDays: 5 },
    });
    expect(create({ lateFee: '0' }).policy.lateFee).toBeNull();
    expect(create({ lateFee: '25', lateFeePolicy: { judge: 'oldestFirst' } }).policy.lateFee?.judge).toBe(
      'oldestFirst',
    );
  });

  test('contradict each other', () => {
    expect(mistakes({ lateFee: '25', lateFeePolicy: { percent: '5' } })).toEqual([
      '/lateFeePolicy/percent contradiction',
    ]);
    expect(mistakes({ lateFee: '15', lateFeePolicy: { percent: '5', floor: '15' } })).toEqual([]);
    expect(mistakes({ lateFeePolicy: { floor: '5', cap: '6' } })).toEqual([
      ...['/lateFeePolicy/floor contradiction', '/lateFeePolicy/cap contradiction'],
    ]);
    expect(mistakes({ lateFeePolicy: { percent: '5', floor: '7', cap: '6' } })).toEqual([
      '/lateFeePolicy/floor contradiction',
    ]);
  });
});

test('the vehicle’s fields may be given directly or under Auto, not both', () => {
  const vehicle = { make: 'Honda', vin: '1hgcm82633a004352' };
  const expected =
    '"loanInfo":{"Auto":{"make":"Honda","model":"","year":"","age":"","mileage":"","vin":"1HGCM82633A******"}}';
  expect(create({ loanInfo: vehicle }).publicPart).toContain(expected);
  expect(create({ loanInfo: { Auto: vehicle } }).publicPart).toContain(expected);
  expect(create({ loanInfo: vehicle }).personal.vin).toBe('1HGCM82633A004352');
  expect(mistakes({ loanInfo: { make: 'Honda', Auto: vehicle } })).toEqual(['/loanInfo contradiction']);
  const mileage = { loanInfo: { year: 2003, mileage: '88400', age: '23' } };
  expect(create(mileage).publicPart).toContain('"year":"2003","age":"23","mileage":"88,400"');
  expect(create({ loanType: 'PersonalLoan' }).publicPart).toContain('"loanInfo":{},');
});

test('nesting has a bound', () => {
  const deep = (depth: number) =>
    JSON.stringify(LEAST).replace('{', `{"Request":{"x":${'['.repeat(depth)}${']'.repeat(depth)}},`);
  expect(creation(deep(400)).personal.record).toContain('['.repeat(400));
  expect(() => creation(deep(100_000))).toThrow(/500 levels/);
});
