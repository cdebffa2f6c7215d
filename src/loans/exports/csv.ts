/**
 * The writer of every CSV file that people open: RFC 4180, and no text in it that a spreadsheet would compute. The console has a copy for the
 * lists that it writes itself (`web/src/pages/loans/csv.ts`); `test/csv.test.ts` holds both to one table.
 */

/** A cell as the file has it, made by `csvText` or `csvFigure`. */
export type CsvCell = string & { readonly isCell: true };

/** A spreadsheet computes text that begins with one of these signs, also after white space; full-width ones too. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** Text that somebody wrote. After an apostrophe a spreadsheet shows a formula as text. */
export function csvText(text: string): CsvCell {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return (/[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe) as CsvCell;
}

/** An amount, a number, a date, or a word of the product; null: an empty cell. */
export function csvFigure(value: string | number | boolean | null): CsvCell {
  return String(value ?? '') as CsvCell;
}

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.join(',')}\r\n`;
}
