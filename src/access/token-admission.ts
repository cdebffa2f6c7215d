/**
 * Admission of a request with a bearer token, and of the API key beside it. It is decided synchronously while everything it needs is cached
 * and fresh; what is missing is fetched, and then it is decided again.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';
import type { Caller, Quota } from './caller.ts';
import type { Client, Directory } from './directory.ts';
import type { FailureBudget } from './failure-budget.ts';
import { type Denial, orUnavailable, UNAVAILABLE } from './refused.ts';
import { isApiKey } from './secrets.ts';
import { bearerToken, saysExpired, type VerifiedToken, verifyToken } from './tokens.ts';

type Ask = { token: string; address: () => string; arrivedAt: number };
type SentKey = { text: string; digest: string };
type Need =
  | { need: 'epoch' }
  | { need: 'token' }
  | { need: 'client'; clientId: string }
  | { need: 'key'; key: SentKey };

const badToken = (why: 'missing' | 'malformed' | 'expired' | 'revoked' | 'invalid'): Denial => ({
  denied: 'bad_token',
  why,
});

/** As most clients write it; `bearerToken` also reads the other ways. */
const BEARER = 'Bearer ';

export type TokenAdmission = {
  authenticate(input: {
    authorization: string | undefined;
    address: () => string;
  }): Promise<Caller | Denial> | Caller | Denial;
  checkKey(caller: Caller, key: string): Promise<Caller | Denial> | Caller | Denial;
  /** This process has signed the token: verifying it uses no budget. */
  isGenuine(token: string): void;
};

export function openTokenAdmission(options: {
  directory: Directory;
  clock: () => number;
  monotonic: () => number;
  tokenLifetimeSeconds: number;
  /** Tokens of any other one are refused; null: the service has no address of its own. */
  issuer: string | null;
  forged: FailureBudget;
  quotaOf: (client: Client) => Quota;
}): TokenAdmission {
  const { directory, clock, monotonic, tokenLifetimeSeconds, issuer, forged, quotaOf } = options;
  /** Digests of tokens that this process has signed or verified. They stay valid across changes of access and use no budget. */
  const genuine = new LRUCache<string, true>(atMost(50_000));
  const callers = new WeakMap<VerifiedToken, { client: Client; caller: Caller }>();

  return { authenticate, checkKey, isGenuine: (token) => void genuine.set(hash('sha256', token, 'base64'), true) };

  function authenticate(input: { authorization: string | undefined; address: () => string }) {
    const sent = input.authorization?.startsWith(BEARER) ? input.authorization.slice(BEARER.length) : '';
    // The form of a token that is cached was checked before.
    const bearer = directory.snapshot.tokens.has(sent) ? { token: sent } : bearerToken(input.authorization);
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
      numbers: client.numbers,
      tokenExpiresAt: token.expiresAt,
    };
    callers.set(token, { client, caller });
    return caller;
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
      const token = await verifyToken(ask.token, keys, clock(), { tokenLifetimeSeconds, issuer });
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
}
