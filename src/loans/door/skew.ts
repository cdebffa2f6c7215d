/**
 * Whether the clock of this process can be believed: what is written is dated by it, and dates cannot be taken back. It is compared with
 * the database's, the one clock that all processes share. Who is more than a minute off writes nothing until it is set right; reads go on.
 */

import type { Db } from '../../store/db/db.ts';
import { readDatabaseTime } from '../../store/door/clocks.ts';

const TOLERATED_MS = 60_000;

export type SkewOptions = { db: Db; clock: () => number; monotonic?: () => number };

/**
 * The least time by which this process's clock is ahead of the database's (negative: behind), in milliseconds. The database reads its clock
 * somewhere between question and answer: half of that time is no difference, and a slow answer never makes one.
 */
export async function measureSkew({ db, clock, monotonic = () => performance.now() }: SkewOptions): Promise<number> {
  const [asked, from] = [clock(), monotonic()];
  const there = await readDatabaseTime(db);
  const half = (monotonic() - from) / 2;
  const ahead = asked + half - there;
  return Math.sign(ahead) * Math.max(0, Math.abs(ahead) - half);
}

/** The reason that nothing may be written; null: the clock is right. */
export function skewProblem(ahead: number): string | null {
  if (!(Math.abs(ahead) > TOLERATED_MS)) return null;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return (
    `The clock of this process is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's. Writes are refused, because ` +
    'they would be recorded with the wrong date. Correct the clock of this machine.'
  );
}

/** Keeps the result of the last check, also while the database does not answer. */
export function openSkewCheck(options: SkewOptions) {
  let problem: string | null = null;
  let checked = false;
  return {
    problem: () => problem,
    /** Whether this process goes by real time at all; the past of a demonstration is never compared. */
    checked: () => checked,
    async check(): Promise<string | null> {
      problem = skewProblem(await measureSkew(options));
      checked = true;
      return problem;
    },
  };
}
