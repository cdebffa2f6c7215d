import {
  byId,
  call,
  createPasskey,
  doing,
  drawQr,
  hasPasskeys,
  Refused,
  revealing,
  say,
  showRecoveryCodes,
} from './page.js';

const token = location.hash.slice(1);
const form = byId('password-form');
let codes = null;

/** Who it is; the invitation of the first start has neither address nor name, and asks for both. */
function who() {
  if (byId('identity').hidden) return { token };
  const [email, name] = [byId('email'), byId('name')];
  // The browser itself says what is missing.
  if (!email.reportValidity() || !name.reportValidity()) throw new DOMException('Incomplete', 'AbortError');
  return { token, email: email.value, name: name.value };
}

const enter = () => location.replace('/console');

try {
  if (token === '')
    throw new Refused(404, { detail: 'This link is incomplete. Open the whole link of your invitation.' });
  const person = await call('POST', '/invitation/person', { token });
  byId('organization').textContent = person.organizationName;
  byId('welcome').textContent = person.name === '' ? 'Welcome' : `Welcome, ${person.name}`;
  byId('username').value = person.email;
  byId('identity').hidden = person.email !== '';
  byId('provider').hidden = !person.hasProvider;
  byId('by-passkey').hidden = !hasPasskeys();
  byId('set-up').hidden = false;
} catch (error) {
  byId('welcome').textContent = 'Invitation';
  say(error.message);
}

const button = byId('passkey');
button.addEventListener(
  'click',
  doing(button, async () => {
    const { step, options } = await call('POST', '/invitation/passkey-options', who());
    const credential = await createPasskey(options);
    await call('POST', '/invitation/passkey', { ...who(), step, credential, passkeyName: 'Passkey' });
    enter();
  }),
);

const start = byId('start-password');
start.addEventListener(
  'click',
  doing(start, async () => {
    codes = await call('POST', '/invitation/codes', who());
    drawQr(byId('qr'), codes.qr);
    byId('secret').textContent = codes.secret.match(/.{4}/g).join(' ');
    if (!byId('identity').hidden) byId('username').value = byId('email').value;
    form.hidden = false;
    start.hidden = true;
    byId('password').focus();
  }),
);

revealing(byId('reveal'), byId('password'));
form.addEventListener(
  'submit',
  doing(form, async () => {
    const { password, code } = form.elements;
    const body = { ...who(), step: codes.step, password: password.value, code: code.value };
    const { recoveryCodes } = await call('POST', '/invitation/password', body);
    form.reset();
    byId('set-up').hidden = true;
    byId('welcome').hidden = true;
    await showRecoveryCodes(recoveryCodes);
    enter();
  }),
);

const provider = byId('use-provider');
provider.addEventListener(
  'click',
  doing(provider, async () => {
    const { url } = await call('POST', '/invitation/provider', { token });
    location.assign(url);
  }),
);
