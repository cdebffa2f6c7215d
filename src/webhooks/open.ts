/** Opens the module: the endpoints that organizations manage, and the engine that delivers to them. */
import type { LookupFunction } from 'node:net';
import type { Feed } from '../loans/feed/feed.ts';
import type { FeedReach } from '../loans/feed/read.ts';
import { openOutbound } from '../outbound/client.ts';
import { openTargetCheck } from '../outbound/targets.ts';
import type { Db } from '../store/db/db.ts';
import { sealing } from '../vault/cipher.ts';
import { WEBHOOK_CONNECTIONS } from './attempt.ts';
import { type Endpoints, openEndpoints, secretsOf } from './endpoints.ts';
import { type DeliveryFigures, type EngineOptions, openEngine } from './engine.ts';
import { openRedelivery, type Redelivery } from './redelivery.ts';

/** The operations on webhooks. */
export type Webhooks = Endpoints & Redelivery;

export type OpenWebhooks = {
  operations: Webhooks;
  start(): void;
  stop(): Promise<void>;
  figures(): DeliveryFigures;
};

export function openWebhooks(options: {
  db: Db;
  feed: Feed;
  /** Epoch milliseconds. */
  clock: () => number;
  monotonic: () => number;
  random: () => number;
  /** The root secret `access`. */
  secret: Uint8Array;
  processId: string;
  /** Addresses and ranges that may be targets although they are not public. */
  allow: readonly string[];
  reachOf: (organizationId: string) => Promise<FeedReach>;
  log: EngineOptions['log'];
  mayDeliver?: () => boolean;
  /** Replaces the machine's DNS lookup. */
  lookup?: LookupFunction;
}): OpenWebhooks {
  const { secret, allow, lookup, ...rest } = options;
  const seals = sealing(secret, 'daybook webhook secret seal v1');
  const found = lookup === undefined ? {} : { lookup };
  const outbound = openOutbound({ ...WEBHOOK_CONNECTIONS, allow, ...found });
  const engine = openEngine({ ...rest, outbound, secretsOf: (row, now) => secretsOf(seals, row, now) });
  const shared = { ...rest, outbound, sealing: seals, onChange: engine.wake };
  const checkTarget = openTargetCheck({ allow, ...found });
  return {
    operations: { ...openEndpoints({ ...shared, checkTarget }), ...openRedelivery(shared) },
    start: engine.start,
    async stop() {
      await engine.stop();
      await outbound.close();
    },
    figures: engine.figures,
  };
}
