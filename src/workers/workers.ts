/**
 * Threads for work that would hold the event loop: a large body to read, a simulation, an application to assess. The room knows nothing
 * of that work. Whoever has some puts it into a module of functions from one value to another, and asks for it by the module's address;
 * a thread imports the module once and runs one job at a time.
 *
 * Jobs are taken in turn from the callers that wait (`owner`, an organization), so that a caller with many jobs delays another by no
 * more than the jobs under way. A job that uses more processor time than its limit is ended with its thread, and one caller's jobs beyond
 * its share of the queue are refused. What a job returns is copied to the caller: its work keeps values that can be cloned, without methods.
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
   * The work of a module; each of its jobs may use `limitMs` of a processor. Time that the thread waits for one, on a busy machine, does
   * not count, but no job stays longer than a minute.
   */
  module<M>(address: URL, limits: { limitMs: number }): WorkModule<M>;
  /** Starts the threads and imports what is known by now, so that the first job does not wait for that. */
  warm(): void;
  /** Lets the jobs under way end, refuses the others. */
  close(): Promise<void>;
};

/** The owner's share of the queue is used up, or the service is closing: to be tried again later. */
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
  /** It has imported what was known when it began. */
  ready: boolean;
  task: Task | null;
  timer: NodeJS.Timeout | undefined;
  /** Processor time that it had used when it became free. */
  cpuMs: number;
};

/** Where cores are few, requests that only need a moment go before long work. */
const NICENESS = 10;
/** Jobs of one owner that may wait. */
const WAITING = 64;
/** No job stays longer, however little of it was spent at work: the caller has been told to come back by then. */
const LONGEST_MS = 60_000;

export function openWorkers(
  options: { threads?: number; heapMegabytes?: number; waiting?: number; niceness?: number } = {},
): Workers {
  // One core stays with the event loop; a single-core machine shares it, and the threads' lower priority decides.
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
              return reject(new WorkersBusy('Too much of this caller’s work waits.'));
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
      // The command line of the service is not the thread's.
      argv: [],
    });
    const thread: Thread = { worker, ready: false, task: null, timer: undefined, cpuMs: 0 };
    threads.add(thread);
    worker.on('message', (report: Report) => {
      const task = release(thread);
      thread.ready = true;
      thread.cpuMs = report.cpuMs;
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
    // An idle thread does not keep the process alive; one that begins or works does.
    thread.worker.unref();
    if (closed !== null) closeIfIdle();
    return task;
  }

  function drop(thread: Thread, error: Error): void {
    if (!threads.delete(thread)) return;
    const task = release(thread);
    // A thread that cannot even begin takes the task that waits for it along, so that no task waits for ever.
    (task ?? (thread.ready ? null : take()))?.reject(error);
    next();
  }

  /** Gives free threads the next tasks, and begins another thread when there are more tasks than free ones. */
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

  /** Ends the task when it has used its time; `elapsedMs` have passed since it began, by this watch. */
  function watch(thread: Thread, task: Task, inMs: number, elapsedMs: number): void {
    thread.timer = setTimeout(async () => {
      const { user, system } = await thread.worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
      if (thread.task !== task) return;
      const usedMs = (user + system) / 1_000 - thread.cpuMs;
      const leftMs = Math.min(task.limitMs - usedMs, LONGEST_MS - elapsedMs - inMs);
      if (leftMs > 0) return watch(thread, task, Math.max(leftMs, 5), elapsedMs + inMs);
      drop(thread, new TooMuchWork(`The work takes more than ${task.limitMs} ms.`));
      void thread.worker.terminate();
    }, inMs);
  }
}
