/** One screen for a call: what the loan is, how it stands, what can be done now. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ProblemError } from 'daybook-sdk';
import { lazy, type ReactNode, Suspense } from 'react';
import { day, moment } from '../../../format.ts';
import { useOperation } from '../../../parts/operation/operation.tsx';
import { Empty, ErrorState, Loading, NoRight } from '../../../parts/states.tsx';
import { Tabs } from '../../../parts/tabs.tsx';
import { useShortcuts } from '../../../shell/keyboard.tsx';
import { useCan, useSession } from '../../../shell/session.tsx';
import { ActionBar } from './action-bar.tsx';
import { Figures } from './figures.tsx';
import { LoanHead, type Summary, Warnings } from './head.tsx';
import { loanRead } from './loan-read.ts';
import { isNow, NOW, type Point, pointIn, queryOf } from './point.ts';
import { RevealedPanel, useReveal } from './reveal.tsx';
import { TimelineTab } from './timeline-tab.tsx';
import './loan.css';

const ScheduleTab = lazy(async () => ({ default: (await import('./schedule-tab.tsx')).ScheduleTab }));
const PaymentsTab = lazy(async () => ({ default: (await import('./payments-tab.tsx')).PaymentsTab }));
const UnderwritingTab = lazy(async () => ({ default: (await import('./underwriting-tab.tsx')).UnderwritingTab }));
const BooksTab = lazy(async () => ({ default: (await import('./books-tab.tsx')).BooksTab }));
const ProofTab = lazy(async () => ({ default: (await import('./proof-tab.tsx')).ProofTab }));
const AccessTab = lazy(async () => ({ default: (await import('./access-tab.tsx')).AccessTab }));

const TABS = ['timeline', 'schedule', 'payments', 'underwriting', 'books', 'proof', 'access'] as const;
type TabName = (typeof TABS)[number];
const TAB_LABELS: Record<TabName, string> = {
  timeline: 'Timeline',
  schedule: 'Schedule',
  payments: 'Payments',
  underwriting: 'Underwriting',
  books: 'Books',
  proof: 'Proof',
  access: 'Access',
};

export function Loan() {
  const can = useCan();
  const { loanId = '', tab } = useParams({ strict: false }) as { loanId?: string; tab?: string };
  if (!TABS.some((one) => one === tab)) {
    return <Navigate to="/loans/$loanId/$tab" params={{ loanId, tab: 'timeline' }} search={true as never} replace />;
  }
  if (!can('loans:read')) return <NoRight what="loans" scope="loans:read" />;
  // Another loan is another page: nothing of the one before may show on it.
  return <LoanPage key={loanId} loanId={loanId} tab={tab as TabName} />;
}

function LoanPage({ loanId, tab }: { loanId: string; tab: TabName }) {
  const point = pointIn(useSearch({ strict: false }));
  const navigate = useNavigate();
  const now = useQuery(loanRead('readSummary', loanId));
  const then = useQuery({ ...loanRead('readSummary', loanId, point), placeholderData: keepPreviousData });
  const can = useCan();
  const reveal = useReveal(loanId);
  const operate = useOperation();
  useShortcuts(
    TABS.map((name, n) => ({
      keys: String(n + 1),
      does: TAB_LABELS[name],
      run: () => void navigate({ to: '/loans/$loanId/$tab', params: { loanId, tab: name }, search: true as never }),
    })),
  );
  if (now.error !== null && now.data === undefined)
    return <Missing error={now.error} retry={() => void now.refetch()} />;
  if (now.data === undefined) return <Skeleton />;
  const summary = now.data.data;
  return (
    <div className="loan">
      <PrintHead summary={summary} point={point} />
      <LoanHead
        {...{ loanId, summary }}
        canReveal={can('loans:read_pii') && reveal.shown === null}
        onReveal={reveal.ask}
      />
      {reveal.dialog}
      {reveal.shown !== null && (
        <RevealedPanel
          shown={reveal.shown}
          onHide={reveal.hide}
          onChangeCustom={
            can('servicing:write') && summary.allowed.includes('update-custom-data')
              ? () => operate('updateCustomData', { loanId })
              : null
          }
        />
      )}
      <Warnings {...{ loanId, summary, point }} />
      {!isNow(point) && tab !== 'timeline' && <Elsewhen loanId={loanId} point={point} />}
      {then.error !== null ? (
        <ErrorState error={then.error} />
      ) : (
        <Figures {...{ loanId, point }} summary={then.data?.data ?? summary} />
      )}
      <ActionBar {...{ loanId, summary }} />
      <Tabs
        label="Loan"
        keepsView
        tabs={TABS.map((name) => ({ to: `/loans/${loanId}/${name}`, label: TAB_LABELS[name] }))}
      />
      <Suspense fallback={<Loading rows={12} />}>
        {/* Not where the point lies before the loan: then there is nothing to read. */}
        {then.error === null || tab === 'timeline' ? <Content {...{ loanId, tab, point, summary }} /> : null}
      </Suspense>
    </div>
  );
}

function Content({ loanId, tab, point, summary }: { loanId: string; tab: TabName; point: Point; summary: Summary }) {
  const tabs: Record<TabName, () => ReactNode> = {
    timeline: () => <TimelineTab {...{ loanId, point }} now={summary} />,
    schedule: () => <ScheduleTab {...{ loanId, point }} />,
    payments: () => <PaymentsTab {...{ loanId, point }} now={summary} />,
    underwriting: () => <UnderwritingTab loanId={loanId} />,
    books: () => <BooksTab {...{ loanId, point }} />,
    proof: () => <ProofTab loanId={loanId} />,
    access: () => <AccessTab loanId={loanId} />,
  };
  return tabs[tab]();
}

/** Notice that the page shows another point in time, while actions apply today. On the timeline the sliders show it. */
function Elsewhen({ loanId, point }: { loanId: string; point: Point }) {
  const { asOf, knownAt } = point;
  return (
    <div className="notice info loan-warning" role="status">
      <span>
        {asOf !== null && `As of ${day(asOf)}`}
        {asOf !== null && knownAt !== null && ', '}
        {knownAt !== null && `${asOf === null ? 'As' : 'as'} it was known on ${moment(knownAt)}`}. Actions apply today.
      </span>
      <Link to="." params={{ loanId } as never} search={queryOf(NOW) as never} className="no-print">
        Back to today
      </Link>
    </div>
  );
}

function PrintHead({ summary, point }: { summary: Summary; point: Point }) {
  const { organization } = useSession();
  return (
    <div className="print-head">
      <strong>{organization.name}</strong>
      <span>
        Loan statement as of {day(point.asOf ?? summary.asOf)}
        {point.knownAt !== null && `, as known on ${moment(point.knownAt)}`}
      </span>
    </div>
  );
}

function Missing({ error, retry }: { error: Error; retry: () => void }) {
  const missing = error instanceof ProblemError && [400, 404].includes(error.status);
  if (!missing) return <ErrorState error={error} retry={retry} />;
  return (
    <Empty
      title="There is no such loan"
      action={
        <Link to="/loans" className="button">
          Search loans
        </Link>
      }
    >
      It does not exist, or it belongs to an organization whose loans you cannot see.
    </Empty>
  );
}

/** In the layout of the page, so that nothing jumps when it comes. */
function Skeleton() {
  return (
    <div className="loan" role="status" aria-label="Loading the loan">
      <div className="loan-head">
        <div className="loan-title">
          <span className="bar loan-name-bar" />
        </div>
        <p className="loan-facts">
          <span className="bar" />
        </p>
      </div>
      <div className="loan-figures">
        <div className="figures">
          {['Principal', 'Payoff today', 'Past due', 'Next due', 'Rate', 'Remaining'].map((label) => (
            <div key={label} className="loan-figure">
              <div className="figure-label">{label}</div>
              <div className="figure-value">
                <span className="bar" />
              </div>
              <div className="figure-note">&nbsp;</div>
            </div>
          ))}
        </div>
      </div>
      <div className="loan-actions">
        <span className="bar loan-button-bar" />
        <span className="bar loan-button-bar" />
        <span className="bar loan-button-bar" />
      </div>
      <Loading rows={12} />
    </div>
  );
}
