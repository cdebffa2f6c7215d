/** The SQL of dry runs of policies: the loans that they examine, and their progress. */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import type { LendersMarked } from './policies.ts';

type Whose = { readonly organizationId: string; readonly lenders: LendersMarked };

/** Open loans that are serviced. $1 organization, $2 lender or null, $3 lenders that are left out. */
const OPEN = `organization_id = $1 AND (lender_id = $2 OR ($2::text IS NULL AND lender_id <> ALL ($3::text[])))
  AND closed_by IS NULL AND (principal > 0 OR book_interest > 0)`;

export async function countExamined(sql: Sql, { organizationId, lenders }: Whose): Promise<number> {
  const [row] = await sql.query<{ count: number }>(`SELECT count(*)::int AS count FROM loans WHERE ${OPEN}`, [
    organizationId,
    lenders.lenderId,
    lenders.not,
  ]);
  return row?.count ?? 0;
}

/** A page of a volume, by id, with the bodies of their transactions. */
export async function readLoansExamined(
  sql: Sql,
  { organizationId, lenders }: Whose,
  { volume, after, limit }: { volume: number; after: string; limit: number },
): Promise<{ loanId: string; lenderId: string; bodies: string }[]> {
  const rows = await sql.query<{ loan_id: Uint8Array; lender_id: string; bodies: string }>(
    `SELECT l.loan_id, l.lender_id, e.bodies FROM (
       SELECT volume, loan_id, lender_id FROM loans WHERE volume = $4 AND loan_id > $5 AND ${OPEN} ORDER BY loan_id LIMIT $6
     ) l CROSS JOIN LATERAL (
       SELECT string_agg(body, ',' ORDER BY sequence) AS bodies FROM events WHERE events.volume = $4 AND events.loan_id = l.loan_id
     ) e ORDER BY l.loan_id`,
    [organizationId, lenders.lenderId, lenders.not, volume, bytes(after), limit],
    'loans_examined',
  );
  return rows.map(({ loan_id, lender_id, bodies }) => ({ loanId: hexOf(loan_id), lenderId: lender_id, bodies }));
}

export type DryRunRow = {
  readonly key: { readonly organizationId: string; readonly requestHash: string };
  /** The last loan that was examined. */
  readonly volume: number;
  readonly after: string;
  readonly total: number;
  readonly done: number;
  readonly result: Readonly<Record<string, number>>;
  readonly ended: boolean;
};

type Row = {
  volume: number;
  after_loan: Uint8Array;
  total: number;
  done: number;
  result: Record<string, number>;
  ended: boolean;
};

const ROW = 'at_volume AS volume, after_loan, total, done, result, ended_at IS NOT NULL AS ended';

function toRow(key: DryRunRow['key'], row: Row | undefined): DryRunRow | null {
  if (row === undefined) return null;
  const { volume, after_loan, total, done, result, ended } = row;
  return { key, volume, after: hexOf(after_loan), total, done, result, ended };
}

/** A run that ended long ago begins again; those of all organizations that are a day old are deleted. */
export async function beginDryRun(
  sql: Sql,
  { organizationId, requestHash }: DryRunRow['key'],
  { total, result, keptMs }: { total: number; result: Readonly<Record<string, number>>; keptMs: number },
): Promise<void> {
  await sql.query(`DELETE FROM policy_dry_runs WHERE held_until < now() - interval '1 day'`);
  await sql.query(
    `INSERT INTO policy_dry_runs AS r
       (organization_id, request_hash, started_at, held_until, at_volume, after_loan, total, done, result)
     VALUES ($1, $2, now(), now(), 0, '', $3, 0, $4)
     ON CONFLICT (organization_id, request_hash) DO UPDATE
       SET started_at = now(), held_until = now(), at_volume = 0, after_loan = '', total = $3, done = 0, result = $4, ended_at = NULL
       WHERE r.ended_at < now() - $5 * interval '1 millisecond'`,
    [organizationId, bytes(requestHash), total, JSON.stringify(result), keptMs],
  );
}

export async function readDryRun(sql: Sql, key: DryRunRow['key']): Promise<DryRunRow | null> {
  const [row] = await sql.query<Row>(
    `SELECT ${ROW} FROM policy_dry_runs WHERE organization_id = $1 AND request_hash = $2`,
    [key.organizationId, bytes(key.requestHash)],
  );
  return toRow(key, row);
}

/** The run is this process's for a while; null: it has ended, or another process works on it. */
export async function takeDryRun(sql: Sql, key: DryRunRow['key'], heldMs: number): Promise<DryRunRow | null> {
  const [row] = await sql.query<Row>(
    `UPDATE policy_dry_runs SET held_until = now() + $3 * interval '1 millisecond'
     WHERE organization_id = $1 AND request_hash = $2 AND ended_at IS NULL AND held_until <= now() RETURNING ${ROW}`,
    [key.organizationId, bytes(key.requestHash), heldMs],
  );
  return toRow(key, row);
}

/** Saves a page, unless another process has saved it meanwhile: then null. */
export async function saveDryRunPage(
  sql: Sql,
  key: DryRunRow['key'],
  page: Pick<DryRunRow, 'volume' | 'after' | 'done' | 'result' | 'ended'> & {
    readonly from: Pick<DryRunRow, 'done' | 'volume' | 'after'>;
    readonly heldMs: number;
  },
): Promise<DryRunRow | null> {
  const [row] = await sql.query<Row>(
    `UPDATE policy_dry_runs SET at_volume = $3, after_loan = $4, done = $5, result = $6,
       held_until = now() + $8 * interval '1 millisecond', ended_at = CASE WHEN $7 THEN now() END
     WHERE organization_id = $1 AND request_hash = $2 AND ended_at IS NULL AND at_volume = $9 AND after_loan = $10 AND done = $11
     RETURNING ${ROW}`,
    [
      key.organizationId,
      bytes(key.requestHash),
      page.volume,
      bytes(page.after),
      page.done,
      JSON.stringify(page.result),
      page.ended,
      page.heldMs,
      page.from.volume,
      bytes(page.from.after),
      page.from.done,
    ],
  );
  return toRow(key, row);
}
