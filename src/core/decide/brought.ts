/**
 * The rights that a decision takes. They follow what it brings about by its caller's choice, not what the call is named: they are those of
 * the command's own operation and of every operation that one of its events belongs to. Events that the policy or the state of the loan adds
 * (`adds`) take none. An undo takes what the undone fact took; undoing a fee is also a waiver of what was not waived of it.
 */
import type { LoanEvent } from '../event.ts';
import { fold } from '../fold.ts';
import type { Loan } from '../loan.ts';
import { type Cents, cents } from '../money.ts';
import { OVERRIDE, type Overridden } from '../overrides.ts';
import { feeIn } from '../references.ts';
import { type Command, type Decision, definitionFor, type Operation, recordedBy, scopesFor } from './decide.ts';
import type { History, When } from './operation.ts';

/** An operation that is brought about. */
export type Brought = {
  /** Or an override of the assessment, which rules and limits can name beside the operation that brings it about. */
  readonly operation: Operation | typeof OVERRIDE;
  /** The amount that an approval may depend on; null: the operation has none. */
  readonly amount: Cents | null;
  /** Whether its scope is needed too. False for the command's own operation, and for one that may record the same event by another name. */
  readonly takesScope: boolean;
  /** For an override only: a role's authority is measured by it; null: by its amount alone. */
  readonly overridden?: Overridden | null;
};

export type Rights = {
  /** The command's own operation first. */
  readonly operations: readonly Brought[];
  /** One scope of each list is needed, beyond that of the command's operation. */
  readonly scopes: readonly (readonly string[])[];
  /** It exceeds a limit of the policy, or undoes a fact that did. */
  readonly overrides: boolean;
};

export function rightsTaken(command: Command, decision: Decision, when: When, history: History): Rights {
  const undone = command.do === 'undo' ? undoneBy(command, history) : null;
  const operations = undone === null ? broughtBy(command, decision) : broughtByUndo(undone, decision, history);
  const overrides = (undone === null ? decision.events : [undone.event]).some(({ overrode }) => overrode !== undefined);
  const ofCall = definitionFor(command.do).scope?.(decision, when) ?? null;
  const scopes = [
    ...(overrides ? [['servicing:override']] : []),
    ...(ofCall === null ? [] : [[ofCall]]),
    ...operations.flatMap(({ operation, takesScope }) =>
      takesScope && operation !== OVERRIDE ? [scopesFor(operation)] : [],
    ),
  ];
  return { operations, scopes, overrides };
}

function broughtBy(command: Command, decision: Decision): Brought[] {
  const { adds = [] } = definitionFor(command.do);
  const found = new Map<Operation, Brought>();
  const bring = (operation: Operation, takesScope: boolean) =>
    found.set(operation, {
      operation,
      amount: definitionFor(operation).amount?.(decision) ?? null,
      takesScope: takesScope || found.get(operation)?.takesScope === true,
    });
  bring(command.do, false);
  for (const event of decision.events) {
    if (adds.includes(event.type)) continue;
    const of = operationsOf(event, decision.before);
    for (const operation of of) if (operation !== command.do) bring(operation, !of.includes(command.do));
  }
  const overridden = (command.do === 'complete-underwriting' && command.overrides) || UNKNOWN;
  return [...found.values(), ...decision.events.flatMap((event) => overrideIn(event, decision.before, overridden))];
}

/** It was not prepared: beyond every authority that looks at more than the amount. */
const UNKNOWN: Overridden = { grade: null, rules: null };

/** An approval against the assessment, with the amount of its contract. */
function overrideIn(event: LoanEvent, { contract }: Pick<Loan, 'contract'>, overridden: Overridden | null): Brought[] {
  if (event.type !== 'approved' || event.reasonCode === undefined) return [];
  const { amount } = event.contract ?? contract;
  return [{ operation: OVERRIDE, amount, takesScope: false, overridden }];
}

type Undone = { readonly event: LoanEvent; readonly sequence: number; readonly events: readonly LoanEvent[] };

function undoneBy({ sequence }: { readonly sequence: number }, { events }: History): Undone {
  const event = events?.[sequence - 1];
  if (events === null || event === undefined) throw new Error('An undo was decided without the event that it undoes.');
  return { event, sequence, events };
}

function broughtByUndo(undone: Undone, { before }: Decision, { folding }: History): Brought[] {
  const { event, sequence, events } = undone;
  const needed = (operation: Operation): Brought => {
    const { amount } = definitionFor(operation);
    // Measured on the loan as it was then: the amount of a settlement depends on what was owed.
    const then = () => fold(events.slice(0, sequence), event.recordedOn);
    return { operation, amount: amount?.({ events: [event], loan: then() }) ?? null, takesScope: true };
  };
  const waived = event.type === 'feeAssessed' ? unwaived(event, before, feeIn(folding, event.feeId)) : 0;
  return [
    { operation: 'undo', amount: null, takesScope: false },
    ...(addedWith(undone) ?? operationsOf(event, before)).map(needed),
    ...overrideIn(event, before, null),
    ...(waived === 0 ? [] : [{ operation: 'waive-fee', amount: cents(waived), takesScope: true } as const]),
  ];
}

/** Today, or of a fee that takes effect later as it is known. */
function unwaived(
  { feeId, amount }: { readonly feeId: string; readonly amount: Cents },
  before: Loan,
  later: Loan['fees'][number] | null,
): number {
  const fee = before.fees.find((one) => one.feeId === feeId) ?? later;
  return amount - (fee?.waived ?? 0);
}

/** The operation that a fact was added to without a choice; null: it was chosen. Events of one decision are recorded at one time. */
function addedWith({ event, events }: Undone): readonly Operation[] | null {
  for (const { type, recordedAt } of events) {
    if (recordedAt !== event.recordedAt || type === event.type) continue;
    const adding = recordedBy(type).filter((operation) => definitionFor(operation).adds?.includes(event.type));
    if (adding.length > 0) return adding;
  }
  return null;
}

/** The operations that an event belongs to, recorded on this loan. One that belongs to none cannot be brought about: its rights are not known. */
function operationsOf(event: LoanEvent, before: Loan): readonly Operation[] {
  const of = recordedBy(event.type).filter((operation) => definitionFor(operation).owns?.(event, before) ?? true);
  if (of.length === 0) throw new Error(`An event belongs to no operation: ${event.type}.`);
  return of;
}
