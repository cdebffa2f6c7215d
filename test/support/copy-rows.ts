import type { Sql } from '../../src/store/db/db.ts';

/** All rows of a table into one with the same columns. Those that are generated there are left out. */
export async function copyRows(sql: Sql, table: string, into: string): Promise<void> {
  const [given] = await sql.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [into],
  );
  await sql.query(`INSERT INTO ${into} (${given?.columns}) SELECT ${given?.columns} FROM ${table}`);
}
