import { describe, expect, test } from 'vitest';
import type { Month } from './data.ts';
import { balances, dueLabel, kindOf, priceOf, received, standingOf } from './figures.ts';

const month = (n: number, more: Partial<Month> = {}): Month => ({
  ...{ month: n, date: `2026-0${n + 1}-15`, expectedBalance: null, expected: null },
  ...{ balance: null, received: null, daysPastDue: null },
  ...more,
});

describe('a price', () => {
  test('is a percentage of the amount, half up', () => {
    expect(priceOf('10,125.00', '10,000')).toBe('101.25');
    expect(priceOf('1', '3')).toBe('33.33');
    expect(priceOf('2', '3')).toBe('66.67');
    expect(priceOf('10,124.9951', '10,000')).toBe('101.25');
    expect(priceOf('12,345,678', '1')).toBe('1234567800.00');
  });

  test('is empty without a value or an amount', () => {
    expect(priceOf('', '100')).toBe('');
    expect(priceOf('100', '0')).toBe('');
  });
});

test('balances keep the gaps of what is not known', () => {
  const months = [month(0, { expectedBalance: '100', balance: '100' }), month(1, { expectedBalance: '90.5' })];
  expect(balances(months)).toEqual({
    dates: ['2026-01-15', '2026-02-15'],
    actual: [10_000, null],
    expected: [10_000, 9_050],
  });
});

test('what was received is added up from the first month that is known', () => {
  const months = [
    month(0, { expected: '0' }),
    month(1, { expected: '10', received: '9' }),
    month(2, { expected: '10', received: '12' }),
    month(3, { expected: '10' }),
  ];
  expect(received(months)).toEqual({
    dates: ['2026-02-15', '2026-03-15', '2026-04-15'],
    actual: [900, 2_100, null],
    expected: [1_000, 2_000, 3_000],
  });
  expect(standingOf(months)).toEqual({ received: 2_100n, expected: 2_000n, months: 2, to: '2026-03-15' });
  expect(standingOf([month(0)])).toBeNull();
});

test('a transaction that is not public says so', () => {
  expect(kindOf('payment')).toBe('Payment');
  expect(kindOf('other')).toBe('Not public');
});

test('a due date that has passed is that of the oldest unpaid installment', () => {
  expect(dueLabel('2026-10-08', '2026-11-17')).toBe('Oldest unpaid since');
  expect(dueLabel('2026-11-17', '2026-11-17')).toBe('Next payment');
  expect(dueLabel('', '2026-11-17')).toBe('Next payment');
});
