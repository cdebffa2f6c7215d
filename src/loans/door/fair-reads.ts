/**
 * Statements of reads. As many as the pool can run, less one that writes always find, are under way at a time; the others wait here
 * and not in the pool, whose line is one for all: there a thousand reads of one organization would delay every other caller.
 * A replica has turns of its own, as many at a time as it has connections.
 */
import type { Db, Sql } from '../../store/db/db.ts';
import { openReader, type Reader } from '../../store/db/replica.ts';
import { openShares, openTurns, type ShareLimits } from '../../workers/turns.ts';
import type { Actor } from './actor.ts';
import { shareOf, TooManyWaiting, WAITING } from './too-many-waiting.ts';

type Caller = Pick<Actor, 'organizationId' | 'countedFor'>;

/** The database as seen by one caller. */
export type FairReads = (actor: Caller) => Sql;

/** The database as seen by one caller, for what a replica may answer. */
export type FairReader = (actor: Caller) => Reader;

export function openFairReads(db: Sql, inTurn: InTurn): FairReads {
  return (actor) => ({
    get volumes() {
      return db.volumes;
    },
    query: (text, values, name) => inTurn(shareOf(actor), () => db.query(text, values, name)),
  });
}

export function openFairReader(reads: FairReads, replica: Db | null, atOnce: number): FairReader {
  const reader = openReader(replica);
  const inTurn = openFairTurns(atOnce, WAITING);
  return (actor) => reader(reads(actor), (work) => inTurn(shareOf(actor), work));
}

/** Runs a piece of work of an organization when it has its turn. */
export type InTurn = <T>(organizationId: string, work: () => Promise<T>) => Promise<T>;

/** Runs work of many callers with bounded concurrency; the rest waits, round-robin by organization. */
export function openFairTurns(atOnce: number, limits: ShareLimits): InTurn {
  const turns = openTurns<() => void>();
  const shares = openShares(limits);
  let running = 0;

  return async <T>(organizationId: string, work: () => Promise<T>): Promise<T> => {
    await turnOf(organizationId);
    try {
      return await work();
    } finally {
      const next = turns.next();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  /** Resolves when a statement may start; one that ends passes its slot on. */
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
