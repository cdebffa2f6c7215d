/** Months of the books: those that are closed, and closing the next one after seeing what it contains and what blocks it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { useState } from 'react';
import { daybook, read } from '../../api.ts';
import { day, fromCents, month, shortHash } from '../../format.ts';
import { Badge, Moment, Panel, Table } from '../../parts/basics.tsx';
import { nothing, PagedTable } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { ErrorState, errorText, Loading } from '../../parts/states.tsx';
import { Who } from '../../parts/who.tsx';
import { useCan } from '../../shell/session.tsx';
import { useToday } from '../../shell/today.tsx';
import { GROUND_GONE_SEARCH } from '../home/attention.ts';
import { monthEnd, monthsBefore } from '../reports/view.ts';
import { AccountName, MonthChoice, side, Tied } from './shared.tsx';
import { balancesOf } from './sums.ts';

type Period = Schemas['Period'];

export function Periods() {
  const query = useQuery(read('listPeriods', { query: { limit: 1 } }));
  const next = query.data?.data.next ?? null;
  return (
    <>
      {query.data === undefined ? (
        <Panel>
          {query.error === null ? (
            <Loading rows={3} />
          ) : (
            <ErrorState error={query.error} retry={() => void query.refetch()} />
          )}
        </Panel>
      ) : (
        <>
          <Next period={next} />
          <Year next={next} closed={query.data.data.closedYears} />
        </>
      )}
      <Panel title="Closed months" flush>
        <Closed />
      </Panel>
    </>
  );
}

const NO_PREVIEW = { isPending: false, data: undefined, error: null };

/** Months that can be closed in one go. */
const AT_ONCE = 24;

const span = (from: string, through: string) => (from === through ? month(from) : `${month(from)} – ${month(through)}`);

function Next({ period }: { period: string | null }) {
  const may = useCan()('books:write');
  const today = useToday();
  const operate = useOperation();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const preview = useMutation({
    mutationFn: async ({ from, through }: { from: string; through: string }) =>
      (
        await daybook.closePeriod({
          query: { dryRun: true },
          body: from === through ? { period: from } : { through },
        })
      ).data,
  });
  if (period === null) {
    return (
      <Panel title="Next month to close">
        {nothing('There is no month to close', 'The first month is the month of your first loan.')}
      </Panel>
    );
  }
  const months = monthsBefore(today, 120)
    .filter((one) => one >= period)
    .toSorted()
    .slice(0, AT_ONCE);
  const through = chosen !== null && months.includes(chosen) ? chosen : period;
  const name = span(period, through);
  // A preview belongs to its months.
  const asked = preview.variables;
  const { isPending, data, error } = asked?.from === period && asked.through === through ? preview : NO_PREVIEW;
  const last = monthEnd(`${period}-01`);
  const over = last < today;
  const close = () =>
    operate('closePeriod', {
      title: `Close ${name}`,
      initial: through === period ? { period } : { through },
      onDone: () => {
        setChosen(null);
        void queries.invalidateQueries({ queryKey: ['book', 'listPeriods'] });
        void queries.invalidateQueries({ queryKey: ['report'] });
      },
    });
  return (
    <Panel
      title={
        <span className="line">
          Next month to close: {month(period)} {!over && <Badge>Not ended</Badge>}
        </span>
      }
      actions={
        may ? (
          <>
            {over && (
              <button
                type="button"
                className="button"
                aria-disabled={isPending}
                onClick={() => isPending || preview.mutate({ from: period, through })}
              >
                {isPending ? 'Checking…' : data === undefined ? 'Preview' : 'Preview again'}
              </button>
            )}
            {/* It is there for every month: the drawer gives the focus back to it when the month has been closed. */}
            <button
              type="button"
              className="button primary"
              aria-disabled={data === undefined}
              onClick={() => data !== undefined && close()}
            >
              Close {name}…
            </button>
          </>
        ) : undefined
      }
    >
      {!over ? (
        <p className="quiet">It can be closed after {day(last)}, when the nightly cycle of that day has run.</p>
      ) : !may ? (
        <p className="quiet">
          Closing needs a role with the scope <span className="mono">books:write</span>.
        </p>
      ) : (
        <div className="stack">
          {/* Several months are closed in one go: all of them or none. */}
          {months.length > 1 && (
            <div className="controls">
              <MonthChoice
                label="Close through"
                months={months}
                value={through}
                onChange={setChosen}
                note={(place) => (place > 0 ? ` (${place + 1} months)` : '')}
              />
            </div>
          )}
          {isPending ? (
            <Loading rows={6} label="Checking" />
          ) : error !== null ? (
            <Blocked error={error} name={name} period={period} />
          ) : data === undefined ? (
            <p className="quiet">
              The preview checks that the nightly cycles of all days have run and that the ledger ties to the loans for
              every lender, and shows the balances that would be stored. It changes nothing.
            </p>
          ) : (
            // A preview waits for no approval.
            'lenders' in data && <Contents period={data} />
          )}
        </div>
      )}
    </Panel>
  );
}

/** The first year that is not closed, once all its months are. */
function Year({ next, closed }: { next: string | null; closed: readonly number[] }) {
  const may = useCan()('books:write');
  const operate = useOperation();
  const queries = useQueryClient();
  const oldest = useQuery(read('listPeriods', { query: { limit: 100 } })).data?.data.items.at(-1)?.period ?? null;
  if (oldest === null || next === null) return null;
  const year = closed.length === 0 ? Number(oldest.slice(0, 4)) : Math.max(...closed) + 1;
  if (`${year}-12` >= next) return null;
  return (
    <Panel
      title={`Next year to close: ${year}`}
      actions={
        may ? (
          <button
            type="button"
            className="button primary"
            onClick={() =>
              operate('closeYear', {
                title: `Close ${year}`,
                initial: { year },
                onDone: () => {
                  void queries.invalidateQueries({ queryKey: ['book'] });
                  void queries.invalidateQueries({ queryKey: ['report'] });
                },
              })
            }
          >
            Close {year}…
          </button>
        ) : undefined
      }
    >
      <p className="quiet">
        All its months are closed. Closing the year takes income and expense of each lender to retained earnings.
      </p>
    </Panel>
  );
}

const tiedText = (lenders: number) =>
  lenders === 0
    ? 'No lender has a balance yet.'
    : `The ledger equals the loans, ${lenders === 1 ? 'for the one lender' : `for each of ${lenders} lenders`}.`;

/** Checks and balances of a month that can be closed. */
function Contents({
  period: { period, closedFrom, lenders, hash, warnings = [] },
}: {
  period: Schemas['PeriodClose'];
}) {
  const several = closedFrom !== period;
  const balances = balancesOf(lenders);
  const [debit, credit] = [
    balances.reduce((sum, one) => sum + one.debit, 0n),
    balances.reduce((sum, one) => sum + one.credit, 0n),
  ];
  return (
    <div className="stack">
      <ul className="close-checks">
        <li>
          <Tied tied yes="In order" no="" />{' '}
          {several
            ? `${span(closedFrom, period)} are the next months to close, and they have ended.`
            : `${month(period)} is the next month to close, and it has ended.`}
        </li>
        <li>
          <Tied tied yes="Complete" no="" /> The nightly cycles of all {several ? 'their' : 'its'} days have run, and
          the interest of every day is posted.
        </li>
        <li>
          <Tied tied no="" /> {tiedText(lenders.length)}
          {several && ' So it does at the end of every month.'}
        </li>
        <li>
          <Tied tied={debit === credit} yes="In balance" no="Not in balance" /> Debits and credits differ by{' '}
          {fromCents(debit - credit)}.
        </li>
        {warnings.map(({ check, detail, who }) => (
          <li key={check}>
            <Badge tone="late">Look at</Badge> {detail} {who}{' '}
            <Link to="/loans" search={GROUND_GONE_SEARCH as never}>
              See the loans
            </Link>
          </li>
        ))}
      </ul>
      <Table
        label={`Closing balances of ${month(period)}`}
        rows={balances}
        rowKey={({ account }) => account}
        columns={[
          { key: 'account', title: 'Account', cell: ({ account }) => <AccountName account={account} /> },
          { key: 'debit', title: 'Debit', number: true, cell: (one) => side(fromCents(one.debit), one.debit === 0n) },
          {
            key: 'credit',
            title: 'Credit',
            number: true,
            cell: (one) => side(fromCents(one.credit), one.credit === 0n),
          },
        ]}
        foot={
          <tr>
            <td>Totals</td>
            <td className="number">{fromCents(debit)}</td>
            <td className="number">{fromCents(credit)}</td>
          </tr>
        }
      />
      <p className="quiet small">
        A closed month is never reopened: later transactions are posted to an open month. The balances are stored with
        their SHA-256 hash{' '}
        <span className="mono" title={hash}>
          {shortHash(hash)}
        </span>
        . See also the{' '}
        <Link to="/books/$part" params={{ part: 'roll-forward' }} search={{ period } as never}>
          roll-forward
        </Link>{' '}
        of the month.
      </p>
    </div>
  );
}

const PLACES: Readonly<Record<string, { words: string; part: string; label: (period: string) => string }>> = {
  not_over: { words: 'The month has not ended.', part: 'periods', label: () => '' },
  cycle_pending: {
    words: 'A nightly cycle of the month has not run yet.',
    part: 'cycles',
    label: () => 'See the nightly cycles',
  },
  untied: {
    words: 'The ledger and the loans do not agree.',
    part: 'tie-out',
    label: (period) => `See the tie-out of ${month(period)}`,
  },
};

type Check = { period: string; check: string; detail: string; who: string };

/** Explains why months cannot be closed: each check that stands in the way, and who can do something about it. */
function Blocked({ error, name, period }: { error: Error; name: string; period: string }) {
  const { title, detail, requestId } = errorText(error);
  const problem = error instanceof ProblemError ? (error.problem as { checks?: Check[] }) : {};
  const checks = problem.checks ?? [];
  const refusal = error instanceof ProblemError ? (error.refusal ?? error.code) : null;
  const words =
    checks.length > 1 ? `${checks.length} checks stand in the way.` : (PLACES[refusal ?? '']?.words ?? title);
  const { date } = error instanceof ProblemError ? (error.problem as { date?: string }) : {};
  return (
    <div className="notice bad stack" role="alert">
      <strong>
        {name} cannot be closed: {words}
      </strong>
      {checks.length === 0 && (
        <p>
          {refusal === 'cycle_pending' && date !== undefined
            ? `The cycle for ${day(date)} is missing. Cycles run automatically after midnight.`
            : detail}
        </p>
      )}
      {checks.length === 0 && <Place check={refusal ?? ''} period={period} />}
      {checks.map((check) => (
        <div key={`${check.period} ${check.check}`}>
          <p>
            <strong>{month(check.period)}:</strong> {check.detail}
          </p>
          <p className="small">{check.who}</p>
          <Place check={check.check} period={check.period} />
        </div>
      ))}
      {refusal === null && requestId !== null && <p className="small">Request {requestId}</p>}
    </div>
  );
}

function Place({ check, period }: { check: string; period: string }) {
  const place = PLACES[check];
  if (place === undefined || check === 'not_over') return null;
  const search = place.part === 'tie-out' ? { asOf: monthEnd(`${period}-01`) } : {};
  return (
    <p>
      <Link to="/books/$part" params={{ part: place.part }} search={search as never}>
        {place.label(period)}
      </Link>
    </p>
  );
}

function Closed() {
  const [shown, setShown] = useState<string | null>(null);
  return (
    <PagedTable<Period>
      operation="listPeriods"
      label="Closed months"
      rowKey={({ period }) => period}
      empty={nothing('No month is closed yet', 'Preview the next month above, then close it.')}
      columns={[
        {
          key: 'period',
          title: 'Month',
          cell: ({ period, closedFrom }) => (
            <>
              {month(period)}
              {closedFrom !== period && <div className="quiet small">with {month(closedFrom)} and after</div>}
            </>
          ),
        },
        { key: 'closed', title: 'Closed', cell: ({ closedAt }) => <Moment at={closedAt} /> },
        {
          key: 'by',
          title: 'By',
          cell: ({ closedBy }) => <Who party={closedBy} />,
        },
        {
          key: 'total',
          title: 'Total debits and credits',
          number: true,
          cell: ({ lenders }) => fromCents(balancesOf(lenders).reduce((sum, one) => sum + one.debit, 0n)),
        },
        {
          key: 'balances',
          title: 'Balances',
          cell: ({ period, lenders }) => (
            <>
              <button
                type="button"
                className="link"
                aria-expanded={shown === period}
                onClick={() => setShown(shown === period ? null : period)}
              >
                {shown === period ? 'Hide' : 'Show'}
              </button>
              {shown === period && (
                <dl className="facts balances">
                  {balancesOf(lenders).map(({ account, debit, credit }) => (
                    <div key={account} className="balance">
                      <dt>
                        <AccountName account={account} />
                      </dt>
                      <dd className="number">{fromCents(debit - credit)}</dd>
                    </div>
                  ))}
                </dl>
              )}
            </>
          ),
        },
        {
          key: 'hash',
          title: 'SHA-256',
          cell: ({ hash }) => (
            <span className="mono" title={hash}>
              {shortHash(hash)}
            </span>
          ),
        },
        {
          key: 'links',
          title: '',
          name: 'See also',
          cell: ({ period }) => (
            <span className="line">
              <Link to="/books/$part" params={{ part: 'roll-forward' }} search={{ period } as never}>
                Roll-forward
              </Link>
              <Link to="/books/$part" params={{ part: 'export' }} search={{ period } as never}>
                Export
              </Link>
            </span>
          ),
        },
      ]}
    />
  );
}
