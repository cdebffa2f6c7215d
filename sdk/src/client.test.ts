import { describe, expect, test } from 'vitest';
import { ConnectionError, ProblemError } from './errors.ts';
import { OPERATIONS } from './generated/api.ts';
import { createClient } from './index.ts';
import { cut, ok, problem, scripted } from './support/scripted.ts';

const payment = { body: { loanId: '0x1', amount: '600.00', refId: 'ACH-1' } };
const me = { organization: {} };

test('an operation becomes its request, and the answer its data', async () => {
  const { client, seen } = scripted([ok({ loanDetails: {} }, { etag: '"7-a"' })], {
    auth: { token: 't', apiKey: 'k' },
  });
  const answer = await client.readLoan({ path: { loan_id: 'a/b c' }, purpose: 'call' });
  expect(answer).toEqual({
    data: { loanDetails: {} },
    status: 200,
    requestId: 'r-1',
    etag: '"7-a"',
    body: { message: 'ok', data: { loanDetails: {} } },
  });
  expect(seen[0]).toMatchObject({ method: 'GET', url: 'https://loans.example/v2/chain/loans/a%2Fb%20c', body: '' });
  expect(Object.fromEntries(seen[0]?.headers ?? [])).toEqual({
    accept: 'application/json',
    authorization: 'Bearer t',
    key: 'k',
    purpose: 'call',
  });
});

test('every operation of the table has a method, and those outside the prefix are found', async () => {
  const { client, seen } = scripted([Response.json({ message: 'ok' }), Response.json({ keys: [] })], {
    baseUrl: 'https://loans.example/behind/v2/sandbox/',
  });
  for (const id of Object.keys(OPERATIONS)) expect(client, id).toHaveProperty(id, expect.any(Function));
  expect((await client.readHealth()).data).toEqual({ message: 'ok' });
  await client.readSigningKeys();
  expect(seen.map(({ url }) => url)).toEqual([
    'https://loans.example/behind/healthz',
    'https://loans.example/behind/.well-known/jwks.json',
  ]);
  expect(seen[0]?.headers.has('authorization')).toBe(false);
});

test.each(['', '.', '..', undefined])('a path parameter that would change the path is refused: %j', async (loan_id) => {
  const { client, seen } = scripted([]);
  await expect(client.readLoan({ path: { loan_id: loan_id as string } })).rejects.toThrow(
    'readLoan needs path.loan_id.',
  );
  expect(seen).toEqual([]);
});

test.each(['loans.example', '/v2/chain', 'ftp://a/v2/chain', 'https://u:p@a/v2/chain', 'https://a/v2/chain?x=1'])(
  'a base that is none is refused without being repeated: %s',
  (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(/^baseUrl must be an http or https address/);
  },
);

test('a query leaves out what is undefined; a write without a body sends an empty one', async () => {
  const { client, seen } = scripted([ok({ items: [] }), ok({})]);
  await client.listLoans({ query: { limit: 5, cursor: undefined, q: 'a&b' } });
  await client.signOut();
  expect(seen[0]?.url).toBe('https://loans.example/v2/chain/loans?limit=5&q=a%26b');
  expect(seen[1]).toMatchObject({ method: 'POST', body: '{}' });
});

test('a form of numbers is asked for with every call; without one nothing is', async () => {
  const token = Response.json({ access_token: 't', expires_in: 3600, token_type: 'Bearer' });
  const { client, seen } = scripted([token, ok(me)], {
    numbers: 'plain',
    auth: { clientId: 'c', clientSecret: 's' },
  });
  await client.readMe();
  expect(seen.map(({ headers }) => headers.get('prefer'))).toEqual(['numbers=plain', 'numbers=plain']);
  const silent = scripted([ok(me)]);
  await silent.client.readMe();
  expect(silent.seen[0]?.headers.has('prefer')).toBe(false);
});

describe('retries', () => {
  test('the ladder: doubling bounds with full jitter, then the failure itself', async () => {
    const { client, seen, waits } = scripted(Array.from({ length: 5 }, cut));
    await expect(client.readMe()).rejects.toThrow(new ConnectionError('readMe: the connection failed.'));
    expect(seen).toHaveLength(5);
    expect(waits).toEqual([125, 250, 500, 1000]);
  });

  test('the bound stops doubling', async () => {
    const { client, waits } = scripted([...Array.from({ length: 9 }, cut), ok(me)], { retries: 9 });
    await client.readMe();
    expect(waits.slice(-3)).toEqual([4000, 4000, 4000]);
  });

  test('Retry-After is waited for, in seconds or as a date, and the jitter comes on top', async () => {
    const date = new Date(3_000).toUTCString();
    const { client, waits } = scripted([
      problem(429, 'rate_limited', {}, { 'retry-after': '7' }),
      problem(503, 'unavailable', {}, { 'retry-after': date }),
      ok(me),
    ]);
    await client.readMe();
    expect(waits).toEqual([7_125, 3_250]);
  });

  test('a Retry-After of more than a minute is the caller’s to wait for', async () => {
    const { client, seen } = scripted([problem(429, 'rate_limited', {}, { 'retry-after': '61' })]);
    await expect(client.readMe()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 61 });
    expect(seen).toHaveLength(1);
  });

  test('a write is repeated under one key that the client makes, another write under another', async () => {
    const { client, seen } = scripted([cut(), new Response('<h1>Bad gateway</h1>', { status: 502 }), ok({}), ok({})]);
    await client.submitRepayment(payment);
    await client.submitRepayment(payment);
    const keys = seen.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
    expect(new Set(seen.slice(0, 3).map(({ body }) => body))).toEqual(new Set([JSON.stringify(payment.body)]));
  });

  test('a key that the caller gives is used', async () => {
    const { client, seen } = scripted([ok({})]);
    await client.submitRepayment({ ...payment, idempotencyKey: 'ACH-1' });
    expect(seen[0]?.headers.get('idempotency-key')).toBe('ACH-1');
  });

  test('the first attempt may still be at work under the key: it is waited for, but not what another call does', async () => {
    const inUse = () => problem(409, 'idempotency_key_in_use');
    const repeated = scripted([cut(), inUse(), ok({})]);
    await repeated.client.submitRepayment(payment);
    expect(repeated.seen).toHaveLength(3);
    const first = scripted([inUse()]);
    await expect(first.client.submitRepayment(payment)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
  });

  test('a write that takes no key is never repeated', async () => {
    const { client, seen } = scripted([cut()]);
    await expect(client.approveRequest({ body: { approvalId: 'a', reason: 'r' } })).rejects.toThrow(ConnectionError);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.headers.has('idempotency-key')).toBe(false);
  });

  test('a dry run changes nothing, so it needs no key to be repeated', async () => {
    const { client, seen } = scripted([cut(), ok({ dryRun: true })]);
    await client.submitRepayment({ ...payment, query: { dryRun: true } });
    expect(seen.map(({ headers }) => headers.has('idempotency-key'))).toEqual([false, false]);
  });

  test.each([400, 403, 404, 409, 412, 422, 500])('a %d is not repeated', async (status) => {
    const { client, seen } = scripted([problem(status, 'x')]);
    await expect(client.readMe()).rejects.toMatchObject({ status });
    expect(seen).toHaveLength(1);
  });

  test('neither is a 503 that says it will not pass', async () => {
    const { client, seen } = scripted([problem(503, 'timed_out', { retryable: false })]);
    await expect(client.readMe()).rejects.toMatchObject({ code: 'timed_out' });
    expect(seen).toHaveLength(1);
  });

  test('an answer that is cut off in the middle counts as none', async () => {
    const half = new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"message":"ok","da'));
          controller.error(new TypeError('terminated'));
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    );
    const { client, seen } = scripted([half, ok(me)]);
    expect((await client.readMe()).data).toEqual(me);
    expect(seen).toHaveLength(2);
  });

  test('what does not answer in time is left and tried again', async () => {
    const never = (_: unknown, signal: AbortSignal) =>
      new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { client, seen } = scripted([never, never], { timeoutMs: 5, retries: 1 });
    await expect(client.readMe()).rejects.toThrow('readMe: no answer within 5 ms.');
    expect(seen).toHaveLength(2);
  });

  test('an answer that stalls in the middle is left as well', async () => {
    const stalls = (_: unknown, signal: AbortSignal) =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{'));
            signal.addEventListener('abort', () => controller.error(signal.reason));
          },
        }),
        { headers: { 'content-type': 'application/json' } },
      );
    const { client } = scripted([stalls, ok(me)], { timeoutMs: 5 });
    expect((await client.readMe()).data).toEqual(me);
  });

  test('the caller’s signal ends a call with its own reason, and ends the waiting', async () => {
    const leaving = new AbortController();
    const { client, seen } = scripted([
      () => {
        leaving.abort(new Error('left'));
        throw cut();
      },
    ]);
    await expect(client.readMe({ signal: leaving.signal })).rejects.toThrow('left');
    await expect(client.readMe({ signal: leaving.signal })).rejects.toThrow('left');
    expect(seen).toHaveLength(1);
  });

  test('a purpose may be in any script: it is sent in UTF-8', async () => {
    const { client, seen } = scripted([ok({})]);
    await client.readMe({ purpose: 'Dealer’s question 🦊' });
    const bytes = Uint8Array.from(seen[0]?.headers.get('purpose') ?? '', (byte) => byte.charCodeAt(0));
    expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toBe('Dealer’s question 🦊');
  });

  test('a header that cannot be sent is no failure of the connection', async () => {
    const { client, seen } = scripted([]);
    await expect(client.readMe({ purpose: 'a\nb' })).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });
});

describe('problems', () => {
  test('have the members of the document', async () => {
    const errors = [{ pointer: '/amount', code: 'required', detail: 'Amount is missing.' }];
    const more = { errors, refusal: 'wrong_status', requestId: 'r-9', loanStatus: 'Approved' };
    const { client } = scripted([problem(409, 'conflict', more)]);
    const error = await client.submitRepayment(payment).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      ...{ name: 'ProblemError', message: 'conflict.', status: 409, code: 'conflict', title: 'conflict' },
      ...{ refusal: 'wrong_status', errors, requestId: 'r-9', retryAfterSeconds: null },
      problem: { loanStatus: 'Approved' },
    });
  });

  test.each([
    [
      'a page of a proxy',
      new Response('<p>Jane Doe, 123-45-6789</p>', { status: 404, headers: { 'content-type': 'text/html' } }),
    ],
    ['nothing', new Response(null, { status: 404 })],
    ['JSON of somebody else', Response.json({ fault: 'Jane Doe' }, { status: 404 })],
    ['half a document', new Response('{"code":', { status: 404, headers: { 'content-type': 'application/json' } })],
  ])('%s is told as an unexpected answer, without what it says', async (_, response) => {
    const { client } = scripted([response]);
    const error = await client.readMe().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 404, code: 'unexpected_answer', refusal: null, errors: [], problem: {} });
    expect(String(error)).toBe('ProblemError: The answer has the status 404 and no problem document.');
  });

  test.each([
    new Response('<p>Sign in to the network</p>', { headers: { 'content-type': 'text/html' } }),
    new Response('{"mess', { headers: { 'content-type': 'application/json' } }),
    new Response(null),
  ])('a success that is not an answer of the service is a problem too', async (response) => {
    const { client } = scripted([response]);
    await expect(client.readMe()).rejects.toMatchObject({ status: 200, code: 'unexpected_answer' });
  });
});

test('text and files', async () => {
  const { client, seen } = scripted([
    new Response('{"loanId":"0x1"}\n', { headers: { 'content-type': 'application/x-ndjson' } }),
    new Response('month,balance\n', { headers: { 'content-type': 'text/csv; charset=utf-8' } }),
    new Response(Uint8Array.of(37, 80, 68, 70), { headers: { 'content-type': 'application/pdf' } }),
  ]);
  expect((await client.exportLoans()).data).toBe('{"loanId":"0x1"}\n');
  expect((await client.readPortfolioSummary({ accept: 'text/csv' })).data).toBe('month,balance\n');
  const { data: report } = await client.readReport({ path: { loan_id: '0x1', n: '1' } });
  expect([report.type, await report.text()]).toEqual(['application/pdf', '%PDF']);
  expect(seen.map(({ headers }) => headers.get('accept'))).toEqual([
    'application/x-ndjson',
    'text/csv',
    'application/pdf',
  ]);
});

describe('each', () => {
  test('follows the cursors, and asks for a page only when it is needed', async () => {
    const pages = () => [
      ok({ items: [1, 2], nextCursor: 'b' }),
      ok({ items: [], nextCursor: 'c' }),
      ok({ items: [3], nextCursor: null }),
    ];
    const all = scripted(pages());
    const items: unknown[] = [];
    for await (const item of all.client.each('listLoans', { query: { limit: 2 } })) items.push(item);
    expect(items).toEqual([1, 2, 3]);
    expect(all.seen.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=2',
      '?limit=2&cursor=b',
      '?limit=2&cursor=c',
    ]);
    const some = scripted(pages());
    for await (const item of some.client.each('listLoans')) if ((item as unknown) === 2) break;
    expect(some.seen).toHaveLength(1);
  });

  test('the feed ends when there is nothing more for now', async () => {
    const { client, seen } = scripted([
      ok({ items: [{ id: 'a' }], nextCursor: 'x', more: true }),
      ok({ items: [{ id: 'b' }], nextCursor: 'y', more: false }),
    ]);
    const ids: string[] = [];
    for await (const { id } of client.each('listEvents')) ids.push(id);
    expect(ids).toEqual(['a', 'b']);
    expect(new URL(seen[1]?.url ?? '').search).toBe('?after=x');
  });

  test('a list that never ends is noticed', async () => {
    const page = () => ok({ items: [1], nextCursor: 'b' });
    const { client } = scripted([page(), page(), page()]);
    const all = async () => {
      for await (const _ of client.each('listLoans'));
    };
    await expect(all()).rejects.toThrow('the same cursor');
  });
});
