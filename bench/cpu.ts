/**
 * Processor time by process, from `/proc`: of a server's main thread, of its other threads, of PostgreSQL with all its backends, of the
 * process that asks (which makes the load), and of everything else on the machine. Where there is no `/proc`, nothing is known.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

export type Watched = {
  /** The process that is paid through; null: none, the load goes to the database itself. */
  server: number | null;
  postgres: number | undefined;
  /** Other processes of the bench, which are idle: their time is not that of others. */
  beside: readonly number[];
};

/** Microseconds. */
export type Cpu = {
  main: number | null;
  threads: number | null;
  postgres: number;
  load: number;
  /** All that the machine did, less the processes of the bench. */
  others: number;
  /** Microseconds of the wall clock, for each processor. */
  all: number;
};

/** Begins to measure; the result is called at the end. Null: nothing is known. */
export function startCpu(watched: Watched): () => Cpu | null {
  const before = look(watched);
  return () => {
    const after = look(watched);
    if (before === null || after === null) return null;
    const since = (name: 'postgres' | 'load' | 'others' | 'all') => Math.max(0, after[name] - before[name]);
    const ofServer = (name: 'main' | 'threads') => {
      const [from, to] = [before[name], after[name]];
      return from === null || to === null ? null : Math.max(0, to - from);
    };
    return {
      main: ofServer('main'),
      threads: ofServer('threads'),
      postgres: since('postgres'),
      load: since('load'),
      others: since('others'),
      all: since('all'),
    };
  };
}

/** From one time to another, by `performance.now()`. */
export async function cpuOfWindow(watched: Watched, from: number, to: number): Promise<Cpu | null> {
  await until(from);
  const used = startCpu(watched);
  await until(to);
  return used();
}

function until(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())));
}

/** `520 / 62 / 314 / 58`: microseconds a payment of the main thread, the other threads, PostgreSQL and the load. */
export function cpuText(cpu: Cpu | null, payments: number): string {
  return CPU_OF.map((name) => {
    const us = cpu?.[name] ?? null;
    return us === null || payments === 0 ? '—' : Math.round(us / payments).toLocaleString('en-US');
  }).join(' / ');
}
export const CPU_OF = ['main', 'threads', 'postgres', 'load'] as const;

/** The share of all processors that others had. */
export function othersText(cpu: Cpu | null): string {
  return cpu === null || cpu.all === 0 ? '—' : `${Math.round((100 * cpu.others) / cpu.all)} %`;
}

/** Resolves once these processes together have used less than a tenth of a processor for half a second: nothing is being preloaded any more. */
export async function untilQuiet(watched: Watched, patienceMs = 120_000): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; ) {
    const used = startCpu(watched);
    await until(performance.now() + 500);
    const cpu = used();
    if (cpu === null || (cpu.main ?? 0) + (cpu.threads ?? 0) + cpu.postgres < 50_000) return;
  }
}

function look({ server, postgres, beside }: Watched): Cpu | null {
  const machine = read('/proc/stat');
  if (machine === null || postgres === undefined) return null;
  const ofServer = server === null ? null : used(`/proc/${server}/stat`);
  const main = server === null ? null : used(`/proc/${server}/task/${server}/stat`);
  const database = usedWithChildren(postgres);
  const self = used('/proc/self/stat');
  // A program that has ended, such as pgbench, counts for the process that has started it.
  const load = self.own + self.ended;
  const ours = beside.filter((pid) => pid !== server && pid !== process.pid);
  const known =
    database + load + (ofServer?.own ?? 0) + ours.reduce((sum, pid) => sum + used(`/proc/${pid}/stat`).own, 0);
  return {
    main: main === null ? null : main.own,
    threads: ofServer === null || main === null ? null : ofServer.own - main.own,
    postgres: database,
    load,
    others: busy(machine) - known,
    all: performance.now() * 1_000 * availableParallelism(),
  };
}

/** A backend that ended counts for the postmaster. */
function usedWithChildren(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim().split(/\s+/).filter(Boolean) ?? [];
  const postmaster = used(`/proc/${pid}/stat`);
  return children.reduce((sum, one) => sum + used(`/proc/${one}/stat`).own, postmaster.own + postmaster.ended);
}

/** The time of a process or thread, and that of its children that have ended. */
function used(path: string): { own: number; ended: number } {
  const text = read(path) ?? '';
  // Its name is in parentheses and may contain anything.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return { own: (user + system) * TICK_US, ended: (endedUser + endedSystem) * TICK_US };
}

/** All but idle time and waiting for disks; time that a virtual machine did not get counts too. */
function busy(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? [];
  return (user + nice + system + irq + softirq + steal) * TICK_US;
}

/** Null: there is none, or the process has ended. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

const TICK_US = 1e6 / ticksPerSecond();

function ticksPerSecond(): number {
  try {
    return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
  } catch {
    return 100;
  }
}
