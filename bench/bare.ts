/** A bare `node:http` server that answers every request with the same bytes and headers: the baseline of the benches. */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';

/** An answer with its headers in the order sent. */
export type RawAnswer = { headers: [string, string][]; body: Buffer };

export function fetchOnce(port: number, path: string, headers: Record<string, string>): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const raw = answer.rawHeaders;
        const pairs = raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, raw[i + 1] ?? '']] : []));
        const kept = pairs.filter(([name]) => !/^(connection|date|keep-alive)$/i.test(name));
        if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
        resolve({ headers: kept, body: Buffer.concat(chunks) });
      });
    });
    call.on('error', reject);
    call.end();
  });
}

/** In a process of its own; the body is read from a file. */
export async function startBare(
  headers: RawAnswer['headers'],
  bodyFile: string,
): Promise<{ port: number; stop(): void }> {
  const child = fork(import.meta.filename, ['serve', JSON.stringify(headers), bodyFile], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((resolve) => child.once('message', (sent) => resolve(sent as number)));
  return { port, stop: () => void child.kill() };
}

if (process.argv[2] === 'serve') {
  const flat = (JSON.parse(process.argv[3] ?? '[]') as [string, string][]).flat();
  const body = readFileSync(process.argv[4] ?? '');
  const server = createServer((_request, response) => {
    response.writeHead(200, flat);
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
}
