/** Balance and money received against the forecast of underwriting, each as a chart with its table. */
import { day, fromCents } from '../../../format.ts';
import { Figure, Panel } from '../../../parts/basics.tsx';
import { Chart } from '../../../parts/chart.tsx';
import { Empty } from '../../../parts/states.tsx';
import type { Month } from '../data.ts';
import { balances, priceOf, received, standingOf } from '../figures.ts';

export function Performance({ months }: { months: readonly Month[] }) {
  if (months.length === 0) {
    return (
      <Panel title="Performance against forecast" flush>
        <Empty title="No performance yet">It is measured from the day the loan is funded.</Empty>
      </Panel>
    );
  }
  const standing = standingOf(months);
  const [owed, paid] = [balances(months), received(months)];
  const expects = owed.expected.some((value) => value !== null);
  return (
    <Panel title="Performance against forecast">
      <div className="stack">
        {standing !== null && (
          <div className="figures">
            <Figure
              label="Received, USD"
              value={fromCents(standing.received)}
              note={`in ${standing.months} full months`}
            />
            <Figure label="Expected, USD" value={fromCents(standing.expected)} note="in the same months" />
            <Figure
              label="Received, % of expected"
              value={
                standing.expected === 0n
                  ? '—'
                  : `${priceOf(fromCents(standing.received), fromCents(standing.expected))} %`
              }
              note={`to ${day(standing.to)}`}
            />
          </div>
        )}
        <div className="market-two">
          <div className="stack">
            <h3>Balance on the books, USD</h3>
            <Chart
              title="Balance against forecast"
              x={owed.dates}
              unit="cents"
              lines={[
                { label: 'Balance', color: '--chart-balance', values: owed.actual },
                ...(expects
                  ? [{ label: 'Expected balance', color: '--chart-expected', values: owed.expected, dashed: true }]
                  : []),
              ]}
            />
          </div>
          {paid.dates.length > 0 && (
            <div className="stack">
              <h3>Received so far, USD</h3>
              <Chart
                title="Money received against forecast"
                x={paid.dates}
                unit="cents"
                lines={[
                  { label: 'Received', color: '--chart-received', values: paid.actual },
                  ...(expects
                    ? [{ label: 'Expected', color: '--chart-expected', values: paid.expected, dashed: true }]
                    : []),
                ]}
              />
            </div>
          )}
        </div>
        <p className="quiet small">
          {expects
            ? 'The forecast is the one made when the loan was underwritten: an average over many such loans, with defaults and early payoffs. Received is principal, interest and recoveries, without fees.'
            : 'Underwriting published no forecast for the terms of this loan.'}
        </p>
      </div>
    </Panel>
  );
}
