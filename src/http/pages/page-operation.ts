/**
 * The requests that our own pages make: outside the versioned API, not in the OpenAPI document, and with the same problem documents, limits
 * of the body and checks as every operation. Those without a session are accepted from our own pages only, so that no other site can
 * sign somebody in (login CSRF); those with one have the checks of every session.
 */

import { type Static, type TSchema, Type } from 'typebox';
import { encode } from 'uqr';
import type { Caller } from '../../access/access.ts';
import type { NotSetUp } from '../../access/people/means.ts';
import type { NotSignedIn } from '../../access/people/sign-in-parts.ts';
import { denialProblem } from '../shared/access-problems.ts';
import {
  type Answer,
  anonymousOperation,
  type Call,
  closed,
  type Operation,
  ok,
  operation,
} from '../shared/operation.ts';
import { Problem, unavailable } from '../shared/problems.ts';
import { secretIn, sessionCookie } from '../shell/session-cookie.ts';

const DATA = Type.Object({});
const described = (path: string) => ({
  outside: true,
  hidden: true,
  isSecret: true,
  id: path.replaceAll(/\/\{\w+\}/g, '').replaceAll(/\/(\w)|-(\w)/g, (_, a = '', b = '') => (a + b).toUpperCase()),
  tag: 'Pages',
  summary: path,
  description: path,
  answer: DATA,
  problems: [],
});

/** A request of a page without a session. */
export function pagePost<B extends TSchema>(
  path: `/${string}`,
  body: B,
  handle: (call: Call<Static<B>>) => Promise<Answer>,
): Operation {
  return anonymousOperation({
    ...described(path),
    at: `POST ${path}`,
    body,
    handle(call) {
      refuseForeign(call);
      return handle(call as Call<Static<B>>);
    },
  });
}

type OfPerson = { userId: string; sessionId: string; address: string };

/** A request of a person who is signed in. */
export function personPost<B extends TSchema>(
  path: `/${string}`,
  body: B,
  handle: (call: Call<Static<B>>, person: OfPerson) => Promise<Answer>,
): Operation {
  return operation({
    ...described(path),
    ...{ at: `POST ${path}`, scopes: [], key: 'checked', body },
    handle: (call) => handle(call as unknown as Call<Static<B>>, personOf(call)),
  });
}

export function personGet(path: `/${string}`, handle: (call: Call, person: OfPerson) => Promise<Answer>): Operation {
  return operation({
    ...described(path),
    ...{ at: `GET ${path}`, scopes: [], key: 'checked' },
    handle: (call) => handle(call, personOf(call)),
  });
}

function personOf({ caller, services, address }: Pick<Call, 'services' | 'address'> & { caller: Caller }): OfPerson {
  const session = services.access.sessions.sessionOf(caller);
  if (session === null) throw denialProblem({ denied: 'bad_session' });
  return { userId: session.userId, sessionId: session.sessionId, address };
}

/** Every browser of today sends `Origin` with a POST, and most say `Sec-Fetch-Site`; a page cannot change either. */
function refuseForeign({ headers, place }: Pick<Call, 'headers' | 'place'>): void {
  const site = headers['sec-fetch-site'];
  if ((site === undefined || site === 'same-origin') && headers.origin === place().origin) return;
  throw new Problem(
    'forged_request',
    'Signing in is possible only on the pages of this service, at the address that its operator has set.',
  );
}

/** Puts the browser into a new session. One that it had before, or that somebody planted in it, is not continued. */
export async function enter(
  call: Call,
  session: { secret: string },
  data: object = {},
  ...cookies: string[]
): Promise<Answer> {
  const { secure } = call.place();
  const { access } = call.services;
  const before = secretIn(call.headers.cookie as string | undefined, secure);
  if (before !== null) {
    const caller = await access.sessions.admit({ secret: before, address: () => call.address });
    const old = 'denied' in caller ? null : access.sessions.sessionOf(caller);
    if (old !== null) await access.people.end(old.sessionId, 'signed_out', call.requestId);
  }
  return { ...ok(data), cookies: [sessionCookie(session.secret, secure), ...cookies] };
}

/** The problem of somebody who is not signed in; `wrong` says the same whatever was wrong. */
export function notSignedIn(denial: NotSignedIn, wrong: string): Problem {
  switch (denial.denied) {
    case 'wrong':
      return new Problem('invalid_credentials', wrong);
    case 'too_many_failures':
      return tooMany(denial.retryAfterSeconds);
    case 'locked':
      return new Problem(
        'too_many_failures',
        'Too many wrong attempts were made for this account, so it accepts no password any more. Sign in with a passkey or your organization’s sign-in and set a new password, or ask an administrator for a new invitation.',
        { retryable: false },
      );
    case 'organization': {
      const detail = 'Enter your organization, or open the sign-in link that your administrator gave you.';
      return new Problem('invalid_request', detail, {
        errors: [{ pointer: '/organizationId', code: 'required', detail }],
      });
    }
    case 'unavailable':
      return unavailable('Signing in is not possible at the moment; try again shortly.');
    case 'no_provider':
      return new Problem('not_found', 'There is no such organization, or it has no sign-in of its own.');
  }
}

function tooMany(retryAfterSeconds: number): Problem {
  return new Problem(
    'too_many_failures',
    `Too many attempts. Try again in ${waitOf(retryAfterSeconds)}.`,
    {},
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

function waitOf(seconds: number): string {
  const [amount, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

export function notSetUp(denial: NotSetUp, gone: string): Problem {
  switch (denial.denied) {
    case 'gone':
      return new Problem('not_found', gone);
    case 'too_many_failures':
      return tooMany(denial.retryAfterSeconds);
    case 'stale':
      return new Problem(
        'proof_required',
        'Sign in again first: changes are possible within five minutes of signing in.',
      );
    case 'last':
      return new Problem('conflict', 'This is your last way to sign in. Add another one first.');
    case 'unavailable':
      return unavailable('Too many passwords are being set; try again in a moment.');
    case 'fault': {
      const { member, detail } = denial;
      return new Problem('invalid_request', detail, { errors: [{ pointer: `/${member}`, code: 'invalid', detail }] });
    }
  }
}

/** The modules of a QR code as the path of a picture, with the margin of four that readers need. */
export function qrOf(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { border: 4, ecc: 'M' });
  let path = '';
  for (const [y, row] of data.entries()) {
    for (let x = 0; x < row.length; x += 1) {
      let width = 0;
      while (row[x + width]) width += 1;
      if (width === 0) continue;
      path += `M${x} ${y}h${width}v1h-${width}z`;
      x += width;
    }
  }
  return { size, path };
}

// ---- what the bodies have in common ----

export const NO_VALUES = closed({});
export const Password = Type.String({ minLength: 1, maxLength: 400 });
export const Code = Type.String({ minLength: 1, maxLength: 64 });
export const Email = Type.String({ minLength: 1, maxLength: 320 });
export const Step = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
export const PasskeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
});
const Bytes = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' });

const credential = { id: Bytes(1400), rawId: Bytes(1400), type: Type.Literal('public-key') };
const Attachment = Type.Optional(Type.String({ maxLength: 32 }));
export const NewCredential = closed({
  ...credential,
  authenticatorAttachment: Attachment,
  response: closed({
    clientDataJSON: Bytes(4_000),
    attestationObject: Bytes(6_000),
    transports: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 }),
  }),
});
export const UsedCredential = closed({
  ...credential,
  authenticatorAttachment: Attachment,
  response: closed({
    clientDataJSON: Bytes(4_000),
    authenticatorData: Bytes(4_000),
    signature: Bytes(2_000),
    userHandle: Type.Optional(Bytes(100)),
  }),
});
