/** The parts that the pages share: calling the service, saying what happened, passkeys. */

export const byId = (id) => document.getElementById(id);
export const prefix = document.querySelector('meta[name="daybook-prefix"]').content;

export class Refused extends Error {
  constructor(status, problem) {
    super(problem.errors?.[0]?.detail ?? problem.detail ?? 'The service did not answer as expected. Try again.');
    this.status = status;
    this.code = problem.code ?? '';
    this.member = problem.errors?.[0]?.pointer?.slice(1) ?? null;
  }
}

/** The data of the answer. Without a connection, or with a problem, it throws `Refused`. */
export async function call(method, path, body, headers = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Refused(0, { detail: 'The service cannot be reached. Check your connection and try again.' });
  }
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, json);
  return json.data;
}

/** Says it where screen readers announce it, and brings it into view. */
export function say(text, kind = 'bad') {
  const notice = byId('notice');
  notice.className = `notice ${kind}`;
  notice.textContent = text;
  if (text !== '') notice.scrollIntoView({ block: 'nearest' });
}

/** Says what is wrong with a field below the field, and goes there. */
function sayAt(field, text) {
  const fault = document.createElement('p');
  fault.id = `${field.id}-fault`;
  fault.className = 'fault';
  fault.setAttribute('role', 'alert');
  field.after(fault);
  fault.textContent = text;
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-errormessage', fault.id);
  field.focus();
}

export function forgetFaults() {
  for (const fault of document.querySelectorAll('.fault')) fault.remove();
  for (const field of document.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    field.removeAttribute('aria-errormessage');
  }
}

/** Runs `work` once at a time while its buttons are off, and says what it is refused with. */
export function doing(element, work) {
  return async (event) => {
    event?.preventDefault();
    const buttons = element.matches('form') ? element.querySelectorAll('button') : [element];
    const focused = document.activeElement;
    for (const button of buttons) button.disabled = true;
    forgetFaults();
    say('');
    try {
      await work(event);
    } catch (error) {
      if (error?.name === 'AbortError') return;
      const isRefused = error instanceof Refused;
      const field =
        isRefused && error.member !== null ? document.querySelector(`[name="${CSS.escape(error.member)}"]`) : null;
      if (field === null) say(isRefused ? error.message : passkeyMessage(error));
      else sayAt(field, error.message);
    } finally {
      for (const button of buttons) button.disabled = false;
      // A button that is off loses the focus, and with it a keyboard its place.
      if (document.activeElement === document.body && focused?.isConnected) focused.focus();
    }
  };
}

function passkeyMessage(error) {
  if (error?.name === 'NotAllowedError') return 'The passkey was cancelled, or it took too long. Try again.';
  if (error?.name === 'InvalidStateError') return 'This device already has a passkey for you.';
  if (error?.name === 'SecurityError') return 'Passkeys work only over https, and at the name of this service.';
  return 'That did not work. Try again.';
}

/** The page to go to after signing in: one of our own, never another address. */
export function nextPage() {
  const next = new URLSearchParams(location.search).get('next');
  // A page of ours, and no other address: somebody else may have written the link.
  return next === '/account' || /^\/console(?:[/?][\w\-/?=&%.,:+]{0,1000})?$/.test(next ?? '') ? next : '/console';
}

// ---- organizations ----

const KNOWN = 'daybook-organizations';

/** The organizations that somebody has signed in to in this browser, the last one first: `{ organizationId, name }`. */
export function knownOrganizations() {
  try {
    const kept = JSON.parse(localStorage.getItem(KNOWN) ?? '[]');
    return kept.filter(({ organizationId, name }) => typeof organizationId === 'string' && typeof name === 'string');
  } catch {
    return [];
  }
}

/** The page for signing in offers it from now on. Only for somebody who has signed in, or holds an invitation. */
export function rememberOrganization({ organizationId, name }) {
  const others = knownOrganizations().filter((one) => one.organizationId !== organizationId);
  localStorage.setItem(KNOWN, JSON.stringify([{ organizationId, name }, ...others].slice(0, 5)));
}

/** After signing in, whatever the way: the service says to which organization. */
export async function rememberSession() {
  await call('GET', `${prefix}/session`)
    .then(({ organization }) => rememberOrganization(organization))
    .catch(() => {});
}

// ---- passkeys ----

/** Passkeys belong to a name: at an address such as 127.0.0.1 browsers have none. */
const isNamed = !/^[\d.]+$|^\[/.test(location.hostname);
export const hasPasskeys = () =>
  isNamed && window.PublicKeyCredential !== undefined && navigator.credentials !== undefined;
if (!isNamed && byId('nameless') !== null) byId('nameless').hidden = false;

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const toText = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export async function createPasskey(options) {
  const credential = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: toBytes(options.challenge),
      user: { ...options.user, id: toBytes(options.user.id) },
      excludeCredentials: (options.excludeCredentials ?? []).map((one) => ({ ...one, id: toBytes(one.id) })),
    },
  });
  const { response } = credential;
  return {
    ...described(credential),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}

/** With `mediation: 'conditional'` the browser offers the passkey in the field of the e-mail address. */
export async function usePasskey(options, more = {}) {
  const credential = await navigator.credentials.get({
    publicKey: { ...options, challenge: toBytes(options.challenge), allowCredentials: [] },
    ...more,
  });
  const { response } = credential;
  return {
    ...described(credential),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: response.userHandle ? toText(response.userHandle) : undefined,
    },
  };
}

function described(credential) {
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
  };
}

// ---- parts of several pages ----

/** The QR code as a picture, drawn from the modules that the service sends. */
export function drawQr(element, { size, path }) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'QR code for your authenticator app');
  const drawn = document.createElementNS(space, 'path');
  drawn.setAttribute('d', path);
  drawn.setAttribute('fill', '#000');
  svg.append(drawn);
  element.replaceChildren(svg);
}

/** Shows recovery codes, once. Resolves when the person says that they are kept. */
export function showRecoveryCodes(codes) {
  byId('codes').replaceChildren(...codes.map((code) => listItem(code)));
  byId('recovery').hidden = false;
  byId('recovery-title').focus();
  byId('copy-codes').onclick = async () => {
    try {
      await navigator.clipboard.writeText(codes.join('\n'));
      say('The codes are copied.', 'good');
    } catch {
      say('The browser did not allow copying. Select the codes and copy them, or print them.');
    }
  };
  byId('print-codes').onclick = () => window.print();
  return new Promise((resolve) => {
    byId('codes-kept').onclick = resolve;
  });
}

export function listItem(text) {
  const item = document.createElement('li');
  item.textContent = text;
  return item;
}

/** Shows and hides what is typed into a password field. */
export function revealing(button, input) {
  button.addEventListener('click', () => {
    const shown = input.type === 'text';
    input.type = shown ? 'password' : 'text';
    button.textContent = shown ? 'Show password' : 'Hide password';
  });
}

/** `Nov 15, 2026`, with the exact time for those who point at it. */
export function dateElement(iso) {
  const time = document.createElement('time');
  time.dateTime = iso;
  time.title = iso;
  time.textContent = new Date(iso).toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric' });
  return time;
}
