/** A folded loan under other versions of its policy: what differs only after its last event needs no second fold. */
import type { Folding } from './fold.ts';
import type { PolicyChange } from './policy.ts';

/** The folding with other versions to come; null: one of them was in force by the day of the last event, or one that was is not among them. */
export function underOthers(folding: Folding, follows: readonly PolicyChange[]): Folding | null {
  const { working, through } = folding;
  const next = follows[working.followed];
  if (next !== undefined && next.from <= through) return null;
  const adopted = (versions: readonly PolicyChange[]) => JSON.stringify(versions.slice(0, working.followed));
  return adopted(follows) === adopted(working.follows) ? { ...folding, working: { ...working, follows } } : null;
}
