/** Pages of the audit trail, newest first: of one organization, with what others did on its loans. */
import type { AuditFacts } from '../ledger/audit-chain.ts';
import { FACTS, idAt, type RawFacts, toFacts } from './audit-chain.ts';
import type { Sql } from './db.ts';
import { bytes, hexOf } from './loans.ts';
import { volumeOf } from './volumes.ts';

export type AuditAsked = {
  /** Whose trail; '': the operator's. */
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

type Raw = RawFacts & { volume: number };

/**
 * The entries of an organization and those of others on its loans are two ways through the indexes, each in the order of the ids; the page
 * is merged from both. The text depends on what is asked, so that each is planned for its filter.
 */
export async function listAudit(db: Sql, asked: AuditAsked): Promise<ListedEntry[]> {
  const both = await Promise.all([pageOf(db, asked, 'organization_id'), pageOf(db, asked, 'owner_id')]);
  const page = both
    .flat()
    .sort((a, b) => (a.entry_id > b.entry_id ? -1 : 1))
    .slice(0, asked.limit);
  const links = await linksOf(db, page);
  return page.map((row) => ({ ...toFacts(row), volume: row.volume, link: links.get(row.entry_id) ?? null }));
}

function pageOf(db: Sql, asked: AuditAsked, whose: 'organization_id' | 'owner_id'): Promise<Raw[]> {
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
    ['operation', asked.operation],
    ['kind', asked.kind],
  ]) {
    require((parameter) => `a.${column} = ${parameter}`, value);
  }
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
  const text = `SELECT a.volume, ${FACTS} FROM audit a WHERE ${conditions.join(' AND ')} ORDER BY a.entry_id DESC LIMIT $2`;
  return db.query<Raw>(text, values);
}

async function linksOf(db: Sql, page: readonly Raw[]): Promise<Map<string, { number: number; hash: string }>> {
  if (page.length === 0) return new Map();
  const rows = await db.query<{ entry_id: string; number: bigint; hash: Uint8Array }>(
    `SELECT l.entry_id, l.number, l.hash FROM unnest($1::smallint[], $2::text[]) AS asked (volume, id)
     JOIN audit_links l ON l.volume = asked.volume AND l.entry_id = asked.id`,
    [page.map(({ volume }) => volume), page.map(({ entry_id }) => entry_id)],
    'links_of_entries',
  );
  return new Map(rows.map(({ entry_id, number, hash }) => [entry_id, { number: Number(number), hash: hexOf(hash) }]));
}
