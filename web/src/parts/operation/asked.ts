/** What a page asks the drawer for. */
import type { OperationId } from 'daybook-sdk';

export type Asked = {
  operation: OperationId;
  /** The loan it is about; its field is not shown. */
  loanId?: string;
  /** Values to begin with, by member of the body. */
  initial?: Readonly<Record<string, unknown>>;
  title?: string;
  onDone?: () => void;
};

/** What the drawer would lose: much that was typed, something that is shown once, or what became of what was sent. */
export type Holds = 'nothing' | 'typed' | 'secret' | 'sending' | 'unknown';
