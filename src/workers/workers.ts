/**
 * Threads for work that would block the event loop: a large body to read, a simulation, an application to assess. This module knows nothing
 * of that work. The caller puts it into a module of functions from one value to another, and requests it by the module's URL;
 * a thread imports the module once and runs one job at a time.
 *
 * Jobs are taken in turn from the callers that wait (`owner`, an organization), so that a caller with many jobs delays another by no
 * more than the running jobs. A job that uses more processor time than its limit is ended with its thread, and one caller's jobs beyond
 * its share of the queue are refused. The result of a job is copied to the caller: it must be a value that can be cloned, without methods.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Assignment, Report, Start } from './thread.ts';
import { openShares, openTurns } from './turns.ts';

// biome-ignore lint/suspicious/noExplicitAny: any input that can be cloned
type Job = (input: any) => unknown;

export type WorkModule<M> = {
  /** Runs a function of the module on a thread, in the name of an owner. */
  run<N extends keyof M & string>(
    name: N,
    owner: string,
    input: M[N] extends Job ? Parameters<M[N]>[0] : never,
  ): Promise<M[N] extends Job ? Awaited<ReturnType<M[N]>> : never>;
};

export type Workers = {
  /**
   * The work of a module; each of its jobs may use `limitMs` of processor time. Time spent waiting for a processor on a busy machine does
   * not count, but no job runs longer than a minute.
   */
  module<M>(address: URL, limits: { limitMs: number }): WorkModule<M>;
  /** Starts the threads and imports the modules known so far, so that the first job does not wait for them. */
  warm(): void;
  /** Finishes the running jobs and refuses the others. */
  close(): Promise<void>;
};

/** The owner's share of the queue is used up, or the service is closing: try again later. */
export class WorkersBusy extends Error {
  override name = 'WorkersBusy';
}

/** The job was ended because it used more time than its limit, or more memory than a thread has. */
export class TooMuchWork extends Error {
  override name = 'TooMuchWork';
}

type Task = Assignment & {
  owner: string;
  limitMs: number;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
};

type Thread = {
  worker: Worker;
  /** It has imported the modules known when it started. */
  ready: boolean;
  task: Task | null;
  timer: NodeJS.Timeout | undefined;
  /** Processor time used when it became free, or had imported the module of the task. */
  cpuMs: number;
  /** The modules that it knows: importing another one is not work of the task that needs it first. */
  imported: Set<string>;
};

/** With few cores, short requests take precedence over long work. */
const NICENESS = 10;
/** Jobs of one owner that may wait. */
const WAITING = 64;
/** No job runs longer, however little processor time it used: by then the caller has been told to retry. */
const LONGEST_MS = 60_000;

export function openWorkers(
  options: { threads?: number; heapMegabytes?: number; waiting?: number; niceness?: number } = {},
): Workers {
  // One core is left to the event loop; on a single-core machine it is shared, and the threads have a lower priority.
  const most = options.threads ?? Math.max(1, Math.min(8, availableParallelism() - 1));
  const { heapMegabytes = 512, waiting: share = WAITING, niceness = NICENESS } = options;
  const threads = new Set<Thread>();
  const modules = new Set<string>();
  const turns = openTurns<Task>();
  const shares = openShares({ everyone: Number.POSITIVE_INFINITY, organization: share, guaranteed: 0 });
  /** Tasks that wait for a thread. */
  let waiting = 0;
  let closed: (() => void) | null = null;

  return {
    module(address, { limitMs }) {
      modules.add(address.href);
      return {
        run: (name, owner, input) =>
          new Promise((resolve, reject) => {
            if (closed !== null || shares.take(owner) !== null) {
              return reject(new WorkersBusy('Too much work of this caller is waiting.'));
            }
            turns.add(owner, { module: address.href, name, owner, input, limitMs, reject, resolve } as Task);
            waiting += 1;
            next();
          }),
      };
    },
    warm() {
      while (threads.size < most) begin();
    },
    async close() {
      const idle = new Promise<void>((resolve) => {
        closed = resolve;
      });
      for (let task = take(); task !== null; task = take()) task.reject(new WorkersBusy('Closing.'));
      closeIfIdle();
      await idle;
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };

  function closeIfIdle(): void {
    if ([...threads].every(({ task }) => task === null)) closed?.();
  }

  function begin(): Thread {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { modules: [...modules], niceness } satisfies Start,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
      // The thread does not inherit the service's command line.
      argv: [],
    });
    const imported = new Set(modules);
    const thread: Thread = { worker, ready: false, task: null, timer: undefined, cpuMs: 0, imported };
    threads.add(thread);
    worker.on('message', (report: Report) => {
      thread.cpuMs = report.cpuMs;
      if ('imported' in report) {
        imported.add(report.imported);
        return;
      }
      const task = release(thread);
      thread.ready = true;
      if ('failure' in report) task?.reject(report.failure);
      else if ('output' in report) task?.resolve(report.output);
      next();
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const large = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      drop(thread, large ? new TooMuchWork('The work needs more memory than a thread has.') : error);
    });
    worker.on('exit', () => drop(thread, new Error('A worker thread ended unexpectedly.')));
    return thread;
  }

  function release(thread: Thread): Task | null {
    const { task } = thread;
    clearTimeout(thread.timer);
    thread.task = null;
    // An idle thread does not keep the process alive; one that is starting or working does.
    thread.worker.unref();
    if (closed !== null) closeIfIdle();
    return task;
  }

  function drop(thread: Thread, error: Error): void {
    if (!threads.delete(thread)) return;
    const task = release(thread);
    // A thread that cannot start fails the task that waits for it, so that no task waits forever.
    (task ?? (thread.ready ? null : take()))?.reject(error);
    next();
  }

  /** Gives free threads the next tasks, and starts another thread when there are more tasks than free threads. */
  function next(): void {
    while (waiting > 0) {
      const thread = [...threads].find(({ ready, task }) => ready && task === null);
      if (thread === undefined) break;
      assign(thread, take() as Task);
    }
    const starting = [...threads].filter(({ ready }) => !ready).length;
    if (starting < waiting && threads.size < most) begin();
  }

  /** The next task: one of each owner in turn. */
  function take(): Task | null {
    const task = turns.next();
    if (task === undefined) return null;
    shares.give(task.owner);
    waiting -= 1;
    return task;
  }

  function assign(thread: Thread, task: Task): void {
    const { module, name, input, limitMs } = task;
    thread.task = task;
    thread.worker.ref();
    try {
      thread.worker.postMessage({ module, name, input } satisfies Assignment);
    } catch (error) {
      release(thread)?.reject(error as Error);
      return;
    }
    watch(thread, task, limitMs, 0);
  }

  /** Ends the task when it has used its time; `elapsedMs` have passed since it started. */
  function watch(thread: Thread, task: Task, inMs: number, elapsedMs: number): void {
    thread.timer = setTimeout(async () => {
      const { user, system } = await thread.worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
      if (thread.task !== task) return;
      const usedMs = thread.imported.has(task.module) ? (user + system) / 1_000 - thread.cpuMs : 0;
      const leftMs = Math.min(task.limitMs - usedMs, LONGEST_MS - elapsedMs - inMs);
      if (leftMs > 0) return watch(thread, task, Math.max(leftMs, 5), elapsedMs + inMs);
      drop(thread, new TooMuchWork(`The work takes more than ${task.limitMs} ms.`));
      void thread.worker.terminate();
    }, inMs);
  }
}
