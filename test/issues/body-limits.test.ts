/** Large bodies cost nothing before the caller is authenticated, and no operation reads more than it needs. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { operations } from '../../src/http/routes.ts';
import { SMALL_BODY } from '../../src/http/shared/body-limits.ts';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const KIB = 1024;
const at = (path: string) => `/v2/chain${path}`;
/** A JSON object of so many bytes. */
const sized = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;
const members = (count: number) => `{${Array.from({ length: count }, () => '"m":1').join(',')}}`;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** The head of a request without its body, and the status of the answer. */
function statusOfHead(path: string, headers: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', reject);
    socket.on('data', (data) => {
      resolve(Number(data.toString().split(' ')[1]));
      socket.destroy();
    });
    socket.write(`POST ${at(path)} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n`);
  });
}

describe('before authentication', () => {
  it('850,000 members are refused without being parsed', async () => {
    const body = members(850_000);
    for (const [path, type] of [
      ['/auth-token', 'application/json'],
      ['/oauth/token', 'application/x-www-form-urlencoded'],
    ] as const) {
      const answer = await service.call('POST', at(path), { body, headers: { 'content-type': type } });
      expect(answer.status).toBe(413);
      expect(answer.body.detail).toBe('The body is too large; this operation accepts at most 8 KiB.');
    }
  });

  it('a Content-Length above the limit is refused before a byte of the body has come', async () => {
    expect(await statusOfHead('/auth-token', `Content-Length: ${8 * KIB + 1}\r\n`)).toBe(413);
  });

  it('a chunked body is cut at the limit', async () => {
    const head = 'Transfer-Encoding: chunked\r\n';
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    expect(await statusOfHead('/auth-token', `${head}\r\n${chunk.repeat(3)}`)).toBe(413);
  });

  it('100 members and 8 levels are read, more are not', async () => {
    const post = (body: string) => service.call('POST', at('/auth-token'), { body });
    expect((await post(members(100))).status).toBe(422);
    expect((await post(nested(8))).status).toBe(422);
    const wide = await post(members(101));
    expect([wide.status, wide.body.code]).toEqual([400, 'invalid_body']);
    expect(wide.body.detail).toContain('at most 100.');
    const deep = await post(nested(9));
    expect([deep.status, deep.body.code]).toEqual([400, 'invalid_body']);
    expect(deep.body.detail).toContain('at most 8 levels');
  });

  it('the body of a caller without a token is not read', async () => {
    expect(await statusOfHead('/loans', `Content-Length: ${10 * KIB * KIB}\r\n`)).toBe(401);
    expect(await statusOfHead('/simulate-loan', 'Content-Length: 500000\r\n')).toBe(401);
  });
});

describe('every operation', () => {
  // Those of a session alone are refused to a token before their body is read.
  const bodied = operations.filter(
    ({ method, form, outside, access }) =>
      method === 'POST' && !form && !outside && (access === 'anonymous' || access.session === undefined),
  );

  test.each(bodied.map((operation) => [operation.path, operation] as const))(
    '%s keeps to its limits',
    async (path, { limits = SMALL_BODY }) => {
      const { apiKey } = service.credentials;
      const bytes = limits.bytes ?? 10 * KIB * KIB;
      const post = (body: string) =>
        service.call('POST', at(path.replaceAll(/\{\w+\}/g, 'x')), { token, key: apiKey, body });
      const large = `Authorization: Bearer ${token}\r\nkey: ${apiKey}\r\nContent-Length: ${bytes + 1}\r\n`;
      expect(await statusOfHead(path.replaceAll(/\{\w+\}/g, 'x'), large)).toBe(413);
      const wide = await post(members(limits.members + 1));
      expect([wide.status, wide.body.code]).toEqual([400, 'invalid_body']);
      expect(wide.body.detail).toContain(limits.members.toLocaleString('en-US'));
      const deep = await post(nested(limits.levels + 1));
      expect([deep.status, deep.body.code]).toEqual([400, 'invalid_body']);
      expect(deep.body.detail).toContain(`at most ${limits.levels} levels`);
      if (bytes <= 64 * KIB) expect([404, 422, 200]).toContain((await post(sized(bytes))).status);
    },
  );
});
