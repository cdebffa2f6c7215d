/** `npm run organizations`. */
import { SCOPES } from '../access/scopes.ts';
import { withAccess } from './administer.ts';
import { checkRateLimit, missing, rateLimitIn, type Topic } from './arguments.ts';

export const organizations: Topic = {
  usage: `Usage: npm run organizations -- <command> [options]
  list                                          organizations, their ids and ceilings
  create --name "…" [--rate-limit N]            a new organization with its first client (all scopes); secrets are shown once
  update <organizationId> [--name "…"] [--rate-limit N]
                                                what is left out stays
Rate limit: the ceiling of all its clients together, in cost units a minute, which no client's own can exceed; 0 is none,
"default" is the service's ORGANIZATION_RATE_LIMIT`,
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
      may: ['name', 'rate-limit', 'json'],
      check: (values) =>
        checkRateLimit(values) ??
        ((values.name ?? values['rate-limit']) ? null : 'Nothing to change: give --name or --rate-limit.'),
      run: (given) =>
        withAccess(given, async (access) => {
          const to = { name: given.values.name, rateLimitPerMinute: rateLimitIn(given.values) };
          return (await access.updateOrganization(given.id, to)) ?? missing('organization');
        }),
    },
  },
};
