import { expect, it } from 'vitest';
import { inEffect, pastDueNote, takenBack } from './standing.ts';

it('a payment that was returned or reversed no longer counts', () => {
  const rows = [
    { kind: 'funded', reference: null },
    { kind: 'payment', reference: 'P-1' },
    { kind: 'payment', reference: 'P-2' },
    { kind: 'payment', reference: 'P-3' },
    { kind: 'returned', reference: 'P-1' },
    { kind: 'fee', reference: 'P-2' },
    { kind: 'reversed', reference: 'P-3' },
  ];
  expect([...takenBack(rows)]).toEqual([
    ['P-1', 'Returned'],
    ['P-3', 'Reversed'],
  ]);
  expect(takenBack(rows.slice(0, 4)).size).toBe(0);
});

it('what a hold does is said in words', () => {
  expect(inEffect('lateFees', 'forbidden')).toBe('late fees: forbidden');
  expect(inEffect('chargeOffClock', 'within60Days')).toBe('charge off clock: within 60 days');
});

it('unpaid fees are named beside what is past due', () => {
  expect(pastDueNote(0, undefined)).toBe('nothing');
  expect(pastDueNote(1, '0')).toBe('1 payment');
  expect(pastDueNote(2, '25')).toBe('2 payments + fees 25.00');
  expect(pastDueNote(0, '25')).toBe('+ fees 25.00');
});
