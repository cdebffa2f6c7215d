/** The public market. It knows nobody: no session, no token, public data alone. */
import '@fontsource-variable/inter/wght.css';
import '../../style/mantine.css';
import '../../style/tokens.css';
import '../../style/base.css';
import '../../parts/parts.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { KeyboardProvider } from '../../shell/keyboard.tsx';
import { Look } from '../../shell/look.tsx';
import { router } from './routes.tsx';

const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: true, networkMode: 'always' } },
});

const app = document.getElementById('app');
if (app !== null) {
  createRoot(app).render(
    <Look>
      <QueryClientProvider client={queries}>
        <KeyboardProvider>
          <RouterProvider router={router} />
        </KeyboardProvider>
      </QueryClientProvider>
    </Look>,
  );
}
