/** Approvals against the assessment: with a reason code, within an authority, apart from ordinary completions; the rules that were overridden. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cents } from '../../src/core/money.ts';
import type { OverrideAuthority } from '../../src/core/overrides.ts';
import { applicationBody } from '../../src/demo/application.ts';
import { type Approving, approving, type Someone } from '../support/approvals.ts';
import { creation } from '../support/statuses.ts';

let all: Approving;
let robot: Someone;
beforeAll(async () => {
  all = await approving();
  robot = await all.program();
});
afterAll(() => all.service.close());

const BAD_PAYER = '666-00-0005';
const GOOD = '666-00-0001';
const INCOMES = ['MonthlyGross', 'ApplicantIncome', 'ApplicantIncomePrimary', 'EstimatedIncome', 'ReportedIncome'];
const WITHOUT_INCOME = {
  ApplicantSSN: GOOD,
  ...Object.fromEntries([...INCOMES, 'OtherIncomeAmount'].map((name) => [name, ''])),
};
const AGAINST = { approved: true, reason: 'Worked off by now', reasonCode: 'documentedError' };

let applications = 0;
async function started(applicant: object, more: object = {}): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const { loanId } = (
    await all.done(
      robot.post('loans', {
        ...creation({ applicationId: `OV-${applications}`, loanAmount: '18,000', interestRate: '8.49', term: 60 }),
        Request: {
          ...Request,
          ApplicantInfo: { ...Request.ApplicantInfo, MonthlyGross: 6_500, ApplicantState: 'FL', ...applicant },
          CoApplicantInfo: { CoApplicantSSN: '' },
        },
        ...more,
      }),
    )
  ).data;
  await all.done(robot.post('start-underwriting', { loanId }));
  return loanId;
}
const declined = () => started({ ApplicantSSN: BAD_PAYER });

const decide = (who: Someone, loanId: string, more: object = AGAINST) =>
  who.post('complete-underwriting', { loanId, ...more });
const problem = async (answered: ReturnType<Someone['post']>, expected: [number, string]) => {
  const { status, body, text } = await answered;
  expect([status, body.code], text).toEqual(expected);
  return body;
};

describe('an override', () => {
  test('needs a reason, and has a code from the list; without a reason nothing changes', async () => {
    const loanId = await declined();
    for (const reasonCode of ['because', 'notAssessed']) {
      await problem(decide(robot, loanId, { ...AGAINST, reasonCode }), [422, 'invalid_request']);
    }
    const bare = await problem(decide(robot, loanId, { ...AGAINST, reason: '' }), [422, 'invalid_request']);
    expect(bare.errors[0].pointer).toBe('/reason');
    const dry = await all.done(robot.post('complete-underwriting?dryRun=true', { loanId, ...AGAINST }));
    expect(dry.data).toMatchObject({ approval: false, override: { reasonCode: 'documentedError' } });
    const { data } = await all.done(decide(robot, loanId));
    expect(data).toMatchObject({ loanStatus: 'Approved', decision: 'APPROVED' });
    expect(data.override).toEqual({ reasonCode: 'documentedError', assessedAt: expect.stringMatching(/^2026-01-15T/) });
  });

  test('is recorded with its code, and with the rules for those alone who may see personal data', async () => {
    const loanId = await declined();
    await all.done(decide(robot, loanId));
    const { service } = all;
    const token = await service.token();
    const decisionIn = ({ body }: { body: { data: { items: { type: string; decision: object }[] } } }) =>
      body.data.items.find(({ type }) => type === 'approved')?.decision;
    const path = `/v2/chain/loans/${loanId}`;
    const seen = await service.call('GET', `${path}/timeline`, { token, key: service.credentials.apiKey });
    const rules = (decisionIn(seen) as { overrode: string[] }).overrode;
    expect(rules).toContain('minimum-score');
    const recorded = { by: 'officer', dealIndex: 0, assessment: 'DECLINED', reasonCode: 'documentedError' };
    expect(decisionIn(seen)).toEqual({ ...recorded, overrode: rules });
    expect(decisionIn(await robot.get(`loans/${loanId}/timeline`))).toEqual({ ...recorded, overrode: null });
    const full = await service.call('GET', path, { token, key: service.credentials.apiKey });
    const why = full.body.data.loanDetails.lendingDecisionReason;
    expect(why).toMatch(/^Approved by a loan officer against the assessment \(an error in the credit file/);
    for (const rule of rules) expect(why).toContain(`rule ${rule}`);
    await all.done(service.call('POST', '/v2/chain/publish', { token, body: { loanId, published: true } }));
    const open = await service.call('GET', `/v2/chain/loan-data/${loanId}`, { token });
    const events = await service.call('GET', '/v2/chain/events?limit=100', { token });
    expect([open.status, events.status]).toEqual([200, 200]);
    expect(`${open.text}${events.text}`).not.toContain('minimum-score');
  });

  test('is of the deal that is chosen', async () => {
    const loanId = await declined();
    const other = 7;
    const bare = { approved: true, dealIndex: other };
    expect((await problem(decide(robot, loanId, bare), [422, 'invalid_request'])).errors[0].pointer).toBe('/reason');
    const { data } = await all.done(decide(robot, loanId, { ...bare, reason: 'Asked for' }));
    expect(data.override.reasonCode).toBe('other');
  });

  test('is also the approval of an application that could not be assessed; none of what was boarded', async () => {
    const loanId = await started(WITHOUT_INCOME);
    const { data } = await all.done(decide(robot, loanId, { approved: true }));
    expect(data.override).toEqual({ reasonCode: 'notAssessed', assessedAt: null });
    const other = await started(WITHOUT_INCOME);
    const { data: said } = await all.done(decide(robot, other));
    expect(said.override).toEqual({ reasonCode: 'documentedError', assessedAt: null });
    const boarded = await started({ ApplicantSSN: GOOD }, { Response: { Decision: 'DECLINED' } });
    await all.done(decide(robot, boarded, { approved: true, reason: 'Decided elsewhere' }));
  });

  test('is no decline of what is approved', async () => {
    const loanId = await started({ ApplicantSSN: GOOD });
    const { data } = await all.done(decide(robot, loanId, { approved: false, reason: 'Moved away' }));
    expect([data.decision, data.override]).toEqual(['DECLINED', undefined]);
  });
});

describe('beyond the authority of a role', () => {
  const ANY: OverrideAuthority = { amount: null, grades: null, rules: null };
  const officer = (name: string, more: Partial<OverrideAuthority>) =>
    all.person(name, { override: { ...ANY, ...more } });

  test.each<[string, Partial<OverrideAuthority>, RegExp]>([
    ['the amount', { amount: cents(17_999_99) }, /18000\.00 is above 17999\.99/],
    ['the grade', { grades: ['A', 'B'] }, /the grade [C-F] is not among those allowed \(A, B\)/],
    ['a rule', { rules: ['maximum-dti'] }, /not allowed to be overridden: .*minimum-score/],
  ])('%s: it waits for somebody with a wider one', async (name, authority, names) => {
    const loanId = await declined();
    const clerk = await officer(`clerk-${name}`, authority);
    const dry = await all.done(clerk.post('complete-underwriting?dryRun=true', { loanId, ...AGAINST }));
    expect(dry.data.approval).toBe(true);
    const { data } = await all.done(decide(clerk, loanId), 202);
    const same = await officer(`other-${name}`, authority);
    const refused = await problem(same.post('approve', { approvalId: data.approvalId, reason: 'Fine' }), [
      403,
      'above_limit',
    ]);
    expect(refused.detail).toMatch(names);
    const chief = await officer(`chief-${name}`, { amount: cents(18_000_00) });
    await all.done(chief.post('approve', { approvalId: data.approvalId, reason: 'Fine' }));
    const { body } = await robot.get(`loans/${loanId}/summary`);
    expect(body.data.loanStatus).toBe('Approved');
  });

  test('a fact that is left out, so that nothing is assessed, is no way around it', async () => {
    const clerk = await officer('clerk-unassessed', { rules: ['maximum-dti'] });
    await all.done(decide(clerk, await started(WITHOUT_INCOME), { approved: true }), 202);
  });

  test('within it, and where nothing is overridden, nothing waits', async () => {
    const clerk = await officer('within', { amount: cents(18_000_00), grades: ['C', 'D', 'E', 'F'] });
    await all.done(decide(clerk, await declined()));
    await all.done(decide(clerk, await started({ ApplicantSSN: GOOD }), {}));
    await all.done(decide(clerk, await declined(), {}));
  });
});

describe('under an approval of its own', () => {
  beforeAll(() => all.policy({ approvals: { override: true } }));
  afterAll(() => all.policy({}));

  test('it waits, by whatever way, while ordinary completions pass', async () => {
    const loanId = await declined();
    const alice = await all.person('alice');
    await all.done(decide(alice, await started({ ApplicantSSN: GOOD }), { approved: true, reason: 'As assessed' }));
    const declines = await all.done(decide(alice, loanId, {}));
    expect(declines.data.decision).toBe('DECLINED');
    const undo = { loanId, transactionHash: declines.transactionHash, reason: 'Look again' };
    await all.done(alice.post('undo', undo));
    for (const who of [alice, robot]) {
      await all.done(decide(who, loanId, { ...AGAINST, dealIndex: 7 }), 202);
      await all.done(decide(who, loanId), 202);
    }
  });

  test('an approval covers the run that its request has shown, and no later one', async () => {
    const loanId = await declined();
    const [alice, bob] = [await all.person('alice'), await all.person('bob')];
    const { data } = await all.done(decide(alice, loanId), 202);
    expect(data.preview.override.reasonCode).toBe('documentedError');
    all.service.clock.now += 60_000;
    await all.done(robot.post('start-underwriting', { loanId }));
    await problem(bob.post('approve', { approvalId: data.approvalId, reason: 'Fine' }), [409, 'outcome_changed']);
    const again = await all.done(decide(alice, loanId, { ...AGAINST, reason: 'On the new report' }), 202);
    await all.done(bob.post('approve', { approvalId: again.data.approvalId, reason: 'Fine' }));
  });
});
