/** Exports over HTTP: formats, columns, who may have personal ones, and how many at a time. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { COLUMNS, columnsOf, EXPORTS } from '../../src/loans/exports/columns.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { personalValues } from '../../src/vault/fields.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { rowsOf, wholeRows } from '../support/exports.ts';
import { fullBody } from '../support/full-body.ts';
import { leaksIn } from '../support/leaks.ts';
import { signedIn } from '../support/people.ts';
import { eventually } from '../support/service.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let service: TestApp;
let token: string;
const loanIds: string[] = [];
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  for (let n = 0; n < 4; n += 1) {
    const { status, body } = await post('loans', {
      ...fullBody(n + 1),
      ...(n === 0 ? { lenderId: '-7' } : {}),
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    loanIds.push(body.loanId);
  }
}, 60_000);
afterAll(() => service.close());

const post = (path: string, body: unknown) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });
const get = (path: string, more: { token?: string; key?: string; headers?: Record<string, string> } = {}) =>
  service.call('GET', `/v2/chain/exports/${path}`, { token, ...more });

test.each(EXPORTS)('%s has its columns in both formats, the header row also without rows', async (what) => {
  const names = columnsOf(what, false).map(({ name }) => name);
  const csv = await get(what, { headers: { accept: 'text/csv' } });
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(csv.text.slice(0, csv.text.indexOf('\r\n'))).toBe(names.join(','));
  const lines = await get(what);
  expect([lines.status, lines.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const rows = rowsOf(lines.text, 'ndjson');
  expect(rowsOf(csv.text, 'csv')).toHaveLength(rows.length);
  for (const row of rows) expect(Object.keys(row)).toEqual(names);
  expect(csv.headers.get('daybook-export-cursor')).toMatch(/^exp_[0-9a-f]{24}\.start$/);
  const other = await service.access.createOrganization(`Empty ${what}`);
  const { clientId, clientSecret } = await service.access.createClient(other.organizationId, {
    name: 'reads',
    scopes: ['reports:read', 'events:read'],
  });
  const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const empty = await get(`${what}?format=csv`, { token: signedIn.body.data.token });
  expect(empty.text).toBe(`${names.join(',')}\r\n`);
});

test('text is never a formula; numbers stay numbers; the text itself is not changed in NDJSON', async () => {
  const csv = rowsOf((await get('loans?format=csv')).text, 'csv');
  const json = rowsOf((await get('loans')).text, 'ndjson');
  const [cell, value] = [csv, json].map((rows) => rows.find(({ loanId }) => loanId === loanIds[0])?.lenderId);
  expect([cell, value]).toEqual(["'-7", '-7']);
  for (const row of csv) {
    for (const { name, kind } of columnsOf('loans', false)) {
      if (kind === 'amount') expect(row[name], name).toMatch(/^(-?\d+\.\d\d)?$/);
      if (kind === 'date') expect(row[name], name).toMatch(/^(\d{4}-\d\d-\d\d)?$/);
      if (kind === 'text') expect(row[name], name).not.toMatch(/^[=+\-@\t\r]/);
    }
  }
});

test('personal columns need the scope and the key, and each row is a disclosure before it leaves', async () => {
  const plain = await get('loans');
  const { data } = (
    await service.call('GET', `/v2/chain/loans/${loanIds[1]}`, { token, key: service.credentials.apiKey })
  ).body;
  expect(rowsOf(plain.text, 'ndjson')).toHaveLength(loanIds.length);
  expect(leaksIn(plain.text, personalValues(data))).toEqual([]);
  const poor = await service.token(['reports:read']);
  expect([(await get('loans?personal=true', { token: poor })).body.code]).toEqual(['insufficient_scope']);
  expect((await get('loans?personal=true')).body.code).toBe('key_required');
  const headers = { purpose: 'yearly mailing' };
  const full = await get('loans?personal=true', { key: service.credentials.apiKey, headers });
  const rows = rowsOf(full.text, 'ndjson');
  expect(Object.keys(rows[0] ?? {})).toEqual(COLUMNS.loans.map(({ name }) => name));
  const row = rows.find(({ loanId }) => loanId === loanIds[1]);
  const { ApplicantInfo } = data.Request;
  expect([row?.firstName, row?.lastName, row?.zip]).toEqual([
    ApplicantInfo.ApplicantFirstName,
    ApplicantInfo.ApplicantLastName,
    ApplicantInfo.ApplicantZip,
  ]);
  expect(row?.borrowerId).toBe(data.loanDetails.borrowerId);
  for (const loanId of loanIds) {
    const { body } = await service.call('GET', `/v2/chain/loans/${loanId}/disclosures`, {
      token,
      key: service.credentials.apiKey,
    });
    const seen = body.data.items.filter(({ what }: { what: string }) => what === 'export');
    expect(seen.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['yearly mailing']);
  }
  // Continued without asking for it again, it would show what must be asked for.
  const cursor = full.headers.get('daybook-export-cursor');
  expect((await get(`loans?after=${cursor}`)).body.errors).toMatchObject([{ pointer: '/personal' }]);
});

test('a person says why, and an erased borrower has no personal values', async () => {
  const auditor = await signedIn(service, ['auditor']);
  for (const purpose of [{}, { purpose: '  ' }]) {
    const refused = await service.call('GET', '/v2/chain/exports/loans?personal=true', {
      headers: { ...auditor.cookie, ...purpose },
    });
    expect([refused.status, refused.body.code]).toEqual([422, 'purpose_required']);
  }
  const { body: made } = await post('loans', fullBody(9));
  const taken = async () => {
    const answer = await service.call('GET', '/v2/chain/exports/loans?personal=true', {
      headers: { ...auditor.cookie, purpose: 'audit of the year' },
    });
    expect(answer.status, answer.text).toBe(200);
    return rowsOf(answer.text, 'ndjson').find(({ loanId }) => loanId === made.loanId) ?? {};
  };
  const personal = COLUMNS.loans.filter((one) => one.personal === true).map(({ name }) => name);
  const before = await taken();
  expect(before.lastName).not.toBeNull();
  expect((await post('cancel', { loanId: made.loanId, reason: 'withdrawn' })).status).toBe(200);
  const now = service.clock.now + 60_000;
  expect(await eraseBorrower(service.db, { loanId: made.loanId, retentionDays: 0, now })).toHaveProperty('erasedAt');
  const after = await taken();
  expect(personal.map((name) => after[name])).toEqual(personal.map(() => null));
  expect([after.loanStatus, after.loanAmount]).toEqual(['Cancelled', before.loanAmount]);
});

test('no column that anyone may have is of the borrower’s address', () => {
  for (const what of EXPORTS) {
    expect(columnsOf(what, false).filter(({ name }) => /state$|zip|city|address/i.test(name))).toEqual([]);
  }
});

test('wrong cursors, dates and filters are refused with what to do', async () => {
  const errorsOf = async (path: string) =>
    (await get(path)).body.errors?.map(({ pointer }: { pointer: string }) => pointer);
  expect(await errorsOf('loans?after=nonsense')).toEqual(['/after']);
  expect(await errorsOf('loans?asOf=2026-02-30')).toEqual(['/asOf']);
  expect(await errorsOf('payments?from=2026-02-02&to=2026-02-01')).toEqual(['/from']);
  expect(await errorsOf('loans?status=Lost')).toEqual(['/status']);
  expect((await get('loans?from=2026-01-01')).status).toBe(422);
  expect((await get('positions?asOf=2026-01-15')).body.errors).toEqual([
    { pointer: '/asOf', code: 'range', detail: 'Must be a month end, such as 2026-01-31.' },
  ]);
  expect((await get('loans', { headers: { accept: 'application/pdf' } })).status).toBe(406);
});

/** The answer has begun, and nothing of the body has been read. */
async function begun(path: string): Promise<{ answer: IncomingMessage; end: () => void }> {
  const sent = request(`${service.url}/v2/chain/exports/${path}`, {
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  });
  sent.on('error', () => {}).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return { answer, end: () => sent.destroy() };
}

slowTest(
  'an organization may take four at a time; a connection that breaks does not look like an end',
  async () => {
    const text = 'x'.repeat(60);
    // Enough rows that an answer nobody reads does not fit into the buffers between the two.
    await service.db.query(
      `INSERT INTO journal (volume, loan_id, sequence, line, organization_id, lender_id, block, entry, account, amount, date_effective, date_posted)
     SELECT l.volume, l.loan_id, 1, 100 + n, l.organization_id, $2, h.number, 'receipt', 'cash', n, '2026-01-15', '2026-01-15'
     FROM loans l JOIN ledger_heads h USING (volume), generate_series(1, 12000) n WHERE l.organization_id = $1`,
      [service.organizationId, text],
    );
    const whole = (await get('journal?format=csv')).text;
    expect(rowsOf(whole, 'csv').length).toBeGreaterThanOrEqual(48_000);
    const taken = [];
    for (let n = 0; n < 4; n += 1) taken.push(await begun('journal?format=csv'));
    const refused = await get('journal');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'too_many_waiting',
      '10',
    ]);
    for (const { end } of taken.slice(1)) end();
    const [{ answer, end } = await begun('journal')] = taken;
    let got = '';
    await new Promise<void>((resolve) => {
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        got += chunk;
        if (got.length > 500_000) end();
      });
      answer.on('close', resolve);
    });
    expect(answer.complete).toBe(false);
    const { kept, cursor } = wholeRows(got, 'csv');
    const rest = await eventuallyTaken(`journal?format=csv&after=${cursor}`);
    expect(kept + rest === whole).toBe(true);
  },
  60_000,
);

async function eventuallyTaken(path: string): Promise<string> {
  let text = '';
  await eventually(async () => {
    const answer = await get(path);
    text = answer.text;
    return answer.status === 200;
  });
  return text;
}

test('docs/exports.md has every column, in order', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/exports.md'), 'utf8');
  for (const what of EXPORTS) {
    const [, section = ''] = page.split(`### ${what}\n`);
    const rows = [...(section.split('\n#')[0] as string).matchAll(/^\| `(\w+)` \| (\w+) \| (.*) \|$/gm)];
    const listed = rows.map(([, name, kind, about]) => [name, kind, about]);
    const columns = COLUMNS[what].map(({ name, kind, about, personal }) => [
      name,
      kind,
      personal === true ? `${about} Personal.` : about,
    ]);
    expect(listed, what).toEqual(columns);
  }
});
