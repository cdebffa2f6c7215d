/**
 * A rescission: the contract is void from its beginning. What the borrower paid is a credit, no interest, fee or other charge is owed, and the
 * principal that was paid out is to come back. Money received from then on brings it back first; the rest is a credit.
 */
import type { PlainDate } from './calendar.ts';
import { heldOf } from './charged-off.ts';
import type { Rescission } from './loan.ts';
import { type Cents, cents, ZERO } from './money.ts';
import { shownAccruing } from './non-accrual.ts';
import { copyOf, type WorkingLoan, type WorkingPayment } from './working-loan.ts';

/** Principal that has not come back yet. */
export function outstandingOf({ toReturn, refunded, returned }: Rescission): Cents {
  return cents(toReturn + refunded - returned);
}

export function rescind(working: WorkingLoan, date: PlainDate): void {
  const before = shownAccruing(copyOf(working), date);
  const { totals, charges, chargeOff } = before;
  // An earlier servicer's loss was never on the books here.
  const lostElsewhere = chargeOff?.elsewhere === true ? chargeOff.principal - heldOf(chargeOff) : 0;
  const paid = totals.received - totals.refunded;
  const toReturn = cents(totals.disbursed - charges.kept - lostElsewhere + Math.max(0, 0 - paid));
  working.rescission = { date, before, toReturn, refunded: ZERO, returned: ZERO };
  working.stage = 'Cancelled';
  working.principal = ZERO;
  working.interestEnded = ZERO;
  working.credit = cents(Math.max(0, paid));
  working.fees = [];
  working.accruing = false;
  working.stretchSince = date;
  working.installments = [];
  working.settled = 0;
  working.settledByCount = 0;
  working.service = null;
  working.nonAccrualSince = null;
  working.chargeOff = null;
  working.defaultedOn = null;
  working.defaultGround = null;
  working.acceleratedOn = null;
}

/** Money that stays, after it. */
export function bringBack(
  { rescission, totals }: Pick<WorkingLoan, 'rescission' | 'totals'>,
  payment: WorkingPayment,
): Cents {
  if (rescission === null) throw new Error('The loan was not rescinded.');
  const { amount } = payment;
  const principal = cents(Math.min(amount, outstandingOf(rescission)));
  const credit = cents(amount - principal);
  rescission.returned = cents(rescission.returned + principal);
  totals.received = cents(totals.received + amount);
  totals.credited = cents(totals.credited + credit);
  payment.allocation = { ...payment.allocation, principal, credit };
  payment.steps = [
    ...(principal > 0 ? [{ bucket: 'due.principal', amount: principal } as const] : []),
    ...(credit > 0 ? [{ bucket: 'credit', amount: credit } as const] : []),
  ];
  payment.balance = outstandingOf(rescission);
  return credit;
}
