/** Sandboxes: organizations for testing, whose clocks move only on request. */
import { Type } from 'typebox';
import { hasDay } from '../../loans/door/business-days.ts';
import { shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor, pages } from '../shared/pages.ts';
import { missing } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { date, day, NextCursor, time } from '../shared/shapes.ts';
import { write } from '../shared/writing.ts';
import { ApiKey, administration, ClientId, ClientSecret, CreatedAt, Name, OrganizationId } from './shared.ts';

const SandboxRequest = closed(
  { name: Name, start: Type.Optional(day('The start date of its clock; default: today.')) },
  { examples: [{ name: 'Rehearsal of the month end', start: '2026-01-01' }] },
);

const SandboxAnswer = envelope(
  shape('SandboxCredentials', 'A new sandbox and the credentials of its client.', {
    organizationId: OrganizationId,
    clientId: ClientId,
    clientSecret: ClientSecret,
    apiKey: ApiKey,
  }),
  { organizationId: 'org_9w5s1z6h', clientId: 'client_8r3k2m5t7x', clientSecret: 'dbs_…', apiKey: 'dbk_…' },
);

export const createSandbox = write({
  ...administration,
  at: 'POST /sandboxes',
  id: 'createSandbox',
  cost: 50,
  summary: 'Create a sandbox',
  description:
    'Creates an organization with a test clock, in the caller’s time zone, and one client with every scope, whatever scopes the caller has. The secret and ' +
    'the key are shown only once; repeating the call with the same `Idempotency-Key` is a 409 `already_answered`. A sandbox uses only simulated ' +
    'credit bureaus and cannot create sandboxes, and its requests count towards the quota limit of the caller’s organization. At most 20 sandboxes.',
  body: SandboxRequest,
  answer: SandboxAnswer,
  problems: ['conflict'],
  isSecret: true,
  async write({ services, caller, body }, { keep }) {
    const { today, timeZone } = await services.loans.door.clockView(caller.organizationId);
    const read = new RequestReader();
    read.reference(body, 'name', '');
    const start = body.start === undefined ? today : read.date(body, 'start', '');
    if (!hasDay(timeZone, start)) {
      read.note('/start', { code: 'invalid_value', detail: `This date does not exist in the time zone ${timeZone}.` });
    }
    read.done();
    return services.access.createSandbox(caller, { name: body.name, start, timeZone }, keep);
  },
});

const SandboxShape = shape('Sandbox', 'A sandbox.', {
  organizationId: OrganizationId,
  name: Name,
  today: date('The current date of its clock.'),
  createdAt: CreatedAt,
  endedAt: Type.Union([time('A time.'), Type.Null()], { description: 'When it was ended; null while it is in use.' }),
});

export const listSandboxes = operation({
  ...administration,
  at: 'GET /sandboxes',
  id: 'listSandboxes',
  summary: 'List sandboxes',
  description:
    'The sandboxes that the organization created, newest first, with the current date of each clock. Times are real time.',
  query: closed(pages),
  answer: envelope(
    shape('SandboxPage', 'A page of sandboxes.', {
      items: Type.Array(SandboxShape, { description: 'Newest first.' }),
      nextCursor: NextCursor,
    }),
    {
      items: [
        {
          organizationId: 'org_9w5s1z6h',
          name: 'Rehearsal of the month end',
          today: '2026-01-01',
          createdAt: '2026-06-15T09:00:00.000Z',
          endedAt: null,
        },
      ],
      nextCursor: null,
    },
  ),
  problems: [],
  async handle({ services, caller, query }) {
    const { limit = 25, cursor = null } = query;
    const found = await services.access.listSandboxes(caller.organizationId, { limit, cursor });
    return ok(found ?? badCursor());
  },
});

const EndRequest = closed({ organizationId: OrganizationId }, { examples: [{ organizationId: 'org_9w5s1z6h' }] });

export const endSandbox = write({
  ...administration,
  at: 'POST /end-sandbox',
  id: 'endSandbox',
  cost: 5,
  summary: 'End a sandbox',
  description:
    'Its clients, keys and grants are revoked within a second on every instance, and its data can no longer be read. This cannot be ' +
    'undone; repeating the call returns the same response.',
  body: EndRequest,
  answer: envelope(
    shape('EndedSandbox', 'An ended sandbox.', {
      organizationId: OrganizationId,
      endedAt: time('When it was ended.'),
    }),
    { organizationId: 'org_9w5s1z6h', endedAt: '2026-06-16T09:00:00.000Z' },
  ),
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    const ended = await services.access.endSandbox(caller.organizationId, body.organizationId, keep);
    return ended ?? missing('sandbox');
  },
});
