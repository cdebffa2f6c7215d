/**
 * The interface as a strict client reads it. `support/interface.ts` has the specification's tables as data and `support/interface-rules.ts`
 * reads an answer by them; neither knows the source. Here is the proof that the reader notices what it should, and then every kind of loan,
 * every loan of the demonstration, and a small client that lives the life of a loan. Answers of all other tests of the API are read in the
 * same way, where they are received (`support/interface-answers.ts`).
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from './support/app.ts';
import { demoBook, everyLoan } from './support/demo-book.ts';
import { APPROVED, BEFORE_FUNDING, LOAN_DETAILS, METADATA, PAYMENT } from './support/interface.ts';
import { strictReader } from './support/interface-answers.ts';
import { interfaceClient } from './support/interface-client.ts';
import { type AnyRecord, examplePublicRecord, exampleRecord } from './support/interface-example.ts';
import { violationsOfPublicRecord, violationsOfRecord, violationText } from './support/interface-rules.ts';
import { type KindOfLoan, kindsOfLoans } from './support/kinds-of-loans.ts';
import { WHOLE } from './support/whole.ts';

const PATIENT = 300_000;
const HERE = { assessed: 'here' } as const;
const said = (found: ReturnType<typeof violationsOfRecord>) => found.map(violationText);

describe('the reader', () => {
  test('finds nothing in a record of the shapes that the specification shows', () => {
    expect(Object.keys(LOAN_DETAILS)).toHaveLength(53);
    expect(Object.keys(METADATA)).toHaveLength(19);
    expect(said(violationsOfRecord(exampleRecord(), HERE))).toEqual([]);
    expect(said(violationsOfPublicRecord(examplePublicRecord(), HERE))).toEqual([]);
  });

  test('knows nothing of the source, and the small client knows nothing at all', () => {
    const importsOf = (name: string) => {
      const text = readFileSync(new URL(`./support/${name}.ts`, import.meta.url), 'utf8');
      return [...text.matchAll(/(?:\bfrom |\bimport\s*\(?\s*)'([^']+)'/g)].map(([, from]) => from);
    };
    expect(importsOf('interface')).toEqual([]);
    expect(importsOf('interface-rules')).toEqual(['csv-parse/sync', './interface.ts']);
    expect(importsOf('interface-example')).toEqual(['./interface.ts']);
    expect(importsOf('interface-client')).toEqual([]);
  });

  test.each(WRONG_RECORDS())('notices %s', (_, change, ...expected) => {
    const record = exampleRecord();
    change(record.data, record);
    expect(said(violationsOfRecord(record, HERE))).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  test.each(WRONG_PUBLIC_RECORDS())('notices %s in the public record', (_, change, expected) => {
    const record = examplePublicRecord();
    change(record.data.loanDetails, record);
    expect(said(violationsOfPublicRecord(record, HERE))).toEqual([expect.stringContaining(expected)]);
  });

  test('notices each member that is missing, or of another type, wherever the specification has it', () => {
    const places = placesIn(exampleRecord());
    expect(places.length).toBeGreaterThan(240);
    for (const place of places) {
      for (const change of [
        (holder: Record<string, unknown>, name: string) => delete holder[name],
        (holder: Record<string, unknown>, name: string) => Object.assign(holder, { [name]: true }),
      ]) {
        const record = exampleRecord();
        const holder = place
          .slice(0, -1)
          .reduce((value, name) => value[name] as never, record as Record<string, unknown>);
        change(holder, place.at(-1) as string);
        const at = `/${place.join('/')}`;
        const found = violationsOfRecord(record, HERE).filter((one) => one.at === at);
        expect([at, found.length]).not.toEqual([at, 0]);
      }
    }
  });

  test('leaves a lender its own texts, but not other types', () => {
    const record = exampleRecord();
    Object.assign(record.data.Underwriting, {
      CashflowsCsv: 'whatever',
      PrimaryCreditBureauPDF: '?',
      PrimaryCreditInfo: {},
      DealTermsInfo: [],
      UnderwritingInfo: [],
    });
    record.data.Response.Decision = 'DECLINED';
    record.data.Request.ApplicantInfo.NickName = { any: 'thing' };
    expect(said(violationsOfRecord(record, { assessed: 'elsewhere' }))).toEqual([]);
    record.data.Underwriting.PrimaryCreditInfo = { CreditScore: 742 };
    expect(said(violationsOfRecord(record, { assessed: 'elsewhere' }))).toEqual([
      '/data/Underwriting/PrimaryCreditInfo/CreditScore: is a string, is 742',
    ]);
  });

  test('takes figures without separators only where they were asked for', () => {
    const record = exampleRecord();
    const plain = JSON.parse(JSON.stringify(record).replaceAll(/(?<="[\d,]*\d),(?=\d{3}[\d,.]*")/g, ''));
    expect(plain.data.loanDetails.createdAt).toBe('1710504000000');
    expect(said(violationsOfRecord(plain, { plain: true }))).toEqual([]);
    expect(violationsOfRecord(plain).length).toBeGreaterThan(10);
    expect(violationsOfRecord(record, { plain: true }).length).toBeGreaterThan(10);
  });

  test('reads what every test receives: by the address, the same text once, an application that was underwritten to the full', () => {
    const loanId = `0x${'12'.repeat(32)}`;
    const read = strictReader();
    const ok = { status: 200, headers: new Headers() };
    const get = (path: string, body: unknown) =>
      read({ method: 'GET', path, body: undefined }, { ...ok, body, text: JSON.stringify(body) });
    const post = (path: string, body: object) =>
      read({ method: 'POST', path, body }, { ...ok, body: { loanId }, text: '' });
    const twoDeals = exampleRecord();
    twoDeals.data.Underwriting.DealTermsInfo.length = 2;
    twoDeals.data.Underwriting.UnderwritingInfo.length = 2;
    get(`/v2/chain/loans/${loanId}`, exampleRecord());
    get(`/v2/chain/loan-data/${loanId}?asOf=2026-01-15`, examplePublicRecord());
    get(`/v2/chain/loans/${loanId}`, twoDeals);
    get(`/v2/chain/loans/${loanId}/summary`, { data: { loanDetails: exampleRecord().data.loanDetails, version: 3 } });
    post('/v2/chain/loans', { applicationId: 'A' });
    post('/v2/chain/start-underwriting', { loanId });
    twoDeals.message = 'again';
    expect(() => get(`/v2/chain/loans/${loanId}`, twoDeals)).toThrow(
      /\/data\/Underwriting\/DealTermsInfo: has 60 entries, is 2\n.*UnderwritingInfo: has 60 entries/,
    );
    const withMore = { ...exampleRecord(), loanId };
    expect(() => get(`/v2/chain/applications/${loanId}`, withMore)).toThrow('/loanId: is not a member');
    expect(() => get(`/v2/chain/loan-data/${loanId}`, exampleRecord())).toThrow('/data/Request: is not a member');
  });
});

describe('every kind of loan', () => {
  let app: TestApp;
  let kinds: readonly KindOfLoan[];
  beforeAll(async () => {
    app = await testApp();
    kinds = await kindsOfLoans(app);
  }, PATIENT);
  afterAll(() => app.close());

  test(
    'has both records as the interface says',
    async () => {
      expect(await violationsOver(app, kinds)).toEqual([]);
    },
    PATIENT,
  );

  test(
    'also without separators, and on an earlier day',
    async () => {
      const later = new Date(app.clock.now + 40 * 86_400_000);
      app.clock.now = later.getTime();
      expect(await violationsOver(app, kinds.slice(0, 16), { plain: true })).toEqual([]);
      expect(await violationsOver(app, kinds.slice(0, 16), { query: '?asOf=2026-01-20' })).toEqual([]);
    },
    PATIENT,
  );
});

if (WHOLE) {
  describe('the demonstration', () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await demoBook();
    }, PATIENT);
    afterAll(() => app.close());

    test(
      'every loan has both records as the interface says',
      async () => {
        const loans = await everyLoan(app);
        expect(loans.length).toBeGreaterThanOrEqual(95);
        expect(new Set(loans.map(({ loanStatus }) => loanStatus))).toEqual(new Set([...BEFORE_FUNDING, ...APPROVED]));
        const assessed: readonly string[] = ['UnderwritingStarted', 'Rejected', ...APPROVED];
        const kinds = loans.map(({ loanId, applicationId, loanStatus }) => ({
          ...{ name: `${applicationId} (${loanStatus})`, loanId },
          known: assessed.includes(loanStatus) ? HERE : {},
        }));
        expect(await violationsOver(app, kinds)).toEqual([]);
      },
      PATIENT,
    );

    test('its payments have the members that are documented', async () => {
      const [token, key] = [await app.token(), app.credentials.apiKey];
      const [paid] = (await everyLoan(app)).filter(({ loanStatus }) => loanStatus === 'Closed');
      const { body } = await app.call('GET', `/v2/chain/loans/${paid?.loanId}`, { token, key });
      const { loanPayments } = body.data.loanDetails;
      expect(loanPayments.length).toBeGreaterThan(1);
      for (const payment of loanPayments) expect(Object.keys(payment)).toEqual(Object.keys(PAYMENT));
    });
  });
}

describe('a client of fifty lines', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());

  test('lives the life of a loan with the interface’s own operations, and can rely on the record after each', async () => {
    const client = interfaceClient(`${app.url}/v2/chain`, app.credentials);
    const loanId = await client.create(APPLICATION);
    const read = async (status: string, known: Parameters<typeof violationsOfRecord>[1] = HERE) => {
      const record = await client.read(loanId);
      expect(said(violationsOfRecord(record, known))).toEqual([]);
      expect(said(violationsOfPublicRecord(await client.readPublic(loanId), known))).toEqual([]);
      const { loanDetails } = record.data;
      expect(loanDetails.loanStatus).toBe(status);
      expect(loanDetails.macroEconomicFeatures.fedRate).toBeGreaterThan(0);
      expect(loanDetails.metadata.AutoLoan.currentBalance).toMatch(/^[\d,]+(\.\d\d)?$/);
      return record.data;
    };
    const applied = await read('ApplicationSubmitted', {});
    expect(applied.loanDetails.metadata.AutoLoan).toMatchObject({ currentBalance: '0', paymentStatus: '' });
    expect(applied.Response.Decision).toBe('');

    await client.startUnderwriting(loanId);
    await read('UnderwritingStarted');
    await client.completeUnderwriting(loanId);
    const approved = await read('Approved');
    expect(approved.Response).toMatchObject({ Decision: 'APPROVED', LoanTerms: expect.any(Array) });
    expect(approved.Response.LoanTerms.map(({ Payment }) => Payment > 0)).not.toContain(false);
    expect(approved.Underwriting.UnderwritingInfo.map(({ DecisionStatus }) => DecisionStatus)).toContain('APPROVED');
    expect(Number(approved.Underwriting.PrimaryCreditInfo.CreditScore)).toBe(approved.Response.CreditScorePrimary);

    await client.initiateRepayment(loanId);
    let { loanDetails } = await read('Current');
    expect(loanDetails.metadata.AutoLoan).toMatchObject({ currentBalance: '12,000', paymentStatus: 'On Time' });
    for (const refId of ['PAY-1', 'PAY-2', 'PAY-3']) {
      app.clock.now = Date.parse(`${loanDetails.nextPaymentDate}T12:00:00Z`);
      await client.repay(loanId, refId, loanDetails.metadata.AutoLoan.currentPaymentDue);
      await read('Current');
      await client.acknowledge(loanId, refId);
      ({ loanDetails } = await read('Current'));
    }
    // On the day of an installment that is paid, no interest has accrued since: the balance is what is left to pay.
    await client.repay(loanId, 'PAYOFF', loanDetails.metadata.AutoLoan.currentBalance);
    await read('Current');
    await client.acknowledge(loanId, 'PAYOFF');
    const { loanDetails: closed } = await read('ClosedEarly');
    expect(closed).toMatchObject({ remainingBalance: '0', nextPaymentDate: '' });
    expect(closed.metadata.AutoLoan).toMatchObject({ currentBalance: '0', paymentStatus: 'On Time' });
    expect(closed.loanPayments.map(({ status }) => status)).toEqual(Array(4).fill('Acknowledged'));
  });
});

/** The violations in the records of these loans, with the name of each. */
async function violationsOver(
  app: TestApp,
  kinds: readonly KindOfLoan[],
  { plain = false, query = '' }: { plain?: boolean; query?: string } = {},
): Promise<string[]> {
  const [token, key] = [await app.token(), app.credentials.apiKey];
  // Not with the `call` of the app: that would throw at the first.
  const headers = { authorization: `Bearer ${token}`, key, ...(plain && { prefer: 'numbers=plain' }) };
  const found: string[] = [];
  for (const { name, loanId, known } of kinds) {
    for (const [path, violationsIn] of [
      ['loans', violationsOfRecord],
      ['loan-data', violationsOfPublicRecord],
    ] as const) {
      const answer = await fetch(`${app.url}/v2/chain/${path}/${loanId}${query}`, { headers });
      expect([name, answer.status]).toEqual([name, 200]);
      const all = said(violationsIn(await answer.json(), { ...known, plain }));
      found.push(...all.map((text) => `${name}: GET /${path}: ${text}`));
    }
  }
  return found;
}

const APPLICATION = {
  ...{ applicationId: 'LIFE-1', borrowerId: 'BRW-1', lenderId: 'LND-1', loanType: 'AutoLoan' },
  ...{ loanAmount: '12,000', interestRate: '9.49', term: '12' },
  Request: {
    ApplicantInfo: {
      ...{ ApplicantFirstName: 'Robin', ApplicantLastName: 'Example', ApplicantDOB: '19840229' },
      ...{
        ApplicantAddress: '12 Example Street',
        ApplicantCity: 'Houston',
        ApplicantState: 'TX',
        ApplicantZip: '77101',
      },
      ...{ ApplicantSSN: '666-00-0001', MonthlyGross: 9_500, HousingMonthlyPayment: '900' },
      ...{ EmploymentTotalMonths: '84', AddressTotalMonths: '62', EmploymentType: 'Full Time' },
    },
    VehicleInfo: {
      ...{ VehicleYear: '2024', VehicleAge: '2', VehicleMileage: '18,000', VehicleMake: 'Example' },
      ...{ VehicleRetailValue: '21,000', VehicleWholesaleValue: '19,000' },
    },
  },
};

// biome-ignore lint/suspicious/noExplicitAny: changes any member of a record
type Change = (data: AnyRecord['data'], record: any) => void;

/** Wrong records: a description, the change that makes the record wrong, and each violation that must be found. */
function WRONG_RECORDS(): [what: string, change: Change, ...expected: string[]][] {
  const details =
    (more: object): Change =>
    ({ loanDetails }) =>
      Object.assign(loanDetails, more);
  const servicing =
    (more: object): Change =>
    ({ loanDetails }) =>
      Object.assign(loanDetails.metadata.AutoLoan, more);
  const applicant =
    (more: object): Change =>
    ({ Request }) =>
      Object.assign(Request.ApplicantInfo, more);
  const response =
    (more: object): Change =>
    ({ Response }) =>
      Object.assign(Response, more);
  const underwriting =
    (more: object): Change =>
    ({ Underwriting }) =>
      Object.assign(Underwriting, more);
  const bureau =
    (more: object): Change =>
    ({ Underwriting }) =>
      Object.assign(Underwriting.PrimaryCreditInfo, more);
  const flows = (...rows: string[]) => underwriting({ CashflowsCsv: ['Type,Date,row_no', ...rows].join('\n') });
  return [
    ['another member of the envelope', (_, all) => Object.assign(all, { version: 3 }), '/version: is not a member'],
    ['an envelope without a message', (_, all) => delete all.message, '/message: is missing'],
    ['a fifth member of data', (data) => Object.assign(data, { loanInfo: {} }), '/data/loanInfo: is not a member'],
    ['another member of loanDetails', details({ loanId: '0x12' }), '/loanDetails/loanId: is not a member'],
    ['another order', reordered, '/data/loanDetails: has its members in the order of the interface, is "borrowerId"'],
    ['a number for an amount', details({ loanAmount: 12_000 }), '/loanAmount: is a string, is 12000'],
    ['an amount without separators', details({ loanAmount: '12000' }), '/loanAmount: has the format: amount'],
    ['separators at the wrong place', details({ repaidAmount: '1,24,75.31' }), '/repaidAmount: has the format'],
    ['an amount with three decimals', details({ repaidAmount: '12,475.310' }), '/repaidAmount: has the format'],
    ['an amount with a sign', details({ delinquentAmount: '-1' }), '/delinquentAmount: has the format: amount'],
    ['an amount with a currency', details({ lateFee: '$25' }), '/lateFee: has the format: amount, is "$25"'],
    ['seven decimals of a forecast', details({ fairValuePrice: '1.1234567' }), '/fairValuePrice: has the format'],
    ['a term that is no number', details({ term: 'twelve' }), '/term: has the format: count'],
    ['an empty balance', details({ remainingBalance: '' }), '/remainingBalance: is never empty'],
    ['null for an empty text', details({ indexRate: null }), '/indexRate: is a string, is null'],
    ['a date of no calendar', details({ maturityDate: '2025-02-30' }), '/maturityDate: has the format: date'],
    ['a date with a time', details({ maturityDate: '2025-03-15T00:00:00Z' }), '/maturityDate: has the format: date'],
    ['seconds for milliseconds', details({ createdAt: '1,710,504,000' }), '/createdAt: has the format: epoch'],
    ['a percentage for a fraction', details({ apr: '9.38 %' }), '/apr: has the format: fraction'],
    ['an exponent', details({ defaultProbability: '2.1e-2' }), '/defaultProbability: has the format: fraction'],
    ['a rate in words', details({ interestRate: 'nine' }), '/interestRate: has the format: percent'],
    ['a short account', details({ borrower: '0x1234' }), '/borrower: has the format: account'],
    ['a hash without 0x', details({ creditReportHash: 'abcd' }), '/creditReportHash: has the format: hash'],
    ['a grade of no list', details({ grade: 'A+' }), '/grade: is a word of its list, is "A+"'],
    ['no economy', details({ macroEconomicFeatures: {} }), ...['unemployment', 'cpi', 'fedRate'].map(missingMacro)],
    ['an economy of texts', macro({ cpi: '3.2' }), '/macroEconomicFeatures/cpi: is a number, is "3.2"'],
    ['a fourth figure of the economy', macro({ gdp: 1 }), '/macroEconomicFeatures/gdp: is not a member'],
    ['a payment with a number', payment({ paymentAmount: 50 }), '/loanPayments/0/paymentAmount: is a string'],
    [
      'a payment in a wrong format',
      payment({ paymentDate: '1/2/2025' }),
      '/loanPayments/0/paymentDate: has the format',
    ],
    ['a payment that is no object', details({ loanPayments: ['50'] }), '/loanPayments/0: is an object'],
    ['no servicing figures', details({ metadata: {} }), '/metadata/AutoLoan: is missing'],
    [
      'figures of another type',
      details({ loanType: 'Mortgage' }),
      '/Mortgage: is missing',
      '/AutoLoan: is not a member',
    ],
    ['a figure less', ({ loanDetails }) => delete loanDetails.metadata.AutoLoan.ltv, '/AutoLoan/ltv: is missing'],
    ['another figure', servicing({ grade: 'A' }), '/metadata/AutoLoan/grade: is not a member'],
    ['a figure that is a number', servicing({ currentBalance: 0 }), '/AutoLoan/currentBalance: is a string'],
    ['a closed loan that says so', servicing({ paymentStatus: 'Paid Off' }), 'a word of its list', 'of a closed loan'],
    [
      'a closed loan that is late',
      servicing({ paymentStatus: 'Late' }),
      '/paymentStatus: of a closed loan is "On Time"',
    ],
    ['a funded loan without a figure', servicing({ remainingTerm: '' }), '/remainingTerm: has a value once the loan'],
    ['figures before funding', applied({ pastDueAmount: '10' }), '/pastDueAmount: is 0 before funding, is "10"'],
    ['a date before funding', applied({ fundedDate: '2024-03-15' }), '/fundedDate: is empty before funding'],
    ['no plan before funding', applied({ scheduledPayment: '' }), '/scheduledPayment: is planned before funding'],
    ['a vehicle that is a text', ({ Request }) => (Request.VehicleInfo = 'x'), '/Request/VehicleInfo: is an object'],
    ['no co-applicant part', ({ Request }) => (Request.CoApplicantInfo = null), '/CoApplicantInfo: is an object'],
    ['an age that is a number', applicant({ ApplicantAge: 40 }), '/ApplicantInfo/ApplicantAge: is a string, is 40'],
    ['a text for a gross', applicant({ MonthlyGross: '6500' }), '/MonthlyGross: is a number or null, is "6500"'],
    ['null for a city', applicant({ ApplicantCity: null }), '/ApplicantCity: is a string, is null'],
    ['a number that may be null', applicant({ OtherIncomeAmount: 50 }), '/OtherIncomeAmount: is a string or null'],
    [
      'a birth date with hyphens',
      applicant({ ApplicantDOB: '1984-02-29' }),
      '/ApplicantDOB: has the format: birth date',
    ],
    ['a score that is a text', response({ CreditScorePrimary: '742' }), '/Response/CreditScorePrimary: is a number'],
    ['a comment that is no text', response({ Comments: [{}] }), '/Response/Comments/0: is a string'],
    ['one stipulation', response({ Stipulations: 'Income' }), '/Response/Stipulations: is a list'],
    ['a time in ISO 8601', response({ DecisionDate: '2024-03-15T14:03:11Z' }), '/DecisionDate: has the format: time'],
    [
      'a deal whose payment is a text',
      ({ Response }) => (Response.LoanTerms[0].Payment = '1049.42'),
      '/Payment: is a number',
    ],
    [
      'a flat that is a number',
      ({ Response }) => (Response.LoanTerms[0].DEALER_FLAT = 150),
      '/DEALER_FLAT: is a string',
    ],
    [
      'a decision that the status denies',
      response({ Decision: 'DECLINED' }),
      '/Decision: of a loan that is ClosedEarly',
    ],
    ['an approval with a decline', response({ DeclineReason: 'Income' }), '/DeclineReason: is empty for an approval'],
    ['a decision without a day', response({ DecisionDate: '' }), '/DecisionDate: has a value once it is decided'],
    ['a reject without a reason', rejected, '/DeclineReason: says why a loan was rejected'],
    ['a decision without a reason', details({ lendingDecisionReason: '' }), '/lendingDecisionReason: has a value once'],
    ['flows of two deals', flows('P,2024-04-15,0', 'P,2024-05-15,1'), '/CashflowsCsv: is of one deal, is "of 2"'],
    ['a month twice', flows('P,2024-04-01,0', 'P,2024-04-15,0'), '/CashflowsCsv: has one row a month'],
    ['months out of order', flows('P,2024-05-15,0', 'P,2024-04-15,0'), '/CashflowsCsv: has one row a month'],
    ['flows without a date', flows('P,soon,0'), '/CashflowsCsv#Date: is a date in every row, is "soon"'],
    ['flows without a type', flows(',2024-04-15,0'), '/CashflowsCsv#Type: has a value in every row'],
    ['flows without columns', underwriting({ CashflowsCsv: 'Month\n1\n' }), 'has the columns of the interface'],
    ['flows with ragged rows', flows('P,2024-04-15'), '/CashflowsCsv: is CSV with as many values'],
    [
      'a report that is not base64',
      underwriting({ PrimaryCreditBureauPDF: '%PDF' }),
      'PrimaryCreditBureauPDF: is base64',
    ],
    ['a report that is no PDF', underwriting({ PrimaryCreditBureauPDF: 'aGVsbG8h' }), 'CreditBureauPDF: is a PDF'],
    ['accounts with few columns', underwriting({ PrimaryCreditBureauTradeLines: 'a,b\n' }), 'without subscriber'],
    ['fewer deals', ({ Underwriting }) => pop(Underwriting), 'DealTermsInfo: has 60', 'UnderwritingInfo: has 60'],
    ['deals that do not match', ({ Underwriting }) => Underwriting.DealTermsInfo.pop(), 'one entry for each', 'has 60'],
    [
      'a deal with a number',
      ({ Underwriting }) => (Underwriting.DealTermsInfo[3].TermsTerm = 24),
      '/3/TermsTerm: is a string',
    ],
    ['a bureau value that is a number', bureau({ AT0007: 7 }), '/PrimaryCreditInfo/AT0007: is a string, is 7'],
    ['a time stamp in UTC', bureau({ TrackingTransactionTimeStamp: '2024-03-15T14:03:10Z' }), 'with a numeric offset'],
    ['few bureau members', fewMembers, '/PrimaryCreditInfo: has more than 1136 members, is 11'],
    ['no assessment', unassessed, '/Underwriting: holds the assessment', '/LoanTerms: is empty without an assessment'],
  ];
}

const missingMacro = (name: string) => `/macroEconomicFeatures/${name}: is missing`;
const macro =
  (more: object): Change =>
  ({ loanDetails }) =>
    Object.assign(loanDetails.macroEconomicFeatures, more);
const payment =
  (more: object): Change =>
  ({ loanDetails }) =>
    loanDetails.loanPayments.push({ paymentId: 'P-1', paymentAmount: '50', paymentDate: '2024-04-15', ...more });
/** The figures of a loan that is not decided yet, with these. */
const applied =
  (more: object): Change =>
  ({ loanDetails }) => {
    loanDetails.loanStatus = 'UnderwritingStarted';
    Object.assign(loanDetails.metadata.AutoLoan, {
      ...{ fundedDate: '', paymentStatus: '', scheduledMaturityDate: '', remainingTerm: '12' },
      ...{ totalPrincipalPaid: '0', totalInterestPaid: '0', ...more },
    });
  };
const rejected: Change = (data, record) => {
  applied({})(data, record);
  data.loanDetails.loanStatus = 'Rejected';
  data.Response.Decision = 'DECLINED';
};
const reordered: Change = (data) => {
  const { applicationId, ...rest } = data.loanDetails;
  data.loanDetails = { ...rest, applicationId };
};
const pop = ({ DealTermsInfo, UnderwritingInfo }: AnyRecord['data']['Underwriting']) =>
  [DealTermsInfo, UnderwritingInfo].map((list: object[]) => list.pop());
const fewMembers: Change = ({ Underwriting: { PrimaryCreditInfo: bureau } }) => {
  for (const name of Object.keys(bureau)) if (/^AT\d/.test(name)) delete bureau[name];
};
const unassessed: Change = ({ Underwriting }) => {
  for (const [name, value] of Object.entries(Underwriting)) {
    Underwriting[name] = typeof value === 'string' ? '' : Array.isArray(value) ? [] : {};
  }
};

function WRONG_PUBLIC_RECORDS(): [
  what: string,
  change: (details: AnyRecord['data']['loanDetails'], record: { data: object }) => void,
  expected: string,
][] {
  return [
    ['the application', (_, { data }) => Object.assign(data, { Request: {} }), '/data/Request: is not a member'],
    ['the borrower', (details) => (details.borrowerId = 'BRW-1'), '/borrowerId: is empty in the public record'],
    ['a whole VIN', (details) => (details.loanInfo.Auto.vin = '1HGCM82633A004352'), '/vin: shows eleven characters'],
    ['an exact ratio', (details) => (details.metadata.AutoLoan.dti = '0.3102'), '/dti: is in whole percent'],
    [
      'an exact ratio of a deal',
      (details) => (details.Underwriting.DealTermsInfo[9].TermsPTI = '0.1614'),
      '/9/TermsPTI',
    ],
    [
      'a reason',
      (details) => (details.Underwriting.UnderwritingInfo[1].DecisionReason = 'Income'),
      '/1/DecisionReason',
    ],
    ['bureau data', (details) => (details.Underwriting.PrimaryCreditInfo = {}), '/PrimaryCreditInfo: is not a member'],
    ['a reference', (details) => details.loanPayments.push({ paymentId: 'CHECK-7' }), '/paymentId: is its number'],
    ['no vehicle', (details) => delete details.loanInfo, '/loanInfo: is missing'],
    ['a month twice', (details) => (details.Underwriting.CashflowsCsv += 'P,2025-03-20,0\n'), 'has one row a month'],
  ];
}

/** The path of every member that the specification names: in lists those of the first entry, no codes of the bureau. */
function placesIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value).filter((name) => !/^AT\d+$/.test(name));
  const within = (name: string) => placesIn((value as Record<string, unknown>)[name]).map((rest) => [name, ...rest]);
  if (Array.isArray(value)) return value.length === 0 ? [] : within('0');
  return names.flatMap((name) => [[name], ...within(name)]);
}
