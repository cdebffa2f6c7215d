/**
 * The business days of an organization: which day a moment belongs to, in the zone that was in force at that moment.
 *
 * The day of a later moment is never an earlier one, so no day comes twice, however zones change. A zone begins to count when a business
 * day of the zone before it ends, and a moment is at least of the day that the zone before it had reached. So after a move to the west
 * that day simply goes on until the new zone has left it too; after a move to the east by almost a day or more a day may be left out. The
 * same holds where the clocks of a zone are set back over midnight: the day that has begun goes on.
 */
import { addDays, type PlainDate } from '../../core/calendar.ts';
import './temporal.ts';

/** A time zone with the moment it ends (epoch milliseconds); null: it has no end yet. In order, the last one has none. */
export type Zone = { readonly timeZone: string; readonly until: number | null };

export type BusinessDays = {
  /** The day of a moment in epoch milliseconds. */
  dayOf(at: number): PlainDate;
  /** The first moment that belongs to the day or to a later one. */
  startOf(day: PlainDate): number;
  zoneAt(at: number): string;
};

/** Time that a change of zone is known before it counts: longer than the memory of any process and the difference of any two clocks. */
const KNOWN_BEFORE_MS = 5 * 60_000;

/** One that is in force from `from` on, when the day `reached` had begun; empty: none had. */
type Period = { timeZone: string; from: number; until: number; reached: PlainDate | '' };

export function businessDays(zones: readonly Zone[]): BusinessDays {
  const periods = periodsOf(zones);
  // The day last asked for, with its beginning and its end: it is asked for with every request.
  let known = { day: '' as PlainDate, from: 0, to: 0 };
  const startOf = (day: PlainDate) => startIn(periods, day);
  return {
    startOf,
    dayOf(at) {
      if (at < known.from || at >= known.to) {
        const day = dayIn(periodAt(periods, at), at);
        known = { day, from: startOf(day), to: startOf(addDays(day, 1)) };
      }
      return known.day;
    },
    zoneAt: (at) => periodAt(periods, at).timeZone,
  };
}

/**
 * The zones with a change asked for now: it counts from the beginning of the next business day, or of the one after that when the next
 * begins within five minutes. A change that was asked for before and is at least as far away is replaced.
 */
export function withZone(zones: readonly Zone[], timeZone: string, now: number): Zone[] {
  const from = now + KNOWN_BEFORE_MS;
  const settled: Zone[] = [];
  for (const zone of zones) {
    settled.push(zone);
    if (zone.until === null || zone.until > from) break;
  }
  const last = { timeZone: (settled.pop() as Zone).timeZone, until: null };
  if (last.timeZone === timeZone) return [...settled, last];
  const days = businessDays([...settled, last]);
  const until = days.startOf(addDays(days.dayOf(from), 1));
  return [...settled, { ...last, until }, { timeZone, until: null }];
}

/** Whether the zone has the day: one that moved over the date line left a day out. */
export function hasDay(timeZone: string, day: PlainDate): boolean {
  const { dayOf, startOf } = businessDays([{ timeZone, until: null }]);
  return dayOf(startOf(day)) === day;
}

/** The name of the zone as it is spelled, whatever the case it was given in; null: there is no such zone. */
export function timeZoneNamed(name: string): string | null {
  // An offset has no rules for summer time; it is no zone's name.
  if (/^[+-]/.test(name)) return null;
  try {
    // Refuses what is no zone's name. Its own spelling would be that of an older name (Asia/Calcutta for Asia/Kolkata).
    new Intl.DateTimeFormat('en', { timeZone: name });
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return null;
  }
}

function periodsOf(zones: readonly Zone[]): Period[] {
  const periods: Period[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const { timeZone, until } of zones) {
    const before = periods.at(-1);
    const reached = before === undefined ? '' : dayIn(before, from - 1);
    periods.push({ timeZone, from, until: until ?? Number.POSITIVE_INFINITY, reached });
    from = until ?? from;
  }
  return periods;
}

function periodAt(periods: readonly Period[], at: number): Period {
  return periods.findLast(({ from }) => at >= from) as Period;
}

function dayIn({ timeZone, reached }: Period, at: number): PlainDate {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  let day = zoned.toPlainDate().toString() as PlainDate;
  for (let next = addDays(day, 1); at >= firstMoment(timeZone, next); next = addDays(day, 1)) day = next;
  return day > reached ? day : (reached as PlainDate);
}

function startIn(periods: readonly Period[], day: PlainDate): number {
  let start = Number.NaN;
  for (const { timeZone, from, until, reached } of periods) {
    start = reached >= day ? from : Math.max(from, firstMoment(timeZone, day));
    if (start < until) break;
  }
  return start;
}

/** The first moment of a day; for one that a zone leaves out (it moved over the date line), that of the next. */
function firstMoment(timeZone: string, day: PlainDate): number {
  return Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
}
