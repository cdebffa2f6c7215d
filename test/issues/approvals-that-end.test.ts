/**
 * An approval once stood for ever: a loan was funded eight months after it, and approved on a report of last spring. Approvals and offers end,
 * reports grow old, and underwriting that is started again is a new run beside the earlier ones.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applicationBody } from '../../src/demo/application.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
let day: number;
beforeAll(async () => {
  service = await testApp();
  day = service.clock.now;
});
beforeEach(async () => {
  service.clock.now = day;
  token = await service.token();
});
afterAll(() => service.close());

/** By so many days. A token does not live that long. */
async function later(days: number): Promise<void> {
  service.clock.now += days * 86_400_000;
  token = await service.token();
}

const post = (path: string, body: object) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });

let applications = 0;
const GOOD = '666-00-0001';

async function applied(applicant: object = {}, more: object = {}): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const own = { applicationId: `TC-${applications}`, loanAmount: '18,000', interestRate: '8.49', term: 60 };
  const { body, status, text } = await post('loans', {
    ...creation({ ...own, ...more }),
    Request: {
      ...Request,
      ApplicantInfo: {
        ...Request.ApplicantInfo,
        ...{ MonthlyGross: 6_500, ApplicantSSN: GOOD, ApplicantState: 'OH', ...applicant },
      },
      CoApplicantInfo: { CoApplicantSSN: '' },
    },
  });
  expect(status, text).toBe(200);
  return body.loanId;
}

const start = (loanId: string, more: object = {}) => post('start-underwriting', { loanId, ...more });
const complete = (loanId: string, more: object = {}) => post('complete-underwriting', { loanId, ...more });
const approve = (loanId: string) => complete(loanId, { approved: true, reason: 'Known to us' });

async function approved(): Promise<string> {
  const loanId = await applied();
  expect((await start(loanId)).status).toBe(200);
  expect((await approve(loanId)).status).toBe(200);
  return loanId;
}

describe('funding', () => {
  test('eight months after the approval is refused on every path, until it is underwritten again', async () => {
    const loanId = await approved();
    await later(240);
    const about = { code: 'offer_expired', refusal: 'offer_expired', date: '2026-02-14' };
    for (const [path, more] of [
      ['fund-loan', {}],
      ['fund-loan', { disbursements: [{ payee: 'dealer', amount: '18,000' }] }],
      ['initiate-repayment', {}],
      ['fund-loan?dryRun=true', {}],
    ] as const) {
      const { status, body } = await post(path, { loanId, ...more });
      expect([path, status, body], path).toMatchObject([path, 409, about]);
      expect(body.detail).toContain('Start underwriting again');
    }
    const { allowed, notAllowed } = (
      await service.call('GET', `/v2/chain/loans/${loanId}/summary`, { token, key: service.credentials.apiKey })
    ).body.data;
    expect(allowed).toContain('start-underwriting');
    expect(notAllowed).toContainEqual(
      expect.objectContaining({ operation: 'fund-loan', reason: expect.objectContaining({ code: 'offer_expired' }) }),
    );
    expect((await post('approve-collateral', { loanId, collateralAmount: '20,000' })).status).toBe(200);
    expect((await post('fund-loan', { loanId })).body.code).toBe('offer_expired');
  });

  test('on the last day is not, and a loan that was decided elsewhere is funded whenever it is', async () => {
    const loanId = await approved();
    const { body: boarded } = await post('loans', creation());
    await start(boarded.loanId);
    expect((await approve(boarded.loanId)).status).toBe(200);
    await later(30);
    expect((await post('fund-loan', { loanId })).status).toBe(200);
    await later(200);
    expect((await post('fund-loan', { loanId: boarded.loanId })).status).toBe(200);
  });

  test('a lender’s policy says how long', async () => {
    const values = { offerDays: 3, reportDays: 2 };
    const set = await post('policies', { policyId: 'P-TIME', lenderId: 'LND-TIME', from: '2026-01-15', values });
    expect(set.status, set.text).toBe(200);
    const loanId = await applied({}, { lenderId: 'LND-TIME' });
    await start(loanId);
    await later(3);
    expect((await approve(loanId)).body).toMatchObject({ code: 'report_expired', date: '2026-01-17' });
    expect((await complete(loanId, { approved: false, reason: 'Withdrawn' })).status).toBe(200);
  });
});

test('an application is not approved on a report older than 30 days, nor with an offer of an old run', async () => {
  const loanId = await applied();
  await start(loanId);
  await later(31);
  const { status, body } = await approve(loanId);
  expect([status, body.code, body.date]).toEqual([409, 'report_expired', '2026-02-14']);
  expect(body.detail).toContain('Start underwriting again');
  expect((await complete(loanId)).body.code).toBe('report_expired');
  expect((await complete(loanId, { approved: true, dealIndex: 7, reason: 'x' })).body).toMatchObject({
    code: 'offer_expired',
    date: '2026-02-14',
  });
  expect((await start(loanId)).status).toBe(200);
  expect((await approve(loanId)).status).toBe(200);
});

describe('a new run', () => {
  const get = async (path: string) =>
    (await service.call('GET', `/v2/chain/${path}`, { token, key: service.credentials.apiKey })).body.data;

  test('after a counter-offer was approved keeps the history, and the approval does not stand', async () => {
    const loanId = await applied();
    expect((await start(loanId)).body.data).toMatchObject({ run: 1, reportsOf: 1 });
    const { items } = await get(`loans/${loanId}/deals`);
    const other = items.find(
      (deal: { dealIndex: number; decision: string }) => deal.dealIndex > 0 && deal.decision === 'APPROVED',
    );
    expect((await complete(loanId, { approved: true, dealIndex: other.dealIndex, reason: 'x' })).status).toBe(200);
    expect((await get(`loans/${loanId}/summary`)).loanDetails.loanStatus).toBe('Approved');
    await get(`loans/${loanId}`);
    await later(10);
    const again = await start(loanId);
    expect(again.body.data).toMatchObject({ loanStatus: 'UnderwritingStarted', run: 2, reportsOf: 1 });
    expect((await post('fund-loan', { loanId })).body.code).toBe('conflict');
    const { loanDetails } = await get(`loans/${loanId}/summary`);
    expect([loanDetails.originationAmount ?? loanDetails.loanAmount, loanDetails.interestRate]).toEqual([
      '18,000',
      '8.49',
    ]);
    expect((await get(`loans/${loanId}/deals`)).runs).toMatchObject([
      { run: 2, day: '2026-01-25', reportsOf: 1, reportDate: '2026-01-15' },
      { run: 1, day: '2026-01-15', reportsOf: 1, reportDate: '2026-01-15' },
    ]);
    const types = (await get(`loans/${loanId}/timeline`)).items.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['created', 'underwritingStarted', 'approved', 'underwritingStarted']);
    // Its report ends by its own date, not by that of the new run.
    await later(21);
    expect((await approve(loanId)).body.code).toBe('report_expired');
    expect((await start(loanId)).body.data).toMatchObject({ run: 3, reportsOf: 3 });
    expect((await approve(loanId)).status).toBe(200);
    expect((await post('fund-loan', { loanId })).status).toBe(200);
    expect((await start(loanId)).body).toMatchObject({ code: 'conflict', refusal: 'wrong_status' });
  });

  test('pulls again where the file was frozen, and where asked to', async () => {
    const frozen = await applied({ ApplicantSSN: '666-00-0012' });
    await start(frozen);
    expect((await start(frozen)).body.data).toMatchObject({ run: 2, reportsOf: 2 });
    const loanId = await approved();
    expect((await start(loanId, { repull: true })).body.data).toMatchObject({ run: 2, reportsOf: 2 });
    const { items } = await get(`loans/${loanId}/timeline`);
    const undone = await post('undo', { loanId, transactionHash: items.at(-1).transactionHash, reason: 'Mistake' });
    expect([undone.status, undone.body.refusal]).toEqual([409, 'reference_conflict']);
  });
});
