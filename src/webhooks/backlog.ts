/**
 * Counts what waits for an endpoint: the events after its cursor that it wants, and those before it that have a row. It counts up to a bound, so that
 * an endpoint that was paused for a month costs no more to look at than one that is up to date.
 */
import type { Feed } from '../loans/feed/feed.ts';
import type { FeedEvent, FeedReach } from '../loans/feed/read.ts';
import type { Db } from '../store/db/db.ts';
import { readWaiting } from '../store/webhooks/deliveries.ts';
import type { EndpointRow } from '../store/webhooks/webhooks.ts';

/** `exact` is false where there may be more. */
export type Backlog = { readonly count: number; readonly exact: boolean; readonly oldestAt: string | null };

const COUNTED = 1_000;

export function openBacklog(options: {
  db: Db;
  feed: Pick<Feed, 'read'>;
  reachOf: (organizationId: string) => Promise<FeedReach>;
}): (rows: readonly EndpointRow[]) => Promise<Map<string, Backlog>> {
  const { db, feed, reachOf } = options;
  return async (rows) => {
    const ids = rows.map(({ endpoint_id }) => endpoint_id);
    const stored = await readWaiting(db, ids, COUNTED + 1);
    /** Endpoints that want the same often stand at the same place. */
    const pages = new Map<string, ReturnType<Feed['read']>>();
    const backlogs = new Map<string, Backlog>();
    for (const row of rows) {
      const { endpoint_id: id, organization_id: organizationId, cursor: after, types } = row;
      const known = stored.get(id) ?? { eventIds: [], oldest: null };
      const key = JSON.stringify([organizationId, after, types]);
      const page =
        pages.get(key) ?? feed.read(await reachOf(organizationId), { after, types, loanId: null, limit: COUNTED });
      pages.set(key, page);
      const found = await page;
      // The place is unknown after the database was set back: the worker begins anew from what is stored.
      const { events, more } = found === 'unknown cursor' ? { events: [], more: true } : found;
      const behind = events.filter(({ subject }) => subject !== id);
      const all = new Set([...known.eventIds, ...behind.map((event) => event.id)]);
      const oldest = known.oldest === null ? behind[0] : (JSON.parse(known.oldest) as FeedEvent);
      backlogs.set(id, {
        count: Math.min(all.size, COUNTED),
        exact: !more && all.size <= COUNTED,
        oldestAt: oldest?.recordedAt ?? null,
      });
    }
    return backlogs;
  };
}
