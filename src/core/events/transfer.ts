/** Transfers of a loan to another servicer or owner. They change no figure of the loan: `core/ownership.ts` reads them. */
import type { PlainDate } from '../calendar.ts';
import type { EventFamily } from './definition.ts';

/** An organization, and one of its lenders, on whose books the loan is. */
export type Owner = { readonly organizationId: string; readonly lenderId: string };

export type TransferFact =
  | {
      readonly type: 'transferScheduled';
      readonly transferId: string;
      readonly what: 'servicer';
      readonly to: string;
      readonly on: PlainDate;
    }
  /** An offer: it is carried out when the new owner has accepted it. */
  | {
      readonly type: 'transferScheduled';
      readonly transferId: string;
      readonly what: 'owner';
      readonly to: Owner;
      readonly on: PlainDate;
    }
  /** By the new owner, with its id of the servicer; empty: none. */
  | { readonly type: 'transferAccepted'; readonly transferId: string; readonly servicerId: string }
  | { readonly type: 'transferCancelled'; readonly transferId: string; readonly what: 'servicer' | 'owner' }
  /** Carried out. */
  | { readonly type: 'transferred'; readonly transferId: string; readonly what: 'servicer'; readonly to: string }
  | {
      readonly type: 'transferred';
      readonly transferId: string;
      readonly what: 'owner';
      readonly from: Owner;
      readonly to: Owner;
      readonly servicerId: string;
    };

export const transferEvents: EventFamily<TransferFact> = {
  transferScheduled: {
    phase: 'notes',
    undo: { refused: 'A scheduled transfer cannot be undone; use cancel-transfer before its date.' },
    inert: true,
    show: null,
  },
  transferAccepted: {
    phase: 'notes',
    undo: { refused: 'An acceptance cannot be undone; use cancel-transfer before the date of the transfer.' },
    inert: true,
    show: null,
  },
  transferCancelled: {
    phase: 'notes',
    undo: { refused: 'A cancellation cannot be undone; use transfer again.' },
    inert: true,
    show: null,
  },
  transferred: {
    phase: 'notes',
    undo: { refused: 'A transfer cannot be undone; transfer the loan back.' },
    inert: true,
    show: null,
  },
};
