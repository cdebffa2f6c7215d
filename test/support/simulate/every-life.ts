/**
 * Properties of random loan histories. A small fixed set runs always, twice as many in `npm run test:slow`; `TEST_LONG=1` runs 10,000 for each property. `LIVES` and `SEED`
 * choose another number and another set; a failure prints its seed and the smallest history that fast-check found.
 */
import fc from 'fast-check';
import { it } from 'vitest';
import type { PlainDate } from '../../../src/core/calendar.ts';
import { WHOLE } from '../whole.ts';
import { anyPlan, dayOfLife, type LivedLife, live } from './lives.ts';

export const LIVES = Number(process.env.LIVES ?? (process.env.TEST_LONG ? 10_000 : WHOLE ? 50 : 16));
export const SEED = Number(process.env.SEED ?? 20_240_229);
export const TIMEOUT = 30_000 + LIVES * 100;

const anyLife = fc.record({ plan: anyPlan, at: fc.nat({ max: 1_000 }), pick: fc.nat({ max: 99 }) });

/** A property of each history, with a day of it and a number to choose with. */
export function everyLife(name: string, check: (life: LivedLife, day: PlainDate, pick: number) => void): void {
  it(name, { timeout: TIMEOUT }, () => {
    const property = fc.property(anyLife, ({ plan, at, pick }) => {
      const life = live(plan);
      check(life, dayOfLife(life, at), pick);
    });
    fc.assert(property, { numRuns: LIVES, seed: SEED });
  });
}
