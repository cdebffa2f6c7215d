import { describe, expect, it } from 'vitest';
import { matrixOf, moveOf, placeName, type Rolled, tint } from './matrix.ts';

const rolled = (from: string, to: string, count: number, principal: string): Rolled => ({
  ...{
    from,
    to,
    count,
    principalFrom: from === 'new' ? '0' : principal,
    principalTo: to === 'paidOff' ? '0' : principal,
  },
  ...{ countRate: null, principalRate: null },
});

describe('the roll matrix', () => {
  const matrix = matrixOf([
    rolled('current', 'current', 44, '646,093.09'),
    rolled('current', '1-29', 3, '29,571.49'),
    rolled('current', 'paidOff', 2, '29,380.97'),
    rolled('new', 'current', 1, '10,000'),
  ]);
  it('has every bucket, and other places only where a loan is', () => {
    expect(matrix.to).toEqual(['current', '1-29', '30-59', '60-89', '90-119', '120+', 'paidOff']);
    expect(matrix.rows.map(({ from }) => from)).toEqual(['current', '1-29', '30-59', '60-89', '90-119', '120+', 'new']);
    expect(matrix.rows[0]?.cells.map(({ row }) => row?.count ?? 0)).toEqual([44, 3, 0, 0, 0, 0, 2]);
  });
  it('adds up its rows to the cent; a new loan has no principal before', () => {
    expect(matrix.rows[0]).toMatchObject({ count: 49, principal: 70504555n });
    expect(matrix.rows[6]).toMatchObject({ count: 1, principal: 1000000n });
    expect(matrix.rows[1]).toMatchObject({ count: 0, principal: 0n });
  });
  it('says what a move means', () => {
    const moves = [
      ['current', 'current'],
      ['current', '30-59'],
      ['120+', '1-29'],
      ['90-119', 'chargedOff'],
      ['chargedOff', 'chargedOff'],
      ['chargedOff', 'paidOff'],
      ['new', '1-29'],
      ['1-29', 'transferred'],
    ] as const;
    expect(moves.map(([from, to]) => moveOf(from, to))).toEqual([
      'stays',
      'worse',
      'better',
      'lost',
      'stays',
      'better',
      'enters',
      'leaves',
    ]);
  });
  it('tints by the rate and names places', () => {
    expect([tint(null), tint('0'), tint('0.5'), tint('100')]).toEqual([0, 0, 6, 36]);
    expect(['current', '1-29', 'chargedOff', '120+'].map(placeName)).toEqual([
      'Current',
      '1–29',
      'Charged off',
      '120+',
    ]);
  });
});
