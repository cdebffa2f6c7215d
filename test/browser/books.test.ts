/** The month of an accountant: books that balance and tie, a month closed from its preview on; and the portfolio's reports as the API has them. */
import { readFileSync } from 'node:fs';
import type { Download } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { shoot, withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage, type Person, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { usualTest as it, slowTest } from '../support/whole.ts';

/** "1234.5" and "1,234.50" as the pages show them. */
const shown = (amount: string): string => {
  const [whole = '', cents = ''] = amount.replaceAll(',', '').replace('-', '').split('.');
  const minus = amount.startsWith('-') ? '−' : '';
  return `${minus}${Number(whole).toLocaleString('en-US')}.${cents.padEnd(2, '0')}`;
};
const amountOf = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'));
const percent = (text: string | null): string =>
  text === null ? '—' : `${Number(text).toFixed(2).replace('-', '−')} %`;
const monthName = (period: string) =>
  new Date(`${period}-01T00:00:00Z`).toLocaleDateString('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });

describe.skipIf(withoutBrowser)('the books and the portfolio', () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  let accountant: Person;
  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
    accountant = await book.person('accountant');
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });
  const data = async (path: string) => (await book.call(accountant, path)).body.data;
  const open = async (path: string, how: Parameters<typeof openPage>[2] = {}, who: Person = accountant) => {
    const page = await openPage(browser, who, how);
    page.setDefaultTimeout(30_000);
    await page.goto(`${book.origin}/console${path}`);
    return page;
  };
  const rowOf = (page: WatchedPage, table: string, name: string | RegExp) =>
    page.getByRole('region', { name: table, exact: true }).getByRole('row').filter({ hasText: name }).first();
  const cells = (page: WatchedPage, table: string, name: string | RegExp) =>
    rowOf(page, table, name).getByRole('cell').allInnerTexts();
  const saved = async (download: Download) => readFileSync((await download.path()) as string, 'utf8');
  /** Everything that a page must be, whatever it shows. `pages.test.ts` examines each page as it opens; here it is in a state of its own. */
  const sound = async (page: WatchedPage) => {
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    page.expectClean();
  };

  it('closes a month: in balance, tied, previewed, closed, by whom and when', { timeout: 180_000 }, async () => {
    const page = await open('/books');
    const { totals, accounts } = await data('ledger/trial-balance');
    await page.getByText('In balance').waitFor();
    expect(await cells(page, 'Trial balance', 'Totals')).toEqual(['Totals', shown(totals.debit), shown(totals.credit)]);
    expect(totals.debit).toBe(totals.credit);
    const { debit } = accounts.find(({ account }: { account: string }) => account === 'loanPrincipal');
    expect(await cells(page, 'Trial balance', 'Loan principal')).toContain(shown(debit));
    expect((await cells(page, 'Trial balance', 'Difference')).at(-1)).toBe('0.00');
    page.expectClean();

    await page.getByRole('link', { name: 'Tie-out' }).click();
    await page.getByRole('heading', { name: /Tie-out as of .* ✓ Ties/ }).waitFor();
    expect(await page.getByText('✕ Does not tie').count()).toBe(0);
    expect((await page.getByRole('columnheader').allTextContents()).at(-1)).toBe('Ties');
    page.expectClean();

    const { next } = await data('ledger/periods');
    const name = monthName(next);
    await page.getByRole('link', { name: 'Periods' }).click();
    await page.getByText('No month is closed yet').waitFor();
    expect(await page.getByRole('button', { name: `Close ${name}…` }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Preview' }).click();
    const totalsRow = rowOf(page, `Closing balances of ${name}`, 'Totals');
    await totalsRow.waitFor();
    const [, left, right] = await totalsRow.getByRole('cell').allInnerTexts();
    expect(left).toBe(right);
    expect((await data('ledger/periods')).items).toEqual([]);
    page.expectClean();

    await page.getByRole('button', { name: `Close ${name}…` }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Preview' }).click();
    await drawer.getByRole('button', { name: `Close ${name}`, exact: true }).click();
    await drawer.getByText('Month closed.').waitFor();
    await sound(page);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    const row = rowOf(page, 'Closed months', name);
    await row.waitFor();
    expect(await row.innerText()).toContain('You');
    const { items, next: after } = await data('ledger/periods');
    expect(items).toMatchObject([{ period: next, closedBy: { userId: accountant.userId } }]);
    await page.getByRole('heading', { name: `Next month to close: ${monthName(after)}` }).waitFor();
    await page.waitForFunction('document.activeElement !== document.body');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(`Close ${monthName(after)}…`);
    await page.getByRole('button', { name: 'Preview', exact: true }).waitFor();

    await row.getByRole('link', { name: 'Roll-forward' }).click();
    await page.getByText('✓ Adds up').waitFor();
    await page.getByText('Closed', { exact: true }).waitFor();
    // The closing is as bold in the row of all accounts as above it.
    const bold =
      "[...document.querySelectorAll('tbody strong, tfoot td')].map((one) => getComputedStyle(one).fontWeight)";
    expect(new Set(await page.evaluate<string[]>(bold))).toEqual(new Set(['600']));
    await sound(page);
    await page.context().close();
  });

  it('records an entry by hand, and lists it', { timeout: 120_000 }, async () => {
    const page = await open('/books/by-hand');
    await page.getByText('No entry was recorded by hand').waitFor();
    await page.getByRole('button', { name: 'Record an entry…' }).click();
    await page.getByLabel('Lender').fill('LND-100');
    await page.getByLabel('Debit 1').fill('50000');
    await page.getByText('Debits and credits differ by 50,000.00.').waitFor();
    await page.getByLabel('Credit 2').fill('50000');
    await page.getByText('Debits equal credits.').waitFor();
    await page.getByLabel('Reason').fill('Capital paid in');
    await sound(page);
    await shoot(page, 'entry-by-hand');
    await page.getByRole('button', { name: 'Record entry' }).click();
    const row = rowOf(page, 'Entries by hand', 'Capital paid in');
    await row.waitFor();
    expect(await row.innerText()).toContain('50,000.00');
    const { items } = await data('ledger/entries?byHand=true');
    expect(items).toMatchObject([
      { lenderId: 'LND-100', reason: 'Capital paid in', recordedBy: { userId: accountant.userId } },
    ]);
    await sound(page);
    await shoot(page, 'entries-by-hand');
    await page.context().close();
  });

  slowTest('says why a month cannot be closed', { timeout: 60_000 }, async () => {
    const page = await open('/books/periods');
    // The service answers so where a cycle has not run: here it is made to.
    await page.route('**/ledger/close?dryRun=true', (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        json: {
          ...{ type: 'urn:daybook:problem:cycle_pending', title: 'A nightly cycle has not run', status: 409 },
          ...{ detail: 'The cycle of 2025-09-30 has not run yet.', code: 'cycle_pending', refusal: 'cycle_pending' },
          date: '2025-09-30',
        },
      }),
    );
    await page.getByRole('button', { name: 'Preview' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText(/cannot be closed: A nightly cycle of the month has not run yet/).waitFor();
    await alert.getByText('The cycle for Sep 30, 2025 is missing.').waitFor();
    await alert.getByRole('link', { name: 'See the nightly cycles' }).click();
    await page.getByRole('heading', { name: 'Nightly cycles' }).waitFor();
    await page.context().close();
  });

  slowTest('sets account codes and exports a month under them', { timeout: 90_000 }, async () => {
    const page = await open('/books/export?period=2025-12');
    await page.getByRole('button', { name: 'Download Dec 2025' }).click();
    await page.getByRole('alert').getByText('Some accounts have no code yet').waitFor();
    const without = await page.getByRole('alert').innerText();
    expect(without).toContain('Loan principal');
    expect(without).not.toMatch(/loanPrincipal|POST/);
    await page.getByRole('link', { name: 'Set account codes' }).click();
    const inputs = page.getByRole('textbox', { name: /^Code for / });
    await inputs.first().waitFor();
    const count = await inputs.count();
    for (let n = 1; n < count; n += 1) await inputs.nth(n).fill(String(1000 + n));
    // Text typed while others are saved stays.
    let typed = () => {};
    const meanwhile = new Promise<void>((resolve) => {
      typed = resolve;
    });
    await page.route('**/ledger/account-codes', async (route) => {
      if (route.request().method() === 'POST') await meanwhile;
      await route.continue();
    });
    await page.getByRole('button', { name: `Save ${count - 1} codes` }).click();
    await inputs.first().fill('1000');
    typed();
    const last = page.getByRole('button', { name: 'Save 1 code', exact: true });
    await last.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Every account has a code.').waitFor();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Save codes');
    await inputs.first().fill('');
    await page.getByText('A saved code can be changed but not removed: 1000 stays.').waitFor();
    await inputs.first().fill('1000');
    expect((await data('ledger/account-codes')).items).toContainEqual({ account: 'loanPrincipal', code: '1000' });
    await sound(page);
    await page.goto(`${book.origin}/console/books/export?period=2025-12`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download Dec 2025' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('journal-2025-12.csv');
    const direct = await book.call(accountant, 'ledger/export?period=2025-12&format=csv', undefined, {
      accept: 'text/csv',
    });
    expect(await saved(download)).toBe(direct.text);
    await page.context().close();
  });

  slowTest(
    'shows the figures of the API, of another date too, and exports what is shown',
    { timeout: 120_000 },
    async () => {
      const page = await open('/portfolio');
      const figure = (label: string) => page.locator('.figures > div').filter({ hasText: label }).first().innerText();
      const compare = async (path: string) => {
        const { totals } = await data(path);
        await page.locator('.figures').getByText(shown(totals.principal), { exact: true }).first().waitFor();
        expect(await figure('Open loans')).toContain(String(totals.count));
        expect(await figure('Average rate')).toContain(percent(totals.averageRate));
        expect(await figure('30+ days past due')).toContain(percent(totals.pastDue30Share));
        return totals;
      };
      const today = await compare('portfolio/summary');
      page.expectClean();
      await page.getByLabel('As of').selectOption('2025-11-30');
      const then = await compare('portfolio/summary?asOf=2025-11-30');
      expect(then.principal).not.toBe(today.principal);
      await page.getByLabel('Divide by').selectOption('grade');
      await page.getByRole('heading', { name: 'By grade' }).waitFor();
      const { slices } = await data('portfolio/summary?asOf=2025-11-30&by=grade');
      const region = page.getByRole('region', { name: 'Portfolio by grade' });
      const graded = page.getByRole('cell', { name: slices[0].slice, exact: true });
      const ofGrade = await region.getByRole('row').filter({ has: graded }).getByRole('cell').allInnerTexts();
      expect(ofGrade).toContain(shown(slices[0].principal));
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export CSV' }).click(),
      ]);
      const direct = await book.call(accountant, 'portfolio/summary?asOf=2025-11-30&by=grade', undefined, {
        accept: 'text/csv',
      });
      expect(await saved(download)).toBe(direct.text);
      // A month end as it was reported: this book has known its past since today only.
      await page.getByLabel('Known', { exact: true }).selectOption('asReported');
      await page.getByText('No loans on this date').waitFor();
      await page.getByLabel('Known', { exact: true }).selectOption('');

      await page.getByRole('link', { name: 'Delinquency' }).click();
      expect(new URL(page.url()).searchParams.get('asOf')).toBe('2025-11-30');
      const { totals: buckets } = await data('portfolio/delinquency?asOf=2025-11-30');
      const late = buckets.find(({ bucket }: { bucket: string }) => bucket === '30-59');
      await rowOf(page, 'Open loans by days past due', '30–59').waitFor();
      expect(await cells(page, 'Open loans by days past due', '30–59')).toEqual([
        ...['30–59 days', String(late.count), percent(late.countShare), shown(late.principal)],
        ...[percent(late.principalShare), ''],
      ]);
      page.expectClean();

      await page.goto(`${book.origin}/console/portfolio/roll-rates?asOf=2025-12-31`);
      const { totals: rolled } = await data('portfolio/roll-rates?to=2025-12-31');
      const kept = rolled.find((row: { from: string; to: string }) => row.from === 'current' && row.to === 'current');
      const heat = page.getByRole('region', { name: 'Roll rates' });
      await heat.waitFor();
      const first = await heat.getByRole('row').nth(1).getByRole('cell').first().innerText();
      expect(first.split('\n')).toEqual([String(kept.count), percent(kept.countRate)]);
      await page.getByRole('button', { name: 'Principal' }).click();
      expect(await heat.getByRole('row').nth(1).getByRole('cell').first().innerText()).toContain(
        shown(kept.principalFrom),
      );
      await sound(page);

      await page.goto(`${book.origin}/console/portfolio/cashflows?asOf=2025-12-31`);
      const { totals: months } = await data('portfolio/cashflows?asOf=2025-12-31');
      const last = months.at(-1);
      await rowOf(page, 'Cash by month', 'Dec 2025').waitFor();
      expect((await cells(page, 'Cash by month', 'Dec 2025'))[2]).toBe(shown(last.received));
      page.expectClean();
      // The running month is in the table and not in its total.
      await page.goto(`${book.origin}/console/portfolio/cashflows`);
      await rowOf(page, 'Cash by month', 'that are over').waitFor();
      const total = await cells(page, 'Cash by month', 'that are over');
      const [scheduled = 0, received = 0, difference] = total.slice(1, 4).map(amountOf);
      expect((received - scheduled).toFixed(2)).toBe(difference?.toFixed(2));
      // Twelve months are the same ones of both, without the running month.
      const isYear = ({ period }: { period: string }) => period === 'last12Months';
      await page.goto(`${book.origin}/console/portfolio/yield`);
      const year = (await data('portfolio/yield?asOf=2025-12-31')).totals.find(isYear);
      await page.locator('.figures').getByText('Realized · Last 12 full months').waitFor();
      const earned = await figure('Realized · Last 12 full months');
      expect(earned).toContain(percent(year.realized));
      expect(earned).toContain('– Dec 2025');
      await page.getByRole('link', { name: 'Speed' }).click();
      await page.locator('.figures').getByText('CPR · Last 12 full months').waitFor();
      expect(await figure('CPR · Last 12 full months')).toContain('– Dec 2025');
      page.expectClean();
      await page.context().close();
    },
  );

  slowTest('computes a date that is no month end, with its progress', { timeout: 60_000 }, async () => {
    const page = await open('/portfolio/delinquency?asOf=2025-12-10');
    await page.getByText('The positions of Dec 10, 2025 are being computed.').waitFor();
    await page.getByRole('progressbar', { name: 'Loans computed' }).waitFor();
    await book.app.loans.reports.positionDates.goOn(() => false);
    await rowOf(page, 'Open loans by days past due', 'Current').waitFor();
    const { totals } = await data('portfolio/delinquency?asOf=2025-12-10');
    expect(await cells(page, 'Open loans by days past due', 'Current')).toContain(shown(totals[0].principal));
    await page.context().close();
  });

  slowTest('prints a trial balance on one page', { timeout: 60_000 }, async () => {
    const page = await open('/books');
    await page.getByText('In balance').waitFor();
    const pdf = (await page.pdf({ format: 'Letter' })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.context().close();
  });

  slowTest(
    'shows nothing to somebody without the right, and nothing to close to an auditor',
    {
      timeout: 60_000,
    },
    async () => {
      const agent = await open('/books', {}, await book.person('agent'));
      await agent.getByText('You cannot see the books').waitFor();
      await agent.context().close();
      const auditor = await open('/books/periods', {}, await book.person('auditor'));
      await auditor.getByText('Closing needs a role with the scope').waitFor();
      expect(await auditor.getByRole('button', { name: 'Preview' }).count()).toBe(0);
      await auditor.context().close();
    },
  );
});
