/**
 * Every page of the service as its person sees it: nothing on the console, no other host, no serious issue of accessibility, nothing cut off at
 * the width of a phone. Its second look, in the dark on a phone, is one of `npm run test:slow`. `npm run screens` makes pictures in docs/screens
 * of the same list. The market and the playground have files of their own.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutBrowser } from '../support/browser.ts';
import { axe, type ConsoleBook, consoleBook, openPage, type Role, type WatchedPage } from '../support/console.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { REST, slowTest, WHOLE } from '../support/whole.ts';

type PageCase = {
  name: string;
  path: string | ((book: ConsoleBook) => string | Promise<string>);
  roles: Role[];
  /** Something that is only there once the page has everything. */
  ready: (page: WatchedPage) => Promise<unknown>;
  /** The picture has its beginning alone. */
  long?: true;
};

const EVERYTHING: Role[] = ['administrator', 'manager', 'underwriter', 'accountant', 'auditor'];
const heading = (name: string | RegExp) => (page: WatchedPage) => page.getByRole('heading', { name }).first().waitFor();
const table = (name: string | RegExp) => (page: WatchedPage) =>
  page.getByRole('region', { name }).getByRole('row').nth(1).waitFor();

const row = (n: number) => (page: WatchedPage) =>
  page.getByRole('grid').getByRole('gridcell').nth(n).getByText(/./).first().waitFor();

let invited = 0;

const PAGES: PageCase[] = [
  { name: 'home', path: '/console', roles: EVERYTHING, ready: table('Tie-out') },
  { name: 'loans', path: '/console/loans', roles: EVERYTHING, ready: row(1) },
  {
    name: 'loans-filters',
    path: '/console/loans?status=Delinquent&minBalance=10000&sort=-balance',
    roles: EVERYTHING,
    ready: async (page) => {
      await row(1)(page);
      await page.getByRole('button', { name: /^Filters/ }).click();
    },
  },
  {
    name: 'collections',
    path: '/console/loans?status=Current,Delinquent,Defaulted&minDaysPastDue=1&sort=collections',
    roles: ['collector'],
    ready: async (page) => {
      await row(1)(page);
      await page.keyboard.press('j');
    },
  },
  { name: 'approvals', path: '/console/approvals', roles: ['manager'], ready: row(1) },
  {
    name: 'approval',
    path: (book) => `/console/approvals/${book.approvalId}`,
    roles: ['manager'],
    ready: (page) => page.getByRole('region', { name: 'This will happen' }).waitFor(),
  },
  {
    name: 'portfolio',
    path: '/console/portfolio?by=grade',
    roles: EVERYTHING,
    ready: table('Portfolio by grade'),
  },
  {
    name: 'roll-rates',
    path: '/console/portfolio/roll-rates',
    roles: EVERYTHING,
    ready: table('Roll rates'),
  },
  ...(
    [
      ['delinquency', 'portfolio/delinquency?by=state', table('Open loans by days past due')],
      ['vintages', 'portfolio/vintages', table('Vintages')],
      ['losses', 'portfolio/losses', table('Losses by month')],
      ['speed', 'portfolio/prepayment', table('Speed by month')],
      ['cash', 'portfolio/cashflows', table('Cash by month')],
      ['yield', 'portfolio/yield', table('Yield by month')],
      ['trial-balance', 'books', table('Trial balance')],
      ['tie-out', 'books/tie-out', table('Tie-out')],
      ['roll-forward', 'books/roll-forward', table('Roll-forward')],
      ['allowance', 'books/allowance', table('Allowance by pool')],
      ['entries', 'books/entries', table('Entries')],
      ['by-hand', 'books/by-hand', (page) => page.getByText('No entry was recorded by hand').waitFor()],
      ['export', 'books/export', heading('Export of a month')],
      ['account-codes', 'books/account-codes', table('Account codes')],
      ['cycles', 'books/cycles', (page) => page.getByText('No cycle is listed yet').waitFor()],
    ] satisfies [string, string, PageCase['ready']][]
  ).map(([name, path, ready]) => ({ name, path: `/console/${path}`, roles: EVERYTHING, ready })),
  {
    name: 'close-month',
    path: '/console/books/periods',
    roles: EVERYTHING,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('region', { name: /^Closing balances/ }).waitFor();
    },
  },
  {
    name: 'underwriting',
    path: '/console/underwriting',
    roles: EVERYTHING,
    ready: table('Applications'),
  },
  {
    name: 'new-application',
    path: '/console/underwriting',
    roles: EVERYTHING,
    long: true,
    ready: async (page) => {
      await page.getByRole('button', { name: 'New application' }).click();
      await page.getByRole('button', { name: 'Applicant', exact: true }).click();
      await page.getByLabel('Income before tax').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'application',
    path: (book) => `/console/underwriting/${book.loans.underwritingWeak}`,
    roles: EVERYTHING,
    ready: (page) => page.locator('canvas').first().waitFor(),
  },
  ...(
    [
      ['loan', '/timeline', (page) => page.getByText('Delinquency noted').waitFor()],
      ['loan-schedule', '/schedule', table('Schedule')],
      ['loan-payments', '/payments', table('Payments')],
      ['loan-underwriting', '/underwriting', table('Stipulations of the loan')],
      ['loan-books', '/books', heading('Servicing policy in force')],
      ['loan-proof', '/proof', (page) => page.getByText('Verified in this browser').waitFor()],
      ['loan-access', '/access', table('Audit trail')],
    ] satisfies [string, string, PageCase['ready']][]
  ).map(([name, tab, ready]) => ({
    name,
    path: (book: ConsoleBook) => `/console/loans/${book.loans.late30}${tab}`,
    roles: EVERYTHING,
    ready,
  })),
  {
    name: 'payment',
    path: (book) => `/console/loans/${book.loans.late30}`,
    roles: EVERYTHING,
    long: true,
    ready: async (page) => {
      await page.getByRole('button', { name: /^Take payment/ }).click();
      await page.getByRole('region', { name: 'This will happen' }).waitFor();
    },
  },
  { name: 'operations', path: '/console/operations', roles: EVERYTHING, ready: heading('Operations'), long: true },
  { name: 'account', path: '/account', roles: EVERYTHING, ready: heading('Passkeys') },
  { name: 'sign-in', path: '/sign-in', roles: [], ready: heading('Sign in') },
  {
    name: 'invitation',
    path: async ({ app: { access, organizationId } }) => {
      invited += 1;
      const person = { email: `invited.${invited}@example.com`, name: 'Robin Ellis', roles: ['agent'] };
      return `/invitation#${(await access.createUser(organizationId, person)).token}`;
    },
    roles: [],
    ready: (page) => page.getByRole('button', { name: 'Create a passkey' }).waitFor(),
  },
  { name: 'users', path: '/console/administration/users', roles: EVERYTHING, ready: table('Users') },
  { name: 'roles', path: '/console/administration/roles', roles: EVERYTHING, ready: table('Roles') },
  {
    name: 'sign-in-provider',
    path: '/console/administration/sign-in',
    roles: EVERYTHING,
    ready: heading('Sign-in provider'),
  },
  { name: 'clients', path: '/console/administration/clients', roles: EVERYTHING, ready: table('Clients') },
  {
    name: 'grants',
    path: '/console/administration/grants',
    roles: EVERYTHING,
    ready: heading('Access to your loans'),
  },
  { name: 'policies', path: '/console/administration/policies', roles: EVERYTHING, ready: heading('Policies') },
  { name: 'webhooks', path: '/console/administration/webhooks', roles: EVERYTHING, ready: heading('Endpoints') },
  { name: 'sandboxes', path: '/console/administration/sandboxes', roles: EVERYTHING, ready: heading('Sandboxes') },
  { name: 'audit', path: '/console/administration/audit', roles: EVERYTHING, ready: table('Audit trail') },
];

type Look = { kind: string; colorScheme: 'light' | 'dark'; viewport: { width: number; height: number } };
const LIGHT: Look = { kind: 'light', colorScheme: 'light', viewport: { width: 1_280, height: 800 } };
const DARK_PHONE: Look = { kind: 'phone', colorScheme: 'dark', viewport: { width: 360, height: 740 } };

describe.skipIf(withoutBrowser)('every page', () => {
  let book: ConsoleBook;
  let browser: SharedBrowser;
  const folder = process.env.SCREENSHOTS;

  beforeAll(async () => {
    [book, browser] = await Promise.all([consoleBook(), openBrowser()]);
    if (folder) mkdirSync(folder, { recursive: true });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await book?.close();
  });

  // One for each person: a new one takes longer than the page itself.
  const opened = new Map<string, Promise<WatchedPage>>();
  function pageOf(roles: readonly Role[]): Promise<WatchedPage> {
    const made = opened.get(roles.join()) ?? open(roles);
    opened.set(roles.join(), made);
    return made;
  }
  async function open(roles: readonly Role[]): Promise<WatchedPage> {
    return openPage(browser, roles.length === 0 ? { origin: book.origin } : await book.person(...roles));
  }

  const visited = new Set<string>();
  const tabs = new Set<string>();

  for (const [i, shown] of PAGES.entries()) {
    // `npm test` looks at every third page, and `npm run test:slow` at all.
    const isUsual = i % 3 === 0;
    if (!isUsual && !WHOLE && !folder) continue;
    it(shown.name, async () => {
      const page = await pageOf(shown.roles);
      await show(page, LIGHT);
      await page.goto(book.origin + (typeof shown.path === 'string' ? shown.path : await shown.path(book)));
      await shown.ready(page);
      visited.add(new URL(page.url()).pathname);
      const hrefs = await page.locator('a.tab').evaluateAll((all) => all.map((tab) => tab.getAttribute('href')));
      for (const href of hrefs) tabs.add(new URL(String(href), book.origin).pathname);
      if (!REST || !isUsual || folder) await expectFinished(page, shown, LIGHT);

      if (!WHOLE && !folder) return;
      await show(page, DARK_PHONE);
      await expectFinished(page, shown, DARK_PHONE);
    });
  }

  async function show(page: WatchedPage, { colorScheme, viewport }: Look): Promise<void> {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
  }

  async function expectFinished(page: WatchedPage, shown: PageCase, look: Look): Promise<void> {
    const name = `${shown.name}-${look.kind}`;
    await page.evaluate('document.fonts.ready');
    // A chart takes its new width a moment later.
    const cut = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    await expect.poll(cut, { message: `${name}: wider than the window by` }).toBe(0);
    if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !shown.long });
    expect(await axe(page, { look: look === DARK_PHONE }), name).toEqual([]);
    page.expectClean();
  }

  slowTest('is in the list, with every tab', () => {
    expect(tabs.size).toBeGreaterThan(20);
    expect([...tabs.difference(visited)]).toEqual([]);
  });
});
