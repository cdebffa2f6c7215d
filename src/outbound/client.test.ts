/** Against real servers on this machine, under names that resolve as each test needs. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { isIn, isPublic, rangesOf } from './addresses.ts';
import { isOutboundFailure, type OutboundRequest, type OutboundSettings, openOutbound } from './client.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function listen(server: Server): Promise<number> {
  opened.push({
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function serverThat(behave: RequestListener = (_, response) => response.end('hello')) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    behave(request, response);
  });
  return { port: await listen(server), seen };
}

function client(settings: Partial<OutboundSettings> = {}) {
  const outbound = openOutbound({ connectMs: 3_000, silenceMs: 5_000, connections: 4, ...settings });
  opened.push(outbound);
  return (url: string, changed: Partial<OutboundRequest> = {}) =>
    outbound.send({ url: new URL(url), method: 'GET', headers: {}, withinMs: 8_000, maxBytes: 10_000, ...changed });
}

/** Each lookup gets the next of these answers, later ones the last. */
function resolvesTo(...answers: (string | readonly string[])[]): LookupFunction {
  let asked = 0;
  return (_, options, callback) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] as string | readonly string[];
    const list = [answer].flat().map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, list);
    else callback(null, list[0]?.address ?? '', list[0]?.family);
  };
}

const FORBIDDEN = { failed: 'forbidden', code: 'unknown' };
const bodyOf = (answer: Awaited<ReturnType<ReturnType<typeof client>>>) =>
  isOutboundFailure(answer) ? answer : answer.body.toString();

const PRIVATE = [
  ...['127.0.0.1', '127.255.0.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
  ...['0.0.0.0', '0.1.2.3', '100.64.0.1', '100.127.255.255', '192.0.0.8', '198.18.0.1', '198.51.100.7', '203.0.113.7'],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '192.0.2.1', '192.88.99.1'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', 'fe80::1', 'fec0::1'],
  ...['fc00::1', 'fd12:3456::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '100::1'],
  ...['2001:db8::1', '3fff::1', 'fe80::1%eth0', '5f00::1'],
];
const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::8b',
];

describe('addresses', () => {
  test.each(PRIVATE)('%s is not public', (address) => expect(isPublic(address)).toBe(false));
  test.each(PUBLIC)('%s is public', (address) => expect(isPublic(address)).toBe(true));
  test.each(['', 'localhost', '8.8.8', '8.8.8.8:53', '[::1]'])('“%s” is not an address', (text) =>
    expect(isPublic(text)).toBe(false),
  );

  test('a list can contain addresses and ranges', () => {
    const ranges = rangesOf(['10.0.0.0/8', '192.168.1.7', 'fd00::/8', '::1']);
    expect(['10.9.9.9', '192.168.1.7', 'fd00::5', '::1', '::ffff:10.0.0.1'].map((one) => isIn(ranges, one))).toEqual([
      ...[true, true, true, true, true],
    ]);
    expect(['11.0.0.1', '192.168.1.8', 'fe80::1', 'x', 'fd00::1%eth0'].map((one) => isIn(ranges, one))).toEqual([
      ...[false, false, false, false, false],
    ]);
  });

  test.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'localhost', '10.0.0.0/8/8', '10.0.0.0/', 'fe80::1%eth0', ''])(
    '“%s” is not a valid entry',
    (entry) => expect(() => rangesOf([entry])).toThrow(RangeError),
  );
});

describe('a private target is refused', () => {
  test.each([
    ...['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0', '169.254.169.254', '10.0.0.1', '100.64.0.1'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[fd00::1]', '[fe80::1]', '[64:ff9b::7f00:1]'],
    ...['[2002:7f00:1::]', 'localhost'],
  ])('when the host is %s', async (host) => {
    expect(await client()(`https://${host}/`)).toEqual(FORBIDDEN);
    expect(await client()(`http://${host}/`)).toEqual(FORBIDDEN);
  });

  test.each(PRIVATE)('when the name resolves to %s', async (address) => {
    expect(await client({ lookup: resolvesTo(address) })('https://target.test/')).toEqual(FORBIDDEN);
  });

  test('when one of several addresses of a name is private', async () => {
    const lookup = resolvesTo(['8.8.8.8', '127.0.0.1']);
    expect(await client({ lookup })('https://target.test/')).toEqual(FORBIDDEN);
  });

  test('and nothing is sent to it', async () => {
    const { port, seen } = await serverThat();
    await client({ lookup: resolvesTo('127.0.0.1') })(`http://target.test:${port}/`);
    expect(seen).toEqual([]);
  });

  test('when the name resolves to it only the second time', async () => {
    const { port } = await serverThat((_, response) => response.setHeader('connection', 'close').end('hello'));
    const send = client({ allow: ['127.0.0.1'], lookup: resolvesTo('127.0.0.1', '127.0.0.2') });
    expect(bodyOf(await send(`http://target.test:${port}/`))).toBe('hello');
    expect(await send(`http://target.test:${port}/`)).toEqual(FORBIDDEN);
  });
});

describe('an origin that is always allowed', () => {
  test('may be at any address, by name or by address', async () => {
    const { port } = await serverThat();
    expect(bodyOf(await client({ always: [`http://127.0.0.1:${port}/path`] })(`http://127.0.0.1:${port}/`))).toBe(
      'hello',
    );
    const named = client({ always: [`http://target.test:${port}`], lookup: resolvesTo('127.0.0.1') });
    expect(bodyOf(await named(`http://target.test:${port}/`))).toBe('hello');
  });

  test('is allowed only with that scheme, host and port', async () => {
    const { port } = await serverThat();
    const other = await serverThat();
    const send = client({ always: [`http://target.test:${port}`], lookup: resolvesTo('127.0.0.1') });
    expect(await send(`http://target.test:${other.port}/`)).toEqual(FORBIDDEN);
    expect(await send(`http://other.test:${port}/`)).toEqual(FORBIDDEN);
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual(FORBIDDEN);
    expect(await send(`https://target.test:${port}/`)).toEqual(FORBIDDEN);
    expect(other.seen).toEqual([]);
  });
});

describe('http without TLS', () => {
  test('goes to allowed addresses', async () => {
    const { port } = await serverThat();
    const send = client({ allow: ['127.0.0.0/8'], lookup: resolvesTo('127.0.0.1') });
    expect(bodyOf(await send(`http://127.0.0.1:${port}/`))).toBe('hello');
    expect(bodyOf(await send(`http://target.test:${port}/`))).toBe('hello');
  });

  test('goes nowhere else, not to public addresses either', async () => {
    expect(await client({ lookup: resolvesTo('8.8.8.8') })('http://target.test/')).toEqual(FORBIDDEN);
    expect(await client()('http://8.8.8.8/')).toEqual(FORBIDDEN);
  });
});

describe('a redirect', () => {
  const to =
    (location: string, status = 302): RequestListener =>
    (_, response) =>
      response.writeHead(status, { location }).end();

  test('is returned as the answer unless it is to be followed', async () => {
    const { port } = await serverThat(to('/elsewhere'));
    const answer = await client({ allow: ['127.0.0.1'] })(`http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
  });

  test('is checked like any other target', async () => {
    const inside = await serverThat();
    for (const location of [
      `http://127.0.0.1:${inside.port}/`,
      'https://[::1]/',
      'https://169.254.169.254/',
      'https://0x7f.1/',
    ]) {
      const { port } = await serverThat(to(location));
      const send = client({ always: [`http://127.0.0.1:${port}`] });
      expect(await send(`http://127.0.0.1:${port}/`, { redirects: 3 })).toEqual(FORBIDDEN);
    }
    expect(inside.seen).toEqual([]);
  });

  test('to another origin carries no secrets, and a POST becomes a GET', async () => {
    const other = await serverThat();
    const { port } = await serverThat(to(`http://127.0.0.1:${other.port}/`));
    const send = client({ allow: ['127.0.0.1'] });
    const headers = { authorization: 'Bearer secret', 'idempotency-key': 'k', accept: 'text/plain' };
    const asked = { method: 'POST', headers, body: Buffer.from('personal'), redirects: 1 } as const;
    expect(bodyOf(await send(`http://127.0.0.1:${port}/`, asked))).toBe('hello');
    const [request] = other.seen;
    expect(request?.method).toBe('GET');
    expect(request?.headers).toMatchObject({ accept: 'text/plain' });
    expect(JSON.stringify(request?.headers)).not.toMatch(/secret|idempotency/);
  });

  test('is abandoned after the limit of redirects', async () => {
    const { port, seen } = await serverThat(to('/again'));
    const send = client({ allow: ['127.0.0.1'] });
    expect(await send(`http://127.0.0.1:${port}/`, { redirects: 3 })).toMatchObject({ failed: 'redirects' });
    expect(seen).toHaveLength(4);
  });

  test.each(['ftp://target.test/', 'file:///etc/passwd', 'https://user:secret@target.test/', 'http://['])(
    'to %s is not followed',
    async (location) => {
      const { port } = await serverThat(to(location));
      const send = client({ allow: ['127.0.0.1'] });
      expect(await send(`http://127.0.0.1:${port}/`, { redirects: 1 })).toMatchObject({ failed: 'unsendable' });
    },
  );
});

describe('limits', () => {
  const allowed = { allow: ['127.0.0.1'] };

  test('an untrusted certificate is refused, wherever the target is', async () => {
    const server = createSecureServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end('hello'));
    const port = await listen(server as unknown as Server);
    const send = client({ always: [`https://127.0.0.1:${port}`] });
    expect(await send(`https://127.0.0.1:${port}/`)).toEqual({
      failed: 'connection',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  test('a target that does not answer', async () => {
    const { port } = await serverThat(() => {});
    const url = `http://127.0.0.1:${port}/`;
    expect(await client(allowed)(url, { withinMs: 100 })).toMatchObject({ failed: 'timeout' });
    expect(await client({ ...allowed, silenceMs: 100 })(url)).toMatchObject({ failed: 'timeout' });
  });

  test('a body that is too large, compressed or cut', async () => {
    const large = await serverThat((_, response) => response.end('x'.repeat(10_001)));
    expect(await client(allowed)(`http://127.0.0.1:${large.port}/`)).toMatchObject({ failed: 'too large' });
    const packed = await serverThat((_, response) => response.setHeader('content-encoding', 'br').end('x'));
    expect(await client(allowed)(`http://127.0.0.1:${packed.port}/`)).toMatchObject({ failed: 'compressed' });
    const cut = await serverThat((_, response) => response.write('x', () => response.destroy()));
    expect(await client(allowed)(`http://127.0.0.1:${cut.port}/`)).toMatchObject({ failed: 'cut' });
  });

  test('an unwanted body is not read', async () => {
    const { port } = await serverThat((_, response) => response.writeHead(500).end('x'.repeat(100_000)));
    const answer = await client(allowed)(`http://127.0.0.1:${port}/`, { wants: ({ status }) => status === 200 });
    expect(answer).toMatchObject({ status: 500, body: Buffer.alloc(0) });
  });

  test('values that cannot be sent in a request', async () => {
    const { port, seen } = await serverThat();
    const send = client(allowed);
    const failures = [
      await send(`http://user:secret@127.0.0.1:${port}/`),
      await send(`http://127.0.0.1:${port}/`, { headers: { authorization: 'secret\r\nx: y' } }),
      await send('ftp://127.0.0.1/secret'),
    ];
    for (const failure of failures) expect(failure).toEqual({ failed: 'unsendable', code: 'unknown' });
    expect(seen).toEqual([]);
  });
});

/** Made for this test: a certificate for `target.test` that no system trusts. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUAVqwbLA1HenB3YFDmnXrZlA4/LMwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLdGFyZ2V0LnRlc3QwIBcNMjYxMTE1MTA1NjI3WhgPMjEyNjEw
MjIxMDU2MjdaMBYxFDASBgNVBAMMC3RhcmdldC50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEgDdYnwtcDlcS+SwLR/ysbfl0TNff29PsKTiiW1pOUT4Zinwe
yoPDBqBSQZ6+TNTgTV/UXKsPs4BMQaFeAwbmtaNxMG8wHQYDVR0OBBYEFMNZLwVt
+E8q+CbcAEEz5knLF7ahMB8GA1UdIwQYMBaAFMNZLwVt+E8q+CbcAEEz5knLF7ah
MA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4ILdGFyZ2V0LnRlc3SHBH8AAAEw
CgYIKoZIzj0EAwIDSAAwRQIhAOD4A38y80WMCp7bht2cZhb9xxaixtGbt4Qx7NZt
/7KEAiA0mozGhEfitOlK7sJZashQQVA8zIO6txC4CCrcTPEPkQ==
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggaWBx6U3u8SX+lXV
90XW8DK4F8FlY8P32fBxRTIj3QehRANCAASAN1ifC1wOVxL5LAtH/Kxt+XRM19/b
0+wpOKJbWk5RPhmKfB7Kg8MGoFJBnr5M1OBNX9Rcqw+zgExBoV4DBua1
-----END PRIVATE KEY-----`;
