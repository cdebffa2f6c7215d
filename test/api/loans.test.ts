/** The life of a loan over HTTP: the answers of its operations, their refusals, and the reads in between. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/access/scopes.ts';
import { verifyProof } from '../../src/ledger/chain.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
let key: string;
const JANUARY_15 = Date.UTC(2026, 0, 15, 12);
beforeAll(async () => {
  service = await testApp();
  key = service.credentials.apiKey;
});
beforeEach(async () => {
  await on('2026-01-15');
});
afterAll(() => service.close());

/** Moves the clock to noon of a day, with a new token, because the old one has expired. */
async function on(day: string): Promise<void> {
  const now = Date.parse(`${day}T12:00:00Z`);
  if (service.clock.now === now && token !== undefined) return;
  service.clock.now = now;
  token = await service.token();
}

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Answered> =>
  service.call('POST', `/v2/chain/${path}`, { token, key, body, headers });
const get = (path: string, headers: Record<string, string> = {}): Promise<Answered> =>
  service.call('GET', `/v2/chain/${path}`, { token, key, headers });

async function done(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await post(path, body, headers);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

async function data(path: string, headers: Record<string, string> = {}) {
  const answer = await get(path, headers);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body.data;
}

async function create(more: object = {}): Promise<string> {
  return (await done('loans', creation(more))).loanId;
}

/** A loan that is approved and in repayment from today. */
async function repaying(more: object = {}): Promise<string> {
  const loanId = await create(more);
  await done('start-underwriting', { loanId });
  await done('complete-underwriting', { loanId, approved: true });
  await done('initiate-repayment', { loanId });
  return loanId;
}

const HASH = /^0x[0-9a-f]{64}$/;

describe('the life cycle with the interface’s own operations', () => {
  const deal = { TermsLoanAmount: '12000', TermsAPR: '9', TermsTerm: '12', TermsMonthlyPayment: '1049.21' };
  const boarded = {
    Request: { ApplicantInfo: { ApplicantLastName: 'Example', ApplicantSSN: '666-45-1234' } },
    Response: { Decision: 'APPROVED', LoanTerms: [] },
    Underwriting: {
      DealTermsInfo: [deal],
      UnderwritingInfo: [{ DecisionStatus: 'APPROVED' }],
      PrimaryCreditInfo: { CreditScore: '0744', AT01S: '1.50' },
    },
  };

  it('goes from creation to ClosedEarly', async () => {
    const { clientId, clientSecret } = service.credentials;
    const signedIn = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
    token = signedIn.body.data.token;

    const created = await done('loans', creation(boarded));
    const { loanId } = created;
    expect(loanId).toMatch(HASH);
    const status = async () => (await data(`loans/${loanId}`)).loanDetails.loanStatus;
    expect(await status()).toBe('ApplicationSubmitted');
    await done('start-underwriting', { loanId });
    expect(await status()).toBe('UnderwritingStarted');
    const decided = await done('complete-underwriting', { loanId });
    expect(decided.data).toMatchObject({ decision: 'APPROVED', loanStatus: 'Approved' });
    await done('initiate-repayment', { loanId });
    expect(await status()).toBe('Current');

    await on('2026-02-15');
    const first = await done('loan-repay', { loanId, amount: 1049.21, refId: 'ACH-1' });
    // 12,000.00 × 9 % × 31 days ÷ 365.
    expect(first.data.allocation).toEqual({ fees: '0', interest: '91.73', principal: '957.48', credit: '0' });
    expect(first.data.remainingBalance).toBe('11,042.52');
    await done('acknowledge-repayment', { loanId, refId: 'ACH-1' });

    await on('2026-03-15');
    const tooMuch = await post('loan-repay', { loanId, amount: '20,000', refId: 'ACH-2' });
    expect(tooMuch.status).toBe(422);
    expect(tooMuch.body).toMatchObject({
      code: 'invalid_request',
      refusal: 'amount_exceeds_payoff',
      payoff: '11,118.76',
    });
    expect(tooMuch.body.errors[0].pointer).toBe('/amount');
    const last = await done('loan-repay', { loanId, amount: tooMuch.body.payoff, refId: 'ACH-2' });
    expect(last.data).toMatchObject({ remainingBalance: '0', loanStatus: 'Current' });
    const closed = await done('acknowledge-repayment', { loanId, refId: 'ACH-2' });
    expect(closed.data.loanStatus).toBe('ClosedEarly');

    const { loanDetails, Request, Response, Underwriting } = await data(`loans/${loanId}`);
    expect(loanDetails).toMatchObject({ loanStatus: 'ClosedEarly', remainingBalance: '0', repaidAmount: '12,167.97' });
    expect(loanDetails.loanPayments.map((one: { paymentId: string }) => one.paymentId)).toEqual(['ACH-1', 'ACH-2']);
    expect(loanDetails.loanPayments[0].transactionHash).toBe(first.transactionHash);
    expect(Request.ApplicantInfo.ApplicantSSN).toBe('666-45-1234');
    expect(Response.Decision).toBe('APPROVED');
    expect(Underwriting.PrimaryCreditInfo).toEqual({ CreditScore: '0744', AT01S: '1.50' });

    const shown = await get(`loan-data/${loanId}`);
    expect(shown.body.data.loanDetails).toMatchObject({ loanStatus: 'ClosedEarly', borrowerId: '' });
    expect(shown.body.data.loanDetails.loanPayments[0].paymentId).toBe('1');
    expect(shown.text).not.toMatch(/666-45-1234|ACH-1|BRW-1|0744/);
  });

  it('is the same under the other names of its operations', async () => {
    const { loanId } = await done('applications', creation());
    await done('start-underwriting', { loanId });
    await done('complete-underwriting', { loanId, approved: true });
    await done('disburse-loan', { loanId });
    expect((await done('initiate-payment', { loanId })).data.loanStatus).toBe('Current');
    const paid = await done('loan-payment', { loanId, amount: '100', refId: 'P' });
    // The alias is the same operation.
    expect((await done('loan-repay', { loanId, amount: '100', refId: 'P' })).transactionHash).toBe(
      paid.transactionHash,
    );
    const confirmed = await done('acknowledge-payment', { loanId, refId: 'P' });
    const again = await done('acknowledge-repayment', { loanId, refId: 'P' });
    expect(again.transactionHash).toBe(confirmed.transactionHash);
  });

  it('answers every write in both shapes, with the loan’s new version', async () => {
    const created = await post('loans', creation());
    const { loanId } = created.body;
    const started = await post('start-underwriting', { loanId });
    for (const [answer, version] of [[created, '1'] as const, [started, '2'] as const]) {
      const { message, data: inside, transactionHash, loanId: outside } = answer.body;
      expect(message).toBe('ok');
      expect(transactionHash).toMatch(HASH);
      expect(inside).toMatchObject({ transactionHash, loanId });
      expect(outside).toBe(loanId);
      expect(answer.headers.get('x-loan-version')).toBe(version);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('initiate-repayment funds an approved loan first, and answers the second transaction', async () => {
    const loanId = await create();
    await done('start-underwriting', { loanId });
    await done('complete-underwriting', { loanId, approved: true });
    const { transactionHash } = await done('initiate-repayment', { loanId });
    const { items } = await data(`loans/${loanId}/transactions`);
    expect(items.map(({ type }: { type: string }) => type)).toEqual([
      'created',
      'underwritingStarted',
      'approved',
      'funded',
      'repaymentInitiated',
    ]);
    expect(items[4].transactionHash).toBe(transactionHash);
    expect((await done('initiate-repayment', { loanId })).transactionHash).toBe(transactionHash);
  });
});

describe('complete-underwriting', () => {
  const assessed = (decision: string, deals: object[] = []) => ({
    Response: { Decision: decision },
    Underwriting: { DealTermsInfo: deals, UnderwritingInfo: deals.map(() => ({})) },
  });
  async function started(more: object): Promise<string> {
    const loanId = await create(more);
    await done('start-underwriting', { loanId });
    return loanId;
  }

  it('takes the decision that the loan was boarded with', async () => {
    const loanId = await started(assessed('DECLINED'));
    const { data: inside } = await done('complete-underwriting', { loanId });
    expect(inside).toMatchObject({ decision: 'DECLINED', loanStatus: 'Rejected' });
  });

  it('needs approved where the loan has no decision, and says so', async () => {
    const loanId = await started({});
    const answer = await post('complete-underwriting', { loanId });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'conflict', refusal: 'decision_required' });
    expect(answer.body.detail).toContain('approved');
    expect((await done('complete-underwriting', { loanId, approved: false })).data.decision).toBe('DECLINED');
  });

  it('needs a reason for a different decision, and keeps it sealed beside the transaction', async () => {
    const loanId = await started(assessed('DECLINED'));
    const answer = await post('complete-underwriting', { loanId, approved: true });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ refusal: 'reason_required' });
    expect(answer.body.errors[0].pointer).toBe('/reason');
    const { transactionHash } = await done('complete-underwriting', {
      loanId,
      approved: true,
      reason: 'Seen the payslips',
    });
    const { reasons } = await data(`loans/${loanId}/disclosures`);
    expect(reasons).toEqual([{ transactionHash, at: expect.any(String), reason: 'Seen the payslips' }]);
    const { body } = await data(`ledger/transactions/${transactionHash}`);
    expect(body).not.toContain('payslips');
  });

  it('takes the terms of the chosen deal', async () => {
    const deals = [
      { TermsLoanAmount: '12000', TermsAPR: '9', TermsTerm: '12', TermsMonthlyPayment: '1049.21' },
      { TermsLoanAmount: '10,000', TermsAPR: '12', TermsTerm: '24', TermsMonthlyPayment: '' },
      { TermsLoanAmount: 'much', TermsAPR: 'x', TermsTerm: '', TermsMonthlyPayment: '' },
    ];
    const loanId = await started(assessed('APPROVED', deals));
    for (const dealIndex of [2, 3, 60]) {
      const answer = await post('complete-underwriting', { loanId, dealIndex });
      expect(answer.status, String(dealIndex)).toBe(422);
      expect(answer.body.errors).toMatchObject([{ pointer: '/dealIndex', code: 'unknown_deal' }]);
    }
    await done('complete-underwriting', { loanId, dealIndex: 1 });
    await done('initiate-repayment', { loanId });
    const { installments, totals } = await data(`loans/${loanId}/schedule`);
    expect(installments).toHaveLength(24);
    expect(totals.principal).toBe('10,000');
  });
});

describe('documents and collateral', () => {
  it('an incomplete set of documents changes nothing and answers the last transaction', async () => {
    const loanId = await create();
    const { transactionHash } = await done('request-documents', { loanId });
    const answer = await post('verify-documents', { loanId, documentsComplete: false });
    expect(answer.body).toMatchObject({ transactionHash, data: { loanStatus: 'DocumentsRequested' } });
    expect(answer.headers.get('x-loan-version')).toBe('2');
    expect((await done('verify-documents', { loanId, documentsComplete: true })).data.loanStatus).toBe(
      'DocumentsVerified',
    );
  });

  it('the approved value of the collateral is shown', async () => {
    const loanId = await create();
    await done('start-underwriting', { loanId });
    await done('complete-underwriting', { loanId, approved: true });
    await done('approve-collateral', { loanId, collateralAmount: '15,500.50' });
    expect((await data(`loan-data/${loanId}`)).loanDetails.collateralAmount).toBe('15,500.50');
  });
});

describe('payments', () => {
  let loanId: string;
  beforeEach(async () => {
    loanId = await repaying();
  });

  it('the same refId again answers as the first time, another amount or date is a conflict', async () => {
    const first = await done('loan-repay', { loanId, amount: '100', refId: 'R-1' });
    await done('loan-repay', { loanId, amount: '200', refId: 'R-2' });
    expect(await done('loan-repay', { loanId, amount: '100.00', refId: 'R-1' })).toEqual(first);
    for (const more of [{ amount: '101' }, { amount: '100', paymentDate: '2026-01-14' }]) {
      const answer = await post('loan-repay', { loanId, refId: 'R-1', ...more });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ refusal: 'reference_conflict', errors: [{ pointer: '/refId' }] });
    }
  });

  it('an unknown refId is 404; what was returned re-opens the loan; twice answers the first hash', async () => {
    expect((await post('acknowledge-repayment', { loanId, refId: 'NONE' })).status).toBe(404);
    expect((await post('return-repayment', { loanId, refId: 'NONE' })).status).toBe(404);
    const { payoff } = await data(`loans/${loanId}/payoff`);
    await done('loan-repay', { loanId, amount: payoff, refId: 'ALL' });
    expect((await done('acknowledge-repayment', { loanId, refId: 'ALL' })).data.loanStatus).toBe('ClosedEarly');
    const closing = await done('close', { loanId, refId: 'ALL' });
    expect(closing.data.loanStatus).toBe('ClosedEarly');
    const returned = await done('return-repayment', { loanId, refId: 'ALL', reason: 'R01' });
    expect(returned.data).toMatchObject({ loanStatus: 'Current', remainingBalance: '12,000' });
    expect((await done('return-repayment', { loanId, refId: 'ALL' })).transactionHash).toBe(returned.transactionHash);
    const notPaid = await post('close', { loanId });
    expect(notPaid.body).toMatchObject({ status: 409, refusal: 'not_paid_off', payoff: '12,000', retryable: true });
  });

  it('dates: not in the future, not before the contract, far back only with the scope and a reason', async () => {
    const old = await repaying({ originationDate: '2025-11-15', firstPaymentDate: '2025-12-15' });
    const pay = (refId: string, paymentDate: string, more: object = {}, as = token) =>
      service.call('POST', '/v2/chain/loan-repay', {
        token: as,
        body: { loanId: old, amount: '10', refId, paymentDate, ...more },
      });
    const future = await pay('D-1', '2026-01-16');
    expect(future.body).toMatchObject({
      status: 422,
      refusal: 'date_in_future',
      errors: [{ pointer: '/paymentDate' }],
    });
    expect((await pay('D-2', '2025-11-14')).body).toMatchObject({ status: 422, refusal: 'date_before_contract' });
    expect((await pay('D-3', '2025-12-01')).body).toMatchObject({ status: 422, refusal: 'backdating_needs_reason' });
    const payer = await service.token(['payments:write']);
    const denied = await pay('D-4', '2025-12-01', { reason: 'Lockbox' }, payer);
    expect(denied.body).toMatchObject({ status: 403, code: 'insufficient_scope', scope: 'servicing:write' });
    expect((await pay('D-5', '2025-12-20', {}, payer)).status).toBe(200);
    expect((await pay('D-6', '2025-12-01', { reason: 'Lockbox' })).status).toBe(200);
  });

  it('more than the payoff becomes a credit when that is accepted, and can be refunded', async () => {
    const paid = await done('loan-repay', { loanId, amount: '12,500', refId: 'BIG', acceptOverpayment: true });
    expect(paid.data.allocation).toEqual({ fees: '0', interest: '0', principal: '12,000', credit: '500' });
    const refund = await done('refund-credit', { loanId, amount: '499.99', refId: 'BACK' });
    expect(refund.data.credit).toBe('0.01');
    expect((await done('refund-credit', { loanId, amount: '499.99', refId: 'BACK' })).transactionHash).toBe(
      refund.transactionHash,
    );
    const more = await post('refund-credit', { loanId, amount: '1', refId: 'BACK-2' });
    expect(more.body).toMatchObject({ status: 422, refusal: 'amount_exceeds_balance' });
  });

  it('principal-only pays principal and satisfies no installment', async () => {
    const { data: inside } = await done('loan-repay', { loanId, amount: '500', refId: 'PO', principalOnly: true });
    expect(inside.allocation.principal).toBe('500');
    const { installments } = await data(`loans/${loanId}/schedule`);
    expect(installments[0]).toMatchObject({ paid: '0', satisfiedOn: null });
  });

  it('a payoff quote is kept and honoured', async () => {
    const quote = await done('payoff-quotes', { loanId, goodThrough: '2026-01-25', quoteId: 'Q-1' });
    // 12,000.00 and ten days of interest.
    expect(quote.data).toMatchObject({
      quoteId: 'Q-1',
      amount: '12,029.59',
      date: '2026-01-15',
      goodThrough: '2026-01-25',
      perDiem: '2.96',
    });
    expect((await post('payoff-quotes', { loanId, quoteId: 'Q-1' })).status).toBe(409);
    await on('2026-01-25');
    await done('loan-repay', { loanId, amount: quote.data.amount, refId: 'BY-QUOTE' });
    expect((await done('acknowledge-repayment', { loanId, refId: 'BY-QUOTE' })).data.loanStatus).toBe('ClosedEarly');
  });

  it('a quote that reaches beyond a year, or lies in the past, is refused', async () => {
    const far = await post('payoff-quotes', { loanId, goodThrough: '2027-06-01' });
    expect(far.body).toMatchObject({ status: 422, errors: [{ pointer: '/goodThrough', code: 'invalid_value' }] });
    expect((await post('payoff-quotes', { loanId, date: '2026-01-01' })).status).toBe(422);
  });
});

describe('servicing', () => {
  it('fees are charged, shown and waived', async () => {
    const loanId = await repaying();
    const charged = await done('assess-fee', { loanId, feeId: 'NSF', name: 'Returned payment fee', amount: 25 });
    expect(charged.data).toMatchObject({ feeId: 'NSF', fees: '25' });
    const part = await done('waive-fee', { loanId, feeId: 'NSF', amount: '5.50', reason: 'Goodwill' });
    expect(part.data.fees).toBe('19.50');
    const named = await post('assess-fee', { loanId, feeId: 'X', name: 'Fee for "Ann" <ann>', amount: 25 });
    expect(named.body).toMatchObject({ status: 422, errors: [{ pointer: '/name', code: 'format' }] });
  });

  it('default, charge-off and recovery', async () => {
    const loanId = await repaying({ originationDate: '2025-06-15', firstPaymentDate: '2025-07-15' });
    expect((await done('delinquent', { loanId })).data.loanStatus).toBe('Delinquent');
    expect((await done('default', { loanId, reason: 'No contact' })).data.loanStatus).toBe('Defaulted');
    const written = await done('charge-off', { loanId, reason: '120 days past due', collateral: '4,000' });
    expect(written.data.loanStatus).toBe('ChargedOff');
    // A payment on the last day still pays off the loan.
    await on('2026-01-16');
    const recovered = await done('record-recovery', { loanId, amount: '1,000', refId: 'AUCTION' });
    expect(recovered.data.loanStatus).toBe('ChargedOff');
    const { loanDetails } = await data(`loan-data/${loanId}`);
    expect(loanDetails.metadata.AutoLoan.recoveredAmount).toBe('1,000');
  });

  it('terms change: rate, due date, extension, re-amortization, settlement', async () => {
    const loanId = await repaying();
    await done('change-rate', { loanId, interestRate: 6, reason: 'Agreed' });
    expect((await data(`loans/${loanId}/payoff`)).perDiem).toBe('1.97');
    await done('change-due-date', { loanId, to: '2026-02-20', reason: 'Payday' });
    expect((await data(`loans/${loanId}/schedule`)).installments[0].dueDate).toBe('2026-02-20');
    await done('extend', { loanId, reason: 'Parental leave', override: true });
    expect((await data(`loans/${loanId}/schedule`)).installments[0].dueDate).toBe('2026-03-20');
    await done('reamortize', { loanId, reason: 'Lower payment' });
    const settled = await done('settle', { loanId, amount: '9000', goodThrough: '2026-01-31', reason: 'Hardship' });
    expect(settled.data).toMatchObject({ amount: '9,000', goodThrough: '2026-01-31' });
    const { rows } = await data(`loans/${loanId}/history`);
    expect(rows.map(({ kind }: { kind: string }) => kind)).toEqual([
      'funded',
      'rate',
      'moved',
      'moved',
      'quoted',
      'reamortized',
    ]);
  });
});

describe('Idempotency-Key', () => {
  it('the same key and body answer the stored success', async () => {
    const loanId = await repaying();
    const body = { loanId, amount: '10', refId: 'I-1' };
    const first = await post('loan-repay', body, { 'idempotency-key': 'key-1' });
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    await done('loan-repay', { loanId, amount: '10', refId: 'I-2' });
    const again = await post('loan-repay', body, { 'idempotency-key': 'key-1' });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await post('loan-repay', { ...body, amount: '11' }, { 'idempotency-key': 'key-1' });
    expect(other.body).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    const elsewhere = await post('acknowledge-repayment', { loanId, refId: 'I-1' }, { 'idempotency-key': 'key-1' });
    expect(elsewhere.status).toBe(422);
  });

  it('a creation that is repeated makes one loan', async () => {
    const body = creation();
    const [one, two] = await Promise.all([
      post('loans', body, { 'idempotency-key': 'create-1' }),
      post('loans', body, { 'idempotency-key': 'create-1' }),
    ]);
    const answers = [one, two].map(({ status, body: { code } }) => `${status} ${code ?? ''}`).sort();
    expect(['200 ,409 idempotency_key_in_use', '200 ,200 ']).toContain(answers.join());
    const later = await post('loans', body, { 'idempotency-key': 'create-1' });
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    const { items } = await data(`loans?applicationId=${body.applicationId}`);
    expect(items).toHaveLength(1);
  });

  it('refused and dry-run calls are not kept', async () => {
    const loanId = await create();
    const headers = { 'idempotency-key': 'tries' };
    expect((await post('complete-underwriting', { loanId, approved: true }, headers)).status).toBe(409);
    expect((await post('start-underwriting?dryRun=true', { loanId }, headers)).status).toBe(200);
    expect((await post('start-underwriting', { loanId }, headers)).status).toBe(200);
  });

  it.each(['', 'a b', 'x'.repeat(256), 'é'])('%j is no key', async (bad) => {
    const loanId = await create();
    const answer = await post('start-underwriting', { loanId }, { 'idempotency-key': bad });
    expect(answer.body).toMatchObject({ status: 422, code: 'invalid_request' });
    expect(answer.body.detail).toContain('Idempotency-Key');
  });
});

describe('dry run', () => {
  it('reports what would happen and changes nothing', async () => {
    const loanId = await repaying();
    const { body, headers } = await post('loan-repay?dryRun=true', { loanId, amount: '100', refId: 'DRY' });
    const transactionHash = `0x${'0'.repeat(64)}`;
    expect(body).toEqual({
      message: 'ok',
      transactionHash,
      loanId,
      data: {
        dryRun: true,
        approval: false,
        transactionHash,
        loanId,
        loanStatus: 'Current',
        remainingBalance: '11,900',
        payoff: '11,900',
        delinquentAmount: '0',
        delinquentDays: 0,
        nextPaymentDate: '2026-02-15',
        upcomingDueDate: '2026-02-15',
        events: [{ type: 'paymentSubmitted', date: '2026-01-15' }],
        overrode: [],
        journal: [
          { account: 'cashClearing', debit: '100', credit: '0' },
          { account: 'loanPrincipal', debit: '0', credit: '100' },
        ],
        allocation: { fees: '0', interest: '0', principal: '100', credit: '0' },
      },
    });
    expect(headers.get('x-loan-version')).toBeNull();
    expect((await data(`loans/${loanId}/payoff`)).payoff).toBe('12,000');
    // The reference is not reserved.
    await done('loan-repay', { loanId, amount: '55', refId: 'DRY' });
  });

  it('a dry run of a creation has no id and reserves no application', async () => {
    const body = creation();
    const { data: inside } = await done('loans?dryRun=true', body);
    expect(inside).toMatchObject({ dryRun: true, loanStatus: 'ApplicationSubmitted', remainingBalance: '12,000' });
    expect(inside.loanId).toBe(`0x${'0'.repeat(64)}`);
    await done('loans', body);
  });

  it.each(['yes', '1', '', 'true&dryRun=true'])('dryRun=%s is refused', async (value) => {
    const loanId = await create();
    expect((await post(`start-underwriting?dryRun=${value}`, { loanId })).status).toBe(422);
    expect((await data(`loan-data/${loanId}`)).loanDetails.loanStatus).toBe('ApplicationSubmitted');
  });
});

describe('conditional requests', () => {
  it('If-Match takes the version or a tag of the loan, and 412 follows a change', async () => {
    const loanId = await create();
    const read = await get(`loan-data/${loanId}`);
    expect(read.headers.get('x-loan-version')).toBe('1');
    const stale = read.headers.get('etag') ?? '';
    await done('request-documents', { loanId }, { 'if-match': '"1"' });
    for (const header of ['1', '"1"', 'W/"1"', stale, '"something else"']) {
      const answer = await post('request-documents', { loanId }, { 'if-match': header });
      expect(answer.body, header).toMatchObject({ status: 412, code: 'precondition_failed' });
    }
    const fresh = (await get(`loan-data/${loanId}`)).headers.get('etag') ?? '';
    await done('request-documents', { loanId }, { 'if-match': fresh });
    await done('request-documents', { loanId }, { 'if-match': '*' });
    expect((await post('loans', creation(), { 'if-match': '*' })).status).toBe(412);
  });

  it.each(['', '/schedule', '/payoff', '/history', '/explain/payoff', '/transactions', '/journal'])(
    'GET /loans/{loan_id}%s answers 304 until the loan, the day or the representation changes',
    async (part) => {
      const loanId = await repaying();
      const path = `loans/${loanId}${part}`;
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      const ask = (headers = {}, at = path) => get(at, { 'if-none-match': `"other", ${etag}`, ...headers });
      const unchanged = await ask();
      expect(unchanged.status).toBe(304);
      expect(unchanged.text).toBe('');
      expect(unchanged.headers.get('etag')).toBe(etag);
      expect(unchanged.headers.get('content-length')).toBeNull();
      expect(unchanged.headers.get('cache-control')).toBe(part === '' ? 'no-store' : 'private, no-cache');
      expect(first.headers.get('vary')).toContain('Prefer');
      const perDay = !['/transactions', '/journal'].includes(part);
      if (perDay) {
        expect((await ask({ prefer: 'numbers=plain' })).status).toBe(200);
        expect((await ask({}, `${path}?asOf=2026-01-16`)).status).toBe(200);
        service.clock.now = JANUARY_15 + 86_400_000;
        token = await service.token();
        expect((await ask()).status).toBe(200);
        await on('2026-01-15');
      }
      await done('loan-repay', { loanId, amount: '10', refId: 'CHANGE' });
      expect((await ask()).status).toBe(200);
    },
  );

  it('a 304 on the personal record is a disclosure too, and HEAD is one', async () => {
    const loanId = await create();
    const looks = async () =>
      (await data(`loans/${loanId}/disclosures`)).items.filter(({ what }: { what: string }) => what === 'record')
        .length;
    const first = await get(`loans/${loanId}`, { purpose: 'audit' });
    await get(`loans/${loanId}`, { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(await looks()).toBe(2);
    const head = await fetch(`${service.url}/v2/chain/loans/${loanId}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}`, key, 'accept-encoding': 'identity' },
    });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)));
    expect(await looks()).toBe(3);
  });
});

describe('asOf and knownAt', () => {
  it('asOf folds to the day, knownAt to what was recorded by then', async () => {
    const loanId = await repaying();
    await on('2026-02-20');
    await done('loan-repay', { loanId, amount: '1,049.21', refId: 'LATE-NEWS', paymentDate: '2026-02-15' });
    const balance = async (query: string) => (await data(`loan-data/${loanId}${query}`)).loanDetails.remainingBalance;
    expect(await balance('')).toBe('11,042.52');
    expect(await balance('?asOf=2026-02-14')).toBe('12,000');
    expect(await balance('?asOf=2026-02-15')).toBe('11,042.52');
    expect(await balance('?asOf=2026-02-16&knownAt=2026-02-16T00:00:00Z')).toBe('12,000');
    expect(await balance('?knownAt=2026-02-20T13:00:00%2B01:00')).toBe('11,042.52');
    const { interest, payoff, date, goodThrough } = await data(`loans/${loanId}/payoff?date=2026-03-15`);
    expect([interest, payoff, date, goodThrough]).toEqual(['76.24', '11,118.76', '2026-03-15', '2026-03-25']);
    const then = await data(`loans/${loanId}/transactions?knownAt=2026-02-19T00:00:00Z`);
    expect(then.items).toHaveLength(5);
    expect((await data(`loans/${loanId}/journal?knownAt=2026-02-19T00:00:00Z`)).items).toHaveLength(2);
    expect((await data(`loans/${loanId}/history?asOf=2026-02-14`)).rows).toHaveLength(1);
  });

  it('before anything was recorded there is nothing; an invalid date or time is refused', async () => {
    const loanId = await create();
    for (const query of ['asOf=2026-01-14', 'knownAt=2026-01-15T11:59:59Z']) {
      for (const path of [`loans/${loanId}`, `loan-data/${loanId}`, `loans/${loanId}/schedule`]) {
        expect((await get(`${path}?${query}`)).status, `${path} ${query}`).toBe(404);
      }
    }
    const refused = async (query: string) => (await get(`loan-data/${loanId}?${query}`)).body;
    expect(await refused('asOf=2026-02-30')).toMatchObject({ status: 422, errors: [{ pointer: '/asOf' }] });
    expect(await refused('knownAt=2026-01-15')).toMatchObject({ status: 422, errors: [{ pointer: '/knownAt' }] });
    expect(await refused('knownat=x')).toMatchObject({ status: 422, errors: [{ code: 'unknown_member' }] });
    const both = await get(`loans/${loanId}/payoff?date=2026-02-01&asOf=2026-02-02`);
    expect(both.body).toMatchObject({ status: 422, errors: [{ pointer: '/date', code: 'contradiction' }] });
  });

  it('Prefer: numbers=plain leaves the separators out, and is confirmed', async () => {
    const loanId = await repaying();
    for (const prefer of ['numbers=plain', 'respond-async, numbers="plain"; x=1']) {
      const answer = await get(`loans/${loanId}`, { prefer });
      expect(answer.headers.get('preference-applied')).toBe('numbers=plain');
      expect(answer.body.data.loanDetails).toMatchObject({ loanAmount: '12000', createdAt: String(JANUARY_15) });
    }
    const paid = await post('loan-repay', { loanId, amount: '1000', refId: 'PLAIN' }, { prefer: 'numbers=plain' });
    expect(paid.body.data.remainingBalance).toBe('11000');
    for (const prefer of ['numbers=plain', '']) {
      const { items } = (await get('loans?limit=1', { prefer })).body.data;
      expect(items[0].createdAt).toBe(new Date(JANUARY_15).toISOString());
    }
    expect((await get(`loans/${loanId}`, { prefer: 'numbers=plainly' })).headers.get('preference-applied')).toBeNull();
  });
});

describe('around a loan', () => {
  it('the schedule is planned before funding and fixed after it', async () => {
    const loanId = await create();
    const planned = await data(`loans/${loanId}/schedule`);
    expect(planned).toMatchObject({ planned: true, levelPayment: '1,049.21', asOf: '2026-01-15' });
    expect(planned.installments).toHaveLength(12);
    await done('start-underwriting', { loanId });
    await done('complete-underwriting', { loanId, approved: true });
    await done('fund-loan', { loanId });
    const funded = await data(`loans/${loanId}/schedule`);
    expect({ ...funded, planned: true }).toEqual(planned);
  });

  it('every figure is explained by steps that add up', async () => {
    const loanId = await repaying({ originationDate: '2025-11-15', firstPaymentDate: '2025-12-15' });
    await done('loan-repay', { loanId, amount: '500', refId: 'P-1' });
    for (const figure of ['interest', 'payoff', 'pastDue', 'fees', 'nextPayment', 'amortization', 'payment:P-1']) {
      const explained = await data(`loans/${loanId}/explain/${figure}`, { prefer: 'numbers=plain' });
      const cents = (text: string) => Math.round(Number(text) * 100);
      const sum = explained.steps.reduce((total: number, step: { amount: string }) => total + cents(step.amount), 0);
      expect(sum, figure).toBe(cents(explained.amount));
    }
    for (const unknown of ['nothing', 'payment:P-2', 'payment:', '__proto__']) {
      const { status, body } = await get(`loans/${loanId}/explain/${unknown}`);
      expect(status).toBe(404);
      expect(body.detail).toContain('interest, payoff, pastDue, fees, nextPayment, amortization, and payment:<refId>');
    }
  });

  it('transactions are chained, sealed in blocks, and proven', async () => {
    const loanId = await repaying();
    const before = await data(`loans/${loanId}/transactions`);
    expect(before.items[0]).toMatchObject({ sealed: false, proof: null });
    await service.loans.ledger.seal();
    const { items } = await data(`loans/${loanId}/transactions`);
    let previous = `0x${'0'.repeat(64)}`;
    for (const { transactionHash, body, sealed, proof, block } of items) {
      expect(`0x${createHash('sha256').update(body).digest('hex')}`).toBe(transactionHash);
      expect(JSON.parse(body).previous).toBe(previous);
      previous = transactionHash;
      expect(sealed).toBe(true);
      const { index, siblings, header } = proof;
      expect(verifyProof({ transactionHash, index, siblings, count: header.count, root: header.root })).toBe(true);
      expect(await data(`ledger/transactions/${transactionHash.toUpperCase().replace('0X', '0x')}`)).toMatchObject({
        proof,
      });
      const found = await data(`ledger/blocks/${block}`);
      expect(found).toMatchObject({ number: block, sealed: true, block: header });
      expect(found.transactions[index]).toBe(transactionHash);
    }
    const unknown = ['ledger/blocks/0', 'ledger/blocks/999999999', 'ledger/blocks/1x', 'ledger/blocks/-1'];
    for (const path of [...unknown, `ledger/transactions/${loanId}`, 'ledger/transactions/0x12']) {
      expect((await get(path)).status, path).toBe(404);
    }
  });

  it('journal and trial balance balance', async () => {
    const loanId = await repaying();
    await done('loan-repay', { loanId, amount: '100.01', refId: 'J-1' });
    const { items, totals } = await data(`loans/${loanId}/journal`);
    expect(items.map(({ account, debit, credit }: Record<string, string>) => [account, debit, credit])).toEqual([
      ['loanPrincipal', '12,000', '0'],
      ['cash', '0', '12,000'],
      ['cashClearing', '100.01', '0'],
      ['loanPrincipal', '0', '100.01'],
    ]);
    expect(totals).toEqual({ debit: '12,100.01', credit: '12,100.01' });
    const balance = await data('ledger/trial-balance');
    expect(balance.totals.debit).toBe(balance.totals.credit);
    expect(balance.totals.debit).not.toBe('0');
    expect((await data('ledger/trial-balance?asOf=2025-01-01')).totals).toEqual({ debit: '0', credit: '0' });
  });
});

describe('lists and searches', () => {
  it('filters, pages in a stable order, and refuses unknown filters', async () => {
    const lenderId = 'LND-PAGES';
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      service.clock.now += 1_000;
      ids.push(await create({ lenderId, borrowerId: `BRW-${i % 2}` }));
    }
    const page = await data(`loans?lenderId=${lenderId}&limit=2`);
    expect(page.items.map(({ loanId }: { loanId: string }) => loanId)).toEqual([ids[4], ids[3]]);
    await create({ lenderId });
    const next = await data(`loans?lenderId=${lenderId}&limit=2&cursor=${encodeURIComponent(page.nextCursor)}`);
    expect(next.items.map(({ loanId }: { loanId: string }) => loanId)).toEqual([ids[2], ids[1]]);
    const oldest = await data(`loans?lenderId=${lenderId}&sort=createdAt&limit=1`);
    expect(oldest.items[0].loanId).toBe(ids[0]);
    const filtered = await data(`loans?lenderId=${lenderId}&borrowerId=BRW-1&status=ApplicationSubmitted`);
    expect(filtered.items).toHaveLength(3);
    expect(filtered.nextCursor).toBeNull();
    expect(filtered.items[0]).toMatchObject({
      loanAmount: '12,000',
      delinquentDays: '0',
      bucket: null,
      version: 1,
    });
    expect((await data(`loans?q=${ids[0]}`)).items[0].loanId).toBe(ids[0]);
    expect((await data(`loans?lenderId=${lenderId}&createdFrom=2026-01-16`)).items).toEqual([]);
    const refusals = [
      ['limit=0', '/limit'],
      ['limit=101', '/limit'],
      ['status=Open', '/status'],
      ['bucket=31-60', '/bucket'],
      ['sort=loanId', '/sort'],
      ['createdFrom=yesterday', '/createdFrom'],
      ['cursor=abc', '/cursor'],
      [`sort=createdAt&cursor=${encodeURIComponent(page.nextCursor)}`, '/cursor'],
      ['ssn=666-12-3456', '/ssn'],
      ['borrowerId=666-12-3456', '/borrowerId'],
      ['q=666123456', '/q'],
    ];
    for (const [query, pointer] of refusals) {
      const answer = await get(`loans?${query}`);
      expect(answer.status, query).toBe(422);
      expect(answer.body.errors[0].pointer).toBe(pointer);
      expect(answer.text).not.toMatch(/666-?12-?3456/);
    }
  });

  it('a list that is unchanged is a 304, until a loan of it changes', async () => {
    const loanId = await create({ lenderId: 'LND-TAG' });
    const first = await get('loans?lenderId=LND-TAG');
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await get('loans?lenderId=LND-TAG', headers)).status).toBe(304);
    await done('start-underwriting', { loanId });
    expect((await get('loans?lenderId=LND-TAG', headers)).status).toBe(200);
  });

  it('finds by personal values, exactly and by all of them at once; each find is a disclosure', async () => {
    const person = {
      Request: {
        ApplicantInfo: {
          ApplicantSSN: '666-77-8899',
          ApplicantEmail: 'Zoe@Example.org',
          HomePhone: '(555) 010-7788',
          ApplicantLastName: "O'Search",
          ApplicantDOB: '19850412',
        },
      },
      loanInfo: { vin: '1M8GDM9AXKP042788' },
    };
    const loanId = await create(person);
    const found = async (body: object) =>
      (await done('search-loans', body, { purpose: 'caller on the phone' })).data.items.map(
        (item: { loanId: string }) => item.loanId,
      );
    for (const body of [
      { ssn: '666778899' },
      { email: ' zoe@example.ORG' },
      { phone: '+1 555 0107788' },
      { vin: '1m8gdm9axkp042788' },
      { lastName: 'osearch', dateOfBirth: '1985-04-12' },
      { ssn: '666-77-8899', email: 'zoe@example.org' },
    ]) {
      expect(await found(body), JSON.stringify(body)).toEqual([loanId]);
    }
    expect(await found({ ssn: '666-77-8899', email: 'other@example.org' })).toEqual([]);
    const { items } = await data(`loans/${loanId}/disclosures`);
    const searches = items.filter(({ what }: { what: string }) => what === 'search');
    expect(searches).toHaveLength(6);
    expect(searches[0].purpose).toBe('caller on the phone');
    const refusals: [object, string][] = [
      [{}, ''],
      [{ lastName: 'X' }, '/dateOfBirth'],
      [{ dateOfBirth: '19850412' }, '/lastName'],
      [{ ssn: '12' }, '/ssn'],
      [{ phone: 'call me maybe' }, '/phone'],
      [{ name: 'X' }, '/name'],
    ];
    for (const [body, pointer] of refusals) {
      const answer = await post('search-loans', body);
      expect(answer.status, JSON.stringify(body)).toBe(422);
      expect(answer.body.errors[0].pointer).toBe(pointer);
    }
  });
});

describe('what is refused', () => {
  it('a malformed id is 404 in a path and a bad value in a body; capital hexadecimal digits are accepted', async () => {
    const loanId = await create();
    const upper = `0x${loanId.slice(2).toUpperCase()}`;
    expect((await data(`loans/${upper}/schedule`)).loanId).toBe(loanId);
    expect((await done('request-documents', { loanId: upper })).loanId).toBe(loanId);
    for (const bad of [loanId.slice(0, -1), `${loanId}0`, `0x${'z'.repeat(64)}`, `0x${'0'.repeat(64)}`, 'x', '%20']) {
      expect((await get(`loans/${bad}`)).status, bad).toBe(404);
      expect((await get(`loan-data/${bad}`)).status, bad).toBe(404);
      const answer = await post('start-underwriting', { loanId: decodeURIComponent(bad) });
      const malformed = { status: 422, code: 'invalid_request', errors: [{ pointer: '/loanId', code: 'format' }] };
      const nobodys = bad === `0x${'0'.repeat(64)}`;
      expect(answer.body, bad).toMatchObject(nobodys ? { status: 404, code: 'not_found' } : malformed);
    }
    expect((await post('start-underwriting', { loanId: 7 })).status).toBe(422);
  });

  it.each([
    ['an unknown member', { refid: 'X' }, '/refid unknown_member'],
    ['no reference', { refId: undefined }, '/refId required'],
    ['an amount of nothing', { amount: '0.00' }, '/amount amount_zero'],
    ['a negative amount', { amount: -1 }, '/amount negative'],
    ['three decimals', { amount: 10.001 }, '/amount decimals'],
    ['an exponent', { amount: '1e3' }, '/amount exponent'],
    ['too many digits', { amount: '12345678901234567' }, '/amount too_many_digits'],
    ['an amount that is a list', { amount: [10] }, '/amount type'],
    ['a reference with a space', { refId: 'a b' }, '/refId format'],
    ['a reference like a social security number', { refId: '666-12-3456' }, '/refId personal'],
    ['no day', { paymentDate: '2026-02-30' }, '/paymentDate format'],
    ['a reason with a line break', { reason: 'a\nb' }, '/reason format'],
    ['a flag as text', { principalOnly: 'yes' }, '/principalOnly type'],
  ])('loan-repay with %s is a 422 that names it', async (_name, more, expected) => {
    const answer = await post('loan-repay', { loanId: `0x${'0'.repeat(64)}`, amount: '10', refId: 'X', ...more });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
      expected,
    ]);
  });

  it('a fault in the loan and not in the body is reported without a pointer', async () => {
    const loanId = await create({ firstPaymentDate: '2026-01-20' });
    await done('start-underwriting', { loanId });
    await done('complete-underwriting', { loanId, approved: true });
    await on('2026-01-20');
    const answer = await post('initiate-repayment', { loanId });
    expect(answer.body).toMatchObject({ status: 422, refusal: 'contradiction' });
    expect(answer.body).not.toHaveProperty('errors');
  });

  it('the same application of the same lender is a 409 that names its loan', async () => {
    const body = creation();
    const { loanId } = await done('loans', body);
    const answer = await post('loans', { ...body, loanAmount: '1' });
    expect(answer.body).toMatchObject({
      status: 409,
      code: 'application_exists',
      loanId,
      errors: [{ pointer: '/applicationId' }],
    });
    await done('loans', { ...body, lenderId: 'LND-2' });
  });

  it.each(['x'.repeat(201), 'a\tb'])('a purpose like %j is refused', async (purpose) => {
    const loanId = await create();
    const answer = await get(`loans/${loanId}`, { purpose });
    expect(answer.body).toMatchObject({ status: 422, code: 'invalid_request' });
    expect(answer.body.detail).toContain('purpose');
  });

  it('a purpose in UTF-8 is kept as it was meant', async () => {
    const loanId = await create();
    const bytes = Buffer.from('Prüfung – Akte 7', 'utf8').toString('latin1');
    await get(`loans/${loanId}`, { purpose: bytes });
    expect((await data(`loans/${loanId}/disclosures`)).items.at(-1).purpose).toBe('Prüfung – Akte 7');
  });

  it('funding through a grant: a servicer alone cannot send money out', async () => {
    const loanId = await create();
    await done('start-underwriting', { loanId });
    await done('complete-underwriting', { loanId, approved: true });
    const as = async (scopes: Scope[]) =>
      service.call('POST', '/v2/chain/initiate-repayment', { token: await service.token(scopes), body: { loanId } });
    expect((await as(['servicing:write'])).body).toMatchObject({ status: 403, scope: 'loans:fund' });
    expect((await as(['loans:fund'])).status).toBe(200);
    expect((await as(['loans:fund'])).status).toBe(200);
  });

  it('amounts that grow beyond what is exact are a 422, not a failure', async () => {
    const loanId = await repaying({ loanAmount: '9,999,999,999,999.99', interestRate: '99' });
    const answer = await get(`loans/${loanId}/payoff?date=2199-01-01`);
    expect(answer.status).toBe(422);
  });
});
