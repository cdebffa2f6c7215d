/**
 * Many loans from a few: each is copied on the server, under an id of its own. The bodies of a copy contain the id and links of the
 * original. Indexes are built after all rows are inserted, which takes a fraction of the time of adding random ids one at a time.
 */
import type { Db } from '../src/store/db/db.ts';
import { dropIndexes } from './indexes.ts';

/** Copies of each loan that are made in one statement. */
const COPIED_AT_ONCE = 1_000;
const TABLES = ['loans', 'events', 'journal', 'applications'];

export async function copyLoans(db: Db, copies: number, told: (what: string) => void): Promise<void> {
  const id = 'sha256(t.loan_id || int4send(n))';
  const volume = `(get_byte(${id}, 0) % ${db.volumes.count})::smallint`;
  for (const table of TABLES) {
    const columns = await db.query<{ name: string }>(
      "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
      [table],
    );
    const copied: Record<string, string> = { volume, loan_id: id };
    if (table === 'applications') copied.application_id = "t.application_id || '-' || n";
    const names = columns.map(({ name }) => name);
    const named = names.join(', ');
    // Truncated in the same transaction, the table and its indexes are written without the write-ahead log.
    await db.transaction(async (tx) => {
      await tx.query(`CREATE TABLE first_${table} AS TABLE ${table}`);
      await tx.query(`TRUNCATE ${table}`);
      const indexes = await dropIndexes(tx, table);
      await tx.query(`INSERT INTO ${table} (${named}) SELECT ${named} FROM first_${table}`);
      for (let from = 1; from <= copies; from += COPIED_AT_ONCE) {
        await tx.query(
          `INSERT INTO ${table} (${named})
           SELECT ${names.map((name) => copied[name] ?? `t.${name}`).join(', ')}
           FROM generate_series($1::int, $2::int) AS n, first_${table} t`,
          [from, Math.min(copies, from + COPIED_AT_ONCE - 1)],
        );
      }
      told(`${table} are copied`);
      await tx.query("SET LOCAL maintenance_work_mem = '512MB'");
      for (const make of indexes) await tx.query(make);
      await tx.query(`DROP TABLE first_${table}`);
    });
    told(`${table} have their indexes`);
  }
  for (const table of TABLES) await db.query(`VACUUM ANALYZE ${table}`);
}
