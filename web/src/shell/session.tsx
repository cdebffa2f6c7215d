/** The signed-in user and their scopes. Everything else waits for it; without a session the browser goes to `/sign-in`. */

import { Modal } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { currentSession, daybook, forgetCsrf } from '../api.ts';
import { ErrorState } from '../parts/states.tsx';
import { dropWork, useHoldsWork } from './work.ts';

export type Session = Schemas['Session'];

const Context = createContext<Session | null>(null);

export const sessionQuery = queryOptions<Session>({
  queryKey: ['session'],
  queryFn: currentSession,
  staleTime: 30_000,
  // Rights may change, somebody else may sign in in another tab, and who has signed in again goes on at once.
  refetchInterval: ({ state }) => (state.error === null ? 60_000 : 3_000),
  refetchOnWindowFocus: 'always',
});

const isStatus = (error: unknown, status: number) => error instanceof ProblemError && error.status === status;

/** An answer that another session would not have got: who it is and what they may do is read again. */
export const aboutSession = (error: unknown): boolean => isStatus(error, 401) || isStatus(error, 403);

export function SessionProvider({ children }: { children: ReactNode }) {
  const query = useQuery(sessionQuery);
  const queries = useQueryClient();
  const holdsWork = useHoldsWork();
  // Once it has ended, only a new session is one: a connection that breaks meanwhile uncovers nothing.
  const ended = useRef(false);
  if (isStatus(query.error, 401)) ended.current = true;
  else if (query.error === null) ended.current = false;
  const gone = ended.current;
  const waits = gone && holdsWork;
  const began = query.data !== undefined;
  useEffect(() => {
    if (gone && !waits) leave({ ended: began });
  }, [gone, waits, began]);
  useEffect(() => {
    // Signed in again: what could not be read meanwhile is.
    if (!waits) return;
    return () =>
      void queries.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => kind !== 'session' && kind !== 'personal',
      });
  }, [waits, queries]);
  if (query.data !== undefined && (!gone || waits)) {
    return (
      <Context value={query.data}>
        {children}
        <Ended opened={waits} />
      </Context>
    );
  }
  if (query.error !== null && !gone) return <ErrorState error={query.error} retry={() => query.refetch()} />;
  return null;
}

/** Over everything, so that nobody reads on; what was typed stays for whoever signs in again. */
function Ended({ opened }: { opened: boolean }) {
  return (
    <Modal
      {...{ opened }}
      fullScreen
      zIndex={1_000}
      withCloseButton={false}
      closeOnEscape={false}
      onClose={() => {}}
      title="Your session has ended"
    >
      <div className="stack">
        <p>Your entries are still here. Sign in again in a new tab, then return to this one.</p>
        <div className="line">
          <a className="button primary" href="/sign-in" target="_blank" rel="noopener">
            Sign in
          </a>
          <button
            type="button"
            className="button"
            onClick={() => {
              dropWork();
              leave();
            }}
          >
            Discard entries
          </button>
        </div>
      </div>
    </Modal>
  );
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === null) throw new Error('There is no session.');
  return session;
}

/** Whether the person has one of these scopes. */
export function useCan(): (...scopes: string[]) => boolean {
  const { scopes } = useSession();
  return (...wanted) => wanted.length === 0 || wanted.some((scope) => (scopes as readonly string[]).includes(scope));
}

/** To the page for signing in, and back here afterwards. */
export function leave({ ended = false } = {}): void {
  forgetCsrf();
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}${ended ? '&ended' : ''}`);
}

export async function signOut(): Promise<void> {
  await daybook.signOut();
  window.location.assign('/sign-in');
}
