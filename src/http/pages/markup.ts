/** The markup of the pages. What each does is in `files/`. */

const MARK =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1d4ed8"/>' +
  '<path d="M16 10c-3-2-6-2-9-1v13c3-1 6-1 9 1 3-2 6-2 9-1V9c-3-1-6-1-9 1zm0 0v13" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>';
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%231d4ed8'/%3E" +
  "%3Cpath d='M16 10c-3-2-6-2-9-1v13c3-1 6-1 9 1 3-2 6-2 9-1V9c-3-1-6-1-9 1zm0 0v13' fill='none' stroke='%23fff' stroke-width='2' stroke-linejoin='round'/%3E%3C/svg%3E";

const NOTICE = '<div id="notice" class="notice" role="alert" aria-live="assertive"></div>';
const NAMELESS =
  '<p id="nameless" class="hint" hidden>Passkeys do not work at a numeric address. Open this service by its name, such as localhost.</p>';
const page = (title: string, script: string, body: string, kind = ''): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="daybook-prefix" content="{{prefix}}">
    <title>${title} · Daybook</title>
    <link rel="icon" href="${ICON}">
    <link rel="stylesheet" href="/pages/page.css">
    <script type="module" src="/pages/${script}.js"></script>
  </head>
  <body${kind === '' ? '' : ` class="${kind}"`}>
    <header>${MARK}<span>Daybook</span></header>
    <main>
${body}
      <noscript><p class="notice bad">This page needs JavaScript.</p></noscript>
    </main>
  </body>
</html>
`;

/** The password, the QR code of an authenticator app and its first code. */
const PASSWORD_FORM = `<form id="password-form" hidden>
          <input id="username" name="username" type="email" autocomplete="username" hidden>
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="200" aria-describedby="password-hint">
          <p id="password-hint" class="hint">At least 12 characters. A few unrelated words are easy to remember and hard to guess.</p>
          <p><button type="button" id="reveal">Show password</button></p>
          <p class="label">Authenticator app</p>
          <p class="hint">Scan this with an app such as 1Password, Google Authenticator or Microsoft Authenticator, then enter the code that it shows.</p>
          <div id="qr" class="qr"></div>
          <p class="hint">Or enter this secret in the app:</p>
          <p id="secret" class="secret"></p>
          <label for="code">Code</label>
          <input id="code" name="code" class="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="7">
          <button class="primary full">Save password</button>
          <button type="button" id="cancel-password" class="full">Cancel</button>
        </form>`;

const RECOVERY = `<div id="recovery" hidden>
        <h1 id="recovery-title" tabindex="-1">Your recovery codes</h1>
        <p>If you do not have your authenticator app, enter one of these in place of its code, with your password. Each works once. They are shown only now: print them, or save them in a password manager.</p>
        <ul id="codes" class="codes"></ul>
        <div class="actions">
          <button id="copy-codes">Copy</button>
          <button id="print-codes">Print</button>
          <button id="codes-kept" class="primary">I have saved them</button>
        </div>
      </div>`;

const SIGN_IN = page(
  'Sign in',
  'sign-in',
  `      <h1>Sign in</h1>
      ${NOTICE}
      <div id="by-passkey">
        <button id="passkey" class="primary full">Sign in with a passkey</button>
        <p class="or">or</p>
      </div>
      ${NAMELESS}
      <form id="password-form">
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="username webauthn" required maxlength="320" autofocus>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required maxlength="400">
        <label for="code">Code</label>
        <input id="code" name="code" class="code" autocomplete="one-time-code" required maxlength="64" aria-describedby="code-hint">
        <p id="code-hint" class="hint">From your authenticator app, or a recovery code.</p>
        <details id="organizations">
          <summary>Organization</summary>
          <div id="known" hidden>
            <label for="known-organization">Sign in to</label>
            <select id="known-organization"></select>
          </div>
          <div id="other">
            <label for="organization-id">Organization id</label>
            <input id="organization-id" name="organizationId" maxlength="128" autocomplete="off" spellcheck="false" aria-describedby="organization-id-hint">
            <p id="organization-id-hint" class="hint">Such as org_…. Leave it empty if you were given none. The sign-in link of your administrator has it.</p>
          </div>
        </details>
        <button class="full">Sign in</button>
      </form>
      <details id="provider">
        <summary>Use your organization’s sign-in</summary>
        <form id="provider-form">
          <label for="organization">Organization</label>
          <input id="organization" name="organization" required maxlength="128" autocomplete="off" spellcheck="false" aria-describedby="organization-hint">
          <p id="organization-hint" class="hint">The id of your organization, such as org_…. Ask your administrator for it.</p>
          <button class="full">Continue</button>
        </form>
      </details>
      <p class="hint">Lost every way to sign in? Ask an administrator of your organization for a new invitation.</p>`,
);

const CALLBACK = page(
  'Sign in',
  'callback',
  `      <h1>Sign in</h1>
      <p id="waiting" class="quiet" role="status">Signing you in…</p>
      ${NOTICE}
      <p id="back" hidden><a class="button" href="/sign-in?again">Back to sign in</a></p>`,
);

const INVITATION = page(
  'Invitation',
  'invitation',
  `      <h1 id="welcome">Invitation</h1>
      ${NOTICE}
      <p id="back" hidden><a class="button" href="/sign-in">Go to sign in</a></p>
      <div id="set-up" hidden>
        <p id="intro" class="quiet"></p>
        <div id="identity">
          <label for="email">E-mail address</label>
          <input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>
          <label for="name">Name</label>
          <input id="name" name="name" autocomplete="name" maxlength="200" required>
        </div>
        <div id="by-passkey">
          <button id="passkey" class="primary full">Create a passkey</button>
          <p class="hint">With your fingerprint, your face or the PIN of this device. There is nothing to remember, and it cannot be phished.</p>
          <p class="or">or</p>
        </div>
        ${NAMELESS}
        <button id="start-password" class="full">Use a password and an authenticator app</button>
        ${PASSWORD_FORM}
        <div id="provider" hidden>
          <p class="or">or</p>
          <button id="use-provider" class="full">Use your organization’s sign-in</button>
        </div>
      </div>
      ${RECOVERY}`,
);

const ACCOUNT = page(
  'Account',
  'account',
  `      <h1 id="person">Account</h1>
      ${NOTICE}
      <p id="stale" hidden><button id="sign-in-again" class="primary">Sign in again</button></p>
      <div id="account" hidden>
        <p id="invited" class="notice" hidden></p>
        <dl>
          <dt>E-mail address</dt><dd id="email"></dd>
          <dt>Organization</dt><dd id="organization"></dd>
          <dt>Roles</dt><dd id="roles"></dd>
          <dt>Rights</dt><dd id="rights"></dd>
          <dt>Needs approval</dt><dd id="limits"></dd>
        </dl>
        <p id="provider" class="hint" hidden>You can also sign in with your organization’s provider.</p>
        <p class="hint">You can change how you sign in within five minutes of signing in. A change signs you out elsewhere.</p>
        <section aria-labelledby="passkeys-title">
          <h2 id="passkeys-title">Passkeys</h2>
          <p id="no-passkeys" class="quiet">None yet.</p>
          <ul id="passkeys" class="rows"></ul>
          ${NAMELESS}
          <form id="add">
            <label for="passkey-name">Name of a new passkey</label>
            <input id="passkey-name" name="passkeyName" maxlength="100" placeholder="Work laptop" autocomplete="off">
            <div class="actions"><button>Add a passkey</button></div>
          </form>
        </section>
        <section aria-labelledby="password-title">
          <h2 id="password-title">Password and authenticator app</h2>
          <p id="password-state" class="quiet"></p>
          <div id="password-actions" class="actions">
            <button id="start-password"></button>
            <button id="remove-password" class="bad" hidden>Remove password</button>
          </div>
          ${PASSWORD_FORM}
        </section>
        <section id="recovery-section" aria-labelledby="recovery-codes-title">
          <h2 id="recovery-codes-title">Recovery codes</h2>
          <p id="codes-left" class="quiet"></p>
          <div class="actions"><button id="new-codes">Replace recovery codes</button></div>
        </section>
        <section aria-labelledby="sessions-title">
          <h2 id="sessions-title">Sessions</h2>
          <div class="actions">
            <button id="sign-out">Sign out</button>
            <button id="sign-out-everywhere">Sign out everywhere</button>
            <a class="button" href="/console">Back to the console</a>
          </div>
        </section>
      </div>
      ${RECOVERY}`,
  'wide',
);

/** In place of the public market where the operator has closed it. */
export const MARKET_CLOSED = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Market · Daybook</title>
    <link rel="icon" href="${ICON}">
    <link rel="stylesheet" href="/pages/page.css">
  </head>
  <body>
    <header>${MARK}<span>Daybook</span></header>
    <main>
      <h1>The public market is closed</h1>
      <p>The operator of this service does not show published loans to the public. Clients of an organization can read them through the API.</p>
      <p><a class="button" href="/docs/">API documentation</a></p>
    </main>
  </body>
</html>
`;

/** By path; `forPeople`: leads to `/sign-in` without a session. */
export const PAGES: Readonly<Record<string, { text: string; forPeople: boolean }>> = {
  '/sign-in': { text: SIGN_IN, forPeople: false },
  '/sign-in/callback/:organization_id': { text: CALLBACK, forPeople: false },
  '/invitation': { text: INVITATION, forPeople: false },
  '/account': { text: ACCOUNT, forPeople: true },
};
