/** The entries of the audit trail that a batch of the write path saves: one for each write, in the statement that saves it. */
import { auditEntryId } from '../audit/audit.ts';
import type { Columns } from '../db/columns.ts';

/** The operation and its caller; client and person are those of the save. */
export type SavedAct = {
  operation: string;
  organizationId: string;
  keyId: string | null;
  /** Null: the service itself. */
  requestId: string | null;
  approvalId?: string | null;
};

type Acted = {
  readonly loanId: string;
  readonly organizationId: string;
  readonly clientId: string;
  readonly userId: string | null;
  readonly act: SavedAct | null;
  readonly events: readonly { readonly hash: string }[];
};
export type ActRow = { readonly save: Acted; readonly act: SavedAct; readonly entryId: string };

/** Each entry has the hash of the last transaction of its write. */
export const ACT = {
  loan_id: { type: 'bytea', of: ({ save }) => save.loanId },
  entry_id: { type: 'text', of: ({ entryId }) => entryId },
  organization_id: { type: 'text', of: ({ act }) => act.organizationId },
  owner_id: {
    type: 'text',
    of: ({ act, save }) => (act.organizationId === save.organizationId ? null : save.organizationId),
  },
  client_id: { type: 'text', of: ({ save }) => save.clientId },
  user_id: { type: 'text', of: ({ save }) => save.userId },
  key_id: { type: 'text', of: ({ act }) => act.keyId },
  operation: { type: 'text', of: ({ act }) => act.operation },
  transaction_hash: { type: 'bytea', of: ({ save }) => save.events.at(-1)?.hash ?? '0x' },
  approval_id: { type: 'text', of: ({ act }) => act.approvalId ?? null },
  request_id: { type: 'text', of: ({ act }) => act.requestId },
} as const satisfies Columns<ActRow>;
export const ACTED = Object.keys(ACT).join(', ');

export function actsOf(saves: readonly Acted[], at: Date): ActRow[] {
  return saves.flatMap((save) => actOf(save, at) ?? []);
}

export function actOf(save: Acted, at: Date): ActRow | null {
  return save.act === null ? null : { save, act: save.act, entryId: auditEntryId(at) };
}
