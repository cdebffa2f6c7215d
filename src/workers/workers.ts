/**
 * Threads for work that would hold the event loop: a large body to read, a simulation, an application to assess. The room knows nothing
 * of that work. Whoever has some puts it into a module of functions from one value to another, and asks for it by the module's address;
 * a thread imports the module once and runs one job at a time.
 *
 * Jobs are taken in turn from the callers that wait (`owner`, an organization), so that a caller with many jobs delays another by no
 * more than the jobs under way. A job that outlasts its limit is ended with its thread, and one caller's jobs beyond its share of the
 * queue are refused. What a job returns is copied to the caller: its work keeps values that can be cloned, without methods.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Assignment, Finished } from './thread.ts';

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
  /** The work of a module; each of its jobs may take `limitMs` from the moment that a thread begins it. */
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

/** The job was ended because it took longer than its limit, or more memory than a thread has. */
export class TooMuchWork extends Error {
  override name = 'TooMuchWork';
}

type Task = Assignment & {
  limitMs: number;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
};

type Thread = { worker: Worker; task: Task | null; timer: NodeJS.Timeout | undefined };

/** Jobs of one owner that may wait. */
const WAITING = 64;

export function openWorkers(options: { threads?: number; heapMegabytes?: number; waiting?: number } = {}): Workers {
  // One core stays with the event loop; a single-core machine shares it, and the threads' lower priority decides.
  const most = options.threads ?? Math.max(1, Math.min(8, availableParallelism() - 1));
  const { heapMegabytes = 512, waiting: share = WAITING } = options;
  const threads = new Set<Thread>();
  const modules = new Set<string>();
  /** The tasks of each owner, in the order in which the owners are served next. */
  const waiting = new Map<string, Task[]>();
  let closed: (() => void) | null = null;

  return {
    module(address, { limitMs }) {
      modules.add(address.href);
      return {
        run: (name, owner, input) =>
          new Promise((resolve, reject) => {
            const tasks = waiting.get(owner) ?? [];
            if (closed !== null || tasks.length >= share) {
              return reject(new WorkersBusy('Too much of this caller’s work waits.'));
            }
            const task = { module: address.href, name, input, limitMs, reject, resolve } as Task;
            tasks.push(task);
            waiting.set(owner, tasks);
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
      for (const tasks of waiting.values()) for (const { reject } of tasks) reject(new WorkersBusy('Closing.'));
      waiting.clear();
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
      workerData: { modules: [...modules] },
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
      // The command line of the service is not the thread's.
      argv: [],
    });
    // An idle thread does not keep the process alive; one at work does.
    worker.unref();
    const thread: Thread = { worker, task: null, timer: undefined };
    threads.add(thread);
    worker.on('message', (finished: Finished) => {
      const task = release(thread);
      if ('failure' in finished) task?.reject(finished.failure);
      else task?.resolve(finished.output);
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
    thread.worker.unref();
    if (closed !== null) closeIfIdle();
    return task;
  }

  function drop(thread: Thread, error: Error): void {
    if (!threads.delete(thread)) return;
    release(thread)?.reject(error);
    next();
  }

  /** Gives free threads the next tasks: one of each owner in turn. */
  function next(): void {
    for (const [owner, tasks] of waiting) {
      const thread = [...threads].find(({ task }) => task === null) ?? (threads.size < most ? begin() : null);
      if (thread === null) return;
      const task = tasks.shift();
      waiting.delete(owner);
      if (task === undefined) continue;
      // Behind the others: a map is walked in the order of insertion, and this walk comes to it again.
      if (tasks.length > 0) waiting.set(owner, tasks);
      assign(thread, task);
    }
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
    thread.timer = setTimeout(() => {
      drop(thread, new TooMuchWork(`The work takes more than ${limitMs} ms.`));
      void thread.worker.terminate();
    }, limitMs);
  }
}
