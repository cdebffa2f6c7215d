/** Grants: what another organization may do with the loans of this one. */
import { Type } from 'typebox';
import { about, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { missing } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { write } from '../shared/writing.ts';
import { administration, CreatedAt, GrantId, OrganizationId, RevokedAt } from './shared.ts';

const Granted = Type.Enum(['read', 'servicing'], {
  description: '`read`: read the loans. `servicing`: read and service them.',
});

const GrantShape = shape('Grant', 'The access of another organization to the loans of this one.', {
  grantId: GrantId,
  ownerOrganizationId: about(OrganizationId, 'The organization that owns the loans.'),
  granteeOrganizationId: about(OrganizationId, 'The organization that may use them.'),
  access: Granted,
  servicerId: Type.Union([Type.String(), Type.Null()], {
    description: 'Limits the grant to the loans of this servicer; null for all loans of the owner.',
  }),
  createdAt: CreatedAt,
  revokedAt: RevokedAt,
});

const grantExample = {
  grantId: 'grant_7d1e9b',
  ownerOrganizationId: 'org_4n7c2q9d',
  granteeOrganizationId: 'org_9w5s1z6h',
  access: 'servicing',
  servicerId: 'SRV-12',
  createdAt: '2026-01-01T00:00:00.000Z',
  revokedAt: null,
};

const GrantsAnswer = envelope(
  shape('GrantList', 'The grants of an organization.', {
    given: Type.Array(GrantShape, { description: 'Grants that this organization has given.' }),
    received: Type.Array(GrantShape, { description: 'Grants that this organization has received.' }),
  }),
  { given: [grantExample], received: [] },
);

export const listGrants = operation({
  ...administration,
  at: 'GET /grants',
  id: 'listGrants',
  summary: 'List grants',
  description: 'The access of other organizations to this one’s loans, and of this one to theirs.',
  answer: GrantsAnswer,
  problems: [],
  async handle({ services, caller }) {
    return ok(await services.access.listGrants(caller.organizationId));
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
    '`servicerId`. Repeating a grant does not create a second one. The other organization’s clients can then read personal data of these loans, ' +
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
  approval: { preview: (_, body) => body },
});

const GrantIdRequest = closed({ grantId: GrantId }, { examples: [{ grantId: 'grant_7d1e9b' }] });

export const revokeGrant = write({
  ...administration,
  at: 'POST /revoke-grant',
  id: 'revokeGrant',
  cost: 5,
  summary: 'Revoke a grant',
  description: 'Takes effect within a second on every instance.',
  body: GrantIdRequest,
  answer: GrantAnswer,
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    const revoked = await services.access.administering(keep).revokeGrant(caller.organizationId, body.grantId);
    return revoked ?? missing('grant');
  },
});
