/**
 * A book for `bench/portfolio.ts`: BENCH_LOANS loans of one organization with their positions at twelve month ends, made on the server. Loans
 * begin in 48 vintages, amortize in a straight line, run late, prepay, or are charged off and recover something; some positions are restated.
 */
import { addDays, addMonths, date, lastOfMonth, type PlainDate } from '../src/core/calendar.ts';
import { unitsOn } from '../src/ledger/accrue.ts';
import type { Db } from '../src/store/db/db.ts';
import { addSums } from '../src/store/reports/portfolio.ts';
import { dropIndexes } from './indexes.ts';
import { setting } from './measure.ts';

export const TODAY = date('2026-06-15');
const MONTHS = setting('BENCH_MONTHS', 12);
export const MONTH_ENDS: readonly PlainDate[] = Array.from({ length: MONTHS }, (_, i) =>
  lastOfMonth(addMonths(date('2026-05-01'), i + 1 - MONTHS)),
);
/** The last three months are restated ten days later, one loan in two hundred. */
export const RESTATED = MONTH_ENDS.slice(-3);
export const restatedOn = (monthEnd: PlainDate) => addDays(monthEnd, 10);

/**
 * Each part ends with OFFSET 0, so that the server computes its columns once for a row and not wherever the next part names them.
 *
 * The attributes of a loan on every date; `v` is the number of the month it began in, `exit` the age at which it prepays or is charged off.
 */
const MADE = `
  SELECT *, 'L-' || CASE WHEN n % 10 < 6 THEN 0 ELSE n % 8 END AS lender, 'S-' || CASE WHEN n % 10 < 7 THEN 0 ELSE n % 5 END AS servicer,
    CASE WHEN n % 20 = 0 THEN 'S-9' END AS second, (ARRAY['A', 'B', 'C', 'D', 'E', 'F'])[1 + h % 6] AS grade,
    (ARRAY['CA','TX','FL','NY','PA','IL','OH','GA','NC','MI','NJ','VA','WA','AZ','MA','TN','IN','MO','MD','WI'])[1 + h / 7 % 20] AS state,
    4 + (h / 11 % 1200) * 0.01 AS rate, (ARRAY[48, 60, 72])[1 + h / 13 % 3] AS term, 1000000 + (h / 17 % 4000) * 1000::bigint AS amount,
    h / 19 % 100 AS fate, 3 + h / 23 % 40 AS exit, (make_date(2022, 7, 1) + v * interval '1 month')::date AS began
  FROM (SELECT n, sha256(int4send(n)) AS id, abs(hashint4(n) % 1000000007) AS h, abs(hashint4(n + 7)) % 48 AS v FROM generate_series($1::int, $2::int) n OFFSET 0) numbered
  OFFSET 0`;

/** On a month with the number `t`: its age, what was owed before and after, whether it prepaid or was charged off by then. */
const LIVED = (from: string) => `
  SELECT *, amount * (term - greatest(age - 1, 0)) / term AS before_, amount * (term - age) / term AS after_,
    fate < 22 AND age = exit AS prepays, fate >= 22 AND fate < 26 AND age = exit AS fails, fate >= 22 AND fate < 26 AND age > exit AS failed,
    amount * (term - exit + 1) / term AS claim,
    CASE WHEN fate >= 22 AND fate < 26 AND age <= exit THEN greatest(0, 30 * (5 - (exit - age)))
      WHEN abs(hashint4(n + t * 31)) % 100 < 90 THEN 0 ELSE 1 + abs(hashint4(n + t * 37)) % 130 END AS days
  FROM (SELECT *, t - v AS age FROM ${from}) aged WHERE t >= v AND (fate >= 22 OR t - v <= exit)
  OFFSET 0`;

const STATUS = `CASE WHEN prepays THEN 'ClosedEarly' WHEN fails OR failed THEN 'ChargedOff' WHEN age = 0 THEN 'Funded' WHEN days > 10 THEN 'Delinquent' ELSE 'Current' END`;

const PRINCIPAL = `CASE WHEN prepays THEN 0 WHEN fails THEN claim WHEN failed THEN claim - claim / 100 * least(age - exit, 40) ELSE after_ END`;

/** Columns of positions and of loans. */
const FLOWS = {
  opening_principal: 'CASE WHEN age = 0 OR failed THEN 0 ELSE before_ END',
  disbursed: 'CASE WHEN age = 0 THEN amount ELSE 0 END',
  principal_received: 'CASE WHEN age = 0 OR fails OR failed THEN 0 WHEN prepays THEN before_ ELSE before_ - after_ END',
  interest_received: 'CASE WHEN age = 0 OR fails OR failed THEN 0 ELSE (before_ * rate / 1200)::bigint END',
  fees_received: 'CASE WHEN days > 10 AND NOT failed THEN 500 ELSE 0 END',
  unscheduled_principal: 'CASE WHEN prepays THEN after_ ELSE 0 END',
  charged_off: 'CASE WHEN fails THEN before_ ELSE 0 END',
  recovered: 'CASE WHEN failed AND age - exit <= 40 THEN claim / 100 ELSE 0 END',
  forgiven: '0',
  scheduled: 'CASE WHEN age = 0 OR failed THEN 0 ELSE amount / term + (before_ * rate / 1200)::bigint END',
  scheduled_principal: 'CASE WHEN age = 0 OR failed THEN 0 ELSE amount / term END',
};

const COMMON = {
  volume: 'get_byte(id, 0) % 16',
  loan_id: 'id',
  organization_id: '$4',
  lender_id: 'lender',
  primary_servicer_id: 'servicer',
  secondary_servicer_id: 'second',
  grade: 'grade',
  state: 'state',
  vintage: 'began',
  funded_on: 'began',
  original: 'amount',
  rate: 'rate',
  remaining: 'CASE WHEN prepays OR fails OR failed THEN 0 ELSE term - age END',
  principal: PRINCIPAL,
  ...FLOWS,
  predicted_yield: 'CASE WHEN n % 5 > 0 THEN rate - 2 END',
  predicted_loss: 'CASE WHEN n % 5 > 0 THEN 3.5 END',
};

const POSITION: Readonly<Record<string, string>> = {
  ...COMMON,
  date: '$3',
  known_on: '$3',
  withdrawn: 'false',
  status: STATUS,
  days_past_due: 'CASE WHEN prepays THEN 0 ELSE days END',
  interest: 'CASE WHEN prepays OR fails OR failed THEN 0 ELSE (after_ * rate / 1200)::bigint END',
  fees: 'CASE WHEN days > 10 AND NOT prepays THEN 2500 ELSE 0 END',
  credits: '0',
};

const DUE = 'CASE WHEN prepays OR ended THEN NULL WHEN days > 0 THEN $7::date - days ELSE $7::date + n % 28 END';
const IS_OPEN = 'NOT ended AND NOT prepays AND NOT failed AND NOT fails';

const LOAN: Readonly<Record<string, string>> = {
  ...COMMON,
  created_at: 'began',
  version: '20',
  last_hash: 'id',
  past_due_from: DUE,
  delinquent_from: `${DUE} + 11`,
  next_due: `coalesce(${DUE}, 'infinity')`,
  loan_amount: 'amount',
  published: 'false',
  updated_at: 'began',
  recorded_on: 'began::date',
  first_recorded_on: 'began::date',
  book_principal: `CASE WHEN ${IS_OPEN} THEN after_ ELSE 0 END`,
  book_interest: '0',
  book_fees: `CASE WHEN days > 10 AND ${IS_OPEN} THEN 2500 ELSE 0 END`,
  book_credits: '0',
  accrues_per_unit: `CASE WHEN ${IS_OPEN} THEN after_ * (rate * 100)::bigint END`,
  accrues_divisor: '3650000',
  accrues_from: '$6::int - n % 28',
  accrues_scale: '1',
  accrues_half_even: 'false',
  flow_month: "CASE WHEN ended THEN date '2026-01-01' ELSE $3 END",
  status: `CASE WHEN ended THEN 'ClosedEarly' WHEN ${STATUS} = 'Delinquent' THEN 'Current' ELSE ${STATUS} END`,
};

const insert = (table: string, columns: Readonly<Record<string, string>>, from: string) =>
  `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM ${from}`;

/** Months since July 2022. */
const monthNumber = (of: string) => (Number(of.slice(0, 4)) - 2022) * 12 + Number(of.slice(5, 7)) - 7;

const PORTION = 100_000;

/** Settings of the server for a book that can be made again. */
export const BUILDING = { fsync: 'off', wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '8GB' };

export type Progress = (done: number, of: number, what: string) => void;

export async function fillPortfolio(db: Db, organizationId: string, loans: number, progress: Progress): Promise<void> {
  const portions = Math.ceil(loans / PORTION);
  const steps = portions * (MONTHS + 1) + MONTHS + RESTATED.length + 2;
  let done = 0;
  const step = (what: string) => progress(++done, steps, what);
  await db.transaction(async (tx) => {
    await tx.query("SELECT set_config('maintenance_work_mem', '1GB', true), set_config('work_mem', '256MB', true)");
    // A table that was emptied in the same transaction is written without a log (BUILDING).
    await tx.query('TRUNCATE loans, positions');
    const makes = [...(await dropIndexes(tx, 'loans')), ...(await dropIndexes(tx, 'positions'))];
    for (const monthEnd of MONTH_ENDS) {
      for (let first = 1; first <= loans; first += PORTION) {
        const lived = LIVED(`(SELECT *, $5::int AS t FROM (${MADE}) made) at`);
        const last = Math.min(loans, first + PORTION - 1);
        const values = [first, last, monthEnd, organizationId, monthNumber(monthEnd)];
        await tx.query(insert('positions', POSITION, `(${lived}) lived`), values);
        step(`positions of ${monthEnd}`);
      }
    }
    for (let first = 1; first <= loans; first += PORTION) {
      // A loan that ended in an earlier month is still there, with the flows of that month.
      const open = LIVED(`(SELECT *, $5::int AS t FROM (${MADE}) made) at`);
      const ended = LIVED(`(SELECT *, v + exit AS t FROM (${MADE}) made WHERE fate < 22 AND v + exit < $5::int) at`);
      const all = `(SELECT *, false AS ended FROM (${open}) o UNION ALL SELECT *, true AS ended FROM (${ended}) e) lived`;
      const month = `${TODAY.slice(0, 7)}-01`;
      const last = Math.min(loans, first + PORTION - 1);
      const values = [first, last, month, organizationId, monthNumber(TODAY), unitsOn(TODAY)[0], TODAY];
      await tx.query(insert('loans', LOAN, all), values);
      step('loans');
    }
    for (const make of makes) await tx.query(make);
    step('indexes');
    for (const monthEnd of RESTATED) {
      const paidMore = {
        known_on: '$3::date',
        principal: 'principal - 10000',
        principal_received: 'principal_received + 10000',
      };
      const columns = { ...Object.fromEntries(Object.keys(POSITION).map((name) => [name, name])), ...paidMore };
      await tx.query(
        `${insert('positions', columns, 'positions')} WHERE organization_id = $1 AND date = $2 AND known_on = $2 AND status = 'Current'
           AND principal > 100000 AND opening_principal > 0 AND get_byte(loan_id, 5) = 1`,
        [organizationId, monthEnd, restatedOn(monthEnd)],
      );
    }
    await tx.query('INSERT INTO cycle_heads VALUES ($1, $2, $3)', [organizationId, '2022-07-01', addDays(TODAY, -1)]);
  });
  for (const table of ['loans', 'positions']) await db.query(`VACUUM (ANALYZE, FREEZE) ${table}`);
  step('statistics');
  for (const monthEnd of MONTH_ENDS) {
    await keep(monthEnd, monthEnd);
    step(`sums of ${monthEnd}`);
    if (!RESTATED.includes(monthEnd)) continue;
    await keep(monthEnd, restatedOn(monthEnd));
    step(`sums of ${monthEnd}, restated`);
  }
  await db.query('VACUUM (ANALYZE) position_sums');

  async function keep(on: PlainDate, knownOn: PlainDate): Promise<void> {
    await db.transaction(async (tx) => {
      await tx.query("SELECT set_config('work_mem', '512MB', true)");
      await addSums(tx, { organizationId, date: on, knownOn });
    });
  }
}
