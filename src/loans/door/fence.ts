/**
 * The fence between two days: from when on nothing can be recorded of a day any more, whatever process writes.
 *
 * A decision of a moment is saved within two minutes of it by the database's clock, or not at all: the saving statement compares after
 * it has locked its volume, and a batch that comes too late (its process was suspended, or waited for the lock) is decided again at the
 * present moment. So once the database's clock has passed the end of a day by two minutes, every save of that day holds the head of its
 * volume already, so locking each head once shows all of them committed. Clocks of processes are within a minute of the
 * database's (`skew.ts`), which the waiting time includes. Nothing is stored for it, and a write pays one comparison.
 */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { passHead } from '../../store/cycle/cycles.ts';
import type { Sql } from '../../store/db/db.ts';
import type { Clock } from './clocks.ts';

const SAVED_WITHIN_MS = 120_000;
/** By how much the clocks of this process and of the database may differ, and that of another server after a failover. */
const CLOCKS_APART_MS = 70_000;

/** Until when, by the database's clock, a decision of a moment may be saved. */
export function savedUntil(at: number): Date {
  return new Date(at + SAVED_WITHIN_MS);
}

/**
 * The last day that is over for every writer once `passFence` has returned. A save by a test clock holds that clock, so nothing is recorded
 * of a day that it has left.
 */
export function lastDayOver({ dayOf, test }: Pick<Clock, 'dayOf' | 'test'>, now: number): PlainDate {
  return addDays(test?.standsOn ?? dayOf(now - SAVED_WITHIN_MS - CLOCKS_APART_MS), -1);
}

/** Whether its cycles are run by the process that advances it. While a sandbox is being filled, and after it has ended, no process runs them. */
export function isMoved({ test }: Pick<Clock, 'test'>): boolean {
  return test !== null && (test.filling || test.ended || test.advancingTo !== null);
}

/** Waits for the saves that are under way. */
export async function passFence(db: Sql): Promise<void> {
  for (let volume = 0; volume < db.volumes.count; volume++) await passHead(db, volume);
}
