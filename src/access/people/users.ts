/**
 * Administration of people and of an organization's own roles. Every call names whom it acts for: an administrator with a session, a client, or
 * the operator at the command line.
 *
 * Nobody changes their own roles and nobody disables themselves; an organization that has an active administrator keeps one. A client
 * gives only what its own token has; a person who administers may give every role, because someone must, and it is never to themselves.
 */
import { hash, randomBytes } from 'node:crypto';
import { hasAmount, WITH_AMOUNT } from '../../core/decide/with-amount.ts';
import type { Cents } from '../../core/money.ts';
import * as access from '../../store/access.ts';
import { recordAudit } from '../../store/audit.ts';
import type { Db, Sql } from '../../store/db.ts';
import type { Keep } from '../../store/idempotency.ts';
import * as store from '../../store/users.ts';
import { isPlainId } from '../admin.ts';
import { type Acting, checkGiving, organizationActing } from '../giving.ts';
import { AccessRefused } from '../refused.ts';
import { isScope, knownScopes, SCOPES } from '../scopes.ts';
import { type Keyring, newId } from '../secrets.ts';
import { checkEmail, checkPersonName, emailDigest, openIdentity, personOf, sealIdentity } from './identity.ts';
import type { People, Person } from './people.ts';
import { BUILT_IN_ROLES, isBuiltIn, ownRole, type Role, rolesNamed, SCOPE_OF } from './roles.ts';

/** Times are ISO 8601 in UTC. */
export type UserInfo = Omit<Person, 'organizationId' | 'organizationName'> & {
  createdAt: string;
  disabledAt: string | null;
};
/** `token` is shown once, as part of a URL. */
export type Invitation = { userId: string; token: string; expiresAt: string };
export type RoleInfo = Role & { builtIn: boolean; description: string };
export type UserInput = { email: string; name: string; roles: readonly string[] };
export type RoleInput = {
  name: string;
  scopes: readonly string[];
  /** By operation, in cents. */
  limits: Readonly<Record<string, Cents>>;
};

export type PeopleAdministration = {
  createUser(acting: Acting, input: UserInput): Promise<Invitation>;
  /** The first administrator, whose address and name are given by whoever accepts. Null: the organization has people already. */
  createFirstUser(organizationId: string): Promise<Invitation | null>;
  /** From the oldest to the newest. Null: the cursor does not belong to this list. */
  listUsers(
    organizationId: string,
    page: { limit: number; cursor: string | null },
  ): Promise<{ items: UserInfo[]; nextCursor: string | null } | null>;
  /** Omitted fields stay as they are. Null: no such person. */
  updateUser(
    acting: Acting,
    userId: string,
    to: { name?: string | undefined; roles?: readonly string[] | undefined },
  ): Promise<{ userId: string } | null>;
  /** Out within a second, everywhere. Repeating it changes nothing. */
  disableUser(acting: Acting, userId: string): Promise<{ userId: string; disabledAt: string } | null>;
  /** A new invitation, which ends the older ones. Whoever accepts it sets up anew how they sign in. A disabled person may come back by it. */
  inviteUser(acting: Acting, userId: string): Promise<Invitation | null>;
  endSessions(acting: Acting, userId: string): Promise<{ userId: string } | null>;
  listRoles(organizationId: string): Promise<RoleInfo[]>;
  /** Creates an own role, or replaces one. */
  putRole(acting: Acting, input: RoleInput): Promise<{ name: string }>;
  /** Null: no such role of its own. */
  removeRole(acting: Acting, name: string): Promise<{ name: string } | null>;
};

const INVITED_MS = 72 * 3_600_000;
const ROLE_NAME = /^[a-z][a-z0-9-]{0,39}$/;
const PEOPLE_AT_MOST = 10_000;

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');
const actingUser = (acting: Acting): string | null => (typeof acting === 'string' ? null : (acting.userId ?? null));
const conflict = (message: string) => new AccessRefused('conflict', message);

type Options = {
  db: Db;
  clock: () => number;
  keyring: Keyring;
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
};

export function openUsers(options: Options & { keep: Keep | null }): PeopleAdministration {
  const { db, clock, keyring, keep } = options;
  const now = () => new Date(clock());

  function change<T extends object>(work: (tx: Sql) => Promise<T | null>): Promise<T | null> {
    return options.change(async (tx) => {
      const done = await work(tx);
      if (done !== null && keep !== null) await keep(tx, done);
      return done;
    });
  }

  /** For changes that are done or refused. */
  async function must<T extends object>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return (await change(work)) as T;
  }

  const userOf = async (tx: Sql, acting: Acting, userId: string): Promise<store.UserRow | null> =>
    isPlainId(userId) ? store.userOf(tx, organizationActing(acting), userId) : null;

  const ownRoles = async (tx: Sql, organizationId: string): Promise<Role[]> =>
    (await store.listRoles(tx, organizationId)).map(ownRole);

  /** Refuses names of no role, and roles that the caller may not give. */
  function checkRoles(acting: Acting, names: readonly string[], own: readonly Role[]): void {
    const roles = rolesNamed(names, own);
    if (names.length === 0 || names.length > 20 || new Set(names).size < names.length || roles.includes(null)) {
      const message = 'Must be 1 to 20 different roles of GET /roles.';
      throw new AccessRefused('invalid', message, 'roles');
    }
    if (actingUser(acting) !== null) return;
    checkGiving(
      acting,
      roles.flatMap((role) => [...(role?.scopes ?? [])]),
      'This role',
    );
  }

  /** Throws when the organization has an active administrator now and would have none afterwards. */
  async function keepAdministrator(
    tx: Sql,
    organizationId: string,
    after: { user?: { userId: string; roles: readonly string[] | null }; own?: readonly Role[] },
  ): Promise<void> {
    const own = await ownRoles(tx, organizationId);
    const people = await store.activeRoles(tx, organizationId);
    const administers = (names: readonly string[], among: readonly Role[]) =>
      rolesNamed(names, among).some((role) => role?.scopes.includes('admin'));
    if (!people.some(({ roles }) => administers(roles, own))) return;
    const rolesAfter = ({ user_id, roles }: { user_id: string; roles: string[] }) =>
      user_id === after.user?.userId ? (after.user.roles ?? []) : roles;
    if (people.some((person) => administers(rolesAfter(person), after.own ?? own))) return;
    throw conflict('This is the last active administrator; make another person administrator first.');
  }

  async function invite(tx: Sql, userId: string): Promise<Invitation> {
    const token = randomBytes(32).toString('base64url');
    const at = now();
    const expiresAt = new Date(at.getTime() + INVITED_MS);
    await store.insertInvitation(tx, {
      token_hash: digestOf(token),
      user_id: userId,
      created_at: at,
      expires_at: expiresAt,
    });
    return { userId, token, expiresAt: expiresAt.toISOString() };
  }

  async function insert(tx: Sql, organizationId: string, { email, name, roles }: UserInput): Promise<Invitation> {
    const userId = newId('user');
    await store.ensureConsole(tx, {
      client_id: newId('client'),
      organization_id: organizationId,
      created_at: now(),
    });
    await store.insertUser(tx, {
      user_id: userId,
      organization_id: organizationId,
      email_digest: email === '' ? null : emailDigest(keyring, email),
      sealed: sealIdentity(keyring, userId, { email, name }),
      roles: [...roles],
      created_at: now(),
    });
    return invite(tx, userId);
  }

  return {
    async createUser(acting, input) {
      checkEmail(input.email);
      checkPersonName(input.name);
      const organizationId = organizationActing(acting);
      return must(async (tx) => {
        const organization = isPlainId(organizationId) ? await access.organization(tx, organizationId) : null;
        if (organization === null) {
          throw new AccessRefused('invalid', 'There is no such organization.', 'organizationId');
        }
        checkRoles(acting, input.roles, await ownRoles(tx, organizationId));
        if ((await store.countUsers(tx, organizationId)) >= PEOPLE_AT_MOST) {
          throw new AccessRefused(
            'limit',
            `The limit of ${PEOPLE_AT_MOST} people is reached; disable some who have left.`,
          );
        }
        if ((await store.usersByEmail(tx, emailDigest(keyring, input.email), organizationId)).length > 0) {
          throw conflict('This organization has a person with this e-mail address; see GET /users.');
        }
        return insert(tx, organizationId, input);
      });
    },

    createFirstUser(organizationId) {
      return change(async (tx) => {
        if ((await store.listUsers(tx, organizationId, { after: null, limit: 1 })).length > 0) return null;
        return insert(tx, organizationId, { email: '', name: '', roles: ['administrator'] });
      });
    },

    async listUsers(organizationId, { limit, cursor }) {
      const after = cursor === null ? null : readCursor(cursor);
      if (after === undefined) return null;
      const rows = await store.listUsers(db, organizationId, { after, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const items = page.map((row) => {
        const { organizationId: _id, organizationName: _name, ...person } = personOf(keyring, row);
        return {
          ...person,
          createdAt: row.created_at.toISOString(),
          disabledAt: row.disabled_at?.toISOString() ?? null,
        };
      });
      return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
    },

    async updateUser(acting, userId, to) {
      if (to.name !== undefined) checkPersonName(to.name);
      return change(async (tx) => {
        const user = await userOf(tx, acting, userId);
        if (user === null) return null;
        const { roles = user.roles } = to;
        const isChanged = roles.length !== user.roles.length || roles.some((role) => !user.roles.includes(role));
        if (isChanged) {
          if (actingUser(acting) === userId)
            throw conflict('Nobody changes their own roles; ask another administrator.');
          const own = await ownRoles(tx, user.organization_id);
          checkRoles(acting, roles, own);
          if (user.status === 'active') await keepAdministrator(tx, user.organization_id, { user: { userId, roles } });
        }
        const identity = openIdentity(keyring, user);
        const sealed = sealIdentity(keyring, userId, { ...identity, name: to.name ?? identity.name });
        await store.updateUser(tx, userId, { sealed, roles: [...roles] });
        return { userId };
      });
    },

    disableUser(acting, userId) {
      return change(async (tx) => {
        const user = await userOf(tx, acting, userId);
        if (user === null) return null;
        if (actingUser(acting) === userId) throw conflict('Nobody disables themselves; ask another administrator.');
        if (user.status === 'active') {
          await keepAdministrator(tx, user.organization_id, { user: { userId, roles: null } });
        }
        const disabledAt = user.disabled_at ?? now();
        if (user.disabled_at === null) await store.disableUser(tx, userId, disabledAt);
        return { userId, disabledAt: disabledAt.toISOString() };
      });
    },

    inviteUser(acting, userId) {
      return change(async (tx) => {
        const user = await userOf(tx, acting, userId);
        if (user === null) return null;
        // Whoever holds the invitation becomes this person, with these roles.
        checkRoles(acting, user.roles, await ownRoles(tx, user.organization_id));
        await store.invitedAgain(tx, userId);
        return invite(tx, userId);
      });
    },

    endSessions(acting, userId) {
      return change(async (tx) => {
        const user = await userOf(tx, acting, userId);
        if (user === null) return null;
        await store.raiseGeneration(tx, userId);
        return { userId };
      });
    },

    async listRoles(organizationId) {
      const own = await ownRoles(db, organizationId);
      return [
        ...BUILT_IN_ROLES.map((role) => ({ ...role, builtIn: true })),
        ...own.map((role) => ({ ...role, builtIn: false, description: '' })),
      ];
    },

    putRole(acting, { name, scopes, limits }) {
      checkRole({ name, scopes, limits });
      const organizationId = organizationActing(acting);
      return must(async (tx) => {
        const own = await ownRoles(tx, organizationId);
        await checkOwn(tx, acting, name);
        if (actingUser(acting) === null) checkGiving(acting, scopes, 'This role');
        const isNew = own.every((role) => role.name !== name);
        if (isNew && own.length >= store.ROLES_AT_MOST) {
          throw new AccessRefused(
            'limit',
            `The limit of ${store.ROLES_AT_MOST} roles is reached; remove some that are not used.`,
          );
        }
        const role = ownRole({ name, scopes, limits: JSON.stringify(limits) });
        const after = own.map((one) => (one.name === name ? role : one));
        await keepAdministrator(tx, organizationId, { own: after });
        await store.putRole(tx, {
          organization_id: organizationId,
          name,
          scopes: knownScopes(scopes),
          limits: JSON.stringify(limits),
          changed_at: now(),
        });
        return { name };
      });
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

  /** Changing a role that one has oneself would change one's own rights. */
  async function checkOwn(tx: Sql, acting: Acting, name: string): Promise<void> {
    const userId = actingUser(acting);
    const user = userId === null ? null : await store.userById(tx, userId);
    if (user?.roles.includes(name))
      throw conflict('Nobody changes a role that they have themselves; ask another administrator.');
  }
}

/** What signing in needs of people; `sessions.ts` has the rest. */
export function openPeople(options: Options): Omit<People, 'begin' | 'end' | 'endAll'> {
  const { db, clock, keyring, change } = options;
  return {
    change,
    async byEmail(email, organizationId) {
      const rows = await store.usersByEmail(db, emailDigest(keyring, email), organizationId);
      return rows.filter(({ status }) => status === 'active').map((row) => personOf(keyring, row));
    },
    async byId(userId) {
      const row = isPlainId(userId) ? await store.userById(db, userId) : null;
      return row && personOf(keyring, row);
    },
    async invited(token) {
      const row = await store.invitedUser(db, digestOf(token), new Date(clock()));
      return row && personOf(keyring, row);
    },
    async accept(tx, token, given = {}) {
      const at = new Date(clock());
      const row = await store.takeInvitation(tx, digestOf(token), at);
      if (row === null) return null;
      const person = personOf(keyring, row);
      if (person.email === '') {
        Object.assign(person, { email: given.email ?? '', name: given.name ?? '' });
        checkEmail(person.email);
        checkPersonName(person.name);
        const others = await store.usersByEmail(tx, emailDigest(keyring, person.email), row.organization_id);
        if (others.length > 0) throw conflict('This organization has a person with this e-mail address.');
      }
      const { userId, organizationId } = person;
      await store.activateUser(tx, userId, {
        emailDigest: emailDigest(keyring, person.email),
        sealed: sealIdentity(keyring, userId, person),
      });
      const clientId = await store.consoleOf(tx, organizationId);
      const done = { at, kind: 'did', operation: 'accept-invitation', outcome: 'done' } as const;
      await recordAudit(tx, [{ ...done, organizationId, clientId, userId, requestId: given.requestId ?? null }]);
      return { ...person, status: 'active' };
    },
  };
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
  for (const [operation, amount] of Object.entries(limits)) {
    if (!hasAmount(operation)) {
      const message = `Only operations with an amount have a limit: ${WITH_AMOUNT.join(', ')}.`;
      throw new AccessRefused('invalid', message, 'limits');
    }
    if (!scopes.includes(SCOPE_OF[operation])) {
      const message = `The role does not have ${SCOPE_OF[operation]}, which ${operation} needs, so it cannot limit it.`;
      throw new AccessRefused('invalid', message, 'limits');
    }
    if (amount < 0) throw new AccessRefused('invalid', 'An amount must not be negative.', 'limits');
  }
}

/** Opaque to callers: the last row of the page. */
function cursorOf({ created_at, user_id }: store.UserRow): string {
  return Buffer.from(`${created_at.getTime()} ${user_id}`).toString('base64url');
}

/** Undefined: not a valid cursor. */
function readCursor(cursor: string): { createdAt: Date; userId: string } | undefined {
  const [at = '', userId = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,14}$/.test(at) || !isPlainId(userId)) return undefined;
  return { createdAt: new Date(Number(at)), userId };
}
