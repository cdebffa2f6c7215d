/** Lists and the reads of one loan over HTTP: filters, what is shown, and to whom. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
let key: string;
beforeAll(async () => {
  service = await testApp();
  key = service.credentials.apiKey;
});
beforeEach(() => on('2026-01-15'));
afterAll(() => service.close());

async function on(day: string): Promise<void> {
  service.clock.now = Date.parse(`${day}T12:00:00Z`);
  token = await service.token();
}

const get = (path: string, more: object = {}) => service.call('GET', `/v2/chain/${path}`, { token, key, ...more });
const post = (path: string, body: object) => service.call('POST', `/v2/chain/${path}`, { token, key, body });

async function done(path: string, body: object) {
  const answer = await post(path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string, more: object = {}) {
  const answer = await get(path, more);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

const create = async (more: object = {}): Promise<string> => (await done('loans', creation(more))).loanId;

async function repaying(more: object = {}): Promise<string> {
  const loanId = await create(more);
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true, reason: 'Known for years' });
  await done('initiate-repayment', { loanId });
  return loanId;
}

const WITH_PDF = {
  Request: { ApplicantInfo: { ApplicantSSN: '666-45-1234' } },
  Response: { Decision: 'APPROVED' },
  Underwriting: {
    DealTermsInfo: [
      { TermsLoanAmount: '12000', TermsAPR: '9', TermsTerm: '12', TermsPTI: '0.0913' },
      { TermsLoanAmount: '12000', TermsAPR: '9.5', TermsTerm: 24 },
    ],
    UnderwritingInfo: [
      { DecisionStatus: 'APPROVED', DecisionReason: 'Good history; low debts', ForecastTotalPaid: '12,300.00' },
      { DecisionStatus: 'DECLINED', DecisionReasonSimple: 'Term', AllWarnings: 'Long term' },
    ],
    PrimaryCreditBureauPDF: Buffer.from('%PDF-1.7 a report').toString('base64'),
    CoApplicantCreditBureauPDF: 'bm90IGEgUERG',
  },
};

describe('the list', () => {
  const lenderId = 'LND-LIST';
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    await on('2026-01-15');
    const old = { originationDate: '2025-06-15', firstPaymentDate: '2025-07-15' };
    ids.applied = await create({ lenderId });
    ids.rejected = await create({ lenderId });
    await done('start-underwriting', { loanId: ids.rejected });
    await done('complete-underwriting', { loanId: ids.rejected, approved: false });
    ids.current = await repaying({ lenderId, loanAmount: '5,000' });
    ids.late = await repaying({ lenderId, ...old });
    ids.chargedOff = await repaying({ lenderId, ...old, loanAmount: '9,000' });
    await done('charge-off', { loanId: ids.chargedOff, reason: 'Gone' });
  });

  const list = (query: string) => data(`loans?lenderId=${lenderId}&${query}`);
  const found = async (query: string) => {
    const { items } = await list(query);
    const names = Object.entries(ids);
    return items.map(({ loanId }: { loanId: string }) => names.find(([, id]) => id === loanId)?.[0]);
  };

  it('shows balances and buckets: no bucket before funding, after the end and after a charge-off', async () => {
    const { items, total, totalExact } = await list('sort=createdAt');
    expect([total, totalExact]).toEqual([5, true]);
    const shown = Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [name, items.find(({ loanId }: { loanId: string }) => loanId === id)]),
    );
    expect(shown.applied).toMatchObject({ balance: '0', remainingBalance: '12,000', bucket: null });
    expect(shown.rejected).toMatchObject({ balance: '0', remainingBalance: '0', bucket: null });
    expect(shown.current).toMatchObject({ balance: '5,000', remainingBalance: '5,000', bucket: 'current' });
    expect(shown.late).toMatchObject({ balance: '12,000', delinquentDays: '184', bucket: '120+' });
    expect(shown.chargedOff).toMatchObject({ loanStatus: 'ChargedOff', delinquentDays: '184', bucket: null });
  });

  it.each([
    ['status=Current,ChargedOff', ['chargedOff', 'current']],
    ['status=Delinquent', ['late']],
    ['bucket=current', ['current']],
    ['bucket=120-plus', ['late']],
    ['bucket=120%2B', ['late']],
    ['minDaysPastDue=1', ['chargedOff', 'late']],
    ['maxDaysPastDue=0', ['applied', 'current', 'rejected']],
    ['dueFrom=2026-01-01', ['current']],
    ['dueTo=2026-01-01', ['chargedOff', 'late']],
    ['minBalance=5,000.00&maxBalance=9000', ['chargedOff', 'current']],
  ])('finds by %s', async (query, expected) => {
    expect((await found(query)).sort()).toEqual(expected);
  });

  it('sorts by days past due, next due date and balance', async () => {
    expect(await found('sort=balance&minBalance=1')).toEqual(['current', 'chargedOff', 'late']);
    expect((await found('sort=-daysPastDue')).slice(0, 2).sort()).toEqual(['chargedOff', 'late']);
    expect((await found('sort=nextDueDate'))[2]).toBe('current');
    expect((await found('sort=-nextDueDate'))[0]).toBe('current');
    expect((await found('sort=daysPastDue')).slice(-2).sort()).toEqual(['chargedOff', 'late']);
  });

  it.each([
    ['status=Open', '/status', 'enum'],
    ['bucket=120', '/bucket', 'enum'],
    ['minBalance=-1', '/minBalance', 'negative'],
    ['minBalance=10&maxBalance=2', '/minBalance', 'contradiction'],
    ['dueFrom=2026-02-30', '/dueFrom', 'format'],
    ['dueFrom=2026-03-01&dueTo=2026-02-01', '/dueFrom', 'contradiction'],
    ['minDaysPastDue=x', '/minDaysPastDue', 'type'],
    ['cursor=bmFuc2Vuc2U', '/cursor', 'format'],
  ])('refuses %s', async (query, pointer, code) => {
    const answer = await get(`loans?${query}`);
    expect(answer.body).toMatchObject({ status: 422, errors: [{ pointer, code }] });
  });

  it('is at /applications too, and so is the record', async () => {
    expect(await data(`applications?lenderId=${lenderId}&limit=2`)).toMatchObject({ total: 5 });
    const record = await get(`applications/${ids.applied}`);
    expect(Object.keys(record.body)).toEqual(['message', 'data']);
    expect([record.headers.get('x-loan-id'), record.headers.get('x-loan-version')]).toEqual([ids.applied, '1']);
    expect(Object.keys(record.body.data)).toEqual(['loanDetails', 'Request', 'Response', 'Underwriting']);
  });
});

describe('the summary', () => {
  it('has the figures, the version and the allowed operations; nothing that is sealed', async () => {
    const loanId = await repaying(WITH_PDF);
    const summary = await data(`loans/${loanId}/summary`);
    expect(summary).toMatchObject({
      ...{ loanId, version: 5, asOf: '2026-01-15', loanStatus: 'Current', balance: '12,000', bucket: 'current' },
      ...{ closedBy: null, assessed: true, published: false },
      loanDetails: { loanAmount: '12,000', nextPaymentDate: '2026-02-15', lendingDecisionReason: '' },
    });
    expect(summary.allowed).toContain('loan-repay');
    expect(summary.allowed).not.toContain('fund-loan');
    const text = JSON.stringify(summary);
    for (const sealed of ['666-45', '%PDF', WITH_PDF.Underwriting.PrimaryCreditBureauPDF])
      expect(text).not.toContain(sealed);
    expect(Object.keys(summary.loanDetails)).toEqual(Object.keys((await data(`loans/${loanId}`)).loanDetails));
  });

  it('names only what a grant allows', async () => {
    const loanId = await repaying();
    const { organizationId } = await service.access.createOrganization('reader');
    const scopes = ['loans:read'] as const;
    const { clientId, clientSecret } = await service.access.createClient(organizationId, {
      name: 'r',
      scopes: [...scopes],
    });
    const { grantId } = (await done('grants', { granteeOrganizationId: organizationId, access: 'read' })).data;
    await service.access.acceptGrant(organizationId, grantId);
    const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    const other = { token: signedIn.body.data.token, key: undefined };
    expect((await data(`loans/${loanId}/summary`, other)).allowed).toEqual([]);
    // Without the scope and the key no reason is shown.
    const { items } = await data(`loans/${loanId}/timeline`, other);
    expect(items.map(({ reason }: { reason: unknown }) => reason)).toEqual([null, null, null, null, null]);
  });
});

describe('deals', () => {
  it('are rows with decision and forecast; reasons need the personal scope and the key', async () => {
    const loanId = await create(WITH_PDF);
    const { items } = await data(`loans/${loanId}/deals`);
    expect(items).toMatchObject([
      {
        ...{ dealIndex: 0, loanAmount: '12000', term: '12', decision: 'APPROVED' },
        reasons: ['Good history', 'low debts'],
        forecast: { totalPaid: '12,300.00' },
      },
      { dealIndex: 1, decision: 'DECLINED', reasons: ['Long term'] },
    ]);
    const withoutKey = await get(`loans/${loanId}/deals`, { key: undefined });
    expect(withoutKey.headers.get('cache-control')).toBe('private, no-cache');
    expect(withoutKey.body.data.items).toMatchObject([{ decision: 'APPROVED', reasons: null }, { reasons: null }]);
    expect(withoutKey.text).not.toContain('Good history');
    const disclosed = (await data(`loans/${loanId}/disclosures`)).items;
    expect(disclosed.filter(({ what }: { what: string }) => what === 'deals')).toHaveLength(1);
  });

  it('are empty for an application that was not assessed', async () => {
    expect((await data(`loans/${await create()}/deals`)).items).toEqual([]);
  });
});

describe('the timeline', () => {
  it('has every fact with its actor, its effect and, for callers who may see it, its reason', async () => {
    const loanId = await repaying();
    await done('loan-repay', { loanId, amount: '100', refId: 'P-1' });
    const answer = await get(`loans/${loanId}/timeline`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { items } = answer.body.data;
    expect(items.map(({ type }: { type: string }) => type)).toEqual([
      ...['created', 'underwritingStarted', 'approved', 'funded', 'repaymentInitiated', 'paymentSubmitted'],
    ]);
    expect(items[2]).toMatchObject({ version: 3, reasonGiven: true, reason: 'Known for years', date: '2026-01-15' });
    expect(items[5]).toMatchObject({
      ...{ clientId: service.credentials.clientId, reference: 'P-1', amount: '100', reason: null, reasonGiven: false },
      effect: [
        { account: 'cashClearing', debit: '100', credit: '0' },
        { account: 'loanPrincipal', debit: '0', credit: '100' },
      ],
    });
    const bare = (await data(`loans/${loanId}/timeline`, { key: undefined })).items;
    expect(bare[2]).toMatchObject({ reasonGiven: true, reason: null });
    const before = await data(`loans/${loanId}/timeline?knownAt=2026-01-15T12:00:00Z`);
    expect(before.items.length).toBeLessThanOrEqual(items.length);
  });
});

describe('reports', () => {
  it('are the PDF itself, and reading one is a disclosure', async () => {
    const loanId = await create(WITH_PDF);
    const answer = await get(`loans/${loanId}/reports/1`, { headers: { purpose: 'review' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.text).toBe('%PDF-1.7 a report');
    const looks = (await data(`loans/${loanId}/disclosures`)).items;
    expect(looks.find(({ what }: { what: string }) => what === 'report')).toMatchObject({ purpose: 'review' });
    // The other one that was submitted is not a PDF.
    for (const n of ['2', '3', '0', 'x']) expect((await get(`loans/${loanId}/reports/${n}`)).status, n).toBe(404);
  });
});

describe('payoff quotes', () => {
  it('are for the requested date, show their parts, and are listed with their outcome', async () => {
    const loanId = await repaying();
    const quoted = await done('payoff-quotes', { loanId, date: '2026-01-20', quoteId: 'Q-1' });
    expect(quoted.data).toMatchObject({
      ...{ date: '2026-01-20', goodThrough: '2026-01-20', amount: '12,014.79' },
      parts: { principal: '12,000', interest: '14.79', fees: '0', prepaymentPenalty: '0', credits: '0' },
    });
    await on('2026-01-16');
    await done('payoff-quotes', { loanId, date: '2026-01-17', goodThrough: '2026-01-25', quoteId: 'Q-2' });
    await on('2026-01-22');
    const { items } = await data(`loans/${loanId}/payoff-quotes`);
    expect(items).toMatchObject([
      { quoteId: 'Q-2', date: '2026-01-17', goodThrough: '2026-01-25', standing: 'open', honouredOn: null },
      { quoteId: 'Q-1', date: '2026-01-20', standing: 'expired', parts: quoted.data.parts, kind: 'payoff' },
    ]);
    await done('loan-repay', { loanId, amount: items[0].amount, refId: 'ALL' });
    await done('acknowledge-repayment', { loanId, refId: 'ALL' });
    expect((await data(`loans/${loanId}/payoff-quotes`)).items[0]).toMatchObject({ standing: 'honoured' });
    expect((await data(`loans/${loanId}`)).loanDetails.remainingBalance).toBe('0');
  });
});
