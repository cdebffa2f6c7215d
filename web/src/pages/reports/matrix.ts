/** The roll matrix: where loans were, by where they are. Pure. */
import { cents } from '../../format.ts';

export const FROM = ['current', '1-29', '30-59', '60-89', '90-119', '120+', 'chargedOff', 'new'] as const;
export const TO = [
  'current',
  '1-29',
  '30-59',
  '60-89',
  '90-119',
  '120+',
  'chargedOff',
  'paidOff',
  'transferred',
] as const;

export type Rolled = {
  from: string;
  to: string;
  count: number;
  principalFrom: string;
  principalTo: string;
  countRate: string | null;
  principalRate: string | null;
};

/** Meaning of a move: the loan stays, improves or worsens, is lost, or enters or leaves the book. */
export type Move = 'stays' | 'better' | 'worse' | 'lost' | 'enters' | 'leaves';
export type Cell = { from: string; to: string; move: Move; row: Rolled | null };
export type MatrixRow = { from: string; cells: readonly Cell[]; count: number; principal: bigint };
export type Matrix = { to: readonly string[]; rows: readonly MatrixRow[] };

/** Buckets always; the other places only where a loan is. */
export function matrixOf(rolled: readonly Rolled[]): Matrix {
  const at = new Map(rolled.map((row) => [`${row.from}>${row.to}`, row]));
  const used = (name: string, side: 'from' | 'to') => isBucket(name) || rolled.some((row) => row[side] === name);
  const to = TO.filter((name) => used(name, 'to'));
  const rows = FROM.filter((name) => used(name, 'from')).map((from) => {
    const cells = to.map((one) => ({ from, to: one, move: moveOf(from, one), row: at.get(`${from}>${one}`) ?? null }));
    const mine = rolled.filter((row) => row.from === from);
    return {
      from,
      cells,
      count: mine.reduce((sum, { count }) => sum + count, 0),
      principal: mine.reduce(
        (sum, row) => sum + (cents(from === 'new' ? row.principalTo : row.principalFrom) ?? 0n),
        0n,
      ),
    };
  });
  return { to, rows };
}

const isBucket = (name: string) => name === 'current' || /^\d/.test(name);

export function moveOf(from: string, to: string): Move {
  if (from === 'new') return 'enters';
  if (to === 'transferred') return 'leaves';
  if (from === to) return 'stays';
  if (to === 'paidOff') return 'better';
  if (to === 'chargedOff') return 'lost';
  if (from === 'chargedOff') return 'better';
  const place = (name: string) => FROM.indexOf(name as (typeof FROM)[number]);
  return place(to) < place(from) ? 'better' : 'worse';
}

/** Tint of a cell, 0 to 40 percent, so that the text on it stays readable. */
export function tint(rate: string | null): number {
  const value = Number(rate ?? 0);
  return value <= 0 ? 0 : Math.round(6 + Math.min(value, 100) * 0.3);
}

export function placeName(name: string): string {
  const names: Record<string, string> = {
    current: 'Current',
    chargedOff: 'Charged off',
    paidOff: 'Paid off',
    transferred: 'Transferred',
    new: 'New',
  };
  return names[name] ?? name.replace('-', '–');
}
