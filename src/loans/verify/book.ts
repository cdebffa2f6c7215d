/**
 * Goes over the whole book and names everything that is wrong: blocks and their roots, then each loan, then the sums by day and the
 * answers that are kept. The book may be in use: what does not match is read again, all of one moment (`second-look.ts`). It is not all of one
 * moment, because the server would keep every version of every row that changes meanwhile, and payments would go through them. Memory stays
 * the same however many loans there are, but for the sums, which take a row for each organization, day and account. It is longer than other
 * files because every part of the book is visited in one order, with one report.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { readClosedPeriods } from '../../store/books/periods.ts';
import type { Db, Session, Sql } from '../../store/db/db.ts';
import { inOneMoment } from '../../store/db/one-moment.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import { readAnswersPage } from '../../store/verify/answers.ts';
import {
  type BookBounds,
  type Bounds,
  type CheckedBook,
  countRows,
  countStrays,
  countWrongMarks,
  onlyLook,
  readBookPage,
  readBounds,
  readCheckedBook,
  readLinesThrough,
  readMistold,
  readNights,
  readSealedPeople,
  type SealedPerson,
} from '../../store/verify/verify.ts';
import type { MasterKeys } from '../../vault/master-keys.ts';
import { openTimelinesIn, type Timelines, timelinesIn } from '../door/policy-timelines.ts';
import { checkActs, checkAudit, checkOwnActs, type Lateness } from './audit.ts';
import { checkRoots, checkVolume } from './blocks.ts';
import { type ClosedMonths, openClosedMonths } from './closed-months.ts';
import { addClosed, closeLines } from './closing.ts';
import { type BookComplaint, complaintOf, rows, type Tell } from './complaint.ts';
import { checkEntryBook, checkLenderBook } from './lender-book.ts';
import { type AccruedSums, type CheckedLoan, checkLines, checkLoan, type Owned } from './loan.ts';
import { checkPositionSums, checkPositions, type PositionsReach, reachOf } from './positions.ts';
import { checkReportedTotals } from './reported-totals.ts';
import { checkBeside, checkHandedOver, openDataKey } from './sealed-parts.ts';
import { surely, surelyWrong } from './second-look.ts';
import { addPosted, addStored, checkSums, type DaySums, of, type Sums } from './sums.ts';

export type VerifyOptions = {
  db: Db;
  masterKeys: MasterKeys;
  progress?: (step: Progress) => void;
  /** The time after which entries of the audit trail that are not linked are complaints; not given: they are none. */
  late?: Lateness;
  /** Called with each complaint when it is found, however many there are. */
  complain?: (complaint: BookComplaint) => void;
};

export type Progress = {
  readonly part: 'blocks' | 'loans' | 'audit' | 'answers';
  readonly done: number;
  readonly total: number;
};

export type BookReport = {
  readonly loans: number;
  readonly transactions: number;
  /** Those of them whose block is not sealed yet. */
  readonly unsealed: number;
  readonly blocks: number;
  readonly lines: number;
  /** Linked entries of the audit trail. */
  readonly entries: number;
  /** Kept answers to writes. */
  readonly answers: number;
  /** Loans whose borrower was erased: their submitted record can no longer be compared. */
  readonly erased: number;
  /** The last root over all volumes. A copy of it kept elsewhere shows whether the chains were replaced. */
  readonly lastRoot: { readonly number: number; readonly hash: string } | null;
  readonly complaintCount: number;
  /** The first thousand of them. */
  readonly complaints: readonly BookComplaint[];
};

const LOANS_AT_ONCE = 200;
const ANSWERS_AT_ONCE = 5_000;
/** Bytes of sealed parts that are read at once. */
const SEALED_AT_ONCE = 8 * 1024 * 1024;
const COMPLAINTS_KEPT = 1_000;

type Visit = {
  readonly db: Session;
  readonly masterKeys: MasterKeys;
  readonly progress: (step: Progress) => void;
  readonly complain: (complaint: BookComplaint) => void;
  readonly bounds: Bounds;
  readonly sums: Sums;
  readonly accrued: Map<BookBounds, AccruedSums | null>;
  readonly closed: ClosedMonths;
  readonly reach: PositionsReach;
  readonly policiesOf: (organizationId: string) => Promise<Timelines>;
  readonly count: Record<'loans' | 'transactions' | 'unsealed' | 'lines' | 'erased' | 'entries' | 'answers', number>;
};

export async function verifyBook(options: VerifyOptions): Promise<BookReport> {
  const { db, masterKeys, progress = () => {} } = options;
  const complaints: BookComplaint[] = [];
  let complaintCount = 0;
  const complain = (complaint: BookComplaint) => {
    complaintCount += 1;
    if (complaints.length < COMPLAINTS_KEPT) complaints.push(complaint);
    options.complain?.(complaint);
  };
  return db.session(async (session: Session) => {
    await onlyLook(session);
    const { bounds, months } = await inOneMoment(session, async (tx) => ({
      bounds: await readBounds(tx),
      months: await readClosedPeriods(tx),
    }));
    const count = { loans: 0, transactions: 0, unsealed: 0, lines: 0, erased: 0, entries: 0, answers: 0 };
    const closed = openClosedMonths(months);
    const visit: Visit = {
      db: session,
      masterKeys,
      progress,
      complain,
      bounds,
      sums: new Map(),
      accrued: new Map(),
      closed,
      reach: reachOf(bounds),
      policiesOf: openTimelinesIn(session),
      count,
    };
    for (const { name, rows: n } of await countStrays(session)) {
      complain(complaintOf(name, {}, `${rows(n)} of a volume that does not exist`));
    }
    const blocks = await checkBlocks(visit);
    for (const { volume } of bounds.volumes) {
      await checkLoans(visit, volume);
      for (const { loanId, sequence } of await surelyWrong(session, (sql) => readMistold(sql, volume))) {
        complain(
          complaintOf('events', { loanId, transaction: sequence }, 'is told to an organization whose loan it was not'),
        );
      }
      const lookAtMarks = (sql: Sql) => countWrongMarks(sql, volume);
      const wrong = await surely(session, await lookAtMarks(session), (found) => found > 0, lookAtMarks);
      if (wrong > 0)
        complain(complaintOf('feed_marks', {}, `${rows(wrong)} not of a tick and a block of volume ${volume}`));
    }
    checkSums(visit.sums, bounds, complain);
    checkAccrued(visit);
    closed.check((what, compared) => complain(complaintOf('ledger_periods', {}, what, compared)));
    await checkPositionSums(session, visit.reach, complain);
    await checkReportedTotals(session, visit.reach, complain);
    await checkAudit(session, {
      late: options.late ?? null,
      complain: (table, what, compared) => complain(complaintOf(table, {}, what, compared)),
      progress(done, total) {
        count.entries = done;
        progress({ part: 'audit', done, total });
      },
    });
    await checkAnswers(visit);
    return { ...count, ...blocks, complaintCount, complaints };
  });
}

// ---- blocks ----

async function checkBlocks({
  db,
  progress,
  complain,
  bounds,
}: Visit): Promise<Pick<BookReport, 'blocks' | 'lastRoot'>> {
  const tell = (table: string, block: number | null, what: string, compared?: { expected: unknown; found: unknown }) =>
    complain(complaintOf(table, { block }, what, compared));
  const step = db.volumes.count;
  const total = bounds.volumes.reduce((sum, { volume, sealed }) => sum + (sealed - volume) / step, 0);
  let blocks = 0;
  for (const volume of bounds.volumes) {
    await checkVolume(db, volume, tell, (some) => {
      blocks += some;
      progress({ part: 'blocks', done: blocks, total });
    });
  }
  const last = await checkRoots(db, tell);
  return { blocks, lastRoot: last === null ? null : { number: last.number, hash: last.hash } };
}

// ---- loans ----

async function checkLoans(visit: Visit, volume: number): Promise<void> {
  const { db, progress, bounds, count } = visit;
  let page = await readBookPage(db, volume, '', LOANS_AT_ONCE);
  while (page.length > 0) {
    const portions = portionsOf(page);
    let people = peopleOf(db, portions[0] ?? []);
    // The server is at the next page while this one is checked.
    const next = readBookPage(db, volume, page.at(-1)?.loan_id ?? '', LOANS_AT_ONCE);
    next.catch(() => {});
    for (const [i, portion] of portions.entries()) {
      const opened = await people;
      const following = portions[i + 1];
      if (following !== undefined) people = peopleOf(db, following);
      for (const row of portion) {
        await checkRow(visit, volume, row, opened.get(`0x${row.loan_id}`) ?? null);
        // Each turn of the event loop takes in 64 KB of the next page; without them the server waits with its rows, a third of the time.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    progress({ part: 'loans', done: count.loans, total: Math.max(bounds.loans, count.loans) });
    page = await next;
  }
}

/** Runs of loans whose sealed parts fit into memory together. */
function portionsOf(page: readonly CheckedBook[]): CheckedBook[][] {
  const portions: CheckedBook[][] = [[]];
  let size = 0;
  for (const row of page) {
    size += row.sealed_bytes ?? 0;
    if (size > SEALED_AT_ONCE && portions.at(-1)?.length) {
      portions.push([]);
      size = row.sealed_bytes ?? 0;
    }
    portions.at(-1)?.push(row);
  }
  return portions;
}

function peopleOf(db: Sql, rows: readonly CheckedBook[]): Promise<Map<string, SealedPerson>> {
  const ids = rows.filter(({ sealed_bytes }) => sealed_bytes !== null).map(({ loan_id }) => `0x${loan_id}`);
  const people = ids.length === 0 ? Promise.resolve(new Map()) : readSealedPeople(db, ids);
  people.catch(() => {});
  return people;
}

/** All that a loan is compared with besides its own row; `db`: where its other rows are read. */
type Sight = Pick<Visit, 'reach' | 'policiesOf'> & { readonly db: Sql };

/** `enter`: adds what was found to the counts and sums of the visit, once it is certain. */
type Found = { readonly complaints: BookComplaint[]; readonly enter: (() => void)[] };

async function checkRow(visit: Visit, volume: number, row: CheckedBook, person: SealedPerson | null): Promise<void> {
  const found = await surely(
    visit.db,
    await lookAtRow(visit, visit, { volume, row, person }),
    ({ complaints }) => complaints.length > 0,
    async (tx) => {
      const again = await readCheckedBook(tx, volume, row.loan_id);
      if (again === null) return { complaints: [], enter: [] };
      const people = await peopleOf(tx, [again]);
      const sight = {
        db: tx,
        reach: reachOf(await readNights(tx)),
        policiesOf: (organizationId: string) => timelinesIn(tx, organizationId),
      };
      return lookAtRow(visit, sight, { volume, row: again, person: people.get(`0x${row.loan_id}`) ?? null });
    },
  );
  for (const complaint of found.complaints) visit.complain(complaint);
  for (const enter of found.enter) enter();
}

type Row = { readonly volume: number; readonly row: CheckedBook; readonly person: SealedPerson | null };

async function lookAtRow(visit: Visit, sight: Sight, { volume, row, person }: Row): Promise<Found> {
  const { count, bounds, masterKeys, closed } = visit;
  const { db, reach } = sight;
  const loanId = `0x${row.loan_id}`;
  const sums = of(visit.sums, volume, (): DaySums => new Map());
  const sealed = bounds.volumes[volume]?.sealed ?? volume;
  const found: Found = { complaints: [], enter: [] };
  const { complaints, enter } = found;
  let sound = true;
  const tell: Tell = (table, transaction, what, compared) => {
    sound = false;
    complaints.push(complaintOf(table, { loanId, transaction }, what, compared));
  };
  const add = (what: keyof Visit['count'], n: number) => {
    enter.push(() => {
      count[what] += n;
    });
  };
  add('lines', row.line_count);
  if (row.version === null && row.book_version !== null) {
    const isOfEntries = row.book_kind === 'entries';
    const where = { volume, volumes: db.volumes.count, sealed };
    const book = isOfEntries ? checkEntryBook(row, where, tell) : checkLenderBook(row, where, tell);
    if (!isOfEntries) checkOwnActs(row, tell);
    add('transactions', book.transactions);
    add('unsealed', book.unsealed);
    const stored = await readLinesThrough(db, loanId, row.last_line ?? 0);
    const owner = { organizationId: row.book_organization, lenderId: row.book_lender };
    checkLines(
      stored,
      book.posted,
      [{ ...owner, from: (row.accrued_from ?? row.first_posted) as PlainDate, until: null, through: null }],
      tell,
    );
    const posted = sound ? book.posted : null;
    enter.push(() => {
      addStored(sums, stored, sealed);
      if (row.first_posted !== null) closed.recorded(owner.organizationId, row.first_posted as PlainDate);
      closeLines(closed, owner, posted);
    });
    return found;
  }
  if (row.version === null) {
    for (const { name, rows: n } of await countRows(db, volume, loanId)) {
      tell(name, null, `${rows(n)} of a loan that does not exist`);
    }
    const stray = row.last_line === null ? [] : await readLinesThrough(db, loanId, row.last_line);
    enter.push(() => {
      addStored(sums, stray, sealed);
      for (const { organizationId } of stray) closed.damaged(organizationId);
    });
    return found;
  }
  add('loans', 1);
  const own = volumeOf(db, loanId);
  if (own !== volume) tell('loans', null, 'is not in the volume that its id names', { expected: own, found: volume });
  const policies = await sight.policiesOf(row.organization_id);
  const checked = checkLoan(row, { volume, volumes: db.volumes.count, sealed }, policies, tell);
  add('transactions', checked.transactions);
  add('unsealed', checked.unsealed);
  // The entries of a damaged history do not match either, which would say the same once more.
  if (sound) {
    checkActs(row, (table, transaction, what, compared) =>
      complaints.push(complaintOf(table, { loanId, transaction }, what, compared)),
    );
  }
  const { owners } = checked;
  const owner = owners.at(-1) as Owned;
  if (checked.posted !== null && (row.lines ?? '') === checked.journal && row.own_lines !== false) {
    enter.push(() => addPosted(sums, owner, checked, sealed));
  } else {
    const stored = await readLinesThrough(db, loanId, row.last_line ?? 0);
    checkLines(stored, checked.posted, owners, tell);
    enter.push(() => addStored(sums, stored, sealed));
  }
  if (checked.events !== null && sound) checkPositions(row, checked.events, reach, tell);
  const isWhole = sound;
  enter.push(() => {
    addAccrued(visit, checked);
    for (const { organizationId, from } of owners) closed.recorded(organizationId, from);
    addClosed(closed, checked, isWhole);
  });
  if (person === null) {
    if (!row.erased) tell('people', null, 'is missing, and no erasure is recorded');
    else add('erased', 1);
    return found;
  }
  const key = openDataKey(loanId, person, masterKeys, tell);
  if (key === null) return found;
  if (checked.commitments !== null) checkHandedOver(row, { ...person, key }, checked.commitments, tell);
  await checkBeside(db, row, key, checked.partyChanges, tell);
  return found;
}

// ---- interest in the books of lenders ----

/** Adds what a loan had accrued by the last day that the book of its lender on that day has posted. */
function addAccrued({ bounds, accrued }: Visit, { accruedOn, owners }: CheckedLoan): void {
  for (const { organizationId, lenderId, from, until } of owners) {
    const book = bounds.books.find((one) => one.organizationId === organizationId && one.lenderId === lenderId);
    if (book === undefined) continue;
    const { accruedThrough } = book;
    // Nothing follows from a damaged loan, so nothing is compared.
    if (accruedOn === null) accrued.set(book, null);
    else if (accruedThrough >= from && (until === null || accruedThrough < until)) {
      const sum = accrued.get(book);
      if (sum === null) continue;
      const one = accruedOn(accruedThrough);
      const added = { ...NOTHING_ACCRUED, ...sum };
      for (const name of ACCRUED) added[name] += one[name];
      accrued.set(book, added);
    }
  }
}

const NOTHING_ACCRUED: AccruedSums = { interest: 0, fees: 0, costs: 0, discount: 0 };
const ACCRUED = ['interest', 'fees', 'costs', 'discount'] as const;
const IN_WORDS = {
  interest: 'accrued does not match the interest of its loans',
  fees: 'amortized_fees does not match the fees of its loans',
  costs: 'amortized_costs does not match the costs of its loans',
  discount: 'amortized_discount does not match the discounts of its loans',
} as const satisfies Record<keyof AccruedSums, string>;

function checkAccrued({ bounds, accrued, complain }: Visit): void {
  for (const book of bounds.books) {
    const expected = accrued.get(book) ?? (accrued.has(book) ? null : NOTHING_ACCRUED);
    if (expected === null) continue;
    const found: AccruedSums = { interest: book.accrued, ...book.amortized };
    for (const name of ACCRUED) {
      if (expected[name] === found[name]) continue;
      const what = `${book.organizationId} ${book.lenderId}: ${IN_WORDS[name]} on ${book.accruedThrough}`;
      complain(complaintOf('books', {}, what, { expected: expected[name], found: found[name] }));
    }
  }
}

// ---- kept answers ----

async function checkAnswers({ db, bounds, complain, progress, count }: Visit): Promise<void> {
  for (const { volume } of bounds.volumes) {
    let after = { loanId: '', keyHash: '' };
    for (;;) {
      const { last, answers, lost } = await readAnswersPage(db, volume, after, ANSWERS_AT_ONCE);
      if (last === null) break;
      after = last;
      count.answers += answers;
      for (const loanId of lost) complain(complaintOf('answers', { loanId }, 'its key is not reserved for this loan'));
      progress({ part: 'answers', done: count.answers, total: count.answers });
    }
  }
}
