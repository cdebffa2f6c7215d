/**
 * The service: reads its settings, listens, opens the database, and serves until a signal stops it. It starts listening first, so that
 * a busy port is found at once and a health check gets its 503 while the database starts. All wiring of the service is done here, by hand.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Access } from './access/access.ts';
import { MARKET_CLIENT } from './access/market.ts';
import { newId } from './access/secrets.ts';
import { openBureau } from './bureau/open.ts';
import { openScreening } from './bureau/screening/open.ts';
import { openSimulator } from './bureau/simulator/open.ts';
import { type Demonstration, openDemonstration } from './demo/demonstration.ts';
import { DEMO_ROLES } from './demo/organization.ts';
import { invitationUrl } from './http/access/invitations.ts';
import type { Services } from './http/shared/operation.ts';
import { openRateLimiter } from './http/shell/limits.ts';
import { describe, openLog } from './http/shell/log.ts';
import type { Phase } from './http/shell/service.ts';
import { type CycleJobs, NO_CYCLES, startCycleJobs } from './jobs/cycle.ts';
import { keepUp } from './jobs/upkeep.ts';
import { demoCredentials } from './key-files/credentials.ts';
import { openSkewCheck, type SkewCheck } from './loans/door/skew.ts';
import { type OpenLoans, openLoans } from './loans/open.ts';
import { openMail } from './outbound/mail.ts';
import { type Owners, openOwners } from './owners/owners.ts';
import { openAdmission } from './service/admission.ts';
import { openServiceDatabase } from './service/database.ts';
import { makeFirstClient, newCredentials, noneGiven } from './service/first-client.ts';
import { greetingText } from './service/greeting.ts';
import { memoryForLoans } from './service/memory.ts';
import { addressProblem, type Ending, settingsFrom } from './service/settings.ts';
import { endParts, type Part } from './service/shut-down.ts';
import { startFailure } from './service/start-failure.ts';
import { openStop } from './service/stop.ts';
import { openWhenReachable } from './service/when-reachable.ts';
import type { Db } from './store/db/db.ts';
import { type OpenWebhooks, openWebhooks } from './webhooks/open.ts';
import { startWatchdog } from './workers/watchdog.ts';
import { openWorkers } from './workers/workers.ts';

const settings = settingsFrom(process.argv.slice(2), process.env);
if ('exitCode' in settings) endWith(settings);
const { config } = settings;
const log = openLog(config.logLevel);
// Takes most of the loading time, and is not needed when the settings are wrong.
const { buildApp } = await import('./http/app.ts');
const { openClosing } = await import('./http/shell/closing.ts');
const { openCarryOut, openOwnWrites } = await import('./http/shell/carry-out.ts');
const { arePagesBuilt } = await import('./http/pages/web.ts');
const { openForwarded } = await import('./http/shared/forwarding.ts');
const { operations } = await import('./http/routes.ts');
const { openMetrics } = await import('./http/shell/metrics.ts');

const workers = openWorkers();
const monotonic = () => performance.now();
/** Once the database has answered, whether this machine's clock is right. */
let skew: SkewCheck | null = null;
/** The time of day: by this machine's clock, or by the database's while that is wrong. */
const clock = () => skew?.now() ?? Date.now();
const common = { clock, monotonic, log };
const limiter = openRateLimiter(clock);
const addressLimiter = openRateLimiter(clock, { reports: false });
const processId = newId('process');
const database = openServiceDatabase({ config, log });
let phase: Phase = 'starting';
const isRestored = () => database.rootProblem() !== null;
/** Null: nothing is served now. */
const serving = () => (isRestored() ? null : (opened.services ?? null));
/** The time for a stop after the drain, and what of it the database always has. A process manager kills after 30 seconds. */
const STOP_MS = 29_000;
const DATABASE_STOP_MS = 3_000;
/** False once requests are no longer accepted. */
let accepting = true;
/** The parts that the start has opened so far. */
const opened: {
  access?: Access;
  loans?: OpenLoans;
  owners?: Owners | null;
  webhooks?: OpenWebhooks;
  services?: Services;
  demo?: Demonstration;
  /** Resolves when the demonstration is filled. */
  filled?: Promise<void>;
  cycleJobs?: CycleJobs;
} = {};

const app = await buildApp({
  settings: config,
  log,
  metrics: openMetrics({
    pool: database.stats,
    forwarded: () => opened.owners?.counts() ?? {},
    cycles: () => opened.cycleJobs?.figures() ?? NO_CYCLES,
    webhooks: () => opened.webhooks?.figures() ?? {},
    process: true,
  }),
  limiter,
  addressLimiter,
  workers,
  phase: () => (phase === 'ready' && isRestored() ? 'restored' : phase),
  services: serving,
  databaseAnswers: () => Promise.race([database.takesWrites(), delay(2_000, false, { ref: false })]),
  problem: () => database.rootProblem() ?? opened.loans?.door.clockProblem() ?? null,
});
const closeListener = openClosing(app);
const address = await app
  .listen({ port: config.port, host: config.host })
  .catch((error: NodeJS.ErrnoException) => endWith(addressProblem(error, config.port)));

const { isStopping } = openStop({
  shutDown,
  closeDatabase,
  limitMs: config.drainMs + STOP_MS + 500,
  onLate: () => stopped(['the service']),
  underNpm: process.env.npm_lifecycle_event !== undefined,
  onRejection: (error) => log.failure('unhandled rejection', error),
  describe,
});
const whenReachable = openWhenReachable({
  isStopping,
  describe,
  onWait: (why) => log.event('waiting for the database', why),
});
const starting = start().catch(async (error: unknown) => {
  if (isStopping()) return;
  // Leaves nothing running.
  await closeDatabase().catch(() => {});
  endWith(startFailure(error, describe));
});

async function start(): Promise<void> {
  const { db, accessDb, cycleDb, replica, masterKeys, secrets, roots } = await database.start(whenReachable);
  const { access: secret } = secrets;
  skew = openSkewCheck({ db, clock: Date.now, monotonic });
  await whenReachable(skew.check);
  const { access, signIn } = openAdmission({ ...common, config, db: accessDb, secret, quotasUsed: limiter.tally });
  opened.access = access;
  await whenReachable(() => access.start());
  const first = await whenReachable(() => makeFirstClient(config, { db, clock, secret }));
  if (isStopping()) return;
  const calling = { monotonic, sleep: (ms: number) => delay(ms), random: Math.random };
  const bureau = await openBureau(config.bureau, { ...calling, workers });
  const screening = await openScreening(config.screening, calling);
  const loans = openLoans({
    ...{ db, cycleDb, replica, clock, skew, setBack: roots, masterKeys, secrets, workers, bureau, screening },
    pool: config.databasePool,
    // A moment longer than a request: by then the request has been answered.
    requestMs: config.requestTimeoutMs + 1_000,
    simulator: openSimulator(workers),
    // A request that waits too long is answered with an error, although the clock continues to advance.
    advancePatienceMs: Math.min(20_000, (config.requestTimeoutMs * 2) / 3),
    // A process that has the database to itself: all earlier processes have ended.
    holder: { id: processId, isAway: (id) => opened.owners?.isAway(id) ?? true },
    memory: memoryForLoans(),
    rightsNow: access.rightsNow,
  });
  opened.loans = loans;
  workers.warm();
  await warmed(loans);
  if (isStopping()) return;
  const mail =
    config.mail && openMail({ ...config.mail, onFailure: (code) => log.event('mail could not be sent', { code }) });
  // The embedded database serves one process.
  const owners = config.databaseUrl === null ? null : await shareVolumes({ db, accessDb, secret: secrets.forwarding });
  opened.owners = owners;
  if (isStopping()) return;
  const webhooks = openWebhooks({
    ...{ ...common, db, feed: loans.feed, random: Math.random, secret, processId },
    allow: config.outboundAllow,
    mayDeliver: () => !isRestored(),
    reachOf: async (organizationId) => ({ organizationId, grants: await access.grantsFor({ organizationId }) }),
  });
  opened.webhooks = webhooks;
  const demo = openDemonstration({
    isWanted: config.demo === 'on' || (config.demo === null && config.databaseUrl === null && noneGiven(config)),
    mayBegin: config.demo === 'on' || first.created,
    firstOrganizationId: first.ownerId,
    credentials: () => demoCredentials(config, newCredentials()),
    unlimited: config.databaseUrl === null,
    timeZone: config.timeZone,
    ...{ access, clock, loans, log, filling: { db, masterKeys, secrets, workers } },
    ask: openOwnWrites(carryingOut('the demo could not be filled')),
  });
  opened.demo = demo;
  const market = config.market ? MARKET_CLIENT : null;
  const { examples } = demo;
  opened.services = { access, signIn, loans, webhooks: webhooks.operations, owners, mail, market, examples };
  phase = 'ready';
  startWatchdog({
    seconds: config.watchdogSeconds,
    logs: config.logLevel !== 'silent',
    clock,
    onFailure: (error) => log.failure('the watchdog could not be started', error),
  });
  webhooks.start();
  keepUp({ loans, db, log, goesOn: () => accepting, roots });
  const demoId = await whenReachable(demo.prepare);
  const greeting = await whenReachable(() =>
    greetingText({
      ...{ config, address, first, access, invitationUrl, given: process.env },
      ...{ onTerminal: process.stdout.isTTY === true, folder: process.cwd() },
      pages: arePagesBuilt(),
      demo: { id: demoId, roles: DEMO_ROLES },
    }),
  );
  console.log(greeting);
  opened.filled = demo.fill();
  // The demo records events on past days, and no cycle may run for a day on which events are still being recorded.
  void opened.filled.then(() => {
    if (accepting) opened.cycleJobs = startCycleJobs({ cycles: loans.cycle, db: cycleDb, log });
  });
}

/** Loans that are not preloaded by the end of `WARM_SECONDS` are loaded while requests are served. */
function warmed({ door: { warm } }: OpenLoans): Promise<unknown> {
  const warming = warm(isStopping).catch((error: unknown) => log.failure('recent loans could not be preloaded', error));
  return Promise.race([warming, delay(config.warmMs, undefined, { ref: false })]);
}

/** Joins the processes of this database and accepts the writes that they forward. */
function shareVolumes({ db, accessDb, secret }: { db: Db; accessDb: Db; secret: Uint8Array }): Promise<Owners> {
  return openOwners({
    ...{ processId, db: accessDb, volumes: db, clock, monotonic, secret },
    listen: { host: config.forwardHost, port: config.forwardPort },
    requestMs: config.requestTimeoutMs,
    canWrite: () => !isRestored() && opened.loans?.door.clockProblem() === null,
    serve: openForwarded(openCarryOut(carryingOut('forwarded write failed'))),
    onEvent: ({ kind, processId }) => log.event(kind, { processId }),
  });
}

function carryingOut(failure: string) {
  const failed = (error: unknown, facts: Record<string, string>) => log.failure(failure, error, facts);
  return { operations, services: serving, failed };
}

/** Returns the exit code. */
async function shutDown(why: string): Promise<number> {
  const drainMs = why === 'SIGTERM' && phase === 'ready' ? config.drainMs : 0;
  const deadline = monotonic() + drainMs + STOP_MS;
  phase = 'draining';
  log.event('draining', { why });
  opened.demo?.interrupt();
  await opened.owners?.leave().catch(() => {});
  // A load balancer needs a few seconds to notice that this process is not ready; until then it still sends requests here.
  await delay(drainMs);
  accepting = false;
  opened.loans?.feed.stopFollowing();
  const left = await endParts(partsToEnd(), {
    ...{ deadline, lastMs: DATABASE_STOP_MS, monotonic },
    onFailure: (name, error) => log.failure(`${name} could not be stopped`, error),
  });
  stopped(left);
  return left.length === 0 ? 0 : 1;
}

/** Requests come first, and what they use ends after them. */
function partsToEnd(): Part[][] {
  const part = (name: string, limitMs: number, end: Part['end']): Part => ({ name, limitMs, end });
  // A start that was interrupted may still open some.
  const once = (name: string, limitMs: number, end: Part['end']) =>
    part(name, limitMs, (ms) => starting.then(() => end(ms)));
  return [
    [
      part('the listener', 26_000, () => closeListener()),
      once('the start', 25_000, () => opened.filled),
      // Callers that wait for a test clock are answered with its current position.
      part('test clocks', 10_000, () => opened.loans?.cycle.stopAdvancing()),
      once('webhooks', 10_000, () => opened.webhooks?.stop()),
      once('nightly cycles', 10_000, () => opened.cycleJobs?.stop()),
    ],
    [part('forwarding', 5_000, () => opened.owners?.close())],
    [
      part('writes', 5_000, () => opened.loans?.close()),
      part('counts of refusals', 2_000, () => opened.access?.refusals.flush()),
    ],
    [part('worker threads', 2_000, () => workers.close())],
    [part('the database', STOP_MS, closeDatabase)],
  ];
}

function stopped(left: readonly string[]): void {
  log.event('stopped', left.length === 0 ? {} : { left: left.join(', ') });
  log.flush();
}

function closeDatabase(limitMs?: number): Promise<void> {
  opened.access?.stop();
  return database.close(limitMs);
}

function endWith({ exitCode, text }: Ending): never {
  (exitCode === 0 ? console.log : console.error)(text);
  process.exit(exitCode);
}
