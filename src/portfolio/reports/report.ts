/**
 * A report is a table: rows of cells under named columns, for everything together and for each slice. The columns of each report stand beside
 * its function with their descriptions; JSON, CSV and the OpenAPI document follow from them, so that no two of them differ.
 */
import type { PlainDate } from '../../core/calendar.ts';
import { type Ratio, ratio } from '../rates.ts';
import { DECIMALS, mergeSums, type Sums } from '../sums.ts';

/** Whole cents and counts, ratios to be shown as percent or as a number, texts; null: there is nothing to measure. */
export type Cell = bigint | Ratio | string | null;

/** The format of a cell. `months` is a number with two decimals, `rate` a percentage that is stored as one. */
export type ColumnKind = 'text' | 'date' | 'count' | 'money' | 'percent' | 'number';

export type Column = { readonly name: string; readonly kind: ColumnKind; readonly description: string };

export type Row = Readonly<Record<string, Cell>>;

/** `keys` say what a row is about (a month, a bucket); without any there is one row. */
export type Layout = { readonly keys: readonly Column[]; readonly columns: readonly Column[] };

export type Table = {
  readonly totals: readonly Row[];
  readonly slices: readonly { readonly slice: string; readonly rows: readonly Row[] }[];
};

/** Sums of a date in a slice; of static pools, of a vintage (`2026-01`) too. */
export type Dated = { readonly date: PlainDate; readonly slice: string; readonly vintage: string; readonly sums: Sums };

/** The same table of everything, and of each slice. The totals come from the merged sums, so the slices always add up to them. */
export function tableOf(
  all: readonly Dated[],
  sliced: boolean,
  rowsOf: (some: readonly Dated[]) => readonly Row[],
): Table {
  const totals = rowsOf(merged(all));
  if (!sliced) return { totals, slices: [] };
  const bySlice = Map.groupBy(all, ({ slice }) => slice);
  const slices = [...bySlice].map(([slice, some]) => ({ slice, rows: rowsOf(merged(some)) }));
  return { totals, slices: slices.filter(({ rows }) => rows.length > 0).sort((a, b) => (a.slice < b.slice ? -1 : 1)) };
}

/** Merges several slices or owners into one row for each date and vintage, in their order. */
function merged(all: readonly Dated[]): Dated[] {
  const groups = [...Map.groupBy(all, ({ date, vintage }) => `${date} ${vintage}`)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return groups.map(([, some]) => ({ ...(some[0] as Dated), sums: mergeSums(...some.map(({ sums }) => sums)) }));
}

/** A weighted average: the sum of value × weight over that of the weights. `decimal`: the values were percentages. */
export function average(weighted: bigint, weights: bigint, decimal = false): Ratio | null {
  return ratio(weighted, decimal ? weights * 10n ** BigInt(DECIMALS) : weights);
}

/** The average of a sum of percentage × weight, as a ratio: 7.25 % is 0.0725. */
export function averagePercent(weighted: bigint, weights: bigint): Ratio | null {
  return ratio(weighted, weights * 10n ** BigInt(DECIMALS + 2));
}

export const text = (name: string, description: string): Column => ({ name, kind: 'text', description });
export const day = (name: string, description: string): Column => ({ name, kind: 'date', description });
export const count = (name: string, description: string): Column => ({ name, kind: 'count', description });
export const money = (name: string, description: string): Column => ({ name, kind: 'money', description });
export const percent = (name: string, description: string): Column => ({ name, kind: 'percent', description });
export const number = (name: string, description: string): Column => ({ name, kind: 'number', description });
