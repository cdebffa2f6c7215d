/** A replay that runs: the events of a range, read from the feed once more, or dead letters, in a lane of their own. */
import type { ReplayRow } from '../store/webhooks/deliveries.ts';
import { type Item, type Lane, openLane, type Placed, type Restored } from './lane.ts';
import { DISORDER_MS, isBefore } from './range.ts';

export type ReplayProgress = {
  replayId: string;
  cursor: string | null;
  readAll: boolean;
  replayed: number;
  dead: number;
  endedAt: Date | null;
};

export type Replay = {
  readonly lane: Lane;
  add(page: { placed: readonly Placed[]; nextCursor: string; more: boolean; reach: string }): void;
  /** The whole range was read. */
  hasRead(): boolean;
  settled(outcome: 'delivered' | 'failed' | 'dead'): void;
  changes(now: number, isDown: boolean): { save: Item[]; remove: Item[]; progress: ReplayProgress | null };
  /** Its end is saved. */
  end(): void;
  isEnded(): boolean;
};

export function openReplay(row: ReplayRow, waiting: readonly Restored[], volumes: number): Replay {
  const lane = openLane(row.replay_id, row.cursor, waiting);
  let hasRead = row.read_all;
  let saved = { cursor: row.cursor, readAll: row.read_all };
  let [replayed, dead, ended] = [0, 0, false];
  const from = row.from_time?.getTime() ?? Number.NEGATIVE_INFINITY;
  const to = row.to_time?.getTime() ?? Number.POSITIVE_INFINITY;
  return {
    lane,
    add({ placed, nextCursor, more, reach }) {
      const inRange: Placed[] = [];
      for (const one of placed) {
        const { id, recordedAt } = one.event;
        const at = Date.parse(recordedAt);
        const isAfter = row.to_event !== null && isBefore(row.to_event, id, volumes);
        hasRead ||= isAfter || at > to + DISORDER_MS;
        if (hasRead) break;
        const hasBegun = row.from_event === null || !isBefore(id, row.from_event, volumes);
        if (hasBegun && at >= from && at <= to) inRange.push(one);
      }
      lane.add(inRange, nextCursor, reach);
      if (!more) hasRead = true;
    },
    hasRead: () => hasRead,
    settled(outcome) {
      if (outcome === 'delivered') replayed += 1;
      if (outcome === 'dead') dead += 1;
    },
    changes(now, isDown) {
      const { cursor, save, remove } = lane.changes(now, isDown);
      const isOver = hasRead && lane.isEmpty();
      const isSame = cursor === saved.cursor && hasRead === saved.readAll && replayed === 0 && dead === 0 && !isOver;
      const endedAt = isOver ? new Date(now) : null;
      const progress = { replayId: row.replay_id, cursor, readAll: hasRead, replayed, dead, endedAt };
      saved = { cursor, readAll: hasRead };
      [replayed, dead] = [0, 0];
      return { save, remove, progress: isSame ? null : progress };
    },
    end() {
      ended = true;
    },
    isEnded: () => ended,
  };
}
