/** Undo by hash: the engine knows a transaction by its position in the loan's chain, callers by its hash. */
import type { Command } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Refusal } from '../../core/refusal.ts';
import { whoMayUndo } from '../../core/undo.ts';
import type { Actor } from './actor.ts';
import type { Loaded } from './loan-cache.ts';
import { type Belonging, roleOf } from './permissions.ts';
import type { LoanCommand, Outcome } from './write.ts';

/** The engine's command; `needs_events`: the history was not loaded. */
export function sequenceOf(
  { transactionHash, reason }: Extract<LoanCommand, { transactionHash: string }>,
  history: Loaded | null,
): Command | 'needs_events' {
  if (history === null) return 'needs_events';
  return { do: 'undo', sequence: history.hashes.indexOf(transactionHash) + 1, reason };
}

/** The refusal with the hashes of the transactions that it lists. */
export function named(refusal: Refusal, history: Loaded | null): Refusal {
  if (refusal.refused !== 'depends' || history === null) return refusal;
  const positions = refusal.facts?.transactions as readonly number[];
  return { ...refusal, facts: { ...refusal.facts, transactions: positions.map((n) => history.hashes[n - 1]) } };
}

/** The reason that the actor may not undo this fact: it takes the rights to record it. Null: it may, or the command is another. */
export function undoDenied(
  actor: Actor,
  loan: Belonging,
  command: Command,
  history: Loaded | null,
): Extract<Outcome, { kind: 'denied' }> | null {
  if (command.do !== 'undo' || history === null) return null;
  const { by, scopes } = whoMayUndo(history.events[command.sequence - 1] as LoanEvent);
  if (by === 'owner' && roleOf(actor, loan) !== 'owner') return { kind: 'denied', needs: 'grant' };
  const scope = scopes.find((one) => !actor.scopes.has(one));
  return scope === undefined ? null : { kind: 'denied', needs: 'scope', scope };
}
