/**
 * decide(history, command, when): the events that a command produces, or a refusal. It changes nothing: the caller saves the events. Each
 * operation is defined in its family's file; this file combines the families and states the order in which a command is checked.
 */

import { type Changed, changedFacts } from '../changes.ts';
import type { LoanEvent } from '../event.ts';
import { append, type Folding, fold, foldAll } from '../fold.ts';
import { type Contract, isHistory, type Loan, type LoanStatus, type OnFile } from '../loan.ts';
import { MAX_CENTS } from '../money.ts';
import type { Policy } from '../policy.ts';
import { isRefusal, REFUSALS, type Refusal, refuse } from '../refusal.ts';
import { buildSchedule } from '../schedule.ts';
import { statusOf } from '../status.ts';
import { termsOf } from '../terms.ts';
import { type ApplicationCommand, application } from './application.ts';
import { type ClosingCommand, closing } from './closing.ts';
import { type DefaultCommand, defaulting } from './default.ts';
import { type FeeCommand, fee } from './fee.ts';
import { type FundingCommand, funding } from './funding.ts';
import { type HoldCommand, hold } from './hold.ts';
import { policyLimit } from './limits.ts';
import { type ModificationCommand, modification } from './modification.ts';
import {
  type Dated,
  type Definition,
  type Family,
  type History,
  loanOn,
  type OperationScope,
  type Repeat,
  type Situation,
  type When,
} from './operation.ts';
import { type PartyCommand, party } from './party.ts';
import { type PaymentCommand, payment } from './payment.ts';
import { type RecordCommand, record } from './record.ts';
import { isBlank, onHold } from './refusals.ts';
import { type TransferCommand, transfer } from './transfer.ts';
import { type UndoCommand, undo } from './undo.ts';

export type { History, When } from './operation.ts';

export type Command =
  | ApplicationCommand
  | FundingCommand
  | PaymentCommand
  | FeeCommand
  | ModificationCommand
  | HoldCommand
  | DefaultCommand
  | ClosingCommand
  | RecordCommand
  | TransferCommand
  | PartyCommand
  | UndoCommand;

export type Operation = Command['do'];

/** Callers see operations in this order, wherever they are listed. */
const OPERATIONS: Family<Command> = {
  ...application,
  ...funding,
  ...payment,
  ...fee,
  ...modification,
  ...hold,
  ...defaulting,
  ...closing,
  ...record,
  ...transfer,
  ...party,
  ...undo,
};

export type Decision = {
  readonly events: readonly LoanEvent[];
  /** The loan without the events, today; of a new loan the loan itself. */
  readonly before: Loan;
  /** The loan after the events, today. */
  readonly loan: Loan;
  /** The same command was carried out before: nothing changes, and `original` names the event of the first call. */
  readonly repeated: boolean;
  /**
   * The index, among the events given, of the event that the first call of a repeated command produced. Null where it produced none
   * (`close`), and for a command that is not repeated.
   */
  readonly original: number | null;
  /** Everything folded, the new events too. */
  readonly folding: Folding;
  /** Changes in the past; null for a command that changes nothing of it. */
  readonly changes: readonly Changed[] | null;
};

/**
 * A new loan. Its terms must give a schedule, so that it cannot fail when it is funded. `boarded` is what follows its creation at once: the
 * facts of a record of another service. A loan that had ended there needs no schedule.
 */
export function decideCreation(
  contract: Contract,
  policy: Policy,
  when: When,
  boarded: readonly Dated[] = [],
): Decision | Refusal {
  if (contract.amount <= 0)
    return refuse('amount_zero', 'The loan amount must be more than zero.', { member: 'loanAmount' });
  if (contract.amount > MAX_CENTS)
    return refuse('invalid_value', 'The loan amount is too large.', { member: 'loanAmount' });
  if (!boarded.some((fact) => fact.type === 'boarded' && isHistory({ stage: fact.status }))) {
    const terms = termsOf(contract, contract.contractDate ?? when.today);
    const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
    if (isRefusal(schedule)) return schedule;
  }
  // ---- past this line nothing is refused ----
  const created: Dated = { type: 'created', contract, policy, date: when.today };
  const stamp = { recordedOn: when.today, recordedAt: when.at };
  const events = [created, ...boarded].map((fact): LoanEvent => ({ ...fact, ...stamp }));
  const loan = fold(events, when.today);
  return { events, before: loan, loan, repeated: false, original: null, folding: foldAll(events), changes: null };
}

/**
 * The order in which a command is checked, the same for every operation; the first that applies is the answer:
 *
 * 1. the loan's state cannot be derived without its events, which were not given (`needs_events`);
 * 2. the same call was carried out before: it succeeds again and changes nothing, whatever the loan's current status;
 * 3. the command itself is invalid;
 * 4. the loan had ended before it was boarded, or its status does not allow the operation;
 * 5. a hold in force forbids the area that the operation belongs to (`area`);
 * 6. its reference was used before, for another call;
 * 7. its reason is missing, the state of the loan forbids it whatever the command says (`blocked`), or its family refuses it from the
 *    command and the loan's facts: of these the first in the order of `REFUSALS`;
 * 8. it exceeds a limit of the policy, and does not ask to override it.
 *
 * `onFile` is for the operations that need it (`needsFile`). `needs_events` occurs only where a history was given without its events and
 * they are needed: for commands dated before other events, for returns and undos, and to name
 * the event of a repeated command.
 */
export function decide(
  history: readonly LoanEvent[],
  command: Command,
  when: When,
  onFile?: OnFile,
): Decision | Refusal;
export function decide(
  history: readonly LoanEvent[] | History,
  command: Command,
  when: When,
  onFile?: OnFile,
): Decision | Refusal | 'needs_events';
export function decide(
  given: readonly LoanEvent[] | History,
  command: Command,
  when: When,
  onFile: OnFile = EMPTY_FILE,
): Decision | Refusal | 'needs_events' {
  const history: History = 'folding' in given ? given : { folding: foldAll(given), events: given };
  const { folding } = history;
  const operation = definitionOf(command);
  const loan = loanOn(history, when.today);
  if (loan === null) return 'needs_events';
  const repeated = operation.repeat?.of({ folding, loan }, command) ?? null;
  if (repeated === 'same') return repeatedCall(history, loan, command, operation.repeat as Repeat<Command>);
  const status = statusOf(loan);
  const refusal =
    operation.refuse?.(command, when) ??
    refuseHistory(operation, loan) ??
    refuseStatus(command, status, loan) ??
    refuseHold(operation, loan) ??
    repeated;
  if (refusal !== null) return refusal;
  const situation: Situation = { history, loan, status, when, onFile };
  const facts = operation.decide(situation, command);
  if (facts === 'needs_events') return facts;
  const against = firstOf(facts, missingReason(operation, command), operation.blocked?.(situation) ?? null);
  if (against !== null || isRefusal(facts)) return against as Refusal;
  const exceeded = operation.limits?.(situation, command) ?? [];
  if (exceeded === 'needs_events') return exceeded;
  const [first] = exceeded;
  if (first !== undefined && !('override' in command && command.override)) return policyLimit(first);
  // ---- past this line nothing is refused ----
  const overrode = first === undefined ? {} : { overrode: exceeded.map(({ limit }) => limit) };
  const approved = when.approvalId === undefined ? {} : { approvalId: when.approvalId };
  const stamp = { recordedOn: when.today, recordedAt: when.at, ...overrode, ...approved };
  const events = facts.map((fact): LoanEvent => ({ ...fact, ...stamp }));
  const all = history.events === null ? null : [...history.events, ...events];
  const next = append(folding, events) ?? (all && foldAll(all));
  const after = next && loanOn({ folding: next, events: all }, when.today);
  if (next === null || after === null) return 'needs_events';
  return {
    events,
    before: loan,
    loan: after,
    repeated: false,
    original: null,
    folding: next,
    changes: changedFacts({ before: loan, after, events }, onFile),
  };
}

/** The first of several refusals in the published order; of two with the same code, the one named first. */
function firstOf(...found: readonly unknown[]): Refusal | null {
  const place = ({ refused }: Refusal) => REFUSALS.indexOf(refused);
  return found.filter(isRefusal).reduce<Refusal | null>((first, one) => {
    return first === null || place(one) < place(first) ? one : first;
  }, null);
}

function missingReason({ needsReason }: Definition<Command>, command: Command): Refusal | null {
  if (needsReason === undefined) return null;
  const given = ('reason' in command && command.reason) || '';
  return isBlank(given) ? refuse('reason_required', needsReason, { member: 'reason' }) : null;
}

/** For a loan without an assessment that was not serviced before. */
const EMPTY_FILE: OnFile = { decision: null, deals: [], opening: null };

/** The definition that goes with the command: the compiler does not see that the two belong together. */
function definitionOf(command: Command): Definition<Command> {
  return definitionFor(command.do) as Definition<Command>;
}

export function definitionFor(operation: Operation): Definition<never> {
  return OPERATIONS[operation];
}

function repeatedCall(
  { events, folding }: History,
  loan: Loan,
  command: Command,
  { original }: Repeat<Command>,
): Decision | 'needs_events' {
  if (original !== null && events === null) return 'needs_events';
  // The first call is one that was not undone: after that the same call is new.
  const kept = (events ?? []).filter((_, i) => !folding.undone.has(i + 1));
  const first = original === null ? null : original(kept, command, folding);
  const index = first === null ? null : (events ?? []).indexOf(kept[first] as LoanEvent);
  return { events: [], before: loan, loan, repeated: true, original: index, folding, changes: null };
}

function refuseStatus(command: Command, status: LoanStatus, loan: Loan): Refusal | null {
  const operation = definitionOf(command);
  const possible = isPossible(operation, status, loan);
  const why = operation.notIn?.(status, command) ?? null;
  if (possible && why === null) return null;
  const allowed = OPERATION_NAMES.filter((name) => isPossible(OPERATIONS[name], status, loan));
  const detail =
    why ?? `${command.do} is not allowed while the loan is ${status}. Allowed now: ${allowed.join(', ') || 'none'}.`;
  return refuse('wrong_status', detail, { facts: { loanStatus: status, allowed } });
}

function isPossible(
  { from, afterRescission }: Pick<Definition<never>, 'from' | 'afterRescission'>,
  status: LoanStatus,
  { rescission }: Loan,
): boolean {
  return from.includes(status) || (afterRescission === true && rescission !== null);
}

/** Nothing of a loan that ended elsewhere is on the books here, so no money of it can move. */
function refuseHistory({ onHistory }: Pick<Definition<never>, 'onHistory'>, loan: Loan): Refusal | null {
  if (onHistory === true || !isHistory(loan)) return null;
  const detail = `The loan was boarded as ${loan.stage}: it ended at an earlier servicer, and nothing of it is on the books here.`;
  return refuse('boarded_history', detail, { facts: { loanStatus: loan.stage } });
}

function refuseHold({ area }: Pick<Definition<never>, 'area'>, loan: Loan): Refusal | null {
  return area === undefined ? null : onHold(loan, area);
}

/**
 * The refusal of an operation on this loan whatever its command says: the first by its status, holds in force, the state of the loan
 * (`blocked`), and the policy limits that even its smallest command exceeds, in the order of `decide`. Null: it is allowed.
 */
export function refusedNow(name: Operation, situation: Situation): Refusal | null | 'needs_events' {
  const operation: Definition<never> = OPERATIONS[name];
  const { status: loanStatus } = situation;
  const over = refuseHistory(operation, situation.loan);
  if (over !== null) return over;
  if (!isPossible(operation, loanStatus, situation.loan)) {
    return refuse('wrong_status', `${name} is not allowed while the loan is ${loanStatus}.`, { facts: { loanStatus } });
  }
  const against = refuseHold(operation, situation.loan) ?? operation.blocked?.(situation) ?? null;
  if (against !== null) return against;
  const exceeded = operation.limits?.(situation, null) ?? [];
  if (exceeded === 'needs_events') return exceeded;
  const [first] = exceeded;
  return first === undefined ? null : policyLimit(first);
}

/** The transition table as data: the statuses each operation may start from, the resulting status, and the area of holds it belongs to. */
export const TRANSITIONS: Readonly<Record<Operation, Pick<Definition<never>, 'from' | 'to' | 'area'>>> = OPERATIONS;

export const OPERATION_NAMES: readonly Operation[] = Object.keys(OPERATIONS) as Operation[];

export function allowedIn(status: LoanStatus): Operation[] {
  return OPERATION_NAMES.filter((operation) => OPERATIONS[operation].from.includes(status));
}

const RECORDED_BY = new Map<LoanEvent['type'], readonly Operation[]>();
for (const operation of OPERATION_NAMES) {
  for (const type of OPERATIONS[operation].records) {
    RECORDED_BY.set(type, [...(RECORDED_BY.get(type) ?? []), operation]);
  }
}

/** The operations that events of a type belong to; empty: those of the service itself, which no operation brings about. */
export function recordedBy(type: LoanEvent['type']): readonly Operation[] {
  return RECORDED_BY.get(type) ?? [];
}

/** Whether a servicer with the owner's grant may do it; the owner may do everything. */
export function mayServicerDo(operation: Operation): boolean {
  return OPERATIONS[operation].by === 'servicer';
}

/** One of these is needed for the operation. */
export function scopesFor(operation: Operation): readonly OperationScope[] {
  return definitionFor(operation).scopes ?? ['servicing:write'];
}

/** Whether `decide` needs the loan's file. */
export function needsFile(operation: Operation): boolean {
  return OPERATIONS[operation].needsFile === true;
}

/** Whether an approval of it can depend on an amount. */
export function hasAmount(operation: string): operation is Operation {
  return Object.hasOwn(OPERATIONS, operation) && OPERATIONS[operation as Operation].amount !== undefined;
}
