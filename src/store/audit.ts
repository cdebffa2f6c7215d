/** The audit trail in the database. Entries are inserted unlinked; the sealer puts them into the chain of their volume. */
import { hash, randomBytes } from 'node:crypto';
import type { Sql } from './db.ts';
import { bytes } from './loans.ts';
import { volumeOf } from './volumes.ts';

export type AuditEntry = {
  at: Date;
  /** The caller's, whose trail it is; '': the operator's. */
  organizationId: string;
  /** The owner of the loan, where that is another organization. */
  ownerId?: string | null;
  clientId: string | null;
  userId?: string | null;
  keyId?: string | null;
  kind: 'did' | 'tried' | 'saw';
  /** The name of the operation's path (`waive-fee`), or of what was done on a page or a command line (`sign-in`). */
  operation: string;
  /** `done`, or the code of the problem. */
  outcome: string;
  loanId?: string | null;
  /** What it was about besides a loan: the part that was seen; the id of a client, key, grant, person or period. */
  subject?: string | null;
  transactionHash?: string | null;
  approvalId?: string | null;
  /** How many times, where repetitions are counted. */
  count?: number;
  /** Sealed. */
  purpose?: Uint8Array | null;
  requestId: string | null;
};

let entries = 0;

/** Sorts by time, and within a process by the order of the entries. */
export function auditEntryId(at: Date): string {
  entries = (entries + 1) % 2 ** 32;
  const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
  return `${hex(at.getTime(), 12)}${hex(entries, 8)}${randomBytes(4).toString('hex')}`;
}

/** The volume of an entry: of its loan, or of its organization. */
export function auditVolume(
  sql: Pick<Sql, 'volumes'>,
  { loanId, organizationId }: Pick<AuditEntry, 'loanId' | 'organizationId'>,
) {
  return volumeOf(sql, loanId ?? `0x${hash('sha256', organizationId)}`);
}

const RECORD = `WITH new AS (
  INSERT INTO audit (volume, entry_id, at, organization_id, owner_id, client_id, user_id, key_id, kind, operation, outcome, loan_id, subject,
    transaction_hash, approval_id, count, purpose, request_id)
  SELECT $1::smallint, a.* FROM unnest($2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::bytea[], $13::text[], $14::bytea[], $15::text[], $16::int[], $17::bytea[], $18::text[]) AS a
)
INSERT INTO audit_waiting (volume, entry_id) SELECT $1::smallint, w.* FROM unnest($2::text[]) AS w`;

/** In the transaction of what the entries tell, where there is one; else they are on disk when this returns. */
export async function recordAudit(sql: Sql, all: readonly AuditEntry[]): Promise<void> {
  for (const [volume, some] of Map.groupBy(all, (entry) => auditVolume(sql, entry))) {
    const column = <K extends keyof AuditEntry>(name: K) => some.map((entry) => entry[name] ?? null);
    const hashes = (name: 'loanId' | 'transactionHash') =>
      some.map((entry) => (entry[name] == null ? null : bytes(entry[name])));
    await sql.query(
      RECORD,
      [
        volume,
        some.map(({ at }) => auditEntryId(at)),
        column('at'),
        column('organizationId'),
        column('ownerId'),
        column('clientId'),
        column('userId'),
        column('keyId'),
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
      ],
      'record_audit',
    );
  }
}
