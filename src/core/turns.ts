/** Days on which a loan changes by itself: another version of the policy comes into force, or military service is over. */
import type { PlainDate } from './calendar.ts';
import { endService, overOn } from './military-service.ts';
import { followPolicy, type WorkingLoan } from './working-loan.ts';

/** The next day on which a version of the policy comes into force or military service is over. */
export function nextTurn(working: Readonly<WorkingLoan>): PlainDate | null {
  const version = nextVersion(working);
  const over = working.service === null ? null : overOn(working.service);
  return version === null || (over !== null && over < version) ? over : version;
}

export function turn(working: WorkingLoan): void {
  const day = nextTurn(working) as PlainDate;
  if (nextVersion(working) === day) followPolicy(working);
  else endService(working, day);
}

function nextVersion({ follows, followed }: Readonly<WorkingLoan>): PlainDate | null {
  return follows[followed]?.from ?? null;
}
