/** Losses by month and in total. */
import { type ReactNode, useMemo, useState } from 'react';
import { fromCents, month } from '../../format.ts';
import { type Column, Figure, Panel, Table } from '../../parts/basics.tsx';
import { Chart } from '../../parts/chart.tsx';
import { firstOf, type Span, SpanChoice, within } from './months.tsx';
import { type Ready, Reported, SliceSelect } from './reported.tsx';
import { drawn, type Loss, lossesOf, rowsOf } from './series.ts';
import type { ReportProps } from './view.ts';

type Row = Ready<'cashflows'>['totals'][number];

const amount = (key: Exclude<keyof Loss, 'month'>, title: string): Column<Loss> => ({
  key,
  title,
  number: true,
  cell: (row) => fromCents(row[key]),
});
const COLUMNS: readonly Column<Loss>[] = [
  { key: 'month', title: 'Month', cell: (row) => month(row.month) },
  amount('chargedOff', 'Charged off'),
  amount('forgiven', 'Forgiven'),
  amount('recoveries', 'Recovered'),
  amount('net', 'Net loss'),
  amount('grossSoFar', 'Gross so far'),
  amount('netSoFar', 'Net so far'),
];

export function Losses({ view, change }: ReportProps) {
  const [span, setSpan] = useState<Span>('24');
  return (
    <Reported report="cashflows" view={view}>
      {(report) => (
        <>
          <SliceSelect report={report} view={view} change={change} />
          {/* Summed since the beginning, whatever is shown of it. */}
          <LossesView
            losses={within(lossesOf(rowsOf<Row>(report, view.slice)), span)}
            tools={<SpanChoice value={span} onChange={setSpan} />}
          />
        </>
      )}
    </Reported>
  );
}

function LossesView({ losses, tools }: { losses: readonly Loss[]; tools: ReactNode }) {
  const sum = (key: 'chargedOff' | 'forgiven' | 'recoveries' | 'net') =>
    losses.reduce((all, row) => all + row[key], 0n);
  const chart = useMemo(
    () => ({
      x: losses.map((row) => firstOf(row.month)),
      lines: [
        {
          label: 'Gross loss so far',
          color: '--chart-expected',
          dashed: true,
          values: losses.map((row) => drawn(row.grossSoFar)),
        },
        { label: 'Net loss so far', color: '--chart-loss', values: losses.map((row) => drawn(row.netSoFar)) },
      ],
    }),
    [losses],
  );
  return (
    <>
      <Panel>
        <div className="figures">
          <Figure label="Charged off" value={fromCents(sum('chargedOff'))} note={`in ${losses.length} months`} />
          <Figure label="Forgiven" value={fromCents(sum('forgiven'))} note="settlements and waivers" />
          <Figure label="Recovered" value={fromCents(sum('recoveries'))} note="after a charge-off" />
          <Figure label="Net loss" value={fromCents(sum('net'))} note="charged off + forgiven − recovered" />
        </div>
      </Panel>
      <Panel title="Losses since the beginning of the book" actions={tools}>
        <Chart title="Cumulative losses" unit="cents" months fromZero {...chart} />
      </Panel>
      <Panel title="By month" flush>
        <Table
          label="Losses by month"
          columns={COLUMNS}
          rows={losses.toReversed()}
          rowKey={(row) => row.month}
          foot={
            <tr>
              <td>{losses.length} months</td>
              {(['chargedOff', 'forgiven', 'recoveries', 'net'] as const).map((key) => (
                <td key={key} className="number">
                  {fromCents(sum(key))}
                </td>
              ))}
              <td className="number">{fromCents(losses.at(-1)?.grossSoFar ?? 0n)}</td>
              <td className="number">{fromCents(losses.at(-1)?.netSoFar ?? 0n)}</td>
            </tr>
          }
        />
      </Panel>
    </>
  );
}
