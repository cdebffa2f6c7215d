/** Static pools by month of funding: curves by months on book, and where each pool stands. */
import { useMemo, useState } from 'react';
import { count, money, month, percent } from '../../format.ts';
import { type Column, Field, Panel, Table } from '../../parts/basics.tsx';
import { Chart } from '../../parts/chart.tsx';
import { type Ready, Reported, SliceSelect } from './reported.tsx';
import { curvesOf, latestOf, MEASURES, type Measure, MOST_CURVES, rowsOf } from './series.ts';
import type { ReportProps } from './view.ts';

type Row = Ready<'vintages'>['totals'][number];

const FIGURES: readonly Column<Row>[] = [
  { key: 'originalCount', title: 'Loans', number: true, cell: (row) => count(row.originalCount) },
  { key: 'original', title: 'Original', number: true, cell: (row) => money(row.original) },
  { key: 'principal', title: 'Principal', number: true, cell: (row) => money(row.principal) },
  { key: 'factor', title: 'Pool factor', number: true, cell: (row) => percent(row.poolFactor) },
  { key: 'gross', title: 'Gross loss', number: true, cell: (row) => money(row.grossLoss) },
  { key: 'recoveries', title: 'Recoveries', number: true, cell: (row) => money(row.recoveries) },
  { key: 'net', title: 'Net loss', number: true, cell: (row) => money(row.netLoss) },
  { key: 'cnl', title: 'CNL', number: true, cell: (row) => percent(row.netLossShare) },
  { key: 'prepaid', title: 'Prepaid', number: true, cell: (row) => percent(row.prepaidShare) },
  { key: 'late', title: '60+ days', number: true, cell: (row) => percent(row.pastDue60Share) },
];

export function Vintages({ view, change }: ReportProps) {
  const [measure, setMeasure] = useState<Measure>('netLoss');
  const [vintage, setVintage] = useState<string | null>(null);
  return (
    <Reported report="vintages" view={view}>
      {(report) => {
        const rows = rowsOf<Row>(report, view.slice);
        return (
          <>
            <div className="controls no-print">
              <SliceSelect report={report} view={view} change={change} />
              <Field label="Curve">
                {(ids) => (
                  <select
                    {...ids}
                    className="input"
                    value={measure}
                    onChange={({ target: { value } }) => setMeasure(value as Measure)}
                  >
                    {Object.entries(MEASURES).map(([name, { label }]) => (
                      <option key={name} value={name}>
                        {label}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              <Field label="Vintage">
                {(ids) => (
                  <select
                    {...ids}
                    className="input"
                    value={vintage ?? ''}
                    onChange={({ target: { value } }) => setVintage(value === '' ? null : value)}
                  >
                    <option value="">All</option>
                    {latestOf(rows).map((row) => (
                      <option key={row.vintage} value={row.vintage}>
                        {month(row.vintage)}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            </div>
            <Curves rows={vintage === null ? rows : rows.filter((row) => row.vintage === vintage)} measure={measure} />
            {vintage === null ? (
              <Panel title="Pools, as of the report" flush>
                <Table
                  label="Vintages"
                  rows={latestOf(rows)}
                  rowKey={(row) => row.vintage}
                  columns={[
                    {
                      key: 'vintage',
                      title: 'Vintage',
                      cell: (row) => (
                        <button type="button" className="link" onClick={() => setVintage(row.vintage)}>
                          {month(row.vintage)}
                        </button>
                      ),
                    },
                    { key: 'age', title: 'Age', number: true, cell: (row) => count(row.age) },
                    ...FIGURES,
                  ]}
                />
              </Panel>
            ) : (
              <Panel title={`${month(vintage)}, month by month`} flush>
                <Table
                  label={`Vintage ${month(vintage)} by month`}
                  rows={rows.filter((row) => row.vintage === vintage)}
                  rowKey={(row) => row.month}
                  columns={[
                    { key: 'month', title: 'Month', cell: (row) => month(row.month) },
                    { key: 'age', title: 'Age', number: true, cell: (row) => count(row.age) },
                    ...FIGURES,
                  ]}
                />
              </Panel>
            )}
          </>
        );
      }}
    </Reported>
  );
}

function Curves({ rows, measure }: { rows: readonly Row[]; measure: Measure }) {
  const { ages, curves } = useMemo(() => curvesOf(rows, measure), [rows, measure]);
  // The newest has the last colour, so that a curve keeps its colour when a month is added to it.
  const lines = useMemo(
    () =>
      curves.map(({ label, values }, n) => ({
        label: label.includes('-') ? month(label) : label,
        color: `--chart-curve-${MOST_CURVES - curves.length + n + 1}`,
        dashed: (curves.length - n) % 2 === 0,
        values,
      })),
    [curves],
  );
  return (
    <Panel
      title={`${MEASURES[measure].label} by months on book, percent of ${MEASURES[measure].whole === 'original' ? 'original' : 'principal'}`}
    >
      <Chart title={MEASURES[measure].label} x={ages} xLabel="Months on book" unit="percent" fromZero lines={lines} />
    </Panel>
  );
}
