/** An underwriter's day: from the list of what waits to a decision with a reason, and the report that asks for a purpose. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage } from '../support/console.ts';

const shot = process.env.SHOTS;

describe.skipIf(withoutBrowser)('underwriting', () => {
  let book: ConsoleBook;
  let browser: Browser;
  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), launch()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  for (const look of [
    { dark: false, phone: false },
    { dark: true, phone: false },
    { dark: false, phone: true },
    { dark: true, phone: true },
  ]) {
    const name = `${look.phone ? 'phone' : 'desktop'}, ${look.dark ? 'dark' : 'light'}`;
    it(`shows what waits and each application: ${name}`, async () => {
      const page = await openPage(browser, await book.person('underwriter'), look);
      const picture = async (what: string) => {
        await page.evaluate('document.fonts.ready');
        if (shot) await page.screenshot({ path: `${shot}/${what}-${name.replace(', ', '-')}.png`, fullPage: true });
        expect(await axe(page), what).toEqual([]);
        const cut = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        expect(cut, `${what} is wider than the window`).toBe(0);
      };
      await page.goto(`${book.origin}/console/underwriting`);
      await page.getByRole('row').nth(3).waitFor();
      await picture('list');
      for (const kind of ['submitted', 'underwriting', 'underwritingWeak', 'approved', 'rejected'] as const) {
        await page.goto(`${book.origin}/console/underwriting/${book.loans[kind]}`);
        if (kind === 'submitted') await page.getByText('Not assessed yet').waitFor();
        else await page.locator('canvas').first().waitFor();
        await picture(kind);
      }
      page.expectClean();
      await page.context().close();
    });
  }
});
