/**
 * Ends the process when its event loop stands still: it would answer nothing, not even a signal or its health check, for as long as it
 * runs. A thread of its own (`watchdog-thread.ts`) looks at a count that the event loop raises. Time in which the whole process is suspended
 * does not count, because the thread is suspended too; nor does time in which a debugger may hold it.
 */
import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { WatchdogStart } from './watchdog-thread.ts';

/** The exit code of a process that was ended because its event loop stood still. */
const STOOD_STILL = 70;

const BEAT_MS = 500;

/** Call it once the service is ready: a start may do long work in one piece. With 0 seconds nothing is watched. */
export function startWatchdog(options: {
  seconds: number;
  logs: boolean;
  clock: () => number;
  onFailure: (error: unknown) => void;
}): void {
  const { seconds, logs, clock, onFailure } = options;
  if (seconds === 0) return;
  const [turns, debugged] = [sharedNumber(), sharedNumber()];
  const beat = () => {
    Atomics.add(turns, 0, 1);
    Atomics.store(debugged, 0, inspectorUrl() === undefined ? 0 : 1);
  };
  beat();
  setInterval(beat, BEAT_MS).unref();
  const worker = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData: { turns, debugged, seconds, exitCode: STOOD_STILL, logs, at: clock() } satisfies WatchdogStart,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
    // The thread does not inherit the service's command line.
    argv: [],
  });
  worker.on('error', onFailure);
  worker.unref();
}

function sharedNumber(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}
