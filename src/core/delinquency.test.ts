import { describe, expect, test } from 'vitest';
import { contractOf, FLAT_LATE_FEE as flat, type Life, live, money } from '../../test/support/life.ts';
import { addDays, date } from './calendar.ts';
import { bucketOf, chargeOffDue, delinquency, openInstallments, pastDueFrom } from './delinquency.ts';
import { cents } from './money.ts';
import { DEFAULT_POLICY, type LateFeePolicy, type Policy } from './policy.ts';
import { percent } from './rate.ts';

const late = (life: Life, on: string) => delinquency(life.loan(on));
const fees = (life: Life, on: string) =>
  life.loan(on).fees.map(({ feeId, date, amount }) => [feeId, date as string, amount]);

describe('days past due count from the due date of the oldest unsatisfied installment', () => {
  test('0 on the due date, 1 on the day after', () => {
    const life = live().fund();
    expect(late(life, '2026-02-01').daysPastDue).toBe(0);
    expect(late(life, '2026-02-02')).toMatchObject({ daysPastDue: 1, pastDueAmount: 88849, bucket: '1-29' });
  });

  test('paying the oldest moves the count to the next', () => {
    const life = live().fund().pay('2026-03-20', '888.49', 'A');
    expect(late(life, '2026-03-20')).toMatchObject({ daysPastDue: 19, oldestDueDate: '2026-03-01' });
  });

  test.each([
    [0, 'current'],
    [1, '1-29'],
    [29, '1-29'],
    [30, '30-59'],
    [59, '30-59'],
    [60, '60-89'],
    [89, '60-89'],
    [90, '90-119'],
    [119, '90-119'],
    [120, '120+'],
  ])('bucket of %i days: %s', (days, bucket) => {
    expect(bucketOf(days)).toBe(bucket);
  });

  test('six half payments of 300.00 are 900.00 or three full months past due (FFIEC policy, 65 FR 36903)', () => {
    const life = live(contractOf({ amount: money('18000'), rate: percent('0'), count: 60 })).fund();
    for (let month = 2; month <= 7; month++) life.pay(`2026-0${month}-01`, '150', `P${month}`);
    expect(late(life, '2026-07-02')).toMatchObject({ pastDueAmount: 90000, oldestDueDate: '2026-05-01' });
  });
});

describe('an installment of which at least 90 % is paid counts as paid; the shortage stays owed (FFIEC)', () => {
  const paying = (amount: string) => live().fund().pay('2026-02-01', amount, 'A');

  test('90 % is enough, a cent less is not', () => {
    // 90 % of 888.49 is 799.641.
    expect(late(paying('799.65'), '2026-02-20').daysPastDue).toBe(0);
    expect(late(paying('799.64'), '2026-02-20').daysPastDue).toBe(19);
  });

  test('the shortage is due with the next installment', () => {
    expect(late(paying('800'), '2026-02-20')).toMatchObject({
      pastDueAmount: 0,
      nextDueDate: '2026-03-01',
      nextDueAmount: 88849 + 8849,
    });
  });

  test('another percentage by policy', () => {
    const life = live(contractOf(), { satisfiedPercent: 100 }).fund().pay('2026-02-01', '888.48', 'A');
    expect(late(life, '2026-02-20')).toMatchObject({ daysPastDue: 19, pastDueAmount: 1 });
  });
});

describe('next payment and paid ahead', () => {
  test('paying ahead moves the next due date', () => {
    const life = live().fund().pay('2026-02-01', '2665.47', 'A');
    expect(late(life, '2026-02-01')).toMatchObject({ nextDueDate: '2026-05-01', nextDueAmount: 88849, paidAhead: 2 });
  });

  test('principal-only money does not pay ahead, even though nothing is due on the last installments', () => {
    const life = live()
      .fund()
      .pay('2026-02-01', '888.49', 'A')
      .pay('2026-02-01', '5000', 'B', { purpose: 'principal' });
    const { nextDueDate, paidAhead, remaining } = late(life, '2026-02-02');
    expect([nextDueDate, paidAhead]).toEqual(['2026-03-01', 0]);
    // 4,211.51 at 1 % a month in payments of 888.49: five of them.
    expect(remaining).toBe(5);
  });

  test('an untouched loan follows its schedule exactly, including the last installment', () => {
    const loan = live().fund().loan('2026-01-20');
    expect(openInstallments(loan).map(({ open }) => open)).toEqual(loan.installments.map(({ amount }) => amount));
  });

  test('once the last due date has come, everything is due', () => {
    const life = live().fund();
    const loan = life.loan('2027-01-02');
    expect(delinquency(loan).pastDueAmount).toBe(loan.principal + loan.interest);
  });
});

describe('late fee: once per installment, after the grace days', () => {
  const late10 = (more: Partial<Policy> = {}) => live(contractOf(), { lateFee: flat, ...more }).fund();

  test('paid by the end of the last grace day is on time; the fee is charged the day after', () => {
    expect(fees(late10().pay('2026-02-11', '888.49', 'A'), '2026-02-28')).toEqual([]);
    expect(fees(late10(), '2026-02-11')).toEqual([]);
    expect(fees(late10(), '2026-02-12')).toEqual([['late-1', '2026-02-12', 2500]]);
  });

  test('once, however long it stays unpaid; the next installment has its own', () => {
    expect(fees(late10(), '2026-03-11').length).toBe(1);
    expect(fees(late10(), '2026-03-12').map(([feeId]) => feeId)).toEqual(['late-1', 'late-2']);
  });

  test('an unpaid late fee alone makes no installment late (16 CFR 444.4)', () => {
    const life = late10().pay('2026-02-20', '888.49', 'A').pay('2026-03-01', '888.49', 'B');
    expect(fees(life, '2026-03-31').map(([feeId]) => feeId)).toEqual(['late-1']);
  });

  test('an installment paid to 90 % is not late', () => {
    expect(fees(late10().pay('2026-02-01', '799.65', 'A'), '2026-02-28')).toEqual([]);
    expect(fees(late10().pay('2026-02-01', '799.64', 'A'), '2026-02-28').length).toBe(1);
  });

  test.each([
    ['5 % of what is open', null, null, 4442],
    ['floor', '50', null, 5000],
    ['cap', null, '20', 2000],
  ])('percent: %s', (_name, floor, cap, amount) => {
    const lateFee: LateFeePolicy = {
      flat: null,
      percent: percent('5'),
      floor: floor === null ? null : money(floor),
      cap: cap === null ? null : money(cap),
      graceDays: 10,
      judge: 'currentFirst',
    };
    expect(fees(late10({ lateFee }), '2026-02-12')).toEqual([['late-1', '2026-02-12', amount]]);
  });

  test('percent is of the installment, whatever of it was paid', () => {
    const lateFee = { ...flat, flat: null, percent: percent('10') };
    expect(fees(late10({ lateFee }).pay('2026-02-05', '388.49', 'A'), '2026-02-12')).toEqual([
      ['late-1', '2026-02-12', 8885],
    ]);
  });

  test('a return that makes an installment late causes its fee on the day the return is recorded', () => {
    const life = late10().pay('2026-02-01', '888.49', 'A');
    life.take('2026-02-25', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
    expect(fees(life, '2026-02-24')).toEqual([]);
    expect(fees(life, '2026-02-25')).toEqual([['late-1', '2026-02-25', 2500]]);
  });

  test('a return within the grace days causes it when they are over', () => {
    const life = late10().pay('2026-02-01', '888.49', 'A');
    life.take('2026-02-05', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
    expect(fees(life, '2026-02-28')).toEqual([['late-1', '2026-02-12', 2500]]);
  });

  test('a backdated payment that makes it on time reverses the fee', () => {
    const life = late10();
    expect(fees(life, '2026-02-20').length).toBe(1);
    life.pay('2026-02-20', '888.49', 'A', { date: life.loan('2026-02-05').on });
    expect(fees(life, '2026-02-20')).toEqual([]);
    expect(life.loan('2026-02-20').totals.feesAssessed).toBe(0);
  });

  test('no late fee after charge-off', () => {
    const life = late10();
    life.take('2026-02-15', { do: 'charge-off', date: null, reason: 'fraud', collateral: cents(0) });
    expect(fees(life, '2026-06-30').length).toBe(1);
  });
});

describe('whether an installment is late is judged by the money that counts for it', () => {
  const lived = (judge: LateFeePolicy['judge'], more: Partial<LateFeePolicy> = {}) =>
    live(contractOf(), { lateFee: { ...flat, judge, ...more } }).fund();
  const names = (life: Life, on: string) => fees(life, on).map(([feeId]) => feeId);
  /** February is missed; March, April and May are paid on their days. */
  const missedOne = (life: Life) =>
    life.pay('2026-03-01', '888.49', 'A').pay('2026-04-01', '888.49', 'B').pay('2026-05-01', '888.49', 'C');

  test('currentFirst: one missed installment followed by on-time payments causes one fee (UCCC 2.502)', () => {
    expect(fees(missedOne(lived('currentFirst')), '2026-05-31')).toEqual([['late-1', '2026-02-12', 2500]]);
  });

  test('oldestFirst: it causes one every month', () => {
    expect(fees(missedOne(lived('oldestFirst')), '2026-05-31')).toEqual([
      ['late-1', '2026-02-12', 2500],
      ['late-2', '2026-03-12', 2500],
      ['late-3', '2026-04-12', 2500],
      ['late-4', '2026-05-12', 2500],
    ]);
  });

  test('what is paid and past due is the same under both: the oldest first', () => {
    const [one, other] = [missedOne(lived('currentFirst')), missedOne(lived('oldestFirst'))];
    for (const life of [one, other]) {
      expect(late(life, '2026-05-11')).toMatchObject({ oldestDueDate: '2026-05-01', pastDueAmount: 88849 });
    }
  });

  test('currentFirst: a late payment counts for the installment most recently due, not for the next one', () => {
    const life = lived('currentFirst').pay('2026-02-20', '888.49', 'A');
    expect(names(life, '2026-03-31')).toEqual(['late-1', 'late-2']);
  });

  test('currentFirst: money beyond the installment most recently due counts for older ones, then for future ones', () => {
    // February and March are missed. April pays three installments: its own, March and February. May pays none.
    const life = lived('currentFirst').pay('2026-04-01', '2665.47', 'A');
    expect(names(life, '2026-05-31')).toEqual(['late-1', 'late-2', 'late-4']);
    const more = lived('currentFirst').pay('2026-04-01', '3553.96', 'A');
    expect(names(more, '2026-05-31')).toEqual(['late-1', 'late-2']);
  });

  test('a percentage is not taken of what late fees left open (16 CFR 444.4)', () => {
    // A tenth of February, 88.85, is paid first out of the 388.49 received for March.
    const waterfall = [
      'pastDue.penalty',
      ...DEFAULT_POLICY.waterfall.filter((one) => one !== 'pastDue.penalty'),
    ] as const;
    const lateFee = { ...flat, flat: null, percent: percent('10') };
    for (const judge of ['currentFirst', 'oldestFirst'] as const) {
      const life = live(contractOf(), { waterfall, lateFee: { ...lateFee, judge } }).fund();
      life.pay('2026-02-11', '0.01', 'A').pay('2026-02-28', '888.48', 'B').pay('2026-03-01', '388.49', 'C');
      expect(life.loan('2026-03-01').totals.feesPaid).toBe(8885);
      expect(fees(life, '2026-03-31')).toEqual([
        ['late-1', '2026-02-12', 8885],
        ['late-2', '2026-03-12', 8885],
      ]);
    }
  });

  test('currentFirst: a return that makes the current installment late causes its fee on the day it is recorded', () => {
    const life = lived('currentFirst').pay('2026-03-01', '888.49', 'A');
    life.take('2026-03-20', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
    expect(fees(life, '2026-03-31')).toEqual([
      ['late-1', '2026-02-12', 2500],
      ['late-2', '2026-03-20', 2500],
    ]);
  });

  test('currentFirst: money that satisfies no installment counts for none', () => {
    const life = lived('currentFirst').pay('2026-03-01', '888.49', 'A', { purpose: 'principal' });
    expect(names(life, '2026-03-31')).toEqual(['late-1', 'late-2']);
  });

  test('currentFirst: an installment that was actually paid within the grace days is not late', () => {
    // Weekly, ten days of grace, each paid eight days after its due date, when the next one is due already.
    const weekly = contractOf({ frequency: 'Weekly', firstPaymentDate: date('2026-01-08'), dayCount: 'actual/364' });
    const life = live(weekly, { lateFee: flat }).fund();
    const amount = (life.loan('2026-01-01').installments[0]?.amount ?? 0) / 100;
    for (let n = 0; n < 6; n++) life.pay(addDays(date('2026-01-16'), 7 * n), amount.toFixed(2), `P-${n}`);
    expect(fees(life, '2026-02-20')).toEqual([]);
  });

  test('currentFirst: after an extension money counts as it was allocated', () => {
    // March is paid on its day and pays February. The extension moves March to April: nothing of it is paid.
    const life = lived('currentFirst').pay('2026-03-01', '888.49', 'A');
    life.take('2026-03-05', { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true });
    expect(fees(life, '2026-04-30')).toEqual([
      ['late-1', '2026-02-12', 2500],
      ['late-2', '2026-04-12', 2500],
    ]);
    const punctual = lived('currentFirst').pay('2026-03-01', '888.49', 'A');
    punctual.take('2026-03-05', { do: 'extend', periods: 1, date: null, reason: 'hardship', override: true });
    expect(names(punctual.pay('2026-04-01', '888.49', 'B'), '2026-04-30')).toEqual(['late-1']);
  });

  test('currentFirst: another due date causes no second fee for the missed installment', () => {
    const life = lived('currentFirst').pay('2026-03-01', '888.49', 'A');
    life.take('2026-03-05', { do: 'change-due-date', to: date('2026-04-15'), date: null, reason: 'payday' });
    expect(names(life, '2026-04-25')).toEqual(['late-1']);
  });
});

test('a loan boarded within the grace days of an installment is judged here; earlier late fees are in its figures', () => {
  const taken = (day: string) => {
    const life = live(contractOf(), { lateFee: flat }).approve(day);
    const opening = {
      date: life.loan(day).on,
      principal: money('10000'),
      interest: money('105'),
      fees: cents(0),
      paidThrough: null,
    };
    life.take(day, { do: 'fund-loan', date: null, opening });
    return fees(life, '2026-02-28');
  };
  expect(taken('2026-02-05')).toEqual([['late-1', '2026-02-12', 2500]]);
  expect(taken('2026-02-12')).toEqual([]);
});

test('charge-off is due at the end of the month in which 120 days past due is reached (FFIEC)', () => {
  // 1 February + 120 days is 1 June.
  expect(chargeOffDue(live().fund().loan('2026-03-15'))).toBe('2026-06-30');
  expect(chargeOffDue(live().fund().loan('2026-02-01'))).toBeNull();
});

describe('the date from which days past due will count', () => {
  const from = (life: Life, on: string) => pastDueFrom(life.loan(on));

  test('is the due date of the first unpaid installment, past or future', () => {
    const life = live().fund();
    expect(from(life, '2026-01-15')).toBe('2026-02-01');
    expect(from(life, '2026-06-15')).toBe('2026-02-01');
    expect(from(life.pay('2026-02-01', '888.49', 'A'), '2026-02-01')).toBe('2026-03-01');
  });

  test('skips an installment that counts as paid', () => {
    expect(from(live().fund().pay('2026-02-01', '799.65', 'A'), '2026-02-01')).toBe('2026-03-01');
    expect(from(live().fund().pay('2026-02-01', '799.64', 'A'), '2026-02-01')).toBe('2026-02-01');
  });

  test('stays with a charged-off loan', () => {
    const life = live().fund();
    life.take('2026-06-30', { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) });
    expect(from(life, '2026-12-31')).toBe('2026-02-01');
  });

  test('is null before funding and when nothing is owed', () => {
    expect(from(live().approve('2026-01-01'), '2026-01-01')).toBeNull();
    expect(from(live().fund().pay('2026-02-01', '10100', 'A'), '2026-02-01')).toBeNull();
  });

  test('is the last due date for a shortage that counts as paid before it', () => {
    const contract = contractOf({ amount: money('1000'), rate: percent('365'), dayCount: 'actual/365', count: 1 });
    const life = live(contract).fund().pay('2026-02-01', '1300', 'A');
    expect(from(life, '2026-02-01')).toBe('2026-02-01');
    expect(late(life, '2026-02-02')).toMatchObject({ daysPastDue: 1, pastDueAmount: 1010 });
  });

  test('cannot predict a shortage that counts as paid until its interest exceeds ten percent', () => {
    // 600.00 of the first installment's 735.44 is paid, and 45.00 is owed in all. On 20 February that is 67.05, more than a tenth of 667.05.
    const contract = contractOf({ amount: money('1000'), rate: percent('365'), dayCount: 'actual/365', count: 2 });
    const life = live(contract)
      .fund()
      .pay('2026-01-02', '600', 'A')
      .pay('2026-01-02', '365', 'B', { purpose: 'principal' });
    expect(life.loan('2026-01-02').principal).toBe(4500);
    expect(from(life, '2026-01-03')).toBe('2026-03-01');
    expect(late(life, '2026-02-19').daysPastDue).toBe(0);
    expect(late(life, '2026-02-20').daysPastDue).toBe(19);
    expect(from(life, '2026-02-20')).toBe('2026-02-01');
  });
});
