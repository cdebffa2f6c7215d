import { describe, expect, it } from 'vitest';
import { curvesOf, latestOf, lossesOf, monthsOver, percentOf, rowsOf, slicesIn, toReceive, total } from './series.ts';

describe('sums and curves of reports', () => {
  it('adds amounts to the cent', () => {
    expect(total([{ a: '1,000.10' }, { a: '-0.15' }, { a: null }, {}], 'a')).toBe(99995n);
  });
  it('takes a percentage of whole cents, rounded once', () => {
    expect(percentOf(1n, 3n)).toBe('33.3333');
    expect(percentOf(2n, 3n)).toBe('66.6667');
    expect(percentOf(-1n, 8n)).toBe('-12.5000');
    expect(percentOf(1n, 0n)).toBeNull();
    expect(percentOf(-1n, 10_000_000n)).toBe('0.0000');
  });
  it('compares what was received with expected cash where the report has it', () => {
    expect(toReceive([{ scheduled: '1' }]).name).toBe('scheduled');
    expect(toReceive([{ scheduled: '1', expected: null }]).name).toBe('expected');
  });
  it('adds up the same months on both sides of a difference', () => {
    const rows = [
      { scheduled: '100', received: '90.50' },
      { scheduled: null, received: '40' },
    ];
    const over = monthsOver(rows, 'scheduled');
    expect([total(over, 'received'), total(over, 'scheduled')]).toEqual([9050n, 10000n]);
  });
  it('adds up losses month by month', () => {
    const rows = [
      { month: '2026-01', chargedOff: '100', forgiven: '5.50', recoveries: '0' },
      { month: '2026-02', chargedOff: '0', forgiven: '0', recoveries: '20.25' },
    ];
    expect(lossesOf(rows).map(({ net, grossSoFar, netSoFar }) => [net, grossSoFar, netSoFar])).toEqual([
      [10550n, 10550n, 10550n],
      [-2025n, 10550n, 8525n],
    ]);
  });
  const pool = (vintage: string, losses: string[], original = '100') =>
    losses.map((netLoss, age) => ({ vintage, age, netLoss, original }));
  it('draws a curve for each vintage while they can be told apart', () => {
    expect(curvesOf([...pool('2026-02', ['0']), ...pool('2026-01', ['0', '2.5'])], 'netLoss')).toEqual({
      ages: [0, 1],
      curves: [
        { label: '2026-01', values: [0, 2.5] },
        { label: '2026-02', values: [0, null] },
      ],
    });
  });
  it('adds up the months of a year when there are many, as far as every one has reached', () => {
    const months = ['01', '02', '03', '04', '05', '06'].flatMap((month) =>
      pool(`2025-${month}`, ['0', '3', '9'], '300'),
    );
    const { ages, curves } = curvesOf([...months, ...pool('2025-07', ['0', '6'], '600')], 'netLoss');
    expect(ages).toEqual([0, 1]);
    expect(curves).toEqual([{ label: '2025', values: [0, 1] }]);
  });
  it('has the latest row of each pool, newest first', () => {
    const rows = [...pool('2026-01', ['0', '2.5']), ...pool('2026-02', ['1'])];
    expect(latestOf(rows).map(({ vintage, age }) => `${vintage} ${age}`)).toEqual(['2026-02 0', '2026-01 1']);
  });
  it('finds the rows of a slice, also of one without a name', () => {
    const report = {
      totals: [{ n: 3 }],
      slices: [
        { slice: '', n: 1 },
        { slice: 'A', n: 2 },
      ],
    };
    expect(slicesIn(report.slices)).toEqual(['', 'A']);
    expect(rowsOf(report, 'A')).toEqual([{ slice: 'A', n: 2 }]);
    expect(rowsOf(report, null)).toEqual([{ n: 3 }]);
  });
});
