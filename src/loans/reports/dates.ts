/**
 * Reports on a date that no cycle writes, one that is no month end, or is before the first cycle: its positions are computed in the background,
 * once, and kept like all others. The row of the date says how far it is. Any process may work on it; of one organization one date is worked on at a time.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { isMonthEnd } from '../../portfolio/months.ts';
import { readFirstRecorded } from '../../store/books/books.ts';
import { readHeads } from '../../store/cycle/cycles.ts';
import type { Db } from '../../store/db/db.ts';
import {
  addPositionDate,
  endPositionDate,
  type PositionDate,
  passPositionDate,
  readPositionDates,
  releasePositionDate,
  takePositionDate,
} from '../../store/reports/position-dates.ts';
import { countFunded } from '../../store/reports/positions.ts';
import type { Clocks } from '../door/clocks.ts';
import { lastDayOver } from '../door/fence.ts';
import { writeDate } from './write.ts';

/** `over`: the last day that is over, the last that can be asked for. `full`: the organization has asked for as many dates as are kept. */
export type DateState =
  | { readonly ready: true }
  | { readonly ready: false; readonly done: number; readonly total: number }
  | { readonly refused: 'notOver'; readonly over: PlainDate }
  | { readonly refused: 'full'; readonly most: number };

export type PositionDates = {
  /**
   * Whether the positions of a past date are there. A month end has them once its cycle has run. Another date is computed from the first call
   * on; the same call again says how far it is.
   */
  ensure(organizationId: string, date: PlainDate): Promise<DateState>;
  /** Works on dates that were asked for, until there are none. */
  goOn(stopped: () => boolean): Promise<void>;
};

/** Dates besides month ends that an organization may have. Their rows are never deleted, so there is a limit. */
const DATES_AT_MOST = 24;
/** The time that a process may be silent before another goes on with its date. */
const HELD_MS = 60_000;

export function openPositionDates({
  db,
  clock,
  clocks,
}: {
  db: Db;
  clock: () => number;
  clocks: Clocks;
}): PositionDates {
  return { ensure, goOn };

  async function ensure(organizationId: string, date: PlainDate): Promise<DateState> {
    const over = lastDayOver(await clocks.one(organizationId), clock());
    if (date > over) return { refused: 'notOver', over };
    const [head] = await readHeads(db, [organizationId]);
    const first = head?.first ?? (await firstRecorded(organizationId));
    if (first === null) return { ready: true };
    // No cycle runs for a month end before the first: there is nothing to wait for but those that were asked for when a past was filled in.
    if (isMonthEnd(date) && date < first) {
      const open = (await readPositionDates(db, organizationId)).find((one) => !one.ready && isMonthEnd(one.date));
      return open === undefined ? { ready: true } : { ready: false, done: open.done, total: open.total };
    }
    // Counting the loans of a large book takes a second, so what is ready is found first.
    if (isMonthEnd(date) && head !== undefined && head.through >= date) return { ready: true };
    const total = await countFunded(db, organizationId);
    const waits = { ready: false, done: 0, total } as const;
    if (isMonthEnd(date)) return waits;
    const all = await readPositionDates(db, organizationId);
    const found = all.find((one) => one.date === date);
    if (found?.ready) return { ready: true };
    if (found !== undefined) return { ready: false, done: found.done, total: found.total };
    const others = all.filter((one) => !isMonthEnd(one.date));
    if (others.length >= DATES_AT_MOST) return { refused: 'full', most: DATES_AT_MOST };
    // Not while a cycle is to be run: what it records is still missing, and it restates only the dates that it knows of.
    if (head?.through === over) await addPositionDate(db, { organizationId, date, knownOn: over, total });
    return waits;
  }

  /** Null: the organization has no loans. */
  async function firstRecorded(organizationId: string): Promise<PlainDate | null> {
    const firsts = await readFirstRecorded(db, { organizationId, lenderId: null });
    return [...firsts.values()].sort()[0] ?? null;
  }

  async function goOn(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const taken = await takePositionDate(db, HELD_MS);
      if (taken === null) return;
      await work(taken, stopped);
    }
  }

  async function work(taken: PositionDate, stopped: () => boolean): Promise<void> {
    const { policies } = await clocks.one(taken.organizationId);
    // Loans that an earlier process has done are not gone through again; they count once all are done.
    let done = 0;
    let failed = false;
    const writing = {
      db,
      policies,
      stopped: () => stopped() || failed,
      failed() {
        // A loan that cannot be folded would be missing from the sums without a word; the cycle reports it.
        failed = true;
      },
      async onDone(loans: number) {
        done += loans;
        await passPositionDate(db, taken, { done, heldMs: HELD_MS });
      },
    };
    if (await writeDate(writing, taken)) await endPositionDate(db, taken);
    else if (!failed) await releasePositionDate(db, taken);
  }
}
