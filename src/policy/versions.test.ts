import { describe, expect, test } from 'vitest';
import { date } from '../core/calendar.ts';
import { DEFAULT_LENDER_POLICY, type LenderPolicy } from '../core/policy.ts';
import { figureDays, followsOf, newLoanPolicies, type PolicyVersion, timelineOf, versionOn } from './versions.ts';

let number = 0;
function version(
  from: string,
  values: Partial<LenderPolicy>,
  more: { lenderId?: string; figuresFrom?: string } = {},
): PolicyVersion {
  number += 1;
  const { lenderId = null, figuresFrom = from } = more;
  return {
    number,
    policyId: lenderId ?? 'all',
    lenderId,
    version: number,
    from: date(from),
    figuresFrom: date(figuresFrom),
    recordedAt: '',
    clientId: '',
    values: { ...DEFAULT_LENDER_POLICY, ...values },
  };
}

describe('the version in force', () => {
  const first = version('2026-01-01', { payoffDays: 5 });
  const scheduled = version('2026-06-01', { payoffDays: 6 });
  const between = version('2026-03-01', { payoffDays: 7 });
  const replaced = version('2026-06-01', { payoffDays: 8 });
  const own = version('2026-04-01', { payoffDays: 9 }, { lenderId: 'L-1' });
  const versions = [first, scheduled, between, replaced, own];
  test.each<[string, string, PolicyVersion | null]>([
    ['L-2', '2025-12-31', null],
    ['L-2', '2026-01-01', first],
    ['L-2', '2026-03-01', between],
    ['L-2', '2026-06-01', replaced],
    ['L-1', '2026-03-31', between],
    ['L-1', '2026-06-01', own],
  ])('for %s on %s', (lender, day, expected) => expect(versionOn(versions, lender, date(day))).toBe(expected));

  test('a key of a lender names the versions that matter to it', () => {
    const key = timelineOf(versions, 'L-2').key;
    const others = [...versions, version('2026-09-01', {}, { lenderId: 'L-1' })];
    expect(timelineOf(others, 'L-2').key).toBe(key);
    expect(timelineOf(others, 'L-1').key).not.toBe(timelineOf(versions, 'L-1').key);
  });
});

describe('figures follow a version from their own day on', () => {
  const versions = [
    version('2026-03-10', { nonAccrualDays: 60, payoffDays: 5 }, { figuresFrom: '2026-03-11' }),
    version('2026-04-01', { nonAccrualDays: 60, payoffDays: 6 }),
    version('2026-05-01', { nonAccrualDays: 90, payoffDays: 6 }),
  ];
  const timeline = timelineOf(versions, 'L-1');

  test('its limits count the day before', () => {
    const seen = timeline.changes.map(({ from, values }) => [from, values.payoffDays, values.nonAccrualDays]);
    expect(seen).toEqual([
      ['2026-03-10', 5, null],
      ['2026-03-11', 5, 60],
      ['2026-04-01', 6, 60],
      ['2026-05-01', 6, 90],
    ]);
    expect(figureDays(timeline)).toEqual(['2026-03-11', '2026-05-01']);
  });

  test('a loan follows what is in force on the day of its creation, and what comes after', () => {
    expect(followsOf(timeline, date('2026-03-01')).map(({ from }) => from)).toEqual(
      timeline.changes.map(({ from }) => from),
    );
    expect(followsOf(timeline, date('2026-04-15')).map(({ from, values }) => [from, values.payoffDays])).toEqual([
      ['2026-04-15', 6],
      ['2026-05-01', 6],
    ]);
  });

  test('a new loan begins with them', () => {
    const on = (day: string) => newLoanPolicies(versions, date(day)).others;
    expect([on('2026-03-10').payoffDays, on('2026-03-10').nonAccrualDays]).toEqual([5, null]);
    expect(on('2026-05-01')).toEqual(versions[2]?.values);
    expect(on('2026-03-09')).toEqual(DEFAULT_LENDER_POLICY);
  });

  test('figures of a version that was recorded late do not replace those of a later one', () => {
    const late = version('2026-04-30', { nonAccrualDays: 30 }, { figuresFrom: '2026-05-02' });
    const seen = timelineOf([...versions, late], 'L-1').changes.map(({ from, values }) => [
      from,
      values.nonAccrualDays,
    ]);
    expect(seen.slice(-2)).toEqual([
      ['2026-04-30', 60],
      ['2026-05-01', 90],
    ]);
  });
});
