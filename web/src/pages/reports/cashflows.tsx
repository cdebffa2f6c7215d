/** Expected against received cash, month by month. */
import { type ReactNode, useMemo, useState } from 'react';
import { fromCents, money, month, percent } from '../../format.ts';
import { type Column, Figure, Panel, Table } from '../../parts/basics.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Choice } from '../../parts/choice.tsx';
import { firstOf, type Span, SpanChoice, within } from './months.tsx';
import { type Ready, Reported, SliceSelect } from './reported.tsx';
import { at, drawn, monthsOver, percentOf, rowsOf, toReceive, total } from './series.ts';
import type { ReportProps } from './view.ts';

type Row = Ready<'cashflows'>['totals'][number];

export function Cashflows({ view, change }: ReportProps) {
  const [span, setSpan] = useState<Span>('12');
  return (
    <Reported report="cashflows" view={view} titles={{ unscheduledPrincipal: 'Prepaid principal' }}>
      {(report) => (
        <>
          <SliceSelect report={report} view={view} change={change} />
          <CashflowsView
            rows={within(rowsOf<Row>(report, view.slice), span)}
            tools={<SpanChoice value={span} onChange={setSpan} />}
          />
        </>
      )}
    </Reported>
  );
}

function CashflowsView({ rows, tools }: { rows: readonly Row[]; tools: ReactNode }) {
  const wanted = toReceive(rows);
  // Received is compared with what was to come in months that are over.
  const over = monthsOver(rows, wanted.name);
  const [due, received] = [total(over, wanted.name), total(over, 'received')];
  const chart = useMemo(
    () => ({
      x: rows.map((row) => firstOf(row.month)),
      lines: [
        {
          label: 'Received',
          color: '--chart-received',
          kind: 'bars' as const,
          values: rows.map((row) => drawn(at(row, 'received'))),
        },
        {
          label: wanted.label,
          color: '--chart-expected',
          values: rows.map((row) =>
            (row as Record<string, unknown>)[wanted.name] === null ? null : drawn(at(row, wanted.name)),
          ),
        },
      ],
    }),
    [rows, wanted.label, wanted.name],
  );
  return (
    <>
      <Panel>
        <div className="figures">
          <Figure label={wanted.label} value={fromCents(due)} note={monthsText(over.length, true)} />
          <Figure label="Received" value={fromCents(received)} note="in the same months" />
          <Figure
            label="Difference"
            value={fromCents(received - due)}
            note={`received less ${wanted.label.toLowerCase()}`}
          />
          <Figure label={`Received, % of ${wanted.label.toLowerCase()}`} value={percent(percentOf(received, due))} />
        </div>
      </Panel>
      <Panel title={`${wanted.label} and received cash`} actions={tools}>
        <Chart title={`${wanted.label} and received cash by month`} unit="cents" months {...chart} />
      </Panel>
      <Months rows={rows} over={over} wanted={wanted} />
    </>
  );
}

const amount = (key: string, title: string): Column<Row> => ({
  key,
  title,
  number: true,
  cell: (row) => money((row as Record<string, unknown>)[key] as string | null),
});

const monthsText = (months: number, over: boolean) =>
  `${months} month${months === 1 ? '' : 's'}${over ? ` that ${months === 1 ? 'is' : 'are'} over` : ''}`;

function Months(props: { rows: readonly Row[]; over: readonly Row[]; wanted: ReturnType<typeof toReceive> }) {
  const { rows, over, wanted } = props;
  const [what, setWhat] = useState<'cash' | 'principal'>('cash');
  const first: Column<Row> = { key: 'month', title: 'Month', cell: (row) => month(row.month) };
  const difference: Column<Row> = {
    key: 'difference',
    title: 'Difference',
    number: true,
    cell: (row) =>
      (row as Record<string, unknown>)[wanted.name] === null
        ? '—'
        : fromCents(at(row, 'received') - at(row, wanted.name)),
  };
  const cash = [
    amount(wanted.name, wanted.label),
    amount('received', 'Received'),
    difference,
    amount('scheduledPrincipal', 'Scheduled principal'),
    amount('unscheduledPrincipal', 'Prepaid principal'),
    amount('interest', 'Interest'),
    amount('fees', 'Fees'),
    amount('recoveries', 'Recoveries'),
    amount('receivedLate', 'Earlier months'),
    amount('returned', 'Returned'),
  ];
  const principal = [
    amount('openingPrincipal', 'Opening'),
    amount('priorPeriod', 'Prior periods'),
    amount('disbursed', 'Disbursed'),
    amount('scheduledPrincipal', 'Scheduled'),
    amount('unscheduledPrincipal', 'Prepaid'),
    amount('chargedOff', 'Charged off'),
    amount('forgiven', 'Forgiven'),
    amount('closingPrincipal', 'Closing'),
  ];
  const columns = [first, ...(what === 'cash' ? cash : principal)];
  const newestFirst = rows.toReversed();
  // Cash adds up completed months only: the current one has nothing to be compared with.
  const added = what === 'cash' ? over : rows;
  const sum = (key: string) =>
    key === 'difference'
      ? fromCents(total(added, 'received') - total(added, wanted.name))
      : key === 'openingPrincipal'
        ? money(rows[0]?.openingPrincipal)
        : key === 'closingPrincipal'
          ? money(rows.at(-1)?.closingPrincipal)
          : fromCents(total(added, key));
  return (
    <Panel
      title="By month"
      flush
      actions={
        <Choice
          label="Figures"
          value={what}
          onChange={setWhat}
          options={[
            { value: 'cash', label: 'Cash' },
            { value: 'principal', label: 'Principal' },
          ]}
        />
      }
    >
      <Table
        label="Cash by month"
        columns={columns}
        rows={newestFirst}
        rowKey={(row) => row.month}
        foot={
          <tr>
            {columns.map(({ key }) => (
              <td key={key} className={key === 'month' ? undefined : 'number'}>
                {key === 'month' ? monthsText(added.length, what === 'cash') : sum(key)}
              </td>
            ))}
          </tr>
        }
      />
    </Panel>
  );
}
