/** Who is signed in and what they may do. Everything else waits for it; without a session the browser goes to `/sign-in`. */

import { queryOptions, useQuery } from '@tanstack/react-query';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { daybook, forgetCsrf } from '../api.ts';
import { ErrorState } from '../parts/states.tsx';

export type Session = Schemas['Session'];

const Context = createContext<Session | null>(null);

export const sessionQuery = queryOptions<Session>({
  queryKey: ['session'],
  queryFn: async () => (await daybook.readSession()).data,
  staleTime: 5 * 60_000,
  refetchInterval: 5 * 60_000,
});

export function SessionProvider({ children }: { children: ReactNode }) {
  const query = useQuery(sessionQuery);
  const gone = query.error instanceof ProblemError && query.error.status === 401;
  useEffect(() => {
    if (gone) leave();
  }, [gone]);
  if (query.data !== undefined && !gone) return <Context value={query.data}>{children}</Context>;
  if (query.error !== null && !gone) return <ErrorState error={query.error} retry={() => query.refetch()} />;
  return null;
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
export function leave(): void {
  forgetCsrf();
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
}

export async function signOut(): Promise<void> {
  await daybook.signOut();
  window.location.assign('/sign-in');
}
