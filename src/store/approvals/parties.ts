/** The SQL of parties: who can act through a client. */
import type { Sql } from '../db/db.ts';

/** Followed so far; an organization has a thousand clients at most. */
const FOLLOWED_AT_MOST = 10_000;

/**
 * A person or client with everybody who has seen a credential of it, of theirs, and so on: the ids of people and clients. Two callers whose
 * sets meet may be the same hand.
 */
export async function partyOfId(sql: Sql, id: string): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>(
    `WITH RECURSIVE party (id) AS (
       SELECT $1::text
       UNION SELECT unnest(c.holders) FROM party p JOIN clients c ON c.client_id = p.id
     ) SELECT id FROM party LIMIT ${FOLLOWED_AT_MOST}`,
    [id],
    'party_of_id',
  );
  return new Set(rows.map((row) => row.id));
}
