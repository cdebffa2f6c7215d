/** Payments with their split and the balance after each; quotes; and what can be done with a payment. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Data } from 'daybook-sdk';
import { type ReactNode, useState } from 'react';
import { cents, fromCents, money, words } from '../../../format.ts';
import { Badge, Day, Money, Panel, Table, type Tone } from '../../../parts/basics.tsx';
import { useOperation } from '../../../parts/operation/operation.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import { useCan } from '../../../shell/session.tsx';
import type { Summary } from './head.tsx';
import { loanRead } from './loan-read.ts';
import { isNow, type Point } from './point.ts';
import { takenBack } from './standing.ts';
import { methodOf } from './timeline.ts';
import { Why } from './why.tsx';

type Row = Data<'readHistory'>['rows'][number];

const MOVES: Readonly<Record<string, readonly [label: string, tone: Tone]>> = {
  funded: ['Funded', 'neutral'],
  takenOver: ['Taken over', 'neutral'],
  disbursed: ['Disbursed', 'neutral'],
  payment: ['Payment', 'neutral'],
  returned: ['Returned', 'late'],
  reversed: ['Reversed', 'late'],
  refunded: ['Refund', 'neutral'],
  fee: ['Fee', 'late'],
  waived: ['Fee waived', 'neutral'],
  givenUp: ['Waived', 'neutral'],
  chargedOff: ['Charged off', 'bad'],
  rescinded: ['Rescinded', 'bad'],
  writtenDown: ['Written down', 'bad'],
};

export function PaymentsTab({ loanId, point, now }: { loanId: string; point: Point; now: Summary }) {
  const [explained, setExplained] = useState<string | null>(null);
  const query = useQuery({ ...loanRead('readHistory', loanId, point), placeholderData: keepPreviousData });
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={12} />;
  const rows = query.data.data.rows.filter(({ kind }) => kind in MOVES).toReversed();
  const back = takenBack(rows);
  const paid = rows.filter(({ kind, reference }) => kind === 'payment' && !back.has(reference ?? ''));
  const total = (part: 'interest' | 'principal' | 'fees') =>
    fromCents(paid.reduce((sum, { allocation }) => sum + (cents(allocation[part]) ?? 0n), 0n));
  const statuses = new Map(now.loanDetails.loanPayments.map(({ paymentId, status }) => [paymentId, status]));
  return (
    <div className="stack">
      <div className="payments">
        <Panel flush title="Payments and other amounts, newest first">
          {rows.length === 0 ? (
            <Empty title="There are no payments yet">Payments appear here once the loan is funded.</Empty>
          ) : (
            <Table
              label="Payments"
              rows={rows}
              rowKey={(row, n) => `${row.kind} ${row.reference ?? ''} ${n}`}
              columns={[
                { key: 'date', title: 'Date', cell: ({ date }) => <Day date={date} /> },
                {
                  key: 'what',
                  title: 'Type',
                  cell: (row) => (
                    <What row={row} status={statuses.get(row.reference ?? '')} back={back.get(row.reference ?? '')} />
                  ),
                },
                { key: 'amount', title: 'Amount', number: true, cell: ({ amount }) => <Money amount={amount} /> },
                { key: 'interest', title: 'Interest', number: true, cell: (row) => part(row, 'interest') },
                { key: 'principal', title: 'Principal', number: true, cell: (row) => part(row, 'principal') },
                { key: 'fees', title: 'Fees', number: true, cell: (row) => part(row, 'fees') },
                {
                  key: 'balance',
                  title: 'Balance after',
                  number: true,
                  cell: ({ balance }) => <Money amount={balance} />,
                },
                {
                  key: 'do',
                  title: 'Actions',
                  cell: (row) => (
                    <PaymentActions
                      {...{ loanId, row, now }}
                      live={isNow(point)}
                      status={statuses.get(row.reference ?? '')}
                      counts={row.kind === 'payment' && !back.has(row.reference ?? '')}
                      onWhy={() => setExplained(explained === row.reference ? null : row.reference)}
                    />
                  ),
                },
              ]}
              foot={
                <tr>
                  <td colSpan={2}>Number of payments: {paid.length}</td>
                  <td className="number">{money(query.data.data.rows.at(-1)?.running.received)}</td>
                  <td className="number">{total('interest')}</td>
                  <td className="number">{total('principal')}</td>
                  <td className="number">{total('fees')}</td>
                  <td />
                  <td />
                </tr>
              }
            />
          )}
        </Panel>
      </div>
      {explained !== null && (
        <Panel
          title={`Why payment ${explained} was split this way`}
          actions={
            <button type="button" className="button" onClick={() => setExplained(null)}>
              Close
            </button>
          }
        >
          <Why loanId={loanId} figure={`payment:${explained}`} point={point} />
        </Panel>
      )}
      <Quotes loanId={loanId} point={point} />
    </div>
  );
}

/** A split where there is one; nothing for a fee, whose amount is its whole. */
function part({ kind, allocation }: Row, name: 'interest' | 'principal' | 'fees'): ReactNode {
  return ['payment', 'givenUp', 'chargedOff', 'takenOver'].includes(kind) ? <Money amount={allocation[name]} /> : '';
}

/** `back`: what became of a payment that no longer counts. */
function What({ row, status, back }: { row: Row; status: string | undefined; back: string | undefined }) {
  const [label, tone] = MOVES[row.kind] ?? [words(row.kind), 'neutral'];
  const gone = row.kind === 'payment' && back !== undefined;
  const waits = row.kind === 'payment' && !gone && status === 'Submitted';
  return (
    <>
      <Badge tone={waits ? 'info' : tone}>{label}</Badge> {gone && <Badge tone="late">{back}</Badge>}{' '}
      {row.reference !== null && <span>{row.reference}</span>}
      <span className="quiet small">
        {methodOf(row)}
        {row.code && ` ${row.code}`}
        {row.kind === 'fee' && row.detail !== '' && ` ${row.detail}`}
        {waits && ' not acknowledged yet'}
      </span>
    </>
  );
}

function PaymentActions(props: {
  loanId: string;
  row: Row;
  now: Summary;
  live: boolean;
  status: string | undefined;
  counts: boolean;
  onWhy: () => void;
}) {
  const { loanId, row, now, status, counts } = props;
  const operate = useOperation();
  const can = useCan();
  const { reference } = row;
  const acts = props.live && reference !== null;
  const may = (name: string, scope: string) => acts && can(scope) && now.allowed.includes(name);
  const button = (label: string, run: () => void) => (
    <button type="button" className="link small" aria-label={`${label} ${reference ?? ''}`} onClick={run}>
      {label}
    </button>
  );
  return (
    <span className="line no-print">
      {row.kind === 'payment' && reference !== null && button('Why', props.onWhy)}
      {counts &&
        status === 'Submitted' &&
        may('acknowledge-repayment', 'payments:write') &&
        button('Acknowledge', () => operate('acknowledgeRepayment', { loanId, initial: { refId: reference } }))}
      {counts &&
        may('return-repayment', 'payments:write') &&
        button('Return', () => operate('returnRepayment', { loanId, initial: { refId: reference } }))}
      {counts &&
        may('reverse-repayment', 'payments:write') &&
        button('Reverse', () => operate('reverseRepayment', { loanId, initial: { refId: reference } }))}
      {row.kind === 'fee' &&
        may('waive-fee', 'servicing:write') &&
        button('Waive', () => operate('waiveFee', { loanId, initial: { feeId: reference } }))}
    </span>
  );
}

const QUOTE_TONES: Readonly<Record<string, Tone>> = { open: 'info', honoured: 'good', void: 'bad', expired: 'neutral' };

function Quotes({ loanId, point }: { loanId: string; point: Point }) {
  const query = useQuery({ ...loanRead('listPayoffQuotes', loanId, point), placeholderData: keepPreviousData });
  const none = query.data?.data.items.length === 0;
  return (
    <div className={none ? 'no-print' : undefined}>
      <Panel flush title="Payoff quotes and settlements">
        {query.error !== null ? (
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        ) : query.data === undefined ? (
          <Loading rows={2} />
        ) : query.data.data.items.length === 0 ? (
          <Empty title="No quotes yet">A quote makes a payoff amount binding until a day.</Empty>
        ) : (
          <Table
            label="Payoff quotes and settlements"
            rows={query.data.data.items}
            rowKey={({ quoteId }) => quoteId}
            columns={[
              { key: 'date', title: 'For', cell: ({ date }) => <Day date={date} /> },
              { key: 'kind', title: 'Kind', cell: ({ kind }) => words(kind) },
              { key: 'quote', title: 'Reference', cell: ({ quoteId }) => quoteId },
              {
                key: 'standing',
                title: 'Standing',
                cell: ({ standing }) => <Badge tone={QUOTE_TONES[standing] ?? 'neutral'}>{words(standing)}</Badge>,
              },
              { key: 'amount', title: 'Amount', number: true, cell: ({ amount }) => <Money amount={amount} /> },
              { key: 'received', title: 'Received', number: true, cell: ({ received }) => <Money amount={received} /> },
              { key: 'through', title: 'Good through', cell: ({ goodThrough }) => <Day date={goodThrough} /> },
            ]}
          />
        )}
      </Panel>
    </div>
  );
}
