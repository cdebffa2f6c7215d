/** The entries of a day that belong to no single loan: each lender's interest, and entries by hand. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from 'daybook-sdk';
import { day, money, words } from '../../format.ts';
import { Field, Moment, Panel } from '../../parts/basics.tsx';
import { nothing, PagedTable } from '../../parts/loaded.tsx';
import { useView } from '../../parts/view.ts';
import { useToday } from '../../shell/today.tsx';
import { addDays } from '../reports/view.ts';
import { AccountName, dayIn, LenderField, TRANSACTION, textIn } from './shared.tsx';

type Entry = Schemas['BookEntry'];

export function Entries() {
  const [search, change] = useView();
  const today = useToday();
  const date = dayIn(search.date) ?? addDays(today, -1);
  const lenderId = textIn(search.lenderId);
  return (
    <>
      <div className="controls no-print">
        <Field label="Day">
          {(ids) => (
            <input
              {...ids}
              className="input"
              type="date"
              max={today}
              value={date}
              onChange={({ target: { value } }) => value !== '' && change({ date: value })}
            />
          )}
        </Field>
        <div className="line">
          <button
            type="button"
            className="button"
            aria-label="Previous day"
            onClick={() => change({ date: addDays(date, -1) })}
          >
            ‹
          </button>
          <button
            type="button"
            className="button"
            aria-label="Next day"
            disabled={date >= today}
            onClick={() => change({ date: addDays(date, 1) })}
          >
            ›
          </button>
        </div>
        <LenderField value={lenderId} onChange={(value) => change({ lenderId: value })} />
      </div>
      <Panel title={`Entries on ${day(date)}`} flush>
        <PagedTable<Entry>
          operation="listEntries"
          args={{ query: { date, ...(lenderId !== null && { lenderId }) } }}
          label="Entries"
          rowKey={({ transactionHash }) => transactionHash}
          empty={nothing(
            'No entries on this day',
            date >= today
              ? 'The interest of a day is posted by the cycle of the following night.'
              : 'No lender had interest to post, or its nightly cycle has not run yet.',
          )}
          columns={[
            { key: 'lender', title: 'Lender', cell: ({ lenderId: lender }) => lender },
            { key: 'type', title: 'Entry', cell: ({ type }) => words(type) },
            {
              key: 'accounts',
              title: 'Account',
              cell: ({ lines }) =>
                lines.map(({ account }) => (
                  <div key={account}>
                    <AccountName account={account} />
                  </div>
                )),
            },
            {
              key: 'debit',
              title: 'Debit',
              number: true,
              cell: ({ lines }) => lines.map(({ account, debit }) => <div key={account}>{money(debit)}</div>),
            },
            {
              key: 'credit',
              title: 'Credit',
              number: true,
              cell: ({ lines }) => lines.map(({ account, credit }) => <div key={account}>{money(credit)}</div>),
            },
            {
              key: 'accrued',
              title: 'Accrued at day end',
              number: true,
              cell: ({ accrued }) => (accrued === null ? '—' : money(accrued)),
            },
            { key: 'recorded', title: 'Recorded', cell: ({ recordedAt }) => <Moment at={recordedAt} /> },
            TRANSACTION,
          ]}
        />
        <p className="panel-body quiet small">
          The entries of single loans are on each loan’s own page; the{' '}
          <Link to="/books/$part" params={{ part: 'export' }}>
            export
          </Link>{' '}
          of a month has all of them.
        </p>
      </Panel>
    </>
  );
}
