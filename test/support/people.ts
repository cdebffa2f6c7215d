/** People of a test service, with sessions as signing in makes them. */
import { randomUUID } from 'node:crypto';
import { openAccess } from '../../src/access/access.ts';
import { openRootSecrets } from '../../src/access/root-secrets.ts';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { openDatabase } from '../../src/store/db/open.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import type { TestApp } from './app.ts';

export type SignedIn = {
  userId: string;
  sessionId: string;
  secret: string;
  /** Headers of a read with the session. */
  cookie: { cookie: string };
  /** Headers of a write with the session. */
  headers: { cookie: string; 'x-csrf-token': string };
};

let people = 0;

/** Invites somebody with these roles, accepts, and signs in. */
export async function signedIn(
  service: Pick<TestApp, 'access' | 'organizationId'>,
  roles: readonly string[],
  organizationId = service.organizationId,
): Promise<SignedIn> {
  const { access } = service;
  people += 1;
  // A database may be a copy with people that another worker has invited.
  const person = { email: `signed.in.${randomUUID()}@example.com`, name: `Person ${people}`, roles };
  const { userId, token } = await access.createUser(organizationId, person);
  await access.people.change((tx) => access.people.accept(tx, token));
  return sessionFor(service, userId);
}

export async function sessionFor({ access }: Pick<TestApp, 'access'>, userId: string): Promise<SignedIn> {
  const session = await access.people.begin(userId, { method: 'password', requestId: 'test' });
  if (session === null) throw new Error('The person is not active.');
  const { sessionId, secret } = session;
  const cookie = { cookie: `daybook_session=${secret}` };
  const caller = await access.sessions.admit({ secret, address: () => '127.0.0.1' });
  if ('denied' in caller) throw new Error(caller.denied);
  const headers = { ...cookie, 'x-csrf-token': access.sessions.csrfToken(caller) };
  return { userId, sessionId, secret, cookie, headers };
}

/**
 * Does something with the access of a running service, at its database: what only pages of the service do over HTTP. `env` names the
 * database as for the service itself. The organization is the only one that is not a sandbox.
 */
export async function atItsDatabase<T>(
  env: Readonly<Record<string, string>>,
  work: (service: Pick<TestApp, 'access' | 'organizationId'>) => Promise<T>,
): Promise<T> {
  const config = readConfig(env);
  const masterKeys = openMasterKeys(config, masterKeyId);
  const { db, close } = await openDatabase({ ...config, pool: 2, own: false });
  try {
    await openVolumes(db, null);
    const secrets = await openRootSecrets(db, masterKeys);
    const access = openAccess({ db, clock: Date.now, secret: secrets.access });
    const [organization] = (await access.listOrganizations()).filter(({ clock }) => clock === 'live');
    return await work({ access, organizationId: organization?.organizationId ?? '' });
  } finally {
    await close();
  }
}
