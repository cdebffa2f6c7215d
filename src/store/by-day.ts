/**
 * Tables that are kept in a part for each day, by the database's own clock, so that what nobody needs any more goes by dropping a table
 * whole instead of deleting rows.
 */
import type { Db, Session, Sql } from './db.ts';

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

/** A row of a day without a part. By the name of the server's function, because the message may be translated. */
export function lacksDay(error: unknown): boolean {
  return (error as { routine?: unknown } | null)?.routine === 'ExecFindPartition';
}

/**
 * Drops the parts that are older than anybody may ask for; how many those were. A part is detached first, without keeping anybody from
 * the table, and waits for the transactions that may still see it: to drop it at once would stop every write until the longest read ends.
 */
export async function dropDays(db: Db): Promise<number> {
  if ((await oldParts(db)).length === 0) return 0;
  return db.session(async (session) => {
    const [lock] = await session.query<{ mine: boolean }>(
      "SELECT pg_try_advisory_lock(hashtext('daybook old days')) AS mine",
    );
    // Another process is at it.
    if (lock?.mine !== true) return 0;
    let dropped = 0;
    for (const { parent, part, attached, detaching } of await oldParts(session)) {
      // Citus does not detach concurrently: there a part that is in use is left for the next time.
      if (session.volumes.sharded) await session.query("SET lock_timeout = '200ms'");
      else if (attached) {
        // What was interrupted is finished.
        const how = detaching ? 'FINALIZE' : 'CONCURRENTLY';
        await session.query(`ALTER TABLE ${parent} DETACH PARTITION ${part} ${how}`);
      }
      dropped += await session.query(`DROP TABLE IF EXISTS ${part}`).then(() => 1, orInUse);
    }
    return dropped;
  });
}

function orInUse(error: unknown): number {
  if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
  return 0;
}

const LOCK_NOT_AVAILABLE = '55P03';

type OldPart = { parent: string; part: string; attached: boolean; detaching: boolean };

/** Also those that were detached and not dropped, because the process ended in between. */
function oldParts(db: Sql): Promise<OldPart[]> {
  return db.query<OldPart>(
    `SELECT parent, c.relname AS part, i.inhrelid IS NOT NULL AS attached, coalesce(i.inhdetachpending, false) AS detaching
     FROM unnest($1::text[]) AS parent
     JOIN pg_class p ON p.oid = parent::regclass
     JOIN pg_class c ON c.relnamespace = p.relnamespace AND c.relkind = 'r' AND c.relname ~ ('^' || parent || '_[0-9]{8}$')
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE right(c.relname, 8) <= to_char(current_date - $2::int, 'YYYYMMDD')
     ORDER BY part`,
    [AGEING, KEPT_DAYS],
  );
}
