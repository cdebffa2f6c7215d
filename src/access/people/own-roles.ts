/**
 * Administration of an organization's own roles, and the rules that hold for everyone who gives roles: nobody changes what they themselves may
 * do, and an organization that has an active administrator keeps one.
 */
import type { Cents } from '../../core/money.ts';
import { OVERRIDE, type OverrideAuthority } from '../../core/overrides.ts';
import * as store from '../../store/access/users.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { type Acting, checkGiving, organizationActing } from '../giving.ts';
import { AccessRefused } from '../refused.ts';
import { isScope, knownScopes, SCOPES } from '../scopes.ts';
import {
  BUILT_IN_ROLES,
  isBuiltIn,
  isByAmount,
  isOperation,
  ownRole,
  type Role,
  rolesNamed,
  scopesOf,
} from './roles.ts';

export type RoleInfo = Role & { builtIn: boolean; description: string };
export type RoleInput = {
  name: string;
  scopes: readonly string[];
  /** By operation, in cents. */
  limits: Readonly<Record<string, Cents | OverrideAuthority>>;
};

/** The ids of those who begin to administer by a change, and of those who cease to. */
type AdministratorsChanged = { begin: string[]; cease: string[] };
export type ChangedRole = AdministratorsChanged & { name: string };

export type RoleAdministration = {
  listRoles(organizationId: string): Promise<RoleInfo[]>;
  /** Creates an own role, or replaces one. */
  putRole(acting: Acting, input: RoleInput): Promise<ChangedRole>;
  /** Null: no such role of its own. */
  removeRole(acting: Acting, name: string): Promise<{ name: string } | null>;
};

/** A change of access, whose result is kept in its transaction. Null: there is nothing to change. */
export type Change = <T extends object>(work: (tx: Sql) => Promise<T | null>) => Promise<T | null>;

const ROLE_NAME = /^[a-z][a-z0-9-]{0,39}$/;

export const conflict = (message: string) => new AccessRefused('conflict', message);

/** Null: a client or the operator. */
export const actingUser = (acting: Acting): string | null =>
  typeof acting === 'string' ? null : (acting.userId ?? null);

export async function ownRoles(sql: Sql, organizationId: string): Promise<Role[]> {
  return (await store.listRoles(sql, organizationId)).map(ownRole);
}

/** A person who administers may give everything, because someone must; a client only what its token has. */
export function checkGivingRoles(acting: Acting, scopes: Iterable<string>, what = 'This role'): void {
  if (actingUser(acting) === null) checkGiving(acting, scopes, what);
}

export const administers = (names: readonly string[], own: readonly Role[]): boolean =>
  rolesNamed(names, own).some((role) => role?.scopes.includes('admin'));

/** Ids of the active people who administer. */
export async function activeAdministrators(sql: Sql, organizationId: string): Promise<string[]> {
  const own = await ownRoles(sql, organizationId);
  const people = await store.rolesOfPeople(sql, organizationId);
  return people
    .filter(({ status, roles }) => status === 'active' && administers(roles, own))
    .map(({ user_id }) => user_id);
}

/** A change of people or roles: one person's roles afterwards (null: they leave), the roles of somebody who joins, the own roles afterwards. */
type AdministratorsAfter = {
  user?: { userId: string; roles: readonly string[] | null };
  joins?: readonly string[];
  own?: readonly Role[];
  at: Date;
};

/**
 * Throws when the organization has an active administrator now and would have none afterwards. Asks for a second one (`second`) where
 * somebody would administer who does not now, or an active administrator would not any more. Links that somebody who begins to administer was
 * invited with end: whoever has seen one would be two administrators.
 */
export async function checkAdministrators(
  tx: Sql,
  organizationId: string,
  { user, joins = [], own: rolesThen, at }: AdministratorsAfter,
  second: () => Promise<void>,
): Promise<AdministratorsChanged> {
  const own = await ownRoles(tx, organizationId);
  const people = await store.rolesOfPeople(tx, organizationId);
  const rolesAfter = (one: store.PersonRoles) => (one.user_id === user?.userId ? (user.roles ?? []) : one.roles);
  const before = people.filter(({ roles }) => administers(roles, own));
  const after = people.filter((one) => administers(rolesAfter(one), rolesThen ?? own));
  const active = (some: readonly store.PersonRoles[]) => some.filter(({ status }) => status === 'active');
  if (active(before).length > 0 && active(after).length === 0) {
    throw conflict('This is the last active administrator; make another person administrator first.');
  }
  const [begin, cease] = [after.filter((one) => !before.includes(one)), before.filter((one) => !after.includes(one))];
  if (administers(joins, own) || begin.length > 0 || active(cease).length > 0) await second();
  for (const { user_id } of begin) await store.endInvitations(tx, user_id, at);
  const ids = (some: readonly store.PersonRoles[]) => some.map(({ user_id }) => user_id);
  return { begin: ids(begin), cease: ids(cease) };
}

export function openOwnRoles(options: {
  db: Db;
  now: () => Date;
  change: Change;
  /** Asks for a second administrator. */
  second: (tx: Sql, acting: Acting) => Promise<void>;
}): RoleAdministration {
  const { db, now, change, second } = options;
  return {
    async listRoles(organizationId) {
      const own = await ownRoles(db, organizationId);
      return [
        ...BUILT_IN_ROLES.map((role) => ({ ...role, builtIn: true })),
        ...own.map((role) => ({ ...role, builtIn: false, description: '' })),
      ];
    },

    async putRole(acting, { name, scopes, limits }) {
      checkRole({ name, scopes, limits });
      const organizationId = organizationActing(acting);
      const done = await change(async (tx) => {
        const own = await ownRoles(tx, organizationId);
        await checkOwn(tx, acting, name);
        checkGivingRoles(acting, scopes);
        const isNew = own.every((role) => role.name !== name);
        if (isNew && own.length >= store.ROLES_AT_MOST) {
          throw new AccessRefused(
            'limit',
            `The limit of ${store.ROLES_AT_MOST} roles is reached; remove some that are not used.`,
          );
        }
        const role = ownRole({ name, scopes, limits: JSON.stringify(limits) });
        const after = own.map((one) => (one.name === name ? role : one));
        const then = { own: after, at: now() };
        const administrators = await checkAdministrators(tx, organizationId, then, () => second(tx, acting));
        await store.putRole(tx, {
          organization_id: organizationId,
          name,
          scopes: knownScopes(scopes),
          limits: JSON.stringify(limits),
          changed_at: now(),
        });
        return { name, ...administrators };
      });
      return done as ChangedRole;
    },

    removeRole(acting, name) {
      const organizationId = organizationActing(acting);
      return change(async (tx) => {
        const own = await ownRoles(tx, organizationId);
        if (own.every((role) => role.name !== name)) return null;
        const used = await store.countWithRole(tx, organizationId, name);
        if (used > 0)
          throw conflict(`${used} ${used === 1 ? 'person has' : 'people have'} this role; change theirs first.`);
        await store.removeRole(tx, organizationId, name);
        return { name };
      });
    },
  };
}

/** Changing a role that one has oneself would change one's own rights. */
async function checkOwn(tx: Sql, acting: Acting, name: string): Promise<void> {
  const userId = actingUser(acting);
  const user = userId === null ? null : await store.userById(tx, userId);
  if (user?.roles.includes(name))
    throw conflict('You cannot change a role that you have yourself; ask another administrator.');
}
function checkRole({ name, scopes, limits }: RoleInput): void {
  if (!ROLE_NAME.test(name) || isBuiltIn(name)) {
    const message =
      'Must be 1 to 40 lower-case letters, digits and hyphens, beginning with a letter, and not the name of a built-in role.';
    throw new AccessRefused('invalid', message, 'name');
  }
  if (scopes.length === 0 || !scopes.every(isScope)) {
    throw new AccessRefused('invalid', `The scopes must be one or more of: ${SCOPES.join(', ')}.`, 'scopes');
  }
  for (const [operation, limit] of Object.entries(limits)) {
    if (operation !== OVERRIDE && !isOperation(operation)) {
      const message = `There is no operation ${operation}; use the name of its path, such as waive-fee.`;
      throw new AccessRefused('invalid', message, `limits/${operation}`);
    }
    const needed = scopesOf(operation);
    if (!needed.some((scope) => scopes.includes(scope))) {
      const message = `The role does not have ${needed.join(' or ')}, which ${operation} needs, so it cannot limit it.`;
      throw new AccessRefused('invalid', message, `limits/${operation}`);
    }
    const amount = typeof limit === 'number' ? limit : (limit.amount ?? 0);
    if (amount < 0) throw new AccessRefused('invalid', 'An amount must not be negative.', `limits/${operation}`);
    if (operation !== OVERRIDE && amount > 0 && !isByAmount(operation)) {
      const message = `${operation} has no amount; use 0.00 if every call needs approval.`;
      throw new AccessRefused('invalid', message, `limits/${operation}`);
    }
  }
}
