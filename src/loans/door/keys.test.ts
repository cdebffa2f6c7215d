/** Idempotency keys: reserved before the write, answered with it, free again when it left nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { ways } from '../../../test/support/ways.ts';
import type { Command } from '../../core/decide/decide.ts';
import { cents } from '../../core/money.ts';
import { dropDays } from '../../store/db/by-day.ts';
import { sweepReservations } from '../../store/door/idempotency.ts';
import type { OpenLoans } from '../open.ts';

// On a server whose tables are spread by volume the same holds, statement by statement.
describe.each(ways())('sharded: %s', (sharded) => {
  let room: TestLoans;
  let here: OpenLoans;
  let there: OpenLoans;
  beforeAll(async () => {
    room = await testLoans();
    room.db.useVolumes({ ...room.db.volumes, sharded });
    [here, there] = [room.another(), room.another()];
  });
  afterAll(() => room.close());

  const write = (loans: OpenLoans, loanId: string, command: Command, key: string, request = key) =>
    loans.write(
      ACTOR,
      { loanId, command, reason: null, answer: ({ transactionHash }) => transactionHash },
      { ...PLAIN, idempotency: { key, request } },
    );
  const kinds = async (...outcomes: Promise<{ kind: string }>[]) =>
    (await Promise.all(outcomes)).map(({ kind }) => kind);

  test('one key for two loans at once, at two processes: one write is done, the other is not', async () => {
    for (let n = 0; n < 10; n++) {
      const [one, other] = [await room.live(), await room.live()];
      const at = await kinds(
        write(here, one, repay('P', 1_000), `K-${n}`, 'one'),
        write(there, other, repay('P', 1_000), `K-${n}`, 'other'),
      );
      expect(at.filter((kind) => kind === 'done')).toHaveLength(1);
      expect(at.filter((kind) => kind === 'key_running' || kind === 'key_reused')).toHaveLength(1);
      const [loanId, request] = at[0] === 'done' ? [one, 'one'] : [other, 'other'];
      expect((await write(there, loanId, repay('P', 1_000), `K-${n}`, request)).kind).toBe('replayed');
      expect((await write(here, loanId, repay('P', 1_000), `K-${n}`, 'another body')).kind).toBe('key_reused');
    }
  });

  test('one key for two new loans at once: one loan', async () => {
    const how = { ...PLAIN, idempotency: { key: 'new', request: 'new' } };
    const before = await room.db.query('SELECT 1 FROM loans');
    const at = await kinds(
      here.origination.board(ACTOR, room.creation(), how),
      there.origination.board(ACTOR, room.creation(), how),
    );
    expect(at.filter((kind) => kind === 'done')).toHaveLength(1);
    expect(await room.db.query('SELECT 1 FROM loans')).toHaveLength(before.length + 1);
  });

  test('a refused call leaves its key free, at every process', async () => {
    const loanId = await room.live();
    expect((await write(here, loanId, { do: 'acknowledge-repayment', refId: 'none' }, 'free')).kind).toBe('refused');
    expect((await write(there, loanId, repay('P', 1_000), 'free', 'another body')).kind).toBe('done');
  });

  test('a key that a process died with is taken up after a minute, not before', async () => {
    const loanId = await room.live();
    expect((await write(here, loanId, { do: 'acknowledge-repayment', refId: 'none' }, 'warm')).kind).toBe('refused');
    await write(here, loanId, repay('P', 1_000), 'left');
    await room.db.query(
      "DELETE FROM answers WHERE key_hash IN (SELECT key_hash FROM reservations WHERE held_by <> 'dead' AND loan_id = $1)",
      [`\\x${loanId.slice(2)}`],
    );
    await room.db.query("UPDATE reservations SET held_by = 'dead' WHERE loan_id = $1", [`\\x${loanId.slice(2)}`]);
    expect((await write(here, loanId, repay('Q', 1_000), 'left')).kind).toBe('key_running');
    await room.db.query("UPDATE reservations SET at = now() - interval '61 seconds' WHERE held_by = 'dead'");
    expect((await write(here, loanId, repay('Q', 1_000), 'left')).kind).toBe('done');
  });

  test('a key that a payment takes up is kept as that of a payment', async () => {
    const loanId = await room.live();
    const id = `\\x${loanId.slice(2)}`;
    const show: Command = { do: 'publish', published: true };
    expect((await write(here, loanId, show, 'changed')).kind).toBe('done');
    await room.db.query('DELETE FROM answers WHERE loan_id = $1', [id]);
    await room.db.query(
      "UPDATE reservations SET held_by = 'dead', at = now() - interval '61 seconds' WHERE loan_id = $1",
      [id],
    );
    expect((await write(here, loanId, repay('P', 1_000), 'changed')).kind).toBe('done');
    expect(
      await room.db.query("SELECT kept = 'infinity' AS forever FROM reservations WHERE loan_id = $1", [id]),
    ).toEqual([{ forever: true }]);
  });

  test('only a sharded server waits until a reservation is on disk', async () => {
    const settings = new Set<string>();
    const query = async (text: string, values?: readonly unknown[], name?: string) => {
      if (!name?.startsWith('reserve_keys') && !name?.startsWith('release_keys'))
        return room.db.query(text, values, name);
      return room.db.transaction(async (tx) => {
        await tx.query("SET LOCAL synchronous_commit = 'on'");
        const rows = await tx.query(text, values);
        const [row] = await tx.query<{ setting: string }>("SELECT current_setting('synchronous_commit') AS setting");
        settings.add(row?.setting ?? '');
        return rows;
      });
    };
    const loans = room.another({ db: { ...room.db, query: query as typeof room.db.query } });
    await write(loans, await room.live(), { do: 'acknowledge-repayment', refId: 'none' }, 'waited for');
    expect([...settings]).toEqual([sharded ? 'on' : 'off']);
  });

  test('a payment that left nothing permanently frees its key after a day', async () => {
    const loanId = await room.live();
    const id = `\\x${loanId.slice(2)}`;
    for (const key of ['answered', 'unanswered', 'young'])
      await write(here, loanId, repay(key, 1_000), `${key} payment`);
    const later = (hours: number, where: string) =>
      room.db.query(
        `UPDATE reservations SET at = now() - make_interval(hours => $2) WHERE loan_id = $1 AND key_hash IN (${where})`,
        [id, hours],
      );
    const keyOf = (refId: string) =>
      `SELECT a.key_hash FROM answers a JOIN events e USING (volume, loan_id)
       WHERE a.loan_id = $1 AND a.answer = '0x' || encode(e.hash, 'hex') AND e.body LIKE '%"${refId}"%'`;
    await later(25, `${keyOf('answered')} UNION ${keyOf('unanswered')}`);
    for (const refId of ['unanswered', 'young']) {
      await room.db.query(`DELETE FROM answers WHERE loan_id = $1 AND key_hash IN (${keyOf(refId)})`, [id]);
    }
    let removed = 0;
    for (let volume = 0; volume < room.db.volumes.count; volume++) {
      removed += await sweepReservations(room.db, volume, 30);
    }
    expect(removed).toBe(1);
    expect(await room.db.query('SELECT 1 FROM reservations WHERE loan_id = $1', [id])).toHaveLength(2);
    expect((await write(there, loanId, repay('answered', 1_000), 'answered payment')).kind).toBe('replayed');
  });

  test('a key that a process died with is taken up at once where that is known, for the same request only', async () => {
    const loanId = await room.live();
    const away = new Set<string>();
    const knowing = room.another({ holder: { id: 'knowing', isAway: (id) => away.has(id) } });
    await write(here, loanId, repay('P', 1_000), 'gone');
    const id = `\\x${loanId.slice(2)}`;
    await room.db.query('DELETE FROM answers WHERE loan_id = $1', [id]);
    await room.db.query("UPDATE reservations SET held_by = 'killed' WHERE loan_id = $1", [id]);
    expect((await write(knowing, loanId, repay('Q', 1_000), 'gone')).kind).toBe('key_running');
    away.add('killed');
    expect((await write(knowing, loanId, repay('Q', 1_000), 'gone', 'another body')).kind).toBe('key_running');
    expect((await write(knowing, loanId, repay('Q', 1_000), 'gone')).kind).toBe('done');
    expect((await write(there, loanId, repay('Q', 1_000), 'gone')).kind).toBe('replayed');
  });

  test('two processes that take each other for dead, with one key: the write is done once', async () => {
    const knowing = ['a', 'b'].map((id) => room.another({ holder: { id, isAway: (other) => other !== id } })) as [
      OpenLoans,
      OpenLoans,
    ];
    for (let n = 0; n < 10; n++) {
      const loanId = await room.live();
      const at = await kinds(...knowing.map((one) => write(one, loanId, repay('P', 1_000), `both-${n}`)));
      expect(at.toSorted()).toEqual(['done', 'replayed']);
    }
  });

  test('the keys of money movements stay; the others are in a part for their day, which goes whole', async () => {
    const loanId = await room.live();
    await write(here, loanId, repay('P', 1_000), 'money');
    const fee: Command = { do: 'assess-fee', feeId: 'F', kind: 'fee', name: 'copy', amount: cents(500), date: null };
    await write(here, loanId, fee, 'fee');
    const id = `\\x${loanId.slice(2)}`;
    const kept = (table: string) =>
      room.db.query(`SELECT kept = 'infinity' AS forever FROM ${table} WHERE loan_id = $1 ORDER BY kept`, [id]);
    for (const table of ['reservations', 'answers']) {
      expect(await kept(table)).toEqual([{ forever: false }, { forever: true }]);
      await room.db.query(
        `CREATE TABLE ${table}_20200101 PARTITION OF ${table} FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`,
      );
      await room.db.query(`UPDATE ${table} SET kept = '2020-01-01' WHERE loan_id = $1 AND kept <> 'infinity'`, [id]);
    }
    expect(await dropDays(room.db)).toBe(2);
    expect(await dropDays(room.db)).toBe(0);
    for (const table of ['reservations', 'answers']) expect(await kept(table)).toEqual([{ forever: true }]);
    expect((await write(there, loanId, repay('P', 1_000), 'money')).kind).toBe('replayed');
    expect((await write(there, loanId, { ...fee, feeId: 'G' }, 'fee')).kind).toBe('done');
  });
});
