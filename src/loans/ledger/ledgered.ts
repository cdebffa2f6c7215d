/** What the ledger shows of a loan: transactions with their proofs, blocks, roots, and lines of the journal. */
import type { DatedLine } from '../../ledger/journal.ts';

export type LedgerTransaction = {
  readonly transactionHash: string;
  readonly loanId: string;
  readonly sequence: number;
  readonly type: string;
  /** Canonical JSON (RFC 8785): its SHA-256 is the hash. */
  readonly body: string;
  readonly recordedAt: string;
  readonly block: number;
  readonly sealed: boolean;
  readonly proof: Proof | null;
};

/** The way from a transaction to its block's root, and the block's header. */
export type Proof = {
  readonly index: number;
  readonly siblings: readonly string[];
  readonly header: Block;
};

/** The last sealed blocks of all volumes under one root. */
export type LedgerRoot = {
  readonly number: number;
  readonly previousHash: string;
  readonly root: string;
  readonly heads: readonly { readonly volume: number; readonly number: number; readonly hash: string }[];
  /** The same over the last links of the audit trail. */
  readonly audit: string;
  readonly auditHeads: readonly { readonly volume: number; readonly number: number; readonly hash: string }[];
  readonly madeAt: string;
  readonly hash: string;
};

export type Block = {
  readonly number: number;
  readonly previousHash: string;
  readonly root: string;
  readonly count: number;
  readonly sealedAt: string;
  readonly hash: string;
};

export type JournalEntry = DatedLine & {
  readonly transactionHash: string;
  readonly sequence: number;
  readonly lenderId: string;
  /** It takes effect in an earlier month than it is posted in. */
  readonly priorPeriod: boolean;
};
