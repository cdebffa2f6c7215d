/** Break glass: every command that touches the database leaves an entry in the audit trail, with the account that started it. */
import { userInfo } from 'node:os';
import { type AuditEntry, recordAudit } from '../store/audit/audit.ts';
import type { Db, Sql } from '../store/db/db.ts';
import type { Invocation } from './arguments.ts';

type AuditFacts = {
  readonly kind: 'did' | 'saw';
  /** The organization whose trail gets the entry; the operator's when absent. */
  readonly organizationId?: string;
  /** Another organization whose trail has it too: the other party of a grant. */
  readonly ownerId?: string | null;
  readonly subject?: string | null;
  readonly loanId?: string | null;
};

/** `clients create` is entered as `clients-create`. */
function entryOf({ name }: Pick<Invocation, 'name'>, facts: AuditFacts): AuditEntry {
  const { kind, organizationId = '', ownerId = null, subject = null, loanId = null } = facts;
  const who = { organizationId, ownerId, clientId: 'operator', account: accountName() };
  const operation = name.replaceAll(' ', '-');
  return { at: new Date(), ...who, kind, operation, outcome: 'done', loanId, subject, requestId: null };
}

export function record(db: Db | Sql, given: Pick<Invocation, 'name'>, facts: AuditFacts): Promise<void> {
  return recordAudit(db, [entryOf(given, facts)]);
}

/** The account of the operating system; of a command under sudo, with the one that it was called from. */
export function accountName(): string {
  const own = nameOfAccount();
  const before = process.env.SUDO_USER;
  const text = before === undefined || own !== 'root' ? own : `${before} as ${own}`;
  return text.replaceAll(/[^\w .@\\-]/g, '?').slice(0, 128);
}

/** An account without an entry in the list of accounts, as in a container, has its number. */
function nameOfAccount(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
