const FIRST_MS = 150;
const LAST_MS = 2_400;
/** After so long without an event it is quiet again. */
const QUIET_MS = 5_000;

/**
 * How long to gather before the next refresh, asked with the time of an event when none is waiting. After a quiet time an event shows at
 * once; while events keep coming, each refresh waits twice as long as the one before, up to 2.4 seconds. A page asks for some ten things
 * at a refresh, and a person has 600 small requests a minute.
 */
export function gathering(): (now: number) => number {
  let wait = FIRST_MS;
  let last = Number.NEGATIVE_INFINITY;
  return (now) => {
    wait = now - last > QUIET_MS ? FIRST_MS : Math.min(LAST_MS, wait * 2);
    last = now + wait;
    return wait;
  };
}
