/**
 * The order of a collector: most days past due first, and among equal days the highest balance. The service sorts by one of the two, so a
 * page is put together: days whose loans are all on one answer are sorted here; a day with more loans than an answer holds is asked for by
 * itself, sorted by balance. The order is exact over all pages, and every loan comes once.
 */
import type { Schemas } from 'daybook-sdk';
import { cents } from '../../format.ts';
import type { Page } from '../../parts/page-chain.ts';
import type { LoanQuery } from './filters.ts';

export type Loan = Schemas['Loan'];
type LoanList = { items: readonly Loan[]; nextCursor: string | null; total: number; totalExact: boolean };
type ListLoans = (query: LoanQuery) => Promise<LoanList>;

export const PAGE_ROWS = 100;

/** A cursor is "<most days>" for everything from those days down, or "<days> <cursor>" within one day. */
export async function collectionsPage(list: ListLoans, query: LoanQuery, cursor: string | null): Promise<Page<Loan>> {
  const [days, within] = (cursor ?? '').split(' ');
  if (days !== undefined && days !== '' && within !== undefined) return oneDay(list, query, Number(days), within);
  const most = days === undefined || days === '' ? {} : { maxDaysPastDue: Number(days) };
  const found = await list({ ...query, ...most, sort: '-daysPastDue', limit: PAGE_ROWS });
  const counted = cursor === null ? { total: found.total, totalExact: found.totalExact } : UNCOUNTED;
  if (found.nextCursor === null) return { items: byDaysAndBalance(found.items), nextCursor: null, ...counted };
  // The next page may have more loans of the last day.
  const last = daysOf(found.items.at(-1));
  const whole = found.items.filter((loan) => daysOf(loan) > last);
  if (whole.length > 0) return { items: byDaysAndBalance(whole), nextCursor: String(last), ...counted };
  return { ...(await oneDay(list, query, last, undefined)), ...counted };
}

async function oneDay(
  list: ListLoans,
  query: LoanQuery,
  days: number,
  cursor: string | undefined,
): Promise<Page<Loan>> {
  const only = { minDaysPastDue: days, maxDaysPastDue: days, sort: '-balance', limit: PAGE_ROWS } as const;
  const found = await list({ ...query, ...only, ...(cursor === undefined ? {} : { cursor }) });
  const least = query.minDaysPastDue ?? 0;
  const below = days > least ? String(days - 1) : null;
  const nextCursor = found.nextCursor === null ? below : `${days} ${found.nextCursor}`;
  return { items: found.items, nextCursor, ...UNCOUNTED };
}

const UNCOUNTED = { total: null, totalExact: false };
const daysOf = (loan: Loan | undefined) => Number((loan?.delinquentDays ?? '0').replaceAll(',', ''));

function byDaysAndBalance(loans: readonly Loan[]): Loan[] {
  return loans.toSorted((a, b) => {
    const more = Number((cents(b.balance) ?? 0n) - (cents(a.balance) ?? 0n));
    return daysOf(b) - daysOf(a) || more || (a.loanId < b.loanId ? -1 : 1);
  });
}

/** A page in any of the other orders. */
export async function orderedPage(list: ListLoans, query: LoanQuery, cursor: string | null): Promise<Page<Loan>> {
  return list({ ...query, limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) });
}
