import {
  byId,
  call,
  createPasskey,
  doing,
  drawQr,
  forgetFaults,
  hasPasskeys,
  Refused,
  rememberOrganization,
  revealing,
  say,
  showRecoveryCodes,
} from './page.js';

const token = location.hash.slice(1);
const form = byId('password-form');
const start = byId('start-password');
let codes = null;
let hasProvider = false;

/** The person; the invitation of the first start has neither address nor name, and asks for both. */
function who() {
  if (byId('identity').hidden) return { token };
  const [email, name] = [byId('email'), byId('name')];
  // The browser itself says what is missing.
  if (!email.reportValidity() || !name.reportValidity()) throw new DOMException('Incomplete', 'AbortError');
  return { token, email: email.value, name: name.value };
}

let organization = null;

function enter() {
  if (organization !== null) rememberOrganization(organization);
  location.replace('/console');
}

try {
  if (token === '')
    throw new Refused(404, { detail: 'This link is incomplete. Open the full link from your invitation.' });
  const person = await call('POST', '/invitation/person', { token });
  organization = { organizationId: person.organizationId, name: person.organizationName };
  byId('intro').textContent =
    person.email === ''
      ? `You become the administrator of ${person.organizationName}. Enter your details and choose how you sign in.`
      : `Choose how you sign in to ${person.organizationName}.`;
  byId('welcome').textContent = person.name === '' ? 'Welcome' : `Welcome, ${person.name}`;
  byId('username').value = person.email;
  byId('identity').hidden = person.email !== '';
  hasProvider = person.hasProvider;
  choose(false);
  byId('set-up').hidden = false;
} catch (error) {
  byId('back').hidden = false;
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

start.addEventListener(
  'click',
  doing(start, async () => {
    codes = await call('POST', '/invitation/codes', who());
    drawQr(byId('qr'), codes.qr);
    byId('secret').textContent = codes.secret.match(/.{4}/g).join(' ');
    if (!byId('identity').hidden) byId('username').value = byId('email').value;
    choose(true);
    byId('password').focus();
  }),
);

byId('cancel-password').addEventListener('click', () => {
  form.reset();
  forgetFaults();
  choose(false);
  start.focus();
});

/** One way at a time: the form of the password, or the choice between all. */
function choose(hasChosenPassword) {
  form.hidden = !hasChosenPassword;
  start.hidden = hasChosenPassword;
  byId('by-passkey').hidden = hasChosenPassword || !hasPasskeys();
  byId('provider').hidden = hasChosenPassword || !hasProvider;
}

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
