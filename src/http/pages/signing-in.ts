/** The requests of the pages `/sign-in` and `/sign-in/callback/{organization_id}`. */
import { Type } from 'typebox';
import { type Call, closed, type Operation, ok } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { Code, Email, enter, NO_VALUES, notSignedIn, Password, pagePost, UsedCredential } from './page-operation.ts';

/** A step that the browser keeps. */
const Given = Type.String({ maxLength: 1_000, pattern: '^[A-Za-z0-9_-]*$' });
const OrganizationId = Type.String({ minLength: 1, maxLength: 128 });
const WRONG_PASSWORD = 'The e-mail address, the password or the code is wrong.';
const WRONG_PASSKEY =
  'The passkey was not accepted. Use another way to sign in, or ask your administrator for a new invitation.';
const WRONG_PROVIDER =
  'You could not be signed in. Try again. If it happens again, ask your administrator whether you were invited, and with the address that your organization’s provider has verified.';

const from = ({ address, requestId }: Call) => ({ address, requestId });
const siteOf = (call: Call) => ({ origin: call.place().origin });

const withPassword = pagePost(
  '/sign-in/password',
  closed({ email: Email, password: Password, code: Code, organizationId: Type.Optional(OrganizationId) }),
  async (call) => {
    const { organizationId = null, ...typed } = call.body;
    const done = await call.services.signIn.withPassword({ ...typed, organizationId, ...from(call) });
    if ('denied' in done) throw notSignedIn(done, WRONG_PASSWORD);
    return enter(call, done.session);
  },
);

const passkeyOptions = pagePost('/sign-in/passkey-options', NO_VALUES, async (call) => {
  return ok(await call.services.signIn.passkeyOptions(siteOf(call)));
});

const withPasskey = pagePost('/sign-in/passkey', closed({ step: Given, credential: UsedCredential }), async (call) => {
  const done = await call.services.signIn.withPasskey(siteOf(call), { ...call.body, ...from(call) });
  if ('denied' in done) throw notSignedIn(done, WRONG_PASSKEY);
  return enter(call, done.session);
});

/**
 * Binds the redirect to this browser. Lax, because the provider sends the browser back from another site. `__Host-` by https, so that no other
 * host of the domain can plant its own, which would sign the browser in as somebody else.
 */
const stepName = (secure: boolean): string => (secure ? '__Host-daybook_sign_in' : 'daybook_sign_in');
const stepCookie = (step: string, secure: boolean): string =>
  `${stepName(secure)}=${step}; Path=/; Max-Age=${step === '' ? 0 : 600}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

function stepIn(cookies: string, secure: boolean): string | null {
  const start = `${stepName(secure)}=`;
  const found = cookies.split(';').find((pair) => pair.trimStart().startsWith(start));
  const step = found?.trim().slice(start.length) ?? '';
  return /^[A-Za-z0-9_-]{43}$/.test(step) ? step : null;
}

export async function leaveForProvider(
  call: Call,
  asked: { organizationId: string; invitation: string | null; again: boolean },
) {
  const site = { origin: call.linkOrigin() };
  const begun = await call.services.signIn.toProvider(site, { ...asked, ...from(call) });
  if ('denied' in begun) throw notSignedIn(begun, WRONG_PROVIDER);
  return { ...ok({ url: begun.url }), cookies: [stepCookie(begun.step, call.place().secure)] };
}

const toProvider = pagePost(
  '/sign-in/provider',
  closed({ organizationId: OrganizationId, again: Type.Optional(Type.Boolean()) }),
  (call) => {
    const { organizationId, again = false } = call.body;
    return leaveForProvider(call, { organizationId, invitation: null, again });
  },
);

const fromProvider = pagePost(
  '/sign-in/callback/{organization_id}',
  closed({ query: Type.String({ maxLength: 4_096 }) }),
  async (call) => {
    const step = stepIn(String(call.headers.cookie ?? ''), call.place().secure);
    if (step === null) throw new Problem('invalid_credentials', WRONG_PROVIDER);
    const { organization_id: organizationId = '' } = call.params;
    const input = { organizationId, step, query: call.body.query, ...from(call) };
    const done = await call.services.signIn.fromProvider(siteOf(call), input);
    if ('denied' in done) throw notSignedIn(done, WRONG_PROVIDER);
    return enter(call, done.session, {}, stepCookie('', call.place().secure));
  },
);

export const signInRequests: readonly Operation[] = [
  withPassword,
  passkeyOptions,
  withPasskey,
  toProvider,
  fromProvider,
];
