import { expect, test } from 'vitest';
import { readFile, readReason } from './file.ts';

/** Record of a made-up applicant of the demonstration. */
const RECORD = {
  Request: {
    ApplicantInfo: {
      ...{ ApplicantFirstName: 'Zora', ApplicantLastName: 'Oakencombe', ApplicantSSN: '999-55-8938' },
      ...{ ApplicantDOB: '19920209', MonthlyGross: 1250, OtherIncomeAmount: null, HousingMonthlyPayment: '150.00' },
      ...{ ApplicantResidencePays: 'Rent', EmploymentType: 'Part Time', EmploymentCompany: 'Sample Foods' },
      ...{ EmploymentTotalMonths: '192', ApplicantState: 'IA', HomePhone: '319-555-0143' },
    },
    CoApplicantInfo: { CoApplicantSSN: '' },
    RequestedTermsInfo: { RequestedLoanAmount: '11438.00', RequestedLoanRate: '10.99', RequestedLoanTerm: '60' },
    VehicleInfo: { VehicleYear: '2019', VehicleMake: 'Chevrolet', VehicleModel: 'Equinox', VehicleMileage: '89530' },
  },
  Underwriting: { PrimaryCreditInfo: { CreditScore: '650', ApplicantCreditReportDate: '2026-09-29' } },
  Response: {
    ...{ CreditScorePrimary: 650, CreditScoreCoapplicant: 0, Decision: 'DECLINED' },
    Stipulations: ['Proof of income', ' ', 7],
    Comments: [],
  },
};
const of = (facts: readonly { label: string; value: string }[]) =>
  facts.map(({ label, value }) => `${label}: ${value}`);

test('the file shows what a decision needs', () => {
  const file = readFile(RECORD);
  expect(of(file.applicant)).toEqual([
    'Applicant: Zora Oakencombe',
    'Income per month: 1,250.00',
    'Employment: Part Time, Sample Foods',
    'Employed for: 192 months',
    'Housing: Rent, 150.00',
    'State: IA',
  ]);
  expect(of(file.credit)).toEqual(['Score: 650', 'Report date: Sep 29, 2026', 'Decision: Declined']);
  expect(of(file.requested)).toEqual(['Amount: 11,438.00', 'Term: 60 months', 'Rate: 10.99 %']);
  expect(of(file.vehicle)).toEqual(['Vehicle: 2019 Chevrolet Equinox', 'Mileage: 89,530']);
  expect(file.stipulations).toEqual(['Proof of income', '7']);
});

test('it leaves out what a decision does not need', () => {
  expect(JSON.stringify(readFile(RECORD))).not.toMatch(/8938|1992|0143/);
});

test('a record that has nothing, or something else, is an empty file', () => {
  const empty = { applicant: [], credit: [], requested: [], vehicle: [], stipulations: [], comments: [] };
  for (const record of [undefined, null, {}, { Request: 'text', Response: [], Underwriting: null }]) {
    expect(readFile(record)).toEqual(empty);
  }
});

test('a reason may name a deal that would be approved', () => {
  expect(
    readReason('Would be approved: Deal 7: 60 months at 9.46 %, 1,100.00 more down (nearest to the request)'),
  ).toEqual({
    deal: 7,
    text: '60 months at 9.46 %, 1,100.00 more down (nearest to the request)',
  });
  expect(readReason('Accounts past due (Accounts past due 1, at most 0)').deal).toBeNull();
});
