/** Links of invitations and callbacks were built from the Host header, which whoever calls may choose; and browsers were not told to stay with https. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

/** An HTTP/1.1 request with a Host of its own, which `fetch` does not let one choose. */
function raw(app: TestApp, head: string, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
    const length =
      body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    socket.write(`${head}\r\n${length}Connection: close\r\n\r\n${body}`);
  });
}

describe('without PUBLIC_URL', () => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await testApp();
    token = await app.token();
  }, 60_000);
  afterAll(() => app.close());

  const as = (host: string, path: string, body?: object) =>
    raw(
      app,
      `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nkey: ${app.credentials.apiKey}\r\nOrigin: http://${host}`,
      body && JSON.stringify(body),
    );
  const people = () => app.db.query('SELECT user_id FROM users');

  test.each([
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.1.7:8080',
    '[2001:db8::1]',
  ])('no link leads to %s, and nobody is invited', async (host) => {
    const before = await people();
    const invited = await as(host, '/v2/chain/users', { email: 'x@harbor.example', name: 'X', roles: ['agent'] });
    expect(invited).toMatch(/^HTTP\/1.1 409 /);
    expect(invited).toContain('PUBLIC_URL');
    expect(invited).not.toContain('invitation#');
    expect(await people()).toEqual(before);
    const body = { issuer: 'https://login.harbor.example', clientId: 'daybook', clientSecret: 'x' };
    expect(await as(host, '/v2/chain/identity-provider', body)).toMatch(/^HTTP\/1.1 409 /);
    expect(await as(host, '/sign-in/provider', { organizationId: app.organizationId })).toMatch(/^HTTP\/1.1 409 /);
  });

  test.each(['localhost:8080', 'daybook.localhost', '127.0.0.1', '127.8.9.10:80', '[::1]:8080'])(
    'at %s links are made',
    async (host) => {
      const email = `${host.replaceAll(/[^a-z0-9]/g, '-')}@harbor.example`;
      const invited = await as(host, '/v2/chain/users', { email, name: 'X', roles: ['agent'] });
      expect(invited).toMatch(/^HTTP\/1.1 200 /);
      expect(invited).toContain(`http://${host}/invitation#`);
    },
  );

  test('nothing promises https', async () => {
    expect((await app.call('GET', '/sign-in')).headers.get('strict-transport-security')).toBeNull();
  });
});

describe('with a PUBLIC_URL by https', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ PUBLIC_URL: 'https://loans.example' });
  }, 60_000);
  afterAll(() => app.close());

  test('links begin with it, whatever the Host says', async () => {
    const body = JSON.stringify({ email: 'y@harbor.example', name: 'Y', roles: ['agent'] });
    const head = `POST /v2/chain/users HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${await app.token()}`;
    const answer = await raw(app, `${head}\r\nkey: ${app.credentials.apiKey}`, body);
    expect(answer).toContain('https://loans.example/invitation#');
    expect(answer).not.toContain('evil.example');
  });

  test.each([
    ['a page', 'GET /sign-in HTTP/1.1\r\nHost: x'],
    ['a file of a page', 'GET /pages/page.css HTTP/1.1\r\nHost: x'],
    ['an operation', 'GET /v2/chain/session HTTP/1.1\r\nHost: x'],
    ['a redirect', 'GET /console HTTP/1.1\r\nHost: x'],
    ['an unknown path', 'GET /nowhere HTTP/1.1\r\nHost: x'],
    ['a probe', 'GET /healthz HTTP/1.1\r\nHost: x'],
    ['the documentation', 'GET /docs/ HTTP/1.1\r\nHost: x'],
    ['a refused expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: nothing'],
    ['a request that is none', 'GET / HTTP/9.9\r\nHost: x'],
    ['a bad address', 'GET /%zz HTTP/1.1\r\nHost: x'],
  ])('%s tells browsers to stay with https', async (_, head) => {
    expect((await raw(app, head)).toLowerCase()).toContain('\r\nstrict-transport-security: max-age=31536000\r\n');
  });
});
