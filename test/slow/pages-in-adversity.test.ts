/** Faults around the console: sessions that end, somebody else in the same browser, connections that break, keys that are held. */
import type { Locator, Request, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../support/browser.ts';
import { type ConsoleBook, consoleBook, openPage, type Person, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';

describe.skipIf(withoutBrowser)('the console when something goes wrong', { timeout: 120_000 }, () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  const drawer = (page: WatchedPage) => page.getByRole('dialog');
  const outlook = (page: WatchedPage) => page.getByRole('region', { name: 'This will happen' });
  async function openLoan(who: Person, loanId: string): Promise<WatchedPage> {
    const page = await openPage(browser, who);
    await page.goto(`${book.origin}/console/loans/${loanId}`);
    await page.getByRole('heading', { name: 'Owed today' }).or(page.getByText('Owed today')).first().waitFor();
    return page;
  }
  /** A key does nothing until the page has taken it up. */
  async function press(page: WatchedPage, key: string): Promise<void> {
    const opened = async () => {
      if ((await drawer(page).count()) === 0) await page.keyboard.press(key);
      return drawer(page).count();
    };
    await expect.poll(opened, { timeout: 20_000 }).toBeGreaterThan(0);
  }
  /** The client tries again by itself a few times, and each time waits longer: the page's clock goes ahead. */
  async function afterRetries(page: WatchedPage, shown: Locator): Promise<void> {
    while ((await shown.count()) === 0) await page.clock.runFor(5_000);
  }
  const versionOf = async (loanId: string): Promise<number> =>
    (await book.call(await book.person('manager'), `loans/${loanId}/summary`)).body.data.version;
  const endSessions = async (who: Person) =>
    book.call(await book.person('administrator'), 'end-sessions', { userId: who.userId });
  /** The cookie of one session in place of another's. */
  async function becomes(page: WatchedPage, who: Person): Promise<void> {
    const cookie = { name: 'daybook_session', value: who.secret, domain: 'localhost', path: '/' };
    await page.context().addCookies([{ ...cookie, httpOnly: true, sameSite: 'Strict' }]);
  }

  it('a session that was ended elsewhere takes the page away at once', async () => {
    const who = await book.person('collector');
    const page = await openLoan(who, book.loans.late);
    await endSessions(who);
    await page.waitForURL(/\/sign-in/, { timeout: 20_000 });
    await page.getByText('Your session has ended. Sign in to continue where you left off.').waitFor();
    await page.context().close();
  });

  it('what was typed waits, hidden, until the same person has signed in again', async () => {
    const who = await book.person('underwriter');
    const page = await openPage(browser, who);
    await page.goto(`${book.origin}/console/underwriting`);
    await page.getByRole('button', { name: 'New application' }).click();
    for (const [label, text] of [
      ['Application number', 'APP-KEPT'],
      ['Borrower number', 'B-KEPT'],
      ['Lender', 'LND-KEPT'],
    ] as const)
      await drawer(page).getByLabel(label).fill(text);
    await endSessions(who);
    await page.getByText('Your session has ended').waitFor();
    const field = await page.getByLabel('Application number').boundingBox();
    const over = `document.elementFromPoint(${(field?.x ?? 0) + 5}, ${(field?.y ?? 0) + 5}).closest('section').textContent`;
    expect(await page.evaluate(over)).toContain('Your session has ended');
    // A connection that breaks meanwhile uncovers nothing.
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/session'));
    await page.context().setOffline(true);
    await failed;
    expect(await page.evaluate(over)).toContain('Your session has ended');
    await page.context().setOffline(false);
    await becomes(page, await book.person('underwriter'));
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Application number').inputValue()).toBe('APP-KEPT');
    // Much that was typed is not lost by a key.
    await page.getByLabel('Application number').press('Escape');
    await page.getByText('Discard your entries?').waitFor();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    expect(await page.getByLabel('Application number').inputValue()).toBe('APP-KEPT');
    await page.getByLabel('Application number').press('Escape');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await drawer(page).waitFor({ state: 'hidden' });
    await page.context().close();
  });

  it('a page of one person does nothing as another who has signed in in the same browser', async () => {
    const loanId = book.loans.late30;
    const page = await openLoan(await book.person('agent'), loanId);
    await press(page, 'p');
    await outlook(page).waitFor();
    const before = await versionOf(loanId);
    await becomes(page, await book.person('manager'));
    const reloaded = page.waitForEvent('load');
    await drawer(page)
      .getByRole('button', { name: /^Take / })
      .click();
    await reloaded;
    await page.getByText('Owed today').first().waitFor();
    expect(await versionOf(loanId)).toBe(before);
    await page.context().close();
  });

  it('an answer that a proxy lost is asked for with the same key, and it is done once', async () => {
    const loanId = book.loans.late60;
    const page = await openLoan(await book.person('manager'), loanId);
    const keys = new Set<string>();
    let isLost = true;
    await page.route('**/v2/chain/assess-fee', async (route: Route, request: Request) => {
      keys.add(request.headers()['idempotency-key'] ?? '');
      const answer = await route.fetch();
      if (isLost) await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Timeout</h1>' });
      else await route.fulfill({ response: answer });
    });
    await press(page, 'f');
    await drawer(page).getByLabel('Description *').fill('Title copy');
    await drawer(page).getByLabel('Amount *').fill('12.00');
    await outlook(page).waitFor();
    const before = await versionOf(loanId);
    const charge = drawer(page).getByRole('button', { name: /^Charge/ });
    await page.clock.install({ time: book.app.clock.now });
    await charge.click();
    await afterRetries(page, drawer(page).getByText('The outcome is unknown'));
    isLost = false;
    await charge.click();
    await drawer(page).getByRole('status').waitFor();
    // Dry runs have none.
    keys.delete('');
    expect([keys.size, await versionOf(loanId)]).toEqual([1, before + 1]);
    await page.context().close();
  });

  it('without a connection it fails at once, and nothing is done later', async () => {
    const loanId = book.loans.late90;
    const page = await openLoan(await book.person('agent'), loanId);
    await press(page, 'p');
    await outlook(page).waitFor();
    const before = await versionOf(loanId);
    await page.context().setOffline(true);
    await page.clock.install({ time: book.app.clock.now });
    await drawer(page)
      .getByRole('button', { name: /^Take / })
      .click();
    await afterRetries(page, drawer(page).getByText('The outcome is unknown'));
    await drawer(page).getByRole('button', { name: 'Cancel' }).click();
    await drawer(page).getByText('The operation may have been carried out').waitFor();
    await drawer(page).getByRole('button', { name: 'Close', exact: true }).last().click();
    await drawer(page).waitFor({ state: 'hidden' });
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText('Owed today').first().waitFor();
    expect(await versionOf(loanId)).toBe(before);
    await page.context().close();
  });

  it('a preview that could not be looked up can be asked for again', async () => {
    const page = await openLoan(await book.person('agent'), book.loans.current);
    await page.route('**/loan-repay?dryRun=true', (route) => route.abort());
    await press(page, 'p');
    await page.clock.install({ time: book.app.clock.now });
    await afterRetries(page, drawer(page).getByText('The preview could not be loaded'));
    await page.unroute('**/loan-repay?dryRun=true');
    await drawer(page).getByRole('button', { name: 'Preview' }).click();
    await outlook(page).waitFor();
    await page.context().close();
  });

  it('Enter that is held shows what will happen and does nothing; letters do nothing behind a drawer', async () => {
    const loanId = book.loans.held;
    const page = await openLoan(await book.person('agent'), loanId);
    const before = await versionOf(loanId);
    await press(page, 'p');
    await drawer(page).getByLabel('Amount *').fill('44.00');
    // The browser repeats a key that is held.
    for (let n = 0; n < 30; n += 1) await page.keyboard.down('Enter');
    await outlook(page).waitFor();
    for (let n = 0; n < 30; n += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await versionOf(loanId)).toBe(before);
    await drawer(page).getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('f');
    await page.keyboard.press('2');
    expect(await drawer(page).getByLabel('Amount *').inputValue()).toBe('44.00');
    expect(new URL(page.url()).pathname).toMatch(/timeline$/);
    // Back leaves the drawer with the page.
    await page.goto(`${book.origin}/console/loans?status=Current`);
    await page
      .getByRole('link', { name: /^DEMO-/ })
      .first()
      .click();
    await page.getByText('Owed today').first().waitFor();
    await press(page, 'h');
    await page.goBack();
    await drawer(page).waitFor({ state: 'hidden' });
    await page.context().close();
  });

  it('a request for approval does not show the figures of two moments side by side', async () => {
    const loanId = book.loans.pendingApproval;
    const page = await openPage(browser, await book.person('manager'));
    await page.goto(`${book.origin}/console/approvals/${book.approvalId}`);
    await outlook(page).getByText('Before', { exact: true }).waitFor();
    const paid = { loanId, amount: '25.00', refId: 'ADVERSE-1' };
    await book.call(await book.person('manager'), 'loan-repay', paid);
    await outlook(page).getByText('As requested', { exact: true }).waitFor();
    expect(await outlook(page).getByText('Before', { exact: true }).count()).toBe(0);
    page.expectClean();
    await page.context().close();
  });

  it('personal data that was read for a purpose is not read again by itself', async () => {
    const loanId = book.loans.late;
    const page = await openPage(browser, await book.person('auditor'));
    let reads = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith(`/loans/${loanId}`)) reads += 1;
    });
    await page.goto(`${book.origin}/console/operations`);
    await page.getByRole('searchbox').fill('complete record');
    await page
      .getByRole('button', { name: /complete record/ })
      .first()
      .click();
    await drawer(page).getByLabel('Loan', { exact: true }).fill(loanId);
    await page.keyboard.press('Enter');
    await drawer(page).getByLabel('Purpose').fill('one look');
    await drawer(page).getByRole('button', { name: 'Show' }).click();
    await drawer(page).getByRole('region', { name: 'Answer' }).waitFor();
    const fee = { loanId: book.loans.current, feeId: 'adverse-1', name: 'Title copy', amount: '5.00' };
    const told = page.waitForResponse((answer) => answer.url().includes('/summary') || answer.url().includes('/clock'));
    await book.call(await book.person('manager'), 'assess-fee', fee);
    await told.catch(() => {});
    expect(reads).toBe(1);
    await page.context().close();
  });
});
