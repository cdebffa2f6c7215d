import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live } from '../../test/support/life.ts';
import { cents } from './money.ts';
import { closedBy, finalPayment, paymentStatus, statusOf, storedStatus } from './status.ts';

const status = (life: Life, on: string) => statusOf(life.loan(on));
const acknowledge = (life: Life, day: string, ...refIds: string[]) => {
  for (const refId of refIds) life.take(day, { do: 'acknowledge-repayment', refId });
  return life;
};

describe('Current and Delinquent are derived and cure automatically', () => {
  test('Delinquent when something is past due beyond the grace days', () => {
    const life = live().fund();
    expect(status(life, '2026-02-11')).toBe('Funded');
    expect(status(life, '2026-02-12')).toBe('Delinquent');
    life.pay('2026-02-15', '888.49', 'A');
    expect(status(life, '2026-02-15')).toBe('Current');
  });

  test('Defaulted is set by an event, does not accelerate, and cures when nothing is past due', () => {
    const life = live().fund();
    life.take('2026-05-02', { do: 'default', ground: 'pastDue', reason: 'policy' });
    expect(status(life, '2026-05-02')).toBe('Defaulted');
    expect(life.loan('2026-05-02').installments[4]?.dueDate).toBe('2026-06-01');
    life.pay('2026-05-03', '888.49', 'A');
    expect(status(life, '2026-05-03')).toBe('Defaulted');
    life.pay('2026-05-04', '2665.47', 'B');
    expect(status(life, '2026-05-04')).toBe('Current');
    // The next late payment does not restore it.
    expect(status(life, '2026-08-30')).toBe('Delinquent');
  });

  test('a backdated payment that leaves nothing past due on that day undoes it', () => {
    const life = live().fund();
    life.take('2026-05-02', { do: 'default', ground: 'pastDue', reason: 'policy' });
    life.pay('2026-05-06', '3553.96', 'B', { date: life.loan('2026-05-01').on });
    expect(status(life, '2026-05-06')).toBe('Current');
  });

  test('a return of the payment that cured it restores the default', () => {
    const life = live().fund();
    life.take('2026-05-02', { do: 'default', ground: 'pastDue', reason: 'policy' });
    life.pay('2026-05-04', '3553.96', 'B');
    expect(status(life, '2026-05-04')).toBe('Current');
    life.take('2026-05-08', { do: 'return-repayment', refId: 'B', date: null, reason: 'NSF' });
    expect(status(life, '2026-05-08')).toBe('Defaulted');
  });
});

describe('a loan closes when its payoff is zero and every payment is acknowledged or returned', () => {
  test('ClosedEarly when the payment that brought it to zero is dated before the last due date', () => {
    const life = live().fund().pay('2026-02-01', '10100', 'A');
    expect(status(life, '2026-02-01')).toBe('Current');
    acknowledge(life, '2026-02-03', 'A');
    expect(status(life, '2026-02-03')).toBe('ClosedEarly');
    expect(paymentStatus(life.loan('2026-02-03'))).toBe('On Time');
    expect(finalPayment(life.loan('2026-02-03'))?.refId).toBe('A');
  });

  test('Closed when it is dated on the last due date or after it', () => {
    for (const day of ['2027-01-01', '2027-02-10']) {
      const life = live().fund();
      const { principal, interest } = life.loan(day);
      life.take(day, {
        do: 'loan-repay',
        refId: 'A',
        amount: cents(principal + interest),
        date: null,
        purpose: 'installment',
        acceptOverpayment: false,
        reason: null,
      });
      expect(status(acknowledge(life, day, 'A'), day)).toBe('Closed');
    }
  });

  test('a returned payment re-opens it', () => {
    const life = acknowledge(live().fund().pay('2026-02-01', '10100', 'A'), '2026-02-03', 'A');
    life.take('2026-02-20', { do: 'return-repayment', refId: 'A', date: null, reason: 'NSF' });
    expect(status(life, '2026-02-20')).toBe('Delinquent');
    expect(life.loan('2026-02-20').principal).toBe(1000000);
  });

  test('another payment that was returned does not keep it open', () => {
    const life = live().fund().pay('2026-02-01', '500', 'X');
    life.take('2026-02-02', { do: 'return-repayment', refId: 'X', date: null, reason: 'NSF' });
    life.pay('2026-02-05', '10113.33', 'A');
    expect(status(acknowledge(life, '2026-02-06', 'A'), '2026-02-06')).toBe('ClosedEarly');
  });
});

test('paymentStatus: On Time, Late, Defaulted, Charged Off', () => {
  const life = live(contractOf()).fund();
  expect(paymentStatus(life.loan('2026-02-01'))).toBe('On Time');
  expect(paymentStatus(life.loan('2026-02-02'))).toBe('Late');
  life.take('2026-05-02', { do: 'default', ground: 'pastDue', reason: 'policy' });
  expect(paymentStatus(life.loan('2026-05-02'))).toBe('Defaulted');
  life.take('2026-05-31', { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) });
  expect(paymentStatus(life.loan('2026-05-31'))).toBe('Charged Off');
});

describe('paymentStatus of a loan that has ended', () => {
  const ended = (life: Life, on: string) => [status(life, on), paymentStatus(life.loan(on))];

  test.each(['insurance', 'sale'] as const)('by %s it is On Time', (purpose) => {
    const life = live().fund().pay('2026-02-10', '10130', 'A', { purpose });
    const [, open] = ended(life, '2026-02-10');
    expect(open).toBe('On Time');
    expect(ended(acknowledge(life, '2026-02-11', 'A'), '2026-03-11')).toEqual(['ClosedEarly', 'On Time']);
    expect(closedBy(life.loan('2026-03-11'))).toBe(purpose);
  });

  test('by settlement it is Charged Off', () => {
    const life = live().fund();
    const until = life.loan('2026-01-20').on;
    life.take('2026-01-10', {
      ...{ do: 'settle', quoteId: 'S', amount: cents(500_000), goodThrough: until, reason: 'hardship' },
    });
    life.pay('2026-01-15', '5000', 'A');
    expect(ended(acknowledge(life, '2026-01-16', 'A'), '2026-01-16')).toEqual(['ClosedEarly', 'Charged Off']);
  });

  test('by recovery it is Charged Off', () => {
    const life = live().fund();
    life.take('2026-05-31', { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) });
    const { principal, interest } = life.loan('2026-06-01');
    life.pay('2026-06-01', ((principal + interest) / 100).toFixed(2), 'A');
    expect(ended(acknowledge(life, '2026-06-02', 'A'), '2026-06-02')).toEqual(['ClosedEarly', 'Charged Off']);
  });

  test('before funding it is empty', () => {
    expect(paymentStatus(live().create('2026-01-01').loan('2026-01-01'))).toBe('');
  });
});

describe('charge-off: the borrower still owes; the books stop earning; recoveries are credited against it', () => {
  test('interest stops, and what is received since is recovery', () => {
    const life = live().fund();
    life.take('2026-05-31', { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) });
    const then = life.loan('2026-05-31');
    expect(life.loan('2026-12-31')).toMatchObject({ principal: then.principal, interest: then.interest });
    life.take('2026-07-01', { do: 'record-recovery', refId: 'R', amount: cents(100000), date: null });
    expect(life.loan('2026-07-01').chargeOff?.recovered).toBe(100000);
    expect(life.loan('2026-07-01').payments[0]?.recovery).toBe(true);
  });

  test('money owed back to the borrower is not a recovery', () => {
    const life = live().fund();
    life.take('2026-05-31', { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) });
    const { principal, interest } = life.loan('2026-06-01');
    life.pay('2026-06-01', ((principal + interest + 5000) / 100).toFixed(2), 'A', { acceptOverpayment: true });
    expect(life.loan('2026-06-01')).toMatchObject({ credit: 5000, chargeOff: { recovered: principal + interest } });
  });
});

test('the stored status leaves out what follows from the date, and nothing else', () => {
  const life = live().fund();
  expect([storedStatus(life.loan('2026-02-20')), status(life, '2026-02-20')]).toEqual(['Funded', 'Delinquent']);
  life.pay('2026-02-20', '10', 'A');
  expect([storedStatus(life.loan('2026-03-20')), status(life, '2026-03-20')]).toEqual(['Current', 'Delinquent']);
  life.take('2026-06-01', { do: 'default', ground: 'pastDue', reason: 'policy' });
  expect([storedStatus(life.loan('2026-06-01')), status(life, '2026-06-01')]).toEqual(['Defaulted', 'Defaulted']);
});
