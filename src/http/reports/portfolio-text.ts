/** A report as JSON and as CSV, and its schema: all three from the columns of its layout. */
import { type TProperties, Type } from 'typebox';
import { amountText, countText } from '../../core/decimal.ts';
import { cents } from '../../core/money.ts';
import { type CsvCell, csvFigure, csvLine, csvText } from '../../loans/exports/csv.ts';
import {
  type Cell,
  type Column,
  decimalText,
  LAYOUTS,
  type Layout,
  percentText,
  type Report,
  type ReportName,
  type Row,
  SLICES,
} from '../../loans/reports/reports.ts';
import { named, shape } from '../shared/named.ts';
import { decimalOut, grouped } from '../shared/numbers.ts';
import { date, maybe } from '../shared/shapes.ts';
import { referenceOrNone } from '../shared/texts.ts';

/** A cell as text; null: nothing to measure. Averages have two decimals at most, percentages four. */
function textOf({ kind }: Column, cell: Cell, plain: boolean): string | null {
  if (cell === null || typeof cell === 'string') return cell;
  if (typeof cell === 'bigint') {
    return kind === 'count' ? countText(Number(cell), plain) : amountText(cents(Number(cell)), plain);
  }
  return kind === 'percent' ? percentText(cell) : decimalText(cell, 2);
}

/** Counts are numbers in JSON, everything else is text. */
function shownCell(column: Column, cell: Cell, plain: boolean): string | number | null {
  return column.kind === 'count' && typeof cell === 'bigint' ? Number(cell) : textOf(column, cell, plain);
}

function shownRow({ keys, columns }: Layout, row: Row, plain: boolean): Record<string, string | number | null> {
  return Object.fromEntries(
    [...keys, ...columns].map((column) => [column.name, shownCell(column, row[column.name] ?? null, plain)]),
  );
}

/** The data of an answer. Without keys the totals are one row, and so is each slice. */
export function reportText(name: ReportName, { asOf, from, knownAt, by, table }: Report, plain: boolean): object {
  const layout: Layout = LAYOUTS[name];
  const shown = (rows: readonly Row[]) => rows.map((row) => shownRow(layout, row, plain));
  const dates = from === null ? { asOf } : { from, to: asOf };
  const one = layout.keys.length === 0;
  const slices = table.slices.flatMap(({ slice, rows }) => shown(rows).map((row) => ({ slice, ...row })));
  return { ...dates, knownAt, by, totals: one ? shown(table.totals)[0] : shown(table.totals), slices };
}

/** Every row with the slice it belongs to; of the totals `level` is `total`. Amounts are plain. */
export function csvOf(name: ReportName, { asOf, from, knownAt, table }: Report): string {
  const layout: Layout = LAYOUTS[name];
  const columns = [...layout.keys, ...layout.columns];
  const head = [...(from === null ? ['asOf'] : ['fromDate', 'toDate']), 'knownAt', 'level', 'slice'];
  const dates = [...(from === null ? [asOf] : [from, asOf]), knownAt].map(csvFigure);
  const cell = (column: Column, row: Row): CsvCell => {
    const text = textOf(column, row[column.name] ?? null, true);
    return column.kind === 'text' ? csvText(text ?? '') : csvFigure(text);
  };
  const line = (level: string, slice: string, row: Row) =>
    csvLine([...dates, csvFigure(level), csvText(slice), ...columns.map((column) => cell(column, row))]);
  return [
    csvLine([...head, ...columns.map(({ name: column }) => column)].map(csvText)),
    ...table.totals.map((row) => line('total', '', row)),
    ...table.slices.flatMap(({ slice, rows }) => rows.map((row) => line('slice', slice, row))),
  ].join('');
}

// ---- schema ----

const SCHEMAS: Readonly<
  Record<Column['kind'], () => ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>
> = {
  text: () => Type.String({ pattern: '^[A-Za-z0-9+-]{0,40}$' }),
  date: () => Type.String({ format: 'date' }),
  count: () => Type.Integer(),
  money: () => grouped('signed', 'An amount.'),
  percent: () => decimalOut('A percentage.'),
  number: () => decimalOut('A number.'),
};

/** Cells that may be null say so in their description, percentages that they are. */
function memberOf({ kind, description: told }: Column) {
  const description = kind === 'percent' ? `${told} A percentage, as text.` : told;
  const schema = SCHEMAS[kind]();
  const mayBeNull = kind === 'percent' || kind === 'number' || description.includes('null');
  if (!mayBeNull) return Type.Unsafe<string | number>({ ...schema, description });
  const why = description.includes('null') ? description : `${description} Null if there is nothing to measure.`;
  return maybe(schema, why);
}

const NAMES: Readonly<Record<ReportName, string>> = {
  summary: 'PortfolioSummary',
  delinquency: 'PortfolioDelinquency',
  'roll-rates': 'PortfolioRollRates',
  vintages: 'PortfolioVintages',
  cashflows: 'PortfolioCashflows',
  yield: 'PortfolioYield',
  prepayment: 'PortfolioPrepayment',
};

export function reportShape(name: ReportName, { keys, columns }: Layout) {
  const members: TProperties = Object.fromEntries(
    [...keys, ...columns].map((column) => [column.name, memberOf(column)]),
  );
  const slice = referenceOrNone(
    'The lender, servicer, grade, state, vintage (`2026-10`) or status; empty: unknown or none.',
  );
  const row = shape(`${NAMES[name]}Row`, 'A row of the report.', members);
  const sliceRow = shape(`${NAMES[name]}Slice`, 'A row of the report for one slice.', { slice, ...members });
  const dates: TProperties =
    name === 'roll-rates'
      ? { from: date('The first date.'), to: date('The second date.') }
      : { asOf: date('The date of the report.') };
  return shape(NAMES[name], 'The report; the slices add up to the totals.', {
    ...dates,
    knownAt: named(
      'ReportKnown',
      maybe(
        Type.String({ pattern: '^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|asReported)$' }),
        'The last day whose records count, or `asReported`; null: everything known when the report was made.',
      ),
    ),
    by: maybe(Type.Enum([...SLICES]), 'The dimension of the slices; null: the report is not divided.'),
    totals: keys.length === 0 ? row : Type.Array(row, { description: 'All loans together.' }),
    slices: Type.Array(sliceRow, { description: 'Each slice; empty if the report is not divided.' }),
  });
}
