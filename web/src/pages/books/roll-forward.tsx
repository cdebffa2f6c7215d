/** Every account of a month from its opening, through what was posted, to its closing. */
import { useQuery } from '@tanstack/react-query';
import { report } from '../../api.ts';
import { fromCents, month, words } from '../../format.ts';
import { Badge, Panel, Table } from '../../parts/basics.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Empty, Loading } from '../../parts/states.tsx';
import { useView } from '../../parts/view.ts';
import { useToday } from '../../shell/today.tsx';
import { monthsBefore } from '../reports/view.ts';
import { AccountName, LenderField, MonthField, monthIn, side, Tied, textIn } from './shared.tsx';
import { type RolledAccount, rolledOf } from './sums.ts';

const amount = (value: bigint) => side(fromCents(value), value === 0n);

export function RollForward() {
  const [search, change] = useView();
  const today = useToday();
  const period = monthIn(search.period) ?? monthsBefore(today, 1)[0] ?? '';
  const lenderId = textIn(search.lenderId);
  const args = { query: { period, ...(lenderId !== null && { lenderId }) } };
  const query = useQuery(report('readRollForward', args, { today: period === today.slice(0, 7) }));
  return (
    <>
      <div className="controls no-print">
        <MonthField present value={period} onChange={(value) => change({ period: value })} />
        <LenderField value={lenderId} onChange={(value) => change({ lenderId: value })} />
      </div>
      {query.data === undefined && query.error === null && (
        <Panel title={month(period)}>
          <Loading rows={16} />
        </Panel>
      )}
      {(query.data !== undefined || query.error !== null) && (
        <Loaded query={query}>
          {({ closed, lenders }) => {
            const { entries, accounts, total } = rolledOf(lenders);
            const adds = accounts.every((one) => one.adds) && total.opening === 0n && total.closing === 0n;
            if (accounts.length === 0) {
              return (
                <Panel>
                  <Empty title={`Nothing had been posted by ${month(period)}`}>
                    Choose a later month, or another lender.
                  </Empty>
                </Panel>
              );
            }
            return (
              <Panel
                title={
                  <span className="line">
                    {month(period)}
                    {lenderId !== null && ` · ${lenderId}`}
                    {closed ? <Badge tone="good">Closed</Badge> : <Badge>Open</Badge>}
                    <Tied tied={adds} yes="Adds up" no="Does not add up" />
                  </span>
                }
                flush
              >
                <Table<RolledAccount>
                  label="Roll-forward"
                  rows={accounts}
                  rowKey={({ account }) => account}
                  columns={[
                    { key: 'account', title: 'Account', cell: ({ account }) => <AccountName account={account} /> },
                    { key: 'opening', title: 'Opening', number: true, cell: (one) => amount(one.opening) },
                    ...entries.map((entry) => ({
                      key: entry,
                      title: words(entry),
                      number: true,
                      cell: (one: RolledAccount) => amount(one.byEntry.get(entry) ?? 0n),
                    })),
                    {
                      key: 'closing',
                      title: 'Closing',
                      number: true,
                      cell: (one) => <strong className="closing">{fromCents(one.closing)}</strong>,
                    },
                  ]}
                  foot={
                    <tr>
                      <td>All accounts</td>
                      <td className="number">{fromCents(total.opening)}</td>
                      {entries.map((entry) => (
                        <td key={entry} className="number">
                          {fromCents(total.byEntry.get(entry) ?? 0n)}
                        </td>
                      ))}
                      <td className="number">{fromCents(total.closing)}</td>
                    </tr>
                  }
                />
                <p className="panel-body quiet small">
                  Debits are positive, credits negative: every column adds up to zero over all accounts.
                  {period === today.slice(0, 7) && ' The closing of the current month is today’s balance.'}
                </p>
              </Panel>
            );
          }}
        </Loaded>
      )}
    </>
  );
}
