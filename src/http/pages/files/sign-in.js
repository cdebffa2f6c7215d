import {
  byId,
  call,
  doing,
  hasPasskeys,
  knownOrganizations,
  nextPage,
  prefix,
  rememberSession,
  say,
  usePasskey,
} from './page.js';

const form = byId('password-form');
const parameters = new URLSearchParams(location.search);
const enter = () => location.replace(nextPage());

// ---- the organization ----

const OTHER = '';
const linked = parameters.get('organization') ?? '';
const choice = byId('known-organization');
const known = knownOrganizations();
if (known.length > 0) {
  choice.append(...known.map(({ organizationId, name }) => new Option(name, organizationId)));
  choice.append(new Option('Another organization', OTHER));
  byId('known').hidden = false;
}
if (linked !== '') {
  choice.value = known.some(({ organizationId }) => organizationId === linked) ? linked : OTHER;
  form.elements.organizationId.value = linked;
}
byId('organizations').open = known.length > 0 || linked !== '';
choice.addEventListener('change', showChoice);
showChoice();

function showChoice() {
  byId('other').hidden = known.length > 0 && choice.value !== OTHER;
}

/** The id of the organization to sign in to; none: the service knows one only. */
function organizationNamed() {
  const id = byId('other').hidden ? choice.value : form.elements.organizationId.value.trim();
  return id === '' ? {} : { organizationId: id };
}

// ---- password and code ----

form.addEventListener(
  'submit',
  doing(form, async () => {
    const { email, password, code } = form.elements;
    const body = { email: email.value, password: password.value, code: code.value, ...organizationNamed() };
    try {
      await call('POST', '/sign-in/password', body);
    } catch (error) {
      code.value = '';
      if (error.member === 'organizationId') byId('organizations').open = true;
      throw error;
    }
    await rememberSession();
    enter();
  }),
);

// ---- passkeys ----

const button = byId('passkey');
let offered = null;

async function passkey(more) {
  const { step, options } = await call('POST', '/sign-in/passkey-options', {});
  const credential = await usePasskey(options, more);
  await call('POST', '/sign-in/passkey', { step, credential });
  await rememberSession();
  enter();
}

if (hasPasskeys()) {
  button.addEventListener(
    'click',
    doing(button, async () => {
      offered?.abort();
      await passkey({});
    }),
  );
  offerPasskey();
} else {
  byId('by-passkey').hidden = true;
}

/** Offers passkeys in the field of the e-mail address, if the browser can. */
async function offerPasskey() {
  const can = await window.PublicKeyCredential.isConditionalMediationAvailable?.().catch(() => false);
  if (!can) return;
  offered = new AbortController();
  try {
    await passkey({ mediation: 'conditional', signal: offered.signal });
  } catch {
    // Nothing was asked for, so nothing is said.
  }
}

// ---- the organization's own sign-in ----

const provider = byId('provider-form');
const { organization } = provider.elements;
organization.value = linked || (localStorage.getItem('daybook-organization') ?? '');
if (organization.value !== '') byId('provider').open = true;

provider.addEventListener(
  'submit',
  doing(provider, async () => {
    const organizationId = organization.value.trim();
    // Whoever signs in again has to prove who they are: the provider must not rely on an earlier proof.
    const { url } = await call('POST', '/sign-in/provider', { organizationId, again: parameters.has('again') });
    localStorage.setItem('daybook-organization', organizationId);
    sessionStorage.setItem('daybook-next', nextPage());
    location.assign(url);
  }),
);

// A person who is signed in already comes here by a link from another site, with which the cookie is not sent.
if (!parameters.has('again')) {
  call('GET', `${prefix}/session`)
    .then(enter)
    .catch(() => {
      if (parameters.has('ended')) say('Your session has ended. Sign in to continue where you left off.', 'info');
    });
} else {
  say('Sign in again to continue.', 'info');
}
