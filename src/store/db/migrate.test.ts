import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { DatabaseUnavailable, type Db, openDb } from './db.ts';
import { formatStatus, MigrationError, makeMigration, migrate, migrationStatus, readMigrations } from './migrate.ts';

const ACCOUNTS = makeMigration(1, 'accounts', 'CREATE TABLE accounts (id bigint PRIMARY KEY);');
const ENTRIES = makeMigration(2, 'entries', 'CREATE TABLE entries (id bigint REFERENCES accounts);\nSELECT 1;');
const TWO = [ACCOUNTS, ENTRIES];
const FUNCTION_WITH_A_SLIP = `CREATE TABLE one (id int);
CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IFF true THEN RETURN; END IF;
END $$;`;

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase({ migrated: false });
  db = database.db;
});
beforeEach(emptied);
afterAll(() => database.drop());

async function emptied(): Promise<void> {
  await db.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
}

const tables = async () =>
  (await db.query<{ tablename: string }>(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)).map(
    (row) => row.tablename,
  );
const statesOf = async (migrations = TWO) => (await migrationStatus(db, migrations)).map((one) => one.state);

describe('migrating', () => {
  test('applies files in order, once', async () => {
    const applied: string[] = [];
    expect(await migrate(db, TWO, ({ name }, ms) => applied.push(`${name} ${ms >= 0}`))).toBe(2);
    expect(applied).toEqual(['accounts true', 'entries true']);
    expect(await tables()).toEqual(['accounts', 'entries', 'schema_migrations']);
    expect(await migrate(db, TWO, ({ name }) => applied.push(name))).toBe(0);
    expect(applied).toHaveLength(2);
  });

  test('later files are added to those already applied', async () => {
    await migrate(db, [ACCOUNTS]);
    expect(await statesOf()).toEqual(['applied', 'pending']);
    expect(await migrate(db, TWO)).toBe(1);
    expect(await statesOf()).toEqual(['applied', 'applied']);
  });

  test('ten instances that start at once apply each file once, an index built concurrently included', async () => {
    const slow = makeMigration(3, 'slow', 'INSERT INTO accounts VALUES (1);\nSELECT pg_sleep(0.1);');
    const index = makeMigration(4, 'index', '-- no transaction\nCREATE INDEX CONCURRENTLY entries_id ON entries (id);');
    const pools = Array.from({ length: 10 }, () => openDb(database.connection));
    try {
      const applied: number[] = [];
      const counts = await Promise.all(
        pools.map((pool) => migrate(pool, [...TWO, slow, index], (m) => applied.push(m.number))),
      );
      expect(counts.sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 4]);
      expect(applied).toEqual([1, 2, 3, 4]);
      expect(await db.query('SELECT id FROM accounts')).toEqual([{ id: 1n }]);
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  });

  test('a failing file is rolled back and reported with its line; earlier files stay', async () => {
    const failing = makeMigration(2, 'failing', 'CREATE TABLE more (id int);\n\nSELECT 1,\n  nothing\nFROM more;');
    const error = await failure(migrate(db, [ACCOUNTS, failing]));
    expect(error.message).toBe(
      'Migration 0002_failing.sql failed at line 4: column "nothing" does not exist (42703). Nothing of the file was applied.',
    );
    expect(await tables()).toEqual(['accounts', 'schema_migrations']);
    expect(await statesOf([ACCOUNTS, failing])).toEqual(['applied', 'pending']);
  });

  test.each([
    ['a word out of place', 'CREATE TABLE größe (id int);\n\nSELECT 1 FORM größe;', 'line 3: syntax error at or near'],
    ['beyond characters of two units', "SELECT '😀😀😀😀';\nSELECT '😀',\n nothing;", 'line 3: column "nothing"'],
    ['inside the body of a function', FUNCTION_WITH_A_SLIP, 'line 4: syntax error at or near "IFF"'],
    [
      'inside a query that a block runs',
      'SELECT 1;\nDO $$ BEGIN\n  PERFORM 1,\n  nothing; END $$;',
      ': column "nothing"',
    ],
  ])('the line is the one where PostgreSQL stopped: %s', async (_, text, says) => {
    const { message } = await failure(migrate(db, [makeMigration(1, 'failing', text)]));
    expect(message).toMatch(new RegExp(`^Migration 0001_failing\\.sql failed(?: at (?=line))?${says}`));
    expect(await tables()).toEqual(['schema_migrations']);
  });

  test('a failure without a position names the file, and what PostgreSQL says', async () => {
    const failing = makeMigration(1, 'failing', 'CREATE TABLE one (id int);\n\nCREATE TABLE one (id int);');
    expect((await failure(migrate(db, [failing]))).message).toBe(
      'Migration 0001_failing.sql failed: relation "one" already exists (42P07). Nothing of the file was applied.',
    );
    const alone = makeMigration(
      1,
      'alone',
      '-- no transaction\nCREATE TABLE one (id int);\n\n-- again\nCREATE TABLE one (id int);',
    );
    expect((await failure(migrate(db, [alone]))).message, 'sent alone it has a line').toContain(
      '0001_alone.sql failed at line 5: relation "one" already exists (42P07)',
    );
  });

  test('no value of the data is in a failure', async () => {
    const text = "CREATE TABLE people (ssn text PRIMARY KEY);\nINSERT INTO people VALUES ('078-05-1120');\n";
    for (const statement of [
      'ALTER TABLE people ALTER ssn TYPE int USING ssn::int;',
      "INSERT INTO people VALUES ('078-05-1120');",
      "ALTER TABLE people ADD CHECK (ssn <> '078-05-1120');",
    ]) {
      const error = await failure(migrate(db, [makeMigration(1, 'people', text + statement)]));
      expect(error.message).toMatch(/^Migration 0001_people\.sql failed: .+ \(2\w{4}\)\./);
      expect(JSON.stringify([error.message, { ...error }, error.cause])).not.toContain('078');
    }
  });

  test('a deferred constraint that fails at the end of the file names it too', async () => {
    const text = `CREATE TABLE pairs (id int PRIMARY KEY, twin int REFERENCES pairs DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO pairs VALUES (1, 2);`;
    expect((await failure(migrate(db, [makeMigration(1, 'pairs', text)]))).message).toContain(
      '0001_pairs.sql failed at its end: insert or update on table "pairs" violates foreign key',
    );
  });

  test('a file that was changed after it was applied is refused, and nothing else runs', async () => {
    await migrate(db, [ACCOUNTS]);
    const changed = makeMigration(1, 'accounts', `${ACCOUNTS.sql} -- more`);
    expect(await statesOf([changed, ENTRIES])).toEqual(['changed', 'pending']);
    const { message } = await failure(migrate(db, [changed, ENTRIES]));
    expect(message).toContain('move DATA_DIR away');
    expect(message).toMatch(/^0001_accounts\.sql is not the file that was applied to this database on \d{4}-/);
    expect(await tables()).toEqual(['accounts', 'schema_migrations']);
  });

  test('other line endings or a byte order mark do not count as a change', async () => {
    await migrate(db, TWO);
    const windows = makeMigration(2, 'entries', `\uFEFF${ENTRIES.sql.replaceAll('\n', '\r\n')}`);
    expect(await migrate(db, [ACCOUNTS, windows])).toBe(0);
  });

  test('a database that a newer version migrated is refused', async () => {
    await migrate(db, TWO);
    expect(await statesOf([ACCOUNTS])).toEqual(['applied', 'unknown']);
    expect((await failure(migrate(db, [ACCOUNTS]))).message).toContain(
      '0002_entries.sql, which this version does not know',
    );
  });

  test('a file with a number below one that is applied is refused', async () => {
    await migrate(db, TWO);
    await db.query('DELETE FROM schema_migrations WHERE number = 1');
    expect((await failure(migrate(db, TWO))).message).toContain(
      '0001_accounts.sql is not applied, but 0002_entries.sql',
    );
  });

  test('a file may not end its transaction', async () => {
    const file = makeMigration(1, 'commit', 'CREATE TABLE a (id int);\nCOMMIT;');
    expect((await failure(migrate(db, [file]))).message).toContain(
      '0001_commit.sql begins or ends a transaction at line 2',
    );
    expect(await tables()).toEqual(['schema_migrations']);
  });

  test.each(['begin;', 'BEGIN TRANSACTION;', 'START TRANSACTION;', 'rollback;', 'COMMIT AND CHAIN;', 'abort;'])(
    'nor may it hold %s',
    async (statement) => {
      const file = makeMigration(1, 'control', `CREATE TABLE a (id int);\n\n  ${statement}\nSELECT 1;`);
      expect((await failure(migrate(db, [file]))).message).toContain('begins or ends a transaction at line 3');
      expect(await tables()).toEqual(['schema_migrations']);
    },
  );

  test('a file that ends it in the middle of a line is detected and not recorded', async () => {
    for (const text of ['CREATE TABLE a (id int); COMMIT;', 'CREATE TABLE b (id int); ROLLBACK;', 'SELECT 1;\nEND;']) {
      const file = makeMigration(1, 'hidden', text);
      expect((await failure(migrate(db, [file]))).message).toContain('0001_hidden.sql ends the transaction');
      expect(await statesOf([file])).toEqual(['pending']);
    }
  });

  test('the body of a function may hold the same words', async () => {
    const text = `CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$
      -- commit; nothing
      BEGIN
        RETURN 2 * n;
      END;
      $$;`;
    expect(await migrate(db, [makeMigration(1, 'function', text)])).toBe(1);
    expect(await db.query('SELECT twice(4)')).toEqual([{ twice: 8 }]);
  });

  test('a migration may take longer than a request', async () => {
    const impatient = openDb(database.connection, { statementTimeoutMs: 50 });
    try {
      expect(await migrate(impatient, [makeMigration(1, 'long', 'SELECT pg_sleep(0.2);')])).toBe(1);
    } finally {
      await impatient.close();
    }
  });

  test('waiting for another instance is bounded', async () => {
    await db.session(async (other) => {
      await other.query('SELECT pg_advisory_lock(1684107883)');
      expect((await failure(migrate(db, TWO, undefined, { waitMs: 60 }))).message).toMatch(
        /^Another instance has been migrating this database for more than .* \(PostgreSQL process \d+\)/,
      );
    });
    expect(await migrate(db, TWO)).toBe(2);
  });

  test('a migration that waits for a table lets its lock queue pass and tries again', async () => {
    await migrate(db, [ACCOUNTS]);
    const alter = makeMigration(2, 'alter', 'ALTER TABLE accounts ADD name text;');
    const both = [ACCOUNTS, alter];
    let run: Promise<number> | undefined;
    await db.transaction(async (reader) => {
      await reader.query('SELECT FROM accounts');
      expect((await failure(migrate(db, both, undefined, { waitMs: 0, tableLockMs: 20 }))).message).toContain(
        '0002_alter.sql failed: canceling statement due to lock timeout',
      );
      run = migrate(db, both, undefined, { waitMs: 10_000, tableLockMs: 20 });
      await until(waitsForALock);
      const first = await transactionThatWaits();
      await until(async () => (await transactionThatWaits()) > first);
    });
    expect(await run).toBe(1);
    expect(await statesOf(both)).toEqual(['applied', 'applied']);
  });

  test('a server that is too old is refused', async () => {
    const old: Db = { ...db, query: async <R extends object>() => [{ version: 140_011, present: false } as R] };
    expect((await failure(migrate(old, TWO))).message).toBe(
      'PostgreSQL 15 or newer is required; this server is version 14.',
    );
  });

  test('for a user who may not create tables the error names the missing grant', async () => {
    const [{ name } = { name: '' }] = await db.query<{ name: string }>('SELECT current_database() AS name');
    // An owner can give up its rights on the schema. A superuser cannot: its next connections have those of another role only.
    const [without, again] =
      inject('server').owner === null
        ? [`ALTER DATABASE ${name} SET role = pg_monitor`, `ALTER DATABASE ${name} RESET role`]
        : ['REVOKE ALL ON SCHEMA public FROM CURRENT_USER, PUBLIC', 'GRANT ALL ON SCHEMA public TO CURRENT_USER'];
    await db.query(without);
    try {
      expect((await failure(migrate(db, TWO))).message).toContain('GRANT USAGE, CREATE ON SCHEMA public');
      await db.query('GRANT USAGE ON SCHEMA public TO PUBLIC');
      expect((await failure(migrate(db, TWO))).message).toContain('GRANT USAGE, CREATE ON SCHEMA public');
    } finally {
      await db.query(again);
    }
  });

  test('a database of another program is refused', async () => {
    await db.query('CREATE TABLE schema_migrations (version text)');
    expect((await failure(migrate(db, TWO))).message).toContain('another program');
  });
});

describe('interrupted', () => {
  // The file waits at its second statement for a lock that the test holds.
  const waiting = 'CREATE TABLE cut (id int);\nSELECT pg_advisory_xact_lock(7);\nCREATE TABLE whole (id int);';

  async function cut(migrations: ReturnType<typeof makeMigration>[]): Promise<unknown> {
    return db.session(async (holder) => {
      await holder.query('SELECT pg_advisory_lock(7)');
      const run = migrate(db, migrations).catch((error: unknown) => error);
      await until(waitsForALock);
      await db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return run;
    });
  }

  test('a file is not applied, and the next run applies it', async () => {
    const migrations = [ACCOUNTS, makeMigration(2, 'waiting', waiting)];
    expect(await cut(migrations)).toBeInstanceOf(DatabaseUnavailable);
    expect(await tables()).toEqual(['accounts', 'schema_migrations']);
    expect(await statesOf(migrations)).toEqual(['applied', 'pending']);
    expect(await migrate(db, migrations)).toBe(1);
    expect(await tables()).toEqual(['accounts', 'cut', 'schema_migrations', 'whole']);
  });

  test('a file outside of a transaction is repeated from its first statement', async () => {
    const text = `-- no transaction\nDROP TABLE IF EXISTS cut, whole;\n${waiting}`;
    const migrations = [makeMigration(1, 'waiting', text)];
    expect(await cut(migrations)).toBeInstanceOf(DatabaseUnavailable);
    expect(await tables()).toEqual(['cut', 'schema_migrations']);
    expect(await statesOf(migrations)).toEqual(['pending']);
    expect(await migrate(db, migrations)).toBe(1);
    expect(await tables()).toEqual(['cut', 'schema_migrations', 'whole']);
  });
});

describe('a file outside of a transaction', () => {
  test('may build an index concurrently; its failure says what stays', async () => {
    const build = 'CREATE INDEX CONCURRENTLY accounts_again ON accounts (id);';
    const inside = makeMigration(2, 'index', build);
    expect((await failure(migrate(db, [ACCOUNTS, inside]))).message).toContain('cannot run inside a transaction block');

    const failing = makeMigration(2, 'index', `-- no transaction\n${build}\nSELECT nothing;`);
    expect((await failure(migrate(db, [ACCOUNTS, failing]))).message).toMatch(
      /line 3: .* The statements before it stay/,
    );

    const repeated = makeMigration(
      2,
      'index',
      `-- no transaction\nDROP INDEX CONCURRENTLY IF EXISTS accounts_again;\n${build}`,
    );
    expect(await migrate(db, [ACCOUNTS, repeated])).toBe(1);
    expect(await db.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'accounts_again'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
  });

  test('is not applied as long as an index is invalid', async () => {
    await migrate(db, [ACCOUNTS]);
    await db.query('ALTER TABLE accounts ADD twice int; INSERT INTO accounts VALUES (1, 1), (2, 1)');
    await expect(db.query('CREATE UNIQUE INDEX CONCURRENTLY half ON accounts (twice)')).rejects.toThrow('half');
    const file = makeMigration(
      2,
      'half',
      '-- no transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS half ON accounts (twice);',
    );
    expect((await failure(migrate(db, [ACCOUNTS, file]))).message).toContain(
      '0002_half.sql left the index half invalid',
    );
    expect(await statesOf([ACCOUNTS, file])).toEqual(['applied', 'pending']);
  });
});

describe('status', () => {
  test('reads an empty database and leaves it empty', async () => {
    expect(await migrationStatus(db, TWO)).toEqual([
      { number: 1, name: 'accounts', state: 'pending', appliedAt: null },
      { number: 2, name: 'entries', state: 'pending', appliedAt: null },
    ]);
    expect(await tables()).toEqual([]);
  });

  test('is a table for the terminal', async () => {
    await migrate(db, TWO);
    await db.query(`UPDATE schema_migrations SET applied_at = '2026-03-01T12:00:00+01:00'`);
    const late = makeMigration(3, 'a_longer_name', '');
    expect(formatStatus(await migrationStatus(db, [ACCOUNTS, late]))).toBe(
      [
        'migration               state    applied at',
        '0001_accounts.sql       applied  2026-03-01T11:00:00.000Z',
        '0002_entries.sql        unknown  2026-03-01T11:00:00.000Z',
        '0003_a_longer_name.sql  pending  -',
      ].join('\n'),
    );
  });
});

describe('the files of a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (...names: string[]) =>
    Promise.all(names.map((name) => writeFile(join(folder, name), `-- ${name}\r\n`)));

  test('are read in order, without the snapshot and files that are not SQL', async () => {
    await write('0002_second_one.sql', '0001_first.sql', 'schema.sql', 'README.md');
    expect(await readMigrations(folder)).toEqual([
      makeMigration(1, 'first', '-- 0001_first.sql\n'),
      makeMigration(2, 'second_one', '-- 0002_second_one.sql\n'),
    ]);
  });

  test.each([
    ['a gap', ['0001_a.sql', '0003_c.sql'], 'Migration 0002 is missing before 0003_c.sql'],
    ['a gap at the start', ['0002_b.sql'], 'Migration 0001 is missing before 0002_b.sql'],
    [
      'a number used twice',
      ['0001_a.sql', '0002_b.sql', '0002_c.sql'],
      '0002_b.sql and 0002_c.sql have the same number',
    ],
    ['zero', ['0000_a.sql'], 'numbers begin with 0001'],
    ['a bad name', ['0001_a.sql', '2_b.sql'], "2_b.sql is not a migration's name"],
    ['nothing', [], 'contains no migrations'],
  ])('are refused with %s', async (_, names, message) => {
    await write(...names);
    expect((await failure(readMigrations(folder))).message).toContain(message);
  });

  test('are refused when the folder does not exist', async () => {
    expect((await failure(readMigrations(join(folder, 'none')))).message).toContain('cannot be read');
  });

  test('of this service bring an empty database to its schema', async () => {
    const migrations = await readMigrations();
    await emptied();
    expect(await migrate(db, migrations)).toBe(migrations.length);
    expect(await migrate(db, migrations)).toBe(0);
  });
});

async function failure(work: Promise<unknown>): Promise<MigrationError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MigrationError);
  return error as MigrationError;
}

/** The beginning of the transaction that waits for a lock; an empty text when none does. */
async function transactionThatWaits(): Promise<string> {
  const [row] = await db.query<{ began: string }>(`SELECT xact_start::text AS began FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return row?.began ?? '';
}

const waitsForALock = async () => (await transactionThatWaits()) !== '';

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('It did not happen within 10 s.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
