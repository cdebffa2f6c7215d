/** Only a limited number of forged tokens from an address is verified; valid ones from the same address are still served. */
import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let good: string;
beforeAll(async () => {
  service = await testApp();
  good = await service.token();
});
afterAll(() => service.close());

const me = (token: string) => service.call('GET', '/v2/chain/me', { token });

/** A well-formed token with a real key id: only verifying the signature shows that it is forged. */
function forged(change: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { ...decodeJwt(good), jti: randomBytes(8).toString('hex'), ...change };
  return `${part(decodeProtectedHeader(good))}.${part(claims)}.${randomBytes(64).toString('base64url')}`;
}

test('a flood of them is refused without verification, and valid tokens are served', async () => {
  expect((await me(good)).status).toBe(200);
  const unused = await service.token(['loans:read']);

  const begun = performance.now();
  const answers = await Promise.all(Array.from({ length: 250 }, () => me(forged())));
  const seconds = (performance.now() - begun) / 1_000;
  const verified = answers.filter(({ status }) => status === 401).length;
  expect(verified).toBeGreaterThan(0);
  expect(verified).toBeLessThanOrEqual(100 + Math.ceil(10 * seconds));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ code: 'too_many_failures', retryable: true });
  expect(refused?.headers.get('retry-after')).toBe('1');
  expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);

  expect((await me(good)).status, 'in memory').toBe(200);
  expect((await me(unused)).status, 'issued here, never used').toBe(200);
  // A change of access empties the cache of tokens.
  await service.access.createOrganization('Another');
  expect((await me(good)).status, 'verified again').toBe(200);
});

test('a token whose own expiry has passed is refused as expired, and is not counted', async () => {
  const expired = () => forged({ exp: Math.floor(service.clock.now / 1_000) });
  const answers = await Promise.all(Array.from({ length: 120 }, () => me(expired())));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(answers[0]?.body.detail).toContain('expired');
});

test('behind a proxy a changing port is not another address', async () => {
  const behind = await testApp({ TRUST_PROXY: 'true' });
  try {
    good = await behind.token();
    const begun = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 250 }, (_, i) =>
        behind.call('GET', '/v2/chain/me', {
          token: forged(),
          headers: { 'x-forwarded-for': `192.0.2.1:${4_000 + i}` },
        }),
      ),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const verified = answers.filter(({ status }) => status === 401).length;
    expect(verified).toBeLessThanOrEqual(100 + Math.ceil(10 * seconds));
  } finally {
    await behind.close();
  }
});
