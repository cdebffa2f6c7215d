/** Loans in the database, as a batch of the write path loads them: each kind of row with one statement for the whole batch. */

import { SELDOM_SQL } from '../../portfolio/loan-columns.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { byVolume, queryByVolume, volumeOf } from '../db/volumes.ts';

export type LoanRow = {
  loanId: string;
  organizationId: string;
  lenderId: string;
  primaryServicerId: string;
  secondaryServicerId: string;
  createdAt: number;
  startBlock: number;
  version: number;
  lastHash: string;
  /** Its columns that seldom change, as its row has them (`seldomText`); null: not known. */
  seldom: string | null;
};

/**
 * A loan with all its events, in the order they were recorded: the bodies of its transactions (JSON, with commas between them) and their
 * hashes (hex, with commas). One text each: the driver's arrays cost ten times as much to read.
 */
export type StoredLoan = LoanRow & { bodies: string; hashes: string };

export type RawLoan = {
  loan_id: Uint8Array;
  organization_id: string;
  lender_id: string;
  primary_servicer_id: string | null;
  secondary_servicer_id: string | null;
  created_at: Date;
  start_block: bigint;
  version: number;
  last_hash: Uint8Array;
  seldom: string;
  bodies: string;
  hashes: string;
};

/** With `l` for loans and `a` for applications. */
export const LOAN = `l.loan_id, l.organization_id, l.lender_id, l.primary_servicer_id, l.secondary_servicer_id, l.created_at, a.start_block,
  l.version, l.last_hash, ${SELDOM_SQL} AS seldom, e.bodies, e.hashes`;

// One statement is one snapshot: version and events belong together.
export const history = (volume: string): string => `CROSS JOIN LATERAL (
  SELECT string_agg(body, ',' ORDER BY sequence) AS bodies, string_agg(encode(hash, 'hex'), ',' ORDER BY sequence) AS hashes
  FROM events WHERE events.volume = ${volume} AND events.loan_id = l.loan_id
) e`;

/** Loans that are asked for by id, with what was handed over. */
const asked = (from: string, volume: string) => `
FROM ${from}
JOIN loans l ON l.volume = ${volume} AND l.loan_id = asked.id
JOIN applications a ON a.volume = l.volume AND a.loan_id = l.loan_id`;

const LOAD = byVolume((from, volume) => `SELECT ${LOAN} ${asked(from, volume)} ${history(volume)}`);

export async function loadLoans(db: Sql, loanIds: readonly string[]): Promise<StoredLoan[]> {
  const rows = await queryByVolume<RawLoan>(db, LOAD, loanIds, [], 'load_loans');
  return rows.map(toStored);
}

/** Events that are looked at for each loan: in one page, and pages at most. Loans that were boarded have many in one block. */
const EVENTS_A_LOAN = 20;
const PAGES = 6;

/** The loans of a volume that were written last, the newest first. */
export async function lastWritten(db: Sql, volume: number, limit: number): Promise<string[]> {
  const found = new Set<string>();
  let before = Number.MAX_SAFE_INTEGER;
  for (let page = 0; page < PAGES && found.size < limit; page++) {
    const rows = await db.query<{ loan_id: Uint8Array; oldest: bigint }>(
      `SELECT loan_id, min(block) AS oldest FROM (
         SELECT loan_id, block FROM events WHERE volume = $1 AND block < $2 ORDER BY block DESC FETCH FIRST $3 ROWS WITH TIES
       ) newest
       GROUP BY loan_id ORDER BY max(block) DESC`,
      [volume, before, limit * EVENTS_A_LOAN],
    );
    if (rows.length === 0) break;
    for (const { loan_id, oldest } of rows) {
      found.add(hexOf(loan_id));
      before = Math.min(before, Number(oldest));
    }
  }
  return [...found].slice(0, limit);
}

export function toStored(row: RawLoan): StoredLoan {
  return {
    loanId: hexOf(row.loan_id),
    organizationId: row.organization_id,
    lenderId: row.lender_id,
    primaryServicerId: row.primary_servicer_id ?? '',
    secondaryServicerId: row.secondary_servicer_id ?? '',
    createdAt: row.created_at.getTime(),
    startBlock: Number(row.start_block),
    version: row.version,
    lastHash: hexOf(row.last_hash),
    seldom: row.seldom,
    bodies: row.bodies,
    hashes: row.hashes,
  };
}

/** The result of the last underwriting run, if there was one. */
export const latest = (volume: string): string => `LEFT JOIN LATERAL (
  SELECT file, public_part FROM assessments
  WHERE assessments.volume = ${volume} AND assessments.loan_id = a.loan_id ORDER BY sequence DESC LIMIT 1
) s ON true`;

const FILES = byVolume(
  (from, volume) =>
    `SELECT l.loan_id, l.version, coalesce(s.file, a.file) AS file ${asked(from, volume)} ${latest(volume)}`,
);

/** The files of loans, each with the version that the loan has at the same moment. */
export async function readFiles(
  db: Sql,
  loanIds: readonly string[],
): Promise<{ loanId: string; version: number; file: string }[]> {
  type Row = { loan_id: Uint8Array; version: number; file: string };
  const rows = await queryByVolume<Row>(db, FILES, loanIds, [], 'read_files');
  return rows.map(({ loan_id, version, file }) => ({ loanId: hexOf(loan_id), version, file }));
}

const VERSIONS = byVolume(
  (from, volume) =>
    `SELECT l.loan_id, l.version FROM ${from} JOIN loans l ON l.volume = ${volume} AND l.loan_id = asked.id`,
);

/** The versions that loans have at this moment. */
export async function readVersions(db: Sql, loanIds: readonly string[]): Promise<Map<string, number>> {
  type Row = { loan_id: Uint8Array; version: number };
  const rows = await queryByVolume<Row>(db, VERSIONS, loanIds, [], 'read_versions');
  return new Map(rows.map(({ loan_id, version }) => [hexOf(loan_id), version]));
}

export type ApplicationKey = { organizationId: string; lenderId: string; applicationId: string };

/** Those of the applications that exist and are not free again, each with its loan. The id of a loan determines the volume, which is the same for equal applications. */
export async function readApplications(
  db: Sql,
  keys: readonly (ApplicationKey & { loanId: string })[],
): Promise<(ApplicationKey & { loanId: string })[]> {
  const found: (ApplicationKey & { loanId: string })[] = [];
  for (const [volume, some] of Map.groupBy(keys, ({ loanId }) => volumeOf(db, loanId))) {
    const rows = await db.query<ApplicationKey & { loan_id: Uint8Array }>(
      `SELECT loan_id, organization_id AS "organizationId", lender_id AS "lenderId", application_id AS "applicationId"
       FROM applications
       JOIN unnest($2::text[], $3::text[], $4::text[]) AS asked (organization_id, lender_id, application_id)
         USING (organization_id, lender_id, application_id)
       WHERE volume = $1 AND NOT id_is_free`,
      [volume, ...columnsOf(some, 'organizationId', 'lenderId', 'applicationId')],
      'read_applications',
    );
    found.push(...rows.map(({ loan_id, ...key }) => ({ ...key, loanId: hexOf(loan_id) })));
  }
  return found;
}

/** The loans that have the application ids of others whose boarding was cancelled, by the ids of those. */
export async function readReboarded(db: Sql, loanIds: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [volume, some] of Map.groupBy(loanIds, (loanId) => volumeOf(db, loanId))) {
    const rows = await db.query<{ loan_id: Uint8Array; by: Uint8Array }>(
      `SELECT a.loan_id, b.loan_id AS by
       FROM applications a JOIN applications b ON b.volume = $1 AND b.organization_id = a.organization_id
         AND b.lender_id = a.lender_id AND b.application_id = a.application_id AND NOT b.id_is_free
       WHERE a.volume = $1 AND a.loan_id = ANY($2::bytea[]) AND a.id_is_free`,
      [volume, some.map(bytes)],
      'read_reboarded',
    );
    for (const { loan_id, by } of rows) found.set(hexOf(loan_id), hexOf(by));
  }
  return found;
}

/** Rows as columns, for UNNEST. */
export function columnsOf<T extends object>(rows: readonly T[], ...names: (keyof T)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** Those that have loans, or had some. Volume by volume, and only as long as one of them has not been found. */
export async function organizationsWithLoans(db: Sql): Promise<string[]> {
  const all = await db.query<{ organization_id: string }>('SELECT organization_id FROM organizations');
  const missing = new Set(all.map(({ organization_id }) => organization_id));
  const found: string[] = [];
  for (let volume = 0; volume < db.volumes.count && missing.size > 0; volume++) {
    const rows = await db.query<{ id: string }>(
      `SELECT o.id FROM unnest($2::text[]) AS o (id)
       WHERE EXISTS (SELECT 1 FROM loans l WHERE l.volume = $1 AND l.organization_id = o.id)
         OR EXISTS (SELECT 1 FROM former_owners f WHERE f.volume = $1 AND f.organization_id = o.id)`,
      [volume, [...missing]],
      'organizations_with_loans',
    );
    for (const { id } of rows) {
      missing.delete(id);
      found.push(id);
    }
  }
  return found;
}

export type SealedPart = { keyId: string; wrappedKey: Uint8Array; sealed: Uint8Array | null };

const DATA_KEYS = byVolume(
  (from, volume) =>
    `SELECT p.loan_id, p.key_id, p.wrapped_key FROM ${from}
     JOIN people p ON p.volume = ${volume} AND p.loan_id = asked.id`,
);

/** The wrapped data keys of loans; those of erased borrowers no longer exist. */
export async function readDataKeys(db: Sql, loanIds: readonly string[]): Promise<Map<string, SealedPart>> {
  type Row = { loan_id: Uint8Array; key_id: string; wrapped_key: Uint8Array };
  const rows = await queryByVolume<Row>(db, DATA_KEYS, loanIds, [], 'read_data_keys');
  return new Map(
    rows.map(({ loan_id, key_id, wrapped_key }) => [
      hexOf(loan_id),
      { keyId: key_id, wrappedKey: wrapped_key, sealed: null },
    ]),
  );
}
