/** The interface of transfers beyond single loans. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Owner } from '../../core/events/transfer.ts';
import type { TransferState } from '../../store/door/save-transfers.ts';
import type { Asker } from '../books/books.ts';
import type { ListFilter } from '../reads/listed.ts';

export const TRANSFER_STATES = [
  'scheduled',
  'offered',
  'accepted',
  'cancelled',
  'done',
] as const satisfies readonly TransferState[];

/** A loan that is transferred. */
export type TransferItem = {
  readonly transferId: string;
  readonly loanId: string;
  /** The owner that transfers it. */
  readonly organizationId: string;
  readonly what: 'servicer' | 'owner';
  readonly to: string | { readonly organizationId: string; readonly lenderId: string };
  readonly date: PlainDate;
  readonly state: TransferState;
  readonly scheduledAt: string;
  readonly changedAt: string;
};

export type TransferFilter = {
  /** `in`: offered to the actor's organization; `out`: scheduled by it. */
  readonly direction: 'in' | 'out';
  readonly transferId: string | null;
  readonly state: TransferState | null;
  readonly after: { readonly transferId: string; readonly loanId: string } | null;
  readonly limit: number;
};

export type Transfers = {
  list(asker: Asker, filter: TransferFilter): Promise<TransferItem[]>;
};

export type RunRequest =
  | { readonly kind: 'accept'; readonly transferId: string; readonly servicerId: string }
  | ({ readonly kind: 'transfer'; readonly date: PlainDate; readonly filter: RunFilter | null } & RunTarget);

export type RunTarget =
  | { readonly what: 'servicer'; readonly to: string }
  | { readonly what: 'owner'; readonly to: Owner };

/** As in the list of loans. */
export type RunFilter = Omit<ListFilter, 'limit' | 'cursor' | 'sort'>;

export type RunStatus = {
  readonly transferId: string;
  readonly request: RunRequest;
  readonly dryRun: boolean;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** Whether all its loans are known; before that the counts still grow. */
  readonly gathered: boolean;
  readonly pending: number;
  readonly done: number;
  readonly refused: number;
  readonly refusals: readonly { readonly refusal: string; readonly count: number }[];
  /** Refused loans after one of them, by id. */
  readonly items: readonly RefusedLoan[];
};

/** A loan of a run that was not transferred, and why. */
export type RefusedLoan = { readonly loanId: string; readonly refusal: string | null; readonly detail: string | null };

export type RunAsked = {
  readonly request: RunRequest;
  /** Null: by the filter, or what is offered. */
  readonly loanIds: readonly string[] | null;
  readonly reason: string | null;
};
