/**
 * Rendezvous hashing: every process computes the same owner for a volume from the same list, without communication. When a process joins
 * or leaves, only the volumes that it gains or loses change owners.
 */
import { createHash } from 'node:crypto';

/** The owner of each volume from 0 to `volumes` − 1, among the ids given, of which there is at least one. */
export function ownersOf(volumes: number, processIds: readonly string[]): string[] {
  return Array.from({ length: volumes }, (_, volume) => ownerOf(volume, processIds));
}

function ownerOf(volume: number, processIds: readonly string[]): string {
  let owner = '';
  let highest = '';
  for (const id of processIds) {
    const weight = createHash('sha256').update(`${volume}\n${id}`).digest('hex');
    // Two processes never have the same weight, so the order of the list does not matter.
    if (weight > highest) [owner, highest] = [id, weight];
  }
  return owner;
}
