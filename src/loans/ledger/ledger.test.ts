/** Chains of several volumes: sealing, roots, and what must not pass for a part of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import type { Db, Sql } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import { readLastBlocks } from '../../store/ledger/ledger.ts';
import { checkRoots } from '../verify/blocks.ts';
import { verifyBook } from '../verify/book.ts';
import { complaintLine } from '../verify/complaint.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const hex = (loanId: string) => `\\x${loanId.slice(2)}`;
/** Without the feed: a tick may have been made while a head was not where its blocks are. */
const complaints = async () => {
  const report = await verifyBook({ db: room.db, masterKeys: testMasterKeys });
  return report.complaints.filter(({ table }) => !table.startsWith('feed_')).map(complaintLine);
};
/** A new loan in another volume than these. */
async function elsewhere(taken: readonly number[]): Promise<{ loanId: string; volume: number }> {
  for (;;) {
    const loanId = await room.create();
    const volume = volumeOf(room.db, loanId);
    if (!taken.includes(volume)) return { loanId, volume };
  }
}

test('a root reads one block of each volume, however many there are', async () => {
  await room.db.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO blocks SELECT v, v + 16 * n, sha256(''), sha256(''), 1, now(), sha256(convert_to(v || ' ' || n, 'UTF8'))
       FROM generate_series(0, 15) v, generate_series(1, 2000) n`,
    );
    await tx.query('ANALYZE blocks');
    const last = await readLastBlocks(tx);
    expect(last.map(({ volume, number }) => number - volume)).toEqual(Array(16).fill(32_000));
    type Plan = { 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] };
    const rowsRead = ({ Plans = [], ...plan }: Plan): number =>
      Plans.reduce(
        (sum, one) => sum + rowsRead(one),
        plan['Relation Name'] === 'blocks' ? plan['Actual Rows'] * plan['Actual Loops'] : 0,
      );
    let plan: Plan | undefined;
    const explaining = async (text: string) => {
      const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`);
      plan = row?.['QUERY PLAN'][0]?.Plan;
      return [];
    };
    await readLastBlocks({ ...tx, query: explaining as Sql['query'] });
    expect(rowsRead(plan as Plan)).toBe(16);
    await tx.query('DELETE FROM blocks');
  });
});

test('a check of many roots asks once for the blocks of each volume', async () => {
  const roots = 40;
  await room.db.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO ledger_roots
       SELECT n, sha256(''), sha256(''), (SELECT jsonb_agg(jsonb_build_object('volume', v, 'number', v + 16 * n, 'hash', '0x' || repeat('0', 64))) FROM generate_series(0, 15) v)::text,
         sha256(''), '[]', now(), sha256('') FROM generate_series(1, $1::int) n`,
      [roots],
    );
    let asked = 0;
    const query: Sql['query'] = (text, values, name) => {
      asked += 1;
      return tx.query(text, values, name);
    };
    const missing: string[] = [];
    await checkRoots({ ...tx, query }, (_table, _block, what) => {
      if (what.endsWith('which is missing')) missing.push(what);
    });
    expect(missing).toHaveLength(roots * 16);
    expect(asked).toBe(1 + 16);
    await tx.query('DELETE FROM ledger_roots');
  });
});

test('a damaged volume keeps neither the others nor their root from being sealed', async () => {
  const damaged = await elsewhere([]);
  const sound = await elsewhere([damaged.volume]);
  await room.db.query('UPDATE ledger_heads SET number = number + 16 WHERE volume = $1', [damaged.volume]);
  await expect(room.loans.ledger.seal()).rejects.toMatchObject({ code: '23514' });
  expect((await room.loans.ledger.roots(null, 1))[0]?.heads.map(({ volume }) => volume)).toContain(sound.volume);
  await room.db.query('UPDATE ledger_heads SET number = number - 16 WHERE volume = $1', [damaged.volume]);
  while ((await room.loans.ledger.seal()) > 0);
  expect(await complaints()).toEqual([]);
});

test('neither a loan nor a block passes at a number before the first', async () => {
  const { volume } = await elsewhere([0]);
  while ((await room.loans.ledger.seal()) > 0);
  const forged = (await elsewhere([0])).loanId;
  const own = volumeOf(room.db, forged);
  // As if it had been put in without a block.
  await room.db.query('UPDATE events SET block = volume WHERE volume = $1 AND loan_id = $2', [own, hex(forged)]);
  await room.db.query('UPDATE applications SET start_block = volume WHERE volume = $1 AND loan_id = $2', [
    own,
    hex(forged),
  ]);
  await room.db.query(
    `UPDATE ledger_heads h SET number = (SELECT coalesce(max(number), h.volume) FROM blocks b WHERE b.volume = h.volume)`,
  );
  expect(await complaints()).toEqual([
    `events, loan ${forged}, transaction 1: block is before the first (expected ${own + 16}, found ${own})`,
  ]);
  await room.db.query(
    `INSERT INTO blocks SELECT volume, volume, previous_hash, root, count, sealed_at, hash FROM blocks
     WHERE volume = $1 ORDER BY number LIMIT 1`,
    [volume],
  );
  expect((await complaints()).filter((line) => line.startsWith('blocks'))).toEqual([
    `blocks, block ${volume}: is before the first (expected ${volume + 16}, found ${volume})`,
  ]);
});

test('a transaction that holds a volume stops no other', async () => {
  const loans = new Map<number, string>();
  while (loans.size < 5) {
    const loanId = await room.live();
    loans.set(volumeOf(room.db, loanId), loanId);
  }
  const [[held, inIt] = [0, ''], ...others] = loans;
  let waiting: Promise<{ kind: string }> = Promise.resolve({ kind: '' });
  const done = async (some: typeof others, refId: string) => {
    const outcomes = await Promise.all(some.map(([, loanId]) => room.write(loanId, repay(refId, 1_000))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(some.map(() => 'done'));
  };
  await room.db.transaction(async (tx) => {
    await tx.query('SELECT number FROM ledger_heads WHERE volume = $1 FOR UPDATE', [held]);
    await done(others, 'first');
    waiting = room.write(inIt, repay('first', 1_000));
    // This process's lane of the held volume waits with the write into it; the other one goes on, and so do other processes.
    await done(
      others.filter(([volume]) => volume % 2 !== held % 2),
      'second',
    );
    const other = room.another();
    for (const [, loanId] of others) {
      const write = { loanId, command: repay('third', 1_000), reason: null, answer: () => '' };
      expect((await other.write(ACTOR, write, PLAIN)).kind).toBe('done');
    }
  });
  expect((await waiting).kind).toBe('done');
});

test.each(['plain', 'sharded'])('a block is not sealed before all its rows can be seen (%s server)', async (server) => {
  const loanId = await room.live();
  const volume = volumeOf(room.db, loanId);
  while ((await room.loans.ledger.seal()) > 0);
  const sealed = async () => (await readLastBlocks(room.db)).find((last) => last.volume === volume)?.number ?? 0;
  const before = await sealed();
  const written = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  /** Holds the first save back right before its commit. */
  const holding = async <T>(save: (tx: Sql) => Promise<T>): Promise<T> =>
    room.db.transaction(async (tx) => {
      const saved = await save({ ...tx, volumes });
      written.resolve();
      await mayCommit.promise;
      return saved;
    });
  const volumes = { ...room.db.volumes, sharded: server === 'sharded' };
  const query: Db['query'] = (text, values, name) =>
    name?.startsWith('save_batch') ? holding((tx) => tx.query(text, values, name)) : room.db.query(text, values, name);
  const db: Db = { ...room.db, volumes, query, ...(volumes.sharded && { transaction: holding as Db['transaction'] }) };
  const write = (refId: string) => ({ loanId, command: repay(refId, 1_000), reason: null, answer: () => '' });
  const slow = room.another({ db }).write(ACTOR, write(`${server} slow`), PLAIN);
  await written.promise;
  expect(await room.loans.ledger.seal()).toBe(0);
  // The next block of the volume waits for this one, so none after it can be sealed either.
  const next = room.write(loanId, repay(`${server} next`, 1_000));
  expect(await room.loans.ledger.seal()).toBe(0);
  expect(await sealed()).toBe(before);
  mayCommit.resolve();
  expect([(await slow).kind, (await next).kind]).toEqual(['done', 'done']);
  while ((await room.loans.ledger.seal()) > 0);
  expect(await sealed()).toBe(before + 2 * room.db.volumes.count);
  expect((await complaints()).filter((line) => line.includes(loanId))).toEqual([]);
});
