/**
 * The cache of clients, keys, grants and tokens in this process, and the time for which it may be trusted.
 *
 * Everything cached belongs to one epoch (see migrations/0001_access.sql). The epoch is read again every 250 ms; each reading makes the
 * snapshot valid for 750 ms from the moment the reading was *sent*, because a change may have been committed right after the
 * database read the epoch. After that the snapshot is not used until a new reading has come back, and without one no caller is admitted. So
 * a revocation takes effect everywhere within a second, whatever fails.
 *
 * Another epoch means an empty snapshot. Loaded rows carry the epoch they were read at, and are kept only in the snapshot of that epoch: an
 * answer that was overtaken by a change cannot restore the old state.
 */
import { LRUCache } from 'lru-cache';
import {
  type AtEpoch,
  type ClientRow,
  readClients,
  readEpoch,
  readKey,
  readSigningKeys,
} from '../store/access/access.ts';
import { readGrantsReceived } from '../store/access/grants.ts';
import { readSession, type SessionRow } from '../store/access/sessions.ts';
import { DatabaseUnavailable, type Db } from '../store/db/db.ts';
import { atMost } from './at-most.ts';
import { type Numbers, type RaisedLimit, raisedIn } from './caller.ts';
import { ownRole, type Role } from './people/roles.ts';
import { knownScopes, type Scope } from './scopes.ts';
import type { Keyring } from './secrets.ts';
import { openSigningKeys, type SigningKeys, type VerifiedToken } from './tokens.ts';

const POLL_MS = 250;
const BELIEVED_MS = 750;
/** A database that has not answered within this time counts as unavailable; a request must not wait longer. */
const PATIENCE_MS = 2_000;

export type Client = {
  clientId: string;
  clientName: string;
  organizationId: string;
  organizationName: string;
  /** The organization against whose limit its requests are counted. */
  countedFor: string;
  secretHash: string;
  scopes: ReadonlySet<Scope>;
  active: boolean;
  /** Null: the service default; 0: no limit. */
  rateLimitPerMinute: number | null;
  raised: RaisedLimit | null;
  /** The limit of all clients of the organization together. Null: the service default; 0: no limit. */
  organizationRateLimitPerMinute: number | null;
  numbers: Numbers;
  organizationRaised: RaisedLimit | null;
  tokenGeneration: number;
};
export type ApiKey = { keyId: string; clientId: string };
export type GrantReceived = {
  ownerOrganizationId: string;
  /** `servicing` includes reading. */
  access: 'read' | 'servicing';
  /** Null: all loans of the owner. */
  servicerId: string | null;
};

/** Times are epoch milliseconds. */
export type CachedSession = {
  readonly sessionId: string;
  readonly userId: string;
  readonly method: string;
  /** False: found by the secret before the last rotation, or by one that was lost. */
  readonly isCurrent: boolean;
  /** Found by a secret that was replaced before it was used. */
  readonly isLost: boolean;
  /** Whether the present secret was used since the last rotation. */
  isConfirmed: boolean;
  readonly rotatedAt: number;
  readonly provenAt: number;
  /** Moved on by this process, ahead of the row. */
  seenAt: number;
  readonly endsAt: number;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly countedFor: string;
  readonly organizationRateLimitPerMinute: number | null;
  readonly organizationRaised: RaisedLimit | null;
  readonly clientId: string;
  readonly clientName: string;
  readonly roles: readonly string[];
  readonly ownRoles: readonly Role[];
};

/** The row that was looked up; null when it does not exist. */
type Lookup<T> = { readonly found: T | null };

export type Snapshot = {
  readonly epoch: bigint;
  /** The time at which the newest reading that found this epoch was sent (monotonic milliseconds). */
  confirmedAt: number;
  /** The time at which the first reading that found it came back. */
  readonly learnedAt: number;
  readonly clients: LRUCache<string, Client>;
  /** Ids that belong to no client. Kept separately, so that invented ids do not evict clients. */
  readonly strangers: LRUCache<string, true>;
  readonly apiKeys: LRUCache<string, Lookup<ApiKey>>;
  readonly grants: LRUCache<string, readonly GrantReceived[]>;
  readonly tokens: LRUCache<string, VerifiedToken>;
  readonly sessions: LRUCache<string, CachedSession>;
  signingKeys: SigningKeys | null;
};

export type Directory = ReturnType<typeof openDirectory>;

export function openDirectory(options: { db: Db; keyring: Keyring; monotonic: () => number }) {
  const { db, keyring, monotonic } = options;
  let snapshot = emptySnapshot(-1n, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY);
  let poll: NodeJS.Timeout | undefined;
  const underWay = new Map<string, Promise<unknown>>();
  const readClientRow = openClientReader(db);
  // The last changes of access may be lost with the former primary, and other changes may have taken their epochs.
  db.onMoved(() => {
    snapshot = emptySnapshot(-1n, Number.NEGATIVE_INFINITY, monotonic());
  });

  /** Records that the database was at `epoch` at some moment after `sentAt`. False: a later epoch is already known. */
  function learn(epoch: bigint, sentAt: number): boolean {
    if (epoch === snapshot.epoch) {
      snapshot.confirmedAt = Math.max(snapshot.confirmedAt, sentAt);
      return true;
    }
    // A lower epoch is an overtaken answer, unless it was requested after the higher one was known: then the database
    // was restored from a backup, and the lower epoch is the current one.
    if (epoch < snapshot.epoch && sentAt <= snapshot.learnedAt) return false;
    snapshot = emptySnapshot(epoch, sentAt, monotonic());
    return true;
  }

  /** Reads something and keeps it in the snapshot it belongs to. Callers that need the same row at the same time share one reading. */
  function load<T, K>(
    name: string,
    read: () => Promise<AtEpoch<T>>,
    keep: (into: Snapshot, value: T) => K,
  ): Promise<K> {
    const shared = underWay.get(name);
    if (shared) return shared as Promise<K>;
    const loading = (async () => {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const sentAt = monotonic();
        const { epoch, value } = await withPatience(read());
        if (learn(epoch, sentAt)) return keep(snapshot, value);
      }
      throw new DatabaseUnavailable('Access changes faster than it can be read.');
    })().finally(() => underWay.delete(name));
    underWay.set(name, loading);
    return loading;
  }

  const directory = {
    get snapshot() {
      return snapshot;
    },
    /** Whether the snapshot is valid for a request that arrived at `arrivedAt`: a reading sent since then is enough, however slow. */
    isFresh: (arrivedAt: number) =>
      monotonic() - snapshot.confirmedAt < BELIEVED_MS || snapshot.confirmedAt >= arrivedAt,
    async freshen(arrivedAt: number): Promise<void> {
      // A shared reading may have been sent before `arrivedAt`; the one after it cannot have been.
      for (let attempt = 0; !directory.isFresh(arrivedAt); attempt += 1) {
        if (attempt === 3) throw new DatabaseUnavailable('The current access state cannot be confirmed.');
        await directory.confirm();
      }
    },
    confirm: (): Promise<void> =>
      load(
        'epoch',
        async () => ({ epoch: await readEpoch(db), value: undefined }),
        () => undefined,
      ),
    learn,
    loadClient: (clientId: string): Promise<Client | null> =>
      load(
        `client ${clientId}`,
        () => readClientRow(clientId),
        (into, row) => {
          // Nobody calls as the console with a token or a secret.
          if (row === null || row.kind === 'console') {
            into.strangers.set(clientId, true);
            return null;
          }
          // Within an epoch a client does not change: the cached object has the same values, and callers refer to it.
          const known = into.clients.get(clientId);
          if (known) return known;
          const client: Client = {
            clientId: row.client_id,
            clientName: row.name,
            organizationId: row.organization_id,
            organizationName: row.organization_name,
            countedFor: row.counted_for,
            secretHash: row.secret_hash ?? '',
            scopes: new Set(knownScopes(row.scopes)),
            active: row.status === 'active',
            rateLimitPerMinute: row.rate_limit_per_minute,
            raised: raisedIn(row.raised_to, row.raised_until),
            organizationRateLimitPerMinute: row.organization_rate_limit_per_minute,
            numbers: row.numbers,
            organizationRaised: raisedIn(row.organization_raised_to, row.organization_raised_until),
            tokenGeneration: row.token_generation,
          };
          into.clients.set(clientId, client);
          return client;
        },
      ),
    /** Cached under a plain digest, which takes 1 µs on every request; the keyed hash of the database takes 10 µs, once. */
    loadApiKey: (key: { text: string; digest: string }): Promise<void> =>
      load(
        `key ${key.digest}`,
        () => readKey(db, keyring.hashApiKey(key.text)),
        (into, row) => {
          into.apiKeys.set(key.digest, { found: row && { keyId: row.key_id, clientId: row.client_id } });
        },
      ),
    /** Read again although it is cached: rotations and signs of life do not change the epoch. */
    loadSession: (secret: {
      digest: string;
      hash: Uint8Array;
    }): Promise<{ into: Snapshot; found: CachedSession | null }> =>
      load(
        `session ${secret.digest}`,
        () => readSession(db, secret.hash),
        (into, row) => {
          const found = row && sessionOf(row);
          if (found === null) into.sessions.delete(secret.digest);
          else into.sessions.set(secret.digest, found);
          return { into, found };
        },
      ),
    loadGrants: (organizationId: string): Promise<readonly GrantReceived[]> =>
      load(
        `grants ${organizationId}`,
        () => readGrantsReceived(db, organizationId),
        (into, rows) => {
          const grants = rows.map((row) => ({
            ownerOrganizationId: row.owner_organization_id,
            access: row.access,
            servicerId: row.servicer_id,
          }));
          into.grants.set(organizationId, grants);
          return grants;
        },
      ),
    loadSigningKeys: (): Promise<SigningKeys> =>
      load(
        'signing keys',
        () => readSigningKeys(db),
        (into, rows) => {
          into.signingKeys ??= openSigningKeys(rows, keyring);
          return into.signingKeys;
        },
      ),
    startPolling(): void {
      // A failed reading needs no handling here: the snapshot ages, and the next request that needs it gets the failure.
      poll ??= setInterval(() => void directory.confirm().catch(() => {}), POLL_MS).unref();
    },
    stopPolling(): void {
      clearInterval(poll);
      poll = undefined;
    },
  };
  return directory;
}

/** The most clients that one statement reads. */
const READ_TOGETHER = 100;

/**
 * Reads clients with one statement at a time; requests that arrive meanwhile share the next one. So a flood of invented ids uses one of the two
 * connections, and the epoch is still confirmed on the other.
 */
function openClientReader(db: Db): (clientId: string) => Promise<AtEpoch<ClientRow | null>> {
  type PendingRead = {
    clientId: string;
    resolve: (row: AtEpoch<ClientRow | null>) => void;
    reject: (error: unknown) => void;
  };
  let waiting: PendingRead[] = [];
  let reading = false;

  async function readOn(): Promise<void> {
    reading = true;
    while (waiting.length > 0) {
      const together = waiting.slice(0, READ_TOGETHER);
      waiting = waiting.slice(READ_TOGETHER);
      try {
        const { epoch, value } = await readClients(
          db,
          together.map(({ clientId }) => clientId),
        );
        const rows = new Map(value.map((row) => [row.client_id, row]));
        for (const { clientId, resolve } of together) resolve({ epoch, value: rows.get(clientId) ?? null });
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    reading = false;
  }

  return (clientId) =>
    new Promise((resolve, reject) => {
      waiting.push({ clientId, resolve, reject });
      if (!reading) void readOn();
    });
}

function sessionOf(row: SessionRow): CachedSession {
  return {
    sessionId: row.session_id,
    userId: row.user_id,
    method: row.method,
    isCurrent: row.is_current,
    isLost: row.is_lost,
    isConfirmed: row.confirmed,
    rotatedAt: row.rotated_at.getTime(),
    provenAt: row.proven_at.getTime(),
    seenAt: row.seen_at.getTime(),
    endsAt: row.ends_at.getTime(),
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    countedFor: row.counted_for,
    organizationRateLimitPerMinute: row.organization_rate_limit_per_minute,
    organizationRaised: raisedIn(row.organization_raised_to, row.organization_raised_until),
    clientId: row.client_id,
    clientName: row.client_name,
    roles: row.roles,
    ownRoles: row.own_roles.map(ownRole),
  };
}

function emptySnapshot(epoch: bigint, confirmedAt: number, learnedAt: number): Snapshot {
  return {
    epoch,
    confirmedAt,
    learnedAt,
    clients: new LRUCache(atMost(10_000)),
    strangers: new LRUCache(atMost(1_000)),
    apiKeys: new LRUCache(atMost(10_000)),
    grants: new LRUCache(atMost(10_000)),
    tokens: new LRUCache(atMost(20_000)),
    sessions: new LRUCache(atMost(20_000)),
    signingKeys: null,
  };
}

function withPatience<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new DatabaseUnavailable(`The database did not answer within ${PATIENCE_MS} ms.`)),
      PATIENCE_MS,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
