/** Tables with a partition for each day: created ahead, created again when one is missing, dropped without blocking other users. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { eventually } from '../../../test/support/service.ts';
import { dropDays } from './by-day.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const TABLES = ['reservations', 'answers'];

async function partsOf(table: string): Promise<string[]> {
  const rows = await room.db.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname ~ $1 AND relkind = 'r' ORDER BY 1`,
    [`^${table}_[0-9]{8}$`],
  );
  return rows.map(({ name }) => name);
}

async function addOldParts(): Promise<void> {
  for (const table of TABLES) {
    await room.db.query(
      `CREATE TABLE ${table}_20200101 PARTITION OF ${table} FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`,
    );
  }
}

test('a write on a day without a partition creates it and succeeds', async () => {
  const loanId = await room.live();
  for (const table of TABLES) {
    for (const part of await partsOf(table)) await room.db.query(`DROP TABLE ${part}`);
  }
  const fee = { do: 'publish', published: true } as const;
  const outcome = await room.write(loanId, fee, { idempotency: { key: 'day', request: 'day' } });
  expect(outcome.kind).toBe('done');
  for (const table of TABLES) expect(await partsOf(table)).toHaveLength(8);
  expect((await room.write(loanId, repay('P', 1_000))).kind).toBe('done');
  expect((await room.loans.origination.board(ACTOR, room.creation(), PLAIN)).kind).toBe('done');
});

describe('an old partition', () => {
  test('is dropped during a long read of the table, and blocks no other user', async () => {
    await addOldParts();
    let dropping = Promise.resolve(-1);
    await room.db.transaction(async (reading) => {
      await reading.query('SELECT count(*) FROM reservations');
      dropping = dropDays(room.db);
      await eventually(async () => {
        const waiting = await room.db.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'PARTITION|DROP'`,
        );
        return waiting.length > 0;
      });
      await room.db.transaction(async (tx) => {
        await tx.query("SET LOCAL lock_timeout = '1s'");
        await tx.query('UPDATE reservations SET at = at');
      });
    });
    expect(await dropping).toBe(2);
    expect(await partsOf('reservations')).not.toContain('reservations_20200101');
    expect(await partsOf('answers')).not.toContain('answers_20200101');
  });

  test('that was detached and not dropped is dropped the next time', async () => {
    await addOldParts();
    await room.db.query('ALTER TABLE answers DETACH PARTITION answers_20200101');
    expect(await dropDays(room.db)).toBe(2);
    expect(await dropDays(room.db)).toBe(0);
  });
});
