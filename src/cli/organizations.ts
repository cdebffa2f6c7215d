/** `npm run organizations`. */
import type { Access } from '../access/access.ts';
import { SCOPES } from '../access/scopes.ts';
import { isName } from '../access/secrets.ts';
import { isRefusal } from '../core/refusal.ts';
import { changeTimeZone } from '../loans/door/clocks.ts';
import { organization } from '../store/access/access.ts';
import type { Db } from '../store/db/db.ts';
import { withAccess } from './administer.ts';
import {
  checkRaised,
  checkRateLimit,
  type Invocation,
  missing,
  rateLimitIn,
  rateLimitsIn,
  type Topic,
  UsageError,
} from './arguments.ts';
import { expectRightClock } from './database.ts';

export const organizations: Topic = {
  usage: `Usage: npm run organizations -- <command> [options]
  list                                          list organizations with their ids, rate limits and time zones
  create --name "…" [--rate-limit N]            create an organization with its first client (all scopes); secrets are shown once
  update <organizationId> [--name "…"] [--rate-limit N [--until T]] [--time-zone Z]
                                                change an organization; omitted values stay
Rate limit: cost units per minute for all its clients together, which no client's own limit can exceed; 0 means no limit,
"default" means the service's ORGANIZATION_RATE_LIMIT. With --until (a day or a time, at most 31 days from now) it applies until then;
without it, it lasts and ends one that was for a time
Time zone: an IANA name such as America/New_York, which sets its business days; takes effect on its next day`,
  commands: {
    list: { may: ['json'], run: (given) => withAccess(given, (access) => access.listOrganizations()) },
    create: {
      needs: ['name'],
      may: ['rate-limit', 'json'],
      check: checkRateLimit,
      run: (given) =>
        withAccess(
          given,
          async (access) => {
            const { values } = given;
            const { organizationId } = await access.createOrganization(values.name ?? '', rateLimitIn(values) ?? null);
            const client = await access.createClient(organizationId, { name: 'First client', scopes: SCOPES });
            return { organizationId, ...client };
          },
          { makes: true },
        ),
    },
    update: {
      id: 'organizationId',
      may: ['name', 'rate-limit', 'until', 'time-zone', 'json'],
      check: (values) => {
        const given = [values.name, values['rate-limit'], values.until, values['time-zone']];
        if (given.every((value) => value === undefined)) {
          return 'Nothing to change: specify --name, --rate-limit or --time-zone.';
        }
        if (values.name !== undefined && !isName(values.name)) {
          return '--name must be 1 to 200 characters without control characters.';
        }
        return checkRaised(values);
      },
      run: (given) => withAccess(given, (access, db) => update(given, access, db)),
    },
  },
};

/** The time zone first: it is the only value that can still be refused, and then nothing has changed. */
async function update({ id: organizationId, values }: Invocation, access: Access, db: Db): Promise<object> {
  if ((await organization(db, organizationId)) === null) missing('organization');
  const clock = values['time-zone'] === undefined ? {} : await setTimeZone(db, organizationId, values['time-zone']);
  const to = { name: values.name, ...rateLimitsIn(values) };
  const updated = await access.updateOrganization(organizationId, to);
  return { ...(updated ?? missing('organization')), ...clock };
}

async function setTimeZone(db: Db, organizationId: string, timeZone: string): Promise<object> {
  await expectRightClock(db);
  const clock = await changeTimeZone(db, { organizationId, timeZone, now: Date.now() });
  if (isRefusal(clock)) throw new UsageError(`--time-zone: ${clock.detail}`);
  return clock;
}
