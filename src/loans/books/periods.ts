/**
 * Months: closing one, what happened between its first day and its last, and its lines for another general ledger. A closed month never
 * changes: everything that is recorded later is posted later, and what its days brought was counted when it was closed.
 */
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { canonical } from '../../ledger/canonical.ts';
import { hashOf } from '../../ledger/chain.ts';
import { ACCOUNTS, type Account } from '../../ledger/chart.ts';
import { hasOtherLenders, type Whose } from '../../store/books.ts';
import { readHeads } from '../../store/cycles.ts';
import type { Db, Sql } from '../../store/db.ts';
import { type PeriodRow, readCodes, readPeriod, readPeriods, saveCodes, savePeriod } from '../../store/periods.ts';
import type {
  AccountCodes,
  Asker,
  Books,
  ClosedPeriod,
  ExportedLine,
  HowWritten,
  LenderBalances,
  Period,
  RollForward,
} from './books.ts';
import { activityOf, type Balances, balancesOn } from './day.ts';
import { tiesOn } from './tie.ts';

type PeriodsOptions = {
  db: Db;
  now: (organizationId: string) => Promise<number>;
  today: (organizationId: string) => Promise<PlainDate>;
  looking: <T>(asker: Pick<Asker, 'organizationId'>, work: (tx: Sql) => Promise<T>) => Promise<T>;
};

const PLAINLY: HowWritten = { dryRun: false, keep: async () => {} };

export function openPeriods({
  db,
  now,
  today,
  looking,
}: PeriodsOptions): Pick<Books, 'close' | 'periods' | 'rollForward' | 'exported' | 'codes' | 'setCodes'> {
  return { close, periods, rollForward, exported, codes, setCodes };

  async function close(
    asker: Asker,
    period: Period,
    { dryRun, keep }: HowWritten = PLAINLY,
  ): Promise<ClosedPeriod | Refusal> {
    const { organizationId } = asker;
    const before = await readPeriod(db, organizationId, period);
    if (before !== null) return toClosed(before);
    const { last } = daysOf(period);
    const open = await refuseOpen(organizationId, period);
    if (open !== null) return open;
    const [newest] = await readPeriods(db, organizationId, { before: null, limit: 1 });
    const next = newest === undefined ? period : monthOf(addDays(daysOf(newest.period).last, 1));
    if (period !== next) {
      return refuse('wrong_period', `Months are closed in order; the next is ${next}.`, { member: 'period' });
    }
    const whose = { organizationId, lenderId: null };
    const balances = await looking(asker, async (tx): Promise<Balances | Refusal> => {
      const pending = await pendingDay(tx, whose, last);
      if (pending !== null) return cyclePending(pending);
      const ties = await tiesOn(tx, whose, last);
      const off = ties.filter(({ difference }) => difference !== 0).map(({ account }) => account);
      return off.length === 0 ? balancesOn(tx, whose, last) : untied(off);
    });
    if (!(balances instanceof Map)) return balances;
    const text = canonical(lendersOf(balances));
    const closedAt = new Date(await now(organizationId)).toISOString();
    const row = { period, closedAt, hash: hashOf(text), balances: text };
    if (dryRun) return toClosed(row);
    return db.transaction(async (tx) => {
      const closed = toClosed(await savePeriod(tx, asker, row));
      await keep(tx, closed);
      return closed;
    });
  }

  async function periods(
    { organizationId }: Asker,
    asked: { before: Period | null; limit: number },
  ): Promise<ClosedPeriod[]> {
    return (await readPeriods(db, organizationId, asked)).map(toClosed);
  }

  async function rollForward(
    asker: Asker,
    { period, lenderId }: { period: Period; lenderId: string | null },
  ): Promise<RollForward | Refusal> {
    const { organizationId } = asker;
    const { first, last } = daysOf(period);
    const until = await today(organizationId);
    if (first > until) return inTheFuture();
    const closed = (await readPeriod(db, organizationId, period)) !== null;
    const whose = { organizationId, lenderId };
    const through = last < until ? last : until;
    return looking(asker, async (tx) => {
      const opening = await balancesOn(tx, whose, addDays(first, -1));
      const closing = await balancesOn(tx, whose, through);
      const activity = await activityOf(tx, whose, { from: first, through });
      const lenders = [...new Set([...opening.keys(), ...closing.keys()])].sort();
      return {
        period,
        closed,
        lenders: lenders.map((lender) => ({
          lenderId: lender,
          accounts: ACCOUNTS.flatMap((account) => {
            const [from, to] = [opening, closing].map((held) => held.get(lender)?.get(account) ?? 0);
            const lines = activity.filter((one) => one.lenderId === lender && one.account === account);
            const rolled = rolledOf(account, { from: from ?? 0, to: to ?? 0 }, lines);
            return rolled.activity.length === 0 && rolled.opening === 0 ? [] : [{ account, ...rolled }];
          }),
        })),
      };
    });
  }

  async function exported(
    asker: Asker,
    { period, lenderId }: { period: Period; lenderId: string | null },
  ): Promise<ExportedLine[] | Refusal> {
    const { organizationId } = asker;
    const open = await refuseOpen(organizationId, period);
    if (open !== null) return open;
    const { first, last } = daysOf(period);
    const own = await codes(asker);
    const whose = { organizationId, lenderId };
    return looking(asker, async (tx) => {
      const pending = await pendingDay(tx, whose, last);
      if (pending !== null) return cyclePending(pending);
      const lines = await activityOf(tx, whose, { from: first, through: last });
      const unnamed = ACCOUNTS.filter((one) => own[one] === undefined && lines.some(({ account }) => account === one));
      if (unnamed.length > 0) {
        const detail = `These accounts have no code yet: ${unnamed.join(', ')}. Set them with POST /ledger/account-codes.`;
        return refuse('required', detail, { facts: { accounts: unnamed } });
      }
      return lines.map(({ debit, credit, account, ...line }) => ({
        ...line,
        account: account as Account,
        code: own[account as Account] as string,
        debit: cents(Number(debit)),
        credit: cents(Number(credit)),
      }));
    });
  }

  async function codes({ organizationId }: Asker, sql: Sql = db): Promise<AccountCodes> {
    return Object.fromEntries((await readCodes(sql, organizationId)).map(({ account, code }) => [account, code]));
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

  async function refuseOpen(organizationId: string, period: Period): Promise<Refusal | null> {
    const { last } = daysOf(period);
    return last < (await today(organizationId)) ? null : notOver();
  }
}

/** Opening, what each entry changed, and closing. Interest of days that are not posted yet is part of the accrual. */
function rolledOf(
  account: Account,
  { from, to }: { from: number; to: number },
  lines: readonly { entry: string; debit: bigint; credit: bigint }[],
) {
  const sums = new Map<string, number>();
  let left = to - from;
  for (const { entry, debit, credit } of lines) {
    const amount = Number(debit - credit);
    sums.set(entry, (sums.get(entry) ?? 0) + amount);
    left -= amount;
  }
  if (left !== 0) {
    if (account !== 'accruedInterest' && account !== 'interestIncome') {
      throw new Error(`${account} does not roll forward.`);
    }
    sums.set('accrual', (sums.get('accrual') ?? 0) + left);
  }
  const activity = [...sums].flatMap(([entry, amount]) => (amount === 0 ? [] : [{ entry, amount: cents(amount) }]));
  return { opening: cents(from), activity, closing: cents(to) };
}

/** The first day up to one whose cycle has not run; null: all have, or there was no loan yet. */
async function pendingDay(tx: Sql, whose: Whose, through: PlainDate): Promise<PlainDate | null> {
  const [head] = await readHeads(tx, [whose.organizationId]);
  if (head === undefined) return (await hasOtherLenders(tx, whose, [], through)) ? through : null;
  return head.through >= through || head.first > through ? null : addDays(head.through, 1);
}

function daysOf(period: Period): { first: PlainDate; last: PlainDate } {
  const first = `${period}-01` as PlainDate;
  return { first, last: lastOfMonth(first) };
}

const monthOf = (day: PlainDate): Period => day.slice(0, 7);

function lendersOf(balances: Balances): LenderBalances[] {
  return [...balances].sort().map(([lenderId, held]) => ({
    lenderId,
    accounts: ACCOUNTS.flatMap((account) => {
      const balance = held.get(account) ?? 0;
      return balance === 0 ? [] : [{ account, balance: cents(balance) }];
    }),
  }));
}

function toClosed({ period, closedAt, hash, balances }: PeriodRow): ClosedPeriod {
  return { period, closedAt, hash, lenders: JSON.parse(balances) as LenderBalances[] };
}

const notOver = () => refuse('date_in_future', 'The month is not over.', { member: 'period', retryable: true });
const inTheFuture = () => refuse('date_in_future', 'The books can be read up to today.', { member: 'period' });

function cyclePending(day: PlainDate): Refusal {
  return refuse(
    'cycle_pending',
    `The cycle of ${day} has not run yet. It runs by itself after midnight, or with npm run nightly; see GET /cycles.`,
    {
      facts: { date: day },
      retryable: true,
    },
  );
}

function untied(accounts: readonly string[]): Refusal {
  const detail = `The ledger and the loans differ: ${accounts.join(', ')}. See GET /ledger/tie-out.`;
  return refuse('untied', detail, { facts: { accounts } });
}
