/**
 * Finds the requests behind long turns of the service's event loop. A long turn may be the sum of several requests that arrived
 * together, so everything waits for a moment, and those that were in progress are sent again one by one.
 */
import type { FuzzCase } from './requests.ts';
import { type LongTurn, now } from './service.ts';

/** At most so many requests are sent again in a run, and so many of one kind. */
const MOST_REPLAYS = 400;
const MOST_OF_A_KIND = 4;

/** The time that the loop works on a request alone, in milliseconds of CPU time. */
type Replay = (one: FuzzCase) => Promise<number>;

export type TurnWatch = {
  noted(turn: LongTurn): void;
  /** Records the case as in progress while it is sent. */
  during<T>(one: FuzzCase, send: () => Promise<T>): Promise<T>;
  /** Sends the suspects of long turns again; every sender waits here meanwhile. */
  settled(replay: Replay): Promise<void>;
  report(): string;
};

export function openTurnWatch(): TurnWatch {
  const underWay = new Map<FuzzCase, number>();
  /** Cases that ended lately, with their times: the report of a long turn arrives after the answers of that turn. */
  let recent: { one: FuzzCase; from: number; to: number }[] = [];
  let suspects: FuzzCase[] = [];
  let replaying: Promise<void> | undefined;
  let longest = 0;
  let count = 0;
  const kinds = new Map<string, number>();
  const found: { label: string; cpuMs: number; size: number }[] = [];

  async function replayAll(replay: Replay): Promise<void> {
    while (underWay.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    while (suspects.length > 0 && count < MOST_REPLAYS) {
      const one = suspects.shift() as FuzzCase;
      // The operation, or all of a label that names none.
      const kind = /^\w+(?=[ ,][^"]*$)/.exec(one.label)?.[0] ?? one.label;
      const times = kinds.get(kind) ?? 0;
      if (times >= MOST_OF_A_KIND) continue;
      kinds.set(kind, times + 1);
      count += 1;
      found.push({ label: one.label, cpuMs: await replay(one), size: one.bytes.length });
    }
    suspects = [];
    recent = [];
  }

  return {
    noted(turn) {
      longest = Math.max(longest, turn.cpuMs);
      // Turns of the replays themselves.
      if (replaying !== undefined) return;
      for (const [one, from] of underWay) if (from <= turn.to) suspects.push(one);
      for (const { one, from, to } of recent) if (from <= turn.to && to >= turn.from) suspects.push(one);
    },
    async during(one, send) {
      underWay.set(one, now());
      try {
        return await send();
      } finally {
        const from = underWay.get(one) ?? 0;
        underWay.delete(one);
        recent.push({ one, from, to: now() });
        if (recent.length > 200) recent = recent.slice(-100);
      }
    },
    async settled(replay) {
      if (suspects.length === 0 && replaying === undefined) return;
      replaying ??= replayAll(replay).finally(() => {
        replaying = undefined;
      });
      await replaying;
    },
    report() {
      const slowest = found.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, 20);
      const rows = slowest.map(
        ({ label, cpuMs, size }) => `${cpuMs.toFixed(1).padStart(9)} ms  ${label.slice(0, 120)} (${size} bytes)`,
      );
      return [`longest turn ${longest.toFixed(1)} ms of CPU; ${count} requests sent again alone:`, ...rows].join('\n');
    },
  };
}
