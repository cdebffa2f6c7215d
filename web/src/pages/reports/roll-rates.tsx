/** Moves of loans between two dates, as a heat map. */
import { useState } from 'react';
import { count, day, fromCents, money, percent } from '../../format.ts';
import { Panel } from '../../parts/basics.tsx';
import { Choice } from '../../parts/choice.tsx';
import { type Cell, matrixOf, placeName, type Rolled, tint } from './matrix.ts';
import { Reported, SliceSelect } from './reported.tsx';
import { rowsOf } from './series.ts';
import type { ReportProps } from './view.ts';

type Unit = 'count' | 'principal';
const COLOURS = {
  stays: '--heat-stays',
  better: '--heat-better',
  worse: '--heat-worse',
  lost: '--heat-lost',
  enters: '--heat-other',
  leaves: '--heat-other',
} as const;
const LEGEND = [
  { move: 'stays', text: 'Unchanged' },
  { move: 'better', text: 'Improved or paid off' },
  { move: 'worse', text: 'Worsened' },
  { move: 'lost', text: 'Charged off' },
] as const;

export function RollRates({ view, change }: ReportProps) {
  const [unit, setUnit] = useState<Unit>('count');
  return (
    <Reported report="roll-rates" view={view}>
      {(report) => (
        <>
          <Panel
            title={`From ${day(report.from)} to ${day(report.to)}`}
            actions={
              <Choice
                label="Figures"
                value={unit}
                onChange={setUnit}
                options={[
                  { value: 'count', label: 'Loans' },
                  { value: 'principal', label: 'Principal' },
                ]}
              />
            }
          >
            <div className="stack">
              <SliceSelect report={report} view={view} change={change} />
              <HeatMap rolled={rowsOf<Rolled>(report, view.slice)} unit={unit} from={report.from} to={report.to} />
              <div className="legend">
                {LEGEND.map(({ move, text }) => (
                  <span key={move}>
                    <span className="heat-mark" style={{ background: mixed(COLOURS[move], 30) }} />
                    {text}
                  </span>
                ))}
                <span>A stronger color means a larger share of the row.</span>
              </div>
            </div>
          </Panel>
        </>
      )}
    </Reported>
  );
}

const mixed = (token: string, percentage: number) => `color-mix(in srgb, var(${token}) ${percentage}%, var(--card))`;

function HeatMap({ rolled, unit, from, to }: { rolled: readonly Rolled[]; unit: Unit; from: string; to: string }) {
  const matrix = matrixOf(rolled);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className="table-box" aria-label="Roll rates" tabIndex={0}>
      <table className="table heat">
        <caption className="hidden-visually">
          {unit === 'count' ? 'Loans' : 'Principal on the first date'} by bucket on {day(from)} and bucket on {day(to)},
          with the share of the row
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <div>{day(from)} ↓</div>
              <div>{day(to)} →</div>
            </th>
            {matrix.to.map((name) => (
              <th key={name} scope="col" className="number">
                {placeName(name)}
              </th>
            ))}
            <th scope="col" className="number">
              All
            </th>
          </tr>
        </thead>
        <tbody>
          {matrix.rows.map((row) => (
            <tr key={row.from}>
              <th scope="row">{placeName(row.from)}</th>
              {row.cells.map((cell) => (
                <HeatCell key={cell.to} cell={cell} unit={unit} />
              ))}
              <td className="number heat-all">{unit === 'count' ? count(row.count) : fromCents(row.principal)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function HeatCell({ cell: { row, move }, unit }: { cell: Cell; unit: Unit }) {
  if (row === null) {
    return <td className="number quiet">·</td>;
  }
  const rate = unit === 'count' ? row.countRate : row.principalRate;
  const principal = row.from === 'new' ? row.principalTo : row.principalFrom;
  return (
    <td className="number" style={{ background: mixed(COLOURS[move], move === 'enters' ? 12 : tint(rate)) }}>
      {unit === 'count' ? count(row.count) : money(principal)}
      <div className="small">{rate === null ? 'no rate' : percent(rate)}</div>
    </td>
  );
}
