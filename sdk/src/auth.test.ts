import { describe, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { cut, ok, problem, scripted } from './support/scripted.ts';

const client = { clientId: 'c', clientSecret: 's&', apiKey: 'k' };
const token = (name: string, seconds = 3600) =>
  Response.json({ access_token: name, expires_in: seconds, token_type: 'Bearer', scope: '' });
const bearer = ({ headers }: { headers: Headers }) => headers.get('authorization');

describe('a client of the API', () => {
  test('fetches one token for calls at the same time, by a form', async () => {
    const { client: daybook, seen } = scripted([token('a'), ok({}), ok({}), ok({})], {
      auth: { ...client, scopes: ['loans:read', 'payments:write'] },
    });
    await Promise.all([daybook.readMe(), daybook.readMe(), daybook.listLoans()]);
    expect(seen.map(({ url }) => new URL(url).pathname.split('/').at(-1))).toEqual(['token', 'me', 'me', 'loans']);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      body: 'grant_type=client_credentials&client_id=c&client_secret=s%26&scope=loans%3Aread+payments%3Awrite',
    });
    expect(seen[0]?.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
    expect(seen[0]?.headers.has('key')).toBe(false);
    // Wherever a redirect led, the secret and the API key would go with it.
    expect(new Set(seen.map(({ redirect }) => redirect))).toEqual(new Set(['error']));
    expect(seen.slice(1).map(bearer)).toEqual(['Bearer a', 'Bearer a', 'Bearer a']);
  });

  test('renews it a minute before its end, by its own clock', async () => {
    let now = 1_000_000;
    const { client: daybook, seen } = scripted([token('a'), ok({}), ok({}), token('b'), ok({})], {
      auth: client,
      clock: () => now,
    });
    await daybook.readMe();
    now += 3_539_999;
    await daybook.readMe();
    now += 1;
    await daybook.readMe();
    expect(seen.map(bearer)).toEqual([null, 'Bearer a', 'Bearer a', null, 'Bearer b']);
  });

  test('after a 401 gets a new one, once, also for a write without a key', async () => {
    const refused = () => problem(401, 'unauthorized');
    const {
      client: daybook,
      seen,
      waits,
    } = scripted([token('a'), refused(), token('b'), ok({}), refused(), token('c'), refused()], {
      auth: client,
    });
    await daybook.rejectRequest({ body: { approvalId: 'a', reason: 'r' } });
    await expect(daybook.readMe()).rejects.toMatchObject({ status: 401 });
    expect(seen.map(bearer)).toEqual([null, 'Bearer a', null, 'Bearer b', 'Bearer b', null, 'Bearer c']);
    expect(waits).toEqual([]);
  });

  test('two calls that are refused with the same token share the new one', async () => {
    const refused = () => problem(401, 'unauthorized');
    const { client: daybook, seen } = scripted([token('a'), refused(), refused(), token('b'), ok({}), ok({})], {
      auth: client,
    });
    await Promise.all([daybook.readMe(), daybook.readMe()]);
    expect(seen.filter(({ url }) => url.endsWith('/oauth/token'))).toHaveLength(2);
  });

  test('an exchange that fails is tried again like a read, then told to everyone, and not remembered', async () => {
    const wrong = problem(401, 'invalid_credentials');
    const { client: daybook, seen, waits } = scripted([cut(), wrong, token('a'), ok({})], { auth: client });
    const both = await Promise.allSettled([daybook.readMe(), daybook.readMe()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(both[0]).toMatchObject({ reason: { code: 'invalid_credentials' } });
    expect(waits).toEqual([125]);
    await daybook.readMe();
    expect(seen).toHaveLength(4);
  });

  test('who leaves does not end the exchange for the others', async () => {
    const leaving = new AbortController();
    const answered = Promise.withResolvers<Response>();
    const { client: daybook } = scripted([() => answered.promise, ok({ mine: true })], { auth: client });
    const left = daybook.readMe({ signal: leaving.signal });
    const stays = daybook.readMe();
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    answered.resolve(token('a'));
    expect((await stays).data).toEqual({ mine: true });
  });
});

test('a token of the caller’s is not renewed', async () => {
  const { client: daybook, seen } = scripted([problem(401, 'unauthorized')]);
  await expect(daybook.readMe()).rejects.toMatchObject({ status: 401 });
  expect(seen).toHaveLength(1);
});

describe('a session', () => {
  test('sends its cookie to its own origin, and the token of the page with writes alone', async () => {
    const { client: daybook, seen } = scripted([ok({}), ok({})], { auth: { session: { csrfToken: () => 'x' } } });
    await daybook.readMe();
    await daybook.signOut();
    expect(seen.map(({ credentials }) => credentials)).toEqual(['same-origin', 'same-origin']);
    expect(seen.map(({ headers }) => headers.get('x-csrf-token'))).toEqual([null, 'x']);
    expect(seen.map(bearer)).toEqual([null, null]);
  });

  test('after forged_request asks for the token once more, and says which one was refused', async () => {
    const forged = () => problem(403, 'forged_request');
    const asked: (string | undefined)[] = [];
    const csrfToken = (refused?: string) => {
      asked.push(refused);
      return refused === undefined ? 'old' : 'new';
    };
    const { client: daybook, seen } = scripted([forged(), ok({}), forged(), forged()], {
      auth: { session: { csrfToken } },
    });
    await daybook.signOut();
    await expect(daybook.signOut()).rejects.toMatchObject({ code: 'forged_request' });
    expect(seen.map(({ headers }) => headers.get('x-csrf-token'))).toEqual(['old', 'new', 'old', 'new']);
    expect(asked).toEqual([undefined, 'old', undefined, 'old']);
  });

  test('a read that is refused as forged is not repeated', async () => {
    const { client: daybook, seen } = scripted([problem(403, 'forged_request')], {
      auth: { session: { csrfToken: () => 'x' } },
    });
    await expect(daybook.readMe()).rejects.toMatchObject({ code: 'forged_request' });
    expect(seen).toHaveLength(1);
  });
});

test('without credentials nothing is sent, no cookie either', async () => {
  const { client: daybook, seen } = scripted([ok({})], { auth: undefined });
  await daybook.readMe();
  expect([bearer(seen[0] ?? { headers: new Headers() }), seen[0]?.credentials]).toEqual([null, 'omit']);
});

test('no scopes are not taken for all of them', () => {
  const auth = { clientId: 'a', clientSecret: 'b', scopes: [] };
  expect(() => createClient({ baseUrl: 'https://loans.example/v2/chain', auth })).toThrow('scopes is empty');
});
