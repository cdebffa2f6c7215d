import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { presentTo } from '../../test/support/present.ts';
import { type Access, type Caller, type IssuedToken, openAccess } from './access.ts';
import type { Credentials } from './admin.ts';
import type { Denial } from './refused.ts';
import { SCOPES } from './scopes.ts';
import { keyring } from './secrets.ts';

const ISSUER = 'https://daybook.example';
const MASTER = new Uint8Array(32).fill(7);
const START = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let database: TestDatabase;
let now = START;
let access: Access;
let organizationId: string;
let client: Credentials;

beforeAll(async () => {
  database = await testDatabase();
  access = open();
  ({ organizationId } = await access.createOrganization('Harbor Auto Finance'));
  client = await access.createClient(organizationId, { name: 'desk', scopes: SCOPES });
});
beforeEach(() => {
  now = START;
});
afterAll(() => database.drop());

function open(): Access {
  return openAccess({ db: database.db, clock: () => now, secret: MASTER, issuer: ISSUER });
}

function exchange(
  who: Credentials,
  more: { scope?: string; address?: string; secret?: string; from?: Access; issuer?: string } = {},
) {
  return (more.from ?? access).issueToken({
    clientId: who.clientId,
    clientSecret: more.secret ?? who.clientSecret,
    address: more.address ?? '192.0.2.1',
    issuer: more.issuer ?? ISSUER,
    scope: more.scope,
  });
}

async function tokenOf(who: Credentials, more: { scope?: string; from?: Access } = {}): Promise<string> {
  return issued(await exchange(who, more)).token;
}

function issued(answer: IssuedToken | Denial): IssuedToken {
  if ('denied' in answer) throw new Error(`denied: ${JSON.stringify(answer)}`);
  return answer;
}

async function present(token: string, key?: string, by = access): Promise<Caller | Denial> {
  return presentTo(by, { token, key });
}

const bad = (why: string) => ({ denied: 'bad_token', why });

test('a secret is exchanged for a token, and the token admits its client', async () => {
  const answer = issued(await exchange(client));
  expect(answer).toMatchObject({ issuedAt: START / 1000, expiresAt: START / 1000 + 3600, scope: SCOPES.join(' ') });
  expect(await present(answer.token)).toEqual({
    organizationId,
    userId: null,
    limits: {},
    organizationName: 'Harbor Auto Finance',
    clientId: client.clientId,
    clientName: 'desk',
    scopes: new Set(SCOPES),
    keyId: null,
    quota: { perMinute: 0, organizationPerMinute: 0, countedFor: organizationId, next: null },
    numbers: 'interface',
    tokenExpiresAt: START / 1000 + 3600,
  });
  expect(await present(answer.token, client.apiKey)).toMatchObject({ keyId: client.keyId });
});

test('the second call is answered from the cache, synchronously', async () => {
  const token = await tokenOf(client);
  await present(token, client.apiKey);
  const caller = access.authenticate({ authorization: `bearer  ${token}`, address: () => '192.0.2.1' });
  expect(caller).toMatchObject({ clientId: client.clientId, keyId: null });
  expect(access.checkKey(caller as Caller, client.apiKey)).toEqual({ ...caller, keyId: client.keyId });
});

test('the token is an access token as defined by RFC 9068', async () => {
  const token = await tokenOf(client, { scope: 'loans:read' });
  const header = decodeProtectedHeader(token);
  expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.stringMatching(/^sig_/) });
  const claims = decodeJwt(token);
  expect(claims).toEqual({
    iss: ISSUER,
    aud: 'daybook',
    sub: client.clientId,
    client_id: client.clientId,
    org: organizationId,
    scope: 'loans:read',
    gen: 1,
    iat: START / 1000,
    exp: START / 1000 + 3600,
    jti: expect.any(String),
  });
  const { keys } = await access.jwks();
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({ kid: header.kid, kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  expect(keys[0]).not.toHaveProperty('d');
});

test('an unknown client, a wrong secret and a revoked client get the same answer', async () => {
  const revoked = await access.createClient(organizationId, { name: 'gone', scopes: ['admin'] });
  await access.revokeClient(organizationId, revoked.clientId);
  const answers = [
    await exchange({ ...client, clientId: 'client_nobody' }),
    await exchange(client, { secret: `${client.clientSecret}x` }),
    await exchange(client, { secret: '' }),
    await exchange(client, { secret: 'a\0b' }),
    await exchange(client, { secret: 'x'.repeat(100_000) }),
    await exchange({ ...client, clientId: 'a\0b' }),
    await exchange({ ...client, clientId: 'x'.repeat(100_000) }),
    await exchange(revoked),
  ];
  for (const answer of answers) expect(answer).toEqual({ denied: 'bad_credentials' });
});

test('a subset of the scopes can be requested, and no other scope', async () => {
  const reader = await access.createClient(organizationId, { name: 'reader', scopes: ['reports:read', 'loans:read'] });
  expect(await exchange(reader)).toMatchObject({ scope: 'loans:read reports:read' });
  expect(await exchange(reader, { scope: ' reports:read  reports:read ' })).toMatchObject({ scope: 'reports:read' });
  expect(await present(await tokenOf(reader, { scope: 'reports:read' }))).toMatchObject({
    scopes: new Set(['reports:read']),
  });
  for (const scope of ['admin', 'loans:read admin', 'nonsense', 'loans:read\0', '__proto__']) {
    expect(await exchange(reader, { scope })).toEqual({ denied: 'bad_scope' });
  }
});

test('a key must be active and belong to the client of the token', async () => {
  const other = await access.createClient(organizationId, { name: 'other', scopes: ['loans:read'] });
  const token = await tokenOf(client);
  for (const key of [other.apiKey, 'dbk_wrong', '', ' ', 'ü', 'a\0b', 'x'.repeat(10_000), client.clientSecret]) {
    expect(await present(token, key), key).toEqual({ denied: 'bad_key' });
  }
  expect(await present(token, client.apiKey)).toMatchObject({ keyId: client.keyId });
  expect(await present('a.b.c', ''), 'the token is checked first').toEqual(bad('invalid'));
});

test('a header without a token is refused with the reason', async () => {
  const ask = (authorization: string | undefined) => access.authenticate({ authorization, address: () => '192.0.2.1' });
  expect(await ask(undefined)).toEqual(bad('missing'));
  expect(await ask('')).toEqual(bad('missing'));
  const token = await tokenOf(client);
  for (const header of [
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer ${token}.x`,
    'Bearer a.b',
    'Bearer a..b',
    `Bearer ${token} ${token}`,
    `Bearer a.b.${'c'.repeat(5_000)}`,
    'Bearer ä.ö.ü',
  ]) {
    expect(await ask(header), header.slice(0, 40)).toEqual(bad('malformed'));
  }
  expect(await ask('Bearer a.b.c')).toEqual(bad('invalid'));
});

test('a token expires after one hour, cached or not', async () => {
  const token = await tokenOf(client);
  expect(await present(token)).toMatchObject({ clientId: client.clientId });
  now += HOUR - 1;
  expect(await present(token)).toMatchObject({ clientId: client.clientId });
  now += 1;
  expect(await present(token)).toEqual(bad('expired'));
  expect(await present(token), 'after it left the cache').toEqual(bad('expired'));
  expect(await present(token, undefined, open()), 'on an instance that has not seen it').toEqual(bad('expired'));
});

test('a changed token is refused', async () => {
  const token = await tokenOf(client, { scope: 'loans:read' });
  const [header = '', payload = '', signature = ''] = token.split('.');
  const raised = Buffer.from(JSON.stringify({ ...decodeJwt(token), scope: 'admin' })).toString('base64url');
  expect(await present(`${header}.${raised}.${signature}`)).toEqual(bad('invalid'));
  for (let at = 0; at < signature.length - 1; at += 9) {
    const changed = `${signature.slice(0, at)}${signature[at] === 'A' ? 'B' : 'A'}${signature.slice(at + 1)}`;
    expect(await present(`${header}.${payload}.${changed}`)).toEqual(bad('invalid'));
  }
  expect(await present(token)).toMatchObject({ scopes: new Set(['loans:read']) });
});

test('processes without an address of their own take the tokens of every name that reaches them, and agree', async () => {
  const both = [1, 2].map(() => openAccess({ db: database.db, clock: () => now, secret: MASTER }));
  for (const from of both) {
    for (const issuer of ['http://127.0.0.1:8080', 'https://loans.example', ISSUER]) {
      const token = issued(await exchange(client, { from, issuer })).token;
      expect(decodeJwt(token).iss).toBe(issuer);
      const answers = await Promise.all(
        both.map((by) => by.authenticate({ authorization: `Bearer ${token}`, address: () => '192.0.2.1' })),
      );
      for (const answer of answers) expect(answer).toMatchObject({ clientId: client.clientId });
      expect('denied' in (await present(token))).toBe(issuer !== ISSUER);
    }
  }
});

test('only tokens issued by this service are accepted: algorithm, key, type, issuer, audience, times and claims', async () => {
  const { kid = '' } = decodeProtectedHeader(await tokenOf(client));
  const ours = await privateKey(kid);
  const seconds = Math.floor(now / 1000);
  const claims = { ...decodeJwt(await tokenOf(client)) };
  type Change = { header?: object; claims?: object; key?: KeyObject | Uint8Array };
  const forge = (change: Change) =>
    new SignJWT({ ...claims, ...change.claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...change.header })
      .sign(change.key ?? ours);

  expect(await present(await forge({})), 'unchanged').toMatchObject({ clientId: client.clientId });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const publicPem = createPublicKey(ours).export({ format: 'pem', type: 'spki' }) as string;
  const forged: Record<string, Promise<string> | string> = {
    'no signature': new UnsecuredJWT(claims).encode().replace(/\.$/, '.AA'),
    'the public key as an HMAC secret': forge({ header: { alg: 'HS256' }, key: Buffer.from(publicPem) }),
    'another key under our key id': forge({ key: stranger }),
    'an unknown key id': forge({ header: { kid: 'sig_unknown' } }),
    'no key id': forge({ header: { kid: undefined } }),
    'another type': forge({ header: { typ: 'JWT' } }),
    'another issuer': forge({ claims: { iss: 'elsewhere' } }),
    'no issuer': forge({ claims: { iss: undefined } }),
    'a copy of the service at another address': forge({ claims: { iss: 'https://copy.example' } }),
    'another audience': forge({ claims: { aud: 'elsewhere' } }),
    'issued in the future': forge({ claims: { iat: seconds + 62 } }),
    'no expiry': forge({ claims: { exp: undefined } }),
    'no generation': forge({ claims: { gen: undefined } }),
    'another subject': forge({ claims: { sub: 'client_other' } }),
    'scopes of another form': forge({ claims: { scope: ['admin'] } }),
  };
  for (const [name, token] of Object.entries(forged)) expect(await present(await token), name).toEqual(bad('invalid'));

  expect(await present(await forge({ claims: { iat: seconds + 58 } })), 'a clock slightly ahead').toMatchObject({
    clientId: client.clientId,
  });
  expect(await present(await forge({ claims: { exp: seconds - 1 } }))).toEqual(bad('expired'));
  expect(await present(await forge({ claims: { gen: 99 } }))).toEqual(bad('revoked'));
  expect(await present(await forge({ claims: { org: 'org_other' } }))).toEqual(bad('revoked'));
  const ghost = { sub: 'client_ghost', client_id: 'client_ghost' };
  expect(await present(await forge({ claims: ghost })), 'a client that does not exist').toEqual(bad('revoked'));
});

test('signing keys rotate automatically; the old one verifies for another hour and is then retired', async () => {
  const { db, drop } = await testDatabase();
  try {
    const instance = () => openAccess({ db, clock: () => now, secret: MASTER });
    const [first, second] = [instance(), instance()];
    const { organizationId: owner } = await first.createOrganization('Rotating');
    const who = await first.createClient(owner, { name: 'desk', scopes: ['loans:read'] });
    const kid = async (from: Access) => decodeProtectedHeader(await tokenOf(who, { from })).kid;
    const old = await kid(first);
    now = START + 30 * DAY - 1;
    expect(await kid(first)).toBe(old);
    const lastOfOld = await tokenOf(who, { from: first });

    now += 10_000;
    const [a, b] = await Promise.all([kid(first), kid(second)]);
    expect(a).not.toBe(old);
    expect(b, 'two instances at once create one key').toBe(a);
    expect(await present(lastOfOld, undefined, second)).toMatchObject({ clientId: who.clientId });
    expect((await first.jwks()).keys).toHaveLength(2);
    const whole = await db.query('SELECT 1 FROM signing_keys WHERE private_sealed IS NOT NULL');
    expect(whole, 'the private part of the old key is destroyed').toHaveLength(1);

    now += HOUR + 60_000;
    expect((await second.jwks()).keys).toEqual([expect.objectContaining({ kid: a })]);
    expect(await present(lastOfOld, undefined, instance())).toEqual(bad('expired'));

    now += 30 * DAY;
    await kid(first);
    expect(await db.query('SELECT 1 FROM signing_keys'), 'the retired one is gone').toHaveLength(2);
  } finally {
    await drop();
  }
});

test('a wrong master key is detected at the start, with a message that says what to do', async () => {
  await tokenOf(client);
  const wrong = openAccess({ db: database.db, clock: () => now, secret: new Uint8Array(32).fill(8) });
  await expect(wrong.start()).rejects.toThrow(/MASTER_KEY does not match this database/);
  const right = open();
  await right.start();
  right.stop();
});

test('after ten wrong secrets the next attempt from that address must wait, right or wrong', async () => {
  const who = await access.createClient(organizationId, { name: 'guessed', scopes: ['loans:read'] });
  const address = '198.51.100.1';
  const guesses = await Promise.all(
    Array.from({ length: 50 }, (_, i) => exchange(who, { secret: `guess ${i}`, address })),
  );
  const kinds = guesses.map((answer) => ('denied' in answer ? answer.denied : 'let in'));
  expect(kinds.filter((kind) => kind === 'bad_credentials')).toHaveLength(10);
  expect(kinds.filter((kind) => kind === 'too_many_failures')).toHaveLength(40);
  expect(await exchange(who, { address })).toEqual({ denied: 'too_many_failures', retryAfterSeconds: 1 });
  expect(await exchange(who)).toHaveProperty('token');
  expect(await exchange(client, { address })).toHaveProperty('token');
  now += 1_000;
  expect(await exchange(who, { address })).toHaveProperty('token');
});

test('fifty workers that start together with the right secret are all admitted', async () => {
  const who = await access.createClient(organizationId, { name: 'fleet', scopes: ['loans:read'] });
  const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(who, { address: '198.51.100.9' })));
  expect(answers.every((answer) => 'token' in answer)).toBe(true);
});

async function privateKey(kid: string): Promise<KeyObject> {
  const [row] = await database.db.query<{ private_sealed: Buffer }>(
    'SELECT private_sealed FROM signing_keys WHERE key_id = $1',
    [kid],
  );
  const pkcs8 = row && keyring(MASTER).unseal(row.private_sealed, kid);
  if (!pkcs8) throw new Error('the signing key cannot be decrypted');
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}
