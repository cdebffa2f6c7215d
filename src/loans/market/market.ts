/** What the public market is asked for, and what it shows: public data of published loans, whoever asks. */
import type { PlainDate } from '../../core/calendar.ts';
import type { DelinquencyBucket } from '../../core/delinquency.ts';
import type { Grade } from '../../core/grade.ts';
import type { LoanStatus } from '../../core/loan.ts';
import type { Cents } from '../../core/money.ts';
import type { Block, LedgerRoot, Proof } from '../ledger/ledgered.ts';

export { GRADES } from '../../core/grade.ts';

export type MarketLoan = {
  readonly loanId: string;
  readonly applicationId: string;
  readonly loanType: string;
  readonly loanStatus: LoanStatus;
  readonly grade: string;
  /** Percent a year in force. */
  readonly rate: string;
  /** Months. */
  readonly term: number;
  /** Installments that are not fully paid. */
  readonly remaining: number;
  readonly loanAmount: Cents;
  /** Principal that is owed: 0 before funding. */
  readonly balance: Cents;
  readonly daysPastDue: number;
  readonly bucket: DelinquencyBucket | null;
  /** When it was assessed: the fair value, and its yield as a fraction; empty: not assessed. */
  readonly fairValuePrice: string;
  readonly predictedYield: string;
  readonly fundedOn: PlainDate | null;
  /** The first day of the month that it began in. */
  readonly vintage: PlainDate | null;
  /** It is one of the demonstration's: an invented loan. */
  readonly isSample: boolean;
};

export const MARKET_SORTS = ['createdAt', 'balance', 'rate', 'daysPastDue'] as const;
export type MarketSort = (typeof MARKET_SORTS)[number] | `-${(typeof MARKET_SORTS)[number]}`;

export type MarketAsked = {
  readonly status?: readonly LoanStatus[];
  readonly grade?: readonly Grade[];
  readonly bucket?: DelinquencyBucket;
  /** First days of months. */
  readonly vintageFrom?: PlainDate;
  readonly vintageTo?: PlainDate;
  /** Percent a year, as text. */
  readonly minRate?: string;
  readonly maxRate?: string;
  readonly minBalance?: Cents;
  readonly maxBalance?: Cents;
};

export type MarketListAsked = MarketAsked & {
  readonly sort: MarketSort;
  readonly limit: number;
  readonly cursor: string | null;
};

export type MarketList = {
  readonly items: readonly MarketLoan[];
  readonly nextCursor: string | null;
  /** At most 10,000, and of the first page alone; null: of a later one. `totalExact`: there are no more. */
  readonly total: number | null;
  readonly totalExact: boolean;
};

export type MarketTotals = { readonly count: number; readonly balance: Cents };
export type MarketSummary = MarketTotals & {
  /** Of the balance, in percent a year with two decimals; null: nothing is owed. */
  readonly weightedRate: string | null;
  readonly buckets: readonly (MarketTotals & { readonly bucket: DelinquencyBucket })[];
  readonly chargedOff: MarketTotals;
  /** Before funding, or ended. */
  readonly others: number;
  readonly grades: readonly (MarketTotals & { readonly grade: string | null })[];
};

/** How a loan has done, month by month from its beginning, beside what underwriting expected of it. Null: not known. */
export type MarketMonth = {
  readonly month: number;
  readonly date: PlainDate;
  readonly expectedBalance: Cents | null;
  /** Principal, interest and recoveries of the month. */
  readonly expected: Cents | null;
  readonly balance: Cents | null;
  readonly received: Cents | null;
  readonly daysPastDue: number | null;
};

/** A value of the loan on its day, by the underwriting model. */
export type MarketValue = {
  readonly asOf: PlainDate;
  readonly balance: Cents;
  readonly fairValue: Cents;
  /** To a buyer at par, net of servicing: a fraction a year. */
  readonly yieldAtPar: string;
  readonly defaultProbability: string;
  readonly modelVersion: string;
};

/** `Found` is what a read of the public record has found. */
export type MarketView<Found> = {
  readonly found: Found;
  readonly isSample: boolean;
  /** Computed when it is asked for. */
  readonly performance: () => Promise<readonly MarketMonth[]>;
  readonly value: () => MarketValue | null;
};

/** What everybody may know of a transaction. */
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

/** For a caller, who needs no more than `public:read`. */
export type Market<Actor, Found> = {
  list(actor: Actor, asked: MarketListAsked): Promise<MarketList | 'bad_cursor'>;
  summary(actor: Actor, asked: MarketAsked): Promise<MarketSummary>;
  /** Null: no such loan, or it is not on the market. */
  loan(actor: Actor, loanId: string): Promise<MarketView<Found> | null>;
  transactions(actor: Actor, loanId: string): Promise<readonly MarketEntry[] | null>;
  /** Null also for a transaction whose kind is not public. */
  proof(actor: Actor, loanId: string, transactionHash: string): Promise<MarketProof | null>;
};
