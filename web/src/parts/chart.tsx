/** A chart over time with labelled axes, a legend that can be read, and its table behind a toggle. */
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { day, fromCents, month } from '../format.ts';
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
  /** Days that stand for their months. */
  months?: boolean;
  /** Whether the axis of values begins at zero; with bars it always does. */
  fromZero?: boolean;
  lines: readonly Line[];
  /** Unit of the values: cents are shown as amounts. */
  unit: 'cents' | 'percent' | 'count';
  height?: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const [asTable, setAsTable] = useState(false);
  /** The place under the pointer. */
  const [pointed, setPointed] = useState<number | null>(null);
  const { x, lines, unit, height = 240 } = props;
  const byDay = typeof x[0] === 'string';
  const fromZero = props.fromZero === true || lines.some(({ kind }) => kind === 'bars');
  const place = (one: string | number) => (typeof one === 'number' ? one : props.months ? month(one) : day(one));
  const show = (value: number | null | undefined) =>
    value === null || value === undefined ? '—' : figure(value, unit);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew when the colours change.
  useEffect(() => {
    const at = box.current;
    if (at === null || asTable) return;
    const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const font = '12px "Inter Variable", system-ui, sans-serif';
    const axis = {
      stroke: token('--quiet'),
      font,
      labelFont: font,
      grid: { stroke: token('--chart-grid'), width: 1 },
      ticks: { stroke: token('--chart-grid'), width: 1 },
    };
    const places = x.map((one) =>
      typeof one === 'string' ? Date.parse(`${one.slice(0, 10)}T00:00:00Z`) / 1_000 : one,
    );
    // Half a place of air on both sides, so that the first and the last bar are whole.
    const air = lines.some(({ kind }) => kind === 'bars') ? spaceBetween(places) / 2 : 0;
    const plot = new uPlot(
      {
        width: at.clientWidth,
        height,
        // The name of the last month is whole.
        ...(props.months ? { padding: [null, 28, null, null] } : {}),
        legend: { show: false },
        cursor: { y: false },
        scales: {
          x: { time: byDay, ...(air > 0 ? { range: (_, low, high) => [low - air, high + air] } : {}) },
          ...(fromZero ? { y: { range: (_, low, high) => zeroed(low, high) } } : {}),
        },
        // Days are days, wherever the reader is.
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
        hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? null)] },
        axes: [
          {
            ...axis,
            ...(props.xLabel === undefined ? {} : { label: props.xLabel, labelSize: 20 }),
            ...(byDay ? {} : { incrs: WHOLE_STEPS }),
            ...(props.months
              ? {
                  splits: ({ width }) => thinned(places, width / 72),
                  values: (_, marks) => marks.map((mark) => month(new Date(mark * 1_000).toISOString())),
                }
              : {}),
          },
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
      [places, ...lines.map(({ values }) => [...values])],
      at,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: at.clientWidth, height }));
    resized.observe(at);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [x, lines, unit, height, asTable, scheme, byDay, fromZero, props.xLabel, props.months]);
  const at = pointed === null ? undefined : x[pointed];
  return (
    <figure style={{ margin: 0 }} className="stack" aria-label={props.title}>
      <div className="line spread">
        <div className="legend">
          {lines.map(({ label, color, dashed, values }) => (
            <span key={label}>
              <span className="legend-mark" style={{ background: dashed ? dashes(color) : `var(${color})` }} />
              {label}
              {at !== undefined && !asTable && <span className="legend-value"> {show(values[pointed ?? 0])}</span>}
            </span>
          ))}
          {at !== undefined && !asTable && <span className="legend-value">{place(at)}</span>}
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
            { key: 'x', title: props.xLabel ?? (props.months ? 'Month' : 'Date'), cell: ({ one }) => place(one) },
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

const WHOLE_STEPS = [1, 2, 3, 6, 12, 24, 60];

const spaceBetween = (places: readonly number[]): number =>
  places.length < 2 ? 30 * 86_400 : ((places.at(-1) ?? 0) - (places[0] ?? 0)) / (places.length - 1);

/** At most so many marks, the last one always. */
function thinned(places: readonly number[], most: number): number[] {
  const step = Math.max(1, Math.ceil(places.length / Math.max(1, Math.floor(most))));
  return places.filter((_, n) => (places.length - 1 - n) % step === 0);
}

const dashes = (color: string) => `repeating-linear-gradient(90deg, var(${color}) 0 5px, transparent 5px 8px)`;

/** A range with zero in it, and some air where the values are. */
function zeroed(low: number | null, high: number | null): [number, number] {
  const [from, to] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  if (from === to) return [0, 1];
  const air = (to - from) * 0.05;
  return [from < 0 ? from - air : 0, to > 0 ? to + air : 0];
}

function figure(value: number, unit: 'cents' | 'percent' | 'count'): string {
  if (unit === 'cents') return fromCents(BigInt(Math.round(value)));
  return unit === 'percent' ? `${value.toFixed(2).replace('-', '−')} %` : value.toLocaleString('en-US');
}

function shortFigure(value: number, unit: 'cents' | 'percent' | 'count'): string {
  if (unit === 'percent') return `${Number(value.toFixed(2))} %`.replace('-', '−');
  const whole = unit === 'cents' ? value / 100 : value;
  const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
  return short.format(whole).replace('-', '−');
}
