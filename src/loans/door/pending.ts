/** A command on its way through the queue and its batch. */
import type { When } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Loan } from '../../core/loan.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { NewLoanRow } from '../../store/door/save-loans.ts';
import type { Actor } from './actor.ts';
import type { CallKey } from './keys.ts';
import type { Outcome, Write, WriteOptions } from './write.ts';

/** A new loan, sealed and ready. */
export type NewLoanJob = {
  /** Its first events, and the loan after them: decided by the batch, so that they are dated by the clock that it is saved by. */
  readonly decide: (when: When) => { readonly events: readonly LoanEvent[]; readonly loan: Loan } | Refusal;
  readonly row: NewLoanRow;
  readonly commitments: Readonly<Record<string, string>>;
  /** Sealed beside the last of its events; null: nothing is. */
  readonly note: Buffer | null;
  readonly answer: Write['answer'];
};

/** `loanId`: chosen before it is made. */
export type LoanToCreate = { readonly loanId: string; readonly create: NewLoanJob };

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
  /** The version of the loan, and the server, that it was last decided on; null: not yet. */
  decidedOn: { readonly version: number; readonly era: number } | null;
  /** It has its outcome. A refused one must not be decided again, though its batch is. */
  answered: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};
