/** Expected cash flows by month, of a deal or of a loan from today on. */
import { useMemo } from 'react';
import { fromCents } from '../../format.ts';
import { Figure } from '../../parts/basics.tsx';
import { Chart, type Line } from '../../parts/chart.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Flow, readFlows, totals } from './cashflows.ts';

export function Flows({ csv, dealIndex, title }: { csv: string; dealIndex: number; title: string }) {
  const flows = useMemo(() => readFlows(csv, dealIndex), [csv, dealIndex]);
  if (flows.length === 0) return <Empty title="No expected cash flows">The record has none for this deal.</Empty>;
  return <FlowChart flows={flows} title={title} />;
}

function FlowChart({ flows, title }: { flows: readonly Flow[]; title: string }) {
  const { months, lines } = useMemo(() => {
    const line = (label: string, color: string, value: (flow: Flow) => bigint, dashed = false): Line => ({
      ...{ label, color, dashed },
      values: flows.map((flow) => Number(value(flow))),
    });
    return {
      months: flows.map(({ month }) => month),
      lines: [
        line('Principal', '--chart-principal', ({ principal }) => principal),
        line('Interest', '--chart-interest', ({ interest }) => interest),
        line('Charged off', '--chart-loss', ({ chargeoff }) => chargeoff),
        line('Recovered', '--chart-received', ({ recovered }) => recovered, true),
      ],
    };
  }, [flows]);
  const all = useMemo(() => totals(flows), [flows]);
  return (
    <div className="stack">
      <div className="figures">
        <Figure label="Principal" value={fromCents(all.principal)} />
        <Figure label="Interest" value={fromCents(all.interest)} />
        <Figure label="Charged off" value={fromCents(all.chargeoff)} note={`recovered ${fromCents(all.recovered)}`} />
        <Figure label="After servicing" value={fromCents(all.net)} note={`servicing ${fromCents(all.servicing)}`} />
      </div>
      <Chart title={title} x={months} xLabel="Month" lines={lines} unit="cents" />
    </div>
  );
}
