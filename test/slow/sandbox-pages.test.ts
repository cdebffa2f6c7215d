/** A sandbox from its beginning: made on the page, entered, and advanced until a loan turns delinquent and the list shows it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { withoutBrowser } from '../support/browser.ts';
import { openPage } from '../support/console.ts';
import { signedIn } from '../support/people.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { loanIn } from '../support/statuses.ts';

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** The last day of the month before. */
const monthBefore = (date: string): string => isoDay(Date.parse(`${date.slice(0, 7)}-01`) - 86_400_000);
const inWords = (date: string): string =>
  new Date(date).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

describe.skipIf(withoutBrowser)('a sandbox in the console', () => {
  let app: TestApp;
  let browser: SharedBrowser;
  let origin: string;
  beforeAll(async () => {
    [app, browser] = await Promise.all([testApp(), openBrowser()]);
    origin = `http://localhost:${app.port}`;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  it('is created with a way into its own console', async () => {
    const person = { ...(await signedIn(app, ['administrator'])), origin, now: app.clock.now };
    const page = await openPage(browser, person);
    await page.goto(`${origin}/console/administration/sandboxes`);
    await page.getByLabel('Name of the new sandbox').fill('Rehearsal');
    await page.getByRole('button', { name: 'Create sandbox' }).click();
    const way = page.getByRole('link', { name: 'Open the console of Rehearsal' });
    await way.waitFor();
    await page
      .getByRole('region', { name: 'Sandboxes' })
      .getByRole('cell', { name: 'Rehearsal', exact: true })
      .waitFor();
    await way.click();
    await page.getByRole('heading', { name: /Person/ }).waitFor();
    page.expectClean();
    await page.context().close();
  });

  it('is advanced on a phone until a loan turns delinquent, and the list and the books show it', async () => {
    const token = await app.token();
    const made = await app.call('POST', '/v2/chain/sandboxes', { token, body: { name: 'A month' } });
    const { organizationId, clientId, clientSecret, apiKey: key } = made.body.data;
    const entered = await app.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const inside = { token: entered.body.data.token as string, key };
    const loanId = await loanIn(
      'Current',
      (path, body) => app.call('POST', `/v2/chain/${path}`, { ...inside, body }),
      async () => '',
    );
    const loan = await app.call('GET', `/v2/chain/loans/${loanId}/schedule`, inside);
    const due: string = loan.body.data.installments[0].dueDate;
    const { body } = await app.call('GET', '/v2/chain/loans', inside);
    const { applicationId } = body.data.items[0];

    const roles = ['administrator', 'manager'];
    const person = { ...(await signedIn(app, roles, organizationId)), origin, now: app.clock.now };
    const page = await openPage(browser, person);
    await page.goto(`${origin}/console/loans`);
    const row = page.getByRole('row', { name: new RegExp(applicationId) });
    await row.waitFor();
    expect(await row.textContent()).toContain('Current');
    const books = await page.context().newPage();
    await books.goto(`${origin}/console/books`);
    const asOf = books.getByLabel('As of the end of');
    await asOf.waitFor();
    expect(await asOf.inputValue()).toBe(isoDay(app.clock.now));
    // Somebody watches the list and the books while the clock is advanced on another page.
    const clock = await openPage(browser, person, { dark: true, phone: true });
    await clock.goto(`${origin}/console/administration/sandboxes`);
    const target = isoDay(Date.parse(due) + 20 * 86_400_000);
    await clock.getByLabel('Advance to').fill(target);
    await clock.getByRole('button', { name: /^Advance to / }).click();
    await clock.getByText(/^The date is now /).waitFor();
    await row.getByText(/Delinquent/).waitFor();
    expect(await row.textContent()).toContain('Delinquent');
    await books.getByRole('heading', { name: `Trial balance as of ${inWords(target)}` }).waitFor();
    expect([await asOf.inputValue(), await asOf.getAttribute('max')]).toEqual([target, target]);
    await books.goto(`${origin}/console/books/export`);
    await books
      .getByRole('button', { name: `Download ${inWords(monthBefore(target)).replace(/ \d\d,/, '')}` })
      .waitFor();
    await books.goto(`${origin}/console/portfolio`);
    await books.getByText(`as of today, ${inWords(target)}`).waitFor();
    expect(await books.getByLabel('As of').locator('option').nth(1).textContent()).toBe(inWords(monthBefore(target)));
    page.expectClean();
    clock.expectClean();
  });
});
