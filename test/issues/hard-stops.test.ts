/** Facts that no approval passes over: of a person, of the file, of the state's cap. Whoever approves, with whatever reason, of whichever deal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationBody } from '../../src/demo/application.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const post = (path: string, body: object) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });

let applications = 0;
type More = { applicant?: object; co?: object; own?: object };
const GOOD = '666-00-0001';

async function started(more: More): Promise<{ loanId: string; text: string }> {
  const loanId = await applied(more);
  const begun = await post('start-underwriting', { loanId });
  expect(begun.status, begun.text).toBe(200);
  return { loanId, text: begun.text };
}

async function applied({ applicant = {}, co = {}, own = {} }: More): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const { body } = await post('loans', {
    ...creation({ applicationId: `HS-${applications}`, loanAmount: '18,000', interestRate: '8.49', term: 60, ...own }),
    Request: {
      ...Request,
      ApplicantInfo: {
        ...Request.ApplicantInfo,
        MonthlyGross: 6_500,
        ApplicantSSN: GOOD,
        ApplicantState: 'NY',
        ...applicant,
      },
      CoApplicantInfo: { CoApplicantSSN: '', ...co },
    },
  });
  return body.loanId;
}

const approve = (loanId: string, more: object = {}) =>
  post('complete-underwriting', { loanId, approved: true, reason: 'Known to us for years', ...more });

async function expectStopped(loanId: string, stops: readonly string[], more: object = {}): Promise<void> {
  const { status, body } = await approve(loanId, more);
  expect([status, body.code, body.hardStops]).toEqual([409, 'hard_stop', stops]);
  const dry = await post('complete-underwriting?dryRun=true', { loanId, approved: true, reason: 'x', ...more });
  expect([dry.status, dry.body.hardStops]).toEqual([409, stops]);
}

const born = (years: number) => new Date(Date.now() - years * 365.25 * 86_400_000).toISOString().slice(0, 10);
const MINOR = { ApplicantDOB: born(17) };
const WITHOUT_INCOME = {
  MonthlyGross: '',
  ApplicantIncome: '',
  ApplicantIncomePrimary: '',
  EstimatedIncome: '',
  ReportedIncome: '',
  OtherIncomeAmount: '',
};
const LISTED = '666-00-0020';
const LISTED_CO = {
  CoApplicantSSN: '666-00-0002',
  CoApplicantFirstName: 'Odette',
  CoApplicantLastName: 'Thistlevane',
  CoApplicantDOB: '1975-09-30',
  CoApplicantState: 'OH',
  MonthlyGross: 2_000,
};

describe('cannot be approved, of no deal, and can be declined', () => {
  test.each<[string, string, More]>([
    ['a deceased applicant', 'deceased', { applicant: { ApplicantSSN: '666-00-0014' } }],
    ['a frozen file', 'frozen', { applicant: { ApplicantSSN: '666-00-0012' } }],
    ['a number of another person', 'identity', { applicant: { ApplicantSSN: '666-00-0013' } }],
    ['a frozen file of the co-applicant', 'frozen', { co: { CoApplicantSSN: '666-00-0012' } }],
    ['a person on a sanctions list', 'sanctions', { applicant: { ApplicantSSN: LISTED } }],
    ['a co-applicant who is on it by name and date of birth', 'sanctions', { co: LISTED_CO }],
    ['a minor', 'minor', { applicant: MINOR }],
    ['someone of eighteen in Alabama', 'minor', { applicant: { ApplicantDOB: born(18.5), ApplicantState: 'AL' } }],
    ['an application without a person', 'noPerson', { applicant: { ApplicantSSN: '' } }],
    ['one without a state', 'rateCap', { applicant: { ApplicantState: '' } }],
    ['a co-applicant without a state', 'rateCap', { co: { CoApplicantSSN: '666-00-0002', CoApplicantCity: 'Albany' } }],
    ['a rate above the cap of the state', 'rateCap', { own: { interestRate: '16.01' } }],
    [
      'the same where income is missing, so that nothing is assessed',
      'rateCap',
      {
        applicant: WITHOUT_INCOME,
        own: { interestRate: '16.01' },
      },
    ],
    [
      'the same for the state of the co-applicant',
      'rateCap',
      {
        applicant: { ...WITHOUT_INCOME, ApplicantState: 'OH' },
        co: { CoApplicantSSN: '666-00-0002', CoApplicantState: 'NY' },
        own: { interestRate: '16.01' },
      },
    ],
  ])('%s', async (_, stop, more) => {
    const { loanId } = await started(more);
    await expectStopped(loanId, [stop]);
    if (stop !== 'noPerson' && !('MonthlyGross' in (more.applicant ?? {}))) {
      const key = service.credentials.apiKey;
      const { body } = await service.call('GET', `/v2/chain/loans/${loanId}`, { token, key });
      expect(body.data.Response.hardStops).toEqual([stop]);
    }
    // Another deal has another rate, but the same people.
    if (stop !== 'rateCap' && stop !== 'noPerson') await expectStopped(loanId, [stop], { dealIndex: 7 });
    const declined = await post('complete-underwriting', { loanId, approved: false, reason: 'As it is' });
    expect([declined.status, declined.body.data?.decision]).toEqual([200, 'DECLINED']);
  });
});

test('a deal within the cap is approved where the rate that was asked for is above it', async () => {
  const { loanId } = await started({ own: { interestRate: '16.01' } });
  const { body } = await service.call('GET', `/v2/chain/loans/${loanId}/deals`, { token });
  const other = body.data.items.find(({ decision }: { decision: string }) => decision === 'APPROVED');
  expect((await approve(loanId, { dealIndex: other.dealIndex })).status).toBe(200);
});

test('several are named at once, and an ordinary decline is overridden as before', async () => {
  const both = await started({ applicant: { ApplicantSSN: '666-00-0014', ApplicantState: '' } });
  await expectStopped(both.loanId, ['deceased', 'rateCap']);
  const { loanId } = await started({ applicant: { ApplicantSSN: '666-00-0005' } });
  expect((await approve(loanId, { reason: '' })).status).toBe(422);
  expect((await approve(loanId, { reasonCode: 'relationship' })).status).toBe(200);
});

test('a loan that was decided elsewhere, or came without an application, has none', async () => {
  const { body } = await post('loans', creation({ interestRate: '29.5' }));
  expect((await post('start-underwriting', { loanId: body.loanId })).status).toBe(200);
  expect((await approve(body.loanId)).status).toBe(200);
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  const handed = await post('loans', {
    ...creation({ interestRate: '29.5' }),
    Request,
    Response: { Decision: 'APPROVED' },
  });
  expect((await post('start-underwriting', { loanId: handed.body.loanId })).status).toBe(200);
  expect((await post('complete-underwriting', { loanId: handed.body.loanId })).status).toBe(200);
});

describe('the screening against sanctions lists', () => {
  const party = (name: string) => ({ name, address: '1 Main Street', telephone: '555 0100' });
  const notice = async (loanId: string) =>
    (await post('adverse-action-notice', { loanId, creditor: party('Harbor'), bureau: party('Bureau') })).body.data
      .notice;
  const asked = (loanId: string) =>
    service.db.query<{ run: number; role: string }>(
      `SELECT run, regexp_replace(role, ':[0-9:-]+:', ':') AS role FROM bureau_pulls WHERE loan_id = $1 ORDER BY run, 2`,
      [`\\x${loanId.slice(2)}`],
    );

  test('a match is told to the loan officer alone, and a corrected name ends it', async () => {
    const { loanId, text } = await started({
      applicant: { ApplicantFirstName: 'Ivo', ApplicantLastName: 'Quarrelstone', ApplicantDOB: '1988-12-05' },
    });
    const refused = await approve(loanId, { reasonCode: 'verifiedElsewhere' });
    expect(refused.body.hardStops).toEqual(['sanctions']);
    const full = await service.call('GET', `/v2/chain/loans/${loanId}`, { token, key: service.credentials.apiKey });
    const [info] = full.body.data.Underwriting.UnderwritingInfo;
    expect(info.AllWarnings).toContain(
      'The applicant matches an entry of a sanctions list (Simulated sanctions list, SIM-1003)',
    );
    expect(info.DecisionReason).toContain('Unable to verify identity');
    const history = await service.call('GET', `/v2/chain/loans/${loanId}/history`, { token });
    expect(history.status).toBe(200);
    const stored = await service.db.query('SELECT file FROM assessments', []);
    for (const seen of [text, refused.text, history.text, JSON.stringify(stored), service.logged.join('')]) {
      expect(seen).not.toMatch(/SIM-1003|Simulated sanctions/);
    }
    const written = await notice(loanId);
    expect(written).toContain('- Unable to verify identity\n');
    expect(written).not.toMatch(/sanction|SIM-|Your credit score/i);
    const changes = { lastName: 'Quarrelson' };
    expect((await post('update-party', { loanId, party: 'applicant', changes, reason: 'Misspelt' })).status).toBe(200);
    expect((await post('start-underwriting', { loanId })).status).toBe(200);
    expect((await approve(loanId)).status).toBe(200);
  });

  test('each person’s notice says the same of a match of either', async () => {
    const { loanId } = await started({ co: LISTED_CO });
    expect(await notice(loanId)).toContain('Principal reasons:\n- Unable to verify identity\n\n');
  });

  test('a new run on earlier reports screens anew, and a retry does not', async () => {
    const { loanId } = await started({});
    expect((await post('start-underwriting', { loanId })).status).toBe(200);
    const [pull, first] = [
      { run: 1, role: 'primary' },
      { run: 1, role: 'screening:primary' },
    ];
    expect(await asked(loanId)).toEqual([pull, first, { run: 2, role: 'screening:primary' }]);
  });

  test('no answer is a refusal in which nothing changes; the report that was pulled is kept', async () => {
    const loanId = await applied({ applicant: { ApplicantSSN: '666-00-0021' } });
    for (let i = 0; i < 2; i++) {
      const { status, body } = await post('start-underwriting', { loanId });
      expect([status, body.detail]).toEqual([503, expect.stringContaining('The screening service gave no answer')]);
    }
    expect(await asked(loanId)).toEqual([
      { run: 1, role: 'primary' },
      { run: 1, role: 'screening:primary' },
    ]);
  });

  test('an application that could not be assessed is screened when it is approved', async () => {
    const { loanId } = await started({ applicant: { ...WITHOUT_INCOME, ApplicantSSN: LISTED } });
    const { status, body } = await approve(loanId, { reasonCode: 'notAssessed' });
    expect([status, body.code, body.hardStops]).toEqual([409, 'hard_stop', ['sanctions']]);
    const clear = await started({ applicant: WITHOUT_INCOME });
    expect((await approve(clear.loanId, { reasonCode: 'notAssessed' })).status).toBe(200);
  });
});
