/** Tokens named `daybook` as their issuer, and discovery the address of the service: a library that compares the two, as RFC 9068 requires, refused them. */
import { connect } from 'node:net';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

let own: TestApp;
let named: TestApp;
let proxied: TestApp;
beforeAll(async () => {
  own = await testApp();
  named = await testApp({ PUBLIC_URL: 'https://loans.example' });
  proxied = await testApp({ TRUST_PROXY: 'true' });
}, 60_000);
afterAll(() => Promise.all([own, named, proxied].map((app) => app?.close())));

/** The JSON of an answer to a request with headers that `fetch` does not let one choose. */
async function raw(app: TestApp, head: string, headers: Record<string, string>, body = '') {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1');
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.on('end', () => resolve(got));
    socket.on('error', reject);
    const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
    const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    socket.write(`${head} HTTP/1.1\r\n${lines.join('')}${body === '' ? '' : type}\r\n${body}`);
  });
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

async function both(app: TestApp, headers: Record<string, string>) {
  const { issuer } = await raw(app, 'GET /.well-known/oauth-authorization-server', headers);
  const { clientId, clientSecret } = app.credentials;
  const { data } = await raw(app, 'POST /v2/chain/auth-token', headers, JSON.stringify({ clientId, clientSecret }));
  expect(decodeJwt(data.token).iss).toBe(issuer);
  return { issuer: issuer as string, token: data.token as string };
}

const me = async (app: TestApp, token: string) => (await app.call('GET', '/v2/chain/me', { token })).status;

describe('the issuer of a token is that of discovery', () => {
  test('at whatever name of a service without an address of its own, which takes them all', async () => {
    for (const host of [`127.0.0.1:${own.port}`, `localhost:${own.port}`, 'loans.internal']) {
      const { issuer, token } = await both(own, { Host: host });
      expect(issuer).toBe(`http://${host}`);
      expect(await me(own, token)).toBe(200);
    }
  });

  test('with PUBLIC_URL, whatever name was used', async () => {
    for (const host of [`127.0.0.1:${named.port}`, 'evil.example']) {
      const { issuer, token } = await both(named, { Host: host });
      expect(issuer).toBe('https://loans.example');
      expect(await me(named, token)).toBe(200);
    }
  });

  test('behind a proxy that ends TLS', async () => {
    const { issuer, token } = await both(proxied, { Host: 'loans.example', 'X-Forwarded-Proto': 'https' });
    expect(issuer).toBe('https://loans.example');
    expect(await me(proxied, token)).toBe(200);
  });

  test('so that a program verifies tokens with what discovery says, by OAuth too', async () => {
    const discovered = await fetch(`${own.url}/.well-known/oauth-authorization-server`);
    const { issuer, token_endpoint, jwks_uri } = (await discovered.json()) as Record<string, string>;
    const { clientId, clientSecret } = own.credentials;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const answer = await fetch(token_endpoint ?? '', {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    const keys = createRemoteJWKSet(new URL(jwks_uri ?? ''));
    const checks = { issuer: issuer ?? '', audience: 'daybook', currentDate: new Date(own.clock.now) };
    expect((await jwtVerify(access_token, keys, checks)).payload.sub).toBe(clientId);
  });
});
