/**
 * Months: closing one, what happened between its first day and its last, and its lines for another general ledger. A closed month never
 * changes: everything that is recorded later is posted later, and what its days brought was counted when it was closed.
 */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { isRefusal, type Refusal, refuse } from '../../core/refusal.ts';
import { ACCOUNTS, type Account } from '../../ledger/chart.ts';
import { type Days, readFirstRecorded, type Whose } from '../../store/books.ts';
import type { Db, Sql } from '../../store/db.ts';
import { readCodes, readPeriod, readPeriods, saveCodes } from '../../store/periods.ts';
import type { FairReads } from '../fair-reads.ts';
import { accountsUsed, activityOf } from './activity.ts';
import type {
  AccountCodes,
  Asker,
  Books,
  ClosedPeriod,
  ExportedLine,
  HowWritten,
  Period,
  RollForward,
} from './books.ts';
import { openClosing, pendingDay, toClosed } from './closing.ts';
import type { Looks } from './looks.ts';
import { cyclePending, daysOf, inTheFuture, notOver } from './months.ts';
import { rollForwardOf } from './roll-forward.ts';

type PeriodsOptions = {
  db: Db;
  reads: FairReads;
  now: (organizationId: string) => Promise<number>;
  today: (organizationId: string) => Promise<PlainDate>;
  looks: Looks;
};

const PLAINLY: HowWritten = { dryRun: false, keep: async () => {} };

/** Lines that are put together at once, and how many a lender has on a busy day. */
const LINES_AT_ONCE = 16_000;
const LINES_OF_LENDER = 16;

type OfPeriod = { readonly period: Period; readonly lenderId: string | null };

export function openPeriods({
  db,
  reads,
  now,
  today,
  looks,
}: PeriodsOptions): Pick<Books, 'close' | 'periods' | 'rollForward' | 'exported' | 'codes' | 'setCodes'> {
  const closeMonth = openClosing({ reads, now, looks });
  return { close, periods, rollForward, exported, codes, setCodes };

  async function close(asker: Asker, period: Period, how: HowWritten = PLAINLY): Promise<ClosedPeriod | Refusal> {
    return (await refuseOpen(asker, period)) ?? closeMonth(asker, period, how);
  }

  async function periods(asker: Asker, asked: { before: Period | null; limit: number }): Promise<ClosedPeriod[]> {
    return (await readPeriods(reads(asker), asker.organizationId, asked)).map(toClosed);
  }

  async function rollForward(asker: Asker, { period, lenderId }: OfPeriod): Promise<RollForward | Refusal> {
    const { organizationId } = asker;
    const { first, last } = daysOf(period);
    const now = await today(organizationId);
    if (first > now) return inTheFuture();
    const closed = (await readPeriod(reads(asker), organizationId, period)) !== null;
    const through = last < now ? last : now;
    const days = { from: first, through };
    const lenders = await looks.look(asker, (look) => rollForwardOf(look, { organizationId, lenderId }, days));
    return { period, closed, lenders };
  }

  /**
   * Whether it can be exported is found out first. Then the lines come a few days at a time, each portion of one moment of its own: a month
   * that is over does not change, and no connection is held while a caller takes its time.
   */
  async function exported(
    asker: Asker,
    { period, lenderId }: OfPeriod,
  ): Promise<AsyncIterable<readonly ExportedLine[]> | Refusal> {
    const { organizationId } = asker;
    const open = await refuseOpen(asker, period);
    if (open !== null) return open;
    const { first, last } = daysOf(period);
    const own = await codes(asker);
    const whose = { organizationId, lenderId };
    const found = await looks.look(asker, async (look) => {
      const pending = await pendingDay(look.tx, whose, last);
      if (pending !== null) return cyclePending(pending);
      const used = await accountsUsed(look, whose, { from: first, through: last });
      const unnamed = ACCOUNTS.filter((one) => own[one] === undefined && used.has(one));
      if (unnamed.length > 0) return codesMissing(unnamed);
      return { lenders: (await readFirstRecorded(look.tx, whose)).size };
    });
    if (isRefusal(found)) return found;
    const daysAtOnce = Math.max(1, Math.floor(LINES_AT_ONCE / (LINES_OF_LENDER * Math.max(found.lenders, 1))));
    return linesOf(asker, whose, { days: { from: first, through: last }, daysAtOnce, own });
  }

  async function* linesOf(
    asker: Asker,
    whose: Whose,
    { days, daysAtOnce, own }: { days: Days; daysAtOnce: number; own: AccountCodes },
  ): AsyncGenerator<readonly ExportedLine[]> {
    for (let from = days.from; from <= days.through; from = addDays(from, daysAtOnce)) {
      const end = addDays(from, daysAtOnce - 1);
      const some = { from, through: end < days.through ? end : days.through };
      const lines = await looks.look(asker, (look) => activityOf(look, whose, some));
      if (lines.length === 0) continue;
      yield lines.map(({ date, lenderId, entry, account, priorPeriod, debit, credit }) => ({
        date,
        lenderId,
        entry,
        account: account as Account,
        code: own[account as Account] as string,
        priorPeriod,
        debit: cents(Number(debit)),
        credit: cents(Number(credit)),
      }));
    }
  }

  async function codes(asker: Asker, sql: Sql = reads(asker)): Promise<AccountCodes> {
    const rows = await readCodes(sql, asker.organizationId);
    return Object.fromEntries(rows.map(({ account, code }) => [account, code]));
  }

  async function setCodes(
    asker: Asker,
    given: AccountCodes,
    { dryRun, keep }: HowWritten = PLAINLY,
  ): Promise<AccountCodes> {
    if (dryRun) return { ...(await codes(asker)), ...given };
    const rows = Object.entries(given).map(([account, code]) => ({ account, code }));
    return db.transaction(async (tx) => {
      await saveCodes(tx, asker.organizationId, rows);
      const all = await codes(asker, tx);
      await keep(tx, all);
      return all;
    });
  }

  async function refuseOpen({ organizationId }: Asker, period: Period): Promise<Refusal | null> {
    const { last } = daysOf(period);
    return last < (await today(organizationId)) ? null : notOver();
  }
}

function codesMissing(accounts: readonly Account[]): Refusal {
  const detail = `These accounts have no code yet: ${accounts.join(', ')}. Set them with POST /ledger/account-codes.`;
  return refuse('required', detail, { facts: { accounts } });
}
