import { expect, it } from 'vitest';
import type { ScheduleTerms } from '../../src/core/loan.ts';
import { type Cents, cents } from '../../src/core/money.ts';
import { percent } from '../../src/core/rate.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { buildSchedule } from '../../src/core/schedule.ts';
import { day, money, terms } from '../support/history.ts';

function built(of: ScheduleTerms) {
  const schedule = buildSchedule(of);
  if (isRefusal(schedule)) throw new Error(schedule.detail);
  return schedule;
}

it('a payment larger than the principal disbursed so far pays only that, and the level payment makes up for it', () => {
  const disbursements = [
    { date: day('2026-01-01'), amount: money('100.00') },
    { date: day('2026-02-02'), amount: money('1100.00') },
  ];
  const { rows } = built(terms('100.00', ['2026-02-01', '2026-03-01', '2026-04-01'], { disbursements }));
  expect(rows.map(({ payment }) => payment)).toEqual([money('100.00'), money('550.00'), money('550.00')]);
});

it('a disbursement on a due date comes before that day’s payment, and a skipped row shows the principal disbursed by then', () => {
  const disbursements = [
    { date: day('2026-01-01'), amount: money('100.00') },
    { date: day('2026-03-01'), amount: money('1100.00') },
  ];
  const dates = ['2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'];
  const { rows } = built(terms('100.00', dates, { disbursements, skip: [1] }));
  expect(rows.map(({ payment, balance }) => [payment, balance])).toEqual([
    [0, money('100.00')],
    [money('400.00'), money('800.00')],
    [money('400.00'), money('400.00')],
    [money('400.00'), 0],
  ]);
});

it('where payments do not cover the first interest, the level payment is still the nearest cent', () => {
  // Two years before the first of twelve payments: 240.00 of interest, more than two payments.
  const months = Array.from({ length: 12 }, (_, i) => `2028-${String(i + 1).padStart(2, '0')}-01`);
  const late = terms('1000.00', months, { rate: percent('12'), dayCount: '30/360' });
  const { levelPayment } = built(late);
  const off = (payment: number) =>
    Math.abs((built({ ...late, payment: cents(payment) }).rows.at(-1)?.payment ?? 0) - payment);
  const level = levelPayment as Cents;
  expect(off(level)).toBeLessThan(off(level - 1));
  expect(off(level)).toBeLessThan(off(level + 1));
});
