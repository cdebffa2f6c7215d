/** Home, the list of loans and approvals, as an agent, a collector and a manager use them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage, type Role, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { slowTest, usualTest, WHOLE } from '../support/whole.ts';

const LATE = ['returned', 'late', 'late30', 'late60', 'late90', 'defaulted'] as const;
const DESK = { dark: false, phone: false };
const PHONE = { dark: true, phone: true };
const POLL = { timeout: 15_000 };

describe.skipIf(withoutBrowser)('lists of the console', () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  /** By the ids that people know. */
  const names = new Map<string, string>();
  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
    const { body } = await book.call(await book.person('manager'), 'loans?limit=100');
    for (const { loanId, applicationId } of body.data.items) names.set(loanId, applicationId);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  // One for each person and look: a new one takes longer than the page itself. Views and columns are kept in the browser.
  const opened = new Map<string, WatchedPage>();
  const open = async (role: Role, path: string, look = DESK) => {
    const key = JSON.stringify([role, look]);
    const page = opened.get(key) ?? (await openPage(browser, await book.person(role), look));
    if (opened.has(key)) await page.evaluate('localStorage.clear()');
    opened.set(key, page);
    await page.goto(`${book.origin}/console${path}`);
    return page;
  };
  const nameOf = (kind: keyof ConsoleBook['loans']) => names.get(book.loans[kind]) as string;
  const grid = (page: WatchedPage) => page.getByRole('grid');
  const rowOf = (page: WatchedPage, name: string) => grid(page).getByRole('row', { name: new RegExp(`^${name}\\b`) });
  const listed = async (page: WatchedPage) => {
    await page.locator('.list-row a').first().waitFor();
    return page.locator('.list-row .list-cell:first-child').allTextContents();
  };
  /** Everything that every page owes. On a phone in the dark a page is looked at for the second time. */
  const expectSound = async (page: WatchedPage, look = DESK) => {
    expect(await axe(page, { look: look.phone })).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
    page.expectClean();
  };

  for (const look of WHOLE ? [DESK, PHONE] : [DESK]) {
    const where = look.phone ? 'on a phone, in the dark' : 'on a desktop';

    it(`an agent’s call, from the search to the loan, ${where}`, async () => {
      const page = await open('agent', '/', look);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.keyboard.press('/');
      const search = page.getByRole('searchbox', { name: 'Search loans by id' });
      await search.waitFor();
      await expect.poll(() => search.evaluate((field) => field.matches(':focus')), POLL).toBe(true);
      await page.keyboard.type(nameOf('late60'));
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/console/loans/${book.loans.late60}/*`);
      page.expectClean();
    });

    it(`a caller who knows only a telephone number is found with a purpose, ${where}`, async () => {
      const agent = await book.person('agent');
      const record = await book.call(agent, `loans/${book.loans.late}`, undefined, { purpose: 'Test' });
      const phone = /"HomePhone":"([^"]+)"/.exec(record.text)?.[1] as string;
      const page = await open('agent', '/loans', look);
      const search = page.getByRole('searchbox', { name: 'Search loans by id' });
      await search.fill(phone);
      await search.press('Enter');
      await page.getByText('This looks like a telephone number.').waitFor();
      await page.getByRole('button', { name: 'Search by personal data' }).click();
      const drawer = page.getByRole('dialog', { name: 'Search by personal data' });
      const go = drawer.getByRole('button', { name: 'Search', exact: true });
      expect(await drawer.getByLabel('Telephone number').inputValue()).toBe(phone);
      expect(await go.isDisabled()).toBe(true);
      await drawer.getByLabel('Purpose').fill('Call from the borrower');
      await expectSound(page, look);
      await go.click();
      await drawer.getByText('The search was recorded.').waitFor();
      await drawer.getByRole('link', { name: new RegExp(nameOf('late')) }).click();
      await page.waitForURL(`**/console/loans/${book.loans.late}/*`);
      expect(
        (await page.bodies()).split('\n').filter((line) => line.startsWith('http') && line.includes(phone)),
      ).toEqual([]);
      const { body } = await book.call(
        await book.person('auditor'),
        `loans/${book.loans.late}/disclosures`,
        undefined,
        {
          purpose: 'Audit',
        },
      );
      expect(JSON.stringify(body.data.items)).toContain(agent.userId);
      page.expectClean();
    });

    slowTest(`filters, in the address, and a view that survives a reload, ${where}`, async () => {
      const page = await open('agent', '/loans', look);
      await page.getByText('18 loans').waitFor();
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Delinquent').check();
      await page.getByLabel('Balance from').fill('nothing');
      await page.getByText('An amount, such as 1,500.00.').waitFor();
      await page.getByLabel('Balance from').fill('12,000');
      await page.getByRole('button', { name: 'Apply filters' }).click();
      await page.getByText('Balance from 12,000.00').waitFor();
      await expect.poll(() => page.locator('.list-row').count(), POLL).toBeLessThan(6);
      const shown = await listed(page);
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        status: 'Delinquent',
        minBalance: '"12000.00"',
      });
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Save view' }).click();
      await page.getByLabel('Name of the view').fill('Large and late');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('link', { name: 'Large and late' }).waitFor();
      await page.getByRole('link', { name: 'All', exact: true }).click();
      await page.getByText('18 loans').waitFor();
      await page.reload();
      await page.getByRole('link', { name: 'Large and late' }).click();
      await page.getByText('Balance from 12,000.00').waitFor();
      await expect.poll(() => page.locator('.list-row').count(), POLL).toBeLessThan(6);
      expect(await listed(page)).toEqual(shown);
      await expectSound(page, look);
      await page.getByRole('button', { name: 'Remove view' }).click();
      await page.getByRole('link', { name: 'Large and late' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Remove filter: Delinquent' }).click();
      await page.waitForURL((url) => !url.search.includes('status'));
      page.expectClean();
    });

    slowTest(`the order of collections, by keys to the loan and back to the same place, ${where}`, async () => {
      const page = await open('collector', '/loans', look);
      await page.getByRole('link', { name: 'Collections' }).click();
      await page.getByText('6 loans match').waitFor();
      const { body } = await book.call(await book.person('collector'), 'loans?limit=100&minDaysPastDue=1');
      const wanted = (
        body.data.items as { loanId: string; loanStatus: string; delinquentDays: string; balance: string }[]
      )
        .filter(({ loanStatus }) => loanStatus !== 'ChargedOff')
        .map((one) => ({ ...one, days: Number(one.delinquentDays), owed: Number(one.balance.replaceAll(',', '')) }))
        .sort((a, b) => b.days - a.days || b.owed - a.owed)
        .map(({ loanId }) => names.get(loanId));
      expect(await listed(page)).toEqual(wanted);
      expect(wanted).toHaveLength(LATE.length);
      for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
      const chosen = page.locator('.list-row[aria-selected=true]');
      expect(await chosen.textContent()).toContain(wanted[1]);
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
      await page.keyboard.press('End');
      expect(await chosen.textContent()).toContain(wanted.at(-1));
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await expectSound(page, look);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/console/loans/0x*/*');
      await page.goBack();
      await page.getByText('6 loans match').waitFor();
      expect(await chosen.textContent()).toContain(wanted[1]);
      page.expectClean();
    });
  }

  slowTest('an id is found in capital and small letters, and what is not found leads on', async () => {
    const page = await open('agent', '/loans');
    await listed(page);
    const search = page.getByRole('searchbox', { name: 'Search loans by id' });
    await search.fill('demo-01');
    await search.press('Enter');
    await expect.poll(() => search.inputValue(), POLL).toBe('DEMO-01');
    await page.getByText(/Id begins with DEMO-01/).waitFor();
    expect((await listed(page)).every((name) => name.startsWith('DEMO-01'))).toBe(true);
    await search.fill('nobody-1');
    await search.press('Enter');
    await page.getByText('No id begins with nobody-1 or NOBODY-1').waitFor();
    await expectSound(page);
    await page.locator('.state').getByRole('button', { name: 'Search by name, phone, VIN…' }).click();
    await page.getByRole('dialog', { name: 'Search by personal data' }).waitFor();
    await page.keyboard.press('Escape');
    await search.fill(nameOf('late60').toLowerCase());
    await search.press('Enter');
    await page.waitForURL(`**/console/loans/${book.loans.late60}/*`);
    await page.goBack();
    await expect.poll(() => search.inputValue(), POLL).toBe(nameOf('late60'));
    expect(await listed(page)).toEqual([nameOf('late60')]);
    page.expectClean();
  });

  slowTest('a range that begins above its end is refused at its field, and in an address', async () => {
    const page = await open('agent', '/loans');
    await listed(page);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Days past due from').fill('100');
    await page.getByLabel('Days past due to').fill('50');
    const says = page.getByText('“Days past due from” is more than “Days past due to”.');
    await says.waitFor();
    await page.getByRole('button', { name: 'Apply filters' }).click();
    expect(new URL(page.url()).search).toBe('');
    expect((await listed(page)).length).toBeGreaterThan(6);

    await page.goto(`${book.origin}/console/loans?minDaysPastDue=100&maxDaysPastDue=50`);
    await page.getByText('No loan can match').waitFor();
    await says.waitFor();
    expect(await page.getByRole('button', { name: 'Export CSV' }).count()).toBe(0);
    expect(await grid(page).count()).toBe(0);
    await expectSound(page);
    await page.getByRole('button', { name: 'Remove this filter' }).click();
    await listed(page);
    await page.getByRole('button', { name: 'Export CSV' }).waitFor();
    page.expectClean();
  });

  slowTest('collections show the next step on a screen of 1280 pixels, and paper has none', async () => {
    const page = await open('collector', '/loans');
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByText(/loans match/).waitFor();
    expect(await grid(page).evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
    const remind = page.getByRole('button', { name: /^Remind: / }).first();
    const steps = page.locator('.loans-next', { has: remind }).first();
    expect(await steps.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    // Further columns are scrolled under the first, also in the head.
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Closed by').check();
    const back = await page.evaluate(
      "getComputedStyle(document.querySelector('.list-head .list-cell')).backgroundColor",
    );
    expect(back).not.toBe('rgba(0, 0, 0, 0)');
    await page.getByRole('button', { name: 'Reset columns' }).click();
    await grid(page).getByRole('columnheader', { name: 'Closed by' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    expect(await grid(page).getByRole('columnheader', { name: 'Next step' }).count()).toBe(0);
    expect(await remind.count()).toBe(0);
    page.expectClean();
  });

  slowTest('the file has what is shown: the columns, the order, every loan', async () => {
    const page = await open('agent', '/loans?sort=-balance');
    const shown = await listed(page);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Borrower').uncheck();
    await page.getByLabel('Closed by').check();
    await page.keyboard.press('Escape');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe(`Daybook loans ${book.today}.csv`);
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines[0]).toBe(
      'Application,Status,Days past due,"Balance, USD",Due,"Financed, USD",Lender,Servicer,Created,Closed by',
    );
    expect(lines).toHaveLength(19);
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(expect.arrayContaining(shown));
    expect(lines.slice(1, 1 + shown.length).map((line) => line.split(',')[0])).toEqual(shown);
    const paidOff = lines.find((line) => line.startsWith(nameOf('paidOff'))) as string;
    expect(paidOff).toMatch(/,ClosedEarly,0,0\.00,,\d+\.\d\d,.*,\d{4}-\d\d-\d\d,payoff$/);
    await page.getByText('18 loans exported').waitFor();
    // The columns are kept.
    await page.reload();
    await grid(page).getByRole('columnheader', { name: 'Closed by' }).waitFor();
    expect(await grid(page).getByRole('columnheader', { name: 'Borrower' }).count()).toBe(0);
    page.expectClean();
  });

  slowTest('a list of thousands is scrolled to its end, with few rows in the page', async () => {
    const { body } = await book.call(await book.person('agent'), 'loans?limit=1');
    const [loan] = body.data.items;
    const total = 850;
    const page = await openPage(browser, await book.person('agent'));
    // The service of this test has eighteen loans; the network between says that it has more.
    await page.route(/\/v2\/chain\/loans\?/, (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      const items = Array.from({ length: Math.min(100, total - from) }, (_, n) => ({
        ...loan,
        loanId: `0x${(from + n).toString(16).padStart(64, '0')}`,
        applicationId: `APP-${from + n}`,
      }));
      const nextCursor = from + 100 < total ? String(from + 100) : null;
      return route.fulfill({ json: { message: 'ok', data: { items, nextCursor, total, totalExact: false } } });
    });
    await page.goto(`${book.origin}/console/loans`);
    await page.getByText('850+ loans').waitFor();
    await grid(page).focus();
    for (let pages = 0; (await rowOf(page, `APP-${total - 1}`).count()) === 0; pages += 1) {
      if (pages > 60) throw new Error('The end of the list was not reached.');
      await page.keyboard.press('End');
      await expect.poll(() => page.locator('.list-coming').count(), POLL).toBe(0);
    }
    expect(await page.locator('.list-row').count()).toBeLessThan(60);
    expect(await grid(page).getByRole('row').last().getAttribute('aria-rowindex')).toBe(String(total + 1));
    await page.keyboard.press('Home');
    await rowOf(page, 'APP-0').waitFor();
    // On paper, what was read of it.
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    await page.getByText(/^Only the \d+ rows loaded so far are printed/).waitFor();
    expect(await page.locator('.list-row').count()).toBeGreaterThanOrEqual(200);
    page.expectClean();
    await page.context().close();
  });

  slowTest('a payment that is made elsewhere shows on home and in the list without a reload', async () => {
    const agent = await book.person('agent');
    const [home, list] = [await open('manager', '/'), await open('collector', '/loans?sort=-daysPastDue', PHONE)];
    const name = nameOf('late30');
    const cell = rowOf(list, name).getByRole('gridcell').nth(2);
    await cell.waitFor();
    for (const page of [home, list]) await page.getByText('Live', { exact: true }).waitFor();
    // The delay is measured by `npm run bench:pages`.
    const before = await cell.textContent();
    const payment = { loanId: book.loans.late30, amount: '700.00', refId: 'ELSEWHERE-1', method: 'card' };
    await book.call(agent, 'loan-repay', payment);
    await expect.poll(() => cell.textContent(), POLL).not.toBe(before);

    await home.getByText(/newly late/).waitFor();
    const row = home
      .getByRole('region', { name: /turned late/ })
      .getByRole('row', { name: new RegExp(nameOf('late')) });
    await row.waitFor();
    await book.call(agent, 'loan-repay', {
      loanId: book.loans.late,
      amount: '900.00',
      refId: 'ALL-DUE',
      method: 'card',
    });
    await row.waitFor({ state: 'detached' });
    for (const page of [home, list]) page.expectClean();
  });

  usualTest('a manager approves what an agent has asked for, without a reload; the list is empty then', async () => {
    const [manager, agent] = [await book.person('manager'), await book.person('agent')];
    const loanId = book.loans.current;
    await book.call(manager, 'assess-fee', { loanId, feeId: 'copy-1', name: 'Copy', amount: '90.00' });
    await book.call(manager, 'reject', { approvalId: book.approvalId, reason: 'Not charged twice' });
    const page = await open('manager', '/approvals');
    await page.getByText('No requests are waiting for a decision').first().waitFor();
    await expectSound(page);

    const asking = { loanId, feeId: 'copy-1', reason: 'Promised on the telephone' };
    const { body: asked } = await book.call(agent, 'waive-fee', asking);
    await rowOf(page, 'Waive fee').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Waive fee' }).waitFor();
    const outlook = page.getByRole('region', { name: 'This will happen' });
    await outlook.getByRole('row', { name: 'Unpaid fees 90.00 0.00' }).waitFor();
    expect(await page.bodies()).not.toContain('Promised on the telephone');
    await page.getByRole('button', { name: 'Reveal' }).click();
    await page.getByLabel('Purpose').fill('To decide the request');
    await page.getByRole('button', { name: 'Reveal reason' }).click();
    await page.getByText('Promised on the telephone').waitFor();
    await expectSound(page);

    // Meanwhile another fee is charged: the outcome is no longer what the request showed.
    const approve = page.getByRole('button', { name: 'Approve: Waive fee' });
    expect(await approve.isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('Seen and agreed');
    await book.call(manager, 'assess-fee', { loanId, feeId: 'copy-2', name: 'Copy', amount: '10.00' });
    await approve.click();
    const both = page.getByRole('region', { name: 'The outcome has changed' });
    await both.getByRole('row', { name: 'Fees 0.00 10.00' }).waitFor();
    await expectSound(page);
    await page.getByRole('button', { name: 'Approve the new outcome' }).click();
    await page.getByText('Approved: Waive fee was carried out.').waitFor();
    const { body: done } = await book.call(manager, `approvals/${asked.data.approvalId}`);
    expect([done.data.state, done.data.decidedBy.userId, done.data.result.fees]).toEqual([
      'approved',
      manager.userId,
      '10',
    ]);
    await page.getByRole('link', { name: 'Approvals' }).last().click();
    await page.getByText('No requests are waiting for a decision').first().waitFor();
    await page.getByRole('link', { name: 'Approved' }).click();
    await rowOf(page, 'Waive fee').waitFor();
    page.expectClean();
  });

  slowTest('a second administrator approves a new invitation, and is shown its link once', async () => {
    const [other, agent] = [await book.person('administrator', 'auditor'), await book.person('agent')];
    await book.person('administrator');
    const { body } = await book.call(other, 'invite-user', { userId: agent.userId });
    const page = await open('administrator', '/administration');
    await page.getByText('One change waits for the approval of somebody else.').waitFor();
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await rowOf(page, 'Invite again').getByRole('link').first().click();
    await page.getByRole('region', { name: 'Expected outcome' }).waitFor();
    await expectSound(page);
    await page.getByLabel('Reason').fill('She has lost her telephone');
    await page.getByRole('button', { name: 'Approve: Invite again' }).click();
    const link = await page.getByLabel('Invitation link').inputValue();
    expect((await book.app.access.people.invited(link.split('#')[1] ?? ''))?.userId).toBe(agent.userId);
    await expectSound(page);
    await page.goto(`${book.origin}/console/approvals/${body.data.approvalId}`);
    await page.getByRole('region', { name: 'Outcome' }).waitFor();
    expect(await page.content()).not.toContain(link);
  });

  slowTest('who has asked may withdraw, and who lacks the right is told who has it', async () => {
    const [manager, agent] = [await book.person('manager'), await book.person('agent')];
    const loanId = book.loans.held;
    await book.call(manager, 'assess-fee', { loanId, feeId: 'copy-3', name: 'Copy', amount: '70.00' });
    const { body } = await book.call(agent, 'waive-fee', { loanId, feeId: 'copy-3', reason: 'Asked for it' });
    const accountant = await open('accountant', `/approvals/${body.data.approvalId}`);
    await accountant.getByText(/You cannot decide this.*manager/).waitFor();
    await expectSound(accountant);

    const page = await open('agent', `/approvals/${body.data.approvalId}`, PHONE);
    await page.getByText('Another user must approve it.').waitFor();
    expect(await page.getByRole('button', { name: /Approve/ }).count()).toBe(0);
    await page.getByLabel('Reason').fill('Not needed');
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Rejected. Nothing was changed.').waitFor();
    await expectSound(page);
  });

  slowTest('home shows each person what their roles allow, and nothing broken', async () => {
    const panels = async (role: Role) => {
      const page = await open(role, '/');
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expect.poll(() => page.locator('.loading').count(), POLL).toBe(0);
      const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
      // With every panel it is examined in `pages.test.ts`.
      if (role === 'administrator') await expectSound(page);
      page.expectClean();
      return titles;
    };
    const loans = ['To do', 'Newly late', 'Applications waiting', 'Notices due', 'Past due', 'Approvals waiting'];
    expect(await panels('agent')).toEqual(loans);
    expect((await panels('accountant')).sort()).toEqual([...loans, 'Books', 'Nightly cycle'].sort());
    expect(await panels('administrator')).toEqual(['Your roles']);
    const page = await open('administrator', '/loans');
    await page.getByText('You cannot see loans').waitFor();
  });

  slowTest('an organization without loans sees the next steps', async () => {
    const page = await openPage(browser, await book.person('manager'), PHONE);
    await page.route(/\/v2\/chain\/loans\?/, (route) =>
      route.fulfill({ json: { message: 'ok', data: { items: [], nextCursor: null, total: 0, totalExact: true } } }),
    );
    await page.route(/\/v2\/chain\/approvals\?/, (route) =>
      route.fulfill({ json: { message: 'ok', data: { items: [], nextCursor: null } } }),
    );
    await page.goto(`${book.origin}/console`);
    await page.getByRole('heading', { name: 'There are no loans yet' }).waitFor();
    await expectSound(page);
    await page.goto(`${book.origin}/console/loans`);
    await page.getByText('There are no loans yet').waitFor();
    await expectSound(page);
    await page.context().close();
  });
});
