/** Requests that are not quite HTTP: malformed request lines, headers, lengths, chunks and upgrades. */
import { MARKER } from './bodies.ts';
import type { Random } from './random.ts';

const post = (headers: string, body = '') =>
  `POST /v2/chain/auth-token HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`;
const chunked = (body: string) => post('Content-Type: application/json\r\nTransfer-Encoding: chunked', body);

/** Requests as a scanner, a broken proxy or an attacker sends them. */
export const HANDMADE: readonly ((random: Random) => string)[] = [
  (random) => random.bytes(1 + random.int(400)).toString('latin1'),
  () => '\r\n\r\n\r\n',
  () => 'GET\r\n\r\n',
  () => 'GET /\r\n\r\n',
  () => 'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  (random) =>
    `${random.pick(['get', 'Get', 'BREW', 'G\0T', 'GET\t', '', 'A'.repeat(300)])} / HTTP/1.1\r\nHost: a\r\n\r\n`,
  (random) => `GET /${random.pick([' ', '\0', '\t', '\x7f', '\xff', '#a', 'a b', '\\'])} HTTP/1.1\r\nHost: a\r\n\r\n`,
  (random) => `GET / HTTP/${random.pick(['1.2', '0.9', '1', '1.1 ', '1.10', 'x', '-1.1', '1.1\0'])}\r\nHost: a\r\n\r\n`,
  () => 'GET /v2/chain/me HTTP/1.1\r\n\r\n',
  () => 'GET /v2/chain/me HTTP/1.0\r\n\r\n',
  () => 'GET /docs/ HTTP/1.0\r\n\r\n',
  () => 'HEAD /docs HTTP/1.0\r\n\r\n',
  () => 'GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  () => 'HEAD / HTTP/1.1\r\nbad header\r\n\r\n',
  () => 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  () => 'GET / HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n',
  () => 'GET / HTTP/1.1\nHost: a\n\n',
  (random) =>
    `GET / HTTP/1.1\r\nHost: a\r\n${random.pick([': x', 'a b: x', 'a\0: x', 'a : x', 'é: x', 'x', 'x:\0'])}\r\n\r\n`,
  (random) => `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(random.pick([16_000, 16_384, 20_000, 70_000]))}\r\n\r\n`,
  (random) => `GET / HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(random.pick([100, 1_999, 2_100, 4_000]))}\r\n`,
  (random) => `GET /${'x'.repeat(random.pick([8_000, 16_400, 70_000]))} HTTP/1.1\r\nHost: a\r\n\r\n`,
  (random) => `CONNECT ${random.pick(['a:1', '/', '*', 'a:99999', ''])} HTTP/1.1\r\nHost: a\r\n\r\nabc`,
  (random) =>
    post(
      `Content-Length: ${random.pick(['-1', '+2', '2,2', '2, 3', '0x2', '1e1', '', ' ', '99999999999999999999', '2a', '２'])}`,
      '{}',
    ),
  () => post('Content-Length: 2\r\nContent-Length: 2', '{}'),
  () => post('Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
  (random) =>
    post(
      `Transfer-Encoding: ${random.pick(['gzip', 'chunked, gzip', 'gzip, chunked', 'identity', 'xchunked', 'chunked\r\nTransfer-Encoding: chunked', ''])}`,
      '0\r\n\r\n',
    ),
  (random) =>
    chunked(
      random.pick([
        'x\r\n{}\r\n',
        '-2\r\n{}\r\n',
        '2\r\n{}',
        '2\r\n{}xx\r\n',
        '2\n{}\n0\n\n',
        'ffffffffffffffffff\r\n',
        '2;\r\n{}\r\n0\r\n\r\n',
        '0\r\n',
        '\r\n',
        '2 \r\n{}\r\n0\r\n\r\n',
      ]),
    ),
  (random) => chunked(`2;${'e'.repeat(random.pick([10, 17_000, 40_000]))}\r\n{}\r\n0\r\n\r\n`),
  (random) =>
    chunked(
      `2\r\n{}\r\n0\r\n${random.pick(['A: b', 'Content-Length: 5', 'bad trailer', 'A: \0', `A: ${'x'.repeat(17_000)}`])}\r\n\r\n`,
    ),
  () => chunked('1\r\n{\r\n'.repeat(20_000)),
  (random) =>
    post(
      `Content-Type: application/json\r\nContent-Length: ${random.pick([10, 65_536, 65_537, 1_000_000_000])}`,
      '{"a":',
    ),
  (random) =>
    post(
      `Expect: ${random.pick(['100-continue', '100-Continue', 'cake', '', '100-continue, cake', MARKER])}\r\nContent-Type: application/json\r\nContent-Length: 2`,
      '{}',
    ),
  (random) =>
    `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${random.pick(['websocket', 'h2c', 'TLS/1.0', ''])}\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n`,
  (random) =>
    `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${random.pick(['close', 'keep-alive, close', 'x', ',,,', 'close, close'])}\r\n\r\n`,
  (random) =>
    `GET ${random.pick(['http://a/healthz', 'http://a', 'http://[/docs/', 'http://:0/docs', 'ftp://a/', '//a/docs/', 'http:///', 'javascript:1', '*', '?', '#', '.', 'healthz'])} HTTP/1.1\r\nHost: a\r\n\r\n`,
];
