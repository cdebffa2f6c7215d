/**
 * The figures of reports, by plain statements over whole tables, which use no sums: for `bench/portfolio.ts` to compare times and figures
 * with. They have as many processes and as much memory as the reports.
 */
import type { PlainDate } from '../src/core/calendar.ts';
import type { ReportName } from '../src/loans/reports/reports.ts';
import type { Db } from '../src/store/db/db.ts';
import { forScan } from '../src/store/reports/portfolio.ts';
import { MONTH_ENDS } from './portfolio-book.ts';

/** Some figures of a row of a report. */
export type Raw = { keys: Record<string, string>; values: Record<string, bigint> };
type ReportQuery = { organizationId: string; on: PlainDate; today: boolean };

const OPEN = "status IN ('Funded', 'Current', 'Delinquent', 'Defaulted')";
const MONTH = "date_trunc('month', $2::date)";

/** The last row of each loan for each date, and today's from the loans. */
const latest = (where: string) =>
  `SELECT * FROM positions p WHERE organization_id = $1 AND ${where} AND NOT EXISTS (SELECT 1 FROM positions r WHERE r.organization_id = $1
     AND r.known_on > r.date AND r.date = p.date AND r.known_on > p.known_on AND r.volume = p.volume AND r.loan_id = p.loan_id)`;

const LIVE = `SELECT $2::date AS date, volume, loan_id, vintage, original, principal,
    CASE WHEN delinquent_from <= $2 AND status IN ('Funded', 'Current') THEN 'Delinquent' ELSE status END AS status,
    greatest(0, coalesce($2::date - past_due_from, 0)) AS days_past_due, book_fees AS fees,
    CASE WHEN flow_month = ${MONTH} THEN opening_principal WHEN status = 'ChargedOff' THEN 0 ELSE principal END AS opening_principal,
    ${[
      'disbursed',
      'principal_received',
      'interest_received',
      'fees_received',
      'unscheduled_principal',
      'charged_off',
      'recovered',
      'forgiven',
    ]
      .map((column) => `CASE WHEN flow_month = ${MONTH} THEN ${column} ELSE 0 END AS ${column}`)
      .join(', ')}
  FROM loans WHERE organization_id = $1 AND (status NOT LIKE 'Closed%' OR flow_month = ${MONTH})`;

const COLUMNS = `date, volume, loan_id, vintage, original, principal, status, days_past_due, fees, opening_principal, disbursed, principal_received,
  interest_received, fees_received, unscheduled_principal, charged_off, recovered, forgiven`;

const onDate = ({ today }: ReportQuery) => (today ? LIVE : latest('date = $2'));

const months = ({ today }: ReportQuery) =>
  today
    ? `SELECT ${COLUMNS} FROM (${latest('date <= $2')}) p UNION ALL SELECT ${COLUMNS} FROM (${LIVE}) l`
    : `SELECT ${COLUMNS} FROM (${latest('date <= $2')}) p`;

/** Columns that begin with `key_` say which row it is; all others are figures. */
async function rows(db: Db, asked: ReportQuery, select: string): Promise<Raw[]> {
  const found = await db.transaction(async (tx) => {
    await forScan(tx);
    return tx.query<Record<string, string>>(select, [asked.organizationId, asked.on]);
  });
  return found.map((row) => {
    const entries = Object.entries(row);
    return {
      keys: Object.fromEntries(
        entries.flatMap(([name, text]) => (name.startsWith('key_') ? [[name.slice(4), text]] : [])),
      ),
      values: Object.fromEntries(
        entries.flatMap(([name, text]) => (name.startsWith('key_') ? [] : [[name, BigInt(text)]])),
      ),
    };
  });
}

const BUCKET = `CASE WHEN days_past_due <= 0 THEN 'current' WHEN days_past_due < 30 THEN '1-29' WHEN days_past_due < 60 THEN '30-59'
  WHEN days_past_due < 90 THEN '60-89' WHEN days_past_due < 120 THEN '90-119' ELSE '120+' END`;

const PLACE = `CASE WHEN ${OPEN} THEN ${BUCKET} WHEN status = 'ChargedOff' THEN 'chargedOff' ELSE 'paidOff' END`;

export const RAW: Readonly<Record<ReportName, (db: Db, asked: ReportQuery) => Promise<Raw[]>>> = {
  summary: (db, asked) =>
    rows(
      db,
      asked,
      `SELECT count(*) FILTER (WHERE ${OPEN})::text AS count, sum(principal) FILTER (WHERE ${OPEN})::text AS principal,
         sum(original) FILTER (WHERE ${OPEN})::text AS original, sum(fees) FILTER (WHERE ${OPEN})::text AS fees,
         sum(principal) FILTER (WHERE ${OPEN} AND days_past_due >= 30)::text AS "pastDue30Principal",
         count(*) FILTER (WHERE status = 'Delinquent')::text AS "delinquentCount", count(*) FILTER (WHERE status = 'ChargedOff')::text AS "chargedOffCount"
       FROM (${onDate(asked)}) p`,
    ),
  delinquency: (db, asked) =>
    rows(
      db,
      asked,
      `SELECT ${BUCKET} AS key_bucket, count(*)::text AS count, sum(principal)::text AS principal FROM (${onDate(asked)}) p WHERE ${OPEN} GROUP BY 1`,
    ),
  'roll-rates': (db, asked) => {
    const from = asked.today ? MONTH_ENDS.at(-1) : MONTH_ENDS.at(-2);
    const after = asked.today ? LIVE : latest('date = $2');
    return rows(
      db,
      asked,
      `SELECT ${PLACE.replaceAll('status', 'a.status').replaceAll('days_past_due', 'a.days_past_due')} AS key_from,
         ${PLACE.replaceAll('status', 'b.status').replaceAll('days_past_due', 'b.days_past_due')} AS key_to, count(*)::text AS count,
         sum(a.principal)::text AS "principalFrom", sum(b.principal)::text AS "principalTo"
       FROM (${latest(`date = '${from}'`)}) a JOIN (${after}) b USING (volume, loan_id)
       WHERE a.status IN ('Funded', 'Current', 'Delinquent', 'Defaulted', 'ChargedOff') GROUP BY 1, 2`,
    );
  },
  vintages: (db, asked) =>
    rows(
      db,
      asked,
      `SELECT to_char(vintage, 'YYYY-MM') AS key_vintage, to_char(date, 'YYYY-MM') AS key_month, count(*) FILTER (WHERE ${OPEN})::text AS count,
         coalesce(sum(principal) FILTER (WHERE ${OPEN}), 0)::text AS principal,
         coalesce(sum(principal) FILTER (WHERE ${OPEN} AND days_past_due >= 60), 0)::text AS "pastDue60Principal"
       FROM (${months(asked)}) p GROUP BY 1, 2`,
    ),
  cashflows: (db, asked) =>
    rows(
      db,
      asked,
      `SELECT to_char(date, 'YYYY-MM') AS key_month, sum(opening_principal)::text AS "openingPrincipal", sum(disbursed)::text AS disbursed,
         sum(principal_received - unscheduled_principal)::text AS "scheduledPrincipal", sum(unscheduled_principal)::text AS "unscheduledPrincipal",
         sum(interest_received)::text AS interest, sum(fees_received)::text AS fees, sum(recovered)::text AS recoveries,
         sum(charged_off)::text AS "chargedOff", sum(principal) FILTER (WHERE ${OPEN})::text AS "closingPrincipal"
       FROM (${months(asked)}) p GROUP BY 1`,
    ),
  yield: (db, asked) =>
    rows(
      db,
      asked,
      `SELECT to_char(date, 'YYYY-MM') AS key_period, sum(interest_received)::text AS interest,
         sum(interest_received + fees_received + recovered - charged_off - forgiven)::text AS income FROM (${months(asked)}) p GROUP BY 1`,
    ),
  prepayment: (db, asked) =>
    rows(
      db,
      asked,
      `SELECT to_char(date, 'YYYY-MM') AS key_period, sum(opening_principal)::text AS "openingPrincipal",
         sum(unscheduled_principal) FILTER (WHERE opening_principal > 0)::text AS "unscheduledPrincipal",
         sum(charged_off) FILTER (WHERE opening_principal > 0)::text AS "chargedOff"
       FROM (${latest('date <= $2')}) p GROUP BY 1`,
    ),
};
