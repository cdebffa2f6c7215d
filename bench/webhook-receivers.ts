/** Receivers of webhooks in a process of their own: each on a port, which answers after so many milliseconds and remembers what it got. */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The requests of one receiver for events of loans: their number, that of different events, and whether those of each loan came in order.
 */
export type ReceiverCounts = { requests: number; events: number; inOrder: boolean };

export type Receivers = {
  ports: number[];
  got(): Promise<ReceiverCounts[]>;
  forget(): Promise<unknown>;
  stop(): void;
};

/** One for each delay. */
export async function startReceivers(delays: readonly number[]): Promise<Receivers> {
  const child = fork(import.meta.filename, ['serve', JSON.stringify(delays)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = <T>() => new Promise<T>((resolve) => child.once('message', (sent) => resolve(sent as T)));
  const ask = <T>(what: string) => {
    const answer = next<T>();
    child.send(what);
    return answer;
  };
  const ports = await next<number[]>();
  return { ports, got: () => ask<ReceiverCounts[]>('got'), forget: () => ask('forget'), stop: () => void child.kill() };
}

async function serve(delays: readonly number[]): Promise<void> {
  const receivers = await Promise.all(delays.map(receive));
  process.on('message', (what) => {
    if (what === 'forget') for (const { forget } of receivers) forget();
    process.send?.(what === 'got' ? receivers.map(({ got }) => got()) : true);
  });
  process.send?.(receivers.map(({ port }) => port));
}

async function receive(delayMs: number) {
  let requests = 0;
  const seen = new Set<string>();
  const last = new Map<string, number>();
  let inOrder = true;
  const count = (loanId: string, { id, sequence }: { id: string; sequence: number }) => {
    requests += 1;
    if (seen.has(id)) return;
    seen.add(id);
    if ((last.get(loanId) ?? 0) >= sequence) inOrder = false;
    last.set(loanId, sequence);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        data: { id: string; loanId: string | null; sequence: number };
      };
      // That endpoints were paused and resumed is told too, and not counted.
      if (data.loanId !== null) count(data.loanId, data);
      setTimeout(() => response.writeHead(204).end(), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    got: (): ReceiverCounts => ({ requests, events: seen.size, inOrder }),
    forget() {
      requests = 0;
      seen.clear();
      last.clear();
      inOrder = true;
    },
  };
}

if (process.argv[2] === 'serve') await serve(JSON.parse(process.argv[3] ?? '[]') as number[]);
