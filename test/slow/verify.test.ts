/** `npm run verify` and `npm run export` as processes: what they print and their exit codes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { refusalOf } from '../support/command.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { repay, type TestLoans, testLoans } from '../support/loans.ts';
import { connectionTo, urlOf } from '../support/server.ts';
import { cli, endAll, newDataDir } from '../support/service.ts';

const PATIENT = 90_000;
const folder = mkdtempSync(join(tmpdir(), 'daybook-verify-'));
const file = (name: string) => join(folder, name);
/** The key of `test/support/loans.ts`. */
const MASTER_KEY = '07'.repeat(32);

let room: TestLoans;
let empty: TestDatabase;
let loanId: string;
let env: Record<string, string>;

beforeAll(async () => {
  [room, empty] = await Promise.all([testLoans(), testDatabase({ migrated: false })]);
  loanId = await room.live();
  await room.done(loanId, repay('first', 88_849));
  await room.loans.ledger.seal();
  await room.done(loanId, repay('second', 10_000));
  await room.create();
  const [{ name } = { name: '' }] = await room.db.query<{ name: string }>('SELECT current_database() AS name');
  env = { DATABASE_URL: urlOf(connectionTo(inject('server'), name)), MASTER_KEY, DATA_DIR: newDataDir() };
}, PATIENT);
afterAll(async () => {
  await endAll();
  await Promise.all([room.close(), empty.drop()]);
  rmSync(folder, { recursive: true });
}, PATIENT);

describe('used wrongly', { timeout: PATIENT }, () => {
  test('exit code 2 and what to do', async () => {
    const nowhere = { DATA_DIR: newDataDir() };
    writeFileSync(file('text'), 'Dear Sir or Madam');
    writeFileSync(file('other.json'), '{"message":"ok","data":{"loanId":"0x01"}}');
    writeFileSync(file('null.json'), 'null');
    const wrong: [args: string[], says: string | RegExp][] = [
      [['verify', 'all'], /^Unexpected argument "all"\.\n\nUsage: npm run verify/],
      [['verify', '--out', 'x'], /^"verify" has no option --out\.\n\nUsage: npm run verify/],
      [['verify', '--loan', file('none')], `File not found: ${file('none')}.\n`],
      [['verify', '--loan', folder], `${folder} cannot be read (EISDIR).\n`],
      [['verify', '--loan', file('text')], `${file('text')} is not JSON.\n`],
      [['verify', '--loan', file('other.json')], /other\.json is not the export of a loan: see `npm run export/],
      [['verify', '--loan', file('null.json')], /null\.json is not the export of a loan/],
      [['export'], /^--loan is missing\.\n\nUsage: npm run export/],
      [['export', '--loan', '0x12'], /^--loan must be a loan id: 0x followed by 64 lower-case hexadecimal digits\.\n/],
    ];
    for (const [args, says] of wrong) {
      const said = await refusalOf(args);
      if (typeof says === 'string') expect(said).toBe(says);
      else expect(said).toMatch(says);
    }
    const atDatabase: [args: string[], env: Record<string, string>, says: string | RegExp][] = [
      [['verify'], nowhere, /^There is no database in DATA_DIR \(.*\): start the service once/],
      [['export', '--loan', `0x${'0'.repeat(64)}`], env, 'There is no such loan.\n'],
      [['export', '--loan', loanId, '--out', join(folder, 'no', 'where')], env, /cannot be written \(ENOENT\)\.\n$/],
      [['verify'], { ...env, MASTER_KEY: '11'.repeat(32) }, /^MASTER_KEY does not match this database: /],
      [
        ['verify'],
        { ...env, DATABASE_URL: urlOf(empty.connection) },
        'The database is not up to date: start the service, which brings it up to date, or run `npm run migrate`.\n',
      ],
    ];
    for (const [args, given, says] of atDatabase) {
      const { code, output } = await cli(args, given);
      if (typeof says === 'string') expect(output).toBe(says);
      else expect(output).toMatch(says);
      expect({ args, code }).toEqual({ args, code: 2 });
    }
    // A command that only reads leaves nothing behind.
    expect(await empty.db.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });
});

describe('the whole book', { timeout: PATIENT }, () => {
  test('in order: what was checked, and exit code 0', async () => {
    const [{ hash = '', number = 0 } = {}] = await room.db.query<{ hash: string; number: bigint }>(
      `SELECT number, '0x' || encode(hash, 'hex') AS hash FROM ledger_roots ORDER BY number DESC LIMIT 1`,
    );
    const [{ blocks = 0 } = {}] = await room.db.query<{ blocks: number }>('SELECT count(*)::int AS blocks FROM blocks');
    const [{ lines = 0 } = {}] = await room.db.query<{ lines: number }>('SELECT count(*)::int AS lines FROM journal');
    const [{ entries = 0 } = {}] = await room.db.query<{ entries: number }>(
      'SELECT count(*)::int AS entries FROM audit',
    );
    const [people, programs] = await Promise.all([cli(['verify'], env), cli(['verify', '--json'], env)]);
    expect(people.stdout).toBe(
      `Checked: 2 loans, 8 transactions (2 not sealed yet), ${blocks} blocks, ${lines} journal lines, ${entries} audit links.\n` +
        `Last root: ${number}, ${hash}.\nNo problems found.\n`,
    );
    expect(people.code).toBe(0);
    const counts = { loans: 2, transactions: 8, unsealed: 2, blocks, lines, entries, answers: 0, erased: 0 };
    const lastRoot = { number: Number(number), hash };
    expect(JSON.parse(programs.stdout)).toEqual({ ...counts, lastRoot, complaints: 0 });
    expect(programs.code).toBe(0);
  });

  test('with problems: one line for each, at most a thousand, and exit code 1', async () => {
    const stray = 1_100;
    await room.db.query('UPDATE loans SET principal = principal + 1 WHERE loan_id = $1', [`\\x${loanId.slice(2)}`]);
    await room.db.query(
      `INSERT INTO blind_index (volume, organization_id, kind, digest, loan_id)
       SELECT get_byte(sha256(n::text::bytea), 0) % 16, 'org_test', 'ssn', sha256(n::text::bytea), sha256(n::text::bytea) FROM generate_series(1, ${stray}) n`,
    );
    const [people, programs] = await Promise.all([cli(['verify'], env), cli(['verify', '--json'], env)]);
    const printed = people.stdout.trimEnd().split('\n');
    expect(printed.length).toBe(1_000 + 3);
    const first = printed.find((line) => line.startsWith('blind_index'));
    expect(first).toMatch(/^blind_index, loan 0x[0-9a-f]{64}: 1 row is of a loan that does not exist$/);
    expect(printed.at(-1)).toBe('1,101 problems, the first 1,000 of them listed above.');
    expect(people.code).toBe(1);
    const told = programs.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.at(-1)).toMatchObject({ loans: 2, complaints: stray + 1 });
    expect(programs.code).toBe(1);

    await room.db.query(
      `DELETE FROM blind_index o WHERE NOT EXISTS (SELECT 1 FROM loans l WHERE l.volume = o.volume AND l.loan_id = o.loan_id)`,
    );
    const { code, stdout } = await cli(['verify', '--json'], env);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toEqual({
      table: 'loans',
      loanId,
      transaction: null,
      block: null,
      what: 'principal does not match its history',
      expected: '901151',
      found: '901152',
    });
    expect(code).toBe(1);
  });
});

describe('one loan', { timeout: PATIENT }, () => {
  test('is written to a file or to the standard output, and checked without a database', async () => {
    const out = file('export.json');
    const { MASTER_KEY: _, ...keyless } = env;
    const [written, printed] = await Promise.all([
      cli(['export', '--loan', loanId, '--out', out], keyless),
      cli(['export', '--loan', loanId], env),
    ]);
    expect(written).toMatchObject({ code: 0, output: `${out} written.\n` });
    expect(printed.code).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(printed.stdout);
    const { message, data } = JSON.parse(printed.stdout);
    expect(message).toBe('ok');
    expect(data.items.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);

    const header = data.items[5].proof.header;
    const blocks = new Set(data.items.slice(0, 6).map(({ block }: { block: number }) => block));
    const { code, output } = await cli(['verify', '--loan', out], {});
    expect(output).toBe(
      `7 of 7 transactions and ${blocks.size} of ${blocks.size} blocks are correct; 1 transaction not sealed yet.\n` +
        `Compare with GET /ledger/blocks/${header.number}: ${header.hash}.\nNo problems found.\n`,
    );
    expect(code).toBe(0);
  });

  test('what was changed in the file is named', async () => {
    const text = readFileSync(file('export.json'), 'utf8');
    const changed = JSON.parse(text);
    changed.data.items[5].body = changed.data.items[5].body.replace('88849', '88850');
    const emptied = JSON.parse(text);
    emptied.data.items = [];
    writeFileSync(file('changed.json'), JSON.stringify(changed));
    writeFileSync(file('emptied.json'), JSON.stringify(emptied.data));
    const [one, none, json] = await Promise.all([
      cli(['verify', '--loan', file('changed.json')], {}),
      cli(['verify', '--loan', file('emptied.json')], {}),
      cli(['verify', '--loan', file('changed.json'), '--json'], {}),
    ]);
    expect(one.stdout).toMatch(
      /^transaction 6: transactionHash is 0x\w+; the SHA-256 of body is 0x\w+: body was changed\.\n6 of 7 transactions and \d+ of \d+ blocks are correct; 1 transaction not sealed yet\.\nCompare .*\n1 problem\.\n$/,
    );
    expect(one.code).toBe(1);
    expect(none).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^export: There are no transactions; a loan has at least its creation/),
    });
    const [complaint, counts] = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(complaint).toMatchObject({ where: 'transaction 6' });
    expect(counts).toMatchObject({ transactions: 7, unsealed: 1, complaints: 1 });
    expect(json.code).toBe(1);
  });
});
