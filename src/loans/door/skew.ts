/**
 * Whether the clock of this process can be believed: what is written is dated by it, and dates cannot be taken back. It is compared with
 * the database's, the one clock that all processes share. Who is more than a minute off writes nothing until it is set right; reads go on,
 * and everything else that depends on the time (tokens, sessions, signatures, ends of sandboxes) goes by the database's clock.
 */

import type { Sql } from '../../store/db/db.ts';
import { readDatabaseTime } from '../../store/door/clocks.ts';

const TOLERATED_MS = 60_000;

export type SkewOptions = { db: Pick<Sql, 'query'>; clock: () => number; monotonic?: () => number };

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

export type SkewCheck = ReturnType<typeof openSkewCheck>;

/**
 * Keeps the result of the last check, also while the database does not answer. A clock that is set in between is noticed at once, because
 * the monotonic clock goes on as before.
 */
export function openSkewCheck(options: SkewOptions) {
  const { clock, monotonic = () => performance.now() } = options;
  /** By how much the clock was ahead, and how far it was from the monotonic one then. Null: this process does not go by real time. */
  let compared: { readonly ahead: number; readonly apart: number } | null = null;
  return {
    problem: () => skewProblem(ahead()),
    /** Whether this process goes by real time at all; the past of a demonstration is never compared. */
    checked: () => compared !== null,
    /** The time of day in whole milliseconds: by the clock, or by the database's while the clock is wrong. */
    now(): number {
      const by = ahead();
      return Math.abs(by) > TOLERATED_MS ? Math.round(clock() - by) : clock();
    },
    async check(): Promise<string | null> {
      const apart = clock() - monotonic();
      const found = await measureSkew({ ...options, monotonic });
      compared = { ahead: found, apart };
      return skewProblem(ahead());
    },
  };

  function ahead(): number {
    return compared === null ? 0 : compared.ahead + (clock() - monotonic() - compared.apart);
  }
}
