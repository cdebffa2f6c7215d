/** Compressed answers: which ones, for whom, and what their headers say. */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations, pageRequests } from '../../src/http/routes.ts';
import type { Operation } from '../../src/http/shared/operation.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { fullBody } from '../support/full-body.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { decodedBody, rawAnswer } from '../support/raw-answer.ts';

let service: TestApp;
let token: string;
let loanId: string;
let auditor: SignedIn;
beforeAll(async () => {
  service = await testApp({ REQUEST_TIMEOUT: '120' });
  token = await service.token();
  const key = service.credentials.apiKey;
  const created = await service.call('POST', '/v2/chain/loans', { token, key, body: fullBody(1) });
  expect(created.status, created.text).toBe(200);
  loanId = created.body.loanId;
  await service.call('POST', '/v2/chain/start-underwriting', { token, key, body: { loanId } });
  auditor = await signedIn(service, ['auditor']);
}, 120_000);
afterAll(() => service.close());

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawAnswer(service.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, key: service.credentials.apiKey, purpose: 'test', ...headers },
  });
const api = (path: string) => `/v2/chain/${path}`;
const record = () => api(`loans/${loanId}`);
const ALL = 'gzip, deflate, br, zstd';

describe('an answer', () => {
  test.each(['zstd', 'br', 'gzip'])('is the same in %s, whether it is large, small or streamed', async (coding) => {
    for (const path of [record(), api(`loan-data/${loanId}`), api('transitions'), api('exports/loans')]) {
      const plain = await ask(path);
      const coded = await ask(path, { 'accept-encoding': coding });
      expect([plain.status, coded.status], path).toEqual([200, 200]);
      expect(plain.headers['content-encoding'], path).toBeUndefined();
      expect(coded.headers['content-encoding'], path).toBe(coding);
      expect(coded.headers['content-type']).toBe(plain.headers['content-type']);
      for (const { headers } of [plain, coded]) expect(headers.vary?.split(', ')).toContain('Accept-Encoding');
      // The cursor of an export is new each time.
      if (!path.includes('exports')) expect(decodedBody(coded).equals(plain.bytes), path).toBe(true);
      else expect(decodedBody(coded).length).toBe(plain.bytes.length);
      expect(coded.bytes.length, path).toBeLessThan(plain.bytes.length * 0.6);
    }
  });

  test('goes by the caller’s weights, and is plain where it says nothing', async () => {
    const codingFor = async (accepted: string) =>
      (await ask(api('transitions'), { 'accept-encoding': accepted })).headers['content-encoding'];
    expect(await codingFor(ALL)).toBe('zstd');
    expect(await codingFor('br;q=0.2, gzip;q=0.9')).toBe('gzip');
    expect(await codingFor('identity, gzip;q=0.5')).toBeUndefined();
    expect(await codingFor('deflate')).toBeUndefined();
    expect(await codingFor('')).toBeUndefined();
  });

  test('of a few hundred bytes is sent as it is, unless that is refused', async () => {
    const small = await ask(api('me'), { 'accept-encoding': ALL });
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual([undefined, undefined]);
    const coded = await ask(api('me'), { 'accept-encoding': 'gzip, identity;q=0' });
    expect(coded.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(decodedBody(coded).toString()).message).toBe('ok');
  });

  test('that no coding fits is refused before anything is done', async () => {
    for (const accepted of ['identity;q=0', '*;q=0', 'deflate, *;q=0']) {
      const refused = await ask(api('me'), { 'accept-encoding': accepted });
      expect([refused.status, JSON.parse(refused.bytes.toString()).code], accepted).toEqual([406, 'not_acceptable']);
    }
    expect((await ask('/healthz', { 'accept-encoding': '*;q=0' })).status).toBe(200);
  });

  test('to HEAD has the headers of GET and no body', async () => {
    const headers = { 'accept-encoding': 'zstd' };
    for (const path of [record(), api('transitions')]) {
      const [get, head] = [await ask(path, headers), await ask(path, headers, 'HEAD')];
      expect([head.bytes.length, head.headers['content-encoding']]).toEqual([0, 'zstd']);
      for (const name of ['content-encoding', 'vary', 'etag', 'content-type', 'content-length'] as const)
        expect(head.headers[name], name).toBe(get.headers[name]);
    }
  });

  test('of HTTP/1.0 ends with the connection', async () => {
    const asked = `authorization: Bearer ${token}\r\nkey: ${service.credentials.apiKey}\r\naccept-encoding: gzip`;
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`GET ${record()} HTTP/1.0\r\n${asked}\r\n\r\n`);
    const all = Buffer.concat(await socket.toArray());
    const body = all.indexOf('\r\n\r\n') + 4;
    expect(all.toString('latin1', 0, body).toLowerCase()).not.toContain('transfer-encoding');
    expect(gunzipSync(all.subarray(body)).equals((await ask(record())).bytes)).toBe(true);
  });
});

describe('the tag of an answer', () => {
  test('is weak where it is compressed, and any form of it is answered with 304', async () => {
    const path = api(`loan-data/${loanId}`);
    const plain = (await ask(path)).headers.etag ?? '';
    const coded = (await ask(path, { 'accept-encoding': 'br' })).headers.etag ?? '';
    expect(plain).toMatch(/^"\d+-/);
    expect(coded).toBe(`W/${plain}`);
    for (const [held, accepted] of [
      [plain, ''],
      [plain, ALL],
      [coded, ''],
      [coded, ALL],
      [`"other", ${coded}`, 'gzip'],
    ] as const) {
      const answer = await ask(path, { 'if-none-match': held, 'accept-encoding': accepted });
      expect([answer.status, answer.bytes.length, answer.headers['content-encoding']]).toEqual([304, 0, undefined]);
      expect(answer.headers.etag).toBe(held.includes(coded) ? coded : plain);
      expect(answer.headers.vary).toBe('Authorization, Prefer, Accept-Encoding');
    }
  });

  test('of a compressed read is good for If-Match', async () => {
    const { etag = '' } = (await ask(api(`loan-data/${loanId}`), { 'accept-encoding': 'gzip' })).headers;
    const write = (ifMatch: string) =>
      service.call('POST', '/v2/chain/publish?dryRun=true', {
        token,
        key: service.credentials.apiKey,
        body: { loanId, published: true },
        headers: { 'if-match': ifMatch },
      });
    expect(etag).toMatch(/^W\//);
    expect((await write(etag)).status).toBe(200);
    expect((await write('W/"99-a"')).status).toBe(412);
  });
});

describe('never compressed', () => {
  test('a stream of events: the first bytes are there before anything happens', async () => {
    const answer = await fetch(service.url + api('events'), {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'accept-encoding': ALL },
    });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value ?? []).toString()).toContain('retry: 2000');
    await reader.cancel();
  });

  test('a PDF, and a problem of any length', async () => {
    const pdf = await ask(api(`loans/${loanId}/reports/1`), { 'accept-encoding': ALL, accept: '*/*' });
    expect([pdf.status, pdf.headers['content-type'], pdf.headers['content-encoding']]).toEqual([
      200,
      'application/pdf',
      undefined,
    ]);
    const problem = await rawAnswer(service.url + api('auth-token'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': ALL },
      body: JSON.stringify(Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`m${i}`, 1]))),
    });
    expect(problem.status).toBe(422);
    expect(problem.bytes.length).toBeGreaterThan(1_500);
    expect(problem.headers['content-encoding']).toBeUndefined();
  });

  test('a token, though nothing else is accepted', async () => {
    const { clientId, clientSecret } = service.credentials;
    const answer = await rawAnswer(service.url + api('auth-token'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip, identity;q=0' },
      body: JSON.stringify({ clientId, clientSecret }),
    });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
    expect(JSON.parse(answer.bytes.toString()).data.token).toBeTruthy();
  });

  test('what a session reads, unless the browser says that a page of the service reads it', async () => {
    const read = (site?: string) =>
      rawAnswer(service.url + record(), {
        headers: {
          ...auditor.cookie,
          purpose: 'test',
          'accept-encoding': ALL,
          ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        },
      });
    expect((await read('same-site')).status).toBe(403);
    const codings = [];
    for (const site of ['same-origin', 'none', undefined]) {
      const answer = await read(site);
      expect(answer.status, answer.bytes.toString().slice(0, 300)).toBe(200);
      codings.push(answer.headers['content-encoding']);
    }
    expect(codings).toEqual(['zstd', undefined, undefined]);
  });
});

describe('every operation whose answer has a secret says so', () => {
  const SECRET = /^(token|access_token|apiKey|clientSecret|secret|csrfToken|link|recoveryCodes)$/;
  const names = (schema: unknown, found = new Set<string>()): Set<string> => {
    if (typeof schema !== 'object' || schema === null) return found;
    for (const [name, inner] of Object.entries(schema)) {
      if (name === 'properties') for (const own of Object.keys(inner as object)) found.add(own);
      names(inner, found);
    }
    return found;
  };
  const withSecret = ({ answer }: Operation) => [...names(answer)].some((name) => SECRET.test(name));

  test('by its schema', () => {
    const found = operations.filter((operation) => withSecret(operation));
    expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(['createToken', 'createClient', 'readSession']));
    // The link of an entry is the hash that chains it.
    expect(found.filter(({ isSecret }) => !isSecret).map(({ id }) => id)).toEqual(['listAudit']);
  });

  test('or by being a request of the pages; the market has none', () => {
    const open = pageRequests.filter(({ isSecret }) => !isSecret).map(({ path }) => path);
    expect(open.length).toBeGreaterThan(3);
    expect(open.filter((path) => !path.startsWith('/market/data/'))).toEqual([]);
  });
});

describe('pages and documents', () => {
  test('files of the build are sent as they were compressed then, under their name alone', async () => {
    const dist = join(import.meta.dirname, '..', '..', 'web', 'dist', 'web');
    const name = readdirSync(dist).find((file) => file.endsWith('.js')) ?? '';
    const path = `/pages/web/${name}`;
    for (const [coding, ending] of [
      ['br', '.br'],
      ['gzip', '.gz'],
    ] as const) {
      const coded = await ask(path, { 'accept-encoding': coding });
      expect(coded.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(coded.bytes.equals(readFileSync(join(dist, name + ending)))).toBe(true);
      expect(decodedBody(coded).equals(readFileSync(join(dist, name)))).toBe(true);
      expect((await ask(path + ending)).status).toBe(404);
    }
    expect((await ask(path)).bytes.equals(readFileSync(join(dist, name)))).toBe(true);
  });

  test.each(['/openapi.json', '/pages/page.css'])('%s', async (path) => {
    const plain = await ask(path);
    for (const coding of ['br', 'gzip']) {
      const coded = await ask(path, { 'accept-encoding': coding });
      expect(coded.headers).toMatchObject({
        'content-encoding': coding,
        vary: 'Accept-Encoding',
        etag: `W/${plain.headers.etag}`,
        'content-length': String(coded.bytes.length),
      });
      expect(decodedBody(coded).equals(plain.bytes)).toBe(true);
      const again = await ask(path, { 'accept-encoding': coding, 'if-none-match': coded.headers.etag ?? '' });
      expect([again.status, again.headers.etag, again.headers.vary]).toEqual([
        304,
        coded.headers.etag,
        'Accept-Encoding',
      ]);
    }
  });

  test('metrics', async () => {
    const coded = await ask('/metrics', { 'accept-encoding': 'gzip' });
    expect(coded.headers['content-encoding']).toBe('gzip');
    expect(decodedBody(coded).toString()).toContain('# HELP');
  });
});

test('COMPRESSION=off: no answer is compressed, and none says that it might be', async () => {
  const off = await testApp({ COMPRESSION: 'off' });
  const headers = { authorization: `Bearer ${await off.token()}`, 'accept-encoding': 'gzip, identity;q=0' };
  for (const path of [api('transitions'), '/openapi.json', '/metrics', api('exports/loans')]) {
    const answer = await rawAnswer(off.url + path, { headers });
    expect([answer.status, answer.headers['content-encoding']], path).toEqual([200, undefined]);
    expect(answer.headers.vary ?? '', path).not.toContain('Accept-Encoding');
  }
  await off.close();
});
