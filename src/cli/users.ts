/** `npm run users`. */
import type { Invitation } from '../access/people/users.ts';
import { readConfig } from '../config.ts';
import { invitationUrl } from '../http/access/invitations.ts';
import { limitsShown } from '../http/access/roles.ts';
import { everyPage, withOrganization } from './administer.ts';
import { missing, type Topic } from './arguments.ts';

export const users: Topic = {
  usage: `Usage: npm run users -- <command> [options]
  list                                          list people with their roles
  invite --email <address> --name "…" --roles a,b
                                                add a person and show the invitation link, once
  update <userId> [--name "…"] [--roles a,b]    change a person; omitted values stay
  disable <userId>                              sign a person out everywhere and stop them from signing in
  recover <userId>                              show a new invitation link for someone who lost every way to sign in
                                                (the only administrator too) or who comes back; accepting it
                                                replaces their passkeys, password and codes
  roles                                         list roles with their scopes and limits
Links begin with PUBLIC_URL, or with the address that the service listens on.`,
  commands: {
    list: {
      may: ['organization', 'json'],
      run: (given) => withOrganization(given, (access, whose) => everyPage((page) => access.listUsers(whose, page))),
    },
    invite: {
      needs: ['email', 'name', 'roles'],
      may: ['organization', 'json'],
      run: (given) =>
        withOrganization(given, async (access, whose) => {
          const { email = '', name = '', roles } = given.values;
          return linked(await access.createUser(whose, { email, name, roles: listed(roles) ?? [] }));
        }),
    },
    update: {
      id: 'userId',
      may: ['name', 'roles', 'organization', 'json'],
      check: ({ name, roles }) => ((name ?? roles) ? null : 'Nothing to change: specify --name or --roles.'),
      run: (given) =>
        withOrganization(given, async (access, whose) => {
          const { name, roles } = given.values;
          return (await access.updateUser(whose, given.id, { name, roles: listed(roles) })) ?? missing('person');
        }),
    },
    disable: {
      id: 'userId',
      may: ['organization', 'json'],
      run: (given) =>
        withOrganization(
          given,
          async (access, whose) => (await access.disableUser(whose, given.id)) ?? missing('person'),
        ),
    },
    recover: {
      id: 'userId',
      may: ['organization', 'json'],
      run: (given) =>
        withOrganization(given, async (access, whose) =>
          linked((await access.inviteUser(whose, given.id)) ?? missing('person')),
        ),
    },
    roles: {
      may: ['organization', 'json'],
      run: (given) =>
        withOrganization(given, async (access, whose) =>
          (await access.listRoles(whose)).map(({ name, scopes, limits, builtIn }) => ({
            name,
            scopes,
            limits: Object.entries(limitsShown(limits)).map(([operation, { amount }]) => `${operation}=${amount}`),
            builtIn,
          })),
        ),
    },
  },
};

function linked({ userId, token, expiresAt }: Invitation): object {
  const { publicUrl, host, port } = readConfig(process.env);
  // On this machine by name: browsers keep passkeys for names, and not for addresses.
  const isHere = /^(0\.0\.0\.0|127\.0\.0\.1|::1?)$/.test(host);
  const name = isHere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return { userId, invitationUrl: invitationUrl(publicUrl ?? `http://${name}:${port}`, token), expiresAt };
}

const listed = (text: string | undefined): string[] | undefined => text?.split(/[\s,]+/).filter(Boolean);
