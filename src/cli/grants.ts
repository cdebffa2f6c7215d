/** `npm run grants`. */
import { everyPage, withOrganization } from './administer.ts';
import { type Command, missing, type Topic } from './arguments.ts';

export const grants: Topic = {
  usage: `Usage: npm run grants -- <command> [options]
  list                                          list grants given and received
  create --to <organizationId> --access read|servicing [--servicer <servicerId>]
                                                grant access to all loans, or to those of one servicer
  revoke <grantId>                              revoke a grant within a second
  accept <grantId>                              accept a grant that the organization has received; until then it gives nothing
  decline <grantId>                             decline a grant that is pending
  end <grantId>                                 end a grant that was accepted`,
  commands: {
    list: {
      may: ['organization', 'json'],
      run: (given) => withOrganization(given, (access, whose) => everyPage((page) => access.listGrants(whose, page))),
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
    accept: answering('acceptGrant'),
    decline: answering('declineGrant'),
    end: answering('endGrant'),
  },
};

function answering(what: 'acceptGrant' | 'declineGrant' | 'endGrant'): Command {
  return {
    id: 'grantId',
    may: ['organization', 'json'],
    run: (given) =>
      withOrganization(given, async (access, whose) => (await access[what](whose, given.id)) ?? missing('grant')),
  };
}
