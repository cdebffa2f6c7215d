/**
 * The one way in for writes. Commands queue here, in lanes: a lane has some of the volumes for itself, so that batches of two lanes never
 * wait for each other. While a lane's batch is at the database its next one gathers, so that a batch holds one command when it is quiet
 * and up to 128 when it is not. Two commands of one organization for one loan go in the order they came, one
 * batch after the other. The places of a batch, and those in the queue, are shared fairly (`loan-lines.ts`, `turns.ts`).
 *
 * Loans of sandboxes have a lane of their own. A save by a test clock is a longer transaction, waits while the clock is moved, and is
 * decided again when it was; what others have sent never shares that.
 */
import { confirmReplicated } from '../../store/db/replica.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import { openShares, type ShareLimits } from '../../workers/turns.ts';
import type { Actor } from './actor.ts';
import { type BatchOptions, openBatches } from './batch.ts';
import { type CallKey, callKey, type Holder, movesMoney, openKeys } from './keys.ts';
import { type LoanLines, openLoanLines } from './loan-lines.ts';
import type { LoanToCreate, Pending, Work } from './pending.ts';
import { replay } from './settle.ts';
import { shareOf, WAITING } from './too-many-waiting.ts';
import type { LoanCommand, Outcome, Write, WriteOptions } from './write.ts';

export type QueueOptions = Omit<BatchOptions, 'keys'> & {
  idempotencySecret: Uint8Array;
  holder?: Holder;
  limits?: Partial<Limits>;
};

/** Commands beyond what may wait are answered `busy`. */
type Limits = {
  /** Commands that may wait. */
  waiting: ShareLimits;
  /** New loans that may wait. They are large (over a megabyte each). */
  newLoans: ShareLimits;
  /** Commands of one organization that may wait for one loan: each takes a batch of its own, some milliseconds. */
  perLoan: number;
  /** Commands of one batch. */
  batch: number;
  /** Batches at the database at a time, each of another lane. */
  lanes: number;
};

const LIMITS: Limits = {
  waiting: WAITING,
  newLoans: { everyone: 256, organization: 128, guaranteed: 8 },
  perLoan: 256,
  batch: 128,
  lanes: 2,
};
/** New loans of one batch. */
const NEW_LOANS = 8;
/** A batch after which the next one of its lane is gathered, and for how long. */
const MANY = 8;
const GATHERING_MS = 2;

export type WriteQueue = {
  /** The outcome of a new loan for which there is no room: asked before the record is sealed. Null: there is. */
  roomForNewLoan(actor: Actor): Outcome | null;
  /** Takes a write of a loan, or a new loan; the outcome comes when it is on disk. */
  write(actor: Actor, asked: Write | LoanToCreate, options: WriteOptions): Promise<Outcome>;
  /** The stored answer, for calls whose work begins before they queue. Null: none yet. */
  answered(actor: Actor, idempotency: WriteOptions['idempotency']): Promise<Outcome | null>;
  /** The key by which a repeated call is recognised; null: it has none. */
  keyOf(actor: Actor, operation: LoanCommand['do'], idempotency: WriteOptions['idempotency']): CallKey | null;
  /** Stores the answer to a call that another caller's write has carried out as well. */
  keep(
    actor: Actor,
    loanId: string,
    idempotency: WriteOptions['idempotency'],
    told: { answer: string; version: number },
  ): Promise<void>;
  /** Whether nothing waits, and no batch is at the database. */
  isIdle(): boolean;
  /** Waits for everything that was taken; takes nothing more. */
  close(): Promise<void>;
};

export function openQueue(options: QueueOptions): WriteQueue {
  const { db, idempotencySecret, clocks, cache } = options;
  const limits = { ...LIMITS, ...options.limits };
  const keys = openKeys(db, options.holder);
  const runBatch = openBatches({ ...options, keys });
  const waiting = openShares(limits.waiting);
  const newLoans = openShares(limits.newLoans);
  // A batch is of one volume when the tables are spread over servers by volume, so that one server commits it.
  const live = openLanes(limits.lanes);
  const test = openLanes(1);
  const kinds = [live, test];
  /** Hashes of idempotency keys whose first call has not been answered yet. */
  const running = new Set<string>();
  let scheduled = false;
  let closing: (() => void) | null = null;

  return {
    roomForNewLoan(actor) {
      const whose = newLoans.excess(shareOf(actor));
      return whose === null ? null : { kind: 'busy', whose };
    },
    write,
    async answered(actor, given) {
      if (given === null) return null;
      const { keyHash, requestHash } = keyed(actor, given, false);
      const before = await keys.answered(keyHash);
      if (before === undefined) return null;
      await confirmReplicated(db);
      return replay(before, requestHash);
    },
    keyOf: (actor, operation, given) => (given === null ? null : keyed(actor, given, movesMoney(operation))),
    async keep(actor, loanId, given, told) {
      if (given !== null) await keys.keep(loanId, keyed(actor, given, false), told);
    },
    isIdle,
    close: () =>
      new Promise((resolve) => {
        closing = resolve;
        closeIfDone();
      }),
  };

  function write(actor: Actor, asked: Write | LoanToCreate, how: WriteOptions): Promise<Outcome> {
    if (closing !== null) return Promise.resolve({ kind: 'busy', whose: 'everyone' });
    const { loanId } = asked;
    const work: Work = 'create' in asked ? asked : { write: asked };
    const forever = 'write' in work && movesMoney(work.write.command.do);
    const own = how.idempotency === null || how.dryRun ? null : keyed(actor, how.idempotency, forever);
    // An approved write is answered under the key of the request.
    const idempotency = how.approval === undefined ? own : how.approval.key;
    if (idempotency !== null) {
      if (running.has(idempotency.keyHash)) return Promise.resolve({ kind: 'key_running' });
      running.add(idempotency.keyHash);
    }
    return new Promise<Outcome>((resolve, reject) => {
      const pending: Pending = {
        actor,
        loanId,
        options: how,
        work,
        idempotency,
        reserved: false,
        decidedOn: null,
        answered: false,
        resolve(outcome) {
          pending.answered = true;
          resolve(outcome);
        },
        reject(error) {
          pending.answered = true;
          reject(error);
        },
      };
      const lane = laneOf(pending);
      const lines = 'create' in work ? lane.creations : lane.writes;
      const whose = lines.add(shareOf(actor), loanId, pending);
      if (whose === null) schedule();
      else resolve({ kind: 'busy', whose });
    }).finally(() => {
      if (idempotency !== null) running.delete(idempotency.keyHash);
    });
  }

  function keyed(actor: Actor, given: { key: string; request: string }, forever: boolean): CallKey {
    return callKey(idempotencySecret, { caller: actor.userId ?? actor.clientId, ...given }, forever);
  }

  /** Not at once: what arrives in the same turn of the event loop shares a batch. */
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      for (const kind of kinds) {
        const { lanes } = kind;
        // From the lane after the one that was first the last time, so that each comes to be the first.
        kind.first = (kind.first + 1) % lanes.length;
        for (const lane of [...lanes.slice(kind.first), ...lanes.slice(0, kind.first)]) start(kind, lane);
      }
    });
  }

  /** `atOnce`: batches at the database at a time. */
  function openLanes(atOnce: number) {
    const lanes = Array.from({ length: db.volumes.sharded ? db.volumes.count : atOnce }, () => ({
      writes: openLoanLines<Pending>({ shares: waiting, perLoan: limits.perLoan }),
      creations: openLoanLines<Pending>({ shares: newLoans, perLoan: 1 }),
      busy: false,
      gathers: 0,
    }));
    return { lanes, atOnce, batches: 0, first: 0 };
  }

  function start(kind: Lanes, lane: Lane): void {
    if (lane.busy || kind.batches >= kind.atOnce || lane.writes.size() + lane.creations.size() < lane.gathers) return;
    const batch = take(lane);
    if (batch.length === 0) return;
    lane.busy = true;
    kind.batches += 1;
    runBatch(batch).finally(() => {
      lane.busy = false;
      kind.batches -= 1;
      for (const { loanId, work } of batch) ('create' in work ? lane.creations : lane.writes).free(loanId);
      if (batch.length >= MANY) gather(lane, batch.length);
      schedule();
      closeIfDone();
    });
  }

  /**
   * Most of the callers that were just answered send their next write at once. The lane waits for them for a moment, until as many are there
   * as it had: otherwise it would go without them, they would wait for a whole batch, and batches would stay half as large as they can be.
   */
  function gather(lane: Lane, many: number): void {
    lane.gathers = many;
    setTimeout(() => {
      lane.gathers = 0;
      schedule();
    }, GATHERING_MS);
  }

  function isIdle(): boolean {
    return kinds.every(
      ({ lanes, batches }) =>
        batches === 0 && lanes.every(({ writes, creations }) => writes.size() + creations.size() === 0),
    );
  }

  function closeIfDone(): void {
    if (closing !== null && isIdle()) closing();
  }

  /** New loans first: there are few places for them, and payments take all others. */
  function take({ writes, creations }: Lane): Pending[] {
    const created = creations.take(Math.min(NEW_LOANS, limits.batch));
    return [...created, ...writes.take(limits.batch - created.length)];
  }

  /**
   * That of the loan's owner. While commands of a loan wait or are at the database, further ones go where those are, so that they keep
   * their order. A loan or an owner that is not known here yet is looked up by the batch.
   */
  function laneOf({ loanId, work, actor }: Pending): Lane {
    const laneIn = ({ lanes }: Lanes) => lanes[volumeOf(db, loanId) % lanes.length] as Lane;
    for (const kind of kinds) if (laneIn(kind).writes.has(loanId)) return laneIn(kind);
    const owner = 'create' in work ? work.create.row.organizationId : cache.get(loanId)?.organizationId;
    return laneIn(clocks.isTest(owner ?? actor.organizationId) === true ? test : live);
  }
}

type Lane = {
  readonly writes: LoanLines<Pending>;
  readonly creations: LoanLines<Pending>;
  busy: boolean;
  /** The number that is waited for; 0: none. */
  gathers: number;
};
type Lanes = { readonly lanes: readonly Lane[]; readonly atOnce: number; batches: number; first: number };
