/** Rows as text: CSV by RFC 4180, or a JSON object on each line. */
import { type Cents, formatCents } from '../../core/money.ts';
import type { Column } from './columns.ts';
import { type CsvCell, csvFigure, csvLine, csvText } from './csv.ts';

export const FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** An amount is in cents; null: the column has no value in this row. */
export type Cell = string | number | boolean | null;

/** The first line of CSV; NDJSON has none. */
export function headText(format: ExportFormat, columns: readonly Column[]): string {
  return format === 'csv' ? csvLine(columns.map(({ name }) => csvText(name))) : '';
}

/** The writer of a row; `cells` are in the order of the columns, without the last one, which is the cursor. */
export function rowWriter(
  format: ExportFormat,
  columns: readonly Column[],
): (cells: readonly Cell[], cursor: string) => string {
  const kinds = columns.map(({ kind }) => kind);
  if (format === 'csv') {
    return (cells, cursor) => {
      const row = cells.map((cell, i) => csvCell(cell, kinds[i] as Column['kind']));
      row.push(csvFigure(cursor));
      return csvLine(row);
    };
  }
  const names = columns.map(({ name }, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return (cells, cursor) => {
    let text = '';
    for (let i = 0; i < cells.length; i += 1) text += names[i] + jsonCell(cells[i] as Cell, kinds[i] as Column['kind']);
    return `${text}${names.at(-1)}${JSON.stringify(cursor)}}\n`;
  };
}

/** Amounts and other decimals are strings, so that no reader rounds them; counts are numbers. */
function jsonCell(cell: Cell, kind: Column['kind']): string {
  if (cell === null) return 'null';
  if (kind === 'amount') return `"${formatCents(cell as Cents)}"`;
  return JSON.stringify(cell);
}

function csvCell(cell: Cell, kind: Column['kind']): CsvCell {
  if (cell === null) return csvFigure(null);
  if (kind === 'amount') return csvFigure(formatCents(cell as Cents));
  return kind === 'text' ? csvText(String(cell)) : csvFigure(cell);
}
