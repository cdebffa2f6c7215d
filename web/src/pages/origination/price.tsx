/** Composition of a rate, as a bar and as a table. */

import { money, percent } from '../../format.ts';
import { Table } from '../../parts/basics.tsx';
import { Empty } from '../../parts/states.tsx';
import { type BuildUp, buildUp, type Part, rateText } from './build-up.ts';
import type { Deal } from './figures.ts';
import './price.css';

export function Price({ deal }: { deal: Deal }) {
  const built = buildUp(deal);
  if (built === null || deal.pricing === null) {
    return (
      <Empty title="No price build-up">This loan was assessed elsewhere; the parts of its rate are unknown.</Empty>
    );
  }
  const { pricing } = deal;
  return (
    <div className="stack">
      <Bar {...built} />
      <div className="price-table">
        <Table<Part>
          label="Parts of the rate"
          rows={built.parts}
          rowKey={({ key }) => key}
          columns={[
            {
              key: 'part',
              title: 'Part',
              cell: ({ key, label, means }) => (
                <span title={means}>
                  <span className={`price-mark part-${key}`} aria-hidden="true" /> {label}
                  <span className="price-means">{means}</span>
                </span>
              ),
            },
            { key: 'points', title: '% per year', number: true, cell: ({ value }) => rateText(value) },
          ]}
          foot={
            <tr>
              <td>
                Rate <span className="price-buy">buy rate {rateText(built.buyRate)} %</span>
              </td>
              <td className="number">{rateText(built.total)}</td>
            </tr>
          }
        />
      </div>
      <dl className="facts price-facts">
        <dt>Paid out at funding</dt>
        <dd className="number">{money(pricing.paidOut)}</dd>
        <dt>Dealer’s share of the markup</dt>
        <dd className="number">{money(pricing.participation.reserve)}</dd>
        <dt>Dealer flat</dt>
        <dd className="number">{money(pricing.dealerFlat)}</dd>
        <dt>Acquisition fee</dt>
        <dd className="number">{money(pricing.acquisitionFee)}</dd>
        <dt>Discount</dt>
        <dd className="number">{money(pricing.discount)}</dd>
        <dt>Net yield</dt>
        <dd className="number">{percent(pricing.netYield)}</dd>
        <dt>Hurdle</dt>
        <dd className="number">{percent(pricing.hurdle)}</dd>
        <dt>Expected life</dt>
        <dd className="number">{Number(pricing.expectedLife).toFixed(1)} months</dd>
        <dt>Loss on charge-offs</dt>
        <dd className="number">{percent(Number(pricing.severity) * 100)}</dd>
      </dl>
    </div>
  );
}

/** Parts above zero share the width; a cap or a rate below the buy rate is in the table alone, and so is the figure of a narrow part. */
function Bar({ parts, total }: BuildUp) {
  const shown = parts.filter(({ value }) => value > 0);
  const whole = shown.reduce((sum, { value }) => sum + value, 0);
  const words = parts.map(({ label, value }) => `${label} ${rateText(value)}`).join(', ');
  return (
    <div className="price-bar" role="img" aria-label={`${words}: ${rateText(total)} percent per year.`}>
      {shown.map(({ key, label, value }) => (
        <div
          key={key}
          className={`part-${key}`}
          style={{ flexGrow: value / whole }}
          title={`${label} ${rateText(value)} %`}
        >
          {value / whole > 0.1 && rateText(value)}
        </div>
      ))}
    </div>
  );
}
