/**
 * One command on one loan: refused, or decided by the engine, with its events linked as transactions. Pure: everything it needs is passed
 * in, the source of nonces too; `settle.ts` words the answer, and the batch saves it.
 */
import type { LoanFile } from '../../boarding/file.ts';
import { openingFromMetadata } from '../../boarding/funding-metadata.ts';
import { customDataOf } from '../../core/custom-data.ts';
import { type Rights, rightsTaken } from '../../core/decide/brought.ts';
import { type Command, type Decision, decide, needsFile, type When } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';
import { partiesOf } from '../../core/ownership.ts';
import { isMistakes, type Mistakes } from '../../core/reader.ts';
import { isRefusal, type Refusal, refuse } from '../../core/refusal.ts';
import { eventsInForce } from '../../core/undo.ts';
import { GENESIS_HASH } from '../../ledger/chain.ts';
import { linesOfDays } from '../../ledger/journal.ts';
import { NO_BOOKS } from '../../ledger/post.ts';
import { followed } from '../../policy/impact.ts';
import type { NewLoanRow, SavedEvent } from '../../store/door/save-loans.ts';
import type { FormerLines, TransferSave } from '../../store/door/save-transfers.ts';
import { type Chained, chain } from './chain.ts';
import { asTheFirstTime, changed } from './change.ts';
import { refuseLongHistory, termsChangesIn } from './history-limits.ts';
import type { Known, Loaded } from './loan-cache.ts';
import type { LoanCall, NewLoanJob } from './pending.ts';
import { offeredAlone, refusedFor, refusedToBring, refuseOwnOffer } from './permissions.ts';
import type { Timelines } from './policy-timelines.ts';
import { dayOfBoth, holderOf, transferSaved } from './saved-transfers.ts';
import { idFreedBy, named, sequenceOf } from './undo.ts';
import type { Change, LoanCommand, MergedCustomData, Outcome, Write } from './write.ts';

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
  /** The loan that has its application id since its boarding was cancelled; absent: none, or it was not. */
  readonly reboarded?: string | undefined;
  readonly nonce: () => string;
};

/** The events of a command as they are saved, and the loan after them. */
export type RecordedLoan = {
  readonly kind: 'recorded';
  readonly next: Known;
  readonly loan: Loan;
  readonly saved: readonly SavedEvent[];
  readonly change: Change;
};

/** One of an existing loan. */
export type RecordedWrite = RecordedLoan & {
  readonly command: Command;
  readonly decision: Decision;
  readonly when: When;
  /** The rights that it takes. */
  readonly rights: Rights;
  readonly transfer: TransferSave | null;
  readonly ofFormer: readonly FormerLines[];
  /** Whether its application id is free from then on; null: as before. */
  readonly idIsFree: boolean | null;
};

/** `unchanged`: the same call again, or one that changes nothing. */
export type Transacted<R> =
  | { readonly kind: 'answer'; readonly outcome: Outcome }
  | { readonly kind: 'unchanged'; readonly change: Change }
  | { readonly kind: 'needs_events' }
  | R;

type Rules = Pick<Write, 'command' | 'reason' | 'basis' | 'assessed' | 'customData'>;

const answer = (outcome: Outcome) => ({ kind: 'answer', outcome }) as const;
const NEEDS_EVENTS = { kind: 'needs_events' } as const;

export function transactNew(
  loanId: string,
  job: Omit<NewLoanJob, 'answer'>,
  { when, policies, nonce }: { readonly when: When; readonly policies: Timelines; readonly nonce: () => string },
): Transacted<RecordedLoan> {
  const decided = job.decide(when);
  if (isRefusal(decided)) return answer({ kind: 'refused', refusal: decided });
  const { events, loan } = decided;
  const blank = blankLoan(loanId, job.row, { events, loan, policies, at: Date.parse(when.at) });
  const begun = (n: number) => {
    const first = events.slice(0, n);
    return { folding: foldAll(first), events: first };
  };
  const after = (i: number) => ({
    // A loan that is boarded with a record has several first events, and posts its opening figures with one of them.
    loan: i === events.length - 1 ? loan : fold(events.slice(0, i + 1), loan.on),
    histories: i === 0 ? null : () => ({ before: begun(i), after: begun(i + 1) }),
  });
  const posted = chain(blank, events, after, { brought: [], commitments: job.commitments, note: job.note, nonce });
  if (posted === null) throw new Error('A new loan has no events that could be needed.');
  const { saved, lines, next } = posted;
  return { kind: 'recorded', next, loan, saved, change: changed(next, loan, events, lines) };
}

/** Before its first transaction. */
function blankLoan(
  loanId: string,
  { organizationId, lenderId, primaryServicerId, secondaryServicerId }: NewLoanRow,
  { events, loan, policies, at }: { events: readonly LoanEvent[]; loan: Loan; policies: Timelines; at: number },
): Known {
  const timeline = policies.of(lenderId);
  return {
    ...{ loanId, organizationId, lenderId, primaryServicerId, secondaryServicerId },
    createdAt: at,
    startBlock: 0,
    version: 0,
    lastHash: GENESIS_HASH,
    folding: foldAll(followed(events, timeline)),
    timeline,
    books: NO_BOOKS,
    recordedAt: at,
    recordedOn: loan.on,
    termsChanges: { moved: 0, reamortized: 0 },
    parties: partiesOf([]),
    paymentHashes: '',
    seldom: null,
  };
}

/** A ladder of refusals around the engine's own; past the last one the events are recorded. */
export function transact(call: LoanCall, write: Rules, held: Held): Transacted<RecordedWrite> {
  const { known, history, file } = held;
  const { approval } = call.options;
  const dated = dayOfBoth(write.command, held.when);
  const when = approval === undefined ? dated : { ...dated, approvalId: approval.approvalId };
  const early = refusedEarly(call, write, known, when);
  if (early !== null) return answer(early);
  if (file === null && needsFile(write.command.do)) throw new Error('A decision lacks the file of its loan.');
  const asked = offeredAlone(call.actor, known, write.command);
  const command = isRefusal(asked) ? asked : toCommand(asked, { known, history, file, when });
  if (command === 'needs_events') return NEEDS_EVENTS;
  if (isRefusal(command)) return answer({ kind: 'refused', refusal: command });
  if (isMistakes(command)) return answer({ kind: 'mistaken', wrong: command });
  const before = { folding: known.folding, events: history?.events ?? null };
  const decision = decide(before, command, when, file ?? undefined);
  if (decision === 'needs_events') return NEEDS_EVENTS;
  if (isRefusal(decision)) return answer({ kind: 'refused', refusal: named(decision, history) });
  if (decision.events.length === 0) {
    if (approval !== undefined)
      return answer(contradicted('What was requested has been done in the meantime; reject the request.'));
    if (history === null) return NEEDS_EVENTS;
    return { kind: 'unchanged', change: asTheFirstTime({ known, history, file }, decision, command) };
  }
  const made = { command, decision, when, rights: rightsTaken(command, decision, when, before) };
  const late = refusedLate(call, write, held, made);
  if (late !== null) return answer(late);
  return recorded(write, held, made);
}

type Made = {
  readonly command: Command;
  readonly decision: Decision;
  readonly when: When;
  readonly rights: Rights;
};

/** Before the engine is asked: the caller, the version it saw, and the basis that the write was prepared from. */
function refusedEarly(
  { actor, options }: LoanCall,
  { command, basis, customData }: Rules,
  known: Known,
  when: When,
): Outcome | null {
  const mayNot = refusedFor(actor, known, command.do);
  if (mayNot !== null) return mayNot;
  const { version } = known;
  if (options.ifVersion !== null && options.ifVersion !== version) return { kind: 'version', version };
  const overtaken = basis !== undefined && (basis.version !== version || basis.today !== when.today);
  return overtaken || (customData !== undefined && !isLatest(customData, known)) ? { kind: 'overtaken' } : null;
}

function isLatest({ organizationId, since }: MergedCustomData, { organizationId: owner, folding }: Known): boolean {
  return organizationId === owner && (customDataOf(folding.working, owner)?.recordedAt ?? null) === since;
}

/** After the engine has decided: whether this caller may bring about these events, and whether the history has room for them. */
function refusedLate(
  { actor, options }: LoanCall,
  { reason, customData }: Rules,
  { known, history, note, reboarded }: Held,
  { command, decision, rights }: Made,
): Outcome | null {
  const own = refuseOwnOffer(actor, known, command.do);
  if (own !== null) return { kind: 'refused', refusal: own };
  const mayNot = refusedToBring(actor, known, rights);
  if (mayNot !== null) return mayNot;
  if (command.do === 'undo' && reason !== null && note === null && !options.dryRun)
    return contradicted('The borrower of this loan was erased; nothing of it can be undone.');
  if (reboarded !== undefined && idFreedBy(decision.events, history) === false) {
    const detail = `The application id of this loan was used again by the loan ${reboarded}. Cancel that boarding first, then undo this one.`;
    return contradicted(detail);
  }
  if (customData !== undefined && note === null && !options.dryRun)
    return contradicted('The borrower of this loan was erased; nothing more can be kept with it.');
  const { length: installments } = decision.loan.installments;
  const tooLong = refuseLongHistory({ ...known, installments }, command.do, decision.events);
  return tooLong === null ? null : { kind: 'refused', refusal: tooLong };
}

function contradicted(detail: string): Outcome {
  return { kind: 'refused', refusal: refuse('reference_conflict', detail) };
}

/** Past the last refusal. */
function recorded(write: Rules, held: Held, made: Made): RecordedWrite | typeof NEEDS_EVENTS {
  const { known, history } = held;
  const { command, decision } = made;
  const posted = posting(write, held, made);
  if (posted === null) return NEEDS_EVENTS;
  const { saved, lines, entering, ofFormer } = posted;
  const next = command.do === 'undo' && history !== null ? withoutUndone(posted.next, history, decision) : posted.next;
  const linesBefore = saved.at(-1)?.lines.length ?? 0;
  const { loan, events, changes } = decision;
  const change = { ...changed(next, loan, events, lines), changes };
  const transfer = transferSaved(known, events, { entering, linesBefore });
  const idIsFree = idFreedBy(events, history);
  return { kind: 'recorded', next, loan, saved, change, ...made, transfer, ofFormer, idIsFree };
}

/** The transactions of a decision, with what accrued or fell due since the last one. Null: the history's events are needed. */
function posting({ assessed }: Rules, { known, history, note, nonce }: Held, { decision, when }: Made): Chained | null {
  const states = statesAfter(known, history, decision, when);
  if (states === null) return null;
  const days = { after: known.recordedOn, before: when.today };
  const brought = linesOfDays({ folding: known.folding, events: history?.events ?? null }, known.books, days);
  if (brought === null) return null;
  const until = (n: number) => history && [...history.events, ...decision.events.slice(0, n)];
  const after = (i: number) => {
    const { loan, folding } = states[i] as After;
    const histories = () => ({
      before: { folding: states[i - 1]?.folding ?? known.folding, events: until(i) },
      after: { folding, events: until(i + 1) },
    });
    return { loan, histories };
  };
  const commitments = assessed?.commitments ?? null;
  const before = { ...known, folding: decision.folding, books: brought.books };
  return chain(before, decision.events, after, { brought: brought.lines, commitments, note, nonce });
}

/** A change of terms that was undone no longer counts against the limit. */
function withoutUndone(next: Known, { events }: Loaded, decision: Decision): Known {
  return { ...next, termsChanges: termsChangesIn(eventsInForce([...events, ...decision.events])) };
}

/** A funding with an earlier servicer's record, or the hash of a transaction, becomes the engine's command here, where the loan is known. */
function toCommand(
  command: LoanCommand,
  { known, history, file, when }: Omit<Held, 'note' | 'nonce'>,
): Command | Mistakes | Refusal | 'needs_events' {
  if ('changes' in command) throw new Error('A change of a party was not sealed before it queued.');
  if ('set' in command) throw new Error('A change of custom data was not merged before it queued.');
  if ('transactionHash' in command) return sequenceOf(command, history);
  if (command.do === 'transfer') return { ...command, from: holderOf(known) };
  if (!('metadata' in command)) return command;
  const loan = stateOn(known.folding, when.today) ?? (history && fold(history.events, when.today));
  if (loan === null) return 'needs_events';
  const funding = openingFromMetadata(command.metadata, { loan, file: file as LoanFile }, when.today);
  return isRefusal(funding) || isMistakes(funding)
    ? funding
    : { do: 'fund-loan', ...funding, disbursements: command.disbursements };
}

type After = { readonly loan: Loan; readonly folding: Folding };

/** The loan after each of the events. Null: the history is needed to know. */
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
