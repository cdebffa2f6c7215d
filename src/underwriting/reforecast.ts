/**
 * The same model on a loan in repayment: its expected cash flows, month by month from the given day, and their value. Nothing
 * about the person is needed: the model's log-odds are solved from the default probability that the loan began with. The loan's age in
 * months, its days past due and the change in the economy are added to them. Its rate is compared with what this risk pays today, and what
 * the vehicle would bring with what it was worth at the start.
 */
import { daysBetween, type PlainDate, yearFraction } from '../core/calendar.ts';
import { delinquency, openInstallments } from '../core/delinquency.ts';
import {
  type CashflowRow,
  type Forecast,
  type ForecastTerms,
  forecast,
  type Hazards,
  saleOf,
} from '../core/forecast.ts';
import { GRADES, type Grade, type RiskRating, riskRatingOf } from '../core/grade.ts';
import type { Loan, ScheduleTerms } from '../core/loan.ts';
import { type Cents, cents, ZERO } from '../core/money.ts';
import { type Price, priceOf } from '../core/price.ts';
import { formatDecimal, interestOver } from '../core/rate.ts';
import { type Refusal, refuse } from '../core/refusal.ts';
import { cashflowsCsv } from './cashflows.ts';
import { recoveryOf } from './collateral.ts';
import { MODELS } from './model-data.ts';
import { type LendingPolicy, macroOn } from './policy.ts';
import { POLICIES } from './policy-data.ts';
import { costsFor, type Lender, requiredReturn, sheetFor } from './rate-sheet.ts';
import {
  effectsOf,
  type Features,
  type FeatureWeight,
  gradeOf,
  hazardsOf,
  incentiveOf,
  inForce,
  lifetimeDefault,
  type Model,
  sumOf,
} from './score.ts';
import { shortAmountText, shortDecimalText } from './texts.ts';

export type ReforecastInput = {
  /** At the start of the loan; null: unknown, the model's reference loan is used. */
  readonly defaultProbability: number | null;
  /** The grade of the person at the start of the loan; null: unknown, it follows from the default probability. */
  readonly grade: Grade | null;
  /** Loan to value, the vehicle's age in years and its mileage, at the start of the loan. */
  readonly ltv: number | null;
  readonly vehicleAge: number | null;
  readonly mileage: number | null;
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
    const detail =
      loan.rescission === null
        ? 'Cash flows can be forecast once the loan is funded.'
        : `The loan was rescinded on ${loan.rescission.date}: its contract is void, and no cash flows follow from it.`;
    return refuse('wrong_status', detail);
  }
  const model = input.model ?? inForce(MODELS, loan.on);
  const policy = input.policy ?? inForce(POLICIES, loan.on);
  const lender: Lender = { model, policy, today: loan.on, states: [], markupCap: null };
  const isLost = loan.chargeOff !== null;
  const installments = isLost ? [] : remaining(loan, terms);
  const last = installments.at(-1)?.dueDate ?? loan.on;
  const months = Math.ceil(daysBetween(loan.on, last) / 28) + 2;
  const risk = riskOf(loan, terms, lender, input, months);
  const { grade } = risk;
  const ahead: ForecastTerms = {
    amount: isLost ? ZERO : loan.principal,
    start: loan.on,
    installments,
    chargeOffLagMonths: model.chargeOffLagMonths,
    recovery: risk.recovery,
    servicingFeePercent: risk.costs.servicing / 100,
  };
  const expected = forecast(ahead, risk.hazards);
  const whole = loan.chargeOff === null ? expected : stillRecovered(expected, loan, ahead);
  const defaultProbability = whole.totals.defaultMillionths / 1e6;
  const { funds, capital } = requiredReturn(lender, risk.costs, risk.term);
  const discountPercent = (funds + capital) / 100;
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
    cashflowsCsv: cashflowsCsv({ rows: whole.rows, price, funded: ahead.amount }),
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

/** A recovery that is a year overdue is no longer expected: the vehicle was not found, the borrower has nothing. */
const OVERDUE_MONTHS = 12;

/** A charged-off loan has only recoveries left, and only those not received yet: first the sale's, then what is collected. */
function stillRecovered(nothing: Forecast, loan: Loan, { recovery }: ForecastTerms): Forecast {
  const { date, principal, recovered } = loan.chargeOff as NonNullable<Loan['chargeOff']>;
  const since = Math.floor(daysBetween(date, loan.on) / 30.4375);
  const sale = Math.round(saleOf(recovery, 1, principal));
  const collected = Math.round((principal - sale) * recovery.collectedShare);
  const flows = new Map<number, number>();
  const expect = (lagMonths: number, amount: number) => {
    if (since >= lagMonths + OVERDUE_MONTHS) return;
    const month = Math.max(1, lagMonths - since);
    flows.set(month, (flows.get(month) ?? 0) + Math.max(0, amount));
  };
  expect(recovery.saleLagMonths, sale - recovered);
  expect(recovery.collectionLagMonths, collected - Math.max(0, recovered - sale));
  const rows = nothing.rows.map((row): CashflowRow => {
    const amount = cents(flows.get(row.month) ?? 0);
    return amount === 0 ? row : { ...row, recovered: amount, totalPaid: amount, totalPaidLessFees: amount };
  });
  const amount = cents([...flows.values()].reduce((sum, flow) => sum + flow, 0));
  const paid = { recovered: amount, totalPaid: amount, totalPaidLessFees: amount };
  return { rows, totals: { ...nothing.totals, ...paid, netLoss: cents(-amount) } };
}

// ---- the risk now ----

function riskOf(loan: Loan, terms: ScheduleTerms, lender: Lender, input: ReforecastInput, monthsAhead: number) {
  const { model } = lender;
  const { date: start, amount } = terms.disbursements[0] as { date: PlainDate; amount: Cents };
  const seasoning = monthsFrom(start, loan.on);
  const end = terms.dueDates.at(-1) as PlainDate;
  const term = Math.max(1, Math.ceil(daysBetween(start, end) / 30.4375));
  const vehicle = { value: amount / (input.ltv || 1), age: input.vehicleAge, mileage: input.mileage };
  const soFar = Math.max(seasoning + monthsAhead, ...lender.policy.terms);
  const recovery = recoveryOf(model.collateral, model.chargeOffLagMonths, vehicle, soFar);
  const rate = Number(formatDecimal(loan.rate));
  const usualPrepay = known({ ...NOTHING, ltv: input.ltv }, model.prepay.features);
  /** Prepayment by the rate's distance from what this risk pays on a day, on a loan as this one was at its start. */
  const prepayAt = (on: Lender, grade: Grade, logOdds: number) => {
    const costs = costsFor(on, standardWithin(model, grade, logOdds));
    const risk = {
      costs,
      amount,
      term,
      balloon: 0,
      deferredMonths: 0,
      interestOnlyMonths: 0,
      recovery,
      logOddsAt: () => logOdds,
    };
    return usualPrepay + incentiveOf(model, grade, rate - sheetFor(risk, on).uncappedRate);
  };
  const lenderThen = { ...lender, today: start };
  const prepayThen = (logOdds: number) => prepayAt(lenderThen, input.grade ?? gradeAt(model, logOdds), logOdds);
  const began = input.defaultProbability === null ? 0 : logOddsFor(model, input.defaultProbability, prepayThen, term);
  const oddsOn = (day: PlainDate) => economy({ ...NOTHING, ...macroOn(lender.policy, day) }, model);
  const moved = oddsOn(loan.on) - oddsOn(start);
  const days = delinquency(loan).daysPastDue;
  const lost = model.delinquency.findLast(({ fromDays }) => fromDays <= days)?.lostShare ?? 0;
  const grade = gradeNow(loan, model, input.grade, { began, moved, lost });
  // The vehicle of a charged-off loan is valued for the default that led to it, not for one from today on.
  const lostIn = loan.chargeOff === null ? null : monthsFrom(start, loan.chargeOff.date) - model.chargeOffLagMonths;
  const from = lostIn === null ? seasoning : Math.max(0, lostIn - 1);
  const prepay = prepayAt(lender, grade, began + moved);
  return {
    hazards: withLost(hazardsOf(model, { default: began + moved, prepay }, monthsAhead, seasoning), lost),
    recovery: { ...recovery, proceeds: recovery.proceeds.slice(from) },
    costs: costsFor(lender, standardWithin(model, grade, began + moved)),
    ...{ term, grade },
  };
}

/** A share of those who are late is lost in the first month, and does not prepay in it; the others go on as before. */
function withLost({ default: stops, prepay }: Hazards, lost: number): Hazards {
  const [first = 0, ...later] = stops;
  const [early = 0, ...earlyLater] = prepay;
  return { default: [1 - (1 - first) * (1 - lost), ...later], prepay: [early * (1 - lost), ...earlyLater] };
}

/** The grade the loan began with, unless it has become riskier since; that of a charged-off loan is F. */
function gradeNow(
  loan: Loan,
  model: Model,
  first: Grade | null,
  { began, moved, lost }: { began: number; moved: number; lost: number },
): Grade {
  if (loan.chargeOff !== null) return 'F';
  const now = gradeOf(model, 1 - (1 - standardAt(model, began + moved)) * (1 - lost));
  if (first === null) return now;
  return moved + lost > 0 && now > first ? now : first;
}

function gradeAt(model: Model, logOdds: number): Grade {
  return gradeOf(model, standardAt(model, logOdds));
}

/** The default probability under the standard deal. */
function standardAt(model: Model, logOdds: number): number {
  return lifetimeDefault(hazardsOf(model, { default: logOdds, prepay: 0 }, model.standardMonths));
}

/** The same, as far as the loan's grade allows: the deal's own odds are known, the person's only by the grade. */
function standardWithin(model: Model, grade: Grade, logOdds: number): number {
  const better = GRADES[GRADES.indexOf(grade) - 1];
  const least = better === undefined ? 0 : model.grades[better];
  return Math.min(model.grades[grade], Math.max(least, standardAt(model, logOdds)));
}

/** Whole months. */
function monthsFrom(start: PlainDate, day: PlainDate): number {
  return Math.max(0, Math.floor(daysBetween(start, day) / 30.4375));
}

const NOTHING: Features = {
  score: null,
  utilisation: null,
  pastDueLines: null,
  seriousLateLines: null,
  inquiries: null,
  thinFile: null,
  debtToIncome: null,
  amountToIncome: null,
  ltv: null,
  term: null,
  markup: null,
  vehicleAge: null,
  mileage: null,
  unemployment: null,
  cpi: null,
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
 * odds, and early payment, which competes with it, falls, because a riskier borrower finds less to save elsewhere.
 */
function logOddsFor(model: Model, probability: number, prepayAt: (logOdds: number) => number, months: number): number {
  let [low, high] = [-20, 20];
  for (let turn = 0; turn < 36; turn++) {
    const middle = (low + high) / 2;
    const logOdds = { default: middle, prepay: prepayAt(middle) };
    if (lifetimeDefault(hazardsOf(model, logOdds, months)) < probability) low = middle;
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
