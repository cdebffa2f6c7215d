/** Rows as text: CSV by RFC 4180, or a JSON object on each line. */
import { type Cents, formatCents } from '../../core/money.ts';
import type { Column } from './columns.ts';

export const FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** An amount is in cents; null: the column has no value in this row. */
export type Cell = string | number | boolean | null;

/** The first line of CSV; NDJSON has none. */
export function headText(format: ExportFormat, columns: readonly Column[]): string {
  return format === 'csv' ? `${columns.map(({ name }) => name).join(',')}\r\n` : '';
}

/** How a row is written; `cells` are in the order of the columns, without the last one, which is the cursor. */
export function rowWriter(
  format: ExportFormat,
  columns: readonly Column[],
): (cells: readonly Cell[], cursor: string) => string {
  const kinds = columns.map(({ kind }) => kind);
  if (format === 'csv') {
    return (cells, cursor) => {
      let text = '';
      for (let i = 0; i < cells.length; i += 1) text += `${csvCell(cells[i] as Cell, kinds[i] as Column['kind'])},`;
      return `${text}${cursor}\r\n`;
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

function csvCell(cell: Cell, kind: Column['kind']): string {
  if (cell === null) return '';
  if (kind === 'amount') return formatCents(cell as Cents);
  const text = String(cell);
  return kind === 'text' ? quoted(unformulated(text)) : text;
}

/** A spreadsheet computes what begins with one of these, also after white space; after an apostrophe it shows it as text. */
function unformulated(text: string): string {
  return /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
