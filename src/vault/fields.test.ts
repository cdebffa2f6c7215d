import { expect, test } from 'vitest';
import { PERSONAL, personalValues } from './fields.ts';

const record = {
  loanDetails: {
    applicationId: 'APP-77001',
    borrowerId: 'BRW-55012',
    lendingDecisionReason: 'Strong payment history',
    loanStatus: 'Current',
    loanInfo: { Auto: { make: 'Honda', vin: '1HGCM82633A004352' } },
    metadata: { AutoLoan: { pti: '0.0832', dti: '0.31', ltv: '0.9123' } },
  },
  Request: {
    ApplicantInfo: {
      ApplicantSSN: '900-12-3456',
      ApplicantDOB: '1980-02-29',
      ApplicantState: 'CA',
      EmploymentType: 'Full Time',
      MonthlyGross: 7312.5,
      Email: null,
      Nested: [{ Deep: 'deep value' }],
    },
    ApplicationInfo: { ApplicationID: 'APP-77001' },
    RequestedTermsInfo: { RequestedLoanAmount: '28875', RequestedLoanPTI: '0.0832' },
    VehicleInfo: { VehicleMake: 'Honda', VehicleVIN: '1HGCM82633A004352' },
  },
  Response: {
    Decision: 'APPROVED',
    Date: '2026-01-15',
    Stipulations: ['Proof of residence'],
    LoanTerms: [{ Rate: 7.125 }],
  },
  Underwriting: {
    CashflowsCsv: 'Month,Date\n0,2026-01-15',
    PrimaryCreditInfo: { CreditScore: '712', AT01S: '000004711' },
    PrimaryCreditBureauPDF: `${'A'.repeat(100)}middle${'B'.repeat(100)}`,
    PrimaryCreditBureauTradeLines: 'subscriber,balance\nHARBOR BANK,1200',
    DealTermsInfo: [{ TermsPTI: '0.08', TermsDTI: '0.3111', TermsAPR: '7.1250' }],
    UnderwritingInfo: [{ AllWarnings: 'thin file', DecisionReason: 'score', DefaultProb: '0.0421' }],
  },
};

test('returns every text below the personal pointers, and none from elsewhere', () => {
  expect(personalValues(record).toSorted()).toEqual(
    [
      'BRW-55012',
      'Strong payment history',
      '1HGCM82633A004352',
      '0.0832',
      '900-12-3456',
      '1980-02-29',
      '7312.5',
      'deep value',
      'Proof of residence',
      '000004711',
      `${'A'.repeat(57)}middle${'B'.repeat(57)}`,
      'subscriber,balance',
      'HARBOR BANK,1200',
      '0.3111',
      'thin file',
      'score',
    ].toSorted(),
  );
});

test('each entry has its own pointer and a reason', () => {
  expect(new Set(PERSONAL.map(({ pointer }) => pointer)).size).toBe(PERSONAL.length);
  for (const { pointer, of, why } of PERSONAL) {
    expect(pointer).toMatch(
      of === undefined
        ? /^\/(loanDetails|Request|Response|Underwriting)(\/[\w*]+)+$/
        : /^\/(items\/|borrower\/|coBorrower\/|vehicle\/|customData\/|email$|name$)/,
    );
    expect(why.length, pointer).toBeGreaterThan(20);
  }
});

test('of the holds of a loan: details and reasons', () => {
  const hold = { holdId: 'BK-1', kind: 'bankruptcy', details: { caseNumber: '26-10234', court: 'Bankr. D. Del.' } };
  expect(personalValues({ items: [{ ...hold, reason: 'Letter of the court' }] })).toEqual([
    '26-10234',
    'Bankr. D. Del.',
    'Letter of the court',
  ]);
});

test('a record without personal data returns nothing', () => {
  expect(personalValues({ loanDetails: { applicationId: 'APP-77001' }, Request: {}, Response: {} })).toEqual([]);
  expect(personalValues(null)).toEqual([]);
});
