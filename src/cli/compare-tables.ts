/** A comparison of two versions as tables for people. */

import { type Comparison, SETS, type SwapSide, type VersionNames } from '../../study/src/compare.ts';
import { GRADES } from '../core/grade.ts';
import { count, show } from './output.ts';

/** The number of swapped applications listed; all are in `--csv` and `--json`. */
const LISTED = 20;

const NAMES = {
  both: 'approved by both',
  swapIn: 'swap-in: by the challenger alone',
  swapOut: 'swap-out: by the champion alone',
  neither: 'approved by neither',
};

export function printComparison(result: Comparison, { csv }: { csv: string | null }): void {
  const { champion, challenger, compared, refused, books, sets, shift, swaps } = result;
  console.log(`Champion: ${named(champion)}. Challenger: ${named(challenger)}.`);
  console.log(
    `${count(compared, 'application')} compared${refused === 0 ? '' : `, ${refused} could not be assessed`}.`,
  );
  if (compared === 0) return;
  console.log('\nThe book of each, rate, loss and yield weighted by money');
  show(bookRows(books));
  console.log('\nWho is approved, with the figures of each model');
  show(
    SETS.map((name) => {
      const { applications, ...sides } = sets[name];
      return {
        set: NAMES[name],
        applications,
        'default %': both(sides, ({ defaultProbability }) => percent(defaultProbability, 100)),
        'rate %': both(sides, ({ ratePercent }) => percent(ratePercent)),
        'loss %': both(sides, ({ expectedLossPercent }) => percent(expectedLossPercent)),
        'net yield %': both(sides, ({ netYieldPercent }) => percent(netYieldPercent)),
      };
    }),
  );
  console.log(
    `\nShift (population stability index): default probability ${index(shift.defaultProbability)}, ` +
      `scores of the approved ${index(shift.approvedScores)}. Below 0.1 is stable, above 0.25 another population.`,
  );
  if (swaps.length > 0) {
    console.log('\nSwapped applications, with the rules that decline them');
    show(
      swaps.slice(0, LISTED).map(({ application, swap, ...sides }) => ({
        application,
        swap,
        'default %': both(sides, ({ defaultProbability }) => percent(defaultProbability, 100)),
        grade: both(sides, ({ grade }) => grade),
        champion: side(sides.champion),
        challenger: side(sides.challenger),
      })),
    );
  }
  if (csv !== null) console.log(`\nAll ${swaps.length} are in ${csv}.`);
  else if (swaps.length > LISTED) console.log(`\nThe first ${LISTED} of ${swaps.length}; --csv writes all of them.`);
}

function named({ model, policy }: VersionNames): string {
  return `model ${model}, policy ${policy}`;
}

function bookRows({ champion, challenger }: Comparison['books']): object[] {
  const row = (figure: string, value: (book: Comparison['books']['champion']) => string) => ({
    figure,
    champion: value(champion),
    challenger: value(challenger),
  });
  return [
    row('loans', ({ loans }) => loans.toLocaleString('en-US')),
    row('approved %', ({ approvalRate }) => percent(approvalRate, 100)),
    row('of them on other terms', ({ countered }) => String(countered)),
    row('lent', ({ amountCents }) => Math.round(amountCents / 100).toLocaleString('en-US')),
    row('default probability %', ({ defaultProbability }) => percent(defaultProbability, 100)),
    row('rate %', ({ ratePercent }) => percent(ratePercent)),
    row('expected loss %', ({ expectedLossPercent }) => percent(expectedLossPercent)),
    row('net yield %', ({ netYieldPercent }) => percent(netYieldPercent)),
    row(`grades ${GRADES.join(' ')}`, ({ grades }) => GRADES.map((grade) => grades[grade]).join(' ')),
  ];
}

/** Once where both are the same. */
function both<T>({ champion, challenger }: { champion: T; challenger: T }, value: (side: T) => string): string {
  const [one, other] = [value(champion), value(challenger)];
  return one === other ? one : `${one} → ${other}`;
}

function side({ decision, rules }: SwapSide): string {
  return rules.length === 0 ? decision : `${decision}: ${rules.join(', ')}`;
}

function percent(value: number | null, factor = 1): string {
  return value === null ? '-' : (value * factor).toFixed(2);
}

function index(value: number | null): string {
  return value === null ? '-' : value.toFixed(3);
}
