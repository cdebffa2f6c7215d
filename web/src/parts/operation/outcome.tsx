/** After it was done: what is now, what was shown once, and how it is taken back. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { daybook } from '../../api.ts';
import { day } from '../../format.ts';
import { useCan } from '../../shell/session.tsx';
import { Secret } from '../secret.tsx';
import { AnswerView, AsJson } from './answer.tsx';
import type { Operation } from './catalogue.ts';
import type { Facts } from './facts.ts';
import type { Form } from './form.ts';
import type { Values } from './own-form.ts';
import { type Outlook, Split } from './preview.tsx';
import type { Go } from './refusal.tsx';
import { secretsOf } from './secrets.ts';

export type Done = { status: number; data: unknown; values: Values; facts: Facts };

export function Outcome(props: {
  done: Done;
  form: Form;
  operation: Operation;
  operations: readonly Operation[];
  go: Go;
  close: () => void;
}) {
  const { done, form, operation, operations, go, close } = props;
  const head = useRef<HTMLHeadingElement>(null);
  // A screen reader then reads the outcome, and the keyboard continues from here.
  useEffect(() => head.current?.focus(), []);
  if (done.status === 202) return <ApprovalRequested data={done.data} close={close} />;
  const secrets = secretsOf(done.data);
  const data = without(done.data, new Set(secrets.map(({ name }) => name)));
  const isWrite = operation.dryRun || secrets.length > 0;
  return (
    <div className="stack">
      <div className="notice good" role="status">
        <h3 ref={head} tabIndex={-1}>
          ✓ {form.did(done.values, done.facts)}
        </h3>
      </div>
      {secrets.map(({ name, label, value }) => (
        <Secret key={name} label={label} value={value} />
      ))}
      {isLoanWrite(done.data) ? <Now data={done.data} /> : <AnswerView data={data} />}
      {!isWrite && <AsJson data={done.data} />}
      <div className="line">
        <button type="button" className="button primary" onClick={close}>
          Close
        </button>
        {isLoanWrite(done.data) && done.facts.summary === null && (
          <Link to="/loans/$loanId" params={{ loanId: done.data.loanId }} className="button" onClick={close}>
            Show the loan
          </Link>
        )}
        {isLoanWrite(done.data) && <TakeBack written={done.data} {...{ done, form, operations, go }} />}
      </div>
    </div>
  );
}

type LoanWrite = { transactionHash: string; loanId: string };
const isLoanWrite = (data: unknown): data is LoanWrite & Outlook =>
  typeof data === 'object' && data !== null && 'transactionHash' in data && 'loanId' in data && 'loanStatus' in data;

function without(data: unknown, names: ReadonlySet<string>): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)));
}

/** The figures of the loan as they are now. */
function Now({ data }: { data: Outlook }) {
  const { allocation, loanStatus, remainingBalance } = data;
  const rest = without(
    data,
    new Set(['loanId', 'transactionHash', 'loanStatus', 'remainingBalance', 'allocation', 'changes']),
  );
  return (
    <>
      {allocation && <Split allocation={allocation} />}
      <AnswerView
        data={{ ...(remainingBalance !== undefined && { remainingBalance }), loanStatus, ...(rest as object) }}
      />
    </>
  );
}

/** Undo, if a dry run shows that it is possible. Payments have their own reversal. */
function TakeBack(props: { written: LoanWrite; done: Done; form: Form; operations: readonly Operation[]; go: Go }) {
  const { done, form, operations, go } = props;
  const { transactionHash, loanId } = props.written;
  const can = useCan();
  const own = form.takenBackBy;
  const by = operations.find(({ id }) => id === (own?.operation ?? 'undoTransaction'));
  const allowed = by !== undefined && can(...by.scopes);
  const body = { loanId, transactionHash, reason: 'Whether it can be undone' };
  const undoPreview = useQuery({
    queryKey: ['preview', 'undoTransaction', transactionHash],
    queryFn: () => daybook.undoTransaction({ query: { dryRun: true }, body }),
    enabled: own === undefined && allowed,
  });
  if (!allowed || (own === undefined && !undoPreview.isSuccess)) return null;
  return (
    <button type="button" className="button" onClick={() => go(by, own?.initial(done.values) ?? { transactionHash })}>
      {own?.label ?? 'Undo'}
    </button>
  );
}

function ApprovalRequested({ data, close }: { data: unknown; close: () => void }) {
  const { approvalId, lapsesOn } = data as { approvalId: string; lapsesOn: string };
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <div className="stack">
      <div className="notice info" role="status">
        <h3 ref={head} tabIndex={-1}>
          Approval requested
        </h3>
        <p>Nothing has changed yet. Another user can approve it until {day(lapsesOn)}.</p>
      </div>
      <div className="line">
        <button type="button" className="button primary" onClick={close}>
          Close
        </button>
        <Link to="/approvals/$approvalId" params={{ approvalId }} className="button" onClick={close}>
          Show the request
        </Link>
      </div>
    </div>
  );
}
