/**
 * The pages of a long list, linked by cursors. A page is asked for by the cursor of the page before it. The chain remembers every cursor
 * and how many rows each page has, but the rows only of pages that are near what is shown: a list of any length stays small.
 *
 * If a page is read again and ends elsewhere than before, the next one begins there from now on and is read again when it is shown. Rows
 * above never move, so a refresh keeps the reader's place.
 */

export type Page<Row> = {
  items: readonly Row[];
  nextCursor: string | null;
  /** Number of rows on all pages; null where the response does not state it. */
  total: number | null;
  /** False: at least so many. */
  totalExact: boolean;
};

type Link<Row> = { start: string | null; size: number; items: readonly Row[] | null };

export type Chain<Row> = {
  links: readonly Link<Row>[];
  /** Whether the last link is the end of the list. */
  ended: boolean;
  total: { count: number; exact: boolean } | null;
};

export const emptyChain = <Row>(): Chain<Row> => ({
  links: [{ start: null, size: 0, items: null }],
  ended: false,
  total: null,
});

/** The chain after page `n`, which began at `start`, was read. */
export function withPage<Row>(chain: Chain<Row>, n: number, start: string | null, page: Page<Row>): Chain<Row> {
  const link = chain.links[n];
  // A response to an outdated request.
  if (link === undefined || link.start !== start) return chain;
  const before = chain.links.slice(0, n);
  const read = { start, size: page.items.length, items: page.items };
  const total = page.total === null ? chain.total : { count: page.total, exact: page.totalExact };
  if (page.nextCursor === null) {
    const counted = { count: sizeOf(before) + read.size, exact: true };
    return { links: [...before, read], ended: true, total: page.total === null ? counted : total };
  }
  const after = chain.links.slice(n + 1);
  const next = after[0] ?? { start: null, size: 0, items: null };
  return {
    links: [...before, read, { ...next, start: page.nextCursor }, ...after.slice(1)],
    ended: chain.ended && after.length > 0,
    total,
  };
}

/** Forgets the rows of pages that are further than `near` from those shown. */
export function forgetFar<Row>(chain: Chain<Row>, shown: { from: number; to: number }, near = 3): Chain<Row> {
  const isFar = (n: number) => n < shown.from - near || n > shown.to + near;
  if (!chain.links.some((link, n) => link.items !== null && isFar(n))) return chain;
  return { ...chain, links: chain.links.map((link, n) => (isFar(n) ? { ...link, items: null } : link)) };
}

/** Number of rows in the list; while there are more pages, with places for some of theirs. */
export function rowCount<Row>(chain: Chain<Row>, coming: number): number {
  const known = sizeOf(chain.links);
  return chain.ended ? known : known + coming;
}

/** The pages of the rows `from` to `to`, and the row with which the first begins. */
export function pagesOf<Row>(chain: Chain<Row>, from: number, to: number): { from: number; to: number } {
  let seen = 0;
  let first = -1;
  let last = 0;
  for (const [n, { size }] of chain.links.entries()) {
    if (first === -1 && from < seen + size) first = n;
    if (seen <= to) last = n;
    seen += size;
  }
  const end = chain.links.length - 1;
  return { from: first === -1 ? end : first, to: Math.max(last, first) };
}

/** The places whose rows are loaded. */
export function loadedPlaces<Row>(chain: Chain<Row>): number[] {
  let seen = 0;
  return chain.links.flatMap(({ size, items }) => {
    const from = seen;
    seen += size;
    return (items ?? []).map((_, n) => from + n);
  });
}

/** The row at a place; undefined where its page is not loaded. */
export function rowAt<Row>(chain: Chain<Row>, index: number): Row | undefined {
  let seen = 0;
  for (const { size, items } of chain.links) {
    if (index < seen + size) return items?.[index - seen];
    seen += size;
  }
  return undefined;
}

/** The place of a row among those that are loaded; -1 if it is not there. */
export function placeOf<Row>(chain: Chain<Row>, isIt: (row: Row) => boolean): number {
  let seen = 0;
  for (const { size, items } of chain.links) {
    const n = items?.findIndex(isIt) ?? -1;
    if (n >= 0) return seen + n;
    seen += size;
  }
  return -1;
}

const sizeOf = (links: readonly { size: number }[]) => links.reduce((sum, { size }) => sum + size, 0);
