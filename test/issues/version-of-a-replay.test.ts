/** The stored answer of an idempotency key came without `X-Loan-Version`: who had lost the first answer had to read the loan before the next `If-Match`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service?.close());

const send = (path: string, body: object, headers: Record<string, string> = {}) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body, headers });
const told = ({ headers }: { headers: Headers }) => ({
  loanId: headers.get('x-loan-id'),
  version: headers.get('x-loan-version'),
});

test('every write of a loan says which loan it was and its version after it, and its replay says the same, whatever came after', async () => {
  const writes: [path: string, body: object][] = [['loans', creation({ applicationId: 'REPLAYED' })]];
  const made = await send('loans', writes[0]?.[1] ?? {}, { 'idempotency-key': 'loans-0' });
  const { loanId } = made.body;
  expect(told(made)).toEqual({ loanId, version: '1' });
  const first = [told(made)];
  for (const [path, more] of [
    ['start-underwriting', {}],
    ['complete-underwriting', { approved: true, reason: 'Known for years' }],
    // Funds the loan first: two events.
    ['initiate-repayment', {}],
    ['loan-repay', { amount: '100.00', refId: 'R-1' }],
    ['assess-fee', { feeId: 'F-1', amount: '5.00', name: 'Copy of the contract' }],
    ['loan-repay', { amount: '50.00', refId: 'R-2', acceptOverpayment: true }],
  ] as const) {
    const body = { loanId, ...more };
    const answer = await send(path, body, { 'idempotency-key': `${path}-${writes.length}` });
    expect(answer.status, answer.text).toBe(200);
    writes.push([path, body]);
    first.push(told(answer));
  }
  const { version } = (await service.call('GET', `/v2/chain/loans/${loanId}/summary`, { token })).body.data;
  expect(first.at(-1)).toEqual({ loanId, version: String(version) });
  for (const [n, [path, body]] of writes.entries()) {
    const again = await send(path, body, { 'idempotency-key': `${path}-${n}` });
    expect(again.headers.get('idempotent-replayed'), path).toBe('true');
    expect(told(again), path).toEqual(first[n]);
  }
  // The version of then, so that what has happened since is noticed.
  const stale = { 'if-match': first[4]?.version ?? '' };
  expect((await send('loan-repay', { loanId, amount: '1.00', refId: 'R-3' }, stale)).status).toBe(412);
});

test('a dry run, and a write that has no loan, have no version', async () => {
  const { body } = await send('loans', creation({ applicationId: 'DRY' }));
  const dry = await send('cancel?dryRun=true', { loanId: body.loanId, reason: 'Withdrawn' });
  expect([dry.status, told(dry)]).toEqual([200, { loanId: null, version: null }]);
  for (let n = 0; n < 2; n += 1) {
    const answer = await send('ledger/account-codes', { codes: { cash: '1010' } }, { 'idempotency-key': 'CODES' });
    expect([answer.status, told(answer)]).toEqual([200, { loanId: null, version: null }]);
  }
});
