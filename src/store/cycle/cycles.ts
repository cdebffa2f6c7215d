/** The nightly cycle in the database: its progress, what its steps did, and which loans have something to process on a day. */
import type { PlainDate } from '../../core/calendar.ts';
import { changeRows } from '../audit/rows.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import type { Sql } from '../db/db.ts';
import { ON_BOOKS } from '../reports/facts.ts';

/** A day of an organization. */
export type CycleKey = { readonly organizationId: string; readonly date: PlainDate };

// ---- progress ----

/** Every day from the first to `through` is done. */
export type CycleHead = { organizationId: string; first: PlainDate; through: PlainDate };

/** Reads the heads of some organizations; those that have none yet are left out. */
export function readHeads(db: Sql, organizationIds: readonly string[]): Promise<CycleHead[]> {
  return db.query<CycleHead>(
    'SELECT organization_id AS "organizationId", first, through FROM cycle_heads WHERE organization_id = ANY($1::text[]) ORDER BY 1',
    [organizationIds],
  );
}

export function readCycleHeads(db: Sql): Promise<CycleHead[]> {
  return db.query<CycleHead>('SELECT organization_id AS "organizationId", first, through FROM cycle_heads');
}

/** Marks the day before the first as done. A second call changes nothing. */
export async function beginHead(db: Sql, organizationId: string, first: PlainDate): Promise<void> {
  await db.query(
    'INSERT INTO cycle_heads (organization_id, first, through) VALUES ($1, $2, $2::date - 1) ON CONFLICT DO NOTHING',
    [organizationId, first],
  );
}

/**
 * Whether something may happen to a loan of the organization on a day, something was recorded on it or since, it owned a loan that was
 * transferred on it or since, or interest is still to be
 * taken out of its books. At the end of a month also whether a loan has a position. For an organization whose loans are all closed, and of
 * which the books carry nothing, it stays false unless something is recorded.
 */
export async function isDayWithWork(
  db: Sql,
  { organizationId, date, isMonthEnd }: CycleKey & { readonly isMonthEnd: boolean },
): Promise<boolean> {
  const [row] = await db.query<{ alive: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM loans WHERE organization_id = $1
         AND (changes_on IS NOT NULL OR accrues_per_unit IS NOT NULL OR past_due_from IS NOT NULL OR recorded_on >= $2
           OR ($3 AND funded_on IS NOT NULL
             AND (status NOT IN ('Closed', 'ClosedEarly', 'Cancelled') OR recorded_on >= date_trunc('month', $2::date) OR ${ON_BOOKS}))))
       OR EXISTS (SELECT 1 FROM former_owners WHERE organization_id = $1
         AND owned_until >= CASE WHEN $3 THEN date_trunc('month', $2::date)::date ELSE $2 END)
       OR EXISTS (SELECT 1 FROM books WHERE organization_id = $1 AND accrued <> 0) AS alive`,
    [organizationId, date, isMonthEnd],
  );
  return row?.alive === true;
}

// ---- what was done ----

export type CycleRow = { date: PlainDate; startedAt: Date; endedAt: Date | null };
export type StepRow = {
  date: PlainDate;
  step: string;
  startedAt: Date | null;
  endedAt: Date | null;
  counts: Record<string, number>;
};

/** Exceptions of an earlier run are deleted: what still fails is found again. */
export async function beginCycle(
  db: Sql,
  { organizationId, date }: CycleKey,
  { steps, at }: { steps: readonly string[]; at: Date },
): Promise<void> {
  await db.query(
    `WITH cycle AS (
       INSERT INTO cycles (organization_id, date, started_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
     ), forgotten AS (
       DELETE FROM cycle_findings WHERE organization_id = $1 AND date = $2 AND kind = 'exception'
     )
     INSERT INTO cycle_steps (organization_id, date, step) SELECT $1, $2, step FROM unnest($4::text[]) AS step
     ON CONFLICT DO NOTHING`,
    [organizationId, date, at, steps],
  );
}

/** One step has ended, the next begins; null: there is none before or after. What has begun or ended before keeps its time. */
export async function passStep(
  db: Sql,
  { organizationId, date }: CycleKey,
  { ended, begins, at }: { ended: string | null; begins: string | null; at: Date },
): Promise<void> {
  await db.query(
    `UPDATE cycle_steps SET ended_at = CASE WHEN step = $3 THEN coalesce(ended_at, $5) ELSE ended_at END,
       started_at = CASE WHEN step = $4 THEN coalesce(started_at, $5) ELSE started_at END
     WHERE organization_id = $1 AND date = $2 AND step IN ($3, $4)`,
    [organizationId, date, ended, begins, at],
  );
}

/** The day is done, and so is every one before it. It may end without having begun when there was nothing to do. */
export async function endCycle(tx: Sql, { organizationId, date }: CycleKey, at: Date): Promise<void> {
  await changeRows(
    tx,
    'cycles',
    'UPDATE cycles SET ended_at = $3 WHERE organization_id = $1 AND date = $2 AND ended_at IS NULL',
    [organizationId, date, at],
  );
  await tx.query('UPDATE cycle_heads SET through = $2 WHERE organization_id = $1 AND through = $2::date - 1', [
    organizationId,
    date,
  ]);
}

export type Counts = Readonly<Record<string, number>>;

/**
 * Adds to what steps have counted: in the transaction of what is counted, so that a step that was interrupted counts right. What comes to
 * nothing is left out.
 */
export async function addCounts(
  tx: Sql,
  { organizationId, date }: CycleKey,
  counted: Readonly<Record<string, Counts>>,
): Promise<void> {
  const steps = Object.keys(counted).sort();
  if (steps.length === 0) return;
  await tx.query(
    `UPDATE cycle_steps s SET counts = (
       SELECT coalesce(jsonb_object_agg(key, total), '{}') FROM (
         SELECT key, sum(value::bigint)::bigint AS total FROM (
           SELECT * FROM jsonb_each_text(s.counts) UNION ALL SELECT * FROM jsonb_each_text(given.counts)
         ) counted GROUP BY key HAVING sum(value::bigint) <> 0
       ) totals
     )
     FROM unnest($3::text[], $4::jsonb[]) AS given (step, counts)
     WHERE s.organization_id = $1 AND s.date = $2 AND s.step = given.step`,
    [organizationId, date, steps, steps.map((step) => JSON.stringify(counted[step]))],
  );
}

/**
 * Holds a step that has not ended until the transaction ends: it ends after it. False: it has ended, or interest of that day is posted
 * already.
 */
export async function holdOpenStep(tx: Sql, { organizationId, date }: CycleKey, step: string): Promise<boolean> {
  const [row] = await tx.query<{ ended: boolean }>(
    `SELECT ended_at IS NOT NULL AS ended FROM cycle_steps
     WHERE organization_id = $1 AND date = $2 AND step = $3 FOR NO KEY UPDATE`,
    [organizationId, date, step],
  );
  return row?.ended === false && !(await hasAccrued(tx, { organizationId, date }));
}

async function hasAccrued(tx: Sql, { organizationId, date }: CycleKey): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM books WHERE organization_id = $1 AND accrued_through >= $2) AS found',
    [organizationId, date],
  );
  return row?.found === true;
}

/** Instead of adding: for a step that counts everything at its end. */
export async function setCounts(
  tx: Sql,
  { organizationId, date }: CycleKey,
  step: string,
  counts: Counts,
): Promise<void> {
  await tx.query('UPDATE cycle_steps SET counts = $4 WHERE organization_id = $1 AND date = $2 AND step = $3', [
    organizationId,
    date,
    step,
    JSON.stringify(counts),
  ]);
}

/** The newest first, from before a day on. */
export async function readCycles(
  db: Sql,
  organizationId: string,
  { before, limit }: { before: PlainDate | null; limit: number },
): Promise<CycleRow[]> {
  return db.query<CycleRow>(
    `SELECT date, started_at AS "startedAt", ended_at AS "endedAt" FROM cycles
     WHERE organization_id = $1 AND ($2::date IS NULL OR date < $2) ORDER BY date DESC LIMIT $3`,
    [organizationId, before, limit],
  );
}

/** Reads the steps of some days of an organization. */
export function readSteps(db: Sql, organizationId: string, dates: readonly PlainDate[]): Promise<StepRow[]> {
  return db.query<StepRow>(
    `SELECT date, step, started_at AS "startedAt", ended_at AS "endedAt", counts FROM cycle_steps
     WHERE organization_id = $1 AND date = ANY($2::date[])`,
    [organizationId, dates],
  );
}

// ---- what needs a person's attention ----

export type FindingKind = 'exception' | 'proposal';
export type Finding = { loanId: string; step: string; facts: Record<string, unknown> };

/** One a loan and day: the first that was found. */
export async function saveFindings(
  tx: Sql,
  { organizationId, date }: CycleKey,
  kind: FindingKind,
  found: readonly Finding[],
): Promise<void> {
  if (found.length === 0) return;
  await tx.query(
    `INSERT INTO cycle_findings (organization_id, date, kind, loan_id, step, facts)
     SELECT $1, $2, $3, given.loan_id, given.step, given.facts
     FROM unnest($4::bytea[], $5::text[], $6::jsonb[]) AS given (loan_id, step, facts)
     ON CONFLICT DO NOTHING`,
    [
      organizationId,
      date,
      kind,
      found.map(({ loanId }) => bytes(loanId)),
      found.map(({ step }) => step),
      found.map(({ facts }) => JSON.stringify(facts)),
    ],
  );
}

/** The number of charge-offs proposed on a day, and what those loans owe. */
export async function sumProposals(
  db: Sql,
  { organizationId, date }: CycleKey,
): Promise<{ loans: number; amount: number }> {
  const [row] = await db.query<{ loans: number; amount: bigint }>(
    `SELECT count(*)::int AS loans, coalesce(sum((facts ->> 'amount')::bigint), 0)::bigint AS amount FROM cycle_findings
     WHERE organization_id = $1 AND date = $2 AND kind = 'proposal'`,
    [organizationId, date],
  );
  return { loans: row?.loans ?? 0, amount: Number(row?.amount ?? 0) };
}

/** In the order of loan ids, after one of them. */
export async function readFindings(
  db: Sql,
  { organizationId, date }: CycleKey,
  { kind, after, limit }: { kind: FindingKind; after: string | null; limit: number },
): Promise<Finding[]> {
  const rows = await db.query<{ loan_id: Uint8Array; step: string; facts: Record<string, unknown> }>(
    `SELECT loan_id, step, facts FROM cycle_findings
     WHERE organization_id = $1 AND date = $2 AND kind = $3 AND loan_id > $4 ORDER BY loan_id LIMIT $5`,
    [organizationId, date, kind, bytes(after ?? '0x'), limit],
  );
  return rows.map(({ loan_id, step, facts }) => ({ loanId: hexOf(loan_id), step, facts }));
}

/** The number found on each of some days, by kind. */
export function countFindings(
  db: Sql,
  organizationId: string,
  dates: readonly PlainDate[],
): Promise<{ date: PlainDate; kind: FindingKind; count: number }[]> {
  return db.query(
    `SELECT date, kind, count(*)::int AS count FROM cycle_findings
     WHERE organization_id = $1 AND date = ANY($2::date[]) GROUP BY date, kind`,
    [organizationId, dates],
  );
}

// ---- loans with something to process on a day ----

/** In the order of the index, after one of them. */
export async function readLoansOfDay(
  db: Sql,
  volume: number,
  { organizationId, date }: CycleKey,
  { after, limit }: { after: { changesOn: PlainDate; loanId: string } | null; limit: number },
): Promise<{ loanId: string; changesOn: PlainDate }[]> {
  const rows = await db.query<{ loan_id: Uint8Array; changes_on: PlainDate }>(
    `SELECT loan_id, changes_on FROM loans
     WHERE volume = $1 AND organization_id = $2 AND changes_on <= $3 AND (changes_on, loan_id) > ($4::date, $5::bytea)
     ORDER BY changes_on, loan_id LIMIT $6`,
    [volume, organizationId, date, after?.changesOn ?? '-infinity', bytes(after?.loanId ?? '0x'), limit],
    'loans_of_day',
  );
  return rows.map(({ loan_id, changes_on }) => ({ loanId: hexOf(loan_id), changesOn: changes_on }));
}

/** Rows whose loan does not change on the day that they say, because the version of a policy that it comes from was replaced. */
export async function correctChanges(
  db: Sql,
  volume: number,
  rows: readonly { loanId: string; version: number; changesOn: PlainDate | null; booksChangeOn: PlainDate | null }[],
): Promise<void> {
  await db.query(
    `UPDATE loans l SET changes_on = given.changes_on, books_change_on = given.books_change_on
     FROM unnest($2::bytea[], $3::int[], $4::date[], $5::date[]) AS given (loan_id, version, changes_on, books_change_on)
     WHERE l.volume = $1 AND l.loan_id = given.loan_id AND l.version = given.version`,
    [
      volume,
      rows.map(({ loanId }) => bytes(loanId)),
      rows.map(({ version }) => version),
      rows.map(({ changesOn }) => changesOn),
      rows.map(({ booksChangeOn }) => booksChangeOn),
    ],
  );
}

/** The number in each volume that has any. */
export function countLoansOfDay(
  db: Sql,
  { organizationId, date }: CycleKey,
): Promise<{ volume: number; count: number }[]> {
  const volumes = Array.from({ length: db.volumes.count }, (_, volume) => volume);
  return db.query(
    `SELECT volume, count(*)::int AS count FROM loans
     WHERE volume = ANY($1::smallint[]) AND organization_id = $2 AND changes_on <= $3 GROUP BY volume ORDER BY volume`,
    [volumes, organizationId, date],
  );
}

/** Open loans of a volume that were past due for so long by a day, or that were recorded since and may have been; by id, after one of them. */
export async function readLongPastDue(
  db: Sql,
  volume: number,
  { organizationId, date }: CycleKey,
  { from, after, limit }: { from: PlainDate; after: string | null; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ loan_id: Uint8Array }>(
    `SELECT loan_id FROM loans
     WHERE volume = $1 AND organization_id = $2 AND loan_id > $5
       AND ((recorded_on <= $3 AND (past_due_from <= $4 OR charge_off_by <= $3)) OR recorded_on > $3)
     ORDER BY loan_id LIMIT $6`,
    [volume, organizationId, date, from, bytes(after ?? '0x'), limit],
  );
  return rows.map(({ loan_id }) => hexOf(loan_id));
}

/** Waits until the transaction that holds a volume's head has committed. */
export async function passHead(db: Sql, volume: number): Promise<void> {
  await db.query('SELECT 1 FROM ledger_heads WHERE volume = $1 FOR UPDATE', [volume]);
}
