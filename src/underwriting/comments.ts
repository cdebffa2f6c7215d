/** The comments of the record: a summary for the loan officer. */
import { formatDecimal } from '../core/rate.ts';
import { dealName } from './counter-offers.ts';
import type { AssessedDeal } from './deal.ts';
import { inWords } from './policy.ts';

export function commentsOn(deals: readonly AssessedDeal[]): string[] {
  const asked = deals[0] as AssessedDeal;
  const { grade, defaultProbability, contract, monthlyPayment } = asked;
  const offers = deals.filter(({ decision }) => decision === 'APPROVED');
  const first = deals.findIndex(({ decision }) => decision === 'APPROVED');
  const best = deals[first];
  return [
    `Requested: ${inWords(contract.amount, 'dollars')} over ${asked.term} months at ${formatDecimal(contract.rate)} %, ${inWords(monthlyPayment, 'dollars')} a month`,
    `Grade ${grade}, default probability ${inWords(asked.standardDefaultProbability, 'ratio')} under the standard deal, ${inWords(defaultProbability, 'ratio')} under this one`,
    buildUpText(asked),
    best === undefined
      ? 'None of the 60 deals can be offered'
      : `${offers.length} of the 60 deals can be offered${first === 0 ? '' : `; the nearest is ${dealName(best, first)}`}`,
  ];
}

/** "Buy rate 7.24 %: cost of funds 4.33, …". */
function buildUpText({ sheet: { buyRate, uncappedRate, parts } }: AssessedDeal): string {
  const names = {
    funds: 'cost of funds',
    loss: 'expected loss',
    servicing: 'servicing',
    capital: 'capital and target return',
    acquisition: 'acquisition',
  } as const;
  const built = Object.entries(names).map(([name, text]) => `${text} ${parts[name as keyof typeof parts].toFixed(2)}`);
  const limited =
    buyRate < uncappedRate ? `; the sum, ${uncappedRate.toFixed(2)} %, is above the highest rate allowed` : '';
  return `Buy rate ${buyRate.toFixed(2)} %: ${built.join(', ')}${limited}`;
}
