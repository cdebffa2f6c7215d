/**
 * Entries by hand: balanced, of no account that the loans own, posted on their day or, where its month is closed, with an approval in the month
 * in which they are recorded. They are in every reading of the books, and the check of the database recomputes them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { readConfig } from '../../src/config.ts';
import { addDays, date } from '../../src/core/calendar.ts';
import { openMasterKeys } from '../../src/key-files/master-keys.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { TEST_MASTER_KEY } from '../support/app.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';

const BOOKS: Scope[] = ['loans:read', 'reports:read', 'books:write'];

const masterKeys = openMasterKeys(readConfig({ MASTER_KEY: TEST_MASTER_KEY }), masterKeyId);

let all: Approving;
let controller: Someone;
let approver: Someone;
const lenderId = 'LND-1';
beforeAll(async () => {
  all = await approving();
  await all.loan();
  all.on('2026-02-10');
  controller = await all.program(BOOKS);
  approver = await all.person('approver', {}, BOOKS);
}, 60_000);
afterAll(() => all.service.close());

const CAPITAL = [
  { account: 'cash', debit: '50,000.00' },
  { account: 'equity', credit: '50000' },
];
const entry = (more: object = {}) => ({
  date: '2026-01-20',
  lenderId,
  lines: CAPITAL,
  reason: 'Capital paid in',
  ...more,
});
const record = (more: object = {}, headers = {}, query = '') =>
  controller.post(`ledger/entries${query}`, entry(more), { headers });
const balance = async (asOf: string, account: string, of = '') => {
  const { accounts } = (await all.done(controller.get(`ledger/trial-balance?asOf=${asOf}${of}`))).data;
  const { debit, credit } = accounts.find((one: { account: string }) => one.account === account);
  return credit === '0' ? debit : `-${credit}`;
};
const read = async (path: string) => (await all.done(controller.get(path))).data;

test('what does not balance, is owned by the loans or is of the future is refused', async () => {
  const lines = (...some: object[]) => record({ lines: some });
  const pointers = async (answer: ReturnType<typeof record>) => {
    const { status, body } = await answer;
    return [status, body.errors?.[0]?.pointer];
  };
  expect(await pointers(lines(CAPITAL[0] as object, { account: 'equity', credit: '49999.99' }))).toEqual([
    422,
    '/lines',
  ]);
  expect(await pointers(lines(CAPITAL[0] as object, { account: 'equity', credit: '1', debit: '1' }))).toEqual([
    422,
    '/lines/1',
  ]);
  expect(await pointers(lines({ account: 'cash', debit: '0' }, { account: 'equity', credit: '0' }))).toEqual([
    422,
    '/lines/0/debit',
  ]);
  expect(await pointers(lines(CAPITAL[0] as object))).toEqual([422, '/lines']);
  expect(await pointers(record({ date: '2026-02-11' }))).toEqual([422, '/date']);
  const first = date('2025-01-15');
  expect(await pointers(record({ date: addDays(first, -1) }))).toEqual([409, '/date']);
  expect((await record({ date: first }, {}, '?dryRun=true')).status).toBe(200);
  expect(await pointers(record({ reverseOn: '2026-01-20' }))).toEqual([422, '/reverseOn']);
  expect(await pointers(record({ reason: ' ' }))).toEqual([422, '/reason']);
  for (const account of [
    'loanPrincipal',
    'accruedInterest',
    'interestReceivable',
    'feeReceivable',
    'borrowerCredits',
    'cashClearing',
  ]) {
    const { status, body } = await lines({ account, debit: '1' }, { account: 'equity', credit: '1' });
    expect([account, status, body.code, body.accounts]).toEqual([account, 409, 'owned_by_loans', [account]]);
  }
  await expect(
    (await all.person('reader', {}, ['loans:read', 'reports:read'])).post('ledger/entries', entry()),
  ).resolves.toMatchObject({ status: 403 });
  expect((await read('ledger/entries?byHand=true')).items).toEqual([]);
});

test('an entry of an open month is posted on its day, once under its key; a dry run posts nothing', async () => {
  const before = [
    await balance('2026-01-19', 'cash'),
    await balance('2026-01-20', 'cash'),
    await balance('2026-02-10', 'cash'),
  ];
  const dry = (await all.done(record({}, {}, '?dryRun=true'))).data;
  expect([dry.dryRun, dry.transactionHash, dry.datePosted, dry.priorPeriod]).toEqual([true, null, '2026-01-20', false]);
  expect(await balance('2026-01-20', 'equity')).toBe('0');
  const [one, again] = [
    await record({}, { 'idempotency-key': 'capital' }),
    await record({}, { 'idempotency-key': 'capital' }),
  ];
  expect([one.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(again.body).toEqual(one.body);
  const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
  const after = [
    await balance('2026-01-19', 'cash'),
    await balance('2026-01-20', 'cash'),
    await balance('2026-02-10', 'cash'),
  ];
  expect(after.map((text, i) => cents(text) - cents(before[i] as string))).toEqual([0, 5_000_000, 5_000_000]);
  expect([
    await balance('2026-01-20', 'equity'),
    await balance('2026-01-20', 'equity', `&lenderId=${lenderId}`),
  ]).toEqual(['-50,000', '-50,000']);
  expect(await balance('2026-01-20', 'equity', '&lenderId=OTHER')).toBe('0');
  const { items } = await read('ledger/entries?date=2026-01-20');
  const shown = items.find(({ type }: { type: string }) => type === 'entryRecorded');
  expect(shown).toMatchObject({
    ...one.body.data,
    reason: 'Capital paid in',
    recordedBy: { clientId: controller.clientId, userId: null },
  });
  const transaction = await read(`ledger/transactions/${one.body.data.transactionHash}`);
  expect(transaction.body).not.toContain('Capital');
  const { accounts } = await read('ledger/tie-out?asOf=2026-01-20');
  for (const { difference } of accounts) expect(difference).toBe('0');
  const trail = await all.service.db.query(
    "SELECT subject FROM audit_waiting WHERE operation = 'record-entry' AND outcome = 'done' UNION ALL SELECT subject FROM audit WHERE operation = 'record-entry' AND outcome = 'done'",
  );
  expect(trail).toEqual([{ subject: one.body.data.transactionHash }]);
});

test('an entry is reversed on its day, also one that has not come', async () => {
  const lines = [
    { account: 'saleLoss', debit: '120.50' },
    { account: 'suspense', credit: '120.50' },
  ];
  const { data } = await all.done(
    record({ date: '2026-02-05', lines, reason: 'Expected loss', reverseOn: '2026-03-01' }),
  );
  expect(data.reverseOn).toBe('2026-03-01');
  expect([await balance('2026-02-04', 'saleLoss'), await balance('2026-02-10', 'saleLoss')]).toEqual(['0', '120.50']);
  all.on('2026-03-05');
  expect([await balance('2026-02-28', 'suspense'), await balance('2026-03-01', 'suspense')]).toEqual(['-120.50', '0']);
  const { items } = await read('ledger/entries?byHand=true&date=2026-03-01');
  expect(items.map(({ transactionHash }: { transactionHash: string }) => transactionHash)).toEqual([
    data.transactionHash,
  ]);
  await all.service.loans.cycle.runCyclesThrough(all.service.organizationId, date('2026-03-04'));
  const { lenders } = await read('ledger/roll-forward?period=2026-03');
  const rolled = lenders[0].accounts.find(({ account }: { account: string }) => account === 'saleLoss');
  expect(rolled).toEqual({
    account: 'saleLoss',
    opening: '120.50',
    activity: [{ entry: 'manualReversal', amount: '-120.50' }],
    closing: '0',
  });
});

test('in a closed month an entry waits for an approval, and is posted in the month in which it is recorded', async () => {
  const closed = (await all.done(controller.post('ledger/close', { through: '2026-02' }))).data;
  const was = await read('ledger/trial-balance?asOf=2026-02-28');
  const lines = [
    { account: 'feeIncome', debit: '10' },
    { account: 'cash', credit: '10' },
  ];
  const more = { date: '2026-01-31', lines, reason: 'Bank charge' };
  const asked = (await all.done(record(more), 202)).data;
  expect(asked).toMatchObject({ operation: 'record-entry', preview: { priorPeriod: true, date: '2026-01-31' } });
  expect((await controller.post('approve', { approvalId: asked.approvalId, reason: 'Mine' })).body.code).toBe(
    'own_request',
  );
  const { data } = await all.done(approver.post('approve', { approvalId: asked.approvalId, reason: 'Seen' }));
  expect(data.result).toMatchObject({ date: '2026-01-31', datePosted: '2026-03-05', priorPeriod: true });
  expect(await read('ledger/trial-balance?asOf=2026-02-28')).toEqual(was);
  expect((await read('ledger/periods?limit=1')).items).toEqual([closed]);
});

test('the policy and a role may ask for an approval above an amount', async () => {
  const small = {
    date: '2026-03-04',
    lines: [
      { account: 'cash', debit: '100' },
      { account: 'equity', credit: '100' },
    ],
  };
  const large = {
    date: '2026-03-04',
    lines: [
      { account: 'cash', debit: '100.01' },
      { account: 'equity', credit: '100.01' },
    ],
  };
  const limited = await all.person('limited', { 'record-entry': 10_000 }, BOOKS);
  expect((await limited.post('ledger/entries', entry(small))).status).toBe(200);
  const asked = (await all.done(limited.post('ledger/entries', entry(large)), 202)).data;
  const other = await all.person('other', { 'record-entry': 10_000 }, BOOKS);
  expect((await other.post('approve', { approvalId: asked.approvalId, reason: 'Seen' })).body.code).toBe('above_limit');
  expect((await approver.post('approve', { approvalId: asked.approvalId, reason: 'Seen' })).status).toBe(200);
  expect((await record(large)).status).toBe(200);
  await all.policy({ approvals: { 'record-entry': { above: '100' } } });
  expect([(await record(small)).status, (await record(large)).status]).toEqual([200, 202]);
});

test('the export of a month has them, under a new tag; a book of entries alone can be closed; and everything verifies', async () => {
  const { proposed } = await read('ledger/account-codes');
  const codes = Object.fromEntries(proposed.map(({ account, code }: Record<string, string>) => [account, code]));
  await all.done(controller.post('ledger/account-codes', { codes }));
  await all.done(controller.post('ledger/account-codes', { codes: { equity: '3100-A' }, lenderId }));
  all.on('2026-04-03');
  await all.service.loans.cycle.runCyclesThrough(all.service.organizationId, date('2026-04-02'));
  const exported = await controller.get('ledger/export?period=2026-01');
  const rows = exported.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toContainEqual({
    date: '2026-01-20',
    lenderId,
    entry: 'manual',
    account: 'equity',
    code: '3100-A',
    debit: '0',
    credit: '50000',
    priorPeriod: false,
  });
  const march = await controller.get('ledger/export?period=2026-03');
  expect(march.text).toContain('"entry":"manual","account":"feeIncome","code":"4020","debit":"10"');
  await all.done(
    record({
      date: '2026-03-31',
      lenderId: 'NEW',
      lines: [
        { account: 'cash', debit: '1' },
        { account: 'equity', credit: '1' },
      ],
    }),
  );
  const later = await controller.get('ledger/export?period=2026-03');
  expect(later.headers.get('etag')).not.toBe(march.headers.get('etag'));
  expect(later.text).toContain('"lenderId":"NEW","entry":"manual","account":"equity","code":"3000"');
  await all.done(controller.post('ledger/close', { period: '2026-03' }));
  await all.service.loans.ledger.seal();
  const report = await verifyBook({ db: all.service.db, masterKeys });
  expect(report.complaints.filter(({ table }) => table !== 'people' && table !== 'applications')).toEqual([]);
  await all.service.db.query(
    "UPDATE journal SET amount = amount + 100 WHERE entry = 'manual' AND account = 'equity' AND amount = -5000000",
  );
  const damaged = await verifyBook({ db: all.service.db, masterKeys });
  expect(damaged.complaints.some(({ table }) => table === 'journal')).toBe(true);
});

test('pages of entries by hand have each once, the newest first', async () => {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: { datePosted: string; transactionHash: string }[]; nextCursor: string | null } = await read(
      `ledger/entries?byHand=true&limit=2${cursor && `&cursor=${cursor}`}`,
    );
    seen.push(...page.items.map(({ datePosted, transactionHash }) => `${datePosted} ${transactionHash}`));
    cursor = page.nextCursor;
  }
  expect(seen).toHaveLength(new Set(seen).size);
  expect(seen).toEqual(seen.toSorted().reverse());
  expect(seen.length).toBeGreaterThan(6);
});
