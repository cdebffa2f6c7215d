/** Undo by hash: the engine knows a transaction by its position in the loan's chain, callers by its hash. */
import type { Command } from '../../core/decide/decide.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Loaded } from './loan-cache.ts';
import type { LoanCommand } from './write.ts';

/** The engine's command; `needs_events`: the history was not loaded. */
export function sequenceOf(
  { transactionHash, reason, chargeRetroactive = false }: Extract<LoanCommand, { transactionHash: string }>,
  history: Loaded | null,
): Command | 'needs_events' {
  if (history === null) return 'needs_events';
  return { do: 'undo', sequence: history.hashes.indexOf(transactionHash) + 1, reason, chargeRetroactive };
}

/** The refusal with the hashes of the transactions that it lists. */
export function named(refusal: Refusal, history: Loaded | null): Refusal {
  if (refusal.refused !== 'depends' || history === null) return refusal;
  const positions = refusal.facts?.transactions as readonly number[];
  return { ...refusal, facts: { ...refusal.facts, transactions: positions.map((n) => history.hashes[n - 1]) } };
}

/** Whether events free the loan's application id, or take it back; null: they do neither. */
export function idFreedBy(events: readonly LoanEvent[], history: Loaded | null): boolean | null {
  for (const event of events) {
    if (event.type === 'boardingCancelled') return true;
    if (event.type === 'undone' && history?.events[event.sequence - 1]?.type === 'boardingCancelled') return false;
  }
  return null;
}
