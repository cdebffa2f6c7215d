/** The pages for signing in, in a real browser with a virtual authenticator, as people use them. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { shoot, withoutBrowser } from '../support/browser.ts';
import { testProvider } from '../support/oidc.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { codeNow, fromBase32, invite, PASSWORD } from '../support/sign-in.ts';
import { usualTest as it, slowTest } from '../support/whole.ts';

describe.skipIf(withoutBrowser)('the pages for signing in', () => {
  let app: TestApp;
  let browser: SharedBrowser;
  let context: BrowserContext;
  let page: Page;
  let devtools: CDPSession;
  let authenticatorId: string;
  /** Passkeys belong to a name, and not to an address. */
  let origin: string;
  const elsewhere: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
    origin = `http://localhost:${app.port}`;
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1_000, height: 800 }, colorScheme: 'light' });
    // The virtual authenticator answers at once what a person would first have to choose: one test lets it.
    await context.addInitScript(
      'if (window.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => window.offersPasskeys === true',
    );
    page = await context.newPage();
    watch(page);
    devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const options = { ...AUTHENTICATOR, automaticPresenceSimulation: true };
    ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options }));
  });
  afterEach(async () => {
    await context.close();
    expect(elsewhere.splice(0), 'another host').toEqual([]);
    expect(complaints.splice(0), 'what the page violates').toEqual([]);
  });

  function watch(watched: Page): void {
    watched.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) elsewhere.push(request.url());
    });
    watched.on('console', (message) => {
      // A browser itself reports each answer of 4xx.
      if (['error', 'warning'].includes(message.type()) && !/status of 4\d\d/.test(message.text()))
        complaints.push(message.text());
    });
    watched.on('pageerror', (error) => complaints.push(error.message));
  }

  const field = (label: string) => page.getByLabel(label, { exact: true });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const heading = (name: string | RegExp) => page.getByRole('heading', { name });
  /** In the console, which says who one is. */
  const signedInAs = (name: string) => page.getByRole('button', { name: `${name}: account and settings` });
  async function signOut(name: string): Promise<void> {
    await signedInAs(name).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in').waitFor();
  }
  const notice = () => page.getByRole('alert');
  const cookies = async () => (await context.cookies(origin)).map(({ name, value }) => `${name}=${value}`).join('; ');
  const session = async (cookie: string) =>
    (await app.call('GET', '/v2/chain/session', { headers: { cookie } })).status;

  async function acceptWithPassword(token: string): Promise<{ secret: Buffer; codes: string[] }> {
    // An address that differs in its fragment alone would not be loaded again.
    await page.goto('about:blank');
    await page.goto(`${origin}/invitation#${token}`);
    await press('Use a password and an authenticator app');
    const secret = fromBase32((await page.locator('#secret:not(:empty)').textContent())?.replaceAll(' ', '') ?? '');
    await field('Password').fill(PASSWORD);
    await field('Code').fill(codeNow(app, secret));
    await press('Save password');
    await heading('Your recovery codes').waitFor();
    return { secret, codes: await page.locator('#codes li').allTextContents() };
  }

  slowTest(
    'the first person of an organization gives address and name, and is its administrator',
    async () => {
      const first = await app.access.createFirstUser(app.organizationId);
      await page.goto(`${origin}/invitation#${first?.token}`);
      await heading('Welcome').waitFor();
      await press('Create a passkey');
      expect(await page.evaluate('document.activeElement.id'), 'what is missing').toBe('email');
      await field('E-mail address').fill('ada@harbor.example');
      await field('Name').fill(' ');
      await press('Create a passkey');
      await expect.poll(() => notice().textContent()).toContain('The name must be');
      await field('Name').fill('Ada Byron');
      await shoot(page, 'invitation-first');
      await press('Create a passkey');
      await signedInAs('Ada Byron').waitFor();
      await page.getByRole('link', { name: 'Administration' }).first().waitFor();
    },
    60_000,
  );

  slowTest(
    'the organization’s own provider: away from this site and back, into a session whose cookie is strict',
    async () => {
      const provider = await testProvider([`${origin}/sign-in/callback/${app.organizationId}`]);
      try {
        const asked = { issuer: provider.issuer, ...provider.client, allowedDomains: [] };
        await app.signIn.provider.set(app.organizationId, asked, async () => {});
        const { token } = await invite(app, 'pro@harbor.example', 'Pro Vider');
        provider.accounts.set('pro', { email: 'pro@harbor.example', email_verified: true });
        provider.signsIn.accountId = 'pro';
        await page.goto(`${origin}/invitation#${token}`);
        await press('Use your organization’s sign-in');
        await signedInAs('Pro Vider').waitFor();
        expect(page.url()).toBe(`${origin}/console`);
        await signOut('Pro Vider');

        await page.goto(`${origin}/sign-in?organization=${app.organizationId}&next=/account`);
        await shoot(page, 'sign-in-provider');
        await press('Continue');
        await page.getByText('You can also sign in with your organization’s provider.').waitFor();
        expect(page.url()).toBe(`${origin}/account`);
        expect(await context.cookies(origin)).toMatchObject([
          { name: 'daybook_session', sameSite: 'Strict', httpOnly: true },
        ]);

        await context.clearCookies();
        provider.signsIn.accountId = null;
        await page.goto(`${origin}/sign-in`);
        await press('Continue');
        await expect.poll(() => notice().textContent()).toContain('You could not be signed in');
        expect(page.url(), 'nothing of the answer stays in the history').toBe(
          `${origin}/sign-in/callback/${app.organizationId}`,
        );
        await shoot(page, 'callback-refused');
        // The way to the provider and back is the only one to another host.
        expect(elsewhere.filter((url) => !url.startsWith(provider.issuer))).toEqual([]);
        elsewhere.length = 0;
      } finally {
        provider.close();
      }
    },
    60_000,
  );

  it('an invitation makes a passkey; it signs out, in again, and is removed once there is another way', async () => {
    const { token } = await invite(app, 'robin@harbor.example', 'Robin Ellis', ['agent']);
    await page.goto(`${origin}/invitation#${token}`);
    await heading('Welcome, Robin Ellis').waitFor();
    await shoot(page, 'invitation');
    await press('Create a passkey');
    await signedInAs('Robin Ellis').waitFor();
    await page.getByRole('link', { name: 'Loans', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Administration' }).count(), 'what the role does not allow').toBe(0);
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);

    const before = await cookies();
    await signOut('Robin Ellis');
    await heading('Sign in').waitFor();
    expect(await session(before), 'the session has ended').toBe(401);
    await page.goto(`${origin}/console`);
    await heading('Sign in').waitFor();
    await shoot(page, 'sign-in');
    await press('Sign in with a passkey');
    await signedInAs('Robin Ellis').waitFor();

    await signedInAs('Robin Ellis').click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await heading('Robin Ellis').waitFor();
    await press('Remove Passkey');
    await expect.poll(() => notice().textContent()).toContain('last way to sign in');

    const other = await cookies();
    await press('Set a password');
    const secret = fromBase32((await page.locator('#secret:not(:empty)').textContent())?.replaceAll(' ', '') ?? '');
    await shoot(page, 'account');
    await field('Password').fill(PASSWORD);
    await field('Code').fill(codeNow(app, secret));
    await press('Save password');
    await heading('Your recovery codes').waitFor();
    await press('I have saved them');
    await expect.poll(() => notice().textContent()).toContain('The password is set');
    expect(await session(other), 'the session before the change').toBe(401);
    await press('Remove Passkey');
    await page.getByText('None yet.').waitFor();
    await press('Sign out everywhere');
    await heading('Sign in').waitFor();
    await press('Sign in with a passkey');
    await expect.poll(() => notice().textContent()).toContain('The passkey was not accepted');
  }, 60_000);

  slowTest(
    'where the browser can, the passkey is offered in the field of the e-mail address',
    async () => {
      const { token } = await invite(app, 'offered@harbor.example', 'Offa Red');
      await page.goto(`${origin}/invitation#${token}`);
      await press('Create a passkey');
      await signedInAs('Offa Red').waitFor();
      await context.clearCookies();
      await page.addInitScript('window.offersPasskeys = true');
      await page.goto(`${origin}/sign-in`);
      await signedInAs('Offa Red').waitFor();
    },
    60_000,
  );

  slowTest(
    'a passkey answers one challenge, within five minutes, and only for the site that it was made for',
    async () => {
      const { token, userId } = await invite(app, 'replayed@harbor.example', 'Ray Played');
      await page.goto(`${origin}/invitation#${token}`);
      await press('Create a passkey');
      await signedInAs('Ray Played').waitFor();
      await context.clearCookies();
      await page.goto(`${origin}/sign-in`);
      /** The request of the page, taken before it is sent. */
      const answerOf = async () => {
        let taken = '';
        await page.route('**/sign-in/passkey', (route) => {
          taken = route.request().postData() ?? '';
          return route.abort();
        });
        await press('Sign in with a passkey');
        await expect.poll(() => taken).not.toBe('');
        await page.unroute('**/sign-in/passkey');
        return JSON.parse(taken);
      };
      const send = (body: object, from = origin) => fetchAs(new URL(from), '/sign-in/passkey', body);
      const used = await answerOf();
      expect((await send(used)).status).toBe(200);
      expect((await send(used)).status, 'replayed').toBe(401);
      const late = await answerOf();
      app.clock.now += 5 * 60_000;
      expect((await send(late)).status, 'too late').toBe(401);
      const foreign = await answerOf();
      expect((await send(foreign, app.url)).status, 'sent to another name of the service').toBe(401);
      const changed = await answerOf();
      changed.credential.response.signature = Buffer.alloc(70, 1).toString('base64url');
      expect((await send(changed)).status, 'another signature').toBe(401);
      const cloned = await answerOf();
      await app.db.query('UPDATE passkeys SET counter = 1000 WHERE user_id = $1', [userId]);
      expect((await send(cloned)).status, 'a counter that went back').toBe(401);
      complaints.length = 0;
    },
    60_000,
  );

  /** As the page sends it: a program cannot choose its Host with fetch. */
  function fetchAs({ origin: from, host }: URL, path: string, body: object): Promise<{ status: number }> {
    return new Promise((resolve, reject) => {
      const headers = { origin: from, host, 'content-type': 'application/json' };
      const asked = request({ port: app.port, host: '127.0.0.1', method: 'POST', path, headers }, (answer) => {
        answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0 }));
      });
      asked.on('error', reject).end(JSON.stringify(body));
    });
  }

  slowTest(
    'a second passkey is added under a name, and the account changes only within five minutes of signing in',
    async () => {
      const { token } = await invite(app, 'second@harbor.example', 'Kim Second');
      await acceptWithPassword(token);
      await page.goto(`${origin}/account`);
      await field('Name of a new passkey').fill('Work laptop');
      await press('Add a passkey');
      await page.getByText('Work laptop').waitFor();
      app.clock.now += 6 * 60_000;
      await press('Remove Work laptop');
      await expect.poll(() => notice().textContent()).toContain('Sign in again first');
      await press('Sign in again');
      await heading('Sign in').waitFor();
      await press('Sign in with a passkey');
      await heading('Kim Second').waitFor();
      await press('Remove Work laptop');
      await page.getByText('None yet.').waitFor();
    },
    60_000,
  );

  it('a password and a code: set up by an invitation, shown recovery codes, signed in, mistakes announced', async () => {
    const { token } = await invite(app, 'noor@harbor.example', 'Noor Haddad', ['administrator']);
    await page.goto(`${origin}/invitation#${token}`);
    await press('Use a password and an authenticator app');
    await field('Password').fill('password12345');
    await shoot(page, 'invitation-password');
    await field('Code').fill('000000');
    await press('Save password');
    await expect.poll(() => notice().textContent()).toContain('easy to guess');
    expect(await field('Password').getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.id'), 'where the mistake is').toBe('password');
    await press('Cancel');
    await page.getByRole('button', { name: 'Create a passkey' }).waitFor();
    expect(await notice().count(), 'a mistake that is left behind').toBe(0);
    const { secret, codes } = await acceptWithPassword(token);
    expect(codes).toHaveLength(10);
    await shoot(page, 'recovery-codes');
    await press('I have saved them');
    await signOut('Noor Haddad');

    app.clock.now += 60_000;
    const enter = async (password: string, code: string) => {
      await field('E-mail address').fill('Noor@Harbor.example');
      await field('Password').fill(password);
      await field('Code').fill(code);
      await page.keyboard.press('Enter');
    };
    await enter('not the password', codeNow(app, secret));
    await expect.poll(() => notice().textContent()).toBe('The e-mail address, the password or the code is wrong.');
    await shoot(page, 'sign-in-wrong');
    await enter(PASSWORD, codeNow(app, secret));
    await signOut('Noor Haddad');
    await heading('Sign in').waitFor();
    const [{ organizationId, name } = { organizationId: '', name: '' }] = await app.access.listOrganizations();
    const offered = field('Sign in to');
    expect(await offered.locator('option').allTextContents()).toEqual([name, 'Another organization']);
    await offered.selectOption('Another organization');
    await field('Organization id').fill('org_of_somebody_else');
    await enter(PASSWORD, codes[1] ?? '');
    await expect.poll(() => notice().textContent()).toContain('is wrong');
    await offered.selectOption(name);
    await enter(PASSWORD, codes[0] ?? '');
    await signedInAs('Noor Haddad').waitFor();
    // The organization is remembered, and nothing of the person.
    const remembered = { 'daybook-organizations': JSON.stringify([{ organizationId, name }]) };
    expect(await page.evaluate('[document.cookie, { ...localStorage }, { ...sessionStorage }]')).toEqual([
      '',
      remembered,
      {},
    ]);
  }, 60_000);

  slowTest(
    'a used invitation and one without a token say so, and the fields are those that password managers know',
    async () => {
      const { token } = await invite(app, 'used@harbor.example');
      await acceptWithPassword(token);
      await page.goto('about:blank');
      await page.goto(`${origin}/invitation#${token}`);
      await expect.poll(() => notice().textContent()).toContain('expired or was used');
      await page.getByRole('link', { name: 'Go to sign in' }).waitFor();
      await shoot(page, 'invitation-used');
      await page.goto('about:blank');
      await page.goto(`${origin}/invitation`);
      await expect.poll(() => notice().textContent()).toContain('incomplete');
      await context.clearCookies();
      await page.goto(`${origin}/sign-in`);
      const kinds = await page.evaluate(
        "[...document.querySelectorAll('#password-form input')].map((one) => one.autocomplete)",
      );
      expect(kinds).toEqual(['username webauthn', 'current-password', 'one-time-code', 'off']);
    },
    60_000,
  );

  slowTest(
    'fits a phone and is dark where the system is',
    async () => {
      const { token } = await invite(app, 'phone@harbor.example', 'Alexandria Montgomery-Featherstonehaugh');
      await acceptWithPassword(token);
      await page.setViewportSize({ width: 360, height: 700 });
      for (const path of [
        '/sign-in?again',
        '/account',
        '/console',
        `/invitation#${token}`,
        '/sign-in/callback/org_x',
      ]) {
        await page.goto('about:blank');
        await page.goto(origin + path);
        await page.getByRole('heading').first().waitFor();
        const isWide = (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) as boolean;
        expect(isWide, path).toBe(false);
        const brightness = async (colorScheme: 'light' | 'dark') => {
          await page.emulateMedia({ colorScheme });
          const color: string = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
          return (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
        };
        // A page may notice the change of the system a moment later.
        await expect.poll(() => brightness('light'), { message: path }).toBeGreaterThan(700);
        await expect.poll(() => brightness('dark'), { message: path }).toBeLessThan(100);
      }
    },
    60_000,
  );

  slowTest(
    'a page of another origin can neither use a session nor sign somebody in, by a form or by a script',
    async () => {
      const { token, userId } = await invite(app, 'victim@harbor.example', 'Vic Tim');
      const { secret } = await acceptWithPassword(token);
      app.clock.now += 60_000;
      const kept = () =>
        app.db.query('SELECT code_hash FROM recovery_codes WHERE user_id = $1 ORDER BY code_hash', [userId]);
      const [before, cookie] = [await kept(), await cookies()];
      const steal = JSON.stringify({ email: 'victim@harbor.example', password: PASSWORD, code: codeNow(app, secret) });
      const server = createServer((_, response) => {
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>evil</title><body></body>');
      });
      await new Promise<void>((resolve) => server.listen(0, resolve));
      const { port } = server.address() as AddressInfo;
      try {
        // Another site, and another origin of the same site, to which browsers do send the cookie.
        for (const evil of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
          const foreign = await context.newPage();
          await foreign.goto(evil);
          const tried = (await foreign.evaluate(`(async () => {
          const outcomes = [];
          for (const path of ['/account/recovery-codes', '/v2/chain/sign-out', '/sign-in/password']) {
            for (const type of ['application/json', 'text/plain']) {
              for (const mode of ['cors', 'no-cors']) {
                const body = path === '/sign-in/password' ? ${JSON.stringify(steal)} : '{}';
                const init = { method: 'POST', mode, credentials: 'include', headers: { 'content-type': type }, body };
                outcomes.push(await fetch('${origin}' + path, init).then((answer) => answer.type, () => 'refused'));
              }
            }
          }
          return outcomes;
        })()`)) as string[];
          expect(tried).toHaveLength(12);
          expect(new Set(tried), 'no answer can be read').toEqual(new Set(['refused']));
          for (const path of ['/account/recovery-codes', '/v2/chain/sign-out', '/sign-in/password']) {
            await foreign.goto(evil);
            const [answer] = await Promise.all([
              foreign.waitForResponse((response) => response.url() === origin + path),
              foreign.evaluate(`(() => {
              const form = document.createElement('form');
              Object.assign(form, { method: 'POST', action: '${origin}${path}', enctype: 'text/plain' });
              const input = document.createElement('input');
              Object.assign(input, { name: '{"x":"', value: '"}' });
              form.append(input);
              document.body.append(form);
              form.submit();
            })()`),
            ]);
            expect(answer.status(), path).toBeGreaterThanOrEqual(400);
            expect(answer.headers()['set-cookie']).toBeUndefined();
            await foreign.waitForURL(origin + path);
          }
          await foreign.close();
        }
        expect(await kept()).toEqual(before);
        expect(await cookies()).toBe(cookie);
        expect(await session(cookie)).toBe(200);
      } finally {
        server.close();
      }
    },
    60_000,
  );

  slowTest(
    'whoever is signed in comes from another site by a link, without the cookie, and is let through',
    async () => {
      const { token } = await invite(app, 'linked@harbor.example', 'Lin Ked');
      await acceptWithPassword(token);
      const server = createServer((_, response) => {
        response.setHeader('content-type', 'text/html').end(`<!doctype html><a href="${origin}/console">console</a>`);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const foreign = await context.newPage();
        await foreign.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        await foreign.getByRole('link').click();
        await foreign.getByRole('button', { name: 'Lin Ked: account and settings' }).waitFor();
      } finally {
        server.close();
      }
    },
    60_000,
  );
});

/** One that is built in, keeps passkeys, and has just seen its owner. */
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
} as const;
