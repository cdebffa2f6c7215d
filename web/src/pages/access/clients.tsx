/** Programs of the organization with their keys, and what other organizations may see. */
import type { Schemas } from 'daybook-sdk';
import { count, words } from '../../format.ts';
import { Action, Badge, Moment, Panel } from '../../parts/basics.tsx';
import { nothing, PagedTable } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';

type Client = Schemas['Client'];
type Grant = Schemas['ListedGrant'];

export function Clients() {
  const operate = useOperation();
  return (
    <Panel
      title="Clients"
      flush
      actions={
        <button
          type="button"
          className="button primary"
          onClick={() => operate('createClient', { title: 'New client' })}
        >
          New client
        </button>
      }
    >
      <PagedTable<Client>
        operation="listClients"
        label="Clients"
        rowKey={({ clientId }) => clientId}
        empty={nothing('No clients yet')}
        columns={[
          { key: 'name', title: 'Name', cell: ({ name }) => name },
          { key: 'id', title: 'Client id', cell: ({ clientId }) => <span className="mono">{clientId}</span> },
          {
            key: 'status',
            title: 'Status',
            cell: ({ status, kind }) =>
              kind === 'program' ? (
                <Badge tone={status === 'active' ? 'good' : 'bad'}>{words(status)}</Badge>
              ) : (
                <Badge>Built in</Badge>
              ),
          },
          {
            key: 'limit',
            title: 'Requests per minute',
            number: true,
            cell: ({ rateLimitPerMinute }) =>
              rateLimitPerMinute === null
                ? 'Default'
                : rateLimitPerMinute === 0
                  ? 'No limit'
                  : count(rateLimitPerMinute),
          },
          {
            key: 'scopes',
            title: 'Scopes',
            cell: ({ scopes }) => <span className="wrap mono">{scopes.join(', ')}</span>,
          },
          {
            key: 'keys',
            title: 'Keys',
            cell: ({ keys }) =>
              keys.filter(({ revokedAt }) => revokedAt === null).length === 0
                ? 'None'
                : keys
                    .filter(({ revokedAt }) => revokedAt === null)
                    .map(({ keyId }) => (
                      <div key={keyId} className="line">
                        <span className="mono">{keyId}</span>
                        <Action
                          of={keyId}
                          onClick={() => operate('revokeKey', { title: 'Revoke a key', initial: { keyId } })}
                        >
                          Revoke
                        </Action>
                      </div>
                    )),
          },
          {
            key: 'actions',
            title: '',
            cell: ({ clientId, name, scopes, rateLimitPerMinute, numbers, status, kind }) =>
              kind === 'program' &&
              status === 'active' && (
                <span className="line">
                  <Action
                    of={name}
                    onClick={() =>
                      operate('updateClient', {
                        title: `Change ${name}`,
                        initial: { clientId, name, scopes, rateLimitPerMinute, numbers },
                      })
                    }
                  >
                    Change
                  </Action>
                  <Action
                    of={name}
                    onClick={() => operate('createKey', { title: `New key for ${name}`, initial: { clientId } })}
                  >
                    New key
                  </Action>
                  <Action
                    of={name}
                    onClick={() => operate('rotateClient', { title: `New secret for ${name}`, initial: { clientId } })}
                  >
                    New secret
                  </Action>
                  <Action
                    of={name}
                    onClick={() => operate('revokeClient', { title: `Revoke ${name}`, initial: { clientId } })}
                  >
                    Revoke
                  </Action>
                </span>
              ),
          },
        ]}
      />
    </Panel>
  );
}

const TONES = {
  pending: 'late',
  accepted: 'good',
  declined: 'neutral',
  ended: 'neutral',
  revoked: 'bad',
} as const;

type GrantAction = readonly ['revokeGrant' | 'acceptGrant' | 'declineGrant' | 'endGrant', label: string, title: string];

/** The actions on a grant: the owner revokes, the other organization answers. */
function grantActions(direction: 'given' | 'received', state: keyof typeof TONES): readonly GrantAction[] {
  if (state !== 'pending' && state !== 'accepted') return [];
  if (direction === 'given') return [['revokeGrant', 'Revoke', 'Revoke a grant']];
  if (state === 'accepted') return [['endGrant', 'End', 'End a grant']];
  return [
    ['acceptGrant', 'Accept', 'Accept a grant'],
    ['declineGrant', 'Decline', 'Decline a grant'],
  ];
}

export function Grants() {
  const operate = useOperation();
  const about = { read: 'Read', servicing: 'Read and service' } as const;
  return (
    <>
      {(['given', 'received'] as const).map((direction) => (
        <Panel
          key={direction}
          title={direction === 'given' ? 'Access to your loans' : 'Access to loans of other organizations'}
          flush
          actions={
            direction === 'given' && (
              <button
                type="button"
                className="button primary"
                onClick={() => operate('createGrant', { title: 'New grant' })}
              >
                New grant
              </button>
            )
          }
        >
          <PagedTable<Grant>
            operation="listGrants"
            args={{ query: { direction } }}
            label={direction === 'given' ? 'Grants given' : 'Grants received'}
            empty={nothing(
              'No grants',
              direction === 'given'
                ? 'A grant lets another organization read or service your loans, once it has accepted.'
                : 'Another organization can grant you access to its loans. You accept or decline it here.',
            )}
            rowKey={({ grantId }) => grantId}
            columns={[
              {
                key: 'who',
                title: 'Organization',
                cell: (grant) => (
                  <span className="mono">
                    {direction === 'given' ? grant.granteeOrganizationId : grant.ownerOrganizationId}
                  </span>
                ),
              },
              { key: 'access', title: 'Access', cell: ({ access }) => about[access] },
              { key: 'servicer', title: 'Only as servicer', cell: ({ servicerId }) => servicerId ?? '—' },
              { key: 'since', title: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} /> },
              {
                key: 'state',
                title: 'State',
                cell: ({ state }) => <Badge tone={TONES[state]}>{words(state)}</Badge>,
              },
              {
                key: 'do',
                title: '',
                cell: ({ grantId, state }) =>
                  grantActions(direction, state).map(([operation, label, title]) => (
                    <Action
                      key={operation}
                      of={grantId}
                      onClick={() => operate(operation, { title, initial: { grantId } })}
                    >
                      {label}
                    </Action>
                  )),
              },
            ]}
          />
        </Panel>
      ))}
    </>
  );
}
