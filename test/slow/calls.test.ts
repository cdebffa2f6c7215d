/**
 * Five calls of an agent, from the list of loans to the answer, without a page away from the loan: a payment, a payoff for another day, an
 * extension, a dispute, and a fee that is above what the agent may waive. Nothing masked comes over the network meanwhile.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../support/browser.ts';
import { type ConsoleBook, consoleBook, openPage, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';

const DESKTOP = { dark: false, phone: false };
const PHONE = { dark: true, phone: true };

describe.skipIf(withoutBrowser)('the calls of an agent', () => {
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
  const outlook = (page: WatchedPage) => drawer(page).getByRole('region', { name: 'This will happen' });
  const press = (page: WatchedPage, name: string | RegExp) => drawer(page).getByRole('button', { name }).click();
  const read = async (path: string) => (await book.call(await book.person('agent'), path)).body.data;

  // An agent has one page open, for all calls.
  const opened = new Map<object, WatchedPage>();
  async function pageOf(look: { dark: boolean; phone: boolean }): Promise<WatchedPage> {
    const page = opened.get(look) ?? (await openPage(browser, await book.person('agent'), look));
    opened.set(look, page);
    return page;
  }

  /** The caller names the number of the contract: it is typed into the search, which opens the loan. */
  async function answer(loanId: string, look: { dark: boolean; phone: boolean }): Promise<WatchedPage> {
    const { loanDetails } = await read(`loans/${loanId}/summary`);
    const page = await pageOf(look);
    await page.goto(`${book.origin}/console/loans`);
    await page.getByRole('grid').getByRole('row').nth(1).waitFor();
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox', { name: 'Search loans by id' });
    await expect.poll(() => search.evaluate((field) => field.matches(':focus'))).toBe(true);
    await page.keyboard.type(loanDetails.applicationId);
    await page.keyboard.press('Enter');
    await page.getByText('Payoff today').waitFor();
    await page.locator('.timeline-line').first().waitFor();
    return page;
  }

  /** No last name, number or address of the borrower has reached the browser. */
  async function hangUp(page: WatchedPage, loanId: string): Promise<void> {
    const agent = await book.person('agent');
    const { body } = await book.call(agent, `loans/${loanId}`, undefined, {
      purpose: 'comparing with the network log',
    });
    const texts = await page.bodies();
    const personal = personalIn(body.data);
    expect(personal.length).toBeGreaterThan(4);
    for (const value of personal) expect(texts.includes(value), `${value.slice(0, 2)}… is masked`).toBe(false);
    page.expectClean();
  }

  it('takes a payment that brings the loan up to date', async () => {
    const page = await answer(book.loans.late, DESKTOP);
    await page.keyboard.press('p');
    await outlook(page).waitFor();
    const amount = await drawer(page).getByLabel('Amount *').inputValue();
    await press(page, `Take ${amount}`);
    await drawer(page).getByText(`Payment of ${amount} taken.`).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.timeline-line').getByText(`Payment ${amount} received`).first().waitFor();
    expect((await read(`loans/${book.loans.late}/summary`)).loanStatus).toBe('Current');
    await hangUp(page, book.loans.late);
  });

  it('quotes the payoff for a day that the caller names', async () => {
    const page = await answer(book.loans.late30, PHONE);
    await page.getByRole('button', { name: /^Quote payoff/ }).click();
    await drawer(page).getByLabel('Payoff date').fill('2026-01-20');
    await outlook(page).waitFor();
    const { payoff } = await read(`loans/${book.loans.late30}/payoff?date=2026-01-20`);
    await press(page, /^Quote payoff/);
    await drawer(page).getByText('Payoff quoted.').waitFor();
    const { items } = await read(`loans/${book.loans.late30}/payoff-quotes`);
    expect(items.map((quote: { payoff?: string; amount?: string }) => quote.payoff ?? quote.amount)).toContain(payoff);
    await hangUp(page, book.loans.late30);
  });

  it('moves a payment to the end, or says why not', async () => {
    const page = await answer(book.loans.current, DESKTOP);
    await page.keyboard.press('e');
    await drawer(page).getByLabel('Reason *').fill('Illness in the family');
    await outlook(page).waitFor();
    const before = (await read(`loans/${book.loans.current}/schedule`)).installments.length;
    await press(page, 'Extend by 1 payment');
    await drawer(page).getByText('Loan extended.').waitFor();
    const after = (await read(`loans/${book.loans.current}/schedule`)).installments;
    expect(after.length).toBeGreaterThanOrEqual(before);
    await page.keyboard.press('Escape');
    await page
      .locator('.timeline-line')
      .getByText(/[Ee]xten/)
      .first()
      .waitFor();
    await hangUp(page, book.loans.current);
  });

  it('places a dispute on hold, and the page warns from then on', async () => {
    const page = await answer(book.loans.returned, PHONE);
    await page.getByRole('button', { name: /^Hold/ }).click();
    await drawer(page).getByLabel('Kind of hold *').selectOption({ label: 'Dispute' });
    await drawer(page).getByLabel('Reason *').fill('Says that the returned payment was made');
    await outlook(page).waitFor();
    await press(page, /^Place dispute hold/);
    await drawer(page).getByText('Hold placed.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Hold: dispute').waitFor();
    await hangUp(page, book.loans.returned);
  });

  it('asks a manager to waive a fee that is above the limit', async () => {
    const loanId = book.loans.late60;
    const manager = await book.person('manager');
    await book.call(manager, 'assess-fee', { loanId, feeId: 'tow-1', name: 'Towing', amount: '75.00' });
    const page = await answer(loanId, DESKTOP);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Waive a fee' }).click();
    await drawer(page).getByLabel('Fee *').selectOption('tow-1');
    await drawer(page).getByLabel('Reason *').fill('Towed by mistake');
    await outlook(page).getByText('Another user with the role manager can approve it.', { exact: false }).waitFor();
    await press(page, 'Request approval');
    await drawer(page).getByText('Approval requested').waitFor();
    const { items } = await read(`approvals?state=pending&loanId=${loanId}`);
    expect(items).toHaveLength(1);
    await hangUp(page, loanId);
  });
});

/** The values of the full record about the borrower that are masked on the page. */
function personalIn(record: unknown): string[] {
  const found = new Set<string>();
  const take = (value: unknown, name: string) => {
    if (Array.isArray(value)) for (const one of value) take(one, name);
    else if (typeof value === 'object' && value !== null)
      for (const [member, one] of Object.entries(value)) take(one, member);
    else if (/(LastName|SSN|Phone|Email|StreetAddress|AddressLine|DateOfBirth)/i.test(name)) {
      const text = String(value ?? '');
      if (text.length > 3) found.add(text);
    }
  };
  take(record, '');
  return [...found];
}
