import { describe, expect, it } from 'vitest';
import { addDays, daysBetween, isNow, momentsOf, NOW, placeOf, pointIn, queryOf } from './point.ts';

describe('the point in time', () => {
  it('is read from the address and written to it', () => {
    const point = pointIn({ asOf: '2026-11-15', knownAt: '2026-11-14T09:00:00.000Z' });
    expect(queryOf(point)).toEqual({ asOf: '2026-11-15', knownAt: '2026-11-14T09:00:00.000Z' });
    expect(isNow(point)).toBe(false);
  });

  it('is now where the address has anything else', () => {
    for (const bad of [{}, { asOf: 20261115 }, { asOf: '2026-13-01' }, { asOf: '15.11.2026' }, { knownAt: 'today' }]) {
      expect(pointIn(bad)).toEqual(NOW);
    }
    expect(queryOf(NOW)).toEqual({});
  });

  it('counts days over the end of a month and of summer time', () => {
    expect(daysBetween('2026-10-20', '2026-11-10')).toBe(21);
    expect(addDays('2026-02-27', 3)).toBe('2026-03-02');
  });

  it('steps through the moments at which something was recorded', () => {
    const moments = momentsOf([
      { recordedAt: '2026-02-01T09:00:00.000Z' },
      { recordedAt: '2026-01-01T09:00:00.000Z' },
      { recordedAt: '2026-02-01T09:00:00.000Z' },
    ]);
    expect(moments).toEqual(['2026-01-01T09:00:00.000Z', '2026-02-01T09:00:00.000Z']);
    expect(placeOf(moments, null)).toBe(1);
    expect(placeOf(moments, '2026-01-31T00:00:00Z')).toBe(0);
    expect(placeOf(moments, '2025-01-31T00:00:00Z')).toBe(0);
  });
});
