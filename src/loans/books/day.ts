/**
 * The books on a day, as they were known at its end: what was posted, what the days brought and nobody has written down yet, and what the
 * loans themselves show. The database adds up the rows of loans; those that a row does not say it of (they were recorded since, or a day
 * has changed them by itself) are folded, a page at a time.
 */
import { bookFiguresOf, NO_FIGURES } from '../../core/books.ts';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold, foldAll } from '../../core/fold.ts';
import { unitsOn } from '../../ledger/accrue.ts';
import type { Account } from '../../ledger/chart.ts';
import { type DatedLine, linesOfDays } from '../../ledger/journal.ts';
import { booksOf } from '../../ledger/post.ts';
import {
  type Activity,
  hasOtherLenders,
  type LenderFigures,
  type LoanToFold,
  readAccountTotals,
  readActivity,
  readLoansToFold,
  readRowFigures,
  type Whose,
} from '../../store/books.ts';
import type { Sql } from '../../store/db.ts';
import { type BookRow, readBooks } from '../../store/lender-books.ts';

/** In cents; debits positive. By lender. */
export type Balances = Map<string, Map<Account, number>>;

/** Loans that are folded in one turn. */
const FOLDED_AT_ONCE = 100;

/** What the loans show on a day, by lender. With `failed`, a loan that cannot be folded is told and counts as its row says. */
export async function loanFigures(
  tx: Sql,
  whose: Whose,
  day: PlainDate,
  failed?: (loanId: string, error: unknown) => void,
): Promise<Map<string, LenderFigures>> {
  const figures = new Map<string, LenderFigures>();
  const add = (more: LenderFigures) => figures.set(more.lenderId, plus(figures.get(more.lenderId), more));
  for (const sum of await readRowFigures(tx, whose, day, unitsOn(day))) add(sum);
  const unfolded: string[] = [];
  const noted = (loanId: string, error: unknown) => {
    unfolded.push(loanId);
    failed?.(loanId, error);
  };
  const noting = failed && noted;
  const foldOne = ({ lenderId }: LoanToFold, known: readonly LoanEvent[]) =>
    add({ lenderId, ...bookFiguresOf(fold(known, day)) });
  await eachToFold(tx, whose, { day, onlyBrought: false, failed: noting }, foldOne);
  if (unfolded.length > 0) for (const sum of await readRowFigures(tx, whose, day, unitsOn(day), unfolded)) add(sum);
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

/** What each account holds on a day: `figures` where they are known already. */
export async function balancesOn(
  tx: Sql,
  whose: Whose,
  day: PlainDate,
  figures: ReadonlyMap<string, LenderFigures> | null = null,
): Promise<Balances> {
  const balances: Balances = new Map();
  for (const { lenderId, account, debit, credit } of await readAccountTotals(tx, whose, day)) {
    enter(balances, lenderId, account as Account, Number(debit - credit));
  }
  for (const { lenderId, account, amount } of await unwritten(tx, whose, { from: null, through: day })) {
    enter(balances, lenderId, account, amount);
  }
  for (const { lenderId, amount } of await unwrittenAccrual(tx, whose, day, figures)) {
    enter(balances, lenderId, 'accruedInterest', amount);
    enter(balances, lenderId, 'interestIncome', -amount);
  }
  return balances;
}

function enter(balances: Balances, lenderId: string, account: Account, amount: number): void {
  const accounts = balances.get(lenderId) ?? new Map<Account, number>();
  accounts.set(account, (accounts.get(account) ?? 0) + amount);
  balances.set(lenderId, accounts);
}

/** Everything posted on some days, and what they brought that nobody has written down. Accrual of days that are not posted is left out. */
export async function activityOf(
  tx: Sql,
  whose: Whose,
  days: { readonly from: PlainDate; readonly through: PlainDate },
): Promise<Activity[]> {
  const posted = await readActivity(tx, whose, days);
  const brought = await unwritten(tx, whose, days);
  return [
    ...posted,
    ...brought.map(({ lenderId, datePosted, entry, account, amount }) => ({
      lenderId,
      date: datePosted,
      entry,
      account,
      priorPeriod: false,
      debit: BigInt(Math.max(amount, 0)),
      credit: BigInt(Math.max(-amount, 0)),
    })),
  ];
}

/** What days brought by themselves and no event has written down yet. */
async function unwritten(
  tx: Sql,
  whose: Whose,
  { from, through }: { readonly from: PlainDate | null; readonly through: PlainDate },
): Promise<(DatedLine & { lenderId: string })[]> {
  const lines: (DatedLine & { lenderId: string })[] = [];
  await eachToFold(tx, whose, { day: through, onlyBrought: true }, ({ lenderId, recordedOn }, events) => {
    const history = { folding: foldAll(events), events };
    const books = booksOf(fold(events, recordedOn));
    const brought = linesOfDays(history, books, { after: recordedOn, before: addDays(through, 1) });
    for (const line of brought?.lines ?? []) {
      if (from === null || line.datePosted >= from) lines.push({ ...line, lenderId });
    }
  });
  return lines;
}

/** By lender: how far what its loans have accrued on a day is from what its book has posted by then. */
async function unwrittenAccrual(
  tx: Sql,
  whose: Whose,
  day: PlainDate,
  figures: ReadonlyMap<string, LenderFigures> | null,
): Promise<{ lenderId: string; amount: number }[]> {
  const books = new Map((await readBooks(tx, whose)).map((book) => [book.lenderId, book]));
  const found = figures ?? (await loanFiguresUnlessPosted(tx, whose, day, books));
  if (found === null) return [];
  const totals = await readAccountTotals(tx, whose, day);
  const posted = new Map(
    totals.filter(({ account }) => account === 'accruedInterest').map((one) => [one.lenderId, one.debit - one.credit]),
  );
  return [...found.values()].flatMap(({ lenderId, accruedInterest }) => {
    const book = books.get(lenderId);
    const amount = accruedInterest - Number(posted.get(lenderId) ?? 0n);
    return (book !== undefined && covers(book, day)) || amount === 0 ? [] : [{ lenderId, amount }];
  });
}

/** Null: every lender's book has posted the day. */
async function loanFiguresUnlessPosted(
  tx: Sql,
  whose: Whose,
  day: PlainDate,
  books: ReadonlyMap<string, BookRow>,
): Promise<ReadonlyMap<string, LenderFigures> | null> {
  const all = [...books.values()];
  const posted = all.every((book) => covers(book, day)) && !(await hasOtherLenders(tx, whose, [...books.keys()], day));
  return posted ? null : loanFigures(tx, whose, day);
}

const covers = ({ accruedFrom, accruedThrough }: BookRow, day: PlainDate) =>
  day >= accruedFrom && day <= accruedThrough;

/** Each loan that a row does not say it of, with its events as they were known at the end of the day. */
async function eachToFold(
  tx: Sql,
  whose: Whose,
  {
    day,
    onlyBrought,
    failed,
  }: {
    readonly day: PlainDate;
    readonly onlyBrought: boolean;
    readonly failed?: ((loanId: string, error: unknown) => void) | undefined;
  },
  work: (loan: LoanToFold, known: readonly LoanEvent[]) => void,
): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const page: LoanToFold[] = await readLoansToFold(tx, whose, { day, onlyBrought, after, limit: FOLDED_AT_ONCE });
    for (const loan of page) {
      try {
        const events = (JSON.parse(`[${loan.bodies}]`) as { event: LoanEvent }[]).map(({ event }) => event);
        const known = events.filter(({ recordedOn }) => recordedOn <= day);
        if (known.length > 0) work(loan, known);
      } catch (error) {
        if (failed === undefined) throw error;
        failed(loan.loanId, error);
      }
    }
    if (page.length < FOLDED_AT_ONCE) return;
    after = page.at(-1)?.loanId ?? null;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
