import { describe, expect, it } from 'vitest';
import { fromCents } from '../../format.ts';
import type { Page } from '../../parts/page-chain.ts';
import type { LoanQuery } from './filters.ts';
import { collectionsPage, type Loan, orderedPage } from './order.ts';

type Made = { days: number; cents: number; id: string };

/** Like the service: filters by days, sorts by one thing and then by id, and pages by cursor. */
function service(loans: readonly Made[]) {
  const queries: LoanQuery[] = [];
  const list = async (query: LoanQuery) => {
    queries.push(query);
    const { minDaysPastDue: least = 0, maxDaysPastDue: most = Infinity, sort, limit = 25, cursor } = query;
    const key = (loan: Made) => (sort === '-balance' ? loan.cents : loan.days);
    const matching = loans
      .filter(({ days }) => days >= least && days <= most)
      .toSorted((a, b) => key(b) - key(a) || (a.id < b.id ? -1 : 1));
    const from = cursor === undefined ? 0 : matching.findIndex(({ id }) => id === cursor) + 1;
    const page = matching.slice(from, from + limit);
    const nextCursor = from + limit < matching.length ? (page.at(-1)?.id ?? null) : null;
    return { items: page.map(asLoan), nextCursor, total: matching.length, totalExact: true };
  };
  return { list, queries };
}
const asLoan = ({ days, cents, id }: Made) =>
  ({ loanId: id, delinquentDays: String(days), balance: fromCents(BigInt(cents)) }) as unknown as Loan;

async function all(load: (cursor: string | null) => Promise<Page<Loan>>) {
  const pages: Page<Loan>[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await load(cursor);
    pages.push(page);
    if (page.nextCursor === null) return pages;
    if (pages.length > 100) throw new Error('It does not end.');
    cursor = page.nextCursor;
  }
}

/** Some days with few loans, two with more than an answer holds, one with exactly as many. */
const groups: [days: number, loans: number][] = [
  [400, 2],
  [94, 250],
  [60, 1],
  [34, 100],
  [12, 40],
  [11, 40],
  [10, 40],
  [1, 130],
];
const made: Made[] = groups.flatMap(([days, loans]) =>
  Array.from({ length: loans }, (_, n) => ({
    days,
    cents: ((n * 7_919 + days) % 997) * 1_000,
    id: `${String((n * 31) % loans).padStart(4, '0')}-${days}`,
  })),
);
const wanted = made
  .toSorted((a, b) => b.days - a.days || b.cents - a.cents || (a.id < b.id ? -1 : 1))
  .map(({ id }) => id);

describe('the order of collections', () => {
  it('is exact over all pages, and every loan comes once', async () => {
    const { list } = service(made);
    const pages = await all((cursor) => collectionsPage(list, { minDaysPastDue: 1 }, cursor));
    expect(pages.flatMap(({ items }) => items.map(({ loanId }) => loanId))).toEqual(wanted);
    expect(pages.every(({ items }) => items.length <= 100)).toBe(true);
    expect(pages[0]).toMatchObject({ total: made.length, totalExact: true });
  });

  it('keeps to the days that were asked for', async () => {
    const { list, queries } = service(made);
    const pages = await all((cursor) => collectionsPage(list, { minDaysPastDue: 11, maxDaysPastDue: 60 }, cursor));
    const between = new Set(made.filter(({ days }) => days >= 11 && days <= 60).map(({ id }) => id));
    expect(pages.flatMap(({ items }) => items.map(({ loanId }) => loanId))).toEqual(
      wanted.filter((id) => between.has(id)),
    );
    expect(
      queries.every(({ minDaysPastDue = 0, maxDaysPastDue = 0 }) => minDaysPastDue >= 11 && maxDaysPastDue <= 60),
    ).toBe(true);
  });

  it('takes one question for what fits on one answer', async () => {
    const { list, queries } = service(made.filter(({ days }) => days === 60 || days === 400));
    expect(await all((cursor) => collectionsPage(list, {}, cursor))).toHaveLength(1);
    expect(queries).toHaveLength(1);
  });

  it('ends where nothing is late', async () => {
    expect(await all((cursor) => collectionsPage(service([]).list, {}, cursor))).toMatchObject([
      { items: [], nextCursor: null, total: 0 },
    ]);
  });
});

it('passes any other order on to the service', async () => {
  const { list, queries } = service(made);
  const pages = await all((cursor) => orderedPage(list, { sort: '-balance' }, cursor));
  expect(pages.flatMap(({ items }) => items)).toHaveLength(made.length);
  expect(queries[1]).toEqual({ sort: '-balance', limit: 100, cursor: queries[1]?.cursor });
});
