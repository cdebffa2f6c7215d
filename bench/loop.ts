/**
 * The time for which one request blocks the event loop: for each heavy operation, the longest turn of the loop while it
 * runs, in processor time of the loop's thread, against the limit of 50 ms. The loans are as large as the API allows.
 * One request at a time, each several times; the result is the median, so that a pause for garbage collection does not count as work.
 *   npm run bench:loop            (BENCH_TIMES=5 BENCH_PAYMENTS=1900)
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { applicationBody } from '../src/demo/application.ts';
import { fullBody } from '../test/support/full-body.ts';
import { startService } from '../test/support/service.ts';
import type { Longest } from './loop-probe.ts';
import { end, median, setting } from './measure.ts';

const LIMIT_MS = 50;
const times = setting('BENCH_TIMES', 5);
const payments = setting('BENCH_PAYMENTS', 1_900);
const MOST_BYTES = 10 * 1024 * 1024;

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const probe = join(dir, 'probe');
const random = () => randomBytes(24).toString('base64url');
const credentials = { clientId: 'bench', clientSecret: random(), apiKey: random() };
const service = await startService({
  dataDir: join(dir, 'data'),
  credentials,
  env: {
    RATE_LIMIT: '0',
    LOOP_PROBE: probe,
    NODE_OPTIONS: `--import ${new URL('./loop-probe.ts', import.meta.url).href}`,
  },
});
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const token = await service.token();
let isGood = true;
try {
  await measure();
} finally {
  agent.destroy();
  await service.stop();
  rmSync(dir, { recursive: true, force: true });
}
end(isGood);

async function measure(): Promise<void> {
  console.log(`longest turn of the event loop, ms of its thread; median of ${times}, limit ${LIMIT_MS}\n`);
  const bodies = {
    large: padded(2, (text) => ({ Underwriting: { PrimaryCreditBureauPDF: text } })),
    wide: padded(3, (text) => ({ Underwriting: { CashflowsCsv: text } })),
  };
  const ids = { large: await live(bodies.large), wide: await live(bodies.wide), ordinary: await live(fullBody(4)) };
  const large: string[] = [];
  await row('POST /loans, 10 MiB', async (n) => {
    large.push(await created({ ...bodies.large, applicationId: `LARGE-${n}` }));
  });
  const applications: string[] = [];
  for (let n = 0; n < times; n++) applications.push(await created(applicationBody(100 + n)));
  await row('POST /start-underwriting', (n) => post('start-underwriting', { loanId: applications[n - 1] }));
  await row('POST /adverse-action-notice', async (n) => {
    const party = { name: 'A', address: 'B', telephone: 'C' };
    await post('adverse-action-notice', { loanId: applications[n - 1], creditor: party, bureau: party }, [200, 409]);
  });
  await row('POST /complete-underwriting, another deal', (n) =>
    post('complete-underwriting', {
      ...{ loanId: applications[n - 1], dealIndex: 7, approved: true, reason: 'bench', reasonCode: 'other' },
    }),
  );
  await row('GET /loans/{id}, 10 MiB, first', (n) => get(`loans/${large[n - 1]}`));
  await row('GET /loans/{id}, 10 MiB, again', () => get(`loans/${ids.large}`));
  await row('GET /loans/{id}, 900 KB', () => get(`loans/${ids.ordinary}`));
  await row('GET /loan-data/{id}, 10 MiB', () => get(`loan-data/${ids.wide}`));
  await row('GET /loan-data/{id}, 10 MiB, plain', () => get(`loan-data/${ids.wide}`, { prefer: 'numbers=plain' }));

  const busy = await live({ ...(applicationBody(300) as object), applicationId: 'BUSY' });
  await many(payments, 32, (n) => post('loan-repay', { loanId: busy, amount: '0.01', refId: `P-${n}` }));
  console.log(`\na loan with ${payments} payments`);
  await row('POST /loan-repay', (n) => post('loan-repay', { loanId: busy, amount: '0.01', refId: `Q-${n}` }));
  const longAgo = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await row('POST /loan-repay, backdated', (n) =>
    post('loan-repay', { loanId: busy, amount: '0.01', refId: `B-${n}`, date: longAgo }, [200, 409, 422]),
  );
  for (const path of [
    'loans/{id}',
    'loan-data/{id}',
    'loans/{id}/schedule',
    'loans/{id}/payoff',
    'loans/{id}/forecast',
    'loans/{id}/history',
    'loans/{id}/explain/payoff',
    'loans/{id}/transactions',
    'loans/{id}/journal',
    'loans/{id}/disclosures',
    'ledger/trial-balance',
  ]) {
    await row(`GET /${path}`, () => get(path.replace('{id}', busy)));
  }
  await many(110, 16, (n) => created({ ...(applicationBody(400 + n) as object), applicationId: `L-${n}` }));
  await row('GET /loans?limit=100', () => get('loans?limit=100'));
}

async function row(what: string, once: (n: number) => Promise<unknown>): Promise<void> {
  const found: Longest[] = [];
  for (let n = 1; n <= times; n++) {
    await pause(30);
    await longest();
    await once(n);
    await pause(10);
    found.push(await longest());
  }
  const middle = (name: keyof Longest) => median(found.map((one) => one[name]));
  const most = Math.max(...found.map(({ cpuMs }) => cpuMs));
  const ok = middle('cpuMs') <= LIMIT_MS;
  isGood &&= ok;
  console.log(
    `${what.padEnd(44)} ${middle('cpuMs').toFixed(1).padStart(8)}  most ${most.toFixed(1).padStart(7)}  by the clock ${middle('wallMs').toFixed(1).padStart(7)}  ${ok ? 'ok' : 'TOO LONG'}`,
  );
}

function longest(): Promise<Longest> {
  return new Promise((resolve, reject) => {
    let text = '';
    connect(probe)
      .on('data', (chunk) => {
        text += chunk;
      })
      .on('end', () => resolve(JSON.parse(text)))
      .on('error', reject);
  });
}

/** A complete body with so much text in one field that it has the largest allowed size. */
function padded(n: number, where: (text: string) => { Underwriting: object }): object {
  const body = fullBody(n) as { Underwriting: object };
  const more = (text: string) => ({ ...body, Underwriting: { ...body.Underwriting, ...where(text).Underwriting } });
  const room = MOST_BYTES - Buffer.byteLength(JSON.stringify(more(''))) - 64;
  return more(randomBytes(Math.floor((room * 3) / 4)).toString('base64'));
}

async function live(body: object): Promise<string> {
  const loanId = await created(body);
  await post('start-underwriting', { loanId });
  await post('complete-underwriting', { loanId, approved: true, reason: 'bench' });
  await post('initiate-repayment', { loanId });
  return loanId;
}

async function created(body: object): Promise<string> {
  return (JSON.parse(await post('loans', body)) as { loanId: string }).loanId;
}

async function many(count: number, together: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: together }, one));
}

function post(path: string, body: object, right: number[] = [200]): Promise<string> {
  return send('POST', path, { 'content-type': 'application/json' }, JSON.stringify(body), right);
}

function get(path: string, headers: Record<string, string> = {}): Promise<string> {
  return send('GET', path, headers, '', [200]);
}

function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
  right: number[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = { authorization: `Bearer ${token}`, key: credentials.apiKey, ...headers };
    const options = { port: service.port, host: '127.0.0.1', method, path: `/v2/chain/${path}`, headers: asked, agent };
    const call = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (right.includes(answer.statusCode ?? 0)) resolve(text);
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
