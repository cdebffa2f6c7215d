/**
 * Reading one loan. The parts that do not change (the file, the sealed part) are opened once and remembered for a while, bounded in bytes and
 * seconds; what depends on the day is folded for that day; and every read of personal data is entered in the audit before the answer is sent.
 */
import { LRUCache } from 'lru-cache';
import type { LoanFile } from '../../boarding/file.ts';
import { erasedPublicPart, readPublicPart } from '../../boarding/public-part.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold, foldAll, stateOn } from '../../core/fold.ts';
import { type Loan, UNDECIDED } from '../../core/loan.ts';
import type { FormerOwner } from '../../core/ownership.ts';
import { statusOf } from '../../core/status.ts';
import type { Db } from '../../store/db/db.ts';
import { loadLoans, readFiles } from '../../store/door/loans.ts';
import {
  type DecisionNote,
  readPublicParts,
  readRecordParts,
  readStanding,
  readView,
  type Seen,
  type StoredPerson,
  type StoredView,
} from '../../store/reads/reads.ts';
import { disclose } from '../../vault/disclose.ts';
import { type DataKey, dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { NO_DETAILS, type PersonalDetails, unsealLargePublicPart, unsealLargeRecord } from '../../vault/seal.ts';
import type { Actor } from '../door/actor.ts';
import { type Clock, type Clocks, dayOfLoan } from '../door/clocks.ts';
import { coalesced } from '../door/coalesce.ts';
import type { FairReader, FairReads } from '../door/fair-reads.ts';
import { fromStored, isFoldedWith, type Known, type Loaded, type LoanCache } from '../door/loan-cache.ts';
import { formerlyOwned, roleOf } from '../door/permissions.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import type { PartyShowing } from '../people/parties.ts';
import type { RecordShowing } from './decided.ts';
import {
  type FullView,
  identityOf,
  type LoanState,
  type LoanView,
  openPartiesOnDay,
  type PublicView,
  partiesThen,
  type ViewOptions,
} from './view.ts';

export type ReadOptions = {
  db: Db;
  reads: FairReads;
  reader: FairReader;
  clock: () => number;
  clocks: Clocks;
  cache: LoanCache;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  parties: PartyShowing;
  showing: RecordShowing;
  partyKey: Uint8Array;
  /** Bytes of opened records that are kept. */
  openedBytes: number;
};

/** The time for which an opened record is remembered. */
const REMEMBERED_MS = 30_000;
/** The size that an opened record counts for beside its bytes: its file as objects. */
const FILE_BYTES = 4_096;
/** Public parts kept in memory: about half a megabyte each. */
const SHOWN_AT_MOST = 64;

/** An underwriting run may still replace what there is to show. */
const UNSETTLED: ReadonlySet<Loan['stage']> = new Set<Loan['stage']>(UNDECIDED);

type PublicParts = Pick<PublicView, 'details' | 'publicPart'> & {
  file: PublicView['view']['file'];
  /** The revision of the person’s row; null: erased. */
  revision: number | null;
};

type Opened = {
  file: LoanFile;
  /** As they were recorded when it was opened. */
  decisions: readonly DecisionNote[];
  personal: PersonalDetails;
  record: Buffer | null;
  /** The revision of the person’s row; null: erased. */
  revision: number | null;
  dataKey: DataKey | null;
};

/** `record` is null when its borrower was erased. */
export type OpenedToday = Pick<Opened, 'file' | 'record' | 'revision' | 'dataKey'> & {
  /** Its owner. */
  readonly organizationId: string;
  readonly version: number;
  readonly on: Loan['on'];
  readonly vin: string;
};

export function openReading(options: ReadOptions) {
  const { db, reads, reader, clock, clocks, cache, masterKeys, book, parties, showing, partyKey } = options;
  const opened = new LRUCache<string, Opened>({
    // Zero would mean without a limit.
    maxSize: Math.max(1, options.openedBytes),
    sizeCalculation: ({ record }) => FILE_BYTES + (record?.length ?? 0),
    ttl: REMEMBERED_MS,
    // Its age is by the clock that was passed in, looked at every time.
    perf: { now: clock },
    ttlResolution: 0,
  });
  const withParties = openPartiesOnDay(partyKey);
  const opening = new Map<string, Promise<Opened | null>>();
  const shown = new LRUCache<string, PublicParts>({ max: SHOWN_AT_MOST });
  const standings = coalesced((loanIds: readonly string[]) => readStanding(db, loanIds));

  const filesOf = coalesced(async (loanIds: readonly string[]) => {
    const files = await readFiles(db, loanIds);
    return new Map(files.map((one) => [one.loanId, one]));
  });

  return { read, readState, readFull, readPublic, openedToday, visible, reach, forget };

  function forget(): void {
    opened.clear();
    opening.clear();
    shown.clear();
  }

  /** The loan as it is now; null when the actor may not see it. */
  async function visible(actor: Actor, loanId: string): Promise<Known | null> {
    const reached = await reach(actor, loanId);
    return reached === null || reached.former !== null ? null : reached.known;
  }

  /** The same, but also for a former owner. Owners and servicers change with a version, so what is remembered must be of the present one. */
  async function reach(actor: Actor, loanId: string): Promise<{ known: Known; former: FormerOwner | null } | null> {
    const remembered = cache.get(loanId);
    const version =
      remembered === undefined ? null : ((await standings(actor.organizationId, loanId)).get(loanId)?.version ?? null);
    const known = remembered?.version === version ? remembered : await reload(actor, loanId, version);
    if (known === undefined || known === null) return null;
    const former = formerlyOwned(actor, known);
    return former === null && roleOf(actor, known) === null ? null : { known, former };
  }

  /** `version`: the one that the primary has just returned; null: not known. */
  async function reload(actor: Actor, loanId: string, version: number | null): Promise<Known | null> {
    const [stored] =
      version === null
        ? await loadLoans(reads(actor), [loanId])
        : await reader(actor).fitting(
            (sql) => loadLoans(sql, [loanId]),
            ([found]) => found?.version === version,
          );
    if (stored === undefined) {
      cache.forget(loanId);
      return null;
    }
    const { known } = fromStored(stored, (await clocks.one(stored.organizationId)).policies);
    cache.put(known);
    return known;
  }

  async function read(actor: Actor, loanId: string, how: ViewOptions): Promise<LoanView | 'before' | null> {
    const stored = await reader(actor).fitting(
      (sql) => readView(sql, loanId),
      async (found) =>
        found !== null && (await standings(actor.organizationId, loanId)).get(loanId)?.version === found.version,
    );
    return stored === null ? null : viewOf(actor, stored, JSON.parse(stored.file) as LoanFile, how);
  }

  async function readState(actor: Actor, loanId: string, how: ViewOptions): Promise<LoanState | 'before' | null> {
    if (how.asOf !== null || how.knownAt !== null) return withHistory(await read(actor, loanId, how));
    const filed = (await filesOf(actor.organizationId, loanId)).get(loanId);
    if (filed === undefined) return null;
    const remembered = cache.get(loanId);
    const known = remembered?.version === filed.version ? remembered : await reload(actor, loanId, filed.version);
    // Changed in between: the file and the history of one moment come in one statement.
    if (known?.version !== filed.version) return withHistory(await read(actor, loanId, how));
    if (formerlyOwned(actor, known) !== null) return withHistory(await read(actor, loanId, how));
    if (roleOf(actor, known) === null) return null;
    const loan = await stateToday(actor, known);
    const file = withParties(JSON.parse(filed.file) as LoanFile, known);
    const history = () => ({ folding: known.folding, events: null });
    return { ...identityOf(known), version: known.version, file, loan, status: statusOf(loan), history };
  }

  function withHistory(view: LoanView | 'before' | null): LoanState | 'before' | null {
    if (view === null || view === 'before') return view;
    const { events } = view;
    return { ...view, history: () => ({ folding: foldAll(events), events }) };
  }

  /** The loan with its history: from the replica if that has this version, which is the primary's. */
  function viewAt(actor: Actor, loanId: string, version: number): Promise<StoredView | null> {
    return reader(actor).fitting(
      (sql) => readView(sql, loanId),
      (found) => found?.version === version,
    );
  }

  async function viewOf(
    actor: Actor,
    stored: StoredView,
    file: LoanFile,
    how: ViewOptions,
  ): Promise<LoanView | 'before' | null> {
    const ownersClock = await clocks.one(stored.organizationId);
    const loaded = fromStored(stored, ownersClock.policies);
    const { known } = loaded;
    const former = formerlyOwned(actor, known);
    if (former === null && roleOf(actor, known) === null) return null;
    const then = asAsked(loaded, ownersClock, how, former);
    if (then === null) return 'before';
    cache.put(known);
    return {
      ...identityOf(known),
      ...(former === null ? {} : { former: true as const }),
      version: then.events.length,
      file: withParties(file, known, partiesThen(then)),
      loan: then.loan,
      status: statusOf(then.loan),
      events: then.events,
    };
  }

  /** The part of the history that was known at the moment, folded for the day. Null: nothing was known then. */
  function asAsked(
    { known: { folding }, events }: Pick<Loaded, 'known' | 'events'>,
    ownersClock: Clock,
    { asOf, knownAt }: ViewOptions,
    former: FormerOwner | null = null,
  ): { events: readonly LoanEvent[]; loan: Loan } | null {
    const moment = knownAt === null ? null : Date.parse(knownAt);
    const seen = former === null ? events : events.slice(0, former.events);
    const known = moment === null ? seen : seen.filter(({ recordedAt }) => Date.parse(recordedAt) <= moment);
    const last = known.at(-1);
    if (last === undefined) return null;
    const asked = asOf ?? dayOfLoan(last, ownersClock, moment ?? ownersClock.at(clock()));
    const on = former !== null && former.lastDay < asked ? former.lastDay : asked;
    // A loan of an earlier date than its entry here (a seasoned one) can be read back to its beginning.
    const first = known.reduce((least, { date }) => (date < least ? date : least), (known[0] as LoanEvent).date);
    if (on < first) return null;
    // All of it was folded when it was loaded, and is only brought to the day.
    const loan = (known.length === events.length ? stateOn(folding, on) : null) ?? fold(known, on);
    return { events: known, loan };
  }

  async function readFull(actor: Actor, loanId: string, how: ViewOptions): Promise<FullView | 'before' | null> {
    const remembered = cache.get(loanId);
    // Access by the cached loan is checked again below, by the version that the audit entry returns.
    let known: Known | null =
      remembered !== undefined && roleOf(actor, remembered) !== null ? remembered : await visible(actor, loanId);
    if (known === null) return null;
    let parts = opened.get(loanId) ?? (await openOnce(actor, loanId));
    if (parts === null) return null;
    const disclosed = disclose(actor, { loanId, what: 'record', at: clock() }, () => parts);
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    const seen = (await book.enter(actor, [{ entry: disclosed.entry, dataKey: parts.dataKey }])).get(loanId);
    if (seen === undefined) return null;
    if (seen.version !== known.version) known = await reload(actor, loanId, seen.version);
    // Not the shared one, which may have begun before the change.
    if (seen.revision !== parts.revision) parts = await open(actor, loanId, seen);
    if (known === null || parts === null || roleOf(actor, known) === null) return null;
    const { file } = parts;
    if (how.asOf !== null || how.knownAt !== null) {
      const stored = await viewAt(actor, loanId, seen.version);
      const view = stored === null ? null : await viewOf(actor, stored, file, how);
      if (view === null || view === 'before') return view;
      return { view, ...(await showing.shownOn(actor, loanId, parts, view.loan)) };
    }
    const loan = await stateToday(actor, known);
    return {
      view: {
        ...identityOf(known),
        version: known.version,
        file: withParties(file, known),
        loan,
        status: statusOf(loan),
      },
      ...(await showing.shownOn(actor, loanId, parts, loan)),
    };
  }

  /** Leaves no entry: `identity.ts`, which masks what it shows, sees to that. */
  async function openedToday(actor: Actor, loanId: string): Promise<OpenedToday | null> {
    const [known, found] = await Promise.all([visible(actor, loanId), standings(actor.organizationId, loanId)]);
    const seen = found.get(loanId);
    if (known === null || seen === undefined) return null;
    let parts = opened.get(loanId) ?? (await openOnce(actor, loanId));
    if (parts !== null && parts.revision !== seen.revision) parts = await open(actor, loanId, seen);
    if (parts === null) return null;
    const { file, dataKey, revision, personal } = parts;
    const loan = await stateToday(actor, known);
    const { organizationId, version } = known;
    const facts = { organizationId, version, on: loan.on, file, revision, dataKey, vin: personal.vin };
    const record = parts.record && (await parties.shownRecord(actor, loanId, { record: parts.record, dataKey }, loan));
    return { ...facts, record };
  }

  /** The remembered state brought to today, or a replay where that needs the whole history. */
  async function stateToday(actor: Actor, known: Known): Promise<Loan> {
    const ownersClock = await clocks.one(known.organizationId);
    const on = dayOfLoan(known, ownersClock, ownersClock.at(clock()));
    const loan = isFoldedWith(known, ownersClock.policies) ? stateOn(known.folding, on) : null;
    if (loan !== null) return loan;
    const [stored] = await loadLoans(reads(actor), [known.loanId]);
    if (stored === undefined) throw new Error('A loan is gone.');
    const loaded = fromStored(stored, ownersClock.policies);
    cache.put(loaded.known);
    return stateOn(loaded.known.folding, on) ?? fold(loaded.events, on);
  }

  /** Callers who want the same record at the same time open it once: each of the largest takes 13 MB from the database. */
  function openOnce(actor: Actor, loanId: string): Promise<Opened | null> {
    const running = opening.get(loanId);
    if (running !== undefined) return running;
    const made = open(actor, loanId, null).finally(() => opening.delete(loanId));
    opening.set(loanId, made);
    return made;
  }

  /** Before the audit entry, from any source: the entry returns the revision to compare with. After it, of that revision. */
  async function open(actor: Actor, loanId: string, seen: Seen | null): Promise<Opened | null> {
    const stored = await reader(actor).fitting(
      (sql) => readRecordParts(sql, loanId),
      (found) => found !== null && (seen === null || (found.person?.revision ?? null) === seen.revision),
    );
    if (stored === null) return null;
    const file = JSON.parse(stored.file) as LoanFile;
    const fresh: Opened = { file, decisions: stored.decisions, ...(await openPerson(loanId, stored.person)) };
    opened.set(loanId, fresh);
    return fresh;
  }

  async function openPerson(loanId: string, person: StoredPerson): Promise<Omit<Opened, 'file' | 'decisions'>> {
    if (person === null) return { personal: NO_DETAILS, record: null, revision: null, dataKey: null };
    const dataKey = dataKeyOf(masterKeys, person, loanId);
    const { personal, record } = await unsealLargeRecord(dataKey, loanId, person.sealed);
    return { personal, record, revision: person.revision, dataKey };
  }

  /** Own loans, granted ones, and published ones of any organization; no personal data is decrypted. */
  async function readPublic(actor: Actor, loanId: string, how: ViewOptions): Promise<PublicView | 'before' | null> {
    const standing = (await standings(actor.organizationId, loanId)).get(loanId);
    if (standing === undefined) return null;
    let known = cache.get(loanId) ?? null;
    if (known?.version !== standing.version) known = await reload(actor, loanId, standing.version);
    if (known === null) return null;
    const now = await stateToday(actor, known);
    const former = actor.scopes.has('loans:read') ? formerlyOwned(actor, known) : null;
    const mine = (former !== null || roleOf(actor, known) !== null) && actor.scopes.has('loans:read');
    if (!mine && !(now.published && actor.scopes.has('public:read') && !(await hasEnded(known)))) return null;
    let parts = shown.get(loanId) ?? null;
    // Another revision: an assessment took its place, or the borrower was erased, in this process or another.
    if (parts?.revision !== standing.revision)
      parts = await openPublic(actor, loanId, standing, !UNSETTLED.has(now.stage));
    if (parts === null) return null;
    const { details, publicPart } = parts;
    if (how.asOf === null && how.knownAt === null && former === null) {
      const file = withParties(parts.file, known);
      const view = { ...identityOf(known), version: known.version, file, loan: now, status: statusOf(now) };
      return { view, details, publicPart };
    }
    const stored = await viewAt(actor, loanId, known.version);
    const ownersClock = await clocks.one(known.organizationId);
    const then = stored === null ? null : asAsked(fromStored(stored, ownersClock.policies), ownersClock, how, former);
    if (then === null) return 'before';
    const { events, loan } = then;
    const file = withParties(parts.file, known, partiesThen(then));
    const view = { ...identityOf(known), version: events.length, file, loan, status: statusOf(loan) };
    return { view, details, publicPart };
  }

  /** Its owner was a sandbox, of which nothing is shown any more. */
  async function hasEnded({ organizationId }: Known): Promise<boolean> {
    return (await clocks.one(organizationId)).test?.ended === true;
  }

  async function openPublic(actor: Actor, loanId: string, seen: Seen, settled: boolean): Promise<PublicParts | null> {
    const stored = await reader(actor).fitting(
      (sql) => readPublicParts(sql, loanId),
      (found) => found !== null && (found.key?.revision ?? null) === seen.revision,
    );
    if (stored === null) return null;
    const { borrowerId: _, decision: __, deals: ___, ...whole } = JSON.parse(stored.file) as LoanFile;
    const { key } = stored;
    // The account of the borrower is theirs alone: it goes with the key.
    const file = key === null ? { ...whole, borrower: '' } : whole;
    const { details, members } =
      key === null
        ? erasedPublicPart(file.loanType)
        : readPublicPart(await unsealLargePublicPart(dataKeyOf(masterKeys, key, loanId), loanId, stored.publicPart));
    const parts = { file, details, publicPart: members, revision: key?.revision ?? null };
    // After the decision, neither the submitted data nor the assessment changes, so both may be cached.
    if (settled) shown.set(loanId, parts);
    return parts;
  }
}
