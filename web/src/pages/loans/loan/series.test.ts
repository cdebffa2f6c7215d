import { describe, expect, it } from 'vitest';
import { balanceSeries, splitSeries, standingOf } from './series.ts';

const none = { fees: '0', interest: '0', principal: '0', credit: '0' };
const rows = [
  { date: '2026-01-05', kind: 'funded', balance: '1,000', allocation: none },
  {
    date: '2026-02-05',
    kind: 'payment',
    balance: '700.50',
    allocation: { ...none, principal: '299.50', interest: '10' },
  },
  { date: '2026-02-20', kind: 'payment', balance: '600.50', allocation: { ...none, principal: '100' } },
];
const installments = [
  { dueDate: '2026-02-05', principal: '300', interest: '10', satisfiedOn: '2026-02-05', open: '0' },
  { dueDate: '2026-03-05', principal: '300', interest: '7', satisfiedOn: null, open: '307' },
  { dueDate: '2026-04-05', principal: '400', interest: '4', satisfiedOn: null, open: '404' },
];

describe('the balance over time', () => {
  const { x, lines } = balanceSeries(rows, installments, '2026-03-01');

  it('has every day on which something changes, and today', () => {
    expect(x).toEqual(['2026-01-05', '2026-02-05', '2026-02-20', '2026-03-01', '2026-03-05', '2026-04-05']);
  });

  it('is what was owed until today, and nothing is claimed about later', () => {
    expect(lines[0]?.values).toEqual([100_000, 70_050, 60_050, 60_050, null, null]);
  });

  it('is beside it what the contract leaves after each installment, down to nothing', () => {
    expect(lines[1]?.values).toEqual([100_000, 70_000, 70_000, 70_000, 40_000, 0]);
  });

  it('is empty before funding', () => {
    expect(balanceSeries([], installments, '2026-03-01')).toEqual({ x: [], lines: [] });
  });
});

it('adds up payments by month, and shows open installments that are to come', () => {
  const { x, lines } = splitSeries(rows, installments, '2026-03-10');
  expect(x).toEqual(['2026-02-01', '2026-04-01']);
  expect(lines.map(({ values }) => values)).toEqual([
    [39_950, null],
    [1_000, null],
    [null, 40_000],
    [null, 400],
  ]);
});

it('says how an installment stands', () => {
  const open = { dueDate: '2026-03-05', satisfiedOn: null, pastDue: false, paid: '0' };
  expect(standingOf({ ...open, satisfiedOn: '2026-03-01' }, '2026-03-10')).toBe('paid');
  expect(standingOf({ ...open, pastDue: true }, '2026-03-10')).toBe('late');
  expect(standingOf(open, '2026-03-05')).toBe('due');
  expect(standingOf({ ...open, paid: '12.5' }, '2026-03-01')).toBe('partly');
  expect(standingOf(open, '2026-03-01')).toBe('coming');
});
