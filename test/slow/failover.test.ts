/**
 * Two services on a primary with a synchronous replica. The primary is killed under load and the replica promoted, round after round,
 * and now and then a service is killed as well: everything acknowledged is recorded once, nothing twice. One round always;
 * `TEST_LONG=1` runs 100. `FAILOVER_ROUNDS` sets the number, `FAULTS_SEED` repeats a run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DatabaseUnavailable, type Db, OutcomeUnknown, openDb, type Sql } from '../../src/store/db/db.ts';
import { openReader } from '../../src/store/db/replica.ts';
import { openVolumes } from '../../src/store/db/volumes.ts';
import { readVersions } from '../../src/store/door/loans.ts';
import {
  allSealed,
  checkBook,
  checkDisclosures,
  checkRecords,
  type Entrance,
  fundLoans,
  isReady,
  openLoad,
  repeat,
  type Sent,
  send,
  zoneAtNoon,
} from '../support/faults.ts';
import { randomFrom } from '../support/fuzz/random.ts';
import { type Replicated, startReplicated } from '../support/replicated.ts';
import {
  type Credentials,
  call,
  endAll,
  eventually,
  newDataDir,
  type Service,
  startService,
} from '../support/service.ts';

const SEED = Number(process.env.FAULTS_SEED ?? 20_260_115);
const LONG = process.env.TEST_LONG !== undefined;
const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? (LONG ? 100 : 1));
const LOANS = 10;
const PATIENT = { timeout: 300_000 };
const FIRST: Credentials = {
  clientId: 'first',
  clientSecret: 'first-secret-of-the-failover-tests',
  apiKey: 'first-api-key-of-the-failover-tests',
};

/** The primary as it would be after one more promotion. */
function promotedOnce({ volumes, query }: Sql): Sql {
  return {
    volumes,
    async query<R extends object>(...asked: Parameters<Sql['query']>) {
      const rows = await query<R & { timeline?: number }>(...asked);
      return rows.map((row) => (row.timeline === undefined ? row : { ...row, timeline: row.timeline + 1 }));
    },
  };
}

describe(`failover (FAULTS_SEED=${SEED})`, PATIENT, () => {
  const dataDir = newDataDir();
  const sent: Sent[] = [];
  const waited: number[] = [];
  /** The longest that an answer took in a round before its primary was killed: how slow the machine was. */
  const slowness: number[] = [];
  let pair: Replicated;
  let db: Db;
  let services: Service[];
  let entrances: Entrance[];
  let loanIds: string[];

  beforeAll(async () => {
    pair = await startReplicated();
    db = openDb({ connectionString: pair.url });
    services = [await come(), await come()];
    await openVolumes(db, null);
    entrances = await Promise.all(services.map(entranceOf));
    loanIds = await fundLoans(entrances[0] as Entrance, LOANS);
  }, PATIENT.timeout);
  afterAll(async () => {
    await Promise.all(services?.map((service) => service.stop('SIGKILL')) ?? []);
    await db?.close();
    await pair?.remove();
    await endAll();
  }, PATIENT.timeout);

  function come(): Promise<Service> {
    const env = {
      DATABASE_URL: pair.url,
      DATABASE_READ_URL: pair.url,
      MASTER_KEY: '5a'.repeat(32),
      RATE_LIMIT: '0',
      TIME_ZONE: zoneAtNoon(),
    };
    return startService({ dataDir, credentials: FIRST, env });
  }

  async function entranceOf(service: Service): Promise<Entrance> {
    return { url: service.url, token: await service.token(), apiKey: FIRST.apiKey };
  }

  for (let n = 0; n < ROUNDS; n++) {
    test(`round ${n}: the promoted replica has everything acknowledged, once`, async ({ annotate }) => {
      const random = randomFrom(SEED * 1_000 + n);
      // In every fourth round a service dies with the primary, and is restarted while there is no primary.
      const alsoService = n % 4 === 3;
      const load = openLoad({
        name: `s${SEED}r${n}`,
        loanIds,
        random,
        earlier: sent,
        entrances: () => entrances,
        mayBeCut: alsoService,
      });
      let coming: Promise<Service> | null = null;
      try {
        await eventually(() => load.sent.filter(({ known }) => known === 'acknowledged').length > 30, 60_000);
        await pause(random.int(200));
        const [survivor] = entrances as [Entrance];
        if (alsoService) {
          await services[1]?.stop('SIGKILL');
          entrances = [survivor];
        }
        slowness.push(load.longest());
        await pair.killPrimary((['SIGKILL', 'SIGQUIT', 'SIGSTOP'] as const)[n % 3] ?? 'SIGKILL');
        await eventually(async () => !(await isReady(survivor.url)), 60_000);
        if (alsoService) coming = come();
        const promotedAt = await pair.promote();
        const first = () => load.sent.filter(({ known, at }) => known === 'acknowledged' && at > promotedAt);
        await eventually(() => first().length > 0, 60_000, 5);
        waited.push(Math.min(...first().map(({ at }) => at)) - promotedAt);
        await annotate(`first acknowledgement ${Math.round(waited.at(-1) as number)} ms after the promotion`);
        await eventually(() => isReady(survivor.url), 60_000);
        await eventually(() => first().length > 30, 60_000);
      } finally {
        await load.stop();
      }
      sent.push(...load.sent);
      expect(load.trouble).toEqual([]);
      if (coming !== null) {
        services[1] = await coming;
        entrances = [entrances[0] as Entrance, await entranceOf(services[1])];
      }
      await eventually(() => allSealed(db), 60_000);
      expect(await checkBook(db, loanIds, sent)).toEqual([]);
      expect(await checkDisclosures(db, load.fullReads)).toEqual([]);
      for (const entrance of entrances) expect(await checkRecords(entrance, loanIds, sent)).toEqual([]);
      for (const one of load.sent.filter(({ repeated }) => repeated).slice(-30)) {
        if (one.known === 'acknowledged') expect(await repeat(entrances[0] as Entrance, one)).toEqual([]);
      }
      await pair.rebuild();
    });
  }

  const WORST_MS = 3_000;
  const [share, limitMs] = LONG ? [0.95, 1_000] : [1, WORST_MS];
  test(`the first acknowledgement comes within ${limitMs} ms of the promotion in ${share * 100} % of the rounds, in all within ${WORST_MS}`, () => {
    // On a machine that does other things at the same time everything is slow: a round has as much more as ten of its slowest answers took.
    const judged = waited.map((ms, n) => ms - (LONG ? 0 : 10 * (slowness[n] as number)));
    const sorted = judged.toSorted((a, b) => a - b).map(Math.round);
    const median = sorted[sorted.length >> 1];
    if (LONG) console.info(`first acknowledgement after promotion: median ${median} ms, worst ${sorted.at(-1)} ms`);
    expect(sorted.length).toBe(ROUNDS);
    expect(sorted[Math.ceil(sorted.length * share) - 1]).toBeLessThan(limitMs);
    expect(sorted.at(-1)).toBeLessThan(WORST_MS);
  });

  test('large reads come from the replica while it shows what the primary does, and from the primary when it does not', async () => {
    const [entrance] = entrances as [Entrance];
    const loanId = loanIds[2] as string;
    const replica = openDb({ connectionString: `${pair.url}?target_session_attrs=standby` });
    const open = openReader(replica);
    const reader = open(db, (work) => work());
    const where = (primary: Sql = db) =>
      open(primary, (work) => work()).current(
        async (sql) => (await sql.query('SELECT pg_is_in_recovery() AS there'))[0]?.there,
      );
    const version = () =>
      reader.fitting(
        async (sql) => (await readVersions(sql, [loanId])).get(loanId),
        async (found) => found === (await readVersions(db, [loanId])).get(loanId),
      );
    try {
      await eventually(async () => (await where()) === true);
      expect(await where(promotedOnce(db)), 'a replica of an earlier timeline than the primary').toBe(false);
      await pair.onReplica('SELECT pg_wal_replay_pause()');
      const before = await version();
      const paid = await send(entrance, 'POST', '/loan-repay', { loanId, refId: `lag-${SEED}`, amount: '1.00' });
      expect(paid.status).toBe(200);
      // The replica has it on disk, and does not show it yet.
      expect(await where()).toBe(false);
      expect(await version()).toBe((before as number) + 1);
      const full = await send(entrance, 'GET', `/loans/${loanId}`, {});
      const ids = full.body.data.loanDetails.loanPayments.map(({ paymentId }: { paymentId: string }) => paymentId);
      expect(ids).toContain(`lag-${SEED}`);
      const asOf = await send(entrance, 'GET', `/loans/${loanId}/journal`, {});
      expect(asOf.text).toContain(paid.body.transactionHash);
      await pair.onReplica('SELECT pg_wal_replay_resume()');
      await eventually(async () => (await where()) === true);
      // The test has stopped the replica, and no request fails because of it.
      await replica.close();
      expect(await where()).toBe(false);
      expect(await version()).toBe((before as number) + 1);
    } finally {
      await replica.close().catch(() => {});
    }
  });

  test('a commit whose wait for the replica is cancelled is not acknowledged; the retry waits until it is safe', async () => {
    const [entrance] = entrances as [Entrance];
    const loanId = loanIds[0] as string;
    const body = { loanId, refId: `cancelled-${SEED}`, amount: '1.00' };
    await pair.killReplica();
    const first = send(entrance, 'POST', '/loan-repay', body, `key-${body.refId}`);
    const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await eventually(async () => (await pair.sql(waiting)).length > 0, 60_000);
    // Repeated until it is answered: other writes of the services wait as well, and one of them may be seen first.
    const cancelled = async (request: typeof first) => {
      let answered = false;
      const watched = request.finally(() => {
        answered = true;
      });
      await eventually(async () => {
        if (!answered) await pair.sql(`SELECT pg_cancel_backend(pid) FROM (${waiting}) one`);
        return answered;
      }, 60_000);
      return watched;
    };
    const answer = await cancelled(first);
    expect([answer.status, answer.body.code]).toEqual([503, 'outcome_unknown']);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.body.detail).toContain('may or may not have taken effect');
    // It is in the books of the primary, and a repetition would find it. But it is not on the replica.
    const again = send(entrance, 'POST', '/loan-repay', body, `key-${body.refId}`);
    await eventually(
      async () => (await pair.sql(`${waiting} AND query LIKE '%pg_logical_emit_message%'`)).length > 0,
      60_000,
    );
    expect((await cancelled(again)).status).toBe(503);
    const last = send(entrance, 'POST', '/loan-repay', body, `key-${body.refId}`);
    await pair.rebuild();
    const repeated = await last;
    const final =
      repeated.status === 503 ? await send(entrance, 'POST', '/loan-repay', body, `key-${body.refId}`) : repeated;
    expect([final.status, final.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });

  test('a commit that is cut off is unknown; a statement before it is not', async () => {
    const one = openDb({ connectionString: pair.url }, { max: 1 });
    try {
      const cut = (inside: string) =>
        one.transaction(async (tx) => {
          await tx.query('CREATE TEMP TABLE IF NOT EXISTS note (n int)');
          const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          await pair.sql(`SELECT pg_terminate_backend(${row?.pid})`);
          if (inside !== '') await tx.query(inside);
        });
      const before: unknown = await cut('SELECT 1').catch((error: unknown) => error);
      expect(before).toBeInstanceOf(DatabaseUnavailable);
      expect(before).not.toBeInstanceOf(OutcomeUnknown);
      await expect(cut('')).rejects.toBeInstanceOf(OutcomeUnknown);
    } finally {
      await one.close();
    }
  });

  test('a server that turns read-only is 503 and not ready, and serves again when it is writable', async () => {
    const [entrance] = entrances as [Entrance];
    await pair.sql("ALTER SYSTEM SET default_transaction_read_only = 'on'");
    await pair.sql('SELECT pg_reload_conf()');
    const body = { loanId: loanIds[1] as string, refId: `read-only-${SEED}`, amount: '1.00' };
    let answer = await send(entrance, 'POST', '/loan-repay', body);
    for (let n = 0; answer.status === 200 && n < 100; n++) {
      answer = await send(entrance, 'POST', '/loan-repay', { ...body, refId: `${body.refId}-${n}` });
    }
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    expect((await call(entrance.url, 'GET', '/readyz')).status).toBe(503);
    await pair.sql('ALTER SYSTEM RESET default_transaction_read_only');
    await pair.sql('SELECT pg_reload_conf()');
    // Each connection of the server learns of the setting by itself, so one may still refuse after another has served.
    await eventually(async () => (await send(entrance, 'POST', '/loan-repay', body)).status === 200);
    await eventually(() => isReady(entrance.url));
  });
});
