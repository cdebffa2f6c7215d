/**
 * A load generator in a process of its own: keeps `connections` sockets busy with one request at a time each and counts whole
 * answers. It speaks just enough HTTP/1.1 over bare sockets to cost far less than the server it measures.
 *   node bench/load.ts '{"port":…,"connections":…,"seconds":…,"request":"GET / HTTP/1.1\r\n…\r\n\r\n"}'
 */
import { connect } from 'node:net';

export type LoadJob = { port: number; connections: number; seconds: number; request: string };
export type LoadResult = { requests: number; failures: number; perSecond: number; p50Ms: number; p99Ms: number };

const job: LoadJob = JSON.parse(process.argv[2] ?? '{}');
const request = Buffer.from(job.request);
const latencies: number[] = [];
let failures = 0;

// A first second warms both sides up and is not counted.
const countFrom = performance.now() + 1_000;
const end = countFrom + job.seconds * 1_000;
await Promise.all(Array.from({ length: job.connections }, drive));
latencies.sort((a, b) => a - b);
const result: LoadResult = {
  requests: latencies.length,
  failures,
  perSecond: latencies.length / job.seconds,
  p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
};
console.log(JSON.stringify(result));

function drive(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: job.port, noDelay: true });
    let pending: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = pending.toString('latin1', 0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (pending.length < headEnd + 4 + length) return;
      pending = pending.subarray(headEnd + 4 + length);
      const now = performance.now();
      if (!head.startsWith('HTTP/1.1 200')) failures += 1;
      if (now >= countFrom && now < end) latencies.push(now - sentAt);
      if (now < end) send();
      else socket.destroy();
    });
  });
}
