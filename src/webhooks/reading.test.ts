import { expect, test } from 'vitest';
import type { Feed } from '../loans/feed/feed.ts';
import { openReading } from './reading.ts';

/** A feed of this many events; `at` stands still, so that a page stays kept unless something else ends that. */
function reading() {
  const feed = { events: 0, reads: 0 };
  const read = async (_reach: unknown, { after }: { after: string | null }) => {
    feed.reads += 1;
    const events = Array.from({ length: feed.events }, (_, i) => ({ id: `evt_${i + 1}` })).slice(Number(after ?? 0));
    return { events, nextCursor: String(feed.events), more: false };
  };
  const pages = openReading({
    feed: { read } as unknown as Feed,
    monotonic: () => 0,
    reachOf: async (organizationId) => ({ organizationId, grants: [] }),
  });
  const ids = async (after: string | null, asked: 'shared' | 'fresh') => {
    const page = await pages('org', after, [], asked);
    return page === 'unknown cursor' ? page : page.placed.map(({ event }) => event.id);
  };
  return { feed, ids };
}

test('endpoints at the same place share a page; a replay, which ends with what it reads, gets one of its own', async () => {
  const { feed, ids } = reading();
  feed.events = 1;
  expect(await ids('0', 'shared')).toEqual(['evt_1']);
  feed.events = 3;
  expect(await ids('0', 'shared')).toEqual(['evt_1']);
  expect(feed.reads).toBe(1);
  expect(await ids('0', 'fresh')).toEqual(['evt_1', 'evt_2', 'evt_3']);
  expect(await ids('1', 'shared')).toEqual(['evt_2', 'evt_3']);
});

test('a page without progress is not kept: what comes next is read at once', async () => {
  const { feed, ids } = reading();
  expect(await ids('0', 'shared')).toEqual([]);
  feed.events = 1;
  expect(await ids('0', 'shared')).toEqual(['evt_1']);
});
