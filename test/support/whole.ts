import { test } from 'vitest';

/**
 * Whether products are tried in full, and samples in their full size: in `npm run test:slow`, which runs every file that imports this, and in
 * `npm run test:long`. In `npm test` each of them tries a part.
 */
export const WHOLE = process.env.TEST_SLOW !== undefined || process.env.TEST_LONG !== undefined;

const none = Object.assign(() => {}, {
  each: () => () => {},
  skipIf: () => () => {},
}) as unknown as typeof test;

/** A test that `npm test` leaves out. */
export const slowTest = WHOLE ? test : none;

/** `npm test` has tried the rest: of it, only what it left out is tried. */
export const REST = process.env.TEST_SLOW !== undefined && process.env.TEST_LONG === undefined;

/** In a file with slow tests, one that `npm test` runs as it is: `npm run test:slow` leaves it out. */
export const usualTest = REST ? none : test;
