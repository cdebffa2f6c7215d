/** The part of a charged-off loan that stays on the books for its collateral. */
import type { ChargeOff, Loan } from './loan.ts';
import { type Cents, cents } from './money.ts';

/** The amount it was kept at: principal that the collateral, less the cost to sell it, covered (FFIEC). */
export function heldOf({ collateral, principal }: Pick<ChargeOff, 'collateral' | 'principal'>): Cents {
  return cents(Math.min(collateral, principal));
}

/** The part that is not lost: neither written down nor waived with the rest of the debt. It is still kept, or money has replaced it. */
export function soundOf(chargeOff: ChargeOff): Cents {
  return cents(heldOf(chargeOff) - chargeOff.writtenDown - chargeOff.givenUp);
}

/** All money received after a charge-off, less what is owed back; an earlier credit that is used after it counts. */
export function recoveredNet({ totals }: Pick<Loan, 'totals'>, chargeOff: ChargeOff): Cents {
  const { received, credited } = chargeOff.totals;
  return cents(totals.received - received - (totals.credited - credited));
}

/** The part still kept: money reduces it first, and a shortfall of the collateral is written down. */
export function keptOf(loan: Pick<Loan, 'totals'>, chargeOff: ChargeOff): Cents {
  return cents(Math.max(soundOf(chargeOff) - recoveredNet(loan, chargeOff), 0));
}
