/**
 * The module's entry point: what the HTTP shell and the command line call.
 *
 * A caller that is not admitted gets a `Denial`, a value. `authenticate` answers synchronously while everything it needs is cached and
 * fresh. Administration is in admin.ts; directory.ts defines how long the cache is trusted.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Cents } from '../core/money.ts';
import { changeAccess, readSigningKeys, replaceSigningKey } from '../store/access.ts';
import { DatabaseUnavailable, type Db, OutcomeUnknown, type Sql } from '../store/db.ts';
import type { Keep } from '../store/idempotency.ts';
import { type Administration, openAdministration } from './admin.ts';
import { atMost } from './at-most.ts';
import { type Client, type GrantReceived, openDirectory } from './directory.ts';
import { openFailureBudget } from './failure-budget.ts';
import { openProving } from './proving.ts';
import { openRefusals, type Refusals } from './refusals.ts';
import type { Denial } from './refused.ts';
import { openSandboxes, type Sandboxes } from './sandboxes.ts';
import { type Scope, scopesAsked } from './scopes.ts';
import { openSecretChecks, TooBusy } from './secret-checks.ts';
import { isApiKey, isClientId, isClientSecret, keyring as openKeyring } from './secrets.ts';
import {
  bearerToken,
  newSigningKey,
  openSigningKeys,
  SIGNING_KEY_LIFETIME_MS,
  type SigningKeys,
  saysExpired,
  signToken,
  stillVerifies,
  type VerifiedToken,
  verifyingMs,
  verifyToken,
} from './tokens.ts';
import { openUsageReports, type Tally } from './usage-reports.ts';

// For the HTTP shell, which may not import the store.
export { DatabaseUnavailable, OutcomeUnknown };

export type Caller = {
  organizationId: string;
  organizationName: string;
  clientId: string;
  clientName: string;
  /** The person whose session it is; null: the client acts by itself. */
  userId: string | null;
  /** The scopes that the token was issued with and the client still has; of a session, those of the person's roles. */
  scopes: ReadonlySet<Scope>;
  /** By operation, the amount above which a write needs approval; an operation that is not listed has no limit. */
  limits: Readonly<Record<string, Cents>>;
  /** The API key that was sent and belongs to this client; null when none was sent. A session counts as having one: then its own id. */
  keyId: string | null;
  quota: Quota;
  /** Unix time in seconds. */
  tokenExpiresAt: number;
};

/** Cost units per minute; 0: no limit. */
export type Quota = {
  /** The client's own limit, where it is lower than the organization's. */
  perMinute: number;
  /** The limit for all clients of the organization together, set by the operator. */
  organizationPerMinute: number;
  /** The organization whose limit applies: a sandbox shares the limit of the organization that created it. */
  countedFor: string;
};

/** Times are Unix seconds. */
export type IssuedToken = { token: string; issuedAt: number; expiresAt: number; scope: string };

export type Access = Administration &
  Sandboxes & {
    /** The same changes, each with its answer stored in the same transaction. */
    administering(keep: Keep): Administration;
    issueToken(input: {
      clientId: string;
      clientSecret: string;
      /** Where the request came from, for the guard against guessing. */
      address: string;
      scope?: string | undefined;
    }): Promise<IssuedToken | Denial>;
    /** The caller that the bearer token belongs to. The number of invalid tokens verified for one address is limited; see `FORGED`. */
    authenticate(input: {
      authorization: string | undefined;
      address: () => string;
    }): Promise<Caller | Denial> | Caller | Denial;
    /** The caller with the API key that it sent. Checked after the quota: a key that is not cached costs a query. */
    checkKey(caller: Caller, key: string): Promise<Caller | Denial> | Caller | Denial;
    /** The public keys that verify tokens, as a JSON Web Key Set. */
    jwks(): Promise<{ keys: object[] }>;
    /** What other organizations grant to the caller's. */
    grantsFor(caller: Pick<Caller, 'organizationId'>): Promise<readonly GrantReceived[]>;
    /** Refusals of callers that are not known, for the audit trail. */
    refusals: Refusals;
    /** Creates the first signing key, detects a wrong secret (`WrongMasterKey`), and starts to watch for changes. */
    start(): Promise<void>;
    stop(): void;
  };

type Ask = { token: string; address: () => string; arrivedAt: number };
type SentKey = { text: string; digest: string };
type Need =
  | { need: 'epoch' }
  | { need: 'token' }
  | { need: 'client'; clientId: string }
  | { need: 'key'; key: SentKey };

/** Forged tokens from one address: a hundred at once, then ten per second. One verification takes 0.1 ms. */
const FORGED = { burst: 100, perSecond: 10 };

const UNAVAILABLE: Denial = { denied: 'unavailable' };
const badToken = (why: 'missing' | 'malformed' | 'expired' | 'revoked' | 'invalid'): Denial => ({
  denied: 'bad_token',
  why,
});

export function openAccess(options: {
  db: Db;
  /** Epoch milliseconds: the time used in tokens and by the guard. */
  clock: () => number;
  /** The root secret `access`, 32 bytes (vault/roots.ts). */
  secret: Uint8Array;
  tokenLifetimeSeconds?: number;
  /** Default cost units per minute, for a client and for an organization as a whole. 0: no limit. */
  quotas?: { client: number; organization: number };
  /** Of new organizations; UTC when absent. */
  timeZone?: string;
  /** The quotas that callers have used: counted elsewhere, reported to the other processes from here. */
  quotasUsed?: Tally;
  /** A usage report failed for another reason than an unavailable database; called once per series of failures. */
  onReportFailure?: (error: unknown) => void;
  /** Monotonic milliseconds, for how long the cache may be trusted. */
  monotonic?: () => number;
}): Access {
  const { db, clock, tokenLifetimeSeconds = 3_600, monotonic = () => performance.now() } = options;
  const { quotas = { client: 0, organization: 0 }, quotasUsed, onReportFailure } = options;
  const keyring = openKeyring(options.secret);
  const nameOf = keyring.countedName;
  const directory = openDirectory({ db, keyring, monotonic });
  const checks = openSecretChecks({ monotonic });
  const refusals = openRefusals({ db, clock, nameOf });
  const { prove, tallies } = openProving({
    ...{ directory, checks, clock, monotonic, nameOf },
    onWrongSecret: refusals.countGuess,
  });
  const forged = openFailureBudget({ monotonic, ...FORGED, nameOf });
  const reports = openUsageReports({
    db,
    monotonic,
    tallies: { ...tallies, forgedTokens: forged.tally, ...(quotasUsed ? { quotas: quotasUsed } : {}) },
    ...(onReportFailure ? { onFailure: onReportFailure } : {}),
  });
  /** Digests of tokens that this process has signed or verified. They stay valid across changes of access and use no budget. */
  const genuine = new LRUCache<string, true>(atMost(50_000));
  const callers = new WeakMap<VerifiedToken, { client: Client; caller: Caller }>();
  let rotation: Promise<void> | undefined;

  // ---- the hot path ----

  function authenticate(input: { authorization: string | undefined; address: () => string }) {
    const bearer = bearerToken(input.authorization);
    if ('why' in bearer) return badToken(bearer.why);
    const ask: Ask = { token: bearer.token, address: input.address, arrivedAt: monotonic() };
    const answer = judgeToken(ask);
    return 'need' in answer ? find(answer, () => judgeToken(ask), ask) : answer;
  }

  function checkKey(caller: Caller, text: string) {
    if (!isApiKey(text)) return { denied: 'bad_key' } as const;
    const key: SentKey = { text, digest: hash('sha256', text, 'base64') };
    const arrivedAt = monotonic();
    const judge = () => judgeKey(caller, key, arrivedAt);
    const answer = judge();
    return 'need' in answer ? find(answer, judge, null) : answer;
  }

  /** The whole decision, from the cache. Returns the first thing that is missing. */
  function judgeToken(ask: Ask): Caller | Denial | Need {
    if (!directory.isFresh(ask.arrivedAt)) return { need: 'epoch' };
    const { snapshot } = directory;

    const token = snapshot.tokens.get(ask.token);
    if (!token) return { need: 'token' };
    if (token.expiresAt * 1_000 <= clock()) {
      snapshot.tokens.delete(ask.token);
      return badToken('expired');
    }

    const client = snapshot.clients.get(token.clientId);
    if (client === undefined) {
      if (snapshot.strangers.has(token.clientId)) return badToken('revoked');
      return { need: 'client', clientId: token.clientId };
    }
    if (!client.active || client.organizationId !== token.organizationId) return badToken('revoked');
    if (token.generation !== client.tokenGeneration) {
      // A token newer than the cached client was issued by another process in the meantime: read the client again before refusing it.
      const mayBeNewer = token.generation > client.tokenGeneration && snapshot.confirmedAt < ask.arrivedAt;
      return mayBeNewer ? { need: 'epoch' } : badToken('revoked');
    }
    return callerOf(token, client);
  }

  function judgeKey(caller: Caller, sent: SentKey, arrivedAt: number): Caller | Denial | Need {
    if (!directory.isFresh(arrivedAt)) return { need: 'epoch' };
    const key = directory.snapshot.apiKeys.get(sent.digest);
    if (key === undefined) return { need: 'key', key: sent };
    if (key.found?.clientId !== caller.clientId) return { denied: 'bad_key' };
    return { ...caller, keyId: key.found.keyId };
  }

  /** Created once per token and cached client; a change of access replaces the cached client. */
  function callerOf(token: VerifiedToken, client: Client): Caller {
    const known = callers.get(token);
    if (known?.client === client) return known.caller;
    const caller: Caller = {
      organizationId: client.organizationId,
      organizationName: client.organizationName,
      clientId: client.clientId,
      clientName: client.clientName,
      userId: null,
      limits: {},
      scopes: new Set(token.scopes.filter((scope) => client.scopes.has(scope))),
      keyId: null,
      quota: quotaOf(client),
      tokenExpiresAt: token.expiresAt,
    };
    callers.set(token, { client, caller });
    return caller;
  }

  function quotaOf(client: Client): Quota {
    const own = client.rateLimitPerMinute ?? quotas.client;
    const organizationPerMinute = client.organizationRateLimitPerMinute ?? quotas.organization;
    const perMinute = organizationPerMinute > 0 && own >= organizationPerMinute ? 0 : own;
    return { perMinute, organizationPerMinute, countedFor: client.countedFor };
  }

  /** Fetches what is missing and decides again, until nothing is missing. */
  function find(first: Need, judge: () => Caller | Denial | Need, ask: Ask | null): Promise<Caller | Denial> {
    return orUnavailable(async () => {
      let need = first;
      // Four things can be missing, and a concurrent change of access empties the cache. Twelve steps cover three such changes; with more
      // within one request the answer is "unavailable".
      for (let step = 0; step < 12; step += 1) {
        if (need.need === 'epoch') await directory.confirm();
        else if (need.need === 'client') await directory.loadClient(need.clientId);
        else if (need.need === 'key') await directory.loadApiKey(need.key);
        else if (ask !== null) {
          const refused = await admitToken(ask);
          if (refused) return refused;
        }
        const answer = judge();
        if (!('need' in answer)) return answer;
        need = answer;
      }
      return UNAVAILABLE;
    });
  }

  /** Verifies a token that is not cached, if its address is still within its budget of forged tokens. */
  async function admitToken(ask: Ask): Promise<Denial | null> {
    if (saysExpired(ask.token, clock())) return badToken('expired');
    const digest = hash('sha256', ask.token, 'base64');
    if (genuine.has(digest)) return verify(ask);
    const address = ask.address();
    if (!forged.hasRoom(address)) return { denied: 'too_many_failures', retryAfterSeconds: 1 };
    // Counts as forged until it is verified: of a thousand sent at once, not all are verified.
    forged.spend(address);
    let refused: Denial | null | undefined;
    try {
      refused = await verify(ask);
      if (refused === null) genuine.set(digest, true);
      return refused;
    } finally {
      // Without an answer (no database) the attempt does not count against the address.
      if (refused === null || refused === undefined) forged.giveBack(address);
    }
  }

  async function verify(ask: Ask): Promise<Denial | null> {
    for (;;) {
      const { snapshot } = directory;
      const keys = snapshot.signingKeys ?? (await directory.loadSigningKeys());
      const token = await verifyToken(ask.token, keys, clock(), tokenLifetimeSeconds);
      if (token === 'expired' || token === 'invalid') return badToken(token);
      if (token !== 'unknown_key') {
        // Stored in the snapshot whose keys verified it. If that snapshot was replaced, the token is verified again.
        if (directory.snapshot.signingKeys === keys) directory.snapshot.tokens.set(ask.token, token);
        return null;
      }
      // Another process may have created that key a moment ago. With at most one read every 50 ms, a flood of invented key ids costs twenty
      // small queries per second.
      if (directory.snapshot.confirmedAt >= ask.arrivedAt - 50) return badToken('invalid');
      const { epoch } = snapshot;
      await directory.confirm();
      if (directory.snapshot.epoch === epoch) return badToken('invalid');
    }
  }

  // ---- issuing ----

  function issueToken(input: { clientId: string; clientSecret: string; address: string; scope?: string | undefined }) {
    const { clientId, clientSecret, address, scope } = input;
    return orUnavailable(async (): Promise<IssuedToken | Denial> => {
      // No client has such an id or secret, so this reveals nothing about any.
      if (!isClientId(clientId) || !isClientSecret(clientSecret)) return { denied: 'bad_credentials' };
      const client = await prove({ clientId, clientSecret, address });
      if ('denied' in client) return client;
      const scopes = scopesAsked(scope, client.scopes);
      if (!scopes) return { denied: 'bad_scope' };
      const key = await signingKey();
      const issuedAt = Math.floor(clock() / 1_000);
      const expiresAt = issuedAt + tokenLifetimeSeconds;
      const { organizationId, tokenGeneration: generation } = client;
      const token = await signToken({ clientId, organizationId, scopes, generation }, key, { issuedAt, expiresAt });
      genuine.set(hash('sha256', token, 'base64'), true);
      return { token, issuedAt, expiresAt, scope: scopes.join(' ') };
    });
  }

  // ---- signing keys ----

  const isDue = (keys: SigningKeys) => !keys.current || clock() - keys.current.createdAt >= SIGNING_KEY_LIFETIME_MS;

  async function signingKey(): Promise<NonNullable<SigningKeys['current']>> {
    await directory.freshen(monotonic());
    let keys = directory.snapshot.signingKeys ?? (await directory.loadSigningKeys());
    if (isDue(keys)) {
      rotation ??= rotateSigningKey().finally(() => {
        rotation = undefined;
      });
      await rotation;
      keys = await directory.loadSigningKeys();
    }
    if (!keys.current) throw new Error('The signing key that was just created is missing.');
    return keys.current;
  }

  async function rotateSigningKey(): Promise<void> {
    const made = newSigningKey(keyring, clock());
    await change(async (tx) => {
      // Several processes may get here at once; the first one has created the key.
      const { value: rows } = await readSigningKeys(tx);
      if (!isDue(openSigningKeys(rows, keyring))) return;
      await replaceSigningKey(tx, made, new Date(clock() - verifyingMs(tokenLifetimeSeconds)));
    });
  }

  /** Runs a change of access by this process, which then knows the new epoch at once without waiting for the poll. */
  async function change<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const sentAt = monotonic();
    const { epoch, value } = await changeAccess(db, work);
    directory.learn(epoch, sentAt);
    return value;
  }

  function administering(keep: Keep | null): Administration {
    return openAdministration({
      db,
      clock,
      keyring,
      timeZone: options.timeZone ?? 'UTC',
      change,
      keep,
      hashSecret: checks.hash,
      ceiling: quotas.organization,
    });
  }

  return {
    ...administering(null),
    administering,
    ...openSandboxes({ db, clock, keyring, change, hashSecret: checks.hash }),
    issueToken,
    authenticate,
    checkKey,
    refusals,
    async jwks() {
      await directory.freshen(monotonic());
      const keys = directory.snapshot.signingKeys ?? (await directory.loadSigningKeys());
      const now = clock();
      const live = [...keys.verifying.values()].filter((key) => stillVerifies(key, now, tokenLifetimeSeconds));
      return { keys: live.map((key) => key.publicJwk) };
    },
    async grantsFor({ organizationId }) {
      await directory.freshen(monotonic());
      return directory.snapshot.grants.get(organizationId) ?? (await directory.loadGrants(organizationId));
    },
    async start() {
      await signingKey();
      directory.startPolling();
      refusals.start();
      // A restarted or added process starts with the counts of the last minute.
      await reports.exchange();
      reports.start();
    },
    stop() {
      directory.stopPolling();
      refusals.stop();
      reports.stop();
    },
  };
}

async function orUnavailable<T>(work: () => Promise<T | Denial>): Promise<T | Denial> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable || error instanceof TooBusy) return UNAVAILABLE;
    throw error;
  }
}
