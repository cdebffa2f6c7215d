/** The SQL of organizations' clocks, and the time by the database's own clock. */
import type { PlainDate } from '../../core/calendar.ts';
import { type AtEpoch, type BesideEpoch, changeAccess } from '../access/access.ts';
import { changeRows } from '../audit/rows.ts';
import type { Db, Joined, Sql } from '../db/db.ts';
import type { Tables } from '../db/tables.ts';
import { holdClocks } from './test-clocks.ts';

/** A time zone with the moment it ends (epoch milliseconds); null: it has no end yet. In order, the last one has none. */
export type StoredZone = { timeZone: string; until: number | null };
export type StoredClock = {
  organizationId: string;
  zones: readonly StoredZone[];
  /** Null: its clock is live. */
  test: StoredTestClock | null;
  /** The number of versions of policies it has. */
  policyVersions: number;
};
export type StoredTestClock = {
  standsOn: PlainDate;
  /** Real time since which it is at that day, epoch milliseconds. */
  setAt: number;
  advancingTo: PlainDate | null;
  /** The reason why the last attempt to move it failed; null: it succeeded. */
  problem: string | null;
  /** Loans of its past are still being recorded. */
  filling: boolean;
  /** Its sandbox has ended. */
  ended: boolean;
};

type Row = Pick<Tables['organizations'], 'organization_id' | 'policy_versions' | 'time_zone'> &
  Joined<Pick<Tables['test_clocks'], 'stands_on' | 'set_at' | 'advancing_to' | 'problem'>> &
  Joined<Pick<Tables['sandboxes'], 'filling' | 'ended_at'>> & { former: string[]; ends: Date[] };

const CLOCK = `o.organization_id, o.policy_versions, o.time_zone, t.stands_on, t.set_at, t.advancing_to, t.problem, b.filling, b.ended_at,
  ARRAY(SELECT f.time_zone FROM former_time_zones f WHERE f.organization_id = o.organization_id ORDER BY f.until) AS former,
  ARRAY(SELECT f.until FROM former_time_zones f WHERE f.organization_id = o.organization_id ORDER BY f.until) AS ends`;

const POSITION =
  'LEFT JOIN test_clocks t ON t.organization_id = o.organization_id LEFT JOIN sandboxes b ON b.organization_id = o.organization_id';

/** The clocks of these organizations, with the access epoch that they belong to; of organizations that do not exist there is none. */
export async function readClocks(sql: Sql, organizationIds: readonly string[]): Promise<AtEpoch<StoredClock[]>> {
  const rows = await sql.query<BesideEpoch<Row>>(
    `SELECT e.epoch, ${CLOCK} FROM access_epoch e LEFT JOIN organizations o ON o.organization_id = ANY($1::text[]) ${POSITION}`,
    [organizationIds],
    'read_clocks',
  );
  const [first] = rows;
  if (first === undefined) throw new Error('The row of the table access_epoch is missing.');
  return { epoch: first.epoch, value: rows.filter((row) => row.organization_id !== null).map(toStored) };
}

function toStored(row: Row): StoredClock {
  const { organization_id: organizationId, time_zone, former, ends } = row;
  const zones: StoredZone[] = former.map((timeZone, i) => ({ timeZone, until: (ends[i] as Date).getTime() }));
  zones.push({ timeZone: time_zone, until: null });
  const test = row.stands_on && {
    standsOn: row.stands_on,
    setAt: row.set_at.getTime(),
    advancingTo: row.advancing_to,
    problem: row.problem,
    filling: row.filling ?? false,
    ended: row.ended_at !== null,
  };
  return { organizationId, zones, test, policyVersions: row.policy_versions };
}

/**
 * Replaces an organization's zones by what `change` makes of its clock; `change` keeps all but those at the end. Its test clock does not move
 * meanwhile. Null: no such organization. `keep` stores more in the same transaction. What `change` or `keep` throws is thrown, and
 * nothing has changed.
 */
export async function changeZones(
  db: Db,
  organizationId: string,
  change: (clock: StoredClock) => readonly StoredZone[],
  keep: (tx: Sql, clock: StoredClock) => Promise<void> = async () => {},
): Promise<StoredClock | null> {
  const { value } = await changeAccess(db, async (tx) => {
    await holdClocks(tx, [organizationId]);
    const [row] = await tx.query<Row>(`SELECT ${CLOCK} FROM organizations o ${POSITION} WHERE o.organization_id = $1`, [
      organizationId,
    ]);
    if (row === undefined) return null;
    const stored = toStored(row);
    const before = stored.zones;
    const after = change(stored);
    const kept = new Set(after.map(({ until }) => until));
    for (const { until } of before) {
      if (until !== null && !kept.has(until)) {
        await changeRows(
          tx,
          'former_time_zones',
          'DELETE FROM former_time_zones WHERE organization_id = $1 AND until = $2',
          [organizationId, new Date(until)],
        );
      }
    }
    const known = new Set(before.map(({ until }) => until));
    for (const { timeZone, until } of after) {
      if (until !== null && !known.has(until)) {
        await changeRows(
          tx,
          'former_time_zones',
          'INSERT INTO former_time_zones (organization_id, until, time_zone) VALUES ($1, $2, $3)',
          [organizationId, new Date(until), timeZone],
        );
      }
    }
    await changeRows(tx, 'organizations', 'UPDATE organizations SET time_zone = $2 WHERE organization_id = $1', [
      organizationId,
      (after.at(-1) as StoredZone).timeZone,
    ]);
    const changed = { ...stored, zones: after };
    await keep(tx, changed);
    return changed;
  });
  return value;
}

/** The database's clock, in epoch milliseconds. */
export async function readDatabaseTime(sql: Pick<Sql, 'query'>): Promise<number> {
  const [row] = await sql.query<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  return row?.now ?? Number.NaN;
}
