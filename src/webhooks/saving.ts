/** Saves what a worker has done: cursor, waiting events, replay and log, in one transaction and only while the lease is held. */

import type { FeedEvent } from '../loans/feed/read.ts';
import type { Db } from '../store/db/db.ts';
import {
  type DeliveryRow,
  logDeliveries,
  removeWaiting,
  saveReplay,
  saveWaiting,
  type WaitingRow,
} from '../store/webhooks/deliveries.ts';
import { type LeasedEndpoint, saveProgress } from '../store/webhooks/webhooks.ts';
import type { BreakerState } from './breaker.ts';
import type { Item, Restored } from './lane.ts';
import type { ReplayProgress } from './replay.ts';

export type Batch = {
  organizationId: string;
  /** Null: not moved. */
  cursor: string | null;
  save: WaitingRow[];
  remove: { lane: string; eventId: string }[];
  log: DeliveryRow[];
  breaker: BreakerState;
  deliveredAt: number | null;
  replay: ReplayProgress | null;
};

export function isNothing({ cursor, save, remove, log, replay }: Batch): boolean {
  return cursor === null && save.length === 0 && remove.length === 0 && log.length === 0 && replay === null;
}

/** False: the lease is lost; nothing was saved. */
export function saveBatch(
  db: Db,
  worker: { processId: string; endpointId: string } & LeasedEndpoint,
  batch: Batch,
): Promise<boolean> {
  const { endpointId } = worker;
  const { failures, failingSince, heldUntil, isDown } = batch.breaker;
  const progress = {
    cursor: batch.cursor,
    failures,
    failingSince: dateOf(failingSince),
    heldUntil: dateOf(heldUntil),
    isDown,
    deliveredAt: dateOf(batch.deliveredAt),
  };
  return db.transaction(async (tx) => {
    const saved = await saveProgress(tx, worker, progress);
    if (saved === 'lost') return false;
    // If the endpoint was changed meanwhile, everything is tried again at once.
    const waiting = saved === 'saved' ? batch.save : batch.save.map((row) => ({ ...row, nextAt: new Date(0) }));
    await saveWaiting(tx, endpointId, waiting);
    await removeWaiting(tx, endpointId, batch.remove);
    await logDeliveries(tx, batch.organizationId, batch.log);
    if (batch.replay !== null) await saveReplay(tx, batch.replay);
    return true;
  });
}

export function rowOf(item: Item): WaitingRow {
  return {
    lane: item.lane,
    eventId: item.event.id,
    place: item.place,
    event: JSON.stringify(item.event),
    preceding: item.preceding,
    reach: item.reach,
    attempts: item.attempts,
    steps: item.steps,
    nextAt: new Date(item.nextAt),
    firstFailedAt: dateOf(item.firstFailedAt),
    lastOutcome: item.lastOutcome,
    deadAt: dateOf(item.deadAt),
  };
}

export function restored(row: WaitingRow): Restored {
  return {
    lane: row.lane,
    event: JSON.parse(row.event) as FeedEvent,
    place: row.place,
    preceding: row.preceding,
    reach: row.reach,
    attempts: row.attempts,
    steps: row.steps,
    nextAt: row.nextAt.getTime(),
    firstFailedAt: row.firstFailedAt?.getTime() ?? null,
    lastOutcome: row.lastOutcome,
    deadAt: null,
  };
}

const dateOf = (at: number | null): Date | null => (at === null ? null : new Date(at));
