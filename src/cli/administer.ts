/** Shared by the commands that administer access: migrates the database, opens its root secrets and finds the organization. */
import { type Access, openAccess } from '../access/access.ts';
import type { PageAsked, PageOf } from '../access/cursors.ts';
import { openRootSecrets } from '../access/root-secrets.ts';
import { openSkewCheck } from '../loans/door/skew.ts';
import type { Db } from '../store/db/db.ts';
import { migrate, readMigrations } from '../store/db/migrate.ts';
import { openVolumes } from '../store/db/volumes.ts';
import type { Keep } from '../store/door/idempotency.ts';
import { type Invocation, missing, UsageError } from './arguments.ts';
import { record } from './audited.ts';
import { withMasterKeys } from './database.ts';
import { show } from './output.ts';

/**
 * Prints the result of `work`. The first change that it makes leaves an entry in the audit trail, in its own transaction; a command that
 * changes nothing leaves one that says that it looked.
 */
export function withAccess(
  given: Invocation,
  work: (access: Access, db: Db) => Promise<object>,
  needs: { makes?: boolean } = {},
): Promise<void> {
  return opened(given, needs, async (access, db, entered) => {
    const done = await work(audited(access, given, entered, null), db);
    if (!entered.done) await record(db, given, { kind: 'saw' });
    return done;
  });
}

export function withOrganization(
  given: Invocation,
  work: (access: Access, organizationId: string, db: Db) => Promise<object>,
): Promise<void> {
  return opened(given, {}, async (access, db, entered) => {
    const organizationId = await organization(access, given);
    const done = await work(audited(access, given, entered, organizationId), organizationId, db);
    if (!entered.done) await record(db, given, { kind: 'saw', organizationId });
    return done;
  });
}

type Entered = { done: boolean };

/** The same, with an entry in the transaction of the first change. */
function audited(access: Access, given: Invocation, entered: Entered, whose: string | null): Access {
  const keep: Keep = async (tx, done) => {
    if (entered.done) return;
    const { organizationId = whose ?? '' } = done as { organizationId?: string };
    const ownerId = otherParty(done, organizationId);
    await record(tx, given, { kind: 'did', organizationId, ownerId, subject: idIn(done) ?? given.id });
    entered.done = true;
  };
  return { ...access, ...access.administering(keep) };
}

/** The other organization, where a grant was changed. */
function otherParty(done: object, organizationId: string): string | null {
  const { ownerOrganizationId, granteeOrganizationId } = done as Partial<Record<string, string>>;
  const other = organizationId === ownerOrganizationId ? granteeOrganizationId : ownerOrganizationId;
  return other ?? null;
}

/** The id of the thing that a change has made or changed. */
function idIn(done: object): string | null {
  for (const name of ['grantId', 'userId', 'clientId', 'keyId', 'organizationId']) {
    const id = (done as Record<string, unknown>)[name];
    if (typeof id === 'string') return id;
  }
  return null;
}

function opened(
  { values }: Invocation,
  needs: { makes?: boolean },
  work: (access: Access, db: Db, entered: Entered) => Promise<object>,
): Promise<void> {
  return withMasterKeys(async ({ config, db, masterKeys }) => {
    await migrate(db, await readMigrations());
    await openVolumes(db, needs.makes ? config.volumes : null);
    // This also checks the master key: API keys hashed under a wrong one would never be recognised.
    const secrets = await openRootSecrets(db, masterKeys);
    const { quotas, timeZone } = config;
    // Invitations and keys end by the database's clock where that of this machine is wrong.
    const skew = openSkewCheck({ db, clock: Date.now });
    await skew.check();
    const access = openAccess({ db, clock: skew.now, secret: secrets.access, quotas, timeZone });
    try {
      await access.start();
      show(await work(access, db, { done: false }), values.json);
    } finally {
      access.stop();
    }
  }, needs);
}

/** Lists are printed to this length at most. */
const LISTED = 10_000;

/** A list, page after page. */
export async function everyPage<T extends object>(read: (page: PageAsked) => Promise<PageOf<T> | null>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const page: PageOf<T> | null = await read({ limit: 500, cursor });
    all.push(...(page?.items ?? []));
    cursor = page?.nextCursor ?? null;
  } while (cursor !== null && all.length < LISTED);
  return all;
}

async function organization(access: Access, { values }: Invocation): Promise<string> {
  return chosenOrganization(await access.listOrganizations(), values);
}

type Listed = { readonly organizationId: string; readonly name: string; readonly clock: string };

/** The organization given by --organization, or the only one that is not a sandbox. */
export function chosenOrganization(all: readonly Listed[], values: Invocation['values']): string {
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
