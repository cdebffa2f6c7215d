/** `npm run clients`. */
import { NUMBERS, type Numbers } from '../access/caller.ts';
import { SCOPES } from '../access/scopes.ts';
import { everyPage, withOrganization } from './administer.ts';
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
  create --name "…" --scopes a,b [--rate-limit N] [--numbers plain|interface]
                                                create a client; its secret and key are shown once
  update <clientId> [--name "…"] [--scopes a,b] [--rate-limit N [--until T]] [--numbers plain|interface]
                                                change a client; omitted values stay; removed scopes end within a second
  rotate <clientId> [--what secret|key|both]    replace credentials (default: secret); the old ones stop working within a second
  revoke <clientId>                             revoke a client, its keys and its tokens within a second
Scopes: ${SCOPES.join(', ')}
Rate limit: cost units per minute, up to the organization's limit; 0 means no limit, "default" means the service's RATE_LIMIT
With --until (a day or a time, at most 31 days from now) it applies until then; without it, it lasts and ends one that was for a time
Numbers: how answers write amounts and counts: interface (the default) as 29,163.75, plain as 29163.75`,
  commands: {
    list: {
      may: ['organization', 'json'],
      run: (given) => withOrganization(given, (access, whose) => everyPage((page) => access.listClients(whose, page))),
    },
    create: {
      needs: ['name', 'scopes'],
      may: ['rate-limit', 'numbers', 'organization', 'json'],
      check: (values) => checkRateLimit(values) ?? checkNumbers(values),
      run: (given) =>
        withOrganization(given, (access, whose) => {
          const { name = '' } = given.values;
          const { scopes = [], ...more } = read(given.values);
          return access.createClient(whose, { name, scopes, ...more });
        }),
    },
    update: {
      id: 'clientId',
      may: ['name', 'scopes', 'rate-limit', 'until', 'numbers', 'organization', 'json'],
      check: (values) => checkRaised(values) ?? checkNumbers(values) ?? checkChange(values),
      run: (given) =>
        withOrganization(given, async (access, whose) => {
          const { name } = given.values;
          const { scopes, numbers } = read(given.values);
          const to = { ...(name === undefined ? {} : { name }), ...(scopes === undefined ? {} : { scopes }), numbers };
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

function checkNumbers({ numbers = 'plain' }: Values): string | null {
  return (NUMBERS as readonly string[]).includes(numbers) ? null : '--numbers must be plain or interface.';
}

function checkChange({ name, scopes, 'rate-limit': limit, numbers }: Values): string | null {
  if (name ?? scopes ?? limit ?? numbers) return null;
  return 'Nothing to change: specify --name, --scopes, --rate-limit or --numbers.';
}

function read(values: Values) {
  return {
    scopes: values.scopes?.split(/[\s,]+/).filter(Boolean),
    rateLimitPerMinute: rateLimitIn(values),
    numbers: values.numbers as Numbers | undefined,
  };
}
