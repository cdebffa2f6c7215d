/** Entries by hand: those that were recorded, the newest first, and recording one. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from 'daybook-sdk';
import { type FormEvent, useState } from 'react';
import { daybook } from '../../api.ts';
import { cents, day, fromCents, money } from '../../format.ts';
import { Badge, Field, Moment, Panel } from '../../parts/basics.tsx';
import { nothing, PagedTable } from '../../parts/loaded.tsx';
import { errorText } from '../../parts/states.tsx';
import { Who } from '../../parts/who.tsx';
import { useCan } from '../../shell/session.tsx';
import { useToday } from '../../shell/today.tsx';
import { useWork } from '../../shell/work.ts';
import { AccountName, TRANSACTION } from './shared.tsx';
import { ACCOUNTS, type Account, accountName } from './sums.ts';

type Entry = Schemas['BookEntry'];
type Line = { account: Account; debit: string; credit: string };

/** Accounts that follow from the loans; no entry by hand posts to them. */
const OWNED: readonly string[] = [
  'loanPrincipal',
  'accruedInterest',
  'interestReceivable',
  'feeReceivable',
  'borrowerCredits',
  'cashClearing',
];
const OPEN = ACCOUNTS.filter(({ account }) => !OWNED.includes(account));
const START: readonly Line[] = [
  { account: 'cash', debit: '', credit: '' },
  { account: 'equity', debit: '', credit: '' },
];

export function ByHand() {
  const may = useCan()('books:write');
  const [recording, setRecording] = useState(false);
  return (
    <>
      {recording && <NewEntry close={() => setRecording(false)} />}
      <Panel
        title="Entries by hand"
        flush
        actions={
          may && !recording ? (
            <button type="button" className="button primary" onClick={() => setRecording(true)}>
              Record an entry…
            </button>
          ) : undefined
        }
      >
        <PagedTable<Entry>
          operation="listEntries"
          args={{ query: { byHand: true } }}
          label="Entries by hand"
          rowKey={({ transactionHash }) => transactionHash}
          empty={nothing(
            'No entry was recorded by hand',
            'Capital, adjustments and the ends of years are listed here, the newest first.',
          )}
          columns={[
            {
              key: 'date',
              title: 'Date',
              cell: ({ date, datePosted, priorPeriod, reverseOn }) => (
                <>
                  {day(date)}
                  {priorPeriod && <div className="quiet small">posted {day(datePosted)}</div>}
                  {reverseOn !== null && <div className="quiet small">reversed {day(reverseOn)}</div>}
                </>
              ),
            },
            { key: 'lender', title: 'Lender', cell: ({ lenderId }) => lenderId },
            {
              key: 'accounts',
              title: 'Account',
              cell: ({ lines }) => each(lines, ({ account }) => <AccountName account={account} />),
            },
            {
              key: 'debit',
              title: 'Debit',
              number: true,
              cell: ({ lines }) => each(lines, ({ debit }) => (debit === '0' ? '\u00a0' : money(debit))),
            },
            {
              key: 'credit',
              title: 'Credit',
              number: true,
              cell: ({ lines }) => each(lines, ({ credit }) => (credit === '0' ? '\u00a0' : money(credit))),
            },
            {
              key: 'reason',
              title: 'Reason',
              cell: ({ reason, year }) => (
                <span className="wrapping">
                  {year === null ? reason : <Badge tone="info">Year {year} closed</Badge>}
                </span>
              ),
            },
            {
              key: 'recorded',
              title: 'Recorded',
              cell: ({ recordedAt, recordedBy }) => (
                <>
                  <Moment at={recordedAt} />
                  <div className="quiet small">{recordedBy !== null && <Who party={recordedBy} />}</div>
                </>
              ),
            },
            TRANSACTION,
          ]}
        />
        <p className="panel-body quiet small">
          An entry is never changed: record its reverse. In a closed month an entry waits for an approval, and is posted
          on the day on which it is recorded.
        </p>
      </Panel>
    </>
  );
}

function each<T>(lines: readonly T[], shows: (line: T) => React.ReactNode) {
  // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be of one account, and their order never changes.
  return lines.map((line, n) => <div key={n}>{shows(line)}</div>);
}

const sideOf = ({ debit, credit }: Line) => (cents(debit) ?? 0n) - (cents(credit) ?? 0n);

function NewEntry({ close }: { close: () => void }) {
  const today = useToday();
  const queries = useQueryClient();
  const [date, setDate] = useState(today);
  const [lenderId, setLender] = useState('');
  const [reason, setReason] = useState('');
  const [reverseOn, setReverse] = useState('');
  const [lines, setLines] = useState<readonly Line[]>(START);
  const change = (at: number, more: Partial<Line>) =>
    setLines(lines.map((line, n) => (n === at ? { ...line, ...more } : line)));
  const off = lines.reduce((sum, line) => sum + sideOf(line), 0n);
  const isFilled = lines.every((line) => (line.debit === '') !== (line.credit === '') && sideOf(line) !== 0n);
  const isReady = isFilled && off === 0n && lenderId !== '' && reason.trim() !== '';
  useWork(reason !== '' || lines !== START);
  const save = useMutation({
    mutationFn: async () =>
      (
        await daybook.recordEntry({
          body: {
            ...{ date, lenderId, reason },
            lines: lines.map(({ account, debit, credit }) => ({ account, ...(debit === '' ? { credit } : { debit }) })),
            ...(reverseOn !== '' && { reverseOn }),
          },
        })
      ).data,
    onSuccess: async (done) => {
      await queries.invalidateQueries({ queryKey: ['book'] });
      await queries.invalidateQueries({ queryKey: ['report'] });
      if (!('approvalId' in done)) close();
    },
  });
  const waits = save.data !== undefined && 'approvalId' in save.data ? save.data.approvalId : null;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !save.isPending) save.mutate();
  };
  return (
    <Panel
      title="New entry"
      actions={
        <button type="button" className="button" onClick={close}>
          {waits === null ? 'Cancel' : 'Close'}
        </button>
      }
    >
      {waits !== null ? (
        <p className="notice info" role="status">
          The entry waits for an approval.{' '}
          <Link to="/approvals/$approvalId" params={{ approvalId: waits }}>
            See the request
          </Link>
        </p>
      ) : (
        <form className="stack" onSubmit={send}>
          <div className="controls">
            <Text label="Date" type="date" max={today} value={date} set={setDate} />
            <Text label="Lender" value={lenderId} set={setLender} />
            <Text label="Reverse on (optional)" type="date" min={date} value={reverseOn} set={setReverse} />
          </div>
          <div className="stack">
            {lines.map((line, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names and keep their order.
              <div key={n} className="controls">
                <Field label={`Account ${n + 1}`}>
                  {(ids) => (
                    <select
                      {...ids}
                      className="input"
                      value={line.account}
                      onChange={({ target: { value } }) => change(n, { account: value as Account })}
                    >
                      {OPEN.map(({ account }) => (
                        <option key={account} value={account}>
                          {accountName(account)}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <Text
                  label={`Debit ${n + 1}`}
                  value={line.debit}
                  set={(debit) => change(n, { debit, ...(debit !== '' && { credit: '' }) })}
                />
                <Text
                  label={`Credit ${n + 1}`}
                  value={line.credit}
                  set={(credit) => change(n, { credit, ...(credit !== '' && { debit: '' }) })}
                />
                {lines.length > 2 && (
                  <button
                    type="button"
                    className="button"
                    aria-label={`Remove line ${n + 1}`}
                    onClick={() => setLines(lines.filter((_, at) => at !== n))}
                  >
                    Remove
                  </button>
                )}
              </div>
            ))}
          </div>
          <div className="line spread">
            <button
              type="button"
              className="button"
              onClick={() => setLines([...lines, { account: 'cash', debit: '', credit: '' }])}
            >
              Add a line
            </button>
            <span className={off === 0n ? 'quiet' : 'wrong-text'} role="status">
              {off === 0n ? 'Debits equal credits.' : `Debits and credits differ by ${fromCents(off)}.`}
            </span>
          </div>
          <Text label="Reason" value={reason} set={setReason} maxLength={500} />
          {save.error !== null && (
            <p role="alert" className="notice bad">
              {errorText(save.error).detail}
            </p>
          )}
          <div className="line">
            <button type="submit" className="button primary" aria-disabled={!isReady || save.isPending}>
              {save.isPending ? 'Recording…' : 'Record entry'}
            </button>
          </div>
        </form>
      )}
    </Panel>
  );
}

function Text({
  label,
  set,
  ...input
}: {
  label: string;
  value: string;
  set: (value: string) => void;
  type?: string;
  min?: string;
  max?: string;
  maxLength?: number;
}) {
  return (
    <Field label={label}>
      {(ids) => <input {...ids} {...input} className="input" onChange={({ target: { value } }) => set(value)} />}
    </Field>
  );
}
