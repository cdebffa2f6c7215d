/**
 * The console in a browser with BENCH_LOANS loans in the book: the first page until it can be used (a new browser each time, nothing cached),
 * beside a bare page of the same server; the list of loans from the first to the last; and a payment made elsewhere until it shows.
 * It ends by comparing what the list showed with the ids of the table, and the balance on the page with the API's.
 *
 *   npm run bench:pages      (BENCH_LOANS=100000 BENCH_ROUNDS=5)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readConfig } from '../src/config.ts';
import type { PlainDate } from '../src/core/calendar.ts';
import { openMasterKeys } from '../src/key-files/master-keys.ts';
import { type Db, openDb } from '../src/store/db.ts';
import { startPostgres } from '../src/store/embedded.ts';
import { openVolumes } from '../src/store/volumes.ts';
import { masterKeyId } from '../src/vault/master-keys.ts';
import { launch } from '../test/support/browser.ts';
import { atItsDatabase, signedIn } from '../test/support/people.ts';
import { call, startFlags, startService } from '../test/support/service.ts';
import { openPage } from '../test/support/watched-page.ts';
import { fillBook } from './book.ts';

const LIMIT_MS = 1_000;
const loans = Number(process.env.BENCH_LOANS ?? 100_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const dataDir = join(dir, 'data');
const credentials = {
  clientId: 'bench',
  clientSecret: 'bench-secret-for-measuring',
  apiKey: 'bench-key-for-measuring-it',
};
const env = { RATE_LIMIT: '0', DEMO: 'off', NODE_OPTIONS: startFlags() };
const service = await startService({ dataDir, credentials, env });
const server = await startPostgres({ dataDir, own: false });
const db = openDb(server.connection, { statementTimeoutMs: 600_000, silenceMs: 600_000 });
await openVolumes(db, null);
const browser = await launch();
try {
  process.exitCode = (await measure(db)) ? 0 : 1;
} finally {
  await browser.close();
  await db.close();
  await service.stop();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function measure(book: Db): Promise<boolean> {
  const [client] = await book.query<{ organization_id: string }>(
    "SELECT organization_id FROM clients WHERE client_id = 'bench'",
  );
  let shown = 0;
  const { loanIds } = await fillBook({
    db: book,
    organizationId: client?.organization_id ?? '',
    clientId: 'bench',
    master: openMasterKeys(readConfig({ DATA_DIR: dataDir }), masterKeyId).current(),
    loans,
    months: 2,
    today: new Date().toISOString().slice(0, 10) as PlainDate,
    onProgress(done) {
      if (done - shown < loans / 10) return;
      shown = done;
      console.log(`${done} of ${loans} loans`);
    },
  });
  await book.query('ANALYZE');
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
  const open = middle(first);
  console.log(
    `first page: ${open.toFixed(0)} ms until it can be used (middle of ${rounds}; ${each(first)}), a bare page ${middle(bare).toFixed(0)} ms; limit ${LIMIT_MS}`,
  );
  console.log(`then a click on Loans: ${middle(clicked).toFixed(0)} ms until the list has rows (${each(clicked)})`);
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
  const live = await untilItShows(page, origin, loanId);
  console.log(
    `a payment made elsewhere shows after ${middle(live).toFixed(0)} ms (middle of ${rounds}; ${each(live)}); limit ${LIMIT_MS}`,
  );
  page.expectClean();
  const good = open <= LIMIT_MS && all && Math.max(...live) <= LIMIT_MS;
  console.log(good ? 'ok' : 'NOT WITHIN ITS LIMITS');
  return good;
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
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
  await page.getByRole('heading', { level: 1 }).waitFor();
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
async function untilItShows(page: Page, origin: string, loanId: string): Promise<number[]> {
  const token = await service.token();
  await page.goto(`${origin}/console/loans/${loanId}`);
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
