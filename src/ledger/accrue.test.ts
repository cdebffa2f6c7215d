import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyPlan, live } from '../../test/support/simulate/lives.ts';
import { bookFiguresAsOf, bookFiguresOf } from '../core/books.ts';
import { addDays } from '../core/calendar.ts';
import { fold } from '../core/fold.ts';
import { type Accruing, accruingOf, booksChangeOn, unitsOn } from './accrue.ts';

const LIVES = Number(process.env.LIVES ?? (process.env.TEST_LONG ? 1_000 : 50));

/** As the database computes it. */
function accrued({ perUnit, divisor, from, scale, halfEven }: Accruing, units: readonly number[]): number {
  const days = (units[scale - 1] as number) - from;
  if (days <= 0) return 0;
  const [twice, half] = [2n * BigInt(perUnit) * BigInt(days) + BigInt(divisor), 2n * BigInt(divisor)];
  const up = twice / half;
  return Number(halfEven && twice % half === 0n && up % 2n === 1n ? up - 1n : up);
}

it('the coefficients of a loan give what its fold has accrued, and its figures hold, until the day on which its books change', {
  timeout: 600_000,
}, () => {
  const property = fc.property(anyPlan, (plan) => {
    const { events, turns } = live(plan);
    const days = [...new Set(turns.map(({ when }) => when.today))].slice(0, 6);
    for (const day of days) {
      const known = events.filter(({ recordedOn }) => recordedOn <= day);
      if (known.length === 0) continue;
      const loan = fold(known, day);
      const coefficients = accruingOf(loan);
      const changes = booksChangeOn(loan);
      const figures = bookFiguresOf(loan);
      for (const wait of [0, 1, 2, 3, 17, 29, 31, 60, 92, 365, 400]) {
        const later = addDays(day, wait);
        if (changes !== null && later >= changes) break;
        const accruedInterest = coefficients === null ? 0 : accrued(coefficients, unitsOn(later));
        expect({ later, ...figures, accruedInterest }).toEqual({ later, ...bookFiguresAsOf(known, later) });
      }
    }
  });
  fc.assert(property, { numRuns: LIVES, seed: 12 });
});
