/** Exports as a client reads them: whole rows of what has arrived, and where to go on. */
import { parse } from 'csv-parse/sync';

export type Format = 'csv' | 'ndjson';

/** The text up to the end of the last whole row, and its cursor; null: not even one row has arrived. */
export function wholeRows(text: string, format: Format): { kept: string; cursor: string | null } {
  const end = format === 'csv' ? endOfCsv(text) : text.lastIndexOf('\n') + 1;
  const kept = text.slice(0, end);
  const rows = rowsOf(kept, format, false);
  return { kept, cursor: rows.at(-1)?.cursor ?? null };
}

/** Behind the last line end that is not within quotation marks. */
function endOfCsv(text: string): number {
  let [end, quoted] = [0, false];
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '"') quoted = !quoted;
    else if (!quoted && text[i] === '\r' && text[i + 1] === '\n') end = i + 2;
  }
  return end;
}

/** Strictly by RFC 4180: every row has every column. `header`: the first line must be there. */
export function rowsOf(text: string, format: Format, header = true): Record<string, string>[] {
  if (format === 'ndjson') {
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }
  if (header || text.startsWith('loanId,') || text.startsWith('id,')) {
    return parse(text, { columns: true, record_delimiter: '\r\n', relax_column_count: false });
  }
  const rows: string[][] = parse(text, { record_delimiter: '\r\n', relax_column_count: false });
  return rows.map((cells) => ({ cursor: cells.at(-1) ?? '' }));
}
