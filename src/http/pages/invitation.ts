/** The requests of the page `/invitation`. The token comes from the fragment of its address, which browsers send to nobody. */
import { Type } from 'typebox';
import { Name } from '../access/shared.ts';
import { type Call, closed, type Operation, ok } from '../shared/operation.ts';
import {
  Code,
  Email,
  enter,
  NewCredential,
  notSetUp,
  PasskeyName,
  Password,
  pagePost,
  qrOf,
  Step,
} from './page-operation.ts';
import { leaveForProvider } from './signing-in.ts';

const Token = Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_-]*$' });
/** Address and name are asked for where the invitation has none, which is that of the first start. */
const invited = { token: Token, email: Type.Optional(Email), name: Type.Optional(Name) };
const GONE =
  'This invitation has expired or was used. Sign in if you have accepted it, or ask your administrator for a new one.';

const who = ({ body, requestId, address }: Call<{ token: string; email?: string; name?: string }>) => ({
  address,
  invitation: body.token,
  given: { ...(body.email ? { email: body.email } : {}), ...(body.name ? { name: body.name } : {}), requestId },
});

async function invitedBy({ services, body, address }: Call<{ token: string }>) {
  const found = await services.signIn.means.invited(body.token, address);
  if ('denied' in found) throw notSetUp(found, GONE);
  return found;
}

const person = pagePost('/invitation/person', closed({ token: Token }), async (call) => {
  const { email, name, organizationId, organizationName } = await invitedBy(call);
  const hasProvider = email !== '' && (await call.services.signIn.provider.read(organizationId)) !== null;
  return ok({ email, name, organizationId, organizationName, hasProvider });
});

const codes = pagePost('/invitation/codes', closed(invited), async (call) => {
  const begun = await call.services.signIn.means.newCodes(who(call));
  if ('denied' in begun) throw notSetUp(begun, GONE);
  const { step, secret, uri } = begun;
  return ok({ step, secret, qr: qrOf(uri) });
});

const password = pagePost(
  '/invitation/password',
  closed({ ...invited, step: Step, password: Password, code: Code }),
  async (call) => {
    const done = await call.services.signIn.means.setPassword(who(call), { ...call.body, requestId: call.requestId });
    if ('denied' in done) throw notSetUp(done, GONE);
    return enter(call, done.session, { recoveryCodes: done.recoveryCodes });
  },
);

const passkeyOptions = pagePost('/invitation/passkey-options', closed(invited), async (call) => {
  const begun = await call.services.signIn.means.passkeyOptions(who(call), call.place());
  if ('denied' in begun) throw notSetUp(begun, GONE);
  return ok(begun);
});

const passkey = pagePost(
  '/invitation/passkey',
  closed({ ...invited, step: Step, credential: NewCredential, passkeyName: PasskeyName }),
  async (call) => {
    const { step, credential, passkeyName } = call.body;
    const input = { step, credential, name: passkeyName, requestId: call.requestId };
    const done = await call.services.signIn.means.addPasskey(who(call), call.place(), input);
    if ('denied' in done) throw notSetUp(done, GONE);
    return enter(call, done.session);
  },
);

const provider = pagePost('/invitation/provider', closed({ token: Token }), async (call) => {
  const { organizationId } = await invitedBy(call);
  return leaveForProvider(call, { organizationId, invitation: call.body.token, again: false });
});

export const invitationRequests: readonly Operation[] = [person, codes, password, passkeyOptions, passkey, provider];
