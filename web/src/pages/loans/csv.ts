/**
 * The writer of a list as CSV, the same as that of the service (`src/loans/exports/csv.ts`): RFC 4180, and no text in it that a spreadsheet
 * would compute. `test/csv.test.ts` holds both to one table.
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

/** An amount or a number, without separators. */
export function csvFigure(value: string): CsvCell {
  return value as CsvCell;
}

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.join(',')}\r\n`;
}

/** "Daybook loans 2026-11-17.csv", with the name of the view where it has one. */
export function csvName(view: string | undefined, today: string): string {
  const name = (view ?? '').replaceAll(/[^\p{L}\p{N} _-]/gu, '').trim();
  return `Daybook loans${name === '' ? '' : ` ${name}`} ${today}.csv`;
}
