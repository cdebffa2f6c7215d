/** Reports that run over months: how many of them are shown. */
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
  last3Months: 'Last 3 months',
  last6Months: 'Last 6 months',
  last12Months: 'Last 12 months',
  life: 'Since the beginning',
};
export const periodName = (period: string): string => PERIODS[period] ?? period;
