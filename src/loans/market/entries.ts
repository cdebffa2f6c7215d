/**
 * The public part of a loan's transactions. The hash of each is public; what it records, and the way from its hash to the roots of
 * the ledger, where the public record shows the same. The others (holds, quotes, changes of a party, …) could say something of the borrower
 * by their mere kind and date. The nonce in each body keeps it from being guessed by its hash.
 */
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { type Cents, cents } from '../../core/money.ts';
import type { TransactionRow } from '../../store/ledger/ledger.ts';
import type { Block, LedgerRoot, Proof } from '../ledger/ledger.ts';

/** The public part of a transaction. */
export type MarketEntry = {
  readonly transactionHash: string;
  readonly sequence: number;
  /** `other`: what it records is not public. */
  readonly kind: string;
  /** Null, like the amount and the block, where what it records is not public. */
  readonly date: PlainDate | null;
  readonly amount: Cents | null;
  readonly block: number | null;
  readonly sealed: boolean;
};

export type MarketProof = MarketEntry & {
  /** Canonical JSON of which the hash is the SHA-256; null: it has references of the lender, which are not public. */
  readonly body: string | null;
  /** Null: its block is not sealed yet. */
  readonly proof: Proof | null;
  /** The blocks of the same chain from the next one to that under the root; null: there is no root over it yet, or the way is too long. */
  readonly links: readonly Block[] | null;
  /** The first root over the block; `volume` is the place of the loan's chain in it. */
  readonly root: (Omit<LedgerRoot, 'auditHeads'> & { readonly volume: number; readonly volumes: number }) | null;
};

const KINDS: Readonly<Partial<Record<LoanEvent['type'], string>>> = {
  created: 'created',
  approved: 'approved',
  funded: 'funded',
  opened: 'boarded',
  disbursed: 'disbursed',
  repaymentInitiated: 'repaymentInitiated',
  paymentSubmitted: 'payment',
  paymentAcknowledged: 'paymentSettled',
  paymentReturned: 'paymentReturned',
  paymentReversed: 'paymentReversed',
  chargedOff: 'chargedOff',
  published: 'published',
};

/** Members of the event besides those that every one has, where all of them are public, and so the whole body is. */
const PUBLIC_BODIES: Readonly<Partial<Record<LoanEvent['type'], readonly string[]>>> = {
  funded: ['terms'],
  disbursed: ['amount'],
  repaymentInitiated: [],
  published: ['published'],
};
const EVERY = ['type', 'date', 'recordedOn', 'recordedAt'];
const BODY = ['event', 'loanId', 'nonce', 'previous', 'sequence', 'v'];

type Body = { readonly event: LoanEvent };

export function entryOf(row: TransactionRow, isSealed: boolean): MarketEntry {
  const { event } = JSON.parse(row.body) as Body;
  const kind = KINDS[event.type];
  const amount = event.type === 'paymentSubmitted' || event.type === 'disbursed' ? cents(event.amount) : null;
  return {
    transactionHash: row.hash,
    sequence: row.sequence,
    kind: kind ?? 'other',
    date: kind === undefined ? null : (event.date as PlainDate),
    amount,
    block: kind === undefined ? null : row.block,
    sealed: isSealed,
  };
}

export const isPublicKind = ({ type }: TransactionRow): boolean => KINDS[type as LoanEvent['type']] !== undefined;

/** Null: it has a reference, an approval or a commitment, which are the lender's. */
export function publicBodyOf(body: string): string | null {
  const parsed = JSON.parse(body) as Body;
  const more = PUBLIC_BODIES[parsed.event.type];
  if (more === undefined) return null;
  const only = (of: object, names: readonly string[]) => Object.keys(of).every((name) => names.includes(name));
  return only(parsed, BODY) && only(parsed.event, [...EVERY, ...more]) ? body : null;
}
