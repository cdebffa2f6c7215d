/** The requests of the page `/account`: how the person who is signed in signs in. */
import { Type } from 'typebox';
import type { NotSetUp, SetUp } from '../../access/people/means.ts';
import { type Call, closed, type Operation, ok } from '../shared/operation.ts';
import { sessionCookie } from '../shell/session-cookie.ts';
import {
  Code,
  NewCredential,
  NO_VALUES,
  notSetUp,
  PasskeyName,
  Password,
  personGet,
  personPost,
  qrOf,
  Step,
} from './page-operation.ts';

const GONE = 'This has expired or no longer exists. Start again.';

const means = personGet('/account/means', async ({ services }, { userId }) =>
  ok(await services.signIn.means.of(userId)),
);

/** The change has ended every session of the person; this browser goes on with a new one. */
function changed(call: Call, done: SetUp | NotSetUp) {
  if ('denied' in done) throw notSetUp(done, GONE);
  const { recoveryCodes, session } = done;
  const data = recoveryCodes === null ? {} : { recoveryCodes };
  return { ...ok(data), cookies: [sessionCookie(session.secret, call.place().secure)] };
}

const codes = personPost('/account/codes', NO_VALUES, async ({ services }, person) => {
  const begun = await services.signIn.means.newCodes(person);
  if ('denied' in begun) throw notSetUp(begun, GONE);
  const { step, secret, uri } = begun;
  return ok({ step, secret, qr: qrOf(uri) });
});

const password = personPost(
  '/account/password',
  closed({ step: Step, password: Password, code: Code }),
  async (call, person) => {
    const input = { ...call.body, requestId: call.requestId };
    return changed(call, await call.services.signIn.means.setPassword(person, input));
  },
);

const removePassword = personPost('/account/remove-password', NO_VALUES, async (call, person) =>
  changed(call, await call.services.signIn.means.removePassword(person, { requestId: call.requestId })),
);

const recoveryCodes = personPost('/account/recovery-codes', NO_VALUES, async (call, person) =>
  changed(call, await call.services.signIn.means.newRecoveryCodes(person, { requestId: call.requestId })),
);

const passkeyOptions = personPost('/account/passkey-options', NO_VALUES, async (call, person) => {
  const begun = await call.services.signIn.means.passkeyOptions(person, call.place());
  if ('denied' in begun) throw notSetUp(begun, GONE);
  return ok(begun);
});

const addPasskey = personPost(
  '/account/passkey',
  closed({ step: Step, credential: NewCredential, passkeyName: PasskeyName }),
  async (call, person) => {
    const { step, credential, passkeyName } = call.body;
    const input = { step, credential, name: passkeyName, requestId: call.requestId };
    return changed(call, await call.services.signIn.means.addPasskey(person, call.place(), input));
  },
);

const removePasskey = personPost(
  '/account/remove-passkey',
  closed({ passkeyId: Type.String({ minLength: 1, maxLength: 1400, pattern: '^[A-Za-z0-9_-]*$' }) }),
  async (call, person) => {
    const input = { passkeyId: call.body.passkeyId, requestId: call.requestId };
    return changed(call, await call.services.signIn.means.removePasskey(person, input));
  },
);

export const accountRequests: readonly Operation[] = [
  means,
  codes,
  password,
  removePassword,
  recoveryCodes,
  passkeyOptions,
  addPasskey,
  removePasskey,
];
