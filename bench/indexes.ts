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
