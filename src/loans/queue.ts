/**
 * The one way in for writes. Commands queue here; while one batch is at the database the next one gathers, so that a batch holds one
 * command when it is quiet and up to 128 when it is not. Two commands for one loan go in the order they came, one batch after the other.
 */
import { createHmac } from 'node:crypto';
import { keepAnswer, readAnswers } from '../store/loans.ts';
import { confirmReplicated } from '../store/replica.ts';
import { type BatchOptions, openBatches, type Pending, type Work } from './batch.ts';
import type { Actor, Outcome, Write, WriteOptions } from './loans.ts';
import { type NewLoanJob, replay } from './transact.ts';

export type QueueOptions = BatchOptions & {
  idempotencySecret: Uint8Array;
  limits?: Partial<Limits>;
};

type Limits = {
  /** Commands that may wait; further ones are answered `busy`. */
  queue: number;
  /** Commands of one batch. */
  batch: number;
  /** Batches at the database at a time. */
  batches: number;
};

const LIMITS: Limits = { queue: 2_048, batch: 128, batches: 2 };
/** New loans are large (over a megabyte each); this many go into one batch. */
const NEW_LOANS = 8;

export type WriteQueue = {
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
  let queue: Pending[] = [];
  const busy = new Set<string>();
  /** Hashes of idempotency keys whose first call has not been answered yet. */
  const running = new Set<string>();
  let batches = 0;
  let scheduled = false;
  let closing: (() => void) | null = null;

  return {
    create: (actor, loanId, job, how) => submit(actor, loanId, { create: job }, how),
    write: (actor, write, how) => submit(actor, write.loanId, { write }, how),
    async answered(actor, given) {
      if (given === null) return null;
      const { keyHash, requestHash } = keyed(actor, given);
      const before = (await readAnswers(db, [keyHash])).get(keyHash);
      if (before === undefined) return null;
      await confirmReplicated(db);
      return replay(before, requestHash);
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
    if (queue.length >= limits.queue || closing !== null) return Promise.resolve({ kind: 'busy' });
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
      queue.push(pending);
      schedule();
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
          for (const { loanId } of batch) busy.delete(loanId);
          schedule();
          closeIfDone();
        });
      }
    });
  }

  function closeIfDone(): void {
    if (closing !== null && batches === 0 && queue.length === 0) closing();
  }

  /** The oldest commands whose loans are free, one a loan; the others keep their places. */
  function take(): Pending[] {
    const batch: Pending[] = [];
    const left: Pending[] = [];
    let created = 0;
    const waiting = new Set<string>();
    for (const pending of queue) {
      const { loanId } = pending;
      const isNew = 'create' in pending.work;
      if (
        batch.length < limits.batch &&
        !busy.has(loanId) &&
        !waiting.has(loanId) &&
        !(isNew && created === NEW_LOANS)
      ) {
        if (isNew) created += 1;
        busy.add(loanId);
        batch.push(pending);
      } else {
        waiting.add(loanId);
        left.push(pending);
      }
    }
    queue = left;
    return batch;
  }
}
