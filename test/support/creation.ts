/** A body of POST /loans, read as the service reads it. Mistakes are thrown as the problem that a caller would get. */
import { type Creation, readCreation } from '../../src/boarding/creation.ts';
import { date } from '../../src/core/calendar.ts';
import { DEFAULT_LENDER_POLICY } from '../../src/core/policy.ts';
import { isMistakes, type Mistakes } from '../../src/core/reader.ts';
import { isRefusal, type Refusal } from '../../src/core/refusal.ts';
import { refusedProblem } from '../../src/http/shared/refusal-problems.ts';
import { mistakesProblem } from '../../src/http/shared/request-reader.ts';

/** The economy on the day of every creation here. */
export const MACRO = '{"unemployment":4.4,"cpi":2.7,"fedRate":3.64}';

export function creationOf(body: object | string, today: string): Creation {
  const source = typeof body === 'string' ? body : JSON.stringify(body);
  const policies = { lenders: new Map(), others: DEFAULT_LENDER_POLICY };
  return orProblem(readCreation(source, { policies, today: date(today), macro: MACRO }));
}

export function orProblem<T>(read: T | Mistakes | Refusal): T {
  if (isRefusal(read)) throw refusedProblem(read);
  if (isMistakes(read)) throw mistakesProblem(read);
  return read;
}
