/**
 * Deliveries per second: a book of events to two quick endpoints beside a slow one, which answers after 200 ms, and the limit: as many bare
 * signed POSTs, with the same client, the same bodies and as many at a time, in the same run. At least a third of the limit. All on one
 * machine; the receivers have a process of their own. It ends by checking that each quick receiver got every event, in order for each loan.
 *   npm run bench:webhooks     (BENCH_LOANS=1000 BENCH_MONTHS=12)
 */

import type { FeedEvent } from '../src/loans/feed/read.ts';
import { openOutbound } from '../src/outbound/client.ts';
import { attempt, WEBHOOK_CONNECTIONS } from '../src/webhooks/attempt.ts';
import { newSecret } from '../src/webhooks/signing.ts';
import { call, eventually } from '../test/support/service.ts';
import { type Filled, withFilled } from './filled.ts';
import { setting } from './measure.ts';
import { type Receivers, startReceivers } from './webhook-receivers.ts';

const LEAST = 1 / 3;
const QUICK = 2;
const SLOW_MS = 200;
const IN_FLIGHT = 16;
const loans = setting('BENCH_LOANS', 1_000);
const months = setting('BENCH_MONTHS', 12);

const receivers = await startReceivers([...Array.from({ length: QUICK }, () => 0), SLOW_MS]);
try {
  await withFilled({ loans, months, env: { OUTBOUND_ALLOW: '127.0.0.1' } }, (filled) => compare(filled, receivers));
} finally {
  receivers.stop();
}

async function compare({ service, db: book }: Filled, { ports, got, forget }: Receivers): Promise<boolean> {
  const post = async (token: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await call(service.url, 'POST', `/v2/chain/${path}`, { token, body });
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}.`);
    return answer.body.data as Record<string, unknown>;
  };
  const endpoint = async (token: string, port: number): Promise<string> => {
    const { endpointId } = await post(token, 'webhook-endpoints', { url: `http://127.0.0.1:${port}/` });
    await post(token, 'update-webhook-endpoint', { endpointId, status: 'paused' });
    return endpointId as string;
  };
  const token = await service.token();
  const events = await feedOf(service.url, token);
  console.log(
    `${events.length} events of ${loans} loans, to ${QUICK} quick endpoints beside one that takes ${SLOW_MS} ms\n`,
  );

  const bareSeconds = await bare(events, ports.slice(0, QUICK));
  await forget();
  const limit = (events.length * QUICK) / bareSeconds;
  console.log(`bare signed requests  ${limit.toFixed(0).padStart(8)} a second`);

  const endpoints = await Promise.all(ports.map((port) => endpoint(token, port)));
  // From the beginning of the feed, and all of them at once. A worker that still ends would save where it stood.
  await eventually(
    async () => (await book.query('SELECT 1 FROM webhook_endpoints WHERE worked_by IS NOT NULL')).length === 0,
  );
  await book.query('UPDATE webhook_endpoints SET cursor = NULL');
  const started = performance.now();
  for (const endpointId of endpoints) await post(token, 'update-webhook-endpoint', { endpointId, status: 'active' });
  await eventually(async () => (await got()).slice(0, QUICK).every((one) => one.events >= events.length), 600_000);
  const perSecond = (events.length * QUICK * 1_000) / (performance.now() - started);
  const share = perSecond / limit;
  const all = await got();
  console.log(
    `deliveries            ${perSecond.toFixed(0).padStart(8)} a second (slow endpoint meanwhile: ${all.at(-1)?.events})`,
  );
  const right = all.every(({ inOrder }) => inOrder) && all.slice(0, QUICK).every((one) => one.events === events.length);
  const repeated = all.slice(0, QUICK).reduce((sum, one) => sum + one.requests - one.events, 0);
  console.log(
    `\n${right ? 'each quick receiver got every event, in order for each loan' : 'EVENTS ARE MISSING OR OUT OF ORDER'}; ${repeated} came twice`,
  );
  console.log(
    `deliveries: ${share.toFixed(2)} of the limit, at least ${LEAST.toFixed(2)}: ${share >= LEAST ? 'ok' : 'TOO SLOW'}`,
  );
  return right && share >= LEAST;
}

async function feedOf(url: string, token: string): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let after = ''; ; ) {
    const answer = await call(url, 'GET', `/v2/chain/events?limit=1000${after}`, { token });
    const { items, nextCursor, more } = answer.body.data as { items: FeedEvent[]; nextCursor: string; more: boolean };
    events.push(...items);
    if (!more) return events;
    after = `&after=${nextCursor}`;
  }
}

/** Seconds for the same requests without anything around them: the loans' order and the book-keeping are what is missing. */
async function bare(events: readonly FeedEvent[], to: readonly number[]): Promise<number> {
  const outbound = openOutbound({ ...WEBHOOK_CONNECTIONS, allow: ['127.0.0.1'] });
  const posting = { outbound, clock: Date.now, monotonic: () => performance.now() };
  const secrets = [newSecret()];
  const started = performance.now();
  await Promise.all(
    to.map(async (port) => {
      let next = 0;
      const target = { url: `http://127.0.0.1:${port}/`, secrets };
      const lane = async () => {
        for (let event = events[next++]; event !== undefined; event = events[next++]) {
          const { failure } = await attempt(posting, target, event);
          if (failure !== null) throw new Error(`A bare request failed: ${failure}.`);
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  await outbound.close();
  return seconds;
}
