/** Reports that run over months: how many of them are shown. */
import { month } from '../../format.ts';
import { Choice } from '../../parts/choice.tsx';

export const SPANS = [
  { value: '12', label: '12 months' },
  { value: '24', label: '24 months' },
  { value: 'all', label: 'All' },
] as const;
export type Span = (typeof SPANS)[number]['value'];

export function SpanChoice({ value, onChange }: { value: Span; onChange: (span: Span) => void }) {
  return <Choice label="Months shown" options={SPANS} value={value} onChange={onChange} />;
}

/** The last ones. */
export const within = <R,>(rows: readonly R[], span: Span): readonly R[] =>
  span === 'all' ? rows : rows.slice(-Number(span));

export const firstOf = (month: string): string => `${month}-01`;

/** "last12Months" and "life" are no months. */
export const isMonth = ({ period }: { period: string }): boolean => /^\d/.test(period);

const PERIODS: Record<string, string> = {
  last3Months: 'Last 3 full months',
  last6Months: 'Last 6 full months',
  last12Months: 'Last 12 full months',
  life: 'Since the beginning',
};
export const periodName = (period: string): string => PERIODS[period] ?? period;

type Period = { period: string; months: number };

/** The months that a row is of, in words: all rows of a report end with the same one. */
export function monthsOf(rows: readonly Period[], { months }: Period): string {
  const those = rows.filter(isMonth).slice(-months);
  const [first, last] = [those[0]?.period, those.at(-1)?.period];
  return first === last ? month(first) : `${month(first)} – ${month(last)}`;
}
