/** The pages of a long list, each as a query of its own: a live event reads again only those that are shown. */
import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Chain, emptyChain, forgetFar, type Page, pagesOf, rowCount, withPage } from './page-chain.ts';

export type PagesOptions<Row> = {
  /** Names the list: the operation and its query. The same key is the same list, also when one comes back to it. */
  listKey: readonly unknown[];
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<Row>>;
  /** For lists that no event tells about: how often what is shown is read again, while the page is looked at. */
  everyMs?: number;
};

export type Pages<Row> = {
  chain: Chain<Row>;
  /** Rows and places for rows that come. */
  count: number;
  loading: boolean;
  /** Whether rows wait for the network to come back. */
  offline: boolean;
  error: Error | null;
  retry: () => void;
  /** Tells which rows are shown; their pages are loaded, and the next. */
  show: (from: number, to: number) => void;
  remember: (place: { offset: number; active: number }) => void;
  remembered: { offset: number; active: number };
};

/** Positions in the lists visited last, for the way back from an opened row. */
type Memory = { chain: Chain<never>; offset: number; active: number };
const memories = new Map<string, Memory>();
const REMEMBERED = 12;
/** So many places are shown for rows that come. */
const COMING = 12;
/** Pages that are no longer shown are let go after this time. */
const KEPT_MS = 60_000;

/** The component that uses it must have `listKey` as its React key: another list is another component. */
export function usePages<Row>({ listKey, load, everyMs }: PagesOptions<Row>): Pages<Row> {
  const name = JSON.stringify(listKey);
  const [remembered] = useState(() => memories.get(name) ?? { chain: emptyChain<never>(), offset: 0, active: -1 });
  const [chain, setChain] = useState<Chain<Row>>(remembered.chain);
  const latest = useRef(chain);
  latest.current = chain;
  const [rows, setRows] = useState({ from: 0, to: 0 });
  const shown = pagesOf(chain, rows.from, rows.to);
  // One ahead, so that it is there when it is scrolled to.
  const wanted = chain.links.slice(shown.from, shown.to + 2).map(({ start }, n) => ({ n: shown.from + n, start }));
  const results = useQueries({
    queries: wanted.map(({ start }) => ({
      queryKey: ['book', ...listKey, start],
      queryFn: ({ signal }: { signal: AbortSignal }) => load(start, signal),
      gcTime: KEPT_MS,
      ...(everyMs !== undefined && { refetchInterval: everyMs }),
    })),
  });
  const signature = results.map(({ dataUpdatedAt }, i) => `${wanted[i]?.start} ${dataUpdatedAt}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read, page by page, is in the signature.
  useEffect(() => {
    setChain((before) => {
      let next = before;
      for (const [i, { n, start }] of wanted.entries()) {
        const page = results[i]?.data;
        if (page !== undefined && next.links[n]?.items !== page.items) next = withPage(next, n, start, page);
      }
      return forgetFar(next, shown);
    });
  }, [signature, shown.from, shown.to]);
  const failed = results.find(({ error }) => error !== null);
  return {
    chain,
    count: rowCount(chain, COMING),
    loading: chain.links[0]?.size === 0 && !chain.ended && failed === undefined,
    offline: results.some(({ fetchStatus }) => fetchStatus === 'paused'),
    error: failed?.error ?? null,
    retry: () => void Promise.all(results.filter(({ error }) => error !== null).map(({ refetch }) => refetch())),
    show: (from, to) => setRows((before) => (before.from === from && before.to === to ? before : { from, to })),
    remembered,
    remember: (place) => keep(name, { chain: latest.current as Chain<never>, ...place }),
  };
}

function keep(name: string, memory: Memory): void {
  memories.delete(name);
  memories.set(name, memory);
  for (const oldest of memories.keys()) if (memories.size > REMEMBERED) memories.delete(oldest);
}
