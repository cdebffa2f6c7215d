/**
 * Reads for exports: loans in the order of their ids, a page of one volume at a time, each with what was recorded up to a block. Blocks of
 * a volume are numbered in the order of their commits, so everything up to the head that was seen is there, and nothing is added to it.
 */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { byVolume, queryByVolume } from '../db/volumes.ts';
import { PRIOR_PERIOD } from '../ledger/ledger.ts';

export type ExportRow = {
  readonly exportId: string;
  readonly organizationId: string;
  readonly what: string;
  /** JSON, like `moment`. */
  readonly asked: string;
  readonly moment: string;
};

/** An export that is started again keeps its row; those from before `keptSince` are deleted. */
export async function saveExport(db: Sql, row: ExportRow, at: Date, keptSince: Date): Promise<void> {
  const { exportId, organizationId, what, asked, moment } = row;
  await db.query('DELETE FROM exports WHERE started_at < $1', [keptSince]);
  await db.query(
    `INSERT INTO exports (export_id, organization_id, what, asked, moment, started_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (export_id) DO UPDATE SET started_at = excluded.started_at`,
    [exportId, organizationId, what, asked, moment, at],
  );
}

/** Null: there is none, or it was too long ago. */
export async function readExport(db: Sql, exportId: string): Promise<ExportRow | null> {
  const [row] = await db.query<ExportRow>(
    `SELECT export_id AS "exportId", organization_id AS "organizationId", what, asked, moment FROM exports WHERE export_id = $1`,
    [exportId],
  );
  return row ?? null;
}

/** The last block of each volume, all of one snapshot, by volume. */
export async function readBlockHeads(db: Sql): Promise<number[]> {
  const rows = await db.query<{ number: bigint }>('SELECT number FROM ledger_heads ORDER BY volume');
  return rows.map(({ number }) => Number(number));
}

/** The loans of an export: all of an owner, or those of some servicers. */
export type ExportScope = { readonly organizationId: string; readonly servicerIds: readonly string[] | null };

export type ExportLoansQuery = {
  readonly volume: number;
  /** The last block that counts. */
  readonly through: number;
  readonly scopes: readonly ExportScope[];
  /** The organization whose former loans are wanted too. */
  readonly formerOwner: string;
  /** The books of its lenders too. */
  readonly withBooks: boolean;
  readonly lenderId: string | null;
  /** The loan after which the page begins; null: at the first one. */
  readonly after: string | null;
  /** That loan included. */
  readonly including: boolean;
  readonly limit: number;
};

const FIRST = `0x${'00'.repeat(32)}`;

export type ListedLoan = { readonly loanId: string; readonly version: number; readonly isBook: boolean };

/**
 * Loans that may be in reach, in order: those that are of a scope now, those that were the former owner's, and those that were transferred
 * since the last block that counts. Which of them are shown is decided by their events.
 */
export async function readExportLoans(db: Sql, asked: ExportLoansQuery): Promise<ListedLoan[]> {
  const { volume, through, scopes, formerOwner, withBooks, lenderId, after, including, limit } = asked;
  const than = including || after === null ? '>=' : '>';
  const values: unknown[] = [volume, bytes(after ?? FIRST), limit, through, formerOwner, lenderId];
  const put = (value: unknown) => `$${values.push(value)}`;
  // A loan that has changed its owner may have been another lender's on the date.
  const ofLender = `AND ($6::text IS NULL OR l.lender_id = $6
    OR EXISTS (SELECT 1 FROM former_owners f WHERE f.volume = $1 AND f.loan_id = l.loan_id))`;
  const owned = scopes.map(({ organizationId, servicerIds }) => {
    const asks = servicerIds === null ? null : `${put(servicerIds)}::text[]`;
    const serviced =
      asks === null ? '' : `AND (l.primary_servicer_id = ANY (${asks}) OR l.secondary_servicer_id = ANY (${asks}))`;
    return `(SELECT l.loan_id FROM loans l
      WHERE l.volume = $1 AND l.organization_id = ${put(organizationId)} AND l.loan_id ${than} $2 ${serviced} ${ofLender}
      ORDER BY l.loan_id LIMIT $3)`;
  });
  const books = withBooks
    ? `UNION ALL (SELECT book_id FROM books WHERE volume = $1 AND organization_id = $5 AND book_id ${than} $2 ORDER BY book_id LIMIT $3)`
    : '';
  const rows = await db.query<{ loan_id: Uint8Array; version: number | null }>(
    `SELECT page.loan_id, l.version FROM (
       SELECT loan_id FROM (
         ${owned.join('\nUNION ALL\n')}
         UNION ALL
         (SELECT loan_id FROM former_owners WHERE volume = $1 AND organization_id = $5 AND loan_id ${than} $2 ORDER BY loan_id LIMIT $3)
         UNION ALL
         (SELECT loan_id FROM events WHERE volume = $1 AND block > $4 AND type = 'transferred' AND loan_id ${than} $2 ORDER BY loan_id LIMIT $3)
         ${books}
       ) found GROUP BY loan_id ORDER BY loan_id LIMIT $3
     ) page LEFT JOIN loans l ON l.volume = $1 AND l.loan_id = page.loan_id ORDER BY page.loan_id`,
    values,
  );
  return rows.map(({ loan_id, version }) => ({
    loanId: hexOf(loan_id),
    version: version ?? 0,
    isBook: version === null,
  }));
}

/** The owner and servicers that a loan was created with, those of now, and its history up to a block. */
export type ExportedLoan = {
  readonly loanId: string;
  readonly created: Belonging & { readonly at: number };
  readonly now: Belonging;
  readonly file: string;
  readonly bodies: string;
  /** Empty where they were not asked for. */
  readonly hashes: string;
};

type Belonging = {
  readonly organizationId: string;
  readonly lenderId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
};

/**
 * Those of the loans that were there by then, in order. Planned each time: a plan that was made for few loans would go through the list for
 * each loan of the volume.
 */
export async function readExportedLoans(
  db: Sql,
  {
    volume,
    through,
    loanIds,
    withHashes,
  }: { volume: number; through: number; loanIds: readonly string[]; withHashes: boolean },
): Promise<ExportedLoan[]> {
  type Belongs = 'organization_id' | 'lender_id' | 'primary_servicer_id' | 'secondary_servicer_id';
  type Row = Pick<Tables['applications'], 'loan_id' | Belongs | 'created_at'> & {
    [K in Belongs as `now_${K}`]: Tables['loans'][K];
  } & { file: string; bodies: string; hashes: string };
  const rows = await db.query<Row>(
    `SELECT a.loan_id, a.organization_id, a.lender_id, a.primary_servicer_id, a.secondary_servicer_id, a.created_at,
       l.organization_id AS now_organization_id, l.lender_id AS now_lender_id,
       l.primary_servicer_id AS now_primary_servicer_id, l.secondary_servicer_id AS now_secondary_servicer_id,
       coalesce(s.file, a.file) AS file, e.bodies, e.hashes
     FROM unnest($2::bytea[]) AS asked (id)
     JOIN applications a ON a.volume = $1 AND a.loan_id = asked.id
     JOIN loans l ON l.volume = $1 AND l.loan_id = asked.id
     CROSS JOIN LATERAL (
       SELECT max(sequence) AS last, string_agg(body, ',' ORDER BY sequence) AS bodies,
         ${withHashes ? "string_agg(encode(hash, 'hex'), ',' ORDER BY sequence)" : "''"} AS hashes
       FROM events WHERE volume = $1 AND loan_id = asked.id AND block <= $3
     ) e
     LEFT JOIN LATERAL (
       SELECT file FROM assessments WHERE volume = $1 AND loan_id = asked.id AND sequence <= e.last ORDER BY sequence DESC LIMIT 1
     ) s ON true
     WHERE e.last IS NOT NULL ORDER BY a.loan_id`,
    [volume, loanIds.map(bytes), through],
  );
  return rows.map((row) => ({
    loanId: hexOf(row.loan_id),
    created: {
      at: row.created_at.getTime(),
      organizationId: row.organization_id,
      lenderId: row.lender_id,
      primaryServicerId: row.primary_servicer_id,
      secondaryServicerId: row.secondary_servicer_id,
    },
    now: {
      organizationId: row.now_organization_id,
      lenderId: row.now_lender_id,
      primaryServicerId: row.now_primary_servicer_id ?? '',
      secondaryServicerId: row.now_secondary_servicer_id ?? '',
    },
    file: row.file,
    bodies: row.bodies,
    hashes: row.hashes,
  }));
}

export type ExportedPerson = {
  readonly keyId: string;
  readonly wrappedKey: Uint8Array;
  readonly sealed: Uint8Array;
  readonly revision: number;
};

const PEOPLE = byVolume(
  (from, volume) =>
    `SELECT p.loan_id, p.key_id, p.wrapped_key, encode(p.sealed, 'base64') AS sealed, p.revision
     FROM ${from} JOIN people p ON p.volume = ${volume} AND p.loan_id = asked.id`,
);

/** By loan; an erased borrower is not among them. */
export async function readExportedPeople(db: Sql, loanIds: readonly string[]): Promise<Map<string, ExportedPerson>> {
  type Row = { loan_id: Uint8Array; key_id: string; wrapped_key: Uint8Array; sealed: string; revision: number };
  if (loanIds.length === 0) return new Map();
  const rows = await queryByVolume<Row>(db, PEOPLE, loanIds, [], 'export_people');
  return new Map(
    rows.map(({ loan_id, key_id: keyId, wrapped_key: wrappedKey, sealed, revision }) => [
      hexOf(loan_id),
      { keyId, wrappedKey, sealed: Buffer.from(sealed, 'base64'), revision },
    ]),
  );
}

/** The owner of each of the loans, as far as it was recorded by then: as it was created, and the bodies of its transfers since. */
export async function readOwnersThen(
  db: Sql,
  { volume, through, loanIds }: { volume: number; through: number; loanIds: readonly string[] },
): Promise<{ loanId: string; created: Belonging; bodies: string }[]> {
  type Row = {
    loan_id: Uint8Array;
    organization_id: string;
    lender_id: string;
    primary_servicer_id: string;
    secondary_servicer_id: string;
    bodies: string | null;
  };
  const rows = await db.query<Row>(
    `SELECT a.loan_id, a.organization_id, a.lender_id, a.primary_servicer_id, a.secondary_servicer_id, e.bodies
     FROM applications a
     CROSS JOIN LATERAL (
       SELECT string_agg(body, ',' ORDER BY sequence) AS bodies FROM events
       WHERE volume = $1 AND loan_id = a.loan_id AND block <= $3 AND type = 'transferred'
     ) e
     WHERE a.volume = $1 AND a.loan_id = ANY ($2::bytea[])`,
    [volume, loanIds.map(bytes), through],
    'export_owners',
  );
  return rows.map((row) => ({
    loanId: hexOf(row.loan_id),
    created: {
      organizationId: row.organization_id,
      lenderId: row.lender_id,
      primaryServicerId: row.primary_servicer_id,
      secondaryServicerId: row.secondary_servicer_id,
    },
    bodies: row.bodies ?? '',
  }));
}

export type JournalQuery = {
  readonly volume: number;
  readonly through: number;
  readonly loanIds: readonly string[];
  /** The line to continue after; null: at the first one. */
  readonly after: { readonly loanId: string; readonly sequence: number; readonly line: number } | null;
  readonly organizationIds: readonly string[];
  readonly lenderId: string | null;
  /** By the day on which they are posted. */
  readonly from: string | null;
  readonly to: string | null;
  /** Excludes what takes effect later. */
  readonly asOf: string | null;
  /** Excludes what was recorded later. */
  readonly knownAt: string | null;
  readonly limit: number;
};

export type ExportedLine = {
  readonly loanId: string;
  readonly sequence: number;
  readonly line: number;
  readonly hash: string;
  readonly organizationId: string;
  readonly lenderId: string;
  readonly entry: string;
  readonly account: string;
  readonly amount: number;
  readonly dateEffective: string;
  readonly datePosted: string;
  readonly priorPeriod: boolean;
};

export async function readExportedLines(db: Sql, asked: JournalQuery): Promise<ExportedLine[]> {
  const { volume, through, loanIds, after, organizationIds, lenderId, from, to, asOf, knownAt, limit } = asked;
  type Row = Omit<ExportedLine, 'loanId' | 'hash' | 'amount'> & { loan: Uint8Array; hash: Uint8Array; amount: bigint };
  const rows = await db.query<Row>(
    `SELECT j.loan_id AS loan, j.sequence, j.line, e.hash, j.organization_id AS "organizationId", j.lender_id AS "lenderId", j.entry, j.account, j.amount,
       j.date_effective AS "dateEffective", j.date_posted AS "datePosted", ${PRIOR_PERIOD} AS "priorPeriod"
     FROM journal j JOIN events e ON e.volume = $1 AND e.loan_id = j.loan_id AND e.sequence = j.sequence
     WHERE j.volume = $1 AND j.loan_id = ANY ($2::bytea[]) AND j.block <= $3 AND j.organization_id = ANY ($4::text[])
       AND ($5::bytea IS NULL OR (j.loan_id, j.sequence, j.line) > ($5, $6::int, $7::int))
       AND ($8::text IS NULL OR j.lender_id = $8)
       AND ($9::date IS NULL OR j.date_posted >= $9) AND ($10::date IS NULL OR j.date_posted <= $10)
       AND ($11::date IS NULL OR j.date_effective <= $11)
       AND ($12::timestamptz IS NULL OR (e.body::jsonb #>> '{event,recordedAt}')::timestamptz <= $12)
     ORDER BY j.loan_id, j.sequence, j.line LIMIT $13`,
    [
      volume,
      loanIds.map(bytes),
      through,
      organizationIds,
      after === null ? null : bytes(after.loanId),
      after?.sequence ?? null,
      after?.line ?? null,
      lenderId,
      from,
      to,
      asOf,
      knownAt,
      limit,
    ],
    'export_journal',
  );
  return rows.map(({ loan, hash, amount, ...row }) => ({
    ...row,
    loanId: hexOf(loan),
    hash: hexOf(hash),
    amount: Number(amount),
  }));
}
