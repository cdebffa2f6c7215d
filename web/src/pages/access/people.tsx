/** People of the organization, their roles, and the provider they sign in with. */

import { useQuery } from '@tanstack/react-query';
import { ProblemError, type Schemas } from 'daybook-sdk';
import { read } from '../../api.ts';
import { money, words } from '../../format.ts';
import { Action, Badge, Moment, Panel, Table, type Tone } from '../../parts/basics.tsx';
import { Loaded, nothing, PagedTable } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { Empty, ErrorState, Loading } from '../../parts/states.tsx';
import { useCan, useSession } from '../../shell/session.tsx';

type User = Schemas['User'];
const TONES: Record<string, Tone> = { active: 'good', invited: 'info', disabled: 'bad' };

export function Users() {
  const operate = useOperation();
  const mayChange = useCan()('admin');
  const { userId: me } = useSession();
  return (
    <Panel
      title="Users"
      flush
      actions={
        mayChange && (
          <button
            type="button"
            className="button primary"
            onClick={() => operate('createUser', { title: 'Invite user' })}
          >
            Invite user
          </button>
        )
      }
    >
      <PagedTable<User>
        operation="listUsers"
        label="Users"
        rowKey={({ userId }) => userId}
        empty={nothing('No users yet', 'Invite the first person: they get a link and choose how to sign in.')}
        columns={[
          { key: 'name', title: 'Name', cell: ({ name }) => name },
          { key: 'email', title: 'E-mail address', cell: ({ email }) => email },
          { key: 'roles', title: 'Roles', cell: ({ roles }) => roles.map(words).join(', ') },
          {
            key: 'status',
            title: 'Status',
            cell: ({ status }) => <Badge tone={TONES[status] ?? 'neutral'}>{words(status)}</Badge>,
          },
          { key: 'since', title: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          {
            key: 'actions',
            title: '',
            cell: ({ userId, name, roles, status }) =>
              mayChange &&
              userId !== me && (
                <span className="line">
                  <Action
                    of={name}
                    onClick={() => operate('updateUser', { title: `Change ${name}`, initial: { userId, name, roles } })}
                  >
                    Change
                  </Action>
                  <Action
                    of={name}
                    onClick={() => operate('inviteUser', { title: `Invite ${name} again`, initial: { userId } })}
                  >
                    Invite again
                  </Action>
                  {status === 'active' && (
                    <Action
                      of={name}
                      onClick={() =>
                        operate('endSessions', { title: `Sign ${name} out everywhere`, initial: { userId } })
                      }
                    >
                      Sign out
                    </Action>
                  )}
                  {status !== 'disabled' && (
                    <Action
                      of={name}
                      onClick={() => operate('disableUser', { title: `Disable ${name}`, initial: { userId } })}
                    >
                      Disable
                    </Action>
                  )}
                </span>
              ),
          },
        ]}
      />
    </Panel>
  );
}

export function Roles() {
  const operate = useOperation();
  const mayChange = useCan()('admin');
  const query = useQuery(read('listRoles'));
  return (
    <Panel
      title="Roles"
      flush
      actions={
        mayChange && (
          <button type="button" className="button primary" onClick={() => operate('putRole', { title: 'New role' })}>
            New role
          </button>
        )
      }
    >
      <Loaded query={query}>
        {({ items }) => (
          <Table
            label="Roles"
            rows={items}
            rowKey={({ name }) => name}
            columns={[
              { key: 'name', title: 'Role', cell: ({ name }) => words(name) },
              { key: 'kind', title: '', name: 'Kind', cell: ({ builtIn }) => (builtIn ? 'Built in' : 'Custom') },
              {
                key: 'scopes',
                title: 'Scopes',
                cell: ({ scopes }) => <span className="wrap mono">{scopes.join(', ')}</span>,
              },
              {
                key: 'limits',
                title: 'Approval required above',
                cell: ({ limits }) => {
                  const entries = Object.entries(limits ?? {}) as [string, { amount: string | null }][];
                  if (entries.length === 0) return 'nothing';
                  return (
                    <span className="wrap">
                      {entries
                        .map(([operation, { amount }]) => `${words(operation)} ${amount === null ? '' : money(amount)}`)
                        .join(', ')}
                    </span>
                  );
                },
              },
              {
                key: 'actions',
                title: '',
                cell: ({ name, builtIn, scopes, limits }) =>
                  mayChange &&
                  !builtIn && (
                    <span className="line">
                      <Action
                        of={name}
                        onClick={() =>
                          operate('putRole', { title: `Change ${name}`, initial: { name, scopes, limits } })
                        }
                      >
                        Change
                      </Action>
                      <Action
                        of={name}
                        onClick={() => operate('removeRole', { title: `Remove ${name}`, initial: { name } })}
                      >
                        Remove
                      </Action>
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

export function SignInProvider() {
  const operate = useOperation();
  const { organizationId } = useSession().organization;
  const query = useQuery(read('readIdentityProvider'));
  const absent = query.error instanceof ProblemError && query.error.status === 404;
  const set = (
    <button
      type="button"
      className="button primary"
      onClick={() => operate('setIdentityProvider', { title: 'Set the sign-in provider' })}
    >
      {query.data ? 'Change' : 'Set a provider'}
    </button>
  );
  return (
    <Panel title="Sign-in provider" actions={query.data && set}>
      {query.data ? (
        <>
          <dl className="facts">
            <dt>Issuer</dt>
            <dd>{query.data.data.issuer}</dd>
            <dt>Client id</dt>
            <dd>{query.data.data.clientId}</dd>
            <dt>Allowed domains</dt>
            <dd>{query.data.data.allowedDomains.join(', ') || 'All'}</dd>
            <dt>Redirect address</dt>
            <dd className="mono">{query.data.data.redirectUri}</dd>
            <dt>Sign-in link for your users</dt>
            <dd className="mono">{query.data.data.signInUrl}</dd>
            <dt>Changed</dt>
            <dd>
              <Moment at={query.data.data.changedAt} />
            </dd>
          </dl>
          <p>
            <button
              type="button"
              className="button bad"
              onClick={() => operate('removeIdentityProvider', { title: 'Remove the sign-in provider' })}
            >
              Remove
            </button>
          </p>
        </>
      ) : absent ? (
        <Empty title="No provider" action={set}>
          People sign in with passkeys, or a password and a code. With an OpenID Connect provider they can use their
          company account. Register this redirect address with it, exactly as it is:{' '}
          <span className="mono">{`${location.origin}/sign-in/callback/${organizationId}`}</span>. The sign-in link for
          your users is <span className="mono">{`${location.origin}/sign-in?organization=${organizationId}`}</span>.
        </Empty>
      ) : query.error ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </Panel>
  );
}
