/** What the books keep of a charged-off loan for its collateral. */
import type { ChargeOff, Loan } from './loan.ts';
import { type Cents, cents } from './money.ts';

/** What it was kept at: principal that the collateral, less the cost to sell it, covered (FFIEC). */
export function heldOf({ collateral, principal }: Pick<ChargeOff, 'collateral' | 'principal'>): Cents {
  return cents(Math.min(collateral, principal));
}

/** Of it, what is not lost: neither written down nor given up with the rest of the debt. Money takes its place, or it is still kept. */
export function soundOf(chargeOff: ChargeOff): Cents {
  return cents(heldOf(chargeOff) - chargeOff.writtenDown - chargeOff.givenUp);
}

/** All that came in after a charge-off, but for what is owed back; a credit from before that is used after it counts. */
export function recoveredNet({ totals }: Pick<Loan, 'totals'>, chargeOff: ChargeOff): Cents {
  const { received, credited } = chargeOff.totals;
  return cents(totals.received - received - (totals.credited - credited));
}

/** What is still kept: money reduces it first, and what the collateral did not bring is written down. */
export function keptOf(loan: Pick<Loan, 'totals'>, chargeOff: ChargeOff): Cents {
  return cents(Math.max(soundOf(chargeOff) - recoveredNet(loan, chargeOff), 0));
}
