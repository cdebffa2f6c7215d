/** A proxy in front of the service that can lose an answer: the request arrives and is carried out, and its caller hears nothing. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CuttingProxy = {
  url: string;
  /** Every request so far, as `POST /v2/chain/loan-repay`, with its headers. */
  seen: { line: string; headers: IncomingMessage['headers'] }[];
  /** The next answer to this path is lost, after it has arrived here as a whole. */
  loseNext(path: string): void;
  /** Cuts every connection that waits for more of its answer. */
  cutOpen(): void;
  close(): void;
};

export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const lost = new Set<string>();
  const open = new Set<ServerResponse>();
  const seen: CuttingProxy['seen'] = [];
  const server = createServer((asked, answer) => {
    const path = asked.url?.split('?')[0] ?? '';
    seen.push({ line: `${asked.method} ${path}`, headers: asked.headers });
    open.add(answer);
    answer.once('close', () => open.delete(answer));
    const onward = request(target + asked.url, { method: asked.method, headers: asked.headers }, (arrived) => {
      if (lost.delete(path)) {
        arrived.resume().once('end', () => answer.destroy());
        return;
      }
      answer.writeHead(arrived.statusCode ?? 502, arrived.headers);
      arrived.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    answer.once('close', () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    loseNext: (path) => void lost.add(path),
    cutOpen: () => {
      for (const answer of open) answer.destroy();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
