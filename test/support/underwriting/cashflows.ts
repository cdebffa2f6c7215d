/** A reader of `CashflowsCsv`: the blocks of its deals by column, as text and in whole cents or millionths. */
import { type Assessment, dealCashflows } from '../../../src/underwriting/underwrite.ts';

export type Block = {
  readonly rows: number;
  readonly column: (name: string) => readonly string[];
  /** Decimals without their point. */
  readonly figures: (name: string) => readonly number[];
};

/** The flows of all deals under one header, as a lender may hand them over. */
export function everyDeal(found: Assessment): string {
  const texts = found.assessed.map((_, i) => dealCashflows(found, i));
  return texts.map((csv, i) => (i === 0 ? csv : csv.slice(csv.indexOf('\n') + 1))).join('');
}

export function readCashflows(csv: string): { columns: string[]; blocks: Block[] } {
  const lines = csv.split('\n');
  if (lines.pop() !== '') throw new Error('The last line has no end.');
  const columns = (lines.shift() ?? '').split(',');
  const deals: string[][] = [];
  for (const line of lines) {
    const deal = Number(line.slice(line.lastIndexOf(',') + 1));
    deals[deal] ??= [];
    deals[deal].push(line);
  }
  return { columns, blocks: deals.map((rows) => blockOf(rows, columns)) };
}

function blockOf(lines: readonly string[], columns: readonly string[]): Block {
  const figures = columns.map((): number[] => []);
  for (const line of lines) readFigures(line, figures);
  const at = (name: string) => {
    const found = columns.indexOf(name);
    if (found < 0) throw new Error(`There is no column ${name}.`);
    return found;
  };
  return {
    rows: lines.length,
    column: (name) => lines.map((line) => line.split(',')[at(name)] as string),
    figures: (name) => figures[at(name)] as number[],
  };
}

/** One pass over the characters, which for ten thousand rows is much faster than `split` and `Number`. */
function readFigures(line: string, figures: readonly number[][]): void {
  let [column, value, sign] = [0, 0, 1];
  for (let i = 0; i <= line.length; i++) {
    const code = i === line.length ? 44 : line.charCodeAt(i);
    if (code >= 48 && code <= 57) value = value * 10 + code - 48;
    else if (code === 45) sign = -1;
    else if (code === 44) {
      if (figures[column] === undefined) throw new Error('A row has more cells than the header.');
      figures[column]?.push(sign * value);
      [column, value, sign] = [column + 1, 0, 1];
    }
  }
  if (column !== figures.length) throw new Error(`A row has ${column} cells.`);
}

/** Decimal text without its point: 12.34 is 1234, 0.001234 is 1234. */
export function digits(text: string | undefined): number {
  if (text === undefined || !/^-?\d+\.\d+$/.test(text)) throw new Error(`Not a decimal: ${text}`);
  return Number(text.replace('.', ''));
}

export function columnSum(block: Block, name: string): number {
  return block.figures(name).reduce((sum, figure) => sum + figure, 0);
}
