/** The body of POST /loans, read into what the door for writes takes. Its shape is in `create-schema.ts`. */
import type { PlainDate } from '../core/calendar.ts';
import type { Creation } from '../loans/loans.ts';

/** Everything but the answer, which the route makes. */
export type NewLoan = Omit<Creation, 'answer'>;

/** `source` is the text that `body` was parsed from. Throws a `Problem` that names every bad value. */
export function readCreation(source: string, body: object, today: PlainDate): NewLoan {
  throw new Error(`Not read yet: ${source.length}, ${typeof body}, ${today}`);
}
