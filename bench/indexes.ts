import type { Sql } from '../src/store/db/db.ts';

/** Drops the indexes of a table; returns the statements that make them again. */
export async function dropIndexes(tx: Sql, table: string): Promise<string[]> {
  const rows = await tx.query<{ drop: string; make: string }>(
    `SELECT coalesce('ALTER TABLE ' || c.conrelid::regclass || ' DROP CONSTRAINT ' || c.conname, 'DROP INDEX ' || i.indexrelid::regclass) AS drop,
       coalesce('ALTER TABLE ' || c.conrelid::regclass || ' ADD CONSTRAINT ' || c.conname || ' ' || pg_get_constraintdef(c.oid),
         pg_get_indexdef(i.indexrelid)) AS make
     FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype = 'p'
     WHERE i.indrelid = $1::regclass`,
    [table],
  );
  for (const { drop } of rows) await tx.query(drop);
  return rows.map(({ make }) => make);
}

/** A table like another, with the same indexes and the same free space in its pages (`LIKE` alone forgets that), and no rows. */
export async function makeAlike(sql: Sql, table: string, alike: string): Promise<void> {
  const [row] = await sql.query<{ options: string[] | null }>(
    'SELECT reloptions AS options FROM pg_class WHERE oid = $1::regclass',
    [table],
  );
  const options = row?.options ?? [];
  const settings = options.length === 0 ? '' : ` WITH (${options.join(', ')})`;
  await sql.query(`CREATE TABLE ${alike} (LIKE ${table} INCLUDING ALL)${settings}`);
}
