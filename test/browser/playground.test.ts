/** The playground in a real browser, as a person uses it: enter token and key, try an operation, read the answer. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const there = existsSync(CHROMIUM);
// On a developer's machine the browser is optional; in CI its absence would hide a broken page.
if (!there && !process.env.CI) {
  console.warn(`No browser at ${CHROMIUM}, so the playground is not tried. Install chromium, or name one in CHROMIUM.`);
}

describe.skipIf(!there && !process.env.CI)('the playground', () => {
  let service: TestApp;
  let browser: Browser;
  let page: Page;
  const elsewhere: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    service = await testApp();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  afterEach(async () => {
    await page.close();
    // Nothing that a person types or reads here may reach another host, and the page violates none of its own policy.
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  const open = async (colorScheme: 'light' | 'dark') => {
    page = await browser.newPage({ colorScheme, viewport: { width: 1400, height: 900 } });
    page.on('request', (request) => {
      const own = [`${service.url}/`, 'data:', 'blob:'].some((origin) => request.url().startsWith(origin));
      if (!own) elsewhere.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Daybook' }).waitFor();
  };
  /** 0 (black) to 765 (white). */
  const brightness = async () => {
    const color: string = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    return (color.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  };
  const sendIn = async (dialog: Locator) => {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/v2/chain/me')),
      dialog.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    return { status: answer.status(), body: await answer.json() };
  };
  // Scalar's own example of a key, the only name that this field has.
  const keyFieldIn = (where: Page | Locator) => where.locator('input[placeholder^="QUxM"]').first();

  it('a person enters the token, tries GET /me, adds the key, tries again, and sees who the caller is', async () => {
    await open('light');
    expect(await brightness()).toBeGreaterThan(700);
    for (const name of ['Share', 'Deploy', 'Developer Tools', 'Generate MCP', 'Ask AI']) {
      expect(await page.getByText(name, { exact: true }).count(), `${name} leads to another company’s service`).toBe(0);
    }

    const token = await service.token();
    await page.getByPlaceholder('Token').first().fill(token);
    await page.getByText('Get the calling client').first().click();
    await page.getByRole('button', { name: /Test Request.*get \/v2\/chain\/me/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await sendIn(dialog)).toMatchObject({ status: 200, body: { data: { keyId: null } } });

    await keyFieldIn(dialog).fill(service.credentials.apiKey);
    const answer = await sendIn(dialog);
    expect(answer).toMatchObject({ status: 200, body: { data: { keyId: expect.stringMatching(/^key_/) } } });
    await dialog.getByText('200 OK').waitFor();
    await dialog.getByText(`"${service.credentials.clientId}"`).first().waitFor();

    // What was entered is gone with the page.
    const kept: string = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(service.credentials.apiKey);
    expect(kept).not.toContain(token);
  }, 60_000);

  it('is dark where the system is', async () => {
    await open('dark');
    expect(await brightness()).toBeLessThan(100);
  }, 60_000);
});

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
