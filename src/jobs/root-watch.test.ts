/** A database that was rolled back, restored or replaced is detected by the root that was kept outside it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { openRootWatch, type RootMark } from './root-watch.ts';

let database: TestDatabase;
let empty: TestDatabase;
beforeAll(async () => {
  [database, empty] = await Promise.all([testDatabase(), testDatabase({ migrated: false })]);
});
afterAll(() => Promise.all([database.drop(), empty.drop()]));
beforeEach(async () => {
  await database.db.query('DELETE FROM ledger_roots');
  for (const number of [1, 2, 3]) await add(number);
});

const hash = (number: number, copy = 0) => `0x${String(number * 10 + copy).padStart(64, '0')}`;
const mark = (number: number, copy = 0): RootMark => ({ number, hash: hash(number, copy) });

function add(number: number, copy = 0): Promise<unknown> {
  return database.db.query(
    `INSERT INTO ledger_roots VALUES ($1, sha256(''), sha256(''), '[]', sha256(''), '[]', now(), $2)`,
    [number, `\\x${hash(number, copy).slice(2)}`],
  );
}

const setBackTo = (number: number) => database.db.query('DELETE FROM ledger_roots WHERE number > $1', [number]);

function watch(kept: RootMark | null, db = database.db) {
  const file = { kept };
  const keep = (root: RootMark | null) => {
    const setBack = root?.setBack === true ? { setBack: true as const } : {};
    file.kept = root === null ? null : { ...mark(root.number, Number(root.hash.at(-1))), ...setBack };
  };
  return { file, ...openRootWatch({ db, kept: () => file.kept, keep }) };
}

describe('a start', () => {
  test('continues where no root was kept, and where the database has the kept root', async () => {
    await watch(null).admit(null);
    await watch(mark(2)).admit(null);
    await watch(null, empty.db).admit(null);
  });

  test('refuses a database that ends before the kept root, or has another root in its place', async () => {
    await setBackTo(2);
    const says = `ends with root 2 and does not contain it: it was restored from an older copy, or it is another database. To continue with it, start once with ACCEPT_RESTORE=${hash(2)}.`;
    await expect(watch(mark(3)).admit(null)).rejects.toThrow(says);
    await add(3, 1);
    await add(4, 1);
    // Not one that another process has made since: that would not be accepted.
    await expect(watch(mark(3)).admit(null)).rejects.toThrow(`ACCEPT_RESTORE=${hash(3, 1)}.`);
    await watch(mark(3)).admit(hash(3, 1));
    await setBackTo(0);
    await expect(watch(mark(3)).admit(null)).rejects.toThrow('ACCEPT_RESTORE=none');
    // Before anything is created in it.
    await expect(watch(mark(3), empty.db).admit(null)).rejects.toThrow('ACCEPT_RESTORE=none');
  });

  test('continues from an accepted root, and the next start needs no setting', async () => {
    await setBackTo(2);
    const one = watch(mark(3));
    await one.admit(hash(2));
    expect(one.file.kept).toEqual(mark(2));
    await one.admit(null);
    // Another process, after the first has created new roots.
    await add(3, 1);
    await add(4, 1);
    const other = watch(mark(3));
    await other.admit(hash(2));
    expect(other.file.kept).toEqual(mark(4, 1));
    const none = watch(mark(3), empty.db);
    await none.admit('none');
    expect(none.file.kept).toBeNull();
  });

  test.each([
    ['a root that the database does not have', hash(7)],
    ['one newer than the kept one', hash(4, 1)],
    ['none, where there are some', 'none'],
    ['a value that is not a hash', "0x'"],
  ])('is refused when %s is accepted', async (_, accepted) => {
    await setBackTo(2);
    await add(3, 1);
    await add(4, 1);
    await expect(watch(mark(3)).admit(accepted)).rejects.toThrow('ACCEPT_RESTORE=');
  });
});

describe('a running service', () => {
  test('keeps the newest root, whichever process created it', async () => {
    const one = watch(null);
    expect(await one.look()).toBeNull();
    expect(one.file.kept).toEqual(mark(3));
    await add(4);
    await one.look();
    expect(one.file.kept).toEqual(mark(4));
  });

  test('reports that the database was rolled back, and leaves the kept root unchanged', async () => {
    const one = watch(mark(3));
    await setBackTo(2);
    expect(await one.look()).toContain('does not contain root 3');
    await add(3, 1);
    await add(4, 1);
    await one.look();
    expect(one.problem()).toContain('does not contain root 3');
    expect(one.file.kept).toEqual(mark(3));
    // After a failover to a server that has it.
    await setBackTo(2);
    await add(3);
    expect(await one.look()).toBeNull();
    expect(one.problem()).toBeNull();
  });

  test('keeps that the database went back by less than the time between two roots, until that is accepted', async () => {
    const one = watch(mark(3));
    one.noticed();
    expect(one.problem()).toContain('lacks writes that this service has acknowledged');
    expect(await one.look()).toBe(one.problem());
    const { kept } = one.file;
    expect(kept).toEqual({ ...mark(3), setBack: true });
    // Another process that shares the folder.
    expect(await watch(kept).look()).toBe(one.problem());
    const start = watch(kept);
    await expect(start.admit(null)).rejects.toThrow(
      `was set back to an older copy while the service ran: it lacks writes that were acknowledged after that root. To continue with it, start once with ACCEPT_RESTORE=${hash(3)}.`,
    );
    await start.admit(hash(3));
    expect(start.file.kept).toEqual(mark(3));
    await start.admit(null);
  });
});
