/** Realized yield beside the yield that underwriting predicted. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { report as reportOf } from '../../api.ts';
import { money, month, percent } from '../../format.ts';
import { type Column, Figure, Panel, Table } from '../../parts/basics.tsx';
import { Chart } from '../../parts/chart.tsx';
import { useToday } from '../../shell/today.tsx';
import { firstOf, isMonth, monthsOf, periodName, type Span, SpanChoice, within } from './months.tsx';
import { type Ready, Reported, SliceSelect } from './reported.tsx';
import { drawnPercent, rowsOf } from './series.ts';
import { ofFullMonths, queryOf, type ReportProps, type View } from './view.ts';

type Row = Ready<'yield'>['totals'][number];

const COLUMNS: readonly Column<Row>[] = [
  { key: 'period', title: 'Month', cell: (row) => (isMonth(row) ? month(row.period) : periodName(row.period)) },
  { key: 'interest', title: 'Interest', number: true, cell: (row) => money(row.interest) },
  { key: 'fees', title: 'Fees', number: true, cell: (row) => money(row.fees) },
  { key: 'recoveries', title: 'Recoveries', number: true, cell: (row) => money(row.recoveries) },
  { key: 'chargedOff', title: 'Charged off', number: true, cell: (row) => money(row.chargedOff) },
  { key: 'forgiven', title: 'Forgiven', number: true, cell: (row) => money(row.forgiven) },
  { key: 'income', title: 'Income', number: true, cell: (row) => money(row.income) },
  { key: 'balance', title: 'Average balance', number: true, cell: (row) => money(row.averageBalance) },
  { key: 'realized', title: 'Realized', number: true, cell: (row) => percent(row.realized) },
  { key: 'predicted', title: 'Predicted', number: true, cell: (row) => percent(row.predicted) },
  { key: 'difference', title: 'Difference', number: true, cell: (row) => percent(row.difference) },
];

export function Yield({ view, change }: ReportProps) {
  const [span, setSpan] = useState<Span>('24');
  const full = useFullMonths(view);
  return (
    <Reported report="yield" view={view}>
      {(report) => (
        <>
          <SliceSelect report={report} view={view} change={change} />
          <YieldView
            rows={rowsOf<Row>(report, view.slice)}
            full={full}
            span={span}
            tools={<SpanChoice value={span} onChange={setSpan} />}
          />
        </>
      )}
    </Reported>
  );
}

/** The rows up to the last month that is over, so that twelve months are the same here and in the speed; none until they are there. */
function useFullMonths(view: View): readonly Row[] {
  const fullView = ofFullMonths(view, useToday());
  const query = useQuery(
    reportOf('readPortfolioYield', { query: queryOf('yield', fullView) }, { today: fullView.asOf === null }),
  );
  const found = query.data?.data;
  return useMemo(
    () => (found !== undefined && 'totals' in found ? rowsOf<Row>(found, view.slice) : []),
    [found, view.slice],
  );
}

function YieldView(props: { rows: readonly Row[]; full: readonly Row[]; span: Span; tools: ReactNode }) {
  const { rows, full, span, tools } = props;
  const months = useMemo(() => within(rows.filter(isMonth), span), [rows, span]);
  const isYear = ({ period }: Row) => period === 'last12Months';
  const periods = [...rows.filter((row) => !isMonth(row) && !isYear(row)), ...full.filter(isYear)];
  const chart = useMemo(
    () => ({
      x: months.map((row) => firstOf(row.period)),
      lines: [
        { label: 'Realized', color: '--chart-received', values: months.map((row) => drawnPercent(row.realized)) },
        {
          label: 'Predicted',
          color: '--chart-expected',
          dashed: true,
          values: months.map((row) => drawnPercent(row.predicted)),
        },
      ],
    }),
    [months],
  );
  return (
    <>
      <Panel>
        <div className="figures">
          {periods
            .toReversed()
            .flatMap((row) => [
              <Figure
                key={row.period}
                label={`Realized · ${periodName(row.period)}`}
                value={percent(row.realized)}
                note={`${money(row.income)} income · ${monthsOf(isYear(row) ? full : rows, row)}`}
              />,
              <Figure
                key={`${row.period} predicted`}
                label="Predicted"
                value={percent(row.predicted)}
                note={`difference ${percent(row.difference)}`}
              />,
            ])}
        </div>
      </Panel>
      <Panel title="Realized and predicted yield, percent a year" actions={tools}>
        <Chart title="Realized and predicted yield by month" unit="percent" months fromZero {...chart} />
      </Panel>
      <Panel title="By month" flush>
        <Table
          label="Yield by month"
          columns={COLUMNS}
          rows={[...periods, ...months.toReversed()]}
          rowKey={(row) => row.period}
        />
      </Panel>
    </>
  );
}
