/**
 * Sums of positions: kept with the positions of a date, read for reports, and those of today from the rows of loans. Which sums there are is
 * said in `portfolio/sums.ts`; every column and expression here is made from that list.
 *
 * Sums are kept by lender, servicers and one dimension. Those of a restatement are kept under its own day as a difference, so that adding up
 * what was known by a day gives the report as it was known then.
 */
import type { PlainDate } from '../../core/calendar.ts';
import {
  DECIMALS,
  isDecimal,
  type Measure,
  type Measured,
  measuresOf,
  NOTHING,
  SUM_NAMES,
  SUMS,
  type SumName,
  type Sums,
  sumsOf,
} from '../../portfolio/sums.ts';
import type { Sql } from '../db/db.ts';
import { parameterList } from '../reads/list-names.ts';
import {
  columnOf,
  countsFor,
  type Day,
  inScope,
  KIND,
  kindOf,
  loanFacts,
  measureText,
  type PortfolioScope,
  positionFacts,
} from './facts.ts';

/** The columns of a position that sums are kept by, beside lender and servicers. */
const DIMENSIONS = {
  '': [],
  grade: ['grade'],
  state: ['state'],
  vintage: ['vintage'],
  status: ['status'],
  vintage_grade: ['vintage', 'grade'],
  vintage_state: ['vintage', 'state'],
} as const;
export type Dimension = keyof typeof DIMENSIONS;

const HOLDERS = ['lender_id', 'primary_servicer_id', 'secondary_servicer_id'];

/** The positions of an organization for a date, of which the last are those of a day. */
export type SumsKept = { readonly organizationId: string; readonly date: PlainDate; readonly knownOn: PlainDate };

/**
 * Keeps the sums of the positions that were written for a date with a `known_on`, less those of the rows that they replace. To be called once
 * all of them are written, in the transaction that says so; a second call does nothing.
 */
export async function addSums(tx: Sql, { organizationId, date, knownOn }: SumsKept): Promise<void> {
  await tx.query(`INSERT INTO position_sums (${SUM_COLUMNS}) ${madeSums()} ON CONFLICT DO NOTHING`, [
    organizationId,
    date,
    knownOn,
  ]);
}

export const SUM_COLUMNS = `organization_id, date, known_on, ${HOLDERS.join(', ')}, dimension, value, ${SUM_NAMES.map(columnOf).join(', ')}`;

/**
 * The sums of an organization ($1), a date ($2) and a `known_on` ($3), made from the positions. Positions are first added up by all that some
 * dimensions need, once for those with the grade and once for those with the state: there are far fewer of these than positions.
 */
export function madeSums(): string {
  return [
    sumsBy(['grade', 'vintage', 'status'], ['', 'grade', 'vintage', 'status', 'vintage_grade']),
    sumsBy(['state', 'vintage'], ['state', 'vintage_state']),
  ].join(' UNION ALL ');
}

function sumsBy(divided: readonly string[], dimensions: readonly Dimension[]): string {
  const some = dimensions.map((name) => [name, DIMENSIONS[name]] as const);
  const sets = some.map(([, columns]) => `(${[...HOLDERS, ...columns].join(', ')})`);
  const isSet = (columns: readonly string[]) =>
    divided.map((column) => `grouping(${column}) = ${columns.includes(column) ? 0 : 1}`).join(' AND ');
  const dimension = some.map(([name, columns]) => `WHEN ${isSet(columns)} THEN '${name}'`);
  const value = some.map(
    ([, columns]) => `WHEN ${isSet(columns)} THEN ${columns.length === 0 ? "''" : columns.join(" || ' ' || ")}`,
  );
  const sums = SUM_NAMES.map((name) => {
    const counts = countsFor(name);
    return `coalesce(sum(${columnOf(SUMS[name].measure)}_)${counts === null ? '' : ` FILTER (WHERE ${counts})`}, 0)`;
  });
  const texts = divided.map((column) => (column === 'vintage' ? `${VINTAGE} AS vintage` : column));
  return `SELECT $1::text, $2::date, $3::date, ${HOLDERS.join(', ')}, CASE ${dimension.join(' ')} END, CASE ${value.join(' ')} END, ${sums.join(', ')}
     FROM (
       SELECT ${[...HOLDERS, ...texts].join(', ')}, kind, ${measuresOf(SUM_NAMES)
         .map((one) => `${columnOf(one)}_`)
         .join(', ')}
       FROM (${addedUp([...HOLDERS, ...divided])}) added
     ) facts
     GROUP BY GROUPING SETS (${sets.join(', ')})`;
}

/** Positions with one `known_on`, less those that they replace, added up by some columns and kind. */
function addedUp(columns: readonly string[]): string {
  const rowsOf = (sign: 1 | -1, from: string) =>
    `SELECT ${sign} AS sign, facts.* FROM (${positionFacts(`(${from}) rows`, '$2')}) facts`;
  const written = 'SELECT * FROM positions WHERE organization_id = $1 AND date = $2 AND known_on = $3';
  // Rows that were known on their own date have none before them.
  const replaced = `SELECT o.* FROM (${written} AND $3::date > $2::date) n CROSS JOIN LATERAL (
      SELECT * FROM positions o WHERE o.volume = n.volume AND o.loan_id = n.loan_id AND o.date = n.date
        AND o.organization_id = n.organization_id AND o.known_on < n.known_on ORDER BY o.known_on DESC LIMIT 1
    ) o WHERE NOT o.withdrawn`;
  // Whole sums as such: decimals take longer to add up again.
  const sumOf = (one: Measure) =>
    `sum(sign * ${measureText(one)})${isDecimal(one) ? '' : '::bigint'} AS ${columnOf(one)}_`;
  return `SELECT ${columns.join(', ')}, ${KIND} AS kind, ${measuresOf(SUM_NAMES).map(sumOf).join(', ')}
    FROM (${rowsOf(1, `${written} AND NOT withdrawn`)} UNION ALL ${rowsOf(-1, replaced)}) facts
    GROUP BY ${[...columns, 'kind'].join(', ')}`;
}

// ---- reading ----

/** The division of a report. */
export type Slice = 'none' | 'lender' | 'servicer' | 'grade' | 'state' | 'vintage' | 'status';

/** Up to when what is known counts: a day, or of each date what was known at its own end. */
export type KnownBy = PlainDate | 'asReported';

export type SumsRow = {
  readonly date: PlainDate;
  readonly slice: string;
  readonly vintage: string;
  readonly sums: Sums;
};

export type SumsQuery = {
  readonly scope: PortfolioScope;
  /** Some dates, or every month end from the first to a date. */
  readonly dates: readonly PlainDate[] | { readonly monthEndsThrough: PlainDate };
  readonly knownBy: KnownBy;
  readonly by: Slice;
  /** By vintage too: of static pools. */
  readonly byVintage: boolean;
  /** Only these are read; all others are 0. */
  readonly names: readonly SumName[];
};

/** By date and slice. Slices of which nothing is left are there too, with zeros. */
export async function readSums(db: Sql, asked: SumsQuery): Promise<SumsRow[]> {
  const { scope, dates, knownBy, by, byVintage, names } = asked;
  const { values, put } = parameterList();
  const { dimension, slice, vintage } = keptBy(by, byVintage);
  const where = [
    inScope(scope, put),
    `dimension = ${put(dimension)}`,
    'monthEndsThrough' in dates
      ? `date <= ${put(dates.monthEndsThrough)} AND date = (date_trunc('month', date) + interval '1 month - 1 day')::date`
      : `date = ANY (${put(dates)}::date[])`,
    knownBy === 'asReported' ? 'known_on = date' : `known_on <= ${put(knownBy)}`,
  ];
  const sums = names.map((name) => {
    const column = columnOf(name);
    return isDecimal(SUMS[name].measure)
      ? `trunc(sum(${column}) * ${10 ** DECIMALS})::text AS ${column}`
      : `sum(${column})::text AS ${column}`;
  });
  const rows = await db.query<{ date: PlainDate; slice: string; vintage: string } & Record<string, string>>(
    `SELECT date, ${slice} AS slice, ${vintage} AS vintage, ${sums.join(', ')} FROM position_sums
     WHERE ${where.join(' AND ')} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    values,
  );
  return rows.map((row) => ({ date: row.date, slice: row.slice, vintage: row.vintage, sums: sumsIn(row, names) }));
}

function sumsIn(row: Readonly<Record<string, string>>, names: readonly SumName[]): Sums {
  const read = names.map((name) => [name, BigInt(row[columnOf(name)] ?? 0)]);
  return { ...NOTHING, ...Object.fromEntries(read) };
}

/** Under which dimension the sums for a slice are kept, and where the slice and its vintage are in the row. */
function keptBy(by: Slice, byVintage: boolean): { dimension: Dimension; slice: string; vintage: string } {
  const month = 'left(value, 7)';
  switch (by) {
    case 'lender':
    case 'servicer': {
      const slice = by === 'lender' ? 'lender_id' : 'primary_servicer_id';
      return byVintage ? { dimension: 'vintage', slice, vintage: 'value' } : { dimension: '', slice, vintage: "''" };
    }
    case 'grade':
    case 'state':
      return byVintage
        ? { dimension: `vintage_${by}`, slice: 'substr(value, 9)', vintage: month }
        : { dimension: by, slice: 'value', vintage: "''" };
    case 'vintage':
      return { dimension: 'vintage', slice: 'value', vintage: byVintage ? 'value' : "''" };
    case 'status':
      if (byVintage) throw new Error('A static pool is not divided by status.');
      return { dimension: 'status', slice: 'value', vintage: "''" };
    case 'none':
      return byVintage
        ? { dimension: 'vintage', slice: "''", vintage: 'value' }
        : { dimension: '', slice: "''", vintage: "''" };
  }
}

/** The expression by which a row of positions or of today's loans is in a slice. */
export function sliceText(by: Slice): string {
  const columns = { none: "''", lender: 'lender_id', servicer: 'primary_servicer_id', vintage: VINTAGE } as const;
  return by in columns ? columns[by as keyof typeof columns] : by;
}

const VINTAGE = "coalesce(to_char(vintage, 'YYYY-MM'), '')";

/** For a scan of all loans: two processors for a second, and memory for the hash tables of a join. */
export async function forScan(tx: Sql): Promise<void> {
  await tx.query(
    "SELECT set_config('max_parallel_workers_per_gather', '2', true), set_config('work_mem', '128MB', true), set_config('jit', 'off', true)",
  );
}

/** The sums of today, from the loans as they stand: one scan. Only the measures that `names` need are added up. */
export async function readSumsToday(
  tx: Sql,
  asked: Omit<SumsQuery, 'dates' | 'knownBy'> & { readonly day: Day },
): Promise<Omit<SumsRow, 'date'>[]> {
  const { scope, day, by, byVintage, names } = asked;
  const { values, put } = parameterList();
  const measures = measuresOf(names);
  const columns = [...TODAY_BY[by], ...(byVintage && by !== 'vintage' ? ['vintage'] : [])];
  const facts = loanFacts(scope, day, { columns, measures }, put);
  const sliced = TODAY_BY[by].filter((column) => column !== 'vintage')[0] ?? 'NULL';
  // Months are written as text once a group, not once a loan.
  const month = columns.includes('vintage') ? VINTAGE : "''";
  const rows = await tx.query<{ slice: string | null; month: string; kind: number } & Record<string, unknown>>(
    `SELECT ${sliced} AS slice, ${month} AS month, kind, ${measures.map((one) => `m_${columnOf(one)}::text AS m_${columnOf(one)}`).join(', ')}
     FROM (
       SELECT ${[...columns, 'kind', ...measures.map((one) => `${sumText(one)} AS m_${columnOf(one)}`)].join(', ')}
       FROM (${facts}) facts GROUP BY ${[...columns, 'kind'].join(', ')}
     ) grouped`,
    values,
  );
  const read = rows.map((row) => {
    const kind = kindOf(row.kind);
    const slice = by === 'vintage' ? row.month : by === 'status' ? kind.status : (row.slice ?? '');
    return { slice, vintage: byVintage ? row.month : '', measured: { kind, measures: measuresIn(row, measures) } };
  });
  const groups = Map.groupBy(read, ({ slice, vintage }) => `${vintage}\n${slice}`);
  return [...groups.values()].map((all) => {
    const { slice, vintage } = all[0] as (typeof all)[number];
    return { slice, vintage, sums: sumsOf(all.map(({ measured }) => measured)) };
  });
}

/** Columns to group by, of which the planner knows how many values there are. The status is in the kind. */
const TODAY_BY: Readonly<Record<Slice, readonly string[]>> = {
  none: [],
  lender: ['lender_id'],
  servicer: ['primary_servicer_id'],
  grade: ['grade'],
  state: ['state'],
  vintage: ['vintage'],
  status: [],
};

function sumText(measure: Measure): string {
  const sum = `sum(${measureText(measure)})`;
  return isDecimal(measure) ? `trunc(${sum} * ${10 ** DECIMALS})` : sum;
}

function measuresIn(row: Record<string, unknown>, measures: readonly Measure[]): Measured['measures'] {
  return Object.fromEntries(measures.map((one) => [one, BigInt(row[`m_${columnOf(one)}`] as string)]));
}
