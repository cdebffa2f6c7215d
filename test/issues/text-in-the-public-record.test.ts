/**
 * Texts of callers reached the public record, plain columns and the log, and outlived the borrower's erasure: make, model, index, cells
 * of the CSV, members that should hold figures, the purpose of a read, request ids. Everything planted here must be refused, left out of
 * the public record, or gone once the borrower is erased; the ledger must still verify then.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const call = (method: string, path: string, more: { body?: unknown; headers?: Record<string, string> } = {}) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...more });
const post = (path: string, body: unknown) => call('POST', path, { body });
const get = (path: string, headers: Record<string, string> = {}) => call('GET', path, { headers });

let loans = 0;
const application = (more: object = {}) => ({
  ...{ applicationId: `TX-${++loans}`, borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' },
  ...{ loanAmount: '18,000', interestRate: '8.49', term: 60, published: true },
  ...more,
});

async function created(more: object): Promise<string> {
  const answer = await post('loans', application(more));
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return answer.body.loanId;
}

const refused = async (more: object) => {
  const { status, body, text } = await post('loans', application(more));
  for (const value of Object.values(more)) if (typeof value === 'string') expect(text).not.toContain(value);
  return [status, ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)];
};

describe('personal and impossible values in the service’s own members are refused', () => {
  test.each([
    [{ loanInfo: { make: 'SSN666000001' } }, '/loanInfo/make'],
    [{ loanInfo: { Auto: { model: 'call (555) 010-2030' } } }, '/loanInfo/Auto/model'],
    [{ loanInfo: { make: 'ann@example.com' } }, '/loanInfo/make'],
    [{ loanInfo: { model: 'born 1980-02-29' } }, '/loanInfo/model'],
    [{ loanInfo: { model: '1HGCM82633A004352' } }, '/loanInfo/model'],
    [{ loanInfo: { model: 'x'.repeat(61) } }, '/loanInfo/model'],
    [{ loanInfo: { mileage: '666000001' } }, '/loanInfo/mileage'],
    [{ indexRate: 'X-666.00.0001' }, '/indexRate'],
    [{ indexRate: 'Ann 555 010 2030' }, '/indexRate'],
    [{ spread: '666000001' }, '/spread'],
    [{ macroEconomicFeatures: { cpi: 666000001 } }, '/macroEconomicFeatures/cpi'],
    [{ macroEconomicFeatures: { cpi: `4.${'1'.repeat(40)}` } }, '/macroEconomicFeatures/cpi'],
    [{ macroEconomicFeatures: { cpi: '1e308' } }, '/macroEconomicFeatures/cpi'],
    [{ borrowerId: 'SSN666000001' }, '/borrowerId'],
    [{ primaryServicerId: 'X-666.00.0001' }, '/primaryServicerId'],
  ])('%j', async (more, pointer) => {
    expect(await refused(more)).toEqual([422, pointer]);
  });

  test('references of other operations too', async () => {
    const loanId = await created({});
    for (const [path, body, pointer] of [
      ['loan-repay', { amount: '1', refId: 'SSN666000001' }, '/refId'],
      ['assess-fee', { amount: '1', feeId: 'X-666.00.0001', name: 'Title' }, '/feeId'],
      ['assess-fee', { amount: '1', feeId: 'F-1', name: 'Ann 555 010 2030' }, '/name'],
    ] as const) {
      const { status, body: problem } = await post(path, { loanId, ...body });
      expect([status, problem.errors?.[0]?.pointer]).toEqual([422, pointer]);
    }
    expect(
      (await post('grants', { granteeOrganizationId: 'x', access: 'read', servicerId: 'SSN666000001' })).status,
    ).toBe(422);
    expect((await post('clients', { name: 'desk 666-00-0001', scopes: ['loans:read'] })).status).toBe(422);
    expect((await get('loans?q=SSN666000001')).status).toBe(422);
  });
});

/** A member of every kind, with a planted text where a figure or a name belongs. */
const PLANTED = {
  Request: {
    ApplicantInfo: { ApplicantSSN: '666-00-0001', MonthlyGross: 6_200, ApplicantLastName: 'Planted-Name' },
    VehicleInfo: {
      ...{ VehicleMake: 'SSN666000002', VehicleModel: 'planted@example.com', VehicleYear: '2024 Planted' },
      ...{
        VehicleAge: '2 Planted',
        VehicleMileage: '666000003',
        VehicleVIN: 'PLANTED-VIN',
        VehicleWholesaleValue: 'Planted',
      },
    },
  },
  Response: { Decision: 'APPROVED' },
  Underwriting: {
    CashflowsCsv:
      'Month,Type,Date,PrincipalPaid,Planted column,TotalPaid\n' +
      '0,Projected,2026-01-15,"1,234.50",Planted cell,666-00-0004\n' +
      '1,Planted type,Planted date,Planted-5,"a, ""Planted""\nPlanted-6",12.5\n',
    DealTermsInfo: [
      {
        ...{ ApprovedDownPayment: 'Planted-7', TermsAPR: '666-00-0008', TermsLTV: 'planted9@example.com' },
        ...{
          TermsLoanAmount: '666000010',
          TermsMonthlyPayment: '(555) 010-2011',
          TermsTerm: '60',
          Planted: 'Planted-12',
        },
        ...{ TermsPTI: 'Planted-13', TermsDTI: '666000014', TermsFrontEndLTV: '0.95' },
      },
    ],
    UnderwritingInfo: [
      {
        ...{
          DecisionStatus: 'APPROVED',
          DefaultProb: 'Planted-15',
          FairValuePrice: '17,950.25',
          WarningsNumber: 'Planted-16',
        },
        ...{ ForecastSimpleIRR: '0.123456789', ForecastTotalPaid: '666000017', SolventProb: '9.5e-01' },
      },
    ],
  },
};
const MARKS = /planted|666-00-00|6660000|\(555\)|010-20/i;

describe('a record that was assessed elsewhere', () => {
  test('is returned as submitted, and the public record shows only values that fit', async () => {
    const loanId = await created(PLANTED);
    const full = await get(`loans/${loanId}`);
    expect(full.body.data.Underwriting.CashflowsCsv).toBe(PLANTED.Underwriting.CashflowsCsv);
    expect(full.body.data.Underwriting.DealTermsInfo[0]).toMatchObject(PLANTED.Underwriting.DealTermsInfo[0] as object);
    expect(full.body.data.Request.VehicleInfo).toMatchObject(PLANTED.Request.VehicleInfo);
    const { text, body } = await get(`loan-data/${loanId}`);
    expect(text.match(MARKS)).toBeNull();
    const { Underwriting, loanInfo } = body.data.loanDetails;
    expect(Underwriting.CashflowsCsv).toBe(
      'Month,Type,Date,PrincipalPaid,TotalPaid\n0,Projected,2026-01-15,1234.50,\n1,,,,\n,,,,\n',
    );
    expect(Underwriting.DealTermsInfo[0]).toMatchObject({ TermsTerm: '60', TermsFrontEndLTV: '0.95', TermsAPR: '' });
    expect(Underwriting.UnderwritingInfo[0]).toMatchObject({
      ...{ DecisionStatus: 'APPROVED', DefaultProb: '', FairValuePrice: '17,950.25', WarningsNumber: '' },
      ...{ ForecastSimpleIRR: '0.123456789', ForecastTotalPaid: '', SolventProb: '9.5e-01' },
    });
    expect(loanInfo.Auto).toEqual({ make: '', model: '', year: '', age: '', mileage: '', vin: '*'.repeat(17) });
  });

  test('a column of a thousand quotes or separators takes no noticeable time', async () => {
    const started = performance.now();
    const CashflowsCsv = `Month,Type\n${'"'.repeat(200_000)}\n${','.repeat(200_000)}\n`;
    await created({ Underwriting: { CashflowsCsv } });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('once the borrower is erased', () => {
  const VEHICLE = { make: 'Plantedmotors', model: 'Plantedmodel', year: '2024', age: '2', mileage: '21,000' };
  const HASH = `0x${'5a17ed'.repeat(10)}0000`;
  const OWN = {
    indexRate: 'Planted index',
    creditReportHash: HASH,
    retailInstallmentContractHash: HASH,
    loanInfo: VEHICLE,
  };
  /** Values of `loanDetails` and its parts that are searched for afterwards. */
  const GONE = ['Planted', HASH, HASH.slice(2), '17,950.25', '17950.25'];

  async function erased(loanId: string): Promise<void> {
    expect((await post('cancel', { loanId, reason: 'Planted reason' })).status).toBe(200);
    const now = service.clock.now + 400 * 86_400_000;
    expect(await eraseBorrower(service.db, { loanId, retentionDays: 365, now })).toHaveProperty('erasedAt');
  }

  test.each([
    ['assessed elsewhere', { ...OWN, Response: PLANTED.Response, Underwriting: PLANTED.Underwriting }],
    [
      'underwritten here',
      {
        ...OWN,
        Request: {
          ApplicantInfo: {
            ApplicantSSN: '666-00-0001',
            MonthlyGross: 6_500,
            ApplicantState: 'OH',
            ApplicantLastName: 'Planted',
          },
          VehicleInfo: { VehicleRetailValue: '24,000', VehicleWholesaleValue: '22,000', VehicleMake: 'Planted make' },
        },
      },
    ],
  ])('nothing is left of what callers wrote: a loan %s', async (_, more) => {
    const loanId = await created(more);
    expect((await post('start-underwriting', { loanId })).status).toBe(200);
    const before = await get(`loan-data/${loanId}`);
    expect(before.text).toContain('Plantedmotors');
    expect(before.body.data.loanDetails.Underwriting.DealTermsInfo.length).toBeGreaterThan(0);
    const headers = { purpose: 'Planted purpose', 'x-request-id': 'Planted-request' };
    const read = await get(`loans/${loanId}`, headers);
    expect(read.headers.get('x-request-id')).toBe('Planted-request');
    expect((await get(`loans/${loanId}/disclosures`, headers)).body.data.items.at(-1)).toMatchObject({
      ...{ purpose: 'Planted purpose', requestId: read.headers.get('daybook-request-id') },
    });
    await erased(loanId);

    // Also from this process's cache.
    const after = await get(`loan-data/${loanId}`, { 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    const { loanDetails } = after.body.data;
    expect(loanDetails).toMatchObject({ loanAmount: '18,000', interestRate: '8.49', borrower: '', indexRate: '' });
    expect(loanDetails.loanInfo).toEqual({ Auto: { make: '', model: '', year: '', age: '', mileage: '', vin: '' } });
    expect(loanDetails.Underwriting).toEqual({ CashflowsCsv: '', DealTermsInfo: [], UnderwritingInfo: [] });
    for (const path of ['disclosures', 'history', 'transactions', 'journal', 'schedule']) {
      const { status, text } = await get(`loans/${loanId}/${path}`);
      expect(status).toBe(200);
      for (const gone of GONE) expect(text).not.toContain(gone);
    }
    for (const gone of GONE) expect(after.text + (await get(`loans/${loanId}`)).text).not.toContain(gone);
    expect(service.logged.join()).not.toContain('Planted');
    await expectNothingStored([/planted/i, new RegExp(HASH.slice(2))]);
  });
});

/** No row of any table contains any of it, and the books verify. */
async function expectNothingStored(texts: readonly RegExp[]): Promise<void> {
  const tables = await service.db.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables) {
    const rows = await service.db.query(`SELECT * FROM ${name}`);
    const text = rows.flatMap((row) => Object.values(row as object).map(plain)).join('\n');
    for (const one of texts) expect([name, text.match(one)?.[0] ?? null]).toEqual([name, null]);
  }
  await service.loans.ledger.seal();
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: '07'.repeat(32) }), masterKeyId);
  const { complaints, erased } = await verifyBook({ db: service.db, masterKeys });
  expect(complaints).toEqual([]);
  expect(erased).toBeGreaterThan(0);
}

/** Sealed bytes may spell anything, but not seven letters. */
function plain(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}
