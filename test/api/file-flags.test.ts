/** Flags of the bureau on a file, from the application to the decision, with the simulator's test people. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationBody } from '../../src/demo/application.ts';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const post = (path: string, body: unknown) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });
const get = (path: string) => service.call('GET', `/v2/chain/${path}`, { token, key: service.credentials.apiKey });

const CLEAN = '666-00-0002';
let applications = 0;

/** An application that is approved for a person with good credit. */
async function started(ssn: string, coApplicantSsn = ''): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const income = { MonthlyGross: 12_000, HousingMonthlyPayment: '900', OtherIncomeAmount: null };
  const created = await post('loans', {
    applicationId: `FF-${applications}`,
    ...{ borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan', loanAmount: '18,000', principalAmount: '17,000' },
    ...{ interestRate: '8.49', term: 60 },
    Request: {
      ...Request,
      // A home of their own for each: two people of one would be a sign.
      ApplicantInfo: { ...Request.ApplicantInfo, ...income, ...homeOf(applications), ApplicantSSN: ssn },
      CoApplicantInfo: { CoApplicantSSN: coApplicantSsn },
      VehicleInfo: {
        ...Request.VehicleInfo,
        ...{ VehicleRetailValue: '24,000', VehicleWholesaleValue: '22,000', VehicleVIN: '' },
        ...{ VehicleAge: '2', VehicleYear: '2024', VehicleMileage: '21,000' },
      },
    },
  });
  expect(created.status, created.text).toBe(200);
  const { loanId } = created.body;
  const answer = await post('start-underwriting', { loanId });
  expect(answer.status, answer.text).toBe(200);
  // The number in an alert is only where personal data is asked for.
  expect(answer.text).not.toContain('202-555-01');
  return loanId;
}

const homeOf = (n: number) => ({ HomePhone: '', ApplicantAddress: `${100 + n} Elm Street`, ApplicantZip: '43215' });

type Decided = { decision: string; reason: string; stipulations: string[]; warnings: string };

async function decided(loanId: string): Promise<Decided> {
  const { Response, Underwriting } = (await get(`loans/${loanId}`)).body.data;
  const [asked] = Underwriting.UnderwritingInfo;
  return {
    decision: Response.Decision,
    reason: Response.DeclineReason,
    stipulations: Response.Stipulations,
    warnings: asked.AllWarnings,
  };
}

/** Words that the public record may not contain. */
const FLAGS = /frozen|freeze|deceased|alert|discrepancy|address differs|social security|identity|202-555-01|6660000/i;

async function publicRecordIsSilent(loanId: string): Promise<void> {
  const shown = await get(`loan-data/${loanId}`);
  expect(shown.status).toBe(200);
  expect(shown.text).toContain('DealTermsInfo');
  expect(shown.text).not.toMatch(FLAGS);
}

test('a clean file is approved without any of it', async () => {
  const loanId = await started(CLEAN);
  const { decision, stipulations, warnings } = await decided(loanId);
  expect(decision).toBe('APPROVED');
  expect(`${stipulations.join()} ${warnings}`).not.toMatch(FLAGS);
});

describe('declined, for this reason alone', () => {
  test.each([
    ['a frozen file', '666-00-0012', 'Credit file is not available because of a security freeze', /is frozen: start/],
    ['the number of another person', '666-00-0013', 'Unable to verify identity', /does not match the credit file/],
    ['a person reported as deceased', '666-00-0014', 'Unable to verify identity', /reports the applicant as deceased/],
  ])('%s', async (_, ssn, reason, warning) => {
    const loanId = await started(ssn);
    const found = await decided(loanId);
    expect(found).toMatchObject({ decision: 'DECLINED', reason, stipulations: [] });
    expect(found.warnings).toMatch(warning);
    await publicRecordIsSilent(loanId);
    const party = (name: string) => ({ name, address: '1 Main Street', telephone: '555-0100' });
    const asked = { loanId, creditor: party('Harbor Auto Finance'), bureau: party('Example Bureau') };
    const { notice } = (await post('adverse-action-notice', asked)).body.data;
    expect(notice).toContain(`Principal reasons:\n- ${reason}\n\n`);
    expect(notice).not.toContain('Your credit score');
  });

  test('a frozen file of the co-applicant', async () => {
    const found = await decided(await started(CLEAN, '666-00-0012'));
    expect(found).toMatchObject({
      ...{ decision: 'DECLINED', reason: 'Credit file is not available because of a security freeze' },
      warnings: expect.stringContaining('The co-applicant’s credit file is frozen'),
    });
  });

  test('a frozen file can be assessed again, which pulls a new report', async () => {
    const loanId = await started('666-00-0012');
    expect((await post('start-underwriting', { loanId })).status).toBe(200);
    const pulls = await service.db.query(
      `SELECT run FROM bureau_pulls WHERE loan_id = $1 AND role = 'primary' ORDER BY run`,
      [`\\x${loanId.slice(2)}`],
    );
    expect(pulls).toEqual([{ run: 1 }, { run: 2 }]);
  });
});

describe('approved, with a stipulation', () => {
  const ALERT = 'on the applicant’s credit file, to be resolved before credit is granted:';
  test.each([
    ['another address', '666-00-0015', 'Proof of residence', /address differs/],
    [
      ...(['an initial alert', '666-00-0016'] as const),
      `Fraud alert ${ALERT} call the applicant at 202-555-0116, or verify the applicant’s identity`,
      /Fraud alert on the applicant/,
    ],
    [
      ...(['an extended alert', '666-00-0017'] as const),
      `Extended fraud alert ${ALERT} confirm the application with the applicant in person or by telephone at 202-555-0117`,
      /Extended fraud alert on the applicant/,
    ],
    [
      ...(['an active-duty alert', '666-00-0018'] as const),
      `Active-duty alert ${ALERT} verify the applicant’s identity`,
      /Active-duty alert on the applicant/,
    ],
    ['a partial match', '666-00-0019', 'Proof of the social security number', /only in part/],
  ])('%s', async (_, ssn, stipulation, warning) => {
    const loanId = await started(ssn);
    const found = await decided(loanId);
    expect(found).toMatchObject({ decision: 'APPROVED', reason: '' });
    expect(found.stipulations).toContain(stipulation);
    expect(found.warnings).toMatch(warning);
    await publicRecordIsSilent(loanId);
    const answers = [await get(`loans/${loanId}/deals`), await get(`loans/${loanId}/timeline`), await get('loans')];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain('202-555-01');
    }
  });

  test('an alert on the co-applicant’s file is stated, too', async () => {
    const { decision, stipulations } = await decided(await started(CLEAN, '666-00-0017'));
    expect(decision).toBe('APPROVED');
    expect(stipulations[0]).toMatch(/^Extended fraud alert on the co-applicant’s credit file.* at 202-555-0117$/);
  });
});

test('no log line says any of it', async () => {
  await started('666-00-0017');
  expect(service.logged.length).toBeGreaterThan(0);
  expect(service.logged.filter((line) => FLAGS.test(line))).toEqual([]);
});

test('the same file with another score: the higher one is approved, and only the score differs', async () => {
  const [low, high] = [await started('666-51-0520'), await started('666-51-0760')];
  expect([(await decided(low)).decision, (await decided(high)).decision]).toEqual(['DECLINED', 'APPROVED']);
  const credit = async (loanId: string) => (await get(`loans/${loanId}`)).body.data.Underwriting;
  const [one, other] = [await credit(low), await credit(high)];
  expect(one.PrimaryCreditBureauTradeLines).toBe(other.PrimaryCreditBureauTradeLines);
  const { CreditScore, TrackingTransactionTimeStamp: _, ...figures } = one.PrimaryCreditInfo;
  expect(CreditScore).toBe('520');
  expect(other.PrimaryCreditInfo).toMatchObject({ ...figures, CreditScore: '760' });
});
