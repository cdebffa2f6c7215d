/** Data of a loan's charts: balance over time, and principal against interest; the past as it was, the future as scheduled. */
import type { Data } from 'daybook-sdk';
import { cents } from '../../../format.ts';
import type { Line } from '../../../parts/chart.tsx';

type Row = Pick<Data<'readHistory'>['rows'][number], 'date' | 'kind' | 'balance' | 'allocation'>;
type Installment = Pick<
  Data<'readSchedule'>['installments'][number],
  'dueDate' | 'principal' | 'interest' | 'satisfiedOn' | 'open'
>;
export type Series = { readonly x: string[]; readonly lines: Line[] };

const amount = (text: string): number => Number(cents(text) ?? 0n);

/**
 * The balance after each day on which it changed, up to `today`, and the balance as the contract schedules it: what is left after an
 * installment is the principal of all later ones. Both have a value on every day of the chart, so that a line has no gaps.
 */
export function balanceSeries(rows: readonly Row[], installments: readonly Installment[], today: string): Series {
  const actual = new Map<string, number>();
  for (const { date, balance } of rows) actual.set(date, amount(balance));
  const first = rows[0];
  if (first === undefined) return { x: [], lines: [] };
  const scheduled = new Map<string, number>();
  let left = installments.reduce((sum, { principal }) => sum + amount(principal), 0);
  scheduled.set(first.date, left);
  for (const { dueDate, principal } of installments) {
    left -= amount(principal);
    scheduled.set(dueDate, left);
  }
  const x = [...new Set([...actual.keys(), ...scheduled.keys(), today])].sort();
  const upTo = x.map((date) => (date <= today ? date : null));
  return {
    x,
    lines: [
      { label: 'Balance', color: '--chart-balance', kind: 'steps', values: carried(upTo, actual) },
      { label: 'As scheduled', color: '--chart-expected', dashed: true, kind: 'steps', values: carried(x, scheduled) },
    ],
  };
}

/** The last value up to each day; null before the first, and where there is no day. */
function carried(days: readonly (string | null)[], values: ReadonlyMap<string, number>): (number | null)[] {
  let last: number | null = null;
  return days.map((date) => {
    if (date === null) return null;
    last = values.get(date) ?? last;
    return last;
  });
}

/** By month: what payments paid of principal and interest, and what the open installments will pay. */
export function splitSeries(rows: readonly Row[], installments: readonly Installment[], today: string): Series {
  type Split = { principal: number; interest: number };
  const months = new Map<string, { paid: Split | null; coming: Split | null }>();
  const add = (date: string, which: 'paid' | 'coming', { principal, interest }: Split) => {
    const month = `${date.slice(0, 7)}-01`;
    const both = months.get(month) ?? { paid: null, coming: null };
    const before = both[which] ?? { principal: 0, interest: 0 };
    both[which] = { principal: before.principal + principal, interest: before.interest + interest };
    months.set(month, both);
  };
  for (const { date, kind, allocation } of rows) {
    if (kind !== 'payment') continue;
    add(date, 'paid', { principal: amount(allocation.principal), interest: amount(allocation.interest) });
  }
  for (const { dueDate, principal, interest, satisfiedOn } of installments) {
    if (dueDate <= today || satisfiedOn !== null) continue;
    add(dueDate, 'coming', { principal: amount(principal), interest: amount(interest) });
  }
  const x = [...months.keys()].sort();
  const line = (which: 'paid' | 'coming', part: keyof Split) =>
    x.map((month) => months.get(month)?.[which]?.[part] ?? null);
  return {
    x,
    lines: [
      { label: 'Principal paid', color: '--chart-principal', values: line('paid', 'principal') },
      { label: 'Interest paid', color: '--chart-interest', values: line('paid', 'interest') },
      { label: 'Future principal', color: '--chart-principal', dashed: true, values: line('coming', 'principal') },
      { label: 'Future interest', color: '--chart-interest', dashed: true, values: line('coming', 'interest') },
    ],
  };
}

/** State of an installment on a day. */
export type Standing = 'paid' | 'partly' | 'late' | 'due' | 'coming';

export function standingOf(
  {
    dueDate,
    satisfiedOn,
    pastDue,
    paid,
  }: { dueDate: string; satisfiedOn: string | null; pastDue: boolean; paid: string },
  today: string,
): Standing {
  if (satisfiedOn !== null) return 'paid';
  if (pastDue) return 'late';
  if (dueDate <= today) return 'due';
  return (cents(paid) ?? 0n) > 0n ? 'partly' : 'coming';
}
