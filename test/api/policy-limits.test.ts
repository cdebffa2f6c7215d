/** The policy's limits on extensions and re-ages over HTTP: who may exceed them, and what is recorded. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
beforeAll(async () => {
  service = await testApp();
  service.clock.now = Date.parse('2026-01-15T12:00:00Z');
});
afterAll(() => service.close());

const tokens = new Map<string, Promise<string>>();
function tokenOf(scopes?: Parameters<TestApp['token']>[0]): Promise<string> {
  const name = String(scopes);
  const token = tokens.get(name) ?? service.token(scopes);
  tokens.set(name, token);
  return token;
}

async function post(path: string, body: object, scopes?: Parameters<TestApp['token']>[0]) {
  const key = scopes === undefined ? { key: service.credentials.apiKey } : {};
  return service.call('POST', `/v2/chain/${path}`, { token: await tokenOf(scopes), ...key, body });
}

async function read(path: string) {
  const token = await tokenOf();
  return (await service.call('GET', `/v2/chain/${path}`, { token, key: service.credentials.apiKey })).body.data;
}

/** A loan of 12 months with so many installments paid, on 15 January 2026. */
async function repaying(paid: number): Promise<string> {
  const terms = { originationDate: '2025-08-15', firstPaymentDate: '2025-09-15' };
  const { loanId } = (await post('loans', creation(terms))).body;
  await post('start-underwriting', { loanId });
  await post('complete-underwriting', { loanId, approved: true, reason: 'Known for years' });
  await post('initiate-repayment', { loanId });
  const { installments } = await read(`loans/${loanId}/schedule`);
  for (const { n, dueDate, amount } of installments.slice(0, paid)) {
    const answer = await post('loan-repay', {
      loanId,
      refId: `P-${n}`,
      amount,
      paymentDate: dueDate,
      reason: 'Mail',
    });
    expect(answer.status, answer.text).toBe(200);
  }
  return loanId;
}

const reason = 'Hardship';

it('ten extensions: the policy allows two installments a year', async () => {
  const loanId = await repaying(4);
  const answers = [];
  for (let i = 0; i < 10; i++) answers.push(await post('extend', { loanId, reason, periods: 2 }));
  expect(answers.map(({ status }) => status)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  const problem = answers[9]?.body;
  expect(problem).toMatchObject({ code: 'policy_limit', refusal: 'policy_limit' });
  expect(problem).toMatchObject({ limit: 'extension.perTwelveMonths', limitValue: 2, figure: 4 });
  expect(problem.detail).toContain('2 installments to be moved by extensions in twelve months');
});

it('two at once: one passes', async () => {
  const loanId = await repaying(4);
  const both = await Promise.all([1, 2].map(() => post('extend', { loanId, reason, periods: 2 })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it('a dry run is refused as the write would be, and a permitted one changes nothing', async () => {
  const loanId = await repaying(2);
  const refused = await post('extend?dryRun=true', { loanId, reason });
  expect(refused.body).toMatchObject({ limit: 'extension.minimumPaid', limitValue: 3, figure: 2 });
  const forced = await post('extend?dryRun=true', { loanId, reason, override: true });
  expect(forced.body.data.events).toEqual([{ type: 'extended', date: '2026-01-15' }]);
  const { items } = await read(`loans/${loanId}/timeline`);
  expect(items.map(({ type }: { type: string }) => type)).not.toContain('extended');
});

it('an override needs its scope, and is recorded; without need it is neither', async () => {
  const loanId = await repaying(2);
  const denied = await post('extend', { loanId, reason, override: true }, ['servicing:write']);
  expect(denied.status).toBe(403);
  expect(denied.body).toMatchObject({ code: 'insufficient_scope', scope: 'servicing:override' });
  const allowed = await post('extend', { loanId, reason, override: true }, ['servicing:write', 'servicing:override']);
  expect(allowed.status, allowed.text).toBe(200);
  const { items } = await read(`loans/${loanId}/timeline`);
  expect(items.at(-1)).toMatchObject({
    type: 'extended',
    overrode: ['extension.minimumPaid'],
    reasonGiven: true,
    reason: 'Hardship',
  });
  const paid = await repaying(4);
  expect((await post('extend', { loanId: paid, reason, override: true }, ['servicing:write'])).status).toBe(200);
  expect((await read(`loans/${paid}/timeline`)).items.at(-1)).toMatchObject({ type: 'extended', overrode: [] });
});

let unchanged: Promise<string> | null = null;

it.each([
  ['extend', {}],
  ['reage', {}],
  ['reamortize', {}],
  ['change-due-date', { to: '2026-02-01' }],
  ['change-rate', { interestRate: '6' }],
  ['settle', { amount: '10', goodThrough: '2026-02-15' }],
  ['waive-fee', { feeId: 'F-1' }],
  ['charge-off', {}],
  ['default', {}],
])('%s without a reason, or with white space for one, is refused', async (path, body) => {
  unchanged ??= repaying(4);
  const loanId = await unchanged;
  const missing = await post(path, { loanId, ...body });
  expect(missing.status, missing.text).toBe(422);
  expect(missing.body.errors).toMatchObject([{ pointer: '/reason', code: 'required' }]);
  const blank = await post(path, { loanId, ...body, reason: '  ' });
  expect(blank.body, blank.text).toMatchObject({ refusal: 'reason_required', errors: [{ pointer: '/reason' }] });
});
