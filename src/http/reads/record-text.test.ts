import { describe, expect, test } from 'vitest';
import { creationOf, MACRO } from '../../../test/support/creation.ts';
import { type Life, live } from '../../../test/support/life.ts';
import type { Creation } from '../../boarding/creation.ts';
import { readPublicPart } from '../../boarding/public-part.ts';
import { cents } from '../../core/money.ts';
import { percent } from '../../core/rate.ts';
import { statusOf } from '../../core/status.ts';
import type { FullView } from '../../loans/reads/view.ts';
import { fullRecordHead, publicRecord, RECORD_END } from './record-text.ts';

// 10,000.00 at 12 % in twelve months, 30/360: payments of 888.49, of which the first has 100.00 and the second 92.12 of interest.
const BODY = {
  applicationId: 'APP-1',
  borrowerId: 'B-1',
  lenderId: 'L-1',
  primaryServicerId: 'S-1',
  borrower: '0x52908400098527886E0F7030069857D2E4169EE7',
  loanType: 'AutoLoan',
  principalAmount: '9,500',
  loanAmount: '10000',
  interestRate: '12.00',
  term: 12,
  dayCount: '30/360',
  originationDate: '2026-01-01',
  lateFee: '25',
  prepaymentPenalty: '100.50',
  grade: 'C',
  defaultProbability: '0.0350',
  predictedPrincipalPaid: '9876.50',
  predictedGrossCashflow: '11000',
  predictedNetCashflow: '-1234.5678',
  predictedYield: 0.0712,
  fairValuePrice: '10,100.00',
  lendingDecisionReason: 'Stable "income"',
  creditReportHash: '0xab12',
  applicantCreditVision: 'Pays on time\n',
  macroEconomicFeatures: { unemployment: 4.1, cpi: 3.2, fedRate: 4.33 },
  Request: {
    ApplicantInfo: { MonthlyGross: 10_000 },
    RequestedTermsInfo: { RequestedLoanPTI: '0.0873', RequestedLoanDTI: '31.46', RequestedLoanPayment: '888.49' },
    VehicleInfo: { VehicleRetailValue: '12,345.60', VehicleMileage: '88400' },
  },
  Underwriting: { DealTermsInfo: [{ TermsLTV: '0.81' }], UnderwritingInfo: [{}] },
};

const hash = (n: number) => `0x${String(n).repeat(64)}`;
const created = (more: object = {}, today = '2026-01-01'): Creation => creationOf({ ...BODY, ...more }, today);

function viewOf({ file }: Creation, life: Life, on: string): FullView['view'] {
  const loan = life.loan(on);
  const hashes = loan.payments.map(({ refId }, i): [string, string] => [refId, hash(i + 1)]);
  return {
    loanId: hash(0),
    organizationId: 'org_1',
    version: life.events.length,
    file,
    loan,
    status: statusOf(loan),
    createdAt: 1_767_229_200_000,
    startBlock: 1_234,
    paymentHashes: new Map(hashes),
  };
}

function full(loan: Creation, life: Life, on: string, plain = false): string {
  return fullRecordHead(viewOf(loan, life, on), loan.personal, { plain }) + loan.personal.record + RECORD_END;
}

function everybody(loan: Creation, life: Life, on: string, plain = false): string {
  const { details, members: publicPart } = readPublicPart(Buffer.from(loan.publicPart));
  return publicRecord({ view: viewOf(loan, life, on), details, publicPart }, { plain })
    .map(String)
    .join('');
}

type Details = Record<string, string> & {
  metadata: Record<string, Record<string, string>>;
  loanPayments: Record<string, string>[];
};
const details = (text: string) => (JSON.parse(text) as { data: { loanDetails: Details } }).data.loanDetails;
const shown = (life: Life, on: string, more: object = {}) => details(full(created(more), life, on));

/** Funded on 1 January: paid in February, a little more in March, and April's payment was returned. */
function late(): Life {
  const { contract, policy } = created();
  const life = live(contract, policy)
    .fund()
    .pay('2026-02-01', '888.49', 'P-1')
    .pay('2026-03-01', '900', 'P-2')
    .pay('2026-04-01', '888.49', 'P-3');
  life.take('2026-02-03', { do: 'acknowledge-repayment', refId: 'P-1' });
  life.take('2026-04-05', { do: 'return-repayment', refId: 'P-3', date: null, reason: 'NSF' });
  return life;
}

/** `loanDetails` on the day of the application, in the order of the interface. */
const APPLIED = {
  applicationId: 'APP-1',
  borrowerId: 'B-1',
  borrower: '0x52908400098527886E0F7030069857D2E4169EE7',
  lenderId: 'L-1',
  initialLender: '',
  primaryServicerId: 'S-1',
  secondaryServicerId: '',
  loanServicer: '',
  loanType: 'AutoLoan',
  principalAmount: '9,500',
  loanAmount: '10,000',
  collateralType: 'Vehicles',
  collateralAmount: '12,345.60',
  interestRate: '12.00',
  spread: '',
  interestRateType: 'Fixed',
  indexRate: '',
  originationDate: '2026-01-01',
  maturityDate: '2027-01-01',
  amortizationType: 'FullAmortization',
  loanStatus: 'ApplicationSubmitted',
  encumberedStatus: 'Lien',
  term: '12',
  repaidAmount: '0',
  remainingBalance: '10,000',
  startBlock: '1,234',
  delinquentAmount: '0',
  delinquentDays: '0',
  paymentFrequency: 'Monthly',
  installment: '12',
  riskRating: 'Medium',
  firstPaymentDate: '2026-02-01',
  lastPaymentDate: '2027-01-01',
  nextPaymentDate: '2026-02-01',
  prepaymentPenalty: '100.50',
  lateFee: '25',
  createdAt: '1,767,229,200,000',
  defaultProbability: '0.0350',
  grade: 'C',
  predictedPrincipalPaid: '9,876.50',
  predictedInterestPaid: '',
  predictedChargeoffAmount: '',
  predictedRecoveredAmount: '',
  predictedGrossCashflow: '11,000',
  predictedNetCashflow: '-1,234.5678',
  predictedYield: '0.0712',
  apr: '0.120001',
  fairValuePrice: '10,100.00',
  lendingDecisionReason: 'Stable "income"',
  creditReportHash: '0xab12',
  retailInstallmentContractHash: '',
  applicantCreditVision: 'Pays on time\n',
  coApplicantCreditVision: '',
  macroEconomicFeatures: { unemployment: 4.1, cpi: 3.2, fedRate: 4.33 },
  loanPayments: [],
  metadata: {
    AutoLoan: {
      fundedDate: '',
      currentDpd: '0',
      originalBalance: '10,000',
      currentBalance: '0',
      originalTerm: '12',
      remainingTerm: '12',
      pti: '0.0873',
      dti: '0.3146',
      ltv: '0.81',
      scheduledPayment: '888.49',
      currentPaymentDue: '0',
      pastDueAmount: '0',
      totalPrincipalPaid: '0',
      totalInterestPaid: '0',
      totalFeesPaid: '0',
      chargeoffAmount: '0',
      recoveredAmount: '0',
      paymentStatus: '',
      scheduledMaturityDate: '',
    },
  },
};

const LATE = {
  ...APPLIED,
  loanStatus: 'Delinquent',
  repaidAmount: '1,788.49',
  remainingBalance: '8,403.63',
  delinquentAmount: '1,765.47',
  delinquentDays: '49',
  nextPaymentDate: '2026-04-01',
  loanPayments: [
    {
      paymentId: 'P-1',
      paymentAmount: '888.49',
      paymentDate: '2026-02-01',
      remainingBalance: '9,211.51',
      principalAmount: '10,000',
      principalPaid: '788.49',
      interestPaid: '100',
      feesPaid: '0',
      status: 'Acknowledged',
      transactionHash: hash(1),
    },
    {
      paymentId: 'P-2',
      paymentAmount: '900',
      paymentDate: '2026-03-01',
      remainingBalance: '8,403.63',
      principalAmount: '10,000',
      principalPaid: '807.88',
      interestPaid: '92.12',
      feesPaid: '0',
      status: 'Submitted',
      transactionHash: hash(2),
    },
    {
      paymentId: 'P-3',
      paymentAmount: '888.49',
      paymentDate: '2026-04-01',
      remainingBalance: '8,403.63',
      principalAmount: '10,000',
      principalPaid: '0',
      interestPaid: '0',
      feesPaid: '0',
      status: 'Returned',
      transactionHash: hash(3),
    },
  ],
  metadata: {
    AutoLoan: {
      fundedDate: '2026-01-01',
      currentDpd: '49',
      originalBalance: '10,000',
      currentBalance: '8,403.63',
      originalTerm: '12',
      remainingTerm: '10',
      pti: '0.0873',
      dti: '0.3146',
      ltv: '0.81',
      scheduledPayment: '888.49',
      currentPaymentDue: '1,765.47',
      pastDueAmount: '1,765.47',
      totalPrincipalPaid: '1,596.37',
      totalInterestPaid: '192.12',
      totalFeesPaid: '0',
      chargeoffAmount: '0',
      recoveredAmount: '0',
      paymentStatus: 'Late',
      scheduledMaturityDate: '2027-01-01',
    },
  },
};

describe('the full record', () => {
  test('has exactly the members of the interface in its order, before funding', () => {
    const loan = created();
    const life = live(loan.contract, loan.policy).create('2026-01-01');
    expect(full(loan, life, '2026-01-01')).toBe(
      `{"message":"ok","data":{"loanDetails":${JSON.stringify(APPLIED)},${loan.personal.record}}}`,
    );
  });

  test('shows a loan with payments as it stands on the day', () => {
    const loan = created();
    expect(full(loan, late(), '2026-05-20')).toBe(
      `{"message":"ok","data":{"loanDetails":${JSON.stringify(LATE)},${loan.personal.record}}}`,
    );
  });

  test('can be had without thousands separators', () => {
    const plain = details(full(created(), late(), '2026-05-20', true));
    expect(plain).toEqual(
      JSON.parse(JSON.stringify(LATE).replace(/"-?\d[\d,]*(\.\d+)?"/g, (text) => text.replaceAll(',', ''))),
    );
    expect(plain.createdAt).toBe('1767229200000');
  });

  test('everything depends on the day it is read for', () => {
    const life = late();
    expect(shown(life, '2026-04-11')).toMatchObject({ loanStatus: 'Current', delinquentDays: '10' });
    expect(shown(life, '2026-04-12')).toMatchObject({ loanStatus: 'Delinquent', delinquentDays: '11' });
    expect(shown(life, '2026-02-15')).toMatchObject({ loanStatus: 'Current', nextPaymentDate: '2026-03-01' });
    expect(shown(life, '2026-02-15').loanPayments).toHaveLength(1);
  });
});

describe('dates before funding', () => {
  const applied = (more: object) => {
    const loan = created(more);
    return details(full(loan, live(loan.contract).create('2026-01-01'), '2026-01-01'));
  };

  test('are empty while nothing fixes them', () => {
    expect(applied({ originationDate: '' })).toMatchObject({
      ...{ originationDate: '', firstPaymentDate: '', nextPaymentDate: '', maturityDate: '', lastPaymentDate: '' },
    });
  });

  test('are those that the contract fixes', () => {
    expect(applied({ originationDate: '', firstPaymentDate: '2026-03-15' })).toMatchObject({
      ...{
        originationDate: '',
        firstPaymentDate: '2026-03-15',
        nextPaymentDate: '2026-03-15',
        maturityDate: '2027-02-15',
      },
    });
  });

  test('follow a seasoned loan’s figures', () => {
    const loan = created({ nextPaymentDate: '2026-06-01' }, '2026-05-20');
    const life = live(loan.contract).create('2026-05-20');
    expect(details(full(loan, life, '2026-05-20'))).toMatchObject({
      ...{ firstPaymentDate: '2026-02-01', nextPaymentDate: '2026-06-01', remainingBalance: '10,000' },
      metadata: { AutoLoan: { fundedDate: '', originalTerm: '12', remainingTerm: '8', totalPrincipalPaid: '0' } },
    });
  });

  test('the next payment is none once there will be no loan', () => {
    const loan = created();
    const life = live(loan.contract).create('2026-01-01');
    life.take('2026-01-02', { do: 'cancel', reason: null });
    expect(details(full(loan, life, '2026-01-02'))).toMatchObject({ loanStatus: 'Cancelled', nextPaymentDate: '' });
  });
});

describe('what is planned before funding', () => {
  const planned = (more: object, on = '2026-01-01') => {
    const loan = created(more);
    return details(full(loan, live(loan.contract).create('2026-01-01'), on)).metadata.AutoLoan;
  };

  test('is the payment of the schedule that begins on the contract date, or on the day', () => {
    expect(planned({ balloonAmount: '4000' })).toMatchObject({ scheduledPayment: '573.09', remainingTerm: '12' });
    expect(planned({ amortizationType: 'InterestOnly', interestOnlyCount: 11 })).toMatchObject({
      scheduledPayment: '100',
    });
    expect(planned({ originationDate: '' }, '2026-02-10')).toMatchObject({ scheduledPayment: '888.49' });
    expect(planned({ scheduledPayment: '2000' })).toMatchObject({
      ...{ scheduledPayment: '2,000', originalTerm: '12', remainingTerm: '6' },
    });
  });

  test('has its payment also where the first payment date has passed', () => {
    const late = planned({ originationDate: '', firstPaymentDate: '2026-02-01' }, '2026-03-01');
    expect(late).toMatchObject({ scheduledPayment: '888.49', remainingTerm: '12', scheduledMaturityDate: '' });
  });

  test('stays as planned in a loan that was cancelled', () => {
    const loan = created({ loanType: 'PersonalLoan', Request: undefined });
    const life = live(loan.contract).create('2026-01-01');
    life.take('2026-01-02', { do: 'cancel', reason: null });
    expect(details(full(loan, life, '2026-03-02')).metadata).toMatchObject({
      PersonalLoan: {
        ...{ scheduledPayment: '888.49', remainingTerm: '12', currentBalance: '0', paymentStatus: '', pti: '' },
      },
    });
  });
});

describe('the economy', () => {
  const shownMacro = (more: object, file: object = {}) => {
    const loan = created(more);
    const assessed = { ...loan, file: { ...loan.file, ...file } };
    const text = full(assessed, live(loan.contract).create('2026-01-01'), '2026-01-01');
    return /"macroEconomicFeatures":(\{[^}]*\})/.exec(text)?.[1];
  };
  const assessed = { macroEconomicFeatures: '{"unemployment":1,"cpi":2,"fedRate":3}' };

  test('is each figure as given, else as assessed, else as on the day of creation', () => {
    expect(shownMacro({ macroEconomicFeatures: undefined })).toBe(MACRO);
    expect(shownMacro({ macroEconomicFeatures: { fedRate: '5.10' } })).toBe(
      '{"unemployment":4.4,"cpi":2.7,"fedRate":5.10}',
    );
    expect(shownMacro({ macroEconomicFeatures: { cpi: -0.5 } }, assessed)).toBe(
      '{"unemployment":1,"cpi":-0.5,"fedRate":3}',
    );
    expect(shownMacro({ macroEconomicFeatures: undefined }, assessed)).toBe(assessed.macroEconomicFeatures);
  });
});

describe('a loan', () => {
  test('that is paid off has nothing due', () => {
    const life = late();
    life.take('2026-05-20', {
      ...{ do: 'loan-repay', refId: 'P-4', amount: cents(877_543), date: null, purpose: 'installment', reason: null },
      acceptOverpayment: false,
    });
    for (const refId of ['P-2', 'P-4']) life.take('2026-05-21', { do: 'acknowledge-repayment', refId });
    expect(shown(life, '2026-05-22')).toMatchObject({
      ...{
        loanStatus: 'ClosedEarly',
        nextPaymentDate: '',
        remainingBalance: '0',
        delinquentAmount: '0',
        delinquentDays: '0',
      },
      metadata: {
        AutoLoan: {
          ...{ paymentStatus: 'On Time', remainingTerm: '0', currentPaymentDue: '0', scheduledPayment: '888.49' },
        },
      },
    });
  });

  test('that is charged off is still owed, but not on the books', () => {
    const life = late();
    life.take('2026-05-20', { do: 'charge-off', date: null, reason: 'policy', collateral: cents(0) });
    life.take('2026-05-25', { do: 'record-recovery', refId: 'R-1', amount: cents(50_000), date: null });
    const { remainingBalance, metadata, loanStatus } = shown(life, '2026-05-25');
    expect([loanStatus, metadata.AutoLoan?.currentBalance, metadata.AutoLoan?.chargeoffAmount]).toEqual([
      ...['ChargedOff', '0', '8,403.63'],
    ]);
    expect(metadata.AutoLoan).toMatchObject({ recoveredAmount: '500', paymentStatus: 'Charged Off' });
    expect(remainingBalance).not.toBe('0');
  });

  test('that is charged off with a collateral keeps its value on the books until it is sold or written down', () => {
    const life = late();
    life.take('2026-05-20', { do: 'charge-off', date: null, reason: 'policy', collateral: cents(500_000) });
    const figures = (day: string) => {
      const { currentBalance, chargeoffAmount } = shown(life, day).metadata.AutoLoan ?? {};
      return [currentBalance, chargeoffAmount];
    };
    expect(figures('2026-05-20')).toEqual(['5,000', '3,403.63']);
    life.take('2026-05-25', { do: 'write-down', amount: cents(100_000), reason: 'new appraisal' });
    expect(figures('2026-05-25')).toEqual(['4,000', '4,403.63']);
    life.take('2026-05-26', { do: 'record-recovery', refId: 'R-1', amount: cents(150_000), date: null });
    expect(figures('2026-05-26')).toEqual(['2,500', '4,403.63']);
  });

  test('that was boarded includes the principal that was paid elsewhere', () => {
    const loan = created({ nextPaymentDate: '2026-06-01' }, '2026-05-20');
    const life = live(loan.contract).approve('2026-05-20');
    life.take('2026-05-20', { do: 'fund-loan', date: null, opening: loan.file.opening });
    const found = details(full(loan, life, '2026-05-20'));
    expect(found).toMatchObject({ repaidAmount: '0', remainingBalance: '6,798.42', nextPaymentDate: '2026-06-01' });
    expect(found.metadata.AutoLoan).toMatchObject({
      ...{ fundedDate: '2026-01-01', totalPrincipalPaid: '3,201.58', currentBalance: '6,798.42', remainingTerm: '8' },
    });
  });

  test('that was approved with another deal shows that deal’s terms', () => {
    const loan = created({ apr: '0.1234' });
    const life = live(loan.contract).create('2026-01-01');
    expect(details(full(loan, life, '2026-01-01')).apr).toBe('0.1234');
    life.take('2026-01-01', { do: 'start-underwriting' });
    const deal = { amount: cents(900_000), rate: '9.5', term: 24, payment: null, decision: null };
    const onFile = { decision: null, deals: [null, deal], opening: null };
    life.take('2026-01-01', { do: 'complete-underwriting', approved: true, dealIndex: 1, reason: null }, onFile);
    const found = details(full(loan, life, '2026-01-01'));
    expect(found).toMatchObject({
      ...{ loanAmount: '9,000', principalAmount: '9,000', interestRate: '9.5', term: '24', installment: '24' },
      maturityDate: '2028-01-01',
    });
    expect(Number(found.apr)).toBeCloseTo(0.095, 4);
  });

  test('whose rate has changed shows the rate in force', () => {
    const life = late();
    life.take('2026-05-20', {
      do: 'change-rate',
      rate: percent('6'),
      date: null,
      why: 'modification',
      reason: 'agreed',
    });
    expect(shown(life, '2026-05-20').interestRate).toBe('6');
    expect(shown(life, '2026-05-19').interestRate).toBe('12.00');
  });

  test('at its last installment shows the payment of the others', () => {
    const life = live(created({ balloonAmount: '4000' }).contract).fund();
    const { AutoLoan } = shown(life, '2026-01-15', { balloonAmount: '4000' }).metadata;
    expect(AutoLoan?.scheduledPayment).toBe('573.09');
    for (let i = 1; i <= 11; i++) life.pay(`2026-${String(i + 1).padStart(2, '0')}-01`, '573.09', `P-${i}`);
    const last = shown(life, '2026-12-15', { balloonAmount: '4000' });
    expect(last.metadata.AutoLoan).toMatchObject({ scheduledPayment: '573.09', remainingTerm: '1' });
    expect(last.nextPaymentDate).toBe('2027-01-01');
  });

  test('of another kind has its own key', () => {
    const loan = created({ loanType: 'PersonalLoan' });
    const life = live(loan.contract).fund();
    expect(Object.keys(details(full(loan, life, '2026-01-01')).metadata)).toEqual(['PersonalLoan']);
  });

  test('has an annual percentage rate that counts prepaid finance charges', () => {
    const apr = (more: object) => {
      const loan = created(more);
      return details(full(loan, live(loan.contract).create('2026-01-01'), '2026-01-01')).apr;
    };
    expect(apr({ apr: '0.2' })).toBe('0.2');
    // 9,800.00 in hand for the same twelve payments: 15.8546 % by an independent solver.
    expect(apr({ prepaidFinanceCharge: '200' })).toBe('0.158546');
  });
});

describe('the public record', () => {
  const PUBLIC = {
    ...LATE,
    borrowerId: '',
    lendingDecisionReason: '',
    applicantCreditVision: '',
    // Too short to be a digest.
    creditReportHash: '',
    loanPayments: LATE.loanPayments.map((payment, i) => ({ ...payment, paymentId: String(i + 1) })),
    // 1.1^97 = 10,353.58 of income; 0.3146 × 10,000.00 − 888.49 = 2,257.51 of debts, 1.1^81 = 2,253.24: 8.58 % and 30.3 %.
    metadata: { AutoLoan: { ...LATE.metadata.AutoLoan, pti: '0.09', dti: '0.3' } },
  };

  test('has the same members, then loanInfo and Underwriting', () => {
    const loan = created();
    expect(everybody(loan, late(), '2026-05-20')).toBe(
      `{"message":"ok","data":{"loanDetails":${JSON.stringify(PUBLIC).slice(0, -1)},${loan.publicPart.slice(loan.publicPart.indexOf('\n') + 1)}}}}`,
    );
    expect(Object.keys(details(everybody(loan, late(), '2026-05-20'))).slice(-3)).toEqual([
      ...['metadata', 'loanInfo', 'Underwriting'],
    ]);
  });

  test('without separators has none in the mileage either', () => {
    expect(everybody(created(), late(), '2026-05-20')).toContain('"mileage":"88,400"');
    const plain = everybody(created(), late(), '2026-05-20', true);
    expect(plain).toContain('"age":"","mileage":"88400","vin":""');
    expect(() => JSON.parse(plain)).not.toThrow();
  });

  test('holds nothing of the person', () => {
    // Every value below is marked, and so is every exact ratio.
    const mark = (name: string) => `PRIVATE ${name}`;
    const marked = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, mark(name)]));
    const body = {
      ...BODY,
      borrowerId: 'PRIVATE-BORROWER',
      lendingDecisionReason: mark('reason'),
      applicantCreditVision: mark('vision'),
      coApplicantCreditVision: mark('co-vision'),
      loanInfo: { make: 'Honda', vin: '1HGCM82633A004352' },
      Request: {
        ApplicantInfo: {
          ...marked('ApplicantSSN ApplicantLastName ApplicantFirstName HomePhone ApplicantEmail'),
          ApplicantDOB: '19810412',
        },
        CoApplicantInfo: marked('CoApplicantSSN'),
        DealerInfo: marked('DealerName'),
        RequestedTermsInfo: { RequestedLoanPTI: '0.08731', RequestedLoanDTI: '0.31469' },
        VehicleInfo: { VehicleRetailValue: '12,345.60', VehicleVIN: '1HGCM82633A004352' },
        Anything: mark('request'),
      },
      Response: { ...marked('DealerID DeclineReason'), Comments: [mark('comment')], CreditScorePrimary: 71234 },
      Underwriting: {
        ...marked('PrimaryCreditBureauPDF PrimaryCreditBureauTradeLines CoApplicantCreditBureauPDF Other'),
        PrimaryCreditInfo: { CreditScore: mark('score') },
        DealTermsInfo: [{ TermsPTI: '0.08731', TermsDTI: '31.469', Whose: mark('deal') }],
        UnderwritingInfo: [
          { ...marked('AllWarnings DecisionReason DecisionReasonSimple Mine'), DecisionStatus: 'APPROVED' },
        ],
      },
    };
    const loan = creationOf(body, '2026-01-01');
    const life = live(loan.contract).fund().pay('2026-02-01', '888.49', 'PRIVATE-REF');
    const text = everybody(loan, life, '2026-05-20');
    expect(full(loan, life, '2026-05-20').split('PRIVATE').length).toBeGreaterThan(20);
    for (const value of ['PRIVATE', '004352', '71234', '08731', '31469', '31.469', '19810412', '1981-04-12'])
      expect(text).not.toContain(value);
    expect(text).toContain('1HGCM82633A******');
    expect(text).toContain('"DecisionStatus":"APPROVED"');
  });
});
