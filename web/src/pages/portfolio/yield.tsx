/** What the portfolio has earned, beside what underwriting predicted. */
import { type ReactNode, useMemo, useState } from 'react';
import { count, money, month, percent } from '../../format.ts';
import { type Column, Figure, Panel, Table } from '../../parts/basics.tsx';
import { Chart } from '../../parts/chart.tsx';
import { firstOf, isMonth, periodName, type Span, SpanChoice, within } from './months.tsx';
import { type Ready, Reported, SliceSelect } from './reported.tsx';
import { drawnPercent, rowsOf } from './series.ts';
import type { ReportProps } from './view.ts';

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
  return (
    <Reported report="yield" view={view}>
      {(report) => (
        <>
          <SliceSelect report={report} view={view} change={change} />
          <Shown
            rows={rowsOf<Row>(report, view.slice)}
            span={span}
            tools={<SpanChoice value={span} onChange={setSpan} />}
          />
        </>
      )}
    </Reported>
  );
}

function Shown({ rows, span, tools }: { rows: readonly Row[]; span: Span; tools: ReactNode }) {
  const months = useMemo(() => within(rows.filter(isMonth), span), [rows, span]);
  const periods = rows.filter((row) => !isMonth(row)).toReversed();
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
                note={`${money(row.income)} income`}
              />,
              <Figure
                key={`${row.period} predicted`}
                label="Predicted"
                value={percent(row.predicted)}
                note={`difference ${percent(row.difference)} · ${count(row.months)} months`}
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
