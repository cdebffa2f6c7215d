/**
 * Sandboxes: organizations for testing, with a test clock and one client that has every scope. Only the organization that created
 * one sees it and can end it; the sandbox sees nothing of that organization, but shares its rate limit.
 */
import type { PlainDate } from '../core/calendar.ts';
import * as store from '../store/access/access.ts';
import * as sandboxes from '../store/access/sandboxes.ts';
import { recordAudit } from '../store/audit/audit.ts';
import type { Db, Sql } from '../store/db/db.ts';
import type { Keep } from '../store/door/idempotency.ts';
import { insertTestClock } from '../store/door/test-clocks.ts';
import type { Numbers } from './caller.ts';
import { checkName, isPlainId } from './checks.ts';
import { AccessRefused } from './refused.ts';
import { SCOPES } from './scopes.ts';
import { type Keyring, newApiKey, newClientSecret, newId } from './secrets.ts';

export type SandboxCredentials = { organizationId: string; clientId: string; clientSecret: string; apiKey: string };

/** Times are ISO 8601 in UTC, real time. */
export type Sandbox = {
  organizationId: string;
  name: string;
  /** The date of its clock. */
  today: PlainDate;
  createdAt: string;
  endedAt: string | null;
};

export type SandboxInput = {
  name: string;
  /** The current day of its clock, and the time zone of its days. */
  start: PlainDate;
  timeZone: string;
};

/** A client that administers its organization. */
type Maker = { organizationId: string; clientId: string; userId?: string | null };

/** The demo sandbox: the service itself creates it, with credentials that are already on disk. */
export type DemoInput = {
  name: string;
  start: PlainDate;
  timeZone: string;
  credentials: { clientId: string; clientSecret: string; apiKey: string };
  /** No rate limit for its client or for the sandbox. */
  unlimited: boolean;
};

export type Sandboxes = {
  /** `keep` is called in the transaction. */
  createSandbox(maker: Maker, input: SandboxInput, keep: Keep): Promise<SandboxCredentials>;
  /** The newest first. Null: the cursor does not belong to this list. */
  listSandboxes(
    organizationId: string,
    page: { limit: number; cursor: string | null },
  ): Promise<{ items: Sandbox[]; nextCursor: string | null } | null>;
  /** Revokes its clients and grants permanently. Repeating it changes nothing. Null: this organization has no sandbox with this id. */
  endSandbox(
    organizationId: string,
    sandboxId: string,
    keep?: Keep,
  ): Promise<{ organizationId: string; endedAt: string } | null>;
  /** Its clock does not move until it is filled. */
  createDemo(input: DemoInput): Promise<{ organizationId: string }>;
};

const SANDBOXES_AT_MOST = 20;

export function openSandboxes(options: {
  db: Db;
  clock: () => number;
  keyring: Keyring;
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
  hashSecret: (secret: string) => Promise<string>;
}): Sandboxes {
  const { db, clock, keyring, change, hashSecret } = options;
  return { createSandbox, listSandboxes, endSandbox, createDemo };

  async function createSandbox(
    maker: Maker,
    { name, start, timeZone }: SandboxInput,
    keep: Keep,
  ): Promise<SandboxCredentials> {
    checkName(name);
    const credentials = { clientId: newId('client'), clientSecret: newClientSecret(), apiKey: newApiKey() };
    const secretHash = await hashSecret(credentials.clientSecret);
    return change(async (tx) => {
      const { organizationId: madeBy } = maker;
      if (await sandboxes.isSandbox(tx, madeBy)) {
        throw new AccessRefused(
          'limit',
          'A sandbox cannot create sandboxes; use a client of the organization that created it.',
        );
      }
      if ((await sandboxes.countSandboxes(tx, madeBy)) >= SANDBOXES_AT_MOST) {
        const message = `The limit of ${SANDBOXES_AT_MOST} sandboxes per organization is reached; end one with POST /end-sandbox.`;
        throw new AccessRefused('limit', message);
      }
      const client = await store.clientOf(tx, madeBy, maker.clientId);
      const perMinute = client?.rate_limit_per_minute ?? null;
      const numbers = client?.numbers ?? 'interface';
      const limits = { client: perMinute, organization: null };
      const holders = [maker.userId ?? maker.clientId];
      const made = await insert(tx, {
        name,
        start,
        timeZone,
        madeBy,
        filling: false,
        credentials,
        secretHash,
        limits,
        numbers,
        holders,
      });
      await keep(tx, made);
      return made;
    });
  }

  async function createDemo({ name, start, timeZone, credentials, unlimited }: DemoInput) {
    const secretHash = await hashSecret(credentials.clientSecret);
    const limits = unlimited ? { client: 0, organization: 0 } : { client: null, organization: null };
    return change(async (tx) => {
      const whose = { madeBy: null, filling: true } as const;
      const made = await insert(tx, {
        name,
        start,
        timeZone,
        ...whose,
        credentials,
        secretHash,
        limits,
        numbers: 'interface',
        holders: [],
      });
      const done = { at: new Date(clock()), kind: 'did', operation: 'create-demo', outcome: 'done' } as const;
      const by = { organizationId: '', clientId: 'service', requestId: null };
      await recordAudit(tx, [{ ...done, ...by, subject: made.organizationId }]);
      return made;
    });
  }

  async function insert(
    tx: Sql,
    given: {
      name: string;
      start: PlainDate;
      timeZone: string;
      madeBy: string | null;
      filling: boolean;
      credentials: DemoInput['credentials'];
      secretHash: string;
      limits: { client: number | null; organization: number | null };
      numbers: Numbers;
      holders: string[];
    },
  ): Promise<SandboxCredentials> {
    const { name, start, madeBy, filling, credentials, limits } = given;
    const [organizationId, at] = [newId('org'), new Date(clock())];
    const { clientId, apiKey } = credentials;
    await store.insertOrganization(tx, {
      organization_id: organizationId,
      name,
      created_at: at,
      rate_limit_per_minute: limits.organization,
      time_zone: given.timeZone,
      clock_kind: 'test',
    });
    await insertTestClock(tx, { organizationId, standsOn: start, setAt: at });
    await sandboxes.insertSandbox(tx, { organizationId, madeBy, madeAt: at, filling });
    await store.insertClient(tx, {
      client_id: clientId,
      organization_id: organizationId,
      name: 'First client',
      secret_hash: given.secretHash,
      scopes: [...SCOPES],
      rate_limit_per_minute: limits.client,
      numbers: given.numbers,
      created_at: at,
      holders: given.holders,
    });
    const key_hash = keyring.hashApiKey(apiKey);
    await store.insertKey(tx, { key_id: newId('key'), client_id: clientId, key_hash, created_at: at });
    return { organizationId, ...credentials };
  }

  async function listSandboxes(
    organizationId: string,
    { limit, cursor }: { limit: number; cursor: string | null },
  ): Promise<{ items: Sandbox[]; nextCursor: string | null } | null> {
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) return null;
    const rows = await sandboxes.listSandboxes(db, organizationId, { after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page.map(sandboxFrom),
      nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null,
    };
  }

  async function endSandbox(organizationId: string, sandboxId: string, keep?: Keep) {
    return change(async (tx) => {
      const row = isPlainId(sandboxId) ? await sandboxes.sandboxOf(tx, organizationId, sandboxId) : null;
      if (row === null) return null;
      const endedAt = row.ended_at ?? new Date(clock());
      if (row.ended_at === null) await sandboxes.endSandbox(tx, sandboxId, endedAt);
      const ended = { organizationId: sandboxId, endedAt: endedAt.toISOString() };
      await keep?.(tx, ended);
      return ended;
    });
  }
}

function sandboxFrom(row: sandboxes.SandboxRow): Sandbox {
  return {
    organizationId: row.organization_id,
    name: row.name,
    today: row.stands_on,
    createdAt: row.made_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** Opaque to callers: the last row of the page. */
function cursorOf({ made_at, organization_id }: sandboxes.SandboxRow): string {
  return Buffer.from(`${made_at.getTime()} ${organization_id}`).toString('base64url');
}

/** Undefined: not a valid cursor. */
function readCursor(cursor: string): { madeAt: Date; organizationId: string } | undefined {
  const [at = '', organizationId = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,14}$/.test(at) || !isPlainId(organizationId)) return undefined;
  return { madeAt: new Date(Number(at)), organizationId };
}
