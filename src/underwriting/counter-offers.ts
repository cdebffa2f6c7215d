/** Counter-offers to a deal that is declined: up to three of the sixty, each named by the way in which it is the best. */
import { formatDecimal } from '../core/rate.ts';
import type { AssessedDeal } from './deal.ts';
import { inWords } from './policy.ts';

export const OFFER_NAMES = ['nearest to the request', 'lowest payment', 'least additional down payment'] as const;
type OfferName = (typeof OFFER_NAMES)[number];

export type CounterOffer = {
  readonly deal: AssessedDeal;
  readonly index: number;
  /** One deal may be the best in several ways. */
  readonly names: readonly OfferName[];
};

/** None where the requested deal is approved. The deals are in the order of the grid: the nearest to the request come first. */
export function counterOffers(deals: readonly AssessedDeal[]): CounterOffer[] {
  if (deals[0]?.decision === 'APPROVED') return [];
  const approved = deals.flatMap((deal, index) => (deal.decision === 'APPROVED' ? [{ deal, index }] : []));
  // Sorting is stable: of equals the nearest is taken.
  const byPayment = approved.toSorted((a, b) => a.deal.monthlyPayment - b.deal.monthlyPayment);
  const byDown = approved.toSorted((a, b) => a.deal.moreDown - b.deal.moreDown);
  const offers: (CounterOffer & { names: OfferName[] })[] = [];
  for (const [i, best] of [approved[0], byPayment[0], byDown[0]].entries()) {
    if (best === undefined) continue;
    const name = OFFER_NAMES[i] as OfferName;
    const known = offers.find(({ index }) => index === best.index);
    if (known === undefined) offers.push({ ...best, names: [name] });
    else known.names.push(name);
  }
  return offers;
}

/** "Would be approved: Deal 7: 60 months at 8.5 %, 2,000.00 more down, 431.42 a month (lowest payment)". */
export function offerText({ deal, index, names }: CounterOffer): string {
  const payment = `${inWords(deal.monthlyPayment, 'dollars')} a month`;
  return `Would be approved: ${dealName(deal, index)}, ${payment} (${names.join(', ')})`;
}

/** "Deal 7: 60 months at 8.5 %, 2,000.00 more down". */
export function dealName({ contract, term, moreDown }: AssessedDeal, index: number): string {
  const more = moreDown === 0 ? '' : `, ${inWords(moreDown, 'dollars')} more down`;
  return `Deal ${index}: ${term} months at ${formatDecimal(contract.rate)} %${more}`;
}
