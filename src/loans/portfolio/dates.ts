/**
 * Reports on a date that no cycle writes, one that is no month end, or is before the first cycle: its positions are computed in the background,
 * once, and kept like all others. The row of the date says how far it is. Any process may work on it; of one organization one date is worked on at a time.
 */
import { lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { readHeads } from '../../store/cycles.ts';
import type { Db } from '../../store/db.ts';
import {
  addPositionDate,
  endPositionDate,
  type PositionDate,
  passPositionDate,
  readPositionDates,
  releasePositionDate,
  takePositionDate,
} from '../../store/position-dates.ts';
import { countFunded } from '../../store/positions.ts';
import type { Clocks } from '../clock/clocks.ts';
import { lastDayOver } from '../cycle/fence.ts';
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
/** How long a process may be silent before another goes on with its date. */
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
    // Counting the loans of a large book takes a second, so what is ready is found first.
    const isMonthEnd = date === lastOfMonth(date);
    if (isMonthEnd && head !== undefined && head.through >= date && date >= head.first) return { ready: true };
    const total = await countFunded(db, organizationId);
    // An organization without loans has no cycles, and nothing to wait for.
    if (head === undefined && total === 0) return { ready: true };
    const waits = { ready: false, done: 0, total } as const;
    if (isMonthEnd && (head === undefined || date >= head.first)) return waits;
    const all = await readPositionDates(db, organizationId);
    // A report of a month end counts the months before it too; those before the first cycle are all asked for together.
    const needed = all.filter((one) => (isMonthEnd ? one.date === lastOfMonth(one.date) : one.date === date));
    const found = needed.find(({ ready }) => !ready);
    if (found !== undefined) return { ready: false, done: found.done, total: found.total };
    if (isMonthEnd || needed.length > 0) return { ready: true };
    if (all.filter((one) => one.date !== lastOfMonth(one.date)).length >= DATES_AT_MOST) return { refused: 'full', most: DATES_AT_MOST };
    // Not while a cycle is to be run: what it records is still missing, and it restates only the dates that it knows of.
    if (head?.through === over) await addPositionDate(db, { organizationId, date, knownOn: over, total });
    return waits;
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
