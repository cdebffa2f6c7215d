/** Underwriting of a loan: its stipulations, signs and deals, the price, and the expectations then and now. */
import { useQuery } from '@tanstack/react-query';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { loanPath, read } from '../../../api.ts';
import { forecastMoney, money, share } from '../../../format.ts';
import { Panel, Table } from '../../../parts/basics.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import { useCan } from '../../../shell/session.tsx';
import { DealsView } from '../../origination/deals-view.tsx';
import { contractDeal } from '../../origination/figures.ts';
import { Flows } from '../../origination/flows.tsx';
import { SignsPanel } from './signs.tsx';
import { StipulationsPanel } from './stipulations.tsx';

type Details = Schemas['LoanDetails'];
type Forecast = Schemas['Forecast'];

export function UnderwritingTab({ loanId }: { loanId: string }) {
  const can = useCan();
  const summary = useQuery(read('readSummary', loanPath(loanId)));
  const deals = useQuery(read('listDeals', loanPath(loanId)));
  const identity = useQuery({ ...read('readIdentity', loanPath(loanId)), enabled: can('loans:read_pii') });
  const error = summary.error ?? deals.error;
  if (error) {
    return (
      <ErrorState
        error={error}
        retry={() => {
          void summary.refetch();
          void deals.refetch();
        }}
      />
    );
  }
  if (summary.data === undefined || deals.data === undefined) return <Loading rows={14} label="Loading underwriting" />;
  const { loanDetails, assessed } = summary.data.data;
  const { items } = deals.data.data;
  return (
    <div className="stack">
      <Outlook loanId={loanId} details={loanDetails} />
      <StipulationsPanel loanId={loanId} summary={summary.data.data} />
      <SignsPanel loanId={loanId} />
      {items.length === 0 ? (
        <Panel title="Deals" flush>
          <Empty title="This loan has no deals">
            {assessed
              ? 'It was assessed elsewhere, and its record contains no deals.'
              : 'It was not underwritten here.'}
          </Empty>
        </Panel>
      ) : (
        <DealsView
          loanId={loanId}
          deals={items}
          contract={contractDeal(items, loanDetails)}
          coApplicant={identity.data?.data.coBorrower != null}
        />
      )}
    </div>
  );
}

/** Expectations at underwriting beside those of today. */
function Outlook({ loanId, details }: { loanId: string; details: Details }) {
  const query = useQuery(read('readForecast', loanPath(loanId)));
  // Before funding there is no loan to forecast.
  if (query.error instanceof ProblemError && query.error.status === 409) return null;
  return (
    <Panel title="Then and now" flush>
      {query.error ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading rows={9} label="Loading the forecast" />
      ) : (
        <ThenAndNow details={details} forecast={query.data.data} />
      )}
    </Panel>
  );
}

type Line = { label: string; before: string; now: string };

function ThenAndNow({ details, forecast }: { details: Details; forecast: Forecast }) {
  const figures = forecast.figures as Readonly<Record<string, string | undefined>>;
  const amount = (key: keyof Details & string, label: string): Line => ({
    label,
    before: forecastMoney(String(details[key] ?? '')),
    now: money(figures[key]),
  });
  const lines: Line[] = [
    { label: 'Grade', before: details.grade || '—', now: forecast.grade || '—' },
    {
      label: 'Default probability',
      before: share(details.defaultProbability),
      now: share(forecast.defaultProbability),
    },
    { label: 'Yield', before: share(details.predictedYield), now: share(figures.predictedYield) },
    { label: 'Balance', before: money(details.loanAmount), now: money(forecast.balance) },
    amount('predictedPrincipalPaid', 'Future principal'),
    amount('predictedInterestPaid', 'Future interest'),
    amount('predictedChargeoffAmount', 'Charge-offs'),
    amount('predictedRecoveredAmount', 'Recoveries'),
    amount('fairValuePrice', 'Fair value'),
  ];
  return (
    <div className="then-and-now">
      <Table
        label="Then and now"
        rows={lines}
        rowKey={({ label }) => label}
        columns={[
          { key: 'label', title: 'Expected', cell: ({ label }) => label },
          { key: 'before', title: 'At underwriting', number: true, cell: ({ before }) => before },
          { key: 'now', title: 'From today on', number: true, cell: ({ now }) => now },
        ]}
      />
      <div className="then-and-now-flows">
        <Flows csv={forecast.CashflowsCsv} dealIndex={0} title="Expected cash flows from today on" />
        <p className="quiet small">
          Model {forecast.modelVersion}, policy {forecast.policyVersion}.
        </p>
      </div>
    </div>
  );
}
