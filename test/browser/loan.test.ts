/** The page of a loan in a real browser, as an agent uses it on a call. `pages.test.ts` looks at each of its tabs, in light and dark. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { cents, fromCents, money } from '../../web/src/format.ts';
import { withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { usualTest as it, slowTest } from '../support/whole.ts';

const TABS = ['Timeline', 'Schedule', 'Payments', 'Underwriting', 'Books', 'Proof', 'Access'];

describe.skipIf(withoutBrowser)('the page of a loan', () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  let loanId: string;

  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
    loanId = book.loans.late30;
    while ((await book.app.loans.ledger.seal()) > 0);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  const address = (more = '', loan = loanId) => `${book.origin}/console/loans/${loan}${more}`;
  const figure = (page: WatchedPage, label: string) =>
    page.locator('.loan-figure', { has: page.getByText(label, { exact: true }) }).locator('.figure-value');
  const open = async (look: { dark?: boolean; phone?: boolean } = {}, more = '') => {
    const page = await openPage(browser, await book.person('agent'), look);
    await page.goto(address(more));
    await page.locator('.timeline-line, .table-box, .state').first().waitFor();
    return page;
  };
  const read = async (path: string, headers = {}) =>
    (await book.call(await book.person('agent'), `loans/${loanId}/${path}`, undefined, headers)).body.data;

  it('shows the figures of the API, and explains them', async () => {
    const [summary, payoff, schedule] = [await read('summary'), await read('payoff'), await read('schedule')];
    const page = await open();
    await figure(page, 'Payoff today').getByText(money(payoff.payoff)).waitFor();
    const shown = async (label: string) => (await figure(page, label).textContent())?.trim();
    type Installment = { satisfiedOn: string | null; pastDue: boolean; open: string };
    const unpaid = (schedule.installments as Installment[]).filter(({ satisfiedOn }) => satisfiedOn === null);
    expect(await shown('Principal')).toBe(money(summary.balance));
    expect(await shown('Past due')).toBe(money(summary.loanDetails.delinquentAmount));
    const note = page.locator('.figure-note', { hasText: `+ fees ${money(payoff.fees)}` });
    await note.waitFor();
    await page.evaluate('document.fonts.ready');
    expect((await note.boundingBox())?.height).toBeLessThan(24);
    expect(await shown('Next due')).toBe(money(unpaid.find(({ pastDue }) => !pastDue)?.open));
    expect(await shown('Rate')).toBe(`${Number(summary.loanDetails.interestRate).toFixed(2)} %`);
    expect(await shown('Remaining')).toBe(`${unpaid.length} of ${schedule.installments.length}`);
    await page.getByText(`Delinquent · ${summary.loanDetails.delinquentDays} days`).waitFor();

    await page.getByRole('button', { name: 'Why is this past due?' }).click();
    const why = page.locator('.loan-figures .why');
    await why.getByText('Total').waitFor();
    const explained = await read('explain/pastDue');
    const text = (await why.textContent()) ?? '';
    for (const { amount } of explained.steps) expect(text).toContain(money(amount));
    expect(text).toContain(money(explained.amount));
    expect(text).toContain(`${summary.loanDetails.delinquentDays} days before`);

    await page.getByRole('button', { name: 'Payoff on another day' }).click();
    const date = '2026-02-10';
    await why.getByLabel('Payoff on').fill(date);
    await why.getByText(money((await read(`payoff?date=${date}`)).payoff)).waitFor();
    page.expectClean();
    await page.context().close();
  });

  it('tells what happened in words, with the split of a payment', async () => {
    const page = await open();
    const { rows } = await read('history');
    type Row = { kind: string; amount: string; allocation: { interest: string; principal: string } };
    const paid = (rows as Row[]).findLast(({ kind }) => kind === 'payment');
    const line = page.locator('.timeline-line', { hasText: `Payment ${money(paid?.amount)} received` }).first();
    await line
      .getByText(`interest ${money(paid?.allocation.interest)} · principal ${money(paid?.allocation.principal)}`)
      .waitFor();
    await page.getByText(/^Late fee [\d.]+ charged$/).waitFor();
    // An agent may undo what belongs to servicing, and no decision of underwriting.
    await page.getByText('Approved', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Undo: Approved' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo: Repayment began' }).waitFor();
    await line.getByRole('button', { name: /^Why/ }).click();
    await line.getByText('Interest past due').or(line.getByText('Interest due')).waitFor();
    page.expectClean();
    await page.context().close();
  });

  slowTest('looks at another day and at what was known then, and comes back', async () => {
    const page = await open();
    const [before, first] = [await read('summary'), (await read('timeline')).items];
    await figure(page, 'Principal').getByText(money(before.balance)).waitFor();
    // Back to before the last payment, day by day of the slider.
    const slider = page.getByRole('slider', { name: 'As of' });
    const days = await slider.evaluate((input) => Number((input as unknown as { value: string }).value));
    const target = days - 75;
    await slider.fill(String(target));
    await page.waitForURL(/asOf=/);
    const asOf = new URL(page.url()).searchParams.get('asOf') as string;
    const then = await read(`summary?asOf=${asOf}`);
    expect(cents(then.balance)).not.toBe(cents(before.balance));
    await figure(page, 'Principal').getByText(money(then.balance)).waitFor();
    const lines = first.filter(
      ({ date, type }: { date: string; type: string }) => date <= asOf && type !== 'paymentAcknowledged',
    );
    await expect.poll(() => page.locator('.timeline-line').count()).toBe(lines.length);

    // The point goes along to the other tabs, and is in the address.
    await page.getByRole('link', { name: 'Schedule' }).click();
    await page.getByRole('heading', { name: /^Schedule as of/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('asOf')).toBe(asOf);
    await page.getByRole('link', { name: 'Back to today' }).click();
    await figure(page, 'Principal').getByText(money(before.balance)).waitFor();
    expect(new URL(page.url()).search).toBe('');

    // Facts recorded later are not known.
    await page.keyboard.press('1');
    const known = page.getByRole('slider', { name: 'Known at' });
    await known.fill('5');
    await page.waitForURL(/knownAt=/);
    const knownAt = new URL(page.url()).searchParams.get('knownAt') as string;
    const earlier = await read(`summary?knownAt=${encodeURIComponent(knownAt)}`);
    await figure(page, 'Principal').getByText(money(earlier.balance)).waitFor();
    await page.getByRole('button', { name: 'Back to today' }).click();
    await figure(page, 'Principal').getByText(money(before.balance)).waitFor();
    page.expectClean();
    await page.context().close();
  });

  it('reveals a person only for a purpose, for one minute, and nothing of it came before', async () => {
    const auditor = await book.person('auditor');
    const { body: record } = await book.call(auditor, `loans/${loanId}`, undefined, { purpose: 'a test' });
    const info = record.data.Request.ApplicantInfo as Record<string, string>;
    const secrets = [
      info.ApplicantLastName,
      info.ApplicantSSN,
      info.HomePhone,
      info.ApplicantEmail,
      info.ApplicantAddress,
    ];
    expect(secrets.every((secret) => typeof secret === 'string' && secret.length > 3)).toBe(true);

    const page = await openPage(browser, await book.person('agent'));
    await page.clock.install({ time: book.app.clock.now });
    await page.goto(address());
    const name = page.getByRole('heading', { level: 1 });
    await name.getByText(info.ApplicantFirstName as string).waitFor();
    for (const tab of TABS) {
      await page.getByRole('navigation', { name: 'Loan' }).getByRole('link', { name: tab }).click();
      await page.locator('.tab[aria-current="page"]', { hasText: tab }).waitFor();
    }
    await page.getByRole('button', { name: 'Show disclosures' }).waitFor();
    const leaked = async () => {
      const seen = `${await page.bodies()}\n${await page.content()}`;
      return secrets.filter((secret) => seen.includes(secret as string));
    };
    expect(await leaked()).toEqual([]);

    await page.getByRole('button', { name: 'Reveal', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Reveal personal data' });
    await dialog.getByLabel('Purpose').selectOption('Other');
    await page.getByRole('button', { name: 'Reveal for one minute' }).click();
    await page.getByText('Enter a purpose.').waitFor();
    expect(await leaked()).toEqual([]);
    await dialog.getByLabel('Details').fill('Call about the late payment');
    await page.getByRole('button', { name: 'Reveal for one minute' }).click();
    const panel = page.getByRole('region', { name: 'Personal data', exact: true });
    await panel
      .getByText(info.ApplicantLastName as string)
      .first()
      .waitFor();
    await panel.getByText(info.ApplicantSSN as string).waitFor();
    await panel.getByText('This disclosure was recorded').waitFor();
    await panel.getByText(/Hidden again in (60|59) s/).waitFor();
    await page.clock.runFor(30_000);
    await panel.getByText(/Hidden again in (30|29) s/).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.clock.runFor(31_000);
    await panel.waitFor({ state: 'detached' });
    const left = await page.content();
    expect(secrets.filter((secret) => left.includes(secret as string))).toEqual([]);

    const { body: seen } = await book.call(auditor, `loans/${loanId}/disclosures`, undefined, { purpose: 'a test' });
    const purposes = seen.data.items.map(({ purpose }: { purpose: string }) => purpose);
    expect(purposes).toContain('Call about the late payment');
    page.expectClean();
    await page.context().close();
  });

  slowTest('checks the ledger in the browser, and notices a changed byte', async () => {
    const { items } = await read('transactions');
    const page = await open({}, '/proof');
    await page
      .getByText(new RegExp(`^Verified in this browser: ${items.length} transactions in \\d+ blocks$`))
      .waitFor();
    await expect.poll(() => page.getByText('Block hash verified').count()).toBe(items.length);
    expect(await axe(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axe(page, { look: true })).toEqual([]);

    await page.route('**/transactions', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace('\\"amount\\":1', '\\"amount\\":2'),
      });
    });
    await page.reload();
    await page.getByText(/^1 of \d+ transactions could not be verified$/).waitFor();
    await page.getByText('SHA-256 not verified').first().waitFor();
    page.expectClean();
    await page.context().close();
  });

  it('goes through the tabs and opens operations by keyboard', async () => {
    const page = await open();
    for (const [n, tab] of TABS.entries()) {
      await page.keyboard.press(String(n + 1));
      await page.locator('.tab[aria-current="page"]', { hasText: tab }).waitFor();
      expect(page.url()).toBe(address(`/${tab.toLowerCase()}`));
    }
    const due = fromCents(cents((await read('summary')).loanDetails.metadata.AutoLoan.currentPaymentDue) ?? 0n);
    await page.keyboard.press('p');
    const drawer = page.getByRole('dialog', { name: 'Take payment' });
    await drawer.waitFor();
    await expect
      .poll(() => drawer.getByLabel('Amount', { exact: false }).first().inputValue())
      .toBe(due.replaceAll(',', ''));
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.keyboard.press('q');
    await page.getByRole('dialog', { name: 'Quote payoff' }).waitFor();
    await page.keyboard.press('Escape');
    page.expectClean();
    await page.context().close();
  });

  slowTest('lists what is possible, and says why the rest is not', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Waive a fee' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Unavailable actions' }).click();
    const reasons = page.getByRole('dialog', { name: 'Unavailable actions' });
    await reasons.getByText('is still owed on this loan.').waitFor();
    await reasons.getByText('Your roles do not include loans:fund.').waitFor();
    page.expectClean();
    await page.context().close();
  });

  slowTest('shows a hold, an open approval, an application and a loan that is not there', async () => {
    const page = await openPage(browser, await book.person('agent'));
    await page.goto(address('', book.loans.held));
    await page.getByText('Hold: dispute').waitFor();
    // Beside the long text of what the hold does, on one line.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByText(/credit reporting: /).waitFor();
    const release = page.getByRole('button', { name: 'Release', exact: true });
    expect((await release.boundingBox())?.height).toBeLessThan(30);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(address('', book.loans.pendingApproval));
    await page.getByText('A request waits for approval').waitFor();
    await page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    await page.goto(address('', book.loans.submitted));
    await page.getByText('First due').waitFor();
    await page.goto(address('', `0x${'0'.repeat(64)}`));
    await page.getByText('There is no such loan').waitFor();
    page.expectClean();
    await page.context().close();
  });

  slowTest(
    'marks a payment that was returned or reversed, and neither counts it nor offers to take it back again',
    async () => {
      const agent = await book.person('agent');
      const history = async () => (await book.call(agent, `loans/${book.loans.returned}/history`)).body.data.rows;
      type Row = { kind: string; reference: string };
      const paid = ((await history()) as Row[])
        .filter(({ kind }) => kind === 'payment')
        .map(({ reference }) => reference);
      const returned = ((await history()) as Row[]).find(({ kind }) => kind === 'returned')?.reference as string;
      const reversed = paid.find((reference) => reference !== returned) as string;
      const page = await openPage(browser, agent);
      await page.goto(address('/payments', book.loans.returned));
      await page.getByText(`Number of payments: ${paid.length - 1}`).waitFor();
      await page.getByRole('button', { name: `Reverse ${reversed}`, exact: true }).waitFor();
      const reversal = { loanId: book.loans.returned, refId: reversed, reason: 'Posted to the wrong loan' };
      await book.call(await book.person('manager'), 'reverse-repayment', reversal);
      await page.reload();
      await page.getByText(`Number of payments: ${paid.length - 2}`).waitFor();
      for (const [reference, word] of [
        [returned, 'Returned'],
        [reversed, 'Reversed'],
      ] as const) {
        await page.getByRole('row', { name: new RegExp(`Payment ${word} ${reference}`) }).waitFor();
        const again = page.getByRole('button', { name: new RegExp(`^(Return|Reverse|Acknowledge) ${reference}$`) });
        expect(await again.count()).toBe(0);
      }
      page.expectClean();
      await page.context().close();
    },
  );

  slowTest('says which right is missing', async () => {
    const page = await open({}, '/books');
    await page.getByText('You cannot see the journal').waitFor();
    await page.keyboard.press('7');
    await page.getByText('You cannot see the audit trail').waitFor();
    await page.context().close();
  });
});
