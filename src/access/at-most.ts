/**
 * Bounds a cache by the number of entries, counted as size. With `max` the cache would allocate all of them at once, which takes
 * milliseconds at 20,000, and every change of access creates new caches.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
