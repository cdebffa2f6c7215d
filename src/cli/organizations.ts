/** `npm run organizations`. */
import { SCOPES } from '../access/scopes.ts';
import { isRefusal } from '../core/refusal.ts';
import { changeTimeZone } from '../loans/clock/clocks.ts';
import { organizationExists } from '../store/access.ts';
import { withAccess } from './administer.ts';
import { type Given, missing, type Topic, UsageError } from './arguments.ts';
import { expectMigrated, expectRightClock, withDatabase } from './database.ts';
import { show } from './output.ts';

export const organizations: Topic = {
  usage: `Usage: npm run organizations -- <command> [options]
  list                   organizations, their ids, and the time zones last set
  create --name "…"      a new organization with its first client (all scopes); secrets are shown once
  update <organizationId> --time-zone Z
                         the zone of its business days (an IANA name), in force from its next day on`,
  commands: {
    list: { may: ['json'], run: (given) => withAccess(given, (access) => access.listOrganizations()) },
    create: {
      needs: ['name'],
      may: ['json'],
      run: (given) =>
        withAccess(
          given,
          async (access) => {
            const { organizationId } = await access.createOrganization(given.values.name ?? '');
            const client = await access.createClient(organizationId, { name: 'First client', scopes: SCOPES });
            return { organizationId, ...client };
          },
          { makes: true },
        ),
    },
    update: {
      id: 'organizationId',
      needs: ['time-zone'],
      may: ['json'],
      run: setTimeZone,
    },
  },
};

function setTimeZone({ id: organizationId, values }: Given): Promise<void> {
  return withDatabase(async (db) => {
    await expectMigrated(db);
    if (!(await organizationExists(db, organizationId))) missing('organization');
    await expectRightClock(db);
    const { 'time-zone': timeZone = '' } = values;
    const clock = await changeTimeZone(db, { organizationId, timeZone, now: Date.now() });
    if (isRefusal(clock)) throw new UsageError(`--time-zone: ${clock.detail}`);
    show({ organizationId, ...clock }, values.json);
  });
}
