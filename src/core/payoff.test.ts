import { describe, expect, test } from 'vitest';
import { contractOf, live, money } from '../../test/support/life.ts';
import { addDays, date } from './calendar.ts';
import { payoff, payoffsThrough } from './payoff.ts';
import { percent } from './rate.ts';

const daily = (more = {}) => contractOf({ dayCount: 'actual/365', ...more });

describe('payoff = principal + interest to the day + unpaid fees + prepayment penalty − credits', () => {
  test('20,000 at 5 %: 2.74 a day, 82.19 in 30 days (Southeast Toyota Finance)', () => {
    const life = live(daily({ amount: money('20000'), rate: percent('5'), count: 60 })).fund();
    expect(payoff(life.loan('2026-01-31'))).toEqual({
      date: '2026-01-31',
      payoff: 2008219,
      principal: 2000000,
      interest: 8219,
      fees: 0,
      prepaymentPenalty: 0,
      credits: 0,
      perDiem: 274,
    });
  });

  test('itemised with fees and the prepayment penalty', () => {
    const life = live(daily({ prepaymentPenalty: money('75') })).fund();
    life.take('2026-01-10', {
      do: 'assess-fee',
      feeId: 'F',
      kind: 'fee',
      name: 'fee',
      amount: money('30'),
      date: null,
    });
    expect(payoff(life.loan('2026-01-31'))).toMatchObject({
      payoff: 1000000 + 9863 + 3000 + 7500,
      fees: 3000,
      prepaymentPenalty: 7500,
    });
  });

  test('never negative: a credit is shown, and nothing is owed', () => {
    const life = live().fund().pay('2026-02-01', '10500', 'A', { acceptOverpayment: true });
    expect(payoff(life.loan('2026-02-10'))).toMatchObject({ payoff: 0, credits: 40000, perDiem: 0 });
  });

  test('paid on its date it leaves exactly zero, penalty and fees included', () => {
    for (const day of ['2026-01-02', '2026-02-01', '2026-03-17', '2026-12-31', '2027-01-01', '2027-03-01']) {
      const life = live(daily({ prepaymentPenalty: money('75') })).fund();
      const owed = payoff(life.loan(day)).payoff;
      life.take(day, {
        do: 'loan-repay',
        refId: 'ALL',
        amount: owed,
        date: null,
        purpose: 'installment',
        acceptOverpayment: false,
        reason: null,
      });
      expect(life.loan(day)).toMatchObject({ principal: 0, interest: 0, credit: 0 });
      expect(payoff(life.loan(day)).payoff).toBe(0);
    }
  });
});

describe('prepayment penalty', () => {
  const life = () => live(contractOf({ prepaymentPenalty: money('75') })).fund();

  test('falls due with the payment that brings the principal to zero, and takes what that payment has left', () => {
    const one = life().pay('2026-02-01', '10150', 'A');
    expect(one.loan('2026-02-01').payments[0]?.allocation).toEqual({
      fees: 5000,
      interest: 10000,
      principal: 1000000,
      credit: 0,
    });
    expect(payoff(one.loan('2026-02-02'))).toMatchObject({ payoff: 2500, fees: 2500, prepaymentPenalty: 0 });
  });

  test('none on the last due date, and none when the payment that paid the loan off is returned', () => {
    expect(payoff(life().loan('2027-01-01')).prepaymentPenalty).toBe(0);
    const one = life().pay('2026-02-01', '10175', 'A');
    one.take('2026-02-03', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
    expect(one.loan('2026-02-03').fees).toEqual([]);
    expect(payoff(one.loan('2026-02-03')).prepaymentPenalty).toBe(7500);
  });
});

describe('a payoff quote is kept, and honoured to the cent when the money arrives in time', () => {
  const quoted = () => {
    const life = live(daily()).fund().pay('2026-02-01', '888.49', 'A');
    life.take('2026-02-10', {
      do: 'payoff-quotes',
      quoteId: 'Q',
      date: date('2026-02-10'),
      goodThrough: date('2026-02-20'),
    });
    return { life, amount: life.loan('2026-02-10').quotes[0]?.amount ?? money('0') };
  };
  const send = (life: ReturnType<typeof quoted>['life'], day: string, amount: number, refId = 'ALL') =>
    life.take(day, {
      do: 'loan-repay',
      refId,
      amount: money((amount / 100).toFixed(2)),
      date: null,
      purpose: 'installment',
      acceptOverpayment: false,
      reason: null,
    });

  test('it is the payoff of its last valid day', () => {
    const { life, amount } = quoted();
    expect(amount).toBe(payoff(life.loan('2026-02-20')).payoff);
  });

  test('if more is owed by then, the remainder is waived', () => {
    const { life, amount } = quoted();
    life.take('2026-02-12', {
      do: 'assess-fee',
      feeId: 'F',
      kind: 'fee',
      name: 'fee',
      amount: money('40'),
      date: null,
    });
    send(life, '2026-02-20', amount);
    const loan = life.loan('2026-02-20');
    expect(loan).toMatchObject({ principal: 0, interest: 0, credit: 0 });
    expect(loan.totals.principalForgiven).toBe(4000);
    expect(loan.quotes[0]).toMatchObject({ received: amount, honouredOn: '2026-02-20' });
  });

  test('a day late, it is not: the interest of that day stays owed', () => {
    const { life, amount } = quoted();
    send(life, '2026-02-21', amount);
    const loan = life.loan('2026-02-21');
    expect(loan.quotes[0]?.honouredOn).toBeNull();
    expect(payoff(loan).payoff).toBe(payoff(quoted().life.loan('2026-02-21')).payoff - amount);
    expect(payoff(loan).payoff).toBeGreaterThan(0);
  });

  test('money known when it was made, even on the same day, does not count towards it', () => {
    const life = live(daily()).fund().pay('2026-02-01', '888.49', 'A');
    const quote = {
      do: 'payoff-quotes',
      quoteId: 'Q',
      date: date('2026-02-01'),
      goodThrough: date('2026-02-11'),
    } as const;
    life.take('2026-02-01', quote);
    const amount = life.loan('2026-02-01').quotes[0]?.amount ?? 0;
    send(life, '2026-02-11', amount - 888_49);
    expect(life.loan('2026-02-11').quotes[0]).toMatchObject({ received: amount - 888_49, honouredOn: null });
  });

  test('a returned payment does not fulfil the quote', () => {
    const { life, amount } = quoted();
    send(life, '2026-02-15', amount);
    life.take('2026-02-18', { do: 'return-repayment', refId: 'ALL', date: null, reason: 'NSF' });
    expect(life.loan('2026-02-18').quotes[0]).toMatchObject({ received: 0, honouredOn: null });
    expect(life.loan('2026-02-18').principal).toBeGreaterThan(0);
  });

  test('settlement: more than was agreed becomes a credit', () => {
    const life = live(daily()).fund();
    const through = addDays(date('2026-03-01'), 30);
    life.take('2026-03-01', { do: 'settle', quoteId: 'S', amount: money('6000'), goodThrough: through, reason: 'x' });
    life.pay('2026-03-10', '4000', 'A').pay('2026-03-20', '2100', 'B');
    const loan = life.loan('2026-03-20');
    expect(loan).toMatchObject({ principal: 0, interest: 0, credit: 10000 });
    expect(loan.payments[1]?.allocation.credit).toBe(10000);
    const { received, principalPaid, interestPaid, feesPaid, credited } = loan.totals;
    expect(principalPaid + interestPaid + feesPaid + credited).toBe(received);
    expect(loan.totals.principalForgiven + principalPaid).toBe(loan.totals.disbursed);
  });
});

test('a refund of money that is returned later is owed again, as principal', () => {
  const life = live()
    .fund()
    .pay('2026-02-01', '888.49', 'A')
    .pay('2026-03-01', '9313.63', 'B', { acceptOverpayment: true });
  const credit = life.loan('2026-03-01').credit;
  expect(credit).toBeGreaterThan(0);
  life.take('2026-03-02', { do: 'refund-credit', refId: 'R', amount: credit });
  life.take('2026-03-10', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
  const loan = life.loan('2026-03-10');
  // Without A: 200.00 of interest and 9,113.63 of principal, and the refund is lent again.
  expect(loan.principal).toBe(1000000 - 911363 + credit);
  expect(loan.credit).toBe(0);
});

test('the payoff over a date range equals that of each day, including late fees and agreed changes', () => {
  const lateFee = {
    flat: money('25'),
    percent: null,
    floor: null,
    cap: null,
    graceDays: 10,
    judge: 'currentFirst' as const,
  };
  const life = live(daily({ prepaymentPenalty: money('75') }), { lateFee })
    .fund()
    .pay('2026-01-20', '100', 'A');
  const [from, through] = [date('2026-01-25'), date('2026-04-20')];
  const folded = new Set<string>();
  const days = payoffsThrough(
    (day) => {
      folded.add(day);
      return life.loan(day);
    },
    from,
    through,
  );
  expect(days).toEqual(Array.from({ length: 86 }, (_, i) => payoff(life.loan(addDays(from, i)))));
  // Three late fees and nothing else: most days need no fold of their own.
  expect(new Set(days.map(({ fees }) => fees))).toEqual(new Set([0, 2_500, 5_000, 7_500]));
  expect(folded.size).toBeLessThan(30);
});
