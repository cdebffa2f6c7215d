/**
 * Statements of reads. As many as the pool can run, less one that writes always find, are under way at a time; the others wait here
 * and not in the pool, whose line is one for all: there a thousand reads of one organization would stand before every other caller.
 */
import type { Sql } from '../store/db.ts';
import { openShares, openTurns } from '../workers/turns.ts';
import type { Actor } from './loans.ts';
import { TooManyWaiting, WAITING } from './too-many-waiting.ts';

/** The database as seen by one caller. */
export type FairReads = (actor: Pick<Actor, 'organizationId'>) => Sql;

export function openFairReads(db: Sql, atOnce: number, limits = WAITING): FairReads {
  const turns = openTurns<() => void>();
  const shares = openShares(limits);
  let running = 0;

  return ({ organizationId }) => ({
    async query(text, values, name) {
      await turnOf(organizationId);
      try {
        return await db.query(text, values, name);
      } finally {
        const next = turns.next();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  });

  /** Resolves when a statement may start; whoever ends one passes its place on. */
  function turnOf(organizationId: string): Promise<void> | undefined {
    if (running < atOnce) {
      running += 1;
      return undefined;
    }
    const excess = shares.take(organizationId);
    if (excess !== null) throw new TooManyWaiting(excess);
    return new Promise((resolve) => {
      turns.add(organizationId, () => {
        shares.give(organizationId);
        resolve();
      });
    });
  }
}
