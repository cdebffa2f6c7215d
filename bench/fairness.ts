/**
 * The slowdown of one tenant by another: the 99th percentile of a small read (`GET /loans/{id}/schedule`) of tenant B, at a fixed rate over
 * persistent connections, alone and while tenant A does its worst within the quota of one client (3,000 units per minute, spent as fast as
 * the service allows); at most three times as much. Each kind of attack has its own row and its own client, in rounds
 * that alternate with B alone; the result is the median of the rounds' ratios. Then payments of B while 2,400 connections pay on one loan
 * of A: all of B's must be 200.
 *
 * The generators run beside the service on the same machine, A's at the lowest priority. What the kernel takes for A's bytes, and what
 * A's queries take in PostgreSQL, counts: it affects the neighbour. It ends by checking that B's loan is unchanged, and that every
 * payment that was answered with 200 is in the book.
 *   npm run bench:fairness        (BENCH_SECONDS=8 BENCH_ROUNDS=3 BENCH_RATE=60 BENCH_ONLY=words)
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '../src/access/scopes.ts';
import { applicationBody } from '../src/demo/application.ts';
import { fullBody } from '../test/support/full-body.ts';
import { call, cli, serviceEnv, startService } from '../test/support/service.ts';
import type { AttackJob, LoadReport, ReadJob, Request } from './fairness-load.ts';
import { child, end, median, setting } from './measure.ts';

const LIMIT = 3;
const seconds = setting('BENCH_SECONDS', 8);
const rounds = setting('BENCH_ROUNDS', 3);
const perSecond = setting('BENCH_RATE', 60);
const flood = setting('BENCH_FLOOD', 2_400);
const only = new RegExp(process.env.BENCH_ONLY ?? '');
const CONNECTIONS = 32;
const MOST_BYTES = 10 * 1024 * 1024;

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const dataDir = join(dir, 'data');
const b = {
  clientId: 'tenant-b',
  clientSecret: randomBytes(24).toString('base64url'),
  apiKey: randomBytes(24).toString('base64url'),
};
const service = await startService({ dataDir, credentials: b });
let jobs = 0;
/** A client of tenant A with a larger quota: it creates the clients and the loans that the attacks need. */
let office: Client;
try {
  end(await measure());
} finally {
  await service.stop();
  rmSync(dir, { recursive: true, force: true });
}

type Client = { clientId: string; clientSecret: string; apiKey: string; token: string };
type Attack = { what: string; requests: (as: Client) => Request[]; connections?: number };

async function measure(): Promise<boolean> {
  const own: Client = { ...b, token: await service.token() };
  const loanId = await live(own, { ...(applicationBody(1) as object), applicationId: 'B-1' });
  const payee = await live(own, { ...(applicationBody(2) as object), applicationId: 'B-2' });
  const small = get(own, `loans/${loanId}/schedule`);
  const before = await once(small);
  const attacks = (await attacksOf(await tenantA())).filter(({ what }) => only.test(what));

  console.log(
    `GET /loans/{id}/schedule of tenant B (${before.length} bytes), ${perSecond} a second; ${rounds} rounds of ${seconds} s; p99 in ms, limit ${LIMIT} × alone\n`,
  );
  console.log(`${'tenant A'.padEnd(44)} ${'alone'.padStart(7)} ${'beside'.padStart(7)} ${'ratio'.padStart(6)}`);
  let ok = true;
  for (const attack of attacks) ok = (await row(attack, small)) && ok;

  const paid = await payments(own, payee);
  if ((await once(small)) !== before) throw new Error('The loan of tenant B changed during the run.');
  const list = JSON.parse(await once(get(own, `loans/${payee}`))) as {
    data: { loanDetails: { loanPayments: object[] } };
  };
  const there = list.data.loanDetails.loanPayments.length;
  if (there !== paid.answered) throw new Error(`${paid.answered} payments were answered, ${there} are in the book.`);
  console.log(
    `\nthe loan of tenant B is unchanged, and all ${there} payments that were answered with 200 are in the book`,
  );
  return ok && paid.ok;
}

async function row({ what, requests, connections = CONNECTIONS }: Attack, request: Request): Promise<boolean> {
  const found: { alone: number; beside: number; ratio: number }[] = [];
  const statuses: Record<string, number> = {};
  for (let round = 1; round <= rounds; round++) {
    const as = await newClient();
    const quiet = await load({ kind: 'read', port: service.port, seconds, perSecond, request });
    const [loud, theirs] = await Promise.all([
      load({ kind: 'read', port: service.port, seconds, perSecond, request }),
      load({
        kind: 'attack',
        port: service.port,
        seconds: seconds + 0.5,
        connections,
        requests: requests(as),
        first: (jobs + 1) * 1_000_000,
      }),
    ]);
    for (const [status, n] of Object.entries(theirs.statuses)) statuses[status] = (statuses[status] ?? 0) + n;
    for (const { statuses: mine } of [quiet, loud]) {
      const bad = Object.keys(mine).filter((status) => status !== '200');
      if (bad.length > 0) throw new Error(`Tenant B was answered with ${JSON.stringify(mine)} (${what}).`);
    }
    found.push({ alone: quiet.p99Ms, beside: loud.p99Ms, ratio: loud.p99Ms / quiet.p99Ms });
    // Requests of the last attack that are still running must not affect the next round.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const ratio = median(found.map((one) => one.ratio));
  const cells = [median(found.map(({ alone }) => alone)), median(found.map(({ beside }) => beside))];
  const told = Object.entries(statuses)
    .map(([status, n]) => `${n} × ${status}`)
    .join(', ');
  console.log(
    `${what.padEnd(44)} ${cells.map((ms) => ms.toFixed(1).padStart(7)).join(' ')} ${ratio.toFixed(2).padStart(6)}  ${ratio <= LIMIT ? 'ok' : 'UNFAIR'}   ${told}`,
  );
  return ratio <= LIMIT;
}

/** B's payments alone, and while A's connections pay on one loan. */
async function payments(own: Client, payee: string): Promise<{ ok: boolean; answered: number }> {
  const as = await newClient();
  const theirs = await live(as, { ...(applicationBody(9) as object), applicationId: 'FLOOD' });
  const pay = post(own, 'loan-repay', `{"loanId":"${payee}","amount":"0.01","refId":"{n}"}`);
  const job = { kind: 'read', port: service.port, seconds, perSecond: perSecond / 3 } as const;
  const quiet = await load({ ...job, request: { ...pay, body: pay.body.replace('"{n}"', '"A-{n}"') } });
  const [loud, many] = await Promise.all([
    load({ ...job, request: { ...pay, body: pay.body.replace('"{n}"', '"B-{n}"') } }),
    load({
      kind: 'attack',
      port: service.port,
      seconds: seconds + 0.5,
      connections: flood,
      requests: [post(as, 'loan-repay', `{"loanId":"${theirs}","amount":"0.01","refId":"{n}"}`)],
      first: 1,
    }),
  ]);
  const answered = (report: LoadReport) => report.statuses['200'] ?? 0;
  const ok = [quiet, loud].every((report) => Object.keys(report.statuses).every((status) => status === '200'));
  console.log(
    `\npayments of tenant B, ${Math.round(perSecond / 3)} a second: p99 ${quiet.p99Ms.toFixed(1)} ms alone, ${loud.p99Ms.toFixed(1)} ms beside ${flood} connections on one loan; ` +
      `${JSON.stringify(loud.statuses)}: ${ok ? 'ok' : 'NOT ALL 200'} (A: ${JSON.stringify(many.statuses)})`,
  );
  // Those of the warm-up are not in the reports.
  const warm = 2 * Math.round(0.5 * job.perSecond);
  return { ok, answered: answered(quiet) + answered(loud) + warm };
}

// ---- tenant A ----

async function tenantA(): Promise<{ large: string; listed: number }> {
  const env = serviceEnv({ dataDir });
  const made = await cli(['organizations', 'create', '--name', 'Tenant A', '--json'], env);
  if (made.code !== 0) throw new Error(made.output);
  office = await withToken(JSON.parse(made.stdout) as Client);
  const widened = await call(service.url, 'POST', '/v2/chain/clients', {
    ...office,
    key: office.apiKey,
    body: { name: 'office', scopes: SCOPES, rateLimitPerMinute: 6_000 },
  });
  if (widened.status === 200) office = await withToken(widened.body.data as Client);
  const large = await created(office, JSON.stringify(largeBody()).replace('{n}', '0'));
  for (let n = 1; n <= 100; n++) {
    await created(office, JSON.stringify({ ...(applicationBody(20) as object), applicationId: `A-${n}` }));
  }
  return { large, listed: 100 };
}

/** With the default quota. */
async function newClient(): Promise<Client> {
  const answer = await call(service.url, 'POST', '/v2/chain/clients', {
    ...office,
    key: office.apiKey,
    body: { name: 'attack', scopes: SCOPES },
  });
  if (answer.status !== 200) throw new Error(`No client: ${answer.status} ${answer.text}`);
  return withToken(answer.body.data as Client);
}

async function withToken({ clientId, clientSecret, apiKey }: Omit<Client, 'token'>): Promise<Client> {
  return { clientId, clientSecret, apiKey, token: await service.token({ clientId, clientSecret, apiKey }) };
}

async function attacksOf({ large }: { large: string }): Promise<Attack[]> {
  const weekly = {
    terms: {
      disbursements: [{ date: '2026-01-15', amount: '900000.00' }],
      annualRatePercent: '9.9',
      firstPaymentDate: '2026-02-15',
      count: 360,
      paymentFrequency: 'Monthly',
    },
    events: Array.from({ length: 200 }, (_, i) => ({
      type: 'payment',
      date: `20${27 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}-20`,
      amount: '7000',
    })),
    asOf: '2055-01-15',
  };
  const signs = {
    cashflows: Array.from({ length: 2_000 }, (_, i) => (i % 2 === 0 ? '-100' : '101')),
    periodsPerYear: 52,
  };
  const big = JSON.stringify(largeBody());
  const application = JSON.stringify({ ...(applicationBody(30) as object), applicationId: 'UW-{n}' });
  return [
    {
      what: 'calculators: simulations and rates of return',
      requests: (as) => [
        post(as, 'simulate-loan', JSON.stringify(weekly)),
        post(as, 'calculate-irr', JSON.stringify(signs)),
      ],
    },
    { what: 'POST /loans of 10 MiB', requests: (as) => [post(as, 'loans', big)], connections: 8 },
    {
      what: 'applications and start-underwriting',
      requests: (as) => [post(as, 'loans', application), post(as, 'start-underwriting', '{"loanId":"{loanId}"}')],
    },
    { what: 'full reads of a record of 10 MiB', requests: (as) => [get(as, `loans/${large}`)], connections: 8 },
    { what: 'lists of 100 loans', requests: (as) => [get(as, 'loans?limit=100')] },
    {
      what: 'refused calls',
      requests: (as) => [
        post(as, 'loan-repay', `{"loanId":"${large}","amount":"1","refId":"{n}"}`),
        post(as, 'loan-repay', '{"loanId":"0x12","amount":"-1","refId":"{n}"}'),
        get(as, `loans/0x${'ab'.repeat(32)}/schedule`),
      ],
    },
    { what: 'wrong keys', requests: (as) => [get({ ...as, apiKey: 'wrong-key-of-another' }, `loans/${large}`)] },
    {
      what: 'tokens for invented ids, 40 connections',
      connections: 40,
      requests: () => [
        {
          method: 'POST',
          path: '/v2/chain/auth-token',
          headers: { 'Content-Type': 'application/json' },
          body: '{"clientId":"client_{n}","clientSecret":"invented-secret"}',
        },
      ],
    },
  ];
}

/** The largest allowed body, mostly text that does not compress. */
function largeBody(): object {
  const body = fullBody(7) as { Underwriting: object };
  const more = (text: string) => ({
    ...body,
    applicationId: 'LARGE-{n}',
    Underwriting: { ...body.Underwriting, PrimaryCreditBureauPDF: text },
  });
  const room = MOST_BYTES - Buffer.byteLength(JSON.stringify(more(''))) - 1_024;
  return more(randomBytes(Math.floor((room * 3) / 4)).toString('base64'));
}

// ---- requests ----

function get(as: Client, path: string): Request {
  return { method: 'GET', path: `/v2/chain/${path}`, headers: headersOf(as), body: '' };
}

function post(as: Client, path: string, body: string): Request {
  return {
    method: 'POST',
    path: `/v2/chain/${path}`,
    headers: { ...headersOf(as), 'Content-Type': 'application/json' },
    body,
  };
}

function headersOf({ token, apiKey }: Client): Record<string, string> {
  return { Authorization: `Bearer ${token}`, key: apiKey };
}

async function once({ method, path, headers, body }: Request): Promise<string> {
  const answer = await fetch(service.url + path, { method, headers, ...(body === '' ? {} : { body }) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

async function created(as: Client, body: string): Promise<string> {
  return (JSON.parse(await once(post(as, 'loans', body))) as { loanId: string }).loanId;
}

async function live(as: Client, body: object): Promise<string> {
  const loanId = await created(as, JSON.stringify(body));
  await once(post(as, 'start-underwriting', JSON.stringify({ loanId })));
  await once(post(as, 'complete-underwriting', JSON.stringify({ loanId, approved: true, reason: 'benchmark' })));
  await once(post(as, 'initiate-repayment', JSON.stringify({ loanId })));
  return loanId;
}

async function load(job: ReadJob | AttackJob): Promise<LoadReport> {
  jobs += 1;
  const file = join(dir, `job-${jobs}.json`);
  writeFileSync(file, JSON.stringify(job));
  return child<LoadReport>('fairness-load.ts', file);
}
