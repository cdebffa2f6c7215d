/** The events that an endpoint may be sent: those that its organization may still see. */
import { createHash } from 'node:crypto';
import type { Feed } from '../loans/feed/feed.ts';
import type { FeedReach } from '../loans/feed/read.ts';
import type { Item } from './lane.ts';

/** By the list of grants, which is the same as long as nothing changes. */
const digests = new WeakMap<FeedReach['grants'], string>();

/** A digest of the grants: while it is the same, everything that was read with them may still be seen. */
export function digestOf({ grants }: FeedReach): string {
  const known = digests.get(grants) ?? made(grants);
  digests.set(grants, known);
  return known;
}

function made(grants: FeedReach['grants']): string {
  const texts = grants.map(({ ownerOrganizationId, access, servicerId }) =>
    JSON.stringify([ownerOrganizationId, access, servicerId]),
  );
  return createHash('sha256').update(texts.sort().join('\n')).digest('base64url').slice(0, 22);
}

/** If grants have changed since the event was read, the feed is read again with the present ones. */
export async function isStillVisible(feed: Feed, reach: FeedReach, item: Item): Promise<boolean> {
  if (item.reach === digestOf(reach)) return true;
  const { id, type, loanId } = item.event;
  const page = await feed.read(reach, { after: item.preceding, types: [type], loanId, limit: 1 });
  return page !== 'unknown cursor' && page.events[0]?.id === id;
}
