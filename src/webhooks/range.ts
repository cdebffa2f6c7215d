/** The beginning and end of a replay's range in the feed. */

import type { Feed } from '../loans/feed/feed.ts';
import { endOf, feedCursorOf, feedPlaceOf, tickOf } from '../loans/feed/place.ts';
import type { FeedReach } from '../loans/feed/read.ts';

/**
 * The order of the feed is that of commits, and times are those of the processes: an event may come a little after one that was recorded later.
 * Reading begins this long before the range and goes on this long after it.
 */
export const DISORDER_MS = 10 * 60_000;

/** Whether one place is before the other: by tick, volume, block and position; events that are not of a loan end their tick. */
export function isBefore(one: string, other: string, volumes: number): boolean {
  const [a, b] = [one, other].map((text) => {
    const { tick, block, position } = feedPlaceOf(text)?.place ?? endOf(0);
    return [tick, block === 0 ? volumes : block % volumes, block, position];
  }) as [number[], number[]];
  const i = a.findIndex((part, n) => part !== b[n]);
  return i >= 0 && (a[i] as number) < (b[i] as number);
}

/** A cursor before the event: at the end of the tick before its own. */
export function cursorBefore(id: string): string | null {
  const tick = tickOf(id) - 1;
  return tick > 0 ? feedCursorOf(endOf(tick)) : null;
}

/** Pages that are read to find the next event of an organization that has few. */
const PAGES = 20;

/**
 * A cursor before everything that was recorded from this time on, found by halving; null: the beginning. Times grow along the feed of one
 * organization. Those of others that it sees through grants may be of test clocks: then the feed is read from its beginning.
 */
export async function cursorBeforeTime(feed: Feed, reach: FeedReach, from: number): Promise<string | null> {
  if (reach.grants.length > 0) return null;
  let [early, late] = [0, tickOf(await feed.head())];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    const at = await firstAfter(feed, reach, middle);
    if (at !== null && at < from - DISORDER_MS) early = middle;
    else late = middle;
  }
  return early === 0 ? null : feedCursorOf(endOf(early));
}

/** The time at which the first event after a tick was recorded; null: there is none, or none was found in time. */
async function firstAfter(feed: Feed, reach: FeedReach, tick: number): Promise<number | null> {
  let after = feedCursorOf(endOf(tick));
  for (let i = 0; i < PAGES; i++) {
    const page = await feed.read(reach, { after, types: [], loanId: null, limit: 1 });
    if (page === 'unknown cursor') return null;
    const [first] = page.events;
    if (first !== undefined) return Date.parse(first.recordedAt);
    if (!page.more) return null;
    after = page.nextCursor;
  }
  return null;
}
