/** For verification: whether the sums of positions are those of their rows. */
import type { Sql } from '../db/db.ts';
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
