/** The books of an organization: balances on a day, whether they tie to its loans, the accrual of interest, months and their closing. */
import type { PlainDate } from '../../core/calendar.ts';
import { type Cents, cents } from '../../core/money.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import type { BookEvent } from '../../ledger/book.ts';
import { ACCOUNTS, type Account } from '../../ledger/chart.ts';
import { readAccrualEntry, readBookTransactions } from '../../store/books/lender-books.ts';
import { readTransaction } from '../../store/ledger/ledger.ts';
import type { Asker } from '../door/actor.ts';
import { todayBy } from '../door/clocks.ts';
import type { Door } from '../door/door.ts';
import { type Accrue, openAccrual } from './accrual.ts';
import { balancesOn } from './day.ts';
import { openEntries } from './entries.ts';
import {
  type BalancesAsked,
  type BalancesPage,
  type LoanAccrued,
  type LoanBalances,
  loanBalancesOn,
  loansAccrued,
} from './loan-balances.ts';
import { openLooks } from './looks.ts';
import { openPeriods } from './periods.ts';
import { compareOn, lendersIn, type TieOut, tiesOf } from './tie.ts';

/** The accounts, for callers that name them. */
export { linesOfBook } from '../../ledger/book.ts';
export { ACCOUNTS as ACCOUNT_NAMES, PROPOSED_CODES } from '../../ledger/chart.ts';

/** Null: as of today; null: of all lenders. */
export type AsOf = { readonly asOf: PlainDate | null; readonly lenderId: string | null };

export type TrialBalance = {
  readonly asOf: PlainDate;
  readonly accounts: readonly { readonly account: Account; readonly debit: Cents; readonly credit: Cents }[];
};

/** A transaction of a book. */
export type BookEntry = {
  readonly transactionHash: string;
  readonly bookId: string;
  readonly lenderId: string;
  readonly sequence: number;
  readonly block: number;
  readonly event: BookEvent;
};

type EntriesQuery = {
  readonly day: PlainDate;
  readonly lenderId: string | null;
  readonly after: { readonly lenderId: string; readonly sequence: number } | null;
  readonly limit: number;
};

export type BooksOptions = Door & {
  /** After so long a request has been answered, one way or the other (31 s). */
  requestMs?: number | undefined;
};

/** A request is answered after 30 seconds at the latest, unless set otherwise. */
const REQUEST_MS = 31_000;
/** The longest that a request waits for another process that is closing a month. */
const CLOSING_MS = 20_000;

export type Books = ReturnType<typeof openBooks>['service'];
export type InnerBooks = ReturnType<typeof openBooks>['inner'];

export function openBooks(options: BooksOptions) {
  const { db, cycleDb, reads, clock, clocks, secrets, pool, inTurn, requestMs = REQUEST_MS, unavailable } = options;
  // Two at a time, or one if the pool is small, so that other reads can still get a connection.
  const looks = openLooks({ db, inTurn, atOnce: Math.max(1, Math.min(2, pool - 2)), requestMs });
  const patienceMs = Math.min(CLOSING_MS, (requestMs * 2) / 3);
  const accrual = openAccrual({ db: cycleDb, clock, clocks, partyKey: secrets.party });
  const entriesByHand = openEntries({ db, reads, now, today, secrets, patienceMs });
  const service = {
    trialBalance,
    loanBalances,
    accrualByLoan,
    tieOut,
    entries,
    ...openPeriods({ db, reads, now, today, looks, patienceMs }),
    ...entriesByHand.service,
    /** Posts the interest of a past day for every lender, and returns what was posted. Nothing more may be recorded for that day. */
    accrue: (async (...call) => (unavailable() === null ? accrual(...call) : [])) satisfies Accrue,
  };
  return { service, inner: { looks, accrual, patienceMs, ...entriesByHand.inner } };

  /** The time by the organization's clock, in epoch milliseconds. */
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

  /** A page of what the books hold of each loan at the end of a day. */
  async function loanBalances(
    asker: Asker,
    { asOf, lenderId, ...page }: AsOf & BalancesAsked,
  ): Promise<(BalancesPage<LoanBalances> & { readonly asOf: PlainDate }) | Refusal> {
    const day = await dayAsked(asker, asOf);
    if (day === null) return inTheFuture();
    const { organizationId } = asker;
    const whose = { organizationId, lenderId };
    return { asOf: day, ...(await looks.look(asker, (look) => loanBalancesOn(look, whose, { day, ...page }))) };
  }

  /** A page of what each loan added to the interest of a day; null: the organization has no such entry. */
  async function accrualByLoan(
    asker: Asker,
    transactionHash: string,
    page: BalancesAsked,
  ): Promise<(BalancesPage<LoanAccrued> & { readonly lenderId: string; readonly date: PlainDate }) | null> {
    const { organizationId } = asker;
    const row = /^0x[0-9a-f]{64}$/.test(transactionHash) ? await readTransaction(reads(asker), transactionHash) : null;
    const of = row === null ? null : { bookId: row.loanId, sequence: row.sequence };
    const entry = of === null ? null : await readAccrualEntry(reads(asker), organizationId, of);
    if (entry === null) return null;
    const { lenderId, day } = entry;
    const whose = { organizationId, lenderId };
    const found = await looks.look(asker, (look) => loansAccrued(look, whose, { day, ...page }));
    return { lenderId, date: day, ...found };
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

  /** Entries of a day, by lender; from after one of them on. */
  async function entries(asker: Asker, { lenderId, ...asked }: EntriesQuery): Promise<BookEntry[]> {
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
