/** The memory that loans may take, by the size of the heap. */
import { getHeapStatistics } from 'node:v8';

/** A folded loan with three years of payments, in bytes. */
const FOLDED_LOAN = 33_000;

/** Folded loans take up to a fifth of the heap. */
export function memoryForLoans(): { loans: number; openedBytes: number } {
  return {
    loans: Math.max(500, Math.floor(getHeapStatistics().heap_size_limit / 5 / FOLDED_LOAN)),
    openedBytes: 64 * 1024 * 1024,
  };
}
