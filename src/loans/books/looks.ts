/**
 * Looks at whole books: each reads one moment of the database, on a connection that it holds until it is done, and may fold thousands of
 * loans. So they are rationed. An organization has one look at a time, its others wait in line; of those at the head of their lines few
 * run at once, in turn by organization. Each counts as one statement of reads (`fair-reads.ts`), so that writes always find a connection.
 * A look ends when no caller is waiting for its answer.
 */
import type { Db, Sql } from '../../store/db/db.ts';
import { inOneMoment } from '../../store/db/one-moment.ts';
import { type Line, openLine, openOneEachTurn, openShares } from '../../workers/turns.ts';
import type { Asker } from '../door/actor.ts';
import { type InTurn, openFairTurns } from '../door/fair-reads.ts';
import { shareOf, TooManyWaiting, WAITING } from '../door/too-many-waiting.ts';

/** One moment of the books. */
export type Look = {
  readonly tx: Sql;
  /** To be awaited between pieces of work on the event loop, each of a few milliseconds. Throws once no caller is waiting for the look. */
  readonly pause: () => Promise<void> | undefined;
};

export type Looks = {
  /** It ends with the request it is for. */
  look<T>(asker: Asker, work: (look: Look) => Promise<T>): Promise<T>;
  /** The same, but what `work` writes is saved with it, and it continues when its request is abandoned: a repeated request finds the result. */
  lookAndWrite<T>(asker: Asker, work: (look: Look) => Promise<T>): Promise<T>;
};

/** Work on the event loop between two of its turns. */
const PIECE_MS = 5;

/** Looks that wait: they are long, so fewer than other reads. */
const LOOKS_WAITING = { everyone: 512, organization: 64, guaranteed: 8 };

export class LookGivenUp extends Error {
  override name = 'LookGivenUp';
  constructor() {
    super('No caller is waiting for this read of the books.');
  }
}

export type LooksOptions = {
  db: Db;
  inTurn: InTurn;
  /** The number that may run at once. */
  atOnce: number;
  /** After so long the request that a look is for has been answered without it. */
  requestMs: number;
};

export function openLooks({ db, inTurn, atOnce, requestMs }: LooksOptions): Looks {
  const inOwnTurn = openOneAnOrganization();
  const fewAtOnce = openFairTurns(atOnce, WAITING);
  const pauses = openPauses();

  function looking<T>(asker: Asker, isGivenUp: () => boolean, run: (pause: Look['pause']) => Promise<T>): Promise<T> {
    const organizationId = shareOf(asker);
    const pause = pauses(organizationId, isGivenUp);
    const begin = () => {
      if (isGivenUp()) throw new LookGivenUp();
      return run(pause);
    };
    return inOwnTurn(organizationId, () =>
      fewAtOnce(organizationId, () => inTurn(organizationId, async () => begin())),
    );
  }

  return {
    look(asker, work) {
      const until = performance.now() + requestMs;
      const isGivenUp = () => asker.signal?.aborted === true || performance.now() > until;
      return looking(asker, isGivenUp, (pause) => inOneMoment(db, (tx) => work({ tx, pause })));
    },
    lookAndWrite: (asker, work) =>
      looking(
        asker,
        () => false,
        (pause) => inOneMoment(db, (tx) => work({ tx, pause }), 'READ WRITE'),
      ),
  };
}

/** Pauses of pieces of work: organizations take turns at the event loop. */
export function openPauses() {
  const oneEachTurn = openOneEachTurn();
  return (organizationId: string, isGivenUp: () => boolean = () => false): Look['pause'] => {
    let began = performance.now();
    return () => {
      if (performance.now() - began < PIECE_MS) return undefined;
      if (isGivenUp()) throw new LookGivenUp();
      return oneEachTurn(organizationId).then(() => {
        began = performance.now();
      });
    };
  };
}

/** Runs work of many organizations, one piece of each at a time. */
function openOneAnOrganization() {
  const lines = new Map<string, Line<() => void>>();
  const shares = openShares(LOOKS_WAITING);
  return async <T>(organizationId: string, work: () => Promise<T>): Promise<T> => {
    let line = lines.get(organizationId);
    if (line === undefined) {
      line = openLine();
      lines.set(organizationId, line);
    } else {
      const excess = shares.take(organizationId);
      if (excess !== null) throw new TooManyWaiting(excess);
      await new Promise<void>((resolve) => line?.push(resolve));
      shares.give(organizationId);
    }
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next === undefined) lines.delete(organizationId);
      else next();
    }
  };
}
