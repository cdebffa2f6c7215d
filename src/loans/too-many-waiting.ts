import type { Excess } from '../workers/turns.ts';

/** A read was not taken: too many wait already, of its own organization or in all. Nothing was done; trying again can help. */
export class TooManyWaiting extends Error {
  override name = 'TooManyWaiting';
  readonly whose: Excess;

  constructor(whose: Excess) {
    super('Too many reads are waiting.');
    this.whose = whose;
  }
}
