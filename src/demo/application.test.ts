import { expect, test } from 'vitest';
import { creationOf as creationFrom } from '../../test/support/creation.ts';
import { date } from '../core/calendar.ts';
import { parseCents } from '../core/money.ts';
import { parsePercent } from '../core/rate.ts';
import { type ApplicationOptions, applicationBody } from './application.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members a body has
const bodyOf = (n: number, options?: ApplicationOptions): any => applicationBody(n, options);
const creationOf = (body: object, on = '2026-01-15') => creationFrom(body, on);

const MEMBERS = {
  'Request/ApplicantInfo':
    'AddressFull AddressTotalMonths ApplicantAddress ApplicantAge ApplicantCity ApplicantDOB ApplicantEmail ApplicantEmploymentTime ' +
    'ApplicantEmploymentTypes ApplicantFirstName ApplicantFullAddress ApplicantIncome ApplicantIncomePrimary ApplicantLastName ' +
    'ApplicantResidencePays ApplicantSSN ApplicantState ApplicantTimeAtResidence ApplicantZip County Email EmploymentCompany ' +
    'EmploymentTotalMonths EmploymentType EmploymentWorkPhone EstimatedIncome HomePhone HousingMonthlyPayment MiddleInitial ' +
    'MonthlyGross OtherIncomeAmount OtherIncomeType ReportedIncome StreetNumber UnitNumber',
  'Request/ApplicationInfo': 'ApplicantNumber ApplicantsNumber ApplicationID ApplicationType RefiBool RequestedLoanID',
  'Request/CoApplicantInfo': 'CoApplicantSSN',
  'Request/DealerInfo': 'DealerID DealerName DealerState',
  'Request/PartnerInfo': 'PartnerName ProgramPartner',
  'Request/RequestedTermsInfo':
    'RequestedLoanAmount RequestedLoanBackendProductsAmount RequestedLoanDTI RequestedLoanDownPayment RequestedLoanGAP ' +
    'RequestedLoanPTI RequestedLoanPayment RequestedLoanRate RequestedLoanTerm',
  'Request/VehicleInfo':
    'VehicleAge VehicleMake VehicleMileage VehicleModel VehicleRetailValue VehicleVIN VehicleWholesaleValue VehicleYear',
  Response:
    'ApplicationID ApplicationType Comments CreditScoreCoapplicant CreditScorePrimary Date DealerID Decision DecisionDate ' +
    'DeclineReason LoanTerms Stipulations',
  'Response/LoanTerms/0':
    'AcquisitionFee AssetPrice DEALER_FLAT DefaultProb Description Discount FundedAmount GrossYield IRR LTV Participation Payment ' +
    'Rate TermMonths TotalLoanAmount VehicleWholesaleValue',
  Underwriting:
    'CashflowsCsv CoApplicantCreditBureauPDF CoApplicantCreditBureauTradeLines DealTermsInfo PrimaryCreditBureauPDF ' +
    'PrimaryCreditBureauTradeLines PrimaryCreditInfo UnderwritingInfo',
  'Underwriting/DealTermsInfo/59':
    'ApprovedDownPayment TermsAPR TermsDTI TermsFrontEndLTV TermsLTV TermsLoanAmount TermsMonthlyPayment TermsPTI TermsTerm',
  'Underwriting/UnderwritingInfo/59':
    'AllWarnings CollateralDefaultProb DecisionReason DecisionReasonSimple DecisionStatus DefaultProb FairValuePrice ' +
    'ForecastChargeoffAmount ForecastCompoundingIRR ForecastCompoundingNetIRR ForecastFairValuePrice ForecastInterestPaid ' +
    'ForecastNetLossAmount ForecastPresentValue ForecastPrincipalPaid ForecastRecoveredAmount ForecastSimpleIRR ' +
    'ForecastSimpleNetIRR ForecastTotalPaid ForecastTotalPaidLessFees SolventProb TermsApprovedBackEndProducts ' +
    'TermsApprovedFrontEndAmt TermsApprovedFrontEndLTV TermsDealerDiscount TermsDealerFlat TermsDiscountFee TermsFundedAmount ' +
    'TermsLoanDiscount TermsTotalDiscount WarningsNumber',
};

test.each(Object.entries(MEMBERS))('%s has every member that the interface lists, in its order', (path, names) => {
  // biome-ignore lint/suspicious/noExplicitAny: walking down whatever is there
  const found = path.split('/').reduce((holder: any, name) => holder[name], bodyOf(3, { size: 'small' }));
  expect(Object.keys(found).join(' ')).toBe(names);
});

test('bodies of either size, of any frequency and form, become loans', () => {
  const others: ApplicationOptions[] = [
    { size: 'full' },
    { contractDate: null },
    { frequency: 'BiWeekly', months: 48 },
    { frequency: 'Quarterly', months: 36 },
    { balloonPercent: 35 },
    { interestOnlyCount: 6 },
    { approved: false, score: 548 },
    { variable: true },
    { on: date('2024-02-29'), boarded: { asOf: date('2024-02-29'), paid: 0 } },
    { contractDate: date('2024-12-20'), boarded: { asOf: date('2026-01-15'), paid: 11 } },
  ];
  others.forEach((options, i) => {
    const { contract, file, personal } = creationOf(bodyOf(i + 1, { size: 'small', ...options }), options.on);
    expect(file.deals).toHaveLength(60);
    expect(file.deals).not.toContain(null);
    expect(file.decision).toBe(options.approved === false ? 'DECLINED' : 'APPROVED');
    expect(file.deals[0]?.amount).toBe(contract.amount);
    expect(personal.search.ssn).toMatch(/^(000|666|9\d\d)-/);
  });
});

test('the same number gives the same body, another number another person', () => {
  expect(JSON.stringify(bodyOf(17))).toBe(JSON.stringify(bodyOf(17)));
  const { Request: one } = bodyOf(17, { size: 'small' });
  const { Request: other } = bodyOf(18, { size: 'small' });
  for (const member of ['ApplicantSSN', 'ApplicantEmail']) {
    expect(one.ApplicantInfo[member]).not.toBe(other.ApplicantInfo[member]);
  }
  expect(one.VehicleInfo.VehicleVIN).not.toBe(other.VehicleInfo.VehicleVIN);
});

test('nobody in it can exist', () => {
  for (let n = 1; n <= 15; n++) {
    const { ApplicantInfo: person, CoApplicantInfo: other } = bodyOf(n, { size: 'small' }).Request;
    expect(person.ApplicantSSN).toMatch(/^(000|666|9\d\d)-\d\d-\d{4}$/);
    expect(other.CoApplicantSSN).toMatch(/^((000|666|9\d\d)-\d\d-\d{4})?$/);
    expect(person.ApplicantEmail).toMatch(/@example\.org$/);
    expect(person.ApplicantZip).toMatch(/^000\d\d$/);
    for (const phone of [person.HomePhone, person.EmploymentWorkPhone]) expect(phone).toMatch(/^\d{3}-555-01\d\d$/);
  }
});

test('its figures agree with each other and with the engine', () => {
  const body = bodyOf(5);
  const asked = body.Request.RequestedTermsInfo;
  const [deal] = body.Underwriting.DealTermsInfo;
  const gross = body.Request.ApplicantInfo.MonthlyGross;
  expect(body.scheduledPayment).toBe(deal.TermsMonthlyPayment);
  expect(body.scheduledPayment).toBe(asked.RequestedLoanPayment);
  expect(deal.TermsPTI).toBe((Number(deal.TermsMonthlyPayment) / gross).toFixed(4));
  expect(deal.TermsLTV).toBe(
    (Number(body.loanAmount) / Number(body.Request.VehicleInfo.VehicleWholesaleValue)).toFixed(4),
  );
  expect(deal.TermsDTI).toBe(asked.RequestedLoanDTI);
  // Without finance charges beside the interest, Regulation Z finds the contract's rate, but for the odd days of months.
  expect(Number(body.apr)).toBeCloseTo(Number(body.interestRate) / 100, 3);
  expect(body.creditReportHash).toMatch(/^0x[0-9a-f]{64}$/);
  for (const { TermsAPR, TermsLoanAmount } of body.Underwriting.DealTermsInfo) {
    expect(parsePercent(TermsAPR)).not.toBeNull();
    expect(parseCents(TermsLoanAmount)).toBeGreaterThan(0);
  }
});

test('the full size has all months of sixty deals, the small one those of the first', () => {
  const rows = (size: 'full' | 'small') => {
    const [header, ...lines] = bodyOf(9, { size, months: 60 }).Underwriting.CashflowsCsv.trimEnd().split('\n');
    expect(header).toMatch(/^Month,.*,Type,Date,row_no$/);
    return lines.map((line: string) => line.split(','));
  };
  const full = rows('full');
  expect(full.length).toBe(10 * (60 + 36 + 48 + 66 + 72 + 75));
  expect(full.filter(([month]: string[]) => month === '1')).toHaveLength(60);
  full.forEach((row: string[], i: number) => {
    expect(row.slice(-3)).toEqual(['Projected', expect.stringMatching(/^\d{4}-\d\d-\d\d$/), String(i + 1)]);
  });
  expect(rows('small').length).toBe(60 + 59 * 2);
});

const FAMILIES =
  'AGG AGGS AT AU BC BR CV FC FI FR G HI HR IN INDEX JT LM MD MT OF PAYMNT PB RE RETS REVS RP RT RVDEX RVLR S SE ST TRD TRV US WALSHR ' +
  'WALSRTS WALSRVS';

test('bureau data: more than 1,136 short strings of every family, the account list, and pages of PDF', () => {
  const {
    PrimaryCreditInfo: info,
    PrimaryCreditBureauTradeLines: csv,
    PrimaryCreditBureauPDF: pdf,
  } = bodyOf(2).Underwriting;
  expect(Object.keys(info).length).toBeGreaterThan(1_136);
  for (const value of Object.values(info)) expect(value).toMatch(/^.{1,40}$/);
  for (const family of FAMILIES.split(' ')) {
    expect(Object.keys(info).some((name) => new RegExp(`^${family}\\d+S?$`).test(name))).toBe(true);
  }
  for (const name of 'CreditScore ApplicantCreditReportDate FileSummaryFileHitIndicator InFileSinceDate'.split(' ')) {
    expect(info[name]).toBeDefined();
  }
  expect(info.TrackingTransactionTimeStamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-06:00$/);

  const lines: string[] = csv.trimEnd().split('\n');
  expect(lines[0]).toBe(
    'subscriber,account_type,member,account_num,opened,closed,payment,terms,portfolio_type,balance,high_balance,past_due,rating,' +
      '30dpd,60dpd,90dpd,account_class,today,age,age_closed,seasoned',
  );
  expect(lines.length).toBeGreaterThan(6);
  for (const line of lines) expect(line.split(',')).toHaveLength(21);

  const file = Buffer.from(pdf, 'base64').toString('latin1');
  expect(file.startsWith('%PDF-1.4\n')).toBe(true);
  expect(file.endsWith('%%EOF\n')).toBe(true);
  expect(Number(/\/Count (\d+)/.exec(file)?.[1])).toBeGreaterThanOrEqual(2);
});
