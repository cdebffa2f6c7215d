/** The list of published loans: what they are together, the filters, and every one of them. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHead, Panel } from '../../../parts/basics.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { asked as queryText, summaryOf } from '../data.ts';
import { type Asked, askedIn, filtersOf, shown } from './asked.ts';
import { Filters } from './filters.tsx';
import { Loans } from './loans.tsx';
import { Summary } from './summary.tsx';

export function List() {
  const asked: Asked = askedIn(useSearch({ from: '/' }) as Record<string, unknown>);
  shown.asked = asked;
  const navigate = useNavigate();
  const ask = (next: Asked) => void navigate({ to: '/', search: next as never });
  const filters = queryText(filtersOf(asked));
  const summary = useQuery(summaryOf(filters));
  const answered = { ...summary, data: summary.data && { data: summary.data } } as never;
  return (
    <>
      <PageHead title="Published loans" note="Loans whose owners have published their public record." />
      <Panel title={filters === '' ? 'All published loans' : 'Loans that match'}>
        <Loaded query={answered} rows={3}>
          {(data: NonNullable<typeof summary.data>) => <Summary summary={data} />}
        </Loaded>
      </Panel>
      <Filters asked={asked} ask={ask} />
      <Loans asked={asked} count={summary.data?.count ?? null} clear={() => ask({})} />
    </>
  );
}
