/**
 * The interface of a screening against sanctions lists: one request about one person, one answer. Lists change daily, so every run of
 * underwriting asks anew; the same id again is a retry, and gets the first answer.
 */
import type { Screened } from '../../underwriting/screened.ts';
import type { BureauFailure, BureauPull, BureauSubject } from '../bureau.ts';

/** `raw`: the answer as it was given, which is kept. */
export type ScreeningAnswer = Screened & { readonly raw: string };

/** The answer about this person, marked where it says little. */
export function asAsked<T extends Screened>(answer: T, { lastName }: BureauSubject): T {
  return lastName === '' ? { ...answer, withoutName: true } : answer;
}

export type Screening = {
  readonly name: string;
  /** Never rejects: every failure is a `BureauFailure`. */
  screen(person: BureauSubject, asked: BureauPull): Promise<ScreeningAnswer | BureauFailure>;
};
