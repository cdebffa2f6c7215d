/** Head of the loan's page: borrower (masked), vehicle, application, status; holds and open approvals as warnings. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Data } from 'daybook-sdk';
import { useEffect } from 'react';
import { read } from '../../../api.ts';
import { day, words } from '../../../format.ts';
import { Badge, Day, Status } from '../../../parts/basics.tsx';
import { useOperation } from '../../../parts/operation/operation.tsx';
import { useCan } from '../../../shell/session.tsx';
import { labelOf } from './actions.ts';
import { useIdentity } from './identity.ts';
import { loanRead } from './loan-read.ts';
import type { Point } from './point.ts';
import { inEffect } from './standing.ts';

export type Summary = Data<'readSummary'>;

export function LoanHead(props: { loanId: string; summary: Summary; canReveal: boolean; onReveal: () => void }) {
  const { loanId, summary } = props;
  const { identity, loading } = useIdentity(loanId);
  const { applicationId, delinquentDays, lenderId } = summary.loanDetails;
  const names = [identity?.borrower?.name, identity?.coBorrower?.name].filter(Boolean).join(' and ');
  useEffect(() => {
    document.title = `${applicationId} · Daybook`;
    return () => {
      document.title = 'Daybook';
    };
  }, [applicationId]);
  return (
    <header className="loan-head">
      <div className="loan-title">
        <Link to="/loans" className="loan-back no-print">
          ‹ Loans
        </Link>
        <h1>
          {loading ? <span className="bar loan-name-bar" /> : names || (identity?.erased ? 'Erased' : applicationId)}
        </h1>
        {props.canReveal && (
          <button type="button" className="button small-button no-print" onClick={props.onReveal}>
            Reveal
          </button>
        )}
      </div>
      <p className="loan-facts">
        {identity?.vehicle && (
          <span>
            {identity.vehicle.description}
            {identity.vehicle.vinLastFour !== null && (
              <span className="quiet"> VIN •••• {identity.vehicle.vinLastFour}</span>
            )}
          </span>
        )}
        {names !== '' && <span>{applicationId}</span>}
        <span className="quiet">Lender {lenderId}</span>
      </p>
      <div className="loan-standing">
        <Status status={summary.loanStatus} days={delinquentDays} />
        {summary.closedBy !== null && <Badge>Closed by {words(summary.closedBy).toLowerCase()}</Badge>}
        {summary.acceleratedOn !== null && <Badge tone="bad">Accelerated {day(summary.acceleratedOn)}</Badge>}
      </div>
    </header>
  );
}

/** Only where there is something to warn of. */
export function Warnings({ loanId, summary, point }: { loanId: string; summary: Summary; point: Point }) {
  const { holds, militaryService, pendingApprovals } = summary;
  const service = militaryService.filter(({ inEffect }) => inEffect);
  if (holds.length === 0 && service.length === 0 && pendingApprovals === 0) return null;
  return (
    <div className="loan-warnings">
      {holds.length > 0 && <Holds loanId={loanId} summary={summary} point={point} />}
      {service.map(({ serviceFrom, interestRate }) => (
        <div key={serviceFrom} className="notice late">
          <span aria-hidden="true">⚠ </span>
          Military service since <Day date={serviceFrom} />: interest is at most {interestRate} %.
        </div>
      ))}
      {pendingApprovals > 0 && <Waiting loanId={loanId} count={pendingApprovals} />}
    </div>
  );
}

function Holds({ loanId, summary, point }: { loanId: string; summary: Summary; point: Point }) {
  const operate = useOperation();
  const can = useCan();
  const query = useQuery(loanRead('listHolds', loanId, point));
  const releases = can('servicing:write') && summary.allowed.includes('release-hold');
  return summary.holds.map(({ holdId, kind, from, to }) => {
    const effects = query.data?.data.items.find((hold) => hold.holdId === holdId)?.effects ?? [];
    return (
      <div key={holdId} className="notice late loan-warning">
        <span>
          <span aria-hidden="true">⚠ </span>
          <strong>Hold: {words(kind).toLowerCase()}</strong> since <Day date={from} />
          {to !== null && (
            <>
              {' '}
              to <Day date={to} />
            </>
          )}
          {effects.length > 0 && (
            <span className="small"> · {effects.map(({ area, effect }) => inEffect(area, effect)).join(', ')}</span>
          )}
        </span>
        {releases && (
          <button
            type="button"
            className="link no-print"
            onClick={() => operate('releaseHold', { loanId, initial: { holdId }, title: 'Release hold' })}
          >
            Release
          </button>
        )}
      </div>
    );
  });
}

function Waiting({ loanId, count }: { loanId: string; count: number }) {
  const query = useQuery(read('listApprovals', { query: { loanId, state: 'pending' } }));
  const only = query.data?.data.items.length === 1 ? query.data.data.items[0] : undefined;
  const text = count === 1 ? 'A request waits for approval' : `${count} requests wait for approval`;
  return (
    <div className="notice info loan-warning">
      <span>
        {text}
        {only && `: ${labelOf(only.operation).toLowerCase()}`}
      </span>
      {only ? (
        <Link to="/approvals/$approvalId" params={{ approvalId: only.approvalId }}>
          Open
        </Link>
      ) : (
        <Link to="/approvals">Open</Link>
      )}
    </div>
  );
}
