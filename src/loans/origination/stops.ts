/** The facts against an approval that need no report: an application may be decided although it was not assessed. */
import { subjectsOf } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { HardStop } from '../../core/hard-stops.ts';
import type { Contract } from '../../core/loan.ts';
import { formatDecimal } from '../../core/rate.ts';
import { PEOPLE, statesOf } from '../../underwriting/people.ts';
import { isAboveCap } from '../../underwriting/policy.ts';
import { POLICIES } from '../../underwriting/policy-data.ts';
import { inForce } from '../../underwriting/score.ts';

export function stopsBefore(
  request: unknown,
  { contract: { rate } }: { readonly contract: Pick<Contract, 'rate'> },
  today: PlainDate,
): HardStop[] {
  const subjects = subjectsOf(request);
  const states = statesOf(request, subjects === null ? [PEOPLE.primary] : subjects.map(({ role }) => PEOPLE[role]));
  const asked = { states: states.includes('') ? [] : states, today, rate: Number(formatDecimal(rate)) };
  return [
    ...(subjects === null ? (['noPerson'] as const) : []),
    ...(isAboveCap(inForce(POLICIES, today), asked) ? (['rateCap'] as const) : []),
  ];
}
