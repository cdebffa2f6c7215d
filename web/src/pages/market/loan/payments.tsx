/** The payments of the public record. Each names its transaction in the ledger. */
import { money, shortHash, words } from '../../../format.ts';
import { Day, Panel, Table } from '../../../parts/basics.tsx';
import { Empty } from '../../../parts/states.tsx';
import type { Payment } from '../data.ts';

export function Payments({ payments, check }: { payments: readonly Payment[]; check: (hash: string) => void }) {
  return (
    <Panel title={`Payments (${payments.length})`} flush>
      {payments.length === 0 ? (
        <Empty title="No payment yet" />
      ) : (
        <Table
          label="Payments"
          rows={payments.toReversed()}
          rowKey={({ paymentId }) => paymentId}
          columns={[
            { key: 'date', title: 'Date', cell: ({ paymentDate }) => <Day date={paymentDate} /> },
            { key: 'amount', title: 'Amount', number: true, cell: ({ paymentAmount }) => money(paymentAmount) },
            { key: 'principal', title: 'Principal', number: true, cell: ({ principalPaid }) => money(principalPaid) },
            { key: 'interest', title: 'Interest', number: true, cell: ({ interestPaid }) => money(interestPaid) },
            {
              key: 'balance',
              title: 'Balance after',
              number: true,
              cell: ({ remainingBalance }) => money(remainingBalance),
            },
            { key: 'status', title: 'Status', cell: ({ status }) => words(status) },
            {
              key: 'hash',
              title: 'Transaction',
              cell: ({ transactionHash: hash }) =>
                hash === '' ? (
                  '—'
                ) : (
                  <button type="button" className="link mono" onClick={() => check(hash)} title={hash}>
                    {shortHash(hash)}
                  </button>
                ),
            },
          ]}
        />
      )}
    </Panel>
  );
}
