/** The feed over HTTP: pages, the stream, who sees what, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type CallOptions, type TestApp, testApp } from '../support/app.ts';
import { signedIn } from '../support/people.ts';
import { eventually } from '../support/service.ts';
import { creation } from '../support/statuses.ts';

type Event = { id: string; type: string; loanId: string | null; sequence: number | null };
type Page = { items: Event[]; nextCursor: string; more: boolean };

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const call = (method: string, path: string, options: CallOptions = {}): Promise<Answered> =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...options });

async function post(path: string, body: object): Promise<Answered> {
  const answer = await call('POST', path, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

async function page(query = '', options: CallOptions = {}): Promise<Page> {
  const answer = await call('GET', `events${query}`, options);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

async function newLoan(): Promise<string> {
  return (await post('loans', creation())).body.loanId;
}

/** The messages of a stream so far. */
function streamOf(query = '', headers: Record<string, string> = {}, as: string | null = token) {
  const ends = new AbortController();
  const got = { events: [] as Event[], ids: [] as string[], comments: 0, ended: false, status: 0, type: '' };
  const reading = (async () => {
    const answer = await fetch(`${service.url}/v2/chain/events${query}`, {
      headers: { ...(as === null ? {} : { authorization: `Bearer ${as}` }), accept: 'text/event-stream', ...headers },
      signal: ends.signal,
    });
    got.status = answer.status;
    got.type = answer.headers.get('content-type') ?? '';
    let text = '';
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk);
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field('data');
        if (data === undefined) got.comments += 1;
        else {
          got.events.push(JSON.parse(data));
          got.ids.push(field('id') ?? '');
        }
      }
    }
    got.ended = true;
  })().catch(() => {
    got.ended = true;
  });
  const close = () => {
    ends.abort();
    return reading;
  };
  return { got, close };
}

describe('by pages', () => {
  test('each event is there with its ids and times alone, and a reader goes on from anywhere', async () => {
    const loanId = await newLoan();
    await post('start-underwriting', { loanId });
    const { items, nextCursor, more } = await page(`?loanId=${loanId}`);
    expect(items.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['loan.created', 1],
      ['application.underwriting_started', 2],
    ]);
    expect(Object.keys(items[0] as object).sort()).toEqual(
      ['dateEffective', 'id', 'loanId', 'recordedAt', 'sequence', 'subject', 'transactionHash', 'type'].sort(),
    );
    expect(more).toBe(false);
    expect((await page(`?after=${items[0]?.id}&loanId=${loanId}`)).items).toEqual(items.slice(1));
    expect((await page(`?after=${nextCursor}`)).items).toEqual([]);
    expect((await page(`?loanId=${loanId}&types=application.*`)).items).toEqual(items.slice(1));
    expect((await page(`?loanId=${loanId}&types=`)).items).toEqual(items);
    expect((await page(`?limit=1&loanId=${loanId}`)).more).toBe(true);
  });

  test('a page is of the organization alone, and needs the scope', async () => {
    await newLoan();
    const { organizationId } = await service.access.createOrganization('Elsewhere');
    const made = await service.access.createClient(organizationId, { name: 'reader', scopes: ['events:read'] });
    const answer = await service.call('POST', '/v2/chain/auth-token', {
      body: { clientId: made.clientId, clientSecret: made.clientSecret },
    });
    const other = answer.body.token ?? answer.body.data?.token;
    expect((await page('', { token: other, key: '' })).items).toEqual([]);
    const without = await call('GET', 'events', { token: await service.token(['loans:read']), key: '' });
    expect([without.status, without.body.code]).toEqual([403, 'insufficient_scope']);
  });

  test.each([
    ['?after=nonsense', '/after'],
    [`?after=${'x'.repeat(65)}`, '/after'],
    ['?types=payment.none', '/types'],
    ['?types=payment', '/types'],
    ['?loanId=0x12', '/loanId'],
    ['?limit=0', '/limit'],
    ['?limit=1001', '/limit'],
    ['?unknown=1', '/unknown'],
  ])('%s is refused', async (query, pointer) => {
    const answer = await call('GET', `events${query}`);
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request']);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });
});

describe('as a stream', () => {
  test('it begins after the given event, goes on as things happen, and is resumed by Last-Event-ID', async () => {
    const loanId = await newLoan();
    const { nextCursor } = await page(`?after=${(await page(`?loanId=${loanId}`)).items[0]?.id}`);
    const first = streamOf(`?after=${nextCursor}&loanId=${loanId}`);
    await post('start-underwriting', { loanId });
    await eventually(async () => first.got.events.length >= 1);
    expect(first.got.type).toBe('text/event-stream');
    await post('complete-underwriting', { loanId, approved: true });
    await eventually(async () => first.got.events.length >= 2);
    expect(first.got.ids).toEqual(first.got.events.map(({ id }) => id));
    await first.close();
    await post('cancel', { loanId });
    const second = streamOf(`?after=${nextCursor}&loanId=${loanId}`, { 'Last-Event-ID': first.got.ids[0] ?? '' });
    await eventually(async () => second.got.events.length >= 2);
    await second.close();
    expect([...first.got.events.slice(0, 1), ...second.got.events]).toEqual(
      (await page(`?after=${nextCursor}&loanId=${loanId}`)).items,
    );
  });

  test('what is wrong is refused before it begins', async () => {
    for (const [query, last, named] of [
      ['?after=nonsense', '', '/after'],
      ['', 'nonsense', 'Last-Event-ID'],
      ['?types=x', '', '/types'],
    ] as const) {
      const answer = await call('GET', `events${query}`, {
        headers: { accept: 'text/event-stream', 'last-event-id': last },
      });
      expect(answer.status).toBe(422);
      expect(String((answer.body as { detail?: unknown }).detail)).toContain(`${named}: `);
    }
  });

  test('it ends when the client is revoked, and nothing more is sent', async () => {
    const { clientId, clientSecret } = await service.access.createClient(service.organizationId, {
      name: 'watcher',
      scopes: ['events:read'],
    });
    const answer = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const { got } = streamOf('', {}, answer.body.token ?? answer.body.data?.token);
    await eventually(async () => got.events.length > 0);
    await service.access.revokeClient(service.organizationId, clientId);
    await eventually(async () => {
      await newLoan();
      return got.ended;
    });
    const seen = got.events.length;
    await newLoan();
    expect(got.events.length).toBe(seen);
  });

  test('of a person it ends once the secret of the session was replaced, and the session goes on', async () => {
    const person = await signedIn(service, ['manager']);
    const me = (cookie: string) => service.call('GET', '/v2/chain/session', { headers: { cookie } });
    const { got } = streamOf('', person.cookie, null);
    await eventually(async () => got.events.length > 0);
    service.clock.now += 11 * 60_000;
    const [renewed = ''] = ((await me(person.cookie.cookie)).headers.get('set-cookie') ?? '').split(';');
    expect(renewed).toMatch(/^daybook_session=./);
    expect((await me(renewed)).status).toBe(200);
    service.clock.now += 2 * 60_000;
    await eventually(async () => {
      await newLoan();
      return got.ended;
    });
    expect((await me(renewed)).status).toBe(200);
    const again = streamOf('', { cookie: renewed }, null);
    await eventually(async () => again.got.events.length > 0);
    await again.close();
  });

  test('it ends when the service stops', async () => {
    const { got } = streamOf();
    await eventually(async () => got.events.length > 0);
    service.loans.feed.stopFollowing();
    await eventually(async () => got.ended);
  });
});
