/** Postings of the loan to the general ledger, by transaction, and the policy under which it is serviced. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { fromCents, money, shortHash, words } from '../../../format.ts';
import { Badge, Day, Money, Panel } from '../../../parts/basics.tsx';
import { Empty, ErrorState, Loading, NoRight } from '../../../parts/states.tsx';
import { useCan } from '../../../shell/session.tsx';
import { type Posting, policyRows, postingsOf } from './books.ts';
import { loanRead } from './loan-read.ts';
import type { Point } from './point.ts';

const FIRST_SHOWN = 20;
/** A longer value of the policy gets a line of its own. */
const LONG = 40;

export function BooksTab({ loanId, point }: { loanId: string; point: Point }) {
  const can = useCan();
  return (
    <div className="stack">
      <Panel flush title="Journal, newest first">
        {can('reports:read') ? (
          <Journal loanId={loanId} point={point} />
        ) : (
          <NoRight what="the journal" scope="reports:read" />
        )}
      </Panel>
      <Policy loanId={loanId} point={point} />
    </div>
  );
}

function Journal({ loanId, point }: { loanId: string; point: Point }) {
  const [all, setAll] = useState(false);
  const query = useQuery({ ...loanRead('readJournal', loanId, point), placeholderData: keepPreviousData });
  const postings = useMemo(() => postingsOf(query.data?.data.items ?? []), [query.data]);
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={10} />;
  if (postings.length === 0)
    return <Empty title="No postings yet">The first entries are posted when the loan is funded.</Empty>;
  const { totals } = query.data.data;
  const ties = totals.debit === totals.credit && postings.every(({ debit, credit }) => debit === credit);
  const shown = all ? postings : postings.slice(0, FIRST_SHOWN);
  return (
    <>
      <p className="journal-total">
        <Badge tone={ties ? 'good' : 'bad'}>{ties ? 'Balanced' : 'Does not balance'}</Badge> Debits{' '}
        {money(totals.debit)} · credits {money(totals.credit)} · {postings.length} transactions
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <section className="table-box" aria-label="Journal" tabIndex={0}>
        <table className="table journal">
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col">Entry</th>
              <th scope="col">Takes effect</th>
              <th scope="col">Posted</th>
              <th scope="col" className="number">
                Debit
              </th>
              <th scope="col" className="number">
                Credit
              </th>
            </tr>
          </thead>
          {shown.map((posting) => (
            <PostingRows key={posting.transactionHash} posting={posting} />
          ))}
        </table>
      </section>
      {shown.length < postings.length && (
        <p className="journal-total">
          <button type="button" className="link" onClick={() => setAll(true)}>
            Show {postings.length - shown.length} earlier transactions
          </button>
        </p>
      )}
    </>
  );
}

function PostingRows({ posting }: { posting: Posting }) {
  const { transactionHash, sequence, lines, debit, credit } = posting;
  return (
    <tbody>
      <tr className="journal-head">
        <th scope="rowgroup" colSpan={4}>
          Transaction {sequence} <span className="mono quiet">{shortHash(transactionHash)}</span>
        </th>
        <td className="number">{fromCents(debit)}</td>
        <td className="number">{fromCents(credit)}</td>
      </tr>
      {lines.map((line, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: posted lines never change their order.
        <tr key={n}>
          <td className="journal-account">{words(line.account)}</td>
          <td>{words(line.entry)}</td>
          <td>
            <Day date={line.dateEffective} />
            {line.priorPeriod && <span className="quiet small"> earlier month</span>}
          </td>
          <td>
            <Day date={line.datePosted} />
          </td>
          <td className="number">{line.debit === '0' ? '' : <Money amount={line.debit} />}</td>
          <td className="number">{line.credit === '0' ? '' : <Money amount={line.credit} />}</td>
        </tr>
      ))}
    </tbody>
  );
}

function Policy({ loanId, point }: { loanId: string; point: Point }) {
  const query = useQuery(loanRead('readLoanPolicy', loanId, { asOf: point.asOf, knownAt: null }));
  const policy = query.data?.data;
  return (
    <Panel
      title="Servicing policy in force"
      actions={
        policy && (
          <span className="quiet small">
            {policy.policyId === null
              ? 'The default policy; the lender has no custom policy'
              : `${policy.policyId}, version ${policy.version}`}
            {policy.from !== null && (
              <>
                {' from '}
                <Day date={policy.from} />
              </>
            )}
          </span>
        )
      }
    >
      {query.error !== null ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : policy === undefined ? (
        <Loading rows={8} />
      ) : (
        <dl className="policy">
          {policyRows(policy.values as Record<string, unknown>).map(({ name, value }) => (
            <div key={name.join()} className={value.length > LONG ? 'wide' : undefined}>
              <dt>{name.map((one) => words(one)).join(' · ')}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}
