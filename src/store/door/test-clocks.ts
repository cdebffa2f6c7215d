/**
 * The positions of test clocks, and moving them. A transaction that records facts of an organization with a test clock holds the shared lock of
 * the clock until it commits, and confirms under it the day that it was decided by; moving the clock takes the lock exclusively. So once
 * a move has committed, nothing more is recorded for the days before. The locks are advisory, because those are granted in the order in
 * which they were requested: with row locks, writers that follow each other closely could keep a move waiting forever.
 */
import type { PlainDate } from '../../core/calendar.ts';
import type { Db, Sql } from '../db/db.ts';

/** The first half of the locks' keys; the other is a hash of the organization. */
const LOCKS = 1_145_392_464;

/** Until the transaction ends, these clocks do not move. Locked in a fixed order, to avoid deadlocks. */
export async function holdClocks(tx: Sql, organizationIds: Iterable<string>): Promise<void> {
  await tx.query(
    `SELECT pg_advisory_xact_lock_shared(${LOCKS}, hashtext(o)) FROM unnest($1::text[]) AS o`,
    [[...new Set(organizationIds)].sort()],
    'hold_clocks',
  );
}

/** Holds these clocks, and returns those that are at another day than the one given. */
export async function movedClocks(tx: Sql, standing: ReadonlyMap<string, PlainDate>): Promise<Set<string>> {
  await holdClocks(tx, standing.keys());
  // A separate statement: it sees what was committed until the locks were granted.
  const rows = await tx.query<{ organization_id: string; stands_on: PlainDate }>(
    'SELECT organization_id, stands_on FROM test_clocks WHERE organization_id = ANY($1::text[])',
    [[...standing.keys()]],
    'read_test_clocks',
  );
  const found = new Map(rows.map(({ organization_id, stands_on }) => [organization_id, stands_on]));
  return new Set([...standing].flatMap(([id, day]) => (found.get(id) === day ? [] : [id])));
}

export async function insertTestClock(
  tx: Sql,
  { organizationId, standsOn, setAt }: { organizationId: string; standsOn: PlainDate; setAt: Date },
): Promise<void> {
  await tx.query('INSERT INTO test_clocks (organization_id, stands_on, set_at) VALUES ($1, $2, $3)', [
    organizationId,
    standsOn,
    setAt,
  ]);
}

/** False: it is being advanced (and can be moved), has already reached the day, or must not move. */
export async function beginAdvance(db: Sql, organizationId: string, to: PlainDate): Promise<boolean> {
  const begun = await db.query(
    `UPDATE test_clocks t SET advancing_to = $2, held_by = NULL, held_until = clock_timestamp(), failures = 0, problem = NULL
       FROM sandboxes b
      WHERE t.organization_id = $1 AND b.organization_id = t.organization_id AND b.ended_at IS NULL AND NOT b.filling
        AND (t.advancing_to IS NULL OR t.problem IS NOT NULL) AND t.stands_on <= $2 RETURNING 1`,
    [organizationId, to],
  );
  return begun.length > 0;
}

/** An advance that a process has taken on. */
export type HeldAdvance = { readonly organizationId: string; readonly heldBy: string };
export type Advance = { readonly standsOn: PlainDate; readonly to: PlainDate };

/** The time for which an advance is held without a renewal by its holder. */
const HELD = "interval '5 seconds'";

/**
 * Takes on the advance that has waited longest, preferring organizations none of whose sandboxes is being moved: an organization with
 * twenty of them does not keep others waiting. Null: there is none without a holder.
 */
export async function claimAdvance(db: Sql, heldBy: string): Promise<(HeldAdvance & Advance) | null> {
  const [row] = await db.query<{ organization_id: string; stands_on: PlainDate; advancing_to: PlainDate }>(
    `UPDATE test_clocks SET held_by = $1, held_until = clock_timestamp() + ${HELD}
      WHERE organization_id = (SELECT t.organization_id FROM test_clocks t JOIN sandboxes b USING (organization_id)
        WHERE t.advancing_to IS NOT NULL AND t.held_until <= clock_timestamp()
        ORDER BY EXISTS (SELECT 1 FROM test_clocks u JOIN sandboxes c USING (organization_id)
            WHERE u.advancing_to IS NOT NULL AND u.held_by IS NOT NULL AND u.held_until > clock_timestamp()
              AND coalesce(c.made_by, c.organization_id) = coalesce(b.made_by, b.organization_id)),
          t.held_until LIMIT 1 FOR UPDATE OF t SKIP LOCKED)
      RETURNING organization_id, stands_on, advancing_to`,
    [heldBy],
    'claim_advance',
  );
  if (row === undefined) return null;
  return { organizationId: row.organization_id, heldBy, standsOn: row.stands_on, to: row.advancing_to };
}

const MINE = 'organization_id = $1 AND held_by = $2 AND advancing_to IS NOT NULL';

/** Renews the hold. Null: another process holds it, or it has ended. */
export async function keepAdvance(db: Sql, { organizationId, heldBy }: HeldAdvance): Promise<Advance | null> {
  const [row] = await db.query<{ stands_on: PlainDate; advancing_to: PlainDate }>(
    `UPDATE test_clocks SET held_until = clock_timestamp() + ${HELD} WHERE ${MINE} RETURNING stands_on, advancing_to`,
    [organizationId, heldBy],
    'keep_advance',
  );
  return row === undefined ? null : { standsOn: row.stands_on, to: row.advancing_to };
}

/** Moves the clock after all transactions that record facts of its day have committed. False: it has moved, or is no longer held. */
export function moveClock(
  db: Db,
  { organizationId, heldBy }: HeldAdvance,
  move: { from: PlainDate; to: PlainDate; at: Date },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(${LOCKS}, hashtext($1))`, [organizationId]);
    const moved = await tx.query(
      `UPDATE test_clocks SET stands_on = $4, set_at = $5, held_until = clock_timestamp() + ${HELD}, failures = 0, problem = NULL
        WHERE ${MINE} AND stands_on = $3 RETURNING 1`,
      [organizationId, heldBy, move.from, move.to, move.at],
    );
    return moved.length > 0;
  });
}

/** It has reached its day, or the last possible day before it. */
export async function finishAdvance(db: Sql, { organizationId, heldBy }: HeldAdvance): Promise<void> {
  await db.query(
    `UPDATE test_clocks SET advancing_to = NULL, held_by = NULL, held_until = NULL, failures = 0, problem = NULL WHERE ${MINE}`,
    [organizationId, heldBy],
  );
}

/** Another process continues it, after those that have waited longer. */
export async function releaseAdvance(db: Sql, { organizationId, heldBy }: HeldAdvance): Promise<void> {
  await db.query(`UPDATE test_clocks SET held_by = NULL, held_until = clock_timestamp() WHERE ${MINE}`, [
    organizationId,
    heldBy,
  ]);
}

/** It could not be moved: it is retried after a second, and each time after twice as long, up to five minutes. */
export async function failAdvance(db: Sql, { organizationId, heldBy }: HeldAdvance, problem: string): Promise<void> {
  await db.query(
    `UPDATE test_clocks SET held_by = NULL, failures = failures + 1, problem = $3,
       held_until = clock_timestamp() + least(interval '5 minutes', interval '1 second' * power(2, least(failures, 20)))
      WHERE ${MINE}`,
    [organizationId, heldBy, problem],
  );
}
