/**
 * Telling the process to stop: by a signal, by the end of the terminal or of npm, or by an error that leaves its state unknown. The
 * first signal stops it in order, a second stops waiting for running requests, and a third exits at once.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** npm forwards a signal that the terminal has also sent to the service: signals this close together count as one. */
const SAME_SIGNAL_MS = 500;
/** The time that the embedded database has to stop after a second signal; the next start takes over a server that is still running. */
const HURRY_MS = 2_000;
const PARENT_EVERY_MS = 250;

export type Stop = {
  /** Whether the process is stopping, so that nothing more is begun. */
  isStopping(): boolean;
};

/** Listens for signals from now on. */
export function openStop(options: {
  /** Stops in order; `why` is the signal, or `npm ended`. The process ends with the code that it resolves with. */
  shutDown(why: string): Promise<number>;
  closeDatabase(limitMs: number): Promise<void>;
  /** However the stop goes on, the process ends after this; `onLate` are its last words. */
  limitMs: number;
  onLate(): void;
  /** The process is started by npm. */
  underNpm: boolean;
  onRejection(error: unknown): void;
  /** The last words of a process that an error ends. */
  describe(error: unknown): object;
}): Stop {
  const { closeDatabase } = options;
  let stopping = false;
  let hurrying = false;
  let signalledAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
  // Closing the terminal stops the service. Under nohup, which redirects both, SIGHUP stays ignored.
  if (process.stdout.isTTY || process.stderr.isTTY) process.on('SIGHUP', () => stop('SIGHUP'));
  if (options.underNpm) stopWithParent(process.ppid);
  process.on('unhandledRejection', options.onRejection);
  process.on('uncaughtException', (error) => {
    // Every write to a closed terminal fails; that must not keep the database from being stopped.
    if (stopping) return;
    // The state of the process is unknown: log where, and exit; everything that was answered is on disk.
    console.error(`Daybook stopped: ${JSON.stringify(options.describe(error))}`);
    process.exit(1);
  });
  return { isStopping: () => stopping };

  function stop(why: string): void {
    const now = performance.now();
    if (!stopping) {
      stopping = true;
      setTimeout(giveUp, options.limitMs).unref();
      void options.shutDown(why).then((code) => process.exit(code), giveUp);
    } else if (now - signalledAt < SAME_SIGNAL_MS) return;
    else hurry();
    signalledAt = now;
  }

  function hurry(): void {
    if (hurrying) process.exit(130);
    hurrying = true;
    Promise.race([closeDatabase(HURRY_MS).catch(() => {}), delay(HURRY_MS)]).finally(() => process.exit(130));
  }

  function giveUp(): void {
    options.onLate();
    process.exit(1);
  }

  /** npm forwards signals to the service, but when npm itself is killed with `kill -9` the service would keep running unnoticed. */
  function stopWithParent(parent: number): void {
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      if (!stopping) stop('npm ended');
    }, PARENT_EVERY_MS);
    watch.unref();
  }
}
