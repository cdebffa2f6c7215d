/** Everything that a batch is decided with, loaded before the first of its commands is: most batches of payments need no read at all. */
import { setImmediate } from 'node:timers/promises';
import type { LoanFile } from '../../boarding/file.ts';
import { needsFile } from '../../core/decide/decide.ts';
import { pendingAmong } from '../../store/approvals/approvals.ts';
import type { Db } from '../../store/db/db.ts';
import {
  type ApplicationKey,
  loadLoans,
  readApplications,
  readDataKeys,
  readFiles,
  readReboarded,
  type StoredLoan,
} from '../../store/door/loans.ts';
import { type MasterKeys, unwrap } from '../../vault/master-keys.ts';
import { noteText } from '../../vault/note.ts';
import { sealNote } from '../../vault/seal.ts';
import type { Clock, Clocks } from './clocks.ts';
import type { Keys } from './keys.ts';
import { fromStored, type Known, type Loaded, type LoanCache } from './loan-cache.ts';
import type { Pending } from './pending.ts';
import type { Write } from './write.ts';

/** Loans that are folded before the event loop is given to others: some milliseconds. */
const FOLDED_AT_ONCE = 8;

export type FactsOptions = { db: Db; clocks: Clocks; cache: LoanCache; masterKeys: MasterKeys; keys: Keys };

export type Facts = Awaited<ReturnType<ReturnType<typeof openFacts>['load']>>;

export function openFacts({ db, clocks, cache, masterKeys, keys }: FactsOptions) {
  return { load, addHistories, knownIn, isCold };

  /** Cached loans are not read again, unless `whole`. */
  async function load(batch: readonly Pending[], whole: boolean) {
    const reserved = await keys.reserve(batch);
    const missing = batch.filter((one) => isCold(one) || (whole && 'write' in one.work));
    const [loaded, taken, notes, files, approvals, reboarded] = await Promise.all([
      loadedOf(missing),
      takenOf(batch),
      notesOf(batch),
      filesOf(batch),
      pendingOf(batch),
      reboardedOf(batch),
    ]);
    const answers = await keys.answers(batch, reserved);
    for (const [keyHash, one] of await keys.answersOf(createdBefore(batch, taken))) answers.set(keyHash, one);
    return {
      ...{ loaded, reserved, answers, taken, notes, files, approvals, reboarded },
      asked: new Set(idsOf(missing)),
      owners: ownersOf(batch, loaded),
      /** Applications that the batch itself creates. */
      created: new Set<string>(),
    };
  }

  /** The histories of loans that were remembered without them, and the answers that other processes have stored since. */
  async function addHistories({ loaded, answers, reserved }: Facts, some: readonly Pending[]): Promise<void> {
    for (const [loanId, one] of await loadedOf(some)) loaded.set(loanId, one);
    for (const [keyHash, one] of await keys.answers(some, reserved)) answers.set(keyHash, one);
  }

  /** The loan of a write; undefined: it does not exist, or it has been forgotten since the facts were loaded. */
  function knownIn(loaded: ReadonlyMap<string, Loaded>, loanId: string): Known | undefined {
    return loaded.get(loanId)?.known ?? cache.get(loanId);
  }

  /** A write of a loan that this process does not remember. */
  function isCold({ loanId, work }: Pending): boolean {
    return 'write' in work && cache.get(loanId) === undefined;
  }

  /** The organizations whose clocks decide. */
  function ownersOf(batch: readonly Pending[], loaded: ReadonlyMap<string, Loaded>): Set<string> {
    const owners = new Set<string>();
    for (const { loanId, work } of batch) {
      const owned = 'write' in work ? knownIn(loaded, loanId) : work.create.row;
      if (owned !== undefined) owners.add(owned.organizationId);
    }
    return owners;
  }

  async function loadedOf(some: readonly Pending[]): Promise<Map<string, Loaded>> {
    if (some.length === 0) return new Map();
    const stored: StoredLoan[] = await loadLoans(db, idsOf(some));
    const clockOf = await clocks.of(new Set(stored.map(({ organizationId }) => organizationId)));
    const loaded = new Map<string, Loaded>();
    for (const row of stored) {
      const one = fromStored(row, (clockOf.get(row.organizationId) as Clock).policies);
      loaded.set(row.loanId, one);
      cache.put(one.known);
      if (loaded.size % FOLDED_AT_ONCE === 0) await setImmediate();
    }
    return loaded;
  }

  /** The applications among those of new loans that exist, by their keys. */
  async function takenOf(batch: readonly Pending[]): Promise<Map<string, ApplicationKey & { loanId: string }>> {
    const created = batch.flatMap(({ loanId, work }) => ('create' in work ? [{ ...work.create.row, loanId }] : []));
    const found = created.length === 0 ? [] : await readApplications(db, created);
    return new Map(found.map((one) => [applicationKey(one), one]));
  }

  /** The reasons of these writes, sealed with the keys of their loans. Without a key the borrower was erased, and with it every word about the person. */
  async function notesOf(batch: readonly Pending[]): Promise<Map<string, Buffer>> {
    const notes = new Map<string, Buffer>();
    const isSealed = ({ reason, details }: Write) => Boolean(reason) || (details ?? null) !== null;
    const reasoned = batch.filter(({ work, options }) => 'write' in work && isSealed(work.write) && !options.dryRun);
    if (reasoned.length === 0) return notes;
    const dataKeys = await readDataKeys(db, idsOf(reasoned));
    for (const { loanId, work } of reasoned) {
      const part = dataKeys.get(loanId);
      const master = part === undefined ? null : masterKeys.find(part.keyId);
      const key = master === null || part === undefined ? null : unwrap(master, part.wrappedKey, loanId);
      if (key === null || !('write' in work)) continue;
      const { reason, details = null } = work.write;
      notes.set(loanId, sealNote(key, loanId, noteText({ reason: reason ?? '', details })));
    }
    return notes;
  }

  async function filesOf(batch: readonly Pending[]): Promise<Map<string, { version: number; file: LoanFile }>> {
    const asked = batch.filter(({ work }) => 'write' in work && needsFile(work.write.command.do));
    const files = asked.length === 0 ? [] : await readFiles(db, idsOf(asked));
    return new Map(files.map(({ loanId, version, file }) => [loanId, { version, file: JSON.parse(file) as LoanFile }]));
  }

  /** An undo may take an application id back, unless another loan has it now. */
  async function reboardedOf(batch: readonly Pending[]): Promise<ReadonlyMap<string, string>> {
    const undoing = batch.filter(({ work }) => 'write' in work && work.write.command.do === 'undo');
    return undoing.length === 0 ? new Map() : readReboarded(db, idsOf(undoing));
  }

  /** The approvals of these writes that are still pending. */
  async function pendingOf(batch: readonly Pending[]): Promise<ReadonlySet<string>> {
    const approving = batch.flatMap(({ options }) => options.approval?.approvalId ?? []);
    return approving.length === 0 ? new Set() : pendingAmong(db, approving);
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

export function applicationKey({ organizationId, lenderId, applicationId }: ApplicationKey): string {
  return `${organizationId} ${lenderId} ${applicationId}`;
}

export const idsOf = (some: readonly Pending[]): string[] => some.map(({ loanId }) => loanId);
