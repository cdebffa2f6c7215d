import { describe, expect, test } from 'vitest';
import { inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { cents, ZERO } from '../core/money.ts';
import { formatDecimal, percent } from '../core/rate.ts';
import { DEALS, type DealTerms, dealsAround, type RequestedDeal } from './grid.ts';
import type { LendingPolicy } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import type { Sheet } from './rate-sheet.ts';

const policy = POLICIES[0] as LendingPolicy;
const { contract } = inputOf(ORDINARY);
const REQUESTED: RequestedDeal = {
  contract,
  term: 72,
  products: cents(1_200_00),
  vehicleAge: 2,
  sheetOf: () => sheet(6, 8),
};

/** Only the two rates matter for the grid. */
function sheet(buyRate: number, highestOffer: number): Sheet {
  const parts = { funds: buyRate, loss: 0, shortTerm: 0, servicing: 0, capital: 0, acquisition: 0 };
  return { buyRate, uncappedRate: buyRate, highestOffer, markupCap: null, parts };
}

function around(change: Partial<RequestedDeal> = {}): DealTerms[] {
  return [...dealsAround({ ...REQUESTED, ...change }, policy)];
}

const grid = (change: Partial<RequestedDeal> = {}) => around(change).slice(0, DEALS - 1);
const terms = (deals: DealTerms[]) => [...new Set(deals.map(({ term }) => term))];
const rates = (deals: DealTerms[]) => [...new Set(deals.map((deal) => formatDecimal(deal.contract.rate)))];
const keyOf = ({ term, contract: { amount, rate } }: DealTerms) => `${term} ${amount} ${formatDecimal(rate)}`;
const downs = (deals: DealTerms[]) => [...new Set(deals.map(({ moreDown }) => moreDown))];

test('five terms, four down payments and three rates around the requested deal', () => {
  const deals = grid();
  expect(terms(deals)).toEqual([72, 60, 84, 48, 36]);
  expect(rates(deals)).toEqual(['6', '7', '8']);
  expect(downs(deals)).toEqual([0, 1_200_00, 2_400_00, 4_900_00]);
  expect(new Set(deals.map(keyOf)).size).toBe(59);
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
  const priced = (buyRate: number, highestOffer: number) =>
    rates(grid({ sheetOf: () => sheet(buyRate, highestOffer) }));

  test('are the buy rate, half of what a dealer may add, and all of it, in whole hundredths', () => {
    expect(priced(6.01, 8)).toEqual(['6.01', '7', '8']);
    expect(priced(11.37, 13.12)).toEqual(['11.37', '12.24', '13.12']);
  });

  test('are those of the sheet for the term and the amount of the deal', () => {
    const sheetOf = ({ term, moreDown }: DealTerms) => sheet(3 + term / 12 - moreDown / 10_000_00, 5 + term / 12);
    for (const { term, moreDown, contract: signed } of grid({ sheetOf })) {
      const own = sheetOf({ contract: signed, term, moreDown });
      const rate = Number(formatDecimal(signed.rate));
      expect(rate).toBeGreaterThanOrEqual(Math.round(own.buyRate * 100) / 100);
      expect(rate).toBeLessThanOrEqual(own.highestOffer);
    }
  });

  test('where a cap leaves no room above the buy rate, more terms and down payments make up sixty different deals', () => {
    expect(priced(16, 16)).toEqual(['16']);
    expect(new Set(grid({ sheetOf: () => sheet(16, 16) }).map(keyOf)).size).toBe(59);
  });

  test('only where these are used up too, rates below the buy rate follow', () => {
    const deals = grid({ sheetOf: () => sheet(16, 16), products: cents(contract.amount - 100_00) });
    expect(new Set(deals.map(keyOf)).size).toBe(59);
    expect(rates(deals).slice(0, 3)).toEqual(['16', '15.75', '15.5']);
  });

  test('the requested deal is not repeated where its rate is one of the sheet’s', () => {
    const own = { ...contract, rate: percent('7') };
    const deals = grid({ contract: own });
    expect(deals).toHaveLength(59);
    expect(deals.map(keyOf)).not.toContain(keyOf({ contract: own, term: 72, moreDown: ZERO }));
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
