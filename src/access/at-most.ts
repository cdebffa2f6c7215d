/**
 * Bounds of a cache: a number of entries, counted as size. With `max` the cache would allocate room for all of them at once, which takes
 * milliseconds at 20,000, and every change of access makes new ones.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
