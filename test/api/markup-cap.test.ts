/** A lender's cap on the markup over HTTP: what it declines, what it offers instead, and that a run keeps the cap it was made with. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationBody } from '../../src/demo/application.ts';
import { type TestApp, testApp } from '../support/app.ts';

const PRIME = '666-00-0001';
/** Far above what a prime borrower pays anywhere, and below every state's limit. */
const HIGH = '19.99';
const CAP = '1.00';

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

async function done(path: string, body: object) {
  const answer = await post(path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

/** From today on; of several on one day the last counts. */
const setCap = (lenderId: string, markupCap: string | null) => {
  const from = new Date(service.clock.now).toISOString().slice(0, 10);
  return done('policies', { policyId: lenderId, lenderId, from, values: { markupCap } });
};

let applications = 0;
async function started(lenderId: string, interestRate = HIGH): Promise<string> {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  const { loanId } = await done('loans', {
    ...{ applicationId: `CAP-${applications}`, borrowerId: 'B-1', lenderId, loanType: 'AutoLoan' },
    ...{ loanAmount: '18,000', principalAmount: '17,000', interestRate, term: 60 },
    Request: {
      ...Request,
      ApplicantInfo: { ...Request.ApplicantInfo, MonthlyGross: 6_500, ApplicantSSN: PRIME },
      CoApplicantInfo: { CoApplicantSSN: '' },
      VehicleInfo: {
        ...Request.VehicleInfo,
        ...{ VehicleRetailValue: '24,000', VehicleWholesaleValue: '22,000', VehicleVIN: '' },
        ...{ VehicleAge: '2', VehicleYear: '2024', VehicleMileage: '21,000' },
      },
    },
  });
  await done('start-underwriting', { loanId });
  return loanId;
}

type Deal = { rate: number; group: string; decision: string; warnings: string };

/** The sixty deals of a run, the requested one first. */
async function runOf(loanId: string) {
  const { Response, Underwriting, loanDetails } = (await get(`loans/${loanId}`)).body.data;
  const deals: Deal[] = Underwriting.DealTermsInfo.map((terms: Record<string, string>, i: number) => ({
    rate: Math.round(Number(terms.TermsAPR) * 100),
    group: `${terms.TermsLoanAmount} over ${terms.TermsTerm}`,
    decision: Underwriting.UnderwritingInfo[i].DecisionStatus,
    warnings: Underwriting.UnderwritingInfo[i].AllWarnings,
  }));
  return { Response, Underwriting, loanDetails, asked: deals[0] as Deal, others: deals.slice(1) };
}

/** The buy rate of each amount and term, in hundredths: the lowest rate that is offered for it, because the grid begins there. */
function buyRates(deals: readonly Deal[]): Map<string, number> {
  const lowest = new Map<string, number>();
  for (const { group, rate } of deals) lowest.set(group, Math.min(rate, lowest.get(group) ?? Number.POSITIVE_INFINITY));
  return lowest;
}

const parties = {
  creditor: { name: 'Harbor Auto Finance', address: '1 Main Street', telephone: '555-0100' },
  bureau: { name: 'Example Bureau', address: '2 Main Street', telephone: '555-0101' },
};

describe('a rate far above the buy rate', () => {
  test('is approved with a warning where the policy has no cap', async () => {
    const high = await runOf(await started('L-FREE'));
    expect(high.Response).toMatchObject({ Decision: 'APPROVED', DeclineReason: '' });
    expect(high.asked.rate).toBe(1_999);
    const [fair] = high.others.filter(({ group }) => group === high.asked.group);
    const usual = await runOf(await started('L-FREE', String((fair?.rate ?? 0) / 100)));
    expect(usual.Response.Decision).toBe('APPROVED');
    expect(usual.asked.warnings).not.toBe(high.asked.warnings);
    expect(high.asked.warnings).toMatch(/rate/i);
  });

  test('is declined with a cap, and every counter-offer is within it', async () => {
    const free = await runOf(await started('L-FREE'));
    await setCap('L-CAP', CAP);
    const { Response, asked, others } = await runOf(await started('L-CAP'));
    expect(Response.Decision).toBe('DECLINED');
    expect(Response.DeclineReason).not.toBe('');
    expect([asked.rate, asked.decision]).toEqual([1_999, 'DECLINED']);
    expect(others).toHaveLength(59);
    expect(others.filter(({ decision }) => decision === 'APPROVED').length).toBeGreaterThan(0);
    const lowest = buyRates(others);
    for (const { rate, group } of others) expect(rate - (lowest.get(group) as number)).toBeLessThanOrEqual(100);
    // The cap is on what is added to the buy rate: it changes no buy rate.
    const without = buyRates(free.others);
    const both = [...lowest].filter(([group]) => without.has(group));
    expect(both.length).toBeGreaterThan(0);
    for (const [group, rate] of both) expect([group, without.get(group)]).toEqual([group, rate]);
  });

  test('is within the cap up to its last hundredth', async () => {
    await setCap('L-EDGE', CAP);
    const { asked, others } = await runOf(await started('L-EDGE'));
    const buyRate = buyRates(others).get(asked.group) as number;
    const decisionAt = async (hundredths: number) =>
      (await runOf(await started('L-EDGE', (hundredths / 100).toFixed(2)))).asked.decision;
    expect(await decisionAt(buyRate)).toBe('APPROVED');
    expect(await decisionAt(buyRate + 100)).toBe('APPROVED');
    expect(await decisionAt(buyRate + 101)).toBe('DECLINED');
  });

  test.each(['0', '0.01', '25'])('with a cap of %s there are still sixty deals', async (cap) => {
    await setCap(`L-${cap}`, cap);
    const { others } = await runOf(await started(`L-${cap}`));
    expect(others).toHaveLength(59);
    const lowest = buyRates(others);
    for (const { rate, group } of others) {
      expect(rate - (lowest.get(group) as number)).toBeLessThanOrEqual(Math.round(Number(cap) * 100));
    }
  });
});

describe('the decision on a rate above the cap', () => {
  test('is the engine’s, or an officer’s with a reason, and then at the rate that was asked for', async () => {
    await setCap('L-OFFICER', CAP);
    const rejected = await started('L-OFFICER');
    expect((await done('complete-underwriting', { loanId: rejected })).data.decision).toBe('DECLINED');
    const loanId = await started('L-OFFICER');
    const bare = await post('complete-underwriting', { loanId, approved: true });
    expect([bare.status, bare.body.errors]).toMatchObject([422, [{ pointer: '/reason' }]]);
    const { data } = await done('complete-underwriting', {
      ...{ loanId, approved: true, reason: 'Agreed with the dealer', reasonCode: 'other' },
    });
    expect(data.decision).toBe('APPROVED');
    expect((await runOf(loanId)).loanDetails.interestRate).toBe(HIGH);
  });

  test('may be a counter-offer, without a reason, at its own rate', async () => {
    await setCap('L-OFFER', CAP);
    const loanId = await started('L-OFFER');
    const { Underwriting, others } = await runOf(loanId);
    const dealIndex = others.findIndex(({ decision }) => decision === 'APPROVED') + 1;
    expect((await done('complete-underwriting', { loanId, dealIndex })).data.decision).toBe('APPROVED');
    expect((await runOf(loanId)).loanDetails.interestRate).toBe(Underwriting.DealTermsInfo[dealIndex].TermsAPR);
  });
});

describe('a policy that changes after the run, on the same day', () => {
  test('changes neither the deals nor the decision that a chosen deal is taken from', async () => {
    await setCap('L-LATER', CAP);
    const loanId = await started('L-LATER');
    const before = await runOf(loanId);
    await setCap('L-LATER', null);
    const dealIndex = before.others.findIndex(({ decision }) => decision === 'APPROVED') + 1;
    await done('complete-underwriting', { loanId, dealIndex });
    const after = await runOf(loanId);
    // The decision and the cash flows are then those of the chosen deal, whose entry was approved before.
    const { Decision, DecisionDate, DeclineReason } = after.Response;
    expect([Decision, DeclineReason]).toEqual(['APPROVED', '']);
    expect(after.Response).toEqual({ ...before.Response, Decision, DecisionDate, DeclineReason });
    const { CashflowsCsv } = after.Underwriting;
    expect(after.Underwriting).toEqual({ ...before.Underwriting, CashflowsCsv });
    expect((await runOf(await started('L-LATER'))).asked.decision).toBe('APPROVED');
  });

  test('changes no notice that is owed, and makes none owed', async () => {
    await setCap('L-NOTICE', CAP);
    const declined = await started('L-NOTICE');
    const { Response } = await runOf(declined);
    await setCap('L-NOTICE', null);
    const { data } = await done('adverse-action-notice', { loanId: declined, ...parties });
    expect(data.notice).toContain(Response.DeclineReason.split('; ')[0]);
    const approved = await started('L-NOTICE');
    await setCap('L-NOTICE', '0');
    expect((await post('adverse-action-notice', { loanId: approved, ...parties })).status).toBe(409);
  });
});
