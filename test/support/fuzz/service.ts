/** The service on its own thread, as the fuzzing uses it: its address, its administration, its log, and how long its loop was busy. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { testDatabase } from '../database.ts';
import type { ServiceMessage, ServiceReport, ThreadData } from './service-thread.ts';

export type LongTurn = { from: number; to: number; cpuMs: number };

export type ThreadService = {
  port: number;
  url: string;
  organizationId: string;
  credentials: { clientId: string; clientSecret: string; apiKey: string };
  /** Log lines that came and were not taken yet. */
  logged: string[];
  ask<T>(asked: ServiceMessage): Promise<T>;
  close(): Promise<void>;
};

export async function startOnThread(
  env: Record<string, string>,
  onLongTurn: (turn: LongTurn) => void,
): Promise<ThreadService> {
  const { connection, drop } = await testDatabase();
  const worker = new Worker(new URL('./service-thread.ts', import.meta.url), {
    workerData: { connection, env } satisfies ThreadData,
    execArgv: [],
  });
  const logged: string[] = [];
  const waiting = new Map<number, (value: unknown) => void>();
  let ready: ((told: ServiceReport & { is: 'ready' }) => void) | undefined;
  let failed: unknown;
  worker.on('error', (error) => {
    failed = error;
    for (const resolve of waiting.values()) resolve(undefined);
  });
  worker.on('message', (told: ServiceReport) => {
    if (told.is === 'logged') logged.push(told.line);
    else if (told.is === 'long turn') onLongTurn(told);
    else if (told.is === 'ready') ready?.(told);
    else {
      waiting.get(told.id)?.(told.value);
      waiting.delete(told.id);
    }
  });
  const { port, organizationId, clientId, clientSecret, apiKey } = await new Promise<ServiceReport & { is: 'ready' }>(
    (resolve, reject) => {
      ready = resolve;
      worker.once('error', reject);
    },
  );
  let last = 0;
  const ask = <T>(asked: ServiceMessage): Promise<T> =>
    new Promise((resolve, reject) => {
      if (failed !== undefined) return reject(failed);
      last += 1;
      waiting.set(last, (value) => (failed === undefined ? resolve(value as T) : reject(failed)));
      worker.postMessage({ id: last, asked });
    });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    organizationId,
    credentials: { clientId, clientSecret, apiKey },
    logged,
    ask,
    async close() {
      const ended = once(worker, 'exit');
      if (failed === undefined) await ask({ do: 'close' });
      await ended;
      await drop();
    },
  };
}

/** The same clock as that of `LongTurn`. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
