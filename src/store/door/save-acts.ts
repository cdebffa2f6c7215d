/** The entries of the audit trail that a batch of the write path saves: one for each write, in the statement that saves it. */
import { auditEntryId } from '../audit/audit.ts';
import { bytes } from '../db/bytes.ts';

/** The operation and its caller; client and person are those of the save. */
export type SavedAct = {
  operation: string;
  organizationId: string;
  keyId: string | null;
  /** Null: the service itself. */
  requestId: string | null;
  approvalId?: string | null;
};

export const ACT = {
  loan_id: 'bytea',
  entry_id: 'text',
  organization_id: 'text',
  owner_id: 'text',
  client_id: 'text',
  user_id: 'text',
  key_id: 'text',
  operation: 'text',
  transaction_hash: 'bytea',
  approval_id: 'text',
  request_id: 'text',
};
export const ACTED = Object.keys(ACT).join(', ');
type Acted = {
  readonly loanId: string;
  readonly organizationId: string;
  readonly clientId: string;
  readonly userId: string | null;
  readonly act: SavedAct | null;
  readonly events: readonly { readonly hash: string }[];
};

/** As columns in the order of `ACT`; each entry has the hash of the last transaction of its write. */
export function columnsOfActs(saves: readonly Acted[], at: Date): unknown[][] {
  const acts: unknown[][] = Object.keys(ACT).map(() => []);
  for (const { act, loanId, organizationId: owner, clientId, userId, events } of saves) {
    if (act === null) continue;
    const { operation, organizationId, keyId, requestId, approvalId = null } = act;
    const ownerId = organizationId === owner ? null : owner;
    const hash = bytes(events.at(-1)?.hash ?? '0x');
    const ids = [bytes(loanId), auditEntryId(at), organizationId, ownerId, clientId, userId, keyId];
    [...ids, operation, hash, approvalId, requestId].forEach((value, i) => {
      acts[i]?.push(value);
    });
  }
  return acts;
}
