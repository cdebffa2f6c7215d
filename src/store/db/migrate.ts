/**
 * Brings a database to the schema that this version of the service needs. A migration is a numbered file of SQL;
 * migrations go forward only, and a file that was applied never changes again.
 *
 * A file is sent as it is, in a transaction of its own, together with its row in `schema_migrations`: it is applied
 * whole or not at all. One whose first line is `-- no transaction` runs statement by statement outside of one, for
 * `CREATE INDEX CONCURRENTLY`, which PostgreSQL refuses among several statements that are sent together. In such a file
 * a statement ends with a semicolon at the end of a line. Interrupted, it runs again from its first statement, so each
 * must be safe to repeat: `DROP INDEX CONCURRENTLY IF EXISTS i; CREATE INDEX CONCURRENTLY i …`. (`CREATE … IF NOT
 * EXISTS` is not: it would keep the invalid index that an interrupted build leaves behind.)
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable, type Db, type Session, type Sql } from './db.ts';

export type Migration = { number: number; name: string; sql: string; checksum: string };

/** `unknown`: applied in the database, but no such file here; a newer version of the service did it. */
export type MigrationState = {
  number: number;
  name: string;
  state: 'applied' | 'pending' | 'changed' | 'unknown';
  appliedAt: string | null;
};

/** An error that keeps a database from being migrated. Its message says what to do, and holds no value from the data. */
export class MigrationError extends Error {
  override name = 'MigrationError';
  /** PostgreSQL's code when a statement failed. */
  readonly sqlState: string | undefined;

  constructor(message: string, sqlState?: string) {
    super(message);
    this.sqlState = sqlState;
  }
}

const OLDEST_SERVER = 15;
export const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../../migrations');

/**
 * Applies pending files and returns their number. Any number of processes may call this at once: one works, the others
 * wait (at most `waitMs`) and then find nothing left to do.
 */
export async function migrate(
  db: Db,
  migrations: Migration[],
  onApply: (migration: Migration, ms: number) => void = () => {},
  { waitMs = 60_000, tableLockMs = 5_000 }: { waitMs?: number; tableLockMs?: number } = {},
): Promise<number> {
  if (pendingOf(await migrationStatus(db, migrations), migrations).length === 0) return 0;

  return db.session(async (session) => {
    await lockMigrations(session, waitMs);
    // Timeouts are meant for requests; a migration may take long. `transaction_timeout` exists from 17 on.
    await session.query(`SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN
      ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`);
    await createRegister(session);
    // Read again: another process may have applied them while this one waited for the lock.
    const pending = pendingOf(await migrationStatus(session, migrations), migrations);
    for (const migration of pending) {
      const started = performance.now();
      await apply(session, migration, { waitMs, tableLockMs });
      onApply(migration, performance.now() - started);
    }
    return pending.length;
  });
}

/** Read-only: on an empty database everything is pending. */
export async function migrationStatus(db: Sql, migrations: Migration[]): Promise<MigrationState[]> {
  const applied = new Map((await readRegister(db)).map((row) => [row.number, row]));
  const states: MigrationState[] = [];
  for (const { number, name, checksum } of migrations) {
    const row = applied.get(number);
    applied.delete(number);
    const state = !row ? 'pending' : row.checksum === checksum ? 'applied' : 'changed';
    states.push({ number, name, state, appliedAt: row?.applied_at.toISOString() ?? null });
  }
  for (const { number, name, applied_at } of applied.values()) {
    states.push({ number, name, state: 'unknown', appliedAt: applied_at.toISOString() });
  }
  return states.sort((a, b) => a.number - b.number);
}

/** The states as a table for the terminal. */
export function formatStatus(states: MigrationState[]): string {
  const rows = states.map((one) => [fileName(one), one.state, one.appliedAt ?? '-']);
  const table = [['migration', 'state', 'applied at'], ...rows];
  const width = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const [first, second] = [width(0), width(1)];
  return table
    .map(([file = '', state = '', at = '']) => `${file.padEnd(first)}  ${state.padEnd(second)}  ${at}`)
    .join('\n');
}

/** The files of a folder in order; `schema.sql` beside them is the snapshot, not a migration. */
export async function readMigrations(folder: string = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const files = await readdir(folder).catch(() => {
    throw new MigrationError(`The folder of migrations cannot be read: ${folder}`);
  });
  const migrations: Migration[] = [];
  for (const file of files.filter((name) => name.endsWith('.sql') && name !== 'schema.sql').sort()) {
    const [, digits, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? [];
    if (digits === undefined || name === undefined) {
      throw new MigrationError(`${file} is not a migration's name; it should look like 0001_some_words.sql.`);
    }
    const number = Number(digits);
    const expected = migrations.length + 1;
    if (number < expected) {
      const taken = migrations.at(-1);
      throw new MigrationError(
        taken ? `${fileName(taken)} and ${file} have the same number.` : `${file}: numbers begin with 0001.`,
      );
    }
    if (number > expected) {
      throw new MigrationError(`Migration ${digitsOf(expected)} is missing before ${file}; numbers have no gaps.`);
    }
    migrations.push(makeMigration(number, name, await readFile(join(folder, file), 'utf8')));
  }
  if (migrations.length === 0) throw new MigrationError(`The folder ${folder} contains no migrations.`);
  return migrations;
}

/** The checksum is over the text with plain line ends: a checkout that turned them into CRLF is the same file. */
export function makeMigration(number: number, name: string, text: string): Migration {
  const sql = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  return { number, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

const ANOTHER_DATABASE =
  'move DATA_DIR away (with DATABASE_URL: use an empty database) and start again with a new one.';

/** The files left to apply; throws when none may be applied. */
function pendingOf(states: MigrationState[], migrations: Migration[]): Migration[] {
  let firstPending: string | undefined;
  for (const one of states) {
    const file = fileName(one);
    if (one.state === 'unknown') {
      throw new MigrationError(
        `The database contains migration ${file}, which this version does not know: another version applied it. Nothing was changed. ` +
          `Start that version, or ${ANOTHER_DATABASE}`,
      );
    }
    if (one.state === 'changed') {
      throw new MigrationError(
        `${file} is not the file that was applied to this database on ${one.appliedAt}. ` +
          'The database is of another draft of the service, and drafts before the first version do not migrate. Nothing was changed. ' +
          `Start that draft, or ${ANOTHER_DATABASE}`,
      );
    }
    if (one.state === 'pending') firstPending ??= file;
    else if (firstPending !== undefined) {
      throw new MigrationError(
        `${firstPending} is not applied, but ${file} after it is. Migrations go forward only: give it the next number.`,
      );
    }
  }
  const pending = new Set(states.filter((one) => one.state === 'pending').map((one) => one.number));
  return migrations.filter((migration) => pending.has(migration.number)).sort((a, b) => a.number - b.number);
}

type RegisterRow = { number: number; name: string; checksum: string; applied_at: Date };

async function readRegister(sql: Sql): Promise<RegisterRow[]> {
  const [server] = await sql.query<{ version: number; present: boolean }>(`
    SELECT current_setting('server_version_num')::int AS version,
      to_regclass('schema_migrations') IS NOT NULL AS present`);
  const version = Math.floor((server?.version ?? 0) / 10_000);
  if (version < OLDEST_SERVER) {
    throw new MigrationError(`PostgreSQL ${OLDEST_SERVER} or newer is required; this server is version ${version}.`);
  }
  if (!server?.present) return [];
  return sql
    .query<RegisterRow>('SELECT number, name, checksum, applied_at FROM schema_migrations ORDER BY number')
    .catch((error: { code?: unknown }) => {
      if (error.code !== UNDEFINED_COLUMN) throw error;
      throw new MigrationError(
        'The schema_migrations table of this database belongs to another program. Use a separate database.',
      );
    });
}

async function createRegister(session: Session): Promise<void> {
  const text = `CREATE TABLE IF NOT EXISTS schema_migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`;
  await session.query(text).catch((error) => {
    if (!NO_RIGHT_TO_CREATE.includes((error as { code: string }).code)) throw error;
    throw new MigrationError(
      'The database user may not create tables. Make it the owner of the database, or let the owner run: ' +
        'GRANT USAGE, CREATE ON SCHEMA public TO the user.',
    );
  });
}

// Any number will do, as long as every version uses the same. Advisory locks are per database.
const LOCK_KEY = 1_684_107_883;

/**
 * Polls instead of waiting inside PostgreSQL: a statement that waits holds a snapshot, which `CREATE INDEX
 * CONCURRENTLY` in the working process would wait for, and both would be in a deadlock.
 */
async function lockMigrations(session: Session, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const [row] = await session.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [LOCK_KEY]);
    if (row?.locked) return;
    if (performance.now() >= deadline) break;
    await pause(25);
  }
  const [holder] = await session.query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = $1 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [LOCK_KEY],
  );
  throw new MigrationError(
    `Another instance has been migrating this database for more than ${Math.round(waitMs / 1000)} s` +
      `${holder ? ` (PostgreSQL process ${holder.pid})` : ''}. Start again when it has finished.`,
  );
}

/**
 * A statement that waits for a table's lock makes every later statement on that table wait behind it. So a file
 * gives up after `tableLockMs`, lets the queue pass and tries again, until `waitMs` have gone by.
 */
async function apply(
  session: Session,
  migration: Migration,
  { waitMs, tableLockMs }: { waitMs: number; tableLockMs: number },
): Promise<void> {
  if (/^-- no transaction\s*(\n|$)/.test(migration.sql)) return applyOutside(session, migration);
  const control = transactionControlLine(migration.sql);
  if (control !== null) {
    throw new MigrationError(
      `${fileName(migration)} begins or ends a transaction at line ${control}. ` +
        'Each file already runs in one: remove that statement.',
    );
  }
  const outcome = 'Nothing of the file was applied.';
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await session.transaction(async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = ${tableLockMs}`);
        const own = await transactionId(tx);
        await run(tx, migration, { text: migration.sql, line: 1, whole: true }, outcome);
        if ((await transactionId(tx)) !== own) {
          throw new MigrationError(
            `${fileName(migration)} ends the transaction that it runs in, so that a part of it may be applied without ` +
              'being recorded. Remove that statement and restore the database.',
          );
        }
        await register(tx, migration);
      });
    } catch (error) {
      const failure = failureOf(migration, error, outcome);
      const busy = failure instanceof MigrationError && failure.sqlState === LOCK_NOT_AVAILABLE;
      if (!busy || performance.now() >= deadline) throw failure;
    }
  }
}

async function applyOutside(session: Session, migration: Migration): Promise<void> {
  for (const statement of statementsByLine(migration.sql)) {
    await run(session, migration, statement, 'The statements before it stay; the next run repeats the file.');
  }
  const [invalid] = await session.query<{ name: string }>(`
    SELECT quote_ident(c.relname) AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE NOT i.indisvalid AND c.relkind = 'i' AND c.relnamespace = current_schema()::regnamespace
    ORDER BY 1 LIMIT 1`);
  if (invalid) {
    throw new MigrationError(
      `${fileName(migration)} left the index ${invalid.name} invalid, from an earlier attempt that was interrupted. ` +
        `Drop it (DROP INDEX CONCURRENTLY ${invalid.name}) and run again.`,
    );
  }
  await register(session, migration);
}

/** The text that is sent at once: a file, or one statement of it. `line` is the line of the file at which it begins, counted from 1. */
type Sent = { text: string; line: number; whole: boolean };

/** For files outside of a transaction: a semicolon at the end of a line ends a statement. Comments and blank lines before it are left out. */
function statementsByLine(sql: string): Sent[] {
  const statements: Sent[] = [];
  let line = 1;
  for (const part of partsOf(sql)) {
    const before = /^(?:[ \t]*(?:--[^\n]*)?\n)*/.exec(part)?.[0] ?? '';
    const text = part.slice(before.length);
    if (!/^\s*(--[^\n]*)?$/.test(text)) statements.push({ text, line: line + lineBreaks(before), whole: false });
    line += lineBreaks(part);
  }
  return statements;
}

/** The text behind each line that ends with a semicolon begins a new part. */
function partsOf(sql: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let end = sql.indexOf('\n'); end >= 0; end = sql.indexOf('\n', end + 1)) {
    let last = end - 1;
    while (sql[last] === ' ' || sql[last] === '\t') last -= 1;
    if (sql[last] !== ';') continue;
    parts.push(sql.slice(from, end + 1));
    from = end + 1;
  }
  return [...parts, sql.slice(from)];
}

async function run(sql: Sql, migration: Migration, sent: Sent, outcome: string): Promise<void> {
  await sql.query(sent.text).catch((error) => {
    throw failureOf(migration, error, outcome, sent);
  });
}

/** With nothing sent the failure came at COMMIT, where deferred constraints are checked. */
function failureOf(migration: Migration, error: unknown, outcome: string, sent?: Sent): unknown {
  if (error instanceof MigrationError || error instanceof DatabaseUnavailable) return error;
  const { message, code, position } = error as { message: string; code?: string; position?: string };
  const place = sent ? placeOf(sent, position) : ' at its end';
  return new MigrationError(
    `Migration ${fileName(migration)} failed${place}: ${withoutValues(message, code)} (${code}). ${outcome}`,
    code,
  );
}

/**
 * PostgreSQL gives the place of what it cannot read or does not know, as a count of characters in the text that was sent. What fails
 * while it runs has none: then a statement that was sent alone is named by its first line, and of a whole file only its name is known.
 */
function placeOf({ text, line, whole }: Sent, position: string | undefined): string {
  if (position !== undefined) {
    const before = [...text].slice(0, Number(position) - 1).join('');
    return ` at line ${line + lineBreaks(before)}`;
  }
  return whole ? '' : ` at line ${line}`;
}

const lineBreaks = (text: string): number => text.split('\n').length - 1;

/** Changes when a statement ends the transaction. */
async function transactionId(tx: Sql): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return row?.id;
}

const register = (sql: Sql, { number, name, checksum }: Migration) =>
  sql.query('INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)', [number, name, checksum]);

/** Messages of class 22 quote the value that did not fit: 'invalid input syntax for type date: "…"'. */
const withoutValues = (message: string, code = '') =>
  code.startsWith('22') ? message.replace(/".*"/s, '"…"') : message;

const fileName = ({ number, name }: { number: number; name: string }) => `${digitsOf(number)}_${name}.sql`;
const digitsOf = (number: number) => String(number).padStart(4, '0');

/**
 * The first line that begins with a statement which begins or ends a transaction. `END` is missing, and `BEGIN` counts only when the
 * statement ends with it, because a function's body holds both. Whatever else ends the transaction is found by `transactionId`, but
 * only after it has happened.
 */
function transactionControlLine(sql: string): number | null {
  const lines = sql.split('\n');
  for (const [i, line] of lines.entries()) {
    const first = firstWords(line.split(';', 1)[0] ?? '');
    if (first[0] === 'begin') {
      const statement = line.includes(';')
        ? first
        : firstWords(
            lines
              .slice(i, i + 5)
              .join(' ')
              .split(';', 1)[0] ?? '',
          );
      if (statement.length === 1 || /^(work|transaction)$/.test(statement[1] ?? '')) return i + 1;
    } else if (line.includes(';') && isTransactionControl(first)) return i + 1;
  }
  return null;
}

function isTransactionControl([first, second]: readonly string[]): boolean {
  if (first === 'start' || first === 'prepare') return second === 'transaction';
  return first === 'commit' || first === 'rollback' || first === 'abort';
}

const firstWords = (text: string): string[] => text.trim().toLowerCase().split(/\s+/, 2);
const UNDEFINED_COLUMN = '42703';
// Without CREATE on the schema, and without USAGE of it, which makes it as if it were not there.
const NO_RIGHT_TO_CREATE = ['42501', '3F000'];
const LOCK_NOT_AVAILABLE = '55P03';
