import { expect, it } from 'vitest';
import { dayAfter } from './days.ts';

it('counts days over months, years and leap days', () => {
  expect([dayAfter('2026-12-31', 1), dayAfter('2028-02-28', 1), dayAfter('2026-11-17', 31)]).toEqual([
    '2027-01-01',
    '2028-02-29',
    '2026-12-18',
  ]);
});
