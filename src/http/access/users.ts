/** People of an organization: inviting, changing and disabling them. How they sign in is theirs to set up. */

import { Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import type { Invitation } from '../../access/people/users.ts';
import { named, shape } from '../shared/named.ts';
import { type Call, closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor, pageOf, pages, wholeOrPages } from '../shared/pages.ts';
import { missing } from '../shared/read.ts';
import { NextCursor, time } from '../shared/shapes.ts';
import { secretOut, sentences } from '../shared/texts.ts';
import { write } from '../shared/writing.ts';
import { invitationUrl, mayInvite, sendInvitation, tellRequested } from './invitations.ts';
import { administration, CreatedAt, Name, RoleName, UserId } from './shared.ts';

const Email = Type.String({ minLength: 3, maxLength: 254, description: 'The e-mail address of the person.' });
const PersonName = { ...Name, description: 'The name of the person.' };
const Roles = Type.Array(RoleName, {
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  description: 'The roles of the person; their scopes add up.',
});

const UserShape = shape('User', 'A person of the organization.', {
  userId: UserId,
  email: sentences('The e-mail address; empty until the first administrator has accepted.'),
  name: sentences('The name; empty until the first administrator has accepted.'),
  roles: Roles,
  status: Type.Enum(['invited', 'active', 'disabled'], {
    description: '`invited` until the invitation is accepted; `disabled` people cannot sign in.',
  }),
  createdAt: CreatedAt,
  disabledAt: Type.Union([time('A time.'), Type.Null()], {
    description: 'When the person was disabled; null if they are not.',
  }),
});

export const listUsers = operation({
  ...administration,
  scopes: ['admin', 'audit:read'],
  at: 'GET /users',
  id: 'listUsers',
  summary: 'List people',
  description: 'The people of the organization, the oldest entry first, with their roles.',
  query: closed(pages),
  answer: envelope(
    shape('UserPage', 'A page of people.', {
      items: Type.Array(UserShape, { description: 'The oldest entry first.' }),
      nextCursor: NextCursor,
    }),
    {
      items: [
        {
          userId: 'user_7h2k9d4m',
          email: 'dana@harbor.example',
          name: 'Dana Reyes',
          roles: ['agent'],
          status: 'active',
          createdAt: '2026-01-01T00:00:00.000Z',
          disabledAt: null,
        },
      ],
      nextCursor: null,
    },
  ),
  problems: [],
  async handle({ services, caller, query }) {
    const { limit = 25, cursor = null } = query;
    const found = await services.access.listUsers(caller.organizationId, { limit, cursor });
    return ok(found ?? badCursor());
  },
});

/** So many names are told at a time. */
const NAMES = 100;

export const listNames = operation({
  at: 'GET /users/names',
  id: 'listNames',
  tag: 'Reading',
  scopes: ['loans:read', 'reports:read', 'admin', 'audit:read'],
  key: 'checked',
  summary: 'Read the names of colleagues',
  description:
    'The names of people of the own organization by their ids, as they stand in timelines, requests for approval and closed months. Ids of others, ' +
    'and of people without a name yet, are left out of the answer.',
  query: closed({
    ...wholeOrPages,
    ids: Type.String({
      minLength: 1,
      maxLength: 8_000,
      pattern: `^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,${NAMES - 1}}$`,
      description: `Ids of people (\`userId\`), separated by commas; at most ${NAMES}.`,
    }),
  }),
  answer: envelope(
    shape('Names', 'Names of people.', {
      items: Type.Array(
        shape('PersonName', 'A person by name.', {
          userId: UserId,
          name: sentences('The name of the person.'),
        }),
        { description: 'In the order of their ids.' },
      ),
      nextCursor: NextCursor,
    }),
    { items: [{ userId: 'user_7h2k9d4m', name: 'Dana Reyes' }], nextCursor: null },
  ),
  problems: [],
  async handle({ services, caller, query }) {
    const names = await services.access.namesOf(caller.organizationId, [...new Set(query.ids.split(','))]);
    return ok(pageOf(names, query, ({ userId }) => userId));
  },
});

const InvitedAnswer = envelope(
  shape('InvitedUser', 'A person and the invitation to set up how they sign in.', {
    userId: UserId,
    invitationUrl: Type.Union([secretOut('A URL.'), Type.Null()], {
      description:
        'The link of the invitation: pass it to the person. Shown once; it works once. Null: it was mailed only, because the person has accepted one before.',
    }),
    expiresAt: time('Until when the link works: 72 hours.'),
    sent: Type.Boolean({
      description: 'Whether the mail server has accepted the invitation; false without a mail server.',
    }),
  }),
  {
    userId: 'user_7h2k9d4m',
    invitationUrl: 'https://loans.example/invitation#…',
    expiresAt: '2026-01-04T00:00:00.000Z',
    sent: false,
  },
);

/**
 * After the transaction: an invitation that came to nothing is not sent. With a mail server the link to the account of somebody goes to
 * them alone.
 */
async function invited(call: Call & { caller: Caller }, invitation: Invitation) {
  const isMailedOnly = invitation.renews && (call.services.mail ?? null) !== null;
  return { ...invitation, sent: await sendInvitation(call, invitation), isMailedOnly, origin: call.linkOrigin() };
}

const shows = ({ userId, token, expiresAt, sent, isMailedOnly, origin }: Awaited<ReturnType<typeof invited>>) => ({
  userId,
  invitationUrl: isMailedOnly ? null : invitationUrl(origin, token),
  expiresAt,
  sent,
});

const SECOND =
  'it is made within five minutes of signing in, and another administrator has to approve it where there is one';

const GIVING =
  'A person who administers may give any role, but nobody changes their own. A client gives only roles whose scopes its token has; if these include ' +
  '`loans:read_pii` or `loans:fund`, the header `key` is also required.';

export const createUser = write({
  ...administration,
  at: 'POST /users',
  id: 'createUser',
  cost: 5,
  summary: 'Invite a person',
  description:
    'Adds a person to the organization and returns the link of their invitation, which is shown only once and works for 72 hours. With ' +
    `a mail server it is also sent. An address is unique within an organization. For an administrator ${SECOND}. ${GIVING}`,
  body: closed(
    { email: Email, name: PersonName, roles: Roles },
    { examples: [{ email: 'dana@harbor.example', name: 'Dana Reyes', roles: ['agent'] }] },
  ),
  answer: InvitedAnswer,
  problems: ['conflict', 'key_required'],
  isSecret: true,
  async write(call, { keep }) {
    await mayInvite(call, call.body);
    return invited(call, await call.services.access.administering(keep).createUser(call.caller, call.body));
  },
  shows,
  // Address and name are in the body, which is sealed.
  approval: { preview: (_, { roles }) => ({ roles }) },
});

const UserAnswer = envelope(shape('UserUpdate', 'The person that was changed.', { userId: UserId }), {
  userId: 'user_7h2k9d4m',
});

const UserIdRequest = named(
  'UserIdRequest',
  closed({ userId: UserId }, { description: 'The person.', examples: [{ userId: 'user_7h2k9d4m' }] }),
);

export const updateUser = write({
  ...administration,
  at: 'POST /update-user',
  id: 'updateUser',
  cost: 5,
  summary: 'Change a person’s name or roles',
  description:
    'Omitted fields do not change. Changed roles take effect within a second on every instance, also in sessions under way. The last active ' +
    `administrator keeps a role with \`admin\`. Where somebody begins or ceases to administer, ${SECOND}. ${GIVING}`,
  body: closed(
    { userId: UserId, name: Type.Optional(PersonName), roles: Type.Optional(Roles) },
    { examples: [{ userId: 'user_7h2k9d4m', roles: ['agent', 'underwriter'] }] },
  ),
  answer: UserAnswer,
  problems: ['not_found', 'conflict', 'key_required'],
  async write({ services, caller, body }, { keep }) {
    const { userId, ...to } = body;
    return (await services.access.administering(keep).updateUser(caller, userId, to)) ?? missing('person');
  },
  approval: {
    preview: (_, { userId, roles, name }) => ({ userId, ...(roles && { roles }), renamed: name !== undefined }),
    requested: (call) => tellRequested(call, call.body.userId, 'roles'),
  },
});

export const disableUser = write({
  ...administration,
  at: 'POST /disable-user',
  id: 'disableUser',
  cost: 5,
  summary: 'Disable a person',
  description:
    'The person’s sessions and invitations end within a second on every instance, and they cannot sign in. What they did stays under their ' +
    `name. \`POST /invite-user\` brings them back. Nobody disables themselves, and the last active administrator stays. For an administrator ${SECOND}.`,
  body: UserIdRequest,
  answer: envelope(
    shape('DisabledUser', 'A disabled person.', { userId: UserId, disabledAt: time('When the person was disabled.') }),
    { userId: 'user_7h2k9d4m', disabledAt: '2026-01-01T00:00:00.000Z' },
  ),
  problems: ['not_found', 'conflict'],
  async write({ services, caller, body }, { keep }) {
    return (await services.access.administering(keep).disableUser(caller, body.userId)) ?? missing('person');
  },
  approval: {
    preview: (_, { userId }) => ({ userId }),
    requested: (call) => tellRequested(call, call.body.userId, 'disabled'),
  },
});

export const inviteUser = write({
  ...administration,
  at: 'POST /invite-user',
  id: 'inviteUser',
  cost: 5,
  summary: 'Invite a person again',
  description:
    'A new invitation; older ones end. For someone who has not accepted in time, who has lost every way to sign in, or who was disabled and comes ' +
    'back. When it is accepted, earlier passkeys, password and codes are removed and all sessions end; until then they keep working. For somebody who ' +
    `has accepted one before, ${SECOND}; with a mail server the link is mailed to them and not shown. ${GIVING}`,
  body: UserIdRequest,
  answer: InvitedAnswer,
  problems: ['not_found', 'conflict', 'key_required'],
  isSecret: true,
  async write(call, { keep }) {
    const { services, caller, body } = call;
    await mayInvite(call, body);
    const invitation = await services.access.administering(keep).inviteUser(caller, body.userId);
    return invited(call, invitation ?? missing('person'));
  },
  shows,
  approval: {
    // With other roles since, the invitation would give other rights; and it brings back who was disabled since.
    preview: ({ userId, roles, renews, returns }) => ({ userId, roles, renews, returns }),
    requested: (call) => tellRequested(call, call.body.userId, 'invitation'),
  },
});

export const endSessions = write({
  ...administration,
  at: 'POST /end-sessions',
  id: 'endSessions',
  cost: 5,
  summary: 'Sign a person out everywhere',
  description: 'All sessions of the person end within a second on every instance. They may sign in again.',
  body: UserIdRequest,
  answer: UserAnswer,
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    return (await services.access.administering(keep).endSessions(caller, body.userId)) ?? missing('person');
  },
});
