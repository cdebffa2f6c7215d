/** For verification: whether the sums of positions are those of their rows. */
import type { PlainDate } from '../../core/calendar.ts';
import { CREDIT_AGES } from '../../portfolio/buckets.ts';
import type { Sql } from '../db/db.ts';
import { columnOf } from './facts.ts';
import { madeSums, SUM_COLUMNS, type SumsKept } from './portfolio.ts';

/** Every organization, date and day that has positions or sums. */
export function readSumKeys(db: Sql): Promise<SumsKept[]> {
  return db.query<SumsKept>(
    `SELECT organization_id AS "organizationId", date, known_on AS "knownOn" FROM position_sums GROUP BY 1, 2, 3
     UNION SELECT organization_id, date, known_on FROM positions GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
}

/** The number of rows of the sums that are missing, wrong or too many; one that is wrong counts twice. */
export async function countWrongSums(db: Sql, { organizationId, date, knownOn }: SumsKept): Promise<number> {
  const kept = `SELECT ${SUM_COLUMNS} FROM position_sums WHERE organization_id = $1 AND date = $2 AND known_on = $3`;
  const [row] = await db.query<{ wrong: number }>(
    `WITH made AS MATERIALIZED (${madeSums()}), kept AS MATERIALIZED (${kept})
     SELECT ((SELECT count(*) FROM (TABLE made EXCEPT ALL TABLE kept) missing)
       + (SELECT count(*) FROM (TABLE kept EXCEPT ALL TABLE made) stray))::int AS wrong`,
    [organizationId, date, knownOn],
  );
  return row?.wrong ?? 0;
}

/** Totals that the reports of a month end show of a lender, as reported: in cents. */
export type ReportedTotals = {
  readonly date: PlainDate;
  readonly lenderId: string;
  readonly principal: bigint;
  readonly interest: bigint;
  readonly fees: bigint;
  readonly credits: bigint;
  readonly 'credits by age': bigint;
};

/** By month end and lender, from the sums that reports read; `principal` with what the books keep of charged-off loans. */
export function readReportedTotals(db: Sql, organizationId: string): Promise<ReportedTotals[]> {
  return db.query<ReportedTotals>(
    `SELECT date, lender_id AS "lenderId", sum(principal + kept)::bigint AS principal, sum(interest)::bigint AS interest,
       sum(fees)::bigint AS fees, sum(credits)::bigint AS credits,
       sum(${CREDIT_AGES.map(({ name }) => columnOf(name)).join(' + ')})::bigint AS "credits by age"
     FROM position_sums WHERE organization_id = $1 AND known_on = date AND dimension = '' GROUP BY date, lender_id`,
    [organizationId],
  );
}
