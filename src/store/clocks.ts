/** The SQL of organizations' clocks, and the time by the database's own clock. */
import { type AtEpoch, changeAccess } from './access.ts';
import type { Db, Sql } from './db.ts';

/** A time zone with the moment it ends (epoch milliseconds); null: it has no end yet. In order, the last one has none. */
export type StoredZone = { timeZone: string; until: number | null };
export type StoredClock = { organizationId: string; kind: 'live'; zones: readonly StoredZone[] };

type Row = {
  organization_id: string | null;
  clock_kind: 'live';
  time_zone: string;
  former: string[];
  ends: Date[];
};

const CLOCK = `o.organization_id, o.clock_kind, o.time_zone,
  ARRAY(SELECT f.time_zone FROM former_time_zones f WHERE f.organization_id = o.organization_id ORDER BY f.until) AS former,
  ARRAY(SELECT f.until FROM former_time_zones f WHERE f.organization_id = o.organization_id ORDER BY f.until) AS ends`;

/** The clocks of these organizations, with the access epoch that they belong to; of organizations that do not exist there is none. */
export async function readClocks(sql: Sql, organizationIds: readonly string[]): Promise<AtEpoch<StoredClock[]>> {
  const rows = await sql.query<{ epoch: bigint } & Row>(
    `SELECT e.epoch, ${CLOCK} FROM access_epoch e LEFT JOIN organizations o ON o.organization_id = ANY($1::text[])`,
    [organizationIds],
    'read_clocks',
  );
  const [first] = rows;
  if (first === undefined) throw new Error('The table access_epoch has lost its row.');
  return { epoch: first.epoch, value: rows.filter((row) => row.organization_id !== null).map(toStored) };
}

function toStored({ organization_id, clock_kind, time_zone, former, ends }: Row): StoredClock {
  const zones: StoredZone[] = former.map((timeZone, i) => ({ timeZone, until: (ends[i] as Date).getTime() }));
  zones.push({ timeZone: time_zone, until: null });
  return { organizationId: organization_id as string, kind: clock_kind, zones };
}

/**
 * Replaces an organization's zones by what `change` makes of them; `change` keeps all but those at the end. Null: there is no such
 * organization. `keep` stores more in the same transaction. What `change` or `keep` throws is thrown, and nothing has changed.
 */
export async function changeZones(
  db: Db,
  organizationId: string,
  change: (zones: readonly StoredZone[]) => readonly StoredZone[],
  keep: (tx: Sql, zones: readonly StoredZone[]) => Promise<void> = async () => {},
): Promise<readonly StoredZone[] | null> {
  const { value } = await changeAccess(db, async (tx) => {
    const [row] = await tx.query<Row>(`SELECT ${CLOCK} FROM organizations o WHERE o.organization_id = $1`, [
      organizationId,
    ]);
    if (row === undefined) return null;
    const before = toStored(row).zones;
    const after = change(before);
    const kept = new Set(after.map(({ until }) => until));
    for (const { until } of before) {
      if (until !== null && !kept.has(until)) {
        await tx.query('DELETE FROM former_time_zones WHERE organization_id = $1 AND until = $2', [
          organizationId,
          new Date(until),
        ]);
      }
    }
    const known = new Set(before.map(({ until }) => until));
    for (const { timeZone, until } of after) {
      if (until !== null && !known.has(until)) {
        await tx.query('INSERT INTO former_time_zones (organization_id, until, time_zone) VALUES ($1, $2, $3)', [
          organizationId,
          new Date(until),
          timeZone,
        ]);
      }
    }
    await tx.query('UPDATE organizations SET time_zone = $2 WHERE organization_id = $1', [
      organizationId,
      (after.at(-1) as StoredZone).timeZone,
    ]);
    await keep(tx, after);
    return after;
  });
  return value;
}

/** The database's clock, in epoch milliseconds. */
export async function readDatabaseTime(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  return row?.now ?? Number.NaN;
}
