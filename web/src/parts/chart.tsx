/** A chart over time with labelled axes, a legend that can be read, and its table behind a toggle. */
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { day, fromCents } from '../format.ts';
import { Table } from './basics.tsx';

export type Line = {
  label: string;
  /** A token of tokens.css, such as `--chart-balance`. */
  color: string;
  /** One for each date; null where there is none. */
  values: readonly (number | null)[];
  dashed?: boolean;
  kind?: 'line' | 'bars' | 'steps';
};

export function Chart(props: {
  title: string;
  /** Days, ISO, ascending; or numbers, such as months on book. */
  x: readonly string[] | readonly number[];
  xLabel?: string;
  lines: readonly Line[];
  /** What the values are: cents are shown as amounts. */
  unit: 'cents' | 'percent' | 'count';
  height?: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const [asTable, setAsTable] = useState(false);
  const { x, lines, unit, height = 240 } = props;
  const byDay = typeof x[0] === 'string';
  const show = (value: number | null | undefined) =>
    value === null || value === undefined ? '—' : figure(value, unit);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew when the colours change.
  useEffect(() => {
    const at = box.current;
    if (at === null || asTable) return;
    const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = {
      stroke: token('--quiet'),
      grid: { stroke: token('--chart-grid') },
      ticks: { stroke: token('--chart-grid') },
    };
    const plot = new uPlot(
      {
        width: at.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false },
        scales: { x: { time: byDay } },
        axes: [
          { ...axis, ...(props.xLabel === undefined ? {} : { label: props.xLabel, labelSize: 20 }) },
          { ...axis, size: 76, values: (_, marks) => marks.map((mark) => shortFigure(mark, unit)) },
        ],
        series: [
          {},
          ...lines.map(
            ({ label, color, dashed, kind }): uPlot.Series => ({
              label,
              stroke: token(color),
              width: 2,
              points: { show: lines.every(({ values }) => values.length < 3) },
              ...(dashed ? { dash: [6, 4] } : {}),
              ...(kind === 'bars' && uPlot.paths.bars
                ? { paths: uPlot.paths.bars({ size: [0.6, 40] }), fill: token(color) }
                : {}),
              ...(kind === 'steps' && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
            }),
          ),
        ],
      },
      [
        x.map((one) => (typeof one === 'string' ? Date.parse(`${one.slice(0, 10)}T00:00:00Z`) / 1_000 : one)),
        ...lines.map(({ values }) => [...values]),
      ],
      at,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: at.clientWidth, height }));
    resized.observe(at);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [x, lines, unit, height, asTable, scheme, byDay, props.xLabel]);
  return (
    <figure style={{ margin: 0 }} className="stack" aria-label={props.title}>
      <div className="line spread">
        <div className="legend">
          {lines.map(({ label, color, dashed }) => (
            <span key={label}>
              <span className="legend-mark" style={{ background: `var(${color})`, opacity: dashed ? 0.6 : 1 }} />
              {label}
            </span>
          ))}
        </div>
        <button
          type="button"
          className="link small no-print"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Show chart' : 'Show table'}
        </button>
      </div>
      {asTable ? (
        <Table
          label={props.title}
          rows={x.map((one, n) => ({ one, n }))}
          rowKey={({ one }) => String(one)}
          columns={[
            { key: 'x', title: props.xLabel ?? 'Date', cell: ({ one }) => (typeof one === 'string' ? day(one) : one) },
            ...lines.map(({ label, values }) => ({
              key: label,
              title: label,
              number: true,
              cell: ({ n }: { n: number }) => show(values[n]),
            })),
          ]}
        />
      ) : (
        <div ref={box} className="chart" role="img" aria-label={`${props.title}. The table has the same figures.`} />
      )}
    </figure>
  );
}

function figure(value: number, unit: 'cents' | 'percent' | 'count'): string {
  if (unit === 'cents') return fromCents(BigInt(Math.round(value)));
  return unit === 'percent' ? `${value.toFixed(2)} %` : value.toLocaleString('en-US');
}

function shortFigure(value: number, unit: 'cents' | 'percent' | 'count'): string {
  if (unit === 'percent') return `${Number(value.toFixed(2))} %`;
  const whole = unit === 'cents' ? value / 100 : value;
  const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
  return short.format(whole).replace('-', '−');
}
