import { describe, expect, test } from 'vitest';
import { contractOf, type Life, live, money } from '../../test/support/life.ts';
import { cents } from './money.ts';
import { type Bucket, DEFAULT_WATERFALL } from './policy.ts';
import { percent } from './rate.ts';

const paid = (life: Life, refId: string, on = '2026-12-31') => {
  const found = life.loan(on).payments.find((payment) => payment.refId === refId);
  if (found === undefined) throw new Error(`No payment ${refId}`);
  return found;
};
const split = (life: Life, refId: string) => {
  const { fees, interest, principal, credit } = paid(life, refId).allocation;
  return [fees, interest, principal, credit];
};

const daily = (amount: string, rate: string, more = {}) =>
  contractOf({ amount: money(amount), rate: percent(rate), dayCount: 'actual/365', count: 60, ...more });

describe('interest accrues daily on outstanding principal to the payment’s effective date', () => {
  test.each([
    ['on time, 30 days', '2026-01-31', 8219, 29481],
    ['early, 25 days', '2026-01-26', 6849, 30851],
    // The page shows 95.90, a rounded per-diem times 35; multiplied first and rounded once it is 95.89.
    ['late, 35 days', '2026-02-05', 9589, 28111],
  ])('377.00 on 20,000 at 5 %%, %s (Southeast Toyota Finance, simple interest)', (_when, day, interest, principal) => {
    const life = live(daily('20000', '5')).fund().pay(day, '377', 'P');
    expect(split(life, 'P')).toEqual([0, interest, principal, 0]);
  });

  test('10,000 at 12 %: 3.29 a day, 98.63 in 30 days (Chrysler Capital’s simple interest example: 300.00 paid)', () => {
    const life = live(daily('10000', '12')).fund().pay('2026-01-31', '300', 'P');
    expect(split(life, 'P')).toEqual([0, 9863, 20137, 0]);
  });

  test('18,800 at 9 %: 141.00 of interest and 326.84 of principal, 18,473.16 left (Federal Reserve Board)', () => {
    const contract = contractOf({ amount: money('18800'), rate: percent('9'), count: 48 });
    const life = live(contract).fund().pay('2026-02-01', '467.84', 'P');
    expect(split(life, 'P')).toEqual([0, 14100, 32684, 0]);
    expect(paid(life, 'P').balance).toBe(1847316);
  });

  test('interest is rounded when a stretch ends, and unpaid interest never bears interest', () => {
    const life = live(daily('10000', '12')).fund();
    life.pay('2026-03-02', '50', 'A').pay('2026-04-01', '50', 'B');
    // 60 days: 197.26; 50.00 of it are paid. 30 days more on 10,000 alone: 98.63.
    expect(life.loan('2026-04-01').interest).toBe(19726 - 5000 + 9863 - 5000);
  });
});

describe('the default waterfall: accrued interest, principal of installments due, fees, further principal', () => {
  const fee = { do: 'assess-fee', feeId: 'F', kind: 'fee', name: 'fee', amount: money('30'), date: null } as const;

  test('as the list of twelve buckets', () => {
    expect(DEFAULT_WATERFALL).toEqual([
      'pastDue.interest',
      'due.interest',
      'inAdvance.interest',
      'pastDue.principal',
      'due.principal',
      'pastDue.penalty',
      'pastDue.fee',
      'due.penalty',
      'due.fee',
      'inAdvance.penalty',
      'inAdvance.fee',
      'inAdvance.principal',
    ]);
  });

  test('an installment due comes before a fee, a fee before further principal', () => {
    const life = live().fund();
    life.take('2026-01-20', fee);
    life.pay('2026-02-01', '900', 'A');
    // 100.00 interest, 788.49 principal due, and 11.51 of the fee.
    expect(split(life, 'A')).toEqual([1151, 10000, 78849, 0]);
    life.pay('2026-02-11', '100', 'B');
    // Ten days on 9,211.51: 30.71; nothing is due, so the rest of the fee is next; then principal in advance.
    expect(split(life, 'B')).toEqual([1849, 3071, 5080, 0]);
    expect(paid(life, 'B').steps.map(({ bucket }) => bucket)).toEqual([
      'inAdvance.interest',
      'pastDue.fee',
      'inAdvance.principal',
    ]);
  });

  test('principal due is the open amount of installments due, less the interest just taken', () => {
    const life = live().fund().pay('2026-03-01', '1776.98', 'A');
    // Two installments of 888.49 are due; two months of interest are 200.00.
    expect(paid(life, 'A').steps).toEqual([
      { bucket: 'pastDue.interest', amount: 10000 },
      { bucket: 'due.interest', amount: 10000 },
      { bucket: 'pastDue.principal', amount: 68849 },
      { bucket: 'due.principal', amount: 88849 },
    ]);
  });

  test('another order: fees first', () => {
    const waterfall: Bucket[] = ['pastDue.fee', 'due.fee', ...DEFAULT_WATERFALL.filter((one) => !/\.fee$/.test(one))];
    const life = live(contractOf(), { waterfall }).fund();
    life.take('2026-01-20', fee);
    life.pay('2026-02-01', '888.49', 'A');
    expect(split(life, 'A')).toEqual([3000, 10000, 75849, 0]);
  });
});

describe('money for interest and principal satisfies installments, oldest first; fee money does not', () => {
  test('fee money leaves the installment short', () => {
    const life = live(contractOf(), { waterfall: ['due.fee', 'pastDue.fee', ...DEFAULT_WATERFALL.slice(0, 5)] }).fund();
    life.take('2026-02-01', {
      do: 'assess-fee',
      feeId: 'F',
      kind: 'fee',
      name: 'fee',
      amount: money('30'),
      date: null,
    });
    life.pay('2026-02-01', '888.49', 'A');
    expect(life.loan('2026-02-01').installments[0]?.paid).toBe(88849 - 3000);
  });

  test('paying ahead satisfies future installments and reduces principal at once', () => {
    const life = live().fund().pay('2026-02-01', '2665.47', 'A');
    const loan = life.loan('2026-02-01');
    expect(loan.principal).toBe(1000000 - 256547);
    expect(loan.installments.slice(0, 4).map(({ paid }) => paid)).toEqual([88849, 88849, 88849, 0]);
    expect(loan.installments[2]).toMatchObject({ paidAhead: 88849, satisfiedOn: '2026-02-01' });
  });

  test('principalOnly satisfies none and pays no interest', () => {
    const life = live().fund().pay('2026-01-16', '1000', 'A', { purpose: 'principal' });
    const loan = life.loan('2026-01-16');
    expect(split(life, 'A')).toEqual([0, 0, 100000, 0]);
    expect(loan.interest).toBe(5000);
    expect(loan.installments[0]?.paid).toBe(0);
  });

  test('excess becomes a credit that is owed back, never negative principal', () => {
    const life = live().fund().pay('2026-02-01', '10500', 'A', { acceptOverpayment: true });
    expect(split(life, 'A')).toEqual([0, 10000, 1000000, 40000]);
    expect(life.loan('2026-02-01')).toMatchObject({ principal: 0, credit: 40000 });
  });
});

describe('no pyramiding (16 CFR 444.4; Federal Reserve staff guidelines, Q15-3: 40.00 due, an old late fee of 5.00)', () => {
  const lateFee = {
    flat: cents(500),
    percent: null,
    floor: null,
    cap: null,
    graceDays: 10,
    judge: 'currentFirst' as const,
  };
  const penaltyFirst: Bucket[] = [
    'pastDue.penalty',
    'due.penalty',
    ...DEFAULT_WATERFALL.filter((one) => !/\.penalty$/.test(one)),
  ];
  const life = () =>
    live(contractOf({ amount: money('480'), rate: percent('0') }), { lateFee, waterfall: penaltyFirst })
      .fund()
      .pay('2026-02-20', '40', 'FEB');
  const fees = (one: Life, on: string) => one.loan(on).fees.map(({ feeId }) => feeId);

  test('the example: February is late, March is paid in full and on time, so there is one fee', () => {
    expect(fees(life().pay('2026-03-01', '40', 'MAR'), '2026-03-31')).toEqual(['late-1']);
  });

  test('the same when March is paid before its due date', () => {
    const one = live(contractOf({ amount: money('480'), rate: percent('0') }), { lateFee, waterfall: penaltyFirst })
      .fund()
      .pay('2026-02-27', '40', 'FEB')
      .pay('2026-02-28', '40', 'MAR');
    expect(fees(one, '2026-03-31')).toEqual(['late-1']);
  });

  test('money applied to late fees counts as if it had paid installments: 120.00 for three of 40.00 is no further delinquency', () => {
    const one = life().pay('2026-03-01', '45', 'MAR').pay('2026-04-01', '35', 'APR');
    expect(fees(one, '2026-04-30')).toEqual(['late-1']);
    const short = life().pay('2026-03-01', '45', 'MAR').pay('2026-04-01', '30', 'APR');
    expect(fees(short, '2026-04-30')).toEqual(['late-1', 'late-3']);
  });

  test('and it counts once: paying only a fee does not excuse installments that receive nothing', () => {
    const one = live(contractOf({ amount: money('480'), rate: percent('0') }), { lateFee, waterfall: penaltyFirst })
      .fund()
      .pay('2026-03-01', '5', 'FEE');
    expect(fees(one, '2026-05-31')).toEqual(['late-1', 'late-2', 'late-3', 'late-4']);
  });
});

test('payments of one day are applied in the order in which they were recorded, whatever their references', () => {
  const rising = live().fund().pay('2026-02-01', '500', 'A').pay('2026-02-01', '388.49', 'B');
  const falling = live().fund().pay('2026-02-01', '500', 'B').pay('2026-02-01', '388.49', 'A');
  // 100.00 of interest has accrued.
  expect([split(rising, 'A'), split(rising, 'B')]).toEqual([
    [0, 10_000, 40_000, 0],
    [0, 0, 38_849, 0],
  ]);
  expect([split(falling, 'B'), split(falling, 'A')]).toEqual([split(rising, 'A'), split(rising, 'B')]);
});
