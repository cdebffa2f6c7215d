import { describe, expect, test } from 'vitest';
import { inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { cents, ZERO } from '../core/money.ts';
import { formatDecimal, percent } from '../core/rate.ts';
import { type Asked, DEALS, type DealTerms, dealsAround } from './grid.ts';
import type { LendingPolicy } from './policy.ts';
import { POLICIES } from './policy-data.ts';

const policy = POLICIES[0] as LendingPolicy;
const { contract, today } = inputOf(ORDINARY);
const ASKED: Asked = { contract, term: 72, products: cents(1_200_00), vehicleAge: 2, state: 'OH', today, grade: 'B' };

function around(change: Partial<Asked> = {}): DealTerms[] {
  return [...dealsAround({ ...ASKED, ...change }, policy)];
}

const grid = (change: Partial<Asked> = {}) => around(change).slice(0, DEALS - 1);
const terms = (deals: DealTerms[]) => [...new Set(deals.map(({ term }) => term))];
const rates = (deals: DealTerms[]) => [...new Set(deals.map((deal) => formatDecimal(deal.contract.rate)))];
const downs = (deals: DealTerms[]) => [...new Set(deals.map(({ moreDown }) => moreDown))];

test('five terms, four down payments and three rates around the requested deal', () => {
  const deals = grid();
  expect(terms(deals)).toEqual([72, 60, 84, 48, 36]);
  expect(rates(deals)).toEqual(['8.49', '6.49', '7.49']);
  expect(downs(deals)).toEqual([0, 1_200_00, 2_400_00, 4_900_00]);
  expect(
    new Set(deals.map((deal) => `${deal.term} ${deal.contract.amount} ${formatDecimal(deal.contract.rate)}`)).size,
  ).toBe(59);
});

test('what is paid down is not lent, and the count follows the term', () => {
  for (const { contract: signed, moreDown, term } of grid()) {
    expect(signed.amount + moreDown).toBe(contract.amount);
    expect(signed.count).toBe(term);
  }
});

describe('terms', () => {
  test('requested between whole years: it and the nearest years', () => {
    expect(terms(grid({ term: 66 }))).toEqual([66, 60, 72, 48, 84]);
  });

  test('on an old vehicle: the terms it allows first', () => {
    expect(terms(grid({ term: 48, vehicleAge: 12 }))).toEqual([48, 36, 24, 12, 60]);
  });

  test('longer or shorter than any offered term: only offered terms', () => {
    expect(terms(grid({ term: 120 }))).toEqual([84, 72, 60, 48, 36]);
    expect(terms(grid({ term: 1 }))).toEqual([12, 24, 36, 48, 60]);
  });
});

describe('rates', () => {
  const asking = (rate: string, change: Partial<Asked> = {}) =>
    rates(grid({ contract: { ...contract, rate: percent(rate) }, ...change }));

  test('below the lowest rate of the grade: upwards from that rate', () => {
    expect(asking('5', { grade: 'D' })).toEqual(['7.99', '8.99', '9.99']);
  });

  test('above the state’s limit: downwards from that limit', () => {
    expect(asking('21', { state: 'NY' })).toEqual(['16', '15', '14']);
  });

  test('all decimals of the requested rate are kept', () => {
    expect(asking('7.4375')).toEqual(['8.4375', '6.4375', '7.4375']);
  });

  test('in smaller steps where the lowest rate and the state’s limit are close', () => {
    expect(asking('16', { state: 'NY', grade: 'F' })).toEqual(['15.5', '15', '16']);
  });
});

test('small loans have smaller down-payment steps, so that all deals differ', () => {
  for (const amount of [150_00, 1_500_00, 15_000_00, 9_000_000_00]) {
    const deals = grid({ contract: { ...contract, amount: cents(amount) }, products: ZERO });
    expect(deals).toHaveLength(59);
    expect(downs(deals)).toHaveLength(4);
  }
});

test('where products are most of the loan, other terms and rates replace larger down payments', () => {
  const deals = grid({ products: cents(contract.amount - 100_00) });
  expect(deals).toHaveLength(59);
  expect(deals.every(({ contract: signed }) => signed.amount > contract.amount - 100_00)).toBe(true);
});

test('there are always more than sixty to choose from', () => {
  for (const frequency of ['Weekly', 'BiWeekly', 'SemiMonthly', 'Quarterly', 'Annual'] as const) {
    const deals = around({ contract: { ...contract, frequency } });
    expect(deals.length).toBeGreaterThan(DEALS);
    expect(deals.every(({ contract: { count } }) => Number.isInteger(count) && count > 0)).toBe(true);
  }
});
