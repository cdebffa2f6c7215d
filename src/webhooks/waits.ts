/** The wait before the next attempt. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** After each failed attempt of an event; together 23.4 hours. After the last one the event is a dead letter. */
const WAITS = [
  5 * SECOND,
  20 * SECOND,
  MINUTE,
  5 * MINUTE,
  20 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
] as const;

/**
 * With jitter, so that what failed together does not come back together. Only ever shorter: the first is within 5 seconds, and all
 * together stay under a day. Null: it was the last attempt.
 */
export function waitAfter(attempts: number, random: () => number): number | null {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return null;
  return jittered(wait, attempts === 1 ? 0.5 : 0.8, random);
}

/** An endpoint that is down is tried more often than one event would be, with one event at a time: it should not notice late that it is back. */
const LONGEST_PROBE = 5 * MINUTE;

export function probeWait(failedProbes: number, random: () => number): number {
  return jittered(Math.min(5 * SECOND * 2 ** Math.min(failedProbes, 20), LONGEST_PROBE), 0.5, random);
}

function jittered(ms: number, least: number, random: () => number): number {
  return Math.round(ms * (least + (1 - least) * random()));
}

/** `Retry-After` of a response: seconds, or a date of HTTP; at most a day. Null: none, or not readable. */
export function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d{1,20}$/.test(text)) return Math.min(Number(text) * SECOND, DAY);
  // Dates of HTTP end in GMT; Date.parse alone would take a lot more.
  if (!/^[A-Za-z]{3,9}, .{8,24} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), DAY);
}
