/**
 * Entries by hand, and the ends of years. An entry is posted on its own day as long as that month is not closed, and afterwards on the day on
 * which it is recorded, for which somebody else has to agree. Nothing of this kind is saved while a month is being closed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { addMonths, type PlainDate } from '../../core/calendar.ts';
import { type Cents, cents } from '../../core/money.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { canonical } from '../../ledger/canonical.ts';
import { hashOf } from '../../ledger/chain.ts';
import { type Account, INCOME_AND_EXPENSE, OWNED_BY_LOANS } from '../../ledger/chart.ts';
import { type EntryEvent, type EntryLine, postEntry } from '../../ledger/entry-book.ts';
import {
  type EntriesAsked,
  type EntryRow,
  readEntries,
  readEntryBook,
  readYears,
  saveEntry,
  saveYear,
  type YearRow,
} from '../../store/books/entry-books.ts';
import { lockClosing, readPeriod } from '../../store/books/periods.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import { type Sealing, sealing } from '../../vault/cipher.ts';
import { entryBookIdOf } from '../../vault/party.ts';
import type { Asker } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { HowWritten } from '../door/write.ts';
import { firstRecorded, lastClosed, monthsAround } from './closing.ts';
import { type Balances, enter, type LenderBalances } from './day.ts';
import { monthOf, type Period } from './months.ts';

/** An entry that somebody gives; the lines in cents, debits positive. */
export type EntryAsked = {
  readonly date: PlainDate;
  readonly lenderId: string;
  readonly lines: readonly EntryLine[];
  readonly reason: string;
  readonly reverseOn: PlainDate | null;
};

/** As it is kept. `transactionHash` null: of a dry run. */
export type HandEntry = {
  readonly transactionHash: string | null;
  readonly bookId: string;
  readonly lenderId: string;
  readonly type: EntryEvent['type'];
  readonly date: PlainDate;
  readonly datePosted: PlainDate;
  /** It takes effect in a month that was closed. */
  readonly priorPeriod: boolean;
  readonly reverseOn: PlainDate | null;
  readonly year: number | null;
  readonly lines: readonly { readonly account: Account; readonly debit: Cents; readonly credit: Cents }[];
  /** Null: the end of a year has none. */
  readonly reason: string | null;
  readonly recordedAt: string;
  readonly recordedBy: { readonly clientId: string; readonly userId: string | null };
};

export type ClosedYear = {
  readonly year: number;
  readonly datePosted: PlainDate;
  readonly closedAt: string;
  readonly closedBy: { readonly clientId: string; readonly userId: string | null };
  readonly lenders: readonly {
    readonly lenderId: string;
    readonly transactionHash: string;
    readonly lines: HandEntry['lines'];
  }[];
};

/** By lender, in the text that is kept of a closed year. */
type YearLender = { lenderId: string; transactionHash: string; lines: EntryLine[] };

export type EntriesOptions = {
  db: Db;
  reads: FairReads;
  now: (organizationId: string) => Promise<number>;
  today: (organizationId: string) => Promise<PlainDate>;
  secrets: { readonly party: Uint8Array; readonly idempotency: Uint8Array };
  /** For so long a request waits for another process that is closing a month. */
  patienceMs: number;
};

const LOOK_MS = 100;
const PLAINLY: HowWritten = { dryRun: false, keep: async () => {} };

export function openEntries({ db, reads, now, today, secrets, patienceMs }: EntriesOptions) {
  return {
    service: { recordEntry, handEntries, closeYear, closedYears },
    inner: { post, bookIdOf: (asker: Asker, lenderId: string) => ofBook(asker, lenderId).bookId },
  };

  function keyOf(organizationId: string): Sealing {
    return sealing(secrets.idempotency, `daybook entries ${organizationId} v1`);
  }

  /** Runs `work` in a transaction while no month is being closed. */
  async function whileNoneCloses<T>(asker: Asker, work: (tx: Sql) => Promise<T>): Promise<T | Refusal> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = await db.transaction(async (tx) =>
        (await lockClosing(tx, asker.organizationId)) ? { done: await work(tx) } : null,
      );
      if (found !== null) return found.done;
      if (performance.now() > until) return busy();
      await delay(LOOK_MS);
    }
  }

  async function recordEntry(
    asker: Asker,
    asked: EntryAsked,
    { dryRun, keep }: HowWritten = PLAINLY,
  ): Promise<HandEntry | Refusal> {
    const { organizationId } = asker;
    const day = await today(organizationId);
    const refusal = refuseEntry(asked, day);
    if (refusal !== null) return refusal;
    const recordedAt = new Date(await now(organizationId)).toISOString();
    if (dryRun) {
      const event = eventOf(asked, await placeOf(reads(asker), organizationId, day), {
        day,
        recordedAt,
        note: NO_NOTE,
      });
      return 'refused' in event ? event : shown(event, { ...ofBook(asker, asked.lenderId), hash: null }, asked.reason);
    }
    return whileNoneCloses(asker, async (tx) => {
      const place = await placeOf(tx, organizationId, day);
      const amount = asked.lines.reduce((sum, line) => sum + Math.max(line.amount, 0), 0);
      await keep.begin?.(tx, { always: isClosed(asked.date, place.closed), amount });
      const note = keyOf(organizationId).seal(Buffer.from(asked.reason), 'entry');
      const event = eventOf(asked, place, { day, recordedAt, note });
      if ('refused' in event) return event;
      const hash = await post(tx, asker, { lenderId: asked.lenderId, event, note });
      const done = shown(event, { ...ofBook(asker, asked.lenderId), hash }, asked.reason);
      await keep(tx, done);
      return done;
    });
  }

  function ofBook({ organizationId, clientId, userId = null }: Asker, lenderId: string) {
    return { lenderId, bookId: entryBookIdOf(secrets.party, organizationId, lenderId), clientId, userId };
  }

  /** The hash of the transaction. Called while the organization's entries are locked. */
  async function post(
    tx: Sql,
    asker: Asker,
    { lenderId, event, note }: { lenderId: string; event: EntryEvent; note?: Uint8Array },
  ): Promise<string> {
    const { organizationId } = asker;
    const { bookId, clientId, userId } = ofBook(asker, lenderId);
    const before = await readEntryBook(tx, bookId);
    const { head, body, lines } = postEntry(before, bookId, event);
    const { version: sequence, lastHash: hash } = head;
    const transaction = { sequence, hash, type: event.type, body, lines, ...(note && { note }) };
    const book = { bookId, organizationId, lenderId, ...head };
    const expected = before?.lastHash ?? null;
    if (!(await saveEntry(tx, { expected, book, transaction, clientId, userId }))) {
      throw new Error('A book of entries was changed while it was locked.');
    }
    return hash;
  }

  /** The newest first. */
  async function handEntries(asker: Asker, asked: EntriesAsked & { lenderId: string | null }): Promise<HandEntry[]> {
    const { organizationId } = asker;
    const rows = await readEntries(reads(asker), { organizationId, lenderId: asked.lenderId }, asked);
    return rows.map((row) => {
      const { event } = JSON.parse(row.body) as { event: EntryEvent };
      return shown(event, row, reasonOf(organizationId, row));
    });
  }

  function reasonOf(organizationId: string, { note }: EntryRow): string | null {
    if (note === null) return null;
    const plain = keyOf(organizationId).unseal(note, 'entry');
    if (plain === null) throw new Error('The reason of an entry cannot be unsealed.');
    return plain.toString('utf8');
  }

  /** A year that is closed already is answered as the first time. */
  async function closeYear(
    asker: Asker,
    year: number,
    { dryRun, keep }: HowWritten = PLAINLY,
  ): Promise<ClosedYear | Refusal> {
    const { organizationId, clientId, userId = null } = asker;
    const done = (await readYears(reads(asker), organizationId)).find((one) => one.year === year);
    if (done !== undefined) return closedYear(done);
    const day = await today(organizationId);
    const closedAt = new Date(await now(organizationId)).toISOString();
    const by = { closedAt, clientId, userId };
    if (dryRun) {
      const found = await endOf(reads(asker), organizationId, year, day);
      if ('refused' in found) return found;
      const lenders = found.lenders.map((one) => ({ ...one, transactionHash: NO_HASH }));
      return closedYear({ year, datePosted: found.datePosted, ...by, closing: canonical(lenders) });
    }
    return whileNoneCloses(asker, async (tx) => {
      const before = (await readYears(tx, organizationId)).find((one) => one.year === year);
      if (before !== undefined) return closedYear(before);
      await keep.begin?.(tx);
      const found = await endOf(tx, organizationId, year, day);
      if ('refused' in found) return found;
      const { datePosted } = found;
      const lenders: YearLender[] = [];
      // Volumes are held in their order, as every other transaction of several does.
      const place = ({ lenderId }: { lenderId: string }) => volumeOf(tx, ofBook(asker, lenderId).bookId);
      for (const { lenderId, lines } of found.lenders.toSorted((a, b) => place(a) - place(b))) {
        const date = `${year}-12-31` as PlainDate;
        const event: EntryEvent = { type: 'yearClosed', year, date, datePosted, lines, recordedAt: closedAt };
        lenders.push({ lenderId, lines, transactionHash: await post(tx, asker, { lenderId, event }) });
      }
      lenders.sort((a, b) => (a.lenderId < b.lenderId ? -1 : 1));
      const row: YearRow = { year, datePosted, ...by, closing: canonical(lenders) };
      await saveYear(tx, organizationId, row);
      const closed = closedYear(row);
      await keep(tx, closed);
      return closed;
    });
  }

  async function closedYears(asker: Asker): Promise<ClosedYear[]> {
    return (await readYears(reads(asker), asker.organizationId)).map(closedYear);
  }
}

/** The books begin with their first entry, and every month from it on is to be closed: a wrong year would make decades of them. */
const OLDER_MONTHS = 12;

const NO_NOTE = new Uint8Array();
const NO_HASH = '';

function refuseEntry({ date, lines }: EntryAsked, today: PlainDate): Refusal | null {
  const owned = [...new Set(lines.map(({ account }) => account))].filter((account) => OWNED_BY_LOANS.has(account));
  if (owned.length > 0) {
    const detail = `The loans alone post to ${owned.join(', ')}: correct the loan, and its entries follow.`;
    return refuse('owned_by_loans', detail, { member: 'lines', facts: { accounts: owned } });
  }
  if (date > today) return refuse('date_in_future', 'The date must not be after today.', { member: 'date' });
  return null;
}

/** Whether the month of a day is closed, by the month that was closed last. */
const isClosed = (date: PlainDate, closed: Period | null): boolean => closed !== null && monthOf(date) <= closed;

type Place = { readonly closed: Period | null; readonly oldest: PlainDate };

/** The month that was closed last, and the oldest day on which an entry may stand. */
async function placeOf(sql: Sql, organizationId: string, today: PlainDate): Promise<Place> {
  const begun = (await firstRecorded(sql, organizationId)) ?? today;
  return { closed: await lastClosed(sql, organizationId), oldest: addMonths(begun, -OLDER_MONTHS) };
}

type Recording = { readonly day: PlainDate; readonly recordedAt: string; readonly note: Uint8Array };

function eventOf(
  { date, lines, reverseOn }: EntryAsked,
  { closed, oldest }: Place,
  { day, recordedAt, note }: Recording,
): EntryEvent | Refusal {
  if (date < oldest) {
    const detail = `No entry may be older than ${oldest}: is the year right?`;
    return refuse('wrong_period', detail, { member: 'date' });
  }
  const datePosted = isClosed(date, closed) ? day : date;
  if (reverseOn !== null && reverseOn <= datePosted) {
    const detail = `The entry is posted on ${datePosted}; it must be reversed on a later day.`;
    return refuse('contradiction', detail, { member: 'reverseOn' });
  }
  return { type: 'entryRecorded', date, datePosted, lines, reverseOn, recordedAt, reasonHash: hashOf(note) };
}

function shown(
  event: EntryEvent,
  of: { bookId: string; lenderId: string; hash: string | null; clientId: string; userId: string | null },
  reason: string | null,
): HandEntry {
  const { type, date, datePosted, lines, recordedAt } = event;
  return {
    ...{ transactionHash: of.hash, bookId: of.bookId, lenderId: of.lenderId, type, date, datePosted },
    priorPeriod: monthOf(date) < monthOf(datePosted),
    reverseOn: event.type === 'entryRecorded' ? event.reverseOn : null,
    year: event.type === 'yearClosed' ? event.year : null,
    lines: sidesOf(lines),
    ...{ reason, recordedAt, recordedBy: { clientId: of.clientId, userId: of.userId } },
  };
}

const sidesOf = (lines: readonly EntryLine[]): HandEntry['lines'] =>
  lines.map(({ account, amount }) => ({
    account,
    debit: cents(Math.max(amount, 0)),
    credit: cents(Math.max(-amount, 0)),
  }));

function closedYear({ year, datePosted, closedAt, clientId, userId, closing }: YearRow): ClosedYear {
  const lenders = (JSON.parse(closing) as YearLender[]).map((one) => ({ ...one, lines: sidesOf(one.lines) }));
  return { year, datePosted, closedAt, closedBy: { clientId, userId }, lenders };
}

/**
 * Income and expense of each lender at the end of a year, and the day on which they are closed: the first of the next year, unless that month
 * is closed already. Closings of earlier years that are posted after the year are of those years' income, which it still holds at its end.
 */
async function endOf(
  sql: Sql,
  organizationId: string,
  year: number,
  today: PlainDate,
): Promise<{ datePosted: PlainDate; lenders: { lenderId: string; lines: EntryLine[] }[] } | Refusal> {
  const december = await readPeriod(sql, organizationId, `${year}-12`);
  const { previous, next } = await monthsAround(sql, organizationId);
  if (december === null) {
    const detail =
      next === null || `${year}-12` < next
        ? `There is nothing to close in ${year}.`
        : `All months of ${year} must be closed first; the next is ${next}.`;
    return refuse('wrong_period', detail, { member: 'year' });
  }
  const years = await readYears(sql, organizationId);
  const before = await readPeriod(sql, organizationId, `${year - 1}-12`);
  if (before !== null && !years.some((one) => one.year === year - 1)) {
    const detail = `Years are closed in order; ${year - 1} is to be closed first.`;
    return refuse('wrong_period', detail, { member: 'year' });
  }
  const open: Balances = new Map();
  for (const { lenderId, accounts } of JSON.parse(december.balances) as LenderBalances[]) {
    for (const { account, balance } of accounts) enter(open, lenderId, account, balance);
  }
  for (const { datePosted, closing } of years) {
    if (datePosted <= `${year}-12-31`) continue;
    for (const { lenderId, lines } of JSON.parse(closing) as YearLender[]) {
      for (const { account, amount } of lines) enter(open, lenderId, account, amount);
    }
  }
  const lenders = [...open.keys()].sort().flatMap((lenderId) => {
    const lines = INCOME_AND_EXPENSE.flatMap((account): EntryLine[] => {
      const balance = open.get(lenderId)?.get(account) ?? 0;
      return balance === 0 ? [] : [{ account, amount: -balance }];
    });
    const result = lines.reduce((sum, { amount }) => sum - amount, 0);
    if (result !== 0) lines.push({ account: 'retainedEarnings', amount: result });
    return lines.length === 0 ? [] : [{ lenderId, lines }];
  });
  const first = `${year + 1}-01-01` as PlainDate;
  return { datePosted: previous !== null && previous >= monthOf(first) ? today : first, lenders };
}

const busy = () =>
  refuse('wrong_period', 'A month of this organization is being closed; try again when that has finished.', {
    retryable: true,
  });
