/**
 * Closing months. They are closed one after the other, from that of the organization's first entry on, also several in one go, and nothing
 * reopens one: what is recorded later is posted later. Everything that stands in the way of any of them is named, and then none is closed. If
 * several requests close a month at the same time, in one process or in several, one does the work; the others wait for it and are told that
 * the month is closed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { canonical } from '../../ledger/canonical.ts';
import { hashOf } from '../../ledger/chain.ts';
import { ACCOUNTS } from '../../ledger/chart.ts';
import { readFirstRecorded, type Whose } from '../../store/books/books.ts';
import { readEntryState } from '../../store/books/entry-books.ts';
import { readBooks } from '../../store/books/lender-books.ts';
import {
  countGroundsGone,
  lockClosing,
  type PeriodRow,
  readPeriod,
  readPeriods,
  savePeriod,
} from '../../store/books/periods.ts';
import { readHeads } from '../../store/cycle/cycles.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import type { Asker } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { HowWritten } from '../door/write.ts';
import { type Balances, type LenderBalances, lendersPending } from './day.ts';
import type { Look, Looks } from './looks.ts';
import { cyclePending, daysOf, monthAfter, monthOf, notOver, type Period } from './months.ts';
import { compareOn, untiedLenders } from './tie.ts';

export type ClosedPeriod = {
  readonly period: Period;
  /** ISO 8601, UTC. */
  readonly closedAt: string;
  /** The caller, in a dry run. */
  readonly closedBy: { readonly clientId: string; readonly userId: string | null };
  /** SHA-256 of the balances as canonical JSON. */
  readonly hash: string;
  readonly lenders: readonly LenderBalances[];
  /** The first of the months that were closed in one go with this one; the month itself: it was closed alone. */
  readonly closedFrom: Period;
};

/** The months that were closed, in their order, with the hash of each; in `closed` the last of them. */
export type Closing = {
  readonly closed: ClosedPeriod;
  readonly months: readonly { readonly period: Period; readonly hash: string }[];
  /** Findings that a person should look at before; none stands in the way. Null: the months were closed before. */
  readonly warnings: readonly ClosingWarning[] | null;
  readonly dryRun: boolean;
};

export type ClosingWarning = {
  readonly check: 'charge_off_ground_gone';
  readonly loans: number;
  readonly detail: string;
  readonly who: string;
};

/** `from` null: from the month that is to be closed next. */
export type MonthsAsked = { readonly from: Period | null; readonly through: Period };

type ClosingOptions = {
  db: Db;
  reads: FairReads;
  now: (organizationId: string) => Promise<number>;
  today: (organizationId: string) => Promise<PlainDate>;
  looks: Looks;
  /** For so long a request waits for another process that is closing a month. */
  patienceMs: number;
};

/** Each is compared with the loans as they were at its end, all in one transaction. */
const MONTHS_AT_ONCE = 24;

const LOOK_MS = 100;

export function openClosing({ db, reads, now, today, looks, patienceMs }: ClosingOptions) {
  const underWay = new Map<string, Promise<Closing | Refusal>>();

  return async (asker: Asker, asked: MonthsAsked, how: HowWritten): Promise<Closing | Refusal> => {
    const { organizationId } = asker;
    const before = await closedAlready(reads(asker), organizationId, asked);
    if (before !== null) return before;
    if (how.dryRun) return closed(asker, asked, how);
    const name = `${organizationId} ${asked.from} ${asked.through}`;
    for (let running = underWay.get(name); running !== undefined; running = underWay.get(name)) {
      // A failure of the other, such as an approval that it has to wait for, is not one of this request.
      const found = await running.catch(() => null);
      if (found !== null) return found;
    }
    const closing = closed(asker, asked, how).finally(() => underWay.delete(name));
    underWay.set(name, closing);
    return closing;
  };

  /** Between two attempts nothing is held: the other process needs its connection, and this one its own for others. */
  async function closed(asker: Asker, asked: MonthsAsked, how: HowWritten): Promise<Closing | Refusal> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = await closeNow(asker, asked, how);
      if (found !== 'elsewhere') return found;
      if (performance.now() > until) return alreadyClosing();
      await delay(LOOK_MS);
      const done = await closedAlready(reads(asker), asker.organizationId, asked);
      if (done !== null) return done;
    }
  }

  /** `elsewhere`: another process is closing a month of this organization, or has just closed one. */
  async function closeNow(
    asker: Asker,
    asked: MonthsAsked,
    { dryRun, keep }: HowWritten,
  ): Promise<Closing | Refusal | 'elsewhere'> {
    const { organizationId } = asker;
    // Before it waits for its turn: a month that cannot be closed costs nothing.
    const early = await refuseOrder(reads(asker), organizationId, asked);
    if (early.refusal !== null) {
      // Another process may have closed it since it was looked for.
      return (await closedAlready(reads(asker), organizationId, asked)) ?? early.refusal;
    }
    const closedAt = new Date(await now(organizationId)).toISOString();
    const day = await today(organizationId);
    try {
      return await looks.lookAndWrite(asker, async (look) => {
        const { tx } = look;
        if (!(await lockClosing(tx, organizationId))) return 'elsewhere';
        // An entry by hand that was saved between the first statement of this moment and its lock is not seen here.
        const entries = await Promise.all([tx, db].map((sql) => readEntryState(sql, organizationId)));
        if (entries[0]?.state !== entries[1]?.state) return 'elsewhere';
        const done = await closedAlready(tx, organizationId, asked);
        if (done !== null) return done;
        if (!dryRun) await keep.begin?.(tx);
        const { refusal, previous, months } = await refuseOrder(tx, organizationId, asked);
        if (refusal !== null) return refusal;
        const { clientId, userId = null } = asker;
        const rows: PeriodRow[] = [];
        const checks: FailedCheck[] = [];
        for (const period of months) {
          const { failed, balances } = await checked(look, organizationId, period, day);
          checks.push(...failed);
          const text = canonical(lendersOf(balances));
          const kept = { period, closedAt, clientId, userId, hash: hashOf(text), balances: text };
          rows.push({ ...kept, closedFrom: months[0] as Period });
        }
        if (checks.length > 0) return refusedBy(checks);
        const warnings = await warningsOf(tx, organizationId);
        const closing = { ...closingOf(rows), warnings, dryRun };
        if (dryRun) return closing;
        let last = previous;
        for (const row of rows) {
          if (!(await savePeriod(tx, organizationId, row, last))) return 'elsewhere';
          last = row.period;
        }
        await keep(tx, closing);
        return closing;
      });
    } catch (error) {
      // Another process closed it between the first statement of this moment and its lock.
      const done = isCollision(error) ? await closedAlready(reads(asker), organizationId, asked) : null;
      if (done === null) throw error;
      return done;
    }
  }
}

function closingOf(rows: readonly PeriodRow[]): Closing {
  return {
    closed: toClosed(rows.at(-1) as PeriodRow),
    months: rows.map(({ period, hash }) => ({ period, hash })),
    warnings: null,
    dryRun: false,
  };
}

/** Null: the last of the months is not closed yet. */
async function closedAlready(
  sql: Sql,
  organizationId: string,
  { from, through }: MonthsAsked,
): Promise<Closing | null> {
  const last = await readPeriod(sql, organizationId, through);
  if (last === null) return null;
  const first = from ?? last.closedFrom;
  const rows = await readPeriods(sql, organizationId, { before: monthAfter(through), limit: MONTHS_AT_ONCE });
  return closingOf(rows.filter(({ period }) => period >= first).reverse());
}

/** Something that stands in the way of closing a month, and who can do something about it. */
type FailedCheck = {
  readonly period: Period;
  readonly check: 'not_over' | 'cycle_pending' | 'untied';
  readonly detail: string;
  readonly who: string;
  readonly refusal: Refusal;
};

/** The checks of a month that fail, and its balances; none of a month that is not over. */
async function checked(
  look: Look,
  organizationId: string,
  period: Period,
  today: PlainDate,
): Promise<{ failed: FailedCheck[]; balances: Balances }> {
  const { first, last } = daysOf(period);
  const failed: FailedCheck[] = [];
  const fails = (check: FailedCheck['check'], refusal: Refusal, who: string) =>
    failed.push({ period, check, detail: refusal.detail, who, refusal });
  if (last >= today) {
    fails('not_over', notOver(), 'Nobody: wait until the month has ended.');
    return { failed, balances: new Map() };
  }
  const whose = { organizationId, lenderId: null };
  const pending = await pendingDay(look.tx, whose, last);
  if (pending !== null) {
    const who = 'Nobody has to: the service runs the cycle by itself. An operator can start it with npm run nightly.';
    fails('cycle_pending', cyclePending(pending < first ? first : pending), who);
  }
  const compared = await compareOn(look, whose, last);
  const off = untiedLenders(compared);
  if (off.length > 0) fails('untied', untied(off), 'The operator, who finds the cause with npm run verify.');
  return { failed, balances: compared.balances };
}

/** As known now, whatever the months: a closed month has the charge-off, and a later one has what becomes of it. */
async function warningsOf(tx: Sql, organizationId: string): Promise<ClosingWarning[]> {
  const loans = await countGroundsGone(tx, organizationId);
  if (loans === 0) return [];
  const were = loans === 1 ? '1 loan was' : `${loans} loans were`;
  const detail = `${were} charged off by the nightly cycle for days past due that are not found any more. See GET /loans?chargeOffGroundGone=true.`;
  const who = 'The servicer of the loan, who undoes the charge-off or lets it stand.';
  return [{ check: 'charge_off_ground_gone', loans, detail, who }];
}

/** The first of them as the refusal; it names all of them. */
function refusedBy(checks: readonly FailedCheck[]): Refusal {
  const { refusal } = checks[0] as FailedCheck;
  const named = checks.map(({ refusal: _, ...check }) => check);
  const facts = { ...refusal.facts, checks: named };
  if (checks.length === 1) return { ...refusal, facts };
  const list = checks.map(({ period, detail }) => `${period}: ${detail}`).join(' ');
  const detail = `${checks.length} checks stand in the way, and no month was closed. ${list}`;
  return { ...refusal, detail, facts };
}

const isCollision = (error: unknown) => ['40001', '23505'].includes(String((error as { code?: unknown } | null)?.code));

/** Whether the months begin with the next to be closed, which they are, and the one that was closed last. */
async function refuseOrder(
  sql: Sql,
  organizationId: string,
  { from, through }: MonthsAsked,
): Promise<{ refusal: Refusal | null; previous: Period | null; months: readonly Period[] }> {
  const { previous, next } = await monthsAround(sql, organizationId);
  const first = from ?? next;
  if (next !== null && first === next && next <= through) {
    const months: Period[] = [];
    for (let month = next; month <= through && months.length <= MONTHS_AT_ONCE; month = monthAfter(month)) {
      months.push(month);
    }
    if (months.length <= MONTHS_AT_ONCE) return { refusal: null, previous, months };
    const detail = `At most ${MONTHS_AT_ONCE} months are closed in one go; the next is ${next}.`;
    return { refusal: refuse('invalid_value', detail, { member: 'through' }), previous, months: [] };
  }
  const detail =
    next === null
      ? 'There are no loans yet, so there is no month to close.'
      : `Months are closed in order; the next is ${next}.`;
  const member = from === null ? 'through' : 'period';
  return { refusal: refuse('wrong_period', detail, { member }), previous, months: [] };
}

/** The month that was closed last, and the one that follows. */
export async function monthsAround(
  sql: Sql,
  organizationId: string,
): Promise<{ previous: Period | null; next: Period | null }> {
  const previous = await lastClosed(sql, organizationId);
  return { previous, next: previous === null ? await firstMonth(sql, organizationId) : monthAfter(previous) };
}

/** The month that was closed last; null: none is. */
export async function lastClosed(sql: Sql, organizationId: string): Promise<Period | null> {
  const [newest] = await readPeriods(sql, organizationId, { before: null, limit: 1 });
  return newest?.period ?? null;
}

/** That of the day on which the first loan was recorded or the first entry by hand is posted, before which there is nothing; null: there is none. */
async function firstMonth(sql: Sql, organizationId: string): Promise<Period | null> {
  const days = [await firstRecorded(sql, organizationId), (await readEntryState(sql, organizationId))?.firstPosted];
  const [first] = days.filter((day) => day !== undefined && day !== null).sort();
  return first === undefined ? null : monthOf(first);
}

/** The day on which the first loan was recorded; null: there is none. */
export async function firstRecorded(sql: Sql, organizationId: string): Promise<PlainDate | null> {
  const days = await readFirstRecorded(sql, { organizationId, lenderId: null });
  return [...days.values()].sort()[0] ?? null;
}

/** The first day up to one whose cycle has not run, or whose interest is not posted for every lender; null: there is none. */
export async function pendingDay(tx: Sql, whose: Whose, through: PlainDate): Promise<PlainDate | null> {
  const books = new Map((await readBooks(tx, whose)).map((book) => [book.lenderId, book]));
  const [pending] = [...(await lendersPending(tx, whose, through, books)).values()].sort();
  if (pending !== undefined) return pending;
  const [head] = await readHeads(tx, [whose.organizationId]);
  return head === undefined || head.through >= through ? null : addDays(head.through, 1);
}

/** By lender, the accounts in the order of the chart, without those that have no balance. */
export function lendersOf(balances: Balances): LenderBalances[] {
  return [...balances]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([lenderId, held]) => ({
      lenderId,
      accounts: ACCOUNTS.flatMap((account) => {
        const balance = held.get(account) ?? 0;
        return balance === 0 ? [] : [{ account, balance: cents(balance) }];
      }),
    }));
}

export function toClosed({ period, closedFrom, closedAt, clientId, userId, hash, balances }: PeriodRow): ClosedPeriod {
  const closedBy = { clientId, userId };
  return { period, closedFrom, closedAt, closedBy, hash, lenders: JSON.parse(balances) as LenderBalances[] };
}

const alreadyClosing = () =>
  refuse('wrong_period', 'Another request is closing a month of this organization; try again when it has finished.', {
    member: 'period',
    retryable: true,
  });

/** Lenders that a refusal names. */
const NAMED = 10;

function untied(lenders: readonly { lenderId: string; accounts: readonly string[] }[]): Refusal {
  const named = lenders.slice(0, NAMED);
  const list = named.map(({ lenderId, accounts }) => `${lenderId} (${accounts.join(', ')})`).join('; ');
  const more = lenders.length > NAMED ? ` and ${lenders.length - NAMED} more lenders` : '';
  const detail = `The ledger and the loans differ for ${list}${more}. See GET /ledger/tie-out with lenderId.`;
  return refuse('untied', detail, {
    facts: { accounts: [...new Set(lenders.flatMap(({ accounts }) => accounts))], lenders: named },
  });
}
