/** Which event closed a loan: what a repeated `close` answers from. */
import type { LoanEvent } from '../core/event.ts';
import { fold } from '../core/fold.ts';
import { isClosed } from '../core/status.ts';

/** Events that are folded again, in all, to find which one closed a loan: a hundred times those of an ordinary loan. */
const FOLDED_AT_MOST = 10_000;

/** The event that closed the loan: the first after which it was never open again. Null: it is too long ago to be looked for. */
export function closingEvent(events: readonly LoanEvent[]): number | null {
  let index = events.length - 1;
  let folded = 0;
  while (index > 0) {
    folded += index;
    if (folded > FOLDED_AT_MOST) return null;
    const until = events.slice(0, index);
    if (!isClosed(fold(until, (until.at(-1) as LoanEvent).recordedOn))) break;
    index -= 1;
  }
  return index;
}
