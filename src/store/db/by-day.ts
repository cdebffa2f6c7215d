/**
 * Tables with a partition for each day, by the database's own clock, so that data no longer needed is removed by dropping a table
 * instead of deleting rows.
 */

import type { Db, Session, Sql } from './db.ts';

/** Partitions are created this many days ahead: a service that cannot create any still has one until then. */
const AHEAD_DAYS = 7;
/** Deliveries of webhooks can be listed and repeated for so many days. */
export const DELIVERIES_KEPT_DAYS = 30;
/** Old partitions are dropped after so many days. Answers are kept for at least 24 hours: those of today and of yesterday. */
const KEPT_DAYS: Readonly<Record<string, number>> = {
  reservations: 2,
  answers: 2,
  webhook_deliveries: DELIVERIES_KEPT_DAYS,
};

/** Creates the missing partitions for today and the coming days. */
export async function makeDays(db: Session): Promise<void> {
  type Missing = { parent: string; part: string; from: string; to: string };
  const missing = await db.query<Missing>(
    `SELECT parent, parent || to_char(day, '_YYYYMMDD') AS part, day::date AS from, (day::date + 1) AS to
     FROM unnest($1::text[]) AS parent, generate_series(current_date, current_date + $2::int, interval '1 day') AS day
     WHERE to_regclass(parent || to_char(day, '_YYYYMMDD')) IS NULL`,
    [Object.keys(KEPT_DAYS), AHEAD_DAYS],
  );
  if (missing.length === 0) return;
  await db.transaction(async (tx) => {
    // If several processes start at once, one of them creates them.
    await tx.query("SELECT pg_advisory_xact_lock(hashtext('daybook days'))");
    for (const { parent, part, from, to } of missing) {
      const [made] = await tx.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [part]);
      if (made?.there === true) continue;
      // Attached when complete: creating it as a partition would lock out all other users of the table.
      await tx.query(`CREATE TABLE ${part} (LIKE ${parent} INCLUDING ALL)`);
      await tx.query(`ALTER TABLE ${parent} ATTACH PARTITION ${part} FOR VALUES FROM ('${from}') TO ('${to}')`);
    }
  });
}

/** A row for a day without a partition. Recognised by the server's routine name, because the message may be translated. */
export function lacksDay(error: unknown): boolean {
  return (error as { routine?: unknown } | null)?.routine === 'ExecFindPartition';
}

/**
 * Drops the partitions that are no longer needed; returns how many. A partition is detached first, without locking out other users of
 * the table, which waits for the transactions that may still see it: dropping it at once would block every write until the longest read ends.
 */
export async function dropDays(db: Db): Promise<number> {
  if ((await oldParts(db)).length === 0) return 0;
  return db.session(async (session) => {
    const [lock] = await session.query<{ mine: boolean }>(
      "SELECT pg_try_advisory_lock(hashtext('daybook old days')) AS mine",
    );
    // Another process holds the lock.
    if (lock?.mine !== true) return 0;
    let dropped = 0;
    for (const { parent, part, attached, detaching } of await oldParts(session)) {
      // Citus cannot detach concurrently: there a partition in use is left for the next time.
      if (session.volumes.sharded) await session.query("SET lock_timeout = '200ms'");
      else if (attached) {
        // Finish what was interrupted.
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

/** Including those that were detached but not dropped because the process ended in between. */
function oldParts(db: Sql): Promise<OldPart[]> {
  return db.query<OldPart>(
    `SELECT parent, c.relname AS part, i.inhrelid IS NOT NULL AS attached, coalesce(i.inhdetachpending, false) AS detaching
     FROM unnest($1::text[], $2::int[]) AS aged (parent, days)
     JOIN pg_class p ON p.oid = parent::regclass
     JOIN pg_class c ON c.relnamespace = p.relnamespace AND c.relkind = 'r' AND c.relname ~ ('^' || parent || '_[0-9]{8}$')
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE right(c.relname, 8) <= to_char(current_date - days, 'YYYYMMDD')
     ORDER BY part`,
    [Object.keys(KEPT_DAYS), Object.values(KEPT_DAYS)],
  );
}
