/** The people of an application, and how its members are named for each. */
import type { Cents } from '../core/money.ts';
import { type Refusal, refuse } from '../core/refusal.ts';
import { amountOf, memberOf, textOf } from './lenient-numbers.ts';

/** The people of an application: the object of `Request` that describes each, the prefix of its members, and the name in texts. */
export const PEOPLE = {
  primary: { info: 'ApplicantInfo', prefix: 'Applicant', who: 'applicant', person: 'applicant' },
  coApplicant: { info: 'CoApplicantInfo', prefix: 'CoApplicant', who: 'co-applicant', person: 'coApplicant' },
} as const;
export type Person = (typeof PEOPLE)[keyof typeof PEOPLE];

/** Yearly figures, in order of preference; those of a co-applicant have their own prefix. */
export const YEARLY = ['ApplicantIncomePrimary', 'ApplicantIncome', 'ReportedIncome', 'EstimatedIncome'];

export function incomeMembers(prefix: Person['prefix']): string[] {
  return ['MonthlyGross', 'OtherIncomeAmount', ...YEARLY.map((name) => name.replace('Applicant', prefix))];
}

/** Whether the application says where this person lives, or what they earn. The ZIP code is never read. */
export function isDescribed(request: unknown, { info, prefix }: Person): boolean {
  const home = ['Address', 'City', 'State'].map((name) => `${prefix}${name}`);
  return [...home, ...incomeMembers(prefix)].some(
    (name) => !/^0?$/.test(textOf(memberOf(memberOf(request, info), name))),
  );
}

/**
 * The state in which each person lives, two letters; '' where it is missing or cannot be read. A co-applicant of whom only the number is
 * given lives with the applicant, who comes first.
 */
export function statesOf(request: unknown, people: readonly Person[]): string[] {
  const own = people.map(({ info, prefix }) => stateIn(memberOf(request, info), prefix));
  return people.map((one, i) => (isDescribed(request, one) ? own[i] : own[0]) ?? '');
}

function stateIn(about: unknown, prefix: string): string {
  const text = textOf(memberOf(about, `${prefix}State`)).toUpperCase();
  return /^[A-Z]{2}$/.test(text) ? text : '';
}

/** Null when absent; an unreadable value is counted as a warning and treated as absent. */
export function optionalAmount(info: unknown, path: string, warnings: string[]): Cents | null | Refusal {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const given = amountOf(memberOf(info, name));
  if (given.is === 'negative') return negative(path, 'An amount');
  if (given.is === 'unreadable') warnings.push(`${name} cannot be read and was left out`);
  return given.is === 'given' ? given.value : null;
}

export function negative(member: string, what: string): Refusal {
  return refuse('invalid_value', `${what} cannot be negative.`, { member });
}
