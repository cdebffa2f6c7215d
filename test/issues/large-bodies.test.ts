/** A large body is parsed on a worker thread: the main thread never parses it, and answers other requests meanwhile. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { fullBody } from '../support/full-body.ts';

let service: TestApp;
let token: string;
let given: { Request: object };
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  given = fullBody(1) as typeof given;
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

const MIB = 1024 * 1024;
const LARGE = 64 * 1024;
let count = 0;
const withRequest = (more: object) => ({
  ...given,
  applicationId: `LARGE-${++count}`,
  Request: { ...given.Request, ...more },
});
const create = (body: object | string, headers: Record<string, string> = {}) =>
  service.call('POST', '/v2/chain/loans', { token, key: service.credentials.apiKey, body, headers });

/** The longest text that was parsed on this thread during a call, without what the test itself reads of the answer. */
async function longestParsed(call: () => Promise<{ text: string }>): Promise<number> {
  const parse = vi.spyOn(JSON, 'parse');
  const { text } = await call();
  const lengths = parse.mock.calls.map(([source]) => String(source)).filter((source) => source !== text);
  return Math.max(0, ...lengths.map(({ length }) => length));
}

describe('POST /loans', () => {
  it.each([
    ['a complete record', () => withRequest({})],
    ['one giant text', () => withRequest({ Note: 'x'.repeat(8.5 * MIB) })],
    [
      '90,000 members',
      () => withRequest({ More: Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i, i])) }),
    ],
    ['90,000 numbers', () => withRequest({ More: Array.from({ length: 90_000 }, (_, i) => i / 8) })],
    ['60 levels', () => withRequest({ Deep: JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) })],
  ])('is not read on this thread: %s', async (_, body) => {
    const sent = JSON.stringify(body());
    const parsed = await longestParsed(async () => {
      const answer = await create(sent);
      expect(answer.status, answer.text.slice(0, 300)).toBe(200);
      return answer;
    });
    expect(parsed).toBeLessThan(LARGE);
  });

  it('refuses in the same order: syntax, values of the body, of the query, of the loan', async () => {
    const post = (query: string, body: object | string) =>
      service.call('POST', `/v2/chain/loans${query}`, { token, key: service.credentials.apiKey, body });
    const wrongLoan = { ...withRequest({}), maturityDate: '2020-01-01' };
    expect((await post('?dryRun=maybe', '{"a":')).body.code).toBe('invalid_json');
    expect((await post('?dryRun=maybe', { ...wrongLoan, term: {} })).body.errors[0].pointer).toBe('/term');
    expect((await post('?dryRun=maybe', wrongLoan)).body.errors[0].pointer).toBe('/dryRun');
    expect((await post('', wrongLoan)).body.errors[0].pointer).toBe('/maturityDate');
    expect((await post('?dryRun=maybe', '')).body.code).toBe('invalid_json');
    const noType = { token, key: service.credentials.apiKey };
    const nothing = await service.call('POST', '/v2/chain/loans', noType);
    expect([nothing.status, nothing.body.detail]).toEqual([422, 'The body: Must be an object.']);
    const notText = await fetch(`${service.url}/v2/chain/loans`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        key: service.credentials.apiKey,
        'content-type': 'application/json',
      },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(((await notText.json()) as { code: string }).code).toBe('invalid_body');
  });

  it('recognises a repeated call by its bytes', async () => {
    const body = withRequest({ Note: 'x'.repeat(MIB) });
    const headers = { 'idempotency-key': 'large' };
    const first = await create(body, headers);
    const again = await create(body, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await create({ ...body, Request: { ...body.Request, Note: 'y' } }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  it('stores the submitted text byte for byte', async () => {
    const more = { Figure: 1.5, Escaped: 'é\n"', Long: 'Ω'.repeat(100_000) };
    const created = await create(withRequest(more));
    const read = await service.call('GET', `/v2/chain/loans/${created.body.data.loanId}`, {
      token,
      key: service.credentials.apiKey,
      headers: { purpose: 'test' },
    });
    expect(read.status).toBe(200);
    expect(read.body.data.Request).toMatchObject(more);
  });
});

describe('calculators', () => {
  it('are neither read nor answered on this thread', async () => {
    const body = {
      disbursements: [{ date: '2026-01-15', amount: 250_000 }],
      annualRatePercent: 7.25,
      firstPaymentDate: '2026-01-22',
      count: 2_000,
      paymentFrequency: 'Weekly',
      skip: Array.from({ length: 200 }, (_, i) => 3 * i + 1),
    };
    const stringify = vi.spyOn(JSON, 'stringify');
    const parsed = await longestParsed(async () => {
      const answer = await service.call('POST', '/v2/chain/calculate-schedule', { token, body: JSON.stringify(body) });
      expect(answer.status).toBe(200);
      expect(answer.body.data.rows).toHaveLength(2_000);
      return answer;
    });
    expect(parsed).toBeLessThan(500);
    const made = stringify.mock.results.map(({ value }) => String(value).length);
    expect(Math.max(...made)).toBeLessThan(2_000);
  });
});
