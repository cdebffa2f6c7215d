/** The panels about the night and the books, for those who read reports. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Answer } from 'daybook-sdk';
import { read } from '../../api.ts';
import { count, moment, shortHash, words } from '../../format.ts';
import { Badge, Day, Moment, Money, Panel, Table } from '../../parts/basics.tsx';
import { Empty, ErrorState, Loading } from '../../parts/states.tsx';

export function CyclePanel({ query }: { query: UseQueryResult<Answer<'listCycles'>> }) {
  const last = query.data?.data.items[0];
  const failed = last !== undefined && last.exceptionCount > 0;
  const detail = useQuery({
    ...read('readCycle', { path: { date: last?.date ?? '' }, query: { limit: 5 } }),
    enabled: failed,
  });
  return (
    <Panel
      title="Nightly cycle"
      actions={
        <Link to="/books/$part" params={{ part: 'cycles' }} className="small">
          All
        </Link>
      }
    >
      {query.data === undefined ? (
        query.error === null ? (
          <Loading rows={3} />
        ) : (
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        )
      ) : (
        <div className="stack">
          <dl className="facts">
            <dt>State</dt>
            <dd>{stateOf(query.data.data)}</dd>
            <dt>Has run through</dt>
            <dd>
              <Day date={query.data.data.through} />
            </dd>
            {last !== undefined && (
              <>
                <dt>Last run</dt>
                <dd>{last.endedAt === null ? 'Running now' : <Moment at={last.endedAt} />}</dd>
                <dt>Exceptions</dt>
                <dd>
                  {last.exceptionCount === 0 ? (
                    <Badge tone="good">✓ None</Badge>
                  ) : (
                    <Badge tone="bad">{count(last.exceptionCount)} loans failed</Badge>
                  )}
                </dd>
              </>
            )}
          </dl>
          {failed && detail.data !== undefined && (
            <ul className="home-failed">
              {detail.data.data.exceptions.map(({ loanId, step }) => (
                <li key={`${loanId} ${step}`}>
                  <Link to="/loans/$loanId" params={{ loanId }} title={loanId}>
                    {shortHash(loanId)}
                  </Link>{' '}
                  <span className="quiet">{words(step)}</span>
                </li>
              ))}
            </ul>
          )}
          {last === undefined && <p className="quiet small">The first cycle runs after the end of the day.</p>}
        </div>
      )}
    </Panel>
  );
}

function stateOf({ daysBehind }: { daysBehind: number }) {
  if (daysBehind === 0) return <Badge tone="good">✓ Up to date</Badge>;
  return (
    <Badge tone="bad">
      {count(daysBehind)} {daysBehind === 1 ? 'day' : 'days'} behind
    </Badge>
  );
}

export function BooksPanel({ query }: { query: UseQueryResult<Answer<'readTieOut'>> }) {
  const accounts = query.data?.data.accounts ?? [];
  const differing = accounts.filter(({ difference }) => /[1-9]/.test(difference));
  return (
    <Panel
      title="Books"
      flush
      actions={
        <>
          {query.data !== undefined && (
            <span className="small quiet">Checked {moment(query.dataUpdatedAt).split(', ').at(-1)}</span>
          )}
          <button type="button" className="link small" disabled={query.isFetching} onClick={() => void query.refetch()}>
            {query.isFetching ? 'Checking…' : 'Check again'}
          </button>
        </>
      }
    >
      {query.data === undefined ? (
        query.error === null ? (
          <Loading rows={5} />
        ) : (
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        )
      ) : accounts.length === 0 ? (
        <Empty title="The books are empty" />
      ) : (
        <>
          <p className="home-tie">
            {differing.length === 0 ? (
              <Badge tone="good">✓ The ledger ties to the loans</Badge>
            ) : (
              <Badge tone="bad">The ledger does not tie to the loans</Badge>
            )}{' '}
            <span className="quiet">
              as of <Day date={query.data.data.asOf} />
            </span>
          </p>
          <Table
            label="Tie-out"
            rows={accounts}
            rowKey={({ account }) => account}
            columns={[
              { key: 'account', title: 'Account', cell: ({ account }) => words(account) },
              { key: 'ledger', title: 'Ledger, USD', number: true, cell: ({ ledger }) => <Money amount={ledger} /> },
              { key: 'loans', title: 'Loans, USD', number: true, cell: ({ loans }) => <Money amount={loans} /> },
              {
                key: 'difference',
                title: 'Difference',
                number: true,
                cell: ({ difference }) => (
                  <span className={/[1-9]/.test(difference) ? 'home-differs' : 'quiet'}>
                    <Money amount={difference} />
                  </span>
                ),
              },
            ]}
          />
        </>
      )}
    </Panel>
  );
}
