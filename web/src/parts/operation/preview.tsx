/** Outcome of the dry run: before and after side by side, the split, and the journal entries, folded. */
import builtInRoles from 'virtual:roles';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { read } from '../../api.ts';
import { cents, count, day, fromCents, money, words } from '../../format.ts';
import { useCan, useSession } from '../../shell/session.tsx';
import { Badge, Status } from '../basics.tsx';
import { AnswerView } from './answer.tsx';
import { approvers, eitherOf } from './approvers.ts';
import type { Operation } from './catalogue.ts';
import type { Facts } from './facts.ts';
import { titleOf } from './words.ts';

export type Outlook = {
  loanStatus?: string;
  remainingBalance?: string;
  payoff?: string;
  fees?: string;
  delinquentAmount?: string;
  delinquentDays?: number;
  nextPaymentDate?: string | null;
  upcomingDueDate?: string | null;
  allocation?: { fees: string; interest: string; principal: string; credit: string };
  changes?: readonly {
    date: string;
    what: string;
    refId?: string;
    before: string | number | null;
    after: string | number | null;
  }[];
  events?: readonly { type: string; date: string }[];
  overrode?: readonly string[];
  journal?: readonly { account: string; debit: string; credit: string }[];
  approval?: boolean;
};

/** Members that are shown in their own place. */
const PLACED = new Set([
  ...['loanId', 'transactionHash', 'loanStatus', 'remainingBalance', 'payoff', 'fees', 'allocation', 'changes'],
  ...[
    'delinquentAmount',
    'delinquentDays',
    'nextPaymentDate',
    'upcomingDueDate',
    'events',
    'overrode',
    'journal',
    'approval',
    'dryRun',
    'applicationId',
    // Made anew for the write itself.
    'quoteId',
    'holdId',
  ],
]);

export function Preview({
  outlook,
  facts,
  operation,
  amount,
  asRequested = false,
}: {
  outlook: Outlook;
  facts: Facts;
  operation: Operation;
  amount: string | undefined;
  /** The preview dates from the request, and the loan has changed since. */
  asRequested?: boolean;
}) {
  const { summary, payoff } = facts;
  const rows = [
    // The same member on both sides: before funding it is what will be lent, while nothing is owed yet.
    compare('Balance', summary?.loanDetails.remainingBalance, outlook.remainingBalance),
    compare('Unpaid fees', payoff?.fees, outlook.fees),
    compare('Payoff today', payoff?.payoff, outlook.payoff),
    ...dueRows(facts, outlook),
  ].filter((row) => row !== null);
  const { allocation, journal = [], events = [], changes = [], overrode = [] } = outlook;
  const other = Object.fromEntries(
    Object.entries(outlook).filter(
      ([name, value]) => !PLACED.has(name) && !(Array.isArray(value) && value.length === 0),
    ),
  );
  const givenUp = operation.path === 'settle' ? lessThanOwed(amount, outlook.payoff ?? payoff?.payoff) : null;
  const before = summary?.loanStatus;
  return (
    <section className="outlook" aria-label="This will happen">
      <h3>This will happen</h3>
      {asRequested && (
        <p className="small quiet">
          As of the request. The loan or the date has changed since: the outcome is computed again when you approve, and
          shown first if it differs.
        </p>
      )}
      {outlook.approval === true && <NeedsApproval operation={operation} amount={amount} />}
      {(rows.length > 0 || (outlook.loanStatus !== undefined && before !== undefined)) && (
        <table className="compare">
          <thead>
            <tr>
              <th scope="col">
                <span className="hidden-visually">Figure</span>
              </th>
              {!asRequested && (
                <th scope="col" className="number">
                  Before
                </th>
              )}
              <th scope="col" className="number">
                {asRequested ? 'As requested' : 'After'}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, was, becomes }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {!asRequested && <td className="number">{was}</td>}
                <td className={was === becomes || asRequested ? 'number' : 'number changed'}>{becomes}</td>
              </tr>
            ))}
            {outlook.loanStatus !== undefined && before !== undefined && (
              <tr>
                <th scope="row">Status</th>
                {!asRequested && (
                  <td className="number">
                    <Status status={before} />
                  </td>
                )}
                <td className="number">
                  <Status status={outlook.loanStatus} />
                </td>
              </tr>
            )}
          </tbody>
        </table>
      )}
      {givenUp !== null && (
        <p>
          If {money(amount)} is paid by then, the remaining amount is waived: <strong>{money(givenUp)}</strong> as of
          today.
        </p>
      )}
      {allocation && <Split allocation={allocation} />}
      {Object.keys(other).length > 0 && <AnswerView data={other} />}
      {changes.length > 0 && (
        <Part title="Past figures that change">
          <table className="compare">
            <thead>
              <tr>
                <th scope="col">Date</th>
                <th scope="col">Figure</th>
                <th scope="col" className="number">
                  Before
                </th>
                <th scope="col" className="number">
                  After
                </th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <tr key={`${change.date} ${change.what} ${change.refId}`}>
                  <td>{day(change.date)}</td>
                  <td>
                    {words(change.what)}
                    {change.refId !== undefined && <span className="quiet"> {change.refId}</span>}
                  </td>
                  <td className="number">{changeText(change.what, change.before)}</td>
                  <td className="number">{changeText(change.what, change.after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Part>
      )}
      {overrode.length > 0 && (
        <p>
          <Badge tone="late">Exceeds the policy</Badge> {overrode.map((limit) => words(limit)).join(', ')}
        </p>
      )}
      {(journal.length > 0 || events.length > 0) && (
        <details>
          <summary>Entries</summary>
          {events.length > 0 && (
            <p className="small quiet">
              Recorded: {events.map(({ type, date }) => `${words(type).toLowerCase()} on ${day(date)}`).join('; ')}.
            </p>
          )}
          {journal.length > 0 ? (
            <Entries journal={journal} />
          ) : (
            <p className="small quiet">Nothing is posted to the books.</p>
          )}
        </details>
      )}
    </section>
  );
}

function lessThanOwed(amount: string | undefined, payoff: string | undefined): string | null {
  const [paid, owed] = [cents(amount ?? ''), cents(payoff ?? '')];
  return paid === null || owed === null || paid >= owed ? null : fromCents(owed - paid);
}

/** Rows for amounts past due, if any, and the next payment, once the loan is funded. */
function dueRows({ summary, payoff, upcoming }: Facts, outlook: Outlook) {
  const { delinquentAmount, delinquentDays, nextPaymentDate = null, upcomingDueDate = null } = outlook;
  if (delinquentAmount === undefined) return [];
  const {
    delinquentAmount: wasLate = '0',
    delinquentDays: days = '0',
    nextPaymentDate: next,
  } = summary?.loanDetails ?? {};
  const late = [wasLate, delinquentAmount].some((amount) => cents(amount) !== 0n);
  const funded = payoff !== null || upcomingDueDate !== null;
  return [
    ...(late
      ? [
          compare('Past due', wasLate, delinquentAmount),
          { label: 'Days past due', was: count(days), becomes: count(delinquentDays) },
          { label: 'Oldest unpaid', was: day(next), becomes: day(nextPaymentDate) },
        ]
      : []),
    funded ? { label: 'Next due', was: day(upcoming), becomes: day(upcomingDueDate) } : null,
  ];
}

function compare(label: string, before: string | undefined, after: string | undefined) {
  return after === undefined || cents(after) === null ? null : { label, was: money(before), becomes: money(after) };
}

const FIGURES = new Set([
  ...['principal', 'interest', 'fees', 'credit', 'lateFee'],
  ...['paymentInterest', 'paymentPrincipal', 'paymentFees', 'paymentCredit'],
]);
const changeText = (what: string, value: string | number | null): string =>
  value === null
    ? '—'
    : FIGURES.has(what)
      ? money(String(value))
      : typeof value === 'string'
        ? words(value)
        : String(value);

export function Split({ allocation }: { allocation: NonNullable<Outlook['allocation']> }) {
  const parts = (['interest', 'principal', 'fees', 'credit'] as const).map((name) => [name, allocation[name]] as const);
  return (
    <Part title="Split">
      <dl className="split">
        {parts.map(([name, amount]) => (
          <div key={name}>
            <dt>{titleOf(name)}</dt>
            <dd className="number">{money(amount)}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

export function Entries({ journal }: { journal: NonNullable<Outlook['journal']> }) {
  const amount = (text: string) => (cents(text) === 0n ? '' : money(text));
  return (
    <table className="compare">
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col" className="number">
            Debit
          </th>
          <th scope="col" className="number">
            Credit
          </th>
        </tr>
      </thead>
      <tbody>
        {journal.map(({ account, debit, credit }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name and never move.
          <tr key={n}>
            <th scope="row">{words(account)}</th>
            <td className="number">{amount(debit)}</td>
            <td className="number">{amount(credit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NeedsApproval({ operation, amount }: { operation: Operation; amount: string | undefined }) {
  const can = useCan();
  const session = useSession();
  const listed = useQuery({ ...read('listRoles'), enabled: can('admin', 'audit:read') });
  const roles = listed.data?.data.items ?? builtInRoles;
  const names = approvers(operation, amount, roles);
  const limit = (session.limits as Record<string, { amount: string } | undefined>)[operation.path];
  return (
    <div className="notice late">
      <strong>This requires approval.</strong>{' '}
      {limit !== undefined && cents(limit.amount) !== 0n && `Your limit is ${money(limit.amount)}. `}
      {names.length > 0
        ? `Another user with the role ${eitherOf(names)} can approve it.`
        : 'Another user whose roles allow it can approve it.'}{' '}
      Nothing changes until then.
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h4 className="part">{title}</h4>
      {children}
    </div>
  );
}
