import { expect, it } from 'vitest';
import { monthsOf } from './months.tsx';

it('says which months a row is of', () => {
  const rows = ['2025-12', '2026-01', '2026-02'].map((period) => ({ period, months: 1 }));
  const all = [...rows, { period: 'last12Months', months: 2 }, { period: 'life', months: 3 }];
  expect(all.slice(2).map((row) => monthsOf(all, row))).toEqual([
    'Feb 2026',
    'Jan 2026 – Feb 2026',
    'Dec 2025 – Feb 2026',
  ]);
});
