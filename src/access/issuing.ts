/** Issuing tokens, and the keys that sign them. */
import { readSigningKeys, replaceSigningKey } from '../store/access/access.ts';
import { recordAudit } from '../store/audit/audit.ts';
import type { Sql } from '../store/db/db.ts';
import type { IssuedToken } from './caller.ts';
import type { Directory } from './directory.ts';
import type { Proving } from './proving.ts';
import { type Denial, orUnavailable } from './refused.ts';
import { tokenScopes } from './scopes.ts';
import { isClientId, isClientSecret, type Keyring } from './secrets.ts';
import {
  newSigningKey,
  openSigningKeys,
  SIGNING_KEY_LIFETIME_MS,
  type SigningKeys,
  signToken,
  stillVerifies,
  verifyingMs,
} from './tokens.ts';

export type TokenAsked = {
  clientId: string;
  clientSecret: string;
  /** The caller's network address. */
  address: string;
  /** The address of the service as discovery shows it to the same caller. */
  issuer: string;
  scope?: string | undefined;
};

export function openIssuing(options: {
  directory: Directory;
  keyring: Keyring;
  clock: () => number;
  monotonic: () => number;
  tokenLifetimeSeconds: number;
  prove: Proving['prove'];
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
  onIssued: (token: string) => void;
}) {
  const { directory, keyring, clock, monotonic, tokenLifetimeSeconds, prove, change, onIssued } = options;
  let rotation: Promise<void> | undefined;

  return { issueToken, signingKey, jwks };

  function issueToken(input: TokenAsked) {
    const { clientId, clientSecret, address, issuer, scope } = input;
    return orUnavailable(async (): Promise<IssuedToken | Denial> => {
      // No client has such an id or secret, so this reveals nothing about any.
      if (!isClientId(clientId) || !isClientSecret(clientSecret)) return { denied: 'bad_credentials' };
      const client = await prove({ clientId, clientSecret, address });
      if ('denied' in client) return client;
      const scopes = tokenScopes(scope, client.scopes);
      if (!scopes) return { denied: 'bad_scope' };
      const key = await signingKey();
      const issuedAt = Math.floor(clock() / 1_000);
      const expiresAt = issuedAt + tokenLifetimeSeconds;
      const { organizationId, tokenGeneration: generation } = client;
      const token = await signToken({ clientId, organizationId, scopes, generation, issuer }, key, {
        issuedAt,
        expiresAt,
      });
      onIssued(token);
      return { token, issuedAt, expiresAt, scope: scopes.join(' ') };
    });
  }

  // ---- signing keys ----

  function isDue(keys: SigningKeys): boolean {
    return !keys.current || clock() - keys.current.createdAt >= SIGNING_KEY_LIFETIME_MS;
  }

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
      const done = { at: new Date(clock()), kind: 'did', operation: 'replace-signing-key', outcome: 'done' } as const;
      const by = { organizationId: '', clientId: 'service', requestId: null };
      await recordAudit(tx, [{ ...done, ...by, subject: made.key_id }]);
    });
  }

  async function jwks(): Promise<{ keys: object[] }> {
    await directory.freshen(monotonic());
    const keys = directory.snapshot.signingKeys ?? (await directory.loadSigningKeys());
    const now = clock();
    const live = [...keys.verifying.values()].filter((key) => stillVerifies(key, now, tokenLifetimeSeconds));
    return { keys: live.map((key) => key.publicJwk) };
  }
}
