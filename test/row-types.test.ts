/**
 * Row types are what the database gives: those of the tables are generated from `migrations/schema.sql`, and those of statements are compared
 * with the columns that PostgreSQL describes for each of them.
 */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { driverType, KNOWN_TYPES, tableTypes } from '../scripts/table-types.ts';
import { type TestDatabase, testDatabase } from './support/database.ts';
import { type Describer, openDescriber } from './support/described.ts';
import { rowComplaints } from './support/row-complaints.ts';
import type { Member, Statement } from './support/statements.ts';

const root = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

let database: TestDatabase;
let describer: Describer;
beforeAll(async () => {
  database = await testDatabase();
  describer = await openDescriber(database.connection);
});
afterAll(async () => {
  await describer.close();
  await database.drop();
});

describe('the row types of tables', () => {
  test('src/store/db/tables.ts is what migrations/schema.sql gives', () => {
    expect(
      tableTypes(textOf('migrations/schema.sql')) === textOf('src/store/db/tables.ts'),
      'src/store/db/tables.ts differs; write it again with `npm run tables` and look at the difference',
    ).toBe(true);
  });

  test('every table that is no partition is there', async () => {
    const rows = await database.db.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    const named = [...textOf('src/store/db/tables.ts').matchAll(/^ {2}(\w+): \{$/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  test('columns of all forms', () => {
    const schema = `CREATE TABLE a (
  "position" integer DEFAULT 1 NOT NULL,
  at timestamp with time zone,
  rate numeric(10,4) NOT NULL,
  place smallint GENERATED ALWAYS AS (
CASE
    WHEN (at IS NULL) THEN 7
END) NOT NULL,
  scopes text[],
  state text,
  CONSTRAINT a_check CHECK ((rate > (0)::numeric)),
  CONSTRAINT a_state_check CHECK ((state = ANY (ARRAY['open'::text, 'done'::text])))
) PARTITION BY RANGE (at);

CREATE UNLOGGED TABLE b (
  on_day date NOT NULL
) WITH (fillfactor=70);

CREATE TABLE a_old (
  at date
) INHERITS (a) DEFAULT;
`;
    expect(tableTypes(schema)).toMatch(
      / {2}a: \{\n {4}position: number;\n {4}at: Date \| null;\n {4}rate: string;\n {4}place: number;\n {4}scopes: string\[\] \| null;\n {4}state: 'open' \| 'done' \| null;\n {2}\};\n {2}b: \{\n {4}on_day: PlainDate;\n {2}\};\n\};\n$/,
    );
    expect(() => tableTypes('CREATE TABLE a (\n  shape circle\n);')).toThrow('for circle');
  });

  /** A value of each type, as a constant of SQL. */
  const CONSTANTS: Readonly<Record<string, string>> = {
    boolean: 'true',
    name: 'a',
    text: 'a',
    date: '2024-02-29',
    'timestamp with time zone': '2024-02-29 00:00Z',
    bytea: '\\x00',
    json: '{}',
    jsonb: '{}',
  };

  test.each(KNOWN_TYPES)('the driver gives for %s what is said', async (type) => {
    const element = type.replace('[]', '');
    const constant = CONSTANTS[element] ?? '1';
    const written = element === type ? `'${constant}'::${type}` : `ARRAY['${constant}'::${element}]`;
    const [row] = await database.db.query<{ value: unknown }>(`SELECT ${written} AS value`);
    expect(kindOf(row?.value)).toBe(driverType(type).replace('PlainDate', 'string'));
  });

  function kindOf(value: unknown): string {
    if (Array.isArray(value)) return `${kindOf(value[0])}[]`;
    if (value instanceof Date) return 'Date';
    if (Buffer.isBuffer(value)) return 'Buffer';
    return typeof value === 'object' ? 'unknown' : typeof value;
  }
});

describe('the row types of statements', () => {
  /** Statements and columns that may be null in their tables, and why they are not null in these rows. */
  const NEVER_NULL: Readonly<Record<string, string>> = {
    'books/books.ts readLoansToFold on': 'compared with a day',
    'cycle/cycles.ts readLoansOfDay changes_on': 'compared with a day',
    'db/migrate.ts lockMigrations pid': 'a lock that is granted has a holder',
    'door/test-clocks.ts claimAdvance advancing_to': 'asked for in the query for the clock',
    'door/test-clocks.ts keepAdvance advancing_to': 'asked for',
    'feed/feed.ts readEvents recorded_for': 'only the transactions of books have none, and they are of no loan',
    'origination/underwriting.ts readPulls sealed': 'a pull that is answered has it, by a constraint',
    'people/custom-data.ts readCustomNotes note': 'asked for',
    'reads/reads.ts readSealedNotes note': 'asked for',
    'reads/reads.ts recordDisclosures version': 'asked for',
    'verify/verify.ts readBounds accrued': 'asked for books that accrue, which have it by a constraint',
    'verify/verify.ts readBounds accruedThrough': 'like accrued',
    'verify/verify.ts readNotesThrough note': 'asked for',
  };
  /** Statements that this database cannot describe, and why. */
  const NOT_DESCRIBED: Readonly<Record<string, string>> = {
    'db/volumes.ts isSharded': 'asks a table of Citus, once it is there',
    'db/snapshot.ts schemaSnapshot': 'sends several settings in one text',
  };

  /** Calls that have no row type of their own, and why. */
  const WITHOUT_TYPE: Readonly<Record<string, string>> = {
    'db/db.ts openDb': 'the script of a library, with its values',
    'db/embedded/answer.ts servesCluster': 'before there is a pool, by the driver itself',
    'db/embedded/roles.ts ensureDatabase': 'before there is a pool, by the driver itself',
    'db/volumes.ts queryByVolume': 'the type is the caller’s, and each call of it counts as a statement',
  };

  async function allStatements(): Promise<Statement[]> {
    const script = fileURLToPath(new URL('./support/statements-process.ts', import.meta.url));
    // The functions that it uses for reading TypeScript are announced as experimental.
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', script], { maxBuffer: 2 ** 26 });
    return JSON.parse(stdout);
  }

  async function complaintsOf(statement: Statement): Promise<string[]> {
    const { row, texts, unknown } = statement;
    if (row !== null && unknown !== null)
      return [`the text is not known because of ${unknown}; give a sample that sends it`];
    const each: string[][] = [];
    for (const text of texts) {
      const columns = await describer.columnsOf(text).catch((error: Error) => error);
      each.push(columns instanceof Error ? [columns.message] : rowComplaints(statement, columns, text));
    }
    // A column that is null in one of the texts alone is rightly declared with null.
    const isOfAll = (one: string) => each.every((complaints) => complaints.includes(one));
    return [...new Set(each.flat().filter((one) => !one.includes('is never null') || isOfAll(one)))];
  }

  test('each has the columns that PostgreSQL describes', async () => {
    const statements = await allStatements();
    expect(statements.filter(({ row }) => row !== null).length).toBeGreaterThan(200);
    const untyped = statements.filter(({ isTyped }) => !isTyped).map(({ where }) => where);
    expect([...new Set(untyped)].toSorted()).toEqual(Object.keys(WITHOUT_TYPE));
    const complaints: string[] = [];
    const used = new Set<string>();
    for (const statement of statements) {
      const { where, place } = statement;
      for (const one of await complaintsOf(statement)) {
        const allowed = [where, `${where} ${one.split(' ')[0]}`].find((key) =>
          one.includes('may be null') ? key in NEVER_NULL : key in NOT_DESCRIBED,
        );
        if (allowed === undefined) complaints.push(`${place} ${where}: ${one}`);
        else used.add(allowed);
      }
    }
    expect(complaints).toEqual([]);
    expect([...used].toSorted()).toEqual([...Object.keys(NEVER_NULL), ...Object.keys(NOT_DESCRIBED)].toSorted());
  });

  test('all of them are in src/store', () => {
    const others = globSync('src/**/*.ts', { cwd: root, exclude: ['src/store/**', '**/*.test.ts'] });
    expect(others.filter((path) => /\.query<|queryByVolume/.test(textOf(path)))).toEqual([]);
  });

  describe('a complaint says', () => {
    const member = (name: string, values: string, more: Partial<Member> = {}): Member => ({
      ...{ name, values: [values], nullable: false, optional: false },
      ...more,
    });
    const found = async (text: string, ...row: Member[]) =>
      rowComplaints({ row, open: false }, await describer.columnsOf(text), text);

    test.each<[string, string, Member[]]>([
      [
        'name is selected, and the row type does not have it',
        'SELECT client_id, name FROM clients',
        [member('client_id', 'string')],
      ],
      [
        'id is in the row type, and no column has this name',
        'SELECT client_id FROM clients',
        [member('client_id', 'string'), member('id', 'string')],
      ],
      [
        'name is selected twice',
        'SELECT c.name, o.name FROM clients c JOIN organizations o USING (organization_id)',
        [member('name', 'string')],
      ],
      [
        'n is bigint, bigint from the driver, and declared number',
        'SELECT count(*) AS n FROM clients',
        [member('n', 'number')],
      ],
      [
        'secret_hash may be null in its table, and is declared without null',
        'SELECT secret_hash FROM clients',
        [member('secret_hash', 'string')],
      ],
      [
        'key_hash may be null after a LEFT JOIN, and is declared without null',
        'SELECT k.key_hash FROM clients c LEFT JOIN api_keys k USING (client_id)',
        [member('key_hash', 'Uint8Array')],
      ],
      [
        'key_hash may be null after a LEFT JOIN, and is declared without null',
        'SELECT k.key_hash FROM clients c LEFT JOIN LATERAL (SELECT * FROM api_keys WHERE (key_id = c.name)) k ON true',
        [member('key_hash', 'Uint8Array')],
      ],
      [
        'name is never null, and is declared with null',
        'SELECT c.name FROM clients c LEFT JOIN api_keys k USING (client_id)',
        [member('name', 'string', { nullable: true })],
      ],
    ])('%s', async (complaint, text, row) => {
      expect(await found(text, ...row)).toEqual([complaint]);
    });

    test('nothing where they agree', async () => {
      const text = `SELECT c.client_id, c.scopes, c.secret_hash, k.created_at, count(*) OVER ()::int AS n
        FROM clients c LEFT JOIN api_keys k USING (client_id)`;
      const row = [member('client_id', 'string'), member('scopes', 'string[]'), member('n', 'number')];
      const nullable = { nullable: true };
      row.push(member('secret_hash', 'string', nullable), member('created_at', 'Date', nullable));
      row.push(member('later', 'string', { optional: true }));
      expect(await found(text, ...row)).toEqual([]);
    });
  });
});
