/** The stipulations of a loan in words: how many still stand, what each asks for, and what may be done with it. */
import type { Schemas } from 'daybook-sdk';
import { words } from '../format.ts';

export type Stipulation = Schemas['Stipulation'];
/** A state that can be recorded. */
export type Step = Schemas['StipulationState'];

/** One that was only received is still to be checked. */
const isMet = ({ state }: Stipulation): boolean => state === 'verified' || state === 'waived';

/** The last run of underwriting does not ask for it any more. */
export const hasExpired = ({ state }: Stipulation): boolean => state === 'expired';

const isOpen = (one: Stipulation): boolean => !isMet(one) && !hasExpired(one);

/** Whether funding waits for it. */
export const holdsUpFunding = (one: Stipulation): boolean => one.beforeFunding && isOpen(one);

/** "2 of 5 open; 1 must come before funding". Null: the last run asks for nothing. */
export function standing(items: readonly Stipulation[]): { text: string; holdsUp: boolean } | null {
  const present = items.filter((one) => !hasExpired(one));
  if (present.length === 0) return null;
  const open = present.filter(isOpen);
  const first = present.filter(holdsUpFunding).length;
  const all = present.length;
  if (open.length === 0) return { text: all === 1 ? 'The only one is met' : `All ${all} are met`, holdsUp: false };
  const text = `${open.length} of ${all} open`;
  return first === 0 ? { text, holdsUp: false } : { text: `${text}; ${first} must come before funding`, holdsUp: true };
}

/** In words. An expired one has only its id, which begins with its kind; so have all once the borrower was erased. */
export function asked({ text, kind, stipulationId }: Pick<Stipulation, 'text' | 'kind' | 'stipulationId'>): string {
  if (text !== null) return text;
  const named = kind ?? stipulationId.split('-')[0] ?? '';
  return named === 'law' ? 'Asked for by law' : words(named);
}

const PEOPLE = { applicant: 'Applicant', coApplicant: 'Co-applicant' } as const;

/** Null: the application as a whole. */
export const personOf = ({ person }: Pick<Stipulation, 'person'>): string | null =>
  person === null ? null : PEOPLE[person];

/** In one line, for a list to choose from. */
export function inOneLine(one: Stipulation): string {
  const about = personOf(one);
  return [
    asked(one),
    ...(about === null ? [] : [about.toLowerCase()]),
    ...(one.beforeFunding ? ['before funding'] : []),
  ].join(' · ');
}

/** The states that can be recorded of it now; `can` tells the scopes of the person. What is verified stays so, unless that is undone. */
export function stepsOf({ state, waivedBy }: Stipulation, can: (scope: string) => boolean): Step[] {
  if (state === 'verified' || state === 'expired' || !can('underwriting:write')) return [];
  const isWaivable = state !== 'waived' && waivedBy !== 'nobody' && can(waivedBy);
  return [
    ...(state === 'open' ? (['received'] as const) : []),
    'verified',
    ...(isWaivable ? (['waived'] as const) : []),
  ];
}

/** Labels of the actions. */
export const ACTIONS: Readonly<Record<Step, string>> = { received: 'Received', verified: 'Verify', waived: 'Waive' };

/** Titles of their drawers. */
export const TITLES: Readonly<Record<Step, string>> = {
  received: 'Stipulation received',
  verified: 'Verify stipulation',
  waived: 'Waive stipulation',
};

/** Those that a refusal names, in its order; an id of which nothing is known stands for itself. */
export function named(ids: readonly string[], items: readonly Stipulation[]): { id: string; text: string }[] {
  return ids.map((id) => {
    const found = items.find(({ stipulationId }) => stipulationId === id);
    if (found === undefined) return { id, text: id };
    const about = personOf(found);
    return { id, text: about === null ? asked(found) : `${asked(found)} (${about.toLowerCase()})` };
  });
}
