/**
 * Administration: organizations, clients and API keys; grants are in grants.ts. Every call names the organization it acts for; an object of another
 * organization does not exist for it, and what does not exist is null. Secrets and keys are returned once, when created. Failures are
 * thrown: `AccessRefused`; `MayNotGive` when a client would grant more than it has; `DatabaseUnavailable` while the database cannot be
 * reached.
 */
import * as store from '../store/access/access.ts';
import { ceilingOf } from '../store/access/sandboxes.ts';
import type { Db, Sql } from '../store/db/db.ts';
import type { Keep } from '../store/door/idempotency.ts';
import { limitAt, type Numbers, raisedIn } from './caller.ts';
import {
  type ClientInput,
  checkClient,
  checkName,
  checkProgram,
  checkRaised,
  checkRateLimit,
  checkRoom,
  isPlainId,
  type RaisedRateLimit,
  type RateLimits,
} from './checks.ts';
import { type PageAsked, type PageOf, pageBy } from './cursors.ts';
import { type Acting, checkCredentials, holdersOf, organizationActing } from './giving.ts';
import { type GrantAdministration, openGrants } from './grants.ts';
import { AccessRefused } from './refused.ts';
import { knownScopes, type Scope } from './scopes.ts';
import { isClientId, type Keyring, newApiKey, newClientSecret, newId } from './secrets.ts';

/** Times are ISO 8601 in UTC. */
export type Organization = {
  organizationId: string;
  name: string;
  createdAt: string;
  /** The rate limit for all its clients together, in cost units per minute. Null: the service default; 0: none. */
  rateLimitPerMinute: number | null;
  /** In its place for a time; null: it is not raised now. */
  raisedRateLimit: RaisedRateLimit | null;
  /** The time zone of its business days, as last set. */
  timeZone: string;
  /** `test`: a sandbox. */
  clock: 'live' | 'test';
};
export type ClientInfo = {
  clientId: string;
  name: string;
  /** `console`: stands for the sessions of people; it has no credentials. */
  kind: 'program' | 'console';
  scopes: Scope[];
  status: 'active' | 'revoked';
  /** Null: the service default; 0: no limit. */
  rateLimitPerMinute: number | null;
  numbers: Numbers;
  /** In its place for a time; null: it is not raised now. */
  raisedRateLimit: RaisedRateLimit | null;
  createdAt: string;
  revokedAt: string | null;
  /** People and clients that have seen a credential of it; for approvals they count as the client. */
  holders: string[];
  keys: { keyId: string; createdAt: string; revokedAt: string | null }[];
};
export type Credentials = { clientId: string; clientSecret: string; apiKey: string; keyId: string };
export type Administration = GrantAdministration & {
  createOrganization(name: string, rateLimitPerMinute?: number | null): Promise<Organization>;
  /** Only for the operator: no client sets the limit of its own organization. Null: no such organization. */
  updateOrganization(
    organizationId: string,
    to: { name?: string | undefined } & RateLimits,
  ): Promise<Organization | null>;
  listOrganizations(): Promise<Organization[]>;
  createClient(acting: Acting, input: ClientInput): Promise<Credentials>;
  /** Active ones first. */
  listClients(organizationId: string, page: PageAsked): Promise<PageOf<ClientInfo> | null>;
  /** Omitted fields stay as they are. Removed scopes are gone from tokens in use within a second. Null: no active client. */
  updateClient(acting: Acting, clientId: string, to: Partial<ClientInput>): Promise<{ clientId: string } | null>;
  /** A new secret revokes the old one and every token issued under it; a new key revokes all older keys. Null: no active client. */
  rotateClient(
    acting: Acting,
    clientId: string,
    options: { what: 'secret' | 'key' | 'both' },
  ): Promise<({ clientId: string } & Partial<Credentials>) | null>;
  /** Revokes the client, its keys and its tokens permanently. Repeating it changes nothing. */
  revokeClient(organizationId: string, clientId: string): Promise<{ clientId: string; revokedAt: string } | null>;
  /** Adds a key beside the others, to replace a key without downtime: create, deploy, revoke the old one. Null: no active client. */
  createKey(acting: Acting, clientId: string): Promise<{ keyId: string; apiKey: string } | null>;
  /** Repeating it changes nothing. */
  revokeKey(organizationId: string, keyId: string): Promise<{ keyId: string; revokedAt: string } | null>;
};

const MAX_ACTIVE_KEYS = 20;

export function openAdministration(options: {
  db: Db;
  clock: () => number;
  keyring: Keyring;
  /** The time zone of new organizations. */
  timeZone: string;
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
  /** Stores the result in the transaction of each change. Null: not stored. */
  keep: Keep | null;
  /** Slow; limited together with the checks of secrets. */
  hashSecret: (secret: string) => Promise<string>;
  /** The limit of an organization that has none of its own; 0: none. */
  ceiling: number;
}): Administration {
  const { db, clock, keyring, timeZone, keep, hashSecret } = options;
  const now = () => new Date(clock());

  function change<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    if (keep === null) return options.change(work);
    return options.change(async (tx) => {
      await keep.begin?.(tx);
      const done = await work(tx);
      // Null: there is no such client, key or grant.
      if (typeof done === 'object' && done !== null) await keep(tx, done);
      return done;
    });
  }

  async function clientOf(tx: Sql, organizationId: string, clientId: string): Promise<store.ClientRow | null> {
    return isClientId(clientId) ? store.clientOf(tx, organizationId, clientId) : null;
  }

  async function addKey(tx: Sql, clientId: string): Promise<{ keyId: string; apiKey: string }> {
    const [keyId, apiKey] = [newId('key'), newApiKey()];
    const key_hash = keyring.hashApiKey(apiKey);
    await store.insertKey(tx, { key_id: keyId, client_id: clientId, key_hash, created_at: now() });
    return { keyId, apiKey };
  }

  /** The rate limit of a client is at most the limit that the operator set for its organization. */
  function checkCeiling(given: number | null | undefined, own: number | null, member = 'rateLimitPerMinute'): void {
    const ceiling = own ?? options.ceiling;
    if (given == null || ceiling === 0 || (given > 0 && given <= ceiling)) return;
    const message = `The rate limit must be 1 to ${ceiling}: the limit of this organization is ${ceiling} cost units per minute.`;
    throw new AccessRefused('invalid', message, member);
  }

  /** The columns of a limit that is raised for a time. */
  function raisedTo(
    { raisedRateLimit: asked }: RateLimits,
    row: Pick<store.OrganizationRow, 'raised_to' | 'raised_until'>,
  ): Pick<store.OrganizationRow, 'raised_to' | 'raised_until'> {
    if (asked === undefined) return { raised_to: row.raised_to, raised_until: row.raised_until };
    if (asked === null) return { raised_to: null, raised_until: null };
    return { raised_to: asked.perMinute, raised_until: checkRaised(asked, clock()) };
  }

  return {
    async createOrganization(name, rateLimitPerMinute = null) {
      checkName(name);
      checkRateLimit(rateLimitPerMinute);
      const row = {
        organization_id: newId('org'),
        name,
        created_at: now(),
        rate_limit_per_minute: rateLimitPerMinute,
        time_zone: timeZone,
        clock_kind: 'live' as const,
      };
      return change(async (tx) => {
        checkRoom('organizations', await store.countOrganizations(tx));
        await store.insertOrganization(tx, row);
        return organizationOf({ ...row, raised_to: null, raised_until: null }, clock());
      });
    },

    async updateOrganization(organizationId, to) {
      return change(async (tx) => {
        const row = isPlainId(organizationId) ? await store.organization(tx, organizationId) : null;
        if (row === null) return null;
        const { name = row.name, rateLimitPerMinute = row.rate_limit_per_minute } = to;
        checkName(name);
        checkRateLimit(rateLimitPerMinute);
        const changed = { name, rate_limit_per_minute: rateLimitPerMinute, ...raisedTo(to, row) };
        await store.updateOrganization(tx, organizationId, changed);
        return organizationOf({ ...row, ...changed }, clock());
      });
    },

    async listOrganizations() {
      return (await store.listOrganizations(db)).map((row) => organizationOf(row, clock()));
    },

    async createClient(acting, input) {
      checkClient(input);
      checkCredentials(acting, input.scopes, 'This client');
      const organizationId = organizationActing(acting);
      const clientId = newId('client');
      const clientSecret = newClientSecret();
      const secret_hash = await hashSecret(clientSecret);
      return change(async (tx) => {
        const organization = isPlainId(organizationId) ? await store.organization(tx, organizationId) : null;
        if (organization === null)
          throw new AccessRefused('invalid', 'There is no such organization.', 'organizationId');
        const { lasting, raisedTo: most, raisedUntil } = await ceilingOf(tx, organizationId);
        checkCeiling(input.rateLimitPerMinute, limitAt(lasting, raisedIn(most, raisedUntil), clock()));
        checkRoom('active clients', await store.countActiveClients(tx, organizationId));
        await store.insertClient(tx, {
          client_id: clientId,
          organization_id: organizationId,
          name: input.name,
          secret_hash,
          scopes: knownScopes(input.scopes),
          rate_limit_per_minute: input.rateLimitPerMinute ?? null,
          numbers: input.numbers ?? 'interface',
          created_at: now(),
          holders: holdersOf(acting),
        });
        return { clientId, clientSecret, ...(await addKey(tx, clientId)) };
      });
    },

    listClients(organizationId, page) {
      const read = async (after: store.ListPlace | null, limit: number) =>
        isPlainId(organizationId) ? store.listClients(db, organizationId, { after, limit }) : [];
      return pageBy(page, read, (row) => ({
        clientId: row.client_id,
        name: row.name,
        kind: row.kind,
        scopes: knownScopes(row.scopes),
        status: row.status,
        rateLimitPerMinute: row.rate_limit_per_minute,
        numbers: row.numbers,
        raisedRateLimit: raisedNow(row, clock()),
        createdAt: row.created_at.toISOString(),
        revokedAt: iso(row.revoked_at),
        holders: row.holders,
        keys: row.keys.map((key) => ({
          keyId: key.key_id,
          createdAt: new Date(key.created_at).toISOString(),
          revokedAt: iso(key.revoked_at),
        })),
      }));
    },

    async updateClient(acting, clientId, to) {
      return change(async (tx) => {
        const client = await clientOf(tx, organizationActing(acting), clientId);
        if (client?.status !== 'active') return null;
        checkProgram(client);
        const { name = client.name, scopes = client.scopes, numbers = client.numbers } = to;
        const { rateLimitPerMinute = client.rate_limit_per_minute } = to;
        checkClient({ name, scopes, rateLimitPerMinute });
        const {
          organization_rate_limit_per_minute: lasting,
          organization_raised_to,
          organization_raised_until,
        } = client;
        const ceiling = limitAt(lasting, raisedIn(organization_raised_to, organization_raised_until), clock());
        checkCeiling(to.rateLimitPerMinute, ceiling);
        checkCeiling(to.raisedRateLimit?.perMinute, ceiling, 'raisedRateLimit/perMinute');
        const added = scopes.filter((scope) => !client.scopes.includes(scope));
        checkCredentials(acting, added, 'This change');
        await store.updateClient(tx, clientId, {
          name,
          scopes: knownScopes(scopes),
          rate_limit_per_minute: rateLimitPerMinute,
          numbers,
          ...raisedTo(to, client),
        });
        return { clientId };
      });
    },

    async rotateClient(acting, clientId, { what }) {
      const clientSecret = newClientSecret();
      const secretHash = what === 'key' ? null : await hashSecret(clientSecret);
      return change(async (tx) => {
        const client = await clientOf(tx, organizationActing(acting), clientId);
        if (client?.status !== 'active') return null;
        checkProgram(client);
        checkCredentials(acting, client.scopes, 'A new credential of this client');
        await store.addHolders(tx, clientId, holdersOf(acting));
        if (secretHash) await store.replaceSecret(tx, clientId, secretHash);
        if (what === 'secret') return { clientId, clientSecret };
        await store.revokeKeys(tx, clientId, now());
        return { clientId, ...(secretHash ? { clientSecret } : {}), ...(await addKey(tx, clientId)) };
      });
    },

    async revokeClient(organizationId, clientId) {
      return change(async (tx) => {
        const client = await clientOf(tx, organizationId, clientId);
        if (!client) return null;
        checkProgram(client);
        const revokedAt = client.revoked_at ?? now();
        if (!client.revoked_at) await store.revokeClient(tx, clientId, revokedAt);
        return { clientId, revokedAt: revokedAt.toISOString() };
      });
    },

    async createKey(acting, clientId) {
      return change(async (tx) => {
        const client = await clientOf(tx, organizationActing(acting), clientId);
        if (client?.status !== 'active') return null;
        checkProgram(client);
        checkCredentials(acting, client.scopes, 'A key of this client');
        checkRoom('active keys of this client', await store.countActiveKeys(tx, clientId), MAX_ACTIVE_KEYS);
        await store.addHolders(tx, clientId, holdersOf(acting));
        return addKey(tx, clientId);
      });
    },

    async revokeKey(organizationId, keyId) {
      return change(async (tx) => {
        const key = isPlainId(keyId) ? await store.keyOf(tx, organizationId, keyId) : null;
        if (!key) return null;
        const revokedAt = key.revoked_at ?? now();
        if (!key.revoked_at) await store.revokeKeys(tx, key.client_id, revokedAt, keyId);
        return { keyId, revokedAt: revokedAt.toISOString() };
      });
    },

    ...openGrants({ db, clock, change }),
  };
}

const iso = (time: Date | string | null): string | null => time && new Date(time).toISOString();

function raisedNow(
  { raised_to, raised_until }: Pick<store.OrganizationRow, 'raised_to' | 'raised_until'>,
  now: number,
): RaisedRateLimit | null {
  if (raised_to === null || raised_until === null || raised_until.getTime() <= now) return null;
  return { perMinute: raised_to, until: raised_until.toISOString() };
}

const organizationOf = (row: store.OrganizationRow, now: number): Organization => ({
  organizationId: row.organization_id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  rateLimitPerMinute: row.rate_limit_per_minute,
  raisedRateLimit: raisedNow(row, now),
  timeZone: row.time_zone,
  clock: row.clock_kind,
});
