/**
 * Flags of the bureau on a file itself, and the duties of a lender that follow. Measures of the policy count the people on an application
 * whose file has a flag. Fraud and active-duty alerts are not measures: a lender must confirm who is applying before it grants credit
 * (15 USC 1681c-1(h)), whatever its policy says, and an alert says nothing about credit: it changes no decision, score, grade or price.
 */
import { HARD_STOPS, type HardStop } from '../core/hard-stops.ts';
import type { PersonFacts } from './credit-facts.ts';

type People = { readonly primary: PersonFacts; readonly coApplicant: PersonFacts | null };
/** A person on the application, as the interface names them. */
export type Who = 'applicant' | 'coApplicant';
type Named = PersonFacts & { readonly who: 'applicant' | 'co-applicant'; readonly person: Who };

export function peopleOf({ primary, coApplicant }: People): Named[] {
  const applicant: Named = { ...primary, who: 'applicant', person: 'applicant' };
  return coApplicant === null
    ? [applicant]
    : [applicant, { ...coApplicant, who: 'co-applicant', person: 'coApplicant' }];
}

type FileMeasures = {
  readonly frozen: number;
  readonly deceased: number;
  readonly ssnNoMatch: number;
  readonly ssnPartial: number;
  readonly addressDiscrepancy: number;
};

export function fileMeasures(people: People): FileMeasures {
  const all = peopleOf(people);
  const count = (has: (person: PersonFacts) => boolean) => all.filter(has).length;
  return {
    frozen: count(({ flags }) => flags.frozen),
    deceased: count(({ flags }) => flags.deceased),
    // Without a file the number has nothing to match.
    ssnNoMatch: count(({ hit, flags }) => hit && flags.ssnMatch === 'noMatch'),
    ssnPartial: count(({ hit, flags }) => hit && flags.ssnMatch === 'partial'),
    addressDiscrepancy: count(({ flags }) => flags.addressDiscrepancy),
  };
}

/** Rules may decline for these too, but a rule may be overridden. */
export function stopsOfPeople(people: People & { readonly ofAge: boolean; readonly isListed: boolean }): HardStop[] {
  const { deceased, frozen, ssnNoMatch } = fileMeasures(people);
  const found = {
    ...{ deceased: deceased > 0, frozen: frozen > 0, identity: ssnNoMatch > 0 },
    ...{ minor: !people.ofAge, sanctions: people.isListed },
  };
  return HARD_STOPS.filter((stop) => stop in found && found[stop as keyof typeof found]);
}

const ALERTS = { initial: 'Fraud alert', extended: 'Extended fraud alert', activeDuty: 'Active-duty alert' } as const;

/** For the loan officer. Without the telephone number, which only the stipulation needs. */
export function flagWarnings(people: People): string[] {
  return peopleOf(people).flatMap(({ who, hit, flags }) => [
    ...(flags.frozen
      ? [`The ${who}’s credit file is frozen: start underwriting again when they have lifted the freeze`]
      : []),
    ...(flags.deceased ? [`The credit bureau reports the ${who} as deceased`] : []),
    ...(hit && flags.ssnMatch === 'noMatch'
      ? [`The ${who}’s social security number does not match the credit file`]
      : []),
    ...(hit && flags.ssnMatch === 'partial'
      ? [`The ${who}’s social security number matches the credit file only in part`]
      : []),
    ...(flags.addressDiscrepancy ? [`The ${who}’s address differs from those in the credit file`] : []),
    ...(flags.fraudAlert === 'none'
      ? []
      : [`${ALERTS[flags.fraudAlert]} on the ${who}’s credit file: confirm who is applying before credit is granted`]),
  ]);
}

/**
 * 15 USC 1681c-1(h)(1)(B): with an initial or active-duty alert, identity must be verified by reasonable means, or by a call to the number
 * that the consumer gave. (h)(2)(B): with an extended alert, the consumer must be contacted in person or as the alert says.
 */
export function alertsOf(people: People): Alert[] {
  return peopleOf(people).flatMap(({ person, who, flags }) => {
    const { fraudAlert } = flags;
    if (fraudAlert === 'none') return [];
    const kind = fraudAlert === 'activeDuty' ? 'activeDutyAlert' : 'fraudAlert';
    const text = alertText(who, { ...flags, fraudAlert });
    return [{ kind, person, byLaw: true, text, fact: text } as const];
  });
}

export type Alert = {
  readonly kind: 'fraudAlert' | 'activeDutyAlert';
  readonly person: Who;
  readonly byLaw: true;
  readonly text: string;
  /** With the kind of the alert and its number: another alert must be resolved anew. */
  readonly fact: string;
};

type Flags = { readonly fraudAlert: keyof typeof ALERTS; readonly alertPhone: string | null };

function alertText(who: Named['who'], { fraudAlert, alertPhone }: Flags): string {
  const about = `${ALERTS[fraudAlert]} on the ${who}’s credit file, to be resolved before credit is granted:`;
  if (fraudAlert === 'extended') {
    const how = alertPhone === null ? 'in the way that the alert states' : `by telephone at ${alertPhone}`;
    return `${about} confirm the application with the ${who} in person or ${how}`;
  }
  const call = alertPhone === null ? '' : `call the ${who} at ${alertPhone}, or `;
  return `${about} ${call}verify the ${who}’s identity`;
}
