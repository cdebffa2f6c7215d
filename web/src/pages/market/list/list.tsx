/** The list of published loans: totals, filters and rows. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHead, Panel } from '../../../parts/basics.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { queryText, summaryOf } from '../data.ts';
import { Filters } from './filters.tsx';
import { Loans } from './loans.tsx';
import { filtersOf, type ListQuery, lastQuery, queryIn } from './query.ts';
import { Summary } from './summary.tsx';

export function List() {
  const query: ListQuery = queryIn(useSearch({ from: '/' }) as Record<string, unknown>);
  lastQuery.current = query;
  const navigate = useNavigate();
  const change = (next: ListQuery) => void navigate({ to: '/', search: next as never });
  const filters = queryText(filtersOf(query));
  const summary = useQuery(summaryOf(filters));
  const answered = { ...summary, data: summary.data && { data: summary.data } } as never;
  return (
    <>
      <PageHead title="Published loans" note="Loans whose owners have published their public record." />
      <Panel title={filters === '' ? 'All published loans' : 'Matching loans'}>
        <Loaded query={answered} rows={3}>
          {(data: NonNullable<typeof summary.data>) => <Summary summary={data} />}
        </Loaded>
      </Panel>
      <Filters query={query} change={change} />
      <Loans query={query} count={summary.data?.count ?? null} clear={() => change({})} />
    </>
  );
}
