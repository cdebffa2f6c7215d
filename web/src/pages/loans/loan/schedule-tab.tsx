/** The installments: paid, late and to come; and the balance over time. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { day, money } from '../../../format.ts';
import { Badge, type Column, Day, Money, Panel, Table, type Tone } from '../../../parts/basics.tsx';
import { Chart } from '../../../parts/chart.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import { loanRead } from './loan-read.ts';
import type { Point } from './point.ts';
import { balanceSeries, type Standing, splitSeries, standingOf } from './series.ts';

const STANDINGS: Record<Standing, readonly [Tone, string]> = {
  paid: ['good', 'Paid'],
  partly: ['info', 'Partly paid'],
  late: ['late', 'Late'],
  due: ['info', 'Due'],
  coming: ['neutral', 'Upcoming'],
};

export function ScheduleTab({ loanId, point }: { loanId: string; point: Point }) {
  const query = useQuery({ ...loanRead('readSchedule', loanId, point), placeholderData: keepPreviousData });
  const history = useQuery({ ...loanRead('readHistory', loanId, point), placeholderData: keepPreviousData });
  const charts = useMemo(() => {
    if (query.data === undefined || history.data === undefined) return null;
    const { installments, asOf } = query.data.data;
    const { rows } = history.data.data;
    return { balance: balanceSeries(rows, installments, asOf), split: splitSeries(rows, installments, asOf) };
  }, [query.data, history.data]);
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={12} />;
  const { installments, totals, asOf, planned, levelPayment } = query.data.data;
  if (installments.length === 0)
    return <Empty title="There are no installments">Nothing is scheduled on this loan.</Empty>;
  type Installment = (typeof installments)[number];
  const columns: Column<Installment>[] = [
    { key: 'n', title: '#', number: true, cell: ({ n }) => n },
    { key: 'due', title: 'Due', cell: ({ dueDate }) => <Day date={dueDate} /> },
    { key: 'standing', title: 'Standing', cell: (one) => <InstallmentStanding one={one} today={asOf} /> },
    { key: 'amount', title: 'Amount', number: true, cell: ({ amount }) => <Money amount={amount} /> },
    { key: 'principal', title: 'Principal', number: true, cell: ({ principal }) => <Money amount={principal} /> },
    { key: 'interest', title: 'Interest', number: true, cell: ({ interest }) => <Money amount={interest} /> },
    { key: 'paid', title: 'Paid', number: true, cell: ({ paid }) => <Money amount={paid} /> },
    { key: 'open', title: 'Open', number: true, cell: ({ open }) => <Money amount={open} /> },
  ];
  return (
    <div className="stack">
      {charts !== null && charts.balance.x.length > 1 && (
        <div className="charts">
          <Panel title="Balance over time">
            <Chart title="Balance over time" unit="cents" height={220} {...charts.balance} />
          </Panel>
          <Panel title="Principal against interest, by month">
            <Chart title="Principal against interest, by month" unit="cents" height={220} {...charts.split} />
          </Panel>
        </div>
      )}
      <Panel
        flush
        title={planned ? `Planned schedule, if funded on ${day(asOf)}` : `Schedule as of ${day(asOf)}`}
        actions={levelPayment !== null && <span className="quiet small">Level payment {money(levelPayment)}</span>}
      >
        <Table
          label="Schedule"
          columns={columns}
          rows={installments}
          rowKey={({ n }) => String(n)}
          foot={
            <tr>
              <td colSpan={3}>Total of {installments.length}</td>
              {[totals.amount, totals.principal, totals.interest, totals.paid, totals.open].map((total, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the totals stand under their columns.
                <td key={n} className="number">
                  <Money amount={total} />
                </td>
              ))}
            </tr>
          }
        />
      </Panel>
    </div>
  );
}

function InstallmentStanding(props: {
  one: { dueDate: string; satisfiedOn: string | null; pastDue: boolean; paid: string };
  today: string;
}) {
  const standing = standingOf(props.one, props.today);
  const [tone, text] = STANDINGS[standing];
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {standing === 'paid' && (
        <span className="quiet small">
          {' '}
          <Day date={props.one.satisfiedOn} />
        </span>
      )}
    </>
  );
}
