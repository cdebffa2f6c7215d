/** Boarding a record over HTTP: who may, what is refused, and how the loan goes on. Every loan of the demonstration: `round-trip.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { type LoanStatus, STATUSES } from '../../src/core/loan.ts';
import { operations } from '../../src/http/routes.ts';
import { STEPS_TO } from '../../src/loans/origination/boarding-rights.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { DETAILS, meta } from '../support/boarded-details.ts';

let service: TestApp;
let token: string;
let key: string;
beforeAll(async () => {
  service = await testApp();
  key = service.credentials.apiKey;
  service.clock.now = Date.UTC(2026, 5, 15, 12);
  token = await service.token();
});
afterAll(() => service.close());

const post = (path: string, body: unknown, more: { token?: string; headers?: Record<string, string> } = {}) =>
  service.call('POST', `/v2/chain/${path}`, { token, body, ...more });
const get = (path: string): Promise<Answered> => service.call('GET', `/v2/chain/${path}`, { token, key });

let applications = 0;
/** The record of a new application in a status, with everything that does not fit the status left out. */
function record(loanStatus: LoanStatus, more: object = {}) {
  applications += 1;
  const details = { ...DETAILS, applicationId: `BOARDED-${applications}`, loanStatus };
  const early = {
    ...{ originationDate: '', firstPaymentDate: '', nextPaymentDate: '', maturityDate: '', lastPaymentDate: '' },
    ...{ repaidAmount: '0', remainingBalance: '12,000', loanPayments: [] },
    metadata: { AutoLoan: { originalBalance: '12,000', originalTerm: '24', remainingTerm: '24' } },
  };
  const over = { remainingBalance: '0', nextPaymentDate: '', ...meta({ currentBalance: '0', remainingTerm: '0' }) };
  const isEarly = STEPS_TO[loanStatus].every(([operation]) => operation !== 'fund-loan');
  const fits = isEarly ? early : loanStatus.startsWith('Closed') ? over : {};
  return { loanDetails: { ...details, ...fits, ...more }, Request: {}, Response: {}, Underwriting: {} };
}

async function board(loanStatus: LoanStatus, more: object = {}): Promise<string> {
  const answer = await post('loans', record(loanStatus, more));
  expect(answer.status, answer.text).toBe(200);
  return answer.body.loanId;
}

const details = async (loanId: string) => (await get(`loans/${loanId}`)).body.data.loanDetails;

describe('who may', () => {
  test('the scopes of the operations that lead to a status are those of their routes', () => {
    const scopes = new Map(
      operations.flatMap(({ path, access }) =>
        access === 'anonymous' ? [] : [[path.slice(1), access.scopes] as const],
      ),
    );
    for (const [operation, scope] of Object.values(STEPS_TO).flat()) {
      // Repayment of a loan that is funded needs this one; the route asks for either.
      expect(scopes.get(operation), operation).toContain(scope);
    }
  });

  test.each(STATUSES)('%s needs each of its scopes', async (status) => {
    const needed = [...new Set(STEPS_TO[status].map(([, scope]) => scope as Scope))];
    const all: Scope[] = ['loans:write', ...needed.filter((scope) => scope !== 'loans:write')];
    for (const scope of needed.filter((one) => one !== 'loans:write')) {
      const without = await service.token(all.filter((one) => one !== scope));
      const refused = await post('loans', record(status), { token: without });
      expect([refused.status, refused.body.code], `${status} without ${scope}`).toEqual([403, 'insufficient_scope']);
    }
    const answer = await post('loans', record(status), { token: await service.token(all) });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data.loanStatus).toBe(status === 'Delinquent' ? 'Current' : status);
  });

  test('an operation under approval cannot be done by boarding', async () => {
    const values = { approvals: { 'fund-loan': true } };
    const made = await post('policies', { policyId: 'careful', lenderId: 'L-APPROVALS', from: '2026-06-15', values });
    expect(made.status, made.text).toBe(200);
    const refused = await post('loans', record('Current', { lenderId: 'L-APPROVALS' }));
    expect([refused.status, refused.body.refusal]).toEqual([409, 'approval_required']);
    expect(refused.body.detail).toContain('fund-loan');
    const dry = await post('loans?dryRun=true', record('ClosedEarly', { lenderId: 'L-APPROVALS' }));
    expect([dry.status, dry.body.refusal]).toEqual([409, 'approval_required']);
    expect((await post('loans', record('Approved', { lenderId: 'L-APPROVALS' }))).status).toBe(200);
    expect((await get('loans?lenderId=L-APPROVALS')).body.data.items).toHaveLength(1);
  });
});

describe('a loan in repayment goes on', () => {
  test('payments are added to those of the record, and totals go on from it', async () => {
    const loanId = await board('Current');
    const paid = await post('loan-repay', { loanId, refId: 'P-18', amount: '531.85' });
    expect(paid.status, paid.text).toBe(200);
    const shown = await details(loanId);
    expect(shown.loanPayments.map(({ paymentId }: { paymentId: string }) => paymentId)).toEqual(['P-17', 'P-18']);
    expect(shown.loanPayments[0]).toEqual(DETAILS.loanPayments[0]);
    expect(shown).toMatchObject({ repaidAmount: '9,573.30', nextPaymentDate: '2026-08-15' });
    const { AutoLoan: figures } = shown.metadata;
    const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
    expect(cents(figures.totalPrincipalPaid)).toBe(835_049 + 364_951 - cents(shown.remainingBalance));
    const taken = await post('loan-repay', { loanId, refId: 'P-17', amount: '531.85' });
    expect([taken.status, taken.body.refusal]).toEqual([409, 'reference_conflict']);
    const returned = await post('return-repayment', { loanId, refId: 'P-17', reason: 'NSF' });
    expect([returned.status, returned.body.code]).toEqual([409, 'boarded_history']);
  });

  test('everybody sees its payments without their references', async () => {
    const loanId = await board('Current');
    const { loanDetails } = (await get(`loan-data/${loanId}`)).body.data;
    expect(loanDetails.loanPayments[0]).toMatchObject({ paymentId: '1', paymentAmount: '531.85' });
    expect(JSON.stringify(loanDetails)).not.toContain('P-17');
  });

  test('a record of an earlier month is posted today; the closed month does not change', async () => {
    const before = (await get('ledger/trial-balance?asOf=2026-05-31')).text;
    const answer = await post('loans', {
      ...record('Current', { nextPaymentDate: '2026-05-15', loanPayments: [], ...meta({ remainingTerm: '9' }) }),
      asOf: '2026-05-01',
    });
    expect(answer.status, answer.text).toBe(200);
    expect((await get('ledger/trial-balance?asOf=2026-05-31')).text).toBe(before);
    const lines = (await get(`loans/${answer.body.loanId}/journal`)).body.data.items;
    expect(new Set(lines.map(({ datePosted }: { datePosted: string }) => datePosted))).toEqual(new Set(['2026-06-15']));
    const tied = (await get('ledger/tie-out?asOf=2026-06-15')).body.data.accounts;
    expect(tied.filter(({ difference }: { difference: string }) => difference !== '0')).toEqual([]);
  });
});

describe('a loan that had ended', () => {
  test('moves no money by any operation, and says so', async () => {
    const loanId = await board('ClosedEarly');
    const calls: [string, object][] = [
      ['loan-repay', { refId: 'N-1', amount: '10', acceptOverpayment: true }],
      ['acknowledge-repayment', { refId: 'P-17' }],
      ['return-repayment', { refId: 'P-17', reason: 'NSF' }],
      ['reverse-repayment', { refId: 'P-17', reason: 'error' }],
      ['refund-credit', { refId: 'N-2', amount: '1' }],
      ['payoff-quotes', { quoteId: 'Q-1' }],
      ['charge-off', { reason: 'policy' }],
      ['initiate-repayment', {}],
      ['close', {}],
    ];
    for (const [path, body] of calls) {
      const refused = await post(path, { loanId, ...body });
      expect([refused.status, refused.body.code], path).toEqual([409, 'boarded_history']);
    }
    const { allowed } = (await get(`loans/${loanId}/summary`)).body.data;
    expect(allowed).toEqual(expect.arrayContaining(['publish', 'update-party', 'place-hold', 'transfer']));
    expect(allowed).not.toContain('loan-repay');
    expect((await get(`loans/${loanId}/journal`)).body.data.items).toEqual([]);
    expect((await get(`loans/${loanId}/schedule`)).body.data.installments).toEqual([]);
  });

  test('is listed by its status and can be published', async () => {
    const loanId = await board('Closed');
    expect((await post('publish', { loanId, published: true })).status).toBe(200);
    const listed = (await get('loans?status=Closed')).body.data.items;
    expect(listed.map(({ loanId: id }: { loanId: string }) => id)).toContain(loanId);
    expect((await details(loanId)).repaidAmount).toBe('9,041.45');
  });
});

test.each(['Approved', 'Current', 'Defaulted', 'ChargedOff', 'Closed'] as const)(
  'a record that was boarded as %s by mistake is cancelled, and its application id is free',
  async (status) => {
    const body = record(status);
    const { loanId } = (await post('loans', body)).body;
    const cancelled = await post('cancel-boarding', { loanId, reason: 'Record of another loan' });
    expect(cancelled.status, cancelled.text).toBe(200);
    expect((await details(loanId)).loanStatus).toBe('Cancelled');
    expect((await get(`loans/${loanId}/summary`)).body.data).toMatchObject({ balance: '0', closedBy: null });
    expect((await get(`loans/${loanId}/history`)).body.data.rows).toEqual([]);
    expect((await post('loans', body)).status).toBe(200);
  },
);

describe('what is refused changes nothing', () => {
  const wrong: [string, (body: ReturnType<typeof record>) => object, string][] = [
    [
      'an unknown member of loanDetails',
      (body) => ({ ...body, loanDetails: { ...body.loanDetails, colour: 'red' } }),
      '/loanDetails/colour',
    ],
    ['a list where an object belongs', (body) => ({ ...body, loanDetails: [] }), '/loanDetails'],
    [
      'a text as payments',
      (body) => ({ ...body, loanDetails: { ...body.loanDetails, loanPayments: 'none' } }),
      '/loanDetails/loanPayments',
    ],
    [
      'an unknown member of a payment',
      (body) => ({ ...body, loanDetails: { ...body.loanDetails, loanPayments: [{ payee: 'x' }] } }),
      '/loanDetails/loanPayments/0/payee',
    ],
    [
      'a kind of loan that is none',
      (body) => ({ ...body, loanDetails: { ...body.loanDetails, metadata: { Boat: {} } } }),
      '/loanDetails/metadata/Boat',
    ],
    ['both forms', (body) => ({ ...body, data: { loanDetails: body.loanDetails } }), '/loanDetails'],
  ];
  test.each(wrong)('%s', async (_, change, pointer) => {
    const body = record('Current');
    const answer = await post('loans', change(body));
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, pointer]);
    expect((await get(`loans?applicationId=${body.loanDetails.applicationId}`)).body.data.items).toEqual([]);
  });

  test('a record cannot be boarded twice, and a repeated call is answered as the first time', async () => {
    const body = record('Current');
    const headers = { 'Idempotency-Key': 'boarding-1' };
    const first = await post('loans', body, { headers });
    const again = await post('loans', body, { headers });
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
    const other = await post('loans', body);
    expect([other.status, other.body.code]).toEqual([409, 'application_exists']);
  });

  test('a number of another person as the id of a payment', async () => {
    const [one] = DETAILS.loanPayments;
    const answer = await post('loans', record('Current', { loanPayments: [{ ...one, paymentId: '666-12-3456' }] }));
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, '/loanDetails/loanPayments/0/paymentId']);
    expect(answer.text).not.toContain('666');
  });
});
