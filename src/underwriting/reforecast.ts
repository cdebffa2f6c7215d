/**
 * The same model on a loan in repayment: its expected cash flows, month by month from the given day, and their value. Nothing
 * about the person is needed: the model's log-odds are solved from the default probability that the loan began with. The loan's age in
 * months, its days past due and the change in the economy are added to them.
 */
import { daysBetween, type PlainDate, yearFraction } from '../core/calendar.ts';
import { delinquency, openInstallments } from '../core/delinquency.ts';
import { type CashflowRow, type Forecast, type ForecastTerms, forecast } from '../core/forecast.ts';
import { type Grade, type RiskRating, riskRatingOf } from '../core/grade.ts';
import type { Loan, ScheduleTerms } from '../core/loan.ts';
import { type Cents, cents, ZERO } from '../core/money.ts';
import { type Price, priceOf } from '../core/price.ts';
import { interestOver } from '../core/rate.ts';
import { type Refusal, refuse } from '../core/refusal.ts';
import { cashflowsCsv } from './cashflows.ts';
import { MODELS } from './model-data.ts';
import { type LendingPolicy, type Macro, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import {
  effectsOf,
  type Features,
  type FeatureWeight,
  gradeOf,
  hazardsOf,
  inForce,
  lifetimeDefault,
  type Model,
  recoveryRateOf,
  sumOf,
} from './score.ts';
import { shortAmountText, shortDecimalText } from './texts.ts';

export type ReforecastInput = {
  /** At the start of the loan; null: unknown, the model's reference loan is used. */
  readonly defaultProbability: number | null;
  readonly ltv: number | null;
  readonly vehicleAge: number | null;
  readonly macroThen: Macro | null;
  /** Null: the policy's for the loan's day. */
  readonly macroNow: Macro | null;
  readonly model?: Model;
  readonly policy?: LendingPolicy;
};

export type Reforecast = {
  readonly asOf: PlainDate;
  /** Principal that is owed on the day. */
  readonly balance: Cents;
  readonly forecast: Forecast;
  /** Measured at the balance: the yield to a buyer of the loan at par. */
  readonly price: Price;
  readonly discountPercent: number;
  readonly defaultProbability: number;
  readonly grade: Grade;
  readonly riskRating: RiskRating;
  /** As text, with the names that `loanDetails` has for them. */
  readonly figures: Readonly<Record<string, string>>;
  readonly cashflowsCsv: string;
  readonly modelVersion: string;
  readonly policyVersion: string;
};

export function reforecast(loan: Loan, input: ReforecastInput): Reforecast | Refusal {
  const { terms } = loan;
  if (terms === null || loan.stage !== 'Funded') {
    return refuse('wrong_status', 'Cash flows can be forecast once the loan is funded.');
  }
  const model = input.model ?? inForce(MODELS, loan.on);
  const policy = input.policy ?? inForce(POLICIES, loan.on);
  const macroNow = input.macroNow ?? macroOn(policy, loan.on);
  const risk = riskOf(loan, terms, model, input, macroNow);
  const isLost = loan.chargeOff !== null;
  const installments = isLost ? [] : remaining(loan, terms);
  const ahead: ForecastTerms = {
    amount: isLost ? ZERO : loan.principal,
    start: loan.on,
    installments,
    chargeOffLagMonths: model.chargeOffLagMonths,
    recoveryLagMonths: model.recoveryLagMonths,
    recoveryRate: recoveryRateOf(model, input.ltv ?? 1, input.vehicleAge),
    servicingFeePercent: policy.servicingFeePercent,
  };
  const last = installments.at(-1)?.dueDate ?? loan.on;
  const months = Math.ceil(daysBetween(loan.on, last) / 28) + 2;
  const expected = forecast(ahead, hazardsOf(model, risk, months, risk.seasoning));
  const whole = loan.chargeOff === null ? expected : stillRecovered(expected, loan, ahead);
  const defaultProbability = whole.totals.defaultMillionths / 1e6;
  const grade = isLost ? 'F' : gradeOf(model, defaultProbability);
  const discountPercent = Math.max(0, macroNow.fedRate) + policy.pricing[grade].spreadPercent;
  const price = priceOf(whole.rows, { paid: ahead.amount, discountPercent });
  return {
    asOf: loan.on,
    balance: ahead.amount,
    forecast: whole,
    price,
    discountPercent,
    defaultProbability,
    grade,
    riskRating: riskRatingOf(grade),
    figures: figuresOf(whole, price, grade),
    cashflowsCsv: cashflowsCsv([{ rows: whole.rows, price, funded: ahead.amount }]),
    modelVersion: model.version,
    policyVersion: policy.version,
  };
}

// ---- what is left to pay ----

/** Open installments with what each pays of interest and principal, as if what is past due were paid at once and the rest on time. */
function remaining(loan: Loan, terms: ScheduleTerms): ForecastTerms['installments'] {
  const rows: { dueDate: PlainDate; interest: Cents; principal: Cents }[] = [];
  let owed: number = loan.principal;
  let unpaid: number = loan.interest;
  let since = loan.on;
  for (const { installment, open } of openInstallments(loan)) {
    if (open === 0) continue;
    const day = installment.dueDate > since ? installment.dueDate : since;
    unpaid += interestOver(owed as Cents, loan.rate, yearFraction(since, day, terms.dayCount), terms.rounding);
    since = day;
    const interest = Math.min(open, unpaid);
    const principal = Math.min(open - interest, owed);
    unpaid -= interest;
    owed -= principal;
    rows.push({ dueDate: day, interest: cents(interest), principal: cents(principal) });
  }
  const last = rows.at(-1);
  // The engine rounds by stretches, which this plan does not have: the difference is in the last installment, which takes what is left.
  if (last === undefined)
    return owed === 0 ? [] : [{ dueDate: loan.on, interest: cents(unpaid), principal: cents(owed) }];
  last.principal = cents(last.principal + owed);
  return rows;
}

/** A charged-off loan has only recoveries left, and only those not received yet. */
function stillRecovered(nothing: Forecast, loan: Loan, { recoveryRate, recoveryLagMonths }: ForecastTerms): Forecast {
  const { date, principal, recovered } = loan.chargeOff as NonNullable<Loan['chargeOff']>;
  const amount = cents(Math.max(0, Math.round(principal * recoveryRate) - recovered));
  const month = Math.max(1, recoveryLagMonths - Math.floor(daysBetween(date, loan.on) / 30.4375));
  const rows = nothing.rows.map(
    (row): CashflowRow =>
      row.month === month ? { ...row, recovered: amount, totalPaid: amount, totalPaidLessFees: amount } : row,
  );
  const paid = { recovered: amount, totalPaid: amount, totalPaidLessFees: amount };
  return { rows, totals: { ...nothing.totals, ...paid, netLoss: cents(-amount) } };
}

// ---- the risk now ----

function riskOf(loan: Loan, terms: ScheduleTerms, model: Model, input: ReforecastInput, now: Macro) {
  const start = (terms.disbursements[0] as { date: PlainDate }).date;
  const seasoning = Math.max(0, Math.floor(daysBetween(start, loan.on) / 30.4375));
  const end = terms.dueDates.at(-1) as PlainDate;
  const months = Math.max(1, Math.ceil(daysBetween(start, end) / 30.4375));
  const then = { ...NOTHING, ltv: input.ltv, ...(input.macroThen ?? now) };
  const prepayThen = known(then, model.prepay.features);
  const began = input.defaultProbability === null ? 0 : logOddsFor(model, input.defaultProbability, prepayThen, months);
  const moved = economy({ ...then, ...now }, model) - economy(then, model);
  const days = delinquency(loan).daysPastDue;
  const late = model.delinquency.findLast(({ fromDays }) => fromDays <= days)?.logOdds ?? 0;
  return { default: began + moved + late, prepay: known({ ...then, ...now }, model.prepay.features) - late, seasoning };
}

const NOTHING: Features = {
  score: null,
  utilisation: null,
  pastDueLines: null,
  seriousLateLines: null,
  inquiries: null,
  thinFile: null,
  dti: null,
  pti: null,
  ltv: null,
  term: null,
  rate: null,
  vehicleAge: null,
  mileage: null,
  unemployment: null,
  cpi: null,
  fedRate: null,
};

/** Only known features change the odds; an unknown one counts as at its reference. */
function known(features: Features, weights: readonly FeatureWeight[]): number {
  return sumOf(
    effectsOf(
      features,
      weights.filter(({ name }) => features[name] !== null),
    ),
  );
}

function economy(features: Features, model: Model): number {
  return known(
    features,
    model.default.features.filter(({ about }) => about === 'economy'),
  );
}

/**
 * The log-odds at which a new loan of this term has a given default probability, by bisection: the default probability rises with the
 * odds.
 */
function logOddsFor(model: Model, probability: number, prepay: number, months: number): number {
  let [low, high] = [-20, 20];
  for (let turn = 0; turn < 60; turn++) {
    const middle = (low + high) / 2;
    if (lifetimeDefault(hazardsOf(model, { default: middle, prepay }, months)) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function figuresOf({ totals }: Forecast, price: Price, grade: Grade): Record<string, string> {
  return {
    riskRating: riskRatingOf(grade),
    defaultProbability: shortDecimalText(totals.defaultMillionths / 1e6, 6),
    grade,
    predictedPrincipalPaid: shortAmountText(totals.principalPaid),
    predictedInterestPaid: shortAmountText(totals.interestPaid),
    predictedChargeoffAmount: shortAmountText(totals.chargedOff),
    predictedRecoveredAmount: shortAmountText(totals.recovered),
    predictedGrossCashflow: shortAmountText(totals.totalPaid),
    predictedNetCashflow: shortAmountText(totals.totalPaidLessFees),
    predictedYield: shortDecimalText(price.compoundingNetIrr, 6),
    fairValuePrice: shortAmountText(price.fairValue),
  };
}
