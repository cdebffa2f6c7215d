/** Against real servers on this machine, one for each kind of failure. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { openWorkers } from '../workers/workers.ts';
import { type BureauFailure, type BureauReport, type BureauSubject, isBureauFailure } from './bureau.ts';
import { HTTP_BUREAU_DEFAULTS, type HttpBureauSettings, openHttpBureau } from './http.ts';
import { simulate } from './simulator/simulator.ts';

const KEY = 'key-9a7f31';
const SUBJECT: BureauSubject = {
  ...{
    role: 'primary' as const,
    firstName: 'Zebedee',
    lastName: 'Quillfeather',
    middleInitial: 'Q',
    ssn: '666-00-0002',
  },
  ...{ dateOfBirth: '1971-06-05', address: '4711 Unmapped Way', city: 'Mock Springs', state: 'TX', zip: '00099' },
};
const PULL = {
  pullId: 'pull-1',
  organizationId: 'org_test',
  today: date('2026-01-15'),
  at: '2026-01-15T10:00:00.000-06:00',
};
const REPORT = simulate(SUBJECT, PULL) as BureauReport;

type ReceivedRequest = { readonly headers: IncomingMessage['headers']; readonly body: string; readonly port: number };
type Behave = (response: ServerResponse, request: IncomingMessage) => void;

const workers = openWorkers({ threads: 1 });
afterAll(() => workers.close());

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function atPort(server: Server | TcpServer): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** The n-th request gets the n-th behaviour; later ones get the last. */
async function bureauThat(behaviours: readonly Behave[], changed: Partial<HttpBureauSettings> = {}) {
  const seen: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const behave = behaviours[Math.min(seen.length, behaviours.length - 1)] as Behave;
      seen.push({
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        port: request.socket.remotePort as number,
      });
      behave(response, request);
    });
  });
  const port = await atPort(server);
  const bureau = adapter({ url: `http://127.0.0.1:${port}/reports`, ...changed });
  opened.push({
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
  return { ...bureau, seen, port };
}

/** Results from a thread have plain bytes. */
function inBuffers(outcome: BureauReport | BureauFailure) {
  if (isBureauFailure(outcome)) return outcome;
  return { ...outcome, pdf: Buffer.from(outcome.pdf), raw: Buffer.from(outcome.raw) };
}

/** Waits are recorded but skipped; `clock.ahead` advances its time. */
function adapter(settings: Partial<HttpBureauSettings> & { url: string }) {
  const waits: number[] = [];
  const clock = { ahead: 0 };
  const patient = { connectMs: 5_000, attemptMs: 10_000, totalMs: 60_000 };
  const bureau = openHttpBureau(
    { ...HTTP_BUREAU_DEFAULTS, ...patient, apiKey: KEY, ...settings },
    {
      monotonic: () => performance.now() + clock.ahead,
      sleep: async (ms) => {
        waits.push(ms);
      },
      random: () => 0.5,
      workers,
    },
  );
  opened.push(bureau);
  return { bureau, pull: () => bureau.pull(SUBJECT, PULL).then(inBuffers), waits, clock };
}

const answers: Behave = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(REPORT.raw);
const says =
  (status: number, headers: Record<string, string> = {}): Behave =>
  (response) => {
    // A careless gateway repeats the request in its answer.
    response.writeHead(status, `Nothing for ${SUBJECT.lastName}`, headers).end(JSON.stringify({ ...SUBJECT, KEY }));
  };
const sends =
  (body: string | Uint8Array, headers: Record<string, string> = {}): Behave =>
  (response) => {
    response.writeHead(200, headers).end(body);
  };
const neverAnswers: Behave = () => {};
const cutsMidBody: Behave = (response) => {
  response.writeHead(200, { 'content-length': String(REPORT.raw.length) });
  response.write(REPORT.raw.subarray(0, 2000), () => response.destroy());
};
/** A byte every 20 ms until the connection is closed. */
const trickles: Behave = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

/** Short limits where no answer will come. */
const timeFor = (misbehave: Behave) => (misbehave === neverAnswers || misbehave === trickles ? { attemptMs: 400 } : {});

test('a pull is one POST with the id as idempotency key, and its answer is the report', async () => {
  const { pull, seen, bureau } = await bureauThat([answers]);
  expect(bureau.name).toBe('http');
  expect(await pull()).toEqual(REPORT);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'idempotency-key': 'pull-1',
    'content-type': 'application/json',
    accept: 'application/json',
  });
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    pullId: 'pull-1',
    subject: { ...SUBJECT, ssn: '666000002' },
  });
});

test('flags are read; a flag that cannot be read is named, not quoted', async () => {
  const marked = simulate({ ...SUBJECT, ssn: '666-00-0017' }, PULL) as BureauReport;
  const text = Buffer.from(marked.raw).toString();
  const { pull } = await bureauThat([sends(text), sends(text.replace('202-555-0117', '202-555-0117 after six'))]);
  expect(await pull()).toMatchObject({ flags: { fraudAlert: 'extended', alertPhone: '202-555-0117' } });
  const failure = await pull();
  expect(failure).toMatchObject({ failed: 'malformed', detail: expect.stringContaining('flags.alertPhone') });
  expect(JSON.stringify(failure)).not.toMatch(/202-555|after six/);
});

test('the same pull has the same body on another day', async () => {
  const { bureau, seen } = await bureauThat([answers]);
  await bureau.pull(SUBJECT, PULL);
  await bureau.pull(SUBJECT, { ...PULL, today: date('2026-01-16'), at: '2026-01-16T00:00:01.000-06:00' });
  expect(seen[1]?.body).toBe(seen[0]?.body);
});

test('a connection is used again', async () => {
  const { pull, seen } = await bureauThat([answers]);
  for (let i = 0; i < 3; i++) await pull();
  expect(new Set(seen.map(({ port }) => port)).size).toBe(1);
});

describe('retried with the same key', () => {
  test.each([
    ['a head that does not arrive', neverAnswers],
    ['a body that does not end', trickles],
    ['status 500', says(500)],
    ['status 503', says(503)],
    ['status 429', says(429)],
    ['a connection that is cut in the middle of the body', cutsMidBody],
    ['a connection that is cut before any answer', (response: ServerResponse) => response.destroy()],
  ])('after %s', async (_, misbehave: Behave) => {
    const { pull, seen, waits } = await bureauThat([misbehave, misbehave, answers], timeFor(misbehave));
    expect(await pull()).toEqual(REPORT);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['pull-1', 'pull-1', 'pull-1']);
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    // Full jitter: the random half of 250 and of 500 milliseconds.
    expect(waits).toEqual([125, 250]);
  });
});

describe('fails after the last attempt', () => {
  test.each<[string, Behave, Partial<BureauFailure>]>([
    ['a head that does not arrive', neverAnswers, { failed: 'timeout' }],
    ['a body that does not end', trickles, { failed: 'timeout' }],
    ['status 502', says(502), { failed: 'unavailable', detail: expect.stringContaining('status 502') }],
    ['a cut body', cutsMidBody, { failed: 'unavailable', detail: expect.stringContaining('cut before') }],
  ])('%s', async (_, misbehave, failure) => {
    const { pull, seen } = await bureauThat([misbehave], { attempts: 2, ...timeFor(misbehave) });
    expect(await pull()).toMatchObject({ ...failure, retryable: true });
    expect(seen).toHaveLength(2);
  });
});

describe('not retried', () => {
  test.each<[string, Behave, Partial<BureauFailure>]>([
    ['status 400', says(400), { failed: 'refused' }],
    ['status 401', says(401), { failed: 'refused', detail: 'The bureau answered with status 401.' }],
    ['status 404', says(404), { failed: 'refused' }],
    ['status 422', says(422, { 'retry-after': '1' }), { failed: 'refused' }],
    ['status 202', says(202), { failed: 'malformed' }],
    ['status 204', (response) => response.writeHead(204).end(), { failed: 'malformed' }],
    ['a page from a proxy', sends('<html>Sign in</html>'), { failed: 'malformed' }],
    ['JSON that ends early', sends(REPORT.raw.subarray(0, 3000)), { failed: 'malformed' }],
    ['an empty body', sends(''), { failed: 'malformed' }],
    ['bytes that are not UTF-8', sends(Buffer.from([0xff, 0xfe, 0x00])), { failed: 'malformed' }],
    ['a score as text', sends('{"hit":true,"score":"712"}'), { detail: expect.stringContaining('score is neither') }],
    ['a compressed answer', sends(REPORT.raw, { 'content-encoding': 'gzip' }), { failed: 'malformed' }],
  ])('%s', async (_, misbehave, failure) => {
    const { pull, seen, waits } = await bureauThat([misbehave]);
    expect(await pull()).toMatchObject({ ...failure, retryable: false });
    expect(seen).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('a redirect: the request is not sent to another host', async () => {
    const elsewhere = await bureauThat([answers]);
    for (const status of [301, 302, 307, 308]) {
      const { pull } = await bureauThat([says(status, { location: `http://127.0.0.1:${elsewhere.port}/` })]);
      expect(await pull()).toEqual({
        failed: 'refused',
        detail: `The bureau answered with status ${status}. Redirects are not followed.`,
        retryable: false,
      });
    }
    expect(elsewhere.seen).toEqual([]);
  });
});

describe('an answer that is too large', () => {
  test('is cut off by its length before any of it is read', async () => {
    let isClosed: Promise<unknown> = Promise.resolve();
    const huge: Behave = (response) => {
      isClosed = new Promise((resolve) => response.on('close', resolve));
      response.writeHead(200, { 'content-length': '99999999999' });
      response.write('{');
    };
    const { pull } = await bureauThat([huge], { maxBytes: 100_000 });
    expect(await pull()).toEqual({
      failed: 'malformed',
      detail: 'The bureau’s answer cannot be used: it is larger than 100000 bytes.',
      retryable: false,
    });
    await isClosed;
  });

  test('is cut off while it is read when it does not state its length', async () => {
    let written = 0;
    const endless: Behave = (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(16_384, 0x20);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', more);
      more();
    };
    const { pull } = await bureauThat([endless], { maxBytes: 100_000, attemptMs: 5_000 });
    expect(await pull()).toMatchObject({ failed: 'malformed', detail: expect.stringContaining('larger than') });
    expect(written).toBeLessThan(50_000_000);
  });

  test('of exactly the limit is read', async () => {
    const { pull } = await bureauThat([answers], { maxBytes: REPORT.raw.length });
    expect(await pull()).toEqual(REPORT);
  });
});

describe('Retry-After', () => {
  test('is respected, plus a short random wait', async () => {
    const { pull, waits } = await bureauThat([
      says(429, { 'retry-after': '2' }),
      says(503, { 'retry-after': '3' }),
      answers,
    ]);
    expect(await pull()).toEqual(REPORT);
    expect(waits).toEqual([2_125, 3_250]);
  });

  test('as a date is compared with the bureau’s own clock', async () => {
    const dates = { date: 'Thu, 15 Jan 1998 16:00:00 GMT', 'retry-after': 'Thu, 15 Jan 1998 16:00:05 GMT' };
    const { pull, waits } = await bureauThat([says(503, dates), answers]);
    await pull();
    expect(waits).toEqual([5_125]);
  });

  test('beyond the time limit of the pull ends it at once', async () => {
    const { pull, seen, waits } = await bureauThat([says(429, { 'retry-after': '3600' })]);
    expect(await pull()).toMatchObject({ failed: 'unavailable', retryable: true });
    expect(seen).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test.each(['soon', '-5', '1e9', ''])('with the value “%s” is ignored', async (text) => {
    const { pull, waits } = await bureauThat([says(429, { 'retry-after': text }), answers]);
    await pull();
    expect(waits).toEqual([125]);
  });
});

describe('no connection', () => {
  test('where nothing listens', async () => {
    const server = createServer();
    const port = await atPort(server);
    await new Promise((resolve) => server.close(resolve));
    const { pull } = adapter({ url: `http://127.0.0.1:${port}/` });
    expect(await pull()).toEqual({
      failed: 'unavailable',
      detail: 'The connection to the bureau failed (ECONNREFUSED). This was attempt 3.',
      retryable: true,
    });
  });

  /** Accepts connections and never answers. */
  async function silent() {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => sockets.push(socket.on('error', () => {})));
    opened.push({
      close() {
        server.close();
        for (const socket of sockets) socket.destroy();
      },
    });
    return { port: await atPort(server), sockets };
  }

  test('where the TLS handshake gets no answer: the connect timeout ends the attempt', async () => {
    const { port } = await silent();
    const { pull } = adapter({ url: `https://127.0.0.1:${port}/`, connectMs: 100, attemptMs: 10_000, attempts: 1 });
    const before = performance.now();
    expect(await pull()).toEqual({
      failed: 'timeout',
      detail: 'No connection to the bureau within 0.1 s.',
      retryable: true,
    });
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test('where the server does not use TLS', async () => {
    const { port } = await bureauThat([answers]);
    const { pull } = adapter({ url: `https://127.0.0.1:${port}/`, attempts: 1 });
    expect(await pull()).toMatchObject({ failed: 'unavailable', retryable: true });
  });

  test('there is no further attempt after the time limit of the pull', async () => {
    const { pull, seen } = await bureauThat([neverAnswers], { attempts: 50, attemptMs: 500, totalMs: 1_000 });
    expect(await pull()).toMatchObject({ failed: 'timeout' });
    expect(seen.length).toBeGreaterThanOrEqual(1);
    expect(seen.length).toBeLessThanOrEqual(5);
  });
});

describe('a bureau that fails repeatedly', () => {
  const settings = { attempts: 1, breaker: { failures: 3, coolingMs: 60_000 } };

  test('is not called for a while, then probed once, and used again when that succeeds', async () => {
    const { pull, seen, clock } = await bureauThat([says(500), says(500), says(500), says(500), answers], settings);
    for (let i = 0; i < 3; i++) await pull();
    expect(await pull()).toEqual({
      failed: 'unavailable',
      detail: 'The bureau has failed several times in a row and is not called for a while.',
      retryable: true,
    });
    expect(seen).toHaveLength(3);
    clock.ahead += 60_000;
    const together = await Promise.all([pull(), pull(), pull()]);
    expect(together.filter(isBureauFailure)).toHaveLength(3);
    expect(seen).toHaveLength(4);
    clock.ahead += 60_000;
    expect(await pull()).toEqual(REPORT);
    expect(await pull()).toEqual(REPORT);
    expect(seen).toHaveLength(6);
  });

  test('is no longer called in the middle of a pull either, and the pull says why', async () => {
    const { pull, seen } = await bureauThat([says(500)], { ...settings, attempts: 10 });
    expect(await pull()).toMatchObject({ detail: 'The bureau answered with status 500. This was attempt 3.' });
    expect(seen).toHaveLength(3);
  });

  test('is not one that refuses requests or asks to wait', async () => {
    const { pull, seen } = await bureauThat([says(401), says(422), says(429), says(404)], settings);
    for (let i = 0; i < 8; i++) await pull();
    expect(seen).toHaveLength(8);
  });
});

test('the number of concurrent pulls is limited, and the others wait', async () => {
  let now = 0;
  let most = 0;
  const slowly: Behave = (response, request) => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => {
      now -= 1;
      answers(response, request);
    }, 20);
  };
  const { pull } = await bureauThat([slowly], { connections: 2, attemptMs: 10_000 });
  const reports = await Promise.all(Array.from({ length: 8 }, pull));
  expect(reports.every((report) => !isBureauFailure(report))).toBe(true);
  expect(most).toBe(2);
});

test('no failure reveals anything about the person or the key', async () => {
  const misbehaviours = [
    says(400),
    says(401),
    says(500),
    says(302, { location: `/${SUBJECT.ssn}` }),
    cutsMidBody,
    neverAnswers,
  ];
  const telling = { ...JSON.parse(Buffer.from(REPORT.raw).toString()), hit: SUBJECT.ssn, pdf: KEY };
  misbehaviours.push(sends(JSON.stringify(telling)), sends(JSON.stringify({ ...telling, hit: true })));
  const personal = [
    ...Object.values(SUBJECT).filter((value) => value.length > 2 && value !== 'primary'),
    '666000002',
    KEY,
  ];
  for (const misbehave of misbehaviours) {
    const { pull } = await bureauThat([misbehave], { attempts: 1, ...timeFor(misbehave) });
    const failure = await pull();
    expect(isBureauFailure(failure)).toBe(true);
    const told = JSON.stringify(failure).toLowerCase();
    expect(personal.filter((value) => told.includes(value.toLowerCase()))).toEqual([]);
  }
});

test('an id that cannot be sent in a header is refused, and nothing is sent', async () => {
  const { bureau, seen } = await bureauThat([answers]);
  expect(await bureau.pull(SUBJECT, { ...PULL, pullId: 'a\r\nb: c' })).toMatchObject({ failed: 'refused' });
  expect(seen).toEqual([]);
});

test.each([
  'http://bureau.example/reports',
  'http://10.0.0.7/',
  'http://127.0.0.1.example/',
  'ftp://127.0.0.1/',
  'https://user:secret@bureau.example/',
  'bureau.example',
  '',
])('personal data is never sent to a URL like “%s”', (url) => {
  expect(() => adapter({ url })).toThrow(
    'The bureau URL must use https, or http for this machine, and must not contain a user name.',
  );
});
