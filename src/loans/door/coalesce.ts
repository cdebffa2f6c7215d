/**
 * Calls that arrive while others are at the database share the next statement: many cost little more than one, and one alone does not
 * wait. Two statements are under way at most, so that one gathers while the other is answered. When more wait than one statement
 * takes, organizations take turns for its places.
 */
import { openShares, openTurns } from '../../workers/turns.ts';
import { TooManyWaiting, WAITING } from './too-many-waiting.ts';

const LANES = 2;
/** Places of one statement. */
const MOST = 256;

/** `sizeOf`: how many of the places an input takes. */
export function coalesced<I, O>(
  run: (inputs: readonly I[]) => Promise<O>,
  sizeOf: (input: I) => number = () => 1,
): (organizationId: string, input: I) => Promise<O> {
  type Waiting = { organizationId: string; input: I; resolve: (output: O) => void; reject: (error: unknown) => void };
  const turns = openTurns<Waiting>();
  const shares = openShares(WAITING);
  let running = 0;

  function start(): void {
    if (running >= LANES) return;
    const batch: Waiting[] = [];
    let size = 0;
    while (size < MOST) {
      const one = turns.next();
      if (one === undefined) break;
      shares.give(one.organizationId);
      batch.push(one);
      size += sizeOf(one.input);
    }
    if (batch.length === 0) return;
    running += 1;
    run(batch.map(({ input }) => input))
      .then(
        (output) => {
          for (const { resolve } of batch) resolve(output);
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .finally(() => {
        running -= 1;
        start();
      });
  }

  return (organizationId, input) =>
    new Promise((resolve, reject) => {
      const excess = shares.take(organizationId);
      if (excess !== null) return reject(new TooManyWaiting(excess));
      turns.add(organizationId, { organizationId, input, resolve, reject });
      setImmediate(start);
    });
}
