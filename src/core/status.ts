/** The loan status shown in the API, derived from the loan's facts and the day. */
import { type Delinquency, daysPastDue, delinquency } from './delinquency.ts';
import { type ClosedBy, type Loan, type LoanStatus, type Payment, stayed } from './loan.ts';
import { type Cents, ZERO } from './money.ts';
import { feesOwed } from './working-loan.ts';

/** Current and Delinquent are derived and cure automatically; Defaulted and ChargedOff are set only by an event. */
export function statusOf(loan: Loan, late?: Pick<Delinquency, 'daysPastDue'>): LoanStatus {
  if (loan.stage !== 'Funded') return loan.stage;
  if (isClosed(loan)) return closedEarly(loan) ? 'ClosedEarly' : 'Closed';
  if (loan.chargeOff !== null) return 'ChargedOff';
  if (loan.defaultedOn !== null) return 'Defaulted';
  if ((late?.daysPastDue ?? daysPastDue(loan)) > graceOf(loan)) return 'Delinquent';
  return loan.repaymentInitiated ? 'Current' : 'Funded';
}

/** Days past due up to which a loan is not Delinquent; none once everything is due. */
export function graceOf({ acceleratedOn, policy }: Pick<Loan, 'acceleratedOn' | 'policy'>): number {
  return acceleratedOn === null ? policy.graceDays : 0;
}

/**
 * The status without what follows from the date alone: for a list, which shows Funded and Current as Delinquent from the day on which the
 * grace days since `pastDueFrom` are over.
 */
export function storedStatus(loan: Loan): LoanStatus {
  return statusOf(loan, NOT_LATE);
}

const NOT_LATE = { daysPastDue: 0 };

/** Nothing is owed, and every payment is acknowledged, returned or reversed. */
export function isClosed(loan: Loan): boolean {
  const isConfirmed = ({ status }: Pick<Payment, 'status'>) => status !== 'Submitted';
  return (
    loan.stage === 'Funded' &&
    isPaidOff(loan) &&
    loan.payments.every(isConfirmed) &&
    (loan.handover?.payments.every(isConfirmed) ?? true)
  );
}

export function isPaidOff(loan: Loan): boolean {
  const wasPaid = loan.payments.length > 0 || loan.handover !== null;
  return loan.principal === 0 && loan.interest === 0 && feesOwed(loan) === 0 && wasPaid;
}

function closedEarly(loan: Loan): boolean {
  const maturity = loan.installments.at(-1)?.dueDate;
  const final = finalPayment(loan);
  return final !== null && maturity !== undefined && final.date < maturity;
}

/** The payment that brought what is owed to zero. */
export function finalPayment(loan: Loan): Pick<Payment, 'refId' | 'date' | 'purpose'> | null {
  const pays = (payment: Payment) => {
    const { fees, interest, principal } = payment.allocation;
    return stayed(payment) && fees + interest + principal > 0;
  };
  const final = loan.payments.findLast(pays);
  if (final !== undefined) return final;
  // For a loan that was boarded with nothing left to pay, it is a payment to the earlier servicer.
  const boarded = loan.principal === 0 ? loan.handover?.payments.findLast(stayed) : undefined;
  return boarded === undefined ? null : { refId: boarded.refId, date: boarded.date, purpose: 'installment' };
}

/** The way in which a loan was closed; null while it is open. A charged-off loan that was then paid in full counts as recovered. */
export function closedBy(loan: Loan): ClosedBy | null {
  if (loan.rescission !== null) return 'rescinded';
  if (!isClosed(loan)) return null;
  const final = finalPayment(loan);
  const settled = loan.quotes.some(
    ({ kind, honouredOn }) => kind === 'settlement' && honouredOn !== null && honouredOn >= (final?.date ?? honouredOn),
  );
  if (settled) return 'settlement';
  if (loan.chargeOff !== null) return 'recovery';
  return final?.purpose === 'insurance' || final?.purpose === 'sale' ? final.purpose : 'payoff';
}

const PAYMENT_STATUSES = ['On Time', 'Late', 'Defaulted', 'Charged Off'] as const;

/** A closed loan is Charged Off after a settlement or a recovery, else On Time. Empty before funding. */
export function paymentStatus(
  loan: Loan,
  late: Delinquency = delinquency(loan),
): (typeof PAYMENT_STATUSES)[number] | '' {
  if (loan.stage !== 'Funded') return '';
  const ended = closedBy(loan);
  if (ended !== null) return ended === 'settlement' || ended === 'recovery' ? 'Charged Off' : 'On Time';
  const status = statusOf(loan, late);
  if (status === 'ChargedOff') return 'Charged Off';
  if (status === 'Defaulted') return 'Defaulted';
  return late.daysPastDue > 0 ? 'Late' : 'On Time';
}

/** Principal that the borrower owes: none before funding. */
export function owedPrincipal({ stage, principal }: Loan): Cents {
  return stage === 'Funded' ? principal : ZERO;
}
