/** The audit trail at the command line: what each command leaves, the list, and an export that is checked offline. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { repay, type TestLoans, testLoans } from '../support/loans.ts';
import { connectionTo, urlOf } from '../support/server.ts';
import { cli, endAll, newDataDir } from '../support/service.ts';
import { TRAIL } from '../support/trail.ts';

const PATIENT = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'daybook-audit-'));
const file = (name: string) => join(folder, name);

let room: TestLoans;
let loanId: string;
let env: Record<string, string>;
let organizationId: string;

beforeAll(async () => {
  room = await testLoans();
  loanId = await room.live();
  await room.done(loanId, repay('first', 88_849));
  const [{ name } = { name: '' }] = await room.db.query<{ name: string }>('SELECT current_database() AS name');
  // The key of `test/support/loans.ts`.
  env = {
    DATABASE_URL: urlOf(connectionTo(inject('server'), name)),
    MASTER_KEY: '07'.repeat(32),
    DATA_DIR: newDataDir(),
  };
}, PATIENT);
afterAll(async () => {
  await endAll();
  await room.close();
  rmSync(folder, { recursive: true });
}, PATIENT);

async function json(...args: string[]) {
  const { code, stdout, output } = await cli([...args, '--json'], env);
  expect(code, output).toBe(0);
  return JSON.parse(stdout);
}

const entries = () =>
  room.db.query<Record<string, string>>(
    `SELECT organization_id, kind, operation, subject, account, client_id FROM ${TRAIL} WHERE client_id = 'operator' ORDER BY entry_id`,
  );

describe('commands', { timeout: PATIENT }, () => {
  test('each leaves one entry, in the trail of the organization that it concerns', async () => {
    const made = await json('organizations', 'create', '--name', 'Break Glass');
    organizationId = made.organizationId;
    const whose = ['--organization', organizationId];
    const created = await json('clients', 'create', '--name', 'desk', '--scopes', 'audit:read', ...whose);
    await json('clients', 'revoke', created.clientId, ...whose);
    await json('clients', 'list', ...whose);
    await json('keys', 'list');
    expect((await cli(['export', '--loan', loanId, '--out', file('loan.json')], env)).code).toBe(0);
    expect((await cli(['verify'], env)).code).toBe(0);
    const by = { client_id: 'operator', account: userInfo().username };
    expect(await entries()).toEqual([
      {
        ...by,
        organization_id: organizationId,
        kind: 'did',
        operation: 'organizations-create',
        subject: organizationId,
      },
      { ...by, organization_id: organizationId, kind: 'did', operation: 'clients-create', subject: created.clientId },
      { ...by, organization_id: organizationId, kind: 'did', operation: 'clients-revoke', subject: created.clientId },
      { ...by, organization_id: organizationId, kind: 'saw', operation: 'clients-list', subject: null },
      { ...by, organization_id: '', kind: 'saw', operation: 'keys-list', subject: null },
      { ...by, organization_id: 'org_test', kind: 'saw', operation: 'export', subject: null },
      { ...by, organization_id: '', kind: 'saw', operation: 'verify', subject: null },
    ]);
    // A command that fails has changed nothing.
    expect((await cli(['clients', 'revoke', 'client_none', ...whose], env)).code).toBe(2);
    expect(await entries()).toHaveLength(7);
  });

  test('the list shows the trail of an organization or of the operator', async () => {
    const of = (rows: { operation: string }[]) => rows.map(({ operation }) => operation);
    const own = await json('audit', 'list', '--organization', organizationId, '--kind', 'did');
    expect(of(own)).toEqual(['clients-revoke', 'clients-create', 'organizations-create']);
    expect(of(await json('audit', 'list', '--service', '--limit', '2'))).toEqual(['verify', 'keys-list']);
    for (const wrong of [
      ['--kind', 'all'],
      ['--limit', '0'],
      ['--from', 'yesterday'],
      ['--loan', 'x'],
    ]) {
      expect((await cli(['audit', 'list', ...wrong], env)).code).toBe(2);
    }
  });
});

describe('an export', { timeout: PATIENT }, () => {
  const check = async (lines: readonly string[]) => {
    writeFileSync(file('changed.jsonl'), `${lines.join('\n')}\n`);
    const { code, stdout } = await cli(['verify', '--audit', file('changed.jsonl'), '--json'], {});
    return {
      code,
      told: stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    };
  };

  test('has every link, and a line that was changed, removed or moved is found without a database', async () => {
    await room.loans.ledger.seal();
    const { code, output } = await cli(['audit', 'export', '--out', file('all.jsonl')], env);
    expect(code, output).toBe(0);
    const lines = readFileSync(file('all.jsonl'), 'utf8').trimEnd().split('\n');
    const [row] = await room.db.query<{ count: number }>('SELECT count(*)::int AS count FROM audit');
    expect(lines).toHaveLength(2 + (row?.count ?? 0));
    const sound = await check(lines);
    expect(sound).toMatchObject({ code: 0, told: [{ entries: row?.count, gaps: 0, complaints: 0 }] });
    // A link that has one before and one behind it in its volume.
    const links = lines.map((line) => (JSON.parse(line) as { link?: { volume: number } }).link?.volume);
    const at = links.findIndex((volume, i) => i > 0 && volume === links[i - 1] && volume === links[i + 1]);
    expect(at).toBeGreaterThan(0);
    const changed = lines.with(at, (lines[at] ?? '').replace('"outcome":"done"', '"outcome":"gone"'));
    expect(await check(changed)).toMatchObject({ code: 1, told: [{ line: at + 1 }, { complaints: 1 }] });
    expect(await check(lines.toSpliced(at, 1))).toMatchObject({
      code: 1,
      told: [{ what: 'the link before it is missing' }, { line: lines.length - 1 }, { complaints: 2 }],
    });
    const cutOff = { what: 'the last line of the export is missing: the file was cut off' };
    expect(await check(lines.slice(0, -1))).toMatchObject({ code: 1, told: [cutOff, { complaints: 1 }] });
    expect(await check(lines.toSpliced(-2, 1))).toMatchObject({
      code: 1,
      told: [{ what: `${row?.count} entries were exported, and ${(row?.count ?? 0) - 1} are in the file` }, {}],
    });
    const swapped = lines.with(at, lines[at + 1] ?? '').with(at + 1, lines[at] ?? '');
    expect((await check(swapped)).code).toBe(1);
    expect((await check(lines.with(at, 'Dear Sir'))).code).toBe(1);
  });

  test('of one organization and one time has its entries alone', async () => {
    const args = ['audit', 'export', '--organization', organizationId, '--out', file('one.jsonl')];
    expect((await cli(args, env)).code).toBe(0);
    const lines = readFileSync(file('one.jsonl'), 'utf8').trimEnd().split('\n').slice(1, -1);
    const found = lines.map((line) => JSON.parse(line).entry.organizationId as string);
    expect(new Set(found)).toEqual(new Set([organizationId]));
    expect((await cli(['verify', '--audit', file('one.jsonl')], {})).output).toContain('No problems found.');
    expect((await cli(['audit', 'export', '--until', '2001-01-01'], env)).stdout.trim().split('\n')).toHaveLength(2);
    writeFileSync(file('empty.jsonl'), '');
    for (const wrong of [
      ['--audit', file('none')],
      ['--audit', file('empty.jsonl')],
      ['--audit', file('loan.json'), '--loan', 'x'],
    ]) {
      expect((await cli(['verify', ...wrong], {})).code).toBe(2);
    }
  });
});
