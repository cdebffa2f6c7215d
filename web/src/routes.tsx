/** Every address of the console. Pages are loaded when they are opened; the first comes with the frame. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Home } from './pages/home/home.tsx';
import { Empty, ErrorState, Loading } from './parts/states.tsx';
import { Frame } from './shell/frame.tsx';

const root = createRootRoute({
  component: Frame,
  notFoundComponent: () => <Empty title="There is no such page">Choose one from the menu above.</Empty>,
});
const page = <P extends string>(path: P, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load as never, name as never) });

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: Home }),
  page('/loans', () => import('./pages/loans/loans.tsx'), 'Loans'),
  page('/loans/$loanId', () => import('./pages/loans/loan/loan.tsx'), 'Loan'),
  page('/loans/$loanId/$tab', () => import('./pages/loans/loan/loan.tsx'), 'Loan'),
  page('/underwriting', () => import('./pages/origination/underwriting.tsx'), 'Underwriting'),
  page('/underwriting/$loanId', () => import('./pages/origination/application.tsx'), 'Application'),
  page('/portfolio', () => import('./pages/reports/portfolio.tsx'), 'Portfolio'),
  page('/portfolio/$report', () => import('./pages/reports/portfolio.tsx'), 'Portfolio'),
  page('/books', () => import('./pages/books/books.tsx'), 'Books'),
  page('/books/$part', () => import('./pages/books/books.tsx'), 'Books'),
  page('/approvals', () => import('./pages/approvals/approvals.tsx'), 'Approvals'),
  page('/approvals/$approvalId', () => import('./pages/approvals/approval.tsx'), 'Approval'),
  page('/administration', () => import('./pages/access/administration.tsx'), 'Administration'),
  page('/administration/$part', () => import('./pages/access/administration.tsx'), 'Administration'),
  page('/operations', () => import('./pages/operations/operations.tsx'), 'Operations'),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
});
