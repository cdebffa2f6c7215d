/** Queries of the first page: few and cheap, so that it loads at once however many loans there are. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { daybook, read } from '../../api.ts';
import { APPLICATION_STATUSES, BUCKETS } from '../loans/filters.ts';
import { type Counted, GROUND_GONE_SEARCH, LATE_SEARCH } from './attention.ts';

/** So many rows of each list are shown. */
export const ROWS = 8;

export const turnedLate = () => read('listLoans', { query: { ...LATE_SEARCH, limit: ROWS } });

export const groundsGone = () => read('listLoans', { query: { ...GROUND_GONE_SEARCH, limit: 1 } });

export const applicationsWaiting = () =>
  read('listLoans', { query: { status: APPLICATION_STATUSES.join(','), sort: 'createdAt', limit: ROWS } });

export const noticesDue = () => read('listNoticesDue', { query: { limit: ROWS } });

export const approvalsWaiting = () => read('listApprovals', { query: { state: 'pending', limit: 100 } });

export const anyLoan = () => read('listLoans', { query: { limit: 1 } });

export const lastCycle = () => read('listCycles', { query: { limit: 1 } });

/** Asks for what these scopes may see while the page is still being put together. */
export function prefetchHome(queries: QueryClient, scopes: readonly string[]): void {
  void queries.prefetchQuery(read('readClock'));
  if (scopes.includes('loans:read')) {
    void queries.prefetchQuery(turnedLate());
    void queries.prefetchQuery(applicationsWaiting());
    void queries.prefetchQuery(groundsGone());
    void queries.prefetchQuery(bucketCounts());
    void queries.prefetchQuery(approvalsWaiting());
    void queries.prefetchQuery(noticesDue());
  }
  if (scopes.includes('reports:read')) void queries.prefetchQuery(lastCycle());
}

export type BucketCount = { bucket: (typeof BUCKETS)[number] } & Counted;

/** Counts of past-due loans by bucket. */
export const bucketCounts = () =>
  queryOptions<BucketCount[]>({
    queryKey: ['book', 'buckets'],
    queryFn: ({ signal }) =>
      Promise.all(
        BUCKETS.filter((bucket) => bucket !== 'current' && bucket !== LATE_SEARCH.bucket).map(async (bucket) => {
          const { data } = await daybook.listLoans({ query: { bucket, limit: 1 }, signal });
          return { bucket, count: data.total, exact: data.totalExact };
        }),
      ),
  });

/** The tie-out reads the whole book: not at every event, but when one opens the page, and when asked. */
export const tieOut = () =>
  queryOptions({
    queryKey: ['tie-out', 'home'],
    queryFn: ({ signal }) => daybook.readTieOut({ signal }),
    staleTime: 10 * 60_000,
    refetchOnWindowFocus: false,
  });
