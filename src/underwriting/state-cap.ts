/** The cap of a rate by the states of the people on an application, also for one that is decided although it was not assessed. */
import type { PlainDate } from '../core/calendar.ts';
import { formatDecimal, type Percent } from '../core/rate.ts';
import { type LendingPolicy, stateCapIn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { inForce } from './score.ts';

/** By the policy in force on the day. */
export function isAboveStateCap(of: {
  readonly states: readonly string[];
  readonly today: PlainDate;
  readonly rate: Percent;
}): boolean {
  return isAboveCap(inForce(POLICIES, of.today), { ...of, rate: Number(formatDecimal(of.rate)) });
}

/** Without a state no cap is known, and a rate may be above it. */
export function isAboveCap(
  policy: LendingPolicy,
  { states, today, rate }: { readonly states: readonly string[]; readonly today: PlainDate; readonly rate: number },
): boolean {
  return states.length === 0 || rate > (stateCapIn(policy, states, today) ?? rate);
}
