/**
 * Calls that arrive while others are at the database share the next statement: many cost little more than one, and one alone does not
 * wait. Two statements are under way at most, so that one gathers while the other is answered.
 */
const LANES = 2;
const MOST = 256;

export function coalesced<I, O>(run: (inputs: readonly I[]) => Promise<O>): (input: I) => Promise<O> {
  type Waiting = { input: I; resolve: (output: O) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running = 0;

  function start(): void {
    if (running >= LANES || waiting.length === 0) return;
    const batch = waiting.slice(0, MOST);
    waiting = waiting.slice(MOST);
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

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      setImmediate(start);
    });
}
