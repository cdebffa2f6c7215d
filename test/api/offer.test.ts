/**
 * Offers over HTTP. What matters most: an offer is what a loan with the same application and the same report would be decided as, to
 * the last character. And nothing is kept of it: no loan, no pull, no trail, no word in the log.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulate } from '../../src/bureau/simulator/simulator.ts';
import type { PlainDate } from '../../src/core/calendar.ts';
import { applicationBody } from '../../src/demo/application.ts';
import { type Answered, type TestApp, testApp } from '../support/app.ts';
import { WHOLE } from '../support/whole.ts';

let service: TestApp;
let token: string;
let reader: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
  reader = await service.token(['loans:read']);
});
afterAll(() => service.close());

const call = (path: string, body: unknown, as = token) =>
  service.call('POST', `/v2/chain/${path}`, { token: as, key: service.credentials.apiKey, body });
const ask = (body: unknown): Promise<Answered> =>
  service.call('POST', '/v2/chain/calculate-offer', { token: reader, body });

type Row = {
  dealIndex: number;
  decision: string;
  reasons: string[];
  loanAmount: string;
  apr: string;
  defaultProbability: string;
  forecast: Record<string, string>;
  pricing: Record<string, string> & { rateParts: Record<string, string>; participation: Record<string, string> };
};
type Offer = {
  decision: string;
  reasons: string[];
  decisionReason: string;
  warnings: string[];
  stipulations: string[];
  grade: string;
  riskRating: string;
  standardDefaultProbability: string;
  reportFrom: string;
  note: string | null;
  modelVersion: string;
  policyVersion: string;
  asOf: string;
  counterOffers: number[];
  deals: Row[];
};

async function offered(body: unknown): Promise<Offer> {
  const { status, body: answer, text } = await ask(body);
  expect(status, text).toBe(200);
  return answer.data;
}

/** The pointers and codes of a 422. */
function mistakes({ status, body, text }: Answered): string[] {
  expect([status, body.code], text).toEqual([422, 'invalid_request']);
  return (body.errors ?? []).map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`);
}

const Request = {
  ApplicantInfo: { ApplicantState: 'OH', MonthlyGross: 6_500, HousingMonthlyPayment: 1_400 },
  VehicleInfo: { VehicleWholesaleValue: '19,500', VehicleYear: '2024', VehicleMileage: '21,000' },
};
const TERMS = { loanAmount: '18,000', principalAmount: '17,000', interestRate: '11.49', term: 60 };
const GOOD = { ...TERMS, Request, report: { score: 700 } };

/** A whole application of a person of the simulator. */
function application(ssn: string, coApplicantSsn = '') {
  const { Request: made } = applicationBody(3) as { Request: Record<string, object> };
  const applicant = { ...made.ApplicantInfo, ...Request.ApplicantInfo, ApplicantSSN: ssn };
  return {
    ...TERMS,
    Request: {
      ...made,
      ApplicantInfo: applicant,
      CoApplicantInfo: { CoApplicantSSN: coApplicantSsn, CoApplicantLastName: coApplicantSsn && 'Sample' },
      VehicleInfo: { ...made.VehicleInfo, ...Request.VehicleInfo, VehicleVIN: '', VehicleAge: '2' },
    },
  };
}

let applications = 0;

/** Stipulations that come from other applications of the same person or vehicle, as these all are: an offer is compared with none. */
const OF_OTHER_LOANS = /, to be explained$|, free of another loan on it$/;

/** The same application as a loan, created and underwritten: its deals with reasons, and its record. */
async function underwritten(terms: object) {
  applications += 1;
  const ids = { applicationId: `OFFER-${applications}`, borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' };
  const { lenderId = ids.lenderId } = terms as { lenderId?: string };
  const created = await call('loans', { ...ids, ...terms, lenderId });
  expect(created.status, created.text).toBe(200);
  const { loanId } = created.body;
  const started = await call('start-underwriting', { loanId });
  expect([started.status, started.body.data.assessed], started.text).toEqual([200, undefined]);
  const read = (path: string) =>
    service.call('GET', `/v2/chain/loans/${loanId}${path}`, { token, key: service.credentials.apiKey });
  return { loanId, deals: (await read('/deals')).body.data.items, record: (await read('')).body.data };
}

/** The simulator's answer about a person, as it is on the wire. */
function wireReport(ssn: string) {
  const unknown = { middleInitial: '', dateOfBirth: '', address: '', city: '', state: '', zip: '' };
  const subject = { role: 'primary' as const, firstName: 'A', lastName: 'B', ssn, ...unknown };
  const report = simulate(subject, { today: '2026-01-15' as PlainDate, at: '2026-01-15T12:00:00.000Z' });
  if ('failed' in report) throw new Error(report.detail);
  return JSON.parse(Buffer.from(report.raw).toString('utf8'));
}

describe('an offer is what a loan would be decided as', () => {
  const NEAR_PRIME = '666-00-0003';
  test.each<[string, object]>([
    ['super prime', application('666-00-0001')],
    ['near-prime', application(NEAR_PRIME)],
    ['a bad payer', application('666-00-0005')],
    ['a thin file', application('666-00-0006')],
    ['a file without a score', application('666-00-0007')],
    ['nobody in file', application('666-00-0008')],
    ['a frozen file', application('666-00-0012')],
    ['a joint application', application(NEAR_PRIME, '666-00-0002')],
    ['every two weeks', { ...application(NEAR_PRIME), paymentFrequency: 'BiWeekly' }],
    ['a first payment later', { ...application(NEAR_PRIME), firstPaymentDate: '2026-03-10' }],
    ['a contract of last week', { ...application(NEAR_PRIME), originationDate: '2026-01-08', dayCount: '30/360' }],
    ['a balloon', { ...application(NEAR_PRIME), balloonAmount: '4,000' }],
    [
      'interest first',
      {
        ...application(NEAR_PRIME),
        interestOnlyCount: 6,
      },
    ],
    ['a prepaid finance charge', { ...application(NEAR_PRIME), prepaidFinanceCharge: '350.00' }],
    [
      'another economy, and the vehicle given with the loan',
      {
        ...application(NEAR_PRIME),
        macroEconomicFeatures: { unemployment: 7.5, cpi: '3.1', fedRate: 5 },
        loanInfo: { Auto: { year: 2019, mileage: '88,000' } },
        principalAmount: '',
      },
    ],
  ])('%s', async (_, terms) => {
    const offer = await offered(terms);
    const { deals, record } = await underwritten(terms);
    expect(JSON.stringify(offer.deals)).toBe(JSON.stringify(deals));
    expect(offer.deals).toHaveLength(60);
    const { loanDetails, Response } = record;
    expect(offer).toMatchObject({
      decision: Response.Decision,
      decisionReason: loanDetails.lendingDecisionReason,
      grade: loanDetails.grade,
      riskRating: loanDetails.riskRating,
      stipulations: Response.Stipulations.filter((text: string) => !OF_OTHER_LOANS.test(text)),
      reportFrom: 'simulator',
      note: null,
      asOf: '2026-01-15',
    });
    expect(offer.reasons.join('; ')).toBe(Response.DeclineReason);
    const other = offer.deals.filter(({ decision }) => decision === 'APPROVED').map(({ dealIndex }) => dealIndex);
    expect(offer.counterOffers).toEqual(offer.decision === 'APPROVED' ? [] : other);
  });

  test.each(['666-00-0003', '666-00-0005', '666-00-0006', '666-00-0008'])(
    'with the bureau’s own answer about %s as the report',
    async (ssn) => {
      const terms = application(ssn);
      const offer = await offered({ ...terms, report: wireReport(ssn) });
      expect(offer.reportFrom).toBe('request');
      const { reportFrom: _, ...same } = offer;
      expect(await offered(terms)).toEqual({ ...same, reportFrom: 'simulator' });
    },
  );

  test('with both reports of a joint application', async () => {
    const terms = application('666-00-0004', '666-00-0002');
    const [report, coApplicantReport] = [wireReport('666-00-0004'), wireReport('666-00-0002')];
    const given = await offered({ ...terms, report, coApplicantReport });
    expect(JSON.stringify(given.deals)).toBe(JSON.stringify((await offered(terms)).deals));
    expect(JSON.stringify(given.deals)).not.toBe(JSON.stringify((await offered({ ...terms, report })).deals));
  });

  test('by the cap on markups of the lender’s own policy', async () => {
    const policy = { policyId: 'capped', lenderId: 'L-CAP', from: '2026-01-15', values: { markupCap: '0.5' } };
    expect((await call('policies', policy)).status).toBe(200);
    const terms = { ...application('666-00-0002'), interestRate: '16' };
    const [free, capped] = [await offered(terms), await offered({ ...terms, lenderId: 'L-CAP' })];
    expect([free.decision, capped.decision]).toEqual(['APPROVED', 'DECLINED']);
    expect(capped.counterOffers.length).toBeGreaterThan(0);
    const { deals } = await underwritten({ ...terms, lenderId: 'L-CAP' });
    expect(JSON.stringify(capped.deals)).toBe(JSON.stringify(deals));
  });

  test('by the rounding of the lender’s own policy', async () => {
    const values = { rounding: 'half-even' };
    const policy = { policyId: 'even', lenderId: 'L-EVEN', from: '2026-01-15', values };
    expect((await call('policies', policy)).status).toBe(200);
    const terms = { ...application(NEAR_PRIME), lenderId: 'L-EVEN' };
    expect(JSON.stringify((await offered(terms)).deals)).toBe(JSON.stringify((await underwritten(terms)).deals));
  });
});

describe('what a report leaves out is unknown', () => {
  test('a score alone is decided, and is not a thin file', async () => {
    const alone = await offered(GOOD);
    expect(alone).toMatchObject({ decision: 'APPROVED', reportFrom: 'request', note: null });
    expect(alone.warnings).toContain('Accounts are unknown, so obligations may be higher');
    expect(alone.stipulations).not.toContain('Four personal references with telephone numbers');
    const none = await offered({ ...GOOD, report: { score: 700, tradeLines: [], inFileSince: null } });
    expect(none.stipulations).toContain('Four personal references with telephone numbers');
    const risk = ({ deals }: Offer) =>
      Number((deals[0] as unknown as { defaultProbability: string }).defaultProbability);
    expect(risk(none)).toBeGreaterThan(risk(alone));
    // Each of the two alone makes a file thin as well.
    expect(risk(await offered({ ...GOOD, report: { score: 700, tradeLines: [] } }))).toBe(risk(none));
    expect(risk(await offered({ ...GOOD, report: { score: 700, inFileSince: null } }))).toBe(risk(none));
    const old = { score: 700, inFileSince: '2001-05-01' };
    expect(risk(await offered({ ...GOOD, report: old }))).toBe(risk(alone));
  });

  test('a better score never makes a deal worse', async () => {
    const approved: number[] = [];
    for (const score of [480, 560, 620, 680, 740, 800]) {
      const { deals } = await offered({ ...GOOD, report: { score } });
      approved.push(deals.filter(({ decision }) => decision === 'APPROVED').length);
    }
    expect(approved).toEqual(approved.toSorted((a, b) => a - b));
    expect(approved[0]).toBe(0);
    expect(approved.at(-1)).toBeGreaterThan(0);
  });

  test('trade lines count as CSV and as a list alike', async () => {
    const { tradeLines: csv, ...rest } = wireReport('666-00-0005');
    const [head, ...lines] = (csv as string)
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const list = lines.map((cells) => Object.fromEntries((head as string[]).map((name, i) => [name, cells[i]])));
    const deals = async (tradeLines: unknown) =>
      JSON.stringify((await offered({ ...application('666-00-0005'), report: { ...rest, tradeLines } })).deals);
    expect(await deals(list)).toBe(await deals(csv));
  });

  test('an empty report is one without a score', async () => {
    const offer = await offered({ ...GOOD, report: {} });
    expect(offer).toMatchObject({ decision: 'DECLINED', reportFrom: 'request', counterOffers: [] });
    expect(offer.warnings).toContain('The credit bureau has no score for the applicant');
  });
});

describe('the price of each deal', () => {
  test('is built up, and adds up', async () => {
    const { deals, standardDefaultProbability } = await offered(GOOD);
    expect(Number(standardDefaultProbability)).toBeGreaterThan(0);
    for (const { apr, loanAmount, forecast, pricing } of deals) {
      const { rateParts, participation, ...others } = pricing;
      const sum = (figures: Record<string, string>) =>
        Object.values(figures).reduce((all, one) => all + Number(one), 0);
      expect(sum(rateParts)).toBeCloseTo(Number(others.buyRate), 2);
      expect(Number(participation.markup)).toBeCloseTo(Math.max(0, Number(apr) - Number(others.buyRate)), 4);
      expect(Number(others.price)).toBeCloseTo((Number(forecast.fairValuePrice) / Number(loanAmount)) * 100, 3);
      const paid =
        Number(loanAmount) - Number(others.acquisitionFee) - Number(others.discount) + Number(others.dealerFlat);
      expect(Number(others.paidOut)).toBeCloseTo(
        paid + Number(participation.reserve) + Number(others.originationCost),
        2,
      );
      for (const figure of Object.values({ ...rateParts, ...participation, ...others })) {
        expect(figure).toMatch(/^-?\d+\.\d{2,4}$/);
      }
    }
  });

  test('is in the deals of a loan for everybody who sees them, and in no record', async () => {
    const terms = application('666-00-0003');
    const { record, loanId } = await underwritten(terms);
    const shown = await service.call('GET', `/v2/chain/loans/${loanId}/deals`, { token: reader });
    const { deals } = await offered(terms);
    expect(shown.body.data.items.map(({ pricing }: Row) => pricing)).toEqual(deals.map(({ pricing }) => pricing));
    expect(shown.body.data.items[0].reasons).toBeNull();
    const published = await service.call('GET', `/v2/chain/loan-data/${loanId}`, { token });
    expect(published.status).toBe(200);
    expect(JSON.stringify(record) + published.text).not.toMatch(/pricing|buyRate/i);
  });

  test('is unknown of a loan that was assessed elsewhere', async () => {
    const ids = { applicationId: 'ELSEWHERE', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' };
    const DealTermsInfo = [{ TermsLoanAmount: '18000.00', TermsAPR: '8.49', TermsTerm: '60' }];
    const Underwriting = { DealTermsInfo, UnderwritingInfo: [{ DecisionStatus: 'APPROVED' }] };
    const created = await call('loans', { ...ids, ...TERMS, Underwriting, Response: { Decision: 'APPROVED' } });
    const path = `/v2/chain/loans/${created.body.loanId}/deals`;
    for (const key of [undefined, service.credentials.apiKey]) {
      const { body } = await service.call('GET', path, { token, ...(key === undefined ? {} : { key }) });
      expect(body.data.items).toMatchObject([{ loanAmount: '18000.00', pricing: null }]);
    }
  });
});

describe('without a report', () => {
  test('and without a number nobody is simulated: the answer says what to send', async () => {
    const { report: _, ...without } = GOOD;
    const offer = await offered(without);
    expect(offer).toMatchObject({ decision: 'DECLINED', reportFrom: 'none', counterOffers: [] });
    expect(offer.note).toContain('{ "score": 700 }');
    expect(await offered({ ...without, report: null, coApplicantReport: null })).toEqual(offer);
    const named = { ...Request, CoApplicantInfo: { CoApplicantSSN: '666-00-0002' } };
    expect(await offered({ ...without, Request: named })).toMatchObject({ reportFrom: 'none' });
  });

  test('a person on a sanctions list is declined, and the answer does not tell the list', async () => {
    const offer = await offered(application('666-00-0020'));
    expect(offer).toMatchObject({ decision: 'DECLINED', reasons: ['Unable to verify identity'], counterOffers: [] });
    expect(offer.warnings).toContain('The applicant has not been cleared');
    expect(JSON.stringify(offer)).not.toMatch(/SIM-|Simulated sanctions/);
  });

  test('the simulator may be out of order, as in underwriting', async () => {
    const { status, body, headers } = await ask(application('666-00-0092'));
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(headers.get('retry-after')).toBe('5');
  });
});

describe('counter-offers', () => {
  test('are the deals that would be approved, in the order of the grid', async () => {
    const offer = await offered({ ...GOOD, loanAmount: '27,000', principalAmount: '27,000' });
    expect(offer.decision).toBe('DECLINED');
    expect(offer.counterOffers.length).toBeGreaterThan(0);
    expect(offer.counterOffers).toEqual(offer.counterOffers.toSorted((a, b) => a - b));
    for (const index of offer.counterOffers) expect(offer.deals[index]?.decision).toBe('APPROVED');
  });
});

describe('another day and other versions', () => {
  test('a date of the past or the future', async () => {
    const offer = await offered({ ...GOOD, asOf: '2029-06-01' });
    expect(offer.asOf).toBe('2029-06-01');
    expect(JSON.stringify(offer.deals)).not.toBe(JSON.stringify((await offered(GOOD)).deals));
    expect(
      (
        await offered({
          ...GOOD,
          asOf: '1900-01-01',
          Request: { ...Request, VehicleInfo: { ...Request.VehicleInfo, VehicleYear: '1900' } },
        })
      ).asOf,
    ).toBe('1900-01-01');
  });

  test('those in force are the default', async () => {
    const { modelVersion, policyVersion, ...rest } = await offered(GOOD);
    expect(await offered({ ...GOOD, modelVersion, policyVersion })).toEqual({ modelVersion, policyVersion, ...rest });
    expect(mistakes(await ask({ ...GOOD, modelVersion: 'none', policyVersion: 'none' }))).toEqual([
      '/modelVersion enum',
      '/policyVersion enum',
    ]);
  });
});

describe('what is refused', () => {
  test.each(['Request', 'loanAmount', 'interestRate', 'term'])('%s left out, null or empty', async (name) => {
    const { [name]: _, ...without } = GOOD as Record<string, unknown>;
    expect(mistakes(await ask(without))).toEqual([`/${name} required`]);
    expect(mistakes(await ask({ ...without, [name]: null }))).toEqual([`/${name} required`]);
    if (name !== 'Request') expect(mistakes(await ask({ ...without, [name]: '' }))).toEqual([`/${name} required`]);
  });

  const WRONG: Record<string, [value: unknown, pointer: string][]> = {
    Request: [
      ['x', '/Request type'],
      [[], '/Request type'],
      [5, '/Request type'],
    ],
    loanAmount: [
      ['0', '/loanAmount amount_zero'],
      ['-1', '/loanAmount negative'],
      [true, '/loanAmount type'],
      ['x', '/loanAmount format'],
    ],
    interestRate: [
      ['x', '/interestRate format'],
      [-1, '/interestRate negative'],
      [{}, '/interestRate type'],
    ],
    term: [
      [0, '/term range'],
      ['60.5', '/term format'],
      [9_999, '/term range'],
      [[], '/term type'],
    ],
    principalAmount: [
      ['19,000', '/principalAmount contradiction'],
      [false, '/principalAmount type'],
    ],
    paymentFrequency: [
      ['Hourly', '/paymentFrequency enum'],
      [7, '/paymentFrequency enum'],
    ],
    installment: [
      [7, '/installment contradiction'],
      [{}, '/installment type'],
    ],
    originationDate: [
      ['2026-02-30', '/originationDate format'],
      [20260101, '/originationDate type'],
    ],
    firstPaymentDate: [
      ['soon', '/firstPaymentDate format'],
      [1, '/firstPaymentDate type'],
    ],
    dayCount: [
      ['365', '/dayCount enum'],
      [1, '/dayCount enum'],
    ],
    amortizationType: [['Other', '/amortizationType enum']],
    balloonAmount: [
      ['-5', '/balloonAmount negative'],
      [[], '/balloonAmount type'],
    ],
    interestOnlyCount: [
      ['x', '/interestOnlyCount format'],
      [{}, '/interestOnlyCount type'],
    ],
    prepaidFinanceCharge: [
      ['18,000', '/prepaidFinanceCharge contradiction'],
      [true, '/prepaidFinanceCharge type'],
    ],
    macroEconomicFeatures: [
      [{ unemployment: 'high' }, '/macroEconomicFeatures/unemployment format'],
      [{ gdp: 1 }, '/macroEconomicFeatures/gdp unknown_member'],
      [5, '/macroEconomicFeatures type'],
    ],
    loanInfo: [
      [{ year: '24' }, '/loanInfo/year format'],
      [{ color: 'red' }, '/loanInfo/color unknown_member'],
      ['car', '/loanInfo type'],
    ],
    lenderId: [
      ['a b', '/lenderId format'],
      ['666-12-3456', '/lenderId personal'],
      [5, '/lenderId type'],
    ],
    asOf: [
      ['2026-13-01', '/asOf format'],
      [5, '/asOf type'],
    ],
    modelVersion: [[5, '/modelVersion type']],
    policyVersion: [[{}, '/policyVersion type']],
    report: [
      ['x', '/report type'],
      [[], '/report type'],
      [{ rating: 5 }, '/report/rating unknown_member'],
      [{ hit: 'yes' }, '/report/hit type'],
      [{ hit: null }, '/report/hit type'],
      [{ score: 0 }, '/report/score range'],
      [{ score: 1_000 }, '/report/score range'],
      [{ score: 700.5 }, '/report/score type'],
      [{ score: '700' }, '/report/score type'],
      [{ scoreFactors: 'late' }, '/report/scoreFactors type'],
      [{ scoreFactors: [5] }, '/report/scoreFactors/0 type'],
      [{ scoreFactors: Array(21).fill('late') }, '/report/scoreFactors too_many'],
      [{ reportDate: '2026-02-30' }, '/report/reportDate format'],
      [{ reportDate: null }, '/report/reportDate type'],
      [{ inFileSince: 'long' }, '/report/inFileSince format'],
      [{ inFileSince: 1999 }, '/report/inFileSince type'],
      [{ inquiries: -1 }, '/report/inquiries range'],
      [{ inquiries: 'two' }, '/report/inquiries type'],
      [{ flags: [] }, '/report/flags type'],
      [{ flags: { frozen: 'yes' } }, '/report/flags/frozen type'],
      [{ flags: { deceased: null } }, '/report/flags/deceased type'],
      [{ flags: { addressDiscrepancy: 1 } }, '/report/flags/addressDiscrepancy type'],
      [{ flags: { ssnMatch: 'some' } }, '/report/flags/ssnMatch enum'],
      [{ flags: { fraudAlert: true } }, '/report/flags/fraudAlert enum'],
      [{ flags: { alertPhone: 'call me' } }, '/report/flags format'],
      [{ flags: { lost: true } }, '/report/flags/lost unknown_member'],
      [{ attributes: [] }, '/report/attributes type'],
      [{ attributes: { AT01S: 5 } }, '/report/attributes/AT01S type'],
      [{ attributes: { AT01S: 'x'.repeat(201) } }, '/report/attributes/AT01S too_long'],
      [{ tradeLines: 5 }, '/report/tradeLines type'],
      [{ tradeLines: 'not,the,columns' }, '/report/tradeLines format'],
      [{ tradeLines: ['x'] }, '/report/tradeLines/0 type'],
      [{ tradeLines: [{ colour: 1 }] }, '/report/tradeLines/0/colour unknown_member'],
      [{ tradeLines: [{ balance: true }] }, '/report/tradeLines/0/balance type'],
      [{ tradeLines: [{ balance: 'much' }] }, '/report/tradeLines format'],
      [{ tradeLines: [{ opened: '2026-02-30' }] }, '/report/tradeLines format'],
      [{ tradeLines: Array(5_000).fill({}) }, '/report/tradeLines too_many'],
      [{ pdf: 'not a document' }, '/report/pdf format'],
      [{ pdf: 5 }, '/report/pdf type'],
    ],
    coApplicantReport: [
      [{ score: '700' }, '/coApplicantReport/score type'],
      ['x', '/coApplicantReport type'],
    ],
    applicationId: [['A-1', '/applicationId unknown_member']],
    Underwriting: [[{}, '/Underwriting unknown_member']],
    published: [[true, '/published unknown_member']],
  };
  const cases = Object.entries(WRONG).flatMap(([name, values]) =>
    values.map(([value, at]) => [name, value, at] as const),
  );
  test.each(cases.filter((_, n) => WHOLE || n % 3 === 0))('%s: %j', async (name, value, expected) => {
    expect(mistakes(await ask({ ...GOOD, [name]: value }))).toEqual([expected]);
  });

  test('every member has a wrong value here', async () => {
    const { calculateOffer } = await import('../../src/http/calculators/offer.ts');
    const { properties } = calculateOffer.body as unknown as { properties: Record<string, unknown> };
    expect(Object.keys(properties).filter((name) => !(name in WRONG))).toEqual([]);
  });

  test('a co-applicant’s report without the applicant’s', async () => {
    const { report, ...without } = GOOD;
    expect(mistakes(await ask({ ...without, coApplicantReport: report }))).toEqual([
      '/coApplicantReport contradiction',
    ]);
  });

  test('several mistakes at once are all named', async () => {
    const wrong = { ...GOOD, term: 0, asOf: '2026-13-01', report: { pdf: 'x' }, modelVersion: 'none' };
    expect(mistakes(await ask(wrong)).sort()).toEqual(
      ['/asOf format', '/modelVersion enum', '/report/pdf format', '/term range'].sort(),
    );
  });

  test('an application that cannot be assessed, with the member', async () => {
    const { VehicleWholesaleValue: _, ...VehicleInfo } = Request.VehicleInfo;
    expect(mistakes(await ask({ ...GOOD, Request: { ...Request, VehicleInfo } }))).toEqual([
      '/Request/VehicleInfo/VehicleWholesaleValue required',
    ]);
    expect(mistakes(await ask({ ...GOOD, Request: {} }))).toEqual(['/Request/ApplicantInfo/MonthlyGross required']);
    const misspelt = { ...Request, ApplicantInfo: { ...Request.ApplicantInfo, ApplicantDBO: '1980-01-01' } };
    expect(mistakes(await ask({ ...GOOD, Request: misspelt }))).toEqual([
      '/Request/ApplicantInfo/ApplicantDBO unknown_member',
    ]);
    expect(mistakes(await ask({ ...GOOD, loanAmount: '50', principalAmount: '50' }))).toEqual([
      '/loanAmount invalid_value',
    ]);
  });
});

describe('a what-if keeps nothing', () => {
  const KEPT = [
    'loans',
    'applications',
    'events',
    'assessments',
    'bureau_pulls',
    'blind_index',
    'audit',
    'audit_waiting',
    'answers',
  ];

  test('no loan, no pull, no entry of the trail, no word in the log or in an error', async () => {
    const counts = async () => {
      const of = (table: string) => service.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`, []);
      return JSON.stringify(await Promise.all(KEPT.map(of)));
    };
    const before = await counts();
    const terms = application('666-00-0003', '666-00-0002');
    const applicant = { ...terms.Request.ApplicantInfo, ApplicantLastName: 'Zzyzxname', Marker: 'Zzyzxmark' };
    const body = { ...terms, Request: { ...terms.Request, ApplicantInfo: applicant } };
    const answers = [
      await ask(body),
      await ask({ ...body, report: { scoreFactors: ['Zzyzxfactor'] } }),
      await ask({ ...body, term: 0 }),
      await ask({ ...body, report: { tradeLines: 'Zzyzxcsv' } }),
      await ask({ ...body, Request: { ...body.Request, ApplicantInfo: { ...applicant, MonthlyGross: 'Zzyzxpay' } } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 422, 422]);
    for (const { text } of answers) {
      expect(text).not.toMatch(/Zzyzx|666-?00-?000[23]/);
    }
    expect(service.logged.join('\n')).not.toMatch(/Zzyzx|666-?00-?000[23]/);
    expect(await counts()).toBe(before);
  });

  test('the same request again is the same answer, with an idempotency key or without', async () => {
    const first = await ask(GOOD);
    const again = await service.call('POST', '/v2/chain/calculate-offer', {
      token: reader,
      body: GOOD,
      headers: { 'idempotency-key': 'offer-1' },
    });
    const other = await service.call('POST', '/v2/chain/calculate-offer', {
      token: reader,
      body: { ...GOOD, term: 48 },
      headers: { 'idempotency-key': 'offer-1' },
    });
    expect(again.text).toBe(first.text);
    expect([other.status, other.body.data?.deals[0].term]).toEqual([200, '48']);
  });
});

describe('access', () => {
  test('the scope loans:read, and no key', async () => {
    expect((await service.call('POST', '/v2/chain/calculate-offer', { body: GOOD })).status).toBe(401);
    const denied = await service.call('POST', '/v2/chain/calculate-offer', {
      token: await service.token(['loans:write', 'underwriting:write']),
      body: GOOD,
    });
    expect([denied.status, denied.body.code, denied.body.scope]).toEqual([403, 'insufficient_scope', 'loans:read']);
    expect((await ask(GOOD)).status).toBe(200);
  });
});

describe('large and absurd requests', () => {
  test('a body of megabytes is answered, and nothing else waits for it', async () => {
    const padded = { ...GOOD, Request: { ...Request, Padding: 'x'.repeat(9_000_000) } };
    const [large, small] = await Promise.all([ask(padded), service.call('GET', '/v2/chain/me', { token })]);
    expect([large.status, small.status]).toEqual([200, 200]);
    expect(large.body.data).toEqual((await ask(GOOD)).body.data);
    expect((await ask({ ...GOOD, Request: { Padding: 'x'.repeat(11_000_000) } })).status).toBe(413);
  });

  test('the most trade lines that a report may have', async () => {
    const line = { portfolio_type: 'revolving', balance: 10, high_balance: 100, opened: '2020-01-01', subscriber: 'S' };
    const many = Array.from({ length: 2_000 }, (_, i) => ({ ...line, account_num: i }));
    const { deals } = await offered({ ...GOOD, report: { score: 700, tradeLines: many } });
    expect(deals).toHaveLength(60);
  });

  test.each([
    ['the longest term', { term: 600 }],
    ['the largest amount', { loanAmount: '9,999,999,999,999.99', principalAmount: '' }],
    ['a rate of thousands', { interestRate: '9999.99999999' }],
    ['all of them', { term: 600, loanAmount: '9,999,999,999,999.99', principalAmount: '', interestRate: '9999' }],
    ['weekly for ever', { term: 600, paymentFrequency: 'Weekly' }],
    ['a contract of 1900', { originationDate: '1900-01-01' }],
    ['a contract of 2199', { originationDate: '2199-01-01' }],
    ['a loan of the last day', { asOf: '2199-12-31' }],
  ])('%s is answered or refused in time', async (_, terms) => {
    const { status, text } = await ask({ ...GOOD, ...terms });
    expect([200, 422], text).toContain(status);
    expect(text).not.toMatch(/NaN|Infinity/);
  });
});
