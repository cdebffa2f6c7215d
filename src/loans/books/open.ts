/** The books of an organization: balances on a day, whether they tie to its loans, the accrual of interest, months and their closing. */
import type { PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { ACCOUNTS } from '../../ledger/chart.ts';
import { inOneMoment } from '../../store/books.ts';
import type { Db, Sql } from '../../store/db.ts';
import { readBookTransactions } from '../../store/lender-books.ts';
import { type Clocks, todayBy } from '../clock/clocks.ts';
import { openFairTurns } from '../fair-reads.ts';
import { WAITING } from '../too-many-waiting.ts';
import type { Asker, AsOf, BookEntry, Books, TieOut, TrialBalance } from './books.ts';
import { balancesOn } from './day.ts';
import { openPeriods } from './periods.ts';
import { tiesOn } from './tie.ts';

/** Looks at whole books at a time; the others wait, in turn by organization. */
const AT_ONCE = 2;

export function openBooks({ db, clock, clocks }: { db: Db; clock: () => number; clocks: Clocks }): Books {
  const inTurn = openFairTurns(AT_ONCE, WAITING);
  return { trialBalance, tieOut, entries, ...openPeriods({ db, now, today, looking }) };

  /** What the organization's clock shows, in epoch milliseconds. */
  async function now(organizationId: string): Promise<number> {
    return (await clocks.one(organizationId)).at(clock());
  }

  async function today(organizationId: string): Promise<PlainDate> {
    return todayBy(await clocks.one(organizationId), clock());
  }

  /** Everything `work` reads is of one moment. */
  function looking<T>({ organizationId }: Pick<Asker, 'organizationId'>, work: (tx: Sql) => Promise<T>): Promise<T> {
    return inTurn(organizationId, () => inOneMoment(db, work));
  }

  /** Each account's balance in its column. */
  async function trialBalance(asker: Asker, { asOf, lenderId }: AsOf): Promise<TrialBalance | Refusal> {
    const day = await dayAsked(asker, asOf);
    if (day === null) return inTheFuture();
    const { organizationId } = asker;
    const balances = await looking(asker, (tx) => balancesOn(tx, { organizationId, lenderId }, day));
    const accounts = ACCOUNTS.map((account) => {
      let balance = 0;
      for (const held of balances.values()) balance += held.get(account) ?? 0;
      return { account, debit: cents(Math.max(balance, 0)), credit: cents(Math.max(0 - balance, 0)) };
    });
    return { asOf: day, accounts };
  }

  async function tieOut(asker: Asker, { asOf, lenderId }: AsOf): Promise<TieOut | Refusal> {
    const day = await dayAsked(asker, asOf);
    if (day === null) return inTheFuture();
    const { organizationId } = asker;
    return { asOf: day, accounts: await looking(asker, (tx) => tiesOn(tx, { organizationId, lenderId }, day)) };
  }

  /** Null: it is in the future. */
  async function dayAsked({ organizationId }: Asker, asOf: PlainDate | null): Promise<PlainDate | null> {
    const last = await today(organizationId);
    if (asOf === null) return last;
    return asOf > last ? null : asOf;
  }

  async function entries(
    { organizationId }: Asker,
    { lenderId, ...asked }: Parameters<Books['entries']>[1],
  ): Promise<BookEntry[]> {
    const rows = await readBookTransactions(db, { organizationId, lenderId }, asked);
    return rows.map(({ hash, body, bookId, lenderId: lender, sequence, block }) => {
      const { event } = JSON.parse(body) as Pick<BookEntry, 'event'>;
      return { transactionHash: hash, bookId, lenderId: lender, sequence, block, event };
    });
  }
}

function inTheFuture(): Refusal {
  return refuse('date_in_future', 'The books can be read up to today.', { member: 'asOf' });
}
