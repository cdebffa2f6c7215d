/** A page of another origin, in a real browser: it follows the feed, loses the connection and goes on, and reads what answers say in headers. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { withoutBrowser } from '../support/browser.ts';
import { openBrowser, type SharedBrowser } from '../support/shared-browser.ts';
import { creation } from '../support/statuses.ts';

describe.skipIf(withoutBrowser)('a page of an origin that the operator listed', { timeout: 120_000 }, () => {
  let site: Server;
  let service: TestApp;
  let browser: SharedBrowser;
  beforeAll(async () => {
    site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>Desk</title>'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    [service, browser] = await Promise.all([testApp({ CORS_ORIGINS: origin }), openBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    site?.close();
  });

  test('reconnects a stream with Last-Event-ID, and reads the version of a loan', async () => {
    const token = await service.token();
    const call = (path: string, body: object) => service.call('POST', `/v2/chain/${path}`, { token, body });
    const { loanId } = (await call('loans', creation({ applicationId: 'ORIGIN' }))).body;
    await call('start-underwriting', { loanId });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const seen = await page.evaluate(
      async ({ url, authorization, loanId }) => {
        const api = `${url}/v2/chain`;
        const next = async (headers: Record<string, string>): Promise<string> => {
          const answer = await fetch(`${api}/events?loanId=${loanId}`, {
            headers: { authorization, accept: 'text/event-stream', ...headers },
          });
          const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
          let text = '';
          while (!/^id: (.+)$/m.test(text)) text += new TextDecoder().decode((await reader.read()).value);
          await reader.cancel();
          return /^id: (.+)$/m.exec(text)?.[1] ?? '';
        };
        const first = await next({});
        const second = await next({ 'Last-Event-ID': first });
        const summary = await fetch(`${api}/loans/${loanId}/summary`, { headers: { authorization } });
        const dry = await fetch(`${api}/cancel?dryRun=true`, {
          method: 'POST',
          headers: {
            authorization,
            'content-type': 'application/json',
            'idempotency-key': 'X',
            prefer: 'numbers=plain',
          },
          body: JSON.stringify({ loanId, reason: 'Withdrawn' }),
        });
        const read = (answer: Response, ...names: string[]) => names.map((name) => answer.headers.get(name));
        return {
          ...{ first, second },
          summary: read(summary, 'x-loan-id', 'x-loan-version', 'etag').map((value) => value !== null),
          dry: read(dry, 'preference-applied', 'daybook-request-id').map((value) => value !== null),
        };
      },
      { url: service.url, authorization: `Bearer ${token}`, loanId },
    );
    expect(seen).toMatchObject({ summary: [true, true, true], dry: [true, true] });
    expect(seen.first).toMatch(/^evt_/);
    expect(seen.second).toMatch(/^evt_/);
    expect(seen.second).not.toBe(seen.first);
  });
});
