/**
 * One command on one loan: refused or decided by the engine, its events linked as transactions, with the balanced lines that
 * bring the books to the loan's new state. Pure but for the nonces: everything it needs is passed in, and the batch saves the result.
 */
import { randomUUID } from 'node:crypto';
import type { LoanFile } from '../../boarding/file.ts';
import { openingFromMetadata } from '../../boarding/funding-metadata.ts';
import { type Command, type Decision, decide, needsFile, scopeNeeded, type When } from '../../core/decide/decide.ts';
import { loanOn } from '../../core/decide/operation.ts';
import type { LoanEvent } from '../../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';
import { changesOwner, partiesOf } from '../../core/ownership.ts';
import { isMistakes, type Mistakes } from '../../core/reader.ts';
import { isRefusal, type Refusal, refuse } from '../../core/refusal.ts';
import { eventsInForce } from '../../core/undo.ts';
import { GENESIS_HASH, hashOf, transactionBody } from '../../ledger/chain.ts';
import { type DatedLine, linesOfDays, linesOfEvent, type Posting } from '../../ledger/journal.ts';
import { NO_BOOKS } from '../../ledger/post.ts';
import { followed } from '../../policy/impact.ts';
import { summaryOf } from '../../portfolio/loan-columns.ts';
import type { ApprovalSave } from '../../store/approvals/approvals.ts';
import type { StoredAnswer } from '../../store/door/idempotency.ts';
import type { NewLoanRow, Save, SavedEvent } from '../../store/door/save-loans.ts';
import type { Actor } from './actor.ts';
import { awaited, needsApproval } from './approval-outcome.ts';
import { asTheFirstTime, changed } from './change.ts';
import { bothOf, refuseLongHistory, termsChangesIn } from './history-limits.ts';
import type { CallKey } from './keys.ts';
import type { Known, Loaded } from './loan-cache.ts';
import { mayBring, refusedFor, refuseOwnOffer, roleOf } from './permissions.ts';
import type { Timelines } from './policy-timelines.ts';
import { dayOfBoth, holderOf, transferSaved, withNextPolicy, withParties } from './saved-transfers.ts';
import { named, sequenceOf, undoDenied } from './undo.ts';
import type { Approving, LoanCommand, Outcome, Write, WriteOptions } from './write.ts';

/** A new loan, sealed and ready. */
export type NewLoanJob = {
  /** Its first events, and the loan after them: decided by the batch, so that they are dated by the clock that it is saved by. */
  readonly decide: (when: When) => { readonly events: readonly LoanEvent[]; readonly loan: Loan } | Refusal;
  readonly row: NewLoanRow;
  readonly commitments: Readonly<Record<string, string>>;
  readonly answer: Write['answer'];
};

/** An answer that needs no save, a save with its answer, or a request for the loan's whole history. */
export type Transacted =
  | { readonly kind: 'answer'; readonly outcome: Outcome }
  | { readonly kind: 'save'; readonly save: Save; readonly next: Known; readonly outcome: Outcome }
  | { readonly kind: 'needs_events' };

/** The caller and the loan, and how the write is to be done. */
type LoanCall = {
  readonly actor: Actor;
  readonly loanId: string;
  readonly options: WriteOptions;
  readonly idempotency: CallKey | null;
};

/** Everything a decision is made with, all of one moment. */
export type Held = {
  readonly known: Known;
  /** Null: the events are not loaded. */
  readonly history: Loaded | null;
  /** For the operations that need it; else null. */
  readonly file: LoanFile | null;
  readonly when: When;
  /** The sealed reason. */
  readonly note: Buffer | null;
};

const answer = (outcome: Outcome): Transacted => ({ kind: 'answer', outcome });

export function replay(before: StoredAnswer, requestHash: string | undefined): Outcome {
  return before.requestHash === requestHash ? { kind: 'replayed', text: before.answer } : { kind: 'key_reused' };
}

export function transactNew(
  { loanId, actor, options, idempotency }: LoanCall,
  job: NewLoanJob,
  { when, policies }: { readonly when: When; readonly policies: Timelines },
): Transacted {
  const decided = job.decide(when);
  if (isRefusal(decided)) return answer({ kind: 'refused', refusal: decided });
  const { events, loan } = decided;
  const { at } = when;
  const { organizationId, lenderId, primaryServicerId, secondaryServicerId } = job.row;
  const timeline = policies.of(lenderId);
  const blank: Known = {
    loanId,
    organizationId,
    lenderId,
    primaryServicerId,
    secondaryServicerId,
    createdAt: Date.parse(at),
    startBlock: 0,
    version: 0,
    lastHash: GENESIS_HASH,
    folding: foldAll(followed(events, timeline)),
    timeline,
    books: NO_BOOKS,
    recordedAt: Date.parse(at),
    recordedOn: loan.on,
    termsChanges: { moved: 0, reamortized: 0 },
    parties: partiesOf([]),
    paymentHashes: new Map(),
    summary: null,
  };
  const begun = (n: number) => {
    const first = events.slice(0, n);
    return { folding: foldAll(first), events: first };
  };
  const after = (i: number) => ({
    // A loan that is boarded with a record has several first events, and posts its opening figures with one of them.
    loan: i === events.length - 1 ? loan : fold(events.slice(0, i + 1), loan.on),
    histories: i === 0 ? null : () => ({ before: begun(i), after: begun(i + 1) }),
  });
  const posted = chain(blank, events, after, { brought: [], commitments: job.commitments, note: null });
  if (posted === null) throw new Error('A new loan has no events that could be needed.');
  const { saved, lines, next } = posted;
  const change = changed(next, loan, events, lines);
  const text = job.answer(change);
  const outcome: Outcome = { kind: 'done', text, change };
  if (options.dryRun) return answer(outcome);
  const summary = summaryOf(loan);
  const save: Save = {
    loanId,
    organizationId,
    createdAt: new Date(next.createdAt),
    expected: null,
    version: next.version,
    recordedAt: new Date(next.recordedAt),
    summary,
    before: null,
    created: job.row,
    clientId: actor.clientId,
    userId: actor.userId ?? null,
    act: actOf(actor, 'create-loan', undefined),
    events: saved,
    idempotency: idempotency === null ? null : { ...idempotency, answer: text },
    assessed: null,
    partyChange: null,
  };
  return { kind: 'save', save, next: { ...next, summary }, outcome };
}

export function transact(asked: LoanCall, write: Write, { known, history, file, when: now, note }: Held): Transacted {
  const { actor, options, idempotency, loanId } = asked;
  const { approval } = options;
  const dated = dayOfBoth(write.command, now);
  const when = approval === undefined ? dated : { ...dated, approvalId: approval.approvalId };
  const mayNot = refusedFor(actor, known, write.command.do);
  if (mayNot !== null) return answer(mayNot);
  if (options.ifVersion !== null && options.ifVersion !== known.version) {
    return answer({ kind: 'version', version: known.version });
  }
  const { basis } = write;
  if (basis !== undefined && (basis.version !== known.version || basis.today !== when.today))
    return answer({ kind: 'overtaken' });
  if (file === null && needsFile(write.command.do)) throw new Error('A decision lacks the file of its loan.');
  const command = toCommand(write.command, { known, history, file, when });
  if (command === 'needs_events') return { kind: 'needs_events' };
  if (isRefusal(command)) return answer({ kind: 'refused', refusal: command });
  if (isMistakes(command)) return answer({ kind: 'mistaken', wrong: command });
  const decision = decide(
    { folding: known.folding, events: history?.events ?? null },
    command,
    when,
    file ?? undefined,
  );
  if (decision === 'needs_events') return { kind: 'needs_events' };
  if (isRefusal(decision)) return answer({ kind: 'refused', refusal: named(decision, history) });
  if (decision.events.length === 0 && approval !== undefined) {
    const detail = 'What was requested has been done in the meantime; reject the request.';
    return answer({ kind: 'refused', refusal: refuse('reference_conflict', detail) });
  }
  if (decision.events.length === 0) {
    // The same call again, or one that changes nothing: answered, not saved.
    if (history === null) return { kind: 'needs_events' };
    const change = asTheFirstTime({ known, history, file }, decision, command);
    return answer({ kind: 'done', text: write.answer(change), change });
  }
  const own = refuseOwnOffer(actor, known, command.do);
  if (own !== null) return answer({ kind: 'refused', refusal: own });
  if (!mayBring(roleOf(actor, known), decision.events)) return answer({ kind: 'denied', needs: 'grant' });
  const scope = scopeNeeded(command, decision, when);
  if (scope !== null && !actor.scopes.has(scope)) return answer({ kind: 'denied', needs: 'scope', scope });
  // The limits are the owner's: a grant does not cover exceeding them.
  if (scope === 'servicing:override' && roleOf(actor, known) !== 'owner')
    return answer({ kind: 'denied', needs: 'grant' });
  if (command.do === 'undo' && write.reason !== null && note === null && !options.dryRun) {
    const detail = 'The borrower of this loan was erased; nothing of it can be undone.';
    return answer({ kind: 'refused', refusal: refuse('reference_conflict', detail) });
  }
  const mayNotUndo = undoDenied(actor, known, command, history);
  if (mayNotUndo !== null) return answer(mayNotUndo);
  const installments = decision.loan.installments.length;
  const tooLong = refuseLongHistory({ ...known, installments }, command.do, decision.events);
  if (tooLong !== null) return answer({ kind: 'refused', refusal: tooLong });

  const states = statesAfter(known, history, decision, when);
  if (states === null) return { kind: 'needs_events' };
  const days = { after: known.recordedOn, before: when.today };
  const brought = linesOfDays({ folding: known.folding, events: history?.events ?? null }, known.books, days);
  if (brought === null) return { kind: 'needs_events' };
  const posted = chain(
    { ...known, folding: decision.folding, books: brought.books },
    decision.events,
    (i) => {
      const { loan, folding } = states[i] as After;
      const until = (n: number) => history && [...history.events, ...decision.events.slice(0, n)];
      return {
        loan,
        histories: () => ({
          before: { folding: states[i - 1]?.folding ?? known.folding, events: until(i) },
          after: { folding, events: until(i + 1) },
        }),
      };
    },
    {
      brought: brought.lines,
      commitments: write.assessed?.commitments ?? null,
      note,
    },
  );
  if (posted === null) return { kind: 'needs_events' };
  const { saved, lines, entering } = posted;
  const next = command.do === 'undo' && history !== null ? withoutUndone(posted.next, history, decision) : posted.next;
  const change = { ...changed(next, decision.loan, decision.events, lines), changes: decision.changes };
  const approvalNeeded = needsApproval(actor, command, decision);
  // Without a way to wait for an approval, a dry run is refused as the write would be.
  if (options.dryRun && !(approvalNeeded && write.approvable === undefined)) {
    const told = { ...change, approval: approvalNeeded };
    return answer({ kind: 'done', text: write.answer(told), change: told });
  }
  const before = () => loanOn({ folding: known.folding, events: history?.events ?? null }, when.today);
  const waits = awaited(approvalNeeded, { actor, write, options, known, command, decision, change, when, before });
  if (waits === 'needs_events') return { kind: waits };
  if (waits !== null) return answer(waits);
  const text = write.answer(change);
  const outcome: Outcome = { kind: 'done', text, change };
  const linesBefore = saved.at(-1)?.lines.length ?? 0;
  const transfer = transferSaved(known, decision.events, { entering, linesBefore });
  const summary = withNextPolicy(summaryOf(decision.loan), decision.events);
  const save: Save = {
    loanId,
    organizationId: known.organizationId,
    createdAt: new Date(known.createdAt),
    expected: known.lastHash,
    version: next.version,
    recordedAt: new Date(next.recordedAt),
    summary,
    before: known.summary,
    created: null,
    clientId: approval?.requestedBy.clientId ?? actor.clientId,
    userId: approval === undefined ? (actor.userId ?? null) : approval.requestedBy.userId,
    act: actOf(actor, command.do, approval),
    events: saved,
    idempotency: idempotency === null ? null : { ...idempotency, answer: text },
    assessed: write.assessed?.parts ?? null,
    partyChange: write.partyChange ?? null,
    ...(transfer === null ? {} : { transfer }),
    ...(approval === undefined
      ? {}
      : { approval: approvedBy(approval, { at: when.at, text, transactionHash: next.lastHash }) }),
  };
  return { kind: 'save', save, next: { ...next, summary }, outcome };
}

/** The call as the audit trail keeps it: for an approved one, that its requester did it. The approver's own entry is beside it. */
function actOf(
  { organizationId, keyId, requestId }: Actor,
  operation: string,
  approval: Approving | undefined,
): Save['act'] {
  if (approval === undefined) return { operation, organizationId, keyId, requestId };
  const { approvalId, requestedBy } = approval;
  return { operation, organizationId: requestedBy.organizationId, keyId: null, requestId, approvalId };
}

/** The decision, as it is saved with what it approves. */
function approvedBy(
  { approvalId, decidedBy, note, entry }: Approving,
  { at, text, transactionHash }: { at: string; text: string; transactionHash: string },
): ApprovalSave {
  return { approvalId, ...decidedBy, at: new Date(at), note, entry, transactionHash, answer: text };
}

/** A change of terms that was undone no longer counts against the limit. */
function withoutUndone(next: Known, { events }: Loaded, decision: Decision): Known {
  return { ...next, termsChanges: termsChangesIn(eventsInForce([...events, ...decision.events])) };
}

/** A funding with an earlier servicer's record, or the hash of a transaction, becomes the engine's command here, where the loan is known. */
function toCommand(
  command: LoanCommand,
  { known, history, file, when }: Omit<Held, 'note'>,
): Command | Mistakes | Refusal | 'needs_events' {
  if ('changes' in command) throw new Error('A change of a party was not sealed before it queued.');
  if ('transactionHash' in command) return sequenceOf(command, history);
  if (command.do === 'transfer') return { ...command, from: holderOf(known) };
  if (!('metadata' in command)) return command;
  const loan = stateOn(known.folding, when.today) ?? (history && fold(history.events, when.today));
  if (loan === null) return 'needs_events';
  const funding = openingFromMetadata(command.metadata, { loan, file: file as LoanFile }, when.today);
  return isRefusal(funding) || isMistakes(funding) ? funding : { do: 'fund-loan', ...funding };
}

/** The loan after each of the events. Null: the history is needed to know. */
type After = { readonly loan: Loan; readonly folding: Folding };

function statesAfter(known: Known, history: Loaded | null, decision: Decision, when: When): After[] | null {
  const { events, loan } = decision;
  const states: After[] = [];
  let folding = known.folding;
  for (let i = 0; i < events.length - 1; i++) {
    const step = append(folding, [events[i] as LoanEvent]);
    const state = step === null ? null : stateOn(step, when.today);
    if (step !== null && state !== null) {
      folding = step;
      states.push({ loan: state, folding });
      continue;
    }
    if (history === null) return null;
    const so = [...history.events, ...events.slice(0, i + 1)];
    folding = foldAll(so);
    states.push({ loan: fold(so, when.today), folding });
  }
  return [...states, { loan, folding: decision.folding }];
}

/**
 * Events become transactions, each linked to the one before, with the lines that bring the books to the loan's new state. `brought` is
 * what accrued or fell due before them: it is posted with the first. Null: the history's events are needed.
 */
/** The organization that an event offers or transfers the loan to: the feed tells it too. */
function offeredTo(event: LoanEvent): string | null {
  const moves = event.type === 'transferScheduled' || event.type === 'transferred';
  return moves && event.what === 'owner' ? event.to.organizationId : null;
}

export function chain(
  known: Known,
  events: readonly LoanEvent[],
  after: (i: number) => Pick<Posting, 'loan' | 'histories'>,
  more: {
    brought: readonly DatedLine[];
    commitments: Readonly<Record<string, string>> | null;
    note: Buffer | null;
  },
): { saved: SavedEvent[]; lines: DatedLine[]; entering: readonly DatedLine[]; next: Known } | null {
  let { version: sequence, lastHash: previous, books } = known;
  const { loanId } = known;
  const all: DatedLine[] = [];
  const saved: SavedEvent[] = [];
  /** In the books of a new owner. */
  let entering: readonly DatedLine[] = [];
  for (const [i, event] of events.entries()) {
    sequence += 1;
    const commitments = i === 0 ? more.commitments : null;
    const body = transactionBody({ loanId, sequence, previous, event, nonce: randomUUID(), commitments });
    const hash = hashOf(body);
    previous = hash;
    const { ownedSince } = known.parties;
    const posted = linesOfEvent(books, event, { ...after(i), next: events[i + 1], ownedSince });
    if (posted === null) return null;
    const own = i === 0 && more.brought.length > 0 ? [...more.brought, ...posted.lines] : posted.lines;
    const lines = changesOwner(event) ? own.filter(({ enters }) => enters !== true) : own;
    if (lines !== own) entering = own.filter(({ enters }) => enters === true);
    books = posted.books;
    all.push(...own);
    const last = i === events.length - 1;
    saved.push({
      sequence,
      hash,
      type: event.type,
      refId: event.type === 'paymentSubmitted' ? event.refId : null,
      body,
      note: last ? more.note : null,
      nextOrganizationId: offeredTo(event),
      lines,
    });
  }
  const last = events.at(-1) as LoanEvent;
  const next = {
    ...withParties(known, events),
    version: sequence,
    lastHash: previous,
    books,
    recordedAt: Date.parse(last.recordedAt),
    recordedOn: last.recordedOn,
    termsChanges: bothOf(known.termsChanges, termsChangesIn(events)),
    parties: partiesOf(events, known.parties),
  };
  return { saved, lines: all, entering, next };
}
