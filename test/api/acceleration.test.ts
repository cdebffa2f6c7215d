/** An accelerated loan and the grounds of a default, over HTTP: every read agrees that everything is due. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
const lenderId = 'LND-ACC';
beforeAll(async () => {
  service = await testApp();
});
beforeEach(() => on('2026-01-15'));
afterAll(() => service.close());

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}
const call = (method: string, path: string, body?: object) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...(body ? { body } : {}) });
async function done(path: string, body: object) {
  const answer = await call('POST', path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}
async function read(path: string) {
  const answer = await call('GET', path);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}
async function repaying(terms: object): Promise<string> {
  const { loanId } = await done('loans', creation({ lenderId, ...terms }));
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true, reason: 'Known for years' });
  await done('initiate-repayment', { loanId });
  return loanId;
}
const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);

it('every read of an accelerated loan says that all of it is due', async () => {
  const loanId = await repaying({ originationDate: '2025-10-15', firstPaymentDate: '2025-11-15' });
  const before = await read(`loans/${loanId}/payoff`);
  const { data } = await done('accelerate', { loanId, reason: 'Notice expired' });
  expect(data.loanStatus).toBe('Delinquent');
  const after = await read(`loans/${loanId}/payoff`);
  expect(after).toEqual(before);
  const owed = cents(after.principal) + cents(after.interest);

  const { installments, totals } = await read(`loans/${loanId}/schedule`);
  expect(installments.map(({ dueDate }: { dueDate: string }) => dueDate)).toEqual([
    ...['2025-11-15', '2025-12-15'],
    ...Array.from({ length: 10 }, () => '2026-01-15'),
  ]);
  expect(cents(totals.open)).toBe(owed);
  for (const figure of ['pastDue', 'nextPayment']) {
    const { amount } = await read(`loans/${loanId}/explain/${figure}`);
    expect(cents(amount), figure).toBe(owed);
  }
  const { loanDetails } = await read(`loan-data/${loanId}`);
  expect(loanDetails).toMatchObject({ loanStatus: 'Delinquent', maturityDate: '2026-01-15' });
  expect(await read(`loans/${loanId}/summary`)).toMatchObject({
    ...{ acceleratedOn: '2026-01-15', defaultGround: null, bucket: '60-89' },
  });
  const { rows } = await read(`loans/${loanId}/history`);
  expect(rows.at(-1)).toMatchObject({ kind: 'accelerated', date: '2026-01-15', amount: '0' });
  const { items } = await read(`loans?lenderId=${lenderId}&status=Delinquent`);
  expect(items).toMatchObject([{ loanId, loanStatus: 'Delinquent' }]);
  // All of it is scheduled for the first month.
  const { CashflowsCsv } = await read(`loans/${loanId}/forecast`);
  const scheduled = (CashflowsCsv as string)
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => Number(row.split(',')[2]));
  expect(scheduled.findIndex((amount) => amount > 0)).toBe(1);
  expect(scheduled.filter((amount) => amount > 0)).toHaveLength(1);

  const moved = await call('POST', 'change-due-date', { loanId, to: '2026-01-20', reason: 'Payday' });
  expect(moved.status).toBe(409);
  const extended = await call('POST', 'extend', { loanId, reason: 'Hardship', override: true });
  expect(extended.body).toMatchObject({ code: 'conflict', refusal: 'accelerated', date: '2026-01-15' });
  expect(extended.body.detail).toContain('undo the acceleration first');
});

it('a default says its ground', async () => {
  const loanId = await repaying({});
  const { data } = await done('default', { loanId, ground: 'title', reason: 'No title after a year' });
  expect(data.loanStatus).toBe('Defaulted');
  expect(await read(`loans/${loanId}/summary`)).toMatchObject({ loanStatus: 'Defaulted', defaultGround: 'title' });
  expect((await read(`loans/${loanId}/timeline`)).items.at(-1)).toMatchObject({ type: 'defaulted', ground: 'title' });
  expect((await read(`loans/${loanId}/history`)).rows.at(-1)).toMatchObject({ kind: 'defaulted', detail: 'title' });
});
