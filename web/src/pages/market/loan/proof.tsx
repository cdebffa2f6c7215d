/** The proof of one transaction, checked in this browser, step by step. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Badge, Panel } from '../../../parts/basics.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import { proofOf } from '../data.ts';
import { check, fails, holds, type Step } from '../proof.ts';

export function Proof({ loanId, hash }: { loanId: string; hash: string | null }) {
  return (
    <Panel title="Proof">
      <div id="proof" tabIndex={-1} className="stack">
        {hash === null ? (
          <Empty title="Choose a transaction to check">
            Your browser computes the path from its hash to the root of the ledger itself, without relying on this
            service.
          </Empty>
        ) : window.isSecureContext ? (
          <Checked key={hash} loanId={loanId} hash={hash} />
        ) : (
          <Empty title="This page cannot check proofs">
            Browsers compute hashes only on pages opened over https or on localhost.
          </Empty>
        )}
      </div>
    </Panel>
  );
}

function Checked({ loanId, hash }: { loanId: string; hash: string }) {
  const query = useQuery(proofOf(loanId, hash));
  const steps = useSteps(hash, query.data);
  if (query.data === undefined && query.error !== null)
    return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <div>
        <div className="figure-label">Transaction</div>
        <p className="mono">{hash}</p>
      </div>
      {steps === null ? (
        <Loading rows={5} label="Checking" />
      ) : (
        <>
          <Outcome steps={steps} again={() => void query.refetch()} />
          <ol className="market-steps">
            {steps.map((step) => (
              <StepItem key={step.title} step={step} />
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** Null while it is being checked. */
function useSteps(hash: string, given: unknown): Step[] | null {
  const [steps, setSteps] = useState<Step[] | null>(null);
  useEffect(() => {
    if (given === undefined) return;
    let current = true;
    void check(hash, given).then((done) => {
      if (current) setSteps(done);
    });
    return () => {
      current = false;
    };
  }, [hash, given]);
  return steps;
}

function Outcome({ steps, again }: { steps: readonly Step[]; again: () => void }) {
  if (fails(steps)) {
    return (
      <p className="notice bad" role="alert">
        <strong>Verification failed.</strong> The response does not prove this transaction. The failed step is marked
        below.
      </p>
    );
  }
  if (holds(steps)) {
    return (
      <p className="notice good" role="status">
        <strong>Verified.</strong> This transaction is in the ledger, unchanged. Every hash was computed in this
        browser.
      </p>
    );
  }
  return (
    <div className="notice info line" role="status">
      <span>
        <strong>Not complete yet.</strong> All checks that can run now have passed.
      </span>
      <button type="button" className="link no-print" onClick={again}>
        Check again
      </button>
    </div>
  );
}

const WORDS = { holds: ['good', '✓ Passed'], fails: ['bad', '✗ Failed'], open: ['neutral', 'Pending'] } as const;

function StepItem({ step: { title, outcome, detail, claimed, computed } }: { step: Step }) {
  const [tone, word] = WORDS[outcome];
  return (
    <li>
      <span>
        <Badge tone={tone}>{word}</Badge>
      </span>
      <div className="market-said">
        <p>{title}</p>
        <p className="quiet small">{detail}</p>
        {outcome === 'fails' ? (
          <>
            <p className="small">
              Claimed <span className="mono">{claimed || 'nothing'}</span>
            </p>
            <p className="small">
              Computed <span className="mono">{computed || 'nothing'}</span>
            </p>
          </>
        ) : (
          computed && <p className="mono">{computed}</p>
        )}
      </div>
    </li>
  );
}
