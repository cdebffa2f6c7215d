/** Deferred fees and costs, discounts and premiums in the fold: they begin with a loan, follow its terms, and end with it. */
import type { PlainDate } from './calendar.ts';
import {
  type Amortized,
  type Deferral,
  type Deferred,
  deferralOf,
  leftOf,
  less,
  NOTHING_DEFERRED,
  netOf,
  partsOf,
} from './deferral.ts';
import { ratesAfter, yieldOf } from './effective-yield.ts';
import type { Loan } from './loan.ts';
import { cents, ZERO } from './money.ts';
import { lowerPercent } from './rate.ts';
import { openAmortization, openStretch, type WorkingLoan } from './working-loan.ts';

export function defer(working: WorkingLoan, deferred: Deferred): void {
  working.deferral = deferralOf(deferred, working.stretchSince);
  solveYield(working, working.stretchSince);
}

/** The terms changed on a day: what has been earned until then stays, and from then on another yield counts. */
export function yieldAgain(working: WorkingLoan, on: PlainDate): void {
  if (!isAmortizing(working)) return;
  keepEffective(working, on);
  solveYield(working, on > working.stretchSince ? on : working.stretchSince);
}

/**
 * Non-accrual ends within a stretch, which only another version of the policy can bring about: what it amortized by the entry stays, and the
 * time since then amortizes nothing.
 */
export function amortizeAgain(working: WorkingLoan, on: PlainDate): void {
  if (isAmortizing(working)) keepEffective(working, on);
}

/** The owner that deferred it sells the loan, and the buyer has none of it. */
export function deferNoMore(working: WorkingLoan, on: PlainDate): void {
  const { deferral } = working;
  if (deferral === null || deferral.sold !== null) return;
  const amortized = openAmortization(working, on)?.amount ?? ZERO;
  working.deferral = { ...deferral, sold: { on, amortized } };
}

function isAmortizing({ deferral, chargeOff, rescission }: WorkingLoan): boolean {
  return deferral !== null && deferral.sold === null && chargeOff === null && rescission === null;
}

function keepEffective(working: WorkingLoan, on: PlainDate): void {
  const deferral = working.deferral as Deferral;
  if (on <= working.stretchSince) return;
  const interest = openStretch(working, on)?.interest ?? ZERO;
  const amount = openAmortization(working, on)?.amount ?? 0;
  working.deferral = { ...deferral, since: on, effective: cents(interest + amount), interest };
}

function solveYield(working: WorkingLoan, on: PlainDate): void {
  const { deferral, terms, agreedRate, service, rate, installments, principal } = working;
  if (deferral === null || terms === null || netOf(deferral) === 0) return;
  const inForce = (agreed: typeof rate) => (service === null ? agreed : lowerPercent(agreed, service.rate));
  const open = deferral.interest;
  const outlook = {
    ...{ on, principal, interest: working.interestEnded + open, rate, terms, installments },
    rates: ratesAfter(on, { terms, agreedRate, service }, inForce),
  };
  const left = leftOf(deferral) - deferral.effective + deferral.interest;
  const found = yieldOf(outlook, left, working.work);
  // With nothing still to come, the last yield stays.
  if (found !== null) working.deferral = { ...deferral, yield: found };
}

/** The deferred amounts of a loan on its day. What was deferred is the sum of `ended`, `open`, `lost` and `left`. */
export type DeferredOn = {
  /** Amortized with the loan's own entries: by ended stretches, and with the end of the loan the rest. */
  readonly ended: Deferred;
  /** Amortized by the present stretch, in the book of the lender. */
  readonly open: Deferred;
  /** The rest on the day of a charge-off. */
  readonly lost: Deferred;
  readonly left: Deferred;
};

export const NOTHING_DEFERRED_ON: DeferredOn = {
  ended: NOTHING_DEFERRED,
  open: NOTHING_DEFERRED,
  lost: NOTHING_DEFERRED,
  left: NOTHING_DEFERRED,
};

/** Null: nothing was ever deferred, or its owner sold the loan. */
export function deferredOn(loan: Loan): DeferredOn | null {
  const { deferral, chargeOff, nonAccrualSince, on } = loan;
  if (deferral === null || deferral.sold !== null) return null;
  if (loan.rescission !== null) return NOTHING_DEFERRED_ON;
  const { fees, costs, discount, amortized } = deferral;
  const all = { fees, costs, discount };
  const before = partsOf(all, amortized);
  if (chargeOff !== null) return { ...NOTHING_DEFERRED_ON, ended: before, lost: less(all, before) };
  if (isRepaid(loan)) return { ...NOTHING_DEFERRED_ON, ended: all };
  const through = partsOf(all, amortized + (openAmortization(loan, on)?.amount ?? 0));
  const left = less(all, through);
  // Its entry into non-accrual ends the stretch for the books.
  if (nonAccrualSince !== null) return { ...NOTHING_DEFERRED_ON, ended: through, left };
  return { ...NOTHING_DEFERRED_ON, ended: before, open: less(through, before), left };
}

/** No principal is left, nor still to be lent: there is nothing that the rest could be the yield of. */
function isRepaid({ principal, terms, on }: Loan): boolean {
  return principal === 0 && terms !== null && !terms.disbursements.some(({ date }) => date > on);
}

/** The stretch that a day is in, or the last that ended by it; null: none amortizes anything. */
export function amortizationOn(loan: Loan): Amortized | null {
  if (loan.deferral === null || loan.deferral.sold !== null || loan.rescission !== null) return null;
  return openAmortization(loan, loan.on) ?? loan.deferral.last;
}
