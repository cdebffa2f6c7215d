/**
 * The rights that a caller has now, for work that goes on after the request that ordered it was answered. They are read from the database
 * each time: a client that was revoked, a person who was disabled or has lost a role, and a limit that was lowered count at the next step,
 * in every process. The end of a session ends no such work: the person may go home.
 */
import { clientOf, keyOf } from '../store/access/access.ts';
import { listRoles, userOf } from '../store/access/users.ts';
import type { Sql } from '../store/db/db.ts';
import { type Limits, ownRole, rightsOf, rolesNamed } from './people/roles.ts';
import { knownScopes, type Scope } from './scopes.ts';

/** The caller that ordered the work. */
export type Ordering = {
  readonly organizationId: string;
  readonly clientId: string;
  /** Null: the client itself. */
  readonly userId: string | null;
  /** The API key or the session that the order came with; null: none. */
  readonly keyId: string | null;
};

export type RightsNow = {
  readonly countedFor: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly limits: Limits;
  /** Null: the key was revoked, or there was none. */
  readonly keyId: string | null;
};

/** Null: it may do nothing any more. */
export async function rightsNow(sql: Sql, ordering: Ordering): Promise<RightsNow | null> {
  const { organizationId, clientId, userId, keyId } = ordering;
  const client = await clientOf(sql, organizationId, clientId);
  if (client === null || client.status !== 'active') return null;
  const countedFor = client.counted_for;
  if (userId === null) {
    const key = keyId === null ? null : await keyOf(sql, organizationId, keyId);
    const isActive = key !== null && key.client_id === clientId && key.revoked_at === null;
    return { countedFor, scopes: new Set(knownScopes(client.scopes)), limits: {}, keyId: isActive ? keyId : null };
  }
  const person = await userOf(sql, organizationId, userId);
  if (person === null || person.status !== 'active') return null;
  const own = (await listRoles(sql, organizationId)).map(ownRole);
  const roles = rolesNamed(person.roles, own).filter((role) => role !== null);
  return { countedFor, ...rightsOf(roles), keyId };
}
