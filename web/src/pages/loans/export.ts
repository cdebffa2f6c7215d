/** Everything that a list holds, as the text of a file: page after page, with progress, until it is left. */
import type { Page } from '../../parts/page-chain.ts';
import { csvLine } from './csv.ts';

export async function listAsCsv<Row>(options: {
  columns: readonly { title: string; text: (row: Row) => string }[];
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<Row>>;
  onProgress: (rows: number) => void;
  signal: AbortSignal;
}): Promise<string[]> {
  const { columns, load, onProgress, signal } = options;
  const lines = [csvLine(columns.map(({ title }) => title))];
  for (let cursor: string | null = null; ; ) {
    const page: Page<Row> = await load(cursor, signal);
    signal.throwIfAborted();
    for (const row of page.items) lines.push(csvLine(columns.map(({ text }) => text(row))));
    onProgress(lines.length - 1);
    if (page.nextCursor === null) return lines;
    cursor = page.nextCursor;
  }
}
