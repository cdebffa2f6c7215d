/**
 * The one way in for writes. Commands queue here; while one batch is at the database the next one gathers, so that a batch holds one
 * command when it is quiet and up to 128 when it is not. Two commands of one organization for one loan go in the order they came, one
 * batch after the other. The places of a batch, and those in the queue, are shared fairly (`loan-lines.ts`, `turns.ts`).
 */
import { createHmac } from 'node:crypto';
import { keepAnswer, readAnswers } from '../store/loans.ts';
import { openShares, type ShareLimits } from '../workers/turns.ts';
import { type BatchOptions, openBatches, type Pending, type Work } from './batch.ts';
import { type LoanLines, openLoanLines } from './loan-lines.ts';
import type { Actor, Outcome, Write, WriteOptions } from './loans.ts';
import { WAITING } from './too-many-waiting.ts';
import { type NewLoanJob, replay } from './transact.ts';

export type QueueOptions = BatchOptions & {
  idempotencySecret: Uint8Array;
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
  /** Batches at the database at a time. */
  batches: number;
};

const LIMITS: Limits = {
  waiting: WAITING,
  newLoans: { everyone: 256, organization: 128, guaranteed: 8 },
  perLoan: 256,
  batch: 128,
  batches: 2,
};
/** New loans of one batch. */
const NEW_LOANS = 8;

export type WriteQueue = {
  /** The outcome of a new loan for which there is no room: asked before the record is sealed. Null: there is. */
  roomForNewLoan(actor: Actor): Outcome | null;
  create(actor: Actor, loanId: string, job: NewLoanJob, options: WriteOptions): Promise<Outcome>;
  write(actor: Actor, write: Write, options: WriteOptions): Promise<Outcome>;
  /** The stored answer, for calls whose work begins before they queue. Null: none yet. */
  answered(actor: Actor, idempotency: WriteOptions['idempotency']): Promise<Outcome | null>;
  /** Stores the answer to a call that another caller's write has carried out as well. */
  keep(actor: Actor, loanId: string, idempotency: WriteOptions['idempotency'], answer: string): Promise<void>;
  /** Waits for everything that was taken; takes nothing more. */
  close(): Promise<void>;
};

export function openQueue(options: QueueOptions): WriteQueue {
  const { db, idempotencySecret } = options;
  const limits = { ...LIMITS, ...options.limits };
  const runBatch = openBatches(options);
  const writes = openLoanLines<Pending>({ shares: openShares(limits.waiting), perLoan: limits.perLoan });
  const newLoans = openShares(limits.newLoans);
  const creations = openLoanLines<Pending>({ shares: newLoans, perLoan: 1 });
  /** Hashes of idempotency keys whose first call has not been answered yet. */
  const running = new Set<string>();
  let batches = 0;
  let scheduled = false;
  let closing: (() => void) | null = null;

  return {
    roomForNewLoan({ organizationId }) {
      const whose = newLoans.excess(organizationId);
      return whose === null ? null : { kind: 'busy', whose };
    },
    create: (actor, loanId, job, how) => submit(actor, loanId, { create: job }, how),
    write: (actor, write, how) => submit(actor, write.loanId, { write }, how),
    async answered(actor, given) {
      if (given === null) return null;
      const { keyHash, requestHash } = keyed(actor, given);
      const before = (await readAnswers(db, [keyHash])).get(keyHash);
      return before === undefined ? null : replay(before, requestHash);
    },
    async keep(actor, loanId, given, answer) {
      if (given !== null)
        await keepAnswer(db, { loanId, ...keyed(actor, given), answer, at: new Date(options.clock()) });
    },
    close: () =>
      new Promise((resolve) => {
        closing = resolve;
        closeIfDone();
      }),
  };

  function submit(actor: Actor, loanId: string, work: Work, how: WriteOptions): Promise<Outcome> {
    if (closing !== null) return Promise.resolve({ kind: 'busy', whose: 'everyone' });
    const idempotency = how.idempotency === null || how.dryRun ? null : keyed(actor, how.idempotency);
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
      const whose = linesOf(pending).add(actor.organizationId, loanId, pending);
      if (whose === null) schedule();
      else resolve({ kind: 'busy', whose });
    }).finally(() => {
      if (idempotency !== null) running.delete(idempotency.keyHash);
    });
  }

  /** A key belongs to its client. Neither it nor the request is kept, only what recognises them. */
  function keyed({ clientId }: Actor, { key, request }: { key: string; request: string }) {
    const mac = (text: string) => `0x${createHmac('sha256', idempotencySecret).update(text).digest('hex')}`;
    return { keyHash: mac(`key\n${clientId}\n${key}`), requestHash: mac(`request\n${request}`) };
  }

  /** Not at once: what arrives in the same turn of the event loop shares a batch. */
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (batches < limits.batches) {
        const batch = take();
        if (batch.length === 0) break;
        batches += 1;
        runBatch(batch).finally(() => {
          batches -= 1;
          for (const pending of batch) linesOf(pending).free(pending.loanId);
          schedule();
          closeIfDone();
        });
      }
    });
  }

  function closeIfDone(): void {
    if (closing !== null && batches === 0 && writes.size() + creations.size() === 0) closing();
  }

  /** New loans first: there are few places for them, and payments take all others. */
  function take(): Pending[] {
    const created = creations.take(Math.min(NEW_LOANS, limits.batch));
    return [...created, ...writes.take(limits.batch - created.length)];
  }

  function linesOf({ work }: Pending): LoanLines<Pending> {
    return 'create' in work ? creations : writes;
  }
}
