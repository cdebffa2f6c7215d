import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { messageReader } from './sse.ts';
import { cut, ok, problem, scripted } from './support/scripted.ts';
import type { FeedEvent } from './types.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('messages', () => {
  const feed =
    '\uFEFF: begins\r\n\r\nid: 1\r\ndata: {"a":"ü€😀"}\r\ndata: second line\r\n\r\nid:2\rdata: one\rdata:two\r\r: quiet\n\nevent: x\ndata\n\nid: bad\0\nretry: 9\ndata:  kept\n\nid\ndata: {}\n\ndata: unfinished\n';
  const messages = [
    { id: '1', data: '{"a":"ü€😀"}\nsecond line' },
    { id: '2', data: 'one\ntwo' },
    { id: '2', data: '' },
    { id: '2', data: ' kept' },
    { id: '', data: '{}' },
  ];

  test('are the same wherever the bytes are cut', () => {
    const all = bytes(feed);
    expect(messageReader()(all)).toEqual(messages);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: all.length }), { maxLength: 40 }), (places) => {
        const read = messageReader();
        const cuts = [0, ...places.sort((a, b) => a - b), all.length];
        const found = cuts.slice(1).flatMap((end, i) => read(all.slice(cuts[i], end)));
        expect(found).toEqual(messages);
      }),
    );
  });

  test('byte by byte', () => {
    const read = messageReader();
    expect([...bytes(feed)].flatMap((byte) => read(Uint8Array.of(byte)))).toEqual(messages);
  });
});

describe('stream', () => {
  const message = (id: string) => `id: ${id}\ndata: {"id":"${id}","type":"payment.submitted"}\n\n`;
  /** Ends after its parts, or stays open. */
  const sent = (parts: readonly string[], end: 'ends' | 'fails' | 'stays' = 'ends') =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(bytes(part));
          if (end === 'ends') controller.close();
        },
        pull(controller) {
          if (end === 'fails') controller.error(new TypeError('terminated'));
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  const take = async (events: AsyncIterable<FeedEvent>, count: number) => {
    const ids: string[] = [];
    for await (const { id } of events) if (ids.push(id) >= count) break;
    return ids;
  };

  test('goes on where it stopped, after an end, a cut, and a service that is away for long', async () => {
    const { client, seen, waits } = scripted(
      [
        sent([': hello\n\n', message('a')]),
        sent([message('b').slice(0, 9)], 'fails'),
        cut(),
        problem(503, 'unavailable', {}, { 'retry-after': '2' }),
        cut(),
        sent([message('b'), message('c')], 'stays'),
      ],
      { retries: 1 },
    );
    expect(await take(client.stream({ types: ['payment.*', 'fee.*'], loanId: '0x1' }), 3)).toEqual(['a', 'b', 'c']);
    expect(seen).toHaveLength(6);
    expect(seen.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, 'a', 'a', 'a', 'a', 'a']);
    expect(new URL(seen[5]?.url ?? '').search).toBe('?types=payment.*%2Cfee.*&loanId=0x1');
    expect(seen[0]?.headers.get('accept')).toBe('text/event-stream');
    expect(waits).toEqual([125, 125, 125, 2_250, 125]);
  });

  test('waits longer and longer for a service that ends it at once', async () => {
    const { client, waits } = scripted([...Array.from({ length: 10 }, () => sent([])), sent([message('a')], 'stays')]);
    await take(client.stream(), 1);
    expect(waits).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  test('the first connection fails like a call', async () => {
    const { client, seen } = scripted([cut(), cut()], { retries: 1 });
    await expect(take(client.stream(), 1)).rejects.toThrow('listEvents: the connection failed.');
    expect(seen).toHaveLength(2);
  });

  test.each([403, 422])('a %d ends it, also later', async (status) => {
    const { client } = scripted([sent([message('a')]), problem(status, 'x')]);
    await expect(take(client.stream(), 2)).rejects.toMatchObject({ status });
  });

  test('what is no stream, or has no event in it, is told', async () => {
    const page = new Response('<p>', { headers: { 'content-type': 'text/html' } });
    await expect(take(scripted([page]).client.stream(), 1)).rejects.toMatchObject({ code: 'unexpected_answer' });
    await expect(take(scripted([ok({})]).client.stream(), 1)).rejects.toMatchObject({ code: 'unexpected_answer' });
    const text = sent(['data: hello\n\n']);
    await expect(take(scripted([text]).client.stream(), 1)).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  test('aborting ends the loop without an error, while it reads and while it waits', async () => {
    const leaving = new AbortController();
    const reading = scripted([(_, signal) => sentUntil(signal)]);
    const ids: string[] = [];
    for await (const { id } of reading.client.stream({ signal: leaving.signal })) {
      ids.push(id);
      leaving.abort();
    }
    expect(ids).toEqual(['a']);
    const waiting = new AbortController();
    const { client } = scripted([sent([])], {
      sleep: async (_, signal) => {
        waiting.abort();
        signal?.throwIfAborted();
      },
    });
    expect(await take(client.stream({ signal: waiting.signal }), 1)).toEqual([]);
    expect(await take(scripted([]).client.stream({ signal: AbortSignal.abort() }), 1)).toEqual([]);
  });

  test('a connection without even a comment for 45 seconds is dead, however short a call may take', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { client, seen } = scripted([(_, signal) => sentUntil(signal), sent([message('b')], 'stays')], {
        timeoutMs: 5_000,
      });
      const both = take(client.stream(), 2);
      await vi.advanceTimersByTimeAsync(44_999);
      expect(seen).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await both).toEqual(['a', 'b']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('leaving the loop closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    const { client } = scripted([
      (_, signal) => {
        signal.addEventListener('abort', () => closed.resolve());
        return sentUntil(signal);
      },
    ]);
    expect(await take(client.stream(), 1)).toEqual(['a']);
    await closed.promise;
  });

  test('from now on: the place is kept even if the connection is cut before the first event', async () => {
    const { client, seen } = scripted([
      ok({ items: [], nextCursor: 'cur_1', more: false }),
      sent([': quiet\n\n']),
      sent([message('a')], 'stays'),
    ]);
    expect(await take(client.stream({ after: 'now' }), 1)).toEqual(['a']);
    expect(seen.map(({ url }) => new URL(url).search)).toEqual(['?after=now&limit=1', '?after=cur_1', '?after=cur_1']);
  });

  /** As a connection does, it fails when it is aborted. */
  function sentUntil(signal: AbortSignal) {
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(bytes(message('a')));
          signal.addEventListener('abort', () => controller.error(signal.reason));
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  }
});
