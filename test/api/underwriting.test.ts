/** From an application to priced offers over HTTP, with the simulated bureau. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEAL_TERMS, REQUEST, RESPONSE, UNDERWRITING, UNDERWRITING_INFO } from '../../src/boarding/record-members.ts';
import { applicationBody } from '../../src/demo/application.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body, headers });
const get = (path: string) => service.call('GET', `/v2/chain/${path}`, { token, key: service.credentials.apiKey });

let applications = 0;

const INCOME = {
  MonthlyGross: 6_500,
  ApplicantIncome: '78000',
  ApplicantIncomePrimary: '78000',
  EstimatedIncome: '78000',
  ReportedIncome: '78000',
};

/** An application alone: `Request` and the terms, nothing assessed. */
function application(ssn: string, more: { applicant?: object; coApplicantSsn?: string; own?: object } = {}) {
  const { applicationId: _, Request } = applicationBody(3) as {
    applicationId: string;
    Request: Record<string, object>;
  };
  applications += 1;
  return {
    applicationId: `UW-${applications}`,
    borrowerId: 'B-1',
    lenderId: 'L-1',
    loanType: 'AutoLoan',
    loanAmount: '18,000',
    principalAmount: '17,000',
    interestRate: '8.49',
    term: 60,
    ...more.own,
    Request: {
      ...Request,
      ApplicantInfo: { ...Request.ApplicantInfo, ...INCOME, ApplicantSSN: ssn, ...more.applicant },
      CoApplicantInfo: { CoApplicantSSN: more.coApplicantSsn ?? '' },
      VehicleInfo: {
        ...Request.VehicleInfo,
        ...{ VehicleRetailValue: '24,000', VehicleWholesaleValue: '22,000', VehicleVIN: '' },
        ...{ VehicleAge: '2', VehicleYear: '2024', VehicleMileage: '21,000' },
      },
    },
  };
}

async function started(ssn: string, more: Parameters<typeof application>[1] = {}): Promise<string> {
  const created = await post('loans', application(ssn, more));
  expect(created.status).toBe(200);
  const { loanId } = created.body;
  const answer = await post('start-underwriting', { loanId });
  expect(answer.status, answer.text).toBe(200);
  return loanId;
}

const full = async (loanId: string) => (await get(`loans/${loanId}`)).body.data;
const pulls = (loanId: string) =>
  service.db.query<{ run: number; role: string; answered: boolean }>(
    `SELECT run, role, answered_at IS NOT NULL AS answered FROM bureau_pulls
     WHERE loan_id = $1 AND role NOT LIKE 'screening:%' ORDER BY run, role DESC`,
    [`\\x${loanId.slice(2)}`],
  );

/** A record without its PDFs: as base64 they may spell any word. */
const withoutFiles = (text: string) => text.replaceAll(/("\w+PDF":")[^"]*/g, '$1');

const PRIME = '666-00-0001';
const BAD_PAYER = '666-00-0005';

describe('an application that is underwritten', () => {
  test('reads back with every member of the interface, of its type', async () => {
    const data = await full(await started(PRIME));
    const { Request, Response, Underwriting } = data;
    for (const [object, shape] of [
      [Request, REQUEST],
      [Response, RESPONSE],
      [Underwriting, UNDERWRITING],
    ] as const) {
      expect(Object.keys(object)).toEqual(expect.arrayContaining([...shape.keys()]));
    }
    expect(Underwriting.DealTermsInfo).toHaveLength(60);
    expect(Underwriting.UnderwritingInfo).toHaveLength(60);
    for (const deal of Underwriting.DealTermsInfo) {
      expect(Object.keys(deal).sort()).toEqual([...DEAL_TERMS.keys()].sort());
      for (const value of Object.values(deal)) expect(value).toMatch(/^-?[\d.]+$/);
    }
    for (const info of Underwriting.UnderwritingInfo) {
      expect(Object.keys(info).sort()).toEqual([...UNDERWRITING_INFO.keys()].sort());
      for (const value of Object.values(info)) expect(typeof value).toBe('string');
    }
    expect(withoutFiles(JSON.stringify(data))).not.toMatch(/NaN|Infinity|undefined/);
    expect(Object.keys(Underwriting.PrimaryCreditInfo).length).toBeGreaterThan(1_136);
    expect(Buffer.from(Underwriting.PrimaryCreditBureauPDF, 'base64').toString('latin1')).toMatch(
      /^%PDF-1\.\d[\s\S]*%%EOF\s*$/,
    );
    const [head, ...rows] = Underwriting.CashflowsCsv.trim().split('\n') as string[];
    const columns = (head as string).split(',');
    expect([columns[0], columns.at(-1)]).toEqual(['Month', 'row_no']);
    expect(columns).toEqual(expect.arrayContaining(['Type', 'Date']));
    expect(rows.every((row) => row.split(',').length === columns.length)).toBe(true);
    // One row a month, of the deal that was asked for.
    expect(rows.map((row) => row.split(',')[0])).toEqual(rows.map((_, month) => String(month)));
    expect(new Set(rows.map((row) => row.split(',').at(-1)))).toEqual(new Set(['0']));
    expect(Response).toMatchObject({
      Decision: 'APPROVED',
      ApplicationID: 'APP-000003',
      DeclineReason: '',
    });
    expect(typeof Response.CreditScorePrimary).toBe('number');
    expect(data.loanDetails).toMatchObject({
      grade: expect.stringMatching(/^[A-F]$/),
      riskRating: expect.stringMatching(/^(Low|Medium|High)$/),
      creditReportHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      applicantCreditVision: expect.stringContaining('Credit score'),
    });
  });

  test('every total of the loan is the sum of its rows', async () => {
    const { loanDetails, Underwriting } = await full(await started(PRIME));
    const [head, ...lines] = Underwriting.CashflowsCsv.trim().split('\n') as string[];
    const columns = (head as string).split(',');
    const rows = lines.map((line) => line.split(','));
    const sum = (column: string) =>
      rows.reduce((cents, row) => cents + Math.round(Number(row[columns.indexOf(column)]) * 100), 0);
    const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
    expect(sum('PrincipalPaid')).toBe(cents(loanDetails.predictedPrincipalPaid));
    expect(sum('InterestPaid')).toBe(cents(loanDetails.predictedInterestPaid));
    expect(sum('ChargeoffAmount')).toBe(cents(loanDetails.predictedChargeoffAmount));
    expect(sum('RecoveredAmount')).toBe(cents(loanDetails.predictedRecoveredAmount));
    expect(sum('TotalPaid')).toBe(cents(loanDetails.predictedGrossCashflow));
    expect(sum('TotalPaidLessFees')).toBe(cents(loanDetails.predictedNetCashflow));
    expect(sum('PrincipalPaid') + sum('ChargeoffAmount')).toBe(1_800_000);
  });

  test('gives the same bytes for the same application, except for ids and times', async () => {
    const [one, two] = [await full(await started(PRIME)), await full(await started(PRIME))];
    expect(two.Underwriting).toEqual(one.Underwriting);
    expect({ ...two.Response, ApplicationID: '' }).toEqual({ ...one.Response, ApplicationID: '' });
  });

  test('has the co-applicant’s report too when there is one', async () => {
    const loanId = await started(PRIME, { coApplicantSsn: '666-00-0002' });
    const { Response, Underwriting, loanDetails } = await full(loanId);
    expect(Response.CreditScoreCoapplicant).toBeGreaterThan(0);
    expect(Underwriting.CoApplicantCreditBureauPDF).not.toBe('');
    expect(Underwriting.CoApplicantCreditBureauTradeLines).toContain('subscriber,account_type');
    expect(loanDetails.coApplicantCreditVision).not.toBe('');
    expect(await pulls(loanId)).toEqual([
      { run: 1, role: 'primary', answered: true },
      { run: 1, role: 'coApplicant', answered: true },
    ]);
  });

  test('can be run again, which replaces the result of the first run; a repeated call does not', async () => {
    const loanId = await started(PRIME);
    const again = await post('start-underwriting', { loanId }, { 'idempotency-key': `again-${loanId}` });
    expect(again.status).toBe(200);
    const replayed = await post('start-underwriting', { loanId }, { 'idempotency-key': `again-${loanId}` });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.text).toBe(again.text);
    expect((await pulls(loanId)).map(({ run }) => run)).toEqual([1]);
  });

  test('the public record has the deals and the cash flows, and nothing of the person', async () => {
    const loanId = await started(PRIME);
    const { loanDetails } = (await get(`loan-data/${loanId}`)).body.data;
    expect(loanDetails.Underwriting.DealTermsInfo).toHaveLength(60);
    expect(loanDetails.Underwriting.CashflowsCsv).toBe((await full(loanId)).Underwriting.CashflowsCsv);
    expect(loanDetails.Underwriting.UnderwritingInfo[0]).toMatchObject({ DecisionReason: '', AllWarnings: '' });
    expect(Object.keys(loanDetails.Underwriting)).toEqual(['CashflowsCsv', 'DealTermsInfo', 'UnderwritingInfo']);
    expect(loanDetails).toMatchObject({ applicantCreditVision: '', lendingDecisionReason: '' });
  });
});

describe('the cash flows of a deal', () => {
  const flows = (loanId: string, index: number | string) => get(`loans/${loanId}/deals/${index}/cashflows`);

  test('are CSV with one row a month, whose sums are the forecast of the deal', async () => {
    const loanId = await started(PRIME);
    const { Underwriting } = await full(loanId);
    for (const index of [0, 1, 59]) {
      const { status, text, headers } = await flows(loanId, index);
      expect(status, text).toBe(200);
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const [head = '', ...lines] = text.trim().split('\n');
      expect(head).toBe(Underwriting.CashflowsCsv.split('\n')[0]);
      const columns = head.split(',');
      const rows = lines.map((line) => line.split(','));
      expect(rows.map(([month]) => month)).toEqual(rows.map((_, month) => String(month)));
      const sum = (column: string) =>
        rows.reduce((cents, row) => cents + Math.round(Number(row[columns.indexOf(column)]) * 100), 0);
      const info = Underwriting.UnderwritingInfo[index];
      expect(sum('InterestPaid')).toBe(Math.round(Number(info.ForecastInterestPaid) * 100));
      expect(sum('FairValue')).toBe(Math.round(Number(info.FairValuePrice) * 100));
    }
    expect((await flows(loanId, 0)).text).toBe(Underwriting.CashflowsCsv);
  });

  test('need no more than loans:read, carry an ETag, and are no disclosure', async () => {
    const loanId = await started(PRIME);
    const reader = await service.token(['loans:read']);
    const path = `/v2/chain/loans/${loanId}/deals/5/cashflows`;
    const first = await service.call('GET', path, { token: reader });
    expect(first.status, first.text).toBe(200);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const etag = first.headers.get('etag') as string;
    const again = await service.call('GET', path, { token: reader, headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = path.replace('/5/', '/6/');
    expect((await service.call('GET', other, { token: reader, headers: { 'if-none-match': etag } })).status).toBe(200);
    const looks = (await get(`loans/${loanId}/disclosures`)).body.data.items;
    expect(looks.map(({ what }: { what: string }) => what)).toEqual(['disclosures']);
    expect((await service.call('GET', path, { token: await service.token(['public:read']) })).status).toBe(403);
  });

  test('are not found without such a deal, before an assessment, of a boarded loan, and after an erasure', async () => {
    const loanId = await started(PRIME);
    for (const index of [60, -1, '00', '1e1', 'x', '100000', '%30x']) {
      const answer = await flows(loanId, index);
      expect([index, answer.status, answer.body.code]).toEqual([index, 404, 'not_found']);
    }
    const { loanId: fresh } = (await post('loans', application(PRIME))).body;
    expect((await flows(fresh, 0)).status).toBe(404);
    const { Response, Underwriting } = await full(loanId);
    const { loanId: boarded } = (await post('loans', { ...application(PRIME), Response, Underwriting })).body;
    expect((await full(boarded)).Underwriting.CashflowsCsv).toBe(Underwriting.CashflowsCsv);
    expect((await flows(boarded, 0)).status).toBe(404);
    expect((await flows(`0x${'ab'.repeat(32)}`, 0)).status).toBe(404);
    await post('cancel', { loanId, reason: 'withdrawn' });
    const now = service.clock.now + 60_000;
    expect(await eraseBorrower(service.db, { loanId, retentionDays: 0, now })).toHaveProperty('erasedAt');
    expect((await flows(loanId, 0)).status).toBe(404);
  });
});

describe('the decision', () => {
  test('without "approved" is the engine’s', async () => {
    const loanId = await started(PRIME);
    expect((await post('complete-underwriting', { loanId })).body.data).toMatchObject({ decision: 'APPROVED' });
    const declined = await started(BAD_PAYER);
    expect((await post('complete-underwriting', { loanId: declined })).body.data).toMatchObject({
      decision: 'DECLINED',
    });
    const { Response, loanDetails } = await full(declined);
    expect(loanDetails.loanStatus).toBe('Rejected');
    expect(Response.DeclineReason).not.toBe('');
  });

  test('that differs from the engine’s needs a reason, which is kept', async () => {
    const loanId = await started(BAD_PAYER);
    const bare = await post('complete-underwriting', { loanId, approved: true });
    expect(bare.status).toBe(422);
    expect(bare.body).toMatchObject({ errors: [{ pointer: '/reason' }] });
    const approved = { approved: true, reason: 'guarantor found', reasonCode: 'relationship' };
    expect((await post('complete-underwriting', { loanId, ...approved })).status).toBe(200);
    expect((await get(`loans/${loanId}/disclosures`)).body.data.reasons).toMatchObject([{ reason: 'guarantor found' }]);
  });

  test('of another deal sets the loan’s terms and figures: a counter-offer', async () => {
    const loanId = await started(PRIME);
    const { Underwriting, loanDetails: asked } = await full(loanId);
    const index = Underwriting.UnderwritingInfo.findIndex(
      (info: { DecisionStatus: string }, i: number) =>
        info.DecisionStatus === 'APPROVED' && Underwriting.DealTermsInfo[i].TermsTerm !== '60',
    );
    const deal = Underwriting.DealTermsInfo[index];
    expect((await post('complete-underwriting', { loanId, dealIndex: index })).body.data).toMatchObject({
      decision: 'APPROVED',
    });
    const { loanDetails } = await full(loanId);
    expect(loanDetails.term).toBe(deal.TermsTerm);
    expect(loanDetails.interestRate).toBe(deal.TermsAPR);
    const info = Underwriting.UnderwritingInfo[index];
    const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);
    expect(cents(loanDetails.predictedInterestPaid)).toBe(cents(info.ForecastInterestPaid));
    expect(loanDetails.predictedInterestPaid).not.toBe(asked.predictedInterestPaid);
    // One row a month, of that deal, in both records.
    const { CashflowsCsv } = (await full(loanId)).Underwriting;
    const rows = (CashflowsCsv as string).trim().split('\n').slice(1);
    const shown = (await get(`loan-data/${loanId}`)).body.data.loanDetails.Underwriting;
    expect(CashflowsCsv).not.toBe(Underwriting.CashflowsCsv);
    expect(shown.CashflowsCsv).toBe(CashflowsCsv);
    expect(rows.map((row) => row.split(',').at(-1))).toEqual(rows.map(() => String(index)));
    expect(rows[0]?.split(',')[12]).toBe(deal.TermsLoanAmount);
    expect((await get(`loans/${loanId}/deals/${index}/cashflows`)).text).toBe(CashflowsCsv);
    expect((await get(`loans/${loanId}/deals/0/cashflows`)).text).toBe(Underwriting.CashflowsCsv);
    expect((await post('complete-underwriting', { loanId: await started(PRIME), dealIndex: 60 })).status).toBe(422);
    expect((await post('initiate-repayment', { loanId })).status).toBe(200);
    const forecast = (await get(`loans/${loanId}/forecast`)).body.data;
    expect(forecast).toMatchObject({ grade: loanDetails.grade, balance: loanDetails.loanAmount });
    expect(forecast.CashflowsCsv).toContain('Month,');
  });

  test('a declined applicant is owed a notice with the principal reasons; an approved one is not', async () => {
    const party = (name: string) => ({ name, address: '1 Main Street', telephone: '555-0100' });
    const asked = { creditor: party('Harbor Auto Finance'), bureau: party('Example Bureau') };
    const declined = await started(BAD_PAYER);
    const { notice } = (await post('adverse-action-notice', { loanId: declined, ...asked })).body.data;
    const { Response } = await full(declined);
    expect(notice).toContain('Harbor Auto Finance');
    expect(notice).toContain('Equal Credit Opportunity Act');
    expect(notice).toContain(Response.DeclineReason.split('; ')[0]);
    const looks = (await get(`loans/${declined}/disclosures`)).body.data.items;
    expect(looks.map(({ what }: { what: string }) => what)).toContain('notice');
    expect((await post('adverse-action-notice', { loanId: await started(PRIME), ...asked })).status).toBe(409);
    const alone = await post('adverse-action-notice', { loanId: declined, ...asked, party: 'coApplicant' });
    expect([alone.status, alone.body.errors]).toMatchObject([422, [{ pointer: '/party', code: 'contradiction' }]]);
  });

  test('each person of a joint application has a notice with their own score', async () => {
    const party = (name: string) => ({ name, address: '1 Main Street', telephone: '555-0100' });
    const asked = { creditor: party('Harbor Auto Finance'), bureau: party('Example Bureau') };
    const loanId = await started(PRIME, { coApplicantSsn: BAD_PAYER });
    const scoreOf = async (of: 'applicant' | 'coApplicant') => {
      const { status, text, body } = await post('adverse-action-notice', { loanId, ...asked, party: of });
      expect(status, text).toBe(200);
      return Number(/Your credit score: (\d+)/.exec(body.data.notice)?.[1]);
    };
    const { Response } = await full(loanId);
    expect(await scoreOf('applicant')).toBe(Response.CreditScorePrimary);
    expect(await scoreOf('coApplicant')).toBe(Response.CreditScoreCoapplicant);
    expect(Response.CreditScorePrimary).toBeGreaterThan(Response.CreditScoreCoapplicant);
  });

  test('so is one whom a loan officer declined against the assessment or without one, with the reasons of the officer', async () => {
    const party = (name: string) => ({ name, address: '1 Main Street', telephone: '555-0100' });
    const asked = { creditor: party('Harbor Auto Finance'), bureau: party('Example Bureau') };
    const reasons = ['Length of employment', 'Unable to verify income'];
    const written = async (loanId: string) => {
      const rejected = await post('complete-underwriting', { loanId, approved: false, reason: 'Job ended last week' });
      expect(rejected.status, rejected.text).toBe(200);
      const without = await post('adverse-action-notice', { loanId, ...asked });
      expect([without.status, without.body.errors]).toMatchObject([422, [{ pointer: '/reasons', code: 'required' }]]);
      const { status, text, body } = await post('adverse-action-notice', { loanId, ...asked, reasons });
      expect(status, text).toBe(200);
      return body.data.notice as string;
    };
    const against = await written(await started(PRIME));
    expect(against).toContain('Principal reasons:\n- Length of employment\n- Unable to verify income\n\n');
    expect(against).toMatch(
      /unable to grant you the credit you requested[\s\S]*Fair Credit Reporting Act[\s\S]*Your credit score: \d{3}/,
    );
    expect(against).not.toContain('Job ended');
    // Without an income nothing was assessed, and no report was used.
    const none = Object.fromEntries(Object.keys(INCOME).map((name) => [name, '']));
    const loanId = await started(PRIME, { applicant: { ...none, MonthlyGross: null } });
    const unassessed = await written(loanId);
    expect(unassessed).toMatch(
      /Credit requested: [\d,.]+ over \d+ months[\s\S]*- Length of employment[\s\S]*Equal Credit/,
    );
    expect(unassessed).not.toMatch(/Fair Credit Reporting Act|credit score/);
  });
});

describe('the decision in the full record', () => {
  const MINUTE = 60_000;
  const now = () => new Date(service.clock.now).toISOString().slice(0, 19).replace('T', ' ');
  type Read = Awaited<ReturnType<typeof full>>;
  const told = ({ loanDetails, Response, Underwriting }: Read, dealIndex = 0) => ({
    status: loanDetails.loanStatus,
    decision: Response.Decision,
    at: Response.DecisionDate,
    decline: Response.DeclineReason,
    why: loanDetails.lendingDecisionReason,
    row: Underwriting.UnderwritingInfo[dealIndex]?.DecisionStatus,
  });
  /** Everything of the record that a decision does not change. */
  const rest = ({ loanDetails, Request, Response, Underwriting }: Read, dealIndex = 0) => {
    const { Decision: _, DecisionDate: __, DeclineReason: ___, ...response } = Response;
    const { UnderwritingInfo, CashflowsCsv: ____, ...underwriting } = Underwriting;
    const infos = UnderwritingInfo.map((info: object, i: number) =>
      i === dealIndex ? { ...info, DecisionStatus: '' } : info,
    );
    return { id: loanDetails.applicationId, Request, response, underwriting, infos };
  };
  async function decided(loanId: string, body: object = {}) {
    service.clock.now += MINUTE;
    const answer = await post('complete-underwriting', { loanId, ...body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  }
  const lastFact = async (loanId: string) => (await get(`loans/${loanId}/timeline`)).body.data.items.at(-1);
  const deals = async (loanId: string) => (await get(`loans/${loanId}/deals`)).body.data.items;

  test('of the engine: as assessed, at the time of the decision', async () => {
    for (const [ssn, decision, verb] of [
      [PRIME, 'APPROVED', 'Approved'],
      [BAD_PAYER, 'DECLINED', 'Declined'],
    ] as const) {
      const loanId = await started(ssn);
      const [before, offered] = [await full(loanId), await deals(loanId)];
      const shown = (await get(`loan-data/${loanId}`)).body.data.loanDetails.Underwriting;
      await decided(loanId);
      const after = await full(loanId);
      expect(told(after)).toEqual({
        ...{ status: verb === 'Approved' ? 'Approved' : 'Rejected', decision, at: now(), row: decision },
        decline: before.Response.DeclineReason,
        why: `${verb} as assessed: ${before.loanDetails.lendingDecisionReason}`,
      });
      expect(rest(after)).toEqual(rest(before));
      expect(after.Underwriting.CashflowsCsv).toBe(before.Underwriting.CashflowsCsv);
      // The engine's statements stay where they were, and the public record has none of them.
      expect(await deals(loanId)).toEqual(offered);
      expect(await lastFact(loanId)).toMatchObject({
        decision: { by: 'assessment', dealIndex: 0, assessment: decision },
      });
      const { loanDetails } = (await get(`loan-data/${loanId}`)).body.data;
      expect(loanDetails.Underwriting).toEqual(shown);
      expect(loanDetails.lendingDecisionReason).toBe('');
    }
  });

  test('of a loan officer who overrides the engine, either way: by whom, and the reason', async () => {
    for (const [ssn, approved] of [
      [BAD_PAYER, true],
      [PRIME, false],
    ] as const) {
      const loanId = await started(ssn);
      const [before, offered] = [await full(loanId), await deals(loanId)];
      const shown = (await get(`loan-data/${loanId}`)).body.data.loanDetails.Underwriting;
      const reason = 'Guarantor “found”; seen by two';
      const [decision, verb] = approved ? ['APPROVED', 'Approved'] : ['DECLINED', 'Declined'];
      expect((await decided(loanId, { approved, reason, reasonCode: 'relationship' })).decision).toBe(decision);
      const after = await full(loanId);
      expect(told(after)).toEqual({
        ...{ status: approved ? 'Approved' : 'Rejected', decision, at: now(), row: decision },
        decline: approved ? '' : reason,
        why: expect.stringMatching(
          `^${verb} by a loan officer against the assessment${approved ? ' \\(a long relationship .*rule minimum-score.*\\)' : ''}: ${reason}$`,
        ),
      });
      expect(rest(after)).toEqual(rest(before));
      const [row] = await deals(loanId);
      expect(row).toEqual(offered[0]);
      expect(row.decision).toBe(approved ? 'DECLINED' : 'APPROVED');
      expect(await lastFact(loanId)).toMatchObject({
        ...{ reason, decision: { by: 'officer', dealIndex: 0, assessment: row.decision } },
      });
      const { loanDetails } = (await get(`loan-data/${loanId}`)).body.data;
      expect(loanDetails.Underwriting).toEqual(shown);
      // A second read, from the cache, says the same.
      expect(await full(loanId)).toEqual(after);
    }
  });

  test('of a loan officer who agrees: the officer’s reason, or those of the assessment', async () => {
    const [one, other] = [await started(BAD_PAYER), await started(BAD_PAYER)];
    const { Response, loanDetails } = await full(one);
    await decided(one, { approved: false });
    expect(told(await full(one))).toMatchObject({
      ...{ decision: 'DECLINED', at: now(), decline: Response.DeclineReason },
      why: `Declined by a loan officer, as assessed: ${loanDetails.lendingDecisionReason}`,
    });
    await decided(other, { approved: false, reason: 'Job ended' });
    expect(told(await full(other))).toMatchObject({
      ...{ decline: 'Job ended', why: 'Declined by a loan officer, as assessed: Job ended' },
    });
  });

  test('of a counter-offer: the row of that deal, and no other', async () => {
    const loanId = await started(BAD_PAYER);
    const before = await full(loanId);
    const index = 9;
    expect(before.Underwriting.UnderwritingInfo[index].DecisionStatus).toBe('DECLINED');
    await decided(loanId, { dealIndex: index, approved: true, reason: 'Guarantor', reasonCode: 'other' });
    const after = await full(loanId);
    expect(told(after, index)).toEqual({
      ...{ status: 'Approved', decision: 'APPROVED', at: now(), decline: '', row: 'APPROVED' },
      why: expect.stringMatching(
        /^Approved by a loan officer against the assessment \(another reason; rule .*\): Guarantor$/,
      ),
    });
    expect(rest(after, index)).toEqual(rest(before, index));
    expect((await deals(loanId))[index].decision).toBe('DECLINED');
    expect((await lastFact(loanId)).decision).toMatchObject({
      ...{ by: 'officer', dealIndex: index, assessment: 'DECLINED', reasonCode: 'other' },
    });
  });

  test('of a deal that the engine declines: its reasons, and the cash flows of the one asked for', async () => {
    const loanId = await started(BAD_PAYER);
    const before = await full(loanId);
    const index = 9;
    const info = before.Underwriting.UnderwritingInfo[index];
    expect((await decided(loanId, { dealIndex: index })).decision).toBe('DECLINED');
    const after = await full(loanId);
    expect(told(after, index)).toEqual({
      ...{ status: 'Rejected', decision: 'DECLINED', at: now(), row: 'DECLINED' },
      ...{ decline: info.DecisionReasonSimple, why: `Declined as assessed: ${info.DecisionReason}` },
    });
    expect(after.Underwriting.CashflowsCsv).toBe(before.Underwriting.CashflowsCsv);
    expect(after.loanDetails.predictedYield).toBe(before.loanDetails.predictedYield);
  });

  test('is gone when it is undone; the next one is then shown, and reads of the past have what held then', async () => {
    const loanId = await started(PRIME);
    const before = await full(loanId);
    service.clock.now += MINUTE;
    const undecidedAt = new Date(service.clock.now).toISOString();
    await decided(loanId, { approved: false, reason: 'Job ended' });
    const { transactionHash } = await lastFact(loanId);
    const declined = await full(loanId);
    expect(told(declined)).toMatchObject({ status: 'Rejected', decision: 'DECLINED', decline: 'Job ended' });
    const declinedAt = new Date(service.clock.now).toISOString();
    service.clock.now += MINUTE;
    expect((await post('undo', { loanId, transactionHash, reason: 'Wrong person' })).status).toBe(200);
    const undone = await full(loanId);
    expect([undone.Request, undone.Response, undone.Underwriting, undone.loanDetails]).toEqual([
      ...[before.Request, before.Response, before.Underwriting, before.loanDetails],
    ]);
    await decided(loanId);
    expect(told(await full(loanId))).toMatchObject({
      status: 'Approved',
      decision: 'APPROVED',
      at: now(),
      decline: '',
    });
    const known = async (at: string) => (await get(`loans/${loanId}?knownAt=${at}`)).body.data;
    expect(told(await known(undecidedAt))).toEqual(told(before));
    expect(told(await known(declinedAt))).toEqual(told(declined));
  });

  test('is not in a read of an earlier day, and stays through the life of the loan', async () => {
    const loanId = await started(PRIME);
    const before = told(await full(loanId));
    const day = new Date(service.clock.now).toISOString().slice(0, 10);
    service.clock.now += 24 * 60 * MINUTE;
    token = await service.token();
    await decided(loanId, { approved: true, reason: 'Known for years' });
    const { status: _, ...after } = told(await full(loanId));
    expect(after).toMatchObject({ at: now(), why: 'Approved by a loan officer, as assessed: Known for years' });
    expect(told((await get(`loans/${loanId}?asOf=${day}`)).body.data)).toEqual(before);
    expect((await post('initiate-repayment', { loanId })).status).toBe(200);
    const party = { loanId, party: 'applicant', changes: { phone: '614-555-0123' }, reason: 'called' };
    expect((await post('update-party', party)).status).toBe(200);
    const read = await full(loanId);
    expect(told(read)).toMatchObject(after);
    expect(read.Request.ApplicantInfo.HomePhone).toBe('614-555-0123');
  });

  test('of a boarded loan is the given one to the letter, unless a loan officer decides', async () => {
    const { Response, Underwriting, loanDetails } = await full(await started(BAD_PAYER));
    const { lendingDecisionReason } = loanDetails;
    const board = async () => {
      const given = { ...application(PRIME), lendingDecisionReason, Response, Underwriting };
      const { loanId } = (await post('loans', given)).body;
      expect((await post('start-underwriting', { loanId })).status).toBe(200);
      return { loanId, text: (await get(`loans/${loanId}`)).text };
    };
    const parts = (text: string) => text.slice(text.indexOf('"Request":'));
    const [kept, agreed, changed] = [await board(), await board(), await board()];
    await decided(kept.loanId);
    const read = await get(`loans/${kept.loanId}`);
    expect(parts(read.text)).toBe(parts(kept.text));
    expect(read.body.data.loanDetails.lendingDecisionReason).toBe(lendingDecisionReason);
    expect(read.body.data.loanDetails.loanStatus).toBe('Rejected');
    await decided(agreed.loanId, { approved: false });
    expect(told(await full(agreed.loanId))).toEqual({
      ...{ status: 'Rejected', decision: 'DECLINED', at: now(), row: 'DECLINED', decline: Response.DeclineReason },
      why: `Declined by a loan officer, as assessed: ${lendingDecisionReason}`,
    });
    await decided(changed.loanId, { approved: true, reason: 'Guarantor', dealIndex: 2 });
    const after = await full(changed.loanId);
    expect(told(after, 2)).toEqual({
      ...{ status: 'Approved', decision: 'APPROVED', at: now(), row: 'APPROVED', decline: '' },
      why: 'Approved by a loan officer against the assessment: Guarantor',
    });
    expect(rest(after, 2)).toEqual({ ...rest({ ...after, Response, Underwriting }, 2) });
    expect(after.Underwriting.CashflowsCsv).toBe(Underwriting.CashflowsCsv);
  });

  test('on an application that was not assessed is the loan officer’s', async () => {
    const { Request: _, ...nobody } = application(PRIME);
    for (const [body, why, decline] of [
      [{ approved: true }, 'Approved by a loan officer', ''],
      [{ approved: false }, 'Declined by a loan officer', 'Declined by a loan officer'],
      [{ approved: false, reason: 'No vehicle' }, 'Declined by a loan officer: No vehicle', 'No vehicle'],
    ] as const) {
      applications += 1;
      const { loanId } = (await post('loans', { ...nobody, applicationId: `UW-${applications}` })).body;
      await post('start-underwriting', { loanId });
      await decided(loanId, body);
      const decision = body.approved ? 'APPROVED' : 'DECLINED';
      expect(told(await full(loanId))).toEqual({
        ...{ status: body.approved ? 'Approved' : 'Rejected', decision, at: now(), decline, why, row: undefined },
      });
      expect((await lastFact(loanId)).decision).toMatchObject({ by: 'officer', dealIndex: 0, assessment: null });
    }
  });

  test('is gone with the borrower', async () => {
    const loanId = await started(PRIME);
    await decided(loanId, { approved: false, reason: 'Planted reason' });
    expect(told(await full(loanId)).decline).toBe('Planted reason');
    const at = service.clock.now + MINUTE;
    expect(await eraseBorrower(service.db, { loanId, retentionDays: 0, now: at })).toHaveProperty('erasedAt');
    const { text, body } = await get(`loans/${loanId}`);
    expect(told(body.data)).toEqual({ status: 'Rejected', decision: '', at: '', decline: '', why: '', row: undefined });
    expect(text).not.toContain('Planted');
  });

  test('a dry run decides nothing', async () => {
    const loanId = await started(PRIME);
    const before = (await get(`loans/${loanId}`)).text;
    const dry = await post('complete-underwriting?dryRun=true', { loanId, approved: false, reason: 'Planted' });
    expect(dry.body.data).toMatchObject({ dryRun: true, decision: 'DECLINED' });
    expect((await get(`loans/${loanId}`)).text).toBe(before);
  });
});

describe('when it fails', () => {
  test.each(['666-00-0091', '666-00-0092', '666-00-0093'])(
    'no report from the bureau (%s) is 503, and nothing has changed',
    async (ssn) => {
      const { loanId } = (await post('loans', application(ssn))).body;
      const answer = await post('start-underwriting', { loanId });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect(answer.text).not.toContain(ssn);
      expect((await full(loanId)).loanDetails.loanStatus).toBe('ApplicationSubmitted');
      expect(await pulls(loanId)).toEqual([{ run: 1, role: 'primary', answered: false }]);
    },
  );

  test('a loan that was assessed elsewhere, or names no applicant, only changes its status', async () => {
    const { Request: _, ...nobody } = application(PRIME);
    const { loanId } = (await post('loans', nobody)).body;
    expect((await post('start-underwriting', { loanId })).body.data).toMatchObject({
      ...{ loanStatus: 'UnderwritingStarted', assessed: false },
      missing: expect.stringContaining('Request.ApplicantInfo'),
    });
    expect(await pulls(loanId)).toEqual([]);
    const undecided = await post('complete-underwriting', { loanId });
    expect(undecided.status).toBe(409);
    expect((await post('complete-underwriting', { loanId, approved: true })).status).toBe(200);
    const boarded = { ...application(PRIME), Response: { Decision: 'DECLINED' } };
    const { loanId: other } = (await post('loans', boarded)).body;
    expect((await post('start-underwriting', { loanId: other })).body.data).not.toHaveProperty('assessed');
    expect(await pulls(other)).toEqual([]);
    expect((await post('complete-underwriting', { loanId: other })).body.data.decision).toBe('DECLINED');
  });

  test.each([
    [
      'no income',
      { ApplicantIncome: '', ApplicantIncomePrimary: '', MonthlyGross: null, EstimatedIncome: '', ReportedIncome: '' },
    ],
    ['an income that is none', { ApplicantIncome: 'plenty', MonthlyGross: 'NaN', ReportedIncome: '-5' }],
  ])('an application with %s is refused or warned about, without a NaN anywhere', async (_, applicant) => {
    const { loanId } = (await post('loans', application(PRIME, { applicant }))).body;
    const answer = await post('start-underwriting', { loanId });
    expect([200, 422]).toContain(answer.status);
    const record = (await get(`loans/${loanId}`)).text.replaceAll('"NaN"', '');
    expect(withoutFiles(record)).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('an application without an income is not assessed, pulls no report, and says what is missing', async () => {
    const applicant = {
      ApplicantIncome: '',
      ApplicantIncomePrimary: '',
      MonthlyGross: null,
      EstimatedIncome: '',
      ReportedIncome: '',
    };
    const { loanId } = (await post('loans', application(PRIME, { applicant }))).body;
    const answer = await post('start-underwriting', { loanId });
    expect(answer.body.data).toMatchObject({
      loanStatus: 'UnderwritingStarted',
      assessed: false,
      missing: expect.any(String),
    });
    expect(await pulls(loanId)).toEqual([]);
    expect((await post('complete-underwriting', { loanId })).status).toBe(409);
    expect((await post('complete-underwriting', { loanId, approved: false })).body.data.decision).toBe('DECLINED');
  });

  test('a dry run pulls nothing', async () => {
    const { loanId } = (await post('loans', application(PRIME))).body;
    expect((await post('start-underwriting?dryRun=true', { loanId })).body.data).toMatchObject({ dryRun: true });
    expect(await pulls(loanId)).toEqual([]);
  });
});
