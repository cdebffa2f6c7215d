/** Up to three deals side by side, with what differs from the first in bold. */
import { Badge, type Column, Table, type Tone } from '../../parts/basics.tsx';
import { Empty } from '../../parts/states.tsx';
import { COMPARED, type CompareLine, type Deal, VERDICTS, verdictOf } from './figures.ts';

export const MOST_COMPARED = 3;

const TONES: Readonly<Record<string, Tone>> = { approved: 'good', counteroffer: 'good', declined: 'bad' };

export function Verdict({ deal, requested }: { deal: Deal; requested: Deal | undefined }) {
  const verdict = verdictOf(deal, requested);
  const { sign, label } = VERDICTS[verdict];
  return (
    <Badge tone={TONES[verdict] ?? 'neutral'}>
      <span aria-hidden="true">{sign}</span>
      {label}
    </Badge>
  );
}

export function Comparison(props: {
  deals: readonly Deal[];
  requested: Deal | undefined;
  onRemove: (dealIndex: number) => void;
}) {
  const { deals, requested, onRemove } = props;
  if (deals.length === 0) {
    return (
      <Empty title="No deals to compare yet">
        Select a deal in the map and press “Compare” to see up to {MOST_COMPARED} deals side by side.
      </Empty>
    );
  }
  const [first] = deals;
  const columns: Column<CompareLine | null>[] = [
    { key: 'label', title: 'Figure', cell: (line) => line?.label ?? 'Decision' },
    ...deals.map((deal) => ({
      key: String(deal.dealIndex),
      title: deal.dealIndex === 0 ? 'Deal 0 · requested' : `Deal ${deal.dealIndex}`,
      number: true,
      cell: (line: CompareLine | null) => {
        if (line === null) return <Verdict deal={deal} requested={requested} />;
        const text = line.show(deal);
        return first !== undefined && line.show(first) !== text ? <strong>{text}</strong> : text;
      },
    })),
  ];
  return (
    <div className="stack">
      <Table
        label="Deals side by side"
        columns={columns}
        rows={[null, ...COMPARED]}
        rowKey={(line) => line?.label ?? 'decision'}
      />
      <div className="line no-print compare-remove">
        {deals.map(({ dealIndex }) => (
          <button key={dealIndex} type="button" className="button" onClick={() => onRemove(dealIndex)}>
            Remove deal {dealIndex}
          </button>
        ))}
      </div>
    </div>
  );
}
