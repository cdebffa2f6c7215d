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
import { monthEnd } from '../reports/view.ts';
import { AccountName, side, Tied } from './shared.tsx';
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
        <Next period={next} />
      )}
      <Panel title="Closed months" flush>
        <Closed />
      </Panel>
    </>
  );
}

const NO_PREVIEW = { isPending: false, data: undefined, error: null };

function Next({ period }: { period: string | null }) {
  const may = useCan()('books:write');
  const today = useToday();
  const operate = useOperation();
  const queries = useQueryClient();
  const preview = useMutation({
    mutationFn: async (target: string) =>
      (await daybook.closePeriod({ query: { dryRun: true }, body: { period: target } })).data,
  });
  // A preview belongs to its month.
  const { isPending, data, error } = preview.variables === period ? preview : NO_PREVIEW;
  if (period === null) {
    return (
      <Panel title="Next month to close">
        {nothing('There is no month to close', 'The first month is the month of your first loan.')}
      </Panel>
    );
  }
  const last = monthEnd(`${period}-01`);
  const over = last < today;
  const close = () =>
    operate('closePeriod', {
      title: `Close ${month(period)}`,
      initial: { period },
      onDone: () => {
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
                onClick={() => isPending || preview.mutate(period)}
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
              Close {month(period)}…
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
      ) : isPending ? (
        <Loading rows={6} label="Checking" />
      ) : error !== null ? (
        <Blocked error={error} period={period} />
      ) : data === undefined ? (
        <p className="quiet">
          The preview checks that the nightly cycles of all days have run and that the ledger ties to the loans for
          every lender, and shows the balances that would be stored. It changes nothing.
        </p>
      ) : (
        // A preview waits for no approval.
        'lenders' in data && <Contents period={data} />
      )}
    </Panel>
  );
}

const tiedText = (lenders: number) =>
  lenders === 0
    ? 'No lender has a balance yet.'
    : `The ledger equals the loans, ${lenders === 1 ? 'for the one lender' : `for each of ${lenders} lenders`}.`;

/** Checks and balances of a month that can be closed. */
function Contents({ period: { period, lenders, hash } }: { period: Schemas['PeriodClose'] }) {
  const balances = balancesOf(lenders);
  const [debit, credit] = [
    balances.reduce((sum, one) => sum + one.debit, 0n),
    balances.reduce((sum, one) => sum + one.credit, 0n),
  ];
  return (
    <div className="stack">
      <ul className="close-checks">
        <li>
          <Tied tied yes="In order" no="" /> {month(period)} is the next month to close, and it has ended.
        </li>
        <li>
          <Tied tied yes="Complete" no="" /> The nightly cycles of all its days have run, and the interest of every day
          is posted.
        </li>
        <li>
          <Tied tied no="" /> {tiedText(lenders.length)}
        </li>
        <li>
          <Tied tied={debit === credit} yes="In balance" no="Not in balance" /> Debits and credits differ by{' '}
          {fromCents(debit - credit)}.
        </li>
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

/** Explains why a month cannot be closed, and what to do. */
function Blocked({ error, period }: { error: Error; period: string }) {
  const { title, detail, requestId } = errorText(error);
  const refusal = error instanceof ProblemError ? (error.refusal ?? error.code) : null;
  const { date } = error instanceof ProblemError ? (error.problem as { date?: string }) : {};
  const [words, part, label] =
    refusal === 'cycle_pending'
      ? ['A nightly cycle of the month has not run yet.', 'cycles', 'See the nightly cycles']
      : refusal === 'untied'
        ? ['The ledger and the loans do not agree.', 'tie-out', `See the tie-out of ${month(period)}`]
        : [title, null, null];
  return (
    <div className="notice bad stack" role="alert">
      <strong>
        {month(period)} cannot be closed: {words}
      </strong>
      <p>
        {refusal === 'cycle_pending' && date !== undefined
          ? `The cycle for ${day(date)} is missing. Cycles run automatically after midnight.`
          : detail}
      </p>
      {part !== null && (
        <p>
          <Link
            to="/books/$part"
            params={{ part }}
            search={(part === 'tie-out' ? { asOf: monthEnd(`${period}-01`) } : {}) as never}
          >
            {label}
          </Link>
        </p>
      )}
      {refusal === null && requestId !== null && <p className="small">Request {requestId}</p>}
    </div>
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
        { key: 'period', title: 'Month', cell: ({ period }) => month(period) },
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
