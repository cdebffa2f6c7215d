/** `npm run clients`. */
import { SCOPES } from '../access/scopes.ts';
import { withOrganization } from './administer.ts';
import {
  checkRaised,
  checkRateLimit,
  type Invocation,
  missing,
  rateLimitIn,
  rateLimitsIn,
  type Topic,
} from './arguments.ts';

type Values = Invocation['values'];

export const clients: Topic = {
  usage: `Usage: npm run clients -- <command> [options]
  list                                          list clients with their scopes and keys
  create --name "…" --scopes a,b [--rate-limit N]
                                                create a client; its secret and key are shown once
  update <clientId> [--name "…"] [--scopes a,b] [--rate-limit N [--until T]]
                                                change a client; omitted values stay; removed scopes end within a second
  rotate <clientId> [--what secret|key|both]    replace credentials (default: secret); the old ones stop working within a second
  revoke <clientId>                             revoke a client, its keys and its tokens within a second
Scopes: ${SCOPES.join(', ')}
Rate limit: cost units per minute, up to the organization's limit; 0 means no limit, "default" means the service's RATE_LIMIT
With --until (a day or a time, at most 31 days from now) it applies until then; without it, it lasts and ends one that was for a time`,
  commands: {
    list: {
      may: ['organization', 'json'],
      run: (given) => withOrganization(given, (access, whose) => access.listClients(whose)),
    },
    create: {
      needs: ['name', 'scopes'],
      may: ['rate-limit', 'organization', 'json'],
      check: checkRateLimit,
      run: (given) =>
        withOrganization(given, (access, whose) => {
          const { name = '' } = given.values;
          const { scopes = [], rateLimitPerMinute } = read(given.values);
          return access.createClient(whose, { name, scopes, rateLimitPerMinute });
        }),
    },
    update: {
      id: 'clientId',
      may: ['name', 'scopes', 'rate-limit', 'until', 'organization', 'json'],
      check: (values) => checkRaised(values) ?? checkChange(values),
      run: (given) =>
        withOrganization(given, async (access, whose) => {
          const { name } = given.values;
          const { scopes } = read(given.values);
          const to = { ...(name === undefined ? {} : { name }), ...(scopes === undefined ? {} : { scopes }) };
          return (
            (await access.updateClient(whose, given.id, { ...to, ...rateLimitsIn(given.values) })) ??
            missing('active client')
          );
        }),
    },
    rotate: {
      id: 'clientId',
      may: ['what', 'organization', 'json'],
      check: ({ what = 'secret' }) =>
        ['secret', 'key', 'both'].includes(what) ? null : '--what must be secret, key or both.',
      run: (given) =>
        withOrganization(given, async (access, whose) => {
          const what = (given.values.what ?? 'secret') as 'secret' | 'key' | 'both';
          return (await access.rotateClient(whose, given.id, { what })) ?? missing('active client');
        }),
    },
    revoke: {
      id: 'clientId',
      may: ['organization', 'json'],
      run: (given) =>
        withOrganization(
          given,
          async (access, whose) => (await access.revokeClient(whose, given.id)) ?? missing('client'),
        ),
    },
  },
};

function checkChange({ name, scopes, 'rate-limit': limit }: Values): string | null {
  return (name ?? scopes ?? limit) ? null : 'Nothing to change: specify --name, --scopes or --rate-limit.';
}

function read(values: Values) {
  return {
    scopes: values.scopes?.split(/[\s,]+/).filter(Boolean),
    rateLimitPerMinute: rateLimitIn(values),
  };
}
