/** Failed sign-ins are counted by address: a port, quotes or text that is no address in `X-Forwarded-For` is not a new one. */
import { expect, test } from 'vitest';
import { testApp } from '../support/app.ts';

test('to the guard an address with changing ports is one address, and so is text that is not an address', async () => {
  const service = await testApp({ TRUST_PROXY: 'true' });
  try {
    const guess = async (clientId: string, forwarded: string) => {
      const body = { clientId, clientSecret: 'wrong' };
      const headers = { 'x-forwarded-for': forwarded };
      return (await service.call('POST', '/v2/chain/auth-token', { body, headers })).status;
    };
    const forms = (i: number) => [`192.0.2.1:${4000 + i}`, '192.0.2.1', `"192.0.2.1:${4100 + i}"`][i % 3] as string;
    for (let i = 0; i < 10; i += 1) expect(await guess('one', forms(i))).toBe(401);
    expect(await guess('one', '192.0.2.1:9')).toBe(429);
    expect(await guess('one', '192.0.2.2')).toBe(401);
    // Not an address: the peer's own address counts, not the text, which could differ every time.
    for (let i = 0; i < 10; i += 1) expect(await guess('two', `nobody-${i}`)).toBe(401);
    expect(await guess('two', 'nobody-10')).toBe(429);
  } finally {
    await service.close();
  }
});
