/** The change that a command has made, for its answer; for a repeated command, what the first call did. Pure. */
import type { LoanFile } from '../../boarding/file.ts';
import { changedFacts } from '../../core/changes.ts';
import type { Command, Decision } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';
import { isClosed, statusOf } from '../../core/status.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import type { Known, Loaded } from './loan-cache.ts';
import { transferOf } from './saved-transfers.ts';
import type { Change } from './write.ts';

export function changed(next: Known, loan: Loan, events: readonly LoanEvent[], journal: readonly DatedLine[]): Change {
  const transfer = transferOf(next.parties, events);
  return {
    loanId: next.loanId,
    transactionHash: next.lastHash,
    version: next.version,
    loan,
    status: statusOf(loan),
    events,
    journal,
    repeated: false,
    changes: null,
    ...(transfer === null ? {} : { transfer }),
  };
}

/** The answer to a repeated call: the loan and the hash of the first time. */
export function asTheFirstTime(
  { known, history: { events, hashes }, file }: { known: Known; history: Loaded; file: LoanFile | null },
  decision: Decision,
  command: Command,
): Change {
  const index = decision.original ?? (command.do === 'close' ? closingEvent(events) : null);
  if (index === null) return { ...changed(known, decision.loan, [], []), repeated: decision.repeated };
  return afterEvent({ known, events, hashes }, index, file);
}

/** The loan as it stood right after one of its events, with that event's hash. */
export function afterEvent({ known, events, hashes }: Loaded, index: number, file: LoanFile | null = null): Change {
  const until = events.slice(0, index + 1);
  const loan = fold(until, (until.at(-1) as LoanEvent).recordedOn);
  return {
    ...changed(known, loan, [], []),
    transactionHash: hashes[index] as string,
    repeated: true,
    changes: changesOf(until, loan, file),
  };
}

/** The facts from before the last of these events that it, and those recorded with it, changed. */
function changesOf(events: readonly LoanEvent[], loan: Loan, file: LoanFile | null): Change['changes'] {
  const { recordedAt } = events.at(-1) as LoanEvent;
  const first = events.findIndex((event) => event.recordedAt === recordedAt);
  const before = events.slice(0, first);
  if (before.length === 0) return null;
  return changedFacts({ before: fold(before, loan.on), after: loan, events: events.slice(first) }, file ?? {});
}

/** Events that are folded again, in all, to find which one closed a loan: a hundred times those of an ordinary loan. */
const FOLDED_AT_MOST = 10_000;

/** The event that closed the loan: the first after which it was never open again. Null: it is too long ago to be looked for. */
function closingEvent(events: readonly LoanEvent[]): number | null {
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
