/**
 * Closing a month. Months are closed one after the other, from that of the organization's first entry on, and nothing reopens one: what is
 * recorded later is posted later. If several requests close a month at the same time, in one process or in several, one does the work; the
 * others wait for it and are told that the month is closed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { canonical } from '../../ledger/canonical.ts';
import { hashOf } from '../../ledger/chain.ts';
import { ACCOUNTS } from '../../ledger/chart.ts';
import { readFirstRecorded, type Whose } from '../../store/books/books.ts';
import { readBooks } from '../../store/books/lender-books.ts';
import { lockClosing, type PeriodRow, readPeriod, readPeriods, savePeriod } from '../../store/books/periods.ts';
import { readHeads } from '../../store/cycle/cycles.ts';
import type { Sql } from '../../store/db/db.ts';
import type { Asker } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { HowWritten } from '../door/write.ts';
import { type Balances, type LenderBalances, lendersPending } from './day.ts';
import type { Looks } from './looks.ts';
import { cyclePending, daysOf, monthAfter, monthOf, type Period } from './months.ts';
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
};

type ClosingOptions = {
  reads: FairReads;
  now: (organizationId: string) => Promise<number>;
  looks: Looks;
  /** For so long a request waits for another process that is closing a month. */
  patienceMs: number;
};

const LOOK_MS = 100;

export function openClosing({ reads, now, looks, patienceMs }: ClosingOptions) {
  const underWay = new Map<string, Promise<ClosedPeriod | Refusal>>();

  /** A month that is over. */
  return async (asker: Asker, period: Period, how: HowWritten): Promise<ClosedPeriod | Refusal> => {
    const { organizationId } = asker;
    const before = await readPeriod(reads(asker), organizationId, period);
    if (before !== null) return toClosed(before);
    if (how.dryRun) return closed(asker, period, how);
    const name = `${organizationId} ${period}`;
    for (let running = underWay.get(name); running !== undefined; running = underWay.get(name)) {
      // A failure of the other, such as an approval that it has to wait for, is not one of this request.
      const found = await running.catch(() => null);
      if (found !== null) return found;
    }
    const closing = closed(asker, period, how).finally(() => underWay.delete(name));
    underWay.set(name, closing);
    return closing;
  };

  /** Between two attempts nothing is held: the other process needs its connection, and this one its own for others. */
  async function closed(asker: Asker, period: Period, how: HowWritten): Promise<ClosedPeriod | Refusal> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = await closeNow(asker, period, how);
      if (found !== 'elsewhere') return found;
      if (performance.now() > until) return alreadyClosing();
      await delay(LOOK_MS);
      const done = await readPeriod(reads(asker), asker.organizationId, period);
      if (done !== null) return toClosed(done);
    }
  }

  /** `elsewhere`: another process is closing a month of this organization, or has just closed one. */
  async function closeNow(
    asker: Asker,
    period: Period,
    { dryRun, keep }: HowWritten,
  ): Promise<ClosedPeriod | Refusal | 'elsewhere'> {
    const { organizationId } = asker;
    // Before it waits for its turn: a month that cannot be closed costs nothing.
    const early = await refuseOrder(reads(asker), organizationId, period);
    if (early.refusal !== null) {
      // Another process may have closed it since it was looked for.
      const done = await readPeriod(reads(asker), organizationId, period);
      return done === null ? early.refusal : toClosed(done);
    }
    const closedAt = new Date(await now(organizationId)).toISOString();
    try {
      return await looks.lookAndWrite(asker, async (look) => {
        const { tx } = look;
        if (!(await lockClosing(tx, organizationId))) return 'elsewhere';
        const done = await readPeriod(tx, organizationId, period);
        if (done !== null) return toClosed(done);
        if (!dryRun) await keep.begin?.(tx);
        const { refusal, previous } = await refuseOrder(tx, organizationId, period);
        if (refusal !== null) return refusal;
        const whose = { organizationId, lenderId: null };
        const { last } = daysOf(period);
        const pending = await pendingDay(tx, whose, last);
        if (pending !== null) return cyclePending(pending);
        const compared = await compareOn(look, whose, last);
        const off = untiedLenders(compared);
        if (off.length > 0) return untied(off);
        const balances = canonical(lendersOf(compared.balances));
        const { clientId, userId = null } = asker;
        const row = { period, closedAt, clientId, userId, hash: hashOf(balances), balances };
        const closed = toClosed(row);
        if (dryRun) return closed;
        if (!(await savePeriod(tx, organizationId, row, previous))) return 'elsewhere';
        await keep(tx, closed);
        return closed;
      });
    } catch (error) {
      // Another process closed it between the first statement of this moment and its lock.
      const done = isCollision(error) ? await readPeriod(reads(asker), organizationId, period) : null;
      if (done === null) throw error;
      return toClosed(done);
    }
  }
}

const isCollision = (error: unknown) => ['40001', '23505'].includes(String((error as { code?: unknown } | null)?.code));

/** Whether a month is the next to be closed, and the one that was closed last. */
async function refuseOrder(
  sql: Sql,
  organizationId: string,
  period: Period,
): Promise<{ refusal: Refusal | null; previous: Period | null }> {
  const { previous, next } = await monthsAround(sql, organizationId);
  if (period === next) return { refusal: null, previous };
  const detail =
    next === null
      ? 'There are no loans yet, so there is no month to close.'
      : `Months are closed in order; the next is ${next}.`;
  return { refusal: refuse('wrong_period', detail, { member: 'period' }), previous };
}

/** The month that was closed last, and the one that follows. */
export async function monthsAround(
  sql: Sql,
  organizationId: string,
): Promise<{ previous: Period | null; next: Period | null }> {
  const [newest] = await readPeriods(sql, organizationId, { before: null, limit: 1 });
  const previous = newest?.period ?? null;
  return { previous, next: previous === null ? await firstMonth(sql, organizationId) : monthAfter(previous) };
}

/** That of the day on which the first loan was recorded, before which nothing is posted; null: there is none. */
async function firstMonth(sql: Sql, organizationId: string): Promise<Period | null> {
  const [first] = [...(await readFirstRecorded(sql, { organizationId, lenderId: null })).values()].sort();
  return first === undefined ? null : monthOf(first);
}

/** The first day up to one whose cycle has not run, or whose interest is not posted for every lender; null: there is none. */
export async function pendingDay(tx: Sql, whose: Whose, through: PlainDate): Promise<PlainDate | null> {
  const books = new Map((await readBooks(tx, whose)).map((book) => [book.lenderId, book]));
  const [pending] = [...(await lendersPending(tx, whose, through, books)).values()].sort();
  if (pending !== undefined) return pending;
  const [head] = await readHeads(tx, [whose.organizationId]);
  return head === undefined || head.through >= through ? null : addDays(head.through, 1);
}

function lendersOf(balances: Balances): LenderBalances[] {
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

export function toClosed({ period, closedAt, clientId, userId, hash, balances }: PeriodRow): ClosedPeriod {
  const closedBy = { clientId, userId };
  return { period, closedAt, closedBy, hash, lenders: JSON.parse(balances) as LenderBalances[] };
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
