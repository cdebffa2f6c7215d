import { expect, test } from 'vitest';
import { addMonths, date } from '../core/calendar.ts';
import { STATES } from '../core/states.ts';
import { isOfAge, LEGAL_AGES } from './legal-age.ts';

const TODAY = date('2026-01-15');
const aged = (years: number, state: string) => isOfAge({ born: addMonths(TODAY, -12 * years), state }, TODAY);

test.each([
  ['AL', 19],
  ['NE', 19],
  ['MS', 21],
  ['NY', 18],
  ['', 18],
])('in %s a person is of age on the birthday of %i', (state, years) => {
  expect(aged(years, state)).toBe(true);
  const theDayAfter = date('2026-01-16');
  expect(isOfAge({ born: addMonths(theDayAfter, -12 * years), state }, TODAY)).toBe(false);
});

test('every other state has the usual age, and each exception says where it is written and that nobody has checked it', () => {
  expect(STATES.filter((state) => !aged(18, state))).toEqual(['AL', 'MS', 'NE']);
  for (const { source, text, sooner, asOf, status } of LEGAL_AGES) {
    expect([source, text, sooner].every((one) => one.length > 10)).toBe(true);
    expect([asOf, status]).toEqual(['2026-11-19', 'unverified']);
  }
});
