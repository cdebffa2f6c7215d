/** The first client of an empty database, with the credentials from BOOTSTRAP_* and random values for the rest, which are kept in DATA_DIR. */
import { type Bootstrapped, bootstrap } from '../access/bootstrap.ts';
import { newApiKey, newClientSecret, newId } from '../access/secrets.ts';
import type { Config } from '../config.ts';
import { type Credentials, draftCredentials, settleCredentials } from '../key-files/credentials.ts';
import { firstClientId, readClient } from '../store/access/access.ts';
import type { Db } from '../store/db/db.ts';

/** `ownerId` is its organization; null: the client is not there any more. */
export type FirstClient = Bootstrapped & { readonly ownerId: string | null };

export async function makeFirstClient(
  config: Config,
  { db, clock, secret }: { db: Db; clock: () => number; secret: Uint8Array },
): Promise<FirstClient> {
  const given = config.bootstrap;
  const made = newCredentials();
  const credentials = {
    clientId: given.clientId ?? made.clientId,
    clientSecret: given.clientSecret ?? made.clientSecret,
    apiKey: given.apiKey ?? made.apiKey,
  };
  const drafted = !allGiven(config) && (await firstClientId(db)) === null;
  if (drafted) draftCredentials(config, credentials);
  const unlimited = config.databaseUrl === null;
  const first = await bootstrap(db, { ...credentials, clock, secret, unlimited, timeZone: config.timeZone });
  settleCredentials(config, first.clientId, drafted ? credentials.clientId : null);
  const { value: client } = await readClient(db, first.clientId);
  return { ...first, ownerId: client?.organization_id ?? null };
}

export function newCredentials(): Credentials {
  return { clientId: newId('client'), clientSecret: newClientSecret(), apiKey: newApiKey() };
}

/** The operator has set every value of BOOTSTRAP_*. */
export function allGiven({ bootstrap: given }: Config): boolean {
  return Object.values(given).every((value) => value !== null);
}

/** The operator has set no value of BOOTSTRAP_*. */
export function noneGiven({ bootstrap: given }: Config): boolean {
  return Object.values(given).every((value) => value === null);
}
