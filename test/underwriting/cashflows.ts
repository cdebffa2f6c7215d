/** A reader of `CashflowsCsv`: the blocks of its deals, and sums of columns in whole cents or millionths. */
export type Block = { readonly rows: readonly Readonly<Record<string, string>>[] };

export function readCashflows(csv: string): { columns: string[]; blocks: Block[] } {
  const lines = csv.split('\n');
  if (lines.pop() !== '') throw new Error('The last line has no end.');
  const columns = (lines.shift() ?? '').split(',');
  const blocks: { rows: Record<string, string>[] }[] = [];
  for (const line of lines) {
    const cells = line.split(',');
    if (cells.length !== columns.length) throw new Error(`A row has ${cells.length} cells.`);
    const row = Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? '']));
    const deal = Number(row.row_no);
    blocks[deal] ??= { rows: [] };
    blocks[deal].rows.push(row);
  }
  return { columns, blocks };
}

/** Decimal text without its point: 12.34 is 1234, 0.001234 is 1234. */
export function digits(text: string | undefined): number {
  if (text === undefined || !/^-?\d+\.\d+$/.test(text)) throw new Error(`Not a decimal: ${text}`);
  return Number(text.replace('.', ''));
}

export function columnSum({ rows }: Block, name: string): number {
  return rows.reduce((sum, row) => sum + digits(row[name]), 0);
}
