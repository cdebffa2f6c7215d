/** The record has the figures of the economy and of servicing in every status: whoever reads it need not ask first how far the loan is. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATUSES } from '../../src/core/loan.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation, loanIn } from '../support/statuses.ts';

let service: TestApp;
let token: string;
let key: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  key = service.credentials.apiKey;
});
afterAll(() => service.close());

const post = (path: string, body: object): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { token, key, body });
const get = (path: string): Promise<Answered> => service.call('GET', `/v2/chain/${path}`, { token, key });
const details = async (path: string) => {
  const answer = await get(path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.loanDetails;
};
const everyRecord = async (loanId: string) => ({
  full: await details(`loans/${loanId}`),
  public: await details(`loan-data/${loanId}`),
  summary: await details(`loans/${loanId}/summary`),
});

const SERVICING = [
  ...['fundedDate', 'currentDpd', 'originalBalance', 'currentBalance', 'originalTerm', 'remainingTerm'],
  ...['pti', 'dti', 'ltv', 'scheduledPayment', 'currentPaymentDue', 'pastDueAmount', 'totalPrincipalPaid'],
  ...['totalInterestPaid', 'totalFeesPaid', 'chargeoffAmount', 'recoveredAmount', 'paymentStatus'],
  'scheduledMaturityDate',
];
/** The economic figures of the lending policy from 1 January 2026 on. */
const TABLE = { unemployment: 4.4, cpi: 2.7, fedRate: 3.64 };
const NOT_FUNDED = STATUSES.slice(0, STATUSES.indexOf('Funded')).concat('Cancelled');

describe.each(STATUSES)('%s', (status) => {
  test('has three figures of the economy and nineteen of servicing, in both records and the summary', async () => {
    const payoff = async (loanId: string) => (await get(`loans/${loanId}/payoff`)).body.data.payoff;
    const loanId = await loanIn(status, post, payoff);
    for (const [name, shown] of Object.entries(await everyRecord(loanId))) {
      expect(shown.loanStatus, name).toBe(status);
      expect(shown.macroEconomicFeatures, name).toEqual(TABLE);
      expect(Object.keys(shown.metadata), name).toEqual(['AutoLoan']);
      expect(Object.keys(shown.metadata.AutoLoan), name).toEqual(SERVICING);
      for (const value of Object.values(shown.metadata.AutoLoan)) expect(typeof value).toBe('string');
      if (!NOT_FUNDED.includes(status)) continue;
      const { installments } = (await get(`loans/${loanId}/schedule`)).body.data;
      expect(shown.metadata.AutoLoan.scheduledPayment).toBe(installments[0].amount);
      expect(shown.metadata.AutoLoan, name).toEqual({
        ...Object.fromEntries(SERVICING.map((member) => [member, '0'])),
        ...{ fundedDate: '', pti: '', dti: '', ltv: '', paymentStatus: '', scheduledMaturityDate: '' },
        ...{ originalBalance: '12,000', originalTerm: '12', remainingTerm: '12', scheduledPayment: '1,049.21' },
      });
    }
  });
});

describe('the economy', () => {
  const shown = async (more: object) => {
    const { loanId } = (await post('loans', creation(more))).body;
    return { loanId, macro: (await details(`loans/${loanId}`)).macroEconomicFeatures };
  };

  test('is what was given, and the rest of the day of creation', async () => {
    const { loanId, macro } = await shown({ macroEconomicFeatures: { cpi: '3.10' } });
    expect(macro).toEqual({ ...TABLE, cpi: 3.1 });
    for (const record of Object.values(await everyRecord(loanId))) expect(record.macroEconomicFeatures).toEqual(macro);
  });

  test('is that of the day of creation on every later day, before the table begins that of its first row', async () => {
    const old = await testApp();
    try {
      old.clock.now = Date.UTC(2019, 5, 1, 12);
      const by = async () => ({ token: await old.token(), key: old.credentials.apiKey });
      const { loanId } = (await old.call('POST', '/v2/chain/loans', { ...(await by()), body: creation() })).body;
      old.clock.now = Date.UTC(2023, 5, 1, 12);
      const { body } = await old.call('GET', `/v2/chain/loans/${loanId}`, await by());
      expect(body.data.loanDetails.macroEconomicFeatures).toEqual({ unemployment: 3.6, cpi: 2.3, fedRate: 1.55 });
    } finally {
      await old.close();
    }
  });

  test('and the figures of servicing stay when the borrower is erased', async () => {
    const { loanId } = await shown({ macroEconomicFeatures: { cpi: 3.1 } });
    expect((await post('cancel', { loanId, reason: 'Withdrawn' })).status).toBe(200);
    const now = service.clock.now + 60_000;
    expect(await eraseBorrower(service.db, { loanId, retentionDays: 0, now })).toHaveProperty('erasedAt');
    for (const record of Object.values(await everyRecord(loanId))) {
      expect(record.macroEconomicFeatures).toEqual({ ...TABLE, cpi: 3.1 });
      expect(record.metadata.AutoLoan).toMatchObject({ scheduledPayment: '1,049.21', remainingTerm: '12', pti: '' });
    }
  });
});

test('the envelope of the full record has a message and data, and the headers say which loan and version it is', async () => {
  const { loanId } = (await post('loans', creation())).body;
  for (const path of [`loans/${loanId}`, `applications/${loanId}`]) {
    const { body, headers } = await get(path);
    expect(Object.keys(body)).toEqual(['message', 'data']);
    expect([headers.get('x-loan-id'), headers.get('x-loan-version')]).toEqual([loanId, '1']);
  }
  for (const part of ['', '/summary', '/schedule', '/timeline', '/transactions']) {
    const { headers } = await get(`loans/${loanId.toUpperCase().replace('0X', '0x')}${part}`);
    expect([part, headers.get('x-loan-id')]).toEqual([part, loanId]);
  }
  const { headers } = await get(`loan-data/${loanId}`);
  expect(headers.get('x-loan-id')).toBe(loanId);
});

test('a loan is created without an API key; reading it takes one', async () => {
  const created = await service.call('POST', '/v2/chain/loans', { token, body: creation() });
  expect(created.status).toBe(200);
  const wrong = await service.call('POST', '/v2/chain/loans', { token, key: 'dbk_wrong', body: creation() });
  expect(wrong.body).toMatchObject({ status: 403, code: 'invalid_key' });
  const read = await service.call('GET', `/v2/chain/loans/${created.body.loanId}`, { token });
  expect(read.body).toMatchObject({ status: 403, code: 'key_required' });
});
