import { Temporal as OfThePackage } from 'temporal-polyfill/implementation';
import { describe, expect, test } from 'vitest';
import { addDays, date, type PlainDate } from '../../core/calendar.ts';
import { businessDays, timeZoneNamed, withZone, type Zone } from './business-days.ts';

const at = (text: string) => Date.parse(text);
const one = (timeZone: string): Zone[] => [{ timeZone, until: null }];
const HOUR = 3_600_000;

/** The days of an interval in order, each with how long it lasts in hours; a day that comes twice or goes back is two entries. */
function daysOf(zones: readonly Zone[], from: string, to: string): [day: PlainDate, hours: number][] {
  const { dayOf } = businessDays(zones);
  const days: [PlainDate, number][] = [];
  for (let moment = at(from); moment < at(to); moment += HOUR / 4) {
    const day = dayOf(moment);
    const last = days.at(-1);
    if (last?.[0] === day) last[1] += 0.25;
    else days.push([day, 0.25]);
  }
  return days;
}

describe('in one zone', () => {
  test('a day goes from midnight to midnight there, also when the clocks change', () => {
    expect(daysOf(one('America/New_York'), '2026-03-07T05:00Z', '2026-03-10T04:00Z')).toEqual([
      ['2026-03-07', 24],
      ['2026-03-08', 23],
      ['2026-03-09', 24],
    ]);
  });

  test('clocks that are set back over midnight do not repeat the day before', () => {
    // Until 2011 Newfoundland set its clocks back at one minute past midnight: 23:01 of the day before.
    const { dayOf } = businessDays(one('America/St_Johns'));
    const midnight = at('2010-11-07T00:00-02:30');
    expect(dayOf(midnight - 1)).toBe('2010-11-06');
    expect(dayOf(midnight)).toBe('2010-11-07');
    expect(businessDays(one('America/St_Johns')).dayOf(midnight + HOUR / 2)).toBe('2010-11-07');
  });

  test('a day that a zone leaves out begins with the next', () => {
    const { dayOf, startOf } = businessDays(one('Pacific/Apia'));
    const moment = at('2011-12-31T00:00+14:00');
    expect([dayOf(moment - 1), dayOf(moment)]).toEqual(['2011-12-29', '2011-12-31']);
    expect(startOf(date('2011-12-30'))).toBe(moment);
  });
});

describe('a change of zone', () => {
  test('is in force from the next midnight of the zone before it', () => {
    const zones = withZone(one('America/New_York'), 'Europe/Berlin', at('2026-01-15T17:00Z'));
    expect(zones).toEqual([
      { timeZone: 'America/New_York', until: at('2026-01-16T05:00Z') },
      { timeZone: 'Europe/Berlin', until: null },
    ]);
    const { zoneAt } = businessDays(zones);
    expect(zoneAt(at('2026-01-16T04:59:59.999Z'))).toBe('America/New_York');
    expect(zoneAt(at('2026-01-16T05:00Z'))).toBe('Europe/Berlin');
  });

  test('to the west lets the day go on until the new zone has left it', () => {
    const zones = withZone(one('UTC'), 'America/Los_Angeles', at('2026-01-15T12:00Z'));
    expect(daysOf(zones, '2026-01-15T00:00Z', '2026-01-18T08:00Z')).toEqual([
      ['2026-01-15', 32],
      ['2026-01-16', 24],
      ['2026-01-17', 24],
    ]);
  });

  test('to the east makes the next day shorter', () => {
    const zones = withZone(one('America/Los_Angeles'), 'UTC', at('2026-01-15T20:00Z'));
    expect(daysOf(zones, '2026-01-15T08:00Z', '2026-01-18T00:00Z')).toEqual([
      ['2026-01-15', 24],
      ['2026-01-16', 16],
      ['2026-01-17', 24],
    ]);
  });

  test('over the date line never goes back: a day lasts longer, or is left out', () => {
    const west = withZone(one('Pacific/Kiritimati'), 'Pacific/Niue', at('2026-01-15T00:00Z'));
    expect(daysOf(west, '2026-01-14T10:00Z', '2026-01-17T11:00Z')).toEqual([
      ['2026-01-15', 49],
      ['2026-01-16', 24],
    ]);
    const east = withZone(one('Pacific/Niue'), 'Pacific/Kiritimati', at('2026-01-15T20:00Z'));
    expect(daysOf(east, '2026-01-15T11:00Z', '2026-01-17T10:00Z')).toEqual([
      ['2026-01-15', 24],
      ['2026-01-17', 23],
    ]);
  });

  test('is known to every process before it counts: requested minutes before midnight, it waits for the day after', () => {
    const change = (now: string) => withZone(one('UTC'), 'Asia/Tokyo', at(now))[0]?.until;
    expect(change('2026-01-15T23:54:59.999Z')).toBe(at('2026-01-16T00:00Z'));
    expect(change('2026-01-15T23:55:00.000Z')).toBe(at('2026-01-17T00:00Z'));
  });

  test('that is not in force yet is replaced by the next one, and withdrawn by the zone in force', () => {
    const asked = withZone(one('UTC'), 'Asia/Tokyo', at('2026-01-15T12:00Z'));
    expect(withZone(asked, 'America/Chicago', at('2026-01-15T13:00Z'))).toEqual([
      { timeZone: 'UTC', until: at('2026-01-16T00:00Z') },
      { timeZone: 'America/Chicago', until: null },
    ]);
    expect(withZone(asked, 'UTC', at('2026-01-15T13:00Z'))).toEqual(one('UTC'));
    // But not in the last minutes: another process may not hear of it in time.
    expect(withZone(asked, 'UTC', at('2026-01-15T23:58:00Z'))).toEqual([
      { timeZone: 'UTC', until: at('2026-01-16T00:00Z') },
      { timeZone: 'Asia/Tokyo', until: at('2026-01-16T15:00Z') },
      { timeZone: 'UTC', until: null },
    ]);
  });

  test('whatever zones follow each other, no day comes twice, none goes back, and a day begins where startOf says', () => {
    const names = ['UTC', 'Pacific/Kiritimati', 'Pacific/Niue', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia'];
    let [zones, seed] = [one('UTC'), 7];
    for (let now = at('2026-03-01T12:00Z'); now < at('2026-03-20T00:00Z'); now += 7 * HOUR) {
      seed = (seed * 48_271) % 2_147_483_647;
      const before = businessDays(zones);
      zones = withZone(zones, names[seed % names.length] as string, now);
      // The days of the past, and of the next minutes, stay the same.
      for (const moment of [now - 30 * HOUR, now - HOUR, now, now + 4 * 60_000]) {
        expect(businessDays(zones).dayOf(moment)).toBe(before.dayOf(moment));
      }
    }
    const days = daysOf(zones, '2026-02-27T00:00Z', '2026-03-24T00:00Z');
    expect(days.map(([day]) => day)).toEqual([...new Set(days.map(([day]) => day))].sort());
    const { dayOf, startOf } = businessDays(zones);
    for (const [day] of days.slice(1)) {
      expect(dayOf(startOf(day))).toBe(day);
      expect(dayOf(startOf(day) - 1) < day).toBe(true);
      expect(startOf(addDays(day, 1))).toBeGreaterThan(startOf(day));
    }
  });
});

test('a zone has one spelling, and what is none has no name', () => {
  expect(['america/new_york', 'Asia/Kolkata', 'utc'].map(timeZoneNamed)).toEqual([
    'America/New_York',
    'Asia/Kolkata',
    'UTC',
  ]);
  expect(timeZoneNamed('2026-01-01T00:00[Europe/Paris]')).toBeNull();
  expect(['Mars/Phobos', '+25:00', '+05:00', '-0800', '', 'EST5EDT,M3', '../UTC', 'UTC\0'].map(timeZoneNamed)).toEqual(
    Array(8).fill(null),
  );
});

test('where Node has no Temporal, its days begin at the same moments', () => {
  const differs = Intl.supportedValuesOf('timeZone').flatMap((zone, n) =>
    // The days on which clocks are changed now, and a year of the past or of the future for each zone.
    ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01', `${1970 + (n % 80)}-04-05`].filter((day) => {
      const [ours, theirs] = [Temporal, OfThePackage].map((of) => {
        const { epochMilliseconds } = of.PlainDate.from(day).toZonedDateTime(zone);
        const later = of.Instant.fromEpochMilliseconds(epochMilliseconds + 13 * HOUR).toZonedDateTimeISO(zone);
        return `${epochMilliseconds} ${later.toPlainDate()}`;
      });
      return ours !== theirs;
    }),
  );
  expect(differs).toEqual([]);
  const named = (of: Pick<typeof Temporal, 'Instant'>, name: string) =>
    of.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  for (const name of ['america/new_york', 'asia/calcutta', 'Asia/Kolkata', 'gb-eire', 'utc'])
    expect(named(OfThePackage, name)).toBe(named(Temporal, name));
});
