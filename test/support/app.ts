/** The assembled service inside the test process: real database, real HTTP on a free port, a clock that the test moves. */
import type { FastifyInstance } from 'fastify';
import { type Access, openAccess } from '../../src/access/access.ts';
import { bootstrap } from '../../src/access/bootstrap.ts';
import { MARKET_CLIENT } from '../../src/access/market.ts';
import { openSignIn, PROVIDER_CONNECTIONS, type SigningIn } from '../../src/access/people/open-sign-in.ts';
import { openSignInGuard } from '../../src/access/people/sign-in-guard.ts';
import { openRootSecrets } from '../../src/access/root-secrets.ts';
import type { Scope } from '../../src/access/scopes.ts';
import { SIMULATED_SCREENING } from '../../src/bureau/screening/simulator.ts';
import { openSimulator } from '../../src/bureau/simulator/open.ts';
import { readConfig } from '../../src/config.ts';
import { examplesIn } from '../../src/demo/examples.ts';
import { buildApp } from '../../src/http/app.ts';
import type { Operation } from '../../src/http/shared/operation.ts';
import { openRateLimiter } from '../../src/http/shell/limits.ts';
import { openLog } from '../../src/http/shell/log.ts';
import { openMetrics } from '../../src/http/shell/metrics.ts';
import type { Phase } from '../../src/http/shell/service.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { type LoansOptions, type OpenLoans, openLoans } from '../../src/loans/open.ts';
import { openOutbound } from '../../src/outbound/client.ts';
import { openMail } from '../../src/outbound/mail.ts';
import type { Db } from '../../src/store/db/db.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { type OpenWebhooks, openWebhooks } from '../../src/webhooks/open.ts';
import { expectDescribed } from './described-answers.ts';
import { strictReader } from './interface-answers.ts';
import { testWorkers as workers } from './workers.ts';

export type TestApp = {
  url: string;
  port: number;
  app: FastifyInstance;
  db: Db;
  access: Access;
  signIn: SigningIn;
  loans: OpenLoans;
  /** Delivers once a test has started it, by the real clock. */
  webhooks: OpenWebhooks;
  /** The credentials of the first client: all scopes, no quota. */
  credentials: { clientId: string; clientSecret: string; apiKey: string };
  organizationId: string;
  /** Every log line so far. */
  logged: string[];
  clock: { now: number };
  set: { phase: Phase; databaseAnswers: boolean };
  /** It throws where an answer is not as the OpenAPI document describes it, or a record in it not as the interface says. */
  call(method: string, path: string, options?: CallOptions): Promise<Answered>;
  /** A token of the first client, or of a new one with just these scopes. */
  token(scopes?: Scope[]): Promise<string>;
  close(): Promise<void>;
};

export type CallOptions = { token?: string; key?: string; body?: unknown; headers?: Record<string, string> };
// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
export type Answered = { status: number; headers: Headers; body: any; text: string };

export const TEST_MASTER_KEY = '07'.repeat(32);

/** Without quotas, unless `env` sets them. `open` gives the database outside of a test; without it there is one of its own on the server of the tests. */
export async function testApp(
  env: Record<string, string> = {},
  open?: () => Promise<{ db: Db; drop(): Promise<void> }>,
  { operations, ...more }: Pick<LoansOptions, 'advancePatienceMs'> & { operations?: readonly Operation[] } = process.env
    .TEST_CITUS_URL
    ? { advancePatienceMs: 300_000 }
    : {},
): Promise<TestApp> {
  const { db, drop } = await (open ?? (await import('./database.ts')).testDatabase)();
  const credentials = { clientId: 'first', clientSecret: 'first-secret', apiKey: 'first-key' };
  const clock = { now: Date.UTC(2026, 0, 15, 12) };
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);
  const secrets = await openRootSecrets(db, masterKeys);
  const settings = readConfig({ RATE_LIMIT: '0', MARKET_RATE_LIMIT: '0', ...env });
  const limiter = openRateLimiter(() => clock.now);
  const guard = openSignInGuard({
    clock: () => clock.now,
    monotonic: () => performance.now(),
    secret: secrets.access,
  });
  const access = openAccess({
    db,
    clock: () => clock.now,
    secret: secrets.access,
    quotas: settings.quotas,
    issuer: settings.publicUrl,
    quotasUsed: limiter.tally,
    sessionTimes: settings.sessions,
    tallies: guard.tallies,
  });
  const outbound = openOutbound({ ...PROVIDER_CONNECTIONS, allow: settings.outboundAllow });
  const signIn = openSignIn({
    ...{ db, guard, outbound },
    clock: () => clock.now,
    monotonic: () => performance.now(),
    secret: secrets.access,
    people: access.people,
    onFailure: (error) => {
      throw error;
    },
  });
  await access.start();
  await bootstrap(db, { ...credentials, clock: () => clock.now, secret: secrets.access, unlimited: true });
  const loans = openLoans({
    db,
    clock: () => clock.now,
    masterKeys,
    secrets,
    bureau: openSimulator(workers),
    simulator: openSimulator(workers),
    screening: SIMULATED_SCREENING,
    workers,
    rightsNow: access.rightsNow,
    ...more,
  });
  const webhooks = openWebhooks({
    db,
    feed: loans.feed,
    clock: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    secret: secrets.access,
    processId: 'process_first',
    allow: settings.outboundAllow,
    reachOf: async (organizationId) => ({ organizationId, grants: await access.grantsFor({ organizationId }) }),
    log: {
      event: () => {},
      failure(name, error) {
        throw new Error(name, { cause: error });
      },
    },
  });
  const mail = settings.mail && openMail({ ...settings.mail, onFailure: () => {} });
  const [organization] = await access.listOrganizations();
  const logged: string[] = [];
  const set: TestApp['set'] = { phase: 'ready', databaseAnswers: true };
  const app = await buildApp({
    settings,
    log: openLog('debug', { write: (line: string) => void logged.push(line) }),
    metrics: openMetrics({ pool: () => db.stats(), process: false }),
    limiter,
    addressLimiter: openRateLimiter(() => clock.now),
    workers,
    phase: () => set.phase,
    services: () =>
      set.phase === 'starting' || set.phase === 'restored'
        ? null
        : {
            ...{ access, signIn, loans, webhooks: webhooks.operations, owners: null, mail },
            market: settings.market ? MARKET_CLIENT : null,
            examples: () => examplesIn(loans, organization?.organizationId ?? ''),
          },
    databaseAnswers: async () => set.databaseAnswers,
    problem: loans.door.clockProblem,
    ...(operations === undefined ? {} : { more: operations }),
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  const readStrictly = strictReader();
  const call: TestApp['call'] = async (method, path, { token, key, body, headers = {} } = {}) => {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = /[/+]json/.test(answer.headers.get('content-type') ?? '');
    const answered = {
      status: answer.status,
      headers: answer.headers,
      body: json && text !== '' ? JSON.parse(text) : text,
      text,
    };
    // An operation that a test adds is not in openapi.json.
    if (!operations?.some((added) => path.includes(added.path))) expectDescribed(method, path, answered);
    readStrictly({ method, path, body }, answered);
    return answered;
  };

  return {
    url,
    port: Number(new URL(url).port),
    app,
    db,
    access,
    signIn,
    loans,
    webhooks,
    credentials,
    organizationId: organization?.organizationId ?? '',
    logged,
    clock,
    set,
    call,
    async token(scopes) {
      const { clientId, clientSecret } =
        scopes === undefined
          ? credentials
          : await access.createClient(organization?.organizationId ?? '', { name: 'test', scopes });
      const { body } = await call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
      return body.data.token;
    },
    async close() {
      await app.close();
      await signIn.settled();
      await outbound.close();
      await webhooks.stop();
      await loans.close();
      access.stop();
      await drop();
    },
  };
}
