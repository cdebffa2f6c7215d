import { describe, expect, test } from 'vitest';
import { type Figures, inputOf, ORDINARY } from '../../test/support/underwriting/applicants.ts';
import { isRefusal } from '../core/refusal.ts';
import { counterOffers, OFFER_NAMES, offerText } from './counter-offers.ts';
import type { AssessedDeal } from './deal.ts';
import { type Assessment, underwrite } from './underwrite.ts';

function assess(figures: Partial<Figures>): Assessment {
  const found = underwrite(inputOf({ ...ORDINARY, ...figures }));
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

/** Too much for the car: what helps is more money down. */
const dear = assess({ ltv: 150 });
const offers = counterOffers(dear.assessed);
const approved = dear.assessed.filter(({ decision }) => decision === 'APPROVED');

describe('counter-offers', () => {
  test('are approved deals, each once, and every name has one', () => {
    expect(dear.decision).toBe('DECLINED');
    for (const { deal, index } of offers) {
      expect(deal.decision).toBe('APPROVED');
      expect(dear.assessed[index]).toBe(deal);
    }
    expect(new Set(offers.map(({ index }) => index)).size).toBe(offers.length);
    expect(offers.flatMap(({ names }) => names).toSorted()).toEqual([...OFFER_NAMES].sort());
  });

  test('are what their names say', () => {
    const named = (name: string) => offers.find(({ names }) => names.some((one) => one === name))?.deal as AssessedDeal;
    expect(named('nearest to the request')).toBe(approved[0]);
    expect(named('lowest payment').monthlyPayment).toBe(Math.min(...approved.map((deal) => deal.monthlyPayment)));
    expect(named('least additional down payment').moreDown).toBe(Math.min(...approved.map((deal) => deal.moreDown)));
  });

  test('are in the comments, in the reason of the requested deal alone, and in the notice', () => {
    const texts = offers.map(offerText);
    expect(texts[0]).toMatch(/^Would be approved: Deal \d+: \d+ months at [\d.]+ %.*, [\d,.]+ a month \(nearest/);
    expect(dear.response.Comments).toEqual(expect.arrayContaining(texts));
    const [first, ...others] = dear.underwriting.UnderwritingInfo.map(({ DecisionReason }) => DecisionReason ?? '');
    expect(first?.endsWith(texts.join('; '))).toBe(true);
    expect(others.filter((reason) => reason.includes('Would be approved'))).toEqual([]);
    expect(dear.notice?.applicant.offers).toHaveLength(offers.length);
  });

  test('there are none for an approval, nor where no deal can be offered', () => {
    expect(counterOffers(assess({}).assessed)).toEqual([]);
    const denied = assess({ hit: false });
    expect(denied.decision).toBe('DECLINED');
    expect(counterOffers(denied.assessed)).toEqual([]);
    expect(denied.notice?.applicant.offers).toEqual([]);
  });
});
