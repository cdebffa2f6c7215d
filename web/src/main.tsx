/** The console. */
import '@fontsource-variable/inter/wght.css';
import './style/mantine.css';
import './style/tokens.css';
import './style/base.css';
import './parts/parts.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { prefetchHome } from './pages/home/queries.ts';
import { router } from './routes.tsx';
import { KeyboardProvider } from './shell/keyboard.tsx';
import { LiveProvider, markBeginning } from './shell/live.tsx';
import { Look } from './shell/look.tsx';
import { aboutSession, SessionProvider, sessionQuery } from './shell/session.tsx';

const noticed = (error: unknown) => {
  if (aboutSession(error)) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
};
const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey: [kind] }) => kind !== 'session' && noticed(error) }),
  mutationCache: new MutationCache({ onError: noticed }),
  defaultOptions: {
    // The sdk tries again by itself. What is older than 30 s is read again when one comes back to it. Without a connection everything
    // fails at once: nothing waits to be done later, when nobody looks.
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// Nothing waits for the page to be put together: who it is, and what the first page shows.
void queries.fetchQuery(sessionQuery).then(
  async ({ scopes }) => {
    if ((scopes as readonly string[]).includes('events:read')) await markBeginning().catch(() => {});
    if (window.location.pathname.replace(/\/$/, '') === '/console') prefetchHome(queries, scopes);
  },
  // The page that shows it says what is wrong.
  () => {},
);

const app = document.getElementById('app');
if (app !== null) {
  createRoot(app).render(
    <Look>
      <QueryClientProvider client={queries}>
        <SessionProvider>
          <LiveProvider>
            <KeyboardProvider>
              <RouterProvider router={router} />
            </KeyboardProvider>
          </LiveProvider>
        </SessionProvider>
      </QueryClientProvider>
    </Look>,
  );
}
