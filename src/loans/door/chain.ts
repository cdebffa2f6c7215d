/** Events become transactions, each linked to the one before, with the balanced lines that bring the books to the loan's new state. Pure. */
import type { LoanEvent } from '../../core/event.ts';
import { changesOwner, type FormerOwner, partiesOf } from '../../core/ownership.ts';
import { hashOf, transactionBody } from '../../ledger/chain.ts';
import { type DatedLine, linesOfEvent, type Posting } from '../../ledger/journal.ts';
import type { SavedEvent } from '../../store/door/save-loans.ts';
import type { FormerLines } from '../../store/door/save-transfers.ts';
import { bothOf, termsChangesIn } from './history-limits.ts';
import { type Known, paymentLine } from './loan-cache.ts';
import { withParties } from './saved-transfers.ts';

/** `entering`: the lines in the books of a new owner. */
export type Chained = {
  readonly saved: SavedEvent[];
  readonly lines: DatedLine[];
  readonly entering: readonly DatedLine[];
  /** Those in the books of former owners. */
  readonly ofFormer: readonly FormerLines[];
  readonly next: Known;
};

/** `brought` is what accrued or fell due before the events: it is posted with the first. Null: the history's events are needed. */
export function chain(
  known: Known,
  events: readonly LoanEvent[],
  after: (i: number) => Pick<Posting, 'loan' | 'histories'>,
  more: {
    readonly brought: readonly DatedLine[];
    readonly commitments: Readonly<Record<string, string>> | null;
    readonly note: Buffer | null;
    readonly nonce: () => string;
  },
): Chained | null {
  let { version: sequence, lastHash: previous, books, paymentHashes } = known;
  const { loanId, parties } = known;
  const all: DatedLine[] = [];
  const saved: SavedEvent[] = [];
  let entering: readonly DatedLine[] = [];
  const ofFormer: FormerLines[] = [];
  // Names of payees belong to the funding, which may not be the last.
  const paidOut = events.findIndex((event) => event.type === 'funded' && event.disbursements !== undefined);
  const noted = paidOut >= 0 ? paidOut : events.length - 1;
  for (const [i, event] of events.entries()) {
    sequence += 1;
    const commitments = i === 0 ? more.commitments : null;
    const note = i === noted ? more.note : null;
    const noteHash = note === null ? null : hashOf(note);
    const facts = { loanId, sequence, previous, event, nonce: more.nonce(), commitments, note: noteHash };
    const body = transactionBody(facts);
    const hash = hashOf(body);
    previous = hash;
    const posted = linesOfEvent(books, event, {
      ...after(i),
      next: events[i + 1],
      owned: parties,
    });
    if (posted === null) return null;
    const own = i === 0 && more.brought.length > 0 ? [...more.brought, ...posted.lines] : posted.lines;
    const isElsewhere = changesOwner(event) || own.some(({ former }) => former !== undefined);
    const lines = isElsewhere ? own.filter(({ enters, former }) => enters !== true && former === undefined) : own;
    if (changesOwner(event)) entering = own.filter(({ enters }) => enters === true);
    else if (isElsewhere)
      ofFormer.push({ sequence, linesBefore: lines.length, ...inBooksOf(own, parties.formerOwners) });
    books = posted.books;
    all.push(...lines, ...(changesOwner(event) ? entering : []));
    const refId = event.type === 'paymentSubmitted' ? event.refId : null;
    if (refId !== null) paymentHashes += paymentLine(refId, hash);
    saved.push({
      ...{ sequence, hash, type: event.type, refId, body, note, lines },
      nextOrganizationId: offeredTo(event),
    });
  }
  return {
    saved,
    lines: all,
    entering,
    ofFormer,
    next: knownAfter(known, events, { version: sequence, lastHash: previous, books, paymentHashes }),
  };
}

/** An event is about one payment, which one former owner took. */
function inBooksOf(lines: readonly DatedLine[], owners: readonly FormerOwner[]): Pick<FormerLines, 'owner' | 'lines'> {
  const theirs = lines.filter(({ former }) => former !== undefined);
  const { organizationId, lenderId } = owners[theirs[0]?.former ?? -1] as FormerOwner;
  return { owner: { organizationId, lenderId }, lines: theirs };
}

/** The loan after its events. */
function knownAfter(
  known: Known,
  events: readonly LoanEvent[],
  now: Pick<Known, 'version' | 'lastHash' | 'books' | 'paymentHashes'>,
): Known {
  const last = events.at(-1) as LoanEvent;
  return {
    ...withParties(known, events),
    ...now,
    recordedAt: Date.parse(last.recordedAt),
    recordedOn: last.recordedOn,
    termsChanges: bothOf(known.termsChanges, termsChangesIn(events)),
    parties: partiesOf(events, known.parties),
  };
}

/** The organization that an event offers or transfers the loan to: the feed tells it too. */
function offeredTo(event: LoanEvent): string | null {
  const moves = event.type === 'transferScheduled' || event.type === 'transferred';
  return moves && event.what === 'owner' ? event.to.organizationId : null;
}
