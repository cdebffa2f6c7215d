/** Events within this time are refreshed together. */
const FIRST_MS = 150;
/** Queries in a row, and a second in the long run: a tenth of the 3,000 small requests that a person has a minute. */
const BURST = 100;
const A_SECOND = 5;

/**
 * Returns a function that computes the wait before the next refresh, from the time of the first waiting event and the number of
 * queries that it will read again. An event shows at once; only while events keep coming does a refresh wait until there is
 * quota for it, the longer the more the page reads.
 */
export function gathering(): (now: number, queries: number) => number {
  let left = BURST;
  let at = 0;
  return (now, queries) => {
    left = Math.min(BURST, left + ((now - at) / 1_000) * A_SECOND) - queries;
    at = now;
    return Math.max(FIRST_MS, (-left / A_SECOND) * 1_000);
  };
}
