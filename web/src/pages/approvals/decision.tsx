/** Approve or reject, with a reason. If the outcome has changed since the request, both are shown before a new decision. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { useState } from 'react';
import { daybook } from '../../api.ts';
import { Field, Panel } from '../../parts/basics.tsx';
import { type approvers, eitherOf } from '../../parts/operation/approvers.ts';
import type { Operation } from '../../parts/operation/catalogue.ts';
import { secretsOf } from '../../parts/operation/secrets.ts';
import { Secret } from '../../parts/secret.tsx';
import { errorText } from '../../parts/states.tsx';
import { useSession } from '../../shell/session.tsx';
import { useWork } from '../../shell/work.ts';
import { Changed } from './changed.tsx';
import { changedOutcome, standingOf } from './requests.ts';

export function Decision(props: {
  request: Schemas['ApprovalToDecide'];
  operation: Operation;
  title: string;
  may: ReturnType<typeof approvers>;
}) {
  const { request, operation, title, may } = props;
  const { approvalId } = request;
  const me = useSession();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  useWork(reason.trim() !== '' && request.state === 'pending');
  const decide = useMutation({
    mutationFn: async (how: { approve: boolean; previewHash?: string }) => {
      const body = { approvalId, reason: reason.trim() };
      if (!how.approve) return daybook.rejectRequest({ body });
      return daybook.approveRequest({ body: { ...body, ...(how.previewHash && { previewHash: how.previewHash }) } });
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['book'] }),
        queries.invalidateQueries({ queryKey: ['loan', request.loanId] }),
      ]),
  });
  const standing = standingOf(request, me, operation.scopes);
  const changed = decide.error instanceof ProblemError ? changedOutcome(decide.error.problem as object) : null;
  if (standing === 'over') {
    return decide.isSuccess ? (
      <>
        <p className="notice good" role="status">
          {request.state === 'approved' ? `✓ Approved: ${title} was carried out.` : '✓ Rejected. Nothing was changed.'}
        </p>
        {secretsOf(decide.data.data.result).map(({ name, label, value }) => (
          <Secret key={name} label={label} value={value} />
        ))}
      </>
    ) : null;
  }
  if (standing === 'noRight') {
    return (
      <p className="notice info">
        You cannot decide this. It requires a user with the scope{' '}
        <span className="mono">{operation.scopes.join(' or ')}</span>
        {may.length > 0 && `, such as the role ${eitherOf(may)}`}.
      </p>
    );
  }
  const own = standing === 'own';
  const ready = reason.trim() !== '' && !decide.isPending;
  return (
    <Panel title={own ? 'You requested this' : 'Decision'}>
      <div className="stack">
        {own && <p>Another user must approve it. You can withdraw it.</p>}
        {changed !== null && <Changed before={request.preview} now={changed.preview} />}
        {decide.error !== null && changed === null && <Refused error={decide.error} />}
        <Field
          label="Reason"
          hint={request.loanId === null ? 'Stored encrypted.' : 'Stored encrypted; the timeline of the loan shows it.'}
        >
          {(ids) => (
            <textarea
              {...ids}
              className="input"
              maxLength={500}
              rows={2}
              value={reason}
              onChange={(event) => setReason(event.target.value.replaceAll(/[\r\n]+/g, ' '))}
            />
          )}
        </Field>
        <div className="line">
          {!own && (
            <button
              type="button"
              className="button primary"
              disabled={!ready}
              onClick={() =>
                decide.mutate({ approve: true, ...(changed !== null && { previewHash: changed.previewHash }) })
              }
            >
              {changed === null ? `Approve: ${title}` : 'Approve the new outcome'}
            </button>
          )}
          <button
            type="button"
            className="button bad"
            disabled={!ready}
            onClick={() => decide.mutate({ approve: false })}
          >
            {own ? 'Withdraw' : 'Reject'}
          </button>
          {reason.trim() === '' && <span className="small quiet">A reason is required.</span>}
        </div>
      </div>
    </Panel>
  );
}

function Refused({ error }: { error: unknown }) {
  const { title, detail, requestId } = errorText(error);
  return (
    <div className="notice bad" role="alert">
      <p className="state-title">{title}</p>
      <p>{detail}</p>
      {requestId !== null && (
        <p className="small">
          Request <span className="mono">{requestId}</span>
        </p>
      )}
    </div>
  );
}
