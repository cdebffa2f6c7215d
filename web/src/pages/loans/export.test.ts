import { expect, it } from 'vitest';
import { listAsCsv } from './export.ts';

const rows = Array.from({ length: 5 }, (_, n) => `row ${n}`);
const load = async (cursor: string | null) => {
  const from = Number(cursor ?? 0);
  const to = from + 2;
  return { items: rows.slice(from, to), nextCursor: to < rows.length ? String(to) : null, total: 5, totalExact: true };
};
const columns = [
  { title: 'Row, all of it', text: (row: string) => row },
  { title: 'Formula', text: () => '=1' },
  { title: 'Lender', text: () => '-7' },
  { title: 'Balance', number: true, text: () => '-12.00' },
];

it('has every row of every page once, and says how far it is', async () => {
  const progress: number[] = [];
  const onProgress = (done: number) => progress.push(done);
  const lines = await listAsCsv({ columns, load, onProgress, signal: new AbortController().signal });
  expect(lines.join('')).toBe(
    ['"Row, all of it",Formula,Lender,Balance', ...rows.map((row) => `${row},'=1,'-7,-12.00`), ''].join('\r\n'),
  );
  expect(progress).toEqual([2, 4, 5]);
});

it('stops when it is cancelled', async () => {
  const ends = new AbortController();
  const work = listAsCsv({ columns, load, onProgress: () => ends.abort(), signal: ends.signal });
  await expect(work).rejects.toThrow(/abort/i);
});
