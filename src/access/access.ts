/**
 * The module's entry point: what the HTTP shell and the command line call.
 *
 * A caller that is not admitted gets a `Denial`, a value. `authenticate` answers synchronously while everything it needs is cached and
 * fresh. Administration is in admin.ts; directory.ts defines how long the cache is trusted.
 */
import { changeAccess } from '../store/access/access.ts';
import { DatabaseUnavailable, type Db, OutcomeUnknown, type Sql } from '../store/db/db.ts';
import type { Keep } from '../store/door/idempotency.ts';
import { type Administration, openAdministration } from './admin.ts';
import { type Caller, type IssuedToken, limitAt, type Quota } from './caller.ts';
import { type Client, type GrantReceived, openDirectory } from './directory.ts';
import { openFailureBudget } from './failure-budget.ts';
import type { Giver } from './giving.ts';
import { openIssuing, type TokenAsked } from './issuing.ts';
import { openPeople } from './people/known.ts';
import type { People } from './people/people.ts';
import { needsSecond } from './people/second-administrator.ts';
import { openSessions, SESSION_TIMES, type SessionAdmission, type SessionTimes } from './people/sessions.ts';
import { openUsers, type PeopleAdministration } from './people/users.ts';
import { openProving } from './proving.ts';
import { openRefusals, type Refusals } from './refusals.ts';
import type { Denial } from './refused.ts';
import { type Ordering, type RightsNow, rightsNow } from './rights-now.ts';
import { openSandboxes, type Sandboxes } from './sandboxes.ts';
import { openSecretChecks } from './secret-checks.ts';
import { keyring as openKeyring } from './secrets.ts';
import { openTokenAdmission } from './token-admission.ts';
import { openUsageReports, type Tally } from './usage-reports.ts';

export type { Caller, IssuedToken };
// For the HTTP shell, which may not import the store.
export { DatabaseUnavailable, OutcomeUnknown };

export type Access = Administration &
  PeopleAdministration &
  Sandboxes & {
    /** The same changes, each with its answer stored in the same transaction. */
    administering(keep: Keep): Administration & PeopleAdministration;
    /** Within a transaction: whether another administrator has to approve a change of this caller; see `second-administrator.ts`. */
    needsSecond(tx: Sql, caller: Giver): Promise<boolean>;
    /** Lookups and changes of people, for signing in. */
    people: People;
    /** Requests with the cookie of a session in place of a token. */
    sessions: SessionAdmission;
    issueToken(asked: TokenAsked): Promise<IssuedToken | Denial>;
    /** The caller that the bearer token belongs to. The number of invalid tokens verified for one address is limited; see `FORGED`. */
    authenticate(input: {
      authorization: string | undefined;
      address: () => string;
    }): Promise<Caller | Denial> | Caller | Denial;
    /** The caller with the API key that it sent. Checked after the quota: a key that is not cached costs a query. */
    checkKey(caller: Caller, key: string): Promise<Caller | Denial> | Caller | Denial;
    /** The public keys that verify tokens, as a JSON Web Key Set. */
    jwks(): Promise<{ keys: object[] }>;
    /** The grants of other organizations to the caller's; at once while they are cached and fresh. */
    grantsFor(caller: Pick<Caller, 'organizationId'>): Promise<readonly GrantReceived[]> | readonly GrantReceived[];
    /** The rights that a caller has now, for work that goes on after its request; null: none any more. */
    rightsNow(ordering: Ordering): Promise<RightsNow | null>;
    /** Refusals of callers that are not known, for the audit trail. */
    refusals: Refusals;
    /** Creates the first signing key, detects a wrong secret (`WrongMasterKey`), and starts to watch for changes. */
    start(): Promise<void>;
    stop(): void;
  };

/** The limits of a client and of its organization, lasting ones and those that are raised for a time. */
type Limits = Pick<
  Client,
  'rateLimitPerMinute' | 'raised' | 'organizationRateLimitPerMinute' | 'organizationRaised' | 'countedFor'
>;

/** Forged tokens and invented session secrets from one address: a hundred at once, then ten per second. One verification takes 0.1 ms. */
const FORGED = { burst: 100, perSecond: 10 };

export function openAccess(options: {
  db: Db;
  /** Epoch milliseconds: the time used in tokens and by the guard. */
  clock: () => number;
  /** The root secret `access`, 32 bytes (vault/roots.ts). */
  secret: Uint8Array;
  tokenLifetimeSeconds?: number;
  /** The address of the service, of which alone tokens are taken; absent or null: it has none of its own (`PUBLIC_URL`). */
  issuer?: string | null;
  /** Default cost units per minute, for a client and for an organization as a whole. 0: no limit. */
  quotas?: { client: number; organization: number };
  /** Idle and absolute lifetime of sessions. */
  sessionTimes?: SessionTimes;
  /** The time zone of new organizations; UTC when absent. */
  timeZone?: string;
  /** The quotas that callers have used: counted elsewhere, reported to the other processes from here. */
  quotasUsed?: Tally;
  /** Further counts that are reported from here. */
  tallies?: Readonly<Record<string, Tally>>;
  /** A usage report failed for another reason than an unavailable database; called once per series of failures. */
  onReportFailure?: (error: unknown) => void;
  /** Monotonic milliseconds, for how long the cache may be trusted. */
  monotonic?: () => number;
}): Access {
  const { db, clock, tokenLifetimeSeconds = 3_600, issuer = null, monotonic = () => performance.now() } = options;
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
    tallies: {
      ...options.tallies,
      ...tallies,
      forgedTokens: forged.tally,
      ...(quotasUsed ? { quotas: quotasUsed } : {}),
    },
    ...(onReportFailure ? { onFailure: onReportFailure } : {}),
  });

  /** The quota of a client, or of a person, and what it is when a limit that is raised for a time ends. */
  function quotaOf(limits: Limits, at = clock()): Quota {
    const { rateLimitPerMinute, raised, organizationRateLimitPerMinute, organizationRaised, countedFor } = limits;
    const own = limitAt(rateLimitPerMinute, raised, at) ?? quotas.client;
    const organizationPerMinute =
      limitAt(organizationRateLimitPerMinute, organizationRaised, at) ?? quotas.organization;
    const perMinute = organizationPerMinute > 0 && own >= organizationPerMinute ? 0 : own;
    const ends = [raised, organizationRaised].flatMap((one) => (one !== null && one.until > at ? [one.until] : []));
    const from = Math.min(...ends);
    const next = ends.length === 0 ? null : { from, quota: quotaOf(limits, from) };
    return { perMinute, organizationPerMinute, countedFor, next };
  }

  /** Runs a change of access by this process, which then knows the new epoch at once without waiting for the poll. */
  async function change<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const sentAt = monotonic();
    const { epoch, value } = await changeAccess(db, work);
    directory.learn(epoch, sentAt);
    return value;
  }

  function administering(keep: Keep | null): Administration & PeopleAdministration {
    const clients = openAdministration({
      db,
      clock,
      keyring,
      timeZone: options.timeZone ?? 'UTC',
      change,
      keep,
      hashSecret: checks.hash,
      ceiling: quotas.organization,
    });
    return { ...clients, ...openUsers({ db, clock, keyring, change, keep }) };
  }

  async function loadGrants(organizationId: string, arrivedAt: number): Promise<readonly GrantReceived[]> {
    await directory.freshen(arrivedAt);
    return directory.snapshot.grants.get(organizationId) ?? directory.loadGrants(organizationId);
  }

  const shared = { db, directory, keyring, clock, monotonic, tokenLifetimeSeconds, issuer, forged, change, quotaOf };
  const tokens = openTokenAdmission(shared);
  const issuing = openIssuing({ ...shared, prove, onIssued: tokens.isGenuine });
  const { begin, end, endAll, ...sessions } = openSessions({ ...shared, times: options.sessionTimes ?? SESSION_TIMES });

  return {
    ...administering(null),
    administering,
    needsSecond: (tx, caller) => needsSecond(tx, caller, clock()),
    ...openSandboxes({ db, clock, keyring, change, hashSecret: checks.hash }),
    issueToken: issuing.issueToken,
    authenticate: tokens.authenticate,
    checkKey: tokens.checkKey,
    people: { ...openPeople({ db, clock, keyring, change }), begin, end, endAll },
    sessions,
    rightsNow: (ordering) => rightsNow(db, ordering),
    refusals,
    jwks: issuing.jwks,
    grantsFor({ organizationId }) {
      const arrivedAt = monotonic();
      const known = directory.isFresh(arrivedAt) ? directory.snapshot.grants.get(organizationId) : undefined;
      return known ?? loadGrants(organizationId, arrivedAt);
    },
    async start() {
      await issuing.signingKey();
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
