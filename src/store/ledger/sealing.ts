/** The statements that seal blocks and hold volumes meanwhile. On a sharded server each is of one volume. */
import { bytes, hexOf } from '../db/bytes.ts';
import type { Db, Sql } from '../db/db.ts';
import { PLAIN } from '../db/volumes.ts';
import { type BlockRow, LINES_OF, PRIOR_PERIOD } from './ledger.ts';

/** The volumes in which a block is not sealed yet. */
export async function unsealedVolumes(db: Sql): Promise<number[]> {
  const rows = await db.query<{ volume: number }>(
    `SELECT h.volume FROM ledger_heads h
     WHERE h.number > (SELECT coalesce(max(b.number), h.volume) FROM blocks b WHERE b.volume = h.volume) ORDER BY h.volume`,
    [],
    'unsealed_volumes',
  );
  return rows.map(({ volume }) => volume);
}

/** Numbers of locks: there are at most 256 volumes. */
const ROOTS = 256;
const AUDIT = 512;

/**
 * Runs `work` with those of the volumes that no other process seals meanwhile. Block numbers are taken under a lock that is held to the
 * commit, so every number up to the head that is seen here belongs to a transaction that has ended.
 */
export const whileSealing = <T>(
  db: Db,
  volumes: readonly number[],
  work: (tx: Sql, mine: number[]) => Promise<T>,
): Promise<T> => whileHolding(db, 0, volumes, work);

/** The same for the links of the audit trail. */
export const whileLinking = <T>(
  db: Db,
  volumes: readonly number[],
  work: (tx: Sql, mine: number[]) => Promise<T>,
): Promise<T> => whileHolding(db, AUDIT, volumes, work);

/** Runs `work` while no other process makes a root. Null: another one does. */
export const whileMakingRoot = <T>(db: Db, work: (tx: Sql) => Promise<T>): Promise<T | null> =>
  whileHolding(db, ROOTS, [0], async (tx, mine) => (mine.length === 0 ? null : work(tx)));

function whileHolding<T>(
  db: Db,
  from: number,
  volumes: readonly number[],
  work: (tx: Sql, mine: number[]) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<{ volume: number; mine: boolean }>(
      'SELECT v AS volume, pg_try_advisory_xact_lock(814732990, $2 + v) AS mine FROM unnest($1::int[]) v',
      [volumes, from],
      'hold_volumes',
    );
    return work(
      tx,
      rows.filter(({ mine }) => mine).map(({ volume }) => volume),
    );
  });
}

/** The end of a volume: its newest block, and the last that is sealed, null where none is. */
export type VolumeEnd = { volume: number; head: number; sealed: { number: number; hash: string } | null };

const ENDS = `${PLAIN} SELECT h.volume, h.number AS head, b.number, b.hash FROM ledger_heads h
  LEFT JOIN LATERAL (SELECT number, hash FROM blocks WHERE blocks.volume = h.volume ORDER BY number DESC LIMIT 1) b ON true
  WHERE h.volume = ANY($1::smallint[]) ORDER BY h.volume`;
const END = `SELECT h.volume, h.number AS head, b.number, b.hash FROM ledger_heads h
  LEFT JOIN LATERAL (SELECT number, hash FROM blocks WHERE blocks.volume = $1 ORDER BY number DESC LIMIT 1) b ON true
  WHERE h.volume = $1`;

export async function readVolumeEnds(tx: Sql, volumes: readonly number[]): Promise<VolumeEnd[]> {
  type Row = { volume: number; head: bigint; number: bigint | null; hash: Uint8Array | null };
  const rows = await (tx.volumes.sharded ? tx.query<Row>(END, [theOne(volumes)]) : tx.query<Row>(ENDS, [volumes]));
  return rows.map(({ volume, head, number, hash }) => ({
    volume,
    head: Number(head),
    sealed: number === null || hash === null ? null : { number: Number(number), hash: hexOf(hash) },
  }));
}

/** The one volume of a statement for a sharded server. */
function theOne(volumes: readonly number[]): number {
  const [volume, another] = new Set(volumes);
  if (volume === undefined || another !== undefined) throw new Error('A statement of several volumes.');
  return volume;
}

/** Blocks of a volume, from one number to another. */
export type BlockStretch = { readonly volume: number; readonly first: number; readonly last: number };

const STRETCHES = 'unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS s (volume, first, last)';
const stretched = (stretches: readonly BlockStretch[]) => [
  stretches.map(({ volume }) => volume),
  stretches.map(({ first }) => first),
  stretches.map(({ last }) => last),
];

const HASHES = `${PLAIN} SELECT e.block, e.hash FROM ${STRETCHES} CROSS JOIN LATERAL (
    SELECT block, position, hash FROM events WHERE events.volume = s.volume AND events.block BETWEEN s.first AND s.last OFFSET 0
  ) e ORDER BY e.block, e.position`;
const HASHES_IN_ONE =
  'SELECT block, hash FROM events WHERE volume = $1 AND block BETWEEN $2 AND $3 ORDER BY block, position';

/** Hashes of the transactions of blocks, in their order, by the number of the block. */
export async function readHashesOf(tx: Sql, stretches: readonly BlockStretch[]): Promise<Map<number, string[]>> {
  const rows = await tx.query<{ block: bigint; hash: Uint8Array }>(
    tx.volumes.sharded ? HASHES_IN_ONE : HASHES,
    tx.volumes.sharded ? stretched(stretches).flat() : stretched(stretches),
  );
  const found = new Map<number, string[]>();
  for (const { block, hash } of rows) {
    const number = Number(block);
    const known = found.get(number);
    if (known === undefined) found.set(number, [hexOf(hash)]);
    else known.push(hexOf(hash));
  }
  return found;
}

const BLOCK_COLUMNS = 'number, previous_hash, root, count, sealed_at, hash';
const BLOCK_ARRAYS = '$2::bigint[], $3::bytea[], $4::bytea[], $5::int[], $6::timestamptz[], $7::bytea[]';
const BLOCKS = `${PLAIN} INSERT INTO blocks (volume, ${BLOCK_COLUMNS}) SELECT * FROM unnest($1::smallint[], ${BLOCK_ARRAYS})`;
const BLOCKS_IN_ONE = `INSERT INTO blocks (volume, ${BLOCK_COLUMNS}) SELECT $1::smallint, b.* FROM unnest(${BLOCK_ARRAYS}) AS b`;

const LINE = `organization_id, lender_id, date_posted, entry, account`;
const SUMS = `${PRIOR_PERIOD} AS prior_period, sum(greatest(amount, 0)), sum(greatest(-amount, 0))`;
const ADDED = `ON CONFLICT (organization_id, date_posted, account, lender_id, entry, prior_period, volume)
  DO UPDATE SET debit = account_days.debit + excluded.debit, credit = account_days.credit + excluded.credit`;
const DAYS = `${PLAIN} INSERT INTO account_days (volume, ${LINE}, prior_period, debit, credit)
  SELECT j.volume, ${LINE}, ${SUMS} FROM ${STRETCHES} CROSS JOIN LATERAL (
    SELECT loan_id, sequence FROM events WHERE events.volume = s.volume AND events.block BETWEEN s.first AND s.last OFFSET 0
  ) e CROSS JOIN LATERAL (${LINES_OF('s.volume')}) j GROUP BY j.volume, ${LINE}, prior_period ${ADDED}`;
const DAYS_IN_ONE = `INSERT INTO account_days (volume, ${LINE}, prior_period, debit, credit)
  SELECT $1::smallint, ${LINE}, ${SUMS} FROM (SELECT loan_id, sequence FROM events WHERE volume = $1 AND block BETWEEN $2 AND $3) e
  CROSS JOIN LATERAL (${LINES_OF('$1')}) j GROUP BY ${LINE}, prior_period ${ADDED}`;

/** Stores sealed blocks, all of the stretches, and adds their journal lines to the sums by day. */
export async function saveBlocks(
  tx: Sql,
  stretches: readonly BlockStretch[],
  blocks: readonly (BlockRow & { readonly volume: number })[],
): Promise<void> {
  const { sharded } = tx.volumes;
  const volumes = blocks.map(({ volume }) => volume);
  await tx.query(sharded ? BLOCKS_IN_ONE : BLOCKS, [
    sharded ? theOne(volumes) : volumes,
    blocks.map(({ number }) => number),
    blocks.map(({ previousHash }) => bytes(previousHash)),
    blocks.map(({ root }) => bytes(root)),
    blocks.map(({ count }) => count),
    blocks.map(({ sealedAt }) => sealedAt),
    blocks.map(({ hash }) => bytes(hash)),
  ]);
  await tx.query(sharded ? DAYS_IN_ONE : DAYS, sharded ? stretched(stretches).flat() : stretched(stretches));
}
