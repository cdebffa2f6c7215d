import { expect, test } from 'vitest';
import { contractOf, live, money } from '../../../test/support/life.ts';
import { FILE } from '../../../test/support/loans.ts';
import { percent } from '../../core/rate.ts';
import { isRefusal } from '../../core/refusal.ts';
import { forecastOf } from './forecast.ts';

const CONTRACT = contractOf({ amount: money('24000'), rate: percent('9'), count: 48 });

/** The recovery by the forecast of the first day, 1 January 2026. */
function recovered(year: string, age: string): number {
  const vehicle = { year, age, mileage: '30000' };
  const file = { ...FILE, vehicle, defaultProbability: '0.2', ltv: '0.95' };
  const found = forecastOf({ loan: live(CONTRACT).fund().loan('2026-01-01'), file });
  if (isRefusal(found)) throw new Error(found.detail);
  return found.forecast.totals.recovered;
}

test('a vehicle’s age is that of its model year; the given one counts where there is no year', () => {
  expect(recovered('2024', '')).toBe(recovered('', '2'));
  expect(recovered('2024', '9')).toBe(recovered('', '2'));
  expect(recovered('2027', '')).toBe(recovered('', '0'));
  expect(recovered('', '')).toBe(recovered('', '8'));
  expect(recovered('2018', '')).toBeLessThan(recovered('2024', ''));
});
