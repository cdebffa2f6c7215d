/**
 * Administration of people. Every call names whom it acts for: an administrator with a session, a client, or
 * the operator at the command line.
 *
 * Nobody changes their own roles and nobody disables themselves; an organization that has an active administrator keeps one. A client
 * gives only what its own token has; a person who administers may give every role, because someone must, and it is never to themselves.
 */
import { randomBytes } from 'node:crypto';
import * as access from '../../store/access/access.ts';
import * as store from '../../store/access/users.ts';
import { recordAudit } from '../../store/audit/audit.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import type { Keep } from '../../store/door/idempotency.ts';
import { isPlainId } from '../checks.ts';
import { type Acting, organizationActing } from '../giving.ts';
import { AccessRefused } from '../refused.ts';
import { type Keyring, newId } from '../secrets.ts';
import { checkEmail, checkPersonName, emailDigest, openIdentity, personOf, sealIdentity } from './identity.ts';
import { tokenDigest } from './known.ts';
import {
  actingUser,
  administers,
  checkAdministrators,
  checkGivingRoles,
  conflict,
  openOwnRoles,
  ownRoles,
  type RoleAdministration,
} from './own-roles.ts';
import type { Person } from './people.ts';
import { type Role, rolesNamed } from './roles.ts';
import { askSecond } from './second-administrator.ts';

/** Times are ISO 8601 in UTC. */
export type UserInfo = Omit<Person, 'organizationId' | 'organizationName'> & {
  createdAt: string;
  disabledAt: string | null;
};
/** `token` is shown once, as part of a URL. `renews`: the person has accepted one before, so whoever has this one takes over their account. */
/** `renews`: the person has accepted one before. `returns`: they were disabled. */
export type Invitation = {
  userId: string;
  token: string;
  expiresAt: string;
  renews: boolean;
  returns: boolean;
  roles: string[];
};
export type UserInput = { email: string; name: string; roles: readonly string[] };
export type PeopleAdministration = RoleAdministration & {
  createUser(acting: Acting, input: UserInput): Promise<Invitation>;
  /**
   * The first person, an administrator unless other roles are given; whoever accepts gives address and name. Null: the organization has
   * people already.
   */
  createFirstUser(organizationId: string, roles?: readonly string[]): Promise<Invitation | null>;
  /** Whether somebody of the organization has accepted an invitation. */
  hasActivePeople(organizationId: string): Promise<boolean>;
  /** From the oldest to the newest. Null: the cursor does not belong to this list. */
  listUsers(
    organizationId: string,
    page: { limit: number; cursor: string | null },
  ): Promise<{ items: UserInfo[]; nextCursor: string | null } | null>;
  /** The names of those who belong to the organization and have one. */
  namesOf(organizationId: string, userIds: readonly string[]): Promise<{ userId: string; name: string }[]>;
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
};

const INVITED_MS = 72 * 3_600_000;
const PEOPLE_AT_MOST = 10_000;

export function openUsers(options: {
  db: Db;
  clock: () => number;
  keyring: Keyring;
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
  /** Stores the result in the transaction of each change. Null: not stored. */
  keep: Keep | null;
}): PeopleAdministration {
  const { db, clock, keyring, keep } = options;
  const now = () => new Date(clock());

  function change<T extends object>(work: (tx: Sql) => Promise<T | null>): Promise<T | null> {
    return options.change(async (tx) => {
      await keep?.begin?.(tx);
      const done = await work(tx);
      if (done !== null && keep !== null) await keep(tx, done);
      return done;
    });
  }

  /** For changes that are done or refused. */
  async function must<T extends object>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return (await change(work)) as T;
  }

  const second = (tx: Sql, acting: Acting): Promise<void> => askSecond(tx, keep, acting);

  const userOf = async (tx: Sql, acting: Acting, userId: string): Promise<store.UserRow | null> =>
    isPlainId(userId) ? store.userOf(tx, organizationActing(acting), userId) : null;

  /** Refuses names of no role, and among the added ones roles that the caller may not give. */
  function checkRoles(
    acting: Acting,
    names: readonly string[],
    own: readonly Role[],
    before: readonly string[] = [],
  ): void {
    if (names.length === 0 || names.length > 20 || new Set(names).size < names.length) badRoles();
    const roles = rolesNamed(names, own).map((role) => role ?? badRoles());
    const added = roles.filter(({ name }) => !before.includes(name));
    checkGivingRoles(
      acting,
      added.flatMap(({ scopes }) => [...scopes]),
    );
  }

  async function invite(
    tx: Sql,
    of: Pick<Invitation, 'userId' | 'renews' | 'returns'> & { roles: readonly string[] },
  ): Promise<Invitation> {
    const { userId, roles, ...same } = of;
    const token = randomBytes(32).toString('base64url');
    const at = now();
    const expiresAt = new Date(at.getTime() + INVITED_MS);
    await store.insertInvitation(tx, {
      token_hash: tokenDigest(token),
      user_id: userId,
      created_at: at,
      expires_at: expiresAt,
    });
    return { userId, token, expiresAt: expiresAt.toISOString(), ...same, roles: [...roles] };
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
    return invite(tx, { userId, roles, renews: false, returns: false });
  }

  return {
    ...openOwnRoles({ db, now, change, second }),

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
        if ((await store.userByEmail(tx, emailDigest(keyring, input.email), organizationId)) !== null) {
          throw conflict('This organization has a person with this e-mail address; see GET /users.');
        }
        await checkAdministrators(tx, organizationId, { joins: input.roles, at: now() }, () => second(tx, acting));
        return insert(tx, organizationId, input);
      });
    },

    createFirstUser(organizationId, roles = ['administrator']) {
      return change(async (tx) => {
        if ((await store.listUsers(tx, organizationId, { after: null, limit: 1 })).length > 0) return null;
        const invitation = await insert(tx, organizationId, { email: '', name: '', roles });
        const done = { at: now(), kind: 'did', operation: 'invite-user', outcome: 'done' } as const;
        const by = { organizationId, clientId: 'operator', requestId: null };
        await recordAudit(tx, [{ ...done, ...by, subject: invitation.userId }]);
        return invitation;
      });
    },

    hasActivePeople: (organizationId) => store.hasActivePeople(db, organizationId),

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

    async namesOf(organizationId, userIds) {
      const people = (await store.usersByIds(db, organizationId, userIds)).map((row) => personOf(keyring, row));
      return people.flatMap(({ userId, name }) => (name === '' ? [] : [{ userId, name }]));
    },

    async updateUser(acting, userId, to) {
      if (to.name !== undefined) checkPersonName(to.name);
      return change(async (tx) => {
        const user = await userOf(tx, acting, userId);
        if (user === null) return null;
        const { roles = user.roles } = to;
        const isChanged =
          new Set(roles).symmetricDifference(new Set(user.roles)).size > 0 || roles.length !== user.roles.length;
        if (isChanged) {
          if (actingUser(acting) === userId)
            throw conflict('You cannot change your own roles; ask another administrator.');
          const own = await ownRoles(tx, user.organization_id);
          checkRoles(acting, roles, own, user.roles);
          const after = { user: { userId, roles }, at: now() };
          await checkAdministrators(tx, user.organization_id, after, () => second(tx, acting));
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
        if (actingUser(acting) === userId) throw conflict('You cannot disable yourself; ask another administrator.');
        const after = { user: { userId, roles: null }, at: now() };
        await checkAdministrators(tx, user.organization_id, after, () => second(tx, acting));
        const disabledAt = user.disabled_at ?? now();
        if (user.disabled_at === null) await store.disableUser(tx, userId, disabledAt);
        return { userId, disabledAt: disabledAt.toISOString() };
      });
    },

    inviteUser(acting, userId) {
      return change(async (tx) => {
        const user = await userOf(tx, acting, userId);
        if (user === null) return null;
        if (actingUser(acting) === userId) throw conflict('You cannot invite yourself; ask another administrator.');
        // The holder of the invitation becomes this person, with these roles.
        const own = await ownRoles(tx, user.organization_id);
        checkRoles(acting, user.roles, own);
        const renews = user.accepted_at !== null;
        // So that nobody is a second administrator to themselves.
        if (renews || administers(user.roles, own)) await second(tx, acting);
        await store.invitedAgain(tx, userId);
        return invite(tx, { userId, roles: user.roles, renews, returns: user.status === 'disabled' });
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
  };
}

function badRoles(): never {
  throw new AccessRefused('invalid', 'Must be 1 to 20 different roles of GET /roles.', 'roles');
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
