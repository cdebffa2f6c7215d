/**
 * Readers of the feed's stream in a process of their own, at the lowest priority. Each keeps a hash over the ids that it has got. Standard
 * input says how many events they should have; they wait for them, half a minute at most, and print what each has got.
 *   node bench/stream-readers.ts '{"port":…,"readers":…,"token":"…","after":"…"}'
 */
import { createHash, type Hash } from 'node:crypto';
import { connect } from 'node:net';
import { setPriority } from 'node:os';

export type ReadersJob = { port: number; readers: number; token: string; after: string };
export type ReadersResult = { counts: number[]; hashes: string[] };

const job: ReadersJob = JSON.parse(process.argv[2] ?? '{}');
setPriority(19);
const readers = Array.from({ length: job.readers }, read);
await Promise.all(readers.map(({ begun }) => begun));
console.log('ready');
let expected = '';
for await (const chunk of process.stdin) expected += String(chunk);
const patience = performance.now() + 30_000;
while (performance.now() < patience && readers.some(({ got }) => got.count < Number(expected))) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const result: ReadersResult = {
  counts: readers.map(({ got }) => got.count),
  hashes: readers.map(({ got }) => got.hash.digest('hex')),
};
console.log(JSON.stringify(result));
process.exit(0);

function read(): { begun: Promise<void>; got: { count: number; hash: Hash } } {
  const got = { count: 0, hash: createHash('sha256') };
  const begun = new Promise<void>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: job.port });
    let left = '';
    socket.on('error', reject);
    socket.on('connect', () => {
      socket.write(
        `GET /v2/chain/events?after=${job.after} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${job.token}\r\nAccept: text/event-stream\r\n\r\n`,
      );
    });
    socket.on('data', (chunk: Buffer) => {
      const text = left + chunk.toString('latin1');
      if (text.startsWith('HTTP/1.1')) {
        if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 200)));
        resolve();
      }
      let from = 0;
      for (let at = text.indexOf('id: evt_'); at >= 0; at = text.indexOf('id: evt_', from)) {
        const end = text.indexOf('\n', at);
        if (end < 0) break;
        got.hash.update(text.slice(at + 4, end));
        got.count += 1;
        from = end;
      }
      left = text.slice(Math.max(from, text.length - 100));
    });
  });
  return { begun, got };
}
