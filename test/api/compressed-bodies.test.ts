/** Compressed bodies have the limits, the budgets, the quotas and the meaning of the bodies that they become. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { rawAnswer } from '../support/raw-answer.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const MIB = 1024 * 1024;
const ENCODE = {
  gzip: (bytes: Buffer | string) => gzipSync(bytes),
  br: (bytes: Buffer | string) => brotliCompressSync(bytes),
  zstd: (bytes: Buffer | string) => zstdCompressSync(bytes),
  deflate: (bytes: Buffer | string) => deflateSync(bytes),
};
type Coding = keyof typeof ENCODE;
const CODINGS = Object.keys(ENCODE) as Coding[];

type Problem = { code?: string; detail?: string };
// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
type Answered = { status: number; headers: Record<string, any>; body: any & Problem };
async function send(path: string, coding: string, bytes: Buffer, more: Record<string, string> = {}): Promise<Answered> {
  const {
    status,
    headers,
    bytes: text,
  } = await rawAnswer(`${service.url}/v2/chain/${path}`, {
    method: 'POST',
    body: bytes,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      key: service.credentials.apiKey,
      'content-encoding': coding,
      ...more,
    },
  });
  return { status, headers, body: JSON.parse(text.toString()) };
}
const refused = ({ status, body }: Answered) => [status, body.code];
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const SCHEDULE = {
  disbursements: [{ date: '2026-01-15', amount: '1200' }],
  annualRatePercent: '12',
  firstPaymentDate: '2026-02-15',
  count: 4,
  paymentFrequency: 'Monthly',
};

describe.each(CODINGS)('%s', (coding) => {
  const encode = ENCODE[coding];

  test('is read by every kind of operation: a write, a new loan, a calculator, a form', async () => {
    const created = await send(
      'loans',
      coding,
      encode(json({ ...(creation() as object), applicationId: `CODED-${coding}` })),
    );
    expect([created.status, created.body.message]).toEqual([200, 'ok']);
    const { loanId } = created.body;
    expect((await send('publish', coding, encode(json({ loanId, published: true })))).status).toBe(200);
    const schedule = await send('calculate-schedule', coding, encode(json(SCHEDULE)));
    expect([schedule.status, schedule.body.data.rows.length]).toEqual([200, 4]);
    const { clientId, clientSecret } = service.credentials;
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const made = await send('oauth/token', coding, encode('grant_type=client_credentials'), {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic,
    });
    expect([made.status, typeof made.body.access_token]).toEqual([200, 'string']);
  });

  test('a name in other letters is the same coding', async () => {
    const { status } = await send('calculate-schedule', ` ${coding.toUpperCase()} `, encode(json(SCHEDULE)));
    expect(status).toBe(200);
  });

  test('that is cut off, damaged, empty, not compressed or followed by other bytes is a 400', async () => {
    const good = encode(json({ ...SCHEDULE, ignored: 'x'.repeat(300) }));
    const damaged = Buffer.from(good);
    for (let at = 4; at < 12; at += 1) damaged[at] = (damaged[at] as number) ^ 0xff;
    const wrong = {
      cut: good.subarray(0, good.length - 3),
      begun: good.subarray(0, 5),
      damaged,
      empty: Buffer.alloc(0),
      plain: json(SCHEDULE),
      garbage: Buffer.concat([good, Buffer.from('GET / HTTP/1.1\r\n\r\n')]),
      zeros: Buffer.concat([good, Buffer.alloc(8)]),
      followed: Buffer.concat([good, json({})]),
    };
    for (const [how, bytes] of Object.entries(wrong)) {
      const answer = await send('calculate-schedule', coding, bytes);
      expect(refused(answer), how).toEqual([400, 'invalid_body']);
      expect(answer.body.detail, how).toContain(`not valid ${coding}`);
    }
    // The connection and the operation work on.
    expect((await send('calculate-schedule', coding, encode(json(SCHEDULE)))).status).toBe(200);
  });

  test('is refused at the first byte past the limit of its operation', async () => {
    const sized = (bytes: number) => encode(`{"x":"${'x'.repeat(bytes - 8)}"}`);
    expect(refused(await send('auth-token', coding, sized(8 * 1024)))).toEqual([422, 'invalid_request']);
    const over = await send('auth-token', coding, sized(8 * 1024 + 1));
    expect(refused(over)).toEqual([413, 'payload_too_large']);
    expect(over.body.detail).toBe('The body is too large; this operation accepts at most 8 KiB.');
    expect(refused(await send('close', coding, sized(64 * 1024 + 1)))).toEqual([413, 'payload_too_large']);
    expect(refused(await send('loans', coding, sized(10 * MIB + 1)))).toEqual([413, 'payload_too_large']);
  });

  test('members and levels are counted in what it becomes', async () => {
    const members = encode(`{${Array.from({ length: 101 }, () => '"m":1').join(',')}}`);
    expect((await send('auth-token', coding, members)).body.detail).toContain('at most 100.');
    const nested = encode(`${'['.repeat(9)}${']'.repeat(9)}`);
    expect((await send('auth-token', coding, nested)).body.detail).toContain('at most 8 levels');
    expect(refused(await send('auth-token', coding, encode(Buffer.from([0x22, 0xff, 0x22]))))).toEqual([
      400,
      'invalid_body',
    ]);
  });
});

describe('a bomb', () => {
  const repeated = (one: Buffer, times: number) => Buffer.concat(Array.from({ length: times }, () => one));
  /** The first two become two gigabytes, in frames and members one after the other. */
  const bombs: [Coding, () => Buffer][] = [
    ['zstd', () => repeated(zstdCompressSync(Buffer.alloc(4 * MIB)), 500)],
    ['gzip', () => repeated(gzipSync(Buffer.alloc(4 * MIB)), 500)],
    ['br', () => brotliCompressSync(Buffer.alloc(64 * MIB), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['deflate', () => deflateSync(Buffer.alloc(64 * MIB), { level: 1 })],
  ];

  test.each(bombs)('of %s is refused at the limit, not when memory is full', async (coding, make) => {
    const bomb = make();
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 1);
    const answers = await Promise.all(Array.from({ length: 3 }, () => send('loans', coding, bomb)));
    clearInterval(watch);
    for (const answer of answers) expect([413, 503]).toContain(answer.status);
    expect(answers.map(({ status }) => status)).toContain(413);
    // The bytes that were sent, received and decoded, of three at a time: bytes of tens of megabytes, not gigabytes.
    expect(most).toBeLessThan(3 * (2 * bomb.length + 12 * MIB) + 16 * MIB);
  });

  test('a window of zstd beyond 8 MiB is not given memory', async () => {
    const usual = zstdCompressSync(json(SCHEDULE), {
      params: { [constants.ZSTD_c_windowLog]: 23, [constants.ZSTD_c_contentSizeFlag]: 0 },
    });
    expect((await send('calculate-schedule', 'zstd', usual)).status).toBe(200);
    // By hand: the magic number, no single segment, a window of 2^27, one empty last block.
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x01, 0x00, 0x00]);
    expect(refused(await send('calculate-schedule', 'zstd', frame))).toEqual([400, 'invalid_body']);
    const allowed = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (23 - 10) << 3, 0x01, 0x00, 0x00]);
    expect(refused(await send('calculate-schedule', 'zstd', allowed))).toEqual([400, 'invalid_json']);
  });
});

describe('Content-Encoding', () => {
  test('that is unknown, or several of them, is a 415 that names what is accepted', async () => {
    for (const coding of ['compress', 'gzip, gzip', 'gzip, br', 'identity, gzip', 'chunked', 'gzip;q=1', '*', 'dcb']) {
      const answer = await send('calculate-schedule', coding, gzipSync(gzipSync(json(SCHEDULE))));
      expect(refused(answer), coding).toEqual([415, 'unsupported_media_type']);
      expect(answer.headers['accept-encoding'], coding).toBe('gzip, br, zstd, deflate');
    }
  });

  test('identity is none, x-gzip is gzip', async () => {
    expect((await send('calculate-schedule', 'identity', json(SCHEDULE))).status).toBe(200);
    expect((await send('calculate-schedule', 'Identity', json(SCHEDULE))).status).toBe(200);
    expect((await send('calculate-schedule', 'x-gzip', gzipSync(json(SCHEDULE)))).status).toBe(200);
  });

  test('deflate is the zlib format, as RFC 9110 says', async () => {
    expect(refused(await send('calculate-schedule', 'deflate', deflateRawSync(json(SCHEDULE))))).toEqual([
      400,
      'invalid_body',
    ]);
  });

  test('gzip in several members is one body', async () => {
    const text = json(SCHEDULE);
    const members = Buffer.concat([gzipSync(text.subarray(0, 50)), gzipSync(''), gzipSync(text.subarray(50))]);
    expect((await send('calculate-schedule', 'gzip', members)).status).toBe(200);
  });

  test('on a read changes nothing', async () => {
    const answer = await service.call('GET', '/v2/chain/me', { token, headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).toBe(200);
  });

  test('is refused before the body is read, and the size that is declared is that of the compressed body', async () => {
    const oversized = Buffer.alloc(64 * 1024 + 1);
    expect(refused(await send('close', 'gzip', oversized))).toEqual([413, 'payload_too_large']);
  });
});

describe('an idempotency key', () => {
  test('is of the decoded body: the same call in any coding is the same call', async () => {
    for (const [path, body] of [
      ['loans', { ...(creation() as object), applicationId: 'SAME-BYTES' }],
      ['ledger/account-codes', { codes: { cash: '1010' } }],
    ] as const) {
      const key = { 'idempotency-key': `same-${path}` };
      const first = await send(path, 'gzip', gzipSync(json(body)), key);
      expect([path, first.status]).toEqual([path, 200]);
      for (const [coding, bytes] of [
        ['identity', json(body)],
        ['gzip', gzipSync(json(body), { level: 1 })],
        ['br', brotliCompressSync(json(body))],
      ] as const) {
        const again = await send(path, coding, bytes, key);
        expect([again.status, again.headers['idempotent-replayed']], `${path} ${coding}`).toEqual([200, 'true']);
        expect(again.body).toEqual(first.body);
      }
      const other = await send(path, 'br', brotliCompressSync(json({ ...body, applicationId: 'ANOTHER' })), key);
      expect(other.status, path).toBe(422);
    }
  });
});

describe('budgets', () => {
  test('what a body becomes counts beside the bodies that are held', async () => {
    const held: Socket[] = [];
    const { server } = service.app;
    for (let i = 0; i < 3; i += 1) {
      const socket = connect(service.port, '127.0.0.1');
      held.push(socket);
      const waits = new Promise<void>((resolve) => {
        server.prependOnceListener('request', (request) => {
          request.on('newListener', (name: string) => name === 'data' && resolve());
        });
      });
      socket.write(
        `POST /v2/chain/loans HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nkey: first-key\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${10 * MIB}\r\n\r\n`,
      );
      await waits;
    }
    // A few kilobytes that become three megabytes: there is room for two.
    const large = gzipSync(`{}${' '.repeat(3 * MIB)}`);
    const answer = await send('loans', 'gzip', large);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect((await send('loans', 'gzip', gzipSync('{}'))).status).toBe(422);
    for (const socket of held) {
      socket.destroy();
      await once(socket, 'close');
    }
    let status = 503;
    for (let i = 0; i < 50 && status === 503; i += 1) status = (await send('loans', 'gzip', large)).status;
    expect(status).toBe(422);
  });

  test('many at once are all answered, whatever each is', async () => {
    const good = gzipSync(json(SCHEDULE));
    const sent = Array.from({ length: 60 }, (_, i) =>
      send(
        'calculate-schedule',
        'gzip',
        i % 3 === 0 ? good : i % 3 === 1 ? good.subarray(1) : gzipSync(Buffer.alloc(MIB)),
      ),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, i) => [200, 400, 413][i % 3]));
  });

  test('a quota pays for the largest body first, and in the end for what it became', async () => {
    const { organizationId } = await service.access.createOrganization('paying');
    const client = await service.access.createClient(organizationId, {
      name: 'paying',
      scopes: ['loans:read'],
      rateLimitPerMinute: 100,
    });
    const { clientId, clientSecret } = client;
    const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const asked = { authorization: `Bearer ${signedIn.body.data.token}`, key: client.apiKey };
    const left = ({ headers }: Answered) => /"default";r=(\d+)/.exec(headers.ratelimit)?.[1];
    // 5 units, and 5 more for every full 64 KiB.
    expect(left(await send('calculate-schedule', 'gzip', gzipSync(json(SCHEDULE)), asked))).toBe('95');
    const padded = gzipSync(Buffer.concat([json(SCHEDULE), Buffer.alloc(130 * 1024, ' ')]));
    expect(left(await send('calculate-schedule', 'gzip', padded, asked))).toBe('80');
    // One that is refused pays for what was made of it: up to 512 KiB.
    expect(left(await send('calculate-schedule', 'gzip', gzipSync(Buffer.alloc(MIB)), asked))).toBe('35');
    const poor = await send('calculate-schedule', 'gzip', gzipSync(json(SCHEDULE)), asked);
    expect(refused(poor)).toEqual([429, 'rate_limited']);
    expect(poor.body.detail).toContain('Send the body uncompressed');
  });
});
