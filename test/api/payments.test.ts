/** Payments over HTTP: what they are for and how they were made, returns and reversals, what a write changes, and the payoff for a range of dates. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
});
afterAll(() => service.close());

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

const post = (path: string, body: object): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });

async function done(path: string, body: object) {
  const answer = await post(path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string) {
  const answer = await service.call('GET', `/v2/chain/${path}`, { token, key: service.credentials.apiKey });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

/** 12,000.00 at 9 % in twelve months from 15 January 2026: 2.96 a day. */
async function repaying(): Promise<string> {
  await on('2026-01-15');
  const { loanId } = await done('loans', creation());
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

test('purpose, method, trace and the code of a return are in the history', async () => {
  const loanId = await repaying();
  await done('loan-repay', { loanId, amount: '100', refId: 'A', method: 'ach', trace: '091000010000001' });
  await done('loan-repay', { loanId, amount: '500', refId: 'B', purpose: 'insurance', method: 'check' });
  await done('loan-repay', { loanId, amount: '50', refId: 'C', principalOnly: true });
  await done('return-repayment', { loanId, refId: 'A', code: 'R01', reason: 'No funds' });
  await done('reverse-repayment', { loanId, refId: 'C', reason: 'Another loan’s' });
  const { rows, closedBy } = await data(`loans/${loanId}/history`);
  expect(closedBy).toBeNull();
  const facts = rows.map(({ kind, reference, detail, purpose, method, trace, code }: Record<string, string | null>) =>
    [kind, reference, detail, purpose, method, trace, code].map((one) => one ?? '-').join(' '),
  );
  expect(facts.slice(1)).toEqual([
    'payment A returned later installment ach 091000010000001 -',
    'payment B insurance insurance check - -',
    'payment C reversed later principal - - -',
    'returned A R01 - - - R01',
    'reversed C  - - - -',
  ]);
  // The record lists a returned payment; one that was posted in error is left out.
  const { loanDetails } = await data(`loans/${loanId}`);
  const shown = loanDetails.loanPayments.map(({ paymentId, status }: Record<string, string>) => [paymentId, status]);
  expect(shown).toEqual([
    ['A', 'Returned'],
    ['B', 'Submitted'],
  ]);
});

test('a payment sent again is compared by the members that are sent', async () => {
  const loanId = await repaying();
  const first = { loanId, amount: '100', refId: 'A', purpose: 'sale', method: 'wire', trace: 'T-1' };
  const { transactionHash } = await done('loan-repay', first);
  for (const name of ['purpose', 'method', 'trace'] as const) {
    const { [name]: _left, ...less } = first;
    expect((await done('loan-repay', less)).transactionHash).toBe(transactionHash);
  }
  expect((await done('loan-repay', { loanId, amount: '100', refId: 'A' })).transactionHash).toBe(transactionHash);
  const others = [{ purpose: 'insurance' }, { principalOnly: true }, { method: 'ach' }, { trace: 'T-2' }];
  for (const other of others) {
    const { status, body } = await post('loan-repay', { loanId, amount: '100', refId: 'A', ...other });
    expect([status, body.refusal], JSON.stringify(other)).toEqual([409, 'reference_conflict']);
  }
  const plain = await done('loan-repay', { loanId, amount: '50', refId: 'B' });
  const again = await done('loan-repay', { loanId, amount: '50', refId: 'B', purpose: 'installment' });
  expect(again.transactionHash).toBe(plain.transactionHash);
  expect((await post('loan-repay', { loanId, amount: '50', refId: 'B', method: 'ach' })).status).toBe(409);
});

test('an impossible payment is refused with the member at fault', async () => {
  const loanId = await repaying();
  const refused = async (path: string, body: object) => {
    const answer = await post(path, { loanId, ...body });
    return [answer.status, answer.body.errors?.[0]?.pointer ?? answer.body.refusal];
  };
  const pay = { amount: '10', refId: 'A' };
  expect(await refused('loan-repay', { ...pay, purpose: 'gift' })).toEqual([422, '/purpose']);
  expect(await refused('loan-repay', { ...pay, method: 'barter' })).toEqual([422, '/method']);
  expect(await refused('loan-repay', { ...pay, trace: '666-45-1234' })).toEqual([422, '/trace']);
  expect(await refused('loan-repay', { ...pay, trace: 'Jane Doe' })).toEqual([422, '/trace']);
  for (const both of [
    { purpose: 'sale', principalOnly: true },
    { purpose: 'principal', principalOnly: false },
  ]) {
    expect(await refused('loan-repay', { ...pay, ...both })).toEqual([422, '/principalOnly']);
  }
  await done('loan-repay', { loanId, ...pay, purpose: 'principal', principalOnly: true });
  expect(await refused('loan-repay', { ...pay, purpose: 'installment' })).toEqual([409, '/refId']);
  expect(await refused('return-repayment', { refId: 'A', code: 'R99' })).toEqual([422, '/code']);
  expect(await refused('reverse-repayment', { refId: 'A' })).toEqual([422, '/reason']);
  expect(await refused('reverse-repayment', { refId: 'X', reason: 'none' })).toEqual([404, '/refId']);
  await done('reverse-repayment', { loanId, refId: 'A', reason: 'Posted twice' });
  expect(await refused('return-repayment', { refId: 'A', code: 'R01' })).toEqual([409, '/refId']);
});

test('a fee after a payment of its day says how that is applied now, and other payments of the day change nothing', async () => {
  const loanId = await repaying();
  const first = await done('loan-repay', { loanId, amount: '100', refId: 'f81d4fae-7dec' });
  expect(first.data.allocation).toMatchObject({ fees: '0', principal: '100' });
  const second = await done('loan-repay', { loanId, amount: '30', refId: '018f4e2c-5d3a' });
  expect([second.data.changes, second.data.allocation.principal]).toEqual([undefined, '30']);
  const fee = { loanId, feeId: 'F', name: 'Title fee', amount: '40' };
  const dry = (await done('assess-fee?dryRun=true', fee)).data;
  expect(dry.changes).toEqual([
    { date: '2026-01-15', what: 'principal', before: '11,870', after: '11,910' },
    { date: '2026-01-15', what: 'paymentPrincipal', refId: 'f81d4fae-7dec', before: '100', after: '60' },
    { date: '2026-01-15', what: 'paymentFees', refId: 'f81d4fae-7dec', before: '0', after: '40' },
  ]);
  expect((await done('assess-fee', fee)).data.changes).toEqual(dry.changes);
  const { rows } = await data(`loans/${loanId}/history`);
  const shown = rows.filter(({ kind }: { kind: string }) => kind === 'payment');
  expect(shown).toMatchObject([
    { reference: 'f81d4fae-7dec', allocation: { fees: '40', principal: '60' } },
    { reference: '018f4e2c-5d3a', allocation: { fees: '0', principal: '30' } },
  ]);
  await on('2026-01-16');
  expect((await done('assess-fee', { ...fee, feeId: 'G' })).data.changes).toBeUndefined();
});

test('a return that re-opens a loan reports what it changes, also in a dry run and when it is repeated', async () => {
  const loanId = await repaying();
  await done('loan-repay', { loanId, amount: '5000', refId: 'A' });
  const looking = await done('payoff-quotes', { loanId, goodThrough: '2026-01-18', quoteId: 'Q' });
  expect(looking.data.changes).toBeUndefined();
  const paid = await done('loan-repay', { loanId, amount: looking.data.amount, refId: 'B' });
  expect(paid.data.changes).toBeUndefined();
  for (const refId of ['A', 'B']) await done('acknowledge-repayment', { loanId, refId });
  expect((await data(`loans/${loanId}/history`)).closedBy).toBe('payoff');
  const dry = await post('return-repayment?dryRun=true', { loanId, refId: 'A', code: 'R01' });
  const first = await done('return-repayment', { loanId, refId: 'A', code: 'R01' });
  // 7,000.00 and three days of its interest, 5.18, were quoted and paid on the day of funding: 4,994.82 is left.
  expect(first.data.changes).toEqual([
    { date: '2026-01-15', what: 'principal', before: '0', after: '4,994.82' },
    { date: '2026-01-15', what: 'credit', before: '5.18', after: '0' },
    { date: '2026-01-15', what: 'status', before: 'ClosedEarly', after: 'Current' },
    { date: '2026-01-15', what: 'paymentPrincipal', refId: 'A', before: '5,000', after: '0' },
    { date: '2026-01-15', what: 'paymentPrincipal', refId: 'B', before: '7,000', after: '7,005.18' },
    { date: '2026-01-15', what: 'paymentCredit', refId: 'B', before: '5.18', after: '0' },
    { date: '2026-01-15', what: 'quote', before: 'honoured', after: 'void' },
    { date: '2026-01-15', what: 'closedBy', before: 'payoff', after: null },
    { date: '2026-01-15', what: 'lienRelease', before: 'due', after: 'withdrawn' },
  ]);
  expect(dry.body.data.changes).toEqual(first.data.changes);
  await on('2026-01-20');
  expect(await done('return-repayment', { loanId, refId: 'A', code: 'R01' })).toEqual(first);
});

test('a backdated payment removes its late fee, and says so', async () => {
  await on('2026-01-15');
  const { loanId } = await done('loans', creation({ lateFee: '25' }));
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  await on('2026-03-01');
  const { changes } = (await done('loan-repay', { loanId, amount: '1,049.42', refId: 'A', paymentDate: '2026-02-15' }))
    .data;
  const of = (what: string) => changes.filter((one: { what: string }) => one.what === what);
  expect(of('lateFee')).toEqual([{ date: '2026-02-26', what: 'lateFee', before: '25', after: '0' }]);
  expect(of('daysPastDue')).toEqual([{ date: '2026-03-01', what: 'daysPastDue', before: '14', after: '0' }]);
  expect(of('status')).toEqual([{ date: '2026-03-01', what: 'status', before: 'Delinquent', after: 'Current' }]);
});

test('the payoff for every day up to the requested one', async () => {
  const loanId = await repaying();
  const ten = await data(`loans/${loanId}/payoff?date=2026-01-20`);
  expect([ten.date, ten.payoff, ten.goodThrough, ten.days.length]).toEqual([
    '2026-01-20',
    '12,014.79',
    '2026-01-30',
    11,
  ]);
  const span = await data(`loans/${loanId}/payoff?date=2026-01-20&goodThrough=2026-01-22`);
  expect(span.days).toEqual([
    { date: '2026-01-20', payoff: '12,014.79' },
    { date: '2026-01-21', payoff: '12,017.75' },
    { date: '2026-01-22', payoff: '12,020.71' },
  ]);
  const refused = async (query: string) => {
    const answer = await service.call('GET', `/v2/chain/loans/${loanId}/payoff?${query}`, { token });
    return [answer.status, answer.body.errors?.[0]?.pointer];
  };
  expect(await refused('date=2026-01-20&goodThrough=2026-01-19')).toEqual([422, '/goodThrough']);
  expect(await refused('date=2026-01-20&goodThrough=2027-02-01')).toEqual([422, '/goodThrough']);
  expect(await refused('goodThrough=soon')).toEqual([422, '/goodThrough']);
});
