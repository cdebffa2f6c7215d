/** The SQL of servicing policies: versions, the days they put into the rows of loans, dry runs. */
import type { PlainDate } from '../../core/calendar.ts';
import { changeAccess } from '../access/access.ts';
import { changeRows } from '../audit/rows.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Db, Sql } from '../db/db.ts';

/** `policy` is JSON. */
export type StoredVersion = {
  number: number;
  policyId: string;
  lenderId: string | null;
  version: number;
  from: PlainDate;
  figuresFrom: PlainDate;
  policy: string;
  recordedAt: Date;
  clientId: string;
};

const VERSION = `number, policy_id AS "policyId", lender_id AS "lenderId", version, from_date AS "from", figures_from AS "figuresFrom", policy,
  recorded_at AS "recordedAt", client_id AS "clientId"`;

/** All versions of an organization, in the order of recording. They never change, and there are at most some hundred. */
export function readPolicyVersions(sql: Sql, organizationId: string): Promise<StoredVersion[]> {
  return sql.query<StoredVersion>(
    `SELECT ${VERSION} FROM policy_versions WHERE organization_id = $1 ORDER BY number`,
    [organizationId],
    'read_policy_versions',
  );
}

/**
 * Stores what `next` makes of the versions there are; null: nothing is stored. Versions of an organization are recorded one after the
 * other. `keep` stores more in the same transaction.
 */
export async function addPolicyVersion(
  db: Db,
  organizationId: string,
  next: (tx: Sql, versions: readonly StoredVersion[]) => Promise<Omit<StoredVersion, 'number'> | null>,
  keep: (tx: Sql, added: StoredVersion) => Promise<void>,
): Promise<StoredVersion | null> {
  const { value } = await changeAccess(db, async (tx) => {
    const before = await readPolicyVersions(tx, organizationId);
    const made = await next(tx, before);
    if (made === null) return null;
    const added = { ...made, number: before.length + 1 };
    await changeRows(
      tx,
      'policy_versions',
      `INSERT INTO policy_versions
         (organization_id, number, policy_id, lender_id, version, from_date, figures_from, policy, recorded_at, client_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        organizationId,
        added.number,
        added.policyId,
        added.lenderId,
        added.version,
        added.from,
        added.figuresFrom,
        added.policy,
        added.recordedAt,
        added.clientId,
      ],
    );
    await changeRows(tx, 'organizations', 'UPDATE organizations SET policy_versions = $2 WHERE organization_id = $1', [
      organizationId,
      added.number,
    ]);
    await keep(tx, added);
    return added;
  });
  return value;
}

// ---- the rows of loans ----

/** Loans of one lender, or of all but some. */
export type LendersMarked = { readonly lenderId: string | null; readonly not: readonly string[] };

/**
 * Puts a day into the rows of open loans that were last recorded before it and say that nothing changes until later: a page of a volume, by
 * id, in a statement of its own. The last loan of the page; null: it was the last page.
 */
export async function markRows(
  db: Sql,
  volume: number,
  { organizationId, day, lenders }: { organizationId: string; day: PlainDate; lenders: LendersMarked },
  { after, limit }: { after: string | null; limit: number },
): Promise<string | null> {
  const rows = await db.query<{ loan_id: Uint8Array }>(
    `SELECT loan_id FROM loans
     WHERE volume = $1 AND organization_id = $2 AND loan_id > $6
       AND (lender_id = $4 OR ($4::text IS NULL AND lender_id <> ALL ($5::text[])))
       AND recorded_on < $3 AND closed_by IS NULL AND status <> 'ChargedOff' AND (principal > 0 OR book_interest > 0)
       AND (changes_on IS NULL OR changes_on > $3 OR books_change_on IS NULL OR books_change_on > $3)
     ORDER BY loan_id LIMIT $7`,
    [volume, organizationId, day, lenders.lenderId, lenders.not, bytes(after ?? '0x'), limit],
    'rows_to_mark',
  );
  if (rows.length > 0) {
    await db.query(
      `UPDATE loans SET changes_on = least(changes_on, $2), books_change_on = least(books_change_on, $2)
       WHERE volume = $1 AND loan_id = ANY ($3) AND recorded_on < $2`,
      [volume, day, rows.map(({ loan_id }) => loan_id)],
      'mark_rows',
    );
  }
  const last = rows.length < limit ? undefined : rows.at(-1);
  return last === undefined ? null : hexOf(last.loan_id);
}

/** The versions of an organization whose figures count by a day and that are not marked in all rows yet. */
export async function readUnmarked(sql: Sql, organizationId: string, day: PlainDate): Promise<number[]> {
  const rows = await sql.query<{ number: number }>(
    `SELECT v.number FROM policy_versions v
     WHERE v.organization_id = $1 AND v.figures_from <= $2 AND NOT EXISTS (
       SELECT 1 FROM policy_marks m WHERE m.organization_id = v.organization_id AND m.number = v.number)
     ORDER BY v.number`,
    [organizationId, day],
    'read_unmarked_policies',
  );
  return rows.map(({ number }) => number);
}

export async function saveMarked(
  sql: Sql,
  organizationId: string,
  numbers: readonly number[],
  at: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO policy_marks (organization_id, number, marked_at) SELECT $1, number, $3 FROM unnest($2::int[]) AS number
     ON CONFLICT DO NOTHING`,
    [organizationId, numbers, at],
  );
}

/** Whether a lender has loans; null: any lender of the organization. */
export async function hasLoans(
  sql: Sql,
  { organizationId, lenderId }: { organizationId: string; lenderId: string | null },
): Promise<boolean> {
  const [row] = await sql.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM loans WHERE organization_id = $1 AND ($2::text IS NULL OR lender_id = $2)) AS found`,
    [organizationId, lenderId],
  );
  return row?.found === true;
}
