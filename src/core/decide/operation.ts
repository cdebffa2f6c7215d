/**
 * Operations: everything the engine knows about each, in one definition. A family of operations (`application.ts`, `funding.ts` and so
 * on) is the union of its commands and an object with a definition for each; `decide.ts` combines the families and applies the definitions
 * in one fixed order.
 */
import type { PlainDate } from '../calendar.ts';
import type { Fact, LoanEvent } from '../event.ts';
import { type Folding, fold, stateOn } from '../fold.ts';
import type { HoldArea } from '../hold-effects.ts';
import { LIVE, type Loan, type LoanStatus, type OnFile, UNDECIDED } from '../loan.ts';
import { type Cents, cents } from '../money.ts';
import type { PolicyLimit } from '../policy.ts';
import type { Refusal } from '../refusal.ts';

/** The business day and the time at which a command arrives, and the approval by which it is carried out, if there is one. */
export type When = { readonly today: PlainDate; readonly at: string; readonly approvalId?: string };

/** A loan's events already folded; the events themselves (in the order they were recorded) only where they were loaded. */
export type History = { readonly folding: Folding; readonly events: readonly LoanEvent[] | null };

/** The loan on a day; null when that needs its events and they were not loaded. */
export function loanOn({ folding, events }: History, on: PlainDate): Loan | null {
  return stateOn(folding, on) ?? (events && fold(events, on));
}

/** The basis of a decision: the loan today, its status, and its history for any other day. */
export type Situation = {
  readonly history: History;
  readonly loan: Loan;
  readonly status: LoanStatus;
  readonly when: When;
  readonly onFile: OnFile;
};

/** A fact with the day it takes effect: an event that is not recorded yet. */
export type Dated = Fact & { date: PlainDate };

/** `needs_events`: the history was given without its events, and they are needed. */
export type Decided = Dated[] | Refusal | 'needs_events';

/** A policy limit that a command would exceed: its value in the policy, and the figure of the loan with the command. */
export type Exceeded = {
  readonly limit: PolicyLimit;
  readonly limitValue: number;
  readonly figure: number;
  readonly detail: string;
};

/** The scopes by which operations are allowed; `access/scopes.ts` has all scopes. */
export type OperationScope = 'loans:write' | 'underwriting:write' | 'loans:fund' | 'payments:write' | 'servicing:write';

export type Definition<C> = {
  /** Its row of the transition table: the statuses it may start from, and the result in words. */
  readonly from: readonly LoanStatus[];
  readonly to: string;
  /** The party that may do it: the loan's owner alone, or also a servicer with the owner's grant. */
  readonly by: 'owner' | 'servicer';
  /** One of these is needed; absent: `servicing:write`. */
  readonly scopes?: readonly OperationScope[];
  /**
   * The types of events that belong to it. A caller who chooses to bring one about needs what this operation needs, whatever the call is named
   * (`brought.ts`).
   */
  readonly records: readonly LoanEvent['type'][];
  /** Whether an event of such a type, recorded on this loan, is one of them; absent: always. */
  readonly owns?: (event: LoanEvent, before: Loan) => boolean;
  /** Types of events that the policy or the loan's state adds to it, without a choice of its caller: they take no further right. */
  readonly adds?: readonly LoanEvent['type'][];
  /** It moves no money: it is also for a loan that had ended before it was boarded. */
  readonly onHistory?: true;
  /** It moves the money of both sides: it is also for a loan that was rescinded, which is `Cancelled`. */
  readonly afterRescission?: true;
  /** The area of servicing that it belongs to: a hold that forbids this area refuses it. */
  readonly area?: HoldArea;
  /** It needs the loan's file, which the caller must pass in. */
  readonly needsFile?: true;
  /** The scope that a particular call needs beyond that of the operation; null: none. */
  readonly scope?: (brought: { events: readonly LoanEvent[]; loan: Loan }, when: When) => string | null;
  /** The amount that an approval may depend on; absent: the operation has none. */
  readonly amount?: (brought: { events: readonly LoanEvent[]; loan: Loan }) => Cents;
  /** The refusal of a command that is invalid for any loan. */
  readonly refuse?: (command: C, when: When) => Refusal | null;
  /** The sentence that refuses this command in a status that the operation may start from; null: it is allowed. */
  readonly notIn?: (status: LoanStatus, command: C) => string | null;
  readonly repeat?: Repeat<C>;
  /** It requires the command's `reason`: the sentence that refuses a command without one. */
  readonly needsReason?: string;
  /** The refusal by the state of the loan now, whatever the command says. */
  readonly blocked?: (situation: Situation) => Refusal | null;
  /** The policy limits that the command would exceed; for null those that even the smallest command would exceed. */
  readonly limits?: (situation: Situation, command: C | null) => readonly Exceeded[] | 'needs_events';
  /** A ladder of refusals; past the last one it can no longer refuse, and its events follow. */
  readonly decide: (situation: Situation, command: C) => Decided;
};

/** The rule that recognises a repeated call. */
export type Repeat<C> = {
  /** `same`: it was carried out before and changes nothing. A refusal: its reference was used for another call. Null: it is new. */
  readonly of: (before: { folding: Folding; loan: Loan }, command: C) => 'same' | Refusal | null;
  /** The index of the event that the first call produced, among those not undone. Null: a call of this operation produces none. */
  readonly original: ((events: readonly LoanEvent[], command: C, folding: Folding) => number | null) | null;
};

/** One definition for each command of a family. */
export type Family<C extends { do: string }> = { readonly [K in C['do']]: Definition<Extract<C, { do: K }>> };

/** The first event of a type with the command's reference. */
export function firstWith(type: LoanEvent['type']) {
  return (events: readonly LoanEvent[], { refId }: { refId: string }): number | null => {
    const at = events.findIndex((event) => event.type === type && 'refId' in event && event.refId === refId);
    return at < 0 ? null : at;
  };
}

/** The total amount of the events of a type. */
export function amountIn(type: Extract<LoanEvent, { amount: Cents }>['type']) {
  return ({ events }: { events: readonly LoanEvent[] }): Cents =>
    cents(events.reduce((sum, event) => sum + (event.type === type && 'amount' in event ? event.amount : 0), 0));
}

export const BEFORE_FUNDING: readonly LoanStatus[] = [
  ...UNDECIDED,
  'Approved',
  'CollateralRequested',
  'CollateralApproved',
];
/** Funded, whatever happened afterwards. */
export const FUNDED: readonly LoanStatus[] = [...LIVE, 'ChargedOff', 'Closed', 'ClosedEarly'];
