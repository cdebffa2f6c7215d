/** Ratios of a run beside those of the baseline. */
import { median, type Ratios } from './measure.ts';

/** Less than this worse is not told from chance, however small the spread of a run. */
const WORSE = 0.15;

export type Judged = {
  name: string;
  /** Null: the baseline has none of this name. */
  baseline: number | null;
  /** Null: it was not measured. */
  now: number | null;
  /** Half of the distance between the best and the worst round, as a part of the median. */
  spread: number;
  verdict: 'ok' | 'better' | 'WORSE' | 'new' | 'not measured';
};

/** In the order of the baseline; then what it does not have. */
export function judge(baseline: Readonly<Record<string, number>>, measured: Ratios): Judged[] {
  const names = new Set([...Object.keys(baseline), ...Object.keys(measured)]);
  return [...names].map((name) => judgeOne(name, baseline[name] ?? null, measured[name] ?? []));
}

function judgeOne(name: string, baseline: number | null, ratios: readonly number[]): Judged {
  if (ratios.length === 0) return { name, baseline, now: null, spread: 0, verdict: 'not measured' };
  const now = median(ratios);
  const spread = (Math.max(...ratios) - Math.min(...ratios)) / 2 / now;
  if (baseline === null) return { name, baseline, now, spread, verdict: 'new' };
  const change = now / baseline - 1;
  const told = Math.abs(change) > Math.max(WORSE, spread);
  return { name, baseline, now, spread, verdict: told ? (change < 0 ? 'WORSE' : 'better') : 'ok' };
}

/** The medians by name, for the next baseline; what was not measured keeps its ratio. */
export function nextBaseline(judged: readonly Judged[]): Record<string, number> {
  return Object.fromEntries(
    judged.flatMap(({ name, baseline, now }) => {
      const ratio = now ?? baseline;
      return ratio === null ? [] : [[name, Number(ratio.toPrecision(3))]];
    }),
  );
}
