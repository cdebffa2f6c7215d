/**
 * Random and malformed requests against the assembled service, on real sockets: a million with `npm run test:long`, a few
 * thousand otherwise. Nothing may cause a 5xx, a hang, a crash or a stack trace; a failure is a problem document that
 * validates; successes are as documented. And no request may hold the event loop: the service runs on a thread of its own, which reports
 * every long turn of its loop in CPU time; the requests of that moment are sent again, each alone, to find the one.
 * `FUZZ_SEED` sets the seed, `FUZZ_COUNT` the number, `FUZZ_ONLY` one case (on a fresh service).
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCOPES } from '../../src/access/scopes.ts';
import { FIGURES } from '../../src/core/explain.ts';
import { type LoanStatus, STATUSES } from '../../src/core/loan.ts';
import { MARKER } from '../support/fuzz/bodies.ts';
import { isProbeAnswer, type LogLine, type OpenApi, openJudge } from '../support/fuzz/judge.ts';
import type { Stock } from '../support/fuzz/mutations.ts';
import { type Random, randomFrom } from '../support/fuzz/random.ts';
import { type FuzzCase, makeCase, validCase } from '../support/fuzz/requests.ts';
import { now, startOnThread, type ThreadService } from '../support/fuzz/service.ts';
import { openTurnWatch } from '../support/fuzz/turns.ts';
import { closes, type Exchange, openWire, shown, type Wire } from '../support/fuzz/wire.ts';
import { OPERATIONS, rowOf, statusFor } from '../support/operations.ts';
import { type Answered, call as callService } from '../support/service.ts';
import { creation, loanIn } from '../support/statuses.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 20_260_115);
const COUNT = Number(process.env.FUZZ_COUNT ?? (process.env.TEST_LONG ? 1_000_000 : 1_500));
const ONLY = process.env.FUZZ_ONLY;
const CONNECTIONS = process.env.TEST_LONG ? 16 : 8;
/**
 * CPU time of the loop for one request. Outside of long runs only what would stop the service counts: cold code takes several times as
 * long as it does later.
 */
const LONGEST_TURN_MS = process.env.TEST_LONG ? 50 : 1_000;
const MAX_FINDINGS = 10;
/** The disk of a busy machine may stall for some seconds. */
const COME_BACKS = 10;

const TRIES = 6;
/** With others on the machine the same work takes several times the CPU time: caches and cores are shared. */
const isSaturated = () => (loadavg()[0] ?? 0) > 2 * availableParallelism();

let service: ThreadService;
const turns = openTurnWatch();
let stock: Stock;
const document: OpenApi = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
const judge = openJudge(document, () => [service.credentials.clientSecret, service.credentials.apiKey, stock.token]);

beforeAll(async () => {
  service = await startOnThread({ BODY_LIMIT: '65536', CORS_ORIGINS: 'https://desk.example' }, turns.noted);
  stock = await makeStock();
}, 120_000);
afterAll(() => service?.close(), 60_000);

it(`${COUNT} random and malformed requests: no 5xx, no crash, no leak, every failure a valid problem`, async () => {
  const findings: string[] = [];
  const lines = new Map<string, LogLine>();
  const chosen = ONLY === undefined ? Array.from({ length: COUNT }, (_, i) => i) : [Number(ONLY)];
  const cases = chosen.values().map((number): Numbered => [number, (random) => makeCase(random, number, stock)]);
  const before = await service.ask<number>({ do: 'heap' });
  let resets = 0;
  let comeBacks = 0;

  async function work(cases: Iterable<Numbered>): Promise<void> {
    let wire: Wire | undefined;
    for (const [number, make] of cases) {
      if (findings.length >= MAX_FINDINGS) break;
      await passTime(number);
      await turns.settled(replay);
      const one = make(randomFrom(SEED * 1_000_003 + number));
      const found = (what: string) =>
        findings.push(`case ${number} of seed ${SEED} (${one.label}): ${what}\n  ${shown(one.bytes)}`);
      try {
        if (!one.wellFormed || wire?.open() !== true) {
          wire?.destroy();
          wire = await openWire(service.port);
        }
        let exchange = await turns.during(one, () => send(wire as Wire, one));
        // A saturated machine, or four exports at once: a call may be asked to come back; when it is repeated, it is served.
        for (let n = 0; n < COME_BACKS && one.wellFormed && exchange.answers.some(asksToComeBack); n += 1) {
          comeBacks += 1;
          await setTimeout(1_000);
          if (!wire.open()) wire = await openWire(service.port);
          exchange = await send(wire, one);
        }
        if (exchange.end === 'reset') resets += 1;
        for (const what of await judged(one, exchange)) found(what);
        if (!one.wellFormed || exchange.answers.some(closes)) {
          wire.destroy();
          wire = undefined;
        }
      } catch (error) {
        found(String(error));
        wire?.destroy();
        wire = undefined;
      }
    }
    wire?.destroy();
  }

  async function judged(one: FuzzCase, { answers, end }: Exchange): Promise<string[]> {
    const wrong: string[] = [];
    for (const [i, answer] of answers.entries()) {
      const id = (answer.headers.get('daybook-request-id') ?? answer.headers.get('x-request-id'))?.[0] ?? '';
      // The line is written before the answer, and comes from the other thread at about the same time.
      for (const end = now() + 1_500; !lines.has(id) && !isProbeAnswer(answer) && now() < end; ) {
        wrong.push(...readLog());
        if (!lines.has(id)) await setImmediate();
      }
      const method = one.methods[Math.min(i, one.methods.length - 1)] ?? 'GET';
      wrong.push(...judge.judge(answer, lines.get(id), method).map((what) => `${what}\n  ${shownAnswer(answer)}`));
      lines.delete(id);
      if (answer.status === 200) remember(answer.body.toString('utf8'));
    }
    const last = answers.at(-1);
    if (one.wellFormed && answers.length < one.methods.length && !(last && closes(last))) {
      wrong.push(`${answers.length} answers for ${one.methods.length} requests, then ${end}`);
    }
    // The forecast of a loan exists once it is funded.
    const tooEarly = last?.status === 409 && last.body.includes('once the loan is funded');
    if (one.expected !== undefined && last?.status !== one.expected && !tooEarly) {
      wrong.push(`answered ${last?.status}, not ${one.expected}: ${last ? shownAnswer(last) : ''}`);
    }
    return wrong;
  }

  /** Reads what the service has logged since, and finds what must not be in a log. */
  function readLog(): string[] {
    const wrong: string[] = [];
    for (const text of service.logged.splice(0)) {
      const line = JSON.parse(text) as LogLine & { level: number };
      // An answer with Retry-After is judged only when it was the last one.
      if (line.status !== 503 && (line.level >= 40 || line.status >= 500)) wrong.push(`logged: ${text}`);
      for (const secret of [MARKER, stock.token, stock.key, 'first-secret']) {
        if (text.includes(secret)) wrong.push(`a secret in the log: ${text}`);
      }
      lines.set(line.requestId, line);
    }
    return wrong;
  }

  /** The time that the loop works on this request alone, by the shortest of some tries: the first is cold, and garbage may be collected. */
  async function replay(one: FuzzCase): Promise<number> {
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES && shortest > LONGEST_TURN_MS / 2; i += 1) {
      await service.ask({ do: 'longestTurn' });
      const wire = await openWire(service.port);
      await send(wire, one).catch(() => {});
      wire.destroy();
      shortest = Math.min(shortest, await service.ask<number>({ do: 'longestTurn' }));
    }
    if (shortest > (isSaturated() ? Math.max(LONGEST_TURN_MS, 1_000) : LONGEST_TURN_MS)) {
      findings.push(`${one.label}: held the event loop for ${Math.round(shortest)} ms of CPU\n  ${shown(one.bytes)}`);
    }
    return shortest;
  }

  /** Valid requests for operations that had no success by chance: a write may have named an id that was revoked. */
  function* leftOut(): Iterable<Numbered> {
    let number = COUNT;
    for (const operation of judge.operations) {
      for (let tries = 0; tries < 40 && !hasSucceeded(operation.id); tries += 1) {
        number += 1;
        yield [number, (random) => validCase(random, number, stock, operation)];
      }
    }
  }

  await Promise.all(Array.from({ length: ONLY === undefined ? CONNECTIONS : 1 }, () => work(cases)));
  if (ONLY === undefined) {
    // Random requests may have revoked every known client.
    stock.known.clientId = [await makeClient(SCOPES), await makeClient(SCOPES)].map(({ clientId }) => clientId);
    await work(leftOut());
  }
  await turns.settled(replay);
  findings.push(...readLog());
  if (process.env.TEST_LONG || process.env.FUZZ_COUNT) console.log(`${summary(resets)}\n${turns.report()}`);
  // As an error, because a report of a difference would be cut short.
  if (findings.length > 0) throw new Error(findings.slice(0, MAX_FINDINGS).join('\n\n'));

  // It still serves, and has not leaked memory.
  expect((await call('GET', '/readyz')).status).toBe(200);
  expect((await call('GET', '/v2/chain/me', { token: await signIn(service.credentials) })).status).toBe(200);
  expect((await service.ask<number>({ do: 'heap' })) - before).toBeLessThan(60_000_000);
  if (ONLY === undefined) {
    // A connection is reset only when its client was still sending at the refusal: few.
    expect(resets).toBeLessThan(COUNT * 0.02);
    expect(comeBacks).toBeLessThan(COUNT * 0.005);
    expectBreadth();
  }
}, 3_600_000);

type Numbered = [number: number, make: (random: Random) => FuzzCase];

function send(wire: Wire, { wellFormed, bytes, methods, halfCloseAtOnce }: FuzzCase): Promise<Exchange> {
  return wellFormed ? wire.exchange(bytes, methods) : wire.sendRaw(bytes, methods, { halfCloseAtOnce });
}

/** Every 1,000 cases the clock moves on by 100 seconds, so that waits end and tokens expire; the first client gets a new token before that. */
async function passTime(number: number): Promise<void> {
  if (number % 1_000 !== 999) return;
  await service.ask({ do: 'passTime', ms: 100_000 });
  if (number % 10_000 === 9_999) {
    stock.otherTokens.push(stock.token, stock.limitedToken);
    stock.token = await signIn(service.credentials);
    stock.limitedToken = await signIn(stock.limited);
    stock.otherTokens.splice(0, stock.otherTokens.length - 8);
  }
}

async function signIn({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Promise<string> {
  return (await call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } })).body.data.token;
}

function call(method: string, path: string, options: Parameters<typeof callService>[3] = {}): Promise<Answered> {
  return callService(service.url, method, path, options);
}

function makeClient(scopes: readonly string[], perMinute?: number) {
  return service.ask<{ clientId: string; clientSecret: string; apiKey: string }>({
    do: 'createClient',
    organizationId: service.organizationId,
    name: 'fuzzed',
    scopes,
    ...(perMinute === undefined ? {} : { perMinute }),
  });
}

async function makeStock(): Promise<Stock> {
  const { organizationId } = service;
  const other = await service.ask<{ organizationId: string }>({ do: 'createOrganization', name: 'another' });
  const signIns = [await makeClient(['loans:read']), await makeClient(SCOPES)];
  const limited = await makeClient(['admin'], 1);
  const revoked = await makeClient(SCOPES);
  const material = [await makeClient(['loans:read']), await makeClient(['admin']), await makeClient(['reports:read'])];
  const otherTokens = await Promise.all([...signIns, revoked].map(signIn));
  await service.ask({ do: 'revokeClient', organizationId, clientId: revoked.clientId });
  const token = await signIn(service.credentials);
  return {
    operations: judge.operations,
    token,
    key: service.credentials.apiKey,
    limited,
    limitedToken: await signIn(limited),
    otherTokens,
    otherKeys: [...signIns, revoked].map(({ apiKey }) => apiKey),
    signIns,
    known: {
      clientId: material.map(({ clientId }) => clientId),
      keyId: [],
      grantId: [],
      granteeOrganizationId: [other.organizationId, organizationId],
      organizationId: [],
      timeZone: ['UTC', 'America/New_York', 'Asia/Tokyo'],
      loanId: [],
      refId: ['P-1', 'P-2'],
    },
    ...(await makeLoans(token)),
  };
}

/** A loan in every status, and for every operation on loans a body that suits one of them. */
async function makeLoans(token: string): Promise<Pick<Stock, 'params' | 'paramsOf' | 'suited'>> {
  const ask = (method: string, path: string, body?: object) =>
    call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...(body ? { body } : {}) });
  const payoffOf = async (loanId: string) => (await ask('GET', `loans/${loanId}/payoff`)).body.data.payoff;
  const loan = new Map<string, string>();
  for (const status of STATUSES) {
    loan.set(status, await loanIn(status, (path, body) => ask('POST', path, body), payoffOf));
  }
  const live = async (terms: object, paid: object) => {
    const { loanId } = (await ask('POST', 'loans', creation(terms))).body;
    await ask('POST', 'start-underwriting', { loanId });
    await ask('POST', 'complete-underwriting', { loanId, approved: true });
    await ask('POST', 'initiate-repayment', { loanId });
    await ask('POST', 'loan-repay', { loanId, refId: 'P-1', ...paid });
    return loanId;
  };
  const old = { originationDate: '2025-06-15', firstPaymentDate: '2025-07-15' };
  loan.set('seven months behind', await live(old, { amount: '10' }));
  loan.set('overpaid', await live({}, { amount: '13,000', acceptOverpayment: true }));
  // Other loans are extended and moved until no due date can be changed any more.
  const alone = await live({}, { amount: '10' });
  const Request = {
    ApplicantInfo: { ApplicantSSN: '666-00-0005', MonthlyGross: 5_000, ApplicantState: 'OH' },
    VehicleInfo: { VehicleRetailValue: '9,000', VehicleYear: '2020', VehicleMileage: '60000' },
  };
  const { loanId: declined } = (await ask('POST', 'loans', { ...creation({}), Request, ...NOT_ASSESSED })).body;
  await ask('POST', 'start-underwriting', { loanId: declined });
  const stipulated = (
    await ask('POST', 'loans', { ...creation({ applicationId: 'FUZZ-STIPULATED' }), Request, ...NOT_ASSESSED })
  ).body.loanId;
  await ask('POST', 'start-underwriting', { loanId: stipulated });
  const [stipulation] = (await ask('GET', `loans/${stipulated}/stipulations`)).body.data.items;
  const party = { name: 'Somebody', address: 'Somewhere', telephone: '555-0100' };
  const notice = { loanId: declined, creditor: party, bureau: party };
  const { items } = (await ask('GET', `loans/${loan.get('Current')}/transactions`)).body.data;
  const { example } = documentedBody('/v2/chain/loans');
  const offer = {
    ...documentedBody('/v2/chain/calculate-offer').example,
    report: { score: 700, scoreFactors: [MARKER] },
  };
  const policy = { policyId: 'standard', lenderId: null, from: '2026-01-15', values: {} };
  expect((await ask('POST', 'policies', policy)).status).toBe(200);
  const many = { loanIds: [alone], what: 'servicer', to: 'SRV-7', date: '2026-03-01', reason: 'Sold' };
  const { transferId } = (await ask('POST', 'transfers', many)).body.data;
  const scheduled = { what: 'servicer', to: 'SRV-8', date: '2026-04-01', reason: 'Sold' };
  await ask('POST', 'transfer', { loanId: loan.get('overpaid'), ...scheduled });
  const noted = (await ask('POST', 'payment-reminders', { loanId: alone })).body;
  const person = { email: `other.${MARKER}@example.com`, name: MARKER, roles: ['agent'] };
  const { userId } = (await ask('POST', 'users', person)).body.data;
  expect((await ask('POST', 'roles', { name: 'clerk', scopes: ['loans:read'] })).status).toBe(200);
  const hook = { url: `https://hooks.example/${MARKER}`, types: ['payment.*'], description: MARKER };
  const endpointId = (await ask('POST', 'webhook-endpoints', hook)).body.data.endpointId;
  const approvals = await makeRequests(await live({ lenderId: 'LND-A' }, { amount: '10' }), ask);
  const suited: [id: string, body: object][] = [];
  for (const [id, status, body] of OPERATION_BODIES) {
    // A step of an application can be taken once, so each has a loan of its own.
    const own = isBeforeFunding(status)
      ? await loanIn(status, (path, sent) => ask('POST', path, sent), payoffOf)
      : null;
    suited.push([id, { loanId: own ?? loan.get(status) ?? alone, ...body }]);
  }
  return {
    params: {
      loan_id: [...loan.values()],
      hash: items.map(({ transactionHash }: { transactionHash: string }) => transactionHash),
      n: items.map(({ block }: { block: number }) => String(block)),
      figure: [...FIGURES],
      date: ['2020-01-31'],
      policy_id: [policy.policyId],
      transfer_id: [transferId],
      approval_id: approvals,
      endpoint_id: [endpointId],
    },
    paramsOf: {
      readReport: { loan_id: [declined], n: ['1'] },
      readDealCashflows: { loan_id: [declined], index: ['0', '59'] },
    },
    suited: {
      ...Object.fromEntries(suited),
      createLoan: example,
      calculateOffer: offer,
      addPolicy: policy,
      transferLoans: many,
      approveRequest: { approvalId: approvals[0], reason: MARKER },
      rejectRequest: { approvalId: approvals[1], reason: MARKER },
      searchLoans: { vin: '1HGCM82633A004352' },
      closePeriod: { period: '2019-12' },
      recordEntry: {
        date: '2026-01-02',
        lenderId: 'LND-1',
        lines: [
          { account: 'cash', debit: '5' },
          { account: 'equity', credit: '5' },
        ],
        reason: MARKER,
      },
      setAccountCodes: { codes: { cash: '1010' } },
      writeAdverseActionNotice: notice,
      createUser: { email: `${MARKER}@example.com`, name: MARKER, roles: ['agent'] },
      updateUser: { userId, name: MARKER },
      disableUser: { userId },
      inviteUser: { userId },
      endSessions: { userId },
      putRole: { name: 'clerk', scopes: ['servicing:write'], limits: { 'waive-fee': { amount: '10' } } },
      removeRole: { name: 'clerk' },
      setIdentityProvider: { issuer: 'https://login.example', clientId: 'daybook', clientSecret: MARKER },
      createWebhookEndpoint: hook,
      updateWebhookEndpoint: { endpointId, description: MARKER },
      rotateWebhookSecret: { endpointId },
      testWebhook: { endpointId },
      replayWebhook: { endpointId, from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' },
      updateStipulation: { loanId: stipulated, stipulationId: stipulation.stipulationId, state: 'received' },
      undoTransaction: { loanId: alone, transactionHash: noted.transactionHash, reason: MARKER },
    },
  };
}

/** Requests of another client for approval, of a loan that nothing else is sent for. */
async function makeRequests(loanId: string, ask: (method: string, path: string, body?: object) => Promise<Answered>) {
  const approvals = { 'payment-reminders': true, 'place-hold': true };
  const policy = { policyId: 'approved', lenderId: 'LND-A', from: '2026-01-15', values: { approvals } };
  expect((await ask('POST', 'policies', policy)).status).toBe(200);
  const token = await signIn(await makeClient(SCOPES));
  const ids: string[] = [];
  for (const [path, body] of [
    ['payment-reminders', { loanId }],
    ['place-hold', { loanId, kind: 'fraud', reason: MARKER }],
  ] as const) {
    const answer = await call('POST', `/v2/chain/${path}`, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    ids.push(answer.body.data.approvalId);
  }
  return ids;
}

function isBeforeFunding(status: string): status is LoanStatus {
  return (
    STATUSES.indexOf(status as LoanStatus) >= 0 && STATUSES.indexOf(status as LoanStatus) < STATUSES.indexOf('Funded')
  );
}

function documentedBody(path: string): { example: object } {
  return document.paths[path]?.post?.requestBody?.content?.['application/json'] as { example: object };
}

const NOT_ASSESSED = { Response: undefined, Underwriting: undefined };

/** For every operation on a loan a body that suits one of the loans, with the marker where the caller may write freely. */
const OPERATION_BODIES = OPERATIONS.flatMap((operation) => {
  const {
    id,
    body,
    sent = [statusFor(operation), 'reason' in body ? { ...body, reason: MARKER } : body],
  } = rowOf(operation);
  return sent === null ? [] : [[id, ...sent] as const];
});

/** Ids that requests created are used by later requests, which change, rotate and revoke them. Never those of the first client. */
function remember(text: string): void {
  if (!text.startsWith('{"message":"ok","data":{')) return;
  const { data } = JSON.parse(text) as { data: Record<string, unknown> };
  // Loans of suited bodies stay as they are.
  const isSuited = Object.values(stock.suited).some((body) => 'loanId' in body && body.loanId === data.loanId);
  if (typeof data.loanId === 'string' && typeof data.transactionHash === 'string' && !isSuited) {
    stock.known.loanId = [...new Set([...stock.known.loanId, data.loanId])].slice(-30);
  }
  if (typeof data.organizationId === 'string' && 'apiKey' in data) stock.known.organizationId.push(data.organizationId);
  for (const member of ['clientId', 'keyId', 'grantId'] as const) {
    const id = data[member];
    // `GET /me` returns the key of the first client, and a policy says who added it.
    if (typeof id !== 'string' || 'tokenExpiresAt' in data || id === service.credentials.clientId) continue;
    const pool = stock.known[member].filter((other) => other !== id);
    // A revoked id stays in use for a while, if there are others.
    if (typeof data.revokedAt !== 'string' || pool.length < 3) pool.push(id);
    stock.known[member] = pool.slice(-30);
  }
}

/**
 * A month is closed when its interest is posted, a year when its months are, an allowance is booked when somebody approves it, and an export answers in pieces: `books.test.ts` and
 * `test/issues/close-a-year.test.ts` see them succeed; entries of interest by loan in `test/issues/balances-by-loan.test.ts`. The clock of the first
 * organization is real time: `sandboxes.test.ts` moves one that is not. No day is over, so no cycle has run. An offered loan is accepted by
 * another organization: `owners.test.ts`. A session begins on the pages: `people.test.ts`. A provider that was set before is
 * read and removed in `provider.test.ts`. The endpoint that others are sent for is not deleted: `webhooks.test.ts` deletes some.
 */
const SUCCEED_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['closePeriod', 'closeYear', 'bookAllowance', 'listEntryLoans', 'exportPeriod', 'advanceClock', 'readCycle'],
  ...['acceptTransfer', 'acceptTransfers', 'acceptGrant', 'declineGrant', 'endGrant'],
  ...['readSession', 'signOut', 'signOutEverywhere', 'readIdentityProvider', 'removeIdentityProvider'],
  'deleteWebhookEndpoint',
]);

/** A run whose requests are all refused early would prove nothing. */
function expectBreadth(): void {
  const statuses = new Set([...judge.seen.keys()].map((name) => Number(name.split(' ').at(-1))));
  for (const status of [200, 400, 401, 403, 404, 405, 406, 413, 415, 417, 422, 429, 431]) {
    expect(statuses, `no ${status} was ever answered`).toContain(status);
  }
  for (const id of [...judge.operations.map((operation) => operation.id), 'probe']) {
    if (SUCCEED_ELSEWHERE.has(id)) continue;
    const answers = [...judge.seen.keys()].filter((name) => name.startsWith(`${id} `));
    expect(hasSucceeded(id), `${id} succeeds, not only ${answers.join(', ')}`).toBe(true);
  }
}

/** Probes are not logged, and are not distinguished. An operation and its alias are one: what one of them has used up, the other cannot use. */
const hasSucceeded = (id: string) => {
  const name = /^read(Health|Readiness)$/.test(id) ? 'probe' : id;
  return judge.seen.has(`${name} 200`);
};

function summary(resets: number): string {
  const rows = [...judge.seen].sort().map(([name, times]) => `${String(times).padStart(7)}  ${name}`);
  return [`seed ${SEED}, ${COUNT} cases, ${resets} connections reset`, ...rows].join('\n');
}

const asksToComeBack = ({ status, headers, body }: Exchange['answers'][number]) =>
  headers.has('retry-after') && (status === 503 || (status === 429 && body.includes('too_many_waiting')));
const shownAnswer = ({ status, body }: { status: number; body: Buffer }) => `→ ${status} ${shown(body)}`;
