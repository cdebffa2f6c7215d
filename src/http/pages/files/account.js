import {
  byId,
  call,
  createPasskey,
  dateElement,
  doing,
  drawQr,
  forgetFaults,
  hasPasskeys,
  listItem,
  prefix,
  revealing,
  say,
  showRecoveryCodes,
} from './page.js';

let session = null;
let codes = null;
const again = () => location.assign('/sign-in?next=/account&again');

/** A call in the session's name. Where it needs a fresh proof, the person signs in again and comes back. */
async function change(path, body) {
  try {
    return await call('POST', path, body, { 'X-CSRF-Token': session.csrfToken });
  } catch (error) {
    if (error.status === 401) location.replace('/sign-in?next=/account');
    if (error.code === 'proof_required') byId('stale').hidden = false;
    throw error;
  } finally {
    // Every change ends the session and begins another, which has a token of its own.
    session = await call('GET', `${prefix}/session`).catch(() => session);
  }
}

async function show() {
  const account = await call('GET', '/account/means');
  byId('person').textContent = session.name;
  byId('email').textContent = session.email;
  byId('username').value = session.email;
  byId('organization').textContent = session.organization.name;
  byId('roles').textContent = session.roles.join(', ');
  byId('rights').textContent = session.scopes.join(', ');
  byId('limits').textContent = Object.entries(session.limits).map(limitText).join(', ') || 'Nothing';
  byId('passkeys').replaceChildren(...account.passkeys.map(passkeyRow));
  byId('no-passkeys').hidden = account.passkeys.length > 0;
  byId('add').hidden = !hasPasskeys();
  const has = account.passwordChangedAt !== null;
  byId('password-state').replaceChildren(
    ...(has ? ['Set on ', dateElement(account.passwordChangedAt), '.'] : ['No password is set.']),
  );
  byId('start-password').textContent = has ? 'Change password' : 'Set a password';
  byId('remove-password').hidden = !has;
  byId('recovery-section').hidden = !has;
  byId('codes-left').textContent = `${account.recoveryCodesLeft} of 10 are left. New codes replace all of them.`;
  byId('provider').hidden = !account.hasProvider;
  const { invitation } = account;
  byId('invited').hidden = invitation === null;
  if (invitation !== null) {
    byId('invited').replaceChildren(
      'An administrator made a new invitation for your account on ',
      dateElement(invitation.createdAt),
      '. Whoever opens its link takes over the account. If you did not ask for it, tell another administrator now.',
    );
  }
}

/** "waive fee above 50.00", "settle". */
function limitText([operation, { amount }]) {
  return operation.replaceAll('-', ' ') + (/[1-9]/.test(amount) ? ` above ${amount}` : '');
}

function passkeyRow({ passkeyId, name, createdAt, usedAt }) {
  const item = listItem('');
  const text = document.createElement('span');
  const when = document.createElement('span');
  when.className = 'quiet small';
  when.append('Added ', dateElement(createdAt), ...(usedAt === null ? [] : [', last used ', dateElement(usedAt)]));
  text.append(name, document.createElement('br'), when);
  const button = document.createElement('button');
  button.className = 'bad';
  button.textContent = 'Remove';
  button.setAttribute('aria-label', `Remove ${name}`);
  button.addEventListener(
    'click',
    doing(button, async () => {
      await change('/account/remove-passkey', { passkeyId });
      await show();
      say('The passkey is removed.', 'good');
    }),
  );
  item.append(text, button);
  return item;
}

try {
  session = await call('GET', `${prefix}/session`);
  await show();
  byId('account').hidden = false;
} catch (error) {
  if (error.status === 401) location.replace('/sign-in?next=/account');
  else say(error.message);
}

byId('sign-in-again').addEventListener('click', again);

const add = byId('add');
add.addEventListener(
  'submit',
  doing(add, async () => {
    const { step, options } = await change('/account/passkey-options', {});
    const credential = await createPasskey(options);
    await change('/account/passkey', {
      step,
      credential,
      passkeyName: add.elements.passkeyName.value.trim() || 'Passkey',
    });
    add.reset();
    await show();
    say('The passkey is added.', 'good');
  }),
);

const form = byId('password-form');
const start = byId('start-password');
start.addEventListener(
  'click',
  doing(start, async () => {
    codes = await change('/account/codes', {});
    drawQr(byId('qr'), codes.qr);
    byId('secret').textContent = codes.secret.match(/.{4}/g).join(' ');
    showPasswordForm(true);
    byId('password').focus();
  }),
);
byId('cancel-password').addEventListener('click', () => {
  form.reset();
  forgetFaults();
  showPasswordForm(false);
  start.focus();
});
function showPasswordForm(isShown) {
  form.hidden = !isShown;
  byId('password-actions').hidden = isShown;
}
revealing(byId('reveal'), byId('password'));
form.addEventListener(
  'submit',
  doing(form, async () => {
    const { password, code } = form.elements;
    const done = await change('/account/password', { step: codes.step, password: password.value, code: code.value });
    form.reset();
    showPasswordForm(false);
    await keep(done.recoveryCodes);
    say('The password is set.', 'good');
  }),
);

const without = byId('remove-password');
without.addEventListener(
  'click',
  doing(without, async () => {
    await change('/account/remove-password', {});
    await show();
    say('The password is removed.', 'good');
  }),
);

const renew = byId('new-codes');
renew.addEventListener(
  'click',
  doing(renew, async () => {
    await keep((await change('/account/recovery-codes', {})).recoveryCodes);
  }),
);

async function keep(recoveryCodes) {
  const [account, person] = [byId('account'), byId('person')];
  account.hidden = true;
  person.hidden = true;
  await showRecoveryCodes(recoveryCodes);
  byId('recovery').hidden = true;
  byId('codes').replaceChildren();
  account.hidden = false;
  person.hidden = false;
  await show();
}

for (const id of ['sign-out', 'sign-out-everywhere']) {
  const button = byId(id);
  button.addEventListener(
    'click',
    doing(button, async () => {
      await call('POST', `${prefix}/${id}`, {}, { 'X-CSRF-Token': session.csrfToken });
      location.replace('/sign-in');
    }),
  );
}
