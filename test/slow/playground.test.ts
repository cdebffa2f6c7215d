/** The playground in a real browser, as a person uses it: enter client id and secret, try an operation, read the answer. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { withoutBrowser } from '../support/browser.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { axe } from '../support/watched-page.ts';

describe.skipIf(withoutBrowser)('the playground', () => {
  let service: TestApp;
  let browser: SharedBrowser;
  let page: Page;
  const elsewhere: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    service = await testApp();
    const token = await service.token();
    for (const applicationId of ['APP-1', 'APP-2']) {
      const body = { ...{ applicationId, borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' }, ...TERMS };
      const created = await service.call('POST', '/v2/chain/loans', { token, key: service.credentials.apiKey, body });
      expect(created.status).toBe(200);
    }
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  afterEach(async () => {
    await page.context().close();
    // Nothing that a person types or reads here may reach another host, and the page violates none of its own policy.
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  const open = async (colorScheme: 'light' | 'dark', width = 1400) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    page = await context.newPage();
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
    // Its fields are named a moment after they are there.
    await page.locator('[contenteditable="true"][role="textbox"]').first().waitFor();
  };
  /** 0 (black) to 765 (white). */
  const brightness = async () => {
    const color: string = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    return (color.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  };
  /** Everything that the page keeps in this tab. */
  const kept = async (): Promise<string> => page.evaluate('JSON.stringify([{ ...sessionStorage }, document.cookie])');

  const sendAsItStands = async (group: string, name: string, at: string): Promise<unknown> => {
    const opened = page.getByRole('button', { name: `Open Group - ${group}` });
    if ((await opened.count()) > 0) await opened.click();
    await page.getByText(name, { exact: true }).first().click();
    await page.getByRole('button', { name: new RegExp(`^Test Request.*${RegExp.escape(at)}`) }).click();
    const dialog = page.getByRole('dialog');
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/v2/chain/')),
      dialog.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    expect(answer.status(), `${name}: ${answer.url()}`).toBe(200);
    const json = await answer.json();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return json;
  };

  it('client id and secret get a token inside the page, the first try of GET /loans shows loans, and a reload keeps it', async () => {
    await open('light');
    expect(await brightness()).toBeGreaterThan(700);
    expect(await axe(page)).toEqual([]);
    for (const name of ['Share', 'Deploy', 'Developer Tools', 'Generate MCP', 'Ask AI']) {
      expect(await page.getByText(name, { exact: true }).count(), `${name} leads to another company’s service`).toBe(0);
    }

    const { clientId, clientSecret, apiKey } = service.credentials;
    // Scalar's own examples are the only names that these two fields have.
    await page.locator('[data-placeholder="12345"]').first().fill(clientId);
    await page.getByLabel('Client Secret').first().fill(clientSecret);
    await page.locator('input[placeholder^="QUxM"]').first().fill(apiKey);
    const [issued] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/oauth/token')),
      page.getByRole('button', { name: 'Authorize' }).first().click(),
    ]);
    expect(issued.status()).toBe(200);
    await page.getByText('Access Token').first().waitFor();
    // The page writes down what was entered a moment later.
    await expect.poll(kept, { timeout: 10_000 }).toContain('eyJ');

    await page.reload();
    await page.getByRole('heading', { name: 'Daybook' }).waitFor();
    await page.getByText('Access Token').first().waitFor();
    await page.getByRole('button', { name: 'Open Group - Reading' }).click();
    await page.getByText('List loans').first().click();
    await page.getByRole('button', { name: /Test Request.*get \/v2\/chain\/loans\)/ }).click();
    const dialog = page.getByRole('dialog');
    const [answer] = await Promise.all([
      page.waitForResponse((response) => /\/v2\/chain\/loans(\?|$)/.test(response.url())),
      dialog.getByRole('button', { name: /^Send/ }).first().click(),
    ]);
    expect(answer.status()).toBe(200);
    expect((await answer.json()).data.items).toHaveLength(2);
    await dialog.getByText('200 OK').waitFor();
    await dialog.getByText('"APP-2"').first().waitFor();

    // An example as it stands: the path names a loan that is there, and so does the body of an operation that it allows.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await sendAsItStands(...FIGURES)).toMatchObject({
      data: { loanId: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    expect(await sendAsItStands(...DOCUMENTS)).toMatchObject({
      data: { loanStatus: 'DocumentsRequested' },
    });

    // Entries are kept for this tab alone, and are gone with it.
    expect(await kept()).toContain(clientSecret);
    const other = await page.context().newPage();
    await other.goto(`${service.url}/healthz`);
    const elsewhereKept: string = await other.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(elsewhereKept).toBe('[{},{}]');
  }, 120_000);

  it('fits a phone, and is dark where the system is', async () => {
    await open('dark', 360);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await brightness()).toBeLessThan(100);
    expect(await axe(page, { look: true })).toEqual([]);
  }, 120_000);
});

const FIGURES = [
  ...['Reading', 'The figures of a loan, and what can be done with it', 'get /v2/chain/loans/{loan_id}/summary'],
] as [string, string, string];
const DOCUMENTS = ['Loans', 'Request documents', 'post /v2/chain/request-documents'] as const;
const TERMS = { loanAmount: '9000', interestRate: '7', term: 24 };
