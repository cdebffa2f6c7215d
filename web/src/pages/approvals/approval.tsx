/** One request: its values, its requester, its expected outcome and the decision. */
import builtInRoles from 'virtual:roles';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { read } from '../../api.ts';
import { Day, Moment, PageHead, Panel } from '../../parts/basics.tsx';
import { AnswerView } from '../../parts/operation/answer.tsx';
import { approvers, eitherOf } from '../../parts/operation/approvers.ts';
import { type Outlook, Preview } from '../../parts/operation/preview.tsx';
import { useFacts } from '../../parts/operation/use-facts.ts';
import { ErrorState, Loading, NoRight } from '../../parts/states.tsx';
import '../../parts/operation/operation.css';
import type { Schemas } from 'daybook-sdk';
import { Who } from '../../parts/who.tsx';
import { useCan } from '../../shell/session.tsx';
import { Decision } from './decision.tsx';
import { daysLeft, requestValues } from './requests.ts';
import { Sealed } from './sealed.tsx';
import { LoanLink, operationOf, operationTitle, READERS, State } from './shared.tsx';
import './approvals.css';

/** Somebody else may decide it meanwhile, and a rejection is no event. */
const EVERY_MS = 3_000;

export function Approval() {
  return useCan()(...READERS) ? <OneRequest /> : <NoRight what="approvals" scope="loans:read" />;
}

function OneRequest() {
  const { approvalId } = useParams({ strict: false }) as { approvalId: string };
  const query = useQuery({
    ...read('readApproval', { path: { approval_id: approvalId } }),
    refetchInterval: ({ state: { data } }) => (data?.data.state === 'pending' ? EVERY_MS : false),
  });
  if (query.data !== undefined) return <RequestView key={approvalId} request={query.data.data} />;
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <PageHead title="Request for approval" />
      <Panel title="Request">
        <Loading rows={5} />
      </Panel>
      <Panel title="Expected outcome">
        <Loading rows={8} />
      </Panel>
    </>
  );
}

function RequestView({ request }: { request: Schemas['ApprovalToDecide'] }) {
  const can = useCan();
  const roles = useQuery({ ...read('listRoles'), enabled: can('admin', 'audit:read') });
  const today = useQuery(read('readClock')).data?.data.today ?? null;
  const operation = operationOf(request.operation);
  const { visible, hidden } = requestValues(request.body ?? null);
  const amount = typeof visible.amount === 'string' ? visible.amount : undefined;
  const may = operation === undefined ? [] : approvers(operation, amount, roles.data?.data.items ?? builtInRoles);
  const pending = request.state === 'pending';
  const title = operationTitle(request.operation);
  return (
    <>
      <PageHead
        title={
          <span className="line">
            {title} <State state={request.state} />
          </span>
        }
        note={
          <>
            <Link to="/approvals">Approvals</Link> · {request.approvalId}
          </>
        }
      />
      <div className="approval">
        <div className="stack">
          <Panel title="Request">
            <dl className="facts">
              {request.loanId !== null && (
                <>
                  <dt>Loan</dt>
                  <dd>
                    <LoanLink loanId={request.loanId} />
                  </dd>
                </>
              )}
              <dt>Requested by</dt>
              <dd>
                <Who party={request.requestedBy} />, <Moment at={request.requestedAt} />
              </dd>
              {pending ? (
                <>
                  <dt>Decide by</dt>
                  <dd>
                    <Day date={request.lapsesOn} /> <span className="quiet">{daysLeft(request.lapsesOn, today)}</span>
                  </dd>
                  <dt>Who may approve</dt>
                  <dd>
                    {may.length > 0
                      ? `Somebody else with the role ${eitherOf(may)}`
                      : 'Somebody else whose roles allow it'}
                  </dd>
                </>
              ) : (
                <>
                  <dt>{request.state === 'lapsed' ? 'Decision was due by' : 'Decided by'}</dt>
                  <dd>
                    {request.state === 'lapsed' ? (
                      <Day date={request.lapsesOn} />
                    ) : (
                      <>
                        <Who party={request.decidedBy} />, <Moment at={request.decidedAt} />
                      </>
                    )}
                  </dd>
                </>
              )}
            </dl>
            {request.body === null ? (
              <p className="quiet">The borrower’s data was erased. The request can no longer be read.</p>
            ) : (
              Object.keys(visible).length > 0 && <AnswerView data={visible} />
            )}
            {hidden.length > 0 && request.loanId !== null && <Sealed approvalId={request.approvalId} hidden={hidden} />}
          </Panel>
          {operation !== undefined && <Decision request={request} operation={operation} title={title} may={may} />}
        </div>
        {pending && operation !== undefined && request.loanId !== null ? (
          <WouldHappen loanId={request.loanId} request={request} operation={operation} amount={amount} />
        ) : (
          <Panel title={request.state === 'approved' ? 'Outcome' : 'Expected outcome'}>
            <AnswerView data={readable(request.result ?? request.preview)} />
          </Panel>
        )}
      </div>
    </>
  );
}

function WouldHappen(props: {
  loanId: string;
  request: Schemas['ApprovalToDecide'];
  operation: NonNullable<ReturnType<typeof operationOf>>;
  amount: string | undefined;
}) {
  const { loanId, request, operation, amount } = props;
  const { facts, error } = useFacts(loanId, []);
  if (error !== null) return <ErrorState error={error} />;
  if (facts === undefined) {
    return (
      <Panel title="Expected outcome">
        <Loading rows={8} />
      </Panel>
    );
  }
  const outlook = { ...(request.preview as Outlook), approval: false };
  // Figures of two days, or from before and after something else, side by side would blame the request for what it did not do.
  const isAsThen = facts.summary?.version === request.version && facts.summary.asOf === request.requestedOn;
  return <Preview {...{ outlook, facts, operation, amount }} asRequested={!isAsThen} />;
}

/** Without what stands elsewhere on the page. */
function readable(data: unknown): object {
  const members = Object.entries((data ?? {}) as object);
  const known = new Set(['loanId', 'dryRun', 'approval', 'transactionHash', 'overrode']);
  return Object.fromEntries(members.filter(([name]) => !known.has(name)));
}
