/** The ledger beside the sum of the loans, account by account. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { report } from '../../api.ts';
import { cents, day, money } from '../../format.ts';
import { Panel, Table } from '../../parts/basics.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useView } from '../../parts/view.ts';
import { useToday } from '../../shell/today.tsx';
import { AccountName, AsOfField, dayIn, LenderField, Tied, textIn } from './shared.tsx';
import { ties } from './sums.ts';

export function TieOut() {
  const [search, change] = useView();
  const today = useToday();
  const [asOf, lenderId] = [dayIn(search.asOf), textIn(search.lenderId)];
  const args = { query: { ...(asOf !== null && { asOf }), ...(lenderId !== null && { lenderId }) } };
  const query = useQuery(report('readTieOut', args, { today: asOf === null }));
  return (
    <>
      <div className="controls no-print">
        <AsOfField value={asOf} onChange={(value) => change({ asOf: value })} />
        <LenderField value={lenderId} onChange={(value) => change({ lenderId: value })} />
      </div>
      <Panel
        title={
          <span className="line">
            Tie-out as of {day(query.data?.data.asOf ?? asOf ?? today)}
            {query.data !== undefined && <Tied tied={ties(query.data.data.accounts)} />}
          </span>
        }
        flush
      >
        <Loaded query={query} rows={8}>
          {({ accounts }) => (
            <>
              <Table
                label="Tie-out"
                rows={accounts}
                rowKey={({ account }) => account}
                columns={[
                  { key: 'account', title: 'Account', cell: ({ account }) => <AccountName account={account} /> },
                  { key: 'ledger', title: 'Ledger', number: true, cell: ({ ledger }) => money(ledger) },
                  { key: 'loans', title: 'Sum of the loans', number: true, cell: ({ loans }) => money(loans) },
                  { key: 'difference', title: 'Difference', number: true, cell: ({ difference }) => money(difference) },
                  {
                    key: 'tied',
                    title: '',
                    name: 'Ties',
                    cell: ({ difference }) => <Tied tied={cents(difference) === 0n} />,
                  },
                ]}
              />
              <p className="panel-body quiet small">
                {ties(accounts) ? (
                  'Both sides are as known at the end of the day. Borrower credits are amounts owed to borrowers.'
                ) : (
                  <>
                    A difference means that a loan and its entries disagree: no month can be closed until they agree.
                    Select each lender to locate the difference, check the{' '}
                    <Link to="/books/$part" params={{ part: 'cycles' }}>
                      nightly cycles
                    </Link>{' '}
                    for loans that failed, and ask an operator to run the verification.
                  </>
                )}
              </p>
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}
