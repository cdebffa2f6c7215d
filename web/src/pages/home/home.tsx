/** The day at a glance: what needs doing first, and below it what it is about. What one may not see is absent. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../api.ts';
import { Badge, Day, PageHead, Panel } from '../../parts/basics.tsx';
import { ErrorState, Loading } from '../../parts/states.tsx';
import { useCan, useSession } from '../../shell/session.tsx';
import { createdDay } from '../loans/loan-days.ts';
import { type Matter, matters, noticeFacts, type Today } from './attention.ts';
import { FirstSteps } from './first-steps.tsx';
import { ApplicationsPanel, ApprovalsPanel, BucketsPanel, LatePanel, NoticesPanel } from './panels.tsx';
import {
  anyLoan,
  applicationsWaiting,
  approvalsWaiting,
  groundsGone,
  lastCycle,
  noticesDue,
  tieOut,
  turnedLate,
} from './queries.ts';
import { BooksPanel, CyclePanel } from './reports.tsx';
import './home.css';

/** No event tells of a request for approval. */
const EVERY_MS = 5_000;

export function Home() {
  const can = useCan();
  const { organization } = useSession();
  const [seesLoans, seesReports] = [can('loans:read'), can('reports:read')];
  const clock = useQuery(read('readClock'));
  const late = useQuery({ ...turnedLate(), enabled: seesLoans });
  const approvals = useQuery({ ...approvalsWaiting(), enabled: seesLoans, refetchInterval: EVERY_MS });
  const applications = useQuery({ ...applicationsWaiting(), enabled: seesLoans });
  const gone = useQuery({ ...groundsGone(), enabled: seesLoans });
  const notices = useQuery({ ...noticesDue(), enabled: seesLoans });
  const cycle = useQuery({ ...lastCycle(), enabled: seesReports });
  // The slow query starts after the first ones have arrived.
  const tie = useQuery({ ...tieOut(), enabled: seesReports && cycle.isFetched && clock.isFetched });
  const nothingThere =
    late.data?.data.total === 0 && applications.data?.data.total === 0 && approvals.data?.data.items.length === 0;
  const any = useQuery({ ...anyLoan(), enabled: nothingThere });
  const empty = any.data?.data.total === 0;
  const { data: time } = clock.data ?? {};
  const loading = [clock, late, approvals, applications, notices, gone, cycle].some((query) => query.isLoading);
  return (
    <>
      <PageHead
        title="Home"
        note={
          <span className="line">
            <span>
              {organization.name} · {time ? <Weekday date={time.today} /> : '…'}
            </span>
            {time?.kind === 'test' && (
              <>
                <Badge tone="info">Test clock</Badge>
                This is a sandbox: its date changes only when its clock is advanced.
              </>
            )}
          </span>
        }
      />
      {clock.error !== null && <ErrorState error={clock.error} retry={() => void clock.refetch()} />}
      {empty ? (
        <FirstSteps />
      ) : (
        (seesLoans || seesReports) && (
          <Panel title="To do" flush>
            {loading || time === undefined ? (
              <Loading rows={3} />
            ) : (
              <ToDo
                list={matters({
                  date: time.today,
                  ...(tie.data && { tie: tie.data.data.accounts }),
                  ...(cycle.data && { cycle: cycleFacts(cycle.data.data) }),
                  ...(approvals.data && { approvals: approvalFacts(approvals.data.data) }),
                  ...(notices.data && { notices: noticeFacts(notices.data.data) }),
                  ...(gone.data && { groundsGone: countOf(gone.data.data) }),
                  ...(late.data && { late: { turned: countOf(late.data.data) } }),
                  ...(applications.data && {
                    applications: {
                      waiting: countOf(applications.data.data),
                      oldest: createdDay(applications.data.data.items[0]?.createdAt),
                    },
                  }),
                })}
              />
            )}
          </Panel>
        )
      )}
      {!empty && (seesLoans || seesReports) && (
        <div className="home-columns">
          <div className="stack">
            {seesLoans && <LatePanel query={late} />}
            {seesLoans && <ApplicationsPanel query={applications} />}
            {seesLoans && <NoticesPanel query={notices} />}
            {seesReports && <BooksPanel query={tie} />}
          </div>
          <div className="stack">
            {seesLoans && <BucketsPanel late={late} />}
            {seesLoans && <ApprovalsPanel query={approvals} today={time?.today ?? null} />}
            {seesReports && <CyclePanel query={cycle} />}
          </div>
        </div>
      )}
      {!seesLoans && !seesReports && (
        <Panel title="Your roles">
          <p>
            Your roles do not include loans or reports.
            {can('admin', 'audit:read') && (
              <>
                {' '}
                People, clients, policies and the audit trail are under <Link to="/administration">Administration</Link>
                .
              </>
            )}
          </p>
        </Panel>
      )}
    </>
  );
}

function ToDo({ list }: { list: readonly Matter[] }) {
  if (list.length === 0) return <p className="panel-body quiet">Nothing to do. Everything is in order.</p>;
  return (
    <ul className="home-matters">
      {list.map(({ tone, word, text, to, search }) => (
        <li key={text}>
          <Link to={to} search={(search ?? {}) as never} className="home-matter">
            <span className="home-word">
              <Badge tone={tone}>{word}</Badge>
            </span>
            <span>{text}</span>
            <span aria-hidden="true" className="home-go">
              ›
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
function Weekday({ date }: { date: string }) {
  return (
    <>
      {WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()]}, <Day date={date} />
    </>
  );
}

const countOf = ({ total, totalExact }: { total: number; totalExact: boolean }) => ({
  count: total,
  exact: totalExact,
});

function cycleFacts({
  daysBehind,
  items,
}: {
  daysBehind: number;
  items: readonly CycleRow[];
}): NonNullable<Today['cycle']> {
  const [last] = items;
  return {
    daysBehind,
    date: last?.date ?? null,
    exceptions: last?.exceptionCount ?? 0,
    proposals: last?.proposalCount ?? 0,
  };
}
type CycleRow = { date: string; exceptionCount: number; proposalCount: number };

function approvalFacts(data: {
  items: readonly { lapsesOn: string }[];
  nextCursor: string | null;
}): NonNullable<Today['approvals']> {
  const [first] = data.items.map(({ lapsesOn }) => lapsesOn).toSorted();
  return { waiting: data.items.length, more: data.nextCursor !== null, firstLapsesOn: first ?? null };
}
