/**
 * The audit trail for callers: the list of it, and the entries that belong to no write. An entry is on disk before the answer is sent; many
 * share one statement.
 */
import { readApproval } from '../../store/approvals/approvals.ts';
import { type AuditEntry, readOwners, recordAudit } from '../../store/audit/audit.ts';
import { type AuditQuery, type ListedEntry, listAudit } from '../../store/audit/list.ts';
import type { Db } from '../../store/db/db.ts';
import { coalesced } from '../door/coalesce.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { shareOf } from '../door/too-many-waiting.ts';

export type AuditCaller = {
  readonly organizationId: string;
  readonly countedFor?: string;
  readonly clientId: string;
  readonly userId?: string | null;
  readonly keyId: string | null;
  readonly requestId: string;
};

export type RefusedCall = AuditCaller & {
  readonly operation: string;
  /** The code of the problem. */
  readonly outcome: string;
  /** A loan that the call named; it need not exist. */
  readonly loanId: string | null;
  /** A request for approval that the call named; its loan is entered where the caller's organization may work with it. */
  readonly approvalId?: string | null;
  /** Organizations that let the caller's work with their loans: theirs is the trail too. */
  readonly grantedBy: readonly string[];
};

export type AuditFilter = Omit<AuditQuery, 'organizationId' | 'before'> & { readonly cursor: string | null };

export type AuditPage = { readonly items: readonly ListedEntry[]; readonly nextCursor: string | null };

export function openAudit(options: { db: Db; reads: FairReads; clock: () => number }) {
  const { db, reads, clock } = options;
  const enter = coalesced((entries: readonly Omit<AuditEntry, 'at'>[]) => {
    const at = new Date(clock());
    return recordAudit(
      db,
      entries.map((entry) => ({ ...entry, at })),
    );
  });
  const ownersOf = coalesced((loanIds: readonly string[]) => readOwners(db, [...new Set(loanIds)]));

  async function loanOf(approvalId: string, { organizationId, grantedBy }: RefusedCall): Promise<string | null> {
    const approval = await readApproval(db, approvalId);
    if (approval === null) return null;
    return [organizationId, ...grantedBy].includes(approval.organizationId) ? approval.loanId : null;
  }

  return {
    /** Enters a refused call: on disk when it resolves. */
    async refused(call: RefusedCall): Promise<void> {
      const { operation, outcome, approvalId = null, grantedBy, organizationId } = call;
      const loanId = call.loanId ?? (approvalId === null ? null : await loanOf(approvalId, call));
      const shared = loanId !== null && grantedBy.length > 0;
      const owner = shared ? ((await ownersOf(shareOf(call), loanId)).get(loanId) ?? '') : '';
      const ownerId = owner !== organizationId && grantedBy.includes(owner) ? owner : null;
      await enter(shareOf(call), { ...entryOf(call), ownerId, kind: 'tried', operation, outcome, loanId, approvalId });
    },

    /** Entries of the caller's organization, and of others on its loans, newest first. Reading them is entered too. */
    async list(actor: AuditCaller, { cursor, ...filter }: AuditFilter): Promise<AuditPage | 'bad_cursor'> {
      const before = cursor === null ? null : Buffer.from(cursor, 'base64url').toString();
      if (before !== null && !/^[0-9a-f]{28}$/.test(before)) return 'bad_cursor';
      const { organizationId } = actor;
      // One more than the page shows whether there is a next page.
      const asked = { ...filter, organizationId, before, limit: filter.limit + 1 };
      const found = await listAudit(reads(actor), asked);
      const items = found.slice(0, filter.limit).map((entry) => seenBy(organizationId, entry));
      const last = found.length > filter.limit ? items.at(-1) : undefined;
      await enter(shareOf(actor), {
        ...entryOf(actor),
        kind: 'saw',
        operation: 'list-audit',
        outcome: 'done',
        subject: 'audit',
      });
      return { items, nextCursor: last === undefined ? null : Buffer.from(last.entryId).toString('base64url') };
    },
  };
}

/** An entry of another organization names that organization and its client; who acted there, and with which key, is in its own trail. */
function seenBy(organizationId: string, entry: ListedEntry): ListedEntry {
  if (entry.organizationId === organizationId) return entry;
  return { ...entry, userId: null, keyId: null, account: null };
}

function entryOf({ organizationId, clientId, userId = null, keyId, requestId }: AuditCaller) {
  return { organizationId, clientId, userId, keyId, requestId };
}
