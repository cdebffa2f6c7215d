/**
 * A property of every applicant. A small fixed set runs always, three times as many with `npm run test:slow`; `TEST_LONG=1` runs 2,000 for
 * each property. `APPLICANTS` and `SEED` choose another number and another set; a failure prints its seed and the smallest applicant that
 * fast-check found.
 */
import fc from 'fast-check';
import { test } from 'vitest';
import { WHOLE } from '../whole.ts';
import { anyFigures, type Figures } from './applicants.ts';

export const APPLICANTS = Number(process.env.APPLICANTS ?? (process.env.TEST_LONG ? 2_000 : WHOLE ? 24 : 8));
export const SEED = Number(process.env.SEED ?? 20_260_115);
export const TIMEOUT = 60_000 + APPLICANTS * 200;

export function everyApplicant(name: string, check: (figures: Figures) => void): void {
  test(name, { timeout: TIMEOUT }, () => {
    fc.assert(fc.property(anyFigures, check), { numRuns: APPLICANTS, seed: SEED });
  });
}
