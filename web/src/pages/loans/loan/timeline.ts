/**
 * The timeline of a loan, in plain words. The words are in the definition of each event; they are filled in from the recorded fact, from the
 * row of the statement that belongs to it (which has the split and the method of a payment, the name of a fee, the new rate), and from the
 * holds. An acknowledgement is told with its payment. What follows from a date alone, such as a late fee, has a row in the statement and no
 * fact of its own; it is told all the same.
 */
import events from 'virtual:events';
import type { Data } from 'daybook-sdk';
import { cents, day, money, words } from '../../../format.ts';
import type { Tone } from '../../../parts/basics.tsx';
import { labelOf } from './actions.ts';
import { type EventLine, filled, type LineGroup, type LineValues } from './event-line.ts';

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

type Known = { row: Row | null; hold: Hold | null; cleared: string | null; taken: Fact | null };

/** Requests for approval stand on the timeline too; they are no events of the loan. */
const REQUESTS: Readonly<Record<string, EventLine>> = {
  approvalRequested: { says: 'Approval requested: {operation}', tone: 'info', undoScopes: null },
  approvalApproved: { says: 'Approved: {operation}', tone: 'good', undoScopes: null },
  approvalRejected: { says: 'Not approved: {operation}', tone: 'bad', undoScopes: null },
};

const lineFor = ({ type }: Fact): EventLine => events[type] ?? REQUESTS[type] ?? unknown(type);
const unknown = (type: string): EventLine => ({ says: words(type), more: '{amount}', undoScopes: null });

/** Values that a line may name in braces; null where one is not known. */
export function valuesOf(fact: Fact, { row, hold, cleared, taken }: Known) {
  const { amount, reference, ground, decision, effect, operation } = fact;
  return {
    amount: amount === null ? null : money(amount),
    reference,
    ground: ground === null ? null : words(ground).toLowerCase(),
    decision: decision === null ? null : decidedBy(decision, fact.type === 'approved' ? 'APPROVED' : 'DECLINED'),
    /** Known, and without text: something followed from the date. */
    effect: effect.length === 0 ? null : '',
    operation: operation === null ? null : operationOf(operation, amount),
    hold: hold === null ? null : words(hold.kind).toLowerCase(),
    cleared: cleared === null ? null : day(cleared),
    undid: taken === null ? null : tell(taken, NOTHING).says,
    /** From here on of its row in the statement. */
    rowAmount: row === null ? null : money(row.amount),
    rowDetail: row?.detail || null,
    rowDate: dateIn(row),
    split: splitOf(row) || null,
    method: methodIn(row),
    purpose: PURPOSES[row?.purpose ?? ''] ?? null,
    code: row?.code ?? null,
    /** Known, and without text: the quote is a settlement. */
    settlement: row?.detail.startsWith('settlement') ? '' : null,
  } satisfies LineValues;
}

function decidedBy(
  { by, dealIndex, assessment }: NonNullable<Fact['decision']>,
  decided: 'APPROVED' | 'DECLINED',
): string {
  const agrees = assessment === null ? '' : assessment === decided ? ', as assessed' : ' against the assessment';
  const who = by === 'assessment' ? 'as assessed' : `by a loan officer${agrees}`;
  return dealIndex === 0 ? who : `${who} · deal ${dealIndex}`;
}

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
  const { undoScopes } = lineFor(fact);
  const { explains, ...told } = tell(fact, known);
  const undone = fact.undoneBy !== null;
  return {
    key: fact.transactionHash ?? `${fact.approvalId ?? ''} ${fact.type}`,
    date: fact.date,
    recordedAt: fact.recordedAt,
    ...told,
    undone,
    by: { clientId: fact.clientId, userId: fact.userId },
    approvalId: fact.approvalId,
    explains: undone ? null : explains,
    undo: undone || fact.version === null || undoScopes === null ? null : fact.transactionHash,
    // Undoing what exceeded a limit of the policy takes the scope to exceed it.
    undoScopes: [...(undoScopes ?? []), ...(fact.overrode.length === 0 ? [] : ['servicing:override'])],
    reason: fact.reasonGiven ? 'hidden' : 'none',
  };
}

function tell(fact: Fact, known: Known): Pick<Line, 'says' | 'more' | 'tone' | 'group' | 'explains'> {
  const { says, more = '', tone = 'neutral', group = 'servicing', explains = '' } = lineFor(fact);
  const values = valuesOf(fact, known);
  return {
    says: filled(says, values),
    more: filled(more, values),
    ...{ tone, group },
    explains: filled(explains, values) || null,
  };
}

/** The row of the statement that shows a fact. */
function rowOf(fact: Fact, rows: readonly Row[]): Row | null {
  const { type, reference, date } = fact;
  const kind = lineFor(fact).row;
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
const methodIn = (row: { method: string | null } | null): string | null =>
  row?.method ? (METHODS[row.method] ?? row.method) : null;
export const methodOf = (row: { method: string | null } | null): string => {
  const method = methodIn(row);
  return method === null ? '' : ` by ${method}`;
};

const PURPOSES: Readonly<Record<string, string>> = {
  principal: 'principal only',
  insurance: 'from insurance',
  sale: 'from the sale of the vehicle',
  productRefund: 'refund of a product',
};

/** "interest 131.02 · principal 375.18", without what is zero. */
export function splitOf(row: Pick<Row, 'allocation'> | null): string {
  if (row === null) return '';
  return (['fees', 'interest', 'principal', 'credit'] as const)
    .filter((part) => (cents(row.allocation[part]) ?? 0n) !== 0n)
    .map((part) => `${part} ${money(row.allocation[part])}`)
    .join(' · ');
}

/** The date in the detail of a row: how long a quote is good, or when the next payment is due. */
const dateIn = (row: Row | null): string | null => {
  const found = /\d{4}-\d\d-\d\d/.exec(row?.detail ?? '')?.[0];
  return found === undefined ? null : day(found);
};
const operationOf = (operation: string, amount: string | null): string =>
  `${labelOf(operation).toLowerCase()}${amount === null ? '' : `, ${money(amount)}`}`;
