/**
 * Idempotency keys. A key is reserved in its own volume and committed before the write, so that the same key for another loan is noticed;
 * the answer is stored with the effect, in the loan's volume. A reservation whose write left no answer lapses after a minute.
 */
import type { Sql } from './db.ts';
import { bytes, hexOf } from './loans.ts';
import { byVolume, queryByVolume, volumeOf } from './volumes.ts';

/** Neither the key nor the request is kept, only what recognises them. `forever`: for the life of the loan, not for a day or two. */
export type Key = {
  readonly keyHash: string;
  readonly requestHash: string;
  readonly loanId: string;
  readonly forever: boolean;
};

/** Who reserved a key before. */
export type Reservation = {
  readonly loanId: string;
  readonly requestHash: string;
  readonly heldBy: string;
  readonly lapsed: boolean;
};

export type StoredAnswer = { requestHash: string; answer: string };

/** Parts that are dropped next are not asked. */
const STILL_KEPT = 'kept >= current_date - 1';

/**
 * On disk no later than the effect, which is committed after it: so it is not waited for. Ordered by the key, so that two processes with
 * the same keys do not wait for each other in a circle.
 */
const RESERVE = byVolume(
  (from, volume) => `
INSERT INTO reservations (volume, key_hash, kept, loan_id, request_hash, held_by, at)
SELECT ${volume}, asked.id, CASE WHEN given.forever THEN 'infinity' ELSE current_date END, given.loan_id, given.request_hash, $7, now()
FROM ${from}
JOIN unnest($3::bytea[], $4::boolean[], $5::bytea[], $6::bytea[]) AS given (id, forever, loan_id, request_hash) ON given.id = asked.id
WHERE set_config('synchronous_commit', 'off', true) = 'off'
  AND NOT EXISTS (SELECT 1 FROM reservations r WHERE r.volume = ${volume} AND r.key_hash = asked.id AND r.${STILL_KEPT})
ORDER BY asked.id
ON CONFLICT DO NOTHING
RETURNING key_hash`,
);

/** The hashes of the keys that are now reserved for their writes. */
export async function reserveKeys(db: Sql, keys: readonly Key[], heldBy: string): Promise<Set<string>> {
  const more = [
    keys.map(({ keyHash }) => bytes(keyHash)),
    keys.map(({ forever }) => forever),
    keys.map(({ loanId }) => bytes(loanId)),
    keys.map(({ requestHash }) => bytes(requestHash)),
    heldBy,
  ];
  const ids = keys.map(({ keyHash }) => keyHash);
  const rows = await queryByVolume<{ key_hash: Uint8Array }>(db, RESERVE, ids, more, 'reserve_keys');
  return new Set(rows.map(({ key_hash }) => hexOf(key_hash)));
}

const RESERVED = byVolume(
  (from, volume) =>
    `SELECT r.key_hash, r.loan_id, r.request_hash, r.held_by, r.at < now() - interval '1 minute' AS lapsed
     FROM ${from} JOIN reservations r ON r.volume = ${volume} AND r.key_hash = asked.id AND r.${STILL_KEPT}`,
);

/** By the key's hash. */
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

/** Takes a reservation over that has lapsed, or that this process or one that is away left behind. False: somebody else was first. */
export async function takeOver(
  db: Sql,
  key: Key,
  before: Reservation,
  heldBy: string,
  isAway: boolean,
): Promise<boolean> {
  const over = isAway ? 'true' : "held_by = $5 OR at < now() - interval '1 minute'";
  const taken = await db.query(
    `UPDATE reservations SET loan_id = $3, request_hash = $4, held_by = $5, at = now()
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
  (from, volume) =>
    `DELETE FROM reservations r USING ${from}
     WHERE r.volume = ${volume} AND r.key_hash = asked.id AND r.${STILL_KEPT} AND r.held_by = $3
       AND set_config('synchronous_commit', 'off', true) = 'off'`,
);

/** The writes of these keys were refused: the keys are free again. */
export async function releaseKeys(db: Sql, keyHashes: readonly string[], heldBy: string): Promise<void> {
  await queryByVolume(db, RELEASE, keyHashes, [heldBy], 'release_keys');
}

const ANSWERS = byVolume(
  (from, volume) =>
    `SELECT w.key_hash, w.answer FROM ${from} JOIN answers w ON w.volume = ${volume} AND w.loan_id = asked.id
     WHERE w.key_hash = ANY($3::bytea[]) AND w.${STILL_KEPT}`,
);

/** The answers that writes have left under their keys, by the key's hash. */
export async function readAnswers(
  db: Sql,
  reserved: ReadonlyMap<string, Pick<Reservation, 'loanId' | 'requestHash'>>,
): Promise<Map<string, StoredAnswer>> {
  if (reserved.size === 0) return new Map();
  const loanIds = [...new Set([...reserved.values()].map(({ loanId }) => loanId))];
  const keys = [...reserved.keys()].map(bytes);
  type Row = { key_hash: Uint8Array; answer: string };
  const rows = await queryByVolume<Row>(db, ANSWERS, loanIds, [keys], 'read_answers');
  return new Map(
    rows.map(({ key_hash, answer }) => {
      const keyHash = hexOf(key_hash);
      return [keyHash, { requestHash: reserved.get(keyHash)?.requestHash ?? '', answer }];
    }),
  );
}

/** Keeps an answer that no save brought; the first one under a key stays. */
export async function keepAnswer(db: Sql, key: Key, answer: string, heldBy: string): Promise<void> {
  if (!(await reserveKeys(db, [key], heldBy)).has(key.keyHash)) return;
  await db.query(
    `INSERT INTO answers (volume, loan_id, key_hash, kept, answer)
     VALUES ($1, $2, $3, CASE WHEN $4 THEN 'infinity' ELSE current_date END, $5)`,
    [volumeOf(db, key.loanId), bytes(key.loanId), bytes(key.keyHash), key.forever, answer],
  );
}
