/**
 * A soak: the service as a process under mixed load, whose memory has to stay below the limits that `docs/running.md` names. Ten minutes
 * with `npm run test:long`, otherwise a few seconds, which show that the load itself works. `SOAK_SECONDS` sets another time.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { migratedDataDir } from '../support/data-dir.ts';
import { fullBody } from '../support/full-body.ts';
import { HANDMADE } from '../support/fuzz/handmade.ts';
import type { OpenApi } from '../support/fuzz/judge.ts';
import { type Random, randomFrom } from '../support/fuzz/random.ts';
import { openWire } from '../support/fuzz/wire.ts';
import { type Credentials, call, endAll, type Service, startFlags, startService } from '../support/service.ts';

const SECONDS = Number(process.env.SOAK_SECONDS ?? (process.env.TEST_LONG ? 600 : 3));
const CALLERS = 12;
const CREDENTIALS: Credentials = {
  clientId: 'soak',
  clientSecret: 'dbs_a-secret-of-the-soak-that-nobody-guesses',
  apiKey: 'dbk_a-key-of-the-soak-that-nobody-guesses',
};

/** As `docs/running.md` names them. */
const [RSS_LIMIT_MB, HEAP_LIMIT_MB] = namedLimits();

afterAll(endAll, 60_000);

test(
  `memory stays below its limits through ${SECONDS} seconds of mixed load`,
  async () => {
    const service = await startService({ dataDir: await migratedDataDir(), credentials: CREDENTIALS, env: startEnv() });
    const calls = await callsOf(service);
    const ends = performance.now() + SECONDS * 1000;
    const counts = new Map<string, number>();
    const failed: string[] = [];
    const samples: { rss: number; heap: number }[] = [];

    async function caller(number: number): Promise<void> {
      const random = randomFrom(number);
      while (performance.now() < ends && failed.length < 10) {
        const [name, send] = random.weighted(calls);
        try {
          const status = await send(random);
          counts.set(`${name} ${status}`, (counts.get(`${name} ${status}`) ?? 0) + 1);
          // A call may get 503 with Retry-After while the machine is saturated; no other service error is allowed.
          if (status >= 500 && status !== 503) failed.push(`${name}: ${status}`);
        } catch (error) {
          failed.push(`${name}: ${error}`);
        }
      }
    }
    async function watch(): Promise<void> {
      while (performance.now() < ends) {
        samples.push(await memoryOf(service));
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    await Promise.all([watch(), ...Array.from({ length: CALLERS }, (_, i) => caller(i))]);
    expect(failed).toEqual([]);
    samples.push(await memoryOf(service));

    const most = (values: readonly number[]) => Math.round(Math.max(...values));
    const rss = most(samples.map((one) => one.rss));
    const heap = most(samples.map((one) => one.heap));
    // Memory in use without garbage: the minimum of each half.
    const half = Math.floor(samples.length / 2);
    const least = (of: typeof samples) => Math.round(Math.min(...of.map((one) => one.heap)));
    const [held, heldLater] = [least(samples.slice(Math.floor(half / 2), half)), least(samples.slice(half))];
    if (SECONDS > 10) {
      const rows = [...counts].sort().map(([name, times]) => `${String(times).padStart(8)}  ${name}`);
      const figures = `RSS at most ${rss} MB, heap at most ${heap} MB, held ${held} MB and later ${heldLater} MB`;
      console.log([`${SECONDS} s of mixed load: ${figures}`, ...rows].join('\n'));
    }
    expect(rss).toBeLessThan(RSS_LIMIT_MB);
    expect(heap).toBeLessThan(HEAP_LIMIT_MB);
    // Every kind of call succeeded.
    const names = new Set(
      [...counts.keys()].filter((key) => /( 200| 4\d\d)$/.test(key)).map((key) => key.replace(/ \d+$/, '')),
    );
    if (SECONDS > 10) expect([...names].sort()).toEqual(calls.map(([, [name]]) => name).sort());
    expect(await service.stop()).toBe(0);
  },
  (SECONDS + 120) * 1000,
);

/** The heap that `npm start` sets, and no quota: it is the load that is tested. */
function startEnv(): Record<string, string> {
  const flags = startFlags();
  expect(flags).toMatch(/--max-old-space-size=\d+/);
  return { NODE_OPTIONS: flags, RATE_LIMIT: '0' };
}

function namedLimits(): [rss: number, heap: number] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/running.md'), 'utf8');
  const [, rss, heap] = /below ([\d,]+) MB of resident memory and ([\d,]+) MB of heap/.exec(text) ?? [];
  return [Number(rss?.replace(',', '')), Number(heap?.replace(',', ''))];
}

async function memoryOf(service: Service): Promise<{ rss: number; heap: number }> {
  const { text } = await call(service.url, 'GET', '/metrics');
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / 1e6;
  return { rss: figure('process_resident_memory_bytes'), heap: figure('nodejs_heap_size_used_bytes') };
}

type Call = (random: Random) => Promise<number>;

/** The calls of the callers, by weight. Loans that are created are used by later calls. */
async function callsOf(service: Service): Promise<(readonly [weight: number, [name: string, call: Call]])[]> {
  const token = await service.token();
  const key = CREDENTIALS.apiKey;
  const chain = '/v2/chain';
  const request = async (method: string, path: string, body?: object) =>
    call(service.url, method, `${chain}/${path}`, { token, key, ...(body === undefined ? {} : { body }) });
  const status = async (method: string, path: string, body?: object) => (await request(method, path, body)).status;
  const records = [1, 2, 3].map((n) => fullBody(n));
  const application = { ...(records[0] as object), Response: undefined, Underwriting: undefined };
  const document: OpenApi = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
  const example = (path: string) => {
    const media = document.paths[`${chain}/${path}`]?.post?.requestBody?.content?.['application/json'];
    return (media?.example ?? Object.values(media?.examples ?? {})[0]?.value) as object;
  };
  const loans: string[] = [];
  let made = 0;
  const create = async (body: object): Promise<{ status: number; loanId: string | undefined }> => {
    made += 1;
    const answer = await request('POST', 'loans', { ...body, applicationId: `SOAK-${made}` });
    return { status: answer.status, loanId: answer.body?.loanId };
  };
  const live = async (body: object, ...steps: [path: string, more: object][]) => {
    const { status: created, loanId } = await create(body);
    if (loanId === undefined) return created;
    for (const [path, more] of steps) {
      const answered = await status('POST', path, { loanId, ...more });
      if (answered !== 200) return answered;
    }
    loans.push(loanId);
    return 200;
  };
  const some = (random: Random) => random.pick(loans);
  const read =
    (path: (loanId: string) => string): Call =>
    async (random) =>
      status('GET', path(some(random)));
  const approve: [string, object] = ['complete-underwriting', { approved: true, reason: 'Approved by the soak.' }];
  // So that every call has a loan from the beginning.
  expect(await live(records[0] as object, ['start-underwriting', {}], approve, ['initiate-repayment', {}])).toBe(200);
  return [
    [4, ['create a full record', (random) => live(random.pick(records), ['start-underwriting', {}], approve)]],
    [2, ['underwrite an application', () => live(application, ['start-underwriting', {}], approve)]],
    [
      4,
      [
        'repay',
        (random) => status('POST', 'loan-repay', { loanId: loans[0], amount: '1', refId: `P-${random.word(12)}` }),
      ],
    ],
    [1, ['quote', (random) => status('POST', 'payoff-quotes', { loanId: some(random) })]],
    [8, ['read in full', read((loanId) => `loans/${loanId}`)]],
    [8, ['read in public', read((loanId) => `loan-data/${loanId}`)]],
    [4, ['list', (random) => status('GET', `loans?limit=${1 + random.int(100)}`)]],
    [3, ['transactions', read((loanId) => `loans/${loanId}/transactions`)]],
    [2, ['journal', read((loanId) => `loans/${loanId}/journal`)]],
    [1, ['block', (random) => status('GET', `ledger/blocks/${1 + random.int(made)}`)]],
    [1, ['trial balance', () => status('GET', 'ledger/trial-balance')]],
    ...['calculate-apr', 'calculate-schedule', 'simulate-loan', 'calculate-irr', 'calculate-offer'].map(
      (path) => [1, [path, () => status('POST', path, example(path))]] as [number, [string, Call]],
    ),
    [
      1,
      [
        'token',
        () => call(service.url, 'POST', `${chain}/auth-token`, { body: CREDENTIALS_ONLY }).then((one) => one.status),
      ],
    ],
    [2, ['bad body', (random) => status('POST', 'loans', { applicationId: random.word(500), extra: [1] })]],
    [2, ['large bad body', () => status('POST', 'loans', { extra: 'x'.repeat(3_000_000) })]],
    [2, ['no HTTP', (random) => malformed(service, random)]],
  ];
}

const CREDENTIALS_ONLY = { clientId: CREDENTIALS.clientId, clientSecret: CREDENTIALS.clientSecret };

async function malformed(service: Service, random: Random): Promise<number> {
  const wire = await openWire(service.port);
  const bytes = Buffer.from(random.pick(HANDMADE)(random), 'latin1');
  const { answers } = await wire.sendRaw(bytes, ['GET'], { halfCloseAtOnce: true });
  wire.destroy();
  return answers[0]?.status ?? 400;
}
