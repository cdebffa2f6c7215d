/**
 * Positions in the database (`docs/portfolio.md`): the loans that they are computed from, a page of a volume at a time, and their rows, which
 * are only ever added.
 */
import type { PlainDate } from '../../core/calendar.ts';
import type { Characteristics } from '../../portfolio/characteristics.ts';
import type { Holders } from '../../portfolio/history.ts';
import type { Position } from '../../portfolio/position.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import { type Columns, columnTexts, parameters } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import { ON_BOOKS } from './facts.ts';

/** The positions of an organization on a date, by what was recorded up to the end of a day. */
export type PositionsKey = {
  readonly organizationId: string;
  readonly date: PlainDate;
  readonly knownOn: PlainDate;
};

// ---- the loans that they are computed from ----

/** A loan with all its events, whose it was when it was created, and what its file says. */
export type PositionSource = {
  readonly loanId: string;
  /** The present lender: by its policy the loan is folded. */
  readonly lenderId: string;
  readonly created: Holders;
  readonly characteristics: Characteristics;
  readonly bodies: string;
};

type RawSource = {
  loan_id: Uint8Array;
  lender_id: string;
  first_organization: string;
  first_lender: string;
  primary_servicer_id: string;
  secondary_servicer_id: string;
  grade: string | null;
  state: string | null;
  predicted_yield: string | null;
  predicted_loss: string | null;
  bodies: string;
};

/** With `l` for the loans that were found; their volume is the parameter $1. */
const SOURCE = `l.loan_id, l.lender_id, a.organization_id AS first_organization, a.lender_id AS first_lender, a.primary_servicer_id,
  a.secondary_servicer_id, l.grade, l.state, l.predicted_yield, l.predicted_loss, e.bodies`;
const JOINED = `JOIN applications a ON a.volume = $1 AND a.loan_id = l.loan_id
  CROSS JOIN LATERAL (
    SELECT string_agg(body, ',' ORDER BY sequence) AS bodies FROM events WHERE events.volume = $1 AND events.loan_id = l.loan_id
  ) e ORDER BY l.loan_id`;
const FOUND = 'volume, loan_id, lender_id, grade, state, predicted_yield, predicted_loss';

function toSource(row: RawSource): PositionSource {
  return {
    loanId: hexOf(row.loan_id),
    lenderId: row.lender_id,
    created: {
      organizationId: row.first_organization,
      lenderId: row.first_lender,
      primaryServicerId: row.primary_servicer_id,
      secondaryServicerId: row.secondary_servicer_id,
    },
    characteristics: {
      grade: row.grade,
      state: row.state,
      predictedYield: row.predicted_yield,
      predictedLoss: row.predicted_loss,
    },
    bodies: row.bodies,
  };
}

type Page = { readonly volume: number; readonly after: string; readonly limit: number };

/**
 * Loans of an organization that may have a position on a date and have none with this `known_on` yet; by id, after one of them. A loan that
 * was closed before the month, of which nothing was recorded since and the books carry nothing, has none. One whose boarding was cancelled
 * is funded no more, but was by what had been recorded until then.
 */
export async function readLoansWithout(
  db: Sql,
  { organizationId, date, knownOn }: PositionsKey,
  { volume, after, limit }: Page,
): Promise<PositionSource[]> {
  const rows = await db.query<RawSource>(
    `SELECT ${SOURCE} FROM (
       SELECT ${FOUND} FROM loans own
       WHERE own.volume = $1 AND own.organization_id = $2 AND own.loan_id > $3
         AND (own.funded_on IS NOT NULL OR (own.status = 'Cancelled' AND own.recorded_on >= date_trunc('month', $4::date)))
         AND NOT (own.status IN ('Closed', 'ClosedEarly', 'Cancelled') AND own.recorded_on < date_trunc('month', $4::date) AND NOT ${ON_BOOKS})
         AND NOT EXISTS (SELECT 1 FROM positions p WHERE p.volume = $1 AND p.loan_id = own.loan_id AND p.date = $4 AND p.known_on = $5
           AND p.organization_id = $2)
       ORDER BY own.loan_id LIMIT $6
     ) l ${JOINED}`,
    [volume, organizationId, bytes(after), date, knownOn, limit],
    'loans_without_position',
  );
  return rows.map(toSource);
}

/** Loans that an organization owned in the month of a date or after it, and has sold since. */
export async function readSoldWithout(
  db: Sql,
  { organizationId, date, knownOn }: PositionsKey,
  { volume, after, limit }: Page,
): Promise<PositionSource[]> {
  const rows = await db.query<RawSource>(
    `SELECT ${SOURCE} FROM (
       SELECT ${FOUND} FROM loans sold
       WHERE sold.volume = $1 AND sold.loan_id > $3 AND sold.funded_on IS NOT NULL
         AND sold.loan_id IN (SELECT f.loan_id FROM former_owners f WHERE f.volume = $1 AND f.organization_id = $2
           AND f.owned_until >= date_trunc('month', $4::date) AND f.owned_from <= $4)
         AND NOT EXISTS (SELECT 1 FROM positions p WHERE p.volume = $1 AND p.loan_id = sold.loan_id AND p.date = $4 AND p.known_on = $5
           AND p.organization_id = $2)
       ORDER BY sold.loan_id LIMIT $6
     ) l ${JOINED}`,
    [volume, organizationId, bytes(after), date, knownOn, limit],
  );
  return rows.map(toSource);
}

/** Loans of one volume, by their ids. */
export async function readSources(db: Sql, volume: number, loanIds: readonly string[]): Promise<PositionSource[]> {
  const rows = await db.query<RawSource>(
    `SELECT ${SOURCE} FROM (SELECT ${FOUND} FROM loans WHERE volume = $1 AND loan_id = ANY($2::bytea[])) l ${JOINED}`,
    [volume, loanIds.map(bytes)],
  );
  return rows.map(toSource);
}

/** The number of loans of an organization that may have a position. */
export async function countFunded(db: Sql, organizationId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM loans WHERE organization_id = $1 AND funded_on IS NOT NULL',
    [organizationId],
  );
  return row?.count ?? 0;
}

/** The volumes in which something was recorded of an organization's loans on a day or since, or of those that it sold on that day. */
export async function readVolumesRecorded(db: Sql, organizationId: string, day: PlainDate): Promise<Set<number>> {
  const rows = await db.query<{ volume: number }>(
    `SELECT volume FROM loans WHERE organization_id = $1 AND recorded_on >= $2
     UNION SELECT volume FROM former_owners WHERE organization_id = $1 AND owned_until = $2`,
    [organizationId, day],
  );
  return new Set(rows.map(({ volume }) => volume));
}

/** Events that take effect on a payment or another event, whenever they are recorded. */
const ON_OTHERS = ['paymentReturned', 'paymentReversed', 'undone', 'boardingCancelled', 'militaryService'];

/**
 * Loans of an organization, or that it sold on the day, of which something was recorded on a day that may change what they were on a date
 * before it: it takes effect by that date, or on another event. An acknowledgement changes a loan that it closes. With a loan that comes
 * back, the organization learns what was recorded while another owned it. By id, after one of them.
 */
export async function readLookingBack(
  db: Sql,
  { organizationId, date, knownOn }: PositionsKey,
  { volume, after, limit }: Page,
): Promise<string[]> {
  const rows = await db.query<{ loan_id: Uint8Array }>(
    `SELECT l.loan_id FROM (
       SELECT loan_id, principal, recorded_on FROM loans WHERE volume = $1 AND organization_id = $2 AND recorded_on >= $4
       UNION SELECT loan_id, 0, owned_until FROM former_owners WHERE volume = $1 AND organization_id = $2 AND owned_until = $4
     ) l
     WHERE l.loan_id > $3 AND EXISTS (
       SELECT 1 FROM events e WHERE e.volume = $1 AND e.loan_id = l.loan_id AND CASE
         WHEN strpos(e.body, '"recordedOn":"' || $4::date || '"') = 0 THEN false
         WHEN e.type = ANY($6::text[]) THEN true
         WHEN e.type = 'paymentAcknowledged' THEN l.principal = 0 OR l.recorded_on > $4
         WHEN e.type = 'transferred' THEN e.body::jsonb #>> '{event,to,organizationId}' = $2
           AND EXISTS (SELECT 1 FROM former_owners f
             WHERE f.volume = $1 AND f.organization_id = $2 AND f.loan_id = e.loan_id AND f.sequence < e.sequence)
         ELSE (e.body::jsonb -> 'event' ->> 'date')::date <= $5
       END
     )
     ORDER BY l.loan_id LIMIT $7`,
    [volume, organizationId, bytes(after), knownOn, date, ON_OTHERS, limit],
    'loans_looking_back',
  );
  return rows.map(({ loan_id }) => hexOf(loan_id));
}

/** Loans whose positions could not be computed on a day. */
export async function readFailed(db: Sql, organizationId: string, day: PlainDate): Promise<string[]> {
  const rows = await db.query<{ loan_id: Uint8Array }>(
    `SELECT loan_id FROM cycle_findings WHERE organization_id = $1 AND date = $2 AND kind = 'exception' AND step = 'positions'
     ORDER BY loan_id`,
    [organizationId, day],
  );
  return rows.map(({ loan_id }) => hexOf(loan_id));
}

// ---- rows ----

/** `withdrawn`: there is no position on the date by what is known now; its figures are 0. */
export type PositionRow = Holders &
  Characteristics &
  Position & {
    readonly loanId: string;
    readonly date: PlainDate;
    readonly knownOn: PlainDate;
    readonly withdrawn: boolean;
  };

/** The columns of a row, each with its type and the member of `PositionRow` that it holds. */
export const POSITION_COLUMNS = {
  loan_id: ['bytea', 'loanId'],
  date: ['date', 'date'],
  known_on: ['date', 'knownOn'],
  organization_id: ['text', 'organizationId'],
  lender_id: ['text', 'lenderId'],
  primary_servicer_id: ['text', 'primaryServicerId'],
  secondary_servicer_id: ['text', 'secondaryServicerId'],
  withdrawn: ['boolean', 'withdrawn'],
  grade: ['text', 'grade'],
  state: ['text', 'state'],
  vintage: ['date', 'vintage'],
  funded_on: ['date', 'fundedOn'],
  status: ['text', 'status'],
  days_past_due: ['int', 'daysPastDue'],
  non_accrual_since: ['date', 'nonAccrualSince'],
  original: ['bigint', 'original'],
  rate: ['numeric', 'rate'],
  remaining: ['int', 'remaining'],
  principal: ['bigint', 'principal'],
  interest: ['bigint', 'interest'],
  fees: ['bigint', 'fees'],
  credits: ['bigint', 'credits'],
  credit_since: ['date', 'creditSince'],
  kept: ['bigint', 'kept'],
  opening_principal: ['bigint', 'openingPrincipal'],
  disbursed: ['bigint', 'disbursed'],
  principal_received: ['bigint', 'principalReceived'],
  interest_received: ['bigint', 'interestReceived'],
  fees_received: ['bigint', 'feesReceived'],
  unscheduled_principal: ['bigint', 'unscheduledPrincipal'],
  charged_off: ['bigint', 'chargedOff'],
  recovered: ['bigint', 'recovered'],
  forgiven: ['bigint', 'forgiven'],
  returned: ['bigint', 'returned'],
  received_late: ['bigint', 'receivedLate'],
  scheduled: ['bigint', 'scheduled'],
  scheduled_principal: ['bigint', 'scheduledPrincipal'],
  predicted_yield: ['numeric', 'predictedYield'],
  predicted_loss: ['numeric', 'predictedLoss'],
} as const satisfies Record<string, readonly [string, keyof PositionRow]>;

const NAMES = Object.keys(POSITION_COLUMNS);
const POSITION = NAMES.join(', ');
/** An empty name is saved as none. */
const SAVED: Columns<PositionRow> = Object.fromEntries(
  Object.entries(POSITION_COLUMNS).map(([name, [type, member]]) => [
    name,
    { type, of: (row: PositionRow) => (row[member] === '' ? null : row[member]) },
  ]),
);

const INSERT = insertStatement();

/** A row is written once. Once the sums of its date and day are kept, none is added: they would not be in them. */
function insertStatement(): string {
  const given = parameters('sharded');
  const volume = given.one('smallint');
  return `INSERT INTO positions (volume, ${POSITION})
SELECT ${volume}, ${NAMES.map((name) => `n.${name}`).join(', ')} FROM ${given.rows('n', SAVED)}
WHERE NOT EXISTS (SELECT 1 FROM position_sums s
  WHERE s.organization_id = n.organization_id AND s.date = n.date AND s.known_on = n.known_on)
ON CONFLICT DO NOTHING`;
}

/** Saves rows of one volume. */
export async function savePositions(db: Sql, rows: readonly PositionRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  await db.query(INSERT, [volumeOf(db, first.loanId), ...columnTexts(SAVED, rows)], 'save_positions');
}

type RawPosition = Record<string, unknown> & { loan_id: Uint8Array };

function toPosition(raw: RawPosition): PositionRow {
  const row: Record<string, unknown> = {};
  for (const [name, [type, member]] of Object.entries(POSITION_COLUMNS)) {
    const value = raw[name];
    if (name === 'loan_id') row[member] = hexOf(raw.loan_id);
    else if (type === 'bigint') row[member] = value === null ? null : Number(value);
    else row[member] = name.endsWith('servicer_id') ? (value ?? '') : value;
  }
  return row as PositionRow;
}

/** Reads, for some loans of a volume, the last row of each date that an organization knew before a day. */
export async function readLastPositions(
  db: Sql,
  volume: number,
  { organizationId, before, loanIds }: { organizationId: string; before: PlainDate; loanIds: readonly string[] },
): Promise<PositionRow[]> {
  const rows = await db.query<RawPosition>(
    `SELECT DISTINCT ON (loan_id, date) ${POSITION} FROM positions
     WHERE volume = $1 AND loan_id = ANY($2::bytea[]) AND organization_id = $3 AND known_on < $4
     ORDER BY loan_id, date, known_on DESC`,
    [volume, loanIds.map(bytes), organizationId, before],
  );
  return rows.map(toPosition);
}

/** The dates that an organization's rows of a day restate. */
export async function readRestated(db: Sql, organizationId: string, knownOn: PlainDate): Promise<PlainDate[]> {
  const rows = await db.query<{ date: PlainDate }>(
    'SELECT DISTINCT date FROM positions WHERE organization_id = $1 AND known_on = $2 AND known_on > date ORDER BY date',
    [organizationId, knownOn],
  );
  return rows.map(({ date }) => date);
}

/** The number of rows that an organization has of a day: those of the day itself, or those that restate earlier dates. */
export async function countPositions(
  db: Sql,
  { organizationId, knownOn, restated }: { organizationId: string; knownOn: PlainDate; restated: boolean },
): Promise<number> {
  const which = restated ? 'known_on = $2 AND known_on > date' : 'date = $2 AND known_on = $2';
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM positions WHERE organization_id = $1 AND ${which}`,
    [organizationId, knownOn],
  );
  return row?.count ?? 0;
}

// ---- for verification ----

/** All rows of a loan as one text of JSON, in the order of their dates and days; numbers with decimals as text. */
export const POSITIONS_OF_LOAN = `(SELECT json_agg(to_jsonb(p) || jsonb_build_object('rate', p.rate::text,
    'predicted_yield', p.predicted_yield::text, 'predicted_loss', p.predicted_loss::text) ORDER BY p.date, p.known_on)
  FROM positions p WHERE p.volume = $3 AND p.loan_id = ids.loan_id)::text AS positions`;

/** From the JSON of `POSITIONS_OF_LOAN`. */
export function positionsIn(loanId: string, text: string | null): PositionRow[] {
  const rows = text === null ? [] : (JSON.parse(text) as Record<string, unknown>[]);
  return rows.map((raw) => ({ ...toPosition({ ...raw, loan_id: new Uint8Array() }), loanId }));
}
