/** The interface of transfers beyond single loans. */
import type { PlainDate } from '../../core/calendar.ts';
import type { TransferState } from '../../store/save-transfers.ts';
import type { Asker } from '../books/books.ts';

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
