/** Pages in a browser that note everything a test may object to. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page, Request } from 'playwright-core';
import type { SignedIn } from './people.ts';

/** Somebody with a session of the service at `origin`, whose clock shows `now`. */
export type Person = SignedIn & { readonly origin: string; readonly now: number };

/** A page that notes what happens on it. */
export type WatchedPage = Page & {
  /** Errors and warnings of the console, and uncaught errors. */
  readonly complaints: string[];
  /** Addresses of other hosts that were asked for. */
  readonly elsewhere: string[];
  /** Everything that has come over the network in documents and answers, except streams. */
  bodies(): Promise<string>;
  /** Throws if there were complaints or requests to other hosts. */
  expectClean(): void;
};

/**
 * A page in a context of its own, signed in as somebody (null: nobody). Its clock shows the service's time. A phone is 360 pixels wide.
 * Close its context when it is no longer needed: `page.context().close()`.
 */
export async function openPage(
  browser: Pick<Browser, 'newContext'>,
  person: Person | { readonly origin: string; readonly secret?: undefined; readonly now?: number },
  { dark = false, phone = false, width = 1_280 }: { dark?: boolean; phone?: boolean; width?: number } = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: phone ? { width: 360, height: 740 } : { width, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
    ...(phone && { hasTouch: true, isMobile: true }),
  });
  const { origin, secret, now } = person;
  if (secret !== undefined) {
    const { hostname: domain } = new URL(origin);
    const cookie = { name: 'daybook_session', value: secret, domain, path: '/' };
    await context.addCookies([{ ...cookie, httpOnly: true, sameSite: 'Strict' }]);
  }
  if (now !== undefined) await context.addInitScript(`(${SHIFTED})(${now - Date.now()})`);
  const page = await context.newPage();
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  const texts: Promise<string>[] = [];
  page.on('request', (request) => {
    // The browser's own viewer of PDFs is made of pages of the browser.
    if (!/^(data|blob|chrome|chrome-extension):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
      elsewhere.push(request.url());
  });
  page.on('requestfinished', (request) => {
    if (['document', 'fetch', 'xhr'].includes(request.resourceType())) texts.push(textOf(request));
  });
  page.on('console', (message) => {
    // A browser itself reports each answer of 4xx.
    if (['error', 'warning'].includes(message.type()) && !/status of 4\d\d/.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return Object.assign(page, {
    ...{ complaints, elsewhere },
    bodies: async () => (await Promise.all(texts)).join('\n'),
    expectClean() {
      const found = [...complaints, ...elsewhere.map((url) => `Asked another host: ${url}`)];
      if (found.length > 0) throw new Error(found.join('\n'));
    },
  });
}

/** In the page: what reads the time reads it `shift` milliseconds later. */
const SHIFTED = `(shift) => {
  const Real = Date;
  Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(Real.now() + shift) : super(...given); }
    static now() { return Real.now() + shift; }
  };
}`;

/** With the address, because a secret must not stand there either. Redirects and what was aborted have no body. */
async function textOf(request: Request): Promise<string> {
  const response = await request.response().catch(() => null);
  const type = response?.headers()['content-type'] ?? '';
  const text = type.startsWith('text/event-stream') ? '' : await response?.text().catch(() => '');
  return `${request.url()}\n${text ?? ''}`;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose outcome depends on the colours and on the width: the only ones for another look at what was examined in one. */
const OF_THE_LOOK = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];

/** The serious and critical issues of accessibility, each with the elements that have it. */
export async function axe(page: Page, { look = false }: { look?: boolean } = {}): Promise<string[]> {
  // Through the debugger, which the page's content security policy does not concern.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`(() => { ${AXE} })()`);
  return page.evaluate<string[]>(`(${EXAMINED})(${JSON.stringify(look ? OF_THE_LOOK : null)})`);
}

/**
 * In the page. Rules that can find nothing serious are left out: that everything is in a landmark takes half of the time. Of rows that
 * differ in nothing but their texts one is examined: contrast takes some milliseconds for each cell.
 */
const EXAMINED = `async (only) => {
  const grave = ['serious', 'critical'];
  const rules = axe._audit.rules.filter(({ id, impact, enabled }) => only ? only.includes(id) : enabled && grave.includes(impact));
  const seen = new Set();
  const alike = [...document.querySelectorAll('tr, [role=row], li')].filter((row) => {
    const form = row.outerHTML
      .replaceAll(/>[^<]+</g, '>.<')
      .replaceAll(/ (id|for|href|title|value|datetime|d|data-(?:row|index)|aria-(?:label|labelledby|describedby|controls|rowindex))="[^"]+"/g, ' $1')
      .replaceAll(/[\\d.]+px/g, '');
    const kind = getComputedStyle(row).backgroundColor + form;
    return seen.size === seen.add(kind).size;
  });
  const { violations } = await axe.run(
    { include: ['html'], exclude: alike },
    { resultTypes: ['violations'], runOnly: { type: 'rule', values: rules.map(({ id }) => id) } },
  );
  return violations
    .filter(({ impact }) => grave.includes(impact))
    .flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => [id, help, html + ' ' + failureSummary].join(': ')));
}`;
