/** The addresses of the market: the list, with its filters in the address, and a loan. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Empty, ErrorState, Loading } from '../../parts/states.tsx';
import { Frame } from './frame.tsx';
import { type ListQuery, queryIn } from './list/query.ts';

const root = createRootRoute({
  component: Frame,
  notFoundComponent: () => <Empty title="There is no such page">Go back to the list of loans.</Empty>,
});

const list = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search): ListQuery => queryIn(search),
  component: lazyRouteComponent(() => import('./list/list.tsx'), 'List'),
});

const loan = createRoute({
  getParentRoute: () => root,
  path: '/loans/$loanId',
  component: lazyRouteComponent(() => import('./loan/loan.tsx'), 'LoanPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([list, loan]),
  basepath: '/market',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
});
