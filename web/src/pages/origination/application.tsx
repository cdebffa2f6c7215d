/** One application: who asks for what, the deals, and the decision. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { loanPath, read } from '../../api.ts';
import { money, percent, share } from '../../format.ts';
import { Day, Figure, PageHead, Panel, Status } from '../../parts/basics.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { Empty, ErrorState, Loading, NoRight } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';
import { DealsView } from './deals-view.tsx';
import { contractDeal, type Deal, verdictOf } from './figures.ts';
import { NextStep } from './next-step.tsx';
import { ageInDays, ageText, dayOf, isWaiting } from './steps.ts';
import './underwriting.css';

type Summary = Schemas['LoanSummary'];
type Identity = Schemas['MaskedIdentity'];

export function Application() {
  const { loanId = '' } = useParams({ strict: false });
  const can = useCan();
  if (!can('loans:read')) return <NoRight what="applications" scope="loans:read" />;
  return <Loaded key={loanId} loanId={loanId} />;
}

function Loaded({ loanId }: { loanId: string }) {
  const can = useCan();
  const summary = useQuery(read('readSummary', loanPath(loanId)));
  const deals = useQuery(read('listDeals', loanPath(loanId)));
  const timeline = useQuery(read('readTimeline', loanPath(loanId)));
  const identity = useQuery({ ...read('readIdentity', loanPath(loanId)), enabled: can('loans:read_pii') });
  if (summary.error) {
    const missing = summary.error instanceof ProblemError && summary.error.status === 404;
    return missing ? (
      <Empty
        title="There is no such application"
        action={
          <Link to="/underwriting" className="button">
            Back to underwriting
          </Link>
        }
      >
        It may belong to another organization.
      </Empty>
    ) : (
      <ErrorState error={summary.error} retry={() => void summary.refetch()} />
    );
  }
  const found = summary.data?.data;
  if (found === undefined) return <Skeleton />;
  const passed = new Set(timeline.data?.data.items.map(({ type }) => type));
  return (
    <>
      <Head summary={found} identity={identity.data?.data} deals={deals.data?.data.items ?? []} />
      <NextStep summary={found} passed={passed} />
      {deals.error ? (
        <Panel title="Deals" flush>
          <ErrorState error={deals.error} retry={() => void deals.refetch()} />
        </Panel>
      ) : deals.data === undefined ? (
        <Panel title="Deals" flush>
          <Loading rows={14} label="Loading deals" />
        </Panel>
      ) : (
        <Deals
          loanId={loanId}
          summary={found}
          deals={deals.data.data.items}
          coApplicant={identity.data?.data.coBorrower != null}
        />
      )}
    </>
  );
}

function Deals(props: { loanId: string; summary: Summary; deals: readonly Deal[]; coApplicant: boolean }) {
  const { loanId, summary, deals, coApplicant } = props;
  const operate = useOperation();
  const can = useCan();
  const { loanStatus, loanDetails, allowed, assessed } = summary;
  if (deals.length === 0) {
    return (
      <Panel title="Deals" flush>
        <Empty title={assessed ? 'The record has no deals' : 'Not assessed yet'}>
          {assessed
            ? 'This loan was assessed elsewhere, without deals.'
            : 'Starting underwriting pulls the credit report and prices sixty deals around the requested terms.'}
        </Empty>
      </Panel>
    );
  }
  const decides = can('underwriting:write') && allowed.includes('complete-underwriting');
  const contract =
    loanStatus === 'UnderwritingStarted' || loanStatus === 'Rejected' ? undefined : contractDeal(deals, loanDetails);
  const decide = (deal: Deal, approved: boolean) =>
    operate('completeUnderwriting', {
      loanId: summary.loanId,
      initial: { approved, dealIndex: deal.dealIndex },
      title: approved ? `Approve deal ${deal.dealIndex}` : 'Decline application',
    });
  return (
    <DealsView
      // A new run has new deals.
      key={summary.version}
      loanId={loanId}
      deals={deals}
      contract={contract}
      coApplicant={coApplicant}
      {...(decides && {
        actions: (deal: Deal) => {
          const declined = verdictOf(deal, undefined) === 'declined';
          return (
            <>
              <button
                type="button"
                className={declined ? 'button' : 'button primary'}
                onClick={() => decide(deal, true)}
              >
                Approve deal {deal.dealIndex}
                {declined && ' anyway'}
              </button>
              <button type="button" className="button bad" onClick={() => decide(deal, false)}>
                Decline
              </button>
            </>
          );
        },
      })}
    />
  );
}

function Head(props: { summary: Summary; identity: Identity | undefined; deals: readonly Deal[] }) {
  const { summary, identity, deals } = props;
  const { loanDetails: loan, loanStatus, asOf } = summary;
  const title = [identity?.borrower?.name, identity?.vehicle?.description].filter(Boolean).join(' · ');
  const deal = contractDeal(deals, loan);
  const age = ageInDays(loan.createdAt, asOf);
  return (
    <>
      <PageHead
        title={title || `Application ${loan.applicationId}`}
        note={
          <>
            <Link to="/underwriting">Underwriting</Link> · {loan.applicationId || summary.loanId.slice(0, 10)} ·
            received <Day date={dayOf(loan.createdAt)} />
            {isWaiting(loanStatus) && `, ${ageText(age)}`}
            {identity?.coBorrower && ` · with ${identity.coBorrower.name ?? 'a co-applicant'}`}
            {identity?.state && ` · ${identity.state}`}
          </>
        }
      >
        <Status status={loanStatus} />
        <Link to="/loans/$loanId" params={{ loanId: summary.loanId }} className="button">
          Open loan
        </Link>
      </PageHead>
      <Panel>
        <div className="figures">
          <Figure label="Amount" value={money(loan.loanAmount)} note={`${money(loan.principalAmount)} principal`} />
          <Figure label="Term" value={`${loan.term} months`} note={`at ${percent(loan.interestRate)}`} />
          <Figure
            label="Payment"
            value={deal ? money(deal.monthlyPayment) : '—'}
            note={deal ? `${money(deal.downPayment)} down` : 'after assessment'}
          />
          <Figure
            label="Vehicle"
            value={money(loan.collateralAmount)}
            note={
              deal
                ? `loan to wholesale value ${share(deal.ltv)}`
                : identity?.vehicle?.vinLastFour
                  ? `VIN •••• ${identity.vehicle.vinLastFour}`
                  : loan.collateralType
            }
          />
          <Figure
            label="Grade"
            value={loan.grade || '—'}
            note={loan.grade ? `${loan.riskRating} risk` : 'not assessed'}
          />
          <Figure
            label="Default probability"
            value={share(loan.defaultProbability)}
            note={loan.predictedYield ? `yield ${share(loan.predictedYield)}` : undefined}
          />
        </div>
      </Panel>
    </>
  );
}

function Skeleton() {
  return (
    <>
      <PageHead title="Application" note="Loading" />
      <Panel flush>
        <Loading rows={3} />
      </Panel>
      <Panel flush>
        <Loading rows={14} />
      </Panel>
    </>
  );
}
