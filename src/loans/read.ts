/**
 * Reading one loan. What does not change (the file, the sealed part) is opened once and remembered for a while, bounded in bytes and
 * seconds; what depends on the day is folded for that day; and every read of personal data is entered in the audit before the answer is sent.
 */
import { zstdDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { LoanFile } from '../boarding/file.ts';
import { EMPTY_RECORD } from '../boarding/record-members.ts';
import type { PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { fold, stateOn } from '../core/fold.ts';
import type { Loan } from '../core/loan.ts';
import { statusOf } from '../core/status.ts';
import type { Db } from '../store/db.ts';
import { loadLoans, readVersions } from '../store/loans.ts';
import {
  readDisclosures,
  readNotes,
  readPublicParts,
  readSealedParts,
  readView,
  type Seen,
  type StoredPerson,
  type StoredView,
} from '../store/reads.ts';
import type { Reader } from '../store/replica.ts';
import { disclose } from '../vault/disclose.ts';
import { dataKeyOf, type MasterKeys } from '../vault/master-keys.ts';
import { type PersonalDetails, unsealNote, unsealRecord } from '../vault/seal.ts';
import { coalesced } from './coalesce.ts';
import type { DisclosureBook } from './disclosures.ts';
import { fromStored, type Known, type LoanCache } from './loan-cache.ts';
import type { Actor, Disclosed, FullView, LoanView, PublicView, ViewOptions } from './loans.ts';
import { roleOf } from './permissions.ts';

export type ReadOptions = {
  db: Db;
  reader: Reader;
  clock: () => number;
  today: () => PlainDate;
  /** The business day of a moment (epoch milliseconds). */
  dayOf: (at: number) => PlainDate;
  cache: LoanCache;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  /** Bytes of opened records that are kept. */
  openedBytes: number;
};

/** How long an opened record is remembered. */
const REMEMBERED_MS = 30_000;
/** What an opened record counts for beside its bytes: its file as objects. */
const FILE_BYTES = 4_096;
const DISCLOSURES_SHOWN = 1_000;
/** Public parts kept in memory: about half a megabyte each. */
const SHOWN_AT_MOST = 64;

/** An underwriting run may still replace what there is to show. */
const UNSETTLED: ReadonlySet<Loan['stage']> = new Set<Loan['stage']>([
  'ApplicationSubmitted',
  'DocumentsRequested',
  'DocumentsVerified',
  'UnderwritingStarted',
]);

type Shown = { file: PublicView['view']['file']; publicPart: Buffer };

type Opened = {
  file: LoanFile;
  personal: PersonalDetails;
  record: Buffer | null;
  /** Of the person’s row; null: erased. */
  revision: number | null;
};

const NOBODY: PersonalDetails = {
  lendingDecisionReason: '',
  applicantCreditVision: '',
  coApplicantCreditVision: '',
  vin: '',
  pti: '',
  dti: '',
};

/** What is read of a record whose borrower was erased. */
const ERASED = Buffer.from(EMPTY_RECORD);

export function openReading(options: ReadOptions) {
  const { db, reader, clock, today, dayOf, cache, masterKeys, book } = options;
  const opened = new LRUCache<string, Opened>({
    // Zero would mean without a limit.
    maxSize: Math.max(1, options.openedBytes),
    sizeCalculation: ({ record }) => FILE_BYTES + (record?.length ?? 0),
    ttl: REMEMBERED_MS,
    // Its age is by the clock that was passed in, looked at every time.
    perf: { now: clock },
    ttlResolution: 0,
  });
  const shown = new LRUCache<string, Shown>({ max: SHOWN_AT_MOST });
  const versionsOf = coalesced((loanIds: readonly string[]) => readVersions(db, loanIds));

  return { read, readFull, readPublic, disclosures, visible, forget };

  function forget(): void {
    opened.clear();
    shown.clear();
  }

  /** The loan as this process knows it; null when the actor may not see it. */
  async function visible(actor: Actor, loanId: string): Promise<Known | null> {
    const known = cache.get(loanId) ?? (await reload(loanId));
    return known === null || roleOf(actor, known) === null ? null : known;
  }

  async function reload(loanId: string): Promise<Known | null> {
    const [stored] = await loadLoans(db, [loanId]);
    if (stored === undefined) {
      cache.forget(loanId);
      return null;
    }
    const { known } = fromStored(stored);
    cache.put(known);
    return known;
  }

  async function read(actor: Actor, loanId: string, how: ViewOptions): Promise<LoanView | 'before' | null> {
    const stored = await reader.fitting(
      (sql) => readView(sql, loanId),
      async (found) => found !== null && (await versionsOf(loanId)).get(loanId) === found.version,
    );
    if (stored === null || roleOf(actor, stored) === null) return null;
    return viewOf(stored, JSON.parse(stored.file) as LoanFile, how);
  }

  /** The loan with its history: from the replica if that has this version, which is the primary's. */
  function viewAt(loanId: string, version: number): Promise<StoredView | null> {
    return reader.fitting(
      (sql) => readView(sql, loanId),
      (found) => found?.version === version,
    );
  }

  function viewOf(stored: StoredView, file: LoanFile, how: ViewOptions): LoanView | 'before' {
    const { known, events } = fromStored(stored);
    const then = asAsked(events, how);
    if (then === null) return 'before';
    cache.put(known);
    return {
      ...identity(known),
      version: then.events.length,
      file,
      loan: then.loan,
      status: statusOf(then.loan),
      events: then.events,
    };
  }

  /** The part of the history that was known at the moment, folded for the day. Null: nothing was known then. */
  function asAsked(
    events: readonly LoanEvent[],
    { asOf, knownAt }: ViewOptions,
  ): { events: readonly LoanEvent[]; loan: Loan } | null {
    const moment = knownAt === null ? null : Date.parse(knownAt);
    const known = moment === null ? events : events.filter(({ recordedAt }) => Date.parse(recordedAt) <= moment);
    if (known.length === 0) return null;
    const on = asOf ?? (moment === null ? today() : dayOf(moment));
    // A loan of an earlier date than its entry here (a seasoned one) can be read back to its beginning.
    const first = known.reduce((least, { date }) => (date < least ? date : least), (known[0] as LoanEvent).date);
    return on < first ? null : { events: known, loan: fold(known, on) };
  }

  function identity({ loanId, organizationId, createdAt, startBlock, paymentHashes }: Known) {
    return { loanId, organizationId, createdAt, startBlock, paymentHashes };
  }

  async function readFull(actor: Actor, loanId: string, how: ViewOptions): Promise<FullView | 'before' | null> {
    let known = await visible(actor, loanId);
    if (known === null) return null;
    let parts = opened.get(loanId) ?? (await open(loanId, null));
    if (parts === null) return null;
    const disclosed = disclose(actor, { loanId, what: 'record', at: clock() }, () => parts);
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    const seen = (await book.enter([disclosed.entry])).get(loanId);
    if (seen === undefined) return null;
    if (seen.version !== known.version) known = await reload(loanId);
    if (seen.revision !== parts.revision) parts = await open(loanId, seen);
    if (known === null || parts === null) return null;
    const { file, personal } = parts;
    const record = parts.record ?? ERASED;
    if (how.asOf !== null || how.knownAt !== null) {
      const stored = await viewAt(loanId, seen.version);
      const view = stored === null ? null : viewOf(stored, file, how);
      return view === null || view === 'before' ? view : { view, personal, record };
    }
    const loan = await stateToday(known);
    return {
      view: { ...identity(known), version: known.version, file, loan, status: statusOf(loan) },
      personal,
      record,
    };
  }

  /** The remembered state brought to today, or a replay when the business day has moved back (a clock that was set). */
  async function stateToday(known: Known): Promise<Loan> {
    const on = today();
    const loan = stateOn(known.folding, on);
    if (loan !== null) return loan;
    const [stored] = await loadLoans(db, [known.loanId]);
    if (stored === undefined) throw new Error('A loan is gone.');
    return fold(fromStored(stored).events, on);
  }

  /** Before the audit entry, from wherever: the entry tells the revision to compare with. After it, of that revision. */
  async function open(loanId: string, seen: Seen | null): Promise<Opened | null> {
    const stored = await reader.fitting(
      (sql) => readSealedParts(sql, loanId),
      (found) => found !== null && (seen === null || (found.person?.revision ?? null) === seen.revision),
    );
    if (stored === null) return null;
    const file = JSON.parse(stored.file) as LoanFile;
    const fresh: Opened = { file, ...openPerson(loanId, stored.person) };
    opened.set(loanId, fresh);
    return fresh;
  }

  function openPerson(loanId: string, person: StoredPerson): Pick<Opened, 'personal' | 'record' | 'revision'> {
    if (person === null) return { personal: NOBODY, record: null, revision: null };
    const { personal, record } = unsealRecord(dataKeyOf(masterKeys, person, loanId), loanId, person.sealed);
    return { personal, record, revision: person.revision };
  }

  /** Own loans, granted ones, and published ones of anybody; nothing sealed is touched. */
  async function readPublic(actor: Actor, loanId: string, how: ViewOptions): Promise<PublicView | 'before' | null> {
    let known = cache.get(loanId) ?? null;
    if (known !== null && (await versionsOf(loanId)).get(loanId) !== known.version) known = null;
    known ??= await reload(loanId);
    if (known === null) return null;
    const now = await stateToday(known);
    const mine = roleOf(actor, known) !== null && actor.scopes.has('loans:read');
    if (!mine && !(now.published && actor.scopes.has('public:read'))) return null;
    const parts = shown.get(loanId) ?? (await openPublic(loanId, !UNSETTLED.has(now.stage)));
    if (parts === null) return null;
    const { file, publicPart } = parts;
    if (how.asOf === null && how.knownAt === null) {
      const view = { ...identity(known), version: known.version, file, loan: now, status: statusOf(now) };
      return { view, publicPart };
    }
    const stored = await viewAt(loanId, known.version);
    const then = stored === null ? null : asAsked(fromStored(stored).events, how);
    if (then === null) return 'before';
    const { events, loan } = then;
    return { view: { ...identity(known), version: events.length, file, loan, status: statusOf(loan) }, publicPart };
  }

  async function openPublic(loanId: string, settled: boolean): Promise<Shown | null> {
    const stored = await reader.current((sql) => readPublicParts(sql, loanId));
    if (stored === null) return null;
    const { borrowerId: _, decision: __, deals: ___, ...file } = JSON.parse(stored.file) as LoanFile;
    const parts = { file, publicPart: zstdDecompressSync(stored.publicPart) };
    // After the decision, neither the submitted data nor the assessment changes, so both may be cached.
    if (!settled) return parts;
    shown.set(loanId, parts);
    return parts;
  }

  async function disclosures(
    actor: Actor,
    loanId: string,
  ): Promise<{ items: Disclosed[]; reasons: { transactionHash: string; at: string; reason: string }[] } | null> {
    const known = await visible(actor, loanId);
    if (known === null) return null;
    const [notes, parts] = await Promise.all([readNotes(db, loanId), readSealedParts(db, loanId)]);
    const disclosed = disclose(actor, { loanId, what: 'disclosures', at: clock() }, () => {
      const person = parts?.person ?? null;
      if (person === null || notes.length === 0) return [];
      const key = dataKeyOf(masterKeys, person, loanId);
      return notes.map(({ hash, body, note }) => ({
        transactionHash: hash,
        at: (JSON.parse(body) as { event: LoanEvent }).event.recordedAt,
        reason: unsealNote(key, loanId, note),
      }));
    });
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter([disclosed.entry]);
    const items = await readDisclosures(db, loanId, DISCLOSURES_SHOWN);
    return { items: items.map((item) => ({ ...item, at: item.at.toISOString() })), reasons: disclosed.data };
  }
}
