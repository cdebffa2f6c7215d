/** The applicants: one person, and in every fifth application a second one of the same household. */
import { seededRandom } from '../bureau/simulator/random.ts';
import type { PlainDate } from '../core/calendar.ts';
import { type Applicant, inventApplicant } from './applicant.ts';
import { type Credit, findCredit } from './credit.ts';

export type Household = {
  readonly applicant: Applicant;
  readonly credit: Credit;
  /** The co-applicant's, whose score is about as good or better; an application has their number alone. */
  readonly coApplicant: Credit | null;
};

/** The same for the same number and score, whatever the other options. `score`: about the one that a story sets. */
export function householdOf(n: number, on: PlainDate, score?: number): Household {
  const of = seededRandom(`household ${n}`);
  const usual = of.whole(606, 818);
  const credit = findCredit(of, { score: score ?? usual, mortgageAtMost: 2_400, othersAtMost: 1_100 });
  const applicant = inventApplicant(of, n, { on, credit });
  // A mortgage of the household is in the applicant's report.
  const coApplicant = of.oneIn(5)
    ? findCredit(of, { score: Math.max(of.whole(620, 800), credit.score), mortgageAtMost: 0, othersAtMost: 500 })
    : null;
  return { applicant, credit, coApplicant };
}
