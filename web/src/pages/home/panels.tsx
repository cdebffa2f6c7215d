/** The panels about loans. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Answer } from 'daybook-sdk';
import type { ReactNode } from 'react';
import { words } from '../../format.ts';
import { type Column, Day, Money, Panel, Status, Table } from '../../parts/basics.tsx';
import { Empty, ErrorState, Loading } from '../../parts/states.tsx';
import { daysLeft } from '../approvals/requests.ts';
import { bucketName, toSearch } from '../loans/filters.ts';
import { createdDay } from '../loans/loan-days.ts';
import type { Loan } from '../loans/order.ts';
import { COLLECTIONS } from '../loans/views.ts';
import { countText, LATE_SEARCH } from './attention.ts';
import { type BucketCount, bucketCounts, ROWS } from './queries.ts';

type Query<K extends 'listLoans' | 'listApprovals' | 'listNoticesDue'> = UseQueryResult<Answer<K>>;

const name: Column<Loan> = {
  key: 'application',
  title: 'Application',
  cell: ({ loanId, applicationId }) => (
    <Link to="/loans/$loanId" params={{ loanId }} className="home-name">
      {applicationId}
    </Link>
  ),
};

export function LatePanel({ query }: { query: Query<'listLoans'> }) {
  return (
    <Panel
      title="Newly late"
      flush
      actions={
        <Link to="/loans" search={LATE_SEARCH as never} className="small">
          All{query.data ? ` ${countText(countedOf(query.data.data))}` : ''}
        </Link>
      }
    >
      <Rows query={query} empty={<Empty title="No newly late loans">No loan is 1 to 29 days past due.</Empty>}>
        {(loans: readonly Loan[]) => (
          <Table
            label="Loans that turned late, the newest first"
            rows={loans}
            rowKey={({ loanId }) => loanId}
            columns={[
              name,
              { key: 'days', title: 'Days past due', number: true, cell: ({ delinquentDays }) => delinquentDays },
              {
                key: 'balance',
                title: 'Balance, USD',
                number: true,
                cell: ({ balance }) => <Money amount={balance} />,
              },
              { key: 'due', title: 'Due', cell: ({ nextPaymentDate }) => <Day date={nextPaymentDate} /> },
              { key: 'status', title: 'Status', cell: ({ loanStatus }) => <Status status={loanStatus} /> },
            ]}
          />
        )}
      </Rows>
    </Panel>
  );
}

export function ApplicationsPanel({ query }: { query: Query<'listLoans'> }) {
  return (
    <Panel
      title="Applications waiting"
      flush
      actions={
        <Link to="/underwriting" className="small">
          All{query.data ? ` ${countText(countedOf(query.data.data))}` : ''}
        </Link>
      }
    >
      <Rows query={query} empty={<Empty title="No applications waiting" />}>
        {(loans: readonly Loan[]) => (
          <Table
            label="Applications waiting, the oldest first"
            rows={loans}
            rowKey={({ loanId }) => loanId}
            columns={[
              {
                ...name,
                cell: ({ loanId, applicationId }) => (
                  <Link to="/underwriting/$loanId" params={{ loanId }} className="home-name">
                    {applicationId}
                  </Link>
                ),
              },
              { key: 'status', title: 'Status', cell: ({ loanStatus }) => <Status status={loanStatus} /> },
              {
                key: 'amount',
                title: 'Amount, USD',
                number: true,
                cell: ({ loanAmount }) => <Money amount={loanAmount} />,
              },
              { key: 'since', title: 'Since', cell: ({ createdAt }) => <Day date={createdDay(createdAt)} /> },
            ]}
          />
        )}
      </Rows>
    </Panel>
  );
}

const OWES = { adverseAction: 'Adverse action notice', decision: 'Decision, or what is missing' } as const;

export function NoticesPanel({ query }: { query: Query<'listNoticesDue'> }) {
  return (
    <Panel title="Notices due" flush>
      <Rows
        query={query}
        empty={<Empty title="No notices due">Everybody knows what became of their application.</Empty>}
      >
        {(owed: readonly Answer<'listNoticesDue'>['data']['items'][number][]) => (
          <Table
            label="Applications that owe a notice, the first due first"
            rows={owed}
            rowKey={({ loanId }) => loanId}
            columns={[
              {
                key: 'application',
                title: 'Application',
                cell: ({ loanId, applicationId }) => (
                  <Link to="/underwriting/$loanId" params={{ loanId }} className="home-name">
                    {applicationId}
                  </Link>
                ),
              },
              { key: 'owes', title: 'Owed', cell: ({ owes }) => OWES[owes] },
              {
                key: 'due',
                title: 'Due',
                cell: ({ dueOn, daysLeft: left }) => (
                  <span className={left < 0 ? 'home-late' : undefined}>
                    <Day date={dueOn} /> <span className={left < 0 ? undefined : 'quiet'}>{leftText(left)}</span>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Rows>
    </Panel>
  );
}

function leftText(left: number): string {
  if (left < 0) return left === -1 ? 'one day late' : `${-left} days late`;
  return left === 0 ? 'today' : left === 1 ? 'tomorrow' : `in ${left} days`;
}

export function ApprovalsPanel({ query, today }: { query: Query<'listApprovals'>; today: string | null }) {
  return (
    <Panel
      title="Approvals waiting"
      flush
      actions={
        <Link to="/approvals" className="small">
          All{query.data ? ` ${query.data.data.items.length}${query.data.data.nextCursor === null ? '' : '+'}` : ''}
        </Link>
      }
    >
      <Rows query={query} empty={<Empty title="No approvals waiting" />}>
        {(requests: readonly Answer<'listApprovals'>['data']['items'][number][]) => (
          <Table
            label="Approvals waiting, the first to lapse first"
            rows={requests.toSorted((a, b) => (a.lapsesOn < b.lapsesOn ? -1 : 1)).slice(0, ROWS)}
            rowKey={({ approvalId }) => approvalId}
            columns={[
              {
                key: 'what',
                title: 'Request',
                cell: ({ approvalId, operation }) => (
                  <Link to="/approvals/$approvalId" params={{ approvalId }} className="home-name">
                    {words(operation)}
                  </Link>
                ),
              },
              {
                key: 'until',
                title: 'Decide by',
                cell: ({ lapsesOn }) => (
                  <>
                    <Day date={lapsesOn} /> <span className="quiet">{daysLeft(lapsesOn, today)}</span>
                  </>
                ),
              },
            ]}
          />
        )}
      </Rows>
    </Panel>
  );
}

/** Loans past due by bucket, as bars beside the numbers. */
export function BucketsPanel({ late }: { late: Query<'listLoans'> }) {
  const query = useQuery(bucketCounts());
  const failed = late.data === undefined ? late : query;
  const buckets: BucketCount[] | undefined = query.data &&
    late.data && [{ bucket: LATE_SEARCH.bucket, ...countedOf(late.data.data) }, ...query.data];
  const most = Math.max(1, ...(buckets ?? []).map(({ count }) => count));
  return (
    <Panel
      title="Past due"
      flush
      actions={
        <Link to="/loans" search={toSearch(COLLECTIONS) as never} className="small">
          Collections
        </Link>
      }
    >
      {buckets === undefined ? (
        failed.error === null ? (
          <Loading rows={5} />
        ) : (
          <ErrorState error={failed.error} retry={() => void failed.refetch()} />
        )
      ) : (
        <ul className="home-buckets">
          {buckets.map(({ bucket, ...counted }) => (
            <li key={bucket}>
              <Link to="/loans" search={{ bucket, sort: 'collections' } as never} className="home-bucket">
                <span>{bucketName(bucket).replace(' past due', '')}</span>
                <span className="home-bar" aria-hidden="true">
                  <span style={{ width: `${(counted.count / most) * 100}%` }} />
                </span>
                <span className="number">{countText(counted)}</span>
                <span className="hidden-visually">loans past due</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Rows<Row>(props: {
  query: UseQueryResult<{ data: { items: readonly Row[] } }>;
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}) {
  const { query } = props;
  if (query.data !== undefined)
    return query.data.data.items.length === 0 ? props.empty : props.children(query.data.data.items);
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return <Loading rows={6} />;
}

const countedOf = ({ total, totalExact }: { total: number; totalExact: boolean }) => ({
  count: total,
  exact: totalExact,
});
