/**
 * Tables that are kept in a part for each day, by the database's own clock, so that what nobody needs any more goes by dropping a table
 * whole instead of deleting rows.
 */
import type { Session } from './db.ts';

const TABLES = ['reservations', 'answers', 'outbox'];
/** Of these, parts go when they are old. The outbox is kept until it has been delivered. */
const AGEING = ['reservations', 'answers'];
/** Parts are made so many days ahead: until then a service that cannot make any still has one. */
const AHEAD_DAYS = 7;
/** Answers are kept for at least 24 hours: those of today and of yesterday. */
const KEPT_DAYS = 2;

/** Makes the parts of today and of the days to come that are missing. */
export async function makeDays(db: Session): Promise<void> {
  type Missing = { parent: string; part: string; from: string; to: string };
  const missing = await db.query<Missing>(
    `SELECT parent, parent || to_char(day, '_YYYYMMDD') AS part, day::date AS from, (day::date + 1) AS to
     FROM unnest($1::text[]) AS parent, generate_series(current_date, current_date + $2::int, interval '1 day') AS day
     WHERE to_regclass(parent || to_char(day, '_YYYYMMDD')) IS NULL`,
    [TABLES, AHEAD_DAYS],
  );
  if (missing.length === 0) return;
  await db.transaction(async (tx) => {
    // Of processes that start at once, one makes them.
    await tx.query("SELECT pg_advisory_xact_lock(hashtext('daybook days'))");
    for (const { parent, part, from, to } of missing) {
      const [made] = await tx.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [part]);
      if (made?.there === true) continue;
      // Attached when it is complete: to create it as a part would keep everybody else from the table.
      await tx.query(`CREATE TABLE ${part} (LIKE ${parent} INCLUDING ALL)`);
      await tx.query(`ALTER TABLE ${parent} ATTACH PARTITION ${part} FOR VALUES FROM ('${from}') TO ('${to}')`);
    }
  });
}

/** Drops the parts that are older than anybody may ask for; how many those were. One that is in use is left for the next time. */
export async function dropDays(db: Session): Promise<number> {
  const old = await db.query<{ part: string }>(
    `SELECT c.relname AS part
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
     WHERE p.oid = ANY($1::text[]::regclass[]::oid[]) AND c.relname ~ '_[0-9]{8}$'
       AND to_date(right(c.relname, 8), 'YYYYMMDD') <= current_date - $2::int`,
    [AGEING, KEPT_DAYS],
  );
  let dropped = 0;
  for (const { part } of old) {
    const drop = db.transaction(async (tx) => {
      await tx.query("SET LOCAL lock_timeout = '200ms'");
      await tx.query(`DROP TABLE IF EXISTS ${part}`);
      return 1;
    });
    dropped += await drop.catch((error: unknown) => {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return 0;
      throw error;
    });
  }
  return dropped;
}

const LOCK_NOT_AVAILABLE = '55P03';
