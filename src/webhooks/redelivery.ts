/** Deliveries on request: a test, events delivered again, and the log of all attempts. */

import type { Feed } from '../loans/feed/feed.ts';
import type { FeedEvent, FeedReach } from '../loans/feed/read.ts';
import type { Db } from '../store/db/db.ts';
import type { Keep } from '../store/door/idempotency.ts';
import * as deliveries from '../store/webhooks/deliveries.ts';
import * as store from '../store/webhooks/webhooks.ts';
import type { Sealing } from '../vault/cipher.ts';
import { type Attempted, attempt, type Posting } from './attempt.ts';
import { changing, type Refused, refused, secretsOf } from './endpoints.ts';
import { isId, newDeliveryId, newId } from './ids.ts';
import { cursorBefore, cursorBeforeTime, isBefore } from './range.ts';

export type TestOutcome = {
  deliveryId: string;
  endpointId: string;
  eventId: string;
  outcome: 'delivered' | 'failed';
  status: number | null;
  failure: string | null;
  ms: number;
};

/** The events to replay. A range begins and ends with a time, or the id of an event. */
export type ReplaySelection =
  | { what: 'range'; from: Date | string; to: Date | string | null }
  | { what: 'dead letters' }
  | { what: 'delivery'; deliveryId: string };

/** `events`: how many; null: the feed has to be read first. */
export type StartedReplay = { replayId: string; endpointId: string; status: 'running'; events: number | null };
export type DeliveryInfo = Omit<deliveries.DeliveryRow, 'at'> & { at: string };
export type DeliveryPage = { items: DeliveryInfo[]; nextCursor: string | null };

/** Null: the organization has no such endpoint. */
export type Redelivery = {
  test(organizationId: string, endpointId: string, keep: Keep): Promise<TestOutcome | null>;
  replay(
    organizationId: string,
    endpointId: string,
    asked: ReplaySelection,
    keep: Keep,
  ): Promise<StartedReplay | Refused | null>;
  deliveries(organizationId: string, filter: deliveries.DeliveryFilter): Promise<DeliveryPage>;
};

const REPLAYS_AT_MOST = 5;
/** The caller waits for it. */
const TEST_MS = 10_000;

export function openRedelivery(
  options: Posting & {
    readonly db: Db;
    readonly feed: Feed;
    readonly sealing: Sealing;
    readonly reachOf: (organizationId: string) => Promise<FeedReach>;
    readonly onChange: () => void;
  },
): Redelivery {
  const { db, feed, sealing, clock } = options;
  return { test, replay, deliveries: listed };

  async function test(organizationId: string, endpointId: string, keep: Keep): Promise<TestOutcome | null> {
    const row = isId(endpointId) ? await store.endpointOf(db, organizationId, endpointId) : null;
    if (row === null) return null;
    const now = clock();
    const event = testEvent(endpointId, now);
    const target = { url: row.url, secrets: secretsOf(sealing, row, now) };
    const attempted = await attempt(options, target, event, TEST_MS);
    const deliveryId = newDeliveryId(attempted.at);
    const { status, failure, ms } = attempted;
    const outcome = failure === null ? 'delivered' : 'failed';
    const answer = { deliveryId, endpointId, eventId: event.id, outcome, status, failure, ms } as const;
    await db.transaction(async (tx) => {
      await deliveries.logDeliveries(tx, organizationId, [logged(event, attempted, answer)]);
      await keep(tx, answer);
    });
    return answer;
  }

  async function replay(organizationId: string, endpointId: string, asked: ReplaySelection, keep: Keep) {
    const row = isId(endpointId) ? await store.endpointOf(db, organizationId, endpointId) : null;
    if (row === null) return null;
    const found = asked.what === 'range' ? await rangeOf(organizationId, asked) : await deadOf(row, asked);
    if ('refused' in found) return found;
    const started = await changing(options, organizationId, endpointId, async (tx, { status }) => {
      if (status === 'paused') {
        return refused(null, {
          code: 'conflict',
          detail: 'The endpoint is paused; activate it with POST /update-webhook-endpoint first.',
        });
      }
      if ((await deliveries.openReplays(tx, endpointId)).length >= REPLAYS_AT_MOST) {
        return refused(null, {
          code: 'conflict',
          detail: `The endpoint has ${REPLAYS_AT_MOST} replays that have not ended; wait for one to end.`,
        });
      }
      const [replayId, at] = [newId('replay'), new Date(clock())];
      const { eventId, ...range } = found;
      const isRange = asked.what === 'range';
      await deliveries.insertReplay(tx, {
        replay_id: replayId,
        endpoint_id: endpointId,
        kind: isRange ? 'range' : 'dead_letters',
        ...range,
        read_all: !isRange,
        created_at: at,
      });
      const events = isRange
        ? null
        : await deliveries.reviveDead(tx, { endpointId, replayId, eventId: eventId ?? null, at });
      if (events === 0) {
        // Thrown, so that nothing is stored.
        throw new NoDeadLetters();
      }
      await store.touchEndpoint(tx, endpointId);
      const answer = { replayId, endpointId, status: 'running', events } as const;
      await keep(tx, answer);
      return answer;
    }).catch((error: unknown) => {
      if (error instanceof NoDeadLetters)
        return refused(null, { code: 'conflict', detail: 'There is no dead letter to deliver again.' });
      throw error;
    });
    return started;
  }

  async function rangeOf(
    organizationId: string,
    { from, to }: ReplaySelection & { what: 'range' },
  ): Promise<ReplayRange | Refused> {
    const reach = await options.reachOf(organizationId);
    for (const [member, value] of Object.entries({ from, to })) {
      if (typeof value !== 'string') continue;
      const page = await feed.read(reach, { after: value, types: [], loanId: null, limit: 1 });
      if (page === 'unknown cursor')
        return refused(member, { code: 'unknown_event', detail: 'There is no such event.' });
    }
    if (typeof from === 'string' && typeof to === 'string' && isBefore(to, from, db.volumes.count))
      return refused('to', { code: 'contradiction', detail: 'Must not be before from.' });
    return {
      ...NO_RANGE,
      ...(typeof from === 'string' ? { from_event: from } : { from_time: from }),
      // Without an end: up to now. What comes later is delivered anyway.
      ...(to instanceof Date ? { to_time: to } : { to_event: to ?? (await feed.head()) }),
      cursor: typeof from === 'string' ? cursorBefore(from) : await cursorBeforeTime(feed, reach, from.getTime()),
    };
  }

  async function deadOf(
    { organization_id, endpoint_id }: store.EndpointRow,
    asked: ReplaySelection,
  ): Promise<ReplayRange | Refused> {
    if (asked.what !== 'delivery') return NO_RANGE;
    const found = isId(asked.deliveryId) ? await deliveries.deliveryOf(db, organization_id, asked.deliveryId) : null;
    if (found === null || found.endpointId !== endpoint_id) {
      return refused('deliveryId', { code: 'unknown_reference', detail: 'The endpoint has no such delivery.' });
    }
    if (found.outcome === 'dead') return { ...NO_RANGE, eventId: found.eventId };
    return refused('deliveryId', {
      code: 'not_dead',
      detail: 'Only a dead letter can be delivered again by its delivery; use from and to.',
    });
  }

  async function listed(organizationId: string, filter: deliveries.DeliveryFilter): Promise<DeliveryPage> {
    const rows = await deliveries.listDeliveries(db, organizationId, { ...filter, limit: filter.limit + 1 });
    const page = rows.slice(0, filter.limit);
    const items = page.map((row) => ({ ...row, at: row.at.toISOString() }));
    return { items, nextCursor: rows.length > filter.limit ? (page.at(-1)?.deliveryId ?? null) : null };
  }
}

class NoDeadLetters extends Error {}

type ReplayRange = Pick<deliveries.ReplayRow, 'from_time' | 'to_time' | 'from_event' | 'to_event' | 'cursor'> & {
  eventId?: string;
};

const NO_RANGE = { from_time: null, to_time: null, from_event: null, to_event: null, cursor: null };

function testEvent(endpointId: string, now: number): FeedEvent {
  const about = { loanId: null, transactionHash: null, sequence: null, dateEffective: null };
  return {
    id: newId('evt_test'),
    type: 'webhook.test',
    ...about,
    recordedAt: new Date(now).toISOString(),
    subject: endpointId,
  };
}

function logged(
  event: FeedEvent,
  { at }: Attempted,
  { deliveryId, endpointId, outcome, status, failure, ms }: TestOutcome,
) {
  const about = { eventId: event.id, type: event.type, loanId: null, attempt: 1, replayId: null };
  return { deliveryId, endpointId, ...about, at: new Date(at), ms, status, failure, outcome };
}
