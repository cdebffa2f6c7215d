/**
 * The public market in Chromium, without a session: an analyst filters, opens a loan, reads how it does beside its forecast and checks a proof.
 * Nothing of it may hold a personal value, ask another host, or complain on the console.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalValues } from '../../src/vault/fields.ts';
import { withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { creation } from '../support/statuses.ts';
import { usualTest as it, slowTest, WHOLE } from '../support/whole.ts';

const LOOKS = [
  { kind: 'light', dark: false, phone: false },
  ...(WHOLE || process.env.SCREENSHOTS ? [{ kind: 'phone', dark: true, phone: true }] : []),
];

describe.skipIf(withoutBrowser)('the public market', () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  /** A loan that is not published. */
  let hidden: string;
  const folder = process.env.SCREENSHOTS;

  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
    await book.app.loans.ledger.seal();
    const { body } = await book.app.call('GET', '/v2/chain/loans?limit=100', { token: await book.app.token() });
    hidden = body.data.items.find(({ published }: { published: boolean }) => !published).loanId;
    if (folder) mkdirSync(folder, { recursive: true });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  const open = (look: { dark?: boolean; phone?: boolean } = {}) =>
    openPage(browser, { origin: book.origin, now: book.app.clock.now }, look);
  const box = (page: WatchedPage) => page.getByRole('region', { name: 'Published loans', exact: true });
  const rows = (page: WatchedPage) => box(page).locator('tr[data-row]');

  async function expectFinished(page: WatchedPage, name: string, look: { phone: boolean }): Promise<void> {
    await page.evaluate('document.fonts.ready');
    await page.evaluate('scrollTo(0, 0)');
    if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    expect(await axe(page, { look: look.phone }), name).toEqual([]);
    const cut = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(cut, `${name}: wider than the window by`).toBe(0);
    page.expectClean();
  }

  test('looks finished on a desk in light, and on a phone in dark', { timeout: 120_000 }, async () => {
    for (const { kind, ...look } of LOOKS) {
      const page = await open(look);
      await page.goto(`${book.origin}/market`);
      await rows(page).first().waitFor();
      await page.getByText('Rate, by balance').waitFor();
      // On a phone the loans come first, and the filters on request.
      expect(await page.getByLabel('Status').isVisible()).toBe(!look.phone);
      if (look.phone) await page.getByRole('button', { name: 'Show filters' }).click();
      await expectFinished(page, `market-${kind}`, look);
      await page.goto(`${book.origin}/market/loans/${book.loans.late60}`);
      await page.getByRole('button', { name: 'Check transaction 1', exact: true }).click();
      await page.getByText('Verified.').waitFor();
      await expectFinished(page, `market-loan-${kind}`, look);
      await page.context().close();
    }
  });

  it('lists what is published, filtered and in order', async () => {
    const page = await open();
    await page.goto(`${book.origin}/market`);
    await rows(page).first().waitFor();
    const { body } = await book.app.call('GET', '/market/data/loans?limit=200');
    const all = body.data.items as { applicationId: string; loanStatus: string; loanId: string }[];
    expect(all.map(({ loanId }) => loanId)).toEqual(expect.arrayContaining([book.loans.current, book.loans.late60]));
    expect(all.map(({ loanId }) => loanId)).not.toContain(hidden);
    await expect.poll(() => rows(page).count()).toBe(all.length);

    await page.getByLabel('Status').selectOption('Charged off');
    const lost = all.filter(({ loanStatus }) => loanStatus === 'ChargedOff');
    await page.getByText('Matching loans').waitFor();
    await expect.poll(() => rows(page).count()).toBe(lost.length);
    expect(new URL(page.url()).search).toBe('?status=ChargedOff');

    // A wrong entry is explained in words, and no request is sent.
    await page.getByLabel('Rate from').fill('ten');
    await page.getByLabel('Rate from').press('Enter');
    await page.getByText('A percentage such as 7.25.').waitFor();
    await page.getByLabel('Rate from').fill('99 %');
    await page.getByLabel('Rate from').press('Enter');
    await page.getByText('No published loan matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await expect.poll(() => rows(page).count()).toBe(all.length);

    await page.getByLabel('Order').selectOption('Longest past due');
    await expect.poll(() => page.url()).toContain('sort=-daysPastDue');
    const ordered = (await book.app.call('GET', '/market/data/loans?sort=-daysPastDue')).body.data.items;
    await expect.poll(() => rows(page).first().innerText()).toContain(ordered[0].applicationId);
    page.expectClean();
    await page.context().close();
  });

  slowTest('an address with filters can be reloaded and sent; what it does not know is left out', async () => {
    const page = await open();
    await page.goto(`${book.origin}/market?utm_source=mail&sort=nope`);
    await rows(page).first().waitFor();
    const fields = await page.locator('.market-filters label').count();
    await page.getByLabel('Originated from').fill('2025-01');
    await page.getByLabel('Originated from').press('Enter');
    await page.getByLabel('Rate from').fill('1');
    await page.getByLabel('Rate from').press('Enter');
    await page.waitForURL(/minRate/);
    expect(await page.locator('.market-filters label').count()).toBe(fields);
    await page.reload();
    await rows(page).first().waitFor();
    expect(await page.getByLabel('Originated from').inputValue()).toBe('2025-01');
    // To a loan and back to the same list.
    await rows(page).first().getByRole('link').first().click();
    await page.getByRole('link', { name: 'Back to the published loans' }).click();
    await page.waitForURL(/minRate/);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => !url.search.includes('minRate'));
    expect(await page.getByLabel('Originated from').inputValue()).toBe('');
    page.expectClean();
    await page.context().close();
  });

  slowTest('is used by keyboard', async () => {
    const page = await open();
    await page.goto(`${book.origin}/market?sort=balance`);
    await rows(page).first().waitFor();
    const second = await rows(page).nth(1).getByRole('link').innerText();
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate('document.activeElement.closest("tr")?.dataset.row')).toBe('0');
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate('document.activeElement.closest("tr")?.dataset.row')).toBe('1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: second }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await rows(page).first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next loan').waitFor();
    page.expectClean();
    await page.context().close();
  });

  it('shows a loan beside its forecast, as a chart and as a table', async () => {
    const page = await open();
    await page.goto(`${book.origin}/market/loans/${book.loans.current}`);
    const chart = page.getByRole('figure', { name: 'Balance against forecast' });
    await chart.getByRole('img').waitFor();
    await chart.getByRole('button', { name: 'Show table' }).click();
    const { performance } = (await book.app.call('GET', `/market/data/loans/${book.loans.current}`)).body.data;
    const known = performance.filter(({ balance }: { balance: string | null }) => balance !== null);
    const cells = await chart.getByRole('row').nth(known.length).getByRole('cell').allInnerTexts();
    const amount = (text: string) => Number(text.replaceAll(',', ''));
    expect(cells.slice(1).map(amount)).toEqual([amount(known.at(-1).balance), amount(known.at(-1).expectedBalance)]);
    await page.getByText('Price today').waitFor();
    await page.getByText('Next payment', { exact: true }).waitFor();
    await page.goto(`${book.origin}/market/loans/${book.loans.late60}`);
    await page.getByText('Oldest unpaid since').waitFor();
    page.expectClean();
    await page.context().close();
  });

  slowTest('checks every proof itself, and notices a changed byte', { timeout: 60_000 }, async () => {
    const page = await open();
    await page.goto(`${book.origin}/market/loans/${book.loans.current}`);
    await page.getByRole('region', { name: 'Payments' }).getByRole('button').first().click();
    await page.getByText('Verified.').waitFor();
    expect(await page.getByText('✓ Passed').count()).toBeGreaterThanOrEqual(5);

    // Each of these is changed on the way: none may be accepted.
    const changes: [what: string, change: (data: Proof) => void][] = [
      [
        'a neighbouring hash or the block’s root',
        ({ proof }) =>
          flip(proof.siblings.length > 0 ? proof.siblings : proof.header, proof.siblings.length > 0 ? '0' : 'root'),
      ],
      ['the time of the block', ({ proof }) => flip(proof.header, 'sealedAt')],
      ['the hash of the block', ({ proof }) => flip(proof.header, 'hash')],
      ['the ledger root', ({ root }) => flip(root, 'root')],
      ['the hash of the root', ({ root }) => flip(root, 'hash')],
    ];
    for (const [what, change] of changes) {
      await page.unroute('**/proof?**');
      await page.route('**/proof?**', async (route) => {
        const answer = await route.fetch();
        const body = await answer.json();
        change(body.data);
        await route.fulfill({ response: answer, json: body });
      });
      await page.reload();
      await page.getByRole('button', { name: 'Check transaction 2', exact: true }).click();
      await page.getByText('Verification failed.').waitFor();
      expect(await page.getByText('Verified.').count(), what).toBe(0);
      expect(await page.getByText('✗ Failed').count(), what).toBeGreaterThanOrEqual(1);
    }
    await page.context().close();
  });

  it('has no personal value in what comes over the network, or in the page', { timeout: 60_000 }, async () => {
    const { app } = book;
    const page = await open();
    await page.goto(`${book.origin}/market`);
    await rows(page).first().waitFor();
    let shown = await page.locator('body').innerText();
    for (const loanId of [book.loans.current, book.loans.late60, book.loans.chargedOff]) {
      await page.goto(`${book.origin}/market/loans/${loanId}`);
      await page.getByRole('button', { name: 'Check transaction 1', exact: true }).click();
      await page.getByText('Verified.').waitFor();
      shown += await page.locator('body').innerText();
    }
    const said = (await page.bodies()) + shown;
    expect(said.length).toBeGreaterThan(20_000);
    const token = await app.token();
    for (const loanId of Object.values(book.loans)) {
      const headers = { purpose: 'a test' };
      const full = await app.call('GET', `/v2/chain/loans/${loanId}`, { token, key: app.credentials.apiKey, headers });
      const { borrowerId } = full.body.data.loanDetails;
      const { ApplicantSSN, ApplicantDOB } = full.body.data.Request.ApplicantInfo;
      // A figure of a report may be a month's interest in a forecast by chance.
      const texts = personalValues(full.body.data).filter((value) => value.length > 5 && !/^[\d.,:TZ-]+$/.test(value));
      expect(texts.length).toBeGreaterThan(5);
      const values = [...texts, borrowerId, ApplicantSSN, ApplicantDOB].filter((value) => value);
      expect(values.filter((value) => said.includes(value))).toEqual([]);
    }
    expect(await page.context().cookies()).toEqual([]);
    await page.context().close();
  });

  it('says what is wrong: a loan that is not there, a service that cannot be reached', async () => {
    const page = await open();
    await page.goto(`${book.origin}/market/loans/${hidden}`);
    await page.getByText('This loan is not on the market').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.route('**/market/data/**', (route) => route.abort());
    await page.goto(`${book.origin}/market`);
    await page.getByText('The service cannot be reached').first().waitFor();
    await page.unroute('**/market/data/**');
    await page.getByRole('button', { name: 'Try again' }).last().click();
    await rows(page).first().waitFor();
    await page.context().close();
  });

  slowTest('prints the rows that were read', async () => {
    const page = await open();
    await page.goto(`${book.origin}/market`);
    await rows(page).first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    expect(await page.getByRole('banner').isVisible()).toBe(false);
    expect(await rows(page).last().isVisible()).toBe(true);
    await page.context().close();
  });

  slowTest('goes through hundreds of loans with few of them in the page', { timeout: 120_000 }, async () => {
    const { app } = book;
    const token = await app.token();
    const before = (await app.call('GET', '/market/data/loans')).body.data.total as number;
    const made = Array.from({ length: MANY }, () => creation({ published: true }));
    for (let from = 0; from < made.length; from += 8) {
      const some = made.slice(from, from + 8);
      const answers = await Promise.all(
        some.map((body) => app.call('POST', '/v2/chain/loans', { token, key: app.credentials.apiKey, body })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    app.clock.now += 20_000;
    const page = await open();
    await page.goto(`${book.origin}/market?sort=createdAt`);
    await rows(page).first().waitFor();
    const region = box(page);
    expect(await region.getByRole('table').getAttribute('aria-rowcount')).toBe(String(before + MANY + 1));
    const last = `tr[data-row="${before + MANY - 1}"]`;
    await expect
      .poll(
        async () => {
          await page.evaluate('document.querySelector(".market-box").scrollTop = 1e6');
          return page.locator(`${last} a`).count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    // All of one moment: any of them may be the last.
    expect(made.map(({ applicationId }) => applicationId)).toContain(await page.locator(`${last} a`).innerText());
    expect(await rows(page).count()).toBeLessThan(80);
    page.expectClean();
    await page.context().close();
  });
});

/** More than the page reads at once, which is a hundred. */
const MANY = 110;

type Proof = {
  proof: { siblings: string[]; header: Record<string, unknown> };
  root: Record<string, unknown>;
};

/** Another last digit. */
function flip(of: object, name: string): void {
  const holder = of as Record<string, string>;
  const text = holder[name] as string;
  const at = text.search(/\d(?!.*\d)/);
  holder[name] = text.slice(0, at) + (text[at] === '7' ? '3' : '7') + text.slice(at + 1);
}
