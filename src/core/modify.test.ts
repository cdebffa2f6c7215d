import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { date } from './calendar.ts';
import { delinquency } from './delinquency.ts';
import { fold } from './fold.ts';
import type { Contract } from './loan.ts';
import { cents } from './money.ts';
import { percent } from './rate.ts';
import { statusOf } from './status.ts';

const dues = (life: Life, on: string, from: number, to: number) =>
  life
    .loan(on)
    .installments.slice(from - 1, to)
    .map(({ dueDate }) => dueDate as string);
const extend = (periods = 1) => ({ do: 'extend', periods, date: null, reason: 'hardship', override: true }) as const;

describe('extension: unsatisfied installments move by whole periods, the last as far as the first', () => {
  test('month ends keep the day of the contract', () => {
    const contract = contractOf({ contractDate: date('2025-12-31'), firstPaymentDate: date('2026-01-31') });
    const life = live(contract).fund('2025-12-31').pay('2026-01-31', '888.49', 'A');
    life.take('2026-02-10', extend());
    expect(dues(life, '2026-02-10', 1, 4)).toEqual(['2026-01-31', '2026-03-31', '2026-04-30', '2026-05-31']);
    expect(dues(life, '2026-02-10', 12, 12)).toEqual(['2027-01-31']);
  });

  test('a second one moves by one period again, despite the gap after the last payment', () => {
    const life = live().fund().pay('2026-02-01', '888.49', 'A');
    life.take('2026-02-10', extend());
    life.take('2026-03-10', extend());
    expect(dues(life, '2026-03-10', 1, 3)).toEqual(['2026-02-01', '2026-05-01', '2026-06-01']);
  });

  test.each([
    ['SemiMonthly', '2026-01-16', ['2026-02-01', '2026-02-16', '2026-03-01']],
    ['SemiMonthly', '2026-01-30', ['2026-02-15', '2026-02-28', '2026-03-15']],
    ['BiWeekly', '2026-01-16', ['2026-01-30', '2026-02-13', '2026-02-27']],
    ['Quarterly', '2026-04-01', ['2026-07-01', '2026-10-01', '2027-01-01']],
  ] as const)('%s from %s', (frequency, first, expected) => {
    const life = live(contractOf({ frequency, firstPaymentDate: date(first) })).fund();
    life.take('2026-01-10', extend());
    expect(dues(life, '2026-01-10', 1, 3)).toEqual(expected);
  });

  test('after the due day was changed it keeps the new day', () => {
    const life = live().fund();
    life.take('2026-01-10', { do: 'change-due-date', to: date('2026-02-20'), date: null, reason: 'payday' });
    life.take('2026-01-11', extend());
    expect(dues(life, '2026-01-11', 1, 2)).toEqual(['2026-03-20', '2026-04-20']);
  });

  test('an installment that counts as paid stays where it is', () => {
    const life = live().fund().pay('2026-02-01', '850', 'A');
    life.take('2026-02-10', extend());
    expect(dues(life, '2026-02-10', 1, 2)).toEqual(['2026-02-01', '2026-04-01']);
  });

  test('interest continues to accrue daily and only the last payment rises', () => {
    const life = live().fund();
    const before = life.loan('2026-01-10').installments.map(({ amount }) => amount);
    life.take('2026-01-10', extend(2));
    const loan = life.loan('2026-04-01');
    expect(loan.installments.map(({ amount }) => amount)).toEqual(before);
    expect(loan.interest).toBe(30000);
  });

  test('it makes a late loan current and ends a default', () => {
    const life = live().fund();
    life.take('2026-05-10', { do: 'default', ground: 'pastDue', reason: 'policy' });
    expect(statusOf(life.loan('2026-05-10'))).toBe('Defaulted');
    life.take('2026-05-10', extend(4));
    expect(statusOf(life.loan('2026-05-10'))).toBe('Funded');
    expect(delinquency(life.loan('2026-05-10')).daysPastDue).toBe(0);
  });
});

describe('due-date change', () => {
  test('a new day of the month for all remaining installments', () => {
    const life = live().fund().pay('2026-02-01', '888.49', 'A');
    life.take('2026-02-10', { do: 'change-due-date', to: date('2026-03-31'), date: null, reason: 'payday' });
    expect(dues(life, '2026-02-10', 1, 4)).toEqual(['2026-02-01', '2026-03-31', '2026-04-30', '2026-05-31']);
  });

  test('a shortage of an older installment does not move the others by a month', () => {
    const life = live().fund().pay('2026-02-01', '850', 'A');
    life.take('2026-02-10', { do: 'change-due-date', to: date('2026-03-15'), date: null, reason: 'payday' });
    expect(dues(life, '2026-02-10', 1, 3)).toEqual(['2026-02-01', '2026-03-15', '2026-04-15']);
  });

  test('every two weeks: the same number of days for all', () => {
    const life = live(contractOf({ frequency: 'BiWeekly', firstPaymentDate: date('2026-01-16') })).fund();
    life.take('2026-01-10', { do: 'change-due-date', to: date('2026-01-19'), date: null, reason: 'payday' });
    expect(dues(life, '2026-01-10', 1, 3)).toEqual(['2026-01-19', '2026-02-02', '2026-02-16']);
  });
});

test('re-ageing: past-due installments move to the next due date and beyond', () => {
  const life = live().fund().pay('2026-02-01', '888.49', 'A');
  life.take('2026-05-10', { do: 'reage', date: null, reason: 'back at work', override: true });
  expect(dues(life, '2026-05-10', 1, 3)).toEqual(['2026-02-01', '2026-06-01', '2026-07-01']);
  expect(delinquency(life.loan('2026-05-10'))).toMatchObject({ daysPastDue: 0, nextDueDate: '2026-06-01' });
});

describe('SCRA (50 USC 3937): interest above 6 % is forgiven, and the payment falls by it', () => {
  const scra = (life: Life, today: string, from: string, to: string | null = null) => {
    const service = { from: date(from), to: to === null ? null : date(to) };
    return life.take(today, {
      do: 'change-rate',
      rate: percent('6'),
      date: null,
      why: 'scra',
      service,
      reason: 'orders',
    });
  };
  const amounts = (life: Life, on: string) => life.loan(on).installments.map(({ amount }) => amount);

  test('25,000 at 9 %: 62.50 a month less (scrasaver.com: 25,000 × 3 % ÷ 12 = 62.50), 750 a year', () => {
    const contract = { amount: money('25000'), rate: percent('9'), count: 60, amortization: 'InterestOnly' } as const;
    const life = live(contractOf(contract)).fund();
    const before = amounts(life, '2026-01-01');
    scra(life, '2026-02-01', '2026-02-01');
    const less = amounts(life, '2026-02-01').map((amount, i) => (before[i] ?? 0) - amount);
    expect(less.slice(0, 3)).toEqual([0, 6250, 6250]);
    expect(less.slice(1, 13).reduce((sum, one) => sum + one, 0)).toBe(75000);
  });

  test('the scheduled principal stays; each payment falls by exactly the interest forgiven in it', () => {
    const life = live().fund();
    const before = life.loan('2026-01-01').installments;
    scra(life, '2026-03-01', '2026-03-01');
    const after = life.loan('2026-03-01').installments;
    let balance = 1000000;
    before.forEach((installment, i) => {
      const now = after[i];
      expect(now?.principal).toBe(installment.principal);
      // From 1 March a month costs half a percent instead of one.
      const forgiven = i < 2 ? 0 : Math.round(balance / 100) - Math.round(balance / 200);
      expect(installment.amount - (now?.amount ?? 0)).toBe(forgiven);
      balance -= installment.principal;
    });
  });

  test('back to the start of service: what was paid above it satisfies further installments', () => {
    const life = live().fund().pay('2026-02-01', '888.49', 'A').pay('2026-03-01', '888.49', 'B');
    scra(life, '2026-03-10', '2026-02-01');
    const loan = life.loan('2026-03-10');
    // Half of 92.12 is forgiven: B pays 46.06 of interest, and 46.06 more than is due on installment 2 goes to the third.
    expect(loan.payments[1]?.allocation).toMatchObject({ interest: 4606, principal: 84243 });
    expect(loan.installments[1]).toMatchObject({ amount: 84243, paid: 84243 });
    expect(loan.installments[2]?.paid).toBe(4606);
  });

  test('a period that the change divides keeps the old rate for its first part', () => {
    const life = live().fund();
    scra(life, '2026-01-11', '2026-01-11');
    // Ten days at 12 % and twenty at 6 % on 10,000: 33.33 + 33.33.
    expect(life.loan('2026-01-11').installments[0]).toMatchObject({ interest: 6666, principal: 78849 });
  });

  test('back at the contract’s rate the payments are as before', () => {
    const life = live().fund();
    const before = amounts(life, '2026-01-01');
    scra(life, '2026-02-01', '2026-02-01', '2026-05-31');
    expect(amounts(life, '2026-02-01').slice(5)).toEqual(before.slice(5));
    expect(amounts(life, '2026-02-01')[3]).toBeLessThan(before[3] ?? 0);
  });

  test('an extension before it raises no payment', () => {
    const life = live().fund();
    const before = amounts(life, '2026-01-10');
    life.take('2026-01-10', extend(2));
    scra(life, '2026-01-20', '2026-01-20');
    amounts(life, '2026-01-20').forEach((amount, i) => {
      expect(amount).toBeLessThan(before[i] ?? 0);
    });
  });
});

describe('re-amortization', () => {
  const paysOff = (life: Life, from: number, day: string) => {
    // Every remaining payment on its due date: the last is at most a few cents of rounding above the others.
    const { installments } = life.loan(day);
    const left = installments.slice(from - 1);
    for (const { n, dueDate, amount, paid } of left.slice(0, -1)) {
      life.pay(dueDate, ((amount - paid) / 100).toFixed(2), `R${n}`);
    }
    const last = installments.at(-1)?.dueDate as string;
    const { nextDueAmount } = delinquency(life.loan(last));
    const level = left[0] === undefined ? 0 : left[0].amount - left[0].paid;
    return Math.abs(nextDueAmount - level);
  };
  const again = { do: 'reamortize', date: null, reason: 'asked for' } as const;

  test('after a principal payment every remaining payment is smaller and clears the loan', () => {
    const life = live()
      .fund()
      .pay('2026-02-01', '888.49', 'A')
      .pay('2026-02-01', '5000', 'B', { purpose: 'principal' });
    life.take('2026-02-02', again);
    // PMT(1 %; 11; 4,211.51).
    expect(life.loan('2026-02-02').installments[1]?.amount).toBe(40622);
    expect(paysOff(life, 2, '2026-02-02')).toBeLessThan(12);
  });

  test('interest already owed is added to the first payment, so the last one is not larger', () => {
    const life = live()
      .fund()
      .pay('2026-02-01', '888.49', 'A')
      .pay('2026-02-21', '5000', 'B', { purpose: 'principal' });
    life.take('2026-02-25', again);
    expect(paysOff(life, 2, '2026-02-25')).toBeLessThan(12);
  });

  test('past-due installments stay due and are not spread a second time', () => {
    const life = live().fund().pay('2026-02-01', '888.49', 'A');
    life.take('2026-03-20', again);
    const before = live().fund().pay('2026-02-01', '888.49', 'A').loan('2026-03-20').installments;
    const { installments } = life.loan('2026-03-20');
    expect(installments[1]).toEqual(before[1]);
    // Only the interest of the days since then is new: 19 days on 9,211.51 less what March would have paid.
    expect((installments[2]?.amount ?? 0) - (before[2]?.amount ?? 0)).toBeLessThan(600);
    life.pay('2026-03-20', '888.49', 'LATE');
    expect(paysOff(life, 3, '2026-03-20')).toBeLessThan(600);
  });

  test('when the interest-only time is over, principal is amortized, not left to the end', () => {
    const contract: Contract = contractOf({ amortization: 'InterestOnly', interestOnlyCount: 2, balloon: cents(0) });
    const life = live(contract).fund();
    for (const [i, day] of ['2026-02-01', '2026-03-01'].entries()) life.pay(day, '100', `I${i}`);
    life.pay('2026-04-01', '1055.82', 'L1');
    life.take('2026-04-02', again);
    expect(life.loan('2026-04-02').installments[4]?.principal).toBeGreaterThan(900_00);
  });
});

describe('skipped installments', () => {
  /** Contracts of the service skip nothing; the calculators' terms can. */
  const skipping = (life: Life, on: string) =>
    fold(
      life.events.map((event) =>
        event.type === 'funded' ? { ...event, terms: { ...event.terms, skip: [2] } } : event,
      ),
      date(on),
    );

  test('SCRA: nothing is due on a skipped installment; its interest is in the next', () => {
    const life = live().fund();
    const before = skipping(life, '2026-01-01').installments;
    const service = { from: date('2026-01-02'), to: null };
    const why = 'scra';
    life.take('2026-01-02', { do: 'change-rate', rate: percent('6'), date: null, why, service, reason: 'orders' });
    const after = skipping(life, '2026-01-02').installments;
    expect(after[1]?.amount).toBe(0);
    // Two months at half a percent instead of one on what is left after the first payment.
    const left = 1000000 - (before[0]?.principal ?? 0);
    expect((before[2]?.amount ?? 0) - (after[2]?.amount ?? 0)).toBe(
      Math.round((left * 2) / 100) - Math.round(left / 100),
    );
  });

  test('an extension does not move a skipped installment in the past', () => {
    const life = live().fund().pay('2026-02-01', '900', 'A');
    life.take('2026-03-10', { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true });
    const { installments } = skipping(life, '2026-03-10');
    expect(installments.slice(1, 3).map(({ dueDate }) => dueDate as string)).toEqual(['2026-03-01', '2026-05-01']);
  });
});

describe('another due date', () => {
  const moved = (life: Life, today: string, to: string, on: string | null = null) =>
    life.ask(today, {
      ...{ do: 'change-due-date', to: date(to), reason: 'payday' },
      date: on === null ? null : date(on),
    });

  test('leaves past due what is past due', () => {
    const life = live().fund();
    life.take('2026-02-20', { do: 'change-due-date', to: date('2026-03-15'), date: null, reason: 'payday' });
    const { installments } = life.loan('2026-02-20');
    expect(installments.slice(0, 3).map(({ dueDate }) => dueDate)).toEqual(['2026-02-01', '2026-03-15', '2026-04-15']);
    expect(statusOf(life.loan('2026-02-20'))).toBe('Delinquent');
    // Nor does a date in the past move it.
    expect(moved(life, '2026-02-21', '2026-02-25', '2026-01-15')).toMatchObject({ refused: 'invalid_value' });
  });

  test('is at most 31 days from that of the contract, in however many steps', () => {
    const life = live().fund();
    life.take('2026-01-10', { do: 'change-due-date', to: date('2026-02-20'), date: null, reason: 'payday' });
    expect(moved(life, '2026-01-11', '2026-03-05')).toMatchObject({ refused: 'invalid_value', member: 'to' });
    life.take('2026-01-12', { do: 'change-due-date', to: date('2026-02-05'), date: null, reason: 'payday' });
    expect(life.loan('2026-01-12').shiftedDays).toBe(4);
  });
});
