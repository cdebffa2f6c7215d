/** Undo over HTTP: who may undo what, what the answers and the reads show, and that the books of earlier days stay as they were. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { addDays, date, daysBetween, type PlainDate } from '../../src/core/calendar.ts';
import { verifyBook } from '../../src/loans/verify/book.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { granted } from '../support/granted.ts';
import { testMasterKeys } from '../support/loans.ts';
import { creation } from '../support/statuses.ts';
import { slowTest, usualTest as test } from '../support/whole.ts';

let service: TestApp;
let token: string;
let today: PlainDate;
beforeAll(async () => {
  service = await testApp();
});
afterAll(() => service.close());

async function on(day: string): Promise<void> {
  today = date(day);
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

type Caller = { token: string; key: string };
const owner = (): Caller => ({ token, key: service.credentials.apiKey });
const post = (path: string, body: object, caller = owner(), headers: Record<string, string> = {}): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { ...caller, body, headers });

async function done(path: string, body: object) {
  const answer = await post(path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string) {
  const answer = await service.call('GET', `/v2/chain/${path}`, owner());
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

/** 12,000.00 at 9 % in twelve months: 2.96 a day. */
async function repaying(day: string, lenderId = 'L-1'): Promise<string> {
  await on(day);
  const { loanId } = await done('loans', { ...creation(), lenderId });
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

const undoing = (loanId: string, transactionHash: string) => ({ loanId, transactionHash, reason: 'Wrong loan' });

async function clientOf(organizationId: string, scopes: readonly Scope[]): Promise<Caller> {
  const made = await service.access.createClient(organizationId, { name: 'undo', scopes, rateLimitPerMinute: 0 });
  const { clientId, clientSecret, apiKey } = made;
  const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  return { token: body.data.token, key: apiKey };
}

describe('one undo', () => {
  test('restores the figures, and the timeline shows both transactions', async () => {
    const loanId = await repaying('2026-01-15');
    const before = await data(`loans/${loanId}/payoff`);
    const fee = await done('assess-fee', { loanId, feeId: 'F', name: 'Title fee', amount: '40' });
    await done('loan-repay', { loanId, amount: '100', refId: 'P' });
    const body = undoing(loanId, fee.transactionHash);

    const dry = (await done('undo?dryRun=true', body)).data;
    expect(dry).toMatchObject({ dryRun: true, events: [{ type: 'undone', date: '2026-01-15' }] });
    expect(dry.changes).toEqual([
      { date: '2026-01-15', what: 'principal', before: '11,940', after: '11,900' },
      { date: '2026-01-15', what: 'paymentPrincipal', refId: 'P', before: '60', after: '100' },
      { date: '2026-01-15', what: 'paymentFees', refId: 'P', before: '40', after: '0' },
    ]);
    const undone = await done('undo', {
      ...body,
      transactionHash: fee.transactionHash.toUpperCase().replace('0X', '0x'),
    });
    expect(undone.data).toMatchObject({ loanId, loanStatus: 'Current', changes: dry.changes });
    expect((await data(`loans/${loanId}/payoff`)).payoff).toBe('11,900');
    expect(before.payoff).toBe('12,000');

    const { items } = await data(`loans/${loanId}/timeline`);
    const shown = items.slice(-3).map(({ type, undoes, undoneBy }: Record<string, string>) => [type, undoes, undoneBy]);
    expect(shown).toEqual([
      ['feeAssessed', null, undone.transactionHash],
      ['paymentSubmitted', null, null],
      ['undone', fee.transactionHash, null],
    ]);
    expect(items.at(-1)).toMatchObject({ reasonGiven: true, reason: 'Wrong loan' });
    const { rows } = await data(`loans/${loanId}/history`);
    expect(rows.map(({ kind }: { kind: string }) => kind)).toEqual(['funded', 'payment']);
    expect((await data(`loans/${loanId}/history?knownAt=${items.at(-2).recordedAt}`)).rows).toHaveLength(3);
  });

  test('the same again answers the first hash, with and without a key, whatever happened since', async () => {
    const loanId = await repaying('2026-01-15');
    const { transactionHash } = await done('payoff-quotes', { loanId });
    const body = undoing(loanId, transactionHash);
    const first = await post('undo', body, owner(), { 'idempotency-key': 'K-1' });
    expect(first.status, first.text).toBe(200);
    await done('loan-repay', { loanId, amount: '100', refId: 'P' });
    const again = await done('undo', { ...body, reason: 'Another reason' });
    expect(again.transactionHash).toBe(first.body.transactionHash);
    const replayed = await post('undo', body, owner(), { 'idempotency-key': 'K-1' });
    expect(replayed.body).toEqual(first.body);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  });

  test('refusals say what to do', async () => {
    const [loanId, otherId] = [await repaying('2026-01-15'), await repaying('2026-01-15')];
    const fee = await done('assess-fee', { loanId, feeId: 'F', name: 'Title fee', amount: '40' });
    const waived = await done('waive-fee', { loanId, feeId: 'F', reason: 'Goodwill' });
    const paid = await done('loan-repay', { loanId, amount: '100', refId: 'P' });
    const answer = async (body: object) => {
      const { status, body: problem } = await post('undo', body);
      const { code, refusal, transactions } = problem;
      return [status, code, refusal, ...(transactions === undefined ? [] : [transactions])];
    };
    // A transaction of another loan is none of this one.
    expect(await answer(undoing(otherId, fee.transactionHash))).toEqual([404, 'not_found', 'unknown_reference']);
    expect(await answer(undoing(loanId, `0x${'ab'.repeat(32)}`))).toEqual([404, 'not_found', 'unknown_reference']);
    expect(await answer(undoing(loanId, loanId))).toEqual([404, 'not_found', 'unknown_reference']);
    expect(await answer(undoing(loanId, 'ACH-1'))).toEqual([422, 'invalid_request', undefined]);
    expect(await answer({ loanId, transactionHash: fee.transactionHash })).toEqual([422, 'invalid_request', undefined]);
    expect(await answer(undoing(loanId, paid.transactionHash))).toEqual([409, 'conflict', 'reference_conflict']);
    expect((await post('undo', undoing(loanId, paid.transactionHash))).body.detail).toContain('reverse-repayment');
    expect(await answer(undoing(loanId, fee.transactionHash))).toEqual([
      ...[409, 'depends', 'depends'],
      [waived.transactionHash],
    ]);
    await done('undo', undoing(loanId, waived.transactionHash));
    await done('undo', undoing(loanId, fee.transactionHash));
    expect((await data(`loans/${loanId}/payoff`)).payoff).toBe('11,900');
  });
});

describe('who may undo', () => {
  test('the scope of the step that is undone is needed too', async () => {
    await on('2026-01-15');
    const { loanId } = await done('loans', creation());
    const { transactionHash } = await done('request-documents', { loanId });
    const decided = await done('cancel', { loanId, reason: 'Withdrawn' });
    const servicing = await clientOf(service.organizationId, ['servicing:write']);
    const { status, body } = await post('undo', undoing(loanId, decided.transactionHash), servicing);
    expect([status, body.code, body.scope]).toEqual([403, 'insufficient_scope', 'loans:write']);
    const both = await clientOf(service.organizationId, ['servicing:write', 'loans:write']);
    expect((await post('undo', undoing(loanId, decided.transactionHash), both)).body.data).toMatchObject({
      loanStatus: 'DocumentsRequested',
      changes: [{ what: 'status', before: 'Cancelled', after: 'DocumentsRequested' }],
    });
    expect((await post('undo', undoing(loanId, transactionHash), both)).body.data.loanStatus).toBe(
      'ApplicationSubmitted',
    );
  });

  test('a servicer undoes what a servicer may record, and not the owner’s decisions', async () => {
    const { organizationId } = await service.access.createOrganization('servicer');
    await granted(service.access, service.organizationId, {
      ...{ granteeOrganizationId: organizationId, access: 'servicing' },
    });
    const servicer = await clientOf(organizationId, ['servicing:write', 'loans:write', 'loans:read']);
    const loanId = await repaying('2026-01-15');
    const shown = await done('publish', { loanId, published: true });
    const fee = await done('assess-fee', { loanId, feeId: 'F', name: 'Title fee', amount: '40' });
    const { status, body } = await post('undo', undoing(loanId, shown.transactionHash), servicer);
    expect([status, body.code]).toEqual([403, 'not_granted']);
    expect((await post('undo', undoing(loanId, fee.transactionHash), servicer)).status).toBe(200);
    // The same call by the owner is the same undo.
    expect((await post('undo', undoing(loanId, fee.transactionHash))).status).toBe(200);
    expect((await data(`loans/${loanId}/summary`)).published).toBe(true);
  });
});

describe('at the same time', () => {
  test('two undos of one transaction are one', async () => {
    const loanId = await repaying('2026-01-15');
    const { transactionHash } = await done('assess-fee', { loanId, feeId: 'F', name: 'Title fee', amount: '40' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => post('undo', undoing(loanId, transactionHash))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.transactionHash)).size).toBe(1);
  });

  test('an undo and payments', async () => {
    const loanId = await repaying('2026-01-15');
    const { transactionHash } = await done('assess-fee', { loanId, feeId: 'F', name: 'Title fee', amount: '40' });
    const answers = await Promise.all([
      post('loan-repay', { loanId, amount: '100', refId: 'A' }),
      post('undo', undoing(loanId, transactionHash)),
      post('loan-repay', { loanId, amount: '100', refId: 'B' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await data(`loans/${loanId}/payoff`)).payoff).toBe('11,800');
  });
});

describe('the books', () => {
  const FIRST = date('2026-01-15');
  const run = () => service.loans.cycle.runCyclesThrough(service.organizationId, addDays(today, -1));
  const balances = async (asOf: string) => (await data(`ledger/trial-balance?asOf=${asOf}`)).accounts;

  async function expectEveryDayToTie(): Promise<void> {
    const days = Array.from({ length: daysBetween(FIRST, today) + 1 }, (_, i) => addDays(FIRST, i));
    const ties = [];
    for (const day of days) ties.push(await data(`ledger/tie-out?asOf=${day}`));
    const untied = ties.flatMap(({ asOf, accounts }) =>
      accounts.flatMap(({ account, difference }: Record<string, string>) =>
        difference === '0' ? [] : [`${asOf} ${account} ${difference}`],
      ),
    );
    expect(untied).toEqual([]);
  }

  slowTest('of a closed month stay as they were, and every day ties', async () => {
    const feeLoan = await repaying('2026-01-15', 'L-1');
    const lateLoan = await repaying('2026-01-15', 'L-2');
    await on('2026-01-20');
    const fee = await done('assess-fee', { loanId: feeLoan, feeId: 'F', name: 'Title fee', amount: '40' });
    const noted = await done('payoff-quotes', { loanId: lateLoan });
    await on('2026-01-28');
    await done('loan-repay', { loanId: feeLoan, amount: '1,049.42', refId: 'P' });
    await on('2026-02-20');
    await run();
    const off = await done('charge-off', { loanId: lateLoan, reason: 'Fraud', collateral: '5,000' });
    await done('record-recovery', { loanId: lateLoan, amount: '6,000', refId: 'R-1' });
    await on('2026-03-02');
    await done('record-recovery', { loanId: lateLoan, amount: '700', refId: 'R-2' });
    await run();
    for (const period of ['2026-01', '2026-02']) await done('ledger/close', { period });
    const monthEnds = () => Promise.all(['2026-01-31', '2026-02-28'].map(balances));
    const closed = await monthEnds();

    await on('2026-03-04');
    expect((await done('undo', undoing(feeLoan, fee.transactionHash))).data.changes.length).toBeGreaterThan(0);
    // As payments, the recoveries have paid ahead.
    expect((await done('undo', undoing(lateLoan, off.transactionHash))).data.loanStatus).toBe('Current');
    await done('undo', undoing(lateLoan, noted.transactionHash));
    expect(await monthEnds()).toEqual(closed);
    const { items } = await data(`loans/${lateLoan}/journal`);
    const restated = items.filter(({ datePosted }: { datePosted: string }) => datePosted === '2026-03-04');
    expect(new Set(restated.map(({ priorPeriod }: { priorPeriod: boolean }) => priorPeriod))).toContain(true);
    expect((await data(`loans/${lateLoan}/history`)).rows.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...['funded', 'payment', 'payment'],
    ]);
    await on('2026-03-05');
    await run();
    await expectEveryDayToTie();

    // Nothing is left of a charge-off or of a fee.
    const open = new Map(
      (await balances('2026-03-05')).map(({ account, debit, credit }: Record<string, string>) => [
        account,
        `${debit} ${credit}`,
      ]),
    );
    expect(open.get('chargeOffExpense') ?? '0 0').toBe('0 0');
    expect(open.get('recoveryIncome') ?? '0 0').toBe('0 0');
  });

  test('and the whole book is verified', async () => {
    while ((await service.loans.ledger.seal()) > 0);
    const { complaints } = await verifyBook({ db: service.db, masterKeys: testMasterKeys });
    expect(complaints).toEqual([]);
  });
});
