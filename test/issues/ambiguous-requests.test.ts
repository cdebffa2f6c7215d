/** A request that a proxy and we could read differently is refused, and nothing behind it on the connection is served. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { openWire } from '../support/fuzz/wire.ts';

let service: TestApp;
beforeAll(async () => {
  service = await testApp();
});
afterAll(() => service.close());

const BODY = '{"clientId":"nobody","clientSecret":"x"}';
const CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const get = (headers: string, version = '1.1') => `GET /healthz HTTP/${version}\r\n${headers}\r\n\r\n`;
const post = (headers: string, body: string, version = '1.1') =>
  `POST /v2/chain/auth-token HTTP/${version}\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

test.each([
  ['two hosts', get('Host: a\r\nHost: b')],
  ['the same host twice', get('Host: a\r\nhost: a')],
  ['two tokens', get('Host: a\r\nAuthorization: Bearer x\r\nAuthorization: Bearer y')],
  ['two API keys', get('Host: a\r\nkey: x\r\nKey: y')],
  ['two idempotency keys', get('Host: a\r\nIdempotency-Key: x\r\nIdempotency-Key: y')],
  ['two media types', post(`Content-Type: text/plain\r\nContent-Length: ${BODY.length}`, BODY)],
  ['chunks in HTTP/1.0', post('Transfer-Encoding: chunked', CHUNKS, '1.0')],
  ['chunks in HTTP/1.0 that stays open', post('Connection: keep-alive\r\nTransfer-Encoding: chunked', CHUNKS, '1.0')],
  ['a coding before the chunks', post('Transfer-Encoding: gzip, chunked', CHUNKS)],
  ['chunks twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', CHUNKS)],
  ['another coding', post('Transfer-Encoding: identity', '')],
  ['a length beside chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked', CHUNKS)],
  ['chunks beside a length', post('Transfer-Encoding: chunked\r\nContent-Length: 5', CHUNKS)],
  ['two lengths', post(`Content-Length: ${BODY.length}\r\nContent-Length: 0`, BODY)],
  ['the same length twice', post(`Content-Length: ${BODY.length}\r\nContent-Length: ${BODY.length}`, BODY)],
  ['a list of lengths', post(`Content-Length: ${BODY.length}, ${BODY.length}`, BODY)],
  ['a folded header', post('Transfer-Encoding:\r\n chunked', CHUNKS)],
  ['lines that end with LF alone', 'GET /healthz HTTP/1.1\nHost: a\n\n'],
  ['a chunk that ends with LF alone', post('Transfer-Encoding: chunked', CHUNKS.replace('\r\n', '\n'))],
  ['a space before the colon', get('Host : a')],
])('%s', async (_, bytes) => {
  const wire = await openWire(service.port);
  const behind = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';
  const { answers } = await wire.sendRaw(Buffer.from(bytes + behind), ['GET'], { halfCloseAtOnce: true });
  wire.destroy();
  expect(answers.map(({ status }) => status)).toEqual([400]);
  expect(JSON.parse(answers[0]?.body.toString() ?? '').code).toBe('malformed_request');
  expect(answers[0]?.headers.get('connection')).toEqual(['close']);
});

test('chunks in HTTP/1.1 are served, whatever the case of the word', async () => {
  const wire = await openWire(service.port);
  const { answers } = await wire.exchange(Buffer.from(post('Transfer-Encoding: Chunked', CHUNKS)), ['POST']);
  wire.destroy();
  expect(answers.map(({ status }) => status)).toEqual([401]);
});
