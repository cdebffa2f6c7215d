/** A passkey that a test holds itself: P-256, as an authenticator makes it, without a browser. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { TestApp } from './app.ts';
import { post } from './sign-in.ts';

export type TestPasskey = { id: Buffer; userId: string; key: KeyObject };

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();

/** Stores one for the person, as registering does. */
export async function passkeyFor(app: TestApp, userId: string): Promise<TestPasskey> {
  const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  // COSE_Key (RFC 9053): EC2, ES256, P-256, x, y.
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const id = sha256(`credential of ${userId}`);
  await app.db.query(
    `INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, name, created_at)
     VALUES ($1, $2, $3, 0, '{}', 'Test', $4)`,
    [id, userId, cose, new Date(app.clock.now)],
  );
  return { id, userId, key };
}

/** Signs in with it, as the page does. */
export async function signInWithPasskey(app: TestApp, { id, userId, key }: TestPasskey, headers = {}) {
  const begun = await post(app, '/sign-in/passkey-options', {}, headers);
  if (begun.status !== 200) return begun;
  const { step, options } = begun.body.data;
  const client = JSON.stringify({ type: 'webauthn.get', challenge: options.challenge, origin: app.url });
  // Present and verified; the counter stays 0.
  const authenticator = Buffer.concat([sha256('127.0.0.1'), Buffer.from('0500000000', 'hex')]);
  const signature = sign('sha256', Buffer.concat([authenticator, sha256(client)]), key);
  const credential = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    response: {
      clientDataJSON: Buffer.from(client).toString('base64url'),
      authenticatorData: authenticator.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: sha256(`passkey ${userId}`).toString('base64url'),
    },
  };
  return post(app, '/sign-in/passkey', { step, credential }, headers);
}
