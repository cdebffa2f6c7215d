/** Grants: what another organization may do with the loans of this one. */
import { Type } from 'typebox';
import { about, shape } from '../named.ts';
import { closed, envelope, ok, operation } from '../operation.ts';
import { RequestReader } from '../shell/request-reader.ts';
import { write } from '../writing.ts';
import { administration, CreatedAt, GrantId, missing, OrganizationId, RevokedAt } from './shared.ts';

const Granted = Type.Enum(['read', 'servicing'], {
  description: '`read`: read the loans. `servicing`: read and service them.',
});

const GrantShape = shape('Grant', 'What another organization may do with the loans of this one.', {
  grantId: GrantId,
  ownerOrganizationId: about(OrganizationId, 'The organization that owns the loans.'),
  granteeOrganizationId: about(OrganizationId, 'The organization that may use them.'),
  access: Granted,
  servicerId: Type.Union([Type.String(), Type.Null()], {
    description: 'Only the loans of this servicer; null for all loans of the owner.',
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
    given: Type.Array(GrantShape, { description: 'Grants of this organization to others.' }),
    received: Type.Array(GrantShape, { description: 'Grants of others to this organization.' }),
  }),
  { given: [grantExample], received: [] },
);

export const listGrants = operation({
  ...administration,
  at: 'GET /grants',
  id: 'listGrants',
  summary: 'Grants given and received',
  description: 'What other organizations may do with this one’s loans, and what this one may do with theirs.',
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
        description: 'Only the loans of this servicer; all loans when absent.',
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
  summary: 'Let another organization in',
  description:
    '`read` shows this organization’s loans to the other, `servicing` lets it service them; for all loans, or only those of one ' +
    '`servicerId`. The same grant given twice is one grant. The other organization’s clients then read these loans with personal data, ' +
    'so the header `key` is needed, and the caller’s own token must have `loans:read`, `loans:read_pii` and `reports:read`; for ' +
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
});

const GrantIdRequest = closed({ grantId: GrantId }, { examples: [{ grantId: 'grant_7d1e9b' }] });

export const revokeGrant = write({
  ...administration,
  at: 'POST /revoke-grant',
  id: 'revokeGrant',
  cost: 5,
  summary: 'Take a grant back',
  description: 'Takes effect within a second on every instance.',
  body: GrantIdRequest,
  answer: GrantAnswer,
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    const revoked = await services.access.administering(keep).revokeGrant(caller.organizationId, body.grantId);
    return revoked ?? missing('grant');
  },
});
