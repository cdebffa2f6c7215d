/** The sixty deals as a map: colour is one figure that the reader chooses, signs are the decision, and arrow keys walk through it. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { fromCents, money, percent, share } from '../../format.ts';
import { type Column, Table } from '../../parts/basics.tsx';
import { type Deal, dealWords, FIGURE_IDS, FIGURES, type FigureId, VERDICTS, verdictOf } from './figures.ts';
import { bands, beside, type Direction, type Layout, layOut, moreDown, STEPS } from './grid.ts';
import './heat-map.css';

const KEYS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'home',
  End: 'end',
};

type Props = {
  deals: readonly Deal[];
  selected: number;
  onSelect: (dealIndex: number) => void;
  /** The deal whose terms were signed. */
  contract?: Deal | undefined;
};

export function HeatMap(props: Props) {
  const { deals, selected, onSelect } = props;
  const [figure, setFigure] = useState<FigureId>('yield');
  const [asTable, setAsTable] = useState(false);
  const layout = useMemo(() => layOut(deals), [deals]);
  const offered = FIGURE_IDS.filter((id) => deals.some((deal) => FIGURES[id].value(deal) !== null));
  return (
    <div className="heat-box">
      <div className="line spread">
        <FigureChoice figure={figure} offered={offered} onChoose={setFigure} />
        {layout !== null && (
          <button
            type="button"
            className="link small no-print"
            aria-pressed={asTable}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Show map' : 'Show table'}
          </button>
        )}
      </div>
      {layout === null || asTable ? (
        <DealTable {...props} />
      ) : (
        <>
          <DealMap {...props} layout={layout} figure={figure} selected={selected} onSelect={onSelect} />
          <Legend deals={deals} figure={figure} apart={layout.requested} />
        </>
      )}
    </div>
  );
}

function FigureChoice(props: { figure: FigureId; offered: readonly FigureId[]; onChoose: (figure: FigureId) => void }) {
  const name = useId();
  return (
    <fieldset className="heat-choice no-print">
      <legend className="hidden-visually">Color of the map</legend>
      {props.offered.map((id) => (
        <label key={id} title={FIGURES[id].means}>
          <input
            type="radio"
            name={name}
            checked={props.figure === id}
            onChange={() => props.onChoose(id)}
            className="hidden-visually"
          />
          <span>{FIGURES[id].label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function DealMap(props: Props & { layout: Layout; figure: FigureId }) {
  const { deals, layout, figure, selected, onSelect, contract } = props;
  const grid = useRef<HTMLTableElement>(null);
  const { bandOf } = useMemo(() => bands(deals, figure, layout.requested), [deals, figure, layout]);
  const requested = deals[0];
  const pressed = (event: KeyboardEvent) => {
    const direction = KEYS[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    const next = beside(layout, selected, direction);
    onSelect(next);
    grid.current?.querySelector<HTMLButtonElement>(`[data-deal="${next}"]`)?.focus();
  };
  const cell = (deal: Deal) => (
    <HeatCell
      deal={deal}
      band={bandOf(deal)}
      figure={figure}
      verdict={verdictOf(deal, requested)}
      isSelected={deal.dealIndex === selected}
      isContract={deal === contract}
      onSelect={() => onSelect(deal.dealIndex)}
    />
  );
  const { columns, groups, requested: own } = layout;
  return (
    <table
      className="heat"
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of buttons that arrow keys walk through.
      role="grid"
      aria-label="Deals by term, down payment and rate"
      ref={grid}
      onKeyDown={pressed}
    >
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden-visually">Rate</span>
          </th>
          {columns.map(({ term, requested: isRequested }) => (
            <th key={term} scope="col">
              {term} mo{isRequested && <RequestedMark />}
            </th>
          ))}
        </tr>
      </thead>
      {own && (
        <tbody>
          <tr>
            <th scope="row" className="heat-level">
              Requested
            </th>
            {columns.map(({ term }) => (term === own.term ? <td key={term}>{cell(own)}</td> : <td key={term} />))}
          </tr>
        </tbody>
      )}
      {groups.map(({ downPayment, requested: isRequested, rows }) => (
        <tbody key={downPayment}>
          <tr>
            <th scope="rowgroup" colSpan={columns.length + 1} className="heat-group">
              {money(downPayment)} down
              {isRequested ? <RequestedMark /> : <More downPayment={downPayment} requested={requested?.downPayment} />}
            </th>
          </tr>
          {rows.map(({ label, cells }, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are levels of the rate and never move.
            <tr key={n}>
              <th scope="row" className="heat-level">
                {label}
              </th>
              {cells.map((deal, x) =>
                deal === null ? <td key={columns[x]?.term} /> : <td key={columns[x]?.term}>{cell(deal)}</td>,
              )}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

const RequestedMark = () => <span className="heat-requested"> · requested</span>;

function More({ downPayment, requested }: { downPayment: string; requested: string | undefined }) {
  const more = moreDown(downPayment, requested);
  return more === null ? null : <span className="quiet"> · {more > 0n ? `+${fromCents(more)}` : fromCents(more)}</span>;
}

function HeatCell(props: {
  deal: Deal;
  band: number | null;
  figure: FigureId;
  verdict: keyof typeof VERDICTS;
  isSelected: boolean;
  isContract: boolean;
  onSelect: () => void;
}) {
  const { deal, band, figure, verdict, isSelected, isContract } = props;
  const { value, short, label } = FIGURES[figure];
  const own = value(deal);
  const { sign, label: said } = VERDICTS[verdict];
  return (
    <button
      type="button"
      data-deal={deal.dealIndex}
      tabIndex={isSelected ? 0 : -1}
      aria-current={isSelected || undefined}
      title={`${dealWords(deal)}. ${said}.`}
      className={`heat-cell band-${band ?? 'none'} ${verdict}${isContract ? ' contract' : ''}`}
      onClick={props.onSelect}
    >
      <span className="hidden-visually">
        Deal {deal.dealIndex}, {deal.term} months, {money(deal.downPayment)} down, {said}
        {isContract && ', contract'}, {label}{' '}
      </span>
      <span className="heat-sign" aria-hidden="true">
        {isContract ? '◆' : sign}
      </span>
      <span className="heat-figure">{own === null ? '—' : short(own)}</span>
      {figure !== 'rate' && <span className="heat-rate">{Number(deal.apr).toFixed(2)} %</span>}
    </button>
  );
}

function Legend({ deals, figure, apart }: { deals: readonly Deal[]; figure: FigureId; apart: Deal | null }) {
  const { edges } = bands(deals, figure, apart);
  const { show, means } = FIGURES[figure];
  const seen = new Set(deals.map((deal) => verdictOf(deal, deals[0])));
  return (
    <div className="heat-legend">
      <div>
        <div className="quiet">{means}</div>
        <div className="line">
          {edges.length === STEPS + 1 &&
            Array.from({ length: STEPS }, (_, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: bands never move.
              <span key={n} className="heat-band">
                <span className={`heat-swatch band-${n}`} />
                {n === 0 || n === STEPS - 1 ? show(edges[n === 0 ? 0 : STEPS] as number) : ''}
              </span>
            ))}
        </div>
      </div>
      <div className="line">
        {[...seen].map((verdict) => (
          <span key={verdict}>
            <span className={`heat-sign ${verdict}`}>{VERDICTS[verdict].sign}</span> {VERDICTS[verdict].label}
          </span>
        ))}
        <span>
          <span className="heat-sign">◆</span> Contract
        </span>
      </div>
    </div>
  );
}

function DealTable({ deals, selected, onSelect, contract }: Props) {
  const columns: Column<Deal>[] = [
    {
      key: 'deal',
      title: 'Deal',
      cell: (deal) => (
        <button
          type="button"
          className="link"
          aria-pressed={deal.dealIndex === selected}
          aria-label={`Select deal ${deal.dealIndex}`}
          onClick={() => onSelect(deal.dealIndex)}
        >
          {deal.dealIndex}
        </button>
      ),
    },
    {
      key: 'decision',
      title: 'Decision',
      cell: (deal) => {
        const { sign, label } = VERDICTS[verdictOf(deal, deals[0])];
        return `${sign} ${label}${deal === contract ? ' · contract' : ''}${deal.dealIndex === 0 ? ' · requested' : ''}`;
      },
    },
    { key: 'term', title: 'Term', number: true, cell: ({ term }) => term },
    { key: 'down', title: 'Down payment', number: true, cell: ({ downPayment }) => money(downPayment) },
    { key: 'amount', title: 'Loan amount', number: true, cell: ({ loanAmount }) => money(loanAmount) },
    { key: 'rate', title: 'Rate', number: true, cell: ({ apr }) => percent(apr) },
    { key: 'payment', title: 'Payment', number: true, cell: ({ monthlyPayment }) => money(monthlyPayment) },
    { key: 'pti', title: 'PTI', number: true, cell: ({ pti }) => share(pti) },
    { key: 'dti', title: 'DTI', number: true, cell: ({ dti }) => share(dti) },
    { key: 'ltv', title: 'LTV', number: true, cell: ({ ltv }) => share(ltv) },
    { key: 'default', title: 'Default prob.', number: true, cell: (deal) => share(deal.defaultProbability) },
    { key: 'yield', title: 'Yield', number: true, cell: ({ forecast }) => share(forecast.yield) },
    { key: 'price', title: 'Price', number: true, cell: ({ pricing }) => percent(pricing?.price) },
  ];
  return (
    <div className="heat-table">
      <Table label="All deals" columns={columns} rows={deals} rowKey={({ dealIndex }) => String(dealIndex)} />
    </div>
  );
}
