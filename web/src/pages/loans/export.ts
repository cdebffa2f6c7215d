/** Everything that a list holds, as the text of a file: page after page, with progress, until it is left. */
import type { Page } from '../../parts/page-chain.ts';
import { csvFigure, csvLine, csvText } from './csv.ts';

export async function listAsCsv<Row>(options: {
  /** The text of a `number` column is written as a number. */
  columns: readonly { title: string; number?: boolean; text: (row: Row) => string }[];
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<Row>>;
  onProgress: (rows: number) => void;
  signal: AbortSignal;
}): Promise<string[]> {
  const { columns, load, onProgress, signal } = options;
  const lines = [csvLine(columns.map(({ title }) => csvText(title)))];
  for (let cursor: string | null = null; ; ) {
    const page: Page<Row> = await load(cursor, signal);
    signal.throwIfAborted();
    for (const row of page.items) {
      lines.push(csvLine(columns.map(({ number, text }) => (number ? csvFigure(text(row)) : csvText(text(row))))));
    }
    onProgress(lines.length - 1);
    if (page.nextCursor === null) return lines;
    cursor = page.nextCursor;
  }
}
