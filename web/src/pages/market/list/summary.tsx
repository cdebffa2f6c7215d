/** Totals over the listed loans. */

import { cents, count, fromCents, money, percent } from '../../../format.ts';
import { Badge, Figure, type Tone } from '../../../parts/basics.tsx';
import type { MarketSummary } from '../data.ts';
import { priceOf } from '../figures.ts';

export function Summary({ summary }: { summary: MarketSummary }) {
  const serviced = summary.buckets.reduce((sum, { balance }) => sum + (cents(balance) ?? 0n), 0n);
  const late = summary.buckets.slice(2).reduce((sum, { balance }) => sum + (cents(balance) ?? 0n), 0n);
  return (
    <div className="stack">
      <div className="figures">
        <Figure
          label="Loans"
          value={count(summary.count)}
          note={summary.others === 0 ? undefined : `${count(summary.others)} not in repayment`}
        />
        <Figure label="Principal balance" value={money(summary.balance)} />
        <Figure label="Rate, by balance" value={percent(summary.weightedRate)} />
        <Figure
          label="30 days and more past due"
          value={percent(priceOf(fromCents(late), fromCents(serviced)))}
          note={fromCents(late)}
        />
        <Figure
          label="Charged off"
          value={count(summary.chargedOff.count)}
          note={`${money(summary.chargedOff.balance)} owed`}
        />
      </div>
      <Buckets summary={summary} serviced={serviced} />
    </div>
  );
}

const NAMES: Record<string, string> = { current: 'Current', '120+': '120+ days' };
const tone = (bucket: string): Tone => (bucket === 'current' ? 'neutral' : /^(90|120)/.test(bucket) ? 'bad' : 'late');

/** Each bucket with its share of the balance that is being serviced. */
function Buckets({ summary, serviced }: { summary: MarketSummary; serviced: bigint }) {
  return (
    <ul className="market-buckets" aria-label="Delinquency">
      {summary.buckets.map(({ bucket, count: loans, balance }) => (
        <li key={bucket}>
          <Badge tone={loans === 0 ? 'neutral' : tone(bucket)}>
            {NAMES[bucket] ?? `${bucket.replace('-', '–')} days`}
          </Badge>
          <span>
            {count(loans)} {loans === 1 ? 'loan' : 'loans'} · {percent(priceOf(balance, fromCents(serviced)) || '0')}
          </span>
        </li>
      ))}
    </ul>
  );
}
