/** Loans in the database, as a batch of the write path loads them: each kind of row with one statement for the whole batch. */
import type { PlainDate } from '../core/calendar.ts';
import type { Sql } from './db.ts';

/** `0x…` in the program, bytes in the database. */
export const bytes = (hex: string): string => `\\x${hex.slice(2)}`;
export const hexOf = (value: Uint8Array): string => `0x${Buffer.from(value).toString('hex')}`;

export type LoanRow = {
  loanId: string;
  organizationId: string;
  primaryServicerId: string;
  secondaryServicerId: string;
  createdAt: number;
  startBlock: number;
  version: number;
  lastHash: string;
};

/**
 * A loan with all its events, in the order they were recorded: the bodies of its transactions (JSON, with commas between them) and their
 * hashes (hex, with commas). One text each: the driver's arrays cost ten times as much to read.
 */
export type StoredLoan = LoanRow & { bodies: string; hashes: string };

export type RawLoan = {
  loan_id: Uint8Array;
  organization_id: string;
  primary_servicer_id: string;
  secondary_servicer_id: string;
  created_at: Date;
  start_block: bigint;
  version: number;
  last_hash: Uint8Array;
  bodies: string;
  hashes: string;
};

/** With `l` for loans and `a` for applications. */
export const LOAN = `l.loan_id, l.organization_id, a.primary_servicer_id, a.secondary_servicer_id, l.created_at, a.start_block, l.version,
  l.last_hash, e.bodies, e.hashes`;

// One statement is one snapshot: version and events belong together.
export const HISTORY = `CROSS JOIN LATERAL (
  SELECT string_agg(body, ',' ORDER BY sequence) AS bodies, string_agg(encode(hash, 'hex'), ',' ORDER BY sequence) AS hashes
  FROM events WHERE events.loan_id = l.loan_id
) e`;

const LOAD = `
SELECT ${LOAN}
FROM unnest($1::bytea[]) AS asked (loan_id)
JOIN loans l USING (loan_id)
JOIN applications a USING (loan_id)
${HISTORY}`;

export async function loadLoans(db: Sql, loanIds: readonly string[]): Promise<StoredLoan[]> {
  const rows = await db.query<RawLoan>(LOAD, [loanIds.map(bytes)], 'load_loans');
  return rows.map(toStored);
}

export function toStored(row: RawLoan): StoredLoan {
  return {
    loanId: hexOf(row.loan_id),
    organizationId: row.organization_id,
    primaryServicerId: row.primary_servicer_id,
    secondaryServicerId: row.secondary_servicer_id,
    createdAt: row.created_at.getTime(),
    startBlock: Number(row.start_block),
    version: row.version,
    lastHash: hexOf(row.last_hash),
    bodies: row.bodies,
    hashes: row.hashes,
  };
}

/** The result of the last underwriting run, if there was one. */
export const LATEST = `LEFT JOIN LATERAL (
  SELECT file, public_part FROM assessments WHERE assessments.loan_id = a.loan_id ORDER BY sequence DESC LIMIT 1
) s ON true`;

/** The files of loans, each with the version that the loan has at the same moment. */
export async function readFiles(
  db: Sql,
  loanIds: readonly string[],
): Promise<{ loanId: string; version: number; file: string }[]> {
  const rows = await db.query<{ loan_id: Uint8Array; version: number; file: string }>(
    `SELECT l.loan_id, l.version, coalesce(s.file, a.file) AS file
     FROM unnest($1::bytea[]) AS asked (loan_id)
     JOIN loans l USING (loan_id)
     JOIN applications a USING (loan_id)
     ${LATEST}`,
    [loanIds.map(bytes)],
    'read_files',
  );
  return rows.map(({ loan_id, version, file }) => ({ loanId: hexOf(loan_id), version, file }));
}

/** The versions that loans have at this moment. */
export async function readVersions(db: Sql, loanIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ loan_id: Uint8Array; version: number }>(
    'SELECT loan_id, version FROM loans WHERE loan_id = ANY($1::bytea[])',
    [loanIds.map(bytes)],
    'read_versions',
  );
  return new Map(rows.map(({ loan_id, version }) => [hexOf(loan_id), version]));
}

export type StoredAnswer = { requestHash: string; answer: string };

/** Answers kept under idempotency keys, by the key's hash. */
export async function readAnswers(db: Sql, keyHashes: readonly string[]): Promise<Map<string, StoredAnswer>> {
  const rows = await db.query<{ key_hash: Uint8Array; request_hash: Uint8Array; answer: string }>(
    'SELECT key_hash, request_hash, answer FROM idempotency WHERE key_hash = ANY($1::bytea[])',
    [keyHashes.map(bytes)],
    'read_answers',
  );
  return new Map(
    rows.map(({ key_hash, request_hash, answer }) => [hexOf(key_hash), { requestHash: hexOf(request_hash), answer }]),
  );
}

/** Keeps an answer that no save brought; the first one under a key stays. */
export async function keepAnswer(
  db: Sql,
  { loanId, keyHash, requestHash, answer, at }: StoredAnswer & { loanId: string; keyHash: string; at: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO idempotency (key_hash, loan_id, request_hash, answer, at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (key_hash) DO NOTHING`,
    [bytes(keyHash), bytes(loanId), bytes(requestHash), answer, at],
  );
}

export type ApplicationKey = { organizationId: string; lenderId: string; applicationId: string };

/** Which of these applications already exist. */
export async function readApplications(db: Sql, keys: readonly ApplicationKey[]): Promise<ApplicationKey[]> {
  return db.query<ApplicationKey>(
    `SELECT organization_id AS "organizationId", lender_id AS "lenderId", application_id AS "applicationId"
     FROM applications
     JOIN unnest($1::text[], $2::text[], $3::text[]) AS asked (organization_id, lender_id, application_id)
       USING (organization_id, lender_id, application_id)`,
    columnsOf(keys, 'organizationId', 'lenderId', 'applicationId'),
  );
}

/** Rows as columns, for UNNEST. */
export function columnsOf<T extends object>(rows: readonly T[], ...names: (keyof T)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/**
 * Marks loans of an organization whose due date has passed since the last marking, at most `limit`; returns how many. It records what
 * follows from the date and decides nothing. Rows that a batch has locked are skipped, so that neither waits for the other.
 */
export async function markLate(db: Sql, organizationId: string, today: PlainDate, limit: number): Promise<number> {
  const rows = await db.query(
    `UPDATE loans SET late = true WHERE loan_id IN (
       SELECT loan_id FROM loans
       WHERE organization_id = $1 AND past_due_from < $2 AND past_due_from IS NOT NULL AND NOT late
       LIMIT $3 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [organizationId, today, limit],
  );
  return rows.length;
}

export async function organizationsWithLoans(db: Sql): Promise<string[]> {
  const rows = await db.query<{ organization_id: string }>(
    `SELECT organization_id FROM organizations o
     WHERE EXISTS (SELECT 1 FROM loans l WHERE l.organization_id = o.organization_id)`,
  );
  return rows.map(({ organization_id }) => organization_id);
}

export type SealedPart = { keyId: string; wrappedKey: Uint8Array; sealed: Uint8Array | null };

/** The wrapped data keys of loans; those of erased borrowers are not there. */
export async function readDataKeys(db: Sql, loanIds: readonly string[]): Promise<Map<string, SealedPart>> {
  const rows = await db.query<{ loan_id: Uint8Array; key_id: string; wrapped_key: Uint8Array }>(
    'SELECT loan_id, key_id, wrapped_key FROM people WHERE loan_id = ANY($1::bytea[])',
    [loanIds.map(bytes)],
    'read_data_keys',
  );
  return new Map(
    rows.map(({ loan_id, key_id, wrapped_key }) => [
      hexOf(loan_id),
      { keyId: key_id, wrappedKey: wrapped_key, sealed: null },
    ]),
  );
}
