/** The same history on several days, in one replay: a fold for each day would apply the earlier events repeatedly. */
import type { PlainDate } from './calendar.ts';
import { KINDS, type LoanEvent, ordered } from './event.ts';
import { applyEvent, beginReplay, bringForward } from './fold.ts';
import { scheduledIn, undonePaymentsIn } from './known-events.ts';
import type { Loan } from './loan.ts';
import { shownAccruing } from './non-accrual.ts';
import { eventsToFold } from './undo.ts';

/** `read` is called for each day, in order, with the loan on it. The loan must not be kept: the replay continues to change its parts. */
export function foldOver<T>(events: readonly LoanEvent[], days: readonly PlainDate[], read: (loan: Loan) => T): T[] {
  const known = ordered(eventsToFold(events));
  const acknowledged = new Set<string>();
  for (const event of known) if (event.type === 'paymentAcknowledged') acknowledged.add(event.refId);
  const created = known.find(({ type }) => type === 'created');
  const run = beginReplay(created, { known, undone: undonePaymentsIn(known), acknowledged, work: null });
  const scheduled = scheduledIn(known);
  const all = scheduled.length > 0 ? ordered([...scheduled, ...known]) : known;
  let next = 0;
  return days.map((day) => {
    for (let event = all[next]; event !== undefined; event = all[next]) {
      // Events before funding come first in the order, whatever their date.
      if (event.date > day && !KINDS[event.type].early) break;
      applyEvent(run, event);
      next += 1;
    }
    if (run.history !== null) run.history.on = day;
    bringForward(run, day);
    return read(shownAccruing(run.working, day));
  });
}
