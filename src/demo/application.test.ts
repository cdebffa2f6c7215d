import { expect, test } from 'vitest';
import { creationOf as creationFrom } from '../../test/support/creation.ts';
import { date, type PlainDate } from '../core/calendar.ts';
import { type ApplicationOptions, applicationBody } from './application.ts';
import { householdOf } from './household.ts';
import { storiesUntil } from './stories.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a body
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
};

test.each(Object.entries(MEMBERS))('%s has every member that the interface lists, in its order', (path, names) => {
  // biome-ignore lint/suspicious/noExplicitAny: follows a path of any depth
  const found = path.split('/').reduce((holder: any, name) => holder[name], bodyOf(3));
  expect(Object.keys(found).join(' ')).toBe(names);
});

test('applications of any frequency and form become loans that nobody has assessed yet', () => {
  const others: ApplicationOptions[] = [
    {},
    { contractDate: null },
    { frequency: 'BiWeekly', months: 48 },
    { frequency: 'Quarterly', months: 36 },
    { balloonPercent: 35 },
    { interestOnlyCount: 6 },
    { score: 548 },
    { variable: true },
    { on: date('2024-02-29'), boarded: { asOf: date('2024-02-29'), paid: 0 } },
    { contractDate: date('2024-12-20'), boarded: { asOf: date('2026-01-15'), paid: 11 } },
  ];
  others.forEach((options, i) => {
    const { contract, file, personal } = creationOf(bodyOf(i + 1, options), options.on);
    expect(file).toMatchObject({ assessed: null, decision: null, deals: [], grade: '', macroGiven: '{}' });
    expect(contract.amount).toBeGreaterThanOrEqual(file.principalAmount);
    expect(personal.search.ssn).toMatch(/^(000|666|9\d\d)-/);
  });
});

test('the same number gives the same body, another number another person', () => {
  expect(JSON.stringify(bodyOf(17))).toBe(JSON.stringify(bodyOf(17)));
  const { Request: one } = bodyOf(17);
  const { Request: other } = bodyOf(18);
  for (const member of ['ApplicantSSN', 'ApplicantEmail']) {
    expect(one.ApplicantInfo[member]).not.toBe(other.ApplicantInfo[member]);
  }
  expect(one.VehicleInfo.VehicleVIN).not.toBe(other.VehicleInfo.VehicleVIN);
});

test('nobody in it can exist', () => {
  for (let n = 1; n <= 15; n++) {
    const { ApplicantInfo: person, CoApplicantInfo: other } = bodyOf(n).Request;
    expect(person.ApplicantSSN).toMatch(/^(000|666|9\d\d)-\d\d-\d{4}$/);
    expect(other.CoApplicantSSN).toMatch(/^((000|666|9\d\d)-\d\d-\d{4})?$/);
    expect(person.ApplicantEmail).toMatch(/@example\.org$/);
    expect(person.ApplicantZip).toMatch(/^(345|771|818|533|518|663)\d\d$/);
    for (const phone of [person.HomePhone, person.EmploymentWorkPhone]) expect(phone).toMatch(/^\d{3}-555-01\d\d$/);
  }
});

test('its figures agree with each other and with the engine', () => {
  for (const n of [1, 5, 12]) {
    const body = bodyOf(n);
    const asked = body.Request.RequestedTermsInfo;
    const { MonthlyGross: gross, OtherIncomeAmount: other } = body.Request.ApplicantInfo;
    expect(body.scheduledPayment).toBe(asked.RequestedLoanPayment);
    expect(body.loanAmount).toBe(asked.RequestedLoanAmount);
    expect(asked.RequestedLoanPTI).toBe((Number(body.scheduledPayment) / (gross + Number(other))).toFixed(4));
    expect(Number(asked.RequestedLoanDTI)).toBeGreaterThan(Number(asked.RequestedLoanPTI));
    expect(body.retailInstallmentContractHash).toMatch(/^0x[0-9a-f]{64}$/);
  }
});

test('an application holds nothing of an assessment', () => {
  const body = bodyOf(8);
  for (const member of [
    'Response',
    'Underwriting',
    'grade',
    'defaultProbability',
    'fairValuePrice',
    'predictedYield',
  ]) {
    expect(body).not.toHaveProperty(member);
  }
});

test('everybody in the stories has a number of their own', () => {
  const numbersOf = (person: number, { on, score }: { on: PlainDate; score?: number }) => {
    const { credit, coApplicant } = householdOf(person, on, score);
    return coApplicant === null ? [credit.ssn] : [credit.ssn, coApplicant.ssn];
  };
  const people = new Map(
    storiesUntil(date('2026-06-15')).map(({ person, application }) => [person, numbersOf(person, application)]),
  );
  const numbers = [...people.values()].flat();
  expect(new Set(numbers).size).toBe(numbers.length);
});
