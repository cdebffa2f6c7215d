/** Grants: what another organization may do with the loans of this one. */

import { Type } from 'typebox';
import { about, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor, pages } from '../shared/pages.ts';
import { missing } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { NextCursor, time } from '../shared/shapes.ts';
import { referenceOut } from '../shared/texts.ts';
import { write } from '../shared/writing.ts';
import { administration, CreatedAt, GrantId, OrganizationId } from './shared.ts';

const Granted = Type.Enum(['read', 'servicing'], {
  description: '`read`: read the loans. `servicing`: read and service them.',
});

const State = Type.Enum(['pending', 'accepted', 'declined', 'ended', 'revoked'], {
  description:
    'Only an `accepted` grant gives access. `pending`: the other organization has not answered. `declined`, `ended`: by that organization. ' +
    '`revoked`: by the owner.',
});
const Answered = (when: string) => Type.Union([time('A time.'), Type.Null()], { description: when });

const Direction = Type.Enum(['given', 'received'], {
  description: '`given` by this organization, or `received` from another one.',
});

const grantMembers = {
  grantId: GrantId,
  ownerOrganizationId: about(OrganizationId, 'The organization that owns the loans.'),
  granteeOrganizationId: about(OrganizationId, 'The organization that may use them.'),
  access: Granted,
  servicerId: Type.Union([referenceOut('A reference.'), Type.Null()], {
    description: 'Limits the grant to the loans of this servicer; null for all loans of the owner.',
  }),
  state: State,
  createdAt: CreatedAt,
  acceptedAt: Answered('When the other organization accepted it; null before.'),
  endedAt: Answered('When the other organization declined or ended it; null before.'),
  revokedAt: Answered('When the owner revoked it; null before.'),
};
const GrantShape = shape('Grant', 'The access of another organization to the loans of this one.', grantMembers);

const grantExample = {
  grantId: 'grant_7d1e9b',
  ownerOrganizationId: 'org_4n7c2q9d',
  granteeOrganizationId: 'org_9w5s1z6h',
  access: 'servicing',
  servicerId: 'SRV-12',
  state: 'pending',
  createdAt: '2026-01-01T00:00:00.000Z',
  acceptedAt: null,
  endedAt: null,
  revokedAt: null,
};
const acceptedExample = { ...grantExample, state: 'accepted', acceptedAt: '2026-01-02T00:00:00.000Z' };

const GrantsAnswer = envelope(
  shape('GrantPage', 'A page of grants.', {
    items: Type.Array(
      shape('ListedGrant', 'A grant that this organization has given or received.', {
        ...grantMembers,
        direction: Direction,
      }),
      {
        description: 'Accepted grants first, then pending ones, then those that are over.',
      },
    ),
    nextCursor: NextCursor,
  }),
  { items: [{ ...grantExample, direction: 'given' }], nextCursor: null },
);

export const listGrants = operation({
  ...administration,
  at: 'GET /grants',
  id: 'listGrants',
  summary: 'List grants',
  description:
    'The access of other organizations to this one’s loans, and of this one to theirs, with the state of each.',
  query: closed({ direction: Type.Optional(Direction), ...pages }),
  answer: GrantsAnswer,
  problems: [],
  async handle({ services, caller, query }) {
    const { direction = null, limit = 25, cursor = null } = query;
    const page = await services.access.listGrants(caller.organizationId, { direction, limit, cursor });
    return ok(page ?? badCursor());
  },
});

const GrantRequest = closed(
  {
    granteeOrganizationId: about(OrganizationId, 'The organization that may use the loans.'),
    access: Granted,
    servicerId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description: 'Limits the grant to the loans of this servicer; default: all loans.',
      }),
    ),
  },
  { examples: [{ granteeOrganizationId: 'org_9w5s1z6h', access: 'servicing', servicerId: 'SRV-12' }] },
);

const GrantAnswer = envelope(GrantShape, grantExample);

export const createGrant = write({
  ...administration,
  at: 'POST /grants',
  id: 'createGrant',
  cost: 5,
  summary: 'Create a grant',
  description:
    '`read` lets another organization read this one’s loans, `servicing` also lets it service them: all loans, or only those of one ' +
    '`servicerId`. It gives nothing until the other organization accepts it (`POST /accept-grant`). Repeating a grant does not create a second ' +
    'one. Sandboxes and live organizations share no loans; sandboxes of one organization may. The other organization’s clients can then read personal data of these loans, ' +
    'so the header `key` is required and the caller’s own token must have `loans:read`, `loans:read_pii` and `reports:read`; for ' +
    '`servicing` also `payments:write` and `servicing:write`.',
  body: GrantRequest,
  answer: GrantAnswer,
  problems: ['not_found', 'conflict', 'key_required'],
  async write({ services, caller, body }, { keep }) {
    const read = new RequestReader();
    read.reference(body, 'servicerId', '');
    read.done();
    return (await services.access.administering(keep).createGrant(caller, body)) ?? missing('organization');
  },
  alsoOf: ({ granteeOrganizationId }) => granteeOrganizationId,
  approval: { preview: (_, body) => body },
});

const GrantIdRequest = closed({ grantId: GrantId }, { examples: [{ grantId: 'grant_7d1e9b' }] });

export const revokeGrant = write({
  ...administration,
  at: 'POST /revoke-grant',
  id: 'revokeGrant',
  cost: 5,
  summary: 'Revoke a grant',
  description: 'By the owner of the loans. Takes effect within a second on every instance.',
  body: GrantIdRequest,
  answer: envelope(GrantShape, { ...acceptedExample, state: 'revoked', revokedAt: '2026-02-01T00:00:00.000Z' }),
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    const revoked = await services.access.administering(keep).revokeGrant(caller.organizationId, body.grantId);
    return revoked ?? missing('grant');
  },
  alsoOf: ({ granteeOrganizationId }) => granteeOrganizationId,
});

/** By the organization that has received the grant. */
const answering = (
  what: 'accept' | 'decline' | 'end',
  { summary, description, example }: { summary: string; description: string; example: object },
) =>
  write({
    ...administration,
    at: `POST /${what}-grant`,
    id: `${what}Grant`,
    cost: 5,
    summary,
    description,
    body: GrantIdRequest,
    answer: envelope(GrantShape, example),
    problems: ['not_found', 'conflict'],
    async write({ services, caller, body }, { keep }) {
      const access = services.access.administering(keep);
      return (await access[`${what}Grant`](caller.organizationId, body.grantId)) ?? missing('grant');
    },
    alsoOf: ({ ownerOrganizationId }) => ownerOrganizationId,
  });

export const acceptGrant = answering('accept', {
  summary: 'Accept a grant',
  description:
    'By the organization that has received it. From then on the loans are in its lists, reports, events, webhooks and exports, for clients and ' +
    'people who have the scopes. A grant that is no longer pending is a 409. The entry is in the audit trails of both organizations.',
  example: acceptedExample,
});

export const declineGrant = answering('decline', {
  summary: 'Decline a grant',
  description:
    'By the organization that has received it, while it is pending. The entry is in the audit trails of both organizations.',
  example: { ...grantExample, state: 'declined', endedAt: '2026-01-02T00:00:00.000Z' },
});

export const endGrant = answering('end', {
  summary: 'End a grant',
  description:
    'By the organization that has accepted it, which no longer sees the loans. Takes effect within a second on every instance. The entry is in the ' +
    'audit trails of both organizations.',
  example: { ...acceptedExample, state: 'ended', endedAt: '2026-02-01T00:00:00.000Z' },
});
