/** People, programs, policies, webhooks, sandboxes and the audit trail of the organization. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { read } from '../../api.ts';
import { PageHead } from '../../parts/basics.tsx';
import { Empty, NoRight } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useCan, useSession } from '../../shell/session.tsx';
import { Audit } from './audit.tsx';
import { Clients, Grants } from './clients.tsx';
import { Roles, SignInProvider, Users } from './people.tsx';
import { Policies } from './policies.tsx';
import { Sandboxes } from './sandboxes.tsx';
import { Webhooks } from './webhooks.tsx';

const PARTS: Record<string, { label: string; scopes: string[]; shows: ComponentType }> = {
  users: { label: 'Users', scopes: ['admin', 'audit:read'], shows: Users },
  roles: { label: 'Roles', scopes: ['admin', 'audit:read'], shows: Roles },
  'sign-in': { label: 'Sign-in provider', scopes: ['admin'], shows: SignInProvider },
  clients: { label: 'Clients and keys', scopes: ['admin'], shows: Clients },
  grants: { label: 'Grants', scopes: ['admin'], shows: Grants },
  policies: { label: 'Policies', scopes: ['admin', 'loans:read'], shows: Policies },
  webhooks: { label: 'Webhooks', scopes: ['admin'], shows: Webhooks },
  sandboxes: { label: 'Clock and sandboxes', scopes: ['admin'], shows: Sandboxes },
  audit: { label: 'Audit trail', scopes: ['audit:read'], shows: Audit },
};

export function Administration() {
  const can = useCan();
  const session = useSession();
  const { part } = useParams({ strict: false }) as { part?: string };
  const tabs = Object.entries(PARTS).filter(([, { scopes }]) => can(...scopes));
  const shown = part ?? tabs[0]?.[0] ?? 'users';
  const found = PARTS[shown];
  return (
    <>
      <PageHead title="Administration" note={session.organization.name} />
      <Tabs
        label="Administration"
        tabs={tabs.map(([name, { label }], n) => ({
          to: n === 0 && part === undefined ? '/administration' : `/administration/${name}`,
          label,
        }))}
      />
      {can('admin') && <Waiting />}
      {found === undefined ? (
        <Empty title="There is no such page">Choose one above.</Empty>
      ) : can(...found.scopes) ? (
        <found.shows />
      ) : (
        <NoRight what={found.label.toLowerCase()} scope={found.scopes[0] ?? ''} />
      )}
    </>
  );
}

/** Changes of the organization that are not made yet. */
function Waiting() {
  const { data } = useQuery(read('listApprovals', { query: { state: 'pending', limit: 100 } }));
  const waiting = data?.data.items.filter(({ loanId }) => loanId === null).length ?? 0;
  if (waiting === 0) return null;
  return (
    <p className="notice info" role="status">
      {waiting === 1 ? 'One change waits' : `${waiting} changes wait`} for the approval of somebody else.{' '}
      <Link to="/approvals">Open</Link>
    </p>
  );
}
