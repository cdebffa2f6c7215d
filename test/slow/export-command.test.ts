/** `npm run export` writes what `GET /exports/…` answers, byte for byte, and continues a file. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { EXPORTS } from '../../src/loans/exports/columns.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { refusalOf } from '../support/command.ts';
import { fullBody } from '../support/full-body.ts';
import { connectionTo, urlOf } from '../support/server.ts';
import { cli, endAll, newDataDir } from '../support/service.ts';

const PATIENT = { timeout: 120_000 };
const folder = mkdtempSync(join(tmpdir(), 'daybook-export-'));
const file = (name: string) => join(folder, name);

let service: TestApp;
let token: string;
let env: Record<string, string>;
beforeAll(async () => {
  service = await testApp();
  service.clock.now = Date.now();
  token = await service.token();
  for (let n = 1; n <= 3; n += 1) {
    const { status } = await service.call('POST', '/v2/chain/loans', {
      token,
      key: service.credentials.apiKey,
      body: fullBody(n),
    });
    expect(status).toBe(200);
  }
  const [{ name } = { name: '' }] = await service.db.query<{ name: string }>('SELECT current_database() AS name');
  const url = urlOf(connectionTo(inject('server'), name));
  env = { DATABASE_URL: url, MASTER_KEY: '07'.repeat(32), DATA_DIR: newDataDir() };
}, PATIENT.timeout);
afterAll(async () => {
  await endAll();
  await service.close();
  rmSync(folder, { recursive: true });
}, PATIENT.timeout);

const answered = async (path: string) => (await service.call('GET', `/v2/chain/exports/${path}`, { token })).text;

test('the same bytes as the answer, to standard output and to a file', PATIENT, async () => {
  for (const what of EXPORTS) {
    const { code, stdout } = await cli(['export', what, '--format', 'csv'], env);
    expect([code, stdout]).toEqual([0, await answered(`${what}?format=csv`)]);
  }
  const entries = await service.db.query(
    "SELECT 1 FROM audit_waiting WHERE operation LIKE 'export-%' AND client_id = 'operator' AND organization_id = $1",
    [service.organizationId],
  );
  expect(entries).toHaveLength(EXPORTS.length);
});

test('a file that was cut off is continued after its last complete row', PATIENT, async () => {
  for (const format of ['csv', 'ndjson'] as const) {
    const [out, whole] = [file(`loans.${format}`), await answered(`loans?format=${format}`)];
    const args = ['export', 'loans', '--format', format, '--out', out];
    expect(await cli(args, env)).toMatchObject({ code: 0, stdout: `${out} written: 3 rows.\n` });
    expect(readFileSync(out, 'utf8')).toBe(whole);
    expect(await cli([...args, '--resume'], env)).toMatchObject({ code: 0, stdout: `${out} is already complete.\n` });
    // Within the second of three rows.
    truncateSync(
      out,
      whole
        .split('\n')
        .slice(0, format === 'csv' ? 2 : 1)
        .join('\n').length + 90,
    );
    expect(await cli([...args, '--resume'], env)).toMatchObject({ code: 0, stdout: `${out} written: 2 rows more.\n` });
    expect(readFileSync(out, 'utf8')).toBe(whole);
  }
});

test('used wrongly: exit code 2 and what to do', PATIENT, async () => {
  writeFileSync(file('letter'), 'Dear Sir\nor Madam\n');
  const wrong: [string[], RegExp][] = [
    [['export', 'loans', '--format', 'xml'], /^--format must be csv or ndjson\./],
    [['export', 'loans', '--resume'], /^--resume continues the file of --out\./],
    [['export', 'loans', '--from', '2026-01-01'], /^"export loans" has no option --from\./],
  ];
  for (const [args, says] of wrong) expect(await refusalOf(args)).toMatch(says);
  const atDatabase: [string[], RegExp][] = [
    [['--out', file('letter'), '--resume'], /letter is not an export as ndjson\./],
    [['--after', 'exp_000000000000000000000000.start'], /^--after: there is no such export/],
  ];
  for (const [more, says] of atDatabase) {
    const { code, output } = await cli(['export', 'loans', ...more], env);
    expect([code, output]).toEqual([2, expect.stringMatching(says)]);
  }
});
