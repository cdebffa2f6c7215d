/** Pages of the audit trail, newest first: of one organization, with what others did on its loans. */
import type { AuditFacts } from '../../ledger/audit-chain.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import { FACTS, idAt, type RawFacts, toFacts } from './chain.ts';

export type AuditQuery = {
  /** The organization whose trail it is; '': the operator's. */
  readonly organizationId: string;
  readonly userId?: string;
  readonly clientId?: string;
  readonly loanId?: string;
  readonly operation?: string;
  readonly kind?: string;
  /** `done`, `refused` (any other), or the code of a problem. */
  readonly outcome?: string;
  /** From a moment on, and before another. */
  readonly from?: Date;
  readonly until?: Date;
  /** Only entries before this one. */
  readonly before: string | null;
  readonly limit: number;
};

/** `link` is null until the entry is linked. */
export type ListedEntry = AuditFacts & {
  readonly volume: number;
  readonly link: { readonly number: number; readonly hash: string } | null;
};

type Raw = RawFacts & { volume: number; number: bigint | null; hash: Uint8Array | null };

/**
 * The entries of an organization and those of others on its loans are two ways through the indexes, each in the order of the ids; the page
 * is merged from both. The text depends on what is asked, so that each is planned for its filter.
 */
export async function listAudit(db: Sql, asked: AuditQuery): Promise<ListedEntry[]> {
  // People of other organizations are not shown, so they are not searched for either.
  const ofOthers = asked.userId === undefined ? pageOf(db, asked, 'owner_id') : [];
  const both = await Promise.all([pageOf(db, asked, 'organization_id'), ofOthers]);
  return both
    .flat()
    .sort((a, b) => (a.entry_id > b.entry_id ? -1 : 1))
    .slice(0, asked.limit)
    .map(({ volume, number, hash, ...row }) => ({
      ...toFacts(row),
      volume,
      link: number === null || hash === null ? null : { number: Number(number), hash: hexOf(hash) },
    }));
}

function pageOf(db: Sql, asked: AuditQuery, whose: 'organization_id' | 'owner_id'): Promise<Raw[]> {
  const values: unknown[] = [asked.organizationId, asked.limit];
  const conditions = [`a.${whose} = $1`];
  const require = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined || value === null) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const { loanId, outcome, from, until } = asked;
  if (loanId !== undefined) {
    require((parameter) => `a.volume = ${parameter}`, volumeOf(db, loanId));
    require((parameter) => `a.loan_id = ${parameter}`, bytes(loanId));
  }
  for (const [column, value] of [
    ['user_id', asked.userId],
    ['client_id', asked.clientId],
    ['kind', asked.kind],
  ]) {
    require((parameter) => `a.${column} = ${parameter}`, value);
  }
  if (asked.operation !== undefined) conditions.push(`a.operation = ${operationLiteral(asked.operation)}`);
  if (asked.kind === 'saw' || asked.kind === 'tried') conditions.push(`a.kind <> 'did'`);
  if (outcome === 'refused') conditions.push(`a.kind = 'tried'`, `a.kind <> 'did'`);
  else if (outcome === 'done') conditions.push(`a.outcome = 'done'`);
  else if (outcome !== undefined) {
    conditions.push(`a.outcome <> 'done'`);
    require((parameter) => `a.outcome = ${parameter}`, outcome);
  }
  require((parameter) => `a.entry_id >= ${parameter}`, from === undefined ? null : idAt(from));
  require((parameter) => `a.entry_id < ${parameter}`, until === undefined ? null : idAt(until));
  require((parameter) => `a.entry_id < ${parameter}`, asked.before);
  // Waiting and linked entries in one statement: one that is linked meanwhile is neither missing nor there twice.
  const where = `WHERE ${conditions.join(' AND ')} ORDER BY a.entry_id DESC LIMIT $2`;
  const text = `(SELECT a.volume, a.number, a.hash, ${FACTS} FROM audit a ${where})
    UNION ALL (SELECT a.volume, NULL, NULL, ${FACTS} FROM audit_waiting a ${where})
    ORDER BY entry_id DESC LIMIT $2`;
  return db.query<Raw>(text, values);
}

/** The operations of payments are not in the index of operations, so the planner has to see which one is asked for. */
function operationLiteral(operation: string): string {
  if (!/^[a-z0-9-]{1,64}$/.test(operation)) throw new Error('An operation has letters, digits and hyphens.');
  return `'${operation}'`;
}
