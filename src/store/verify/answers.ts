/** The answers that were stored for repeated requests, as verification reads them. */

import { hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { byVolume, queryByVolume } from '../db/volumes.ts';

export type AnswersPage = { last: AnswerPlace | null; answers: number; lost: string[] };
/** Hex. */
export type AnswerPlace = { loanId: string; keyHash: string };

const RESERVED = byVolume(
  (from, volume) =>
    `SELECT r.key_hash, r.loan_id FROM ${from} JOIN reservations r ON r.volume = ${volume} AND r.key_hash = asked.id
     WHERE r.kept = 'infinity'`,
);

/** Reads the answers of money movements in a volume in their order, and returns the loans of those whose key is not reserved for them. */
export async function readAnswersPage(
  db: Sql,
  volume: number,
  { loanId, keyHash }: AnswerPlace,
  limit: number,
): Promise<AnswersPage> {
  const rows = await db.query<{ key_hash: Uint8Array; loan_id: Uint8Array }>(
    `SELECT loan_id, key_hash FROM answers WHERE volume = $1 AND kept = 'infinity' AND (loan_id, key_hash) > ($2, $3)
     ORDER BY loan_id, key_hash LIMIT $4`,
    [volume, `\\x${loanId}`, `\\x${keyHash}`, limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return { last: null, answers: 0, lost: [] };
  const keys = rows.map(({ key_hash }) => hexOf(key_hash));
  const found = await queryByVolume<{ key_hash: Uint8Array; loan_id: Uint8Array }>(
    db,
    RESERVED,
    keys,
    [],
    'reserved_for',
  );
  const reservedFor = new Map(found.map(({ key_hash, loan_id }) => [hexOf(key_hash), hexOf(loan_id)]));
  return {
    last: { loanId: hexOf(last.loan_id).slice(2), keyHash: hexOf(last.key_hash).slice(2) },
    answers: rows.length,
    lost: rows
      .filter(({ key_hash, loan_id }) => reservedFor.get(hexOf(key_hash)) !== hexOf(loan_id))
      .map(({ loan_id }) => hexOf(loan_id)),
  };
}
