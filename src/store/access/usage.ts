/** The SQL of usage reports: how the processes of one database exchange counts of quotas and failures. See access/usage-reports.ts. */
import type { Sql } from '../db/db.ts';

/** One counted thing: its name, and figures that its tally understands. */
export type UsageLine = readonly [name: string, ...figures: number[]];
export type UsageCounts = Readonly<Record<string, readonly UsageLine[]>>;
export type HeardReport = { reporter: string; number: number; ageMs: number; counts: UsageCounts };

/** The time for which a report is kept: the minute of a quota, and time for a process that could not read in the meantime. */
export const REPORT_KEPT_MS = 90_000;
/** The most reports that one call reads; the others are read by the next. */
const READ_AT_ONCE = 200;

/**
 * Stores a report, if there is one, and returns what the other reporters have reported after the numbers that are known. One statement, which
 * writes nothing when there is nothing to store and nothing to remove. A report that is sent again, because its outcome is unknown,
 * is stored once.
 */
export async function exchangeUsage(
  sql: Sql,
  {
    reporter,
    report,
    heard,
  }: {
    reporter: string;
    report: { number: number; agoMs: number; counts: UsageCounts } | null;
    heard: ReadonlyMap<string, number>;
  },
): Promise<HeardReport[]> {
  const rows = await sql.query<{ reporter: string; number: number; age_ms: number; counts: UsageCounts }>(
    `WITH old AS (
       SELECT reporter, number FROM usage_reports
        WHERE counted_at < clock_timestamp() - interval '${REPORT_KEPT_MS} milliseconds'
          FOR UPDATE SKIP LOCKED
     ), removed AS (
       DELETE FROM usage_reports r USING old WHERE r.reporter = old.reporter AND r.number = old.number
     ), stored AS (
       INSERT INTO usage_reports (reporter, number, counted_at, counts)
       SELECT $1, $2::integer, clock_timestamp() - $3::float8 * interval '1 millisecond', $4::jsonb WHERE $2::integer IS NOT NULL
       ON CONFLICT DO NOTHING
     )
     SELECT r.reporter, r.number, r.counts,
            greatest(0, extract(epoch FROM clock_timestamp() - r.counted_at) * 1000)::float8 AS age_ms
       FROM usage_reports r LEFT JOIN unnest($5::text[], $6::integer[]) AS heard (reporter, number) ON heard.reporter = r.reporter
      WHERE r.reporter <> $1 AND r.number > coalesce(heard.number, 0)
        AND r.counted_at >= clock_timestamp() - interval '${REPORT_KEPT_MS} milliseconds'
      ORDER BY r.reporter, r.number LIMIT ${READ_AT_ONCE}`,
    [
      reporter,
      report?.number ?? null,
      report?.agoMs ?? null,
      report === null ? null : JSON.stringify(report.counts),
      [...heard.keys()],
      [...heard.values()],
    ],
    'exchange_usage',
  );
  return rows.map(({ age_ms, ...row }) => ({ ...row, ageMs: age_ms }));
}
