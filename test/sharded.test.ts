/**
 * The life of a book whose tables the service takes for distributed by volume, on a plain server: every statement that is sent then is recorded
 * and judged (`scripts/statements.ts`). Everything comes out as it does without that.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { date } from '../src/core/calendar.ts';
import type { Command } from '../src/core/decide/decide.ts';
import { cents } from '../src/core/money.ts';
import { applicationBody } from '../src/demo/application.ts';
import { eraseBorrower } from '../src/loans/people/erase.ts';
import { verifyBook } from '../src/loans/verify/book.ts';
import { sweepReservations } from '../src/store/door/idempotency.ts';
import { type TestApp, testApp } from './support/app.ts';
import { approve, loanWith, person, requestOf } from './support/approving.ts';
import { sandboxIn } from './support/clocks.ts';
import { testDatabase } from './support/database.ts';
import { ACTOR, PLAIN, type TestLoans, testLoans, testMasterKeys } from './support/loans.ts';
import { fillWinter, LAST_NIGHT } from './support/nights.ts';
import { recordedHere } from './support/recorder.ts';
import { loanIn } from './support/statuses.ts';
import { webhookReceiver } from './support/webhook-receiver.ts';
import { slowTest, usualTest as test } from './support/whole.ts';

async function databaseWith(sharded: boolean) {
  const database = await testDatabase();
  database.db.useVolumes({ ...database.db.volumes, sharded });
  return database;
}

const PATIENT = 180_000;

/** Ids, hashes, cursors, times and sizes of a text depend on chance; the rest is compared. */
function settled(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one));
  return JSON.parse(
    text
      .replace(/0x[0-9a-f]{16,}/gi, 'HASH')
      .replace(
        /"(id|nextCursor|cursor|endpointId|eventId|entryId|requestId|applicationId|clientId|startBlock)":"[^"]*"/g,
        '"$1":"…"',
      )
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
  );
}

/** Asked for at the end, in this order. `LOAN` is a loan that is being repaid. */
const READS = [
  ...[
    '',
    '/summary',
    '/schedule',
    '/payoff',
    '/payoff-quotes',
    '/holds',
    '/forecast',
    '/policy',
    '/history',
    '/timeline',
  ].map((part) => `loans/LOAN${part}`),
  ...['/deals', '/transactions', '/journal', '/disclosures', '/explain/payoff'].map((part) => `loans/LOAN${part}`),
  ...[
    'loan-data/LOAN',
    'loans',
    'loans?status=Current&sort=-balance',
    'loans?limit=2',
    'approvals',
    'transfers?direction=out',
  ],
  ...[
    'ledger/roots',
    'ledger/trial-balance',
    'ledger/tie-out',
    'ledger/entries?date=2026-01-15',
    'ledger/periods',
    'cycles',
  ],
  ...['summary', 'delinquency', 'roll-rates', 'vintages', 'cashflows', 'yield', 'prepayment'].map(
    (name) => `portfolio/${name}`,
  ),
  ...['loans', 'payments', 'journal', 'events', 'positions'].map((name) => `exports/${name}`),
  ...['policies', 'audit', 'events', 'webhook-endpoints', 'webhook-deliveries', 'ledger/export?period=2025-12'],
];

/** A day of a lender through the API: loans in eight statuses, payments at once, an undo, webhooks, the books, and every read. */
async function dayOfLender(service: TestApp): Promise<Record<string, unknown>> {
  const [token, key] = [await service.token(), service.credentials.apiKey];
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    service.call('POST', `/v2/chain/${path}`, { token, key, body, headers });
  const done = async (path: string, body: object) => {
    const answer = await post(path, body);
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body;
  };
  const payoffOf = async (loanId: string) =>
    (await service.call('GET', `/v2/chain/loans/${loanId}/payoff`, { token })).body.data.payoff;
  const receiver = await webhookReceiver();
  const { endpointId, secret } = (await done('webhook-endpoints', { url: receiver.url })).data;
  receiver.secrets = [secret];
  service.webhooks.start();

  const statuses = [
    'DocumentsVerified',
    'Rejected',
    'Funded',
    'Current',
    'Delinquent',
    'ChargedOff',
    'ClosedEarly',
    'Cancelled',
  ] as const;
  const loans: Record<string, string> = {};
  for (const status of statuses) loans[status] = await loanIn(status, post, payoffOf);
  const { loanId: assessed } = await done('loans', { ...applicationBody(21, {}), applicationId: 'SHARDED-1' });
  await done('start-underwriting', { loanId: assessed });
  await done('complete-underwriting', {
    ...{ loanId: assessed, approved: true, reason: 'Known for years', reasonCode: 'relationship' },
  });
  await done('initiate-repayment', { loanId: assessed });
  await done('publish', { loanId: assessed, published: true });
  const paying = [assessed, loans.Current, loans.Delinquent];
  const paid = await Promise.all(
    paying.map((loanId, n) =>
      post('loan-repay', { loanId, refId: `AT-ONCE-${n}`, amount: '75' }, { 'idempotency-key': `at-once-${n}` }),
    ),
  );
  const again = await post(
    'loan-repay',
    { loanId: paying[0], refId: 'AT-ONCE-0', amount: '75' },
    { 'idempotency-key': 'at-once-0' },
  );
  const { transactionHash } = await done('assess-fee', {
    loanId: assessed,
    feeId: 'F-2',
    name: 'Copies',
    amount: '12',
  });
  const undone = await done('undo', { loanId: assessed, transactionHash, reason: 'Wrong loan' });
  await done('search-loans', { ssn: '666-00-0001' });
  await done('policies', { policyId: 'careful', lenderId: null, from: '2026-03-01', values: {} });
  const advanced = await rehearsed(service, token);
  while ((await service.loans.ledger.seal()) > 0);
  const found: Record<string, unknown> = {
    paid: paid.map(({ status, body }) => [status, body.data?.loanStatus]),
    again: [again.status, again.body.transactionHash === paid[0]?.body.transactionHash],
    undone: undone.data.loanStatus,
    advanced,
  };
  for (const path of READS) {
    const answer = await service.call('GET', `/v2/chain/${path.replace('LOAN', assessed)}`, { token, key });
    expect.soft(answer.status, `${path}: ${answer.text.slice(0, 300)}`).toBe(200);
    if (/^(ledger\/t|portfolio|loans\/LOAN\/(summary|payoff$|schedule))/.test(path)) found[path] = settled(answer.body);
  }
  await expect.poll(() => receiver.taken().length, { timeout: 30_000 }).toBeGreaterThan(20);
  expect(receiver.forged).toEqual([]);
  await done('delete-webhook-endpoint', { endpointId });
  receiver.close();
  return found;
}

/** A loan in a sandbox whose clock is moved: its status then. */
async function rehearsed(service: TestApp, admin: string): Promise<unknown> {
  const made = await service.call('POST', '/v2/chain/sandboxes', { token: admin, body: { name: 'Rehearsal' } });
  const { clientId, clientSecret, apiKey: key } = made.body.data;
  const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const { token } = signedIn.body.data;
  const post = (path: string, body: object) => service.call('POST', `/v2/chain/${path}`, { token, key, body });
  const loanId = await loanIn('Current', post, async () => '');
  const moved = await post('clock/advance', { to: '2026-01-18' });
  const { body } = await service.call('GET', `/v2/chain/loans/${loanId}/summary`, { token });
  return [moved.status, body.data.loanStatus];
}

/** A winter by the services: nights, approvals, an owner's transfer, an erasure, a test clock, the trail, and the verification at its end. */
async function winter(room: TestLoans): Promise<Record<string, unknown>> {
  const { db, loans, clock } = room;
  await fillWinter(room);
  await loans.cycle.runCyclesThrough('org_test', LAST_NIGHT);
  const asked = await loanWith(room, { 'waive-fee': true });
  await room.done(asked, { do: 'assess-fee', feeId: 'F', kind: 'fee', name: 'copy', amount: cents(500), date: null });
  const waiver: Command = { do: 'waive-fee', feeId: 'F', amount: null, reason: 'Asked' };
  const request = await requestOf(loans, person('user_1'), asked, waiver);
  const approved = await approve(loans, person('user_2'), request);
  const sold = await room.live();
  const to = { organizationId: 'org_other', lenderId: 'L-9' };
  const day = date(new Date(clock.now + 86_400_000).toISOString().slice(0, 10));
  await room.done(sold, {
    do: 'transfer',
    transferId: 'T-1',
    what: 'owner',
    to,
    date: day,
    reason: 'sale',
    from: null,
  });
  const buyer = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
  const accepted = await room.write(sold, { do: 'accept-transfer', servicerId: '' }, { actor: buyer });
  const ended = await room.create();
  await room.done(ended, { do: 'cancel', reason: null });
  clock.now += 86_400_000 * 2;
  await loans.cycle.runCyclesThrough('org_test', day);
  const erased = await eraseBorrower(db, { loanId: ended, retentionDays: 0, now: clock.now + 1_000 });
  const sandbox = await sandboxIn(room, '2026-01-01');
  const inSandbox = { ...ACTOR, organizationId: sandbox };
  const board = await loans.origination.board(inSandbox, room.creation(), PLAIN);
  while ((await loans.ledger.seal()) > 0);
  await sweepReservations(db, 0, 30);
  const trial = await loans.books.trialBalance(ACTOR, { asOf: LAST_NIGHT, lenderId: null });
  const report = await verifyBook({ db, masterKeys: testMasterKeys });
  return {
    approved: approved.kind,
    accepted: accepted.kind,
    erased: 'refused' in erased,
    board: board.kind,
    trial: settled(trial),
    complaints: report.complaints,
  };
}

describe('with distributed tables everything comes out the same', () => {
  const services: TestApp[] = [];
  const rooms: TestLoans[] = [];
  beforeAll(async () => {
    for (const sharded of [false, true]) {
      services.push(await testApp({ OUTBOUND_ALLOW: '127.0.0.1' }, () => databaseWith(sharded)));
      rooms.push(await testLoans({}, databaseWith(sharded)));
    }
  });
  afterAll(() => Promise.all([...services, ...rooms].map((one) => one.close())));

  test(
    'a day of a lender',
    async () => {
      const [plain, sharded] = await Promise.all(services.map(dayOfLender));
      expect(sharded).toEqual(plain);
      expect(plain).toMatchObject({ again: [200, true], advanced: [200, 'Current'] });
    },
    PATIENT,
  );

  slowTest(
    'a winter of nights',
    async () => {
      const [plain, sharded] = await Promise.all(rooms.map(winter));
      expect(sharded).toEqual(plain);
      expect(plain).toMatchObject({ approved: 'done', accepted: 'done', erased: false, board: 'done', complaints: [] });
    },
    PATIENT,
  );

  test('nothing that is for plain servers was sent', () => {
    const sent = recordedHere().filter(({ sharded }) => sharded);
    expect(sent.filter(({ text }) => text.trimStart().startsWith('/* plain */'))).toEqual([]);
    expect(sent.length).toBeGreaterThan(150);
  });
});
