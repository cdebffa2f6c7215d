/** A receiver of webhooks on this machine, which verifies every request with the stock library before it answers as the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { FeedEvent } from '../../src/loans/feed/read.ts';

export type Received = {
  id: string;
  event: FeedEvent;
  type: string;
  timestamp: string;
  headers: IncomingMessage['headers'];
  /** The status of its answer. */
  status: number;
};

export type Receiver = {
  url: string;
  /** The secrets that it verifies with; a request must be right under each of them. */
  secrets: string[];
  /** Everything it got, in the order of arrival. */
  got: Received[];
  /** Those that it answered with 2xx. */
  taken(): Received[];
  /** Requests whose signature is wrong. */
  forged: string[];
  /** The status, with headers if there are any; or nothing, while it holds the request. */
  answers: (event: FeedEvent, response: ServerResponse) => number | Promise<number>;
  /** Under way now, and the most at a time. */
  busy: { now: number; most: number };
  close(): void;
};

export async function webhookReceiver(secrets: string[] = []): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    secrets,
    got: [],
    taken: () => receiver.got.filter(({ status }) => status < 300),
    forged: [],
    answers: () => 204,
    busy: { now: 0, most: 0 },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer(async (request, response) => {
    receiver.busy.now += 1;
    receiver.busy.most = Math.max(receiver.busy.most, receiver.busy.now);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { headers } = request;
    for (const secret of receiver.secrets) {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>);
      } catch (error) {
        receiver.forged.push(String(error));
      }
    }
    const { type, timestamp, data } = JSON.parse(body) as { type: string; timestamp: string; data: FeedEvent };
    const one: Received = { id: String(headers['webhook-id']), event: data, type, timestamp, headers, status: 999 };
    receiver.got.push(one);
    one.status = await receiver.answers(data, response);
    receiver.busy.now -= 1;
    if (!response.headersSent) response.writeHead(one.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

/** The ids of each loan, in the order in which they were taken first; a repetition does not count. */
export function inOrder(received: readonly Received[]): Map<string, number[]> {
  const seen = new Set<string>();
  const loans = new Map<string, number[]>();
  for (const { id, event } of received) {
    if (seen.has(id) || event.loanId === null) continue;
    seen.add(id);
    loans.set(event.loanId, [...(loans.get(event.loanId) ?? []), event.sequence as number]);
  }
  return loans;
}
