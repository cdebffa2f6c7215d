/**
 * The door: everything that a write goes through, and what every capability shares: the database in fair turns, the clocks, the folded
 * loans, the queue of writes. While the clock of this process is wrong, or its database was set back, nothing is written (`unavailable`).
 */
import { randomUUID } from 'node:crypto';
import type { Refusal } from '../../core/refusal.ts';
import type { Db } from '../../store/db/db.ts';
import type { Keep } from '../../store/door/idempotency.ts';
import type { MasterKeys } from '../../vault/master-keys.ts';
import type { Workers } from '../../workers/workers.ts';
import type { Actor } from './actor.ts';
import { type ClockView, openClocks } from './clocks.ts';
import { openFairReader, openFairReads, openFairTurns } from './fair-reads.ts';
import { savedUntil } from './fence.ts';
import { openLoanCache } from './loan-cache.ts';
import { openOnce } from './once.ts';
import { openQueue, type QueueOptions } from './queue.ts';
import { openSkewCheck, type SkewCheck } from './skew.ts';
import { WAITING } from './too-many-waiting.ts';
import { warmLoans } from './warm.ts';
import type { LoanCommand, Outcome, SetBackWatch, Unavailable, Write, WriteOptions } from './write.ts';

export type DoorOptions = {
  db: Db;
  /** Connections of the nightly cycle's own; those of `db` when absent. */
  cycleDb?: Db;
  /** Large reads may come from here. */
  replica?: Db | null;
  /** Epoch milliseconds. */
  clock: () => number;
  /** Whether this process's clock is right; when absent, `clock` itself is compared. */
  skew?: SkewCheck;
  masterKeys: MasterKeys;
  /** 32 bytes each. */
  secrets: { index: Uint8Array; party: Uint8Array; idempotency: Uint8Array };
  /** Folded loans to remember (a loan with three years of payments takes about 30 KB), and bytes of opened records. */
  memory?: { loans: number; openedBytes: number };
  limits?: QueueOptions['limits'];
  /** This process, for the reservations of idempotency keys. */
  holder?: QueueOptions['holder'];
  /** Absent: a set-back that is found is kept in the memory of the door. */
  setBack?: SetBackWatch;
  /** Connections of the database's pool (4). */
  pool?: number;
  /** `clock` also applies to organizations with a test clock, for recording their past. */
  overridesTestClocks?: boolean;
  workers: Workers;
  /** Called after events were committed. */
  onSaved: () => void;
};

/** Writes a command to its loan. */
export type Writer = (actor: Actor, write: Write, how: WriteOptions) => Promise<Outcome>;

/** Loans that are folded ahead after a start: some seconds of work. */
const WARMED = 10_000;

/** Seconds after which a write that was refused for the clock, or for a database that was set back, may be tried again. */
const CLOCK_RETRY = 10;
const SET_BACK_RETRY = 60;

export type Door = ReturnType<typeof openDoor>;

export function openDoor(options: DoorOptions) {
  const { db, clock, masterKeys, secrets, workers, pool = 4, overridesTestClocks = false } = options;
  const memory = options.memory ?? { loans: 10_000, openedBytes: 64 * 1024 * 1024 };
  const clocks = openClocks({ db, clock, overridesTestClocks });
  const skew = options.skew ?? openSkewCheck({ db, clock });
  const setBack = options.setBack ?? openSetBackWatch();
  const cache = openLoanCache(memory.loans);
  const inTurn = openFairTurns(Math.max(1, pool - 1), WAITING);
  const reads = openFairReads(db, inTurn);
  const queue = openQueue({
    db,
    clock,
    clocks,
    cache,
    masterKeys,
    idempotencySecret: secrets.idempotency,
    savedUntil: (at) => (skew.checked() ? savedUntil(at) : null),
    onSaved: options.onSaved,
    onSetBack: () => {
      setBack.noticed();
      return unavailable() as Unavailable;
    },
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.holder === undefined ? {} : { holder: options.holder }),
  });
  // After a failover without a synchronous replica the last writes may be gone, and what is remembered with them wrong.
  db.onMoved(() => {
    cache.clear();
    clocks.forget();
  });

  return {
    db,
    cycleDb: options.cycleDb ?? db,
    clock,
    clocks,
    cache,
    masterKeys,
    secrets,
    memory,
    workers,
    queue,
    pool,
    inTurn,
    reads,
    reader: openFairReader(reads, options.replica ?? null, pool),
    /** Names this process. */
    holder: options.holder?.id ?? randomUUID(),
    /** Every write that belongs to no loan, once under its idempotency key. */
    once: openOnce({ db, clock, secret: secrets.idempotency, holder: options.holder }),
    unavailable,
    onSetBack: setBack.noticed,
    writing,
    /** The clock of an organization; its loans follow it, for every caller. */
    clockView: clocks.view,
    /** The zone is in force from the organization's next business day on. */
    async setTimeZone(
      organizationId: string,
      timeZone: string,
      keep?: Keep,
    ): Promise<ClockView | Refusal | Unavailable> {
      return unavailable() ?? clocks.setTimeZone(organizationId, timeZone, keep);
    },
    /** Compares the clock with the database's. Returns why nothing is written from then on; null: it is right. */
    checkClock: skew.check,
    /** The result of the last comparison. */
    clockProblem: skew.problem,
    /**
     * Folds the loans that were last written ahead, until `stopped`, while no write is under way; returns their number. The rest of the
     * capacity is for loans that are requested in the meantime.
     */
    warm: (stopped: () => boolean) =>
      warmLoans({ db, clocks, cache, isIdle: queue.isIdle }, Math.min(WARMED, Math.floor(memory.loans * 0.8)), stopped),
  };

  /** The outcome of everything that would be written while the clock is wrong or the database is set back; null: neither is so. */
  function unavailable(): Unavailable | null {
    const lost = setBack.problem();
    if (lost !== null) return { kind: 'unavailable', detail: lost, retryAfterSeconds: SET_BACK_RETRY };
    const detail = skew.problem();
    return detail === null ? null : { kind: 'unavailable', detail, retryAfterSeconds: CLOCK_RETRY };
  }

  /** The writer of an operation: most commands go straight to the queue; `prepared` has those that are prepared before. */
  function writing(prepared: Readonly<Partial<Record<LoanCommand['do'], Writer>>>) {
    return (operation: LoanCommand['do']): Writer => {
      const refused = unavailable();
      return refused === null ? (prepared[operation] ?? queue.write) : () => Promise.resolve(refused);
    };
  }
}

function openSetBackWatch(): SetBackWatch {
  let found: string | null = null;
  return {
    problem: () => found,
    noticed() {
      found = 'The database lacks writes that were acknowledged: it was set back to an older copy.';
    },
  };
}
