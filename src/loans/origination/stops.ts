/** The facts against an approval that need no report: an application may be decided although it was not assessed. */
import type { LoanFile } from '../../boarding/file.ts';
import { subjectsOf } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { HardStop } from '../../core/hard-stops.ts';
import type { Contract } from '../../core/loan.ts';
import { isAboveStateCap } from '../../underwriting/state-cap.ts';

export function stopsBefore(
  request: unknown,
  {
    file: { state },
    contract: { rate },
  }: { readonly file: Pick<LoanFile, 'state'>; readonly contract: Pick<Contract, 'rate'> },
  today: PlainDate,
): HardStop[] {
  return [
    ...(subjectsOf(request) === null ? (['noPerson'] as const) : []),
    ...(isAboveStateCap({ states: state === '' ? [] : [state], today, rate }) ? (['rateCap'] as const) : []),
  ];
}
