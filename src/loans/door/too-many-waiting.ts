import type { Excess, ShareLimits } from '../../workers/turns.ts';
import type { Actor } from './actor.ts';

/** The organization whose turn a caller takes: twenty sandboxes have one share together with the organization that made them. */
export function shareOf({ countedFor, organizationId }: Pick<Actor, 'organizationId' | 'countedFor'>): string {
  return countedFor ?? organizationId;
}

/** The limits of reads, statements and writes that wait, each in a line of its own. */
export const WAITING: ShareLimits = { everyone: 4_096, organization: 2_048, guaranteed: 64 };

/** A read was not taken: too many wait already, of its own organization or in all. Nothing was done; trying again can help. */
export class TooManyWaiting extends Error {
  override name = 'TooManyWaiting';
  readonly whose: Excess;

  constructor(whose: Excess) {
    super('Too many reads are waiting.');
    this.whose = whose;
  }
}
