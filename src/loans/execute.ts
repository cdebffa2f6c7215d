/**
 * The one door for writes. Commands queue here; while one batch is at the database the next one gathers. A batch loads its loans with
 * one statement, decides each command in memory, and saves everything in one transaction. Two commands for one loan go in the order
 * they came, one batch after the other. A refusal touches nobody else; a loan that another instance changed meanwhile is decided
 * again. Nothing is acknowledged before it is on disk.
 */
import { createHmac } from 'node:crypto';
import { addDays, type PlainDate } from '../core/calendar.ts';
import { type Command, type Decision, decide, type When } from '../core/decide.ts';
import { pastDueFrom } from '../core/delinquency.ts';
import type { LoanEvent } from '../core/event.ts';
import { append, fold, foldAll, stateOn } from '../core/fold.ts';
import type { Loan } from '../core/loan.ts';
import { isRefusal } from '../core/refusal.ts';
import { isClosed, statusOf, storedStatus } from '../core/status.ts';
import { GENESIS_HASH, hashOf, transactionBody } from '../ledger/chain.ts';
import { booksOf, type Line, NO_BOOKS, post } from '../ledger/post.ts';
import { DatabaseUnavailable, type Db } from '../store/db.ts';
import {
  loadLoans,
  type NewLoanRow,
  readAnswers,
  readApplications,
  readDataKeys,
  readVersions,
  type Save,
  type SavedEvent,
  type StoredAnswer,
  type Summary,
  saveBatch,
} from '../store/loans.ts';
import { type MasterKeys, unwrap } from '../vault/master-keys.ts';
import { sealNote } from '../vault/seal.ts';
import { fromStored, type Known, type Loaded, type Memory } from './loan-cache.ts';
import type { Actor, Change, Outcome, Write, WriteOptions } from './loans.ts';
import { mayDo, roleOf } from './permissions.ts';

export type DoorOptions = {
  db: Db;
  clock: () => number;
  /** The business day of a moment (epoch milliseconds). */
  dayOf: (at: number) => PlainDate;
  memory: Memory;
  masterKeys: MasterKeys;
  idempotencySecret: Uint8Array;
  limits?: Partial<Limits>;
};

type Limits = {
  /** Commands that may wait; one more is told to come back. */
  queue: number;
  /** Commands of one batch. */
  batch: number;
  /** Batches at the database at a time. */
  batches: number;
};

const LIMITS: Limits = { queue: 2_048, batch: 128, batches: 2 };
/** New loans are large (over a megabyte each); this many go into one batch. */
const NEW_LOANS = 8;
/** How often a command is decided again because its loan changed meanwhile. */
const ATTEMPTS = 12;
/** And how often because two instances stored the same thing at once. */
const COLLISIONS = 2;

/** A new loan, sealed and ready. */
export type NewLoanJob = {
  readonly events: readonly LoanEvent[];
  readonly loan: Loan;
  readonly row: NewLoanRow;
  readonly commitments: Readonly<Record<string, string>>;
  readonly answer: Write['answer'];
};

export type Door = {
  create(actor: Actor, loanId: string, job: NewLoanJob, options: WriteOptions): Promise<Outcome>;
  write(actor: Actor, write: Write, options: WriteOptions): Promise<Outcome>;
  /** The stored answer, for calls whose work begins before they come to the door. Null: none yet. */
  answered(actor: Actor, idempotency: WriteOptions['idempotency']): Promise<Outcome | null>;
  /** Waits for everything that was taken; takes nothing more. */
  close(): Promise<void>;
};

type Pending = {
  readonly actor: Actor;
  readonly loanId: string;
  readonly options: WriteOptions;
  readonly work: { readonly create: NewLoanJob } | { readonly write: Write };
  readonly idempotency: { readonly keyHash: string; readonly requestHash: string } | null;
  /** Told the outcome. What was refused must not be decided again, though its batch is. */
  answered: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

/** What came of one command: an answer that needs no save, a save with its answer, or the wish to see the loan's whole history. */
type Decided =
  | { readonly kind: 'answer'; readonly outcome: Outcome }
  | { readonly kind: 'save'; readonly save: Save; readonly next: Known; readonly outcome: Outcome }
  | { readonly kind: 'needs_events' };

export function openDoor(options: DoorOptions): Door {
  const { db, clock, dayOf, memory, masterKeys, idempotencySecret } = options;
  const limits = { ...LIMITS, ...options.limits };
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
      return before === undefined ? null : replay(before, requestHash);
    },
    close: () =>
      new Promise((resolve) => {
        closing = resolve;
        closeIfDone();
      }),
  };

  function submit(actor: Actor, loanId: string, work: Pending['work'], how: WriteOptions): Promise<Outcome> {
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

  /** A key belongs to its client. Neither it nor what was sent is kept, only what recognises them. */
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
        run(batch, 0).finally(() => {
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

  /** Never rejects: every command of the batch is answered, one way or the other. */
  async function run(batch: readonly Pending[], attempt: number): Promise<void> {
    let again: Pending[] = [];
    try {
      again = await runOnce(batch);
    } catch (error) {
      // What this instance believes of these loans may be wrong now, whatever failed.
      for (const { loanId } of batch) memory.forget(loanId);
      const open = batch.filter(({ answered }) => !answered);
      const collided = isCollision(error) && attempt < COLLISIONS;
      if (error instanceof DatabaseUnavailable || (open.length === 1 && !collided)) {
        for (const { reject } of open) reject(error);
        return;
      }
      if (!collided) {
        // Whatever one of them has in it that cannot be saved, the others need not fail with it.
        for (const pending of open) await run([pending], attempt);
        return;
      }
      // Two instances met in a unique index. Loading again finds the other one's row.
      again = open;
    }
    if (again.length === 0) return;
    if (attempt >= ATTEMPTS) for (const { resolve } of again) resolve({ kind: 'busy' });
    else await run(again, attempt + 1);
  }

  /** The commands that must be decided again. */
  async function runOnce(batch: readonly Pending[]): Promise<Pending[]> {
    const at = clock();
    const when: When = { today: dayOf(at), at: new Date(at).toISOString() };
    const { loaded, answers, taken, notes } = await load(batch);

    const saves: { pending: Pending; save: Save; next: Known; outcome: Outcome }[] = [];
    const unsaved: { pending: Pending; outcome: Outcome; version: number | null }[] = [];
    const curious: Pending[] = [];
    for (const pending of batch) settle(pending, decideOn(pending, loaded.get(pending.loanId)));
    if (curious.length > 0) {
      const more = await loadLoans(
        db,
        curious.map(({ loanId }) => loanId),
      );
      for (const stored of more) loaded.set(stored.loanId, fromStored(stored));
      for (const pending of curious) settle(pending, decideOn(pending, loaded.get(pending.loanId)));
    }

    const again = await confirm(unsaved);
    if (saves.length === 0) return again;
    const { saved, block } = await saveBatch(
      db,
      saves.map(({ save }) => save),
      new Date(at),
    );
    for (const { pending, save, next, outcome } of saves) {
      if (!saved.has(pending.loanId)) {
        memory.forget(pending.loanId);
        again.push(pending);
        continue;
      }
      for (const { hash, refId } of save.events) if (refId !== null) next.paymentHashes.set(refId, hash);
      memory.put(next.startBlock === 0 ? { ...next, startBlock: block } : next);
      pending.resolve(outcome);
    }
    return again;

    /** Later than everything recorded of the loan before, whatever the clocks of the instances say: its order depends on it. */
    function after({ recordedAt }: Known): When {
      if (recordedAt < at) return when;
      const day = dayOf(recordedAt + 1);
      return { today: day > when.today ? day : when.today, at: new Date(recordedAt + 1).toISOString() };
    }

    function settle(pending: Pending, decided: Decided | Error): void {
      if (decided instanceof Error) {
        // One command that cannot be decided (an amount out of range, say) must not fail the others.
        memory.forget(pending.loanId);
        pending.reject(decided);
      } else if (decided.kind === 'needs_events') {
        if (loaded.has(pending.loanId))
          pending.reject(new Error('A decision asked for the history that it was given.'));
        else curious.push(pending);
      } else if (decided.kind === 'save') saves.push({ pending, ...decided });
      else {
        const fresh = loaded.has(pending.loanId) || !('write' in pending.work);
        const version = fresh ? null : (memory.get(pending.loanId)?.version ?? null);
        unsaved.push({ pending, outcome: decided.outcome, version });
      }
    }

    function decideOn(pending: Pending, fresh: Loaded | undefined): Decided | Error {
      try {
        const { idempotency, work } = pending;
        const before = idempotency === null ? undefined : answers.get(idempotency.keyHash);
        if (before !== undefined) return answer(replay(before, idempotency?.requestHash));
        if ('create' in work) {
          return taken.has(applicationKey(work.create.row))
            ? answer({ kind: 'application_exists' })
            : decideNew(pending, work.create, when);
        }
        const known = fresh?.known ?? memory.get(pending.loanId);
        if (known === undefined) return answer({ kind: 'missing' });
        return decideWrite(pending, work.write, {
          known,
          history: fresh ?? null,
          when: after(known),
          note: notes.get(pending.loanId),
        });
      } catch (error) {
        return error instanceof Error ? error : new Error('A decision failed.');
      }
    }
  }

  /** Everything a batch needs from the database. What is remembered is not asked for; most batches of payments ask nothing. */
  async function load(batch: readonly Pending[]) {
    const missing = batch.filter(({ loanId, work }) => 'write' in work && memory.get(loanId) === undefined);
    const keys = batch.flatMap(({ idempotency }) => (idempotency === null ? [] : [idempotency.keyHash]));
    const files = batch.flatMap(({ work }) => ('create' in work ? [work.create.row] : []));
    const reasoned = batch.filter(({ work, options: how }) => 'write' in work && work.write.reason && !how.dryRun);
    const [stored, answers, applications, dataKeys] = await Promise.all([
      missing.length === 0
        ? []
        : loadLoans(
            db,
            missing.map(({ loanId }) => loanId),
          ),
      keys.length === 0 ? new Map<string, StoredAnswer>() : readAnswers(db, keys),
      files.length === 0 ? [] : readApplications(db, files),
      reasoned.length === 0
        ? new Map()
        : readDataKeys(
            db,
            reasoned.map(({ loanId }) => loanId),
          ),
    ]);
    const loaded = new Map<string, Loaded>();
    for (const row of stored) {
      const one = fromStored(row);
      loaded.set(row.loanId, one);
      memory.put(one.known);
    }
    const notes = new Map<string, Buffer>();
    for (const { loanId, work } of reasoned) {
      const part = dataKeys.get(loanId);
      const master = part === undefined ? null : masterKeys.find(part.keyId);
      const key = master === null || part === undefined ? null : unwrap(master, part.wrappedKey, loanId);
      // Without a key the borrower was erased, and with it every word about the person.
      if (key !== null && 'write' in work) notes.set(loanId, sealNote(key, loanId, work.write.reason as string));
    }
    const taken = new Set(applications.map(applicationKey));
    // Within one batch the first of two equal applications takes the place; the other one is decided again and finds it.
    return { loaded, answers, taken, notes };
  }

  /** Answers without a save are believed only when the loan is still what this instance remembers. */
  async function confirm(
    unsaved: readonly { pending: Pending; outcome: Outcome; version: number | null }[],
  ): Promise<Pending[]> {
    const doubtful = unsaved.filter(({ version }) => version !== null);
    const versions =
      doubtful.length === 0
        ? new Map<string, number>()
        : await readVersions(
            db,
            doubtful.map(({ pending }) => pending.loanId),
          );
    const again: Pending[] = [];
    for (const { pending, outcome, version } of unsaved) {
      if (version === null || versions.get(pending.loanId) === version) pending.resolve(outcome);
      else {
        memory.forget(pending.loanId);
        again.push(pending);
      }
    }
    return again;
  }
}

const answer = (outcome: Outcome): Decided => ({ kind: 'answer', outcome });

function replay(before: StoredAnswer, requestHash: string | undefined): Outcome {
  return before.requestHash === requestHash ? { kind: 'replayed', text: before.answer } : { kind: 'key_reused' };
}

function applicationKey(key: { organizationId: string; lenderId: string; applicationId: string }): string {
  return `${key.organizationId} ${key.lenderId} ${key.applicationId}`;
}

/** A unique violation, a deadlock, a serialization failure: instances have met, and going again can help. */
function isCollision(error: unknown): boolean {
  return ['23505', '40P01', '40001'].includes(String((error as { code?: unknown } | null)?.code));
}

function decideNew(pending: Pending, job: NewLoanJob, when: When): Decided {
  const { loanId, actor, options, idempotency } = pending;
  const { organizationId, primaryServicerId, secondaryServicerId } = job.row;
  const blank: Known = {
    loanId,
    organizationId,
    primaryServicerId,
    secondaryServicerId,
    createdAt: Date.parse(when.at),
    startBlock: 0,
    version: 0,
    lastHash: GENESIS_HASH,
    folding: foldAll(job.events),
    books: NO_BOOKS,
    recordedAt: Date.parse(when.at),
    paymentHashes: new Map(),
  };
  const { saved, lines, next } = chain(blank, job.events, () => job.loan, { commitments: job.commitments, note: null });
  const change = changed(next, job.loan, job.events, lines);
  const text = job.answer(change);
  const outcome: Outcome = { kind: 'done', text, change };
  if (options.dryRun) return answer(outcome);
  const save: Save = {
    loanId,
    expected: null,
    version: next.version,
    recordedAt: new Date(next.recordedAt),
    summary: summaryOf(job.loan),
    created: job.row,
    clientId: actor.clientId,
    events: saved,
    idempotency: idempotency === null ? null : { ...idempotency, answer: text },
    assessed: null,
  };
  return { kind: 'save', save, next, outcome };
}

type Situation = { known: Known; history: Loaded | null; when: When; note: Buffer | undefined };

function decideWrite(pending: Pending, write: Write, { known, history, when, note }: Situation): Decided {
  const { actor, options, idempotency, loanId } = pending;
  const { command } = write;
  const role = roleOf(actor, known);
  if (role === null) return answer({ kind: 'missing' });
  if (!mayDo(role, command.do)) return answer({ kind: 'denied', needs: 'grant' });
  if (options.ifVersion !== null && options.ifVersion !== known.version) {
    return answer({ kind: 'version', version: known.version });
  }
  const decision = decide({ folding: known.folding, events: history?.events ?? null }, command, when);
  if (decision === 'needs_events') return { kind: 'needs_events' };
  if (isRefusal(decision)) return answer({ kind: 'refused', refusal: decision });
  if (decision.events.length === 0) {
    // The same call again, or one that changes nothing: answered, not saved.
    if (history === null) return { kind: 'needs_events' };
    const change = asTheFirstTime(known, history, decision, command);
    return answer({ kind: 'done', text: write.answer(change), change });
  }
  const scope = scopeNeeded(command, decision, when);
  if (scope !== null && !actor.scopes.has(scope)) return answer({ kind: 'denied', needs: 'scope', scope });

  const states = statesAfter(known, history, decision, when);
  if (states === null) return { kind: 'needs_events' };
  const { saved, lines, next } = chain(
    { ...known, folding: decision.folding },
    decision.events,
    (i) => states[i] as Loan,
    {
      commitments: write.assessed?.commitments ?? null,
      note: note ?? null,
    },
  );
  const change = changed(next, decision.loan, decision.events, lines);
  const text = write.answer(change);
  const outcome: Outcome = { kind: 'done', text, change };
  if (options.dryRun) return answer(outcome);
  const save: Save = {
    loanId,
    expected: known.lastHash,
    version: next.version,
    recordedAt: new Date(next.recordedAt),
    summary: summaryOf(decision.loan),
    created: null,
    clientId: actor.clientId,
    events: saved,
    idempotency: idempotency === null ? null : { ...idempotency, answer: text },
    assessed: write.assessed?.parts ?? null,
  };
  return { kind: 'save', save, next, outcome };
}

/** Some moves need more than their operation does: money out, and payments dated far back. */
function scopeNeeded(command: Command, { events, loan }: Decision, when: When): string | null {
  if (command.do === 'initiate-repayment') {
    return events.some(({ type }) => type === 'funded') ? 'loans:fund' : 'servicing:write';
  }
  if (command.do !== 'loan-repay') return null;
  const limit = addDays(when.today, -loan.policy.backdateDays);
  return events.some(({ date }) => date < limit) ? 'servicing:write' : null;
}

/** The loan after each of the events. Null: the history is needed to know. */
function statesAfter(known: Known, history: Loaded | null, decision: Decision, when: When): Loan[] | null {
  const { events, loan } = decision;
  const states: Loan[] = [];
  let folding = known.folding;
  for (let i = 0; i < events.length - 1; i++) {
    const step = append(folding, [events[i] as LoanEvent]);
    const state = step === null ? null : stateOn(step, when.today);
    if (step !== null && state !== null) {
      folding = step;
      states.push(state);
      continue;
    }
    if (history === null) return null;
    const so = [...history.events, ...events.slice(0, i + 1)];
    folding = foldAll(so);
    states.push(fold(so, when.today));
  }
  return [...states, loan];
}

/** What a repeated call answers: the loan and the hash of the first time. */
function asTheFirstTime(known: Known, { events, hashes }: Loaded, decision: Decision, command: Command): Change {
  const index = decision.original ?? (command.do === 'close' ? closingEvent(events) : null);
  if (index === null) return { ...changed(known, decision.loan, [], []), repeated: decision.repeated };
  const until = events.slice(0, index + 1);
  const loan = fold(until, (until.at(-1) as LoanEvent).recordedOn);
  return {
    ...changed(known, loan, [], []),
    transactionHash: hashes[index] as string,
    repeated: true,
  };
}

/** The event that closed the loan: the first after which it was never open again. */
function closingEvent(events: readonly LoanEvent[]): number {
  let index = events.length - 1;
  while (index > 0) {
    const until = events.slice(0, index);
    if (!isClosed(fold(until, (until.at(-1) as LoanEvent).recordedOn))) break;
    index -= 1;
  }
  return index;
}

/** Events become transactions, each linked to the one before, with the lines that bring the books where the loan now stands. */
function chain(
  known: Known,
  events: readonly LoanEvent[],
  stateAfter: (i: number) => Loan,
  more: { commitments: Readonly<Record<string, string>> | null; note: Buffer | null },
): { saved: SavedEvent[]; lines: Line[]; next: Known } {
  let { version: sequence, lastHash: previous, books } = known;
  const { loanId } = known;
  const all: Line[] = [];
  const saved = events.map((event, i): SavedEvent => {
    sequence += 1;
    const commitments = i === 0 ? more.commitments : null;
    const body = transactionBody({ loanId, sequence, previous, event, commitments });
    const hash = hashOf(body);
    previous = hash;
    const after = booksOf(stateAfter(i));
    const lines = post(books, after);
    books = after;
    all.push(...lines);
    const last = i === events.length - 1;
    return {
      sequence,
      hash,
      type: event.type,
      refId: event.type === 'paymentSubmitted' ? event.refId : null,
      body,
      note: last ? more.note : null,
      dateEffective: event.date,
      datePosted: event.recordedOn,
      lines,
    };
  });
  const recordedAt = Date.parse((events.at(-1) as LoanEvent).recordedAt);
  const next = { ...known, version: sequence, lastHash: previous, books, recordedAt };
  return { saved, lines: all, next };
}

function changed(next: Known, loan: Loan, events: readonly LoanEvent[], journal: readonly Line[]): Change {
  return {
    loanId: next.loanId,
    transactionHash: next.lastHash,
    version: next.version,
    loan,
    status: statusOf(loan),
    events,
    journal,
    repeated: false,
  };
}

export function summaryOf(loan: Loan): Summary {
  const from = pastDueFrom(loan);
  return {
    status: storedStatus(loan),
    pastDueFrom: from,
    delinquentFrom: from === null ? null : addDays(from, loan.policy.graceDays + 1),
    late: from !== null && from < loan.on,
    loanAmount: loan.contract.amount,
    principal: loan.stage === 'Funded' ? loan.principal : loan.contract.amount,
    published: loan.published,
  };
}
