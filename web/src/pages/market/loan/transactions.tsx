/** Every transaction of the loan in the ledger, by its hash; what it records only where that is public. */
import { useQuery } from '@tanstack/react-query';
import { money, shortHash } from '../../../format.ts';
import { Badge, Day, Panel, Table } from '../../../parts/basics.tsx';
import { ErrorState, Loading } from '../../../parts/states.tsx';
import { transactionsOf } from '../data.ts';
import { kindOf } from '../figures.ts';

export function Transactions(props: { loanId: string; checked: string | null; check: (hash: string) => void }) {
  const query = useQuery(transactionsOf(props.loanId));
  const items = query.data?.items ?? [];
  return (
    <Panel title={query.data === undefined ? 'Ledger' : `Ledger (${items.length} transactions)`} flush>
      {query.data === undefined ? (
        query.error === null ? (
          <Loading />
        ) : (
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        )
      ) : (
        <div className="market-ledger">
          <Table
            label="Ledger"
            rows={items.toReversed()}
            rowKey={({ transactionHash }) => transactionHash}
            columns={[
              { key: 'n', title: 'No.', number: true, cell: ({ sequence }) => sequence },
              { key: 'date', title: 'Date', cell: ({ date }) => <Day date={date} /> },
              {
                key: 'kind',
                title: 'Records',
                cell: ({ kind }) => (kind === 'other' ? <span className="quiet">{kindOf(kind)}</span> : kindOf(kind)),
              },
              { key: 'amount', title: 'Amount', number: true, cell: ({ amount }) => money(amount) },
              {
                key: 'hash',
                title: 'Hash',
                cell: ({ transactionHash: hash }) => (
                  <span className="mono" title={hash}>
                    {shortHash(hash)}
                  </span>
                ),
              },
              {
                key: 'check',
                title: 'Proof',
                cell: ({ transactionHash: hash, sequence, sealed, kind }) =>
                  kind === 'other' ? (
                    <span className="quiet">—</span>
                  ) : (
                    <span className="line">
                      <button
                        type="button"
                        className="link"
                        aria-label={`Check transaction ${sequence}`}
                        aria-pressed={props.checked === hash}
                        onClick={() => props.check(hash)}
                      >
                        Check
                      </button>
                      {!sealed && <Badge>Not sealed yet</Badge>}
                    </span>
                  ),
              },
            ]}
          />
        </div>
      )}
    </Panel>
  );
}
