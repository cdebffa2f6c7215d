/** List of requests for approval. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { daybook, read } from '../../api.ts';
import { count } from '../../format.ts';
import { Day, Moment, PageHead } from '../../parts/basics.tsx';
import { List, type ListColumn } from '../../parts/list.tsx';
import { Empty, NoRight } from '../../parts/states.tsx';
import '../../parts/tabs.css';
import { Who } from '../../parts/who.tsx';
import { useCan } from '../../shell/session.tsx';
import { daysLeft, type Request } from './requests.ts';
import { LoanLink, operationTitle, READERS, State } from './shared.tsx';

/** No event tells of a request: the list is read again so often while it is looked at. */
const EVERY_MS = 800;
const VIEWS = [
  { state: 'pending', label: 'Waiting' },
  { state: 'approved', label: 'Approved' },
  { state: 'rejected', label: 'Rejected' },
  { state: 'lapsed', label: 'Lapsed' },
] as const;

export function Approvals() {
  return useCan()(...READERS) ? <Requests /> : <NoRight what="approvals" scope="loans:read" />;
}

function Requests() {
  const navigate = useNavigate();
  const given = (useSearch({ strict: false }) as { state?: unknown }).state;
  const state = VIEWS.find((view) => view.state === given)?.state ?? 'pending';
  const today = useQuery(read('readClock')).data?.data.today ?? null;
  const [total, setTotal] = useState<number | null>(null);
  const pending = state === 'pending';
  const columns: ListColumn<Request>[] = [
    {
      key: 'operation',
      title: 'Request',
      width: 160,
      cell: ({ approvalId, operation }) => (
        <Link to="/approvals/$approvalId" params={{ approvalId }} tabIndex={-1}>
          {operationTitle(operation)}
        </Link>
      ),
    },
    { key: 'loan', title: 'Loan', width: 120, cell: ({ loanId }) => <LoanLink loanId={loanId} tabIndex={-1} /> },
    { key: 'by', title: 'Requested by', width: 140, cell: (one) => <Who party={one.requestedBy} /> },
    { key: 'at', title: 'Requested', width: 168, cell: ({ requestedAt }) => <Moment at={requestedAt} /> },
    ...(pending
      ? [
          {
            key: 'until',
            title: 'Decide by',
            width: 184,
            cell: ({ lapsesOn }: Request) => (
              <span>
                <Day date={lapsesOn} /> <span className="quiet">{daysLeft(lapsesOn, today)}</span>
              </span>
            ),
          },
        ]
      : [
          { key: 'state', title: 'State', width: 112, cell: (one: Request) => <State state={one.state} /> },
          {
            key: 'decidedBy',
            title: 'Decided by',
            width: 140,
            cell: (one: Request) => <Who party={one.decidedBy} />,
          },
          {
            key: 'decidedAt',
            title: 'Decided',
            width: 168,
            cell: ({ decidedAt }: Request) => <Moment at={decidedAt} />,
          },
        ]),
  ];
  return (
    <>
      <PageHead
        title="Approvals"
        note={
          <span role="status">
            {pending && total !== null
              ? total === 0
                ? 'No requests are waiting for a decision'
                : `${count(total)} ${total === 1 ? 'request is' : 'requests are'} waiting for a decision`
              : 'Changes that need a second person’s approval'}
          </span>
        }
      />
      <nav className="tabs no-print" aria-label="Approvals">
        {VIEWS.map((view) => (
          <Link
            key={view.state}
            to="/approvals"
            search={(view.state === 'pending' ? {} : { state: view.state }) as never}
            className="tab"
            activeProps={{}}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={view.state === state ? 'page' : undefined}
          >
            {view.label}
            {view.state === 'pending' && pending && total !== null && total > 0 && (
              <span className="tab-count">{total}</span>
            )}
          </Link>
        ))}
      </nav>
      <List
        listKey={['listApprovals', state]}
        {...(pending && { everyMs: EVERY_MS })}
        load={async (cursor, signal) => {
          const query = { state, limit: 100, ...(cursor === null ? {} : { cursor }) };
          const { data } = await daybook.listApprovals({ query, signal });
          return { ...data, total: null, totalExact: false };
        }}
        label="Requests for approval"
        columns={columns}
        rowKey={({ approvalId }) => approvalId}
        onOpen={({ approvalId }) => void navigate({ to: '/approvals/$approvalId', params: { approvalId } })}
        onTotal={({ count: many }) => setTotal(many)}
        empty={
          pending ? (
            <Empty title="No requests are waiting for a decision">
              Changes above a user’s limit, changes for which the policy requires approval, and changes that need a
              second administrator appear here.
            </Empty>
          ) : (
            <Empty title={`No request was ${state === 'lapsed' ? 'left undecided' : state}`} />
          )
        }
      />
    </>
  );
}
