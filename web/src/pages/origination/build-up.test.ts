import { expect, test } from 'vitest';
import { buildUp, rateText, rateUnits } from './build-up.ts';
import { DEMO_DEALS } from './demo-deals.ts';
import type { Deal } from './figures.ts';

const made = (deal: Pick<Deal, 'apr' | 'pricing'>) => buildUp(deal) ?? expect.unreachable();
const deal = (n: number): Deal => DEMO_DEALS[n] as Deal;

test('the parts of each of the sixty rates add up to it exactly', () => {
  for (const one of DEMO_DEALS) {
    const { parts, total } = made(one);
    expect(parts.reduce((sum, { value }) => sum + value, 0)).toBe(total);
    expect(rateText(total)).toBe(Number(one.apr).toFixed(2));
    // The service's own markup is the last part.
    expect(parts.at(-1)).toMatchObject({ key: 'markup', value: rateUnits(one.pricing?.participation.markup) });
  }
});

test('the requested deal: funds, loss, servicing, capital, acquisition, markup', () => {
  expect(made(deal(0)).parts.map(({ label, value }) => `${label} ${rateText(value)}`)).toEqual([
    'Funds 4.30',
    'Expected loss 2.33',
    'Servicing 1.40',
    'Capital 1.20',
    'Acquisition 0.75',
    'Markup 1.01',
  ]);
});

test('a cap lowers the buy rate, and a rate below it has no markup', () => {
  const pricing = deal(0).pricing as NonNullable<Deal['pricing']>;
  const capped = made({ apr: '9.50', pricing: { ...pricing, buyRate: '9.00' } });
  expect(capped.parts.slice(-2).map(({ key, value }) => [key, value])).toEqual([
    ['cap', -9_800],
    ['markup', 5_000],
  ]);
  const below = made({ apr: '9.125', pricing });
  expect(below.parts.at(-1)).toMatchObject({ key: 'below', value: -8_550 });
  expect(rateText(below.total)).toBe('9.1250');
});

test('without a price, or with a part that is no rate, there is no build-up', () => {
  expect(buildUp({ apr: '9.00', pricing: null })).toBeNull();
  expect(buildUp({ apr: '', pricing: deal(0).pricing })).toBeNull();
  expect([rateUnits('8'), rateUnits('-0.5'), rateUnits('x'), rateUnits(null)]).toEqual([80_000, -5_000, null, null]);
  expect(rateText(-5_000)).toBe('−0.50');
});
