/**
 * One batch of the write path: it loads everything that its commands are decided with, decides each in memory (`transact`), and saves
 * all of them in one transaction. A refusal of one command does not touch the others; a loan that another process changed in the
 * meantime is loaded and decided again. Nothing is acknowledged before it is on disk.
 */
import { setImmediate } from 'node:timers/promises';
import type { LoanFile } from '../../boarding/file.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { needsFile } from '../../core/decide/decide.ts';
import { pendingAmong } from '../../store/approvals/approvals.ts';
import { lacksDay, makeDays } from '../../store/db/by-day.ts';
import { DatabaseUnavailable, type Db, type Session } from '../../store/db/db.ts';
import { confirmReplicated } from '../../store/db/replica.ts';
import { loadLoans, readApplications, readDataKeys, readFiles, readVersions } from '../../store/door/loans.ts';
import { saveBatch } from '../../store/door/save-batch.ts';
import type { Save } from '../../store/door/save-loans.ts';
import { holdClocks } from '../../store/door/test-clocks.ts';
import { type MasterKeys, unwrap } from '../../vault/master-keys.ts';
import { noteText } from '../../vault/note.ts';
import { sealNote } from '../../vault/seal.ts';
import type { Actor } from './actor.ts';
import { type Clock, type Clocks, whenOfLoan } from './clocks.ts';
import { type CallKey, type Keys, NONE_RESERVED } from './keys.ts';
import { fromStored, isFoldedWith, type Known, type Loaded, type LoanCache } from './loan-cache.ts';
import { refusedFor } from './permissions.ts';
import { type NewLoanJob, replay, type Transacted, transact, transactNew } from './transact.ts';
import type { Outcome, Write, WriteOptions } from './write.ts';

export type BatchOptions = {
  db: Db;
  clock: () => number;
  clocks: Clocks;
  cache: LoanCache;
  masterKeys: MasterKeys;
  keys: Keys;
  /** Until when, by the database's clock, what was decided at a moment may be saved; null or absent: whenever. */
  savedUntil?: (at: number) => Date | null;
  /** Called when events were committed. */
  onSaved?: () => void;
};

export type Work = { readonly create: NewLoanJob } | { readonly write: Write };

/** A command that waits for its outcome. */
export type Pending = {
  readonly actor: Actor;
  readonly loanId: string;
  readonly options: WriteOptions;
  readonly work: Work;
  readonly idempotency: CallKey | null;
  /** It holds the reservation of its key. */
  reserved: boolean;
  /** It has its outcome. A refused one must not be decided again, though its batch is. */
  answered: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

/** Times that a command is decided again because its loan changed in the meantime. */
const ATTEMPTS = 12;
/** Times that a test clock may move on before what goes by it is saved; then the clock waits for it. */
const OVERTAKEN = 2;
/** Times that a batch is run again because two processes stored the same thing at once. */
const COLLISIONS = 2;

/** More loans than this that are not remembered are run after the others of their batch, which would wait for them. */
const COLD_AT_ONCE = 16;
/** Loans that are folded before the event loop is given to others: some milliseconds. */
const FOLDED_AT_ONCE = 8;

/** Runs a batch, in which no loan is named twice. It never rejects: every command of the batch is answered, one way or the other. */
export function openBatches({ db, clock, clocks, cache, masterKeys, keys, savedUntil, onSaved }: BatchOptions) {
  return async (batch: readonly Pending[]): Promise<void> => {
    for (const part of byWarmth(batch)) await run(part, 0);
  };

  function byWarmth(batch: readonly Pending[]): (readonly Pending[])[] {
    const cold = batch.filter(isCold);
    if (cold.length <= COLD_AT_ONCE || cold.length === batch.length) return [batch];
    return [batch.filter((pending) => !isCold(pending)), cold];
  }

  function isCold({ loanId, work }: Pending): boolean {
    return 'write' in work && cache.get(loanId) === undefined;
  }

  async function run(batch: readonly Pending[], attempt: number): Promise<void> {
    let again: Pending[] = [];
    let apart: Pending[] = [];
    try {
      ({ again, apart } = await runOnce(batch, attempt > OVERTAKEN));
    } catch (error) {
      // The cached loans may be wrong now, whatever failed.
      for (const { loanId } of batch) cache.forget(loanId);
      const open = batch.filter(({ answered }) => !answered);
      const collided = attempt < COLLISIONS && (isCollision(error) || (await madeDays(error)));
      if (error instanceof DatabaseUnavailable || (open.length === 1 && !collided)) {
        for (const { reject } of open) reject(error);
        return;
      }
      if (!collided) {
        // One of them that cannot be saved need not fail the others. By halves it is found in a few saves;
        // one save for each would delay all callers. Each half starts over, because it may conflict with another process again.
        const middle = Math.ceil(open.length / 2);
        for (const half of [open.slice(0, middle), open.slice(middle)]) if (half.length > 0) await run(half, 0);
        return;
      }
      // Two processes met in a unique index, and loading again finds the other one's row; or a day had no part yet.
      again = open;
    }
    if (apart.length > 0) await run(apart, 0);
    if (again.length === 0) return;
    if (attempt < ATTEMPTS) return run(again, attempt + 1);
    // Before the answer: a caller that retries immediately reserves the key again, and must not lose it here.
    await keys.release(again).catch(() => {});
    for (const { resolve } of again) resolve({ kind: 'busy', whose: 'everyone' });
  }

  /** Parts are made days ahead; after a longer standstill, or when that has failed, they are made by the first write that needs one. */
  function madeDays(error: unknown): Promise<boolean> {
    if (!lacksDay(error)) return Promise.resolve(false);
    return makeDays(db).then(
      () => true,
      () => false,
    );
  }

  /**
   * The commands that must be decided again, and those that are of test clocks among others that are not: those are run apart, because a
   * save by a test clock waits for it. With `hold` the test clocks stand until the commit.
   */
  async function runOnce(batch: readonly Pending[], hold: boolean): Promise<{ again: Pending[]; apart: Pending[] }> {
    const at = clock();
    const { asked, loaded, reserved, answers, taken, notes, files, approvals } = await load(batch, hold);
    const ownerOf = new Map(batch.map((pending) => [pending, ownerIn(pending, loaded)]));
    const owners = new Set([...ownerOf.values()].filter((owner) => owner !== undefined));
    let clockOf = await clocks.of(owners);
    const isTested = (pending: Pending) => (clockOf.get(ownerOf.get(pending) ?? '')?.test ?? null) !== null;
    const tested = batch.filter(isTested);
    const apart = tested.length === batch.length ? [] : tested;

    const saves: { pending: Pending; save: Save; next: Known; outcome: Outcome }[] = [];
    const unsaved: { pending: Pending; outcome: Outcome; version: number | null }[] = [];
    const curious: Pending[] = [];
    const stale: Pending[] = [];
    const created = new Set<string>();
    let blocks: ReadonlyMap<string, number> = new Map();
    if (hold && tested.length > 0 && apart.length === 0) {
      // Everything that is needed was loaded before, so that nothing waits for a second connection while the clocks do.
      blocks = await db.transaction(async (tx) => {
        await holdClocks(tx, owners);
        clockOf = await clocks.held(tx, owners);
        for (const pending of batch) settle(pending, decideOn(pending));
        return saves.length === 0 ? new Map() : save({ ...tx, transaction: (work) => work(tx) });
      });
      const again = [...stale, ...(await confirm(unsaved))];
      return { again: [...again, ...saved()], apart };
    }
    for (const pending of batch) if (apart.length === 0 || !isTested(pending)) settle(pending, decideOn(pending));
    if (curious.length > 0) {
      for (const stored of await loadLoans(db, idsOf(curious))) {
        const { policies } = clockOf.get(stored.organizationId) ?? (await clocks.one(stored.organizationId));
        loaded.set(stored.loanId, fromStored(stored, policies));
      }
      for (const [keyHash, one] of await keys.answers(curious, reserved)) answers.set(keyHash, one);
      for (const pending of curious) settle(pending, decideOn(pending));
    }

    const again = [...stale, ...(await confirm(unsaved))];
    if (saves.length === 0) return { again, apart };
    blocks = await save(db);
    return { again: [...again, ...saved()], apart };

    function save(session: Session): Promise<ReadonlyMap<string, number>> {
      const standing = standingOf(clockOf, apart.length === 0 ? owners : []);
      const rows = saves.map((one) => one.save);
      return saveBatch(session, rows, { at: new Date(at), until: savedUntil?.(at) ?? null, standing });
    }

    /** Answers what was saved; the others. */
    function saved(): Pending[] {
      const others: Pending[] = [];
      if (blocks.size > 0) onSaved?.();
      for (const { pending, save, next, outcome } of saves) {
        const block = blocks.get(pending.loanId);
        if (block === undefined) {
          cache.forget(pending.loanId);
          others.push(pending);
          continue;
        }
        for (const { hash, refId } of save.events) if (refId !== null) next.paymentHashes.set(refId, hash);
        cache.put(next.startBlock === 0 ? { ...next, startBlock: block } : next);
        pending.resolve(outcome);
      }
      return others;
    }

    function settle(pending: Pending, result: Transacted | 'stale' | Error): void {
      if (result instanceof Error) {
        // One command that cannot be decided (an amount out of range, say) must not fail the others.
        cache.forget(pending.loanId);
        pending.reject(result);
      } else if (result === 'stale') {
        cache.forget(pending.loanId);
        stale.push(pending);
      } else if (result.kind === 'needs_events') {
        if (loaded.has(pending.loanId)) pending.reject(new Error('A decision asked for the history again.'));
        else curious.push(pending);
      } else if (result.kind === 'save') saves.push({ pending, ...result });
      else {
        const fresh = asked.has(pending.loanId) || loaded.has(pending.loanId) || !('write' in pending.work);
        // A loan that was forgotten since has no version to confirm, and is decided again.
        const version = fresh ? null : (cache.get(pending.loanId)?.version ?? -1);
        unsaved.push({ pending, outcome: result.outcome, version });
      }
    }

    /** `stale`: what was loaded is not of one moment, or another command of the batch comes first. */
    function decideOn(pending: Pending): Transacted | 'stale' | Error {
      try {
        const { idempotency, work, loanId } = pending;
        const before = idempotency === null ? undefined : answers.get(idempotency.keyHash);
        const stored: Outcome | null =
          before === undefined
            ? null
            : before === 'running'
              ? { kind: 'key_running' }
              : replay(before, idempotency?.requestHash);
        if ('create' in work) {
          if (stored !== null) return { kind: 'answer', outcome: stored };
          const key = applicationKey(work.create.row);
          const there = taken.get(key);
          if (there !== undefined)
            return { kind: 'answer', outcome: { kind: 'application_exists', loanId: there.loanId } };
          // The first of equal applications in one batch is decided; the others wait for what becomes of it.
          if (created.has(key)) return 'stale';
          created.add(key);
          const ownersClock = clockOf.get(work.create.row.organizationId) as Clock;
          const dated = ownersClock.datesAt(at);
          const when = { today: ownersClock.dayOf(dated), at: new Date(dated).toISOString() };
          return transactNew(pending, work.create, { when, policies: ownersClock.policies });
        }
        const fresh = loaded.get(loanId);
        const known = fresh?.known ?? cache.get(loanId);
        // It was remembered when the batch was loaded, and has been forgotten since: to make room, or because the database has moved.
        if (known === undefined && !asked.has(loanId)) return 'stale';
        // Before the stored answer: a caller that may no longer see the loan, or no longer do this, must not get the result.
        const refused = refusedFor(pending.actor, known ?? null, work.write.command.do);
        if (refused !== null || known === undefined) return { kind: 'answer', outcome: refused ?? { kind: 'missing' } };
        const { approval } = pending.options;
        if (approval !== undefined && !approvals.has(approval.approvalId))
          return { kind: 'answer', outcome: { kind: 'not_pending' } };
        if (stored !== null) return { kind: 'answer', outcome: stored };
        const file = files.get(loanId);
        if (file !== undefined && file.version !== known.version) return 'stale';
        const ownersClock = clockOf.get(known.organizationId);
        if (ownersClock === undefined || !isFoldedWith(known, ownersClock.policies)) return 'stale';
        return transact(pending, work.write, {
          known,
          history: fresh ?? null,
          file: file?.file ?? null,
          when: whenOfLoan(known, ownersClock, at),
          note: notes.get(loanId) ?? null,
        });
      } catch (error) {
        return error instanceof Error ? error : new Error('A decision failed.');
      }
    }
  }

  /** The organization whose clock decides; undefined: the loan was not found. */
  function ownerIn({ loanId, work }: Pending, loaded: ReadonlyMap<string, Loaded>): string | undefined {
    const owned = 'write' in work ? (loaded.get(loanId)?.known ?? cache.get(loanId)) : work.create.row;
    return owned?.organizationId;
  }

  /** Everything a batch needs from the database. Cached loans are not read again, unless `whole`; most batches of payments need no read. */
  async function load(batch: readonly Pending[], whole: boolean) {
    const reserved = await keys.reserve(batch);
    const missing = batch.filter((pending) => ('write' in pending.work && whole) || isCold(pending));
    const created = batch.flatMap(({ loanId, work }) => ('create' in work ? [{ ...work.create.row, loanId }] : []));
    const reasoned = batch.filter(({ work, options: how }) => 'write' in work && work.write.reason && !how.dryRun);
    const byFile = batch.filter(({ work }) => 'write' in work && needsFile(work.write.command.do));
    const approving = batch.flatMap(({ options: how }) => how.approval?.approvalId ?? []);
    const [stored, applications, dataKeys, storedFiles, approvals] = await Promise.all([
      missing.length === 0 ? [] : loadLoans(db, idsOf(missing)),
      created.length === 0 ? [] : readApplications(db, created),
      reasoned.length === 0 ? new Map() : readDataKeys(db, idsOf(reasoned)),
      byFile.length === 0 ? [] : readFiles(db, idsOf(byFile)),
      approving.length === 0 ? new Set<string>() : pendingAmong(db, approving),
    ]);
    const answers = await keys.answers(batch, reserved);
    const taken = new Map(applications.map((one) => [applicationKey(one), one]));
    for (const [keyHash, one] of await keys.answersOf(createdBefore(batch, taken))) answers.set(keyHash, one);
    const loaded = new Map<string, Loaded>();
    const clockOf = await clocks.of(new Set(stored.map(({ organizationId }) => organizationId)));
    for (const row of stored) {
      const one = fromStored(row, (clockOf.get(row.organizationId) as Clock).policies);
      loaded.set(row.loanId, one);
      cache.put(one.known);
      if (loaded.size % FOLDED_AT_ONCE === 0) await setImmediate();
    }
    const notes = new Map<string, Buffer>();
    for (const { loanId, work } of reasoned) {
      const part = dataKeys.get(loanId);
      const master = part === undefined ? null : masterKeys.find(part.keyId);
      const key = master === null || part === undefined ? null : unwrap(master, part.wrappedKey, loanId);
      // Without a key the borrower was erased, and with it every word about the person.
      if (key === null || !('write' in work)) continue;
      const { reason, details = null } = work.write;
      notes.set(loanId, sealNote(key, loanId, noteText({ reason: reason ?? '', details })));
    }
    const files = new Map(
      storedFiles.map(({ loanId, version, file }) => [loanId, { version, file: JSON.parse(file) as LoanFile }]),
    );
    return { asked: new Set(idsOf(missing)), loaded, reserved, answers, taken, notes, files, approvals };
  }

  /** Answers without a save are believed only when the loan is still what this process remembers. */
  async function confirm(
    unsaved: readonly { pending: Pending; outcome: Outcome; version: number | null }[],
  ): Promise<Pending[]> {
    const doubtful = unsaved.filter(({ version }) => version !== null);
    const versions =
      doubtful.length === 0
        ? new Map<string, number>()
        : await readVersions(db, idsOf(doubtful.map(({ pending }) => pending)));
    const isStill = ({ pending, version }: (typeof unsaved)[number]) =>
      version === null || versions.get(pending.loanId) === version;
    const [sure, again] = [unsaved.filter(isStill), unsaved.filter((one) => !isStill(one))];
    // A key that expired in the meantime may have been reserved by a repeated call; then that call's answer is the result.
    const held = sure.filter(({ pending, outcome }) => pending.reserved && !isAnswered(outcome));
    const unanswered = held.map(({ pending }) => pending);
    const late = await keys.answers(unanswered, NONE_RESERVED);
    if (late.size > 0 || sure.some(({ outcome }) => repeats(outcome))) await confirmReplicated(db);
    await keys.release(unanswered.filter(({ idempotency }) => !late.has(idempotency?.keyHash ?? '')));
    for (const { pending, outcome } of sure) {
      const before = late.get(pending.idempotency?.keyHash ?? '');
      const replayed =
        before === undefined || before === 'running' ? null : replay(before, pending.idempotency?.requestHash);
      pending.resolve(replayed ?? outcome);
    }
    for (const { pending } of again) cache.forget(pending.loanId);
    return again.map(({ pending }) => pending);
  }
}

/**
 * Creations whose application exists, by their keys: each with the loan that is there, which may be that of an earlier call under the
 * same key whose answer was lost. A new call has an id of its own, so the key alone does not lead to it.
 */
function createdBefore<T>(batch: readonly Pending[], taken: ReadonlyMap<string, T>): Map<string, T> {
  const found = new Map<string, T>();
  for (const { work, idempotency } of batch) {
    const loan = 'create' in work ? taken.get(applicationKey(work.create.row)) : undefined;
    if (loan !== undefined && idempotency !== null) found.set(idempotency.keyHash, loan);
  }
  return found;
}

/** The dates of the test clocks that apply to a batch of these owners. */
function standingOf(clockOf: ReadonlyMap<string, Clock>, owners: Iterable<string>): Map<string, PlainDate> {
  return new Map(
    [...owners].flatMap((id) => {
      const standsOn = clockOf.get(id)?.test?.standsOn;
      return standsOn === undefined ? [] : [[id, standsOn]];
    }),
  );
}

const idsOf = (some: readonly Pending[]): string[] => some.map(({ loanId }) => loanId);

/** It acknowledges once more what an earlier call has done. */
function repeats(outcome: Outcome): boolean {
  return outcome.kind === 'replayed' || (outcome.kind === 'done' && outcome.change.repeated);
}

/** It comes from an answer that is stored under the key. */
function isAnswered({ kind }: Outcome): boolean {
  return kind === 'replayed' || kind === 'key_reused';
}

function applicationKey(key: { organizationId: string; lenderId: string; applicationId: string }): string {
  return `${key.organizationId} ${key.lenderId} ${key.applicationId}`;
}

/**
 * A unique violation, a deadlock, a serialization failure: processes have met, and going again can help. A server that passes a statement
 * on to others may report the violation as an internal error.
 */
function isCollision(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (
    ['23505', '40P01', '40001'].includes(String(code)) ||
    (code === 'XX000' && String(message).includes('duplicate key'))
  );
}
