/**
 * An application once set the lender's cost of money and the economy of its own risk: with `macroEconomicFeatures` of zero the buy rate fell
 * from 8.90 to 4.77. Both are the lender's, by the dated tables of its policy; what is submitted is shown, and nothing else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { date } from '../../src/core/calendar.ts';
import { isRefusal } from '../../src/core/refusal.ts';
import { reforecast } from '../../src/underwriting/reforecast.ts';
import { type Assessment, publicText, underwrite } from '../../src/underwriting/underwrite.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { contractOf, live } from '../support/life.ts';
import { inputOf, ORDINARY } from '../support/underwriting/applicants.ts';

const ECONOMIES = [
  { unemployment: 0, cpi: 0, fedRate: 0 },
  { unemployment: 25, cpi: 20, fedRate: 30 },
  { unemployment: -50, cpi: -50, fedRate: -50 },
];

describe('through the interface', () => {
  let service: TestApp;
  let token: string;
  beforeAll(async () => {
    service = await testApp();
    token = await service.token();
  });
  afterAll(() => service.close());

  const post = (path: string, body: object): Promise<Answered> =>
    service.call('POST', `/v2/chain/${path}`, { token, key: service.credentials.apiKey, body });
  const TERMS = {
    ...{ loanAmount: '18,000', principalAmount: '17,000', interestRate: '11.49', term: 60, loanType: 'AutoLoan' },
    Request: {
      ApplicantInfo: {
        ...{ ApplicantFirstName: 'Ada', ApplicantLastName: 'Example', ApplicantSSN: '666-00-0003' },
        ...{ ApplicantState: 'OH', MonthlyGross: 6_500, HousingMonthlyPayment: 1_400 },
      },
      VehicleInfo: { VehicleWholesaleValue: '19,500', VehicleYear: '2024', VehicleMileage: '21,000' },
    },
  };

  test('an offer is the same, whatever the application says of the economy', async () => {
    const { applicationId: _, loanType: __, ...asked } = { applicationId: '', ...TERMS };
    const plain = await post('calculate-offer', asked);
    expect(plain.status, plain.text).toBe(200);
    for (const macroEconomicFeatures of ECONOMIES.slice(0, 2)) {
      const told = await post('calculate-offer', { ...asked, macroEconomicFeatures });
      expect(told.text).toBe(plain.text);
    }
  });

  test('a loan has the same deals, and its record shows the figures as they were submitted', async () => {
    const assessed = async (applicationId: string, more: object) => {
      const created = await post('loans', { ...TERMS, applicationId, borrowerId: 'B-1', lenderId: 'L-1', ...more });
      expect(created.status, created.text).toBe(200);
      const { loanId } = created.body;
      expect((await post('start-underwriting', { loanId })).status).toBe(200);
      const read = async (path: string) =>
        (await service.call('GET', `/v2/chain/loans/${loanId}${path}`, { token, key: service.credentials.apiKey })).body
          .data;
      return { deals: (await read('/deals')).items, shown: (await read('')).loanDetails };
    };
    const plain = await assessed('ECONOMY-1', {});
    const [zero] = ECONOMIES;
    const told = await assessed('ECONOMY-2', { macroEconomicFeatures: zero });
    expect(told.deals).toEqual(plain.deals);
    expect(told.shown.macroEconomicFeatures).toEqual(zero);
    for (const figure of ['defaultProbability', 'fairValuePrice', 'predictedYield', 'grade']) {
      expect(told.shown[figure], figure).toBe(plain.shown[figure]);
    }
  });
});

const assess = (change: object): Assessment => {
  const found = underwrite({ ...inputOf(ORDINARY), ...change });
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
};

test('figures of the policy that are older than it allows warn on every deal, and change none', () => {
  const on = (day: string) => assess({ today: date(day), at: `${day}T12:00:00.000Z` });
  const old =
    /^The (cost of funds|economic figures) of the lending policy are from 2026-01-01, more than 184 days ago \(sample/;
  const [fresh, stale] = [on('2026-07-04'), on('2026-07-05')];
  expect(fresh.warnings.filter((warning) => old.test(warning))).toEqual([]);
  expect(stale.warnings.filter((warning) => old.test(warning))).toHaveLength(2);
  stale.underwriting.UnderwritingInfo.forEach((info, i) => {
    expect(info.AllWarnings).toContain('more than 184 days ago');
    const before = fresh.underwriting.UnderwritingInfo[i] as Record<string, string>;
    expect(Number(info.WarningsNumber)).toBe(Number(before.WarningsNumber) + 2);
    expect(info.DecisionStatus).toBe(before.DecisionStatus);
  });
  const counted = (found: Assessment) =>
    JSON.parse(publicText(found)).UnderwritingInfo.map(({ WarningsNumber }: Record<string, string>) =>
      Number(WarningsNumber),
    );
  expect(counted(stale)).toEqual(counted(fresh).map((count: number) => count + 2));
});

test('the forecast of a live loan goes by the lender’s economy of its first day, not by a submitted one', () => {
  const loan = live(contractOf({})).fund().loan('2026-01-15');
  const known = { defaultProbability: 0.05, grade: null, ltv: 1, vehicleAge: 3, mileage: 40_000 } as const;
  const plain = reforecast(loan, known);
  for (const macroThen of ECONOMIES) expect(reforecast(loan, { ...known, macroThen } as never)).toEqual(plain);
});
