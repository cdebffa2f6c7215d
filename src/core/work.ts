/**
 * Counts the steps of a calculation and ends it at a limit. How long a simulation or the search for a rate takes depends on how its values
 * combine, which limits on each value alone cannot bound: an event may process every installment and fee, and do so again for every return.
 * So the steps are counted where they occur. A step takes up to 50 nanoseconds: it is one installment, fee or cash flow that is processed;
 * what takes longer counts as several. The count is the same on every machine.
 */
export class Work {
  readonly most: number;
  #done = 0;

  constructor(most: number) {
    this.most = most;
  }

  get done(): number {
    return this.#done;
  }

  /** Throws `TooManySteps` when there are more than `most`. */
  spend(steps: number): void {
    this.#done += steps;
    if (this.#done > this.most) throw new TooManySteps('The calculation takes more steps than allowed.');
  }
}

export class TooManySteps extends Error {
  override name = 'TooManySteps';
}
