/** Requests of the books: who may close a month, dry runs, idempotency keys, refused months and media types, the facts in a refusal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { onCitus } from '../support/database.ts';
import { granted } from '../support/granted.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;

const ask = (method: string, path: string, more: { body?: object; headers?: Record<string, string> } = {}) =>
  service.call(method, `/v2/chain/${path}`, { token, key: service.credentials.apiKey, ...more });

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

async function done(path: string, body: object) {
  const answer = await ask('POST', path, { body });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function repaying(lenderId: string): Promise<string> {
  const { loanId } = await done('loans', { ...creation(), lenderId });
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

const CODES = {
  loanPrincipal: '1400',
  accruedInterest: '1410',
  interestReceivable: '1420',
  cash: '1010',
  cashClearing: '1015',
  interestIncome: '4000',
};

beforeAll(async () => {
  service = await testApp();
  await on('2026-01-15');
  await repaying('-A');
  await repaying('L-B');
  await on('2026-04-10');
});
afterAll(() => service.close());

const months = async () => (await ask('GET', 'ledger/periods')).body.data.items;
const codes = async () =>
  Object.fromEntries(
    (await ask('GET', 'ledger/account-codes')).body.data.items.map((one: { account: string; code: string }) => [
      one.account,
      one.code,
    ]),
  );
const writes = [
  ['ledger/close', { period: '2026-01' }],
  ['ledger/account-codes', { codes: { cash: '1010' } }],
] as const;

describe('who may change the books', () => {
  it.each(writes)('POST %s needs books:write, which admin is not', async (path, body) => {
    const as = async (scope: 'admin' | 'books:write') =>
      service.call('POST', `/v2/chain/${path}?dryRun=true`, { token: await service.token([scope]), body });
    expect(await as('admin')).toMatchObject({ status: 403, body: { scope: 'books:write' } });
    expect((await as('books:write')).status).not.toBe(403);
  });
});

describe('facts of a refusal', () => {
  it('name the day whose interest is not posted', async () => {
    const { status, body } = await ask('POST', 'ledger/close', { body: { period: '2026-01' } });
    expect([status, body.code, body.date]).toEqual([409, 'cycle_pending', '2026-01-15']);
  });

  it('name the accounts without a code', async () => {
    await service.loans.cycle.runCyclesThrough(service.organizationId, date('2026-03-31'));
    const { status, body } = await ask('GET', 'ledger/export?period=2026-01');
    expect([status, body.accounts]).toEqual([422, ['loanPrincipal', 'accruedInterest', 'cash', 'interestIncome']]);
  });

  it('give the principal that the books keep of a loan as an amount', async () => {
    const loanId = await repaying('L-C');
    await done('charge-off', { loanId, reason: 'Gone', collateral: '3000' });
    const { status, body } = await ask('POST', 'write-down', { body: { loanId, amount: '3001', reason: 'Auction' } });
    expect([status, body.kept]).toEqual([422, '3,000']);
  });
});

describe('a dry run', () => {
  it('of a close answers with the balances that would be kept, and closes nothing', async () => {
    const { status, body } = await ask('POST', 'ledger/close?dryRun=true', { body: { period: '2026-01' } });
    expect([status, body.data.dryRun, body.data.period]).toEqual([200, true, '2026-01']);
    expect(body.data.lenders.map(({ lenderId }: { lenderId: string }) => lenderId)).toEqual(['-A', 'L-B']);
    expect(await months()).toEqual([]);
    const refused = await ask('POST', 'ledger/close?dryRun=true', { body: { period: '2026-05' } });
    expect(refused).toMatchObject({ status: 422, body: { refusal: 'date_in_future' } });
  });

  it('of account codes answers with all of them, and sets none', async () => {
    const { status, body } = await ask('POST', 'ledger/account-codes?dryRun=true', { body: { codes: { cash: '1' } } });
    expect([status, body.data]).toEqual([200, { dryRun: true, codes: { cash: '1' } }]);
    expect(await codes()).toEqual({});
  });

  it.each([
    ['POST', 'clock', { timeZone: 'America/Chicago' }],
    ['POST', 'clients', { name: 'desk', scopes: ['loans:read'] }],
    ['POST', 'revoke-client', { clientId: 'client_a' }],
    ['POST', 'grants', { granteeOrganizationId: 'org_a', access: 'read' }],
    ['POST', 'calculate-irr', { cashflows: [-1, 2], periodsPerYear: 12 }],
    ['POST', 'calculate-offer', { loanAmount: 1, interestRate: 1, term: 1, Request: {} }],
    ['POST', 'search-loans', { vin: '1HGCM82633A004352' }],
    ['POST', 'auth-token', { clientId: 'first', clientSecret: 'first-secret' }],
    ['GET', 'me', undefined],
    ['GET', 'clients', undefined],
    ['GET', 'clock', undefined],
  ])('is refused where there is none: %s %s', async (method, path, body) => {
    const answer = await ask(method, `${path}?dryRun=true`, body === undefined ? {} : { body });
    expect([answer.status, answer.body.errors?.[0]]).toEqual([
      422,
      expect.objectContaining({ pointer: '/dryRun', code: 'unknown_member' }),
    ]);
  });
});

describe('an idempotency key of a write without a loan', () => {
  const keyed = (path: string, key: string, body: object): Promise<Answered> =>
    ask('POST', path, { body, headers: { 'idempotency-key': key } });

  it('repeats the first answer for account codes, whatever has been set since', async () => {
    const first = await keyed('ledger/account-codes', 'codes-1', { codes: { cash: '1000' } });
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
    await done('ledger/account-codes', { codes: { cash: '1010' } });
    const again = await keyed('ledger/account-codes', 'codes-1', { codes: { cash: '1000' } });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(await codes()).toEqual({ cash: '1010' });
    const other = await keyed('ledger/account-codes', 'codes-1', { codes: { cash: '1001' } });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    const elsewhere = await keyed('ledger/close', 'codes-1', { period: '2026-01' });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  it('is shared with the writes of loans', async () => {
    const loanId = await repaying('L-B');
    const payment = { loanId, amount: '10', refId: 'K' };
    expect((await keyed('loan-repay', 'both', payment)).status).toBe(200);
    expect((await keyed('ledger/close', 'both', { period: '2026-01' })).body.code).toBe('idempotency_key_reused');
    expect((await keyed('clock', 'zone', { timeZone: 'UTC' })).status).toBe(200);
    expect((await keyed('loan-repay', 'zone', payment)).body.code).toBe('idempotency_key_reused');
  });

  it('is free again after a refusal, and a dry run takes none', async () => {
    expect((await keyed('ledger/close', 'free', { period: '2026-09' })).status).toBe(422);
    expect((await keyed('ledger/close?dryRun=true', 'free', { period: '2026-01' })).status).toBe(200);
    const closed = await keyed('ledger/close', 'free', { period: '2026-01' });
    expect(closed.status, closed.text).toBe(200);
    const again = await keyed('ledger/close', 'free', { period: '2026-01' });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([closed.text, 'true']);
  });

  it('is refused where it is not visible text', async () => {
    expect((await keyed('ledger/account-codes', 'two words', { codes: {} })).status).toBe(422);
  });

  it('makes one client, and never repeats its secret', async () => {
    const body = { name: 'once', scopes: ['loans:read'] };
    const first = await keyed('clients', 'client', body);
    expect(first.status, first.text).toBe(200);
    const again = await keyed('clients', 'client', body);
    expect([again.status, again.body.code]).toEqual([409, 'already_answered']);
    expect(again.text).not.toContain(first.body.data.clientSecret);
    expect((await keyed('clients', 'client', { ...body, name: 'other' })).body.code).toBe('idempotency_key_reused');
    const { items } = (await ask('GET', 'clients')).body.data;
    expect(items.filter(({ name }: { name: string }) => name === 'once')).toHaveLength(1);
    const stored = await service.db.query<{ answer: string }>('SELECT answer FROM answers');
    for (const { answer } of stored) expect(answer).not.toContain(first.body.data.apiKey);
  });

  it('lets one of two simultaneous calls be carried out', async () => {
    const body = { name: 'twice', scopes: ['loans:read'] };
    const both = await Promise.all([keyed('clients', 'race', body), keyed('clients', 'race', body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { items } = (await ask('GET', 'clients')).body.data;
    expect(items.filter(({ name }: { name: string }) => name === 'twice')).toHaveLength(1);
  });

  // A distributed table has no triggers.
  it.skipIf(onCitus())('leaves nothing when the answer cannot be stored with the effect', async () => {
    const [{ period }] = await months();
    expect(period).toBe('2026-01');
    await service.db.query(
      `CREATE FUNCTION no_answer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`,
    );
    await service.db.query(
      'CREATE TRIGGER no_answer BEFORE INSERT ON answers FOR EACH ROW EXECUTE FUNCTION no_answer()',
    );
    const before = (await ask('GET', 'clients')).body.data.items.length;
    const failed = await Promise.all([
      keyed('ledger/close', 'lost-1', { period: '2026-02' }),
      keyed('ledger/account-codes', 'lost-2', { codes: { cash: '9' } }),
      keyed('clients', 'lost-3', { name: 'lost', scopes: ['loans:read'] }),
      keyed('clock', 'lost-4', { timeZone: 'America/Chicago' }),
    ]);
    await service.db.query('DROP TRIGGER no_answer ON answers');
    expect(failed.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
    expect(await months()).toHaveLength(1);
    expect(await codes()).toEqual({ cash: '1010' });
    expect((await ask('GET', 'clients')).body.data.items).toHaveLength(before);
    expect((await ask('GET', 'clock')).body.data.next).toBeUndefined();
    expect((await keyed('ledger/account-codes', 'lost-2', { codes: { cash: '1010' } })).status).toBe(200);
  });
});

describe('invalid months and months outside the supported range are refused', () => {
  it.each(['0000-01', '0001-01', '1899-12', '2200-01', '9999-12', '2026-13', '2026-1', ''])('%s', async (period) => {
    const answers = await Promise.all([
      ask('GET', `ledger/roll-forward?period=${period}`),
      ask('GET', `ledger/export?period=${period}`),
      ask('POST', 'ledger/close', { body: { period } }),
    ]);
    for (const { status, body } of answers) expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/period']);
    expect((await ask('GET', `ledger/periods?cursor=${period}`)).status).toBe(422);
  });

  it('the first supported month is accepted', async () => {
    expect((await ask('GET', 'ledger/roll-forward?period=1900-01')).status).toBe(200);
  });
});

it.each([
  'ledger/trial-balance?',
  'ledger/tie-out?',
  'ledger/entries?date=2026-01-20&',
  'ledger/roll-forward?period=2026-01&',
  'ledger/export?period=2026-01&',
])('%s refuses a lender that looks like a social security number', async (path) => {
  const { status, body } = await ask('GET', `${path}lenderId=123-45-6789`);
  expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: '/lenderId', code: 'personal' })]]);
});

describe('the export', () => {
  const exported = (headers: Record<string, string>, more = '') =>
    ask('GET', `ledger/export?period=2026-01${more}`, { headers });
  beforeAll(() => done('ledger/account-codes', { codes: CODES }));

  it.each([
    ['*/*', 'application/x-ndjson'],
    ['application/*', 'application/x-ndjson'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; header=present', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv;q=0, */*', 'application/x-ndjson'],
    ['application/x-ndjson;q=0, */*', 'text/csv'],
    ['application/x-ndjson;q=0.5, text/csv;q=0.8', 'text/csv'],
    ['text/csv;q=0.1, */*;q=0.5', 'application/x-ndjson'],
    ['text/*;q=0.9, text/csv;q=0.2, application/*;q=0.3', 'application/x-ndjson'],
    ['application/json, text/csv;q=0.1', 'text/csv'],
  ])('with Accept: %s is %s', async (accept, type) => {
    const answer = await exported({ accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(answer.headers.get('vary')).toContain('Accept');
  });

  it.each(['application/json', 'text/csv;q=0', 'text/html', 'text/csv;q=0.000, application/json'])(
    'with Accept: %s is a 406',
    async (accept) => {
      const { status, body } = await exported({ accept });
      expect([status, body.code]).toEqual([406, 'not_acceptable']);
      expect(body.detail).toContain('text/csv');
      expect(body.detail).not.toContain('application/json');
    },
  );

  it('takes format, where Accept allows that type', async () => {
    const csv = await exported({ accept: '*/*' }, '&format=csv');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect((await exported({ accept: 'application/x-ndjson' }, '&format=csv')).status).toBe(406);
  });

  it('has an ETag by its representation, and a 304', async () => {
    const [csv, lines] = [await exported({ accept: 'text/csv' }), await exported({})];
    const etag = csv.headers.get('etag') ?? '';
    expect(etag).not.toBe(lines.headers.get('etag'));
    expect((await exported({ accept: 'text/csv', 'if-none-match': etag })).status).toBe(304);
    expect((await exported({ 'if-none-match': etag })).status).toBe(200);
  });

  it('as CSV escapes text that a spreadsheet would take for a formula', async () => {
    const { text } = await exported({ accept: 'text/csv' });
    const lenders = text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',')[1]);
    expect(new Set(lenders)).toEqual(new Set(["'-A", 'L-B']));
    const rows = (await exported({})).text.trim().split('\n');
    expect(new Set(rows.map((row) => JSON.parse(row).lenderId))).toEqual(new Set(['-A', 'L-B']));
  });
});

it('entries of a book are not shown to another organization, whatever its grant', async () => {
  const day = await ask('GET', 'ledger/entries?date=2026-01-31&lenderId=L-B');
  const [{ block, transactionHash }] = day.body.data.items;
  const own = await ask('GET', `ledger/blocks/${block}`);
  expect(own.body.data.transactions).toContain(transactionHash);
  const { organizationId } = await service.access.createOrganization('Servicer');
  const grantee = await service.access.createClient(organizationId, { name: 'grantee', scopes: ['reports:read'] });
  await granted(service.access, service.organizationId, { granteeOrganizationId: organizationId, access: 'read' });
  const signedIn = await service.call('POST', '/v2/chain/auth-token', {
    body: { clientId: grantee.clientId, clientSecret: grantee.clientSecret },
  });
  const theirs = (path: string) => service.call('GET', `/v2/chain/${path}`, { token: signedIn.body.data.token });
  const shown = await theirs(`ledger/blocks/${block}`);
  expect([shown.status, shown.body.data.transactions]).toEqual([200, []]);
  expect((await theirs(`ledger/transactions/${transactionHash}`)).status).toBe(404);
});
