/** Shared by the commands that administer access: migrates the database, opens its root secrets and finds the organization. */
import { type Access, openAccess } from '../access/access.ts';
import { openRootSecrets } from '../access/root-secrets.ts';
import type { Db } from '../store/db.ts';
import { migrate, readMigrations } from '../store/migrate.ts';
import { type Given, missing, UsageError } from './arguments.ts';
import { withMasterKeys } from './database.ts';
import { show } from './output.ts';

/** Prints the result of `work`. */
export function withAccess(
  { values }: Given,
  work: (access: Access, db: Db) => Promise<object>,
  needs: { makes?: boolean } = {},
): Promise<void> {
  return withMasterKeys(async ({ config, db, masterKeys }) => {
    await migrate(db, await readMigrations());
    // This also checks the master key: API keys hashed under a wrong one would never be recognised.
    const secrets = await openRootSecrets(db, masterKeys);
    const { quotas, timeZone } = config;
    const access = openAccess({ db, clock: Date.now, secret: secrets.access, quotas, timeZone });
    try {
      await access.start();
      show(await work(access, db), values.json);
    } finally {
      access.stop();
    }
  }, needs);
}

export function withOrganization(
  given: Given,
  work: (access: Access, organizationId: string) => Promise<object>,
): Promise<void> {
  return withAccess(given, async (access) => work(access, await organization(access, given)));
}

/** The organization given by --organization, or the only one that is not a sandbox. */
async function organization(access: Access, { values }: Given): Promise<string> {
  const all = await access.listOrganizations();
  if (values.organization !== undefined) {
    const found = all.find(({ organizationId }) => organizationId === values.organization);
    return found?.organizationId ?? missing('organization');
  }
  const [only, second] = all.filter(({ clock }) => clock === 'live');
  if (only === undefined)
    throw new UsageError(
      'There is no organization yet: start the service once, or run `npm run organizations -- create`.',
    );
  if (second !== undefined) {
    throw new UsageError(
      `There is more than one organization. Specify --organization:\n${all.map((one) => `  ${one.organizationId}  ${one.name}`).join('\n')}`,
    );
  }
  return only.organizationId;
}
