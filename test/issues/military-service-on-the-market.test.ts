/**
 * A reader of the market, every day of a year, must not learn that a borrower serves in the military: the rate of such a loan falls to 6 %, and its
 * payments are restated. It leaves the market as a loan does that its owner withdraws or that has a hold, and does not return.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
let investor: string;
beforeAll(async () => {
  service = await testApp();
  await on('2026-01-15');
}, 60_000);
afterAll(() => service.close());

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
  investor = await service.token(['public:read']);
}

async function done(path: string, body: object): Promise<Answered> {
  const answer = await service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer;
}

/** Three years at 9 %, with late fees. */
async function published(): Promise<string> {
  const { loanId } = (await done('loans', creation({ lateFee: '25', term: 36, published: true }))).body;
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

/** All that the public can ask of a loan, today and on any day. */
const asked = (loanId: string, transaction: string) => [
  `/market/data/loans/${loanId}`,
  `/market/data/loans/${loanId}/record`,
  `/market/data/loans/${loanId}/transactions`,
  `/market/data/loans/${loanId}/proof?transaction=${transaction}`,
  `/v2/chain/loan-data/${loanId}`,
  `/v2/chain/loan-data/${loanId}?asOf=2026-02-01`,
  `/v2/chain/loan-data/${loanId}?knownAt=2026-02-01T12:00:00Z`,
];

/** The answers, without what names the loan, its place in the ledger or the request. */
async function seen(loanId: string, transaction: string): Promise<string[]> {
  const answers: string[] = [];
  for (const path of asked(loanId, transaction)) {
    const answer = await service.call('GET', path, path.startsWith('/market') ? {} : { token: investor });
    const { requestId: _, instance: __, ...body } = answer.body;
    const text = JSON.stringify(body).replaceAll(
      /0x[0-9a-f]{40,64}|APP-\d+|(?<="startBlock":")\d+|(?<="block":)\d+/g,
      '·',
    );
    answers.push(`${answer.status} ${text}`);
  }
  return answers;
}

async function listed(query = ''): Promise<string[]> {
  const { body } = await service.call('GET', `/market/data/loans${query}`);
  return body.data.items.map(({ loanId }: { loanId: string }) => loanId);
}

const service6 = { interestRate: '6', why: 'scra', reason: 'Orders', serviceFrom: '2026-02-20', serviceTo: null };
const held = { holdId: 'H', reason: 'A reason' };

test('over a year, a loan whose borrower serves is seen as its twin, and then as one that has left for another reason', async () => {
  const [serves, twin, withdrawn, disputed] = [
    await published(),
    await published(),
    await published(),
    await published(),
  ];
  const first = (await service.call('GET', `/market/data/loans/${twin}/transactions`)).body.data.items[0];
  const hash = first.transactionHash;
  for (const month of ['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12']) {
    await on(`2026-${month}-16`);
    const left = month > '04';
    // The one that serves pays what its restated payments ask for; nobody outside may see the difference.
    for (const loanId of [serves, twin, withdrawn, disputed]) {
      const amount = left && loanId === serves ? '365.06' : '381.60';
      await done('loan-repay', { loanId, refId: `P-${month}`, amount });
    }
    if (month === '04') {
      await done('change-rate', { loanId: serves, ...service6 });
      await done('publish', { loanId: withdrawn, published: false });
      await done('place-hold', { loanId: disputed, kind: 'dispute', ...held });
    }
    if (month === '10') await done('change-rate', { loanId: serves, ...service6, serviceTo: '2026-10-10' });
    const ids = await listed();
    if (month < '04') {
      expect(ids.sort()).toEqual([serves, twin, withdrawn, disputed].sort());
      const answers = await seen(serves, hash);
      // A proof and the hashes of another loan differ; everything else is equal.
      expect(answers.filter((_, i) => i !== 3)).toEqual((await seen(twin, hash)).filter((_, i) => i !== 3));
      continue;
    }
    expect(ids).toEqual([twin]);
    expect(await listed('?maxRate=6')).toEqual([]);
    const gone = await seen(withdrawn, hash);
    expect(gone.every((answer) => answer.startsWith('404 '))).toBe(true);
    expect(await seen(serves, hash)).toEqual(gone);
    expect(await seen(disputed, hash)).toEqual(gone);
  }
  const summary = (await service.call('GET', '/market/data/summary')).body.data;
  expect([summary.count, summary.weightedRate]).toEqual([1, '9.00']);
}, 120_000);

test('it is not published again, nor by a service that began before the loan was published', async () => {
  await on('2027-01-15');
  const loanId = await published();
  await done('publish', { loanId, published: false });
  await on('2027-03-01');
  await done('publish', { loanId, published: true });
  expect(await listed()).toContain(loanId);
  await on('2027-03-02');
  await done('change-rate', { loanId, ...service6, serviceFrom: '2027-02-01', serviceTo: '2027-02-20' });
  expect(await listed()).not.toContain(loanId);
  const again = await service.call('POST', '/v2/chain/publish', {
    ...{ token, key: service.credentials.apiKey, body: { loanId, published: true } },
  });
  expect([again.status, again.body.refusal]).toEqual([422, 'not_eligible']);
  const { body } = await service.call('GET', `/v2/chain/loans/${loanId}/summary`, { token });
  expect(body.data.published).toBe(false);
}, 60_000);

test('a hold of any kind keeps a loan off the market until it is released', async () => {
  await on('2027-04-15');
  const loanId = await published();
  for (const [n, kind] of ['deceased', 'fraud', 'ceaseContact', 'disaster', 'military'].entries()) {
    const holdId = `H-${n}`;
    await done('place-hold', { loanId, ...held, holdId, kind });
    expect([kind, (await listed()).includes(loanId)]).toEqual([kind, false]);
    await done('release-hold', { loanId, holdId, reason: 'It has ended' });
    expect([kind, (await listed()).includes(loanId)]).toEqual([kind, true]);
  }
}, 60_000);
