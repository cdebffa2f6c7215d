/**
 * The lines posted on some days, together with what accrued or fell due on them and is not posted yet. Both are added up alike and in the same
 * order, so that it makes no difference whether a loan was written since.
 */
import type { PlainDate } from '../../core/calendar.ts';
import type { Account } from '../../ledger/chart.ts';
import { type Activity, type Days, readActivity, readSumsKept, type Whose } from '../../store/books/books.ts';
import type { Look } from './looks.ts';
import { eachUnwritten } from './unwritten.ts';

/** By day, lender, entry and account, in that order; what takes effect in an earlier month by itself. Accrual of days that are not posted is left out. */
export async function activityOf(look: Look, whose: Whose, days: Days): Promise<Activity[]> {
  const posted = await readActivity(look.tx, whose, days);
  const sums = new Map<string, Activity>();
  await eachUnwritten(look, whose, days, (lenderId, { datePosted, entry, account, amount }) => {
    const one = { date: datePosted, lenderId, entry, account, priorPeriod: false };
    const name = nameOf(one);
    const sum = sums.get(name) ?? { ...one, debit: 0n, credit: 0n };
    sums.set(name, added(sum, BigInt(Math.max(amount, 0)), BigInt(Math.max(-amount, 0))));
  });
  if (sums.size === 0) return posted;
  const merged = posted.map((one) => {
    const more = sums.get(nameOf(one));
    if (more === undefined) return one;
    sums.delete(nameOf(one));
    return added(one, more.debit, more.credit);
  });
  return [...merged, ...sums.values()].sort(inOrder);
}

const added = (sum: Activity, debit: bigint, credit: bigint): Activity => ({
  ...sum,
  debit: sum.debit + debit,
  credit: sum.credit + credit,
});

type Named = { date: PlainDate; lenderId: string; entry: string; account: string; priorPeriod: boolean };

const nameOf = ({ date, lenderId, entry, account, priorPeriod }: Named) =>
  `${date} ${lenderId} ${entry} ${account} ${priorPeriod}`;

/** As the database orders them: references and names are ASCII. */
function inOrder(a: Activity, b: Activity): number {
  return (
    compare(a.date, b.date) ||
    compare(a.lenderId, b.lenderId) ||
    compare(a.entry, b.entry) ||
    Number(a.priorPeriod) - Number(b.priorPeriod) ||
    compare(a.account, b.account)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** An outline of what `activityOf` returns for these days: the accounts with their lenders, and the approximate number of lines of each day that has any. */
export async function outlineOf(
  look: Look,
  whose: Whose,
  days: Days,
): Promise<{ accounts: ReadonlyMap<Account, ReadonlySet<string>>; lines: ReadonlyMap<PlainDate, number> }> {
  const accounts = new Map<Account, Set<string>>();
  const lines = new Map<PlainDate, number>();
  const note = (date: PlainDate, lenderId: string, account: string, count: number) => {
    const lenders = accounts.get(account as Account) ?? new Set<string>();
    accounts.set(account as Account, lenders.add(lenderId));
    lines.set(date, (lines.get(date) ?? 0) + count);
  };
  for (const { date, lenderId, account, count } of await readSumsKept(look.tx, whose, days))
    note(date, lenderId, account, count);
  // These lines are of single loans; `activityOf` adds up those of many.
  await eachUnwritten(look, whose, days, (lenderId, { datePosted, account }) => note(datePosted, lenderId, account, 1));
  return { accounts, lines };
}
