/** The audit trail for callers: the interface of `open.ts`. */
import type { AuditAsked, ListedEntry } from '../../store/audit/list.ts';

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

export type AuditFilter = Omit<AuditAsked, 'organizationId' | 'before'> & { readonly cursor: string | null };

export type AuditPage = { readonly items: readonly ListedEntry[]; readonly nextCursor: string | null };

export type Audit = {
  /** Enters a refused call: on disk when it resolves. */
  refused(call: RefusedCall): Promise<void>;
  /** Entries of the caller's organization, and of others on its loans, newest first. Reading them is entered too. */
  list(actor: AuditCaller, filter: AuditFilter): Promise<AuditPage | 'bad_cursor'>;
};
