/** The deals of a loan and everything about the selected one: for an application that is decided, and for a loan that was. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { loanPath, read } from '../../api.ts';
import { money, percent, share } from '../../format.ts';
import { Panel } from '../../parts/basics.tsx';
import { ErrorState, Loading } from '../../parts/states.tsx';
import { useShortcuts } from '../../shell/keyboard.tsx';
import { Comparison, MOST_COMPARED, Verdict } from './comparison.tsx';
import { type Deal, dealWords } from './figures.ts';
import { Flows } from './flows.tsx';
import { HeatMap } from './heat-map.tsx';
import { Price } from './price.tsx';
import { Reasons, useFile } from './reasons.tsx';
import { Report } from './report.tsx';
import './underwriting.css';

export function DealsView(props: {
  loanId: string;
  deals: readonly Deal[];
  /** The deal that was signed. */
  contract?: Deal | undefined;
  coApplicant: boolean;
  /** Buttons for the selected deal. */
  actions?: (deal: Deal) => ReactNode;
}) {
  const { loanId, contract } = props;
  const [selected, setSelected] = useState(contract?.dealIndex ?? 0);
  const [compared, setCompared] = useState<readonly number[]>([]);
  const opened = useFile(loanId);
  const deals = opened.data?.deals ?? props.deals;
  const byIndex = (n: number) => deals.find(({ dealIndex }) => dealIndex === n);
  const deal = byIndex(selected) ?? deals[0];
  const requested = byIndex(0);
  const toggle = (n: number) =>
    setCompared(compared.includes(n) ? compared.filter((one) => one !== n) : [...compared, n].slice(-MOST_COMPARED));
  useShortcuts([{ keys: 'c', does: 'Compare the selected deal', run: () => deal && toggle(deal.dealIndex) }]);
  if (deal === undefined) return null;
  const isCompared = compared.includes(deal.dealIndex);
  return (
    <>
      <div className="deals-grid">
        <div className="stack">
          <Panel title={deals.length === 60 ? 'Sixty deals' : `Deals (${deals.length})`}>
            <HeatMap
              deals={deals}
              selected={deal.dealIndex}
              onSelect={setSelected}
              contract={contract && byIndex(contract.dealIndex)}
            />
          </Panel>
          <Panel title={`Expected cash flows of deal ${deal.dealIndex}`}>
            <DealFlows loanId={loanId} deal={deal} />
          </Panel>
        </div>
        <div className="stack">
          <Panel
            title={deal.dealIndex === 0 ? 'Deal 0 · requested' : `Deal ${deal.dealIndex}`}
            actions={<Verdict deal={deal} requested={requested} />}
          >
            <div className="stack" aria-live="polite">
              <p>{dealWords(deal)}</p>
              <DealFacts deal={deal} />
              <div className="line no-print">
                {props.actions?.(deal)}
                <button
                  type="button"
                  className="button"
                  aria-pressed={isCompared}
                  onClick={() => toggle(deal.dealIndex)}
                >
                  {isCompared ? 'Do not compare' : 'Compare'}
                </button>
              </div>
            </div>
          </Panel>
          <Panel title={`How the rate of deal ${deal.dealIndex} is built`}>
            <Price deal={deal} />
          </Panel>
        </div>
      </div>
      {compared.length > 0 && (
        <Panel title="Side by side" flush>
          <Comparison
            deals={compared.flatMap((n) => byIndex(n) ?? [])}
            requested={requested}
            onRemove={(n) => toggle(n)}
          />
        </Panel>
      )}
      <div className="two-columns">
        <Reasons deal={opened.data === null ? undefined : deal} opened={opened} onSelect={setSelected} />
        <Report loanId={loanId} coApplicant={props.coApplicant} />
      </div>
    </>
  );
}

function DealFacts({ deal }: { deal: Deal }) {
  const { forecast, pricing } = deal;
  const rows: [label: string, value: string][] = [
    ['Payment', money(deal.monthlyPayment)],
    ['Loan amount', money(deal.loanAmount)],
    ['Payment to income', share(deal.pti)],
    ['Debt to income', share(deal.dti)],
    ['Loan to value', share(deal.ltv)],
    ['Default probability', share(deal.defaultProbability)],
    ['Expected loss', money(forecast.netLossAmount)],
    ['Expected yield', share(forecast.yield)],
    ['Price', pricing === null ? money(forecast.fairValuePrice) : percent(pricing.price)],
  ];
  return (
    <dl className="facts deal-facts">
      {rows.map(([label, value]) => (
        <div key={label} className="fact">
          <dt>{label}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Cash flows of a deal: computed if the loan was assessed here, otherwise as in its record, if there. */
function DealFlows({ loanId, deal }: { loanId: string; deal: Deal }) {
  const { dealIndex } = deal;
  const isOurs = deal.pricing !== null;
  const path = { loan_id: loanId, index: String(dealIndex) };
  const ours = useQuery({ ...read('readDealCashflows', { path }), staleTime: STALE_MS, enabled: isOurs });
  const given = useQuery({ ...read('readLoanData', loanPath(loanId)), staleTime: STALE_MS, enabled: !isOurs });
  const { error, refetch } = isOurs ? ours : given;
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  const csv = isOurs ? ours.data?.data : given.data?.data.loanDetails.Underwriting.CashflowsCsv;
  if (csv === undefined) return <Loading rows={8} label="Loading cash flows" />;
  return <Flows csv={csv} dealIndex={dealIndex} title={`Expected cash flows of deal ${dealIndex}`} />;
}

const STALE_MS = 5 * 60_000;
