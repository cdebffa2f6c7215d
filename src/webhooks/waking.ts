/** Waiting for something to happen, with a limit. */
export type Waking = {
  wake(): void;
  /** Until something has happened, or for so long. */
  wakened(ms: number): Promise<void>;
};

export function openWaking(): Waking {
  const waiters = new Set<() => void>();
  return {
    wake() {
      for (const resolve of [...waiters]) resolve();
    },
    wakened: (ms) =>
      new Promise((resolve) => {
        const limit = setTimeout(done, ms);
        limit.unref();
        waiters.add(done);
        function done() {
          clearTimeout(limit);
          waiters.delete(done);
          resolve();
        }
      }),
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
