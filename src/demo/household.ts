/** The applicants: one person, and in every fifth application a second one of the same household. */
import { seededRandom } from '../bureau/simulator/random.ts';
import type { PlainDate } from '../core/calendar.ts';
import { type Applicant, inventApplicant } from './applicant.ts';
import type { Scored } from './bureau.ts';

export type Household = {
  readonly applicant: Applicant;
  readonly score: number;
  readonly coApplicant: Scored | null;
};

/** The same for the same number, whatever the options. `score`: set by a story. */
export function householdOf(n: number, on: PlainDate, score?: number): Household {
  const of = seededRandom(`household ${n}`);
  const usual = of.whole(608, 818);
  const applicant = inventApplicant(of, n, on);
  const coApplicant = of.oneIn(5) ? { ssn: inventApplicant(of, n, on).ssn, score: of.whole(620, 800) } : null;
  return { applicant, score: score ?? usual, coApplicant };
}

export function peopleOf({ applicant, score, coApplicant }: Household): Scored[] {
  const primary = { ssn: applicant.ssn, score };
  return coApplicant === null ? [primary] : [primary, coApplicant];
}
