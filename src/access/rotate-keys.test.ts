import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { readConfig } from '../config.ts';
import { openMasterKeys } from '../key-files/master-keys.ts';
import type { Sql } from '../store/db/db.ts';
import {
  type ChangeableMasterKeys,
  type DataKey,
  type MasterKey,
  type MasterKeys,
  masterKeyId,
  newDataKey,
  rewrap,
  unwrap,
  wrap,
} from '../vault/master-keys.ts';
import { sealNote, unsealNote } from '../vault/seal.ts';
import { openRootSecrets } from './root-secrets.ts';
import { listKeys, pruneKeys, rotateKeys } from './rotate-keys.ts';

const ONE = '01'.repeat(32);
const TWO = '02'.repeat(32);
const idOf = (hex: string) => masterKeyId(Buffer.from(hex, 'hex'));
const MINUTE = 60_000;

let database: TestDatabase;
let file: string;
let keys: ChangeableMasterKeys;

beforeEach(async () => {
  database = await testDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'daybook-keys-'));
  file = join(folder, 'master-key');
  writeFileSync(file, `${ONE}\n`, { mode: 0o600 });
  keys = open();
  await openRootSecrets(database.db, keys);
  onTestFinished(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });
});

const open = (monotonic?: () => number): ChangeableMasterKeys =>
  openMasterKeys(readConfig({ MASTER_KEY_FILE: file }), masterKeyId, monotonic);
const fromEnvironment = (...texts: string[]) =>
  openMasterKeys(readConfig({ MASTER_KEY: texts.join(' ') }), masterKeyId);
const inFile = () => readFileSync(file, 'utf8').trim().split('\n').map(idOf);
/** No service runs during these rotations, so there is nothing to wait for. */
const alone = { pause: async () => {} };
const rotate = (by = keys) => rotateKeys(database.db, by, alone);

const hexOf = (id: Buffer) => `0x${id.toString('hex')}`;

/** A loan's key, as the write path stores it. */
async function storeKey(sql: Sql, master: MasterKey): Promise<{ loanId: string; dataKey: DataKey }> {
  const id = randomBytes(32);
  const dataKey = newDataKey();
  await sql.query(
    `INSERT INTO people (volume, loan_id, key_id, wrapped_key, sealed, stored_at)
     VALUES (get_byte($1, 0) % 16, $1, $2, $3, $4, now())`,
    [id, master.keyId, wrap(master, dataKey, hexOf(id)), sealNote(dataKey, hexOf(id), 'personal')],
  );
  return { loanId: hexOf(id), dataKey };
}

async function storeKeys(count: number, master = keys.current()): Promise<void> {
  for (let i = 0; i < count; i += 1) await storeKey(database.db, master);
}

/** In one statement; all under the same data key, wrapped for each. */
async function storeManyKeys(count: number): Promise<void> {
  const dataKey = newDataKey();
  const ids = Array.from({ length: count }, () => randomBytes(32));
  await database.db.query(
    `INSERT INTO people (volume, loan_id, key_id, wrapped_key, sealed, stored_at)
     SELECT get_byte(loan_id, 0) % 16, loan_id, $1, wrapped, sealed, now()
       FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS n (loan_id, wrapped, sealed)`,
    [
      keys.current().keyId,
      ids,
      ids.map((id) => wrap(keys.current(), dataKey, hexOf(id))),
      ids.map((id) => sealNote(dataKey, hexOf(id), 'personal')),
    ],
  );
}

/** Checks that every loan can be decrypted with these keys; returns how many each master key wraps. */
async function openAll(by: MasterKeys): Promise<Record<string, number>> {
  const rows = await database.db.query<{ loan_id: Buffer; key_id: string; wrapped_key: Buffer; sealed: Buffer }>(
    'SELECT loan_id, key_id, wrapped_key, sealed FROM people',
  );
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const master = by.find(row.key_id);
    const dataKey = master && unwrap(master, row.wrapped_key, hexOf(row.loan_id));
    if (!dataKey) throw new Error(`${hexOf(row.loan_id)} cannot be decrypted`);
    expect(unsealNote(dataKey, hexOf(row.loan_id), row.sealed)).toBe('personal');
    counts[row.key_id] = (counts[row.key_id] ?? 0) + 1;
  }
  return counts;
}

describe('rotating', () => {
  test('wraps everything under a new key, keeps the old one, and leaves sealed data unchanged', async () => {
    const secrets = await openRootSecrets(database.db, keys);
    await storeKeys(25);
    const progress: string[] = [];
    const onProgress = (done: number, total: number) => void progress.push(`${done}/${total}`);
    const answer = await rotateKeys(database.db, keys, { ...alone, onProgress });
    const { keyId } = keys.current();
    expect(answer).toEqual({ currentKeyId: keyId, madeNewKey: true, rootSecrets: 5, loans: 25 });
    expect(progress).toEqual(['25/25']);
    expect(inFile()).toEqual([keyId, idOf(ONE)]);
    expect(await openAll(open())).toEqual({ [keyId]: 25 });
    expect(await openRootSecrets(database.db, open())).toEqual(secrets);

    // The new key alone is enough.
    const [newest = ''] = readFileSync(file, 'utf8').split('\n');
    expect(await openRootSecrets(database.db, fromEnvironment(newest))).toEqual(secrets);
    expect(await openAll(fromEnvironment(newest))).toEqual({ [keyId]: 25 });
  });

  test('while a service stores loans: none is lost, and none stays under the old key', async () => {
    // The service checks its file when a second has passed by its own time, which passes only while the rotation waits.
    let now = 0;
    const service = open(() => now);
    const stored: string[] = [];
    let running = true;
    const storing = (async () => {
      while (running) {
        await database.db.transaction(async (tx) => {
          const master = service.current();
          await storeKey(tx, master);
          stored.push(master.keyId);
        });
      }
    })();
    const storedMore = async () => {
      for (const before = stored.length; stored.length < before + 3; ) await pause(1);
    };
    await storedMore();
    const waiting = async (ms: number) => {
      await storedMore();
      now += ms;
      await storedMore();
    };
    const answer = await rotateKeys(database.db, keys, { pause: waiting });
    const atTheEnd = await openAll(open());
    running = false;
    await storing;
    const { keyId } = keys.current();
    expect(answer).toMatchObject({ currentKeyId: keyId, madeNewKey: true });
    expect(new Set(stored), 'under the old key and then under the new one').toEqual(new Set([idOf(ONE), keyId]));
    expect(Object.keys(atTheEnd)).toEqual([keyId]);
    expect(await openAll(service)).toEqual({ [keyId]: stored.length });
  });

  test.each([
    [1, 0],
    [1_700, 1_000],
  ])('a rotation killed at loan %i of 2,500 is finished by the next one, without another key', async (at, moved) => {
    await storeManyKeys(2_500);
    let seen = 0;
    const killed = rotateKeys(database.db, keys, {
      ...alone,
      rewrap: (...given) => {
        seen += 1;
        if (seen === at) throw new Error('killed');
        return rewrap(...given);
      },
    });
    await expect(killed).rejects.toThrow('killed');
    const [made = ''] = inFile();
    expect(made).not.toBe(idOf(ONE));
    const after = open();
    expect((await openAll(after))[made] ?? 0).toBe(moved);
    expect(await rotate(after)).toEqual({
      currentKeyId: made,
      madeNewKey: false,
      rootSecrets: 0,
      loans: 2_500 - moved,
    });
    expect(inFile()).toEqual([made, idOf(ONE)]);
    expect(await openAll(open())).toEqual({ [made]: 2_500 });
  });

  test('a rotation killed while changing the file leaves a key that wraps nothing, and the next one works', async () => {
    await storeKeys(3);
    writeFileSync(`${file}.new`, 'half a k');
    // On disk, and not yet current.
    writeFileSync(file, `${ONE}\n${TWO}\n`);
    const after = open();
    expect(await rotate(after)).toMatchObject({ madeNewKey: true, loans: 3 });
    expect(inFile()).toEqual([after.current().keyId, idOf(ONE), idOf(TWO)]);
    expect(await openAll(open())).toEqual({ [after.current().keyId]: 3 });
  });

  test('a rotation killed before anything was rewrapped continues from the file', async () => {
    await storeKeys(3);
    writeFileSync(file, `${TWO}\n${ONE}\n`);
    expect(await rotate(open())).toEqual({ currentKeyId: idOf(TWO), madeNewKey: false, rootSecrets: 5, loans: 3 });
  });

  test('a second one at the same time is refused', async () => {
    const [one, other] = await Promise.all([
      rotateKeys(database.db, keys, { ...alone, pause: () => pause(300) }),
      pause(100).then(() => rotate(open())),
    ]);
    expect(one).toHaveProperty('currentKeyId');
    expect(other).toEqual({ refused: expect.stringContaining('Another process holds the lock for changing keys') });
    expect(inFile()).toHaveLength(2);
  });

  test('is refused while a key that wraps something is missing, and changes nothing', async () => {
    await storeKeys(1, { keyId: 'mk_lost', key: randomBytes(32) });
    expect(await rotate()).toEqual({ refused: expect.stringContaining('mk_lost') });
    expect(inFile()).toEqual([idOf(ONE)]);
  });

  test('names the loans whose stored key was changed, and wraps all others', async () => {
    await storeKeys(2);
    const { loanId } = await storeKey(database.db, keys.current());
    await database.db.query(
      'UPDATE people SET wrapped_key = set_byte(wrapped_key, 40, get_byte(wrapped_key, 40) # 1) WHERE loan_id = $1',
      [Buffer.from(loanId.slice(2), 'hex')],
    );
    expect(await rotate()).toEqual({
      refused: expect.stringContaining(`1 loans cannot be decrypted because they were changed, among them ${loanId}`),
    });
    const { keyId } = keys.current();
    const left = await database.db.query<{ loan_id: Buffer }>('SELECT loan_id FROM people WHERE key_id <> $1', [keyId]);
    expect(left.map(({ loan_id }) => hexOf(loan_id))).toEqual([loanId]);
  });

  test('a service that keeps using the old key is reported after a while', async () => {
    const old = keys.current();
    const stubborn = { pause: () => storeKeys(1, old) };
    expect(await rotateKeys(database.db, keys, stubborn)).toEqual({
      refused: expect.stringContaining('still uses an older master key'),
    });
  });

  test('with keys in the environment it says what to do, and rotates once the new key is first', async () => {
    await storeKeys(3);
    expect(await rotate(fromEnvironment(ONE))).toEqual({
      refused: expect.stringContaining('add a new key at its end'),
    });
    const both = fromEnvironment(TWO, ONE);
    expect(await rotate(both)).toEqual({ currentKeyId: idOf(TWO), madeNewKey: false, rootSecrets: 5, loans: 3 });
    expect(await openAll(fromEnvironment(TWO))).toEqual({ [idOf(TWO)]: 3 });
  });
});

test('the list shows what each key wraps, and which is missing', async () => {
  await storeKeys(2);
  await rotate();
  await storeKeys(1, { keyId: 'mk_lost', key: randomBytes(32) });
  expect(await listKeys(database.db, keys)).toEqual([
    { keyId: keys.current().keyId, state: 'current', rootSecrets: 5, loans: 2 },
    { keyId: idOf(ONE), state: 'known', rootSecrets: 0, loans: 0 },
    { keyId: 'mk_lost', state: 'missing', rootSecrets: 0, loans: 1 },
  ]);
});

describe('pruning', () => {
  const later = () => keys.changedAt() + MINUTE;

  test('removes keys that wrap nothing, once no service can still use them', async () => {
    await storeKeys(2);
    await rotate();
    const { keyId } = keys.current();
    expect(await pruneKeys(database.db, keys, keys.changedAt() + 58_000)).toEqual({
      refused: expect.stringContaining('try again in 2 s'),
    });
    expect(inFile()).toEqual([keyId, idOf(ONE)]);
    expect(await pruneKeys(database.db, keys, later())).toEqual([{ keyId: idOf(ONE), outcome: 'removed' }]);
    expect(inFile()).toEqual([keyId]);
    expect(await openAll(open())).toEqual({ [keyId]: 2 });
    expect(await pruneKeys(database.db, keys, later())).toEqual([]);
  });

  test('keeps a key that still wraps a loan or a secret', async () => {
    writeFileSync(file, `${TWO}\n${ONE}\n`);
    keys = open();
    expect(await pruneKeys(database.db, keys, later()), 'root secrets').toEqual([
      { keyId: idOf(ONE), outcome: 'kept' },
    ]);
    await rotate();
    const [, older] = keys.all();
    await storeKeys(1, older);
    expect(await pruneKeys(database.db, keys, later()), 'a loan').toEqual([{ keyId: idOf(ONE), outcome: 'kept' }]);
    expect(inFile()).toEqual([idOf(TWO), idOf(ONE)]);
  });

  test('counts a loan that is currently being stored under the old key', async () => {
    await rotate();
    const [, older] = keys.all();
    if (older === undefined) throw new Error('no older key');
    let pruning: ReturnType<typeof pruneKeys> | undefined;
    await database.db.transaction(async (tx) => {
      await storeKey(tx, older);
      pruning = pruneKeys(database.db, keys, later());
      await pause(200);
    });
    expect(await pruning).toEqual([{ keyId: idOf(ONE), outcome: 'kept' }]);
    await openAll(open());
  });

  test('with keys in the environment it says which can be removed', async () => {
    const both = fromEnvironment(TWO, ONE);
    await rotate(both);
    expect(await pruneKeys(database.db, both, MINUTE)).toEqual({ refused: expect.stringContaining(idOf(ONE)) });
  });
});
