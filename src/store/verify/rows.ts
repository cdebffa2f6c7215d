/** The queries that verify recorded rows: their records in the audit trail, and the rows of a table with what they hold. */
import { contentOf, keyIn, onlyOf, type RecordedTable, type RowContent, rulesOf } from '../audit/rows.ts';
import type { Sql } from '../db/db.ts';

/** The records of a volume that are linked after a link, or wait for theirs. */
export async function readLaterContents(db: Sql, volume: number, after: number): Promise<string[]> {
  const rows = await db.query<{ content: string }>(
    `SELECT content FROM audit WHERE volume = $1 AND number > $2 AND content IS NOT NULL
     UNION ALL SELECT content FROM audit_waiting WHERE volume = $1 AND content IS NOT NULL`,
    [volume, after],
  );
  return rows.map(({ content }) => content);
}

/** A page of a table in the order of its keys, after one of them; null: from the beginning. `volume` where it is in volumes. */
export async function readContentPage(
  db: Sql,
  table: RecordedTable,
  { volume, after }: { readonly volume: number | null; readonly after: readonly string[] | null },
  limit: number,
): Promise<{ rows: RowContent[]; last: readonly string[] | null }> {
  const columns = Object.entries(rulesOf(table).key).filter(([column]) => volume === null || column !== 'volume');
  const names = columns.map(([column]) => `t.${column}`).join(', ');
  const values: unknown[] = volume === null ? [limit] : [limit, volume];
  const conditions = ['true'];
  if (volume !== null) conditions.push('t.volume = $2');
  if (after !== null) {
    const given = columns.map(([, type], i) => `$${values.length + i + 1}::text::${type}`).join(', ');
    conditions.push(`(${names}) > (${given})`);
    values.push(...after);
  }
  const rows = await db.query<Record<string, string> & { row_hash: string }>(
    `SELECT ${contentOf(table)} FROM ${table} t WHERE ${conditions.join(' AND ')}${onlyOf(table)} ORDER BY ${names} LIMIT $1`,
    values,
  );
  const end = rows.length < limit ? undefined : rows.at(-1);
  return {
    rows: rows.map((row) => ({ table, key: keyIn(table, row), hash: row.row_hash })),
    last: end === undefined ? null : columns.map(([column]) => end[column] as string),
  };
}
