/** A published loan: how it stands, what it is worth, how it does beside its forecast, its payments, and the proof of it all. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { day, forecastMoney, money, percent, share } from '../../../format.ts';
import { Figure, PageHead, Status } from '../../../parts/basics.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import { type LoanOnMarket, loanOf, recordAddress } from '../data.ts';
import { priceOf } from '../figures.ts';
import { lastQuery } from '../list/query.ts';
import { Facts } from './facts.tsx';
import { Payments } from './payments.tsx';
import { Performance } from './performance.tsx';
import { Proof } from './proof.tsx';
import { Transactions } from './transactions.tsx';

export function LoanPage() {
  const { loanId } = useParams({ from: '/loans/$loanId' });
  const query = useQuery(loanOf(loanId));
  if (query.data !== undefined) return <Loan loan={query.data} />;
  if (query.error !== null) {
    const gone = 'status' in query.error && query.error.status === 404;
    return gone ? (
      <Empty
        title="This loan is not on the market"
        action={
          <Link to="/" className="button">
            See all published loans
          </Link>
        }
      >
        Its owner may have withdrawn it, or the address is wrong.
      </Empty>
    ) : (
      <ErrorState error={query.error} retry={() => void query.refetch()} />
    );
  }
  return <Loading rows={12} />;
}

function Loan({ loan }: { loan: LoanOnMarket }) {
  const { loanId, loanDetails: details, value, asOf } = loan;
  const [checked, setChecked] = useState<string | null>(null);
  const check = (hash: string) => {
    setChecked(hash);
    // The proof stands below; whoever asked for it is taken there.
    requestAnimationFrame(() => document.getElementById('proof')?.focus());
  };
  useEffect(() => {
    document.title = `${details.applicationId} · Market · Daybook`;
    return () => {
      document.title = 'Market · Daybook';
    };
  }, [details.applicationId]);
  const kind = details.metadata[details.loanType ?? ''] ?? {};
  const late = Number((details.delinquentDays ?? '0').replaceAll(',', ''));
  return (
    <>
      <PageHead
        title={
          <span className="line">
            <Link
              to="/"
              search={lastQuery.current as never}
              className="no-print"
              aria-label="Back to the published loans"
            >
              ‹
            </Link>
            {details.applicationId}
            <Status status={details.loanStatus ?? ''} days={late > 0 ? late : null} />
          </span>
        }
        note={
          <>
            As of {day(asOf)}
            {loan.isSample && ' · Sample loan, invented for the demonstration of this service'}
          </>
        }
      >
        <a className="button" href={recordAddress(loanId)} download={`${details.applicationId}.json`}>
          Public record (JSON)
        </a>
      </PageHead>
      <section className="panel" aria-label="Key figures">
        <div className="panel-body figures">
          <Figure
            label="Balance, USD"
            value={money(details.remainingBalance)}
            note={`of ${money(details.loanAmount)}`}
          />
          <Figure label="Rate" value={percent(details.interestRate)} note={`APR ${share(details.apr)}`} />
          <Figure
            label="Remaining"
            value={kind.fundedDate ? `${kind.remainingTerm} of ${kind.originalTerm}` : `${details.term} months`}
            note={kind.fundedDate ? 'installments' : 'term'}
          />
          <Figure
            label="Past due, USD"
            value={money(details.delinquentAmount)}
            note={late === 0 ? 'nothing past due' : `${late} days`}
          />
          <Figure
            label="Price today"
            value={value === null ? '—' : percent(priceOf(value.fairValue, value.balance))}
            note={
              value === null
                ? details.loanStatus === 'ChargedOff'
                  ? 'charged off'
                  : 'nothing owed'
                : `${money(value.fairValue)} of the balance`
            }
            why={
              value && (
                <p>
                  Present value of the expected payments on {day(value.asOf)}, computed by model {value.modelVersion}{' '}
                  from the balance, the rate, the days past due and the figures at underwriting. Probability of default
                  over the remaining term: {share(value.defaultProbability)}.
                </p>
              )
            }
          />
          <Figure
            label="Yield at par today"
            value={value === null ? '—' : share(value.yieldAtPar)}
            note="per year, after servicing"
          />
          <Figure
            label="Price at underwriting"
            value={percent(priceOf(details.fairValuePrice ?? '', details.loanAmount ?? ''))}
            note={details.fairValuePrice ? forecastMoney(details.fairValuePrice) : 'not assessed'}
          />
          <Figure label="Yield at underwriting" value={share(details.predictedYield)} note="per year" />
        </div>
      </section>
      <Performance months={loan.performance} />
      <div className="market-side">
        <Facts details={details} kind={kind} asOf={asOf} />
        <Payments payments={details.loanPayments} check={check} />
      </div>
      <div className="market-two">
        <Transactions loanId={loanId} check={check} checked={checked} />
        <Proof loanId={loanId} hash={checked} />
      </div>
    </>
  );
}
