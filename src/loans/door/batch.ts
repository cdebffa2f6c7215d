/**
 * One batch of the write path: it loads everything that its commands are decided with, decides each in memory, and saves all of them in one
 * transaction. A refusal of one command does not touch the others; a loan that another process changed in the meantime is loaded and
 * decided again. Nothing is acknowledged before it is on disk.
 */
import { randomUUID } from 'node:crypto';
import type { PlainDate } from '../../core/calendar.ts';
import { needsFile } from '../../core/decide/decide.ts';
import { lacksDay, makeDays } from '../../store/db/by-day.ts';
import { DatabaseUnavailable, type Db } from '../../store/db/db.ts';
import { confirmReplicated } from '../../store/db/replica.ts';
import { readVersions } from '../../store/door/loans.ts';
import { isOneStatement, save } from '../../store/door/save.ts';
import { holdClocks } from '../../store/door/test-clocks.ts';
import { type Clock, type Clocks, whenOfLoan } from './clocks.ts';
import { applicationKey, type Facts, type FactsOptions, idsOf, openFacts } from './facts.ts';
import { NONE_RESERVED } from './keys.ts';
import { isFoldedWith } from './loan-cache.ts';
import type { NewLoanJob, Pending } from './pending.ts';
import { refusedFor } from './permissions.ts';
import { replay, type Settled, settle, settleNew } from './settle.ts';
import type { Outcome, Unavailable, Write } from './write.ts';

export type BatchOptions = FactsOptions & {
  db: Db;
  clock: () => number;
  clocks: Clocks;
  /** Until when, by the database's clock, what was decided at a moment may be saved; null or absent: whenever. */
  savedUntil?: (at: number) => Date | null;
  /** Called when events were committed. */
  onSaved?: () => void;
  /** Called when a loan is not there any more, or at an earlier version than this process has seen; the answer of such a batch. */
  onSetBack: () => Unavailable;
};

/** The moment of a batch, and the clocks of the organizations whose loans are in it. */
type Now = { readonly at: number; readonly clockOf: ReadonlyMap<string, Clock> };

/**
 * `stale`: what was loaded is not of one moment, or another command of the batch comes first. `version`: the one that an answer without a
 * save was decided on, if it comes from the memory of this process; else it was just read.
 */
type Result = { readonly pending: Pending; readonly version?: number | null } & (
  | Settled
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly error: unknown }
);
type Kind<K extends Result['kind']> = Extract<Result, { kind: K }>;

/** Times that a command is decided again because its loan changed in the meantime. */
const ATTEMPTS = 12;
/** Times that a test clock may move on before what goes by it is saved; then the clock waits for it. */
const OVERTAKEN = 2;
/** Times that a batch is run again because two processes stored the same thing at once. */
const COLLISIONS = 2;
/** More loans than this that are not remembered are run after the others of their batch, which would wait for them. */
const COLD_AT_ONCE = 16;

/** Runs a batch, in which no loan is named twice. It never rejects: every command of the batch is answered, one way or the other. */
export function openBatches(options: BatchOptions) {
  const { db, clock, clocks, cache, keys, savedUntil, onSaved, onSetBack } = options;
  const { load, addHistories, knownIn, isCold } = openFacts(options);
  /** After a failover a loan may be at an earlier version: then it is decided again. */
  let era = 0;
  db.onMoved(() => {
    era += 1;
  });
  return run;

  async function run(batch: readonly Pending[], attempt = 0): Promise<void> {
    const cold = batch.filter(isCold);
    if (cold.length > COLD_AT_ONCE && cold.length < batch.length) {
      await run(
        batch.filter((one) => !isCold(one)),
        attempt,
      );
      return run(cold, attempt);
    }
    let again: readonly Pending[];
    try {
      again = await runOnce(batch, attempt > OVERTAKEN);
    } catch (error) {
      again = await afterFailure(batch, error, attempt);
    }
    if (again.length === 0) return;
    if (attempt < ATTEMPTS) return run(again, attempt + 1);
    // Before the answer: a caller that retries immediately reserves the key again, and must not lose it here.
    await keys.release(again).catch(() => {});
    for (const { resolve } of again) resolve({ kind: 'busy', whose: 'everyone' });
  }

  /** Loads, decides, saves, answers; returns the commands that must be decided again. With `hold` the test clocks stand until the commit. */
  async function runOnce(batch: readonly Pending[], hold: boolean): Promise<Pending[]> {
    const at = clock();
    const facts = await load(batch, hold);
    if (wentBack(batch, facts)) return answerSetBack(batch);
    const { owners } = facts;
    const clockOf = await clocks.of(owners);
    const isTested = (one: Pending) => clockOf.get(ownerOf(one, facts) ?? '')?.test != null;
    const tested = batch.filter(isTested);
    if (tested.length > 0 && tested.length < batch.length) {
      // A save by a test clock waits for that clock: what others have sent never shares that.
      await run(batch.filter((one) => !isTested(one)));
      await run(tested);
      return [];
    }
    if (hold && tested.length > 0) {
      // Everything that is needed was loaded before, so that nothing waits for a second connection while the clocks do.
      const [results, blocks] = await db.transaction(async (tx) => {
        await holdClocks(tx, owners);
        const now = { at, clockOf: await clocks.held(tx, owners) };
        const decided = batch.map((pending) => decideOn(pending, facts, now));
        const rows = savesIn(decided);
        return [decided, rows.length === 0 ? new Map() : await save(tx, rows, momentOf(now, owners))];
      });
      const again = answerSaved(results, blocks);
      return [...again, ...(await answerUnsaved(results))];
    }
    const now = { at, clockOf };
    const results = await decideAll(batch, facts, now);
    if (wentBack(batch, facts)) return answerSetBack(batch);
    // Before the save: what was refused is not done later, when that fails and its batch must go again.
    const again = await answerUnsaved(results);
    const rows = savesIn(results);
    if (rows.length === 0) return again;
    const moment = momentOf(now, owners);
    const blocks = isOneStatement(db, rows, moment)
      ? await save(db, rows, moment)
      : await db.transaction((tx) => save(tx, rows, moment));
    return [...again, ...answerSaved(results, blocks)];
  }

  /** Whether a loan that was read for this batch is older than what it was decided on before, or is gone: no server loses a commit by itself. */
  function wentBack(batch: readonly Pending[], { loaded, asked }: Facts): boolean {
    return batch.some(({ loanId, decidedOn }) => {
      if (decidedOn === null || decidedOn.era !== era || !(asked.has(loanId) || loaded.has(loanId))) return false;
      return (loaded.get(loanId)?.known.version ?? 0) < decidedOn.version;
    });
  }

  /** Nothing is decided on a database that was set back. Its keys stay reserved for a minute, as after any write that came to nothing. */
  function answerSetBack(batch: readonly Pending[]): Pending[] {
    const refused = onSetBack();
    for (const { loanId, resolve } of batch) {
      cache.forget(loanId);
      resolve(refused);
    }
    return [];
  }

  /** The commands that may run once more as one batch, because processes have met. The others are answered when it returns. */
  async function afterFailure(batch: readonly Pending[], error: unknown, attempt: number): Promise<Pending[]> {
    // The cached loans may be wrong now, whatever failed.
    for (const { loanId } of batch) cache.forget(loanId);
    const open = batch.filter(({ answered }) => !answered);
    const isGone = error instanceof DatabaseUnavailable;
    // Two processes met in a unique index, and loading again finds the other one's row; or a day had no part yet.
    if (!isGone && attempt < COLLISIONS && (isCollision(error) || (await madeDays(error)))) return open;
    if (isGone || open.length === 1) {
      for (const { reject } of open) reject(error);
      return [];
    }
    // One of them that cannot be saved need not fail the others. By halves it is found in a few saves;
    // one save for each would delay all callers. Each half starts over, because it may conflict with another process again.
    const middle = Math.ceil(open.length / 2);
    for (const half of [open.slice(0, middle), open.slice(middle)]) if (half.length > 0) await run(half);
    return [];
  }

  /** Parts are made days ahead; after a longer standstill, or when that has failed, they are made by the first write that needs one. */
  function madeDays(error: unknown): Promise<boolean> {
    if (!lacksDay(error)) return Promise.resolve(false);
    return makeDays(db).then(
      () => true,
      () => false,
    );
  }

  /** Those that need a history that was not loaded are decided again with it. */
  async function decideAll(batch: readonly Pending[], facts: Facts, now: Now): Promise<Result[]> {
    const results = batch.map((pending) => decideOn(pending, facts, now));
    const curious = results.filter(({ kind }) => kind === 'needs_events').map(({ pending }) => pending);
    if (curious.length === 0) return results;
    await addHistories(facts, curious);
    return results.map((one) => (one.kind === 'needs_events' ? decideOn(one.pending, facts, now) : one));
  }

  /** One command that cannot be decided (an amount out of range, say) must not fail the others. */
  function decideOn(pending: Pending, facts: Facts, now: Now): Result {
    try {
      const { work } = pending;
      return 'create' in work
        ? decideNew(pending, work.create, facts, now)
        : decideWrite(pending, work.write, facts, now);
    } catch (error) {
      return { pending, kind: 'failed', error };
    }
  }

  function decideNew(pending: Pending, create: NewLoanJob, facts: Facts, { at, clockOf }: Now): Result {
    const stored = storedAnswer(pending, facts);
    if (stored !== null) return { pending, kind: 'answer', outcome: stored };
    const key = applicationKey(create.row);
    const there = facts.taken.get(key);
    if (there !== undefined) {
      const outcome = { kind: 'application_exists', loanId: there.loanId } as const;
      return { pending, kind: 'answer', outcome };
    }
    // The first of equal applications in one batch is decided; the others wait for what becomes of it.
    if (facts.created.has(key)) return { pending, kind: 'stale' };
    facts.created.add(key);
    const ownersClock = clockOf.get(create.row.organizationId) as Clock;
    const dated = ownersClock.datesAt(at);
    const when = { today: ownersClock.dayOf(dated), at: new Date(dated).toISOString() };
    const settled = settleNew(pending, create, { when, policies: ownersClock.policies, nonce: randomUUID });
    return { pending, ...settled };
  }

  function decideWrite(pending: Pending, write: Write, facts: Facts, { at, clockOf }: Now): Result {
    const { loanId, actor, options: how } = pending;
    const history = facts.loaded.get(loanId) ?? null;
    const known = knownIn(facts.loaded, loanId);
    const isFresh = history !== null || facts.asked.has(loanId);
    // It was remembered when the batch was loaded, and has been forgotten since: to make room, or because the database has moved.
    if (known === undefined && !isFresh) return { pending, kind: 'stale' };
    const version = isFresh ? null : (known?.version ?? null);
    const answered = (outcome: Outcome): Result => ({ pending, kind: 'answer', outcome, version });
    // Before the stored answer: a caller that may no longer see the loan, or no longer do this, must not get the result.
    const refused = refusedFor(actor, known ?? null, write.command.do);
    if (refused !== null || known === undefined) return answered(refused ?? { kind: 'missing' });
    if (how.approval !== undefined && !facts.approvals.has(how.approval.approvalId))
      return answered({ kind: 'not_pending' });
    const stored = storedAnswer(pending, facts);
    if (stored !== null) return answered(stored);
    // The highest version counts: a history that is read afterwards may be older.
    if (pending.decidedOn?.era !== era || pending.decidedOn.version < known.version)
      pending.decidedOn = { version: known.version, era };
    const file = facts.files.get(loanId);
    const isMissing = file === undefined && !isFresh && needsFile(write.command.do);
    if (isMissing || (file !== undefined && file.version !== known.version)) return { pending, kind: 'stale' };
    const ownersClock = clockOf.get(known.organizationId);
    if (ownersClock === undefined || !isFoldedWith(known, ownersClock.policies)) return { pending, kind: 'stale' };
    const note = facts.notes.get(loanId) ?? null;
    const when = whenOfLoan(known, ownersClock, at);
    const reboarded = facts.reboarded.get(loanId);
    const held = { known, history, file: file?.file ?? null, when, note, reboarded, nonce: randomUUID };
    const settled = settle(pending, write, held);
    if (settled.kind === 'needs_events' && history !== null) throw new Error('A decision asked for the history again.');
    return { pending, version, ...settled };
  }

  function momentOf({ at, clockOf }: Now, owners: ReadonlySet<string>) {
    return { at: new Date(at), until: savedUntil?.(at) ?? null, standing: standingOf(clockOf, owners) };
  }

  /** Answers what was saved, and remembers the loans as they are now; returns what another process has overtaken. */
  function answerSaved(results: readonly Result[], blocks: ReadonlyMap<string, number>): Pending[] {
    if (blocks.size > 0) onSaved?.();
    const others: Pending[] = [];
    for (const result of results) {
      if (result.kind !== 'save') continue;
      const { pending, next, outcome } = result;
      const block = blocks.get(pending.loanId);
      if (block === undefined) {
        cache.forget(pending.loanId);
        others.push(pending);
        continue;
      }
      cache.put(next.startBlock === 0 ? { ...next, startBlock: block } : next);
      pending.resolve(outcome);
    }
    return others;
  }

  /** Answers what needs no save; returns what must be decided again. */
  async function answerUnsaved(results: readonly Result[]): Promise<Pending[]> {
    const stale: Pending[] = [];
    for (const result of results) {
      if (result.kind === 'save' || result.kind === 'answer') continue;
      cache.forget(result.pending.loanId);
      if (result.kind === 'failed') result.pending.reject(result.error);
      else stale.push(result.pending);
    }
    const answers = results.filter((one) => one.kind === 'answer');
    return answers.length === 0 ? stale : [...stale, ...(await confirm(answers))];
  }

  /** Answers without a save are believed only when the loan is still what this process remembers. */
  async function confirm(unsaved: readonly Kind<'answer'>[]): Promise<Pending[]> {
    const doubtful = unsaved.filter(({ version = null }) => version !== null).map(({ pending }) => pending);
    const versions = doubtful.length === 0 ? new Map<string, number>() : await readVersions(db, idsOf(doubtful));
    const isStill = ({ pending, version = null }: Kind<'answer'>) =>
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

  /** The organization whose clock decides; undefined: the loan was not found. */
  function ownerOf({ loanId, work }: Pending, { loaded }: Facts): string | undefined {
    return 'write' in work ? knownIn(loaded, loanId)?.organizationId : work.create.row.organizationId;
  }
}

const savesIn = (results: readonly Result[]) => results.flatMap((one) => (one.kind === 'save' ? [one.save] : []));

/** The outcome under the key of a call that was made before. Null: there is none yet. */
function storedAnswer({ idempotency }: Pending, { answers }: Facts): Outcome | null {
  const before = idempotency === null ? undefined : answers.get(idempotency.keyHash);
  if (before === undefined) return null;
  return before === 'running' ? { kind: 'key_running' } : replay(before, idempotency?.requestHash);
}

/** The dates of the test clocks that apply to a batch of these owners. */
function standingOf(clockOf: ReadonlyMap<string, Clock>, owners: Iterable<string>): Map<string, PlainDate> {
  const standing = new Map<string, PlainDate>();
  for (const id of owners) {
    const standsOn = clockOf.get(id)?.test?.standsOn;
    if (standsOn !== undefined) standing.set(id, standsOn);
  }
  return standing;
}

/** It acknowledges once more what an earlier call has done. */
function repeats(outcome: Outcome): boolean {
  return outcome.kind === 'replayed' || (outcome.kind === 'done' && outcome.change.repeated);
}

/** It comes from an answer that is stored under the key. */
function isAnswered({ kind }: Outcome): boolean {
  return kind === 'replayed' || kind === 'key_reused';
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
