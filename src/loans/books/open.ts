/** The books of an organization: balances on a day, whether they tie to its loans, the accrual of interest, months and their closing. */
import type { PlainDate } from '../../core/calendar.ts';
import { cents } from '../../core/money.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import { ACCOUNTS } from '../../ledger/chart.ts';
import { readBookTransactions } from '../../store/books/lender-books.ts';
import type { Db } from '../../store/db/db.ts';
import { type Clocks, todayBy } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Asker, AsOf, BookEntry, Books, TieOut, TrialBalance } from './books.ts';
import { balancesOn } from './day.ts';
import type { Looks } from './looks.ts';
import { openPeriods } from './periods.ts';
import { compareOn, lendersIn, tiesOf } from './tie.ts';

type BooksOptions = { db: Db; reads: FairReads; clock: () => number; clocks: Clocks; looks: Looks };

export function openBooks({ db, reads, clock, clocks, looks }: BooksOptions): Books {
  return { trialBalance, tieOut, entries, ...openPeriods({ db, reads, now, today, looks }) };

  /** What the organization's clock shows, in epoch milliseconds. */
  async function now(organizationId: string): Promise<number> {
    return (await clocks.one(organizationId)).at(clock());
  }

  async function today(organizationId: string): Promise<PlainDate> {
    return todayBy(await clocks.one(organizationId), clock());
  }

  /** Each account's balance in its column. */
  async function trialBalance(asker: Asker, { asOf, lenderId }: AsOf): Promise<TrialBalance | Refusal> {
    const day = await dayAsked(asker, asOf);
    if (day === null) return inTheFuture();
    const { organizationId } = asker;
    const balances = await looks.look(asker, (look) => balancesOn(look, { organizationId, lenderId }, day));
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
    const compared = await looks.look(asker, (look) => compareOn(look, { organizationId, lenderId }, day));
    return { asOf: day, accounts: tiesOf(compared, lendersIn(compared)) };
  }

  /** Null: it is in the future. */
  async function dayAsked({ organizationId }: Asker, asOf: PlainDate | null): Promise<PlainDate | null> {
    const last = await today(organizationId);
    if (asOf === null) return last;
    return asOf > last ? null : asOf;
  }

  async function entries(asker: Asker, { lenderId, ...asked }: Parameters<Books['entries']>[1]): Promise<BookEntry[]> {
    const whose = { organizationId: asker.organizationId, lenderId };
    const rows = await readBookTransactions(reads(asker), whose, asked);
    return rows.map(({ hash, body, bookId, lenderId: lender, sequence, block }) => {
      const { event } = JSON.parse(body) as Pick<BookEntry, 'event'>;
      return { transactionHash: hash, bookId, lenderId: lender, sequence, block, event };
    });
  }
}

function inTheFuture(): Refusal {
  return refuse('date_in_future', 'The date must not be after today.', { member: 'asOf' });
}
