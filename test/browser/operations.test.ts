/** Doing something in the console: fields, what will happen, one button; refusals, approvals and undo; by keyboard alone. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage, type Role, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { usualTest as it, slowTest } from '../support/whole.ts';

describe.skipIf(withoutBrowser)('operations', () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  // One for each person and look: a new one takes longer than the page itself.
  const opened = new Map<string, WatchedPage>();
  async function open(role: Role, look: { dark?: boolean; phone?: boolean } = {}): Promise<WatchedPage> {
    const key = JSON.stringify([role, look]);
    const page = opened.get(key) ?? (await openPage(browser, await book.person(role), look));
    opened.set(key, page);
    await page.unrouteAll();
    await page.goto(`${book.origin}/console/operations`);
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    return page;
  }
  const drawer = (page: WatchedPage) => page.getByRole('dialog');
  const outlook = (page: WatchedPage) => page.getByRole('region', { name: 'This will happen' });
  const button = (page: WatchedPage, name: string | RegExp) => drawer(page).getByRole('button', { name, exact: true });

  /** Opens the drawer of an operation, on a loan if one is given. */
  async function start(page: WatchedPage, title: string, loanId?: string): Promise<void> {
    await page.getByRole('searchbox', { name: 'Search operations' }).fill(title);
    await page
      .getByRole('button', { name: new RegExp(`^${title}\\b`) })
      .first()
      .click();
    if (loanId === undefined) return;
    await drawer(page).getByLabel('Loan', { exact: true }).fill(loanId);
    await page.keyboard.press('Enter');
  }
  /** A row of the comparison: the figure before and after. */
  async function compared(page: WatchedPage, label: string): Promise<string[]> {
    const row = outlook(page).getByRole('row', { name: new RegExp(`^${label}`) });
    return row.getByRole('cell').allInnerTexts();
  }
  async function summary(role: Role, loanId: string) {
    const { body } = await book.call(await book.person(role), `loans/${loanId}/summary`);
    return body.data as {
      balance: string;
      loanStatus: string;
      version: number;
      loanDetails: { loanPayments: { paymentId: string }[] };
    };
  }

  it('takes a payment after showing what will happen, and takes it back', async () => {
    const { late: loanId } = book.loans;
    const before = await summary('agent', loanId);
    const page = await open('agent');
    await start(page, 'Take payment', loanId);
    await outlook(page).waitFor();
    const due = await drawer(page).getByLabel('Amount *').inputValue();
    expect(due).toMatch(/^\d{3}\.\d\d$/);
    expect(await drawer(page).getByLabel('Received on').inputValue()).toBe(book.today);
    const [was, becomes] = await compared(page, 'Balance');
    expect(was).toBe(before.balance.padEnd(9, '0'));
    expect(await compared(page, 'Status')).toEqual(['Delinquent', 'Current']);
    expect(await compared(page, 'Past due')).toEqual([due, '0.00']);
    const [days, daysLeft] = await compared(page, 'Days past due');
    expect([Number(days) > 0, daysLeft]).toEqual([true, '0']);
    const [oldest, next] = await compared(page, 'Oldest unpaid');
    expect(new Date(oldest as string) < new Date(next as string)).toBe(true);
    await outlook(page).getByText('Entries').click();
    expect(await outlook(page).getByRole('row', { name: /Cash/ }).count()).toBeGreaterThan(0);
    expect(await axe(page)).toEqual([]);
    // Nothing has happened so far.
    expect((await summary('agent', loanId)).version).toBe(before.version);

    await button(page, `Take ${due}`).click();
    await drawer(page).getByText(`Payment of ${due} taken.`).waitFor();
    const after = await summary('agent', loanId);
    expect([after.loanStatus, after.balance]).toEqual(['Current', becomes]);
    expect(after.loanDetails.loanPayments).toHaveLength(before.loanDetails.loanPayments.length + 1);
    expect(await axe(page)).toEqual([]);

    await button(page, 'Reverse it').click();
    await drawer(page).getByLabel('Reason *').fill('Posted to another loan');
    await outlook(page).waitFor();
    expect(await compared(page, 'Status')).toEqual(['Current', 'Delinquent']);
    await button(page, 'Reverse payment').click();
    await drawer(page).getByText('Payment reversed.').waitFor();
    expect((await summary('agent', loanId)).balance).toBe(before.balance);
    page.expectClean();
  });

  slowTest('asks for the reason of an old payment from the day on that the policy of the loan says', async () => {
    const page = await open('agent');
    const reason = drawer(page).getByLabel('Reason');
    const shown = async (receivedOn: string) => {
      await drawer(page).getByLabel('Received on').fill(receivedOn);
      await outlook(page).or(drawer(page).getByRole('alert')).first().waitFor();
      return (await reason.count()) > 0;
    };
    await start(page, 'Take payment', book.loans.late);
    expect([await shown('2025-12-16'), await shown('2025-12-15')]).toEqual([false, true]);
    await page.keyboard.press('Escape');

    await page.route('**/loans/*/policy', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.data.values.backdateDays = 5;
      await route.fulfill({ response, json });
    });
    await start(page, 'Take payment', book.loans.late30);
    expect([await shown('2026-01-10'), await shown('2026-01-09')]).toEqual([false, true]);
  });

  it('refuses in plain words, at the field, with what would be possible', async () => {
    const page = await open('agent');
    await start(page, 'Take payment', book.loans.late30);
    const amount = drawer(page).getByLabel('Amount *');
    await amount.fill('99,000');
    await drawer(page).getByRole('alert').waitFor();
    const hint = drawer(page).locator('.wrong');
    expect(await hint.innerText()).toMatch(
      /^The payoff amount on Jan 15, 2026 is [\d,]+\.\d\d; send that amount, or set “Keep an excess/,
    );
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    expect(await button(page, /^Take/).isDisabled()).toBe(true);
    expect(await drawer(page).getByRole('alert').innerText()).toMatch(/Request [\da-f-]{36}/);
    expect(await axe(page)).toEqual([]);
    // One click for the payoff, and it is possible.
    await drawer(page)
      .getByRole('button', { name: /^Payoff/ })
      .click();
    await outlook(page).waitFor();
    expect((await compared(page, 'Payoff today'))[1]).toBe('0.00');
    await page.keyboard.press('Escape');

    await start(page, 'Accelerate', book.loans.current);
    await drawer(page).getByText('“Accelerate” is not allowed while the loan is Current.').waitFor();
    await drawer(page).getByLabel('Reason *').fill('All of it');
    await drawer(page).getByRole('alert').waitFor();
    await button(page, 'Take payment').click();
    await drawer(page).getByLabel('Amount *').waitFor();
    page.expectClean();
  });

  slowTest(
    'says what it cannot read when its field is left, and what is missing when the button is pressed; pressed twice it sends once',
    async () => {
      const page = await open('manager');
      await start(page, 'Charge fee', book.loans.returned);
      const amount = drawer(page).getByLabel('Amount *');
      await amount.fill('abc');
      expect(await amount.getAttribute('aria-invalid')).not.toBe('true');
      await page.keyboard.press('Tab');
      await expect.poll(() => amount.getAttribute('aria-invalid')).toBe('true');
      await amount.fill('12.00');
      await drawer(page).getByLabel('Description *').fill('Copy');
      await outlook(page).waitFor();
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/assess-fee')) sent.push(request.url());
      });
      await button(page, /^Charge/).dblclick();
      await drawer(page)
        .getByText(/charged/i)
        .first()
        .waitFor();
      expect(sent).toHaveLength(1);
      await page.keyboard.press('Escape');

      const admin = await open('administrator');
      await start(admin, 'Invite');
      await button(admin, /^Invite/).click();
      await expect.poll(() => drawer(admin).locator('[aria-invalid="true"]').count()).toBeGreaterThan(0);
      expect(await drawer(admin).locator('.wrong').first().innerText()).toBe('This field is required.');
      admin.expectClean();
    },
  );

  slowTest('asks for an approval, and says who can give it', async () => {
    const page = await open('agent');
    await start(page, 'Charge off', book.loans.late90);
    await drawer(page).getByLabel('Reason *').fill('Nothing more to collect');
    await outlook(page).getByText('Another user with the role manager can approve it.', { exact: false }).waitFor();
    expect(await axe(page)).toEqual([]);
    await button(page, 'Request approval').click();
    await drawer(page).getByText('Approval requested').waitFor();
    const { body } = await book.call(
      await book.person('manager'),
      `approvals?state=pending&loanId=${book.loans.late90}`,
    );
    expect(body.data.items.map((one: { operation: string }) => one.operation)).toEqual(['charge-off']);
    expect((await summary('agent', book.loans.late90)).loanStatus).toBe('Delinquent');
    expect(await drawer(page).getByRole('link', { name: 'Show the request' }).getAttribute('href')).toBe(
      `/console/approvals/${body.data.items[0].approvalId}`,
    );
    page.expectClean();
  });

  slowTest('chooses the fee of the loan, waives it, and undoes the waiver', async () => {
    const { current: loanId } = book.loans;
    const manager = await book.person('manager');
    await book.call(manager, 'assess-fee', { loanId, feeId: 'copy-1', name: 'Title copy', amount: '30.00' });
    const page = await open('agent');
    await start(page, 'Waive fee', loanId);
    expect(await drawer(page).getByLabel('Fee *').inputValue()).toBe('copy-1');
    await drawer(page).getByLabel('Reason *').fill('Goodwill');
    await outlook(page).waitFor();
    expect(await compared(page, 'Unpaid fees')).toEqual(['30.00', '0.00']);
    await button(page, 'Waive 30.00').click();
    await drawer(page).getByText('Fee waived.').waitFor();
    await button(page, 'Undo').click();
    await drawer(page)
      .getByText(/Fee waived · 30\.00$/)
      .waitFor();
    await drawer(page).getByLabel('Reason *').fill('Wrong loan');
    await outlook(page).waitFor();
    await button(page, 'Undo').click();
    await drawer(page).getByText('Undone.').waitFor();
    const { body } = await book.call(manager, `loans/${loanId}/payoff`);
    expect(body.data.fees).toBe('30');
    page.expectClean();
  });

  it('works by keyboard alone, and gives the focus back', async () => {
    const { held: loanId } = book.loans;
    const page = await open('agent');
    const { keyboard } = page;
    await page.getByRole('searchbox').focus();
    await keyboard.type('quote payoff');
    const opener = page.getByRole('button', { name: /^Quote payoff/ });
    await opener.waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Quote payoff/);
    await keyboard.press('Enter');
    await drawer(page).getByLabel('Loan', { exact: true }).waitFor();
    await keyboard.type(loanId);
    await keyboard.press('Enter');
    await drawer(page).getByLabel('Payoff date').waitFor();
    // Enter shows what will happen and goes to the button; it does nothing yet.
    await keyboard.press('Enter');
    await drawer(page).locator('button:focus', { hasText: 'Quote payoff' }).waitFor();
    await outlook(page).waitFor();
    const { version } = await summary('agent', loanId);
    // A second Enter that comes too fast has read nothing.
    const quoted = async () => {
      await keyboard.press('Enter');
      return drawer(page).getByText('Payoff quoted.').isVisible();
    };
    await expect.poll(quoted, { interval: 500, timeout: 20_000 }).toBe(true);
    expect((await summary('agent', loanId)).version).toBe(version + 1);
    await keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'hidden' });
    await page.locator('.operation:focus').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Quote payoff/);
    page.expectClean();
  });

  slowTest('does it once when the connection is lost after it was sent', async () => {
    const { funded: loanId } = book.loans;
    const page = await open('manager');
    await start(page, 'Charge fee', loanId);
    await drawer(page).getByLabel('Description *').fill('Courier');
    await drawer(page).getByLabel('Amount *').fill('12.50');
    await outlook(page).waitFor();
    const keys: (string | undefined)[] = [];
    let lose = true;
    await page.route('**/v2/chain/assess-fee', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (!lose) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await page.clock.install();
    await button(page, 'Charge 12.50').click();
    // The client tries again by itself, a few times.
    while ((await drawer(page).getByRole('alert').count()) === 0) await page.clock.runFor(5_000);
    expect(await drawer(page).getByRole('alert').innerText()).toContain('nothing is done twice');
    lose = false;
    await button(page, 'Charge 12.50').click();
    await drawer(page).getByText('Fee of 12.50 charged.').waitFor();
    expect(new Set(keys).size).toBe(1);
    const { body } = await book.call(await book.person('manager'), `loans/${loanId}/history`);
    expect(body.data.rows.filter((row: { kind: string }) => row.kind === 'fee')).toHaveLength(1);
    // Its clock is no longer that of the service.
    opened.clear();
  });

  slowTest('shows a secret once, and asks before it closes', async () => {
    const page = await open('administrator', { dark: true });
    await start(page, 'New sandbox');
    await drawer(page).getByLabel('Name *').fill('Trial');
    await button(page, 'Create sandbox').click();
    const secret = await drawer(page).getByLabel('Client secret').inputValue();
    expect(secret).toMatch(/^dbs_/);
    await page.keyboard.press('Escape');
    await drawer(page).getByText('Have you saved it?').waitFor();
    expect(await axe(page)).toEqual([]);
    await button(page, 'Close anyway').click();
    await drawer(page).waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(secret);
    page.expectClean();
  });

  slowTest('shows the answer of any reading operation, and what the roles do not allow', async () => {
    const page = await open('agent', { phone: true });
    await start(page, 'Get the payoff amount', book.loans.late60);
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.waitFor();
    expect(await answer.getByText('Interest per day').count()).toBe(1);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('New sandbox');
    const row = page.getByRole('listitem').filter({ hasText: 'New sandbox' });
    expect(await row.innerText()).toContain('needs admin');
    expect(await row.getByRole('button').isDisabled()).toBe(true);
    page.expectClean();
  });

  slowTest(
    'a part of the page that was replaced by an update says so, and the page goes on when it is reloaded',
    async () => {
      const page = await open('agent');
      await page.route(/\/pages\/web\/panel-[^/]*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
      await start(page, 'Take payment');
      await drawer(page).getByText('A part of the page could not be loaded').waitFor();
      await page.unroute(/\/pages\/web\/panel-[^/]*\.js$/);
      await drawer(page).getByRole('button', { name: 'Reload' }).click();
      await start(page, 'Take payment');
      await drawer(page).getByLabel('Loan', { exact: true }).waitFor();
    },
  );

  const FINISHED =
    'no serious issue of accessibility and nothing cut off, on a phone and on a desktop, in light and dark';
  slowTest(`a drawer with figures has ${FINISHED}`, () => expectFinished([['Take payment', book.loans.late30]]));
  slowTest(`others have ${FINISHED}`, () =>
    expectFinished([
      ['Place hold', book.loans.late30],
      ['New loan', undefined],
    ]),
  );

  async function expectFinished(drawers: readonly (readonly [title: string, loanId: string | undefined])[]) {
    const page = await open('manager', { dark: true, phone: true });
    const desktop = { width: 1_280, height: 800 };
    const phone = page.viewportSize() ?? desktop;
    for (const [title, loanId] of drawers) {
      await start(page, title, loanId);
      await drawer(page).getByRole('button', { name: 'Cancel' }).waitFor();
      expect(await axe(page), title).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await axe(page, { look: true }), title).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      for (const viewport of [desktop, phone]) {
        await page.setViewportSize(viewport);
        const cut =
          '[document.scrollingElement, document.querySelector(".drawer-content")].map((box) => box.scrollWidth > box.clientWidth)';
        expect(await page.evaluate(cut), title).toEqual([false, false]);
      }
      await page.keyboard.press('Escape');
      await drawer(page).waitFor({ state: 'hidden' });
    }
    page.expectClean();
  }
});
