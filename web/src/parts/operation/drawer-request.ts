/** Operation to open in the drawer. */
import type { OperationId } from 'daybook-sdk';

export type DrawerRequest = {
  operation: OperationId;
  /** The loan it is about; its field is not shown. */
  loanId?: string;
  /** Values to begin with, by member of the body. */
  initial?: Readonly<Record<string, unknown>>;
  title?: string;
  onDone?: () => void;
};

/** Loss if the drawer closed now: many entries, a secret shown once, or the outcome of a request. */
export type Holds = 'nothing' | 'typed' | 'secret' | 'sending' | 'unknown';
