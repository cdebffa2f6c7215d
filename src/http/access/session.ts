/** The session of the person who calls: who they are, and signing out. */

import { Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import { rightsOf, rolesNamed } from '../../access/people/roles.ts';
import { denialProblem } from '../shared/access-problems.ts';
import { shape } from '../shared/named.ts';
import { type Call, closed, envelope, ok, operation } from '../shared/operation.ts';
import { time } from '../shared/shapes.ts';
import { secretOut, sentences } from '../shared/texts.ts';
import { removedCookie } from '../shell/session-cookie.ts';
import { LimitsShape, limitsShown } from './roles.ts';
import { Name, OrganizationId, RoleName, ScopeName, UserId } from './shared.ts';

const ofSession = { tag: 'Access', scopes: [], key: 'checked', session: 'required' } as const;

function sessionOf({ services, caller }: { services: Call['services']; caller: Caller }) {
  const session = services.access.sessions.sessionOf(caller);
  if (session === null) throw denialProblem({ denied: 'bad_session' });
  return session;
}

const agent = rightsOf(rolesNamed(['agent'], []).filter((role) => role !== null));

export const readSession = operation({
  ...ofSession,
  at: 'GET /session',
  id: 'readSession',
  isSecret: true,
  summary: 'Get the person who is signed in',
  description:
    'The signed-in user, their scopes, and the `csrfToken` that every write with the session must send in the header `X-CSRF-Token`. 401 without ' +
    'a session; 403 `session_required` with a bearer token, which is none.',
  answer: envelope(
    shape('Session', 'The session of a person.', {
      userId: UserId,
      name: sentences('The name of the person.'),
      email: sentences('The e-mail address of the person.'),
      organization: shape('Organization', 'An organization.', { organizationId: OrganizationId, name: Name }),
      roles: Type.Array(RoleName, { description: 'The roles of the person.' }),
      scopes: Type.Array(ScopeName, { description: 'The scopes of all roles together.' }),
      limits: LimitsShape,
      method: Type.Enum(['passkey', 'password', 'provider', 'invitation'], {
        description: 'How the person signed in.',
      }),
      csrfToken: secretOut('For the header `X-CSRF-Token` of every write.'),
      idleEndsAt: time('When the session ends if it is not used.'),
      endsAt: time('When the session ends in any case.'),
    }),
    {
      userId: 'user_7h2k9d4m',
      name: 'Dana Reyes',
      email: 'dana@harbor.example',
      organization: { organizationId: 'org_4n7c2q9d', name: 'Harbor Auto Finance' },
      roles: ['agent'],
      scopes: [...agent.scopes],
      limits: limitsShown(agent.limits),
      method: 'passkey',
      csrfToken: '…',
      idleEndsAt: '2026-01-01T09:30:00.000Z',
      endsAt: '2026-01-01T21:00:00.000Z',
    },
  ),
  problems: [],
  async handle(call) {
    const { services, caller } = call;
    const session = sessionOf(call);
    const person = await services.access.people.byId(session.userId);
    if (person === null) throw denialProblem({ denied: 'bad_session' });
    return ok({
      userId: person.userId,
      name: person.name,
      email: person.email,
      organization: { organizationId: caller.organizationId, name: caller.organizationName },
      roles: session.roles,
      scopes: [...caller.scopes],
      limits: limitsShown(caller.limits),
      method: session.method,
      csrfToken: services.access.sessions.csrfToken(caller),
      idleEndsAt: new Date(session.idleEndsAt).toISOString(),
      endsAt: new Date(session.endsAt).toISOString(),
    });
  },
});

const SignedOutAnswer = envelope(shape('SignedOut', 'The session that has ended.', { userId: UserId }), {
  userId: 'user_7h2k9d4m',
});
const Nothing = closed({}, { examples: [{}] });

export const signOut = operation({
  ...ofSession,
  at: 'POST /sign-out',
  id: 'signOut',
  cost: 3,
  summary: 'Sign out',
  description: 'Ends the session and removes its cookie.',
  body: Nothing,
  answer: SignedOutAnswer,
  problems: [],
  async handle(call) {
    const { sessionId, userId } = sessionOf(call);
    await call.services.access.people.end(sessionId, 'signed_out', call.requestId);
    return { ...ok({ userId }), headers: { 'Set-Cookie': removedCookie(call.place().secure) } };
  },
});

export const signOutEverywhere = operation({
  ...ofSession,
  at: 'POST /sign-out-everywhere',
  id: 'signOutEverywhere',
  cost: 3,
  summary: 'Sign out everywhere',
  description: 'Ends all sessions of the person, this one included, within a second on every instance.',
  body: Nothing,
  answer: SignedOutAnswer,
  problems: [],
  async handle(call) {
    const { userId } = sessionOf(call);
    await call.services.access.people.endAll(userId, call.requestId);
    return { ...ok({ userId }), headers: { 'Set-Cookie': removedCookie(call.place().secure) } };
  },
});
