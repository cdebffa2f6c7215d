/** The nightly cycles: which have run, what each step did, and what needs a person. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { loanPath, read } from '../../api.ts';
import { count, day, money, shortHash } from '../../format.ts';
import { Badge, Moment, Panel, Table } from '../../parts/basics.tsx';
import { Loaded, nothing, PagedTable } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { Empty } from '../../parts/states.tsx';
import { useView } from '../../parts/view.ts';
import { useCan } from '../../shell/session.tsx';
import { dayIn } from './shared.tsx';
import { advice, countName, stepOf } from './steps.ts';

type Cycle = Schemas['Cycle'];

export function Cycles() {
  const [search, change] = useView();
  const date = dayIn(search.date);
  const head = useQuery(read('listCycles', { query: { limit: 1 } }));
  return (
    <>
      <Loaded query={head} rows={1}>
        {({ through, daysBehind }) => (
          <p className="line">
            {daysBehind === 0 ? (
              <Badge tone="good">✓ Up to date</Badge>
            ) : (
              <Badge tone="late">{count(daysBehind)} days behind</Badge>
            )}
            <span className="quiet">
              {through === null ? 'No cycle has run yet.' : `All cycles up to ${day(through)} have run.`}
              {daysBehind > 0 && ' They run automatically, in order; an operator can start them with npm run nightly.'}
            </span>
          </p>
        )}
      </Loaded>
      {date !== null && <OneCycle date={date} close={() => change({ date: null })} />}
      <Panel title="Nightly cycles" flush>
        <PagedTable<Schemas['CycleSummary']>
          operation="listCycles"
          label="Nightly cycles"
          rowKey={({ date: one }) => one}
          empty={nothing(
            'No cycle is listed yet',
            'The cycle for a day runs a few minutes after the day ends and is listed then. Days without an open loan, and days before your first loan here, are not listed.',
          )}
          columns={[
            {
              key: 'date',
              title: 'Day',
              cell: ({ date: one }) => (
                <button
                  type="button"
                  className="link"
                  aria-expanded={date === one}
                  onClick={() => change({ date: date === one ? null : one })}
                >
                  {day(one)}
                </button>
              ),
            },
            { key: 'started', title: 'Started', cell: ({ startedAt }) => <Moment at={startedAt} /> },
            {
              key: 'ended',
              title: 'Ended',
              cell: ({ endedAt, startedAt }) =>
                endedAt === null && startedAt !== null ? <Badge tone="info">Running</Badge> : <Moment at={endedAt} />,
            },
            {
              key: 'exceptions',
              title: 'Loans that failed',
              number: true,
              cell: ({ exceptionCount }) =>
                exceptionCount > 0 ? <Badge tone="bad">{count(exceptionCount)} to review</Badge> : '0',
            },
            {
              key: 'proposals',
              title: 'Proposed for charge-off',
              number: true,
              cell: ({ proposalCount }) =>
                proposalCount > 0 ? <Badge tone="late">{count(proposalCount)}</Badge> : '0',
            },
          ]}
        />
      </Panel>
    </>
  );
}

function OneCycle({ date, close }: { date: string; close: () => void }) {
  const query = useQuery(read('readCycle', { path: { date } }));
  const none = query.error instanceof ProblemError && query.error.status === 404;
  return (
    <Panel
      title={`Cycle for ${day(date)}`}
      flush
      actions={
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      }
    >
      {none ? (
        <Empty title="There is no cycle for this day">It has not run yet, or no loan was open.</Empty>
      ) : (
        <Loaded query={query}>{(cycle) => <Steps cycle={cycle} />}</Loaded>
      )}
    </Panel>
  );
}

function Steps({ cycle }: { cycle: Cycle }) {
  return (
    <>
      <Table
        label="Steps"
        rows={cycle.steps}
        rowKey={({ step }) => step}
        columns={[
          {
            key: 'step',
            title: 'Step',
            cell: ({ step }) => (
              <>
                {stepOf(step).name}
                <div className="quiet small">{stepOf(step).does}</div>
              </>
            ),
          },
          {
            key: 'counts',
            title: 'Result',
            cell: ({ counts }) => {
              const done = Object.entries(counts).filter(([, value]) => value > 0);
              return done.length === 0 ? (
                <span className="quiet">Nothing to do</span>
              ) : (
                done.map(([name, value]) => `${countName(name)} ${count(value)}`).join(' · ')
              );
            },
          },
          { key: 'amount', title: 'Amount', number: true, cell: ({ amount }) => money(amount) },
          {
            key: 'ended',
            title: 'Ended',
            cell: ({ endedAt }) => (endedAt === null ? <Badge>Not yet</Badge> : <Moment at={endedAt} />),
          },
        ]}
      />
      {cycle.exceptions.length > 0 && <Exceptions cycle={cycle} />}
      {cycle.proposals.length > 0 && <Proposals cycle={cycle} />}
      {cycle.nextCursor !== null && (
        <p className="panel-body quiet small">
          Only the first hundred loans are listed here. The API returns the rest.
        </p>
      )}
    </>
  );
}

function Exceptions({ cycle: { exceptions } }: { cycle: Cycle }) {
  return (
    <>
      <h3 className="panel-body">Loans that failed</h3>
      <Table
        label="Loans that failed"
        rows={exceptions}
        rowKey={({ loanId, step }) => `${loanId} ${step}`}
        columns={[
          { key: 'loan', title: 'Loan', cell: ({ loanId }) => <LoanLink loanId={loanId} /> },
          { key: 'step', title: 'Step', cell: ({ step }) => stepOf(step).name },
          { key: 'do', title: 'What to do', cell: ({ step }) => <span className="wrapping">{advice(step)}</span> },
          { key: 'error', title: 'For support', cell: ({ error }) => <span className="mono">{error}</span> },
        ]}
      />
    </>
  );
}

function Proposals({ cycle: { proposals } }: { cycle: Cycle }) {
  const may = useCan()('servicing:write');
  const operate = useOperation();
  const why = {
    pastDue: 'Reached the policy’s charge-off limit',
    bankruptcy: 'Hold: bankruptcy',
    fraud: 'Hold: fraud',
  } as Record<string, string>;
  return (
    <>
      <h3 className="panel-body">Proposed for charge-off: nothing was recorded</h3>
      <Table
        label="Proposed for charge-off"
        rows={proposals}
        rowKey={({ loanId }) => loanId}
        columns={[
          { key: 'loan', title: 'Loan', cell: ({ loanId }) => <LoanLink loanId={loanId} /> },
          { key: 'days', title: 'Days past due', number: true, cell: ({ daysPastDue }) => count(daysPastDue) },
          { key: 'amount', title: 'Principal', number: true, cell: ({ amount }) => money(amount) },
          {
            key: 'why',
            title: 'Reason',
            cell: ({ reason, holdId }) => `${why[reason] ?? reason}${holdId === null ? '' : ` (${holdId})`}`,
          },
          ...(may
            ? [
                {
                  key: 'do',
                  title: '',
                  cell: ({ loanId }: { loanId: string }) => (
                    <button type="button" className="button" onClick={() => operate('chargeOffLoan', { loanId })}>
                      Charge off…
                    </button>
                  ),
                },
              ]
            : []),
        ]}
      />
    </>
  );
}

function LoanLink({ loanId }: { loanId: string }) {
  return (
    <Link to="/loans/$loanId" params={{ loanId: loanPath(loanId).path.loan_id }} className="mono" title={loanId}>
      {shortHash(loanId)}
    </Link>
  );
}
