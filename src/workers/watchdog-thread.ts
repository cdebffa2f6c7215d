/**
 * The thread that watches the event loop (`watchdog.ts`). It says where the loop stands, as functions and files and never with a value, and
 * ends the process. The embedded database goes on by itself, and the next start takes it over.
 */
import { writeSync } from 'node:fs';
import { type Debugger, Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';

export type WatchdogStart = {
  /** Turns of the event loop so far. */
  readonly turns: Int32Array<SharedArrayBuffer>;
  /** 1: a debugger can be attached. */
  readonly debugged: Int32Array<SharedArrayBuffer>;
  readonly seconds: number;
  readonly exitCode: number;
  /** Whether errors are logged. */
  readonly logs: boolean;
  /** Epoch milliseconds at which the thread was started. */
  readonly at: number;
};

const LOOK_MS = 1_000;
/** The time in which the event loop must say where it stands, and in which the process must have ended. */
const PAUSE_MS = 2_000;
const EXIT_MS = 2_000;
const FRAMES = 16;

const { turns, debugged, seconds, exitCode, logs, at: startedAt } = workerData as WatchdogStart;
let seen = -1;
let still = 0;

const looking = setInterval(() => {
  const now = Atomics.load(turns, 0);
  if (now !== seen || Atomics.load(debugged, 0) === 1) {
    seen = now;
    still = 0;
    return;
  }
  still += 1;
  if (still * LOOK_MS < seconds * 1_000) return;
  clearInterval(looking);
  void end();
}, LOOK_MS);

async function end(): Promise<void> {
  const session = new Session();
  const at = await whereItStands(session).catch(() => []);
  // It may have gone on at the last moment.
  if (at.length === 0 && Atomics.load(turns, 0) !== seen) return;
  if (logs)
    say({ level: 50, time: new Date(startedAt + performance.now()).toISOString(), service: 'daybook', seconds, at });
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), EXIT_MS);
  session.post('Runtime.evaluate', { expression: `process.reallyExit(${exitCode})` });
}

/** The functions that the event loop is in, the innermost first. */
function whereItStands(session: Session): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('It does not say.')), PAUSE_MS);
    session.on('Debugger.paused', ({ params }) => {
      clearTimeout(timer);
      resolve(params.callFrames.slice(0, FRAMES).map(placeOf));
    });
    session.connectToMainThread();
    session.post('Debugger.enable');
    session.post('Debugger.pause');
  });
}

function placeOf({ functionName, url, location }: Debugger.CallFrame): string {
  const from = Math.max(url.lastIndexOf('/src/'), url.lastIndexOf('/node_modules/'));
  const file = from < 0 ? (url.startsWith('node:') ? url : 'elsewhere') : url.slice(from + 1);
  return `${functionName || 'anonymous'} (${file}:${location.lineNumber + 1})`;
}

function say(line: object): void {
  const text = `${JSON.stringify({ ...line, msg: 'the event loop stands still' })}\n`;
  for (const stream of [1, 2]) {
    try {
      writeSync(stream, text);
      return;
    } catch {
      // A pipe that nobody reads is full; the other one may not be.
    }
  }
}
