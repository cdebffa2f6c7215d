/** The ledger transactions of the loan, each checked here in the browser. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { shortHash, words } from '../../../format.ts';
import { Badge, Moment, Panel, type Tone } from '../../../parts/basics.tsx';
import { ErrorState, Loading } from '../../../parts/states.tsx';
import { loanRead } from './loan-read.ts';
import { type Checked, type Result, STEPS, type Step, type Transaction, type Verdict, verify } from './proof.ts';

const STEP_NAMES: Record<Step, string> = { hash: 'SHA-256', link: 'Link', path: 'Path', block: 'Block hash' };
const STEP_MEANS: Record<Step, string> = {
  hash: 'The SHA-256 of the recorded text, computed here, matches the hash of the transaction.',
  link: 'The text names the hash of the transaction before it.',
  path: 'The sibling hashes lead from the transaction to the root of its block.',
  block: 'The hash of the block, computed here from its header, matches the stated hash.',
};
const RESULTS: Record<Result, readonly [Tone, string, string]> = {
  holds: ['good', '✓', 'verified'],
  fails: ['bad', '✗', 'not verified'],
  waits: ['neutral', '…', 'waiting for its block to be sealed'],
};

export function ProofTab({ loanId }: { loanId: string }) {
  // The whole chain from the first transaction on: a part of it could not be checked.
  const query = useQuery(loanRead('listTransactions', loanId));
  const items = query.data?.data.items;
  const verdict = useVerdict(items);
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (items === undefined) return <Loading rows={12} />;
  if (!window.isSecureContext) return <NotSecure />;
  if (verdict === null) return <Loading rows={12} label="Checking" />;
  return (
    <div className="stack">
      <Outcome verdict={verdict} loanId={loanId} items={items} />
      <Panel flush title="Transactions, newest first">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
        <section className="table-box" aria-label="Transactions" tabIndex={0}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col" className="number">
                  #
                </th>
                <th scope="col">Type</th>
                <th scope="col">Recorded</th>
                <th scope="col">Hash</th>
                {STEPS.map((step) => (
                  <th key={step} scope="col" title={STEP_MEANS[step]}>
                    {STEP_NAMES[step]}
                  </th>
                ))}
                <th scope="col" className="number">
                  In block
                </th>
              </tr>
            </thead>
            <tbody>
              {verdict.checked.toReversed().map((checked) => (
                <CheckedRow key={checked.transaction.transactionHash} checked={checked} />
              ))}
            </tbody>
          </table>
        </section>
      </Panel>
    </div>
  );
}

function useVerdict(items: readonly Transaction[] | undefined): Verdict | null {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  useEffect(() => {
    if (items === undefined || !window.isSecureContext) return;
    let gone = false;
    void verify(items).then((found) => {
      if (!gone) setVerdict(found);
    });
    return () => {
      gone = true;
    };
  }, [items]);
  return verdict;
}

function Outcome({ verdict, loanId, items }: { verdict: Verdict; loanId: string; items: readonly Transaction[] }) {
  const { checked, failed, waiting, blocks } = verdict;
  const holds = failed === 0;
  return (
    <div className={`notice ${holds ? 'good' : 'bad'}`} role="status">
      <div className="line spread">
        <strong>
          {holds
            ? `Verified in this browser: ${checked.length} transactions${blocks > 0 ? ` in ${blocks} blocks` : ''}`
            : `${failed} of ${checked.length} transactions could not be verified`}
        </strong>
        <button type="button" className="button" onClick={() => download(loanId, items)}>
          Download to check offline
        </button>
      </div>
      <p>
        {holds
          ? 'All checks passed: no transaction between the first and the last was changed, removed or reordered.'
          : 'The recorded and the displayed transactions differ. Do not rely on these figures; contact your administrator.'}
        {waiting > 0 &&
          ` ${waiting === 1 ? 'One is' : `${waiting} are`} waiting for a block to be sealed, which takes a few seconds. The path is checked then.`}
      </p>
      <p className="small">
        To detect transactions missing at the end, compare the block hashes with a ledger root that you saved earlier.
      </p>
    </div>
  );
}

function NotSecure() {
  return (
    <div className="notice late">
      This page was loaded over an unencrypted connection, on which browsers do not offer SHA-256. Open it over https,
      or download the transactions with the API and check them with{' '}
      <span className="mono">npm run verify -- --loan FILE</span>.
    </div>
  );
}

function CheckedRow({ checked }: { checked: Checked }) {
  const [open, setOpen] = useState(false);
  const { transaction, results, computed } = checked;
  const { sequence, type, recordedAt, transactionHash, block, proof, body } = transaction;
  return (
    <>
      <tr>
        <td className="number">{sequence}</td>
        <td>{words(type)}</td>
        <td>
          <Moment at={recordedAt} />
        </td>
        <td>
          <button
            type="button"
            className="link mono"
            aria-expanded={open}
            aria-label={`${shortHash(transactionHash)}: details of transaction ${sequence}`}
            onClick={() => setOpen(!open)}
          >
            {shortHash(transactionHash)}
          </button>
        </td>
        {STEPS.map((step) => {
          const [tone, sign, said] = RESULTS[results[step]];
          return (
            <td key={step}>
              <Badge tone={tone}>
                <span aria-hidden="true">{sign}</span>
                <span className="hidden-visually">
                  {STEP_NAMES[step]} {said}
                </span>
              </Badge>
            </td>
          );
        })}
        <td className="number">{block}</td>
      </tr>
      {open && (
        <tr>
          <td colSpan={9} className="proof-details">
            <dl className="facts">
              <dt>Stated hash</dt>
              <dd className="mono">{transactionHash}</dd>
              <dt>Computed here</dt>
              <dd className="mono">{computed}</dd>
              {proof !== null && (
                <>
                  <dt>Place in the block</dt>
                  <dd>
                    {proof.index + 1} of {proof.header.count}
                  </dd>
                  <dt>Sibling hashes</dt>
                  <dd className="mono">{proof.siblings.length === 0 ? 'none' : proof.siblings.join(' ')}</dd>
                  <dt>Root of the block</dt>
                  <dd className="mono">{proof.header.root}</dd>
                  <dt>Hash of the block</dt>
                  <dd className="mono">{proof.header.hash}</dd>
                </>
              )}
              <dt>Recorded text</dt>
              <dd className="mono proof-body">{body}</dd>
            </dl>
          </td>
        </tr>
      )}
    </>
  );
}

function download(loanId: string, items: readonly Transaction[]): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify({ data: { items } })], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `transactions-${loanId.slice(2, 10)}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
