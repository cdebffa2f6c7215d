/**
 * The books on a day, as they were known at its end: what was posted, what has accrued or fallen due and is not posted yet, and what the
 * loans themselves show. The database adds up the rows of loans; the others are folded (`unwritten.ts`). What was posted by the end of a
 * closed month is taken from its balances, so that reading an old book costs no more than reading a young one.
 */
import { amortizedIn, bookFiguresOf, NO_FIGURES } from '../../core/books.ts';
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { type Deferred, isNothing, less, NOTHING_DEFERRED, netOf } from '../../core/deferral.ts';
import { fold } from '../../core/fold.ts';
import type { Cents } from '../../core/money.ts';
import { unitsOn } from '../../ledger/accrue.ts';
import type { Account } from '../../ledger/chart.ts';
import {
  type LenderFigures,
  readAccountTotals,
  readFirstRecorded,
  readRowFigures,
  type Whose,
} from '../../store/books/books.ts';
import { type BookRow, readBooks } from '../../store/books/lender-books.ts';
import { readPeriods } from '../../store/books/periods.ts';
import { type CycleHead, readHeads } from '../../store/cycle/cycles.ts';
import type { Sql } from '../../store/db/db.ts';
import type { FoldedBefore } from './folded-before.ts';
import type { Look } from './looks.ts';
import { eachToFold, eachUnwritten } from './unwritten.ts';

/** Debits positive, by lender. */
export type LenderBalances = {
  readonly lenderId: string;
  readonly accounts: readonly { readonly account: Account; readonly balance: Cents }[];
};

/** In cents; debits positive. By lender. */
export type Balances = Map<string, Map<Account, number>>;

type FiguresHow = {
  /** Called for a loan that cannot be folded, which then counts as its row says; without this callback the read fails. */
  readonly failed?: ((loanId: string, error: unknown) => void) | undefined;
  readonly before?: FoldedBefore | undefined;
};

/** The figures of the loans on a day, by lender. */
export async function loanFigures(
  look: Look,
  whose: Whose,
  day: PlainDate,
  { failed, before }: FiguresHow = {},
): Promise<Map<string, LenderFigures>> {
  const figures = new Map<string, LenderFigures>();
  const add = (more: LenderFigures) => figures.set(more.lenderId, plus(figures.get(more.lenderId), more));
  const units = unitsOn(day);
  for (const sum of await readRowFigures(look.tx, whose, day, units)) add(sum);
  const unfolded: string[] = [];
  const noted = (loanId: string, error: unknown) => {
    unfolded.push(loanId);
    failed?.(loanId, error);
  };
  for (const why of ['changed', 'recorded', 'former'] as const) {
    await eachToFold(look, whose, { day, why, failed: failed && noted, before }, ({ loanId, lenderId }, known) =>
      add({ lenderId, ...bookFiguresOf(before?.on(loanId, known, day) ?? fold(known, day)) }),
    );
  }
  if (unfolded.length > 0) for (const sum of await readRowFigures(look.tx, whose, day, units, unfolded)) add(sum);
  return figures;
}

function plus(sum: LenderFigures | undefined, more: LenderFigures): LenderFigures {
  if (sum === undefined) return more;
  const added = { ...sum };
  for (const name of Object.keys(NO_FIGURES) as (keyof typeof NO_FIGURES)[]) {
    added[name] = (sum[name] + more[name]) as typeof added.loanPrincipal;
  }
  return added;
}

/** The balance of each account on a day: `figures` where they are known already. */
export async function balancesOn(
  look: Look,
  whose: Whose,
  day: PlainDate,
  figures: ReadonlyMap<string, LenderFigures> | null = null,
): Promise<Balances> {
  const { balances, from } = await postedOn(look.tx, whose, day);
  await eachUnwritten(look, whose, { from, through: day }, (lenderId, { account, amount }) =>
    enter(balances, lenderId, account, amount),
  );
  await enterAccrual(balances, look, whose, { day, figures });
  return balances;
}

/** The balances posted by a day, and the day from which unposted amounts are still to be added; null: from the beginning. */
export async function postedOn(
  tx: Sql,
  whose: Whose,
  day: PlainDate,
): Promise<{ balances: Balances; from: PlainDate | null }> {
  const balances: Balances = new Map();
  const before = addDays(day, 1).slice(0, 7);
  const [closed] = await readPeriods(tx, whose.organizationId, { before, limit: 1 });
  const from = closed === undefined ? null : addDays(lastOfMonth(`${closed.period}-01` as PlainDate), 1);
  for (const { lenderId, accounts } of JSON.parse(closed?.balances ?? '[]') as LenderBalances[]) {
    if (whose.lenderId !== null && lenderId !== whose.lenderId) continue;
    for (const { account, balance } of accounts) enter(balances, lenderId, account, balance);
  }
  for (const one of await readAccountTotals(tx, whose, { from, through: day })) {
    enter(balances, one.lenderId, one.account as Account, Number(one.debit - one.credit));
  }
  return { balances, from };
}

export function enter(balances: Balances, lenderId: string, account: Account, amount: number): void {
  let accounts = balances.get(lenderId);
  if (accounts === undefined) {
    accounts = new Map();
    balances.set(lenderId, accounts);
  }
  accounts.set(account, (accounts.get(account) ?? 0) + amount);
}

/** Adds, by lender, how far what its loans have accrued on a day is from what its book has posted by then. */
export async function enterAccrual(
  balances: Balances,
  look: Look,
  whose: Whose,
  { day, figures }: { day: PlainDate; figures: ReadonlyMap<string, LenderFigures> | null },
): Promise<void> {
  const books = new Map((await readBooks(look.tx, whose)).map((book) => [book.lenderId, book]));
  const pending = await lendersPending(look.tx, whose, day, books);
  if (pending.size === 0) return;
  const [only] = pending.size === 1 ? pending.keys() : [];
  const found = figures ?? (await loanFigures(look, { ...whose, lenderId: only ?? whose.lenderId }, day));
  for (const lenderId of pending.keys()) {
    const posted = balances.get(lenderId)?.get('accruedInterest') ?? 0;
    const { accruedInterest, ...open } = found.get(lenderId) ?? NO_FIGURES;
    const amount = accruedInterest - posted;
    if (amount !== 0) {
      enter(balances, lenderId, 'accruedInterest', amount);
      enter(balances, lenderId, 'interestIncome', -amount);
    }
    const book = books.get(lenderId);
    if (book !== undefined && book.accruedFrom <= day && book.accruedThrough >= day) continue;
    const before = book === undefined || book.accruedFrom > day ? NOTHING_DEFERRED : book.amortized;
    enterAmortized(balances, lenderId, less(amortizedIn(open), before));
  }
}

export function enterAmortized(balances: Balances, lenderId: string, amortized: Deferred): void {
  const { fees, costs, discount } = amortized;
  if (fees !== 0) enter(balances, lenderId, 'deferredFees', fees);
  if (costs !== 0) enter(balances, lenderId, 'deferredCosts', -costs);
  if (discount !== 0) enter(balances, lenderId, 'purchaseDiscount', discount);
  if (netOf(amortized) !== 0) enter(balances, lenderId, 'interestIncome', -netOf(amortized));
}

/**
 * The lenders whose books do not have the interest of a day or of days before it, each with the first such day. Days of an idle
 * organization, whose cycles have run without an entry, are not among them: nothing was accrued before them and nothing on them.
 */
export async function lendersPending(
  tx: Sql,
  whose: Whose,
  day: PlainDate,
  books: ReadonlyMap<string, BookRow>,
): Promise<Map<string, PlainDate>> {
  const pending = await lendersToPost(tx, whose, day, books);
  if (pending.size === 0) return pending;
  const [head] = await readHeads(tx, [whose.organizationId]);
  for (const [lenderId, next] of pending) {
    const after = afterIdleDays(next, books.get(lenderId), head);
    if (after > day) pending.delete(lenderId);
    else pending.set(lenderId, after);
  }
  return pending;
}

function afterIdleDays(next: PlainDate, book: BookRow | undefined, head: CycleHead | undefined): PlainDate {
  if (book === undefined || book.accrued !== 0 || !isNothing(book.amortized) || book.accruedThrough >= next)
    return next;
  return head === undefined || head.through < next ? next : addDays(head.through, 1);
}

/**
 * The lenders whose books have no entry of a day, or of days before it, each with the first such day. A book begins on the first day on
 * which a loan of the lender was recorded, whenever that is posted.
 */
export async function lendersToPost(
  tx: Sql,
  whose: Whose,
  day: PlainDate,
  books: ReadonlyMap<string, BookRow>,
): Promise<Map<string, PlainDate>> {
  const found = new Map<string, PlainDate>();
  for (const [lenderId, first] of await readFirstRecorded(tx, whose)) {
    const book = books.get(lenderId);
    const next = book === undefined || book.accruedFrom > first ? first : addDays(book.accruedThrough, 1);
    if (next <= day) found.set(lenderId, next);
  }
  return found;
}
