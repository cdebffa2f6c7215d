/** The facts against an approval that need no report: an application may be decided although it was not assessed. */
import type { LoanFile } from '../../boarding/file.ts';
import { subjectsOf } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { HardStop } from '../../core/hard-stops.ts';
import type { Contract } from '../../core/loan.ts';
import { formatDecimal } from '../../core/rate.ts';
import { isAboveCap } from '../../underwriting/policy.ts';
import { POLICIES } from '../../underwriting/policy-data.ts';
import { inForce } from '../../underwriting/score.ts';

export function stopsBefore(
  request: unknown,
  {
    file: { state },
    contract: { rate },
  }: { readonly file: Pick<LoanFile, 'state'>; readonly contract: Pick<Contract, 'rate'> },
  today: PlainDate,
): HardStop[] {
  const asked = { states: state === '' ? [] : [state], today, rate: Number(formatDecimal(rate)) };
  return [
    ...(subjectsOf(request) === null ? (['noPerson'] as const) : []),
    ...(isAboveCap(inForce(POLICIES, today), asked) ? (['rateCap'] as const) : []),
  ];
}
