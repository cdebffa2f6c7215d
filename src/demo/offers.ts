/**
 * The sixty deals that a lender's model would offer on an application, with what it expects of each: six terms by ten down payments, the
 * one that was asked for first. Payments are the engine's own. Forecasts are estimates in floating point: nothing is booked by them.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, cents, formatCents } from '../core/money.ts';
import { formatDecimal, type Percent, percent } from '../core/rate.ts';
import { isRefusal } from '../core/refusal.ts';
import { buildSchedule, type ScheduleRow } from '../core/schedule.ts';
import { termsOf } from '../core/terms.ts';

export type Asked = {
  /** As it will be signed. */
  readonly contract: Contract;
  readonly start: PlainDate;
  readonly months: number;
  readonly downPayment: Cents;
  /** What is financed beside the car: gap cover, service contract. */
  readonly products: Cents;
  readonly wholesale: Cents;
  readonly monthlyGross: Cents;
  /** Housing and what other accounts ask for each month. */
  readonly otherMonthly: Cents;
  readonly defaultProbability: number;
  readonly approved: boolean;
};

export type Offer = {
  readonly months: number;
  readonly rate: Percent;
  readonly amount: Cents;
  readonly downPayment: Cents;
  readonly payment: Cents;
  readonly ltv: number;
  readonly frontEndLtv: number;
  readonly pti: number;
  readonly dti: number;
  readonly approved: boolean;
  readonly warnings: readonly string[];
  readonly discount: Cents;
  readonly forecast: Forecast;
};

export type Forecast = {
  readonly defaultProbability: number;
  readonly principal: Cents;
  readonly interest: Cents;
  readonly chargedOff: Cents;
  readonly recovered: Cents;
  readonly servicing: Cents;
  readonly presentValue: Cents;
  /** Of a year, nominal: before and after the cost of servicing. */
  readonly grossRate: number;
  readonly netRate: number;
  readonly months: readonly ForecastMonth[];
};

type ForecastMonth = {
  readonly month: number;
  readonly date: PlainDate;
  readonly beginning: Cents;
  readonly scheduled: Cents;
  readonly interest: Cents;
  readonly principal: Cents;
  readonly chargedOff: Cents;
  readonly recovered: Cents;
  readonly servicing: Cents;
  readonly ending: Cents;
  readonly net: Cents;
  /** Since the beginning. */
  readonly paidSoFar: Cents;
  readonly lostSoFar: Cents;
  readonly recoveredSoFar: Cents;
  readonly valueSoFar: Cents;
  readonly survival: number;
  readonly discountFactor: number;
};

const TERMS = [36, 48, 60, 66, 72, 75, 84];
const DEALS = 60;
const DOWN_PAYMENTS = 10;
/** Dealers are paid so much for bringing the loan. */
export const DEALER_FLAT = cents(200_00);

/** One deal after the other: sixty schedules take 5 ms, and ten times that while the engine is cold. */
export function* offersFor(asked: Asked): Generator<Offer, void> {
  const terms = [asked.months, ...TERMS.filter((months) => months !== asked.months)].slice(0, DEALS / DOWN_PAYMENTS);
  for (let i = 0; i < DEALS; i++) {
    const months = terms[Math.floor(i / DOWN_PAYMENTS)] as number;
    // Each further five hundred dollars down leave so much less to borrow.
    yield offer(asked, months, cents((i % DOWN_PAYMENTS) * 500_00));
  }
}

function offer(asked: Asked, months: number, moreDown: Cents): Offer {
  const { contract, start, products, wholesale, monthlyGross, otherMonthly } = asked;
  const longer = Math.max(0, months - asked.months);
  const rate = longer === 0 ? contract.rate : raised(contract.rate, Math.ceil(longer / 12));
  const amount = cents(contract.amount - moreDown);
  const monthly: Contract = { ...contract, amount, rate, frequency: 'Monthly', count: months, payment: null };
  const asSigned = contract.frequency === 'Monthly' ? monthly : { ...monthly, firstPaymentDate: null };
  const rows = rowsOf(asSigned, start);
  const payment = (rows[asSigned.interestOnlyCount] as ScheduleRow).payment;
  const ltv = amount / wholesale;
  const pti = payment / monthlyGross;
  const dti = (payment + otherMonthly) / monthlyGross;
  const warnings = [
    ...(ltv > 1.3 ? ['Loan to value above 130 %'] : []),
    ...(pti > 0.16 ? ['Payment to income above 16 %'] : []),
    ...(dti > 0.5 ? ['Debt to income above 50 %'] : []),
  ];
  const defaultProbability = Math.min(0.6, asked.defaultProbability * (0.7 + 0.3 * ltv) * (0.8 + months / 300));
  return {
    months,
    rate,
    amount,
    downPayment: cents(asked.downPayment + moreDown),
    payment,
    ltv,
    frontEndLtv: (amount - products) / wholesale,
    pti,
    dti,
    approved: asked.approved && (warnings.length < 2 || (moreDown === 0 && months === asked.months)),
    warnings,
    discount: cents(Math.round((amount * Math.min(0.08, asked.defaultProbability / 4)) / 100) * 100),
    forecast: forecast(rows, { amount, defaultProbability }),
  };
}

function rowsOf(contract: Contract, start: PlainDate): readonly ScheduleRow[] {
  const terms = termsOf(contract, start);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  if (isRefusal(schedule)) throw new Error(`An invented deal has no schedule: ${schedule.detail}`);
  return schedule.rows;
}

/** A quarter of a percent for each year more. */
function raised(rate: Percent, years: number): Percent {
  return percent((rate.digits / 10 ** rate.scale + years / 4).toFixed(2));
}

const RECOVERED_SHARE = 0.42;
const MONTHS_TO_RECOVER = 5;
const SERVICING_A_YEAR = 0.01;
const DISCOUNT_A_YEAR = 0.065;

/** Each month a few of those who are left stop paying for good; of what they owe some comes back when the car is sold. */
function forecast(
  rows: readonly ScheduleRow[],
  { amount, defaultProbability }: { amount: Cents; defaultProbability: number },
): Forecast {
  const hazard = 1 - (1 - defaultProbability) ** (1 / rows.length);
  const lost: number[] = [];
  const gross: number[] = [];
  const net: number[] = [];
  let survival = 1;
  let owed: number = amount;
  let worth = 0;
  const soFar = { paid: 0, lost: 0, recovered: 0 };
  const months = rows.map((row, i): ForecastMonth => {
    const beginning = owed * survival;
    const chargedOff = beginning * hazard;
    lost.push(chargedOff);
    survival *= 1 - hazard;
    const interest = row.interest * survival;
    const principal = row.principal * survival;
    const recovered = (lost[i - MONTHS_TO_RECOVER] ?? 0) * RECOVERED_SHARE;
    const servicing = (beginning * SERVICING_A_YEAR) / 12;
    const discountFactor = (1 + DISCOUNT_A_YEAR / 12) ** -(i + 1);
    gross.push(interest + principal + recovered);
    net.push(interest + principal + recovered - servicing);
    worth += (net[i] as number) * discountFactor;
    owed = row.balance;
    soFar.paid += interest + principal;
    soFar.lost += chargedOff;
    soFar.recovered += recovered;
    return {
      month: i + 1,
      date: row.dueDate,
      beginning: rounded(beginning),
      scheduled: row.payment,
      interest: rounded(interest),
      principal: rounded(principal),
      chargedOff: rounded(chargedOff),
      recovered: rounded(recovered),
      servicing: rounded(servicing),
      ending: rounded(owed * survival),
      net: rounded(net[i] as number),
      paidSoFar: rounded(soFar.paid),
      lostSoFar: rounded(soFar.lost),
      recoveredSoFar: rounded(soFar.recovered),
      valueSoFar: rounded(worth),
      survival,
      discountFactor,
    };
  });
  const sum = (member: 'interest' | 'principal' | 'chargedOff' | 'recovered' | 'servicing') =>
    cents(months.reduce((total, month) => total + month[member], 0));
  return {
    defaultProbability,
    principal: sum('principal'),
    interest: sum('interest'),
    chargedOff: sum('chargedOff'),
    recovered: sum('recovered'),
    servicing: sum('servicing'),
    presentValue: rounded(worth),
    grossRate: monthlyReturn(amount, gross) * 12,
    netRate: monthlyReturn(amount, net) * 12,
    months,
  };
}

/** The rate of a month at which the flows are worth what was paid, by Newton's method; a handful of turns is enough for six decimals. */
function monthlyReturn(paid: number, flows: readonly number[]): number {
  let rate = 0.005;
  for (let turn = 0; turn < 12; turn++) {
    let value = -paid;
    let slope = 0;
    let factor = 1;
    for (let i = 0; i < flows.length; i++) {
      factor /= 1 + rate;
      const part = (flows[i] as number) * factor;
      value += part;
      slope -= ((i + 1) * part) / (1 + rate);
    }
    const step = value / slope;
    rate -= step;
    if (Math.abs(step) < 1e-10) break;
  }
  return rate;
}

const rounded = (amount: number): Cents => cents(Math.round(amount));

// ---- as the record has them ----

const fraction = (value: number, decimals = 4): string => value.toFixed(decimals);

export function dealTerms(offered: Offer): Record<string, string> {
  return {
    ApprovedDownPayment: formatCents(offered.downPayment),
    TermsAPR: formatDecimal(offered.rate),
    TermsDTI: fraction(offered.dti),
    TermsFrontEndLTV: fraction(offered.frontEndLtv),
    TermsLTV: fraction(offered.ltv),
    TermsLoanAmount: formatCents(offered.amount),
    TermsMonthlyPayment: formatCents(offered.payment),
    TermsPTI: fraction(offered.pti),
    TermsTerm: String(offered.months),
  };
}

export function underwritingInfo(offered: Offer, products: Cents): Record<string, string> {
  const { forecast: expected, warnings, approved, discount, amount } = offered;
  const money = (value: number) => formatCents(cents(value));
  const funded = amount - discount;
  const totalPaid = expected.principal + expected.interest + expected.recovered;
  const compounding = (rate: number) => fraction((1 + rate / 12) ** 12 - 1, 6);
  return {
    AllWarnings: warnings.join('; '),
    CollateralDefaultProb: fraction(Math.min(1, expected.defaultProbability * offered.ltv), 6),
    DecisionReason: approved ? 'Within the limits of the program' : warnings.join('; ') || 'Credit history',
    DecisionReasonSimple: approved ? 'Approved' : 'Declined',
    DecisionStatus: approved ? 'APPROVED' : 'DECLINED',
    DefaultProb: fraction(expected.defaultProbability, 6),
    FairValuePrice: money(expected.presentValue),
    ForecastChargeoffAmount: money(expected.chargedOff),
    ForecastCompoundingIRR: compounding(expected.grossRate),
    ForecastCompoundingNetIRR: compounding(expected.netRate),
    ForecastFairValuePrice: money(expected.presentValue),
    ForecastInterestPaid: money(expected.interest),
    ForecastNetLossAmount: money(expected.chargedOff - expected.recovered),
    ForecastPresentValue: money(expected.presentValue),
    ForecastPrincipalPaid: money(expected.principal),
    ForecastRecoveredAmount: money(expected.recovered),
    ForecastSimpleIRR: fraction(expected.grossRate, 6),
    ForecastSimpleNetIRR: fraction(expected.netRate, 6),
    ForecastTotalPaid: money(totalPaid),
    ForecastTotalPaidLessFees: money(totalPaid - expected.servicing),
    SolventProb: fraction(1 - expected.defaultProbability, 6),
    TermsApprovedBackEndProducts: formatCents(products),
    TermsApprovedFrontEndAmt: money(amount - products),
    TermsApprovedFrontEndLTV: fraction(offered.frontEndLtv),
    TermsDealerDiscount: money(discount),
    TermsDealerFlat: formatCents(DEALER_FLAT),
    TermsDiscountFee: '0.00',
    TermsFundedAmount: money(funded),
    TermsLoanDiscount: money(discount),
    TermsTotalDiscount: money(discount + DEALER_FLAT),
    WarningsNumber: String(warnings.length),
  };
}

const CASHFLOW_COLUMNS = [
  ...['Month', 'BeginningBalance', 'ScheduledPayment', 'InterestPaid', 'PrincipalPaid', 'TotalPaid', 'ChargeoffAmount'],
  ...['RecoveredAmount', 'NetLossAmount', 'ServicingFee', 'EndingBalance', 'NetCashflow', 'CumulativePaid'],
  ...[
    'CumulativeChargeoffAmount',
    'CumulativeRecoveredAmount',
    'CumulativePresentValue',
    'SurvivalProb',
    'DefaultProb',
  ],
  ...['DiscountFactor', 'Type', 'Date', 'row_no'],
];

/** Months that the `small` size has of every deal but the first. */
const FEW_MONTHS = 2;

/** One block of months for each deal, one after the other, under one header. */
export function cashflowsCsv(offers: readonly Offer[], size: 'small' | 'full'): string {
  const lines = [CASHFLOW_COLUMNS.join(',')];
  offers.forEach(({ forecast: { months } }, i) => {
    for (const month of size === 'small' && i > 0 ? months.slice(0, FEW_MONTHS) : months) {
      lines.push(
        [
          month.month,
          formatCents(month.beginning),
          formatCents(month.scheduled),
          formatCents(month.interest),
          formatCents(month.principal),
          formatCents(cents(month.interest + month.principal)),
          formatCents(month.chargedOff),
          formatCents(month.recovered),
          formatCents(cents(month.chargedOff - month.recovered)),
          formatCents(month.servicing),
          formatCents(month.ending),
          formatCents(month.net),
          formatCents(month.paidSoFar),
          formatCents(month.lostSoFar),
          formatCents(month.recoveredSoFar),
          formatCents(month.valueSoFar),
          fraction(month.survival, 6),
          fraction(1 - month.survival, 6),
          fraction(month.discountFactor, 6),
          'Projected',
          month.date,
          lines.length,
        ].join(','),
      );
    }
  });
  return `${lines.join('\n')}\n`;
}
