/**
 * Pages of the feed for the workers of this process. Endpoints of one organization that want the same types stand at the same place most of
 * the time, and every tick wakes them all: they share what one of them has read.
 */

import type { Feed } from '../loans/feed/feed.ts';
import type { FeedReach } from '../loans/feed/read.ts';
import type { Placed } from './lane.ts';
import { digestOf } from './reach.ts';

export type PlacedPage = {
  /** Each event with the cursor right before it. */
  readonly placed: readonly Placed[];
  readonly nextCursor: string;
  readonly more: boolean;
  /** A digest of the grants under which it was read. */
  readonly reach: string;
};

export type Reading = (
  organizationId: string,
  after: string | null,
  types: readonly string[],
  /** `shared`: a page that is a little old will do, since more is looked for in any case. `fresh`: what is not on it is not there. */
  page: 'shared' | 'fresh',
) => Promise<PlacedPage | 'unknown cursor'>;

const PAGE = 500;
const KEPT_MS = 250;
const KEPT = 16;

export function openReading(options: {
  readonly feed: Feed;
  readonly monotonic: () => number;
  /** The reach of the organization in the feed, read fresh. */
  readonly reachOf: (organizationId: string) => Promise<FeedReach>;
}): Reading {
  const { feed, monotonic, reachOf } = options;
  const pages = new Map<string, { page: ReturnType<Reading>; at: number }>();
  return async (organizationId, after, types, asked) => {
    const reach = await reachOf(organizationId);
    const digest = digestOf(reach);
    if (asked === 'fresh') return read(reach, digest, after, types);
    const key = JSON.stringify([organizationId, digest, after, types]);
    const now = monotonic();
    for (const [old, { at }] of pages) if (now - at >= KEPT_MS || pages.size > KEPT) pages.delete(old);
    const kept = pages.get(key);
    if (kept !== undefined) return kept.page;
    const page = read(reach, digest, after, types);
    pages.set(key, { page, at: now });
    // One that leads nowhere is not kept: whoever is woken by the next event would get it again and again.
    const forget = () => pages.delete(key);
    page.then((read) => (read === 'unknown cursor' || read.nextCursor === after) && forget(), forget);
    return page;
  };

  async function read(reach: FeedReach, digest: string, after: string | null, types: readonly string[]) {
    const page = await feed.read(reach, { after, types, loanId: null, limit: PAGE });
    if (page === 'unknown cursor') return page;
    const placed = page.events.map((event, i) => ({ event, preceding: page.events[i - 1]?.id ?? after }));
    return { placed, nextCursor: page.nextCursor, more: page.more, reach: digest };
  }
}
