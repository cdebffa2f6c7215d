/**
 * Shows changes made elsewhere: the stream of events refreshes the data that they affect. Events are gathered for a moment, and for longer while
 * they keep coming, so that a busy day or a nightly run does not ask for everything a thousand times.
 */

import { type Query, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FeedEvent, ProblemError } from 'daybook-sdk';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { daybook, read } from '../api.ts';
import { gathering } from './gathering.ts';
import { aboutSession, sessionQuery, useCan } from './session.tsx';

export type LiveState = 'live' | 'connecting' | 'off';
const Context = createContext<LiveState>('connecting');
const AGAIN_MS = 2_000;
const SIGNED_OUT_MS = 8_000;
/** Polling interval for the current day: a test clock may be advanced at any moment. */
const DAY_MS = { live: 60_000, test: 2_000 };

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const allowed = useCan()('events:read');
  const [state, setState] = useState<LiveState>('connecting');
  useNewDay();
  useEffect(() => {
    if (!allowed) {
      setState('off');
      return;
    }
    const ends = new AbortController();
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const gather = gathering();
    const concerned = ({ queryKey: [kind, loanId] }: Query) =>
      kind === 'book' || (kind === 'loan' && (changed.has('*') || changed.has(String(loanId))));
    const refresh = () => {
      timer = undefined;
      void queries.invalidateQueries({ predicate: concerned });
      changed.clear();
    };
    const onEvent = ({ loanId }: FeedEvent) => {
      changed.add(loanId ?? '*');
      if (timer !== undefined) return;
      const shown = queries.getQueryCache().findAll({ type: 'active', predicate: concerned });
      timer = setTimeout(refresh, gather(performance.now(), shown.length));
    };
    const ended = () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    void follow(ends.signal, onEvent, setState, ended);
    return () => {
      ends.abort();
      clearTimeout(timer);
    };
  }, [allowed, queries]);
  return <Context value={state}>{children}</Context>;
}

/** Loans turn late by the date alone, which no event tells: with a new day everything is read again. */
function useNewDay(): void {
  const queries = useQueryClient();
  const { data } = useQuery({
    ...read('readClock'),
    refetchInterval: ({ state }) => DAY_MS[state.data?.data.kind ?? 'live'],
  });
  const today = data?.data.today;
  const last = useRef(today);
  useEffect(() => {
    if (last.current !== undefined && last.current !== today) {
      void queries.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => ['book', 'loan', 'report'].includes(String(kind)),
      });
    }
    last.current = today;
  }, [queries, today]);
}

/** Start of this page's event stream, marked before any data is read that it refreshes. */
let marked: Promise<string | undefined> | null = null;
export function markBeginning(): Promise<string | undefined> {
  marked ??= daybook.listEvents({ query: { after: 'now', limit: 1 } }).then(({ data }) => data.nextCursor ?? undefined);
  return marked;
}

async function beginning(): Promise<string | undefined> {
  try {
    return await markBeginning();
  } finally {
    marked = null;
  }
}

/** Reads from there on, for as long as the page is open. */
async function follow(
  signal: AbortSignal,
  onEvent: (event: FeedEvent) => void,
  say: (state: LiveState) => void,
  ended: () => void,
): Promise<void> {
  let after: string | undefined;
  while (!signal.aborted) {
    try {
      after ??= await beginning();
      say('live');
      for await (const event of daybook.stream({ ...(after !== undefined && { after }), signal })) {
        after = event.id;
        onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      const status = error instanceof ProblemError ? error.status : 0;
      if (aboutSession(error)) ended();
      if (status === 403) return say('off');
      say('connecting');
      if (status === 401) await new Promise((resolve) => setTimeout(resolve, SIGNED_OUT_MS));
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

export const useLive = (): LiveState => useContext(Context);

const online = {
  subscribe(onEvent: () => void) {
    window.addEventListener('online', onEvent);
    window.addEventListener('offline', onEvent);
    return () => {
      window.removeEventListener('online', onEvent);
      window.removeEventListener('offline', onEvent);
    };
  },
};
export const useOnline = (): boolean =>
  useSyncExternalStore(
    online.subscribe,
    () => navigator.onLine,
    () => true,
  );
