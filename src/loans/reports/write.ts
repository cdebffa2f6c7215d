/**
 * Writes positions: those of a date for a whole book, and those that a day restates. The rows themselves show what is written, so
 * both may be interrupted and begun again, and several workers may write at once: a row is the same whoever writes it. When all rows of a
 * date and day are there, their sums are kept.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { followed } from '../../policy/impact.ts';
import { beginningOf, positionsKnown } from '../../portfolio/history.ts';
import { NO_FLOWS, type Position } from '../../portfolio/position.ts';
import { DatabaseUnavailable, type Db } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import { addSums } from '../../store/reports/portfolio.ts';
import { endPositionDate, readPositionDates } from '../../store/reports/position-dates.ts';
import {
  type PositionRow,
  type PositionSource,
  type PositionsKey,
  readFailed,
  readLastPositions,
  readLoansWithout,
  readLookingBack,
  readRestated,
  readSoldWithout,
  readSources,
  readVolumesRecorded,
  savePositions,
} from '../../store/reports/positions.ts';
import { eventsIn } from '../door/loan-cache.ts';
import type { Timelines } from '../door/policy-timelines.ts';

export type WritingOf = {
  readonly db: Db;
  /** Those of the organization. */
  readonly policies: Timelines;
  readonly stopped: () => boolean;
  /** A loan that could not be folded: it is tried again by the cycle of the next day. */
  readonly failed: (loanId: string, error: unknown) => void;
  /** Loans that were gone through. */
  readonly onDone: (loans: number) => void | Promise<void>;
};

/** Loans of a page: their histories are in memory together. */
const LOANS_AT_ONCE = 256;
/** The time for which folding holds the event loop. */
const TURN_MS = 2;
/** The rest after a page, for each millisecond that it worked: payments come first. */
const REST = 0.1;

/** All positions of an organization on a date. False: it was stopped. */
export async function writeDate(writing: WritingOf, key: PositionsKey): Promise<boolean> {
  const { db, stopped, onDone } = writing;
  for (let volume = 0; volume < db.volumes.count; volume++) {
    for (const read of [readLoansWithout, readSoldWithout]) {
      let after = '0x';
      let next = read(db, key, { volume, after, limit: LOANS_AT_ONCE });
      for (;;) {
        const began = performance.now();
        const page = await next;
        if (stopped()) return false;
        after = page.at(-1)?.loanId ?? after;
        const isLast = page.length < LOANS_AT_ONCE;
        // The server reads the next page while this one is folded.
        next = isLast ? Promise.resolve([]) : read(db, key, { volume, after, limit: LOANS_AT_ONCE });
        next.catch(() => {});
        await savePositions(
          db,
          await folded(writing, page, (source) => rowsOn(source, writing.policies, key, [key.date])),
        );
        await onDone(page.length);
        if (isLast) break;
        await delay((performance.now() - began) * REST);
      }
    }
  }
  if (stopped()) return false;
  await db.transaction((tx) => addSums(tx, key));
  return true;
}

/**
 * Writes what a day has changed in the past: a further row for every earlier date on which a loan of the organization is not what its last row says.
 * A loan that was recorded on the day gets the rows of the dates on which it existed already.
 */
export async function restate(
  writing: WritingOf,
  { organizationId, date }: { readonly organizationId: string; readonly date: PlainDate },
): Promise<boolean> {
  const { db, stopped, onDone } = writing;
  const asked = await finishedBefore(writing, organizationId, date);
  if (asked === null) return false;
  const last = [addDays(`${date.slice(0, 7)}-01` as PlainDate, -1), ...asked].sort().at(-1) as PlainDate;
  const key = { organizationId, date: last, knownOn: date };
  const again = Map.groupBy(await readFailed(db, organizationId, addDays(date, -1)), (loanId) => volumeOf(db, loanId));
  // On most days of a small book there is nothing in most volumes.
  const volumes = await readVolumesRecorded(db, organizationId, date);
  for (const volume of new Set([...volumes, ...again.keys()])) {
    let after = '0x';
    let retried = again.get(volume) ?? [];
    for (;;) {
      if (stopped()) return false;
      const ids = await readLookingBack(db, key, { volume, after, limit: LOANS_AT_ONCE });
      const found = [...new Set([...ids, ...retried])];
      retried = [];
      if (found.length > 0) await restateLoans(writing, { volume, found, key, asked });
      await onDone(found.length);
      if (ids.length < LOANS_AT_ONCE) break;
      after = ids.at(-1) ?? after;
    }
  }
  for (const restated of await readRestated(db, organizationId, date)) {
    await db.transaction((tx) => addSums(tx, { organizationId, date: restated, knownOn: date }));
  }
  return true;
}

/** The dates that were asked for before a day. Those that are not ready are finished first: a restatement is the difference to their rows. */
async function finishedBefore(
  writing: WritingOf,
  organizationId: string,
  day: PlainDate,
): Promise<readonly PlainDate[] | null> {
  const { db } = writing;
  const asked = (await readPositionDates(db, organizationId)).filter(({ knownOn }) => knownOn < day);
  for (const one of asked) {
    if (one.ready) continue;
    if (!(await writeDate(writing, one))) return null;
    await endPositionDate(db, one);
  }
  return asked.map(({ date }) => date);
}

type Restating = {
  readonly volume: number;
  readonly found: readonly string[];
  readonly key: PositionsKey;
  readonly asked: readonly PlainDate[];
};

async function restateLoans(writing: WritingOf, { volume, found, key, asked }: Restating): Promise<void> {
  const { db, policies } = writing;
  const { organizationId, knownOn } = key;
  const before = Map.groupBy(
    await readLastPositions(db, volume, { organizationId, before: knownOn, loanIds: found }),
    ({ loanId }) => loanId,
  );
  const rows = await folded(writing, await readSources(db, volume, found), (source) => {
    const last = before.get(source.loanId) ?? [];
    const dates = datesOf(source, { through: addDays(knownOn, -1), asked });
    const present = rowsOn(source, policies, key, dates);
    return changedRows(last, present, knownOn);
  });
  await savePositions(db, rows);
}

/** The rows to be written so that the last rows of a loan are those of the present. */
function changedRows(last: readonly PositionRow[], present: readonly PositionRow[], knownOn: PlainDate): PositionRow[] {
  const lastOf = new Map(last.map((row) => [row.date, row]));
  const presentOf = new Set(present.map(({ date }) => date));
  return [
    ...present.filter((row) => {
      const before = lastOf.get(row.date);
      return before === undefined || !isSame(before, row);
    }),
    ...last.filter(({ date, withdrawn }) => !withdrawn && !presentOf.has(date)).map((row) => withdrawn(row, knownOn)),
  ];
}

/** All but the day on which they were known. */
export function isSame(a: PositionRow, b: PositionRow): boolean {
  return (Object.keys(b) as (keyof PositionRow)[]).every((name) => name === 'knownOn' || a[name] === b[name]);
}

/** Takes a row back. */
export function withdrawn(row: PositionRow, knownOn: PlainDate): PositionRow {
  return { ...row, ...NO_FLOWS, ...NOTHING_OWED, withdrawn: true, knownOn };
}

const NOTHING_OWED = {
  daysPastDue: 0,
  nonAccrualSince: null,
  original: 0,
  rate: '0',
  remaining: 0,
  principal: 0,
  interest: 0,
  fees: 0,
  credits: 0,
  creditSince: null,
  kept: 0,
} as const satisfies Partial<Position>;

/** The month ends of a loan up to a day, and the dates that were asked for. */
function datesOf(
  source: Pick<PositionSource, 'bodies'>,
  { through, asked }: { readonly through: PlainDate; readonly asked: readonly PlainDate[] },
): PlainDate[] {
  const first = beginningOf(eventsIn(source.bodies));
  return first === null ? [] : monthEndsFrom(first, through, asked);
}

export function monthEndsFrom(first: PlainDate, through: PlainDate, asked: readonly PlainDate[]): PlainDate[] {
  const dates = new Set(asked.filter((date) => date >= first && date <= through));
  for (let end = lastOfMonth(first); end <= through; end = lastOfMonth(addDays(end, 1))) dates.add(end);
  return [...dates].sort();
}

function rowsOn(
  { lenderId, bodies, ...source }: PositionSource,
  policies: Timelines,
  key: Pick<PositionsKey, 'organizationId' | 'knownOn'>,
  dates: readonly PlainDate[],
): PositionRow[] {
  return rowsOf({ ...source, events: followed(eventsIn(bodies), policies.of(lenderId)) }, key, dates);
}

/** The rows of a loan on dates, in their order. */
export function rowsOf(
  {
    loanId,
    created,
    characteristics,
    events,
  }: Pick<PositionSource, 'loanId' | 'created' | 'characteristics'> & { readonly events: readonly LoanEvent[] },
  { organizationId, knownOn }: Pick<PositionsKey, 'organizationId' | 'knownOn'>,
  dates: readonly PlainDate[],
): PositionRow[] {
  return positionsKnown({ events, created }, { organizationId, dates, knownOn }).map(({ date, holders, position }) => ({
    ...holders,
    ...characteristics,
    ...position,
    loanId,
    date,
    knownOn,
    withdrawn: false,
  }));
}

/** In turns that do not hold the event loop. */
async function folded(
  { failed, stopped }: WritingOf,
  sources: readonly PositionSource[],
  fold: (source: PositionSource) => readonly PositionRow[],
): Promise<PositionRow[]> {
  const rows: PositionRow[] = [];
  let began = performance.now();
  for (const source of sources) {
    try {
      rows.push(...fold(source));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      failed(source.loanId, error);
    }
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    if (stopped()) break;
    began = performance.now();
  }
  return rows;
}
