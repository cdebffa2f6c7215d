/**
 * A loan whose applicant had a fraud alert was once funded as any other: stipulations were texts. They are objects now; what the law asks for comes
 * before funding, and nobody waives it.
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

const post = (path: string, body: object) =>
  service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });

async function tokenOf({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Promise<string> {
  const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
  return body.data.token;
}

let applications = 0;
const GOOD = '666-00-0001';
const ALERT = '666-00-0016';

async function approved(applicant: object = {}, co: object = {}): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const { body, status, text } = await post('loans', {
    ...creation({ applicationId: `ST-${applications}`, loanAmount: '18,000', interestRate: '8.49', term: 60 }),
    Request: {
      ...Request,
      ApplicantInfo: {
        ...Request.ApplicantInfo,
        MonthlyGross: 6_500,
        ApplicantSSN: GOOD,
        ApplicantState: 'OH',
        ...applicant,
      },
      CoApplicantInfo: { CoApplicantSSN: '', ...co },
    },
  });
  expect(status, text).toBe(200);
  const { loanId } = body;
  await decided(loanId);
  return loanId;
}

async function decided(loanId: string): Promise<void> {
  expect((await post('start-underwriting', { loanId })).status).toBe(200);
  const { status, text } = await post('complete-underwriting', {
    loanId,
    approved: true,
    reason: 'Known to us',
    reasonCode: 'relationship',
  });
  expect(status, text).toBe(200);
}

type Item = {
  stipulationId: string;
  kind: string;
  person: string;
  state: string;
  beforeFunding: boolean;
  waivedBy: string;
};

async function listed(loanId: string, as = token): Promise<Item[]> {
  const { body, status, text } = await service.call('GET', `/v2/chain/loans/${loanId}/stipulations`, { token: as });
  expect(status, text).toBe(200);
  return body.data.items;
}

async function only(loanId: string, kind: string): Promise<Item> {
  const found = (await listed(loanId)).filter((one) => one.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] as Item;
}

const update = (loanId: string, stipulationId: string, state: string, more: object = {}) =>
  post('update-stipulation', { loanId, stipulationId, state, ...more });
const fund = (loanId: string) => post('fund-loan', { loanId });

async function expectOpen(loanId: string, ids: readonly string[]): Promise<void> {
  for (const path of ['fund-loan', 'initiate-repayment', 'fund-loan?dryRun=true', 'disburse-loan']) {
    const { status, body } = await post(path, { loanId });
    expect([path, status, body.code, body.stipulations]).toEqual([path, 409, 'stipulations_open', ids]);
  }
}

describe('funding with a fraud alert open', () => {
  test('is refused by every path until the contact is verified, which nobody may waive', async () => {
    const loanId = await approved({ ApplicantSSN: ALERT });
    const alert = await only(loanId, 'fraudAlert');
    expect(alert).toMatchObject({ person: 'applicant', state: 'open', beforeFunding: true, waivedBy: 'nobody' });
    await expectOpen(loanId, [alert.stipulationId]);
    const waived = await update(loanId, alert.stipulationId, 'waived', { reason: 'We know her' });
    expect([waived.status, waived.body.code]).toEqual([409, 'not_waivable']);
    expect((await update(loanId, alert.stipulationId, 'received')).status).toBe(200);
    await expectOpen(loanId, [alert.stipulationId]);
    expect((await update(loanId, alert.stipulationId, 'verified')).status).toBe(422);
    expect((await update(loanId, alert.stipulationId, 'verified', { evidence: 'Call of today, Zzyzx' })).status).toBe(
      200,
    );
    expect((await only(loanId, 'fraudAlert')).state).toBe('verified');
    expect((await fund(loanId)).status).toBe(200);
  });

  test.each([
    ['a co-applicant’s', 'fraudAlert', 'coApplicant', {}, { CoApplicantSSN: ALERT }],
    ['an active-duty alert', 'activeDutyAlert', 'applicant', { ApplicantSSN: '666-00-0018' }, {}],
    ['a number that matches in part', 'identity', 'applicant', { ApplicantSSN: '666-00-0019' }, {}],
  ] as const)('%s counts, too', async (_, kind, person, applicant, co) => {
    const loanId = await approved(applicant, co);
    const found = await only(loanId, kind);
    expect(found).toMatchObject({ person, beforeFunding: true, waivedBy: 'nobody' });
    await expectOpen(loanId, [found.stipulationId]);
  });

  test('what is verified can be undone until the loan is funded, and is open again then', async () => {
    const loanId = await approved({ ApplicantSSN: ALERT });
    const { stipulationId } = await only(loanId, 'fraudAlert');
    const { body } = await update(loanId, stipulationId, 'verified', { evidence: 'A call' });
    const undone = await post('undo', { loanId, transactionHash: body.data.transactionHash, reason: 'Another person' });
    expect(undone.status, undone.text).toBe(200);
    await expectOpen(loanId, [stipulationId]);
  });
});

describe('other stipulations', () => {
  test('hold nothing up by the default policy, and are waived with a reason by who may', async () => {
    const loanId = await approved();
    const { stipulationId, state, beforeFunding } = await only(loanId, 'insurance');
    expect([state, beforeFunding]).toEqual(['open', false]);
    expect((await update(loanId, stipulationId, 'waived')).status).toBe(422);
    const officer = await service.token(['underwriting:write', 'loans:read']);
    const body = { loanId, stipulationId, state: 'waived', reason: 'Paid in cash' };
    const refused = await service.call('POST', '/v2/chain/update-stipulation', { token: officer, body });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    expect((await update(loanId, stipulationId, 'waived', { reason: 'Bound today' })).status).toBe(200);
    const again = await update(loanId, stipulationId, 'received');
    expect(again.status).toBe(422);
    const contract = await only(loanId, 'signedContract');
    expect((await update(loanId, contract.stipulationId, 'waived', { reason: 'x' })).body.code).toBe('not_waivable');
    expect((await update(loanId, 'insurance-none', 'received')).body.code).toBe('not_found');
    expect((await fund(loanId)).status).toBe(200);
  });

  test('stay verified in a new run on the same facts, and nothing of them is in the events', async () => {
    const loanId = await approved({ ApplicantSSN: ALERT });
    const before = await only(loanId, 'fraudAlert');
    await update(loanId, before.stipulationId, 'verified', { evidence: 'Zzyzx call' });
    await decided(loanId);
    expect(await only(loanId, 'fraudAlert')).toMatchObject({ stipulationId: before.stipulationId, state: 'verified' });
    const { text } = await service.call('GET', `/v2/chain/loans/${loanId}/timeline`, { token });
    expect(text).toContain(before.stipulationId);
    expect(text).not.toMatch(/Zzyzx|fraudAlert/);
    expect((await fund(loanId)).status).toBe(200);
  });

  test('a loan that was decided elsewhere has none; another organization sees no loan', async () => {
    const { body } = await post('loans', creation({}));
    expect(await listed(body.loanId)).toEqual([]);
    const { organizationId } = await service.access.createOrganization('Other Lender');
    const client = await service.access.createClient(organizationId, { name: 'other', scopes: ['loans:read'] });
    const other = await tokenOf(client);
    const read = await service.call('GET', `/v2/chain/loans/${body.loanId}/stipulations`, { token: other });
    expect(read.status).toBe(404);
  });
});
