/** The balance of every account at the end of a day; it prints on one page. */
import { useQuery } from '@tanstack/react-query';
import { read, report } from '../../api.ts';
import { cents, day, fromCents, money } from '../../format.ts';
import { Panel, Table } from '../../parts/basics.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useView } from '../../parts/view.ts';
import { useToday } from '../../shell/today.tsx';
import { codesOf } from './codes.ts';
import { AccountName, AsOfField, dayIn, LenderField, side, Tied, textIn } from './shared.tsx';
import { aboutAccount, totalsOf } from './sums.ts';

export function TrialBalance() {
  const [search, change] = useView();
  const today = useToday();
  const [asOf, lenderId] = [dayIn(search.asOf), textIn(search.lenderId)];
  const args = { query: { ...(asOf !== null && { asOf }), ...(lenderId !== null && { lenderId }) } };
  const query = useQuery(report('readTrialBalance', args, { today: asOf === null }));
  const codes = codesOf(useQuery(read('readAccountCodes')).data?.data.items ?? []);
  const hasCodes = Object.keys(codes).length > 0;
  return (
    <>
      <div className="controls no-print">
        <AsOfField value={asOf} onChange={(value) => change({ asOf: value })} />
        <LenderField value={lenderId} onChange={(value) => change({ lenderId: value })} />
        <button type="button" className="button" onClick={() => window.print()}>
          Print
        </button>
      </div>
      <Panel
        title={
          <>
            Trial balance as of {day(query.data?.data.asOf ?? asOf ?? today)}
            {lenderId !== null && ` · ${lenderId}`}
          </>
        }
        flush
      >
        <Loaded query={query} rows={24}>
          {({ accounts, totals }) => {
            const { difference } = totalsOf([totals]);
            const added = totalsOf(accounts);
            const balanced =
              difference === 0n && added.debit === cents(totals.debit) && added.credit === cents(totals.credit);
            return (
              <Table
                label="Trial balance"
                rows={accounts}
                rowKey={({ account }) => account}
                columns={[
                  {
                    key: 'account',
                    title: 'Account',
                    cell: ({ account }) => (
                      <>
                        <AccountName account={account} />{' '}
                        <span className="quiet small wide-only">{aboutAccount(account)?.kind}</span>
                      </>
                    ),
                  },
                  ...(hasCodes
                    ? [
                        {
                          key: 'code',
                          title: 'Code',
                          cell: ({ account }: { account: string }) => codes[account] ?? '—',
                        },
                      ]
                    : []),
                  {
                    key: 'debit',
                    title: 'Debit',
                    number: true,
                    cell: ({ debit }) => side(money(debit), cents(debit) === 0n),
                  },
                  {
                    key: 'credit',
                    title: 'Credit',
                    number: true,
                    cell: ({ credit }) => side(money(credit), cents(credit) === 0n),
                  },
                ]}
                foot={
                  <>
                    <tr>
                      <td colSpan={hasCodes ? 2 : 1}>Totals</td>
                      <td className="number">{money(totals.debit)}</td>
                      <td className="number">{money(totals.credit)}</td>
                    </tr>
                    <tr>
                      <td colSpan={hasCodes ? 2 : 1}>
                        <span className="line">
                          Difference <Tied tied={balanced} yes="In balance" no="Not in balance" />
                        </span>
                      </td>
                      <td className="number" colSpan={2}>
                        {fromCents(difference)}
                      </td>
                    </tr>
                  </>
                }
              />
            );
          }}
        </Loaded>
      </Panel>
    </>
  );
}
