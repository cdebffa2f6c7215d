/**
 * The console in a browser with BENCH_LOANS loans in the book: the first page until it can be used (a new browser each time, nothing cached),
 * beside a bare page of the same server; the list of loans from the first to the last; and a payment made elsewhere until it shows.
 * It ends by comparing what the list showed with the ids of the table, and the balance on the page with the API's.
 *
 *   npm run bench:pages      (BENCH_LOANS=100000 BENCH_ROUNDS=5)
 */
import type { Page } from 'playwright-core';
import { launch } from '../test/support/browser.ts';
import { atItsDatabase, signedIn } from '../test/support/people.ts';
import { call } from '../test/support/service.ts';
import { openPage } from '../test/support/watched-page.ts';
import { type Filled, withFilled } from './filled.ts';
import { median, setting } from './measure.ts';

const LIMIT_MS = 1_000;
const loans = setting('BENCH_LOANS', 100_000);
const rounds = setting('BENCH_ROUNDS', 5);

const browser = await launch();
let told = 0;
function onProgress(done: number): void {
  if (done - told < loans / 10) return;
  told = done;
  console.log(`${done} of ${loans} loans`);
}
try {
  await withFilled({ loans, months: 2, onProgress }, measure);
} finally {
  await browser.close();
}

async function measure({ dataDir, service, loanIds }: Filled): Promise<boolean> {
  const origin = `http://localhost:${service.port}`;
  const roles = ['administrator', 'manager', 'underwriter', 'accountant', 'auditor'];
  const person = await atItsDatabase({ DATA_DIR: dataDir }, async (at) => ({
    ...(await signedIn(at, roles)),
    origin,
    now: Date.now(),
  }));

  const first: number[] = [];
  const clicked: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const page = await openPage(browser, person);
    await page.goto(`${origin}/sign-in?again`, { waitUntil: 'load' });
    const plain = Number(await page.evaluate('performance.now()'));
    await page.context().close();
    const opened = await usable(await openPage(browser, person), origin);
    // The first warms the service, as it is on a working day.
    if (round === 0) continue;
    bare.push(plain);
    first.push(opened.ms);
    clicked.push(opened.list);
  }
  const open = median(first);
  console.log(
    `first page: ${open.toFixed(0)} ms until it can be used (middle of ${rounds}; ${each(first)}), a bare page ${median(bare).toFixed(0)} ms; limit ${LIMIT_MS}`,
  );
  console.log(`then a click on Loans: ${median(clicked).toFixed(0)} ms until the list has rows (${each(clicked)})`);
  const tied = await openPage(browser, person);
  await tied.goto(`${origin}/console`);
  await tied.getByText('The ledger ties to the loans').waitFor({ timeout: 120_000 });
  const books = Number(await tied.evaluate('performance.now()'));
  console.log(`the tie-out on it, which folds each loan that no night has gone through: ${books.toFixed(0)} ms`);
  await tied.context().close();

  const page = await openPage(browser, person);
  const began = performance.now();
  const seen = await throughTheList(page, origin);
  const seconds = (performance.now() - began) / 1_000;
  const all = seen.size === loanIds.length;
  console.log(
    `list: ${seen.size} of ${loanIds.length} loans shown, scrolled from the first to the last in ${seconds.toFixed(0)} s (${(seen.size / seconds).toFixed(0)} rows a second)`,
  );

  const [loanId = ''] = loanIds;
  const live = await untilItShows(page, service, loanId);
  console.log(
    `a payment made elsewhere shows after ${median(live).toFixed(0)} ms (middle of ${rounds}; ${each(live)}); limit ${LIMIT_MS}`,
  );
  page.expectClean();
  const good = open <= LIMIT_MS && all && Math.max(...live) <= LIMIT_MS;
  console.log(good ? 'ok' : 'NOT WITHIN ITS LIMITS');
  return good;
}

function each(values: number[]): string {
  return values.map((ms) => ms.toFixed(0)).join(', ');
}

/** Until every panel of Home has its figures but the tie-out, which reads the whole book; and from a click then until the list has rows. */
async function usable(
  page: Awaited<ReturnType<typeof openPage>>,
  origin: string,
): Promise<{ ms: number; list: number }> {
  await page.goto(`${origin}/console`, { waitUntil: 'commit' });
  // Nothing but this in the page meanwhile: what finds elements for tests is a large script itself.
  const ms = Number(
    await page.evaluate(`new Promise((resolve) => {
      const ofTheBooks = (one) => one.closest('.panel')?.querySelector('h2')?.textContent === 'Books';
      const look = () => document.querySelector('.panel') && [...document.querySelectorAll('.loading')].every(ofTheBooks)
        ? setTimeout(() => resolve(performance.now())) : requestAnimationFrame(look);
      look();
    })`),
  );
  const began = performance.now();
  await page.getByRole('link', { name: 'Loans', exact: true }).first().click();
  await page.getByRole('grid').locator('.list-row a').first().waitFor();
  const list = performance.now() - began;
  page.expectClean();
  await page.context().close();
  return { ms, list };
}

/** The ids of all rows that came into sight. */
async function throughTheList(page: Page, origin: string): Promise<Set<string>> {
  await page.goto(`${origin}/console/loans`);
  await page.getByRole('grid').locator('.list-row a').first().waitFor();
  const ids = await page.evaluate(`(async () => {
    const box = document.querySelector('.list');
    const seen = new Set();
    const take = () => { for (const link of box.querySelectorAll('.list-row a[href*="/loans/"]')) seen.add(link.getAttribute('href').split('/')[3]); };
    let still = 0;
    while (still < 200) {
      take();
      const before = seen.size;
      if (!box.querySelector('.list-coming')) box.scrollTop += box.clientHeight - 72;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      take();
      still = seen.size === before ? still + 1 : 0;
    }
    return [...seen];
  })()`);
  return new Set(ids as string[]);
}

/** From the answer of a payment until the page shows what is owed after it, in milliseconds. */
async function untilItShows(page: Page, service: Filled['service'], loanId: string): Promise<number[]> {
  const token = await service.token();
  await page.goto(`http://localhost:${service.port}/console/loans/${loanId}`);
  await page.getByText('Payoff today').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const body = { loanId, amount: '100.00', refId: `bench-${n}` };
    const paid = await call(service.url, 'POST', '/v2/chain/loan-repay', { token, body });
    const began = performance.now();
    if (paid.status !== 200) throw new Error(`The payment was refused: ${paid.text}`);
    const { body: read } = await call(service.url, 'GET', `/v2/chain/loans/${loanId}/payoff`, { token });
    const [whole = '', cents = ''] = read.data.payoff.split('.');
    await page
      .getByText(`${whole}.${cents.padEnd(2, '0')}`, { exact: true })
      .first()
      .waitFor();
    times.push(performance.now() - began);
  }
  return times;
}
