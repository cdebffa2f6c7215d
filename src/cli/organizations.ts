/** `npm run organizations`. */
import { SCOPES } from '../access/scopes.ts';
import { withAccess } from './administer.ts';
import type { Topic } from './arguments.ts';

export const organizations: Topic = {
  usage: `Usage: npm run organizations -- <command> [options]
  list                   organizations and their ids
  create --name "…"      a new organization with its first client (all scopes); secrets are shown once`,
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
  },
};
