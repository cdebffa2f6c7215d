/**
 * The two load generators of `fairness.ts`, each in a process of its own, over bare sockets:
 *   read    sends a request at fixed times, whether or not the last one was answered, and measures from the time it was due;
 *   attack  keeps connections busy with one request at a time each, at the lowest priority, and pauses when the service asks for it
 *           (429, 503).
 *   node bench/fairness-load.ts <job.json>
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { within } from './measure.ts';

/** `{n}` becomes a number of twelve digits that is used once, `{loanId}` the id in the connection's last answer. */
export type Request = { method: string; path: string; headers: Record<string, string>; body: string };
export type ReadJob = { kind: 'read'; port: number; seconds: number; perSecond: number; request: Request };
export type AttackJob = {
  kind: 'attack';
  port: number;
  seconds: number;
  connections: number;
  /** Sent in turn on each connection. */
  requests: Request[];
  /** The prefix of the numbers. */
  first: number;
};
/** Answers by status; `0` is a connection that ended without one. */
export type LoadReport = { statuses: Record<string, number>; p50Ms: number; p99Ms: number; count: number };

type Answer = { status: number; retryAfterMs: number; loanId: string };
type Wire = { ask(request: Buffer[]): Promise<Answer>; close(): void };

const WARM_UP_MS = 500;
const ID = /"loanId":"(0x[0-9a-f]{64})"/;

if (process.argv[2] !== undefined) {
  const job = JSON.parse(readFileSync(process.argv[2], 'utf8')) as ReadJob | AttackJob;
  console.log(JSON.stringify(await (job.kind === 'read' ? read(job) : attack(job))));
}

async function read({ port, seconds, perSecond, request }: ReadJob): Promise<LoadReport> {
  const make = prepared(request);
  const free: Wire[] = [];
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const waits: Promise<void>[] = [];
  const began = performance.now();
  const total = Math.round((WARM_UP_MS / 1_000 + seconds) * perSecond);
  for (let i = 0; i < total; i++) {
    const due = began + (i * 1_000) / perSecond;
    while (performance.now() < due)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    waits.push(one(due, i));
  }
  await Promise.all(waits);
  for (const wire of free) wire.close();
  return reportOf(latencies, statuses);

  async function one(due: number, n: number): Promise<void> {
    const wire = free.pop() ?? (await open(port));
    const { status } = await wire.ask(make(n, ''));
    if (status !== 0) free.push(wire);
    if (due < began + WARM_UP_MS) return;
    latencies.push(performance.now() - due);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

async function attack({ port, seconds, connections, requests, first }: AttackJob): Promise<LoadReport> {
  setPriority(19);
  const makes = requests.map(prepared);
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const end = performance.now() + seconds * 1_000;
  let next = first;
  await Promise.all(Array.from({ length: connections }, drive));
  return reportOf(latencies, statuses);

  async function drive(): Promise<void> {
    let wire: Wire | null = null;
    let loanId = '';
    for (let turn = 0; performance.now() < end; turn++) {
      wire ??= await open(port);
      const make = makes[turn % makes.length] as (n: number, loanId: string) => Buffer[];
      const sent = performance.now();
      const answer = await Promise.race([wire.ask(make(next++, loanId)), atEnd()]);
      if (answer === null) break;
      latencies.push(performance.now() - sent);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (answer.loanId !== '') loanId = answer.loanId;
      if (answer.status === 0) {
        wire = null;
        await rest(200);
      } else if (answer.status === 429 || answer.status === 503) {
        turn -= 1;
        await rest(Math.max(1_000, answer.retryAfterMs));
      }
    }
    wire?.close();
  }

  function atEnd(): Promise<null> {
    return rest(Number.POSITIVE_INFINITY).then(() => null);
  }

  function rest(ms: number): Promise<void> {
    const left = Math.max(0, end - performance.now());
    return new Promise((resolve) => setTimeout(resolve, Math.min(ms, left)));
  }
}

function reportOf(latencies: number[], statuses: Record<string, number>): LoadReport {
  return { statuses, p50Ms: within(latencies, 0.5), p99Ms: within(latencies, 0.99), count: latencies.length };
}

/** The bytes around the variable parts are built once. */
function prepared({ method, path, headers, body }: Request): (n: number, loanId: string) => Buffer[] {
  const length = Buffer.byteLength(body.replaceAll('{n}', '0'.repeat(12)).replaceAll('{loanId}', '0'.repeat(66)));
  const lines = { Host: '127.0.0.1', ...headers, ...(method === 'GET' ? {} : { 'Content-Length': String(length) }) };
  const head = `${method} ${path} HTTP/1.1\r\n${Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
  const parts = `${head}${body}`
    .split(/(\{n\}|\{loanId\})/)
    .map((part) => (part.startsWith('{n}') || part.startsWith('{loanId}') ? part : Buffer.from(part)));
  return (n, loanId) =>
    parts.map((part) => {
      if (typeof part !== 'string') return part;
      return Buffer.from(part === '{n}' ? String(n).padStart(12, '0') : loanId.padEnd(66, '0'));
    });
}

/** One connection, one request at a time; the body of an answer is counted and, except for its beginning, discarded. */
function open(port: number): Promise<Wire> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let answered: ((answer: Answer) => void) | null = null;
    let seen: Buffer = Buffer.alloc(0);
    /** Bytes of the body still to come; null while the head is read. */
    let left: number | null = null;
    let found: Answer = { status: 0, retryAfterMs: 0, loanId: '' };
    const finish = (answer: Answer) => {
      const tell = answered;
      [answered, seen, left] = [null, Buffer.alloc(0), null];
      tell?.(answer);
    };
    const broken = () => finish({ status: 0, retryAfterMs: 0, loanId: '' });
    socket.on('connect', () => resolve({ ask, close: () => socket.destroy() }));
    socket.on('error', () => resolve({ ask, close: () => socket.destroy() }));
    socket.on('close', broken);
    socket.on('data', (chunk: Buffer) => {
      if (left === null) {
        seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
        const end = seen.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = seen.toString('latin1', 0, end);
        left = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (seen.length - end - 4);
        const retryAfterMs = Number(/retry-after: (\d+)/i.exec(head)?.[1] ?? 0) * 1_000;
        const loanId = ID.exec(seen.toString('latin1', end, end + 2_000))?.[1] ?? '';
        found = { status: Number(head.slice(9, 12)), retryAfterMs, loanId };
      } else left -= chunk.length;
      if (left <= 0) finish(found);
    });

    function ask(request: Buffer[]): Promise<Answer> {
      return new Promise((tell) => {
        if (socket.destroyed) return tell({ status: 0, retryAfterMs: 0, loanId: '' });
        answered = tell;
        socket.cork();
        for (const part of request) socket.write(part);
        socket.uncork();
      });
    }
  });
}
