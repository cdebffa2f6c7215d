/** An underwriter's day: from the list of what waits to a decision with a reason, the file that asks for a purpose, and a declined applicant's notice. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { usualTest as it, slowTest } from '../support/whole.ts';

const WIDER = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

// Long stories, on a machine that may do other things.
describe.skipIf(withoutBrowser)('underwriting', { timeout: 180_000 }, () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  /** Checks that the page is accessible and that nothing on it is cut off, in states that `pages.test.ts` does not have. */
  async function expectFine(page: WatchedPage, what: string): Promise<void> {
    await page.evaluate('document.fonts.ready');
    expect(await axe(page), what).toEqual([]);
    expect(await page.evaluate(WIDER), `${what}: wider than the window by`).toBe(0);
    page.expectClean();
  }
  const list = (page: WatchedPage) => page.getByRole('region', { name: 'Applications' });
  const applicationId = async (loanId: string) => {
    const { body } = await book.call(await book.person('underwriter'), `loans/${loanId}/summary`);
    return body.data.loanDetails.applicationId as string;
  };

  slowTest(
    'an underwriter finds an application, compares deals, approves one with a reason, and the list moves on',
    async () => {
      const loanId = book.loans.underwriting;
      const application = await applicationId(loanId);
      const page = await openPage(browser, await book.person('underwriter'));
      await page.goto(`${book.origin}/console/underwriting`);
      await list(page).getByRole('row').nth(1).waitFor();
      // The oldest first, and each with its next step.
      const ages = await list(page).locator('tbody td:nth-child(4)').allTextContents();
      expect(ages.map(Number.parseFloat)).toEqual(ages.map(Number.parseFloat).toSorted((a, b) => b - a));
      await page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name: 'To decide' }).click();
      await list(page).getByRole('row').filter({ hasText: application }).getByText('Decide', { exact: true }).waitFor();
      // By keyboard: j to the first, Enter opens it.
      await page.keyboard.press('j');
      expect(await page.evaluate('document.activeElement.className')).toContain('application-link');
      await list(page).getByRole('link', { name: application }).press('Enter');

      const map = page.getByRole('grid');
      await map.getByRole('button').first().waitFor();
      expect(await map.getByRole('button').count()).toBe(60);
      await page.locator('canvas').first().waitFor();

      // From the requested deal down to the buy rate and to a shorter term.
      await map.locator('[aria-current=true]').press('ArrowDown');
      await map.locator('[aria-current=true]').press('ArrowLeft');
      const chosen = await map.locator('[aria-current=true]').getAttribute('data-deal');
      expect(chosen).not.toBe('0');
      await page.getByRole('heading', { name: `Deal ${chosen}`, exact: true }).waitFor();
      await page.getByRole('button', { name: 'Compare' }).click();
      await map.locator('[data-deal="0"]').click();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      const beside = page.getByRole('region', { name: 'Deals side by side' });
      expect(await beside.getByRole('columnheader').allTextContents()).toEqual([
        'Figure',
        `Deal ${chosen}`,
        'Deal 0 · requested',
      ]);
      await page.getByRole('radio', { name: 'Payment' }).check({ force: true });
      await page.getByText('Monthly payment').waitFor();
      await expectFine(page, 'compared');

      await map.locator(`[data-deal="${chosen}"]`).click();
      await page.getByRole('button', { name: `Approve deal ${chosen}` }).click();
      const drawer = page.getByRole('dialog', { name: `Approve deal ${chosen}` });
      await drawer.getByLabel('Reason', { exact: true }).fill('Shorter term as the applicant asked by telephone');
      expect(await drawer.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
      await drawer.getByRole('button', { name: 'Preview' }).click();
      const outlook = drawer.getByRole('region', { name: 'This will happen' });
      await outlook.getByText('Approved').first().waitFor();
      await expectFine(page, 'decision');
      // Nothing has happened yet.
      const before = await book.call(await book.person('underwriter'), `loans/${loanId}/summary`);
      expect(before.body.data.loanStatus).toBe('UnderwritingStarted');
      await drawer.getByRole('button', { name: 'Approve', exact: true }).click();
      await drawer.getByText('Decision recorded.').waitFor();
      await drawer.getByRole('button', { name: 'Close' }).last().click();

      await page.getByRole('heading', { name: 'Next: request collateral' }).waitFor();
      const after = await book.call(await book.person('underwriter'), `loans/${loanId}/summary`);
      const { body: deals } = await book.call(await book.person('underwriter'), `loans/${loanId}/deals`);
      const deal = deals.data.items[Number(chosen)];
      expect(after.body.data).toMatchObject({
        loanStatus: 'Approved',
        loanDetails: { term: deal.term, interestRate: deal.apr },
      });
      // The contract is marked in the map.
      await map.locator(`[data-deal="${chosen}"].contract`).waitFor();
      await page.getByRole('link', { name: 'Underwriting' }).first().click();
      const row = list(page).getByRole('row').filter({ hasText: application });
      await row.getByText('Request collateral').waitFor();
      expect(await row.getByRole('cell').nth(1).textContent()).toBe('Approved');
      page.expectClean();
      await page.context().close();
    },
  );

  slowTest('an application is entered in fields, on a phone too, and waits in the list', async () => {
    const person = await book.person('underwriter');
    const page = await openPage(browser, person, { phone: true });
    await page.goto(`${book.origin}/console/underwriting`);
    await page.getByRole('button', { name: 'New application' }).click();
    const drawer = page.getByRole('dialog', { name: 'New application' });
    const fill = (label: string, text: string) => drawer.getByLabel(label).first().fill(text);
    await fill('Application number', 'APP-DESK-1');
    await fill('Borrower number', 'BRW-DESK-1');
    await fill('Lender', 'LND-DESK');
    await fill('Amount financed', '18,000');
    await fill('Rate, % per year', '8.49');
    await fill('Term, months', '60');
    await drawer.getByRole('button', { name: 'Applicant', exact: true }).click();
    await fill('First name', 'Zoë');
    await fill('Last name', 'Example');
    await fill('Date of birth', '1990-02-28');
    await fill('Social security number', '666-12-345');
    await drawer.getByLabel('State').first().selectOption('OH');
    await fill('Income before tax', '6,500.50');
    await drawer.getByRole('button', { name: 'Vehicle', exact: true }).click();
    await fill('Wholesale value', '19,500');
    // A mistake is named at its field, and nothing is sent.
    await drawer.getByRole('button', { name: 'Preview' }).click();
    await drawer.getByText('Enter nine digits').waitFor();
    await fill('Social security number', '666-12-3456');
    await drawer.getByRole('region', { name: 'This will happen' }).waitFor();
    await expectFine(page, 'new application');
    // The same application as JSON, and back.
    await drawer.getByLabel('As JSON').check();
    expect(JSON.parse(await drawer.getByRole('textbox', { name: 'As JSON' }).inputValue())).toMatchObject({
      ApplicantInfo: { ApplicantDOB: '19900228', MonthlyGross: 6500.5 },
    });
    await drawer.getByLabel('In fields').check();
    await drawer.getByRole('button', { name: 'Create APP-DESK-1' }).click();
    await drawer.getByText('APP-DESK-1 was created.').waitFor();
    await drawer.getByRole('link', { name: 'Show the loan' }).click();
    await page.getByRole('heading', { name: 'Zoë E.' }).waitFor();
    const { body: found } = await book.call(person, 'loans?q=APP-DESK-1');
    const { body: full } = await book.call(person, `loans/${found.data.items[0].loanId}`, undefined, {
      purpose: 'test',
    });
    expect(full.data.Request).toMatchObject({
      ApplicantInfo: {
        ApplicantFirstName: 'Zoë',
        ApplicantDOB: '19900228',
        MonthlyGross: 6500.5,
        ApplicantState: 'OH',
      },
      VehicleInfo: { VehicleWholesaleValue: '19,500' },
    });
    await page.goto(`${book.origin}/console/underwriting`);
    await list(page).getByRole('link', { name: 'APP-DESK-1' }).waitFor();
    page.expectClean();
    await page.context().close();
  });

  slowTest(
    'report, reasons and file ask for a purpose; a decline is followed by its notice, on a phone in the dark',
    async () => {
      const loanId = book.loans.underwritingWeak;
      const person = await book.person('underwriter');
      const { body: full } = await book.call(person, `loans/${loanId}`, undefined, { purpose: 'test' });
      const { ApplicantLastName, ApplicantSSN } = full.data.Request.ApplicantInfo;
      const page = await openPage(browser, person, { phone: true, dark: true });
      await page.goto(`${book.origin}/console/underwriting/${loanId}`);
      await page.locator('canvas').first().waitFor();
      const disclosures = async () => {
        const { body } = await book.call(person, `loans/${loanId}/disclosures`, undefined, { purpose: 'test' });
        return body.data.items.map(({ purpose }: { purpose: string }) => purpose) as string[];
      };

      const report = page.getByRole('region', { name: 'Credit report' });
      await report.getByRole('button', { name: 'Open report' }).click();
      await report.getByText('Enter a purpose.').waitFor();
      expect(await page.locator('object').count()).toBe(0);
      await report.getByLabel('Purpose').selectOption('Deciding the application');
      const seen = await page.bodies();
      expect(seen.includes(ApplicantLastName) || seen.includes(ApplicantSSN)).toBe(false);
      await report.getByRole('button', { name: 'Open report' }).click();
      const pdf = page.locator('object[type="application/pdf"]');
      await pdf.waitFor();
      expect(await pdf.getAttribute('data')).toMatch(/^blob:/);
      expect(await disclosures()).toContain('Deciding the application');
      await report.getByRole('button', { name: 'Close report' }).click();

      const file = page.getByRole('region', { name: 'Reasons and file' });
      await file.getByLabel('Purpose').selectOption('Other');
      await file.getByLabel('Details').fill('The dealer’s question — “why?”');
      await file.getByRole('button', { name: 'Show reasons and file' }).click();
      await file.getByRole('heading', { name: 'Deal 0: reasons and warnings' }).waitFor();
      await file.getByText(ApplicantLastName).waitFor();
      expect(await file.textContent()).not.toContain(ApplicantSSN.slice(-4));
      expect(
        (await disclosures()).filter((purpose) => purpose === 'The dealer’s question — “why?”').length,
      ).toBeGreaterThan(0);
      await expectFine(page, 'file-phone');
      await file.getByRole('button', { name: 'Hide now' }).click();
      expect(await page.getByText(ApplicantLastName).count()).toBe(0);

      await page.getByRole('button', { name: 'Decline', exact: true }).click();
      const drawer = page.getByRole('dialog', { name: 'Decline application' });
      await drawer.getByLabel('Reason', { exact: true }).fill('Income could not be verified');
      await drawer.getByRole('button', { name: 'Preview' }).click();
      await drawer.getByRole('region', { name: 'This will happen' }).getByText('Rejected').first().waitFor();
      await expectFine(page, 'decline-phone');
      await drawer.getByRole('button', { name: 'Decline', exact: true }).click();
      await drawer.getByText('Decision recorded.').waitFor();
      await drawer.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('heading', { name: 'Declined' }).waitFor();
      await page.goto(`${book.origin}/console/underwriting?step=Rejected`);
      await list(page)
        .getByRole('link', { name: await applicationId(loanId) })
        .waitFor();
      expect(await page.evaluate(WIDER)).toBe(0);
      page.expectClean();
      await page.context().close();
    },
  );

  slowTest('a declined application says until when its notice is due, and writes it', async () => {
    const page = await openPage(browser, await book.person('underwriter'), { dark: true });
    await page.goto(`${book.origin}/console/underwriting/${book.loans.rejected}`);
    await page.getByText('The applicant must be sent a notice of adverse action by').waitFor();
    await page.locator('canvas').first().waitFor();
    await expectFine(page, 'rejected');
    // On paper it is light, whatever the screen is.
    await page.emulateMedia({ media: 'print' });
    const card = 'getComputedStyle(document.querySelector(".panel")).backgroundColor';
    expect(await page.evaluate(card)).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ media: 'screen' });
    expect(await page.evaluate(card)).not.toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Write notice' }).click();
    const drawer = page.getByRole('dialog', { name: 'Notice to an applicant' });
    await drawer.getByRole('button', { name: 'Write notice' }).click();
    await drawer.getByText('Required.').first().waitFor();
    for (const party of ['Creditor', 'Credit bureau']) {
      const fields = drawer.getByRole('group', { name: party });
      await fields.getByLabel('Name').fill(`${party} of Springfield`);
      await fields.getByLabel('Address').fill('1 Main Street, Springfield');
      await fields.getByLabel('Telephone').fill('555-0100');
    }
    await drawer.getByRole('button', { name: 'Write notice' }).click();
    await drawer.getByText(/STATEMENT OF REASONS|NOTICE OF/).waitFor();
    expect(await drawer.textContent()).toContain('Credit bureau of Springfield');
    await expectFine(page, 'notice');
    // It is printed alone.
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('grid').isVisible()).toBe(false);
    expect(await drawer.getByText('Principal reasons').isVisible()).toBe(true);
    await page.context().close();
  });

  slowTest('someone who neither decides nor sees personal data reads the deals and nothing else', async () => {
    const page = await openPage(browser, await book.person('accountant'));
    await page.goto(`${book.origin}/console/underwriting/${book.loans.approved}`);
    await page.getByText('You cannot see credit reports').waitFor();
    await page.getByText('You cannot see reasons and the applicant’s file').waitFor();
    await page.getByRole('grid').waitFor();
    expect(await page.getByRole('button', { name: /^Approve deal/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /Request collateral|Fund|Cancel/ }).count()).toBe(0);
    await page.getByText('“Request collateral” needs a role with the scope loans:write').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/^Application /);
    await expectFine(page, 'accountant');
    await page.context().close();
  });

  it('a loan shows what was expected of it beside what is expected now, and what it still asks for', async () => {
    const page = await openPage(browser, await book.person('underwriter'));
    await page.goto(`${book.origin}/console/loans/${book.loans.late60}/underwriting`);
    const table = page.getByRole('region', { name: 'Then and now' }).first();
    await table.getByRole('row').nth(2).waitFor();
    const [, then, now] = await table.getByRole('row').nth(2).getByRole('cell').allTextContents();
    // Two months late: a default is more likely than it was.
    expect(Number.parseFloat(now ?? '')).toBeGreaterThan(Number.parseFloat(then ?? ''));
    await page.getByRole('grid').locator('.contract').waitFor();
    await page.locator('canvas').nth(1).waitFor();

    // Its checklist: a stipulation is verified in the drawer, with evidence.
    const panel = page.getByRole('region', { name: 'Stipulations', exact: true });
    const line = await panel.getByText(/^\d+ of \d+ open$/).textContent();
    const [open = 0, all = 0] = (line ?? '').match(/\d+/g)?.map(Number) ?? [];
    expect(open).toBe(all);
    await panel.getByRole('button', { name: /^Verify: Proof of insurance/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Verify stipulation' });
    await drawer.getByText(/^Proof of insurance/).waitFor();
    await drawer.getByLabel('Evidence *').fill('Policy 55-1');
    await drawer.getByRole('button', { name: 'Record as verified' }).click();
    await drawer.getByText('Recorded as verified.').waitFor();
    await drawer.getByRole('button', { name: 'Close' }).last().click();
    await panel.getByText(`${open - 1} of ${all} open`).waitFor();
    expect(await panel.getByRole('row').filter({ hasText: 'Verified' }).textContent()).toContain('Proof of insurance');
    page.expectClean();
    await page.context().close();
  });

  slowTest('an application that is not there says so', async () => {
    const page = await openPage(browser, await book.person('underwriter'), { phone: true });
    await page.goto(`${book.origin}/console/underwriting/0x${'ab'.repeat(32)}`);
    await page.getByText('There is no such application').waitFor();
    await expectFine(page, 'missing');
    await page.context().close();
  });
});
