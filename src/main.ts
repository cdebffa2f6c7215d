/**
 * The service: reads its settings, listens, opens the database, and serves until a signal stops it. It starts listening first, so that
 * a busy port is found at once and a health check gets its 503 while the database starts. It is longer than other files because all wiring
 * of the service is done here, by hand.
 */
import { isAbsolute, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { type Access, openAccess } from './access/access.ts';
import { type Bootstrapped, bootstrap } from './access/bootstrap.ts';
import { MARKET_CLIENT } from './access/market.ts';
import { openSignIn, PROVIDER_CONNECTIONS } from './access/people/open-sign-in.ts';
import { rightsOf, rolesNamed } from './access/people/roles.ts';
import { openSignInGuard } from './access/people/sign-in-guard.ts';
import { openRootSecrets } from './access/root-secrets.ts';
import { newApiKey, newClientSecret, newId } from './access/secrets.ts';
import { openBureau } from './bureau/open.ts';
import { openSimulator } from './bureau/simulator/open.ts';
import { type Config, ConfigError, databaseUrlProblem, readConfig, VARIABLES } from './config.ts';
import type { PlainDate } from './core/calendar.ts';
import type { LoanStatus } from './core/loan.ts';
import type { Examples } from './demo/examples.ts';
import type { DemoOptions } from './demo/fill.ts';
import { DEMO_ORGANIZATION, DEMO_ROLES } from './demo/organization.ts';
import { DEMO_PEOPLE, type DemoPeople } from './demo/people.ts';
import { invitationUrl } from './http/access/invitations.ts';
import type { Services } from './http/shared/operation.ts';
import { openRateLimiter } from './http/shell/limits.ts';
import { describe, openLog } from './http/shell/log.ts';
import type { Phase } from './http/shell/service.ts';
import { type CycleJobs, startCycleJobs } from './jobs/cycle.ts';
import { openRootWatch, RestoredDatabase, type RootWatch } from './jobs/root-watch.ts';
import { keepUp } from './jobs/upkeep.ts';
import {
  credentialsFile,
  demoCredentials,
  draftCredentials,
  keptClientId,
  settleCredentials,
} from './key-files/credentials.ts';
import { keepRoot, keptRoot } from './key-files/ledger-root.ts';
import { openMasterKeys } from './key-files/master-keys.ts';
import { type LoansOptions, type OpenLoans, openLoans } from './loans/open.ts';
import { openOutbound } from './outbound/client.ts';
import { openMail } from './outbound/mail.ts';
import { AddressNotFree } from './owners/listener.ts';
import { type Owners, openOwners } from './owners/owners.ts';
import { changeAccess, firstClientId, readClient } from './store/access/access.ts';
import { whileFillingDemo } from './store/access/demo.ts';
import { endFilling, readDemo } from './store/access/sandboxes.ts';
import { makeDays } from './store/db/by-day.ts';
import { DatabaseUnavailable, type Db } from './store/db/db.ts';
import { EmbeddedPostgresError, openDataFolder } from './store/db/embedded.ts';
import { MigrationError, migrate, readMigrations } from './store/db/migrate.ts';
import { type OpenedDatabase, openDatabase } from './store/db/open.ts';
import { openVolumes, VolumesMismatch } from './store/db/volumes.ts';
import { masterKeyId, WrongMasterKey } from './vault/master-keys.ts';
import { type OpenWebhooks, openWebhooks } from './webhooks/open.ts';
import { openWorkers } from './workers/workers.ts';

/** npm forwards a signal that the terminal has also sent to the service: signals this close together count as one. */
const SAME_SIGNAL_MS = 500;
/** How long the embedded database has to stop after a second signal; the next start takes over a server that is still running. */
const HURRY_MS = 2_000;
/** A folded loan with three years of payments, in bytes; loans take up to a fifth of the heap. */
const FOLDED_LOAN = 40_000;

const NO_CYCLES = { daysBehind: 0, organizationsBehind: 0, days: 0, loans: 0, exceptions: 0, failures: 0 };

readArguments(process.argv.slice(2));
const config = readSettings();
const log = openLog(config.logLevel);
// Takes most of the loading time, and is not needed when the settings are wrong.
const { buildApp } = await import('./http/app.ts');
const { openClosing } = await import('./http/shell/closing.ts');
const { openForwarded } = await import('./http/shared/forwarding.ts');
const { operations } = await import('./http/routes.ts');
const { openMetrics } = await import('./http/shell/metrics.ts');
let phase: Phase = 'starting';
const workers = openWorkers();
const limiter = openRateLimiter(Date.now);
const addressLimiter = openRateLimiter(Date.now, { reports: false });
const processId = newId('process');
let services: Services | null = null;
let access: Access | null = null;
let loans: OpenLoans | null = null;
let roots: RootWatch | null = null;
let owners: Owners | null = null;
let database: OpenedDatabase | null = null;
let databaseClosed: Promise<void> | null = null;
let demo: Promise<void> | null = null;
let cycleJobs: CycleJobs | null = null;
let webhooks: OpenWebhooks | null = null;
const demoEnds = new AbortController();

const app = await buildApp({
  settings: config,
  log,
  metrics: openMetrics({
    pool: () => database?.db.stats() ?? { total: 0, idle: 0, waiting: 0 },
    forwarded: () => owners?.counts() ?? {},
    cycles: () => cycleJobs?.figures() ?? NO_CYCLES,
    webhooks: () => webhooks?.figures() ?? {},
    process: true,
  }),
  limiter,
  addressLimiter,
  workers,
  phase: () => phase,
  services: () => services,
  databaseAnswers: async () => {
    return Promise.race([database?.takesWrites() ?? false, delay(2_000, false, { ref: false })]);
  },
  problem: () => loans?.door.clockProblem() ?? roots?.problem() ?? null,
});
const closeListener = openClosing(app);
const address = await app.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE')
    return stopWith(2, `PORT ${config.port} is already in use: choose another port with PORT=…`);
  if (error.code === 'EACCES')
    return stopWith(2, `PORT ${config.port} requires privileges that this user does not have.`);
  return stopWith(2, `HOST must be an address of this machine (${error.code}).`);
});

let stopping: Promise<void> | null = null;
/** False once requests are no longer accepted. */
let serving = true;
let hurrying = false;
let signalledAt = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
// Closing the terminal stops the service. Under nohup, which redirects both, SIGHUP stays ignored.
if (process.stdout.isTTY || process.stderr.isTTY) process.on('SIGHUP', () => stop('SIGHUP'));
if (process.env.npm_lifecycle_event !== undefined) stopWithParent(process.ppid);
process.on('unhandledRejection', (error) => log.failure('unhandled rejection', error));
process.on('uncaughtException', (error) => {
  // When the terminal is gone, every write to it fails; that must not keep the database from being stopped.
  if (stopping !== null) return;
  // The state of the process is unknown: log where, and exit; everything that was answered is on disk.
  console.error(`Daybook stopped: ${JSON.stringify(describe(error))}`);
  process.exit(1);
});

const starting = start().catch((error: unknown) => {
  if (stopping !== null) return;
  const known = [
    AddressNotFree,
    ConfigError,
    EmbeddedPostgresError,
    MigrationError,
    RestoredDatabase,
    VolumesMismatch,
    WrongMasterKey,
  ].some((kind) => error instanceof kind);
  const message = known ? (error as Error).message : databaseUrlProblem(error);
  return abandon(
    message === null ? 1 : 2,
    message ?? `The service could not start: ${JSON.stringify(describe(error))}`,
  );
});

async function start(): Promise<void> {
  // Keys that the operator provides are read before the folder is created; the embedded default keeps its keys in it.
  const given = config.masterKeyFile === null ? null : openMasterKeys(config, masterKeyId);
  if (config.databaseUrl === null) openDataFolder(config.dataDir);
  const masterKeys = given ?? openMasterKeys(config, masterKeyId);
  database = await openDatabase({
    databaseUrl: config.databaseUrl,
    databaseReadUrl: config.databaseReadUrl,
    dataDir: config.dataDir,
    pool: config.databasePool,
    own: true,
    onEvent: ({ kind, detail }) => log.event(`database ${kind}`, detail === undefined ? {} : { detail }),
  });
  const { db } = database;
  const watch = openRootWatch({ db, kept: () => keptRoot(config), keep: (root) => keepRoot(config, root) });
  roots = watch;
  await whenReachable(() => watch.admit(config.acceptRestore));
  const migrations = await readMigrations();
  const applied = ({ number, name }: { number: number; name: string }, ms: number) =>
    log.event('migration applied', { number, name, ms: Math.round(ms) });
  await whenReachable(() => migrate(db, migrations, applied));
  const volumes = await whenReachable(() => openVolumes(db, config.volumes));
  database.replica?.useVolumes(volumes);
  database.accessDb.useVolumes(volumes);
  database.cycleDb.useVolumes(volumes);
  await whenReachable(() => makeDays(db));
  const secrets = await whenReachable(() => openRootSecrets(db, masterKeys));
  const guard = openSignInGuard({ clock: Date.now, monotonic: () => performance.now(), secret: secrets.access });
  const opened = openAccess({
    db: database.accessDb,
    clock: Date.now,
    secret: secrets.access,
    quotas: config.quotas,
    timeZone: config.timeZone,
    sessionTimes: config.sessions,
    quotasUsed: limiter.tally,
    tallies: guard.tallies,
    onReportFailure: (error) => log.failure('usage could not be reported', error),
  });
  access = opened;
  await whenReachable(() => opened.start());
  const first = await whenReachable(() => makeFirstClient(db, secrets.access));
  if (stopping !== null) return;
  const bureau = await openBureau(config.bureau, {
    monotonic: () => performance.now(),
    sleep: (ms) => delay(ms),
    random: Math.random,
    workers,
  });
  loans = openLoans({
    db,
    cycleDb: database.cycleDb,
    replica: database.replica,
    clock: Date.now,
    masterKeys,
    secrets,
    pool: config.databasePool,
    // A moment longer than a request: by then the request has been answered.
    requestMs: config.requestTimeoutMs + 1_000,
    bureau,
    simulator: openSimulator(workers),
    // A request that waits too long is answered with an error, although the clock continues to advance.
    advancePatienceMs: Math.min(20_000, (config.requestTimeoutMs * 2) / 3),
    workers,
    // Where only one process uses a database, all earlier processes have ended.
    holder: { id: processId, isAway: (id) => owners?.isAway(id) ?? true },
    memory: {
      loans: Math.max(500, Math.floor(getHeapStatistics().heap_size_limit / 5 / FOLDED_LOAN)),
      openedBytes: 64 * 1024 * 1024,
    },
  });
  const { checkClock } = loans.door;
  await whenReachable(checkClock);
  workers.warm();
  await warmed(loans);
  if (stopping !== null) return;
  // The embedded database serves one process.
  const mail =
    config.mail && openMail({ ...config.mail, onFailure: (code) => log.event('mail could not be sent', { code }) });
  owners = config.databaseUrl === null ? null : await shareVolumes(database, secrets.forwarding);
  if (stopping !== null) return;
  const signIn = openSignIn({
    db: database.accessDb,
    clock: Date.now,
    secret: secrets.access,
    people: opened.people,
    guard,
    outbound: openOutbound({ ...PROVIDER_CONNECTIONS, allow: config.outboundAllow }),
    onFailure: (error) => log.failure('a refused sign-in could not be recorded', error),
  });
  webhooks = openWebhooks({
    db,
    feed: loans.feed,
    clock: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    secret: secrets.access,
    processId,
    allow: config.outboundAllow,
    reachOf: async (organizationId) => ({ organizationId, grants: await opened.grantsFor({ organizationId }) }),
    log,
  });
  services = {
    access: opened,
    signIn,
    loans,
    webhooks: webhooks.operations,
    owners,
    mail,
    market: config.market ? MARKET_CLIENT : null,
    examples: playgroundExamples(db, loans),
  };
  phase = 'ready';
  webhooks.start();
  keepUp({ loans, db, log, goesOn: () => serving, roots: watch });
  const sandbox = demoSandbox(opened, first, db);
  const demoId = sandbox && (await whenReachable(sandbox.prepare));
  greet(first, await whenReachable(() => waysIn(opened, first, db, demoId)));
  demo = fillTheDemo(opened, first, sandbox, { db, masterKeys, secrets, workers });
  const { cycle: cycles } = loans;
  const { cycleDb } = database;
  // The demo records events on past days, and no cycle may run for a day on which events are still being recorded.
  void demo.then(() => {
    if (serving) cycleJobs = startCycleJobs({ cycles, db: cycleDb, log });
  });
}

/** Loans that are not preloaded by the end of `WARM_SECONDS` are loaded while requests are served. */
function warmed({ door: { warm } }: OpenLoans): Promise<unknown> {
  const warming = warm(() => stopping !== null).catch((error: unknown) =>
    log.failure('recent loans could not be preloaded', error),
  );
  return Promise.race([warming, delay(config.warmMs, undefined, { ref: false })]);
}

/** Joins the processes of this database and accepts the writes that they forward. */
function shareVolumes({ db, accessDb }: OpenedDatabase, secret: Uint8Array): Promise<Owners> {
  const failed = (error: unknown, facts: Record<string, string>) => log.failure('forwarded write failed', error, facts);
  return openOwners({
    processId,
    db: accessDb,
    volumes: db,
    clock: Date.now,
    monotonic: () => performance.now(),
    secret,
    listen: { host: config.forwardHost, port: config.forwardPort },
    requestMs: config.requestTimeoutMs,
    canWrite: () => loans?.door.clockProblem() === null,
    serve: openForwarded({ operations, services: () => services, failed }),
    onEvent: ({ kind, processId }) => log.event(kind, { processId }),
  });
}

type DemoSandboxes = DemoOptions['sandbox'] & { prepare(): Promise<string | null> };

/** The organization of the demo; null: none is wanted. */
function demoSandbox({ createDemo }: Access, first: Bootstrapped, db: Db): DemoSandboxes | null {
  const byItself = config.databaseUrl === null && Object.values(config.bootstrap).every((value) => value === null);
  if (config.demo === 'off' || (config.demo === null && !byItself)) return null;
  const read = () => readDemo(db, DEMO_ORGANIZATION);
  async function create() {
    const { timeZone } = config;
    const today = Temporal.Now.plainDateISO(timeZone).toString() as PlainDate;
    const credentials = demoCredentials(config, newCredentials());
    const unlimited = config.databaseUrl === null;
    const made = await createDemo({ name: DEMO_ORGANIZATION, start: today, timeZone, credentials, unlimited });
    return { ...made, timeZone, today, filling: true };
  }
  const filled: DemoSandboxes['filled'] = (organizationId, past) =>
    changeAccess(db, (tx) => endFilling(tx, organizationId, past));
  /** Its id, so that people can be let in before it is filled; it is created where it may be. Null: there is none yet. */
  async function prepare() {
    const known = await read();
    if (known !== null || !mayBegin(first)) return known?.organizationId ?? null;
    const made = await whileFillingDemo(db, async () => (await read()) ?? (await create()));
    return made?.organizationId ?? null;
  }
  return { read, create, filled, prepare };
}

function mayBegin(first: Bootstrapped): boolean {
  return config.demo === 'on' || first.created;
}

/** What the playground shows is at most so old. */
const EXAMPLES_MS = 3_000;

function playgroundExamples(db: Db, opened: OpenLoans): () => Promise<Examples | null> {
  let made: { at: number; examples: Promise<Examples | null> } | null = null;
  async function make(): Promise<Examples | null> {
    try {
      const found = await readDemo(db, DEMO_ORGANIZATION);
      if (found === null || found.filling) return null;
      const { examplesIn } = await import('./demo/examples.ts');
      return await examplesIn(opened, found.organizationId);
    } catch (error) {
      log.failure('the examples of the playground could not be made', error);
      return null;
    }
  }
  return () => {
    const now = performance.now();
    if (made === null || now - made.at > EXAMPLES_MS) made = { at: now, examples: make() };
    return made.examples;
  };
}

/** Its invented people, the same again when the filling continues. Their invitations are shown to nobody. */
async function demoPeople({ listUsers, createUser }: Access, organizationId: string): Promise<DemoPeople> {
  const known = (await listUsers(organizationId, { limit: 100, cursor: null }))?.items ?? [];
  const people: Partial<Record<keyof DemoPeople, { userId: string }>> = {};
  for (const { email, name, role } of DEMO_PEOPLE) {
    people[role] =
      known.find((person) => person.email === email) ??
      (await createUser(organizationId, { email, name, roles: [role] }));
  }
  return people as DemoPeople;
}

/**
 * What waits for a decision in the demo: a waiver above an agent's limit, and a collector's settlement. They are asked for like requests of
 * people, by the operations themselves. Asking again changes nothing.
 */
async function askForApprovals(organizationId: string, today: PlainDate, people: DemoPeople): Promise<void> {
  if (loans === null) return;
  const failed = (error: unknown, facts: Record<string, string>) =>
    log.failure('the demo could not be filled', error, facts);
  const serve = openForwarded({ operations, services: () => services, failed });
  const actorOf = (role: keyof DemoPeople) => {
    const { scopes, limits } = rightsOf(rolesNamed([role], []).filter((one) => one !== null));
    const plain = { clientId: 'demo', keyId: null, grants: [], requestId: 'demo', purpose: '' };
    return { organizationId, userId: people[role].userId, scopes: [...scopes], limits, ...plain };
  };
  const ask = (role: keyof DemoPeople, path: string, body: object) =>
    serve(
      { path, actor: actorOf(role), source: JSON.stringify(body), plain: true, ifVersion: null, key: null },
      () => true,
    );
  const oldest = async (status: LoanStatus) => {
    const actor = { ...actorOf('manager'), scopes: new Set(['loans:read']) };
    const page = await loans?.reads.list(actor, { status: [status], limit: 1, cursor: null, sort: 'createdAt' });
    return page === undefined || page === 'bad_cursor' ? null : (page.items[0] ?? null);
  };
  const [current, defaulted] = [await oldest('Current'), await oldest('Defaulted')];
  if (current !== null) {
    const fee = { loanId: current.loanId, feeId: 'courier-1', reason: 'The title copy never arrived' };
    await ask('manager', '/assess-fee', {
      loanId: fee.loanId,
      feeId: fee.feeId,
      name: 'Courier fee',
      amount: '80',
    });
    await ask('agent', '/waive-fee', fee);
  }
  if (defaulted !== null) {
    const { loanId, remainingBalance } = defaulted;
    const amount = String(Math.round((remainingBalance * 6) / 100_000) * 100);
    const goodThrough = Temporal.PlainDate.from(today).add({ days: 30 }).toString();
    const reason = 'Offers to pay at once, from the sale of another car';
    await ask('collector', '/settle', { loanId, quoteId: 'SETTLE-1', amount, goodThrough, reason });
  }
}

/** Fills the demo while requests are served. An interrupted filling is completed even when a new one would not start. */
async function fillTheDemo(
  opened: Access,
  first: Bootstrapped,
  sandbox: DemoSandboxes | null,
  inside: Omit<LoansOptions, 'clock' | 'bureau' | 'simulator'>,
): Promise<void> {
  if (sandbox === null) return;
  const { createGrant, revokeGrant } = opened;
  const { db } = inside;
  const started = performance.now();
  try {
    const { fillDemo } = await import('./demo/fill.ts');
    const filled = await whileFillingDemo(db, () =>
      fillDemo({
        sandbox: {
          ...sandbox,
          async filled(organizationId, past) {
            const today = (await sandbox.read())?.today;
            if (today) await askForApprovals(organizationId, today, await demoPeople(opened, organizationId));
            return sandbox.filled(organizationId, past);
          },
        },
        people: (organizationId) => demoPeople(opened, organizationId),
        async show(organizationId) {
          const { value: client } = await readClient(db, first.clientId);
          if (client === null) return null;
          const granteeOrganizationId = client.organization_id;
          const reading = await createGrant(organizationId, { granteeOrganizationId, access: 'read' });
          return {
            async handOver() {
              await createGrant(organizationId, { granteeOrganizationId, access: 'servicing' });
              if (reading !== null) await revokeGrant(organizationId, reading.grantId);
            },
          };
        },
        begin: mayBegin(first),
        open: (clock) =>
          openLoans({
            ...inside,
            clock,
            overridesTestClocks: true,
            bureau: openSimulator(workers),
            simulator: openSimulator(workers),
            memory: { loans: 500, openedBytes: 0 },
          }),
        signal: demoEnds.signal,
        onProgress: (percent) => log.event('filling the demo', { percent }),
      }),
    );
    if (filled === null || filled.outcome === 'absent' || filled.outcome === 'filled before') return;
    const { outcome, ...counts } = filled;
    log.event(`demo ${outcome}`, { ...counts, ms: Math.round(performance.now() - started) });
  } catch (error) {
    // Requests are served despite any failure here; the next start continues from this point.
    log.failure('the demo could not be filled', error);
  }
}

/** Waits for a server that is not available yet, since it may be starting too; any other failure is final. */
async function whenReachable<T>(work: () => Promise<T>): Promise<T> {
  let said = '';
  for (;;) {
    if (stopping !== null) throw new Error('Stopped while starting.');
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      const why = describe(error.cause);
      // Logged again only when the reason changes: a database may be unavailable for hours.
      if (said !== JSON.stringify(why)) log.event('waiting for the database', why);
      said = JSON.stringify(why);
      await delay(250);
    }
  }
}

/** The first client of an empty database, with the credentials from BOOTSTRAP_* and random values for the rest. */
async function makeFirstClient(db: Db, secret: Uint8Array): Promise<Bootstrapped> {
  const given = config.bootstrap;
  const made = newCredentials();
  const credentials = {
    clientId: given.clientId ?? made.clientId,
    clientSecret: given.clientSecret ?? made.clientSecret,
    apiKey: given.apiKey ?? made.apiKey,
  };
  const drafted = !allGiven() && (await firstClientId(db)) === null;
  if (drafted) draftCredentials(config, credentials);
  const unlimited = config.databaseUrl === null;
  const first = await bootstrap(db, { ...credentials, clock: Date.now, secret, unlimited, timeZone: config.timeZone });
  settleCredentials(config, first.clientId, drafted ? credentials.clientId : null);
  return first;
}

function newCredentials() {
  return { clientId: newId('client'), clientSecret: newClientSecret(), apiKey: newApiKey() };
}

function allGiven(): boolean {
  return Object.values(config.bootstrap).every((value) => value !== null);
}

function stop(why: string): void {
  const now = performance.now();
  if (stopping === null) stopping = shutDown(why);
  else if (now - signalledAt < SAME_SIGNAL_MS) return;
  else hurry();
  signalledAt = now;
}

async function shutDown(why: string): Promise<void> {
  const wasReady = phase === 'ready';
  phase = 'draining';
  log.event('draining', { why });
  demoEnds.abort();
  await owners?.leave();
  // A load balancer needs a few seconds to notice that this process is not ready; until then it still sends requests here.
  if (why === 'SIGTERM' && wasReady) await delay(config.drainMs);
  serving = false;
  // Callers that wait for a test clock are answered with its current position.
  await loans?.cycle.stopAdvancing();
  loans?.feed.stopFollowing();
  await closeListener();
  await starting;
  await demo;
  await webhooks?.stop();
  await cycleJobs?.stop();
  await owners?.close();
  await loans?.close();
  await access?.refusals.flush();
  await workers.close();
  await closeDatabase().catch((error: unknown) => log.failure('the database could not be stopped', error));
  log.event('stopped');
  log.flush();
  process.exit(0);
}

/** A second signal stops waiting for running requests; a third exits at once. */
function hurry(): void {
  if (hurrying) process.exit(130);
  hurrying = true;
  Promise.race([closeDatabase().catch(() => {}), delay(HURRY_MS)]).finally(() => process.exit(130));
}

function closeDatabase(): Promise<void> {
  access?.stop();
  databaseClosed ??= database?.close() ?? null;
  return databaseClosed ?? Promise.resolve();
}

/** npm forwards signals to the service, but when npm itself is killed with `kill -9` the service would keep running unnoticed. */
function stopWithParent(parent: number): void {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (stopping === null) stop('npm ended');
  }, 250);
  watch.unref();
}

/** The start failed: leaves nothing running. */
async function abandon(exitCode: number, message: string): Promise<never> {
  await closeDatabase().catch(() => {});
  return stopWith(exitCode, message);
}

function stopWith(exitCode: number, message: string): never {
  console.error(message);
  process.exit(exitCode);
}

function readArguments(given: readonly string[]): void {
  if (given.length === 0) return;
  if (given.every((argument) => argument !== '--help' && argument !== '-h')) {
    stopWith(2, 'The service takes no arguments; its settings are environment variables, listed by --help.');
  }
  const width = Math.max(...VARIABLES.map(([name]) => name.length));
  console.log('Daybook, an open loan servicing service.\n\nUsage: npm start\n\nSettings are environment variables:');
  for (const [name, meaning] of VARIABLES) console.log(`  ${name.padEnd(width)}  ${meaning}`);
  process.exit(0);
}

function readSettings(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) return stopWith(2, error.message);
    throw error;
  }
}

/**
 * How people get into the console where nobody has yet: at the first start on a terminal by a link, otherwise by a command that makes one.
 * The demo's comes first: it has something to look at.
 */
async function waysIn(opened: Access, first: Bootstrapped, db: Db, demoId: string | null): Promise<[string, string][]> {
  const ownId = (await readClient(db, first.clientId)).value?.organization_id ?? null;
  const lines: [string, string][] = [];
  const ways = [
    ...(demoId === null ? [] : [['Console with demo data', demoId, DEMO_ROLES, ` --organization ${demoId}`] as const]),
    ...(ownId === null ? [] : [['Console of your organization', ownId, ['administrator'], ''] as const]),
  ];
  for (const [label, organizationId, roles, option] of ways) {
    if (await opened.hasActivePeople(organizationId)) continue;
    const invitation =
      first.created && process.stdout.isTTY ? await opened.createFirstUser(organizationId, roles) : null;
    const command = `${sameSettings()}npm run users -- invite --email <address> --name "<name>" --roles ${roles.join()}${option}`;
    const link = invitation && invitationUrl(config.publicUrl ?? here(), invitation.token);
    lines.push([label, ''], ['', link ?? command]);
    if (link !== null) lines.push(['', '(open it to choose how you sign in; it works once, within 72 hours)']);
  }
  return lines;
}

/** What a command must be given to be about this service: its data, and the port of the links that it makes. */
function sameSettings(): string {
  const { DATA_DIR, PORT } = process.env;
  const given = { DATA_DIR, ...(PORT !== undefined && { PORT: new URL(address).port }) };
  return Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : `${name}=${/^[\w./-]+$/.test(value) ? value : `'${value}'`} `))
    .join('');
}

/** This machine by its name, because browsers keep passkeys for names and not for addresses. */
function here(): string {
  return address.replace('//127.0.0.1:', '//localhost:');
}

/** Prints what an operator needs to begin. Secrets are shown only on a terminal; elsewhere they stay in their file. */
function greet(first: Bootstrapped, people: readonly [string, string][]): void {
  const lines: [label: string, text: string][] = [
    ['Daybook is ready at', `${address}/v2/${config.area}`],
    ['Console', `${config.publicUrl ?? here()}/console`],
    ...(config.market ? ([['Published loans', `${config.publicUrl ?? here()}/market`]] as [string, string][]) : []),
    ['Playground', `${address}/docs`],
  ];
  const file = credentialsFile(config);
  const near = relative(process.cwd(), file);
  const shown = near.startsWith('..') || isAbsolute(near) ? file : near;
  if (first.created && !allGiven()) {
    if (process.stdout.isTTY) {
      lines.push(['Client id', first.clientId], ['Client secret', first.clientSecret], ['API key', first.apiKey]);
      lines.push(['', `(shown only once; stored in ${shown})`]);
    } else {
      lines.push(['Credentials', shown]);
    }
  } else {
    const { clientId } = config.bootstrap;
    const ignored = clientId !== null && clientId !== first.clientId;
    lines.push([
      'First client',
      first.clientId + (ignored ? ' (created earlier; BOOTSTRAP_* only applies to the first start)' : ''),
    ]);
    if (keptClientId(config) === first.clientId) lines.push(['Credentials', shown]);
  }
  lines.push(...people);
  console.log(`\n${lines.map(([label, text]) => `  ${label.padEnd(22)}${text}`.trimEnd()).join('\n')}\n`);
}
