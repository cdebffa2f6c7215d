/** `npm run grants`. */
import { withOrganization } from './administer.ts';
import { missing, type Topic } from './arguments.ts';

export const grants: Topic = {
  usage: `Usage: npm run grants -- <command> [options]
  list                                          list grants given and received
  create --to <organizationId> --access read|servicing [--servicer <servicerId>]
                                                grant access to all loans, or to those of one servicer
  revoke <grantId>                              revoke a grant within a second`,
  commands: {
    list: {
      may: ['organization', 'json'],
      run: (given) => withOrganization(given, (access, whose) => access.listGrants(whose)),
    },
    create: {
      needs: ['to', 'access'],
      may: ['servicer', 'organization', 'json'],
      check: ({ access = '' }) =>
        ['read', 'servicing'].includes(access) ? null : '--access must be read or servicing.',
      run: (given) =>
        withOrganization(given, async (access, whose) => {
          const { to = '', access: how, servicer } = given.values;
          const grant = { granteeOrganizationId: to, access: how as 'read' | 'servicing', servicerId: servicer };
          return (await access.createGrant(whose, grant)) ?? missing('organization');
        }),
    },
    revoke: {
      id: 'grantId',
      may: ['organization', 'json'],
      run: (given) =>
        withOrganization(
          given,
          async (access, whose) => (await access.revokeGrant(whose, given.id)) ?? missing('grant'),
        ),
    },
  },
};
