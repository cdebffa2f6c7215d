/** Transfers of a loan to another servicer or owner. They change no figure of the loan; `core/ownership.ts` reads its parties from them. */
import { deferNoMore } from '../amortize.ts';
import type { PlainDate } from '../calendar.ts';
import type { PolicyChange } from '../policy.ts';
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
      /** The versions of the former owner's policy that the loan has followed. From the next day on it follows those of the new owner. */
      readonly policies?: readonly PolicyChange[];
    };

export const transferEvents: EventFamily<TransferFact> = {
  transferScheduled: {
    phase: 'notes',
    feed: { type: 'transfer.scheduled', about: 'A transfer to another servicer or owner was scheduled.' },
    line: { says: 'Transfer scheduled' },
    undo: { refused: 'A scheduled transfer cannot be undone; use cancel-transfer before its date.' },
    inert: true,
    show: null,
  },
  transferAccepted: {
    phase: 'notes',
    feed: { type: 'transfer.accepted', about: 'The new owner accepted a transfer.' },
    line: { says: 'Transfer accepted' },
    undo: { refused: 'An acceptance cannot be undone; use cancel-transfer before the date of the transfer.' },
    inert: true,
    show: null,
  },
  transferCancelled: {
    phase: 'notes',
    feed: { type: 'transfer.cancelled', about: 'A transfer was cancelled.' },
    line: { says: 'Transfer cancelled' },
    undo: { refused: 'A cancellation cannot be undone; use transfer again.' },
    inert: true,
    show: null,
  },
  transferred: {
    phase: 'notes',
    feed: { type: 'transfer.completed', about: 'A transfer was carried out: the loan has a new servicer or owner.' },
    line: { says: 'Transferred' },
    undo: { refused: 'A transfer cannot be undone; transfer the loan back.' },
    // No figure of the loan changes, but what it has earned so far was earned by another owner.
    apply({ working }, { what, date }) {
      if (what !== 'owner') return;
      working.boughtOn = date;
      deferNoMore(working, date);
    },
    show: null,
  },
};
