/**
 * A client that writes its JSON again for a retry may order its members, space and amounts in another way, or escape other characters. Its
 * idempotency key was refused then, as if the request were another one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let headers: Record<string, string>;
let loanId: string;

/** The text as it is. */
async function send(path: string, key: string, source: string) {
  const url = `${service.url}/v2/chain/${path}`;
  const answer = await fetch(url, { method: 'POST', headers: { ...headers, 'idempotency-key': key }, body: source });
  const text = await answer.text();
  return { status: answer.status, replayed: answer.headers.get('idempotent-replayed'), text };
}

async function done(path: string, body: object) {
  const { status, text } = await send(path, `setup-${path}-${JSON.stringify(body).length}`, JSON.stringify(body));
  expect(status, text).toBe(200);
  return JSON.parse(text);
}

beforeAll(async () => {
  service = await testApp();
  headers = {
    authorization: `Bearer ${await service.token()}`,
    key: service.credentials.apiKey,
    'content-type': 'application/json',
  };
  loanId = (await done('loans', creation({ applicationId: 'OTHERWISE' }))).loanId;
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true, reason: 'Known for years' });
  await done('initiate-repayment', { loanId });
});
afterAll(() => service?.close());

async function expectSame(path: string, key: string, first: string, others: string[]) {
  const answer = await send(path, key, first);
  expect(answer, answer.text).toMatchObject({ status: 200, replayed: null });
  for (const source of others) {
    expect(await send(path, key, source), source).toEqual({ status: 200, replayed: 'true', text: answer.text });
  }
}

async function expectReused(path: string, key: string, others: string[]) {
  for (const source of others) {
    const { status, text } = await send(path, key, source);
    expect([status, JSON.parse(text).code], source).toEqual([422, 'idempotency_key_reused']);
  }
}

test('a payment is the same however it is written, and another where it says something else', async () => {
  const upper = `0x${loanId.slice(2).toUpperCase()}`;
  await expectSame('loan-repay', 'PAY', `{"loanId":"${loanId}","amount":"500.00","refId":"A:e"}`, [
    `{"amount":500,"refId":"A:\\u0065","loanId":"${upper}"}`,
    `\n{ "refId": "A:e", "amount" : "500" , "loanId" : "${loanId}" }\t`,
    `{"amount":500.0,"refId":"A:e","loanId":"${loanId}"}`,
    `{"amount":"1.00","refId":"A:e","loanId":"${loanId}","amount":"500.0"}`,
  ]);
  await expectReused('loan-repay', 'PAY', [
    `{"loanId":"${loanId}","amount":"500.01","refId":"A:e"}`,
    `{"loanId":"${loanId}","amount":"5000","refId":"A:e"}`,
    `{"loanId":"${loanId}","amount":"500.00","refId":"A:e","principalOnly":false}`,
  ]);
  const { data } = JSON.parse(
    await (await fetch(`${service.url}/v2/chain/loans/${loanId}/history`, { headers })).text(),
  );
  expect(data.rows.filter(({ kind }: { kind: string }) => kind === 'payment')).toHaveLength(1);
});

test('a creation, which threads read', async () => {
  const { applicationId, ...body } = creation({ applicationId: 'BY-THREADS' }) as Record<string, unknown>;
  const record = {
    ...{ applicationId, ...body },
    Request: { ApplicantInfo: { ApplicantFirstName: 'Robin', MonthlyGross: 6500, Note: 'x'.repeat(100_000) } },
  };
  const turned = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([name, member]) => [name, turned(member)]),
        )
      : value;
  const source = JSON.stringify(record);
  await expectSame('loans', 'CREATE', source, [
    JSON.stringify(turned(record)),
    JSON.stringify(record, null, 2),
    source.replace('"MonthlyGross":6500', '"MonthlyGross":6500.00'),
  ]);
  await expectReused('loans', 'CREATE', [
    source.replace('"MonthlyGross":6500', '"MonthlyGross":6501'),
    source.replace('"MonthlyGross":6500', '"MonthlyGross":6500.00000000000001'),
    source.replace('"Robin"', '"robin"'),
  ]);
});

test('a write without a loan, and a secret that is shown once', async () => {
  const codes = '{"codes":{"cash":"1010","loanPrincipal":"1400"}}';
  await expectSame('ledger/account-codes', 'CODES', codes, ['{"codes":{"loanPrincipal":"1400", "cash":"1010"}}']);
  await expectReused('ledger/account-codes', 'CODES', ['{"codes":{"cash":"1010.0","loanPrincipal":"1400"}}']);
  const role = (amount: string) =>
    `{"name":"desk","scopes":["loans:read","servicing:write"],"limits":{"waive-fee":{"amount":${amount}}}}`;
  await expectSame('roles', 'ROLE', role('"20.00"'), [role('20'), role('"20.0"')]);
  await expectReused('roles', 'ROLE', [role('"20.01"')]);
  expect((await send('clients', 'SECRET', '{"name":"one","scopes":["loans:read"]}')).status).toBe(200);
  const again = await send('clients', 'SECRET', '{ "scopes": ["loans:read"], "name": "one" }');
  expect([again.status, JSON.parse(again.text).code]).toEqual([409, 'already_answered']);
});

test('a dry run takes no key, and leaves none behind', async () => {
  const body = (amount: string) => `{"loanId":"${loanId}","amount":${amount},"refId":"DRY"}`;
  for (const amount of ['"1.00"', '"2.00"']) {
    expect(await send('loan-repay?dryRun=true', 'DRY', body(amount))).toMatchObject({ status: 200, replayed: null });
  }
  await expectSame('loan-repay?dryRun=false', 'DRY', body('"3.00"'), [body('3')]);
});
