/**
 * The public market over HTTP: what it shows without a token, what it never shows, and that `MARKET=off` closes it. Every answer is compared
 * with the list of what is personal (src/vault/fields.ts).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationBody } from '../../src/demo/application.ts';
import { blockHash, canonical, hashOf, rootHash, rootOf, verifyProof } from '../../src/ledger/chain.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { personalValues } from '../../src/vault/fields.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { fullBody } from '../support/full-body.ts';
import { creation } from '../support/statuses.ts';

const MONTH = 31 * 86_400_000;

let service: TestApp;
let token: string;
/** Published and paid once, late, not published, withdrawn, erased, of a sandbox. */
const loans = { paid: '', late: '', hidden: '', withdrawn: '', erased: '', sandbox: '' };

beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  loans.paid = await repaying(7);
  loans.late = await repaying(11);
  loans.hidden = await repaying(13, false);
  loans.withdrawn = await repaying(17);
  await post('publish', { loanId: loans.withdrawn, published: false });
  loans.erased = (await post('loans', creation({ published: true }))).body.loanId;
  await post('cancel', { loanId: loans.erased });
  const now = service.clock.now + 1_000;
  expect(await eraseBorrower(service.db, { loanId: loans.erased, retentionDays: 0, now })).toHaveProperty('erasedAt');
  const sandbox = (await post('sandboxes', { name: 'Rehearsal' })).body.data;
  const { clientId, clientSecret } = sandbox;
  const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  const body = creation({ published: true });
  loans.sandbox = (
    await service.call('POST', '/v2/chain/loans', { token: signedIn.body.data.token, key: sandbox.apiKey, body })
  ).body.loanId;
  expect(Object.values(loans).every((id) => /^0x[0-9a-f]{64}$/.test(id))).toBe(true);

  // Two months later: one loan has paid its first two installments and more, the other nothing.
  service.clock.now += 2 * MONTH;
  token = await service.token();
  await post('loan-repay', { loanId: loans.paid, refId: 'SECRET-REFERENCE', amount: '900', paymentDate: '2026-02-20' });
  await post('place-hold', {
    ...{ loanId: loans.paid, kind: 'dispute', holdId: 'H-1', details: { note: 'Planted-Note' }, reason: 'A reason' },
  });
  await post('release-hold', { loanId: loans.paid, holdId: 'H-1', reason: 'A reason' });
  await service.loans.ledger.seal();
}, 60_000);
afterAll(() => service.close());

async function post(path: string, body: object): Promise<Answered> {
  const answer = await service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

async function repaying(n: number, published = true): Promise<string> {
  const { loanId } = (await post('loans', fullBody(n, { published }))).body;
  await post('start-underwriting', { loanId });
  await post('complete-underwriting', { loanId, approved: true, reason: 'Within policy' });
  await post('initiate-repayment', { loanId });
  return loanId;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call('GET', `/market/data/${path}`, { headers });
const ids = (answer: Answered) => answer.body.data.items.map(({ loanId }: { loanId: string }) => loanId);

describe('the list', () => {
  test('has published loans alone, without a token', async () => {
    const answer = await get('loans');
    expect(answer.status, answer.text).toBe(200);
    expect(new Set(ids(answer))).toEqual(new Set([loans.paid, loans.late]));
    expect(answer.body.data).toMatchObject({ total: 2, totalExact: true, nextCursor: null });
  });

  test('shows of each what the public record shows', async () => {
    const item = (await get('loans')).body.data.items.find(({ loanId }: { loanId: string }) => loanId === loans.late);
    const { loanDetails } = (await get(`loans/${loans.late}/record`)).body.data;
    expect(item).toEqual({
      loanId: loans.late,
      applicationId: loanDetails.applicationId,
      loanType: 'AutoLoan',
      loanStatus: loanDetails.loanStatus,
      grade: loanDetails.grade,
      rate: loanDetails.interestRate,
      term: Number(loanDetails.term),
      remaining: Number(loanDetails.metadata.AutoLoan.remainingTerm),
      loanAmount: loanDetails.loanAmount,
      balance: loanDetails.remainingBalance,
      daysPastDue: Number(loanDetails.delinquentDays),
      bucket: '30-59',
      fairValuePrice: loanDetails.fairValuePrice,
      predictedYield: loanDetails.predictedYield,
      fundedOn: loanDetails.metadata.AutoLoan.fundedDate,
      vintage: '2026-01-01',
      isSample: false,
    });
    expect(item.loanStatus).toBe('Delinquent');
  });

  test('is filtered', async () => {
    const { grade, balance, rate } = (await get('loans')).body.data.items.find(
      ({ loanId }: { loanId: string }) => loanId === loans.late,
    );
    const found = async (query: string) => {
      const answer = await get(`loans?${query}`);
      expect(answer.status, answer.text).toBe(200);
      return ids(answer);
    };
    expect(await found('status=Delinquent')).toEqual([loans.late]);
    expect(await found('status=Current')).toEqual([loans.paid]);
    expect(await found('status=Current,Delinquent')).toHaveLength(2);
    expect(await found('bucket=30-59')).toEqual([loans.late]);
    expect(await found('bucket=current')).toEqual([loans.paid]);
    expect(await found('bucket=120-plus')).toEqual([]);
    expect(await found(`grade=${grade}`)).toContain(loans.late);
    expect(await found('vintageFrom=2026-02')).toEqual([]);
    expect(await found('vintageFrom=2026-01&vintageTo=2026-01')).toHaveLength(2);
    expect(await found(`minBalance=${balance}&maxBalance=${balance}`)).toEqual([loans.late]);
    expect(await found(`minRate=${rate}&maxRate=${rate}`)).toContain(loans.late);
    expect(await found('minRate=99')).toEqual([]);
  });

  test('has pages in every order, with each loan once', async () => {
    for (const sort of [
      'createdAt',
      '-createdAt',
      'balance',
      '-balance',
      'rate',
      '-rate',
      'daysPastDue',
      '-daysPastDue',
    ]) {
      const first = await get(`loans?sort=${sort}&limit=1`);
      const second = await get(`loans?sort=${sort}&limit=1&cursor=${first.body.data.nextCursor}`);
      expect(new Set([...ids(first), ...ids(second)]), sort).toEqual(new Set([loans.paid, loans.late]));
      expect(second.body.data, sort).toMatchObject({ nextCursor: null, total: null });
    }
    expect(ids(await get('loans?sort=-daysPastDue'))[0]).toBe(loans.late);
  });

  test('refuses bad parameters in words', async () => {
    const wrong: [query: string, pointer: string][] = [
      ['grade=Z', '/grade'],
      ['status=Happy', '/status'],
      ['bucket=7', '/bucket'],
      ['minRate=ten', '/minRate'],
      ['minRate=10&maxRate=5', '/minRate'],
      ['minBalance=-1', '/minBalance'],
      ['minBalance=10&maxBalance=5', '/minBalance'],
      ['vintageFrom=2026-13', '/vintageFrom'],
      ['vintageFrom=2026-05&vintageTo=2026-01', '/vintageFrom'],
      ['sort=name', '/sort'],
      ['limit=0', '/limit'],
      ['limit=1000', '/limit'],
      ['cursor=abc', '/cursor'],
      ['borrowerId=B-1', '/borrowerId'],
    ];
    for (const [query, pointer] of wrong) {
      const answer = await get(`loans?${query}`);
      expect([query, answer.status], answer.text).toEqual([query, 422]);
      expect(answer.body.errors.map((one: { pointer: string }) => one.pointer)).toEqual([pointer]);
      expect(answer.body.errors[0].detail.length).toBeGreaterThan(10);
    }
  });
});

test('the summary adds up what the list shows, with the same filters', async () => {
  const items = (await get('loans')).body.data.items;
  const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
  const sum = items.reduce((all: number, { balance }: { balance: string }) => all + cents(balance), 0);
  const weighted = items.reduce(
    (all: number, { balance, rate }: { balance: string; rate: string }) => all + cents(balance) * Number(rate),
    0,
  );
  const { data } = (await get('summary')).body;
  expect({ ...data, balance: cents(data.balance) }).toMatchObject({ count: 2, balance: sum, others: 0 });
  expect(Number(data.weightedRate)).toBeCloseTo(weighted / sum, 2);
  expect(data.buckets.map(({ bucket, count }: { bucket: string; count: number }) => [bucket, count])).toEqual([
    ['current', 1],
    ['1-29', 0],
    ['30-59', 1],
    ['60-89', 0],
    ['90-119', 0],
    ['120+', 0],
  ]);
  expect((await get('summary?bucket=30-59')).body.data.count).toBe(1);
  expect((await get('summary?minRate=99')).body.data).toMatchObject({ count: 0, balance: '0', weightedRate: null });
});

describe('one loan', () => {
  test('is the public record, as a client with public:read and nothing else reads it', async () => {
    const reader = await service.token(['public:read']);
    const asClient = await service.call('GET', `/v2/chain/loan-data/${loans.paid}`, { token: reader });
    const record = await get(`loans/${loans.paid}/record`);
    expect(record.text).toBe(asClient.text);
    const { Underwriting: _, ...details } = asClient.body.data.loanDetails;
    expect((await get(`loans/${loans.paid}`)).body.data.loanDetails).toEqual(details);
  });

  test('shows month by month how it does beside what was expected', async () => {
    const { performance, loanDetails } = (await get(`loans/${loans.paid}`)).body.data;
    const [before, first, second] = performance;
    expect(before).toMatchObject({ month: 0, date: '2026-01-15', balance: loanDetails.loanAmount, received: '0' });
    expect(before.expectedBalance).toBe(loanDetails.loanAmount);
    expect(first).toMatchObject({ month: 1, date: '2026-02-15', received: '0', daysPastDue: 0 });
    expect(second).toMatchObject({
      month: 2,
      date: '2026-03-15',
      received: '900',
      balance: loanDetails.remainingBalance,
    });
    expect(Number(second.expected.replaceAll(',', ''))).toBeGreaterThan(100);
    // Months to come have expected figures only.
    expect(performance[3]).toMatchObject({ month: 3, balance: null, received: null, daysPastDue: null });
    expect(performance.length).toBeGreaterThanOrEqual(Number(loanDetails.term));
    const csv = (await get(`loans/${loans.paid}/record`)).body.data.loanDetails.Underwriting.CashflowsCsv as string;
    const [header = [], ...rows] = csv.split('\n').map((line) => line.split(','));
    const [balance, month] = [header.indexOf('EndingBalance'), header.indexOf('Month')];
    expect(rows[2]?.[month]).toBe('2');
    expect(performance[2].expectedBalance.replaceAll(',', '')).toBe(rows[2]?.[balance]?.replace(/\.?0+$/, ''));
  });

  test('is compared with the deal that was chosen, when it was underwritten here', async () => {
    const { applicationId, lenderId } = creation();
    const application = { ...applicationBody(3), applicationId, lenderId, published: true };
    const { loanId } = (await post('loans', application)).body;
    await post('start-underwriting', { loanId });
    const { items } = (await service.call('GET', `/v2/chain/loans/${loanId}/deals`, { token })).body.data;
    const [asked, ...others] = items as { dealIndex: number; loanAmount: string; term: string }[];
    const chosen = others.find(
      ({ loanAmount, term }) => loanAmount !== asked?.loanAmount && term !== asked?.term,
    ) as (typeof others)[number];
    await post('complete-underwriting', {
      ...{ loanId, approved: true, dealIndex: chosen.dealIndex, reason: 'Counter-offer' },
    });
    await post('initiate-repayment', { loanId });
    const { performance, loanDetails } = (await get(`loans/${loanId}`)).body.data;
    expect(loanDetails.term).toBe(chosen.term);
    const csv = (await get(`loans/${loanId}/record`)).body.data.loanDetails.Underwriting.CashflowsCsv as string;
    const [header = [], ...rows] = csv
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const balance = header.indexOf('EndingBalance');
    const plain = (text: string) => Number(text.replaceAll(',', ''));
    expect(performance.map((month: { expectedBalance: string }) => plain(month.expectedBalance))).toEqual(
      rows.map((row) => plain(row[balance] as string)),
    );
    expect(performance[0].expectedBalance).toBe(loanDetails.loanAmount);
    await post('publish', { loanId, published: false });
  });

  test('has a price today', async () => {
    const { value, asOf, loanDetails } = (await get(`loans/${loans.paid}`)).body.data;
    const owner = await service.call('GET', `/v2/chain/loans/${loans.paid}/forecast`, { token });
    expect(value).toMatchObject({ asOf, balance: loanDetails.remainingBalance });
    expect(value.fairValue).toBe(owner.body.data.figures.fairValuePrice);
    expect(Number(value.yieldAtPar)).toBeGreaterThan(0);
  });

  test('is absent where it is not published, withdrawn, erased or of a sandbox', async () => {
    const asked = (id: string) =>
      ['', '/record', '/transactions', `/proof?transaction=${id}`].map((end) => `loans/${id}${end}`);
    const { hidden, withdrawn, erased, sandbox } = loans;
    for (const id of [hidden, withdrawn, erased, sandbox, `0x${'ab'.repeat(32)}`]) {
      for (const path of asked(id)) expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    for (const path of asked('nonsense').slice(0, 3)) expect([path, (await get(path)).status]).toEqual([path, 404]);
    const answer = await get(`loans/${hidden}`);
    expect(answer.body.detail).toMatch(/No such loan on the market/);
  });

  test('comes with an ETag, and may be used for some seconds', async () => {
    for (const path of ['loans', 'summary', `loans/${loans.paid}`, `loans/${loans.paid}/transactions`]) {
      const answer = await get(path);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=10');
      const again = await get(path, { 'if-none-match': answer.headers.get('etag') ?? '' });
      expect([path, again.status, again.text]).toEqual([path, 304, '']);
    }
  });
});

describe('proof', () => {
  test('leads from each transaction to a root of the ledger', async () => {
    const { items } = (await get(`loans/${loans.paid}/transactions`)).body.data;
    const kinds = items.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toContain('payment');
    expect(kinds).toContain('other');
    for (const { transactionHash, kind } of items) {
      const answer = await get(`loans/${loans.paid}/proof?transaction=${transactionHash}`);
      if (kind === 'other') {
        expect([answer.status, answer.text.includes('sealedAt')]).toEqual([404, false]);
        continue;
      }
      expect(answer.status, answer.text).toBe(200);
      const { proof, links, root, body } = answer.body.data;
      if (kind === 'funded' || kind === 'published') expect(hashOf(body)).toBe(transactionHash);
      if (kind === 'payment') expect(body).toBeNull();
      const { index, siblings, header } = proof;
      expect(verifyProof({ transactionHash, index, count: header.count, siblings, root: header.root })).toBe(true);
      expect(blockHash(header)).toBe(header.hash);
      let last = header;
      for (const next of links) {
        expect([next.previousHash, blockHash(next)]).toEqual([last.hash, next.hash]);
        last = next;
      }
      expect(root.heads.find(({ volume }: { volume: number }) => volume === root.volume).hash).toBe(last.hash);
      expect(rootOf(root.heads, root.volumes)).toBe(root.root);
      expect(rootHash(root)).toBe(root.hash);
    }
  });

  test('names the payments of the public record, and not the references of the lender', async () => {
    const { loanPayments } = (await get(`loans/${loans.paid}`)).body.data.loanDetails;
    const { items } = (await get(`loans/${loans.paid}/transactions`)).body.data;
    const payment = items.find(({ kind }: { kind: string }) => kind === 'payment');
    expect(payment).toMatchObject({
      transactionHash: loanPayments[0].transactionHash,
      date: '2026-02-20',
      amount: '900',
    });
    const other = items.find(({ kind }: { kind: string }) => kind === 'other');
    expect(other).toMatchObject({ date: null, amount: null, block: null });
    for (const { transactionHash } of items) {
      const { text } = await get(`loans/${loans.paid}/proof?transaction=${transactionHash}`);
      expect(text).not.toMatch(/SECRET-REFERENCE|H-1|dispute|holdPlaced/);
    }
  });

  test('a hash does not give its text away: each has a nonce that nobody else knows', async () => {
    const token = await service.token();
    const { items } = (await get(`loans/${loans.paid}/transactions`)).body.data;
    const own = (
      await service.call('GET', `/v2/chain/loans/${loans.paid}/transactions`, {
        token,
        key: service.credentials.apiKey,
      })
    ).body.data.items;
    const nonces = own.map(({ body }: { body: string }) => JSON.parse(body).nonce);
    expect(new Set(nonces).size).toBe(items.length);
    for (const { transactionHash, body } of own) {
      const { nonce: _, ...guessed } = JSON.parse(body);
      expect(hashOf(body)).toBe(transactionHash);
      expect(hashOf(canonical(guessed))).not.toBe(transactionHash);
    }
  });

  test('is not given for a transaction of another loan', async () => {
    const { items } = (await get(`loans/${loans.late}/transactions`)).body.data;
    const path = `loans/${loans.paid}/proof?transaction=${items[0].transactionHash}`;
    expect((await get(path)).status).toBe(404);
    expect((await get(`loans/${loans.paid}/proof`)).status).toBe(422);
    expect((await get(`loans/${loans.paid}/proof?transaction=7`)).status).toBe(422);
  });
});

test('no answer has anything personal', async () => {
  const said: string[] = [];
  for (const loanId of [loans.paid, loans.late]) {
    for (const path of ['', '/record', '/transactions']) said.push((await get(`loans/${loanId}${path}`)).text);
    const { items } = (await get(`loans/${loanId}/transactions`)).body.data;
    for (const { transactionHash } of items) {
      said.push((await get(`loans/${loanId}/proof?transaction=${transactionHash}`)).text);
    }
  }
  said.push((await get('loans')).text, (await get('summary')).text);
  for (const loanId of Object.values(loans).slice(0, 4)) {
    const headers = { purpose: 'a test' };
    const full = await service.call('GET', `/v2/chain/loans/${loanId}`, {
      ...{ token, key: service.credentials.apiKey, headers },
    });
    const { borrowerId } = full.body.data.loanDetails;
    // A figure of a report may be a month's interest in a forecast by chance.
    const values = personalValues(full.body.data).filter((value) => value.length > 5 && !/^[\d.,:TZ-]+$/.test(value));
    expect(values.length).toBeGreaterThan(80);
    const numbers = ['ApplicantSSN', 'ApplicantDOB', 'HomePhone'].map(
      (name) => full.body.data.Request.ApplicantInfo[name],
    );
    for (const text of said) {
      expect([...values, ...numbers, borrowerId].filter((value) => value !== '' && text.includes(value))).toEqual([]);
    }
  }
});

test('opens nothing else', async () => {
  // The client of the market is in no table and has no token; a read of another kind needs one.
  for (const path of ['loans', `loan-data/${loans.paid}`, `loans/${loans.paid}/transactions`, 'ledger/roots', 'me']) {
    expect([path, (await service.call('GET', `/v2/chain/${path}`)).status]).toEqual([path, 401]);
  }
  const body = { clientId: 'market', clientSecret: 'market' };
  expect((await service.call('POST', '/v2/chain/auth-token', { body })).status).toBe(401);
  const { items } = (await service.call('GET', '/v2/chain/clients', { token })).body.data;
  expect(items.map(({ clientId }: { clientId: string }) => clientId)).not.toContain('market');
  expect((await service.call('POST', '/market/data/loans', { body: {} })).status).toBe(405);
});

test('the demonstration of the service is on it, as samples, until it has ended', async () => {
  const where = 'WHERE organization_id = (SELECT organization_id FROM loans WHERE volume = $1 AND loan_id = $2)';
  const id = Buffer.from(loans.sandbox.slice(2), 'hex');
  const of = [(id[0] as number) % service.db.volumes.count, id];
  const listed = async () =>
    (await get('loans')).body.data.items.filter((one: { loanId: string }) => one.loanId === loans.sandbox);
  await service.db.query(`UPDATE sandboxes SET made_by = NULL ${where}`, of);
  service.clock.now += 6_000;
  expect(await listed()).toMatchObject([{ isSample: true }]);
  expect((await get(`loans/${loans.sandbox}`)).body.data).toMatchObject({ isSample: true });
  await service.db.query(`UPDATE sandboxes SET ended_at = now() ${where}`, of);
  service.clock.now += 6_000;
  expect(await listed()).toEqual([]);
  expect((await get(`loans/${loans.sandbox}`)).status).toBe(404);
});

test('MARKET=off closes it', async () => {
  const closed = await testApp({ MARKET: 'off' });
  try {
    for (const path of ['loans', 'summary', `loans/${loans.paid}`, `loans/${loans.paid}/transactions`]) {
      const answer = await closed.call('GET', `/market/data/${path}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body.detail).toBe('The public market of this service is closed.');
    }
    for (const path of ['/market', `/market/loans/${loans.paid}`]) {
      const page = await closed.call('GET', path);
      expect([path, page.status]).toEqual([path, 404]);
      expect(page.text).toContain('The public market is closed');
    }
  } finally {
    await closed.close();
  }
});

test('a network address has a quota', async () => {
  const limited = await testApp({ MARKET_RATE_LIMIT: '9' });
  try {
    const ask = () => limited.call('GET', '/market/data/loans');
    expect((await ask()).headers.get('ratelimit')).toMatch(/"default";r=5;/);
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.body.detail).toMatch(/your network address has 1 of its 9 units per minute left/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    limited.clock.now += 61_000;
    expect((await ask()).status).toBe(200);
  } finally {
    await limited.close();
  }
});
