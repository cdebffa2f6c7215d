/**
 * Tokens: JWT access tokens (RFC 9068), signed with keys that rotate automatically.
 *
 * ES256, although EdDSA is a little faster: a token is verified once per instance and cached, so speed does not matter, and every JWT
 * library and gateway that may read /.well-known/jwks.json knows ES256.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, errors, type JWK, jwtVerify, SignJWT } from 'jose';
import type { SigningKeyRow } from '../store/access/access.ts';
import { WrongMasterKey } from '../vault/master-keys.ts';
import { knownScopes, type Scope } from './scopes.ts';
import { type Keyring, newId } from './secrets.ts';

const ALGORITHM = 'ES256';
const TYPE = 'at+jwt';
/** The audience: the service issues tokens only for itself. */
const SERVICE = 'daybook';
/** The issuer is an address of the service. Without `PUBLIC_URL` it has as many as there are names that reach it. */
const ADDRESS = /^https?:\/\//;
/** The time by which another machine's clock may be ahead of ours. */
const SKEW_MS = 60_000;
const MAX_TOKEN_CHARS = 4_096;

export const SIGNING_KEY_LIFETIME_MS = 30 * 24 * 3_600_000;

export type SigningKeys = {
  /** The key that signs; null on a database that has none yet. */
  current: { keyId: string; createdAt: number; privateKey: KeyObject } | null;
  /** All keys whose signatures may still be valid, by key id. */
  verifying: ReadonlyMap<string, { publicKey: KeyObject; publicJwk: object; supersededAt: number | null }>;
};

export type TokenClaims = {
  clientId: string;
  organizationId: string;
  scopes: readonly Scope[];
  /** The client's token generation when it was issued. */
  generation: number;
};
export type VerifiedToken = TokenClaims & { expiresAt: number };

export function openSigningKeys(rows: readonly SigningKeyRow[], keyring: Keyring): SigningKeys {
  let current: SigningKeys['current'] = null;
  const verifying = new Map<string, { publicKey: KeyObject; publicJwk: object; supersededAt: number | null }>();
  for (const row of rows) {
    if (row.algorithm !== ALGORITHM) continue;
    verifying.set(row.key_id, {
      publicKey: createPublicKey({ key: row.public_jwk as JWK, format: 'jwk' }),
      publicJwk: { ...row.public_jwk, kid: row.key_id, alg: ALGORITHM, use: 'sig' },
      supersededAt: row.superseded_at?.getTime() ?? null,
    });
    if (row.private_sealed === null) continue;
    const pkcs8 = keyring.unseal(row.private_sealed, row.key_id);
    if (!pkcs8) throw new WrongMasterKey();
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    current = { keyId: row.key_id, createdAt: row.created_at.getTime(), privateKey };
  }
  return { current, verifying };
}

export function newSigningKey(keyring: Keyring, now: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = newId('sig');
  return {
    key_id: keyId,
    algorithm: ALGORITHM,
    public_jwk: publicKey.export({ format: 'jwk' }),
    private_sealed: keyring.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), keyId),
    created_at: new Date(now),
  };
}

/** Whether tokens signed with this key can still be valid. */
export function stillVerifies(
  key: { supersededAt: number | null },
  now: number,
  tokenLifetimeSeconds: number,
): boolean {
  return key.supersededAt === null || now - key.supersededAt < verifyingMs(tokenLifetimeSeconds);
}

/** The time for which a key verifies after it was superseded: another process may still have signed with it a moment later. */
export function verifyingMs(tokenLifetimeSeconds: number): number {
  return tokenLifetimeSeconds * 1_000 + SKEW_MS;
}

export function signToken(
  claims: TokenClaims & { issuer: string },
  by: NonNullable<SigningKeys['current']>,
  times: { issuedAt: number; expiresAt: number },
): Promise<string> {
  return new SignJWT({
    client_id: claims.clientId,
    org: claims.organizationId,
    scope: claims.scopes.join(' '),
    gen: claims.generation,
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: by.keyId })
    .setIssuer(claims.issuer)
    .setAudience(SERVICE)
    .setSubject(claims.clientId)
    .setIssuedAt(times.issuedAt)
    .setExpirationTime(times.expiresAt)
    .setJti(crypto.randomUUID())
    .sign(by.privateKey);
}

/** The token in an Authorization header. Its shape and length are checked here, before anything is decoded or verified. */
export function bearerToken(authorization: string | undefined): { token: string } | { why: 'missing' | 'malformed' } {
  if (authorization === undefined || authorization === '') return { why: 'missing' };
  if (authorization.length > MAX_TOKEN_CHARS + 16) return { why: 'malformed' };
  const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization)?.[1];
  return token === undefined || token.length > MAX_TOKEN_CHARS ? { why: 'malformed' } : { token };
}

/** Whether the token itself says that it has expired: then it is refused without verifying its signature. */
export function saysExpired(token: string, now: number): boolean {
  try {
    const { exp } = decodeJwt(token);
    return exp !== undefined && exp * 1_000 <= now;
  } catch {
    return false;
  }
}

export async function verifyToken(
  token: string,
  keys: SigningKeys,
  now: number,
  { tokenLifetimeSeconds, issuer }: { tokenLifetimeSeconds: number; issuer: string | null },
): Promise<VerifiedToken | 'expired' | 'invalid' | 'unknown_key'> {
  const keyFor = ({ kid }: { kid?: string }) => {
    const key = kid === undefined ? undefined : keys.verifying.get(kid);
    if (!key || !stillVerifies(key, now, tokenLifetimeSeconds)) throw new UnknownKey();
    return key.publicKey;
  };
  try {
    const { payload } = await jwtVerify(token, keyFor, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      ...(issuer === null ? {} : { issuer }),
      audience: SERVICE,
      currentDate: new Date(now),
      requiredClaims: ['iss', 'sub', 'iat', 'exp', 'jti'],
    });
    const { client_id, org, scope, gen, iss = '', sub, iat, exp } = payload;
    if (!ADDRESS.test(iss)) return 'invalid';
    if (typeof client_id !== 'string' || client_id !== sub || typeof org !== 'string') return 'invalid';
    if (typeof scope !== 'string' || !Number.isSafeInteger(gen)) return 'invalid';
    if (iat === undefined || exp === undefined || iat * 1_000 > now + SKEW_MS) return 'invalid';
    return {
      clientId: client_id,
      organizationId: org,
      scopes: knownScopes(scope.split(' ')),
      generation: gen as number,
      expiresAt: exp,
    };
  } catch (error) {
    if (error instanceof UnknownKey) return 'unknown_key';
    // The signature is checked before the times, so only a token of ours can be "expired".
    if (error instanceof errors.JWTExpired) return 'expired';
    if (error instanceof errors.JOSEError) return 'invalid';
    throw error;
  }
}

class UnknownKey extends Error {}
