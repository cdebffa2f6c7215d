/** Counts of masked views of people, by caller and hour, until the hour is over and they are entered in the audit trail. */
import { recordAudit } from '../audit/audit.ts';
import type { Db, Sql } from '../db/db.ts';

export type Sighting = {
  readonly organizationId: string;
  /** The organization that owns the loans. */
  readonly ownerId: string;
  readonly clientId: string;
  /** Null: a program. */
  readonly userId: string | null;
  /** The beginning of the hour. */
  readonly hour: Date;
  readonly count: number;
};

/** Adds to what is there, of this process and of others. */
export async function addSightings(db: Sql, all: readonly Sighting[]): Promise<void> {
  await db.query(
    `INSERT INTO sightings (organization_id, owner_id, client_id, user_id, hour, count)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::int[])
     ON CONFLICT (organization_id, owner_id, client_id, user_id, hour) DO UPDATE SET count = sightings.count + excluded.count`,
    [
      all.map(({ organizationId }) => organizationId),
      all.map(({ ownerId }) => ownerId),
      all.map(({ clientId }) => clientId),
      all.map(({ userId }) => userId ?? ''),
      all.map(({ hour }) => hour),
      all.map(({ count }) => count),
    ],
    'add_sightings',
  );
}

/** Moves the counts of hours that began before a time into the audit trail, one entry each. */
export async function enterSightings(db: Db, { before, at }: { before: Date; at: Date }): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await tx.query<Omit<Sighting, 'userId'> & { userId: string }>(
      `DELETE FROM sightings WHERE hour < $1
       RETURNING organization_id AS "organizationId", owner_id AS "ownerId", client_id AS "clientId", user_id AS "userId", hour, count`,
      [before],
      'take_sightings',
    );
    await recordAudit(
      tx,
      rows.map(({ ownerId, userId, hour, ...row }) => ({
        ...row,
        at,
        ownerId: ownerId === row.organizationId ? null : ownerId,
        userId: userId || null,
        kind: 'saw' as const,
        operation: 'read-identity',
        outcome: 'done',
        subject: `masked ${hour.toISOString().slice(0, 13)}`,
        requestId: null,
      })),
    );
  });
}
