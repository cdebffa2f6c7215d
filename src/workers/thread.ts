/** The code that runs on a thread of `workers.ts`: it imports the requested modules and processes one job at a time. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

/** The modules to import at the start, and how far the thread's priority is lowered (0: not at all). */
export type Start = { modules: readonly string[]; niceness: number };
export type Assignment = { module: string; name: string; input: unknown };
/**
 * Ready for the first job, has imported the module of the running one, or done with it; `cpuMs` is the processor time the thread has
 * used since it started.
 */
export type Report = { cpuMs: number } & Progress;
type Progress = { ready: true } | { imported: string } | { output: unknown } | { failure: Error };

const { modules: known, niceness } = workerData as Start;
lowerPriority(niceness);
const modules = new Map<string, Promise<Record<string, (input: unknown) => unknown>>>();
// A module that cannot be imported fails the jobs that need it, not the thread.
Promise.allSettled(known.map(imported)).then(() => report({ ready: true }));

parentPort?.on('message', (assignment: Assignment) => {
  run(assignment).then(
    (output) => report({ output }),
    (error: unknown) => {
      report({ failure: error instanceof Error ? error : new Error('A job threw a value that is not an error.') });
    },
  );
});

function report(what: Progress): void {
  const { user, system } = process.threadCpuUsage();
  parentPort?.postMessage({ ...what, cpuMs: (user + system) / 1_000 } satisfies Report);
}

async function run({ module, name, input }: Assignment): Promise<unknown> {
  const isKnown = modules.has(module);
  const work = (await imported(module))[name];
  if (!isKnown) report({ imported: module });
  if (work === undefined) throw new Error(`${name} is not a function of ${module}.`);
  return work(input);
}

function imported(address: string) {
  const known = modules.get(address) ?? import(address);
  modules.set(address, known);
  return known;
}

/** Linux has a priority for each thread, by thread id; other systems have one per process, which is not changed. */
function lowerPriority(by: number): void {
  if (process.platform !== 'linux' || by === 0) return;
  try {
    const id = readlinkSync('/proc/thread-self').split('/').at(-1);
    if (Number(id) !== process.pid) setPriority(Number(id), by);
  } catch {
    // Without /proc the threads run at the priority of the process.
  }
}
