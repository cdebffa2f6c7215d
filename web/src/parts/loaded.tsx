/** Content of a query, or its loading or error state. */

import { type UseQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { Answer, Arguments, OperationId } from 'daybook-sdk';
import type { ReactNode } from 'react';
import { daybook } from '../api.ts';
import { type Column, Table } from './basics.tsx';
import { Empty, ErrorState, Loading } from './states.tsx';

export function Loaded<T>(props: {
  query: UseQueryResult<{ data: T }>;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  const { query } = props;
  if (query.data !== undefined) return <>{props.children(query.data.data)}</>;
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return <Loading rows={props.rows ?? 6} />;
}

/** A list by pages as a table, with a button for more. */
export function PagedTable<Row>(props: {
  operation: OperationId;
  args?: Record<string, unknown>;
  label: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
}) {
  const { operation, args = {} } = props;
  const query = useInfiniteQuery({
    queryKey: ['book', operation, 'pages', args],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const { query: given, ...rest } = args as { query?: object };
      const pageArgs = { ...rest, query: { ...given, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal };
      const answer: Answer<OperationId> = await daybook.call(operation, pageArgs as unknown as Arguments<OperationId>);
      return answer.data as unknown as { items: Row[]; nextCursor: string | null };
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (query.error !== null && query.data === undefined)
    return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading />;
  const rows = query.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0) return props.empty;
  return (
    <>
      <Table label={props.label} columns={props.columns} rows={rows} rowKey={props.rowKey} />
      {query.hasNextPage && (
        <div className="panel-body">
          <button
            type="button"
            className="button"
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {query.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </button>
        </div>
      )}
    </>
  );
}

/** An empty table in the place of the table. */
export const nothing = (title: string, next?: ReactNode) => <Empty title={title}>{next}</Empty>;
