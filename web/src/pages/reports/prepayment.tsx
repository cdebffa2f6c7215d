/** Prepayment and default speeds of the portfolio: SMM, CPR, ABS and CDR. */
import { type ReactNode, useMemo, useState } from 'react';
import { money, month, percent } from '../../format.ts';
import { type Column, Figure, Panel, Table } from '../../parts/basics.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/choice.tsx';
import { firstOf, isMonth, monthsOf, periodName, type Span, SpanChoice, within } from './months.tsx';
import { type Ready, Reported, SliceSelect } from './reported.tsx';
import { drawnPercent, rowsOf } from './series.ts';
import type { ReportProps } from './view.ts';

type Row = Ready<'prepayment'>['totals'][number];
type Kind = 'voluntary' | 'total';

const TITLES = {
  smm: 'SMM',
  cpr: 'CPR',
  abs: 'ABS',
  smmWithChargeOffs: 'SMM with charge-offs',
  cprWithChargeOffs: 'CPR with charge-offs',
  absWithChargeOffs: 'ABS with charge-offs',
  cdr: 'CDR',
};

const speeds = (kind: Kind) =>
  kind === 'voluntary'
    ? (['smm', 'cpr', 'abs'] as const)
    : (['smmWithChargeOffs', 'cprWithChargeOffs', 'absWithChargeOffs'] as const);

const columns = (kind: Kind): readonly Column<Row>[] => [
  { key: 'period', title: 'Month', cell: (row) => (isMonth(row) ? month(row.period) : periodName(row.period)) },
  { key: 'opening', title: 'Opening principal', number: true, cell: (row) => money(row.openingPrincipal) },
  { key: 'scheduled', title: 'Scheduled', number: true, cell: (row) => money(row.scheduledPrincipal) },
  { key: 'prepaid', title: 'Prepaid', number: true, cell: (row) => money(row.unscheduledPrincipal) },
  { key: 'chargedOff', title: 'Charged off', number: true, cell: (row) => money(row.chargedOff) },
  {
    key: 'age',
    title: 'Age',
    number: true,
    cell: (row) => (row.averageAge === null ? '—' : Number(row.averageAge).toFixed(1)),
  },
  ...speeds(kind).map((key) => ({ key, title: TITLES[key], number: true, cell: (row: Row) => percent(row[key]) })),
  { key: 'cdr', title: 'CDR', number: true, cell: (row) => percent(row.cdr) },
];

export function Prepayment({ view, change }: ReportProps) {
  const [span, setSpan] = useState<Span>('24');
  const [kind, setKind] = useState<Kind>('voluntary');
  return (
    <Reported report="prepayment" view={view} titles={TITLES}>
      {(report) => (
        <>
          <SliceSelect report={report} view={view} change={change} />
          <SpeedView
            rows={rowsOf<Row>(report, view.slice)}
            span={span}
            kind={kind}
            tools={
              <>
                <Choice
                  label="Prepayments included"
                  value={kind}
                  onChange={setKind}
                  options={[
                    { value: 'voluntary', label: 'Voluntary' },
                    { value: 'total', label: 'With charge-offs' },
                  ]}
                />
                <SpanChoice value={span} onChange={setSpan} />
              </>
            }
          />
        </>
      )}
    </Reported>
  );
}

function SpeedView(props: { rows: readonly Row[]; span: Span; kind: Kind; tools: ReactNode }) {
  const { rows, span, kind, tools } = props;
  const months = useMemo(() => within(rows.filter(isMonth), span), [rows, span]);
  const periods = rows.filter((row) => !isMonth(row));
  const [smm, cpr, abs] = speeds(kind);
  const chart = useMemo(
    () => ({
      x: months.map((row) => firstOf(row.period)),
      lines: [
        { label: 'CPR', color: '--chart-balance', values: months.map((row) => drawnPercent(row[cpr])) },
        { label: 'CDR', color: '--chart-loss', dashed: true, values: months.map((row) => drawnPercent(row.cdr)) },
      ],
    }),
    [months, cpr],
  );
  return (
    <>
      <Panel>
        <div className="figures">
          {periods.map((row) => (
            <Figure
              key={row.period}
              label={`CPR · ${periodName(row.period)}`}
              value={percent(row[cpr])}
              note={`SMM ${percent(row[smm])} · ABS ${percent(row[abs])} · ${monthsOf(rows, row)}`}
            />
          ))}
        </div>
      </Panel>
      <Panel title="Speed, percent a year" actions={tools}>
        <Chart title="CPR and CDR by month" unit="percent" months fromZero {...chart} />
      </Panel>
      <Panel title="By month" flush>
        <Table
          label="Speed by month"
          columns={columns(kind)}
          rows={[...periods, ...months.toReversed()]}
          rowKey={(row) => row.period}
        />
      </Panel>
    </>
  );
}
