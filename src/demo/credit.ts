/**
 * The credit of the people in the stories. Each has a social security number whose file in the simulator is like the one that the story
 * asks for, so the bureau knows nothing of the stories: whoever applies with the same number gets the same report.
 */
import { inventFile, personOf } from '../bureau/simulator/invent.ts';
import type { SeededRandom } from '../bureau/simulator/random.ts';
import { qualityFor } from '../bureau/simulator/score.ts';
import { type Cents, cents } from '../core/money.ts';

export type Credit = {
  readonly ssn: string;
  readonly score: number;
  /** Whole months since the oldest account was opened, rounded up. */
  readonly monthsInFile: number;
  /** Monthly payments of the open accounts. */
  readonly mortgage: Cents;
  readonly others: Cents;
};

export type Wanted = {
  /** Found within `NEAR` points of it. */
  readonly score: number;
  /** Limits on the monthly payments of the open accounts, in dollars. */
  readonly mortgageAtMost: number;
  readonly othersAtMost: number;
};

const NEAR = 8;
/** The largest distance between the borrower's hidden quality and that of the score: few files are then drawn in vain. */
const QUALITY_NEAR = 0.12;
/** A household takes about five milliseconds on average. */
const DRAWN_AT_MOST = 20_000;
/** Accounts past due and collections: with more, a file is much worse than its score. */
const UNPAID_AT_MOST = 1;
/** The ranges that the Social Security Administration never issues. */
const NEVER_ISSUED = ['000', '666', '900', '911', '928', '947', '963', '978', '999'];

export function findCredit(of: SeededRandom, wanted: Wanted): Credit {
  const quality = qualityFor(wanted.score);
  for (let drawn = 0; drawn < DRAWN_AT_MOST; drawn++) {
    const ssn = `${of.pick(NEVER_ISSUED)}-${String(of.whole(1, 99)).padStart(2, '0')}-${of.digits(4)}`;
    const digits = ssn.replaceAll('-', '');
    const person = personOf(digits);
    if (person.is !== 'borrower' || person.profile.thin !== undefined) continue;
    if (Math.abs(person.profile.quality - quality) > QUALITY_NEAR) continue;
    const { score, inFile, accounts, collections, bankruptcies } = inventFile(digits, person.profile);
    if (score === null || inFile === null || Math.abs(score - wanted.score) > NEAR) continue;
    const open = accounts.filter(({ ageClosed }) => ageClosed === null);
    const payments = (isMortgage: boolean) =>
      open.reduce(
        (sum, { kind, payment }) => ((kind.portfolio === 'mortgage') === isMortgage ? sum + payment : sum),
        0,
      );
    const [mortgage, others] = [payments(true), payments(false)];
    if (mortgage > wanted.mortgageAtMost || others > wanted.othersAtMost) continue;
    const pastDue = open.filter((account) => account.pastDue > 0).length;
    const unpaid = collections.filter(({ balance }) => balance > 0).length;
    if (pastDue + unpaid > UNPAID_AT_MOST || bankruptcies.length > 0) continue;
    return {
      ...{ ssn, score, monthsInFile: Math.max(inFile.months, ...collections.map(({ age }) => age)) + 1 },
      ...{ mortgage: cents(mortgage * 100), others: cents(others * 100) },
    };
  }
  throw new Error(`The simulator has nobody with a score near ${wanted.score}.`);
}
