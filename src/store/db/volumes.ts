/**
 * Volumes: a loan belongs to one of N, by the first byte of its id modulo N, and so does an idempotency key by the first byte of its hash.
 * N is a power of two and fixed when the database is made. On a plain server a statement may ask for loans of several volumes; where the
 * tables are spread over servers by volume, each statement names one as a constant, so that one server answers it.
 */
import type { Db, Sql, Volumes } from './db.ts';

/** The setting contradicts the database, or the rows that tell how many volumes there are are damaged. */
export class VolumesMismatch extends Error {
  override name = 'VolumesMismatch';
}

const DEFAULT_VOLUMES = 16;

/** The volume of a loan by its id, or of a key by its hash: '0x…'. */
export function volumeOf({ volumes }: Pick<Sql, 'volumes'>, id: string): number {
  if (volumes.count === 0) throw new Error('The volumes of this database have not been read.');
  return Number.parseInt(id.slice(2, 4), 16) % volumes.count;
}

/** Reads how many volumes there are, and makes them where there are none. `wanted` null: the default, or what there is. */
export async function openVolumes(db: Db, wanted: number | null): Promise<Volumes> {
  const count = (await readVolumes(db)) || (await makeVolumes(db, wanted ?? DEFAULT_VOLUMES));
  if (wanted !== null && wanted !== count) {
    throw new VolumesMismatch(
      `VOLUMES is ${wanted}, but this database was created with ${count}; the number cannot be changed: remove VOLUMES or set it to ${count}.`,
    );
  }
  const volumes = { count, sharded: await isSharded(db) };
  db.useVolumes(volumes);
  return volumes;
}

/** The extension alone says nothing: a server that has it may serve tables that are not distributed. */
async function isSharded(db: Sql): Promise<boolean> {
  const [citus] = await db.query("SELECT 1 WHERE to_regclass('pg_dist_partition') IS NOT NULL");
  if (citus === undefined) return false;
  const loans = await db.query("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'loans'::regclass");
  return loans.length > 0;
}

/** None: 0. A wrong number would look for every loan in the wrong place. */
async function readVolumes(db: Sql): Promise<number> {
  const [row] = await db.query<{ count: number; first: number | null; last: number | null }>(
    'SELECT count(*)::int AS count, min(volume) AS first, max(volume) AS last FROM ledger_heads',
  );
  const { count, first, last } = row ?? { count: 0, first: null, last: null };
  if (count === 0) return 0;
  if (first === 0 && last === count - 1 && (count & (count - 1)) === 0) return count;
  throw new VolumesMismatch(
    `ledger_heads has ${count} rows for volumes ${first} to ${last}: rows are missing or duplicated. Restore the database from a backup.`,
  );
}

async function makeVolumes(db: Db, count: number): Promise<number> {
  return db.transaction(async (tx) => {
    // If two processes start at once, one of them creates them.
    await tx.query('LOCK TABLE ledger_heads IN SHARE ROW EXCLUSIVE MODE');
    const made = await readVolumes(tx);
    if (made > 0) return made;
    await tx.query('INSERT INTO ledger_heads (volume, number) SELECT v, v FROM generate_series(0, $1::int - 1) AS v', [
      count,
    ]);
    return count;
  });
}

/** Begins each statement that only plain servers are sent, because one with distributed tables would refuse it or another suits it better. */
export const PLAIN = '/* plain */';

/** A statement for loans, or for keys, by their ids: as a plain server takes it, and as a sharded one does for each volume. */
export type ByVolume = { readonly plain: string; readonly sharded: string };

/**
 * `statement` gets what to select from (`asked`, with `id` and further columns, given by their types), what the volume of its tables must
 * equal, and whether it is for a sharded server. Its own parameters begin behind the columns, with $3 where there are none.
 */
export function byVolume(
  statement: (asked: string, volume: string, sharded: boolean) => string,
  columns: Readonly<Record<string, string>> = {},
): ByVolume {
  const arrays = ['$2::bytea[]', ...Object.values(columns).map((type, i) => `$${i + 3}::${type}[]`)].join(', ');
  const names = ['id', ...Object.keys(columns)].join(', ');
  return {
    plain: `${PLAIN} ${statement(`unnest($1::smallint[], ${arrays}) AS asked (volume, ${names})`, 'asked.volume', false)}`,
    sharded: statement(`unnest(${arrays}) AS asked (${names})`, '$1::smallint', true),
  };
}

/**
 * Asks for some ids: once on a plain server, once for each of their volumes on a sharded one. `columns` has a value of each further column
 * for each id.
 */
export async function queryByVolume<R extends object>(
  db: Sql,
  statement: ByVolume,
  ids: readonly string[],
  more: readonly unknown[],
  name: string,
  columns: readonly (readonly unknown[])[] = [],
): Promise<R[]> {
  const bytes = (some: readonly string[]) => some.map((id) => `\\x${id.slice(2)}`);
  const volumes = ids.map((id) => volumeOf(db, id));
  if (!db.volumes.sharded) return db.query<R>(statement.plain, [volumes, bytes(ids), ...columns, ...more], name);
  const rows: R[] = [];
  for (const volume of new Set(volumes)) {
    const of = <T>(column: readonly T[]) => column.filter((_, i) => volumes[i] === volume);
    const values = [volume, bytes(of(ids)), ...columns.map(of), ...more];
    rows.push(...(await db.query<R>(statement.sharded, values, `${name}_sharded`)));
  }
  return rows;
}
