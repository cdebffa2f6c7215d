/**
 * Passkeys (WebAuthn): credentials that the browser finds by itself, so that nobody says who they are before they have proven it, always
 * with user verification (a finger, a face, a PIN). The relying party is the host that the page was loaded from, or that of PUBLIC_URL.
 */

import { createHash } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { PasskeyRow } from '../../store/access/sign-in.ts';

/** The origin of the pages: `https://loans.example`. */
export type Site = { origin: string };

const TIMEOUT_MS = 5 * 60_000;
/** Ed25519, P-256, RSA: what authenticators have today. */
const ALGORITHMS = [-8, -7, -257];
const TRANSPORTS = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);

const rpIdOf = ({ origin }: Site): string => new URL(origin).hostname;

/** The authenticator's name for the person: neither their id nor anything personal. */
const handleOf = (userId: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(`passkey ${userId}`).digest());

export function creationOptions(
  site: Site,
  person: { userId: string; email: string; name: string },
  existing: readonly PasskeyRow[],
) {
  return generateRegistrationOptions({
    rpName: 'Daybook',
    rpID: rpIdOf(site),
    userName: person.email,
    userDisplayName: person.name,
    userID: handleOf(person.userId),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: existing.map(({ credential_id, transports }) => ({
      id: credential_id.toString('base64url'),
      transports,
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** The same for everyone: no list of credentials, which would tell who has one. */
export function requestOptions(site: Site) {
  return generateAuthenticationOptions({ rpID: rpIdOf(site), timeout: TIMEOUT_MS, userVerification: 'required' });
}

export type NewPasskey = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports'>;

/** Null: not an answer to this challenge, from this site, by a person who was verified. */
export async function newPasskeyOf(site: Site, challenge: string, response: unknown): Promise<NewPasskey | null> {
  const verified = await orNull(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: rpIdOf(site),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!verified?.verified) return null;
  const { credential } = verified.registrationInfo;
  return {
    credential_id: Buffer.from(credential.id, 'base64url'),
    public_key: Buffer.from(credential.publicKey),
    counter: BigInt(credential.counter),
    transports: (credential.transports ?? []).filter((transport) => TRANSPORTS.has(transport)),
  };
}

/** The credential that a response names. */
export function credentialIdOf(response: unknown): Buffer | null {
  const { id } = response as { id?: unknown };
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,1400}$/.test(id) ? Buffer.from(id, 'base64url') : null;
}

/** The counter after this use; null: the signature, challenge, site, person or counter is wrong. */
export async function passkeyUse(
  site: Site,
  challenge: string,
  passkey: PasskeyRow,
  response: unknown,
): Promise<number | null> {
  const { userHandle } = (response as AuthenticationResponseJSON).response ?? {};
  if (userHandle !== Buffer.from(handleOf(passkey.user_id)).toString('base64url')) return null;
  const verified = await orNull(() =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: rpIdOf(site),
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id.toString('base64url'),
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
    }),
  );
  return verified?.verified ? verified.authenticationInfo.newCounter : null;
}

/** The library throws on whatever is wrong with a response, and quotes it; the response is the caller's, and the answer is the same for all. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
