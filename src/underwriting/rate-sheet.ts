/**
 * The rate sheet: what a lender charges for a risk. The buy rate of a deal is built up from what the deal costs:
 *
 *     cost of funds + expected loss + servicing + capital and target return + acquisition
 *
 * and, for a short loan to a risky borrower, what it lacks to the rate of a longer one. Funds, servicing, capital and acquisition are the policy's. The expected loss is what is left of the lowest rate at which a loan of this
 * risk, amount and term is worth what is lent, when all it brings is discounted at the cost of money: defaults, what the vehicle brings
 * then, and early payment at the usual speed are all in it. Rates are whole hundredths of a percent, rounded up.
 *
 * The sheet has the policy's terms; a term between two of them has the rate of the longer one, and no longer term costs less than a
 * shorter one. So the buy rate never falls when the score falls, or when loan to value, term or the vehicle's age rise.
 */
import type { PlainDate } from '../core/calendar.ts';
import { type Recovery, saleOf } from '../core/forecast.ts';
import { GRADES, type Grade } from '../core/grade.ts';
import { costOfFunds, dealersMarkup, highestRateIn, type LendingPolicy } from './policy.ts';
import { hazardsOf, type Model } from './score.ts';

/** All in percent a year. */
export type Sheet = {
  /** The lowest rate at which the deal is offered. */
  readonly buyRate: number;
  /** The buy rate before the cap of the state or of the lender: what this risk pays where nothing limits it. */
  readonly uncappedRate: number;
  /** The buy rate with all that a dealer may add to it. */
  readonly highestOffer: number;
  /** The highest rate that the lender's policy on markups accepts; null: it has none. */
  readonly markupCap: number | null;
  /** They add up to the uncapped rate. */
  readonly parts: RateParts;
};

export type RateParts = {
  readonly funds: number;
  readonly loss: number;
  /** Added to a loan that is too short for its risk. */
  readonly shortTerm: number;
  readonly servicing: number;
  readonly capital: number;
  readonly acquisition: number;
};

export type Lender = {
  readonly model: Model;
  readonly policy: LendingPolicy;
  readonly today: PlainDate;
  readonly states: readonly string[];
  /** Points; null: the lender's policy has none. */
  readonly markupCap: number | null;
};

/** The costs of a risk besides its losses, in hundredths of a percent a year, and what is asked of it. */
export type Costs = {
  readonly servicing: number;
  readonly capital: number;
  /** The least net yield above the cost of funds. */
  readonly hurdle: number;
  /** Months, not always whole ones: a shorter loan has the rate of one over so many. */
  readonly shortestMonths: number;
};

export type Risk = {
  readonly costs: Costs;
  /** Cents. */
  readonly amount: number;
  /** Months. */
  readonly term: number;
  /** Due with the last installment, in cents; how many months pay nothing, and how many after them pay interest only. */
  readonly balloon: number;
  readonly deferredMonths: number;
  readonly interestOnlyMonths: number;
  readonly recovery: Recovery;
  /** The log-odds of default of the same deal over another term, at the market's rate. */
  readonly logOddsAt: (term: number) => number;
};

/**
 * By the default probability under the standard deal. The policy's figures of a grade are those of its best risks; between them and the
 * next grade's they rise evenly, so that one point of score never moves the rate by a step. The worst grade has one figure.
 */
export function costsFor({ model, policy }: Pick<Lender, 'model' | 'policy'>, standardDefault: number): Costs {
  const at = GRADES.findIndex((grade) => standardDefault <= model.grades[grade]);
  const [own, next] = [GRADES[at] as Grade, GRADES[at + 1]];
  const best = at === 0 ? 0 : model.grades[GRADES[at - 1] as Grade];
  const share = next === undefined ? 0 : (standardDefault - best) / (model.grades[own] - best);
  const along = (name: 'servicingPercent' | 'capitalPercent' | 'hurdlePoints' | 'shortestMonths') => {
    const from = policy.pricing[own][name];
    return from + (next === undefined ? 0 : (policy.pricing[next][name] - from) * share);
  };
  return {
    servicing: Math.ceil(along('servicingPercent') * 100 - 1e-9),
    capital: Math.ceil(along('capitalPercent') * policy.targetReturnPoints - 1e-9),
    hurdle: Math.floor(along('hurdlePoints') * 100 + 1e-9),
    shortestMonths: along('shortestMonths'),
  };
}

/** The least net yield of a deal, in percent a year. */
export function hurdleOf(lender: Pick<Lender, 'policy' | 'today'>, costs: Costs, term: number): number {
  return (requiredReturn(lender, costs, term).funds + costs.hurdle) / 100;
}

/** The required return before losses and servicing, in hundredths of a percent: on borrowed money and own capital together. */
export function requiredReturn({ policy, today }: Pick<Lender, 'policy' | 'today'>, { capital }: Costs, term: number) {
  return { funds: costOfFunds(policy, today, term), capital };
}

export function sheetFor(risk: Risk, lender: Lender): Sheet {
  const { policy } = lender;
  const { servicing } = risk.costs;
  const acquisition = Math.ceil(policy.acquisition.ratePercent * 100 - 1e-9);
  const { best, shortTerm } = pricedAt(risk, lender);
  const uncapped = best.rate + shortTerm + acquisition;
  const highest = Math.floor(highestRateIn(policy, lender.states, lender.today) * 100 + 1e-9);
  const buy = Math.min(uncapped, highest);
  const cap = lender.markupCap === null ? null : Math.floor(lender.markupCap * 100 + 1e-9);
  const added = Math.min(dealersMarkup(policy, risk.term), cap ?? Number.POSITIVE_INFINITY);
  const percent = (hundredths: number) => hundredths / 100;
  return {
    buyRate: percent(buy),
    uncappedRate: percent(uncapped),
    highestOffer: percent(Math.min(buy + added, highest)),
    markupCap: cap === null ? null : percent(buy + cap),
    parts: {
      funds: percent(best.funds),
      loss: percent(best.rate - best.funds - best.capital - servicing),
      shortTerm: percent(shortTerm),
      servicing: percent(servicing),
      capital: percent(best.capital),
      acquisition: percent(acquisition),
    },
  };
}

type Best = { readonly rate: number; readonly funds: number; readonly capital: number };

/**
 * The dearest of the sheet's terms up to that of the loan, in hundredths; and what a loan that is shorter than its risk allows pays besides,
 * which leads evenly from one term of the sheet to the next, so that no point of score moves the rate by a step.
 */
function pricedAt(risk: Risk, lender: Lender): { readonly best: Best; readonly shortTerm: number } {
  const { servicing, shortestMonths } = risk.costs;
  let [best, own]: [Best, Best | null] = [NOTHING, null];
  let shorter: { readonly term: number; readonly rate: number } | null = null;
  for (const term of lender.policy.terms) {
    // A shorter loan has no room for what is paid later.
    if (term <= risk.deferredMonths + risk.interestOnlyMonths && term < risk.term) continue;
    const { funds, capital } = requiredReturn(lender, risk.costs, term);
    const rate = breakEven({ ...risk, term }, { return: funds + capital, servicing, model: lender.model });
    if (rate > best.rate) best = { rate, funds, capital };
    if (own === null && term >= risk.term) own = best;
    if (own !== null && term >= shortestMonths) {
      const share = shorter === null ? 1 : (shortestMonths - shorter.term) / (term - shorter.term);
      const from = shorter?.rate ?? best.rate;
      return { best: own, shortTerm: Math.max(0, Math.ceil(from + (best.rate - from) * share - own.rate - 1e-9)) };
    }
    shorter = { term, rate: best.rate };
  }
  return { best: own ?? best, shortTerm: 0 };
}

const NOTHING: Best = { rate: -1, funds: 0, capital: 0 };

/** A rate of a hundred percent is no rate: nobody is offered it, and the search ends there. */
const NO_RATE = 100_00;

/** The lowest rate, in hundredths, at which the loan is worth what is lent: its worth rises with its rate. */
function breakEven(risk: Risk, costs: { return: number; servicing: number; model: Model }): number {
  const { model } = costs;
  const hazards = hazardsOf(model, { default: risk.logOddsAt(risk.term), prepay: 0 }, risk.term);
  // Sums of fractions miss a whole amount in their last digits, which must not cost a hundredth.
  const least = risk.amount * (1 - 1e-12);
  // Money that costs nearly as much itself is only ever given in a what-if; what is left for losses is not negative then either.
  let [below, enough] = [costs.return - 1, Math.max(NO_RATE, costs.return + costs.servicing)];
  while (enough - below > 1) {
    const middle = (below + enough) >> 1;
    if (worthAt(middle) >= least) enough = middle;
    else below = middle;
  }
  return enough;

  /** The same sums as in the forecast, over equal months and without rounding. */
  function worthAt(rate: number): number {
    const { amount, term, recovery, deferredMonths } = risk;
    const monthly = rate / 120_000;
    const payment = deferredMonths === 0 ? levelPayment(risk, monthly) : deferredPayment(risk, monthly);
    const flat = deferredMonths + risk.interestOnlyMonths;
    const step = 1 / (1 + costs.return / 120_000);
    const sold = power(step, model.chargeOffLagMonths + recovery.saleLagMonths);
    const collected = power(step, model.chargeOffLagMonths + recovery.collectionLagMonths) * recovery.collectedShare;
    const fee = costs.servicing / 120_000;
    let [owed, unpaid, paying, factor, worth] = [amount, 0, 1, 1, 0];
    for (let month = 1; month <= term; month++) {
      factor *= step;
      const stopped = paying * (hazards.default[month - 1] as number);
      const sale = saleOf(recovery, month, owed);
      worth += factor * (stopped * (sale * sold + (owed - sale) * collected) - paying * owed * fee);
      paying -= stopped;
      unpaid += owed * monthly;
      const interest =
        month <= deferredMonths ? 0 : month <= flat || month === term ? unpaid : Math.min(unpaid, payment);
      const principal = month === term ? owed : month <= flat ? 0 : payment - interest;
      unpaid -= interest;
      owed -= principal;
      const early = paying * (hazards.prepay[month - 1] as number);
      worth += factor * (paying * (interest + principal) + early * (owed + unpaid));
      paying -= early;
    }
    return worth;
  }
}

function levelPayment({ amount, term, balloon, interestOnlyMonths }: Risk, monthly: number): number {
  const months = Math.max(1, term - interestOnlyMonths);
  if (monthly === 0) return (amount - balloon) / months;
  const discount = power(1 / (1 + monthly), months);
  return ((amount - balloon * discount) * monthly) / (1 - discount);
}

/** The level payment after months without any: interest of those months is paid first, and bears none itself. */
function deferredPayment(risk: Risk, monthly: number): number {
  const { amount, term, balloon, deferredMonths, interestOnlyMonths } = risk;
  const flat = deferredMonths + interestOnlyMonths;
  const leftBy = (payment: number) => {
    let [owed, unpaid] = [amount, interestOnlyMonths > 0 ? 0 : amount * monthly * deferredMonths];
    for (let month = flat + 1; month <= term; month++) {
      unpaid += owed * monthly;
      const interest = Math.min(unpaid, payment);
      unpaid -= interest;
      owed -= payment - interest;
    }
    return owed + unpaid;
  };
  let [below, enough] = [0, amount * (1 + monthly * (term + 1))];
  for (let turn = 0; turn < PAYMENT_TURNS; turn++) {
    const middle = (below + enough) / 2;
    if (leftBy(middle) > balloon) below = middle;
    else enough = middle;
  }
  return enough;
}

/** To a thousandth of a cent of any loan. */
const PAYMENT_TURNS = 48;

function power(base: number, times: number): number {
  let result = 1;
  for (let i = 0; i < times; i++) result *= base;
  return result;
}
