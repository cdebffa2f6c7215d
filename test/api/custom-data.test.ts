/** Custom data, which the owner of a loan keeps with it for its own use: set, merged, found, read on any day, and nobody else's. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { readConfig } from '../../src/config.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { type Answered, TEST_MASTER_KEY, type TestApp, testApp } from '../support/app.ts';
import { DETAILS } from '../support/boarded-details.ts';
import { granted } from '../support/granted.ts';
import { exampleRecord } from '../support/interface-example.ts';
import { creation, loanIn } from '../support/statuses.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

/** An organization's client that may do everything. */
type Party = { organizationId: string; token: string; key: string };

let service: TestApp;
let own: Party;
beforeAll(async () => {
  service = await testApp();
  const { organizationId, credentials } = service;
  own = { organizationId, token: await service.token(), key: credentials.apiKey };
});
afterAll(() => service.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}, by: Party = own): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { token: by.token, key: by.key, body, headers });
const get = (path: string, by: Party = own): Promise<Answered> =>
  service.call('GET', `/v2/chain/${path}`, { token: by.token, key: by.key });

async function on(day: string, ...others: Party[]): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  own.token = await service.token();
  for (const one of others) one.token = await tokenOf(one);
}

const secrets = new Map<string, { clientId: string; clientSecret: string }>();
async function tokenOf({ organizationId }: Party): Promise<string> {
  const answer = await service.call('POST', '/v2/chain/auth-token', { body: secrets.get(organizationId) });
  return answer.body.data.token;
}

async function another(name: string): Promise<Party> {
  const { organizationId } = await service.access.createOrganization(name, 0);
  const scopes: Scope[] = ['loans:read', 'loans:read_pii', 'loans:write', 'servicing:write', 'payments:write'];
  const made = await service.access.createClient(organizationId, { name, scopes, rateLimitPerMinute: 0 });
  secrets.set(organizationId, { clientId: made.clientId, clientSecret: made.clientSecret });
  const party = { organizationId, token: '', key: made.apiKey };
  return { ...party, token: await tokenOf(party) };
}

async function loan(customData?: object, more: object = {}): Promise<string> {
  const answer = await post('loans', creation({ ...more, ...(customData === undefined ? {} : { customData }) }));
  expect(answer.status, answer.text).toBe(200);
  return answer.body.loanId;
}

const update = (loanId: string, customData: object, more: object = {}, by?: Party) =>
  post('update-custom-data', { loanId, customData, ...more }, {}, by);
const shown = async (loanId: string, query = '', by?: Party) => {
  const answer = await get(`loans/${loanId}/custom-data${query}`, by);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.customData;
};
const found = async (customData: object, by?: Party, more: object = {}) => {
  const answer = await post('search-loans', { customData, ...more }, {}, by);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body.data.items as { loanId: string }[]).map(({ loanId }) => loanId);
};

describe('the members', () => {
  test('come with a new loan, are read as they were sent, and are no part of either record', async () => {
    const given = { zeta: 'Ωmega ✓ 𝒳', dealer_no: 'D-4471', 'sys.a-1': '  two  spaces ', constructorId: 'number 007' };
    const loanId = await loan(given);
    const { status, body, headers } = await get(`loans/${loanId}/custom-data`);
    expect(status).toBe(200);
    expect(body.data).toEqual({ loanId, customData: given, updatedAt: expect.any(String), erased: false });
    expect(Object.keys(body.data.customData)).toEqual(Object.keys(given));
    expect(headers.get('cache-control')).toBe('no-store');
    for (const path of [
      `loans/${loanId}`,
      `loan-data/${loanId}`,
      `loans/${loanId}/summary`,
      `loans/${loanId}/timeline`,
    ]) {
      const { text } = await get(path);
      for (const value of [...Object.values(given), 'dealer_no']) expect(text, path).not.toContain(value.trim());
    }
    expect(Object.keys((await get(`loans/${loanId}`)).body.data)).toHaveLength(4);
  });

  test('are merged: named ones are set, null removes, the others stay in their places', async () => {
    const loanId = await loan({ a: '1', b: '2', c: '3' });
    const answer = await update(loanId, { b: null, c: 'three', d: '4' });
    expect(answer.body.data).toMatchObject({ loanId, loanStatus: 'ApplicationSubmitted', members: 3 });
    expect(answer.body.transactionHash).toBe(answer.body.data.transactionHash);
    expect(answer.text).not.toContain('three');
    expect(Object.entries(await shown(loanId))).toEqual([
      ['a', '1'],
      ['c', 'three'],
      ['d', '4'],
    ]);
    expect((await update(loanId, { a: null, c: null, d: null, never: null })).body.data.members).toBe(0);
    expect(await shown(loanId)).toEqual({});
  });

  test('of a loan that has none are an empty object that never changed', async () => {
    const loanId = await loan();
    expect((await get(`loans/${loanId}/custom-data`)).body.data).toMatchObject({ customData: {}, updatedAt: null });
    // As elsewhere in a creation, what is empty is not given.
    expect(await shown(await loan({ a: '', b: null }))).toEqual({});
    expect(await shown(await loan({}))).toEqual({});
    const nothing = await post('loans', creation({ customData: null }));
    expect(nothing.status).toBe(200);
  });

  test('are at most twenty, whatever is removed and added at once', async () => {
    const many = (n: number, prefix = 'm') =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`${prefix}${i}`, 'x']));
    const tooMany = await post('loans', creation({ customData: many(21) }));
    expect([tooMany.status, tooMany.body.errors[0].pointer]).toEqual([422, '/customData']);
    const loanId = await loan(many(20));
    const one = await update(loanId, { more: 'x' });
    expect([one.status, one.body.errors[0].pointer]).toEqual([422, '/customData']);
    expect(one.body.detail).toContain('at most 20');
    expect((await update(loanId, { m0: null, more: 'x' })).body.data.members).toBe(20);
    const gone = Object.fromEntries(Object.keys(await shown(loanId)).map((name) => [name, null]));
    expect((await update(loanId, { ...gone, ...many(20, 'n') })).body.data.members).toBe(20);
    expect(await shown(loanId)).toEqual(many(20, 'n'));
  });

  test.each([
    ['9lives', 'x'],
    ['0', 'x'],
    ['__proto__', 'x'],
    ['constructor', 'x'],
    ['toString', 'x'],
    ['with space', 'x'],
    ['a/b', 'x'],
    ['größe', 'x'],
    ['', 'x'],
    [`n${'n'.repeat(40)}`, 'x'],
    ['name', ''],
    ['name', '   '],
    ['name', 'two\nlines'],
    ['name', 'a\u0000b'],
    ['name', 'evil \u202E txt'],
    ['name', 'half \uD800'],
    ['name', 'x'.repeat(201)],
  ])('are refused by their pointer: %j %j', async (name, text) => {
    const loanId = await loan();
    const members = `{${JSON.stringify(name)}:${JSON.stringify(text)}}`;
    const pointer = `/customData/${name.replaceAll('/', '~1')}`;
    const raw = (path: string, body: string) =>
      fetch(`${service.url}/v2/chain/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own.token}`, key: own.key, 'content-type': 'application/json' },
        body,
      }).then(async (answer) => ({ status: answer.status, body: (await answer.json()) as Answered['body'] }));
    const source = JSON.stringify(creation()).slice(0, -1);
    const tries = [
      raw('update-custom-data', `{"loanId":"${loanId}","customData":${members}}`),
      raw('search-loans', `{"customData":${members}}`),
      // In a creation an empty text is not given.
      ...(text === '' ? [] : [raw('loans', `${source},"customData":${members}}`)]),
    ];
    for (const { status, body } of await Promise.all(tries)) {
      expect([status, body.errors?.[0]?.pointer], JSON.stringify(body)).toEqual([422, pointer]);
    }
    expect(await shown(loanId)).toEqual({});
  });

  test('that are no texts are refused by their pointer, and so is nothing at all', async () => {
    const loanId = await loan();
    for (const value of [12, true, ['x'], { a: 'b' }]) {
      const refused = await update(loanId, { name: value });
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/customData/name']);
      expect((await post('loans', creation({ customData: { name: value } }))).status).toBe(422);
    }
    expect((await update(loanId, {})).status).toBe(422);
    expect((await post('loans', creation({ customData: ['x'] }))).status).toBe(422);
    expect((await post('update-custom-data', { loanId })).status).toBe(422);
  });

  test('count two hundred characters, whatever bytes they take', async () => {
    const loanId = await loan({ name: '𝒳'.repeat(200) });
    expect((await shown(loanId)).name).toHaveLength(400);
    expect((await update(loanId, { name: '𝒳'.repeat(201) })).status).toBe(422);
  });
});

describe('a change', () => {
  test('is a write like any other: dry run, version, idempotency key, timeline, feed, reason', async () => {
    await on('2026-01-15');
    const loanId = await loan({ branch: 'Akron' });
    const body = { loanId, customData: { branch: 'Planted-Branch' }, reason: 'Planted-Reason' };
    const dry = await post('update-custom-data?dryRun=true', body);
    expect(dry.body.data).toMatchObject({
      ...{ dryRun: true, members: 1, remainingBalance: '12,000' },
      events: [{ type: 'customDataUpdated', date: '2026-01-15' }],
    });
    expect(await shown(loanId)).toEqual({ branch: 'Akron' });
    const version = (await get(`loans/${loanId}/summary`)).body.data.version;
    expect((await post('update-custom-data', body, { 'if-match': String(version + 1) })).status).toBe(412);
    const headers = { 'if-match': String(version), 'idempotency-key': `custom-${loanId}` };
    const first = await post('update-custom-data', body, headers);
    expect(first.status, first.text).toBe(200);
    const again = await post('update-custom-data', body, headers);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    const other = await post('update-custom-data', { ...body, customData: { branch: 'Other' } }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    const facts = (await get(`loans/${loanId}/timeline`)).body.data.items;
    expect(facts.filter(({ type }: { type: string }) => type === 'customDataUpdated')).toMatchObject([
      { reasonGiven: false, reason: null },
      { reasonGiven: true, reason: 'Planted-Reason', transactionHash: first.body.transactionHash },
    ]);
    const reasons = (await get(`loans/${loanId}/disclosures`)).body.data.reasons;
    expect(reasons.map(({ reason }: { reason: string }) => reason)).toEqual(['Planted-Reason']);
    const events = (await get(`events?loanId=${loanId}&types=custom_data.updated`)).body.data.items;
    expect(events).toHaveLength(2);
    const seen = [JSON.stringify(events), (await get(`loans/${loanId}/transactions`)).text, (await get('audit')).text];
    for (const text of [...seen, ...service.logged]) {
      expect(text).not.toContain('Planted-');
      expect(text).not.toContain('Akron');
    }
  });

  test('is not lost to another one of the same moment', async () => {
    const loanId = await loan();
    const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
    const answers = await Promise.all(names.map((name) => update(loanId, { [name]: name })));
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    expect(Object.keys(await shown(loanId)).sort()).toEqual([...names].sort());
  });

  test('is allowed and found when a loan has ended, and cannot be undone', async () => {
    // Every operation in every status: `matrix.test.ts`.
    for (const status of ['Rejected', 'ChargedOff', 'Closed'] as const) {
      const loanId = await loanIn(status, post, async (id) => (await get(`loans/${id}/payoff`)).body.data.payoff);
      const answer = await update(loanId, { status });
      expect([status, answer.status, answer.body.data.loanStatus]).toEqual([status, 200, status]);
      expect(await found({ status })).toEqual([loanId]);
      const undone = await post('undo', { loanId, transactionHash: answer.body.transactionHash, reason: 'mistake' });
      expect(undone.status, undone.text).toBe(409);
      expect(undone.body.detail).toContain('update-custom-data');
    }
  });

  test('needs servicing:write and no key; reading needs loans:read_pii and the key', async () => {
    const loanId = await loan({ a: '1' });
    const body = { loanId, customData: { a: '2' } };
    const by = async (...scopes: Scope[]) => ({ token: await service.token(scopes) });
    const write = async (...scopes: Scope[]) =>
      (await service.call('POST', '/v2/chain/update-custom-data', { ...(await by(...scopes)), body })).status;
    expect(await write('loans:write', 'loans:read_pii', 'payments:write')).toBe(403);
    expect(await write('servicing:write')).toBe(200);
    const path = `/v2/chain/loans/${loanId}/custom-data`;
    const read = async (...scopes: Scope[]) => (await service.call('GET', path, await by(...scopes))).body.code;
    expect(await read('loans:read', 'servicing:write')).toBe('key_required');
    const { token } = await by('loans:read');
    const refused = await service.call('GET', path, { token, key: own.key });
    expect(refused.status).toBe(403);
  });

  test('waits for an approval where the policy says so, and a creation with custom data does not', async () => {
    const values = { approvals: { 'update-custom-data': true } };
    const made = await post('policies', { policyId: 'custom', lenderId: 'LND-CUSTOM', from: '2026-01-15', values });
    expect(made.status, made.text).toBe(200);
    const loanId = await loan({ a: 'Planted-One' }, { lenderId: 'LND-CUSTOM' });
    const asked = await update(loanId, { b: 'Planted-Two' });
    expect([asked.status, asked.body.message]).toEqual([202, 'approval required']);
    expect(asked.text).not.toContain('Planted-');
    // Something else comes first: what is approved is merged with it.
    expect(await shown(loanId)).toEqual({ a: 'Planted-One' });
    const { organizationId } = service;
    const second = await service.access.createClient(organizationId, {
      ...{ name: 'second', scopes: ['servicing:write', 'loans:read'] as Scope[], rateLimitPerMinute: 0 },
    });
    const { clientId, clientSecret, apiKey } = second;
    const signed = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const approver = { organizationId, token: signed.body.data.token, key: apiKey };
    const { approvalId } = asked.body.data;
    const done = await post('approve', { approvalId, reason: 'checked' }, {}, approver);
    expect(done.status, done.text).toBe(200);
    expect(await shown(loanId)).toEqual({ a: 'Planted-One', b: 'Planted-Two' });
  });
});

describe('a search', () => {
  test('finds loans by the whole present text of every member that is named', async () => {
    const one = await loan({ branch: 'Toledo', lot: 'L-1' });
    const two = await loan({ branch: 'Toledo', lot: 'L-2' });
    expect(await found({ branch: 'Toledo' })).toEqual(expect.arrayContaining([one, two]));
    expect(await found({ branch: 'Toledo', lot: 'L-2' })).toEqual([two]);
    for (const wrong of [
      { branch: 'toledo' },
      { Branch: 'Toledo' },
      { branch: 'Tole' },
      { lot: 'Toledo' },
      { branch: ' Toledo' },
    ]) {
      expect(await found(wrong), JSON.stringify(wrong)).toEqual([]);
    }
    expect((await update(two, { branch: 'Lima' })).status).toBe(200);
    expect(await found({ branch: 'Toledo' })).toEqual([one]);
    expect(await found({ branch: 'Lima', lot: 'L-2' })).toEqual([two]);
    expect((await update(two, { branch: null, lot: null })).status).toBe(200);
    expect(await found({ branch: 'Lima' })).toEqual([]);
  });

  test('takes it together with personal values, and a text however its accents are written', async () => {
    const Request = { ApplicantInfo: { ApplicantSSN: '666-45-1234' } };
    const loanId = await loan({ city: 'Caf\u00e9' }, { Request });
    await loan({ city: 'Caf\u00e9' });
    expect(await found({ city: 'Cafe\u0301' }, own, { ssn: '666-45-1234' })).toEqual([loanId]);
    expect((await shown(loanId)).city).toBe('Caf\u00e9');
    expect(await found({ city: 'Other' }, own, { ssn: '666-45-1234' })).toEqual([]);
  });

  test('and a read leave a disclosure, a 304 too', async () => {
    const loanId = await loan({ file: 'F-9' });
    const { headers } = await get(`loans/${loanId}/custom-data`);
    const same = await service.call('GET', `/v2/chain/loans/${loanId}/custom-data`, {
      ...{ token: own.token, key: own.key, headers: { 'if-none-match': headers.get('etag') ?? '' } },
    });
    expect(same.status).toBe(304);
    await found({ file: 'F-9' });
    const items: { what: string }[] = (await get(`loans/${loanId}/disclosures`)).body.data.items;
    expect(
      items
        .map(({ what }) => what)
        .filter((what) => what !== 'disclosures')
        .sort(),
    ).toEqual([...['customData', 'customData', 'search']]);
  });
});

describe('on another day', () => {
  test('a read shows what there was then, and what was known then', async () => {
    await on('2026-01-15');
    const loanId = await loan({ a: '1' });
    const created = new Date(service.clock.now + 1_000).toISOString();
    await on('2026-02-01');
    expect((await update(loanId, { a: '2', b: '2' })).status).toBe(200);
    await on('2026-03-01');
    expect((await update(loanId, { a: null })).status).toBe(200);
    expect(await shown(loanId)).toEqual({ b: '2' });
    expect(await shown(loanId, '?asOf=2026-02-10')).toEqual({ a: '2', b: '2' });
    expect(await shown(loanId, '?asOf=2026-01-31')).toEqual({ a: '1' });
    expect(await shown(loanId, `?knownAt=${created}`)).toEqual({ a: '1' });
    expect((await get(`loans/${loanId}/custom-data?knownAt=2026-01-01T00:00:00Z`)).status).toBe(404);
  });

  test('it comes beside a record in any status, which is read as it was sent, and holds from its day on', async () => {
    await on('2026-06-20');
    const ended = await post('loans', { ...exampleRecord(), customData: { legacy: 'X-1' } });
    expect(ended.status, ended.text).toBe(200);
    expect(await shown(ended.body.loanId)).toEqual({ legacy: 'X-1' });
    expect(await found({ legacy: 'X-1' })).toEqual([ended.body.loanId]);
    const record = { loanDetails: DETAILS, Request: {}, Response: {}, Underwriting: {} };
    const live = await post('loans', { data: record, asOf: '2026-06-15', customData: { legacy: 'X-2' } });
    expect(live.status, live.text).toBe(200);
    const { loanId } = live.body;
    expect((await get(`loans/${loanId}`)).body.data.loanDetails).toMatchObject({
      loanStatus: 'Current',
      loanAmount: '12,000',
    });
    for (const query of ['', '?asOf=2026-06-16']) expect(await shown(loanId, query)).toEqual({ legacy: 'X-2' });
    const wrong = await post('loans', { data: { ...record, customData: { legacy: 'X' } } });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/data/customData']);
  });
});

describe('other organizations', () => {
  test('with a grant read and find what the owner keeps; a servicer changes it, and one that may only read does not', async () => {
    await on('2026-01-15');
    const loanId = await loan({ ref: 'G-1' }, { primaryServicerId: 'SRV-G' });
    const servicer = await another('Servicer');
    const reader = await another('Reader');
    expect((await get(`loans/${loanId}/custom-data`, servicer)).status).toBe(404);
    expect(await found({ ref: 'G-1' }, servicer)).toEqual([]);
    for (const [{ organizationId }, access] of [
      [servicer, 'servicing'],
      [reader, 'read'],
    ] as const) {
      await granted(service.access, own.organizationId, {
        granteeOrganizationId: organizationId,
        access,
        servicerId: 'SRV-G',
      });
    }
    for (const by of [servicer, reader]) {
      expect(await shown(loanId, '', by)).toEqual({ ref: 'G-1' });
      expect(await found({ ref: 'G-1' }, by)).toEqual([loanId]);
    }
    const refused = await update(loanId, { ref: 'G-2' }, {}, reader);
    expect([refused.status, refused.body.code]).toEqual([403, 'not_granted']);
    expect((await update(loanId, { theirs: 'T' }, {}, servicer)).status).toBe(200);
    expect(await shown(loanId)).toEqual({ ref: 'G-1', theirs: 'T' });
    expect(await found({ theirs: 'T' }, reader)).toEqual([loanId]);
  });
});

const complaints = async () => {
  const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);
  while ((await service.loans.ledger.seal()) > 0);
  const report = await verifyBook({ db: service.db, masterKeys });
  return report.complaints.map(({ table, what }) => `${table}: ${what}`);
};

slowTest('is stored only sealed, and the book verifies', async () => {
  const loanId = await loan({ hidden: 'Planted-Sealed' });
  expect((await update(loanId, { hidden: 'Planted-Again' })).status).toBe(200);
  const id = `\\x${loanId.slice(2)}`;
  const rows = await service.db.query<{ row: string }>(
    `SELECT e::text AS row FROM events e WHERE loan_id = $1 UNION ALL SELECT b::text FROM blind_index b WHERE loan_id = $1`,
    [id],
  );
  for (const { row } of rows) expect(row).not.toMatch(/Planted|hidden|506c616e746564/);
  expect(await complaints()).toEqual([]);
});

test('erasing the borrower erases it, and nothing more can be kept', async () => {
  const loanId = await loan({ gone: 'with-the-key' });
  expect((await post('cancel', { loanId, reason: 'withdrawn' })).status).toBe(200);
  expect((await update(loanId, { gone: 'later' })).status).toBe(200);
  const erased = await eraseBorrower(service.db, { loanId, retentionDays: 0, now: service.clock.now + 60_000 });
  expect(erased).toHaveProperty('erasedAt');
  const { body } = await get(`loans/${loanId}/custom-data`);
  expect(body.data).toMatchObject({ customData: {}, erased: true });
  expect(await found({ gone: 'later' })).toEqual([]);
  const refused = await update(loanId, { gone: 'again' });
  expect([refused.status, refused.body.refusal]).toEqual([422, 'not_supported']);
});
