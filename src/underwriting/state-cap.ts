/** The state's cap of a rate, for an application that is decided although it was not assessed. */
import type { PlainDate } from '../core/calendar.ts';
import { formatDecimal, type Percent } from '../core/rate.ts';
import { isAboveCap } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { inForce } from './score.ts';

/** By the policy in force on the day. Without a state no cap is known, and a rate may be above it. */
export function isAboveStateCap(of: {
  readonly states: readonly string[];
  readonly today: PlainDate;
  readonly rate: Percent;
}): boolean {
  return isAboveCap(inForce(POLICIES, of.today), { ...of, rate: Number(formatDecimal(of.rate)) });
}
