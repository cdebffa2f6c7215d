/** Named members of `Request`, `Response` and `Underwriting` have the interface's types on every read, whatever form they were sent in. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FullRecordAnswer } from '../../src/http/reads/record-shapes.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { fullBody } from '../support/full-body.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const call = (method: string, path: string, more: { body?: unknown; headers?: Record<string, string> } = {}) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...more });
const post = (path: string, body: unknown): Promise<Answered> => call('POST', path, { body });

async function record(loanId: string, headers: Record<string, string> = {}) {
  const { status, body } = await call('GET', `loans/${loanId}`, { headers });
  expect(status).toBe(200);
  return body.data;
}

async function boarded(more: object): Promise<string> {
  const answer = await post('loans', creation(more));
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return answer.body.loanId;
}

/** As a strict client has it from the document: whatever is named must have its type. */
const ajv = new Ajv2020({ strict: false, formats: { date: /^\d{4}-\d{2}-\d{2}$/ } });
const { Request, Response, Underwriting } = FullRecordAnswer.properties.data.properties;
const validators = { Request, Response, Underwriting };
function expectTyped(data: Readonly<Record<string, unknown>>): void {
  for (const [name, schema] of Object.entries(validators)) {
    const validate = ajv.compile(schema);
    validate(data[name]);
    expect([name, validate.errors]).toEqual([name, null]);
  }
}

test('other forms of a value that lose nothing come back in the interface’s type', async () => {
  const loanId = await boarded({
    Request: {
      ApplicantInfo: {
        ...{ MonthlyGross: '6,500.50', ApplicantSSN: 666451234, ApplicantAge: 45, ApplicantDOB: '1980-02-29' },
        ...{ ApplicantZip: 43004, AddressTotalMonths: 24, HousingMonthlyPayment: 1400, ApplicantCity: null, Own: 1.5 },
      },
      ApplicationInfo: { RefiBool: true, ApplicantsNumber: 1 },
      VehicleInfo: null,
      Own: { any: [null, 5, true] },
    },
    Response: {
      ...{ Decision: 'APPROVED', CreditScorePrimary: '712', Comments: ['a', 5], Stipulations: null, Date: '20260115' },
      ...{ DecisionDate: '2026-01-15T10:30:00Z', LoanTerms: [{ Payment: '575.17', TermMonths: '60', Mine: 7 }] },
    },
    Underwriting: {
      ...{ PrimaryCreditInfo: null, CashflowsCsv: null },
      DealTermsInfo: [{ TermsLoanAmount: 12000, TermsAPR: 9.0, TermsTerm: 12 }],
      UnderwritingInfo: [{ DefaultProb: 0.031, WarningsNumber: 0 }],
    },
  });
  const data = await record(loanId);
  expectTyped(data);
  expect(data.Request.ApplicantInfo).toMatchObject({
    ...{ MonthlyGross: 6500.5, ApplicantSSN: '666451234', ApplicantAge: '45', ApplicantDOB: '19800229' },
    ...{ ApplicantZip: '43004', AddressTotalMonths: '24', HousingMonthlyPayment: '1400', ApplicantCity: '', Own: 1.5 },
  });
  expect(data.Request.ApplicationInfo).toMatchObject({ RefiBool: 'true', ApplicantsNumber: '1' });
  expect(data.Request.VehicleInfo).toMatchObject({ VehicleVIN: '', VehicleYear: '' });
  expect(data.Request.Own).toEqual({ any: [null, 5, true] });
  expect(data.Response).toMatchObject({
    ...{
      CreditScorePrimary: 712,
      CreditScoreCoapplicant: 0,
      Comments: ['a', '5'],
      Stipulations: [],
      Date: '2026-01-15',
    },
    ...{ DecisionDate: '2026-01-15 10:30:00', LoanTerms: [{ Payment: 575.17, TermMonths: 60, Mine: 7, Rate: 0 }] },
  });
  expect(data.Underwriting).toMatchObject({ PrimaryCreditInfo: {}, CashflowsCsv: '' });
  expect(data.Underwriting.DealTermsInfo[0]).toMatchObject({
    TermsLoanAmount: '12000',
    TermsAPR: '9',
    TermsTerm: '12',
  });
  expect(data.Underwriting.UnderwritingInfo[0]).toMatchObject({ DefaultProb: '0.031', WarningsNumber: '0' });
  const found = await post('search-loans', { ssn: '666-45-1234' });
  expect(found.body.data.items.map((item: { loanId: string }) => item.loanId)).toEqual([loanId]);

  const address = { street: '12 Oak St', city: 'Dayton', state: 'OH', zip: '45402' };
  const changes = { address, phone: '937-555-0110', email: null };
  const updated = await post('update-party', { loanId, party: 'applicant', changes, reason: 'moved' });
  expect(updated.status, updated.text).toBe(200);
  expectTyped(await record(loanId));
});

test('whatever has no such form is refused, each member with its pointer, and nothing is created', async () => {
  const body = creation({
    applicationId: 'TYPES-1',
    Request: {
      ApplicantInfo: {
        ...{ MonthlyGross: 'Zzyzx', ApplicantSSN: 66645123, ApplicantAge: true, ApplicantDOB: '29/02/1980' },
        ...{ ApplicantZip: 4300, ApplicantFirstName: {} },
      },
      VehicleInfo: 'Zzyzx',
      DealerInfo: [],
    },
    Response: {
      CreditScorePrimary: 'Zzyzx',
      Comments: [{}],
      LoanTerms: [{ Payment: 'Zzyzx' }],
      DecisionDate: '2026-01-15',
    },
    Underwriting: {
      ...{ PrimaryCreditInfo: { CreditScore: 712, AT01S: '1' }, CashflowsCsv: 5 },
      ...{ DealTermsInfo: [{ TermsAPR: [] }], UnderwritingInfo: [{ DecisionStatus: 'MAYBE' }] },
    },
  });
  const { status, body: problem, text } = await post('loans', body);
  expect(status).toBe(422);
  expect(problem.code).toBe('invalid_request');
  expect(problem.errors.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`)).toEqual([
    '/Request/ApplicantInfo/MonthlyGross format',
    '/Request/ApplicantInfo/ApplicantSSN format',
    '/Request/ApplicantInfo/ApplicantAge type',
    '/Request/ApplicantInfo/ApplicantDOB format',
    '/Request/ApplicantInfo/ApplicantZip format',
    '/Request/ApplicantInfo/ApplicantFirstName type',
    '/Request/VehicleInfo type',
    '/Request/DealerInfo type',
    '/Response/CreditScorePrimary format',
    '/Response/Comments/0 type',
    '/Response/LoanTerms/0/Payment format',
    '/Response/DecisionDate format',
    '/Underwriting/PrimaryCreditInfo/CreditScore type',
    '/Underwriting/CashflowsCsv type',
    '/Underwriting/DealTermsInfo/0/TermsAPR type',
    '/Underwriting/UnderwritingInfo/0/DecisionStatus enum',
  ]);
  expect(text).not.toMatch(/Zzyzx|66645123|29\/02/);
  expect((await call('GET', 'loans?applicationId=TYPES-1')).body.data.total).toBe(0);
});

describe('the record of', () => {
  test('a loan of which nothing was given', async () => {
    expectTyped(await record(await boarded({ Request: { ApplicantInfo: null }, Response: {}, Underwriting: null })));
  });

  test('a complete record that was handed over', async () => {
    const { status, body } = await post('loans', fullBody(3));
    expect(status).toBe(200);
    expectTyped(await record(body.loanId));
  });

  test('a loan that was assessed here', async () => {
    const { Response: _, Underwriting: __, ...application } = fullBody(4) as Record<string, unknown>;
    const { status, body } = await post('loans', application);
    expect(status).toBe(200);
    expect((await post('start-underwriting', { loanId: body.loanId })).status).toBe(200);
    const data = await record(body.loanId);
    expectTyped(data);
    expect(data.Underwriting.PrimaryCreditInfo.TrackingTransactionTimeStamp).toMatch(/T\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  });
});

test('predicted amounts keep up to six decimals; separators by format, and in the public record too', async () => {
  const predicted = { predictedPrincipalPaid: '1234.5678', predictedNetCashflow: -1234.5, fairValuePrice: '11,000.00' };
  const loanId = await boarded(predicted);
  const shown = { predictedPrincipalPaid: '1,234.5678', predictedNetCashflow: '-1,234.5', fairValuePrice: '11,000.00' };
  expect((await record(loanId)).loanDetails).toMatchObject(shown);
  expect((await record(loanId, { prefer: 'numbers=plain' })).loanDetails).toMatchObject({
    ...{ predictedPrincipalPaid: '1234.5678', predictedNetCashflow: '-1234.5', fairValuePrice: '11000.00' },
  });
  expect((await call('GET', `loan-data/${loanId}`)).body.data.loanDetails).toMatchObject(shown);
  const finer = await post('loans', creation({ predictedInterestPaid: '0.1234567' }));
  expect([finer.status, finer.body.errors[0]]).toEqual([
    422,
    { pointer: '/predictedInterestPaid', code: 'decimals', detail: 'Must have at most six decimals.' },
  ]);
});
