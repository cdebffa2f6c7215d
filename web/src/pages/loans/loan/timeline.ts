/**
 * What happened to a loan, in plain words. A line is made from a recorded fact, from the row of the statement that belongs to it (which has
 * the split and the method of a payment, the name of a fee, the new rate), and from the holds. An acknowledgement is told with its payment.
 * What follows from a date alone, such as a late fee, has a row in the statement and no fact of its own; it is told all the same.
 */
import type { Data } from 'daybook-sdk';
import { cents, day, money, words } from '../../../format.ts';
import type { Tone } from '../../../parts/basics.tsx';
import { labelOf } from './actions.ts';

export type Fact = Data<'readTimeline'>['items'][number];
export type Row = Pick<
  Data<'readHistory'>['rows'][number],
  'date' | 'kind' | 'reference' | 'detail' | 'amount' | 'allocation' | 'purpose' | 'method' | 'code'
>;
export type Hold = Pick<Data<'listHolds'>['items'][number], 'holdId' | 'kind'>;

export type Line = {
  readonly key: string;
  /** The day on which it took effect, and the moment at which it was recorded; null: it follows from the date. */
  readonly date: string;
  readonly recordedAt: string | null;
  readonly says: string;
  /** Quieter, beside it: the split of a payment, what an undo took back. */
  readonly more: string;
  readonly tone: Tone;
  readonly group: LineGroup;
  readonly by: { readonly clientId: string; readonly userId: string | null } | null;
  readonly approvalId: string | null;
  /** The figure that explains it; null: none does. */
  readonly explains: string | null;
  /** The transaction that an undo would take back; null: it cannot be undone. */
  readonly undo: string | null;
  /** The scopes that undoing it takes, all of them. */
  readonly undoScopes: readonly string[];
  readonly undone: boolean;
  readonly reason: 'none' | 'hidden';
};

export const LINE_GROUPS = ['money', 'servicing', 'application'] as const;
export type LineGroup = (typeof LINE_GROUPS)[number];

type Told = { says: string; more?: string; tone?: Tone; group?: LineGroup; explains?: string };
type Known = { row: Row | null; hold: Hold | null; cleared: string | null; taken: Fact | null };
type Tell = (fact: Fact, known: Known) => Told;

const plain =
  (says: string, group: LineGroup = 'servicing', tone: Tone = 'neutral'): Tell =>
  () => ({ says, group, tone });
const step = (says: string): Tell => plain(says, 'application');

function decidedBy(decision: Fact['decision'], decided: 'APPROVED' | 'DECLINED'): string {
  if (decision === null) return '';
  const { by, dealIndex, assessment } = decision;
  const agrees = assessment === null ? '' : assessment === decided ? ', as assessed' : ' against the assessment';
  const who = by === 'assessment' ? 'as assessed' : `by a loan officer${agrees}`;
  return dealIndex === 0 ? who : `${who} · deal ${dealIndex}`;
}

const TOLD: Readonly<Record<string, Tell>> = {
  created: step('Application received'),
  boarded: step('Boarded with its record'),
  published: step('Publication changed'),
  documentsRequested: step('Documents requested'),
  documentsVerified: step('Documents verified'),
  underwritingStarted: step('Underwriting started'),
  approved: ({ decision }) => ({
    ...{ says: 'Approved', more: decidedBy(decision, 'APPROVED') },
    ...{ group: 'application', tone: 'good' },
  }),
  rejected: ({ decision }) => ({
    ...{ says: 'Rejected', more: decidedBy(decision, 'DECLINED') },
    ...{ group: 'application', tone: 'bad' },
  }),
  collateralRequested: step('Collateral requested'),
  collateralApproved: step('Collateral approved'),
  cancelled: plain('Cancelled', 'application', 'bad'),
  funded: (_, { row }) => ({ says: row === null ? 'Funded' : `Funded with ${money(row.amount)}`, group: 'money' }),
  repaymentInitiated: plain('Repayment began'),
  opened: (_, { row }) => ({
    says: row === null ? 'Taken over from another servicer' : `Taken over with ${money(row.amount)} owed`,
    group: 'money',
  }),
  disbursed: ({ amount }) => ({ says: `Disbursed ${money(amount)}`, group: 'money' }),
  paymentSubmitted: (fact, { row, cleared }) => ({
    says: `Payment ${money(fact.amount)} received${methodOf(row)}${purposeOf(row)}`,
    more: [splitOf(row), cleared === null ? '' : `cleared ${day(cleared)}`].filter(Boolean).join(' · '),
    group: 'money',
    ...(fact.reference !== null && { explains: `payment:${fact.reference}` }),
  }),
  paymentAcknowledged: ({ reference }) => ({ says: `Payment ${reference ?? ''} cleared`, group: 'money' }),
  paymentReturned: ({ reference }, { row }) => ({
    says: `Payment ${row === null ? (reference ?? '') : money(row.amount)} returned${row?.code ? ` (${row.code})` : ''}`,
    more: reference ?? '',
    tone: 'late',
    group: 'money',
  }),
  paymentReversed: ({ reference }, { row }) => ({
    says: `Payment ${row === null ? (reference ?? '') : money(row.amount)} reversed`,
    more: 'It was posted in error.',
    tone: 'late',
    group: 'money',
  }),
  payoffQuoted: ({ amount }, { row }) => ({
    says: `${row?.detail.startsWith('settlement') ? 'Settlement agreed' : 'Payoff quoted'}: ${money(amount)}`,
    more: throughOf(row),
    group: 'money',
  }),
  feeAssessed: ({ amount }, { row }) => ({
    says: `Fee ${money(amount)} charged${row === null || row.detail === '' ? '' : `: ${row.detail}`}`,
    group: 'money',
    explains: 'fees',
  }),
  feeWaived: ({ amount, reference }) => ({
    says: `Fee ${money(amount)} waived`,
    more: reference ?? '',
    group: 'money',
    explains: 'fees',
  }),
  creditRefunded: ({ amount }) => ({ says: `Credit of ${money(amount)} refunded`, group: 'money' }),
  rateChanged: (_, { row }) => ({ says: row === null ? 'Rate changed' : `Rate changed to ${row.detail}` }),
  militaryService: (_, { row }) => ({
    says: row === null ? 'Military service recorded' : `Military service recorded: rate ${row.detail}`,
  }),
  dueDateChanged: (_, { row }) => ({ says: 'Due date changed', more: dueOf(row) }),
  extended: (_, { row }) => ({ says: 'Extended', more: dueOf(row) }),
  reaged: (_, { row }) => ({ says: 'Re-aged', more: dueOf(row) }),
  reamortized: plain('Payment recalculated from the balance'),
  holdPlaced: (_, { hold }) => ({
    says: hold === null ? 'Hold placed' : `Hold placed: ${words(hold.kind).toLowerCase()}`,
    tone: 'late',
  }),
  holdReleased: (_, { hold }) => ({
    says: hold === null ? 'Hold released' : `Hold released: ${words(hold.kind).toLowerCase()}`,
  }),
  delinquencyNoted: plain('Delinquency noted', 'servicing', 'late'),
  reminderDue: plain('Payment reminder recorded'),
  defaulted: ({ ground }) => ({
    says: `Default declared${ground === null ? '' : `: ${words(ground).toLowerCase()}`}`,
    tone: 'bad',
  }),
  accelerated: plain('Accelerated: everything is due', 'servicing', 'bad'),
  chargedOff: (_, { row }) => ({
    says: row === null ? 'Charged off' : `Charged off with ${money(row.amount)} owed`,
    more: splitOf(row),
    tone: 'bad',
    group: 'money',
  }),
  writtenDown: ({ amount }) => ({ says: `Written down by ${money(amount)}`, tone: 'bad', group: 'money' }),
  transferScheduled: plain('Transfer scheduled'),
  transferAccepted: plain('Transfer accepted'),
  transferCancelled: plain('Transfer cancelled'),
  transferred: plain('Transferred'),
  partyUpdated: plain('Borrower data updated'),
  dayEnded: ({ effect }) => ({
    says: 'End of day recorded',
    more: effect.length === 0 ? 'What follows from the date: delinquency stage, expired quotes or holds.' : '',
  }),
  undone: (_, { taken }) => ({ says: 'Undone', more: taken === null ? '' : tell(taken, NOTHING).says }),
  approvalRequested: ({ operation, amount }) => ({
    says: `Approval requested: ${operationOf(operation, amount)}`,
    tone: 'info',
  }),
  approvalApproved: ({ operation, amount }) => ({ says: `Approved: ${operationOf(operation, amount)}`, tone: 'good' }),
  approvalRejected: ({ operation, amount }) => ({
    says: `Not approved: ${operationOf(operation, amount)}`,
    tone: 'bad',
  }),
};

/** Facts that are not money and not fixed by their nature; `POST /undo` refuses the others. */
const CANNOT_BE_UNDONE = new Set([
  ...[
    'created',
    'boarded',
    'funded',
    'opened',
    'disbursed',
    'paymentSubmitted',
    'paymentAcknowledged',
    'paymentReturned',
  ],
  ...['paymentReversed', 'creditRefunded', 'transferScheduled', 'transferAccepted', 'transferCancelled', 'transferred'],
  ...['dayEnded', 'undone'],
]);

/** A step of the application is undone with the scope of that step too. */
const STEP_SCOPES: Readonly<Record<string, string>> = {
  documentsRequested: 'loans:write',
  documentsVerified: 'loans:write',
  underwritingStarted: 'underwriting:write',
  approved: 'underwriting:write',
  rejected: 'underwriting:write',
  collateralRequested: 'loans:write',
  collateralApproved: 'loans:write',
  cancelled: 'loans:write',
  published: 'loans:write',
};

/** And what exceeded a limit of the policy, with the scope to exceed it. */
const undoScopesOf = ({ type, overrode }: Fact): string[] => [
  'servicing:write',
  ...(STEP_SCOPES[type] === undefined ? [] : [STEP_SCOPES[type]]),
  ...(overrode.length === 0 ? [] : ['servicing:override']),
];

const NOTHING: Known = { row: null, hold: null, cleared: null, taken: null };

/** Newest first: by the day of effect, and on one day by when it was recorded. */
export function timelineOf(facts: readonly Fact[], rows: readonly Row[], holds: readonly Hold[]): Line[] {
  const cleared = new Map(
    facts.filter(({ type }) => type === 'paymentAcknowledged').map(({ reference, date }) => [reference, date]),
  );
  const submitted = new Set(facts.filter(({ type }) => type === 'paymentSubmitted').map(({ reference }) => reference));
  const told = facts
    .filter(({ type, reference }) => type !== 'paymentAcknowledged' || !submitted.has(reference))
    .map((fact, n) => {
      const known = {
        row: rowOf(fact, rows),
        hold: holds.find(({ holdId }) => holdId === fact.reference) ?? null,
        cleared: cleared.get(fact.reference) ?? null,
        taken: facts.find(({ transactionHash }) => fact.undoes !== null && transactionHash === fact.undoes) ?? null,
      };
      return { ...lineOf(fact, known), order: n };
    });
  const derived = rows
    .filter((row) => followsFromDate(row, facts))
    .map((row, n) => ({ ...derivedLine(row, n), order: -1 }));
  return [...told, ...derived]
    .sort((a, b) => (a.date === b.date ? b.order - a.order : a.date < b.date ? 1 : -1))
    .map(({ order: _, ...line }) => line);
}

function lineOf(fact: Fact, known: Known): Line {
  const { says, more = '', tone = 'neutral', group = 'servicing', explains } = tell(fact, known);
  const undone = fact.undoneBy !== null;
  return {
    key: fact.transactionHash ?? `${fact.approvalId ?? ''} ${fact.type}`,
    date: fact.date,
    recordedAt: fact.recordedAt,
    ...{ says, more, tone, group, undone },
    by: { clientId: fact.clientId, userId: fact.userId },
    approvalId: fact.approvalId,
    explains: undone ? null : (explains ?? null),
    undo: undone || fact.version === null || CANNOT_BE_UNDONE.has(fact.type) ? null : fact.transactionHash,
    undoScopes: undoScopesOf(fact),
    reason: fact.reasonGiven ? 'hidden' : 'none',
  };
}

const tell: Tell = (fact, known) =>
  TOLD[fact.type]?.(fact, known) ?? {
    says: words(fact.type),
    ...(fact.amount !== null && { more: money(fact.amount) }),
  };

/** The row of the statement that shows a fact. */
const KIND_OF: Readonly<Record<string, string>> = {
  funded: 'funded',
  opened: 'takenOver',
  disbursed: 'disbursed',
  paymentSubmitted: 'payment',
  paymentReturned: 'returned',
  paymentReversed: 'reversed',
  payoffQuoted: 'quoted',
  feeAssessed: 'fee',
  feeWaived: 'waived',
  creditRefunded: 'refunded',
  rateChanged: 'rate',
  militaryService: 'rate',
  dueDateChanged: 'moved',
  extended: 'moved',
  reaged: 'moved',
  chargedOff: 'chargedOff',
  writtenDown: 'writtenDown',
};

function rowOf({ type, reference, date }: Fact, rows: readonly Row[]): Row | null {
  const kind = KIND_OF[type];
  if (kind === undefined) return null;
  const same = (row: Row) => (reference === null ? row.date === date : row.reference === reference);
  return (
    rows.find((row) => row.kind === kind && same(row)) ??
    rows.find((row) => row.kind === kind && type === 'funded') ??
    null
  );
}

function followsFromDate(row: Row, facts: readonly Fact[]): boolean {
  if (row.kind === 'givenUp') return true;
  if (row.kind !== 'fee') return false;
  return !facts.some(({ type, reference }) => type === 'feeAssessed' && reference === row.reference);
}

function derivedLine(row: Row, n: number): Line {
  const fee = row.kind === 'fee';
  const name = row.detail === '' ? 'Fee' : (row.detail.split(', installment')[0] ?? '');
  const installment = /installment (\d+)/.exec(row.detail)?.[1];
  return {
    key: `${row.kind} ${row.reference ?? n}`,
    date: row.date,
    recordedAt: null,
    says: fee
      ? `${name.charAt(0).toUpperCase()}${name.slice(1)} ${money(row.amount)} charged`
      : `${money(row.amount)} waived by the settlement`,
    more: fee && installment !== undefined ? `installment ${installment} was not paid in time` : splitOf(row),
    tone: fee ? 'late' : 'neutral',
    group: 'money',
    by: null,
    approvalId: null,
    explains: fee ? 'fees' : null,
    undo: null,
    undoScopes: [],
    undone: false,
    reason: 'none',
  };
}

const METHODS: Readonly<Record<string, string>> = {
  ach: 'ACH',
  card: 'card',
  cash: 'cash',
  check: 'check',
  debit: 'debit card',
  payroll: 'payroll deduction',
  wire: 'wire',
  internal: 'internal transfer',
  other: 'other means',
};
export const methodOf = (row: { method: string | null } | null): string =>
  row?.method ? ` by ${METHODS[row.method] ?? row.method}` : '';

const PURPOSES: Readonly<Record<string, string>> = {
  principal: ', principal only',
  insurance: ', from insurance',
  sale: ', from the sale of the vehicle',
  productRefund: ', refund of a product',
};
const purposeOf = (row: Row | null): string => PURPOSES[row?.purpose ?? ''] ?? '';

/** "interest 131.02 · principal 375.18", without what is zero. */
export function splitOf(row: Pick<Row, 'allocation'> | null): string {
  if (row === null) return '';
  return (['fees', 'interest', 'principal', 'credit'] as const)
    .filter((part) => (cents(row.allocation[part]) ?? 0n) !== 0n)
    .map((part) => `${part} ${money(row.allocation[part])}`)
    .join(' · ');
}

const throughOf = (row: Row | null): string => {
  const through = /\d{4}-\d\d-\d\d/.exec(row?.detail ?? '')?.[0];
  return through === undefined ? '' : `good through ${day(through)}`;
};
const dueOf = (row: Row | null): string => {
  const due = /\d{4}-\d\d-\d\d/.exec(row?.detail ?? '')?.[0];
  return due === undefined ? '' : `next due ${day(due)}`;
};
const operationOf = (operation: string | null, amount: string | null): string =>
  `${labelOf(operation ?? '').toLowerCase()}${amount === null ? '' : `, ${money(amount)}`}`;
