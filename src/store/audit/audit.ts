/** The audit trail in the database. Entries are inserted into `audit_waiting`; the sealer moves them into the chain of their volume, `audit`. */
import { hash, randomInt } from 'node:crypto';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { byVolume, PLAIN, queryByVolume, volumeOf } from '../db/volumes.ts';

export type AuditEntry = {
  at: Date;
  /** The caller's, whose trail it is; '': the operator's. */
  organizationId: string;
  /** Another organization whose trail it is part of too: the owner of the loan, or the other party of a grant. */
  ownerId?: string | null;
  clientId: string | null;
  userId?: string | null;
  keyId?: string | null;
  /** For a command: the account of the operating system that it was started by. */
  account?: string | null;
  kind: 'did' | 'tried' | 'saw';
  /** The name of the operation's path (`waive-fee`), or of what was done on a page or a command line (`sign-in`). */
  operation: string;
  /** `done`, or the code of the problem. */
  outcome: string;
  loanId?: string | null;
  /** The subject besides a loan: the part that was seen; the id of a client, key, grant, person or period. */
  subject?: string | null;
  transactionHash?: string | null;
  approvalId?: string | null;
  /** The number of times, where repetitions are counted. */
  count?: number;
  /** Sealed. */
  purpose?: Uint8Array | null;
  requestId: string | null;
  /** The rows that the change left (`rows.ts`). */
  content?: string | null;
  /** Given for what is recorded in the volume of a row; otherwise it is that of the loan or the organization. */
  volume?: number;
};

let entries = 0;

/** Sorts by time, and within a process by the order of the entries. */
export function auditEntryId(at: Date): string {
  entries = (entries + 1) % 2 ** 32;
  const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
  return `${hex(at.getTime(), 12)}${hex(entries, 8)}${hex(randomInt(2 ** 32), 8)}`;
}

/** The volume of an entry: of its loan, or of its organization. */
export function auditVolume(
  sql: Pick<Sql, 'volumes'>,
  { loanId, organizationId }: Pick<AuditEntry, 'loanId' | 'organizationId'>,
) {
  return volumeOf(sql, loanId ?? `0x${hash('sha256', organizationId)}`);
}

/** The columns of an entry, besides its volume. */
export const AUDIT_COLUMNS = `entry_id, at, organization_id, owner_id, client_id, user_id, key_id, account, kind, operation, outcome, loan_id,
  subject, transaction_hash, approval_id, count, purpose, request_id, content`;
/** The columns as arrays, from the parameter `$2` on. */
const AUDIT_ARRAYS = `$2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
  $11::text[], $12::text[], $13::bytea[], $14::text[], $15::bytea[], $16::text[], $17::int[], $18::bytea[], $19::text[],
  $20::text[]`;

/** On a plain server the entries of several volumes at once. */
const RECORD = `${PLAIN} INSERT INTO audit_waiting (volume, ${AUDIT_COLUMNS}) SELECT * FROM unnest($1::smallint[], ${AUDIT_ARRAYS})`;
const RECORD_IN_ONE = `INSERT INTO audit_waiting (volume, ${AUDIT_COLUMNS}) SELECT $1::smallint, a.* FROM unnest(${AUDIT_ARRAYS}) AS a`;

/** In the transaction of what the entries tell, where there is one; else they are on disk when this returns. */
export async function recordAudit(sql: Sql, all: readonly AuditEntry[]): Promise<void> {
  const made = all.map((entry) => {
    const { volume = auditVolume(sql, entry) } = entry;
    return { ...entry, volume, entryId: auditEntryId(entry.at) };
  });
  const last = made.at(-1);
  if (last === undefined) return;
  if (sql.volumes.sharded) {
    for (const [volume, some] of Map.groupBy(made, (entry) => entry.volume)) {
      await sql.query(RECORD_IN_ONE, [volume, ...auditColumns(some)], 'record_audit_in_volume');
    }
  } else {
    await sql.query(RECORD, [made.map(({ volume }) => volume), ...auditColumns(made)], 'record_audit');
  }
  if (sql.beforeCommit !== undefined) lastEntries.set(sql, last);
}

type MadeEntry = AuditEntry & { readonly volume: number; readonly entryId: string };

const lastEntries = new WeakMap<Sql, Pick<MadeEntry, 'volume' | 'entryId'>>();

/** The last entry that a transaction has recorded so far. */
export const lastEntryOf = (tx: Sql): Pick<MadeEntry, 'volume' | 'entryId'> | undefined => lastEntries.get(tx);

/** In the order of `AUDIT_COLUMNS`. */
function auditColumns(some: readonly MadeEntry[]): unknown[][] {
  const column = <K extends keyof AuditEntry>(name: K) => some.map((entry) => entry[name] ?? null);
  const hashes = (name: 'loanId' | 'transactionHash') =>
    some.map((entry) => (entry[name] == null ? null : bytes(entry[name])));
  return [
    some.map(({ entryId }) => entryId),
    column('at'),
    column('organizationId'),
    column('ownerId'),
    column('clientId'),
    column('userId'),
    column('keyId'),
    column('account'),
    column('kind'),
    column('operation'),
    column('outcome'),
    hashes('loanId'),
    column('subject'),
    hashes('transactionHash'),
    column('approvalId'),
    some.map(({ count = 1 }) => count),
    column('purpose'),
    column('requestId'),
    column('content'),
  ];
}

const OWNERS = byVolume(
  (from, volume) =>
    `SELECT l.loan_id, l.organization_id FROM ${from} JOIN loans l ON l.volume = ${volume} AND l.loan_id = asked.id`,
);

/** The organizations that own loans, by the loan's id; those that do not exist are left out. */
export async function readOwners(db: Sql, loanIds: readonly string[]): Promise<Map<string, string>> {
  type Row = { loan_id: Uint8Array; organization_id: string };
  const rows = await queryByVolume<Row>(db, OWNERS, loanIds, [], 'read_owners');
  return new Map(rows.map(({ loan_id, organization_id }) => [hexOf(loan_id), organization_id]));
}
