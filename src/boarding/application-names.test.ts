/** An application that is to be assessed here: names that are nearly right, a date of birth and a state that cannot be read. */
import { describe, expect, test } from 'vitest';
import { MACRO } from '../../test/support/creation.ts';
import { date } from '../core/calendar.ts';
import { DEFAULT_LENDER_POLICY } from '../core/policy.ts';
import { readCreation } from './creation.ts';

const own = {
  applicationId: 'A-1',
  borrowerId: 'B-1',
  lenderId: 'L-1',
  loanType: 'AutoLoan',
  loanAmount: '12,000.00',
  interestRate: '9',
  term: 12,
};

function mistakes(parts: object): string[] {
  const made = readCreation(JSON.stringify({ ...own, ...parts }), {
    policies: { lenders: new Map(), others: DEFAULT_LENDER_POLICY },
    today: date('2026-01-15'),
    macro: MACRO,
  });
  return 'mistakes' in made ? made.mistakes.map(({ pointer, detail }) => `${pointer} ${detail}`) : [];
}
const applicant = (members: object) => mistakes({ Request: { ApplicantInfo: members } });

describe('a name near a known one is refused', () => {
  test.each([
    ['AplicantSSN', 'ApplicantSSN'],
    ['ApplicantSsn', 'ApplicantSSN'],
    ['applicant_ssn', 'ApplicantSSN'],
    ['SSN', 'ApplicantSSN'],
    ['ApplicantFristName', 'ApplicantFirstName'],
    ['ApplicantFrstNmae', 'ApplicantFirstName'],
    ['MonthlyGros', 'MonthlyGross'],
    ['monthlyGross', 'MonthlyGross'],
    ['HousingMontlyPayment', 'HousingMonthlyPayment'],
  ])('%s', (name, meant) => {
    expect(applicant({ [name]: '1' })).toEqual([
      `/Request/ApplicantInfo/${name} Unknown field; did you mean ${meant}?`,
    ]);
  });

  test('in every object, and so are the objects themselves', () => {
    expect(mistakes({ Request: { VehicleInfo: { VehicleVin: 'X' }, Applicantinfo: {} } })).toEqual([
      '/Request/Applicantinfo Unknown field; did you mean ApplicantInfo?',
      '/Request/VehicleInfo/VehicleVin Unknown field; did you mean VehicleVIN?',
    ]);
  });
});

test('members of the caller’s own stay, and so does one beside the name it resembles', () => {
  const extra = { ApplicantAddress2: 'a', Country: 'US', ApplicantSex: 'x', ApplicantName: 'y', LoyaltyNumber: '7' };
  expect(applicant(extra)).toEqual([]);
  expect(applicant({ ApplicantSSN: '666-12-3456', SSN: '666-12-3456' })).toEqual([]);
  expect(
    mistakes({ Request: { CoApplicantInfo: { MonthlyGross: 1, CoApplicantIncome: '1', CoApplicantDOB: '' } } }),
  ).toEqual([]);
});

test.each([
  ['ApplicantDOB', '1980', 'Must be a string with a valid date in the form YYYYMMDD.'],
  ['ApplicantDOB', '19800230', 'Must be a string with a valid date in the form YYYYMMDD.'],
  ['ApplicantDOB', '20260116', 'Must be a date in the past in the form YYYYMMDD.'],
  ['ApplicantState', 'Ohio', 'Must be the two-letter code of a US state, district or territory, such as OH.'],
  ['ApplicantState', 'ZZ', 'Must be the two-letter code of a US state, district or territory, such as OH.'],
])('%s %s is refused and says so, without repeating it', (name, value, detail) => {
  expect(applicant({ [name]: value })).toEqual([`/Request/ApplicantInfo/${name} ${detail}`]);
});

test('both may be empty, and written as people write them', () => {
  expect(applicant({ ApplicantDOB: '', ApplicantState: null })).toEqual([]);
  expect(applicant({ ApplicantDOB: '1980-02-29', ApplicantState: 'oh' })).toEqual([]);
});

test('a loan that was assessed elsewhere keeps its names and its state', () => {
  const odd = { ApplicantInfo: { AplicantSSN: '1', ApplicantDOB: '2030-01-01', ApplicantState: 'Ohio' } };
  expect(mistakes({ Request: odd, Response: { Decision: 'APPROVED' } })).toEqual([]);
  expect(mistakes({ Request: odd, Underwriting: { CashflowsCsv: 'Date' } })).toEqual([]);
});
