/** The support for tests of the pages: that it notices what it is there to notice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';

describe.skipIf(withoutBrowser)('the support for tests of the pages', () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  it('has a loan in each state, an open approval, a hold, positions of past months, and books that tie', async () => {
    const manager = await book.person('manager', 'accountant');
    const { body: listed } = await book.call(manager, 'loans?limit=100');
    const shown = new Map<string, { loanStatus: string; bucket: string | null }>(
      listed.data.items.map((one: { loanId: string }) => [one.loanId, one]),
    );
    const stateOf = (loanId: string) => [shown.get(loanId)?.loanStatus, shown.get(loanId)?.bucket];
    expect(Object.fromEntries(Object.entries(book.loans).map(([kind, id]) => [kind, stateOf(id).join(' ')]))).toEqual({
      ...{ current: 'Current current', held: 'Current current', pendingApproval: 'Current current' },
      ...{ returned: 'Delinquent 1-29', late: 'Delinquent 1-29', late30: 'Delinquent 30-59' },
      ...{ late60: 'Delinquent 60-89', late90: 'Delinquent 90-119', defaulted: 'Defaulted 90-119' },
      ...{ chargedOff: 'ChargedOff ', paidOff: 'ClosedEarly ', funded: 'Funded current' },
      ...{ submitted: 'ApplicationSubmitted ', documentsVerified: 'DocumentsVerified ' },
      ...{ underwriting: 'UnderwritingStarted ', underwritingWeak: 'UnderwritingStarted ' },
      ...{ approved: 'Approved ', rejected: 'Rejected ' },
    });
    const { body: approvals } = await book.call(manager, 'approvals?state=pending');
    expect(approvals.data.items.map(({ approvalId }: { approvalId: string }) => approvalId)).toEqual([book.approvalId]);
    const { body: deals } = await book.call(manager, `loans/${book.loans.underwriting}/deals`);
    expect(deals.data.items).toHaveLength(60);
    const { body: report } = await book.call(manager, 'portfolio/summary?asOf=2025-12-31');
    expect(report.data.totals.count).toBeGreaterThan(5);
    const { body: tie } = await book.call(manager, 'ledger/tie-out');
    expect(tie.data.accounts.map(({ difference }: { difference: string }) => difference)).toEqual(
      tie.data.accounts.map(() => '0'),
    );
  });

  it('opens pages that are signed in, in the service’s time, and notes what the page does', async () => {
    const page = await openPage(browser, await book.person('agent'), { phone: true, dark: true });
    await page.goto(`${book.origin}/account`);
    expect(new URL(page.url()).pathname).toBe('/account');
    expect(await page.evaluate('new Date().toISOString().slice(0, 10)')).toBe(book.today);
    expect(await page.evaluate('innerWidth')).toBe(360);
    page.expectClean();
    const path = `/v2/chain/loans/${book.loans.late}/summary`;
    await page.evaluate(`fetch(${JSON.stringify(path)}).then((answer) => answer.text())`);
    expect(await page.bodies()).toContain(book.loans.late);
    await page.evaluate(`fetch('http://127.0.0.1:${book.app.port}/health').catch(() => {})`);
    expect(() => page.expectClean()).toThrow(/127\.0\.0\.1/);
    await page.context().close();
  });

  it('finds an image without a text and a button without a name', async () => {
    const page = await openPage(browser, { origin: book.origin });
    await page.goto(`${book.origin}/sign-in`);
    expect(await axe(page)).toEqual([]);
    await page.evaluate("document.body.append(document.createElement('button'), document.createElement('img'))");
    expect((await axe(page)).map((one) => one.split(':')[0]).sort()).toEqual(['button-name', 'image-alt']);
    await page.context().close();
  });
});
