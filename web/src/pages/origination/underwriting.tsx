/** Applications that wait, the oldest first: where each stands, how long it has waited, and what comes next. */
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Item } from 'daybook-sdk';
import { useEffect, useRef } from 'react';
import { daybook, read } from '../../api.ts';
import { count, money } from '../../format.ts';
import { Badge, Day, PageHead, Panel } from '../../parts/basics.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { Empty, ErrorState, Loading, NoRight } from '../../parts/states.tsx';
import { useShortcuts } from '../../shell/keyboard.tsx';
import { useCan } from '../../shell/session.tsx';
import {
  action,
  ageInDays,
  ageText,
  byStep,
  dayOf,
  daysLeft,
  inOrder,
  isWaiting,
  mustBeDecided,
  noticeBy,
  stepOf,
  WAITING,
} from './steps.ts';
import './underwriting.css';

type Waiting = Item<'listLoans'>;

/** One page reads this many at most, and says so. */
const MOST = 500;
const DECLINED = 'Rejected';

export function Underwriting() {
  const can = useCan();
  if (!can('loans:read')) return <NoRight what="applications" scope="loans:read" />;
  return <Applications />;
}

function Applications() {
  const { step } = useSearch({ strict: false }) as { step?: string };
  const clock = useQuery(read('readClock'));
  const waiting = useQuery(listed(WAITING.join(','), 'createdAt'));
  const declined = useQuery({ ...listed(DECLINED, '-createdAt'), enabled: step === DECLINED });
  const query = step === DECLINED ? declined : waiting;
  const today = clock.data?.data.today;
  const counts = byStep(waiting.data?.items ?? []);
  const error = query.error ?? clock.error;
  const shown = (query.data?.items ?? []).filter(({ loanStatus }) => step === undefined || loanStatus === step);
  return (
    <>
      <PageHead
        title="Underwriting"
        note={
          waiting.data === undefined
            ? 'Applications that wait for a step'
            : `${waitingText(waiting.data)}, the oldest first`
        }
      >
        <NewApplication />
      </PageHead>
      <StepFilter step={step} counts={counts} all={waiting.data?.items.length} />
      <Panel flush>
        {error ? (
          <ErrorState
            error={error}
            retry={() => {
              void query.refetch();
              void clock.refetch();
            }}
          />
        ) : query.data === undefined || today === undefined ? (
          <Loading rows={8} label="Loading applications" />
        ) : shown.length === 0 ? (
          <Nothing step={step} />
        ) : (
          <WaitingTable items={shown} today={today} />
        )}
      </Panel>
      {query.data?.more && (
        <p className="quiet small">
          Only the {step === DECLINED ? 'newest' : 'oldest'} {count(MOST)} are shown here. Find others under{' '}
          <Link to="/loans">Loans</Link>.
        </p>
      )}
    </>
  );
}

function NewApplication() {
  const can = useCan();
  const operate = useOperation();
  if (!can('loans:write')) return null;
  return (
    <button type="button" className="button" onClick={() => operate('createLoan', { title: 'New application' })}>
      New application
    </button>
  );
}

function waitingText({ items, more }: { items: readonly Waiting[]; more: boolean }): string {
  if (items.length === 1) return '1 application waits';
  return `${more ? 'More than ' : ''}${count(items.length)} applications wait`;
}

/** Loans of these statuses: what waits from the oldest, what was declined from the newest. */
function listed(status: string, sort: 'createdAt' | '-createdAt') {
  return {
    queryKey: ['book', 'listLoans', 'underwriting', status],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const items: Waiting[] = [];
      for await (const item of daybook.each('listLoans', { query: { status, sort, limit: 100 }, signal })) {
        if (items.length === MOST) return { items, more: true };
        items.push(item);
      }
      return { items: sort === 'createdAt' ? inOrder(items) : items, more: false };
    },
  };
}

function StepFilter(props: { step: string | undefined; counts: ReadonlyMap<string, number>; all: number | undefined }) {
  const bar = useRef<HTMLElement>(null);
  // On a phone the steps scroll: the chosen one is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is chosen.
  useEffect(() => {
    bar.current?.querySelector('.chosen')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [props.step, props.all]);
  const entry = (step: string | undefined, label: string, n: number | undefined) => (
    <Link
      key={label}
      to="/underwriting"
      search={(step === undefined ? {} : { step }) as never}
      className={props.step === step ? 'chosen' : undefined}
      activeProps={{}}
      activeOptions={{ exact: true, includeSearch: true }}
    >
      {label}
      {n !== undefined && <span>{count(n)}</span>}
    </Link>
  );
  return (
    <nav ref={bar} className="step-filter no-print" aria-label="Steps">
      {entry(undefined, 'All', props.all)}
      {WAITING.map((status) =>
        entry(status, stepOf(status).label, props.all === undefined ? undefined : (props.counts.get(status) ?? 0)),
      )}
      {entry(DECLINED, 'Declined', undefined)}
    </nav>
  );
}

function Nothing({ step }: { step: string | undefined }) {
  if (step === undefined) {
    return (
      <Empty title="No application waits" action={<NewApplication />}>
        Applications appear here as soon as somebody enters one, or a program submits it.
      </Empty>
    );
  }
  return (
    <Empty
      title={step === DECLINED ? 'No application was declined' : 'No application is at this step'}
      action={
        <Link to="/underwriting" className="button">
          Show all steps
        </Link>
      }
    />
  );
}

function WaitingTable({ items, today }: { items: readonly Waiting[]; today: string }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const move = (by: 1 | -1) => {
    const links = [...(body.current?.querySelectorAll<HTMLAnchorElement>('a.application-link') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  useShortcuts([
    { keys: 'j', does: 'Next application', run: () => move(1) },
    { keys: 'k', does: 'Previous application', run: () => move(-1) },
  ]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className="table-box" aria-label="Applications" tabIndex={0}>
      <table className="table waiting-table">
        <thead>
          <tr>
            <th scope="col">Application</th>
            <th scope="col" className="only-wide">
              Step
            </th>
            <th scope="col" className="number">
              Amount
            </th>
            <th scope="col" className="only-wide">
              Waiting
            </th>
            <th scope="col" className="only-wide">
              Received
            </th>
            <th scope="col" className="only-wide">
              Notify by
            </th>
            <th scope="col" className="only-wide">
              Lender
            </th>
            <th scope="col">Next</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {items.map((item) => (
            <WaitingRow key={item.loanId} item={item} today={today} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function WaitingRow({ item, today }: { item: Waiting; today: string }) {
  const { loanId, applicationId, loanStatus, loanAmount, createdAt, lenderId } = item;
  const step = isWaiting(loanStatus) ? stepOf(loanStatus) : null;
  const [first] = step?.next ?? [];
  const label = step?.label ?? 'Declined';
  const age = ageText(ageInDays(createdAt, today));
  return (
    <tr className="waiting-row">
      <td>
        <Link to="/underwriting/$loanId" params={{ loanId }} className="application-link">
          {applicationId || `${loanId.slice(0, 10)}…`}
        </Link>
        <span className="under">{label}</span>
      </td>
      <td className="only-wide">{label}</td>
      <td className="number">
        {money(loanAmount)}
        <span className="under">{age}</span>
      </td>
      <td className="only-wide">{age}</td>
      <td className="only-wide">
        <Day date={dayOf(createdAt)} />
      </td>
      <td className="only-wide">
        <Deadline status={loanStatus} by={noticeBy(createdAt)} today={today} />
      </td>
      <td className="only-wide">{lenderId}</td>
      <td>{first ? action(first).label : 'Notice'}</td>
    </tr>
  );
}

/** The applicant must hear of the decision within 30 days (12 CFR 1002.9). */
function Deadline({ status, by, today }: { status: string; by: string; today: string }) {
  if (!mustBeDecided(status) && status !== DECLINED) return <span className="quiet">—</span>;
  const left = daysLeft(by, today);
  return (
    <span className="line">
      <Day date={by} />
      {left < 0 ? (
        <Badge tone="bad">{-left} days over</Badge>
      ) : (
        left <= 7 && <Badge tone="late">{left === 0 ? 'today' : `${left} days left`}</Badge>
      )}
    </span>
  );
}
