/**
 * A row of a loan says on which day its figures next change by themselves. A version of a policy that is recorded later than the row is
 * entered into it here: first right after the version was recorded, so that the books of its first day are read right, then by the cycle of
 * the day before its figures count. The latter misses no row: nothing is recorded for that day any more, and a process that records something
 * for a later day has known the version for minutes (`FIGURES_LEAD_MS`), so its rows already have the day. Rows are marked a page at a
 * time, so that no payment waits.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { figureDays, type PolicyVersion } from '../../policy/versions.ts';
import type { Db } from '../../store/db/db.ts';
import { type LendersMarked, markRows, readUnmarked, saveMarked } from '../../store/policies/policies.ts';
import { type Timelines, timelinesIn } from '../door/policy-timelines.ts';

/** The least time between recording a version and the first day of its figures: longer than a decision can take to be saved, and clocks differ. */
export const FIGURES_LEAD_MS = 600_000;

const ROWS_AT_ONCE = 200;
/** The rest between two pages, for each millisecond of work. */
const REST = 0.5;

/** Marks the rows for the versions whose figures count by the day after this one; nothing may be recorded of this day any more. */
export async function markBy(
  db: Db,
  organizationId: string,
  date: PlainDate,
  { now, stopped }: { readonly now: () => Date; readonly stopped: () => boolean },
): Promise<void> {
  const numbers = await readUnmarked(db, organizationId, addDays(date, 1));
  if (numbers.length === 0) return;
  const policies = await timelinesIn(db, organizationId);
  for (const number of numbers) {
    const version = policies.versions.find((one) => one.number === number);
    if (version !== undefined) await markVersion(db, { organizationId, policies, version }, stopped);
    if (stopped()) return;
  }
  await saveMarked(db, organizationId, numbers, now());
}

export async function markVersion(
  db: Db,
  { organizationId, policies, version }: { organizationId: string; policies: Timelines; version: PolicyVersion },
  stopped: () => boolean,
): Promise<void> {
  const { figuresFrom: day } = version;
  if (!figureDays(policies.of(version.lenderId ?? NO_LENDER)).includes(day)) return;
  const lenders = lendersOf(version, policies);
  for (let volume = 0; volume < db.volumes.count; volume++) {
    let after: string | null = null;
    do {
      if (stopped()) return;
      const began = performance.now();
      after = await markRows(db, volume, { organizationId, day, lenders }, { after, limit: ROWS_AT_ONCE });
      if (after !== null) await delay((performance.now() - began) * REST);
    } while (after !== null);
  }
}

/** No lender has this reference, so that its timeline is that of all who have no policy of their own. */
const NO_LENDER = '';

/** All but those whose own policy is in force by then. */
function lendersOf({ lenderId, figuresFrom }: PolicyVersion, { versions }: Timelines): LendersMarked {
  if (lenderId !== null) return { lenderId, not: [] };
  const own = versions.filter((one) => one.lenderId !== null && one.figuresFrom <= figuresFrom);
  return { lenderId: null, not: [...new Set(own.map((one) => one.lenderId as string))] };
}
