/** Waits for a database server that is not available yet, since it may be starting too; any other failure is final. */
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from '../store/db/db.ts';

const AGAIN_MS = 250;

export type WhenReachable = <T>(work: () => Promise<T>) => Promise<T>;

export function openWhenReachable(options: {
  isStopping(): boolean;
  describe(error: unknown): Readonly<Record<string, string>>;
  /** Called again only when the reason changes: a database may be unavailable for hours. */
  onWait(why: Readonly<Record<string, string>>): void;
}): WhenReachable {
  return async (work) => {
    let said = '';
    for (;;) {
      if (options.isStopping()) throw new Error('Stopped while starting.');
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        const why = options.describe(error.cause);
        if (said !== JSON.stringify(why)) options.onWait(why);
        said = JSON.stringify(why);
        await delay(AGAIN_MS);
      }
    }
  };
}
