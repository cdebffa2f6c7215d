/** The HTTP shell from outside: prefix, envelope, problems, headers, limits, readiness. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { openWire } from '../support/fuzz/wire.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp({ CORS_ORIGINS: 'https://desk.example', BODY_LIMIT: '65536' });
  token = await service.token();
});
afterAll(() => service.close());

describe('envelope and headers', () => {
  it('a read answers { message, data } and the security headers', async () => {
    const { status, body, headers } = await service.call('GET', '/v2/chain/me', { token });
    expect(status).toBe(200);
    expect(body.message).toBe('ok');
    expect(body.data.client.clientId).toBe('first');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('X-Request-Id is echoed when valid, replaced when not', async () => {
    const sent = async (id: string) => {
      const answer = await service.call('GET', '/v2/chain/me', { token, headers: { 'x-request-id': id } });
      return answer.headers.get('x-request-id');
    };
    expect(await sent('trace-42')).toBe('trace-42');
    expect(await sent('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await sent('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
    expect(await sent('123-45-6789')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await sent('trace-666000001')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a problem carries the same request id in header and body, and the logged one as its instance', async () => {
    const { body, headers } = await service.call('GET', '/nowhere', { headers: { 'x-request-id': 'trace-43' } });
    expect(headers.get('x-request-id')).toBe('trace-43');
    expect(body).toMatchObject({ requestId: 'trace-43' });
    const logged = service.logged.map((line) => JSON.parse(line) as { requestId?: string });
    const [, id] = /^urn:daybook:request:([0-9a-f-]{36})$/.exec(body.instance) ?? [];
    expect(logged.filter(({ requestId }) => requestId === id)).toHaveLength(1);
    expect(service.logged.join()).not.toContain('trace-43');
  });
});

describe('problems', () => {
  const cases: [name: string, status: number, code: string, method: string, path: string, options: object][] = [
    ['unknown address', 404, 'not_found', 'GET', '/v2/chain/nothing', {}],
    ['another area', 404, 'not_found', 'GET', '/v2/other/me', {}],
    ['wrong method', 405, 'method_not_allowed', 'DELETE', '/v2/chain/me', {}],
    ['no token', 401, 'unauthorized', 'GET', '/v2/chain/me', {}],
    ['rubbish token', 401, 'unauthorized', 'GET', '/v2/chain/me', { token: 'a.b.c' }],
    ['unacceptable', 406, 'not_acceptable', 'GET', '/v2/chain/me', { headers: { accept: 'text/html' } }],
    ['not JSON', 400, 'invalid_json', 'POST', '/v2/chain/auth-token', { body: '{"clientId":' }],
    ['empty body', 400, 'invalid_json', 'POST', '/v2/chain/auth-token', { body: '' }],
    ['not an object', 422, 'invalid_request', 'POST', '/v2/chain/auth-token', { body: '[]' }],
    [
      'form where JSON is due',
      415,
      'unsupported_media_type',
      'POST',
      '/v2/chain/auth-token',
      {
        body: 'a=b',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    [
      'another charset',
      415,
      'unsupported_media_type',
      'POST',
      '/v2/chain/auth-token',
      {
        body: '{}',
        headers: { 'content-type': 'application/json; charset=latin1' },
      },
    ],
    [
      'compressed in an unknown way',
      415,
      'unsupported_media_type',
      'POST',
      '/v2/chain/auth-token',
      {
        body: '{}',
        headers: { 'content-encoding': 'compress' },
      },
    ],
    ['too large', 413, 'payload_too_large', 'POST', '/v2/chain/auth-token', { body: `"${'x'.repeat(70_000)}"` }],
    ['bad percent encoding', 400, 'invalid_url', 'GET', '/v2/chain/%zz', {}],
    ['a wrong method of QUERY', 405, 'method_not_allowed', 'QUERY', '/v2/chain/me', {}],
    [
      'a wrong address, whatever its body',
      404,
      'not_found',
      'POST',
      '/x',
      { headers: { 'content-type': 'a/b' }, body: '' },
    ],
  ];
  it.each(cases)('%s is %i %s', async (_name, status, code, method, path, options) => {
    const answer = await service.call(method, path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toMatchObject({ status, code, type: `urn:daybook:problem:${code}` });
    expect(answer.body.message).toBe(answer.body.detail);
  });

  it('405 names the methods, 401 carries the challenge', async () => {
    const wrongMethod = await service.call('DELETE', '/v2/chain/me');
    expect(wrongMethod.headers.get('allow')).toBe('GET, HEAD');
    const unknown = await service.call('GET', '/v2/chain/me');
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer realm="daybook"');
  });

  it('unknown members and bad types are named with their pointers, values are not repeated', async () => {
    const body = { clientId: 7, 'client/secret': 'hunter2', clientSecret: 'hunter2' };
    const answer = await service.call('POST', '/v2/chain/auth-token', { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([
      { pointer: '/client~1secret', code: 'unknown_member', detail: 'Unknown field.' },
      { pointer: '/clientId', code: 'type', detail: 'Must be a string.' },
    ]);
    expect(answer.text).not.toContain('hunter2');
  });

  it('a body of many wrong members stays a small answer', async () => {
    const wrong = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 1]));
    const few = await service.call('POST', '/v2/chain/auth-token', { body: wrong(100) });
    expect(few.status).toBe(422);
    expect(few.body.errors.length).toBe(20);
    const many = await service.call('POST', '/v2/chain/calculate-irr', { token, body: wrong(5_500) });
    expect(many.status).toBe(422);
    expect(many.body.errors.length).toBe(1);
    expect(many.text.length).toBeLessThan(2_000);
  });

  it('invalid UTF-8 is refused', async () => {
    const answer = await fetch(`${service.url}/v2/chain/auth-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'invalid_body' });
  });
});

describe('input that never becomes a request', () => {
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(service.port, '127.0.0.1', () => socket.write(text));
      socket.setEncoding('latin1');
      socket.on('data', (chunk: string) => {
        answer += chunk;
        const length = /content-length: (\d+)/i.exec(answer)?.[1];
        if (length && answer.length >= answer.indexOf('\r\n\r\n') + 4 + Number(length)) socket.end();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  it.each([
    ['rubbish', 'EHLO example\r\n\r\n', 400, 'malformed_request'],
    ['no Host', 'GET /v2/chain/me HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['a Host that is none', 'GET /docs/ HTTP/1.1\r\nHost: a b<\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['huge headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
    [
      'an expectation',
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: cake\r\nContent-Length: 0\r\n\r\n',
      417,
      'expectation_failed',
    ],
    [
      'a wrong method in the absolute form',
      'PUT http://a/v2/chain/me HTTP/1.1\r\nHost: a\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'malformed_request'],
  ])('%s', async (_name, text, status, code) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ status, code });
  });
});

describe('a connection', () => {
  /** Everything that the server sends until it closes, or until `count` answers. */
  const converse = async (text: string, count: number): Promise<{ status: number; body: string }[]> => {
    const wire = await openWire(service.port);
    const { answers } = await wire.exchange(Buffer.from(text, 'latin1'), Array(count).fill('GET'));
    wire.destroy();
    return answers.map(({ status, body }) => ({ status, body: body.toString() }));
  };
  const me = () => `GET /v2/chain/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;

  it('answers complete requests before it refuses malformed bytes behind them', async () => {
    const answers = await converse(`${me()}${me()}rubbish\r\n\r\n`, 4);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  });
  it('answers the request that asks to close, though more comes behind it', async () => {
    const closing = 'GET /healthz HTTP/1.0\r\n\r\n';
    const answers = await converse(`${me()}${closing}${me()}`, 4);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
  it.each(['HTTP/1.0\r\nHost: a', 'HTTP/1.1\r\nHost: a\r\nConnection: close'])(
    'says that it closes: %j',
    async (how) => {
      const wire = await openWire(service.port);
      const { answers } = await wire.exchange(Buffer.from(`GET /nowhere ${how}\r\n\r\n`), ['GET']);
      expect(answers[0]?.headers.get('connection')).toEqual(['close']);
      wire.destroy();
    },
  );
  it('gives one answer to a request that is refused before its broken body arrives', async () => {
    const head = 'POST /v2/chain/clients HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const wire = await openWire(service.port);
    const first = await wire.exchange(Buffer.from(head), ['POST']);
    const second = await wire.exchange(Buffer.from('no chunk\r\n'), ['POST']);
    expect([...first.answers, ...second.answers].map(({ status }) => status)).toEqual([401]);
  });
  it.each([
    ['a body that is too large', 'POST /v2/chain/auth-token', '', 413],
    ['one that is too large, and closes', 'POST /v2/chain/auth-token', 'Connection: close\r\n', 413],
    ['one to a wrong address, and closes', 'POST /nowhere', 'Connection: close\r\n', 404],
    ['one to a broken address, and closes', 'POST /%zz', 'Connection: close\r\n', 400],
    ['one that is not read, and closes', 'GET /healthz', 'Connection: close\r\n', 200],
  ])('lets a caller finish %s, so that it can read the answer', async (_name, line, header, status) => {
    const type = 'Content-Type: application/json\r\nContent-Length: 8000000';
    const head = `${line} HTTP/1.1\r\nHost: a\r\n${header}${type}\r\n\r\n`;
    for (let i = 0; i < 3; i += 1) {
      const [answer] = await converse(head + ' '.repeat(8_000_000), 1);
      expect(answer?.status).toBe(status);
    }
  });
  it('that ends in the middle of a body is not a service error', async () => {
    const head =
      'POST /v2/chain/auth-token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n';
    const wire = await openWire(service.port);
    const from = service.logged.length;
    const { answers } = await wire.sendRaw(Buffer.from(`${head}\r\n{`), ['POST'], { halfCloseAtOnce: true });
    expect(answers.map(({ status }) => status)).toEqual([400]);
    await expect.poll(() => service.logged.length).toBeGreaterThan(from);
    expect(service.logged.slice(from).join('')).not.toContain('"level":50');
  });
});

describe('a trailing slash is the same address', () => {
  const me = (path: string) => service.call('GET', path, { token });
  it('also with a query, and for an address with an id', async () => {
    expect((await me('/v2/chain/me/')).text).toBe((await me('/v2/chain/me')).text);
    expect((await me('/v2/chain/loans/?limit=1')).status).toBe(200);
    expect((await me('/v2/chain/applications/?limmit=1')).body).toMatchObject({ status: 422 });
    const { status, body } = await service.call('POST', '/v2/chain/auth-token/', { body: {} });
    expect([status, body.errors[0].pointer]).toEqual([422, '/clientId']);
    const unknown = await me(`/v2/chain/loan-data/0x${'0'.repeat(64)}/`);
    expect(unknown.body.detail).toBe('No such loan.');
  });
  it('also where it is refused', async () => {
    const wrong = await service.call('DELETE', '/v2/chain/me/');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await me('/v2/chain/nothing/')).status).toBe(404);
    const headers = { origin: 'https://desk.example', 'access-control-request-method': 'POST' };
    const asked = await service.call('OPTIONS', '/v2/chain/auth-token/', { headers });
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
  });
  it('two are not, and outside the prefix an address stays as it is', async () => {
    for (const path of ['/v2/chain/me//', '/v2/chain//me', '/v2/chain/loans//', '/v2/chain//', '/healthz/', '/v2/']) {
      expect([path, (await me(path)).status]).toEqual([path, 404]);
    }
    for (const path of ['/docs/', '/market/']) expect([path, (await me(path)).status]).toEqual([path, 200]);
  });
  it('is counted under the one address', async () => {
    const count = async () => {
      const { text } = await service.call('GET', '/metrics');
      expect(text).not.toContain('route="/v2/chain/me/"');
      return Number(/_count\{method="GET",route="\/v2\/chain\/me",status="200"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await count();
    await me('/v2/chain/me/');
    expect(await count()).toBe(before + 1);
  });
});

describe('CORS is denied except for configured origins', () => {
  it('another origin gets no headers', async () => {
    const headers = { origin: 'https://evil.example' };
    const answer = await service.call('GET', '/v2/chain/me', { token, headers });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const asked = { ...headers, 'access-control-request-method': 'POST' };
    expect((await service.call('OPTIONS', '/v2/chain/auth-token', { headers: asked })).status).toBe(405);
  });
  it('a configured origin may preflight and call', async () => {
    const headers = { origin: 'https://desk.example', 'access-control-request-method': 'POST' };
    const asked = await service.call('OPTIONS', '/v2/chain/auth-token', { headers });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-methods')).toBe('POST');
    expect(asked.headers.get('x-request-id')).not.toBeNull();
    expect(asked.headers.get('content-length')).toBeNull();
    const answer = await service.call('GET', '/v2/chain/me', { token, headers: { origin: 'https://desk.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://desk.example');
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Loan-Id, X-Loan-Version');
    expect(answer.headers.get('vary')).toContain('Origin');
  });
  it('its pages may send every header of the documents, and read every header of the answers', async () => {
    const headers = { origin: 'https://desk.example', 'access-control-request-method': 'GET' };
    const asked = await service.call('OPTIONS', '/v2/chain/events', { headers });
    const listed = (name: string) => (asked.headers.get(name) ?? '').toLowerCase().split(', ');
    const { text } = await service.call('GET', '/openapi.json');
    const described = (where: 'request' | 'answer') =>
      Object.values<Record<string, { parameters?: object[]; responses: object }>>(JSON.parse(text).paths)
        .flatMap((methods) => Object.values(methods))
        .flatMap(({ parameters = [], responses }) =>
          where === 'request'
            ? (parameters as { in: string; name: string }[]).flatMap((one) => (one.in === 'header' ? [one.name] : []))
            : Object.values(responses).flatMap((one) => Object.keys(one.headers ?? {})),
        );
    const page = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
    const table = (section: string) =>
      (page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '')
        .split('\n')
        .filter((line) => line.startsWith('| `'))
        .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name));
    const missing = (names: string[], header: string, free: string[]) =>
      [...new Set(names)].filter((name) => ![...listed(header), ...free].includes(name.toLowerCase()));
    expect(table('Requests')).toContain('Idempotency-Key');
    expect(table('Answers')).toContain('X-Loan-Version');
    // Every page may send and read these; the coding of an answer is the browser's own affair.
    expect(
      missing([...described('request'), ...table('Requests')], 'access-control-allow-headers', [
        'accept',
        'accept-encoding',
      ]),
    ).toEqual([]);
    const free = ['cache-control', 'content-type', 'content-length', 'content-encoding'];
    expect(missing([...described('answer'), ...table('Answers')], 'access-control-expose-headers', free)).toEqual([]);
  });
});

describe('health, readiness, metrics', () => {
  it('is alive and ready', async () => {
    expect((await service.call('GET', '/healthz')).status).toBe(200);
    expect((await service.call('GET', '/readyz')).status).toBe(200);
  });
  it.each([
    ['starting', { phase: 'starting', databaseAnswers: true }],
    ['without its database', { phase: 'ready', databaseAnswers: false }],
    ['draining', { phase: 'draining', databaseAnswers: true }],
  ] as const)('%s: 503 with Retry-After, and still alive', async (_name, state) => {
    Object.assign(service.set, state);
    try {
      const answer = await service.call('GET', '/readyz');
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.body).toMatchObject({ code: 'unavailable', retryable: true });
      expect((await service.call('GET', '/healthz')).status).toBe(200);
      const me = await service.call('GET', '/v2/chain/me', { token });
      // While it drains, requests that still come are served, and each connection is closed behind its answer.
      expect(me.status).toBe(state.phase === 'starting' ? 503 : 200);
      if (state.phase === 'draining') expect(me.headers.get('connection')).toBe('close');
    } finally {
      Object.assign(service.set, { phase: 'ready', databaseAnswers: true });
    }
  });
  it('counts requests by route, never by address', async () => {
    await service.call('GET', '/v2/chain/me', { token });
    await service.call('GET', '/private/123-45-6789');
    const { text, headers } = await service.call('GET', '/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toMatch(/http_request_duration_seconds_count\{method="GET",route="\/v2\/chain\/me",status="200"\} \d/);
    expect(text).toContain('database_pool_connections{state="idle"}');
    expect(text).not.toContain('123-45-6789');
  });
  it('/ leads to the playground', async () => {
    const answer = await service.call('GET', '/');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/docs/');
  });
  it('every answer is logged and counted, also for input that never became a request', async () => {
    const from = service.logged.length;
    await service.call('GET', '/v2/chain/%zz');
    const wire = await openWire(service.port);
    await wire.exchange(Buffer.from('rubbish\r\n\r\n'), ['GET']);
    const codes = () => service.logged.slice(from).map((line) => JSON.parse(line).code);
    await expect.poll(codes).toEqual(['invalid_url', 'malformed_request']);
    const { text } = await service.call('GET', '/metrics');
    expect(text).toContain('http_request_duration_seconds_count{method="unknown",route="unknown",status="400"}');
  });
});

describe('the playground', () => {
  it.each(['a:99999', '[', '1.2.3.4.5', '%'])('works with an unusual Host: %s', async (host) => {
    const wire = await openWire(service.port);
    const { answers } = await wire.exchange(Buffer.from(`GET /docs/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`), ['GET']);
    expect(answers[0]?.status).toBe(200);
    wire.destroy();
  });
  it('sends its script compressed, once', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${service.url}/docs/js/scalar.js`, { headers });
    const wire = await openWire(service.port);
    const request = 'GET /docs/js/scalar.js HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br;q=0.5, gzip\r\n\r\n';
    // The wire decodes what it reads.
    const [zipped] = (await wire.exchange(Buffer.from(request), ['GET'])).answers;
    wire.destroy();
    const plain = await ask({ 'accept-encoding': 'gzip;q=0' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zipped?.headers.get('content-encoding')).toEqual(['gzip']);
    expect(zipped?.body.equals(Buffer.from(await plain.arrayBuffer()))).toBe(true);
    expect(zipped?.headers.get('etag')).not.toEqual([plain.headers.get('etag')]);
    const again = await ask({ 'if-none-match': plain.headers.get('etag') ?? '', 'accept-encoding': 'identity' });
    expect(again.status).toBe(304);
  });
});

describe('logs say what happened and nothing about the person', () => {
  it('they contain no address, query, header, body or secret', async () => {
    await service.call('POST', '/v2/chain/auth-token?ssn=123-45-6789', {
      body: { clientId: 'jane.doe@example.com', clientSecret: 'hunter2-secret' },
      headers: { 'user-agent': 'agent-of-jane', key: 'key-of-jane' },
    });
    await service.call('GET', '/v2/chain/me', { token });
    const lines = service.logged.join('');
    expect(lines).toContain('"route":"/v2/chain/auth-token"');
    expect(lines).toContain('"clientId":"first"');
    for (const secret of ['123-45-6789', 'jane', 'hunter2', token, 'first-secret']) expect(lines).not.toContain(secret);
  });
});

describe('quota', () => {
  it('counts a client’s requests, reports what is left, and answers 429 with Retry-After', async () => {
    const { clientId, clientSecret } = await service.access.createClient(service.organizationId, {
      name: 'limited',
      scopes: ['loans:read'],
      rateLimitPerMinute: 3,
    });
    const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const limited = signedIn.body.data.token;
    const ask = () => service.call('GET', '/v2/chain/me', { token: limited });
    const first = await ask();
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
    expect(first.headers.get('ratelimit')).toBe('"default";r=2;t=60');
    await ask();
    expect((await ask()).headers.get('ratelimit')).toBe('"default";r=0;t=60');
    service.clock.now += 20_000;
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.body.code).toBe('rate_limited');
    expect(refused.headers.get('retry-after')).toBe('40');
    service.clock.now += 40_000;
    expect((await ask()).status).toBe(200);
    // The first client of the embedded default has no quota, and other clients are not affected by this one's.
    expect((await service.call('GET', '/v2/chain/me', { token })).headers.get('ratelimit')).toBeNull();
  });
});
