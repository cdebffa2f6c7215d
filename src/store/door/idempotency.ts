/**
 * Idempotency keys. A key is reserved in its own volume and committed before the write, so that the same key for another loan is noticed;
 * the answer is stored with the effect, in the loan's volume. A reservation whose write left no answer expires after a minute,
 * and is removed after a day.
 */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { byVolume, queryByVolume, volumeOf } from '../db/volumes.ts';

/** Neither the key nor the request is kept, only digests that recognise them. `forever`: for the life of the loan, not for a day or two. */
export type Key = {
  readonly keyHash: string;
  readonly requestHash: string;
  readonly loanId: string;
  readonly forever: boolean;
};

/** An earlier reservation of a key. */
export type Reservation = {
  readonly loanId: string;
  readonly requestHash: string;
  readonly heldBy: string;
  readonly lapsed: boolean;
};

/** Stores the answer of a write without a loan beside its effect: called in its transaction, with the result. */
export type Keep = {
  (tx: Sql, done: object): Promise<void>;
  /** For a write that may wait for an approval: called first in its transaction, before anything is changed. */
  readonly begin?: (tx: Sql, need?: Need) => Promise<void>;
  /** Called before a change by which an administrator could act as somebody else: it needs a second administrator, where there is one. */
  readonly second?: (tx: Sql) => Promise<void>;
};

/** For a write that may wait for an approval. */
export type Need = {
  /** It waits whatever the policy says. */
  readonly always?: boolean;
  /** In cents: rules and limits of its amount count. */
  readonly amount?: number;
};

/** `version`: that of the loan after the write; null: the write was of no loan. */
export type StoredAnswer = { requestHash: string; loanId: string; version: number | null; answer: string };

/** Partitions that are dropped next are not read. */
const STILL_KEPT = 'kept >= current_date - 1';

/**
 * A reservation is on disk no later than its effect, which the same server commits after it: so its commit need not wait for the disk. A sharded server
 * may lose it and keep the effect, which is on another machine: there the commit waits.
 */
const unhurried = (sharded: boolean) => (sharded ? 'true' : "set_config('synchronous_commit', 'off', true) = 'off'");

/**
 * Ordered by the key, so that two processes with the same keys do not deadlock. Two reservations of one key can
 * exist when two processes make them at the same moment, and only one is for a money movement, or midnight is in between.
 * That does no harm: money movements are all reserved under `infinity`, so one of two is refused; and later requests use the
 * older reservation.
 */
const RESERVE = byVolume(
  (from, volume, sharded) => `
INSERT INTO reservations (volume, key_hash, kept, loan_id, request_hash, held_by, at)
SELECT ${volume}, asked.id, CASE WHEN asked.forever THEN 'infinity' ELSE current_date END, asked.loan_id, asked.request_hash, $6, now()
FROM ${from}
WHERE ${unhurried(sharded)}
  AND NOT EXISTS (SELECT 1 FROM reservations r WHERE r.volume = ${volume} AND r.key_hash = asked.id AND r.${STILL_KEPT})
ORDER BY asked.id
ON CONFLICT DO NOTHING
RETURNING key_hash`,
  { forever: 'boolean', loan_id: 'bytea', request_hash: 'bytea' },
);

/** The hashes of the keys that are now reserved for their writes. */
export async function reserveKeys(db: Sql, keys: readonly Key[], heldBy: string): Promise<Set<string>> {
  const columns = [
    keys.map(({ forever }) => forever),
    keys.map(({ loanId }) => bytes(loanId)),
    keys.map(({ requestHash }) => bytes(requestHash)),
  ];
  const ids = keys.map(({ keyHash }) => keyHash);
  const rows = await queryByVolume<{ key_hash: Uint8Array }>(db, RESERVE, ids, [heldBy], 'reserve_keys', columns);
  return new Set(rows.map(({ key_hash }) => hexOf(key_hash)));
}

const RESERVED = byVolume(
  (from, volume) =>
    `SELECT r.key_hash, r.loan_id, r.request_hash, r.held_by, r.at < now() - interval '1 minute' AS lapsed
     FROM ${from} JOIN reservations r ON r.volume = ${volume} AND r.key_hash = asked.id AND r.${STILL_KEPT}
     ORDER BY r.at DESC`,
);

/** By the key's hash: the oldest of each. */
export async function readReservations(db: Sql, keyHashes: readonly string[]): Promise<Map<string, Reservation>> {
  type Row = { key_hash: Uint8Array; loan_id: Uint8Array; request_hash: Uint8Array; held_by: string; lapsed: boolean };
  const rows = await queryByVolume<Row>(db, RESERVED, keyHashes, [], 'read_reservations');
  return new Map(
    rows.map(({ key_hash, loan_id, request_hash, held_by: heldBy, lapsed }) => [
      hexOf(key_hash),
      { loanId: hexOf(loan_id), requestHash: hexOf(request_hash), heldBy, lapsed },
    ]),
  );
}

/** Takes over a reservation that has expired, or that this process or one that has ended left behind. False: another process was first. */
export async function takeOver(
  db: Sql,
  key: Key,
  before: Reservation,
  heldBy: string,
  isAway: boolean,
): Promise<boolean> {
  const over = isAway ? 'true' : "held_by = $5 OR at < now() - interval '1 minute'";
  const taken = await db.query(
    `UPDATE reservations SET loan_id = $3, request_hash = $4, held_by = $5, at = now(),
       kept = ${key.forever ? "'infinity'" : 'current_date'}
     WHERE volume = $1 AND key_hash = $2 AND ${STILL_KEPT} AND loan_id = $6 AND held_by = $7
       AND (${over})
     RETURNING 1`,
    [
      volumeOf(db, key.keyHash),
      bytes(key.keyHash),
      bytes(key.loanId),
      bytes(key.requestHash),
      heldBy,
      bytes(before.loanId),
      before.heldBy,
    ],
  );
  return taken.length > 0;
}

const RELEASE = byVolume(
  (from, volume, sharded) =>
    `DELETE FROM reservations r USING ${from}
     WHERE r.volume = ${volume} AND r.key_hash = asked.id AND r.${STILL_KEPT} AND r.held_by = $3
       AND ${unhurried(sharded)}`,
);

/** The writes of these keys were refused: the keys are free again. */
export async function releaseKeys(db: Sql, keyHashes: readonly string[], heldBy: string): Promise<void> {
  await queryByVolume(db, RELEASE, keyHashes, [heldBy], 'release_keys');
}

const ANSWERS = byVolume(
  (from, volume) =>
    `SELECT w.key_hash, w.request_hash, w.loan_id, w.version, w.answer
     FROM ${from} JOIN answers w ON w.volume = ${volume} AND w.loan_id = asked.id AND w.key_hash = asked.key_hash AND w.${STILL_KEPT}`,
  { key_hash: 'bytea' },
);

/** The answers that writes have left under their keys, by the key's hash. Each key comes with the loan that it may belong to. */
export async function readAnswers(
  db: Sql,
  loanOf: ReadonlyMap<string, Pick<Reservation, 'loanId'>>,
): Promise<Map<string, StoredAnswer>> {
  if (loanOf.size === 0) return new Map();
  const loanIds = [...loanOf.values()].map(({ loanId }) => loanId);
  const keys = [...loanOf.keys()].map(bytes);
  type Row = {
    key_hash: Uint8Array;
    request_hash: Uint8Array;
    loan_id: Uint8Array;
    version: number | null;
    answer: string;
  };
  const rows = await queryByVolume<Row>(db, ANSWERS, loanIds, [], 'read_answers', [keys]);
  return new Map(
    rows.map(({ key_hash, request_hash, loan_id, version, answer }) => [
      hexOf(key_hash),
      { requestHash: hexOf(request_hash), loanId: hexOf(loan_id), version, answer },
    ]),
  );
}

/** Stores an answer that did not come with a save; the first one under a key stays. */
export async function keepAnswer(
  db: Sql,
  key: Key,
  told: { answer: string; version: number },
  heldBy: string,
): Promise<void> {
  if ((await reserveKeys(db, [key], heldBy)).has(key.keyHash)) await storeAnswer(db, key, told);
}

/** In the transaction of the effect. Fails when the key has an answer, so that of two effects under one key only one is committed. */
export async function storeAnswer(
  tx: Sql,
  key: Key,
  { answer, version }: Pick<StoredAnswer, 'answer' | 'version'>,
): Promise<void> {
  await tx.query(
    `INSERT INTO answers (volume, loan_id, key_hash, kept, request_hash, version, answer)
     VALUES ($1, $2, $3, CASE WHEN $4 THEN 'infinity' ELSE current_date END, $5, $6, $7)`,
    [
      ...[volumeOf(tx, key.loanId), bytes(key.loanId), bytes(key.keyHash)],
      ...[key.forever, bytes(key.requestHash), version, answer],
    ],
  );
}

const ANSWERED = byVolume(
  (from, volume) =>
    `SELECT w.key_hash
     FROM ${from} JOIN answers w ON w.volume = ${volume} AND w.loan_id = asked.id AND w.key_hash = asked.key_hash`,
  { key_hash: 'bytea' },
);

const REMOVE = byVolume(
  (from, volume) =>
    `DELETE FROM reservations r USING ${from}
     WHERE r.volume = ${volume} AND r.key_hash = asked.id AND r.at < now() - interval '1 day' RETURNING 1`,
);

/** Reservations that are compared with their answers at a time. */
const SWEPT_AT_ONCE = 5_000;

/**
 * Removes the reservations of money movements in a volume that are between a day and so many hours old and have no answer: their writes
 * came to nothing. The others go with the part of their day. Returns how many.
 */
export async function sweepReservations(db: Sql, volume: number, hours: number): Promise<number> {
  let removed = 0;
  let last = '0x';
  for (;;) {
    const rows = await db.query<{ key_hash: Uint8Array; loan_id: Uint8Array }>(
      `SELECT key_hash, loan_id FROM reservations
       WHERE volume = $1 AND kept = 'infinity' AND key_hash > $2
         AND at < now() - interval '1 day' AND at >= now() - make_interval(hours => $3)
       ORDER BY key_hash LIMIT ${SWEPT_AT_ONCE}`,
      [volume, bytes(last), hours],
    );
    const loans = rows.map(({ loan_id }) => hexOf(loan_id));
    const keys = rows.map(({ key_hash }) => hexOf(key_hash));
    type Found = { key_hash: Uint8Array };
    const found = await queryByVolume<Found>(db, ANSWERED, loans, [], 'answered_keys', [keys.map(bytes)]);
    const answered = new Set(found.map(({ key_hash }) => hexOf(key_hash)));
    const left = keys.filter((key) => !answered.has(key));
    if (left.length > 0) removed += (await queryByVolume(db, REMOVE, left, [], 'remove_reservations')).length;
    if (rows.length < SWEPT_AT_ONCE) return removed;
    last = keys.at(-1) ?? last;
  }
}
