/**
 * The screening of the people on an application against sanctions lists. No policy decides on a match: it is a hard stop. Which list it is, and
 * which entry, is for a loan officer who may read personal data: no notice, event or error names it.
 */
import { REASONS, type Reason } from './reasons.ts';

/** The answer about one person. */
export type Screened = {
  readonly result: 'clear' | 'match';
  /** The list that a match is on, and its entry there; otherwise ''. */
  readonly list: string;
  readonly entry: string;
  /** The application names the person by a number alone, and lists hold names. */
  readonly withoutName?: true;
};

/** By person; null: there is no answer, because no screening is configured. */
export type ScreenedPeople = { readonly primary: Screened | null; readonly coApplicant: Screened | null };

/** Worded for a notice, which must not tell that a person is listed. Of a joint application it concerns everybody. */
export const NOT_CLEARED: Reason = {
  code: 'identity-not-verified',
  statement: REASONS['identity-not-verified'],
  rule: 'identity-verification',
  detail: 'A person on the application has not been cleared',
};

export function isMatched({ primary, coApplicant }: ScreenedPeople): boolean {
  return primary?.result === 'match' || coApplicant?.result === 'match';
}

/** For the loan officer. */
export function screeningWarnings({ primary, coApplicant }: ScreenedPeople, isJoint: boolean): string[] {
  const people = [
    { who: 'applicant', screened: primary },
    ...(isJoint ? [{ who: 'co-applicant', screened: coApplicant }] : []),
  ];
  if (people.every(({ screened }) => screened === null)) {
    return ['Nobody on the application was screened against sanctions lists: no screening is configured'];
  }
  return people.flatMap(({ who, screened }) => {
    if (screened === null) return [`The ${who} was not screened against sanctions lists`];
    if (screened.result === 'clear') {
      return screened.withoutName ? [`The ${who} was screened against sanctions lists without a name`] : [];
    }
    if (screened.list === '') return [`The ${who} has not been cleared`];
    return [`The ${who} matches an entry of a sanctions list (${screened.list}, ${screened.entry}): do not tell them`];
  });
}
