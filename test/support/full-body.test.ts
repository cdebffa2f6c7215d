import { expect, test } from 'vitest';
import { parseCents } from '../../src/core/money.ts';
import { parsePercent } from '../../src/core/rate.ts';
import type { ApplicationOptions } from '../../src/demo/application.ts';
import { creationOf } from './creation.ts';
import { fullBody } from './full-body.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a body
const bodyOf = (n: number, options?: ApplicationOptions): any => fullBody(n, options);

const MEMBERS = {
  Response:
    'ApplicationID ApplicationType Comments CreditScoreCoapplicant CreditScorePrimary Date DealerID Decision DecisionDate ' +
    'DeclineReason LoanTerms Stipulations',
  'Response/LoanTerms/0':
    'AcquisitionFee AssetPrice DEALER_FLAT DefaultProb Description Discount FundedAmount GrossYield IRR LTV Participation Payment ' +
    'Rate TermMonths TotalLoanAmount VehicleWholesaleValue',
  Underwriting:
    'CashflowsCsv CoApplicantCreditBureauPDF CoApplicantCreditBureauTradeLines DealTermsInfo PrimaryCreditBureauPDF ' +
    'PrimaryCreditBureauTradeLines PrimaryCreditInfo UnderwritingInfo',
  'Underwriting/DealTermsInfo/59':
    'ApprovedDownPayment TermsAPR TermsDTI TermsFrontEndLTV TermsLTV TermsLoanAmount TermsMonthlyPayment TermsPTI TermsTerm',
  'Underwriting/UnderwritingInfo/59':
    'AllWarnings CollateralDefaultProb DecisionReason DecisionReasonSimple DecisionStatus DefaultProb FairValuePrice ' +
    'ForecastChargeoffAmount ForecastCompoundingIRR ForecastCompoundingNetIRR ForecastFairValuePrice ForecastInterestPaid ' +
    'ForecastNetLossAmount ForecastPresentValue ForecastPrincipalPaid ForecastRecoveredAmount ForecastSimpleIRR ' +
    'ForecastSimpleNetIRR ForecastTotalPaid ForecastTotalPaidLessFees SolventProb TermsApprovedBackEndProducts ' +
    'TermsApprovedFrontEndAmt TermsApprovedFrontEndLTV TermsDealerDiscount TermsDealerFlat TermsDiscountFee TermsFundedAmount ' +
    'TermsLoanDiscount TermsTotalDiscount WarningsNumber',
};

test('has every member that the interface lists, in its order', () => {
  const body = bodyOf(3);
  for (const [path, names] of Object.entries(MEMBERS)) {
    // biome-ignore lint/suspicious/noExplicitAny: follows a path of any depth
    const found = path.split('/').reduce((holder: any, name) => holder[name], body);
    expect(Object.keys(found).join(' ')).toBe(names);
  }
});

test('the same number gives the same bytes, of the size of a real record', () => {
  const text = JSON.stringify(bodyOf(17));
  expect(text).toBe(JSON.stringify(bodyOf(17)));
  expect(text.length).toBeGreaterThan(700_000);
  expect(text.length).toBeLessThan(1_100_000);
});

test('becomes a loan that was assessed elsewhere, with sixty deals', () => {
  for (const [n, decision] of [[4, 'APPROVED'] as const, [5, 'DECLINED'] as const]) {
    const body = bodyOf(n, decision === 'DECLINED' ? { score: 531 } : {});
    const { contract, file } = creationOf(body, '2026-01-15');
    expect(file.assessed).toBe('elsewhere');
    expect(file.deals).toHaveLength(60);
    expect(file.deals).not.toContain(null);
    expect(file.decision).toBe(decision);
    expect(file.deals[0]?.amount).toBe(contract.amount);
  }
});

test('its figures agree with the application’s', () => {
  const body = bodyOf(5);
  const asked = body.Request.RequestedTermsInfo;
  const [deal] = body.Underwriting.DealTermsInfo;
  expect(body.scheduledPayment).toBe(deal.TermsMonthlyPayment);
  expect(deal.TermsPTI).toBe(asked.RequestedLoanPTI);
  expect(deal.TermsDTI).toBe(asked.RequestedLoanDTI);
  expect(deal.TermsLTV).toBe(
    (Number(body.loanAmount) / Number(body.Request.VehicleInfo.VehicleWholesaleValue)).toFixed(4),
  );
  // Without finance charges beside the interest, Regulation Z finds the contract's rate, except for the odd days of months.
  expect(Number(body.apr)).toBeCloseTo(Number(body.interestRate) / 100, 3);
  expect(body.creditReportHash).toMatch(/^0x[0-9a-f]{64}$/);
  for (const { TermsAPR, TermsLoanAmount } of body.Underwriting.DealTermsInfo) {
    expect(parsePercent(TermsAPR)).not.toBeNull();
    expect(parseCents(TermsLoanAmount)).toBeGreaterThan(0);
  }
});

test('cash flows of all months of sixty deals', () => {
  const [header, ...lines] = bodyOf(9, { months: 60 }).Underwriting.CashflowsCsv.trimEnd().split('\n');
  expect(header).toMatch(/^Month,.*,row_no$/);
  expect(header.split(',')).toEqual(expect.arrayContaining(['Type', 'Date']));
  const rows: string[][] = lines.map((line: string) => line.split(','));
  expect(rows.length).toBeGreaterThan(60 * 24);
  expect(rows.filter(([month]) => month === '1')).toHaveLength(60);
  expect(new Set(rows.map((row) => row.at(-1))).size).toBe(60);
});

const FAMILIES =
  'AGG AGGS AT AU BC BR CV FC FI FR G HI HR IN INDEX JT LM MD MT OF PAYMNT PB RE RETS REVS RP RT RVDEX RVLR S SE ST TRD TRV US WALSHR ' +
  'WALSRTS WALSRVS';

test('bureau data: more than 1,136 short strings of every family, the account list, and pages of PDF', () => {
  const {
    PrimaryCreditInfo: info,
    PrimaryCreditBureauTradeLines: csv,
    PrimaryCreditBureauPDF: pdf,
  } = bodyOf(2).Underwriting;
  expect(Object.keys(info).length).toBeGreaterThan(1_136);
  for (const value of Object.values(info)) expect(value).toMatch(/^.{1,40}$/);
  for (const family of FAMILIES.split(' ')) {
    expect(Object.keys(info).some((name) => new RegExp(`^${family}\\d+S?$`).test(name))).toBe(true);
  }
  for (const name of 'CreditScore ApplicantCreditReportDate FileSummaryFileHitIndicator InFileSinceDate'.split(' ')) {
    expect(info[name]).toBeDefined();
  }
  expect(info.TrackingTransactionTimeStamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-06:00$/);

  const lines: string[] = csv.trimEnd().split('\n');
  expect(lines[0]).toBe(
    'subscriber,account_type,member,account_num,opened,closed,payment,terms,portfolio_type,balance,high_balance,past_due,rating,' +
      '30dpd,60dpd,90dpd,account_class,today,age,age_closed,seasoned',
  );
  expect(lines.length).toBeGreaterThan(6);
  for (const line of lines) expect(line.split(',')).toHaveLength(21);

  const file = Buffer.from(pdf, 'base64').toString('latin1');
  expect(file.startsWith('%PDF-1.4\n')).toBe(true);
  expect(file.endsWith('%%EOF\n')).toBe(true);
  expect(Number(/\/Count (\d+)/.exec(file)?.[1])).toBeGreaterThanOrEqual(2);
});
