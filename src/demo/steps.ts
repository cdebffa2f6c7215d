/**
 * The events of the demonstration's loans, as steps on days. A step reads the loan as of its day and returns the command, so no amounts
 * are written here: the payment is what is due, or the payoff, on that day.
 */
import { addDays, type PlainDate } from '../core/calendar.ts';
import type { Command } from '../core/decide/decide.ts';
import { delinquency } from '../core/delinquency.ts';
import type { HoldKind } from '../core/hold-effects.ts';
import type { Fee, Loan, OnFile, Purpose } from '../core/loan.ts';
import { type Cents, cents } from '../core/money.ts';
import { payoff } from '../core/payoff.ts';
import { percent } from '../core/rate.ts';

/** The loan on the day of the step, and the record that was handed over or assessed by then. */
export type Now = { readonly loan: Loan; readonly file: OnFile & { readonly collateralValue: Cents | null } };

export type Step = {
  readonly on: PlainDate;
  /** Null: on that day there is nothing to do. */
  readonly command: (now: Now) => Command | null;
  /** The servicer's reason; the same as the command's own reason, if it has one. */
  readonly reason: string | null;
  /** Whether an application is assessed by it. */
  readonly isAssessment: boolean;
};

export function step(on: PlainDate, command: Command | Step['command'], reason: string | null = null): Step {
  const isAssessment = typeof command !== 'function' && command.do === 'start-underwriting';
  return { on, command: typeof command === 'function' ? command : () => command, reason, isAssessment };
}

// ---- before funding ----

/** As assessed: the steps say what the product decides, and a story in which it decides otherwise is refused. */
export const approved: Command = { do: 'complete-underwriting', approved: true, dealIndex: 0, reason: null };

export const rejected: Command = { do: 'complete-underwriting', approved: false, dealIndex: 0, reason: null };

/** Approved over another term than the requested one, for the same amount at the same rate. */
export function approvedOver(on: PlainDate, months: number): Step {
  const command: Step['command'] = ({ file }) => {
    const asked = file.deals[0];
    const dealIndex = file.deals.findIndex(
      (deal) => deal?.term === months && deal.amount === asked?.amount && deal.decision === 'APPROVED',
    );
    return dealIndex < 0 ? null : { do: 'complete-underwriting', approved: true, dealIndex, reason: null };
  };
  return { ...step(on, command), isAssessment: true };
}

export const funded: Command = { do: 'fund-loan', date: null, opening: 'onFile' };

export const initiated: Command = { do: 'initiate-repayment', date: null, opening: 'onFile' };

// ---- payments ----

type Amount = (loan: Loan) => Cents | null;

/** The amount due on the day with its fees, never more than the payoff; null when nothing is due yet. */
const whatIsDue: Amount = (loan) => {
  const { nextDueDate, nextDueAmount } = delinquency(loan);
  if (nextDueDate === null || nextDueDate > loan.on) return null;
  const owed = payoff(loan);
  return cents(Math.min(nextDueAmount + owed.fees, owed.payoff));
};

export const everything: Amount = (loan) => payoff(loan).payoff || null;

/** Several of the next installments at once. */
export const installments =
  (count: number): Amount =>
  (loan) => {
    const open = loan.installments.filter(({ satisfiedOn }) => satisfiedOn === null).slice(0, count);
    return cents(open.reduce((sum, { amount, paid }) => sum + amount - paid, 0)) || null;
  };

export const exactly =
  (dollars: number): Amount =>
  () =>
    cents(dollars * 100);

type Paying = {
  readonly purpose?: Purpose;
  readonly acceptOverpayment?: boolean;
  /** The day the payment was received, when it is entered later. */
  readonly date?: PlainDate;
  readonly reason?: string;
};

export function submitted(on: PlainDate, refId: string, amount: Amount, how: Paying = {}): Step {
  const command: Step['command'] = ({ loan }) => {
    const paid = amount(loan);
    if (paid === null) return null;
    const { date = null, purpose = 'installment', acceptOverpayment = false, reason = null } = how;
    return { do: 'loan-repay', refId, amount: paid, date, purpose, acceptOverpayment, reason };
  };
  return step(on, command, how.reason ?? null);
}

/** Nothing to do when the payment was never made. */
export function acknowledged(on: PlainDate, refId: string): Step {
  return step(on, ({ loan }) =>
    loan.payments.some((payment) => payment.refId === refId && payment.status === 'Submitted')
      ? { do: 'acknowledge-repayment', refId }
      : null,
  );
}

export function paid(on: PlainDate, refId: string, amount: Amount = whatIsDue, how: Paying = {}): Step[] {
  return [submitted(on, refId, amount, how), acknowledged(addDays(on, 2), refId)];
}

/** The bank returns a payment, and the borrower is charged a fee. */
export function returned(on: PlainDate, refId: string): Step[] {
  const fee = { kind: 'fee', name: 'Returned payment', amount: cents(25_00), date: null } as const;
  return [
    step(
      on,
      { do: 'return-repayment', refId, date: null, code: 'R01', reason: 'Insufficient funds' },
      'Insufficient funds',
    ),
    step(on, { do: 'assess-fee', feeId: `returned-${refId}`, ...fee }),
  ];
}

// ---- servicing ----

export const isOpen = ({ amount, paid: taken, waived }: Fee): boolean => amount > taken + waived;

/** The oldest late fee that is open, if there is one. */
export function lateFeeWaived(on: PlainDate, reason: string): Step {
  const command: Step['command'] = ({ loan }) => {
    const fee = loan.fees.find((one) => one.installment !== null && isOpen(one));
    return fee === undefined ? null : { do: 'waive-fee', feeId: fee.feeId, amount: null, reason };
  };
  return step(on, command, reason);
}

export function held(on: PlainDate, kind: Exclude<HoldKind, 'bankruptcy' | 'military'>, reason: string): Step {
  const days = { from: null, to: null, bankruptcy: null, detailed: false } as const;
  return step(on, { do: 'place-hold', holdId: 'HOLD-1', kind, ...days, reason }, reason);
}

/** Filed a week before the lender learns of it. */
export function bankrupt(on: PlainDate, chapter: 7 | 13, reason: string): Step {
  const bankruptcy = { chapter, filed: addDays(on, -7), discharged: null, reaffirmed: false } as const;
  const days = { from: addDays(on, -7), to: null, bankruptcy, detailed: false } as const;
  return step(on, { do: 'place-hold', holdId: 'HOLD-1', kind: 'bankruptcy', ...days, reason }, reason);
}

export function rateChanged(on: PlainDate, rate: string, reason: string): Step {
  return step(on, { do: 'change-rate', rate: percent(rate), date: null, why: 'contract', reason }, reason);
}

/** At most six percent during military service (50 USC 3937). */
export function inMilitaryService(on: PlainDate, service: { from: PlainDate; to: PlainDate | null }, reason: string) {
  return step(on, { do: 'change-rate', rate: percent('6'), date: null, why: 'scra', service, reason }, reason);
}

/** A payoff quote, valid for ten days. */
export function payoffQuoted(on: PlainDate, quoteId: string): Step {
  return step(on, { do: 'payoff-quotes', quoteId, date: on, goodThrough: addDays(on, 10) });
}

/** A settlement for less than is owed; any remainder is waived. */
export function settlementOffered(on: PlainDate, quoteId: string, share: number, reason: string): Step {
  const command: Step['command'] = ({ loan }) => ({
    do: 'settle',
    quoteId,
    amount: cents(Math.round((payoff(loan).payoff * share) / 100_00) * 100),
    goodThrough: addDays(on, 30),
    reason,
  });
  return step(on, command, reason);
}

export const asQuoted =
  (quoteId: string): Amount =>
  (loan) =>
    loan.quotes.find((quote) => quote.quoteId === quoteId)?.amount ?? null;

export function creditRefunded(on: PlainDate, refId: string): Step {
  return step(on, ({ loan }) => (loan.credit > 0 ? { do: 'refund-credit', refId, amount: loan.credit } : null));
}

export function defaulted(on: PlainDate): Step {
  return step(
    on,
    { do: 'default', ground: 'pastDue', reason: 'No answer to three letters' },
    'No answer to three letters',
  );
}

/** `collateralPercent`: the value of the repossessed car in percent of what is owed. */
export function chargedOff(on: PlainDate, collateralPercent: number): Step {
  const reason = collateralPercent > 0 ? 'Repossessed, deficiency' : 'Vehicle not found';
  return step(
    on,
    ({ loan }) => ({
      do: 'charge-off',
      date: null,
      reason,
      collateral: cents(Math.round((loan.principal * collateralPercent) / 100)),
    }),
    reason,
  );
}

/** The sale of the repossessed car brings its recorded collateral value. */
export const saleOfTheCar: Amount = (loan) => loan.chargeOff?.collateral || null;

export function recovered(on: PlainDate, refId: string, amount: Amount): Step[] {
  const command: Step['command'] = ({ loan }) => {
    const received = amount(loan);
    return received === null ? null : { do: 'record-recovery', refId, amount: received, date: null };
  };
  return [step(on, command), acknowledged(addDays(on, 2), refId)];
}
