/**
 * Every shard of one server is moved to another while payments are made: what was acknowledged is recorded once, nothing twice, and the
 * book verifies. `npm run test:citus` runs it, on the servers of TEST_CITUS_URL.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { openDb } from '../../src/store/db/db.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY, type TestApp, testApp } from '../support/app.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { checkBook, fundLoans, openLoad, repeat } from '../support/faults.ts';
import { randomFrom } from '../support/fuzz/random.ts';
import { eventually } from '../support/service.ts';

const LOANS = 32;
const REPEATED = 50;

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  expect(inject('server').workers.length, 'TEST_CITUS_URL needs two servers beside the coordinator').toBeGreaterThan(1);
  database = await testDatabase();
  app = await testApp({}, async () => database);
});
afterAll(() => app.close());

type Shard = { id: bigint; host: string; port: number };

/** One of each group that moves together. */
const shards = () =>
  database.db.query<Shard>(
    `SELECT s.shardid AS id, s.nodename AS host, s.nodeport AS port FROM citus_shards s
     WHERE s.table_name = 'loans'::regclass ORDER BY s.shardid`,
  );

test('shards move to another server while payments are made', async () => {
  const entrance = { url: app.url, token: await app.token(), apiKey: app.credentials.apiKey };
  const loanIds = await fundLoans(entrance, LOANS);
  const load = openLoad({
    ...{ name: 'moved', loanIds, random: randomFrom(1) },
    entrances: () => [entrance],
    mayBeCut: false,
  });
  const moves: { seconds: number; payments: number }[] = [];
  // A connection without the limit on the time of a statement.
  const mover = openDb(database.connection, { max: 1, statementTimeoutMs: 0, silenceMs: 600_000 });
  const placed = await shards();
  const [from] = placed;
  const to = placed.find(({ port, host }) => port !== from?.port || host !== from.host);
  if (from === undefined || to === undefined) throw new Error('The shards are on one server.');
  const there = (server: Shard) => (one: Shard) => one.port === server.port && one.host === server.host;
  const acknowledged = () => load.sent.filter(({ known }) => known === 'acknowledged').length;
  try {
    await eventually(() => acknowledged() > 100, 60_000);
    for (const { id, host, port } of placed.filter(there(from))) {
      const [began, before] = [performance.now(), acknowledged()];
      await mover.query("SELECT citus_move_shard_placement($1, $2, $3, $4, $5, 'auto')", [
        ...[id, host, port],
        ...[to.host, to.port],
      ]);
      moves.push({ seconds: (performance.now() - began) / 1_000, payments: acknowledged() - before });
    }
    await eventually(() => acknowledged() > 200, 60_000);
  } finally {
    await load.stop();
    await mover.close();
  }
  console.info(
    `${moves.length} groups of shards moved in ${moves.map(({ seconds }) => seconds.toFixed(1)).join(', ')} s, with ` +
      `${moves.map(({ payments }) => payments).join(', ')} writes meanwhile; of ${load.sent.length} the longest took ${Math.round(load.longest())} ms.`,
  );
  expect(load.trouble).toEqual([]);
  expect((await shards()).filter(there(from))).toEqual([]);
  for (const { payments } of moves) expect(payments).toBeGreaterThan(0);

  for (const one of load.sent.filter(({ known }) => known === 'acknowledged').slice(-REPEATED)) {
    expect(await repeat(entrance, one)).toEqual([]);
  }
  expect(await checkBook(database.db, loanIds, load.sent)).toEqual([]);
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);
  expect((await verifyBook({ db: database.db, masterKeys })).complaints).toEqual([]);
});
