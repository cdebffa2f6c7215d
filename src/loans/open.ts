/**
 * Opens the module: one cache of folded loans, the queue of writes, the reads beside it. It is longer than other files because everything is
 * put together in one place.
 */

import { randomUUID } from 'node:crypto';
import type { Bureau } from '../bureau/bureau.ts';
import { decide, decideCreation, type When } from '../core/decide/decide.ts';
import { isMistakes } from '../core/reader.ts';
import { isRefusal, refuse } from '../core/refusal.ts';
import { characteristicsOf } from '../portfolio/characteristics.ts';
import type { Db } from '../store/db/db.ts';
import { blindDigests } from '../vault/blind-index.ts';
import { commitmentToFile } from '../vault/commitments.ts';
import { type MasterKeys, newDataKey, wrap } from '../vault/master-keys.ts';
import { newSalt } from '../vault/seal.ts';
import type { Workers } from '../workers/workers.ts';
import { openApprovals } from './approvals/open.ts';
import { openAudit } from './audit/open.ts';
import { type Accrue, openAccrual } from './books/accrual.ts';
import { openLooks } from './books/looks.ts';
import { openBooks } from './books/open.ts';
import { type AdvanceFailure, openAdvances } from './cycle/advance.ts';
import { type OpenCycles, openCycles } from './cycle/open.ts';
import { placeOf } from './cycle/sweep.ts';
import { type Clock, openClocks, todayBy } from './door/clocks.ts';
import { openFairReader, openFairReads, openFairTurns } from './door/fair-reads.ts';
import { savedUntil } from './door/fence.ts';
import { openLoanCache } from './door/loan-cache.ts';
import { openOnce } from './door/once.ts';
import { openQueue, type QueueOptions } from './door/queue.ts';
import { openSkewCheck } from './door/skew.ts';
import { shareOf, WAITING } from './door/too-many-waiting.ts';
import { warmLoans } from './door/warm.ts';
import { openExports } from './exports/open.ts';
import { type OpenFeed, openFeed } from './feed/open.ts';
import { openLedger } from './ledger/ledger.ts';
import type { Actor, Boarding, Loans, Outcome, Unavailable, Write, WriteOptions } from './loans.ts';
import { openMarket } from './market/open.ts';
import { withAccounts } from './origination/accounts.ts';
import { refuseBoarding } from './origination/boarding-rights.ts';
import { openOfferDesk } from './origination/calculate-offer.ts';
import type * as CreationWork from './origination/creation-work.ts';
import { type SealedCreation, sealCreation } from './origination/creation-work.ts';
import { openDeals } from './origination/deals.ts';
import { openUnderwriting } from './origination/underwrite.ts';
import { openDisclosed } from './people/disclosed.ts';
import { openDisclosureBook } from './people/disclosures.ts';
import { openIdentity } from './people/identity.ts';
import { openParties, openPartyShowing } from './people/parties.ts';
import { openPolicies } from './policies/open.ts';
import { openAllowed } from './reads/allowed.ts';
import { openRecordShowing } from './reads/decided.ts';
import { openHolds } from './reads/holds.ts';
import { openLists } from './reads/list.ts';
import { openReading } from './reads/read.ts';
import { openTimeline } from './reads/timeline.ts';
import { openPositionDates, type PositionDates } from './reports/dates.ts';
import { openPortfolio } from './reports/reports.ts';
import { type CarryOutDue, openDueTransfers } from './transfers/due.ts';
import { openOffers } from './transfers/offers.ts';
import { openTransfers } from './transfers/open.ts';
import { openRuns } from './transfers/runs.ts';

export type LoansOptions = {
  db: Db;
  /** Connections of the nightly cycle's own; those of `db` when absent. */
  cycleDb?: Db;
  /** Large reads may come from here. */
  replica?: Db | null;
  /** Epoch milliseconds. */
  clock: () => number;
  masterKeys: MasterKeys;
  /** 32 bytes each. */
  secrets: { index: Uint8Array; party: Uint8Array; idempotency: Uint8Array };
  /** Folded loans to remember (a loan with three years of payments takes about 30 KB), and bytes of opened records. */
  memory?: { loans: number; openedBytes: number };
  limits?: QueueOptions['limits'];
  /** This process, for the reservations of idempotency keys. */
  holder?: QueueOptions['holder'];
  /** Connections of the database's pool (4). */
  pool?: number;
  /** After so long a request has been answered, one way or the other (31 s). */
  requestMs?: number;
  bureau: Bureau;
  /** The credit bureau for sandboxes. It is separate, so that no real person's report is pulled for a test loan. */
  simulator: Bureau;
  /** How long a caller waits for a test clock to reach its day, and for the dry run of a policy; 20 seconds when absent. */
  advancePatienceMs?: number;
  /** `clock` also applies to organizations with a test clock, for recording their past. */
  overridesTestClocks?: boolean;
  workers: Workers;
};

/** Processor time for reading and sealing one new loan; one of 10 MiB takes a quarter of a second. */
const CREATION_MS = 2_000;

export type OpenLoans = Loans & {
  /** Stores a creation that was read before, from a loan tape for instance. */
  board(actor: Actor, creation: Boarding, options: WriteOptions): Promise<Outcome>;
  /** Seals what is not sealed yet; how many blocks that were. */
  seal(): Promise<number>;
  feed: OpenFeed;
  /** Links the entries of the audit trail that wait; how many that were. */
  link(): Promise<number>;
  /** Posts the interest of a past day for every lender, and returns what was posted. Nothing more may be recorded for that day. */
  accrue: Accrue;
  /** The nightly cycle. While the clock is wrong no day counts as over. */
  cycles: OpenCycles;
  /** Dates other than month ends that reports are asked for. */
  positionDates: PositionDates;
  /** Goes on with transfers of many loans that no other process carries out; how many loans were settled. */
  goOnTransferring(stopped?: () => boolean): Promise<number>;
  /** Carries out the transfers that are due; how many those were. */
  carryOutTransfers: CarryOutDue;
  /** Moves the test clocks that are being advanced and that no process is moving, until they are there; those that could not be moved on. */
  goOnAdvancing(): Promise<AdvanceFailure[]>;
  /** Stops advancing test clocks in this process, and answers the callers that wait for one. */
  stopAdvancing(): Promise<void>;
  /** Folds the loans that were last written ahead, until `stopped`; how many those were. */
  warm(stopped: () => boolean): Promise<number>;
  /** Compares the clock with the database's. Why nothing is written from then on; null: it is right. */
  checkClock(): Promise<string | null>;
  /** What the last check found. */
  clockProblem(): string | null;
};

/** Loans that are folded ahead after a start: some seconds of work. */
const WARMED = 10_000;

/** A request is answered after 30 seconds at the latest, unless set otherwise. */
const REQUEST_MS = 31_000;

/** Seconds after which a write that was refused for the clock may be tried again. */
const CLOCK_RETRY = 10;

export function openLoans(options: LoansOptions): OpenLoans {
  const { db, clock, masterKeys, secrets } = options;
  const limits = options.memory ?? { loans: 10_000, openedBytes: 64 * 1024 * 1024 };
  const creations = options.workers.module<typeof CreationWork>(
    new URL('./origination/creation-work.ts', import.meta.url),
    {
      limitMs: CREATION_MS,
    },
  );
  const { overridesTestClocks = false } = options;
  const clocks = openClocks({ db, clock, overridesTestClocks });
  const skew = openSkewCheck({ db, clock });
  const cache = openLoanCache(limits.loans);
  const book = openDisclosureBook(db, clock);
  const pool = options.pool ?? 4;
  const inTurn = openFairTurns(Math.max(1, pool - 1), WAITING);
  const reads = openFairReads(db, inTurn);
  const reader = openFairReader(reads, options.replica ?? null, pool);
  const feed = openFeed({ db, reads, clock });
  const queue = openQueue({
    db,
    clock,
    clocks,
    cache,
    masterKeys,
    idempotencySecret: secrets.idempotency,
    savedUntil: (at) => (skew.checked() ? savedUntil(at) : null),
    onSaved: feed.wrote,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.holder === undefined ? {} : { holder: options.holder }),
  });
  const showing = openPartyShowing({ reads, workers: options.workers });
  const reading = openReading({
    db,
    reads,
    reader,
    clock,
    clocks,
    cache,
    masterKeys,
    book,
    parties: showing,
    showing: openRecordShowing({ reads, workers: options.workers, parties: showing }),
    partyKey: secrets.party,
    openedBytes: limits.openedBytes,
  });
  const lists = openLists({ reads, reader, clock, clocks, book, masterKeys, indexKey: secrets.index });
  const ledger = openLedger({ db, reads, reader, clock, reach: reading.reach });
  const { visible, readPublic } = reading;
  const dealReads = openDeals({ reads, clock, masterKeys, book, workers: options.workers, visible, readPublic });
  const parties = openParties({
    reads,
    masterKeys,
    queue,
    workers: options.workers,
    indexKey: secrets.index,
    visible,
  });
  const approvals = openApprovals({ db, reads, clock, clocks, masterKeys, secret: secrets.idempotency, queue, book });
  const write = approvals.requesting(carryOut);
  const timeline = openTimeline({
    reads,
    clock,
    clocks,
    masterKeys,
    book,
    read: reading.read,
    journal: ledger.journal,
  });
  const holds = openHolds({ reads, clock, masterKeys, book, read: reading.read });
  // Two at a time, or one if the pool is small, so that other reads can still get a connection.
  const atOnce = Math.max(1, Math.min(2, pool - 2));
  const looks = openLooks({ db, inTurn, atOnce, requestMs: options.requestMs ?? REQUEST_MS });
  const books = openBooks({ db, reads, clock, clocks, looks });
  const policies = openPolicies({
    db,
    clock,
    clocks,
    workers: options.workers,
    patienceMs: options.advancePatienceMs,
  });
  const once = openOnce({ db, clock, secret: secrets.idempotency, holder: options.holder });
  const cycleDb = options.cycleDb ?? db;
  const accrual = openAccrual({ db: cycleDb, clock, clocks, partyKey: secrets.party });
  const accrue: Accrue = async (...asked) => (misdated() === null ? accrual(...asked) : []);
  const positionDates = openPositionDates({ db: cycleDb, clock, clocks });
  const portfolio = openPortfolio({ looks, clock, clocks, dates: positionDates });
  const cycles = openCycles({ db: cycleDb, reads, clock, clocks, cache, accrue: accrual });
  const advances = openAdvances({
    db,
    clock,
    clocks,
    holder: options.holder?.id ?? randomUUID(),
    runCyclesThrough: cycles.runCyclesThrough,
    mayWrite: () => skew.problem() === null,
    placeOf,
    ...(options.advancePatienceMs === undefined ? {} : { patienceMs: options.advancePatienceMs }),
  });
  const { refuseOffer, refuseRun } = openOffers({ db, clocks });
  const holder = options.holder?.id ?? randomUUID();
  const runs = openRuns({ db, reads, clock, masterKeys, holder, list: lists.list, write });
  const carryOutDue = openDueTransfers({ db, clock, clocks, reach: cycles.reach, write: queue.write });
  // After a failover without a synchronous replica the last writes may be gone, and what is remembered with them wrong.
  db.onMoved(() => {
    cache.clear();
    clocks.forget();
    reading.forget();
  });
  const bureauOf = ({ test }: Clock) => (test === null ? options.bureau : options.simulator);
  const underwriting = openUnderwriting({
    db,
    reads,
    clock,
    clocks,
    masterKeys,
    bureauOf,
    queue,
    book,
    workers: options.workers,
  });

  return {
    clock: clocks.view,
    setTimeZone: async (organizationId, timeZone, keep) =>
      misdated() ?? clocks.setTimeZone(organizationId, timeZone, keep),
    advanceClock: async (organizationId, to) => {
      const moved = misdated() ?? (await advances.advance(organizationId, to));
      await carryOutDue(organizationId);
      return moved;
    },
    carryOutTransfers: async (organizationId) => (misdated() === null ? carryOutDue(organizationId) : 0),
    goOnAdvancing: advances.goOn,
    stopAdvancing: advances.stop,
    once,
    audit: openAudit({ db, reads, clock }),
    board,
    create,
    write,
    notice: underwriting.notice,
    calculateOffer: openOfferDesk({ clock, clocks, bureauOf, workers: options.workers }),
    read: reading.read,
    readState: reading.readState,
    allowed: openAllowed(reading),
    readFull: reading.readFull,
    readPublic: reading.readPublic,
    identity: openIdentity(reading),
    deals: dealReads.deals,
    dealCashflows: underwriting.cashflows,
    report: dealReads.report,
    timeline,
    holds,
    market: openMarket({ reads, clock, clocks, readPublic }),
    list: lists.list,
    search: lists.search,
    transactions: ledger.transactions,
    transaction: ledger.transaction,
    block: ledger.block,
    roots: ledger.roots,
    journal: ledger.journal,
    feed,
    approvals,
    transfers: openTransfers({ reads }),
    startTransfers,
    transferRun: runs.status,
    goOnTransferring: async (stopped) => (misdated() === null ? runs.carryOn(stopped) : 0),
    exports: openExports({ db, reads, clock, clocks, feed, unsealing: { masterKeys, book, parties: showing } }),
    books,
    portfolio,
    policies: { ...policies, add: async (...asked) => misdated() ?? policies.add(...asked) },
    disclosures: openDisclosed({ reads, clock, masterKeys, book, visible }),
    seal: async () => (misdated() === null ? ledger.seal() : 0),
    link: async () => (misdated() === null ? ledger.link() : 0),
    // The rest of the capacity is for loans that are requested in the meantime.
    warm: (stopped) => warmLoans({ db, clocks, cache }, Math.min(WARMED, Math.floor(limits.loans * 0.8)), stopped),
    accrue,
    positionDates,
    cycles: {
      ...cycles,
      behind: async () => (misdated() === null ? cycles.behind() : []),
    },
    checkClock: skew.check,
    clockProblem: skew.problem,
    async close() {
      await Promise.all([queue.close(), cycles.close(), advances.stop(), policies.close()]);
      await feed.close();
    },
  };

  /** The outcome of everything that would be written while the clock is wrong; null: it is right. */
  function misdated(): Unavailable | null {
    const detail = skew.problem();
    return detail === null ? null : { kind: 'unavailable', detail, retryAfterSeconds: CLOCK_RETRY };
  }

  /** Most commands go straight to the write path; those of underwriting, and changes of a party, are prepared before. */
  function carryOut(actor: Actor, asked: Write, how: WriteOptions): Promise<Outcome> {
    const refused = misdated();
    if (refused !== null) return Promise.resolve(refused);
    switch (asked.command.do) {
      case 'start-underwriting':
        return underwriting.start(actor, asked, how);
      case 'complete-underwriting':
        return underwriting.complete(actor, asked, how);
      case 'update-party':
        return parties.update(actor, asked, how);
      case 'transfer':
        return transfer(actor, asked, how);
      default:
        return queue.write(actor, asked, how);
    }
  }

  async function transfer(actor: Actor, asked: Write, how: WriteOptions): Promise<Outcome> {
    return (await refuseOffer(actor, asked.command)) ?? queue.write(actor, asked, how);
  }

  async function startTransfers(...[actor, asked, how]: Parameters<Loans['startTransfers']>) {
    const stopped = misdated() ?? (await refuseRun(actor, asked));
    return stopped ?? runs.start(actor, asked, how);
  }

  /** A large record takes a tenth of a second to read and to seal, so a worker thread does it, before anything queues. */
  async function create(actor: Actor, given: Parameters<Loans['create']>[1], how: WriteOptions): Promise<Outcome> {
    const notTaken = misdated() ?? queue.roomForNewLoan(actor);
    if (notTaken !== null) return notTaken;
    const sealing = newSealing(actor);
    const { source, answer } = given;
    const ownersClock = await clocks.one(actor.organizationId);
    const today = todayBy(ownersClock, clock());
    const asked = { source, policies: ownersClock.policies.forNewLoans(today), today, sealing };
    const creation = await creations.run('readAndSeal', shareOf(actor), asked);
    if (isRefusal(creation)) return { kind: 'refused', refusal: creation };
    if (isMistakes(creation)) return { kind: 'mistaken', wrong: creation };
    return enter(actor, { ...creation, sealing, answer }, how);
  }

  async function board(actor: Actor, creation: Boarding, how: WriteOptions): Promise<Outcome> {
    const notTaken = misdated() ?? queue.roomForNewLoan(actor);
    if (notTaken !== null) return notTaken;
    const sealing = newSealing(actor);
    return enter(actor, { ...sealCreation(creation, sealing), sealing, answer: creation.answer }, how);
  }

  function newSealing({ organizationId }: Actor) {
    return { organizationId, partyKey: secrets.party, dataKey: newDataKey(), salt: newSalt() };
  }

  async function enter(
    actor: Actor,
    creation: SealedCreation & { sealing: ReturnType<typeof newSealing>; answer: Boarding['answer'] },
    how: WriteOptions,
  ): Promise<Outcome> {
    const { contract, policy, published, boarded, search, publicPart, sealed, answer, loanId } = creation;
    const mayNot = boarded === null ? null : refuseBoarding(actor, boarded.status, policy);
    if (mayNot !== null) return mayNot;
    const { dataKey, salt } = creation.sealing;
    const decideOn = (when: When) => {
      const created = decideCreation(contract, policy, when, boarded?.facts);
      if (isRefusal(created) || !published) return created;
      const shown = decide(created.events, { do: 'publish', published: true }, when);
      if (isRefusal(shown)) throw new Error('A new loan could not be published.');
      return { events: [...created.events, ...shown.events], loan: shown.loan };
    };

    const complete = withAccounts(secrets.party, actor.organizationId, creation.file);
    if (typeof complete === 'string') {
      const detail = 'Must be a 20-byte ledger address with a valid checksum (EIP-55).';
      return { kind: 'refused', refusal: refuse('invalid_value', detail, { member: complete }) };
    }
    const { applicationId, borrowerId, lenderId, primaryServicerId, secondaryServicerId, loanType } = complete;
    const { organizationId } = actor;
    const master = masterKeys.current();
    const file = JSON.stringify(complete);
    const row = {
      organizationId,
      applicationId,
      borrowerId,
      lenderId,
      primaryServicerId,
      secondaryServicerId,
      loanType,
      file,
      publicPart,
      sealed,
      keyId: master.keyId,
      wrappedKey: wrap(master, dataKey, loanId),
      blindIndex: blindDigests(secrets.index, organizationId, search),
      characteristics: characteristicsOf(complete),
    };
    // The submitted data cannot be changed unnoticed: the ledger holds hashes that only the same text and salt reproduce.
    const commitments = { ...creation.commitments, ...commitmentToFile(salt, file) };
    return queue.create(actor, loanId, { decide: decideOn, row, commitments, answer }, how);
  }
}
