import { describe, expect, it } from 'vitest';
import { addDays, isMonthEnd, monthEndsBefore, monthsBefore, ofFullMonths, queryOf, viewIn } from './view.ts';

describe('the view of a report', () => {
  it('is read from the address, and leaves out what is nothing', () => {
    expect(viewIn({ asOf: '2026-09-30', knownAt: 'asReported', by: 'grade', slice: 'A' })).toEqual({
      asOf: '2026-09-30',
      from: null,
      knownAt: 'asReported',
      by: 'grade',
      slice: 'A',
    });
    expect(viewIn({ asOf: 'x', by: 'colour', slice: 7, knownAt: 3 })).toEqual({
      asOf: null,
      from: null,
      knownAt: null,
      by: null,
      slice: null,
    });
  });
  it('asks the API as it takes it', () => {
    const view = viewIn({ asOf: '2026-09-30', from: '2026-06-30', knownAt: '2026-10-05', by: 'status' });
    expect(queryOf('summary', view)).toEqual({ asOf: '2026-09-30', by: 'status', knownAt: '2026-10-05' });
    expect(queryOf('vintages', view)).toEqual({ asOf: '2026-09-30', knownAt: '2026-10-05' });
    expect(queryOf('roll-rates', view)).toEqual({
      from: '2026-06-30',
      to: '2026-09-30',
      by: 'status',
      knownAt: '2026-10-05',
    });
    expect(queryOf('summary', { ...view, asOf: '2026-09-29' })).toEqual({ asOf: '2026-09-29', by: 'status' });
    expect(queryOf('summary', viewIn({}))).toEqual({});
  });
  it('knows month ends, over years and leap days', () => {
    expect(monthEndsBefore('2024-03-01', 4)).toEqual(['2024-02-29', '2024-01-31', '2023-12-31', '2023-11-30']);
    expect(monthEndsBefore('2026-10-31', 1)).toEqual(['2026-09-30']);
    expect(monthsBefore('2026-01-15', 2)).toEqual(['2025-12', '2025-11']);
    expect([isMonthEnd('2024-02-29'), isMonthEnd('2023-02-28'), isMonthEnd('2024-02-28'), isMonthEnd('x')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const of = (asOf: string | null, today: string) => ofFullMonths({ ...viewIn({}), asOf }, today).asOf;
    expect([of(null, '2026-03-15'), of(null, '2026-03-31'), of('2025-01-30', '2026-03-15')]).toEqual([
      '2026-02-28',
      null,
      '2024-12-31',
    ]);
    expect(of('2026-02-28', '2026-03-15')).toBe('2026-02-28');
    expect([addDays('2026-03-01', -1), addDays('2026-12-31', 1)]).toEqual(['2026-02-28', '2027-01-01']);
  });
});
