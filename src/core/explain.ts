/**
 * The derivation of an amount: every stretch of days × rate × balance, every rounding, every step of the waterfall, as data that adds up to
 * the amount and as sentences for a borrower. Nothing is computed a second way: the steps are those of the fold. Also the difference
 * between two folds, with the reasons.
 */
import { amortizationOn, deferredOn } from './amortize.ts';
import type { Apr } from './apr.ts';
import { basisOn, type PlainDate } from './calendar.ts';
import { netOf } from './deferral.ts';
import {
  type Delinquency,
  delinquency,
  nextDueIn,
  type OpenInstallment,
  openInstallments,
  pastDueIn,
} from './delinquency.ts';
import { type Loan, type Payment, type Stretch, stayed } from './loan.ts';
import { forgivenByService } from './military-service.ts';
import { type Cents, cents, formatCents, ZERO } from './money.ts';
import { payoff } from './payoff.ts';
import { dailyRate, formatDecimal, toFraction } from './rate.ts';
import { writtenOffSmall } from './small-balance.ts';
import { feeOpen, feesOwed, openStretch } from './working-loan.ts';

export const FIGURES = ['interest', 'payoff', 'pastDue', 'fees', 'nextPayment', 'amortization'] as const;
export type Figure = (typeof FIGURES)[number] | `payment:${string}`;

export type ExplainedStep = {
  readonly what: string;
  /** The computation of the amount, in numbers. */
  readonly how: string;
  readonly amount: Cents;
};

export type Explanation = {
  readonly figure: string;
  readonly on: PlainDate;
  readonly amount: Cents;
  /** Add up to the amount. */
  readonly steps: readonly ExplainedStep[];
  readonly sentences: readonly string[];
};

export function explain(loan: Loan, figure: Figure): Explanation | null {
  switch (figure) {
    case 'interest':
      return explainInterest(loan);
    case 'payoff':
      return explainPayoff(loan);
    case 'pastDue':
      return explainPastDue(loan);
    case 'fees':
      return explainFees(loan);
    case 'nextPayment':
      return explainNextPayment(loan);
    case 'amortization':
      return explainAmortization(loan);
    default: {
      const payment = loan.payments.find(({ refId }) => `payment:${refId}` === figure);
      return payment === undefined ? null : explainPayment(loan, payment);
    }
  }
}

function made(loan: Loan, figure: string, amount: Cents, steps: ExplainedStep[], sentences: string[]): Explanation {
  const sum = steps.reduce((total, step) => total + step.amount, 0);
  if (sum !== amount) throw new Error(`The steps of ${figure} do not add up.`);
  return { figure, on: loan.on, amount, steps, sentences };
}

/** "24723.89 × 0.0725 × 28 days ÷ 365, rounded to the cent": the unrounded amount may have endless decimals, so it is not shown. */
function stretchStep(stretch: Stretch): ExplainedStep {
  const { from, to, days, basis, principal, rate, interest } = stretch;
  const time = basis === 133_590 ? `${days}/133590 of a year` : `${days} days ÷ ${basis}`;
  return {
    what: `interest from ${from} to ${to}`,
    how: `${formatCents(principal)} × ${formatDecimal(toFraction(rate))} × ${time}, rounded to the cent`,
    amount: interest,
  };
}

function explainInterest(loan: Loan): Explanation {
  if (loan.rescission !== null) {
    const why = `The contract was rescinded on ${loan.rescission.date} and is void from its beginning: no interest is owed on it.`;
    return made(loan, 'interest', loan.interest, [], [why]);
  }
  const open = openStretch(loan, loan.on);
  const stretches = open === null ? loan.stretches : [...loan.stretches, open];
  const steps = stretches.map(stretchStep);
  const brought = loan.totals.opened - (loan.fees.find(({ feeId }) => feeId === 'opening')?.amount ?? 0);
  if (brought > 0)
    steps.unshift({ what: 'interest carried over', how: `boarded as of ${loan.openedOn}`, amount: cents(brought) });
  if (loan.totals.interestPaid > 0) {
    steps.push({ what: 'paid', how: 'interest paid by payments', amount: cents(-loan.totals.interestPaid) });
  }
  const small = writtenOffSmall(loan).interest;
  if (loan.totals.interestForgiven > small) {
    steps.push({
      what: 'waived',
      how: 'waived under an honoured payoff quote',
      amount: cents(small - loan.totals.interestForgiven),
    });
  }
  if (small > 0) steps.push({ what: 'written off', how: 'left as a small balance', amount: cents(-small) });
  return made(loan, 'interest', loan.interest, steps, [
    `Interest accrues daily on the outstanding principal; an accrual period ends at each payment, disbursement or rate change, and its interest is rounded to the cent.`,
    `Interest accrued over ${stretches.length} accrual periods is ${formatCents(cents(loan.totals.interestAccrued + (open?.interest ?? 0)))}; payments paid ${formatCents(loan.totals.interestPaid)}; ${formatCents(loan.interest)} is unpaid.`,
    ...forgivenByService(loan).map(
      ({ service: { since, to, rate }, interest }) =>
        `From ${since}${to === null ? '' : ` to ${to}`} the rate is at most ${formatDecimal(rate)} % because of military service (50 USC 3937); ${formatCents(interest)} of interest above it is forgiven.`,
    ),
  ]);
}

/** For the present stretch, or for the last one that ended. */
function explainAmortization(loan: Loan): Explanation {
  const stretch = amortizationOn(loan);
  const deferred = deferredOn(loan);
  if (stretch === null || deferred === null) {
    const why =
      deferred === null
        ? 'No fees, costs, discount or premium of this loan are deferred.'
        : 'Nothing of what is deferred is amortized: fees and costs are equal, or no stretch of interest has begun.';
    return made(loan, 'amortization', ZERO, [], [why]);
  }
  const { from, to, since, days, carrying, effective, interest, amount } = stretch;
  const rate = formatDecimal(toFraction(stretch.yield));
  const before = since > from ? `, and what the stretch had earned by ${since}` : '';
  const limit = cents(amount - effective + interest);
  const steps: ExplainedStep[] = [
    {
      what: `earned at the yield from ${from} to ${to}`,
      how: `${formatCents(carrying)} carrying amount × ${rate} × ${days} days ÷ 365, rounded to the cent${before}`,
      amount: effective,
    },
    { what: 'interest of the contract', how: `from ${from} to ${to}`, amount: cents(-interest) },
  ];
  if (limit !== 0)
    steps.push({ what: 'limit', how: 'never more than was deferred, nor less than nothing of it', amount: limit });
  const { ended, open, left } = deferred;
  const { deferral, nonAccrualSince } = loan;
  const net = deferral === null ? ZERO : netOf(deferral);
  return made(loan, 'amortization', amount, steps, [
    `The carrying amount is the principal less the net deferred amount that is left; the yield of ${formatDecimal(stretch.yield)} % is solved from the contract’s payments, and again when its terms change.`,
    `Of ${formatCents(net)} net, ${formatCents(cents(netOf(ended) + netOf(open)))} is amortized by ${loan.on} and ${formatCents(netOf(left))} is left.`,
    ...(nonAccrualSince === null ? [] : [`Nothing is amortized in non-accrual, since ${nonAccrualSince}.`]),
  ]);
}

/** The interest of one day, exactly: the principal times the daily rate. */
function dayShare(loan: Loan): string {
  if (!loan.accruing || loan.terms === null || loan.principal === 0) return 'no interest accrues';
  const { numerator, denominator } = dailyRate(loan.rate, basisOn(loan.on, loan.terms.dayCount));
  return `${formatCents(loan.principal)} × ${numerator}/${denominator}, rounded to the cent`;
}

function explainPayoff(loan: Loan): Explanation {
  const { principal, interest, fees, prepaymentPenalty, credits, payoff: amount, perDiem } = payoff(loan);
  const steps: ExplainedStep[] = [
    { what: 'principal', how: 'outstanding', amount: principal },
    { what: 'interest', how: `unpaid up to ${loan.on}`, amount: interest },
    { what: 'fees', how: 'assessed, not paid or waived', amount: fees },
    { what: 'prepayment penalty', how: 'for paying off before the last due date', amount: prepaymentPenalty },
    {
      what: 'credits',
      how: 'owed to the borrower, up to the amount owed',
      amount: cents(-Math.min(credits, principal + interest + fees + prepaymentPenalty)),
    },
  ];
  return made(
    loan,
    'payoff',
    amount,
    steps.filter((step) => step.amount !== 0),
    [
      `The payoff amount on ${loan.on} is ${formatCents(amount)}. Each further day adds ${formatCents(perDiem)}: ${dayShare(loan)}.`,
    ],
  );
}

function installmentStep({ installment, open }: OpenInstallment): ExplainedStep {
  return {
    what: `installment ${installment.n}, due ${installment.dueDate}`,
    how: `${formatCents(cents(installment.paid + open))} less ${formatCents(installment.paid)} paid`,
    amount: open,
  };
}

function explainPastDue(loan: Loan): Explanation {
  const view = openInstallments(loan);
  const late = pastDueIn(loan, view);
  const figures = delinquency(loan, view);
  const { pastDueAmount, daysPastDue } = figures;
  // Nothing but fees is left, and they are past due.
  const steps = late.length === 0 && daysPastDue > 0 ? feeSteps(loan) : late.map(installmentStep);
  const sentence = pastDueSentence(loan, figures);
  if (loan.acceleratedOn !== null) {
    return made(loan, 'pastDue', pastDueAmount, steps, [sentence, ...everythingDue(loan)]);
  }
  return made(loan, 'pastDue', pastDueAmount, steps, [
    sentence,
    `An installment that is ${loan.policy.satisfiedPercent} % paid does not count as past due; the rest is still owed, and past due after the last due date.`,
  ]);
}

function pastDueSentence(
  { on, installments }: Loan,
  { oldestDueDate, daysPastDue }: Pick<Delinquency, 'oldestDueDate' | 'daysPastDue'>,
): string {
  if (oldestDueDate === null) return `Nothing is past due on ${on}.`;
  const when = `${oldestDueDate}, ${daysPastDue} days before ${on}`;
  const maturity = installments.at(-1)?.dueDate;
  return maturity !== undefined && oldestDueDate >= maturity
    ? `Everything still owed was due by ${when}.`
    : `The oldest unsatisfied installment was due on ${when}.`;
}

function explainNextPayment(loan: Loan): Explanation {
  const view = openInstallments(loan);
  const { nextDueDate, nextDueAmount } = delinquency(loan, view);
  const asked = nextDueIn(loan, view, nextDueDate);
  const sentence =
    nextDueDate === null ? 'Nothing is left to pay.' : `The next payment was or is due on ${nextDueDate}.`;
  return made(loan, 'nextPayment', nextDueAmount, asked.map(installmentStep), [sentence, ...everythingDue(loan)]);
}

function everythingDue({ acceleratedOn }: Loan): string[] {
  return acceleratedOn === null ? [] : [`The loan was accelerated on ${acceleratedOn}: everything owed is due.`];
}

function feeSteps({ fees }: Loan): ExplainedStep[] {
  return fees.map((fee) => ({
    what: `${fee.name} of ${fee.date}`,
    how: `${formatCents(fee.amount)} less ${formatCents(fee.paid)} paid and ${formatCents(fee.waived)} waived`,
    amount: feeOpen(fee),
  }));
}

function explainFees(loan: Loan): Explanation {
  return made(
    loan,
    'fees',
    feesOwed(loan),
    feeSteps(loan),
    loan.fees.flatMap(({ feeId, installment, date, amount, forgiven }) => {
      const late = `Installment ${installment} was not paid within ${loan.policy.lateFee?.graceDays} days of its due date, so a late fee was charged on ${date}, once.`;
      const limit = `${formatCents(forgiven)} of the fee ${feeId} of ${date} was not charged: during military service interest and fees together are at most 6 % (50 USC 3937).`;
      return [...(installment !== null && amount > 0 ? [late] : []), ...(forgiven > 0 ? [limit] : [])];
    }),
  );
}

function explainPayment(loan: Loan, payment: Payment): Explanation {
  const { refId, amount, date, status, allocation } = payment;
  if (!stayed(payment)) {
    return made(
      loan,
      `payment:${refId}`,
      cents(0),
      [],
      [
        `The payment of ${formatCents(amount)} dated ${date} was ${status === 'Returned' ? 'returned' : 'reversed'}, so it pays nothing.`,
      ],
    );
  }
  const steps = payment.steps.map(
    (step, i): ExplainedStep => ({
      what: step.bucket,
      how:
        step.bucket === 'credit'
          ? 'more than was owed: a credit to the borrower'
          : `step ${i + 1} of the waterfall with an open amount`,
      amount: step.amount,
    }),
  );
  return made(loan, `payment:${refId}`, amount, steps, [
    `Of ${formatCents(amount)} received on ${date}, ${formatCents(allocation.interest)} paid interest, ${formatCents(allocation.principal)} principal, ${formatCents(allocation.fees)} fees, and ${formatCents(allocation.credit)} became a credit.`,
    payment.purpose === 'installment' && !payment.recovery
      ? 'The interest and principal that it paid satisfy installments, oldest first.'
      : `${payment.recovery ? 'It came after the charge-off' : `Its purpose was ${payment.purpose}`}: it satisfies no installment.`,
  ]);
}

/** The computation of an annual percentage rate, by the steps of Appendix J. */
export function explainApr(found: Apr): string[] {
  const { unitPeriod, unitPeriodsPerYear: perYear, firstPaymentUnitPeriods: first } = found;
  const many = perYear.denominator === 1 ? `${perYear.numerator}` : `${perYear.numerator} ÷ ${perYear.denominator}`;
  const period = unitPeriod.multiple === 1 ? unitPeriod.unit : `${unitPeriod.multiple} ${unitPeriod.unit}s`;
  return [
    `The borrower gets ${formatCents(found.amountFinanced)} and pays ${formatCents(found.totalOfPayments)}; the difference, ${formatCents(found.financeCharge)}, is the finance charge.`,
    `The unit-period is one ${period}, of which a year has ${many}. The first payment is ${first.full} full unit-periods and a fraction of ${first.fraction} after the start.`,
    `At ${found.unitPeriodPercent} % a unit-period the present value of the payments equals that of the advances, each divided by (1 + its fraction × rate) × (1 + rate)^(its full unit-periods).`,
    `${found.unitPeriodPercent} % × ${many} = ${found.aprPercent} %, computed beyond the digits shown and rounded half-up.`,
  ];
}

// ---- the difference between two folds ----

/** The change made by a backdated or returned event: the difference between two folds of one loan on the same day. */
export type Difference = {
  /** The first day from which interest accrued differently; null when it did not. */
  readonly since: PlainDate | null;
  readonly parts: readonly {
    readonly part: string;
    readonly before: Cents;
    readonly after: Cents;
    readonly change: Cents;
  }[];
  /** One sentence for each payment and fee that changed. */
  readonly reasons: readonly string[];
};

/** Unchanged parts are left out; correcting entries are made from the changes. */
export function difference(before: Loan, after: Loan): Difference {
  const read: [string, (loan: Loan) => Cents][] = [
    ['principal', (loan) => loan.principal],
    ['interest', (loan) => loan.interest],
    ['fees', feesOwed],
    ['credit', (loan) => loan.credit],
    ...(Object.keys(before.totals) as (keyof Loan['totals'])[]).map((name): [string, (loan: Loan) => Cents] => [
      `totals.${name}`,
      (loan) => loan.totals[name],
    ]),
  ];
  const parts = read.flatMap(([part, of]) => {
    const [was, is] = [of(before), of(after)];
    return was === is ? [] : [{ part, before: was, after: is, change: cents(is - was) }];
  });
  const reasons = [
    ...changes(
      before.payments,
      after.payments,
      'refId',
      'payment',
      ({ status, allocation: { fees, interest, principal, credit } }) =>
        !stayed({ status })
          ? `${status === 'Returned' ? 'returned' : 'reversed'}`
          : `pays ${formatCents(interest)} interest, ${formatCents(principal)} principal, ${formatCents(fees)} fees, ${formatCents(credit)} credit`,
    ),
    ...changes(
      before.fees,
      after.fees,
      'feeId',
      'fee',
      ({ amount, date, paid, waived }) =>
        `${formatCents(amount)} on ${date}, ${formatCents(paid)} paid, ${formatCents(waived)} waived`,
    ),
  ];
  return { since: firstDifference(before, after), parts, reasons };
}

function changes<T extends object, K extends keyof T>(
  before: readonly T[],
  after: readonly T[],
  name: K,
  what: string,
  tell: (one: T) => string,
): string[] {
  const was = new Map(before.map((one) => [one[name], tell(one)]));
  const is = new Map(after.map((one) => [one[name], tell(one)]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, now] = [was.get(key), is.get(key)];
    if (old === now) return [];
    if (old === undefined) return [`${what} ${String(key)}: ${now}`];
    return [
      now === undefined
        ? `${what} ${String(key)}: removed; before: ${old}`
        : `${what} ${String(key)}: ${now}; before: ${old}`,
    ];
  });
}

function firstDifference(before: Loan, after: Loan): PlainDate | null {
  const count = Math.max(before.stretches.length, after.stretches.length);
  for (let i = 0; i < count; i++) {
    const [a, b] = [before.stretches[i], after.stretches[i]];
    if (a === undefined || b === undefined) return (a ?? b)?.from ?? null;
    if (a.interest !== b.interest || a.principal !== b.principal || a.from !== b.from)
      return a.from < b.from ? a.from : b.from;
    if (a.to !== b.to) return a.to < b.to ? a.to : b.to;
  }
  if (before.principal === after.principal && before.stretchSince === after.stretchSince) return null;
  return before.stretchSince < after.stretchSince ? before.stretchSince : after.stretchSince;
}
