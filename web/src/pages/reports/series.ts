/** Rows of reports as sums and curves. Amounts are added as whole cents; only what a chart draws becomes a number. Pure. */
import { cents } from '../../format.ts';

type Amounts = Readonly<Record<string, unknown>>;

/** Cents of a member of a row; zero where there is none. */
export const at = (row: Amounts, name: string): bigint => cents(row[name] as string | null | undefined) ?? 0n;

export const total = (rows: readonly Amounts[], name: string): bigint =>
  rows.reduce((sum, row) => sum + at(row, name), 0n);

/** For a chart: its axis is too coarse for what a number cannot hold. */
export const drawn = (value: bigint | null): number | null => (value === null ? null : Number(value));

export const drawnPercent = (text: unknown): number | null =>
  typeof text === 'string' && text !== '' ? Number(text) : null;

/** A part of a whole in percent with four decimals, rounded half away from zero as the reports do; null of nothing. */
export function percentOf(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null;
  const scaled = part * 1_000_000n;
  const size = (a: bigint) => (a < 0n ? -a : a);
  const rounded = (size(scaled) * 2n + size(whole)) / (size(whole) * 2n);
  const sign = part < 0n !== whole < 0n && rounded !== 0n ? '-' : '';
  return `${sign}${rounded / 10_000n}.${(rounded % 10_000n).toString().padStart(4, '0')}`;
}

/** Cash due in a month: the expected cash where the report has it, otherwise the amounts due by contract. */
export function toReceive(rows: readonly Amounts[]): { name: 'expected' | 'scheduled'; label: string } {
  return rows.some((row) => 'expected' in row)
    ? { name: 'expected', label: 'Expected' }
    : { name: 'scheduled', label: 'Scheduled' };
}

/** The months in which it is known what was to come: those that are over. */
export const monthsOver = <R extends Amounts>(rows: readonly R[], wanted: string): R[] =>
  rows.filter((row) => row[wanted] !== null);

export type Loss = {
  month: string;
  chargedOff: bigint;
  forgiven: bigint;
  recoveries: bigint;
  net: bigint;
  grossSoFar: bigint;
  netSoFar: bigint;
};

/** Losses of each month and so far. */
export function lossesOf(rows: readonly Amounts[]): Loss[] {
  let grossSoFar = 0n;
  let netSoFar = 0n;
  return rows.map((row) => {
    const [chargedOff, forgiven, recoveries] = [at(row, 'chargedOff'), at(row, 'forgiven'), at(row, 'recoveries')];
    const net = chargedOff + forgiven - recoveries;
    grossSoFar += chargedOff + forgiven;
    netSoFar += net;
    return { month: String(row.month), chargedOff, forgiven, recoveries, net, grossSoFar, netSoFar };
  });
}

// ---- static pools ----

export type PoolRow = Amounts & { vintage: string; age: number };

/** A measure of a pool: a sum in percent of another. */
export const MEASURES = {
  netLoss: { label: 'Cumulative net loss', part: 'netLoss', whole: 'original', share: 'netLossShare' },
  grossLoss: { label: 'Cumulative gross loss', part: 'grossLoss', whole: 'original', share: 'grossLossShare' },
  prepaid: { label: 'Prepaid', part: 'prepaid', whole: 'original', share: 'prepaidShare' },
  poolFactor: { label: 'Pool factor', part: 'principal', whole: 'original', share: 'poolFactor' },
  pastDue60: { label: '60+ days past due', part: 'pastDue60Principal', whole: 'principal', share: 'pastDue60Share' },
} as const;
export type Measure = keyof typeof MEASURES;

export type Curve = { label: string; values: readonly (number | null)[] };
export type Curves = { ages: readonly number[]; curves: readonly Curve[] };

/** More curves than this cannot be told apart: then the months of a year are one. */
export const MOST_CURVES = 6;

export function curvesOf(rows: readonly PoolRow[], measure: Measure): Curves {
  const pools = grouped(rows, ({ vintage }) => vintage);
  const byYear = pools.size > MOST_CURVES;
  const groups = byYear ? grouped(rows, ({ vintage }) => vintage.slice(0, 4)) : pools;
  const newest = [...groups].slice(-MOST_CURVES);
  const curves = newest.map(([label, mine]) => ({ label, points: pointsOf(mine, measure) }));
  const last = Math.max(0, ...curves.map(({ points }) => points.length - 1));
  const ages = Array.from({ length: last + 1 }, (_, age) => age);
  return {
    ages,
    curves: curves.map(({ label, points }) => ({ label, values: ages.map((age) => points[age] ?? null) })),
  };
}

/** By age, as far as every pool of the group has reached. */
function pointsOf(rows: readonly PoolRow[], measure: Measure): (number | null)[] {
  const { part, whole } = MEASURES[measure];
  const pools = [...grouped(rows, ({ vintage }) => vintage).values()];
  const reached = Math.min(...pools.map((pool) => Math.max(...pool.map(({ age }) => age))));
  return Array.from({ length: reached + 1 }, (_, age) => {
    const those = rows.filter((row) => row.age === age);
    const share = percentOf(total(those, part), total(those, whole));
    return share === null ? null : Number(share);
  });
}

/** The latest row of each pool, newest vintage first. */
export function latestOf<R extends PoolRow>(rows: readonly R[]): R[] {
  return [...grouped(rows, ({ vintage }) => vintage).values()]
    .map((pool) => pool.reduce((a, b) => (b.age > a.age ? b : a)))
    .toSorted((a, b) => (a.vintage < b.vintage ? 1 : -1));
}

function grouped<R>(rows: readonly R[], by: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) groups.set(by(row), [...(groups.get(by(row)) ?? []), row]);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// ---- slices ----

type Sliced = { readonly slice: string };

/** In the order of the report. */
export const slicesIn = (slices: readonly Sliced[]): string[] => [...new Set(slices.map(({ slice }) => slice))];

/** The rows of a slice, or the totals. */
export function rowsOf<R>(
  report: { totals: readonly R[]; slices: readonly (R & Sliced)[] },
  slice: string | null,
): readonly R[] {
  return slice === null ? report.totals : report.slices.filter((row) => row.slice === slice);
}

export const sliceName = (slice: string): string => (slice === '' ? 'Unknown' : slice);
