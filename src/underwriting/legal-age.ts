/**
 * The age from which a person can be bound by a loan, by the state they live in, as data. A contract of a minor is voidable by the minor
 * alone (Restatement (Second) of Contracts § 14), so nobody may approve one. The age of majority is taken although three states let people of
 * eighteen be bound by contracts of some kinds before it (`sooner`): whether a loan secured by a vehicle is one of them, and whether its
 * borrower can set it aside, is for the lender's counsel to say. Nothing here was checked against a text of the law.
 */
import { addMonths, type PlainDate } from '../core/calendar.ts';
import { dateOf, memberOf } from './lenient-numbers.ts';
import { type Person, statesOf } from './people.ts';

type LegalAge = {
  readonly state: string;
  readonly years: number;
  readonly source: string;
  readonly text: string;
  /** The rule by which people below that age can be bound by some contracts. */
  readonly sooner: string;
  /** The day on which it was written down. */
  readonly asOf: PlainDate;
  readonly status: 'unverified' | 'confirmed';
};

const DRAWN_UP = '2026-11-19' as PlainDate;
const UNVERIFIED = { asOf: DRAWN_UP, status: 'unverified' } as const;

/** In all other states and the District of Columbia. No cap on rates is known for the territories, so nothing can be approved there. */
const USUAL_AGE = 18;

export const LEGAL_AGES: readonly LegalAge[] = [
  {
    ...{ state: 'AL', years: 19, source: 'Ala. Code 26-1-1(a)' },
    text: 'Any person in this state, at the arrival at the age of 19 years, shall be relieved of his or her disabilities of minority.',
    sooner: 'Ala. Code 26-1-1(f): from 18, binding contracts',
    ...UNVERIFIED,
  },
  {
    ...{ state: 'MS', years: 21, source: 'Miss. Code 1-3-27' },
    text: 'The term “minor,” when used in any statute, shall include any person, male or female, under twenty-one years of age.',
    sooner: 'Miss. Code 93-19-13: from 18, contracts affecting personal property',
    ...UNVERIFIED,
  },
  {
    ...{ state: 'NE', years: 19, source: 'Neb. Rev. Stat. 43-2101(1)' },
    text: 'All persons under nineteen years of age are declared to be minors.',
    sooner: 'Neb. Rev. Stat. 43-2101(2)(a): from 18, binding contracts and leases, unless a ward of the state',
    ...UNVERIFIED,
  },
];

/** From the birthday on. `state` as it is known; '' or any other: the usual age. */
export function isOfAge({ born, state }: { born: PlainDate; state: string }, today: PlainDate): boolean {
  const years = LEGAL_AGES.find((one) => one.state === state)?.years ?? USUAL_AGE;
  return addMonths(born, years * 12) <= today;
}

/** Each by the law of the state they live in. */
export function areOfAge(
  { request, today }: { readonly request: unknown; readonly today: PlainDate },
  people: readonly Person[],
): boolean {
  const states = statesOf(request, people);
  return people.every(({ info, prefix }, i) => {
    const born = dateOf(memberOf(memberOf(request, info), `${prefix}DOB`));
    return born === null || isOfAge({ born, state: states[i] ?? '' }, today);
  });
}
