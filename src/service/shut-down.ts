/**
 * Ends the parts of a running service in their order. Each part has a time of its own: one that fails, or does not end in it, is reported
 * and left behind, and the next one follows. All of them together end by a deadline, so that the process is gone before its manager
 * would kill it.
 */

export type Part = {
  readonly name: string;
  readonly limitMs: number;
  end(limitMs: number): unknown;
};

export type ShutDownOptions = {
  /** Monotonic milliseconds by which everything has ended. */
  readonly deadline: number;
  /** The time that the last step always has. */
  readonly lastMs: number;
  readonly monotonic: () => number;
  onFailure(name: string, error: unknown): void;
};

/** The parts of a step end together, the steps one after the other. Returns the names of the parts that failed or were left behind. */
export async function endParts(steps: readonly (readonly Part[])[], options: ShutDownOptions): Promise<string[]> {
  const left: string[] = [];
  for (const [i, step] of steps.entries()) {
    const reserved = i === steps.length - 1 ? 0 : options.lastMs;
    const remaining = Math.max(LEAST_MS, options.deadline - options.monotonic() - reserved);
    await Promise.all(
      step.map(async ({ name, limitMs, end }) => {
        const limit = Math.min(limitMs, remaining);
        try {
          // In a turn of its own: a part that throws at once is one that fails.
          await within(
            Promise.resolve(limit).then((ms) => end(ms)),
            limit,
          );
        } catch (error) {
          left.push(name);
          options.onFailure(name, error);
        }
      }),
    );
  }
  return left;
}

/** Enough for a part that has nothing to wait for. */
const LEAST_MS = 100;

class NotEnded extends Error {
  override name = 'NotEnded';
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  // A failure that comes later is nobody's any more.
  work.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotEnded('It did not end in its time.')), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
