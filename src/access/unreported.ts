/**
 * Failures that this process has counted but not yet reported to the others. Callers choose the names (an address, an invented client id), so
 * it is bounded: a report takes the largest counts first, the rest wait, and when too many wait the oldest is dropped. That one counts
 * only in this process.
 */
import type { UsageLine } from '../store/access/usage.ts';

export type Unreported = {
  /** `count` may be negative: an attempt that was counted and turned out not to be a failure. */
  add(name: string, count: number): void;
  /** The count of this name was reset. Reported to the others before what is added later. */
  restart(name: string): void;
  /** Lines of name, count, and 1 if the count was reset before it. */
  take(most: number): UsageLine[];
};

export function openUnreported(bound = 5_000): Unreported {
  const waiting = new Map<string, { count: number; restarted: boolean }>();

  function keep(name: string, entry: { count: number; restarted: boolean }): void {
    if (entry.count === 0 && !entry.restarted) {
      waiting.delete(name);
      return;
    }
    if (waiting.size >= bound && !waiting.has(name)) {
      const [oldest] = waiting.keys();
      if (oldest !== undefined) waiting.delete(oldest);
    }
    waiting.set(name, entry);
  }

  return {
    add(name, count) {
      const known = waiting.get(name);
      keep(name, { count: (known?.count ?? 0) + count, restarted: known?.restarted ?? false });
    },
    restart: (name) => keep(name, { count: 0, restarted: true }),
    take(most) {
      if (waiting.size === 0) return [];
      const weight = ({ count, restarted }: { count: number; restarted: boolean }) =>
        restarted ? Number.MAX_SAFE_INTEGER : Math.abs(count);
      const all = [...waiting];
      if (all.length > most) all.sort(([, a], [, b]) => weight(b) - weight(a));
      return all.slice(0, most).map(([name, { count, restarted }]) => {
        waiting.delete(name);
        return restarted ? [name, count, 1] : [name, count];
      });
    },
  };
}
