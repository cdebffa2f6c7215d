/**
 * Facts that no approval passes over, whoever gives it and whatever a policy says: no opinions on the credit, but what the law or the identity
 * of a person rests on. A stop ends when the fact does, and underwriting is started again. The loan's file says only whether there
 * is one: some are about a person, and those are sealed with the application.
 */
import type { OnFile } from './loan.ts';
import { type Refusal, refuse } from './refusal.ts';

/** By stop: what is so, and what ends it. */
const STOPS = {
  deceased:
    'the credit bureau reports a person on the application as deceased; they prove who they are to the bureau, which corrects it',
  frozen: 'a credit file is frozen; the person lifts the freeze',
  identity: 'a social security number belongs to another person; it is corrected in a new application',
  minor: 'a person on the application is not of age; they apply again when they are',
  noPerson: 'the application names no applicant; a new one does, with ApplicantSSN',
  rateCap:
    'the rate is above the cap of the applicant’s state, or the state is not known; a lower rate or the state is in a new application, or another deal is chosen',
  sanctions:
    'a person on the application matches an entry of a sanctions list; the list or the screening service clears the person. Do not tell anybody on the application',
} as const;

export type HardStop = keyof typeof STOPS;
export const HARD_STOPS = Object.keys(STOPS) as HardStop[];

/** Whether something stands against approving this deal. A loan that was decided elsewhere has nothing. */
export function isStopped({ isStopped: ofPeople, deals }: OnFile, dealIndex: number): boolean {
  return ofPeople === true || deals[dealIndex]?.isStopped === true;
}

/** The refusal of an approval; empty: which ones is not known here. */
export function hardStop(stops: readonly HardStop[]): Refusal {
  const which =
    stops.length === 0
      ? 'a fact about the application stands against it; its reasons are with the deals'
      : stops.map((stop) => STOPS[stop]).join('. Also ');
  const detail = `Nobody can approve this: ${which}. Then start underwriting again, where the application stays the same.`;
  return refuse('hard_stop', detail, stops.length === 0 ? {} : { facts: { hardStops: stops } });
}
