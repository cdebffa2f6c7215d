/** A command on its way through the queue and its batch. */
import type { Actor } from './actor.ts';
import type { CallKey } from './keys.ts';
import type { NewLoanJob } from './transact.ts';
import type { Outcome, Write, WriteOptions } from './write.ts';

/** `loanId`: chosen before it is made. */
export type NewLoan = { readonly loanId: string; readonly create: NewLoanJob };

export type Work = { readonly create: NewLoanJob } | { readonly write: Write };

/** The caller and the loan, and how the write is to be done. */
export type LoanCall = {
  readonly actor: Actor;
  readonly loanId: string;
  readonly options: WriteOptions;
  readonly idempotency: CallKey | null;
};

/** A command that waits for its outcome. */
export type Pending = LoanCall & {
  readonly work: Work;
  /** It holds the reservation of its key. */
  reserved: boolean;
  /** It has its outcome. A refused one must not be decided again, though its batch is. */
  answered: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};
