/**
 * Sessions: how a person who has signed in is recognised on every request, as fast as a token.
 *
 * The cookie holds 32 random bytes; the database has their SHA-256. A cached session is used without a query until its secret is due for
 * rotation. From then on every use reads the database first, so that a secret which another process has replaced is noticed: after
 * a minute, which requests under way need, and once the new one was used, its use means that two hold copies of the cookie, and the session
 * ends for both. Before the new one was used, the answer that brought it may have been lost: it is replaced once more. The end of a
 * session, a change of its person or of a role raises the access epoch and empties the cache (directory.ts).
 */
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as store from '../../store/access/sessions.ts';
import { consoleOf, raiseGeneration, userById } from '../../store/access/users.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { atMost } from '../at-most.ts';
import type { Caller, Quota } from '../caller.ts';
import type { CachedSession, Directory, Snapshot } from '../directory.ts';
import type { FailureBudget } from '../failure-budget.ts';
import { type Denial, orUnavailable, UNAVAILABLE } from '../refused.ts';
import { type Keyring, newId } from '../secrets.ts';
import type { NewSession, People } from './people.ts';
import { rightsOf, rolesNamed } from './roles.ts';

/** A secret is replaced after ten minutes of use; the one before is accepted for another minute. */
const ROTATED_MS = 600_000;
const UNDER_WAY_MS = 60_000;
/** The sign of life is written at most this often. */
const SEEN_MS = 60_000;

/** A person has this many sessions at most: one more ends the oldest. Rows are kept for this long after their end. */
const SESSIONS_AT_MOST = 20;
const KEPT_MS = 30 * 24 * 3_600_000;

export type SessionTimes = { idleMs: number; absoluteMs: number };
export const SESSION_TIMES: SessionTimes = { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 };

/** The answer of `GET /session` besides the caller. Times are epoch milliseconds. */
export type SessionInfo = {
  sessionId: string;
  userId: string;
  method: string;
  roles: readonly string[];
  /** The time at which the person proved who they are: a session that continues another one has its time. */
  provenAt: number;
  endsAt: number;
  /** If it is not used until then. */
  idleEndsAt: number;
};

export type SessionAdmission = {
  /** The caller of a session, from the secret in the cookie. */
  admit(input: { secret: string; address: () => string }): Promise<Caller | Denial> | Caller | Denial;
  /**
   * Once more, for an answer that takes long: it has the secret of its beginning, which another request may have replaced since. That is no
   * theft, and ends the answer alone.
   */
  readmit(input: { secret: string; address: () => string }): Promise<Caller | Denial> | Caller | Denial;
  /**
   * To be called once a request of the session is found not to be forged: it counts as a sign of life. Resolves to the secret that the cookie
   * must have from now on; null: the same as before.
   */
  used(caller: Caller, secret: string): Promise<string | null> | null;
  /** The token that its pages must send with every write. */
  csrfToken(caller: Caller): string;
  /** Null: the caller has no session. */
  sessionOf(caller: Caller): SessionInfo | null;
};

type Ask = {
  secret: string;
  digest: string;
  address: () => string;
  arrivedAt: number;
  readInto: Snapshot | null;
  /** An answer under way asks: a secret that was replaced is not sent now. */
  isUnderWay: boolean;
};
type Need = { need: 'epoch' | 'session' };

const ENDED: Denial = { denied: 'bad_session' };
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export function openSessions(options: {
  db: Db;
  directory: Directory;
  keyring: Keyring;
  clock: () => number;
  monotonic: () => number;
  times: SessionTimes;
  forged: FailureBudget;
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
  quotaOf: (
    of: Pick<CachedSession, 'organizationRateLimitPerMinute' | 'organizationRaised' | 'countedFor'> & {
      rateLimitPerMinute: null;
      raised: null;
    },
  ) => Quota;
}): SessionAdmission & Pick<People, 'begin' | 'end' | 'endAll'> {
  const { db, directory, keyring, clock, monotonic, times, forged, change } = options;
  /** Digests of secrets that this process has made, or has found to be a session's: reading them uses no budget. */
  const genuine = new LRUCache<string, true>(atMost(50_000));
  /** Digests of secrets that were sent, by the secret: computing one takes longer than everything else that is done for a cached session. */
  const digests = new LRUCache<string, string>(atMost(20_000));
  const callers = new WeakMap<CachedSession, Caller>();
  const sessions = new WeakMap<Caller, CachedSession>();

  // ---- the hot path ----

  function admit(input: { secret: string; address: () => string }) {
    return admitted(input, false);
  }

  function admitted({ secret, address }: { secret: string; address: () => string }, isUnderWay: boolean) {
    let digest = digests.get(secret);
    if (digest === undefined) {
      if (!SECRET.test(secret)) return ENDED;
      digest = hash('sha256', secret, 'base64');
      digests.set(secret, digest);
    }
    const ask: Ask = { secret, digest, address, arrivedAt: monotonic(), readInto: null, isUnderWay };
    const answer = judge(ask);
    if (answer !== 'stolen' && !('need' in answer)) return answer;
    return orUnavailable(() => find(ask, answer));
  }

  function judge(ask: Ask): Caller | Denial | Need | 'stolen' {
    if (!directory.isFresh(ask.arrivedAt)) return { need: 'epoch' };
    const { snapshot } = directory;
    const session = snapshot.sessions.get(ask.digest);
    const isRead = ask.readInto === snapshot;
    if (session === undefined) return isRead ? ENDED : { need: 'session' };
    const now = clock();
    if (now >= session.endsAt) return ENDED;
    const age = now - session.rotatedAt;
    const isYoung = age < (session.isCurrent ? ROTATED_MS : UNDER_WAY_MS) && !session.isLost;
    const isSettled = isYoung && now - session.seenAt < times.idleMs;
    if (isSettled) return callerOf(session);
    if (!isRead) return { need: 'session' };
    if (now - session.seenAt >= times.idleMs) return ENDED;
    if (session.isLost) return 'stolen';
    return session.isCurrent || !session.isConfirmed ? callerOf(session) : 'stolen';
  }

  async function find(ask: Ask, first: Need | 'stolen'): Promise<Caller | Denial> {
    let answer: Caller | Denial | Need | 'stolen' = first;
    // As for tokens: twelve steps cover three concurrent changes of access.
    for (let step = 0; step < 12; step += 1) {
      if (answer === 'stolen') {
        const session = directory.snapshot.sessions.get(ask.digest);
        if (session && !ask.isUnderWay) await end(session.sessionId, 'stolen');
        return ENDED;
      }
      if (!('need' in answer)) return answer;
      if (answer.need === 'epoch') await directory.confirm();
      else {
        const refused = await read(ask);
        if (refused !== null) return refused;
      }
      answer = judge(ask);
    }
    return UNAVAILABLE;
  }

  /** Reads a session that is not cached, if its address is still within its budget of invented secrets. */
  async function read(ask: Ask): Promise<Denial | null> {
    const isKnown = genuine.has(ask.digest);
    const address = ask.address();
    if (!isKnown && !forged.hasRoom(address)) return { denied: 'too_many_failures', retryAfterSeconds: 1 };
    if (!isKnown) forged.spend(address);
    let isInvented = false;
    try {
      const { into, found } = await directory.loadSession({ digest: ask.digest, hash: digestOf(ask.secret) });
      ask.readInto = into;
      isInvented = found === null;
      if (!isInvented) genuine.set(ask.digest, true);
      return null;
    } finally {
      // Without an answer (no database) the attempt does not count against the address.
      if (!isKnown && !isInvented) forged.giveBack(address);
    }
  }

  function callerOf(session: CachedSession): Caller {
    const known = callers.get(session);
    if (known !== undefined) return known;
    const roles = rolesNamed(session.roles, session.ownRoles).filter((role) => role !== null);
    const caller: Caller = {
      organizationId: session.organizationId,
      organizationName: session.organizationName,
      clientId: session.clientId,
      clientName: session.clientName,
      userId: session.userId,
      ...rightsOf(roles),
      keyId: session.sessionId,
      quota: options.quotaOf({ ...session, rateLimitPerMinute: null, raised: null }),
      numbers: 'interface',
      tokenExpiresAt: Math.floor(session.endsAt / 1_000),
    };
    callers.set(session, caller);
    sessions.set(caller, session);
    return caller;
  }

  function used(caller: Caller, secret: string): Promise<string | null> | null {
    const session = sessions.get(caller);
    if (session === undefined) return null;
    const now = clock();
    const age = now - session.rotatedAt;
    if (session.isCurrent && age >= ROTATED_MS) return rotate(store.rotateSession, session.sessionId, secret, now);
    if (!session.isCurrent && age >= UNDER_WAY_MS) {
      return rotate(store.replaceLostSecret, session.sessionId, secret, now);
    }
    if (session.isCurrent && !session.isConfirmed) {
      session.isConfirmed = true;
      // Before the answer, so that the secret before is refused from then on. If it fails, it is accepted until the next rotation.
      const nothing = () => null;
      return store.confirmSecret(db, session.sessionId, digestOf(secret)).then(nothing, nothing);
    }
    if (now - session.seenAt >= SEEN_MS) {
      session.seenAt = now;
      // If it fails, the session may end a minute early.
      store.touchSession(db, session.sessionId, new Date(now)).catch(() => {});
    }
    return null;
  }

  async function rotate(
    replace: typeof store.rotateSession,
    sessionId: string,
    secret: string,
    now: number,
  ): Promise<string | null> {
    const next = randomBytes(32).toString('base64url');
    const to = { from: digestOf(secret), to: digestOf(next), at: new Date(now) };
    if (!(await replace(db, sessionId, to))) return null;
    genuine.set(to.to.toString('base64'), true);
    return next;
  }

  // ---- beginning and ending ----

  async function begin(
    userId: string,
    { method, requestId, ...continued }: Parameters<People['begin']>[1],
  ): Promise<NewSession | null> {
    const [sessionId, secret] = [newId('session'), randomBytes(32).toString('base64url')];
    const at = new Date(clock());
    const endsAt = Math.min(at.getTime() + times.absoluteMs, continued.endsAt ?? Infinity);
    const provenAt = Math.min(at.getTime(), continued.provenAt ?? Infinity);
    const limits = { most: SESSIONS_AT_MOST, forgotten: new Date(at.getTime() - KEPT_MS), at };
    const begun = await db.transaction(async (tx) => {
      const made = await store.insertSession(tx, {
        session_id: sessionId,
        user_id: userId,
        method,
        secret_hash: digestOf(secret),
        created_at: at,
        proven_at: new Date(provenAt),
        ends_at: new Date(endsAt),
      });
      if (made === null) return null;
      const whose = { organizationId: made.organization_id, clientId: made.client_id, userId, keyId: sessionId };
      const done = { at, kind: 'did', operation: 'sign-in', outcome: 'done', subject: method } as const;
      await recordAudit(tx, [{ ...whose, ...done, requestId }]);
      return { sessionId, secret, endsAt };
    });
    if (begun !== null) genuine.set(digestOf(secret).toString('base64'), true);
    // Only when there are some: an end raises the epoch.
    if (begun !== null && (await store.countSurplus(db, userId, limits)) > 0) {
      await change((tx) => store.endSurplus(tx, userId, sessionId, limits));
    }
    return begun;
  }

  async function end(sessionId: string, why: 'signed_out' | 'stolen', requestId: string | null = null): Promise<void> {
    const at = new Date(clock());
    await change(async (tx) => {
      const ended = await store.endSession(tx, sessionId, why, at);
      if (ended === null) return;
      const { user_id: userId, organization_id: organizationId } = ended;
      const clientId = await consoleOf(tx, organizationId);
      const operation = why === 'stolen' ? 'stolen-session' : 'sign-out';
      const done = { at, kind: 'did', operation, outcome: 'done' } as const;
      await recordAudit(tx, [{ ...done, organizationId, clientId, userId, keyId: sessionId, requestId }]);
    });
  }

  async function endAll(userId: string, requestId: string | null = null): Promise<void> {
    const at = new Date(clock());
    await change(async (tx) => {
      const user = await userById(tx, userId);
      if (user === null) return;
      await raiseGeneration(tx, userId);
      const organizationId = user.organization_id;
      const clientId = await consoleOf(tx, organizationId);
      const done = { at, kind: 'did', operation: 'sign-out-everywhere', outcome: 'done' } as const;
      await recordAudit(tx, [{ ...done, organizationId, clientId, userId, requestId }]);
    });
  }

  return {
    admit,
    readmit: (input) => admitted(input, true),
    used,
    csrfToken: ({ keyId }) => keyring.csrfToken(keyId ?? ''),
    sessionOf(caller) {
      const session = sessions.get(caller);
      if (session === undefined) return null;
      const { sessionId, userId, method, roles, provenAt, endsAt, seenAt } = session;
      const idleEndsAt = Math.min(endsAt, seenAt + times.idleMs);
      return { sessionId, userId, method, roles, provenAt, endsAt, idleEndsAt };
    },
    begin,
    end,
    endAll,
  };
}
