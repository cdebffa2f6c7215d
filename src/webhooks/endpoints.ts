/** The webhook endpoints of an organization: adding, listing, changing and deleting them, and replacing their secrets. */

import type { Feed } from '../loans/feed/feed.ts';
import type { FeedReach } from '../loans/feed/read.ts';
import type { TargetProblem } from '../outbound/targets.ts';
import type { Db, Sql } from '../store/db/db.ts';
import type { Keep } from '../store/door/idempotency.ts';
import * as deliveries from '../store/webhooks/deliveries.ts';
import * as store from '../store/webhooks/webhooks.ts';
import type { Sealing } from '../vault/cipher.ts';
import { type Backlog, openBacklog } from './backlog.ts';
import { isId, newId } from './ids.ts';
import { newSecret } from './signing.ts';
import { DAY } from './waits.ts';

export type EndpointInput = { url: string; types: readonly string[]; description: string };
export type EndpointChange = Partial<EndpointInput> & { status?: 'active' | 'paused' };

/** Times are ISO 8601 in UTC. */
export type EndpointInfo = {
  endpointId: string;
  url: string;
  types: string[];
  description: string;
  status: 'active' | 'paused';
  pausedBecause: 'by_user' | 'gone' | 'failing' | null;
  pausedAt: string | null;
  failingSince: string | null;
  lastDeliveredAt: string | null;
  formerSecretUntil: string | null;
  waiting: number;
  /** False: there may be more. */
  waitingExact: boolean;
  oldestWaitingAt: string | null;
  deadLetters: number;
  createdAt: string;
  updatedAt: string;
};

export type ReplayInfo = {
  replayId: string;
  status: 'running' | 'done';
  replayed: number;
  deadLetters: number;
  createdAt: string;
  endedAt: string | null;
};

/** A wrong value of a member, or something that the current state forbids. */
export type Refused = { refused: { member: string | null; code: string; detail: string } };

/** Null: the organization has no such endpoint. `keep` is called in the transaction of the change. */
export type Endpoints = {
  create(
    organizationId: string,
    input: EndpointInput,
    keep: Keep,
  ): Promise<(EndpointInfo & { secret: string }) | Refused>;
  list(organizationId: string, page: { limit: number; cursor: string | null }): Promise<EndpointPage | null>;
  read(organizationId: string, endpointId: string): Promise<(EndpointInfo & { replays: ReplayInfo[] }) | null>;
  update(
    organizationId: string,
    endpointId: string,
    change: EndpointChange,
    keep: Keep,
  ): Promise<EndpointInfo | Refused | null>;
  rotate(organizationId: string, endpointId: string, keep: Keep): Promise<Rotated | null>;
  remove(organizationId: string, endpointId: string, keep: Keep): Promise<{ endpointId: string; deleted: true } | null>;
};

export type EndpointPage = { items: EndpointInfo[]; nextCursor: string | null };
export type Rotated = { endpointId: string; secret: string; formerSecretUntil: string };

type Changing = { readonly db: Db /** An endpoint has changed. */; readonly onChange: () => void };

export type EndpointsOptions = Changing & {
  readonly clock: () => number;
  readonly feed: Feed;
  readonly reachOf: (organizationId: string) => Promise<FeedReach>;
  readonly sealing: Sealing;
  readonly checkTarget: (url: string) => Promise<TargetProblem | null>;
};

const ENDPOINTS_AT_MOST = 50;
const REPLAYS_SHOWN = 10;
const BOTH_VALID_MS = DAY;

const label = (endpointId: string): string => `webhook endpoint ${endpointId}`;

/** The secrets that sign at this time, the newest first. */
export function secretsOf(sealing: Sealing, row: store.EndpointRow, now: number): string[] {
  const isFormerValid = row.former_until !== null && row.former_until.getTime() > now;
  const sealed = isFormerValid && row.former_secret !== null ? [row.secret, row.former_secret] : [row.secret];
  return sealed.map((one) => {
    const opened = sealing.unseal(one, label(row.endpoint_id));
    if (opened === null) throw new Error('The secret of a webhook endpoint cannot be unsealed.');
    return opened.toString();
  });
}

export function openEndpoints(options: EndpointsOptions): Endpoints {
  const { db, feed, sealing, clock, checkTarget, onChange } = options;
  const sealed = (endpointId: string, secret: string) => sealing.seal(Buffer.from(secret), label(endpointId));
  const backlog = openBacklog(options);
  return { create, list, read, update, rotate, remove };

  async function create(organizationId: string, input: EndpointInput, keep: Keep) {
    const wrong = await checkTarget(input.url);
    if (wrong !== null) return refused('url', wrong);
    // From now on: a replay brings what was before.
    const cursor = await feed.head();
    const [endpointId, secret] = [newId('endpoint'), newSecret()];
    const made = await db.transaction(async (tx) => {
      if ((await store.lockEndpoints(tx, organizationId)) >= ENDPOINTS_AT_MOST) {
        const detail = `The limit of ${ENDPOINTS_AT_MOST} webhook endpoints per organization is reached; delete one that is no longer used.`;
        return refused(null, { code: 'conflict', detail });
      }
      const row = await store.insertEndpoint(tx, {
        endpoint_id: endpointId,
        organization_id: organizationId,
        ...{ url: input.url, types: [...new Set(input.types)], description: input.description },
        secret: sealed(endpointId, secret),
        cursor,
        created_at: new Date(clock()),
      });
      const answer = { ...infoOf(row), secret };
      await keep(tx, answer);
      return answer;
    });
    onChange();
    return made;
  }

  async function list(organizationId: string, { limit, cursor }: { limit: number; cursor: string | null }) {
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) return null;
    const rows = await store.listEndpoints(db, organizationId, { after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      items: await shown(page),
      nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null,
    };
  }

  async function read(organizationId: string, endpointId: string) {
    const row = isId(endpointId) ? await store.endpointOf(db, organizationId, endpointId) : null;
    if (row === null) return null;
    const [info] = await shown([row]);
    const replays = await deliveries.listReplays(db, endpointId, REPLAYS_SHOWN);
    return { ...(info as EndpointInfo), replays: replays.map(replayInfo) };
  }

  async function shown(rows: readonly store.EndpointRow[]): Promise<EndpointInfo[]> {
    const ids = rows.map(({ endpoint_id }) => endpoint_id);
    const [waiting, dead] = [await backlog(rows), await deliveries.countDead(db, ids)];
    return rows.map((row) => infoOf(row, waiting.get(row.endpoint_id), dead.get(row.endpoint_id)));
  }

  async function update(organizationId: string, endpointId: string, change: EndpointChange, keep: Keep) {
    const wrong = change.url === undefined ? null : await checkTarget(change.url);
    const before = isId(endpointId) ? await store.endpointOf(db, organizationId, endpointId) : null;
    if (before === null) return null;
    if (wrong !== null) return refused('url', wrong);
    // The backlog under the new types is read before the transaction: it is only told, and may take some reading.
    const waiting = await backlog([{ ...before, ...(change.types && { types: [...change.types] }) }]);
    const dead = await deliveries.countDead(db, [endpointId]);
    return changing(options, organizationId, endpointId, async (tx, row) => {
      const at = new Date(clock());
      const { url = row.url, description = row.description, status = row.status } = change;
      const types = change.types === undefined ? row.types : [...new Set(change.types)];
      const pausing =
        status === 'active'
          ? { paused_because: null, paused_at: null }
          : row.status === 'paused'
            ? { paused_because: row.paused_because, paused_at: row.paused_at }
            : { paused_because: 'by_user' as const, paused_at: at };
      const to = { url, types, description, status, ...pausing };
      const changed = await store.updateEndpoint(tx, endpointId, to, at);
      const answer = infoOf(changed, waiting.get(endpointId), dead.get(endpointId));
      await keep(tx, answer);
      // Last: the feed stands still until the transaction ends.
      if (status !== row.status) {
        const type = status === 'paused' ? 'webhook_endpoint.paused' : 'webhook_endpoint.resumed';
        await feed.note(tx, organizationId, { type, subject: endpointId });
      }
      return answer;
    });
  }

  function rotate(organizationId: string, endpointId: string, keep: Keep) {
    return changing(options, organizationId, endpointId, async (tx, row) => {
      const secret = newSecret();
      const at = clock();
      const formerUntil = new Date(at + BOTH_VALID_MS);
      const to = { secret: sealed(endpointId, secret), former: row.secret, formerUntil, at: new Date(at) };
      await store.rotateSecret(tx, endpointId, to);
      const answer = { endpointId, secret, formerSecretUntil: formerUntil.toISOString() };
      await keep(tx, answer);
      return answer;
    });
  }

  function remove(organizationId: string, endpointId: string, keep: Keep) {
    return changing(options, organizationId, endpointId, async (tx) => {
      await store.deleteEndpoint(tx, endpointId);
      const answer = { endpointId, deleted: true } as const;
      await keep(tx, answer);
      return answer;
    });
  }
}

/** A change of one endpoint, in a transaction; the worker is told of it. Null: the organization has no such endpoint. */
export async function changing<T extends object>(
  { db, onChange }: Changing,
  organizationId: string,
  endpointId: string,
  work: (tx: Sql, row: store.EndpointRow) => Promise<T>,
): Promise<T | null> {
  if (!isId(endpointId)) return null;
  const done = await db.transaction(async (tx) => {
    const row = await store.lockEndpoint(tx, organizationId, endpointId);
    return row && work(tx, row);
  });
  onChange();
  return done;
}

export function refused(member: string | null, why: { readonly code: string; readonly detail: string }): Refused {
  return { refused: { member, ...why } };
}

function infoOf(
  row: store.EndpointRow,
  { count, exact, oldestAt }: Backlog = { count: 0, exact: true, oldestAt: null },
  dead = 0,
): EndpointInfo {
  const iso = (at: Date | null) => at?.toISOString() ?? null;
  return {
    endpointId: row.endpoint_id,
    url: row.url,
    types: row.types,
    description: row.description,
    status: row.status,
    pausedBecause: row.paused_because,
    pausedAt: iso(row.paused_at),
    failingSince: iso(row.failing_since),
    lastDeliveredAt: iso(row.delivered_at),
    formerSecretUntil: iso(row.former_until),
    waiting: count,
    waitingExact: exact,
    oldestWaitingAt: oldestAt,
    deadLetters: dead,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function replayInfo(row: deliveries.ReplayRow): ReplayInfo {
  return {
    replayId: row.replay_id,
    status: row.ended_at === null ? 'running' : 'done',
    replayed: Number(row.replayed),
    deadLetters: Number(row.dead),
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** Opaque to callers: the last row of the page. */
function cursorOf({ created_at, endpoint_id }: store.EndpointRow): string {
  return Buffer.from(`${created_at.getTime()} ${endpoint_id}`).toString('base64url');
}

/** Undefined: not a valid cursor. */
function readCursor(cursor: string): { createdAt: Date; endpointId: string } | undefined {
  const [at = '', endpointId = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,14}$/.test(at) || !isId(endpointId)) return undefined;
  return { createdAt: new Date(Number(at)), endpointId };
}
