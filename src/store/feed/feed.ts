/**
 * The feed: the events of all volumes in one order that a reader can resume. Blocks of a volume are numbered in the order of their commits,
 * and a volume's head is locked until the commit, so all events up to a head are there. A tick writes down the heads that have moved, one
 * tick at a time; an event belongs to the first tick whose mark is not before its block. Nothing is copied, and what two writers commit at
 * once is in the same tick or the next, never behind one.
 */

import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { PLAIN, volumeOf } from '../db/volumes.ts';

/** A place in the feed. `block` 0: the end of the tick, where the events are that are not of a loan. */
export type FeedPlace = { readonly tick: number; readonly block: number; readonly position: number };

/** The last tick, after making one if anything has been committed since. */
export async function makeTick(db: Sql): Promise<number> {
  const heads = await db.query<{ volume: number; number: bigint }>(HEADS, [], 'feed_heads');
  const given = [heads.map(({ volume }) => volume), heads.map(({ number }) => number)];
  const [made] = await db.query<{ number: bigint }>('SELECT feed_tick($1, $2) AS number', given, 'feed_tick');
  return Number(made?.number ?? 0);
}

const HEADS = 'SELECT volume, number FROM ledger_heads';

async function lockNext(tx: Sql): Promise<number> {
  const [head] = await tx.query<{ number: bigint }>('SELECT number FROM feed_head FOR UPDATE');
  return Number(head?.number ?? 0) + 1;
}

export async function readLastTick(db: Sql): Promise<number> {
  const [head] = await db.query<{ number: bigint }>('SELECT number FROM feed_head', [], 'feed_head');
  return Number(head?.number ?? 0);
}

export type FeedNote = {
  readonly organizationId: string;
  readonly type: string;
  readonly subject: string;
  readonly at: Date;
};

/** Within a transaction: the note takes the next tick. */
export async function saveNote(tx: Sql, { organizationId, type, subject, at }: FeedNote): Promise<void> {
  const next = await lockNext(tx);
  await tx.query('INSERT INTO feed_notes (number, organization_id, type, subject, at) VALUES ($1, $2, $3, $4, $5)', [
    next,
    organizationId,
    type,
    subject,
    at,
  ]);
  await tx.query('UPDATE feed_head SET number = $1', [next]);
}

/** A part of a volume: what was read, and what there is up to the last tick. */
export type Stretch = { readonly volume: number; after: { block: number; position: number }; readonly through: number };

const LAST_MARK = (upTo: string) =>
  `SELECT last_block FROM feed_marks m WHERE m.volume = v.volume AND m.number <= ${upTo} ORDER BY m.number DESC LIMIT 1`;

/** The last tick, and what follows the place in each volume. */
export async function readStretches(
  db: Sql,
  after: FeedPlace | null,
): Promise<{ tick: number; stretches: Stretch[]; known: boolean }> {
  const { count } = db.volumes;
  const rows = await db.query<{
    tick: bigint;
    volume: number;
    through: bigint | null;
    done: bigint | null;
    before: bigint | null;
  }>(
    `SELECT t.number AS tick, v.volume, (${LAST_MARK('t.number')}) AS through, (${LAST_MARK('$2::bigint')}) AS done,
       (${LAST_MARK('$2::bigint - 1')}) AS before
     FROM feed_head t, generate_series(0, $1::int - 1) AS v (volume)`,
    [count, after?.tick ?? 0],
    'feed_stretches',
  );
  const tick = Number(rows[0]?.tick ?? 0);
  const own = after === null || after.block === 0 ? null : after.block % count;
  const stretches = rows.map(({ volume, through, done, before }): Stretch => {
    const whole = own === null || volume < own;
    const block = volume === own ? (after?.block ?? 0) : Number((whole ? done : before) ?? 0);
    const position = volume === own ? (after?.position ?? 0) : LAST_POSITION;
    return { volume, after: { block, position }, through: Number(through ?? 0) };
  });
  const mark = rows.find(({ volume }) => volume === own);
  const inside =
    mark === undefined ||
    ((after?.block ?? 0) <= Number(mark.done ?? 0) && (after?.block ?? 0) > Number(mark.before ?? 0));
  return { tick, stretches, known: (after?.tick ?? 0) <= tick && inside };
}

/** After every event of a block. */
const LAST_POSITION = 2_147_483_647;

export type FeedRow = {
  readonly tick: number;
  readonly volume: number;
  readonly block: number;
  readonly position: number;
  /** The owner of the loan when it was recorded; of the loan today: the owner and the servicers. */
  readonly recordedFor: string;
  /** The organization that it offers or transfers the loan to. */
  readonly nextOrganizationId: string | null;
  readonly organizationId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
  readonly loanId: string;
  readonly sequence: number;
  readonly hash: string;
  readonly type: string;
  readonly dateEffective: string;
  readonly recordedAt: string;
  /** Whether it is of an asked type; one that is not only tells how far was looked. */
  readonly wanted: boolean;
  /** The last one of those that were looked at, with more behind it perhaps. */
  readonly last: boolean;
};

type RawRow = {
  volume: number;
  block: bigint;
  position: number;
  recorded_for: string;
  next_organization_id: string | null;
  organization_id: string;
  primary_servicer_id: string | null;
  secondary_servicer_id: string | null;
  loan_id: Uint8Array;
  sequence: number;
  hash: Uint8Array;
  type: string;
  date: string;
  recorded_at: string;
  wanted: boolean;
  last: boolean;
};

/** A reader's query of the feed. Types are those of the ledger; null: all. */
export type FeedQuery = {
  readonly organizations: readonly string[];
  readonly loanId: string | null;
  readonly types: readonly string[] | null;
  /** The number of events that are looked at for each organization and volume. */
  readonly each: number;
};

/** Events of an owner behind a place of a volume, in their order, with a number each; only the wanted ones and the last are kept. */
const looked = (owner: string, at: Place) => `(
  SELECT * FROM (
    SELECT e.*, e.type = ANY($5::text[]) IS NOT FALSE AS wanted, row_number() OVER (ORDER BY e.block, e.position) = $6 AS last
    FROM (
      SELECT volume, block, position, organization_id, next_organization_id, loan_id, sequence, hash, type, body FROM events e
      WHERE ${owner} AND e.volume = ${at.volume} AND (e.block, e.position) > (${at.block}, ${at.position}) AND e.block <= ${at.through}
      ORDER BY e.block, e.position LIMIT $6
    ) e
  ) e WHERE e.wanted OR e.last
)`;

type Place = { volume: string; block: string; position: string; through: string };

/** Each organization and volume by itself: of a reader with few events in a large book no others are looked at. */
const OWNERS = ['e.organization_id = o.id', 'e.next_organization_id = o.id'];

function read(stretches: string, at: Place) {
  const some = (
    from: string,
    owner: string,
  ) => `SELECT c.volume, c.block, c.position, c.organization_id AS recorded_for, c.next_organization_id,
    l.organization_id, l.primary_servicer_id, l.secondary_servicer_id, c.loan_id, c.sequence, c.hash, c.type,
    c.body::json #>> '{event,date}' AS date, c.body::json #>> '{event,recordedAt}' AS recorded_at, c.wanted, c.last
    FROM ${stretches} CROSS JOIN ${from} CROSS JOIN LATERAL ${looked(owner, at)} c
    JOIN loans l ON l.volume = ${at.volume} AND l.loan_id = c.loan_id`;
  return {
    byOwner: OWNERS.map((owner) => some('unnest($7::text[]) AS o (id)', owner)).join(' UNION ALL '),
    byLoan: some('(SELECT 1) AS o', 'e.loan_id = $7::bytea'),
  };
}

/** A plain server reads the stretches of all volumes at once, one whose tables are spread over servers each by itself. */
const IN_ALL = read(
  'unnest($1::smallint[], $2::bigint[], $3::int[], $4::bigint[]) AS s (volume, block, position, through)',
  { volume: 's.volume', block: 's.block', position: 's.position', through: 's.through' },
);
const IN_ONE = read('(SELECT 1) AS s', {
  ...{ volume: '$1::smallint', block: '$2::bigint', position: '$3::int', through: '$4::bigint' },
});

export async function readEvents(db: Sql, stretches: readonly Stretch[], query: FeedQuery): Promise<FeedRow[]> {
  const { loanId, organizations, types, each } = query;
  const some = loanId === null ? stretches : stretches.filter(({ volume }) => volume === volumeOf(db, loanId));
  const open = some.filter(
    ({ after, through }) => after.block < through || (after.block === through && after.position < LAST_POSITION),
  );
  if (open.length === 0) return [];
  const form = loanId === null ? 'byOwner' : 'byLoan';
  const asked = [types, each, loanId === null ? organizations : bytes(loanId)];
  const rows: RawRow[] = [];
  if (db.volumes.sharded) {
    for (const { volume, after, through } of open) {
      const values = [volume, after.block, after.position, through, ...asked];
      rows.push(...(await db.query<RawRow>(IN_ONE[form], values, `feed_${form}_sharded`)));
    }
  } else {
    const places = open.map(({ volume, after, through }) => [volume, after.block, after.position, through]);
    const columns = [0, 1, 2, 3].map((i) => places.map((place) => place[i]));
    rows.push(...(await db.query<RawRow>(`${PLAIN} ${IN_ALL[form]}`, [...columns, ...asked], `feed_${form}`)));
  }
  const ticks = await readTicks(db, rows);
  return rows.map((row, i) => ({
    tick: Number(ticks[i]),
    volume: row.volume,
    block: Number(row.block),
    position: row.position,
    recordedFor: row.recorded_for,
    nextOrganizationId: row.next_organization_id,
    organizationId: row.organization_id,
    primaryServicerId: row.primary_servicer_id ?? '',
    secondaryServicerId: row.secondary_servicer_id ?? '',
    loanId: hexOf(row.loan_id),
    sequence: row.sequence,
    hash: hexOf(row.hash),
    type: row.type,
    dateEffective: row.date,
    recordedAt: row.recorded_at,
    wanted: row.wanted,
    last: row.last,
  }));
}

/** The first tick whose mark is not before the block, of each. */
async function readTicks(db: Sql, rows: readonly Pick<RawRow, 'volume' | 'block'>[]): Promise<bigint[]> {
  if (rows.length === 0) return [];
  const found = await db.query<{ tick: bigint }>(
    `SELECT (SELECT number FROM feed_marks m WHERE m.volume = c.volume AND m.last_block >= c.block ORDER BY m.last_block LIMIT 1) AS tick
     FROM unnest($1::smallint[], $2::bigint[]) WITH ORDINALITY AS c (volume, block, place) ORDER BY c.place`,
    [rows.map(({ volume }) => volume), rows.map(({ block }) => block)],
    'feed_ticks',
  );
  return found.map(({ tick }) => tick);
}

export type NoteRow = { readonly tick: number; readonly type: string; readonly subject: string; readonly at: Date };

/** Reads the notes of the organization itself, after a tick and up to another. */
export async function readFeedNotes(
  db: Sql,
  organizationId: string,
  { after, through, limit }: { after: number; through: number; limit: number },
): Promise<NoteRow[]> {
  const rows = await db.query<{ number: bigint; type: string; subject: string; at: Date }>(
    `SELECT number, type, subject, at FROM feed_notes WHERE organization_id = $1 AND number > $2 AND number <= $3
     ORDER BY number LIMIT $4`,
    [organizationId, after, through, limit],
    'feed_notes',
  );
  return rows.map(({ number, ...row }) => ({ tick: Number(number), ...row }));
}

/** The hash of the event at a place; null: there is none. */
export async function readHashAt(db: Sql, { block, position }: FeedPlace): Promise<string | null> {
  const [row] = await db.query<{ hash: Uint8Array }>(
    'SELECT hash FROM events WHERE volume = $1 AND block = $2 AND position = $3',
    [block % db.volumes.count, block, position],
  );
  return row === undefined ? null : hexOf(row.hash);
}
