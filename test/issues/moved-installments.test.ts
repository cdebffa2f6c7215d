import { expect, it } from 'vitest';
import { decide } from '../../src/core/decide/decide.ts';
import { fold } from '../../src/core/fold.ts';
import { percent } from '../../src/core/rate.ts';
import { day, history, money, paid, terms } from '../support/history.ts';

const dueDates = (date: string, events: ReturnType<typeof history>) =>
  fold(events, day(date)).installments.map((installment) => installment.dueDate);

it('a due-date change stays as agreed when an earlier payment is recorded later', () => {
  const three = terms('300.00', ['2026-02-01', '2026-03-01', '2026-04-01']);
  const change = { type: 'dueDateChanged', from: day('2026-02-01'), to: day('2026-02-15') } as const;
  const agreed = history(three, {}, ['2026-01-10', change]);
  expect(dueDates('2026-01-20', agreed)).toEqual(['2026-02-15', '2026-03-15', '2026-04-15']);
  // The payment satisfied the first installment before it could move; the others move by the same two weeks.
  const found = history(three, {}, ['2026-01-10', change], ['2026-01-05', paid('a', '100.00'), '2026-01-20']);
  expect(dueDates('2026-01-20', found)).toEqual(['2026-02-01', '2026-03-15', '2026-04-15']);
});

it('an extension of the pair 16 and 31 moves the 16th to the 31st', () => {
  const pairs = terms('400.00', ['2026-01-31', '2026-02-16', '2026-02-28', '2026-03-16']);
  const events = history(
    pairs,
    {},
    ['2026-01-31', paid('a', '300.00')],
    ['2026-03-01', { type: 'extended', periods: 1 }],
  );
  expect(dueDates('2026-03-01', events).at(-1)).toBe('2026-03-31');
});

it('a period with the first and the last day of service is charged for each of its days (50 USC 3937)', () => {
  // 1,000.00 at 36.5 % costs 1.00 a day, at 18.25 % half of it: 9 days, 10 days at half, 11 days.
  const one = terms('1000.00', ['2026-01-31'], { rate: percent('36.5') });
  const events = history(one, {}, [
    '2026-01-10',
    { type: 'militaryService', from: day('2026-01-10'), to: day('2026-01-19'), rate: percent('18.25') },
  ]);
  expect(fold(events, day('2026-01-31'))).toMatchObject({ interest: money('25.00') });
  expect(fold(events, day('2026-01-31')).installments[0]?.amount).toBe(money('1025.00'));
});

it('interest at the legal rate accrues on the principal disbursed by then, not on later disbursements', () => {
  const disbursements = [
    { date: day('2026-01-01'), amount: money('1000.00') },
    { date: day('2026-02-10'), amount: money('500.00') },
  ];
  const lent = terms('1000.00', ['2026-01-31', '2026-03-02'], { rate: percent('36.5'), disbursements });
  const service = { type: 'militaryService', from: day('2026-01-01'), to: null, rate: percent('18.25') } as const;
  const events = history(lent, {}, ['2026-01-01', service]);
  // 30 days at half of 1.00.
  expect(fold(events, day('2026-01-01')).installments[0]?.interest).toBe(money('15.00'));
});

it('a due date that was changed to the 31st is the 31st again after February', () => {
  const two = terms('200.00', ['2026-01-15', '2026-02-15']);
  const change = { type: 'dueDateChanged', from: day('2026-01-15'), to: day('2026-01-31') } as const;
  const events = history(
    two,
    {},
    ['2026-01-02', change],
    ['2026-01-31', paid('a', '100.00')],
    ['2026-02-10', { type: 'extended', periods: 1 }],
  );
  expect(dueDates('2026-02-10', events)).toEqual(['2026-01-31', '2026-03-31']);
});

it('an installment with nothing due does not move past one that is paid ahead', () => {
  // Interest only at zero: nothing is due with the first installment.
  const three = terms('200.00', ['2026-02-01', '2026-03-01', '2026-04-01'], { interestOnlyCount: 1 });
  const events = history(
    three,
    {},
    ['2026-01-02', paid('a', '100.00')],
    ['2026-01-05', { type: 'extended', periods: 2 }],
  );
  expect(dueDates('2026-01-05', events)).toEqual(['2026-02-01', '2026-03-01', '2026-06-01']);
});

it('a re-amortization counts the disbursements that the contract still schedules', () => {
  const disbursements = [
    { date: day('2026-01-01'), amount: money('100.00') },
    { date: day('2026-01-20'), amount: money('100.00') },
  ];
  const lent = terms('100.00', ['2026-02-01', '2026-03-01'], { disbursements });
  const events = history(
    lent,
    {},
    ['2026-01-10', paid('a', '50.00', 'principal')],
    ['2026-01-15', { type: 'reamortized' }],
  );
  expect(fold(events, day('2026-01-15')).installments.map(({ amount }) => amount)).toEqual([
    money('75.00'),
    money('75.00'),
  ]);
});

it('a rate change of the terms that is dated before the disbursement is in force from the beginning', () => {
  const rateChanges = [{ date: day('2025-12-20'), rate: percent('18.25') }];
  const one = terms('1000.00', ['2026-01-31'], { rate: percent('36.5'), rateChanges });
  expect(fold(history(one, {}), day('2026-01-31')).interest).toBe(money('15.00'));
});

it('a due date cannot be moved before the one that precedes it, or when nothing is left to pay', () => {
  const three = terms('300.00', ['2026-02-01', '2026-03-01', '2026-04-01']);
  const ahead = history(three, {}, ['2026-01-05', paid('a', '100.00')]);
  const when = { today: day('2026-01-10'), at: '2026-01-10T999999Z' };
  const to = (date: string) => ({ do: 'change-due-date', to: day(date), date: null, reason: 'payday' }) as const;
  expect(decide(ahead, to('2026-02-01'), when)).toMatchObject({ refused: 'invalid_value', member: 'to' });
  expect(decide(ahead, to('2026-02-02'), when)).not.toHaveProperty('refused');
  const done = history(three, {}, ['2026-01-05', paid('a', '300.00')]);
  expect(decide(done, to('2026-02-02'), when)).toMatchObject({ refused: 'amount_zero' });
});

it('a due-date change does not move an installment that was already paid, on the same day too', () => {
  // Within a day moves come before payments; the change of the second installment must not move the first into the past.
  const two = terms('200.00', ['2026-02-01', '2026-03-01']);
  const change = { type: 'dueDateChanged', from: day('2026-03-01'), to: day('2026-02-21') } as const;
  const events = history(two, {}, ['2026-01-23', paid('a', '100.00')], ['2026-01-23', change]);
  expect(dueDates('2026-01-23', events)).toEqual(['2026-02-01', '2026-02-21']);
});
