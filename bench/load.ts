/**
 * A load generator in a process of its own: keeps `connections` sockets busy with one request at a time each and counts complete
 * answers. It implements just enough HTTP/1.1 over bare sockets to cost far less than the server it measures.
 *   node bench/load.ts '{"port":…,"connections":…,"seconds":…,"request":"GET / HTTP/1.1\r\n…\r\n\r\n"}'
 */
import { connect } from 'node:net';
import { within } from './measure.ts';

/** Several requests are sent in turn. */
export type LoadJob = { port: number; connections: number; seconds: number; request: string | string[] };
export type LoadResult = { requests: number; failures: number; perSecond: number; p50Ms: number; p99Ms: number };

const job: LoadJob = JSON.parse(process.argv[2] ?? '{}');
const requests = [job.request].flat().map((text) => Buffer.from(text));
let sent = 0;
const latencies: number[] = [];
let failures = 0;

// The first second warms up both sides and is not counted.
const countFrom = performance.now() + 1_000;
const end = countFrom + job.seconds * 1_000;
await Promise.all(Array.from({ length: job.connections }, drive));
const result: LoadResult = {
  requests: latencies.length,
  failures,
  perSecond: latencies.length / job.seconds,
  p50Ms: within(latencies, 0.5),
  p99Ms: within(latencies, 0.99),
};
console.log(JSON.stringify(result));

function drive(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: job.port, noDelay: true });
    let head: Buffer = Buffer.alloc(0);
    /** Bytes of the answer still to be read; null while its head is read. */
    let left: number | null = null;
    let good = true;
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(requests[sent++ % requests.length] as Buffer);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      if (left === null) {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const headEnd = head.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const text = head.toString('latin1', 0, headEnd);
        good = text.startsWith('HTTP/1.1 200');
        left = headEnd + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1]) - head.length;
        head = Buffer.alloc(0);
      } else left -= chunk.length;
      if (left > 0) return;
      left = null;
      const now = performance.now();
      if (!good) failures += 1;
      if (now >= countFrom && now < end) latencies.push(now - sentAt);
      if (now < end) send();
      else socket.destroy();
    });
  });
}
