/** Dates whose positions no cycle writes, other than month ends or before the first cycle: which were asked for, and how far they are. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Sql } from '../db/db.ts';

export type PositionDate = {
  readonly organizationId: string;
  readonly date: PlainDate;
  readonly knownOn: PlainDate;
  readonly total: number;
  readonly done: number;
  readonly ready: boolean;
};

const ROW = `organization_id AS "organizationId", date, known_on AS "knownOn", total, done, ready_at IS NOT NULL AS ready`;

export function readPositionDates(db: Sql, organizationId: string): Promise<PositionDate[]> {
  return db.query<PositionDate>(
    `SELECT ${ROW} FROM position_dates WHERE organization_id = $1 ORDER BY asked_at, date`,
    [organizationId],
  );
}

export function readAllPositionDates(db: Sql): Promise<PositionDate[]> {
  return db.query<PositionDate>(`SELECT ${ROW} FROM position_dates`);
}

/** Only where the cycles have run up to the day that it is known on, and no further. A second call changes nothing. */
export async function addPositionDate(
  db: Sql,
  { organizationId, date, knownOn, total }: Omit<PositionDate, 'done' | 'ready'>,
): Promise<void> {
  await db.query(
    `INSERT INTO position_dates (organization_id, date, known_on, asked_at, total, held_until)
     SELECT organization_id, $2, through, now(), $4, now() FROM cycle_heads WHERE organization_id = $1 AND through = $3
     ON CONFLICT DO NOTHING`,
    [organizationId, date, knownOn, total],
  );
}

/**
 * The oldest date that no process works on, of an organization of which no other date is worked on: this process's for a while. Null: there
 * is none.
 */
export async function takePositionDate(db: Sql, heldMs: number): Promise<PositionDate | null> {
  const [row] = await db.query<PositionDate>(
    `UPDATE position_dates d SET held_until = now() + $1 * interval '1 millisecond', done = 0
     FROM (
       SELECT organization_id, date FROM position_dates w
       WHERE ready_at IS NULL AND NOT EXISTS (SELECT 1 FROM position_dates h
         WHERE h.organization_id = w.organization_id AND h.ready_at IS NULL AND h.held_until > now())
       ORDER BY asked_at, date LIMIT 1 FOR UPDATE SKIP LOCKED
     ) next
     WHERE d.organization_id = next.organization_id AND d.date = next.date
     RETURNING ${ROW.replaceAll(/(organization_id|\bdate,)/g, 'd.$1')}`,
    [heldMs],
  );
  return row ?? null;
}

/** Goes on holding it. */
export async function passPositionDate(
  db: Sql,
  { organizationId, date }: Pick<PositionDate, 'organizationId' | 'date'>,
  { done, heldMs }: { readonly done: number; readonly heldMs: number },
): Promise<void> {
  await db.query(
    `UPDATE position_dates SET done = least(total, $3), held_until = now() + $4 * interval '1 millisecond'
     WHERE organization_id = $1 AND date = $2 AND ready_at IS NULL`,
    [organizationId, date, done, heldMs],
  );
}

export async function endPositionDate(
  db: Sql,
  { organizationId, date }: Pick<PositionDate, 'organizationId' | 'date'>,
): Promise<void> {
  await db.query(
    `UPDATE position_dates SET ready_at = now(), done = total, held_until = now()
     WHERE organization_id = $1 AND date = $2 AND ready_at IS NULL`,
    [organizationId, date],
  );
}

/** So that another process, or the next start, goes on at once. */
export async function releasePositionDate(
  db: Sql,
  { organizationId, date }: Pick<PositionDate, 'organizationId' | 'date'>,
): Promise<void> {
  await db.query(
    'UPDATE position_dates SET held_until = now() WHERE organization_id = $1 AND date = $2 AND ready_at IS NULL',
    [organizationId, date],
  );
}
