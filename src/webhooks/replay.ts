/** A replay that runs: the events of a range, read from the feed once more, or dead letters, in a lane of their own. */
import type { ReplayRow } from '../store/webhook-deliveries.ts';
import { type Item, type Lane, openLane, type Placed, type Restored } from './lane.ts';

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

/**
 * The order of the feed is that of commits, and times are those of the processes: an event may come a little after one that was recorded later.
 * Reading goes on for this long after the end of the range.
 */
const DISORDER_MS = 10 * 60_000;

export function openReplay(row: ReplayRow, waiting: readonly Restored[]): Replay {
  const lane = openLane(row.replay_id, row.cursor, waiting);
  // Without a cursor the feed is read from its beginning, up to the first event of the range.
  let hasBegun = row.from_event === null || row.cursor !== null;
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
        if (id === row.from_event) hasBegun = true;
        if (hasBegun && at >= from && at <= to) inRange.push(one);
        if (id === row.to_event || at > to + DISORDER_MS) hasRead = true;
        if (hasRead) break;
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
      const at = hasBegun ? cursor : null;
      const isSame = at === saved.cursor && hasRead === saved.readAll && replayed === 0 && dead === 0 && !isOver;
      const endedAt = isOver ? new Date(now) : null;
      const progress = { replayId: row.replay_id, cursor: at, readAll: hasRead, replayed, dead, endedAt };
      saved = { cursor: at, readAll: hasRead };
      [replayed, dead] = [0, 0];
      return { save, remove, progress: isSame ? null : progress };
    },
    end() {
      ended = true;
    },
    isEnded: () => ended,
  };
}
