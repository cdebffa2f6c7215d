/** Seeds that have failed once, with the span in which they did. They are run every time. */
import type { Run } from './simulation.ts';

export const FAILED_SEEDS: readonly Run[] = [{ seed: 53, span: { steps: 12, loans: 3 } }];
