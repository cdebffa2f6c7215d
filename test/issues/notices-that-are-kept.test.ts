/**
 * A notice was once only computed: each call dated it anew, an accepted counter-offer still had one, and nobody could say what was told to whom.
 * It is made once for each person, kind and run, and kept.
 */
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

async function later(days: number): Promise<void> {
  service.clock.now += days * 86_400_000;
  token = await service.token();
}

const post = (path: string, body: object) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });
const get = (path: string, key?: string) =>
  service.call('GET', `/v2/chain/${path}`, { token, ...(key === undefined ? {} : { key }) });
const party = (name: string) => ({ name, address: '1 Main Street, Springfield', telephone: '555-0100' });
const PARTIES = { creditor: party('Harbor Auto Finance'), bureau: party('Example Credit Bureau') };
const notice = (loanId: string, more: object = {}) => post('adverse-action-notice', { loanId, ...PARTIES, ...more });

let applications = 0;
const [GOOD, BAD] = ['666-00-0001', '666-00-0005'];

async function applied(applicant: object = {}, co: object = {}, own: object = {}): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const { body, status, text } = await post('loans', {
    ...creation({ applicationId: `NK-${applications}`, loanAmount: '18,000', interestRate: '8.49', term: 60, ...own }),
    Request: {
      ...Request,
      ApplicantInfo: {
        ...Request.ApplicantInfo,
        ...{ MonthlyGross: 6_500, ApplicantSSN: GOOD, ApplicantState: 'OH', ...applicant },
      },
      CoApplicantInfo: { CoApplicantSSN: '', ...co },
      VehicleInfo: {
        ...Request.VehicleInfo,
        ...{ VehicleRetailValue: '24,000', VehicleWholesaleValue: '22,000', VehicleVIN: '' },
        ...{ VehicleAge: '2', VehicleYear: '2024', VehicleMileage: '21,000' },
      },
    },
  });
  expect(status, text).toBe(200);
  return body.loanId;
}
const start = (loanId: string, more: object = {}) => post('start-underwriting', { loanId, ...more });
const complete = (loanId: string, more: object = {}) => post('complete-underwriting', { loanId, ...more });

test('is dated once, and is the same byte for byte when it is asked for again; a later run has its own', async () => {
  const loanId = await applied({ ApplicantSSN: BAD });
  await start(loanId);
  const first = await notice(loanId);
  expect([first.status, first.body.data.date, first.body.data.run]).toEqual([200, '2026-01-15', 1]);
  expect(first.body.data.notice).toContain('Date: 2026-01-15');
  await later(9);
  expect((await complete(loanId, { approved: false })).status).toBe(200);
  const again = await notice(loanId, { creditor: party('Another') });
  expect(again.text).toBe(first.text);
  await start(loanId, { repull: true });
  const other = await notice(loanId);
  expect(other.body.data).toMatchObject({ date: '2026-01-24', run: 2 });
  expect(other.body.data.noticeId).not.toBe(first.body.data.noticeId);

  const listed = await get(`loans/${loanId}/notices`, service.credentials.apiKey);
  expect(listed.body.data.items).toEqual([first.body.data, other.body.data]);
  const { items } = (await get(`loans/${loanId}/notices`)).body.data;
  expect(items.map((one: { notice: null }) => one.notice)).toEqual([null, null]);
  const stored = await service.db.query<{ sealed: Uint8Array }>('SELECT sealed FROM notices');
  expect(stored.some(({ sealed }) => Buffer.from(sealed).includes('Harbor'))).toBe(false);
});

test('two calls at once make one', async () => {
  const loanId = await applied({ ApplicantSSN: BAD });
  await start(loanId);
  const [one, two] = await Promise.all([notice(loanId), notice(loanId)]);
  expect(two.text).toBe(one.text);
});

test('of a joint decline each person has their own, with their own score and reasons', async () => {
  const loanId = await applied({ ApplicantSSN: BAD }, { CoApplicantSSN: GOOD, MonthlyGross: 2_000 });
  await start(loanId);
  expect((await complete(loanId, { approved: false, reason: 'As assessed' })).status).toBe(200);
  const [own, their] = [await notice(loanId), await notice(loanId, { party: 'coApplicant' })];
  const scoreIn = ({ body }: typeof own) => /Your credit score: (\d+)/.exec(body.data.notice)?.[1];
  expect(Number(scoreIn(own))).toBeLessThan(Number(scoreIn(their)));
  expect(their.body.data.notice).toContain('- Credit file of another applicant on this application');
  expect((await get(`loans/${loanId}/notices`)).body.data.items).toMatchObject([
    { kind: 'adverseAction', party: 'applicant' },
    { kind: 'adverseAction', party: 'coApplicant' },
  ]);
});

test('of a counter-offer names its last day, and is not owed once it is accepted', async () => {
  const loanId = await applied({}, {}, { loanAmount: '31,000', principalAmount: '31,000' });
  await start(loanId);
  const { items } = (await get(`loans/${loanId}/deals`)).body.data;
  const offer = items.find((deal: { decision: string }) => deal.decision === 'APPROVED');
  expect([items[0].decision, offer === undefined]).toEqual(['DECLINED', false]);
  const offered = await notice(loanId);
  expect(offered.body.data.notice).toMatch(/please notify us by 20\d\d-\d\d-\d\d\./);
  expect((await complete(loanId, { approved: true, dealIndex: offer.dealIndex })).status).toBe(200);
  const { status, body } = await notice(loanId);
  expect([status, body.code]).toEqual([409, 'conflict']);
  expect(body.detail).toContain('offered instead, is approved');
});

describe('the applications that owe one', () => {
  const due = async (query = '') => (await get(`notices-due${query}`)).body.data;
  const listed = async (loanId: string) =>
    (await due('?limit=100')).items.find((one: { loanId: string }) => one.loanId === loanId);

  test('are listed by their day until everybody on them has theirs since the last run', async () => {
    const loanId = await applied({ ApplicantSSN: BAD }, { CoApplicantSSN: GOOD, MonthlyGross: 2_000 });
    expect(await listed(loanId)).toMatchObject({ owes: 'decision', daysLeft: 30 });
    await start(loanId);
    await complete(loanId, { approved: false, reason: 'As assessed' });
    await later(33);
    const owed = await listed(loanId);
    expect(owed).toMatchObject({ owes: 'adverseAction', loanStatus: 'Rejected', daysLeft: -3 });
    await notice(loanId);
    expect(await listed(loanId)).toMatchObject({ owes: 'adverseAction' });
    await notice(loanId, { party: 'coApplicant' });
    expect(await listed(loanId)).toBeUndefined();
    await start(loanId);
    await complete(loanId, { approved: false, reason: 'As assessed' });
    expect(await listed(loanId)).toMatchObject({ owes: 'adverseAction' });
  });

  test('are not those that were approved, that came decided, or that were told what is missing; pages follow each other', async () => {
    const approved = await applied();
    await start(approved);
    await complete(approved, { approved: true, reason: 'Known to us' });
    const { body: boarded } = await post('loans', creation());
    const incomplete = await applied();
    await notice(incomplete, { kind: 'incompleteApplication', missing: ['Proof of residence'] });
    for (const loanId of [approved, boarded.loanId, incomplete]) expect(await listed(loanId)).toBeUndefined();
    await applied();
    await applied();
    const all = (await due('?limit=100')).items;
    expect(all.length).toBeGreaterThan(1);
    const first = await due('?limit=1');
    const second = await due(`?limit=100&cursor=${encodeURIComponent(first.nextCursor)}`);
    expect([...first.items, ...second.items]).toEqual(all);
    expect((await get('notices-due?cursor=x')).status).toBe(422);
  });
});

describe('the other kinds', () => {
  test('a notice of incompleteness names what is missing, and the day by which it is needed', async () => {
    const nothing = { ApplicantIncome: '', ApplicantIncomePrimary: '', EstimatedIncome: '', ReportedIncome: '' };
    const loanId = await applied({ MonthlyGross: '', OtherIncomeAmount: '', ...nothing });
    const kind = 'incompleteApplication';
    const { body } = await notice(loanId, { kind });
    expect(body.data).toMatchObject({ kind, run: 0 });
    expect(body.data.notice).toContain('- Your income, and proof of it');
    expect(body.data.notice).toMatch(/by 20\d\d-\d\d-\d\d, at the address above/);
    const whole = await applied();
    const unsaid = await notice(whole, { kind });
    expect([unsaid.status, unsaid.body.errors[0].pointer]).toEqual([422, '/missing']);
    const wrong = await notice(whole, { kind, missing: ['Proof of residence'], respondBy: '2025-01-01' });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/respondBy']);
    const said = await notice(whole, { kind, missing: ['Proof of residence'], respondBy: '2026-04-01' });
    expect(said.body.data.notice).toContain(
      '- Proof of residence\n\nWe need to receive this information by 2026-04-01',
    );
  });

  test('a score disclosure is for whoever is approved on a report', async () => {
    const kind = 'scoreDisclosure';
    const loanId = await applied();
    expect((await notice(loanId, { kind })).status).toBe(409);
    await start(loanId);
    await complete(loanId);
    const { body } = await notice(loanId, { kind, scoreRank: 71 });
    expect(body.data.notice).toMatch(
      /Your credit score: \d{3}\. Date: 20\d\d-\d\d-\d\d\. Source: Example Credit Bureau/,
    );
    expect(body.data.notice).toContain('Scores range from a low of 300 to a high of 850.');
    expect(body.data.notice).toContain('higher than 71 percent');
    const bad = await applied({ ApplicantSSN: BAD });
    await start(bad);
    await complete(bad);
    expect((await notice(bad, { kind })).body.code).toBe('conflict');
  });
});
