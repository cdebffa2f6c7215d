/**
 * How much the HTTP shell costs: requests a second of an authenticated small read (`GET /me`) beside the very same bytes from a
 * bare `node:http` server, in the same run, in alternating rounds, with request logging off (LOG_LEVEL=warn). The ratio is the figure; it must be at least 0.5.
 *   npm run bench:http            (BENCH_SECONDS=3 BENCH_CONNECTIONS=64)
 */
import { execFile, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService } from '../test/service.ts';
import type { LoadJob, LoadResult } from './load.ts';

type Seen = { headers: [string, string][]; body: string };
const LIMIT = 0.5;
const ROUNDS = 5;
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const connections = Number(process.env.BENCH_CONNECTIONS ?? 64);

if (process.argv[2] === 'bare') await serveBare(JSON.parse(process.argv[3] ?? '{}'));
else await compare();

async function compare(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook bench '));
  const credentials = { clientId: 'bench', clientSecret: 'bench-secret', apiKey: 'bench-key' };
  const service = await startService({ dataDir, credentials });
  try {
    const token = await service.token();
    const head = `GET /v2/chain/me HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const seen = await fetchOnce(service.port, token);
    const bare = fork(import.meta.filename, ['bare', JSON.stringify(seen)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(port as number)));

    const ratios: number[] = [];
    console.log(`GET /me with a bearer token beside the same ${seen.body.length} bytes from bare node:http`);
    console.log(`${connections} connections, ${ROUNDS} rounds of ${seconds} s each\n`);
    console.log('round    daybook/s       bare/s   ratio   p50 ms   p99 ms');
    for (let round = 1; round <= ROUNDS; round++) {
      const ours = await load({ port: service.port, connections, seconds, request: head });
      const theirs = await load({ port: barePort, connections, seconds, request: head });
      if (ours.failures + theirs.failures > 0) throw new Error(`${ours.failures} answers were not 200.`);
      const ratio = ours.perSecond / theirs.perSecond;
      ratios.push(ratio);
      const cells = [format(ours.perSecond), format(theirs.perSecond)].map((cell) => cell.padStart(12)).join(' ');
      const times = [ours.p50Ms, ours.p99Ms].map((ms) => ms.toFixed(2).padStart(8)).join(' ');
      console.log(`${String(round).padStart(5)} ${cells} ${ratio.toFixed(2).padStart(7)} ${times}`);
    }
    bare.kill();
    // The last answer must still be the right one: fast and wrong is wrong.
    const last = await fetchOnce(service.port, token);
    if (last.body !== seen.body) throw new Error('The answer changed during the run.');
    const median = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
    console.log(`\nratio ${median.toFixed(2)} (median), limit ${LIMIT}: ${median >= LIMIT ? 'ok' : 'TOO SLOW'}`);
    process.exitCode = median >= LIMIT ? 0 : 1;
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function load(job: LoadJob): Promise<LoadResult> {
  const script = join(import.meta.dirname, 'load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(job)]);
  return JSON.parse(stdout);
}

/** One answer with its headers in the order sent, so that the bare server can send the same. */
function fetchOnce(port: number, token: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const call = request({ port, host: '127.0.0.1', path: '/v2/chain/me', headers, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        body += chunk;
      });
      answer.on('end', () => {
        const raw = answer.rawHeaders;
        const pairs = raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, raw[i + 1] ?? '']] : []));
        resolve({ headers: pairs.filter(([name]) => !/^(connection|date|keep-alive)$/i.test(name)), body });
      });
    });
    call.on('error', reject);
    call.end();
  });
}

async function serveBare({ headers, body }: Seen): Promise<void> {
  const flat = headers.flat();
  const server = createServer((_request, response) => {
    response.writeHead(200, flat);
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
}

function format(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US');
}
