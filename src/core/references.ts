/** Lookups of what was folded, by reference and whatever its day: a used reference counts as used on earlier days too. */
import type { PlainDate } from './calendar.ts';
import type { Folding } from './fold.ts';
import type { BoardedPayment } from './handover.ts';
import type { Hold } from './holds.ts';
import type { Fee, Payment, Quote } from './loan.ts';
import type { Cents } from './money.ts';
import type { PolicyChange } from './policy.ts';
import { feesOwed } from './working-loan.ts';

export function paymentIn({ working }: Folding, refId: string): Payment | null {
  if (!working.references.includes(`\n${refId}\n`)) return null;
  return working.payments.find((payment) => payment.refId === refId) ?? null;
}

/** One that the earlier servicer had received. */
export function boardedPaymentIn({ working }: Folding, refId: string): BoardedPayment | null {
  return working.handover?.payments.find((payment) => payment.refId === refId) ?? null;
}

/** The versions of the policy that the loan has followed by a day. */
export function policiesBy({ working: { follows } }: Folding, day: PlainDate): readonly PolicyChange[] {
  return follows.filter(({ from }) => from <= day);
}

export function refundIn({ working }: Folding, refId: string): Cents | null {
  return working.refunds.find((refund) => refund.refId === refId)?.amount ?? null;
}

export function feeIn({ working }: Folding, feeId: string): Fee | null {
  return working.fees.find((fee) => fee.feeId === feeId) ?? null;
}

export function hasFee({ working }: Folding): boolean {
  return working.fees.length > 0;
}

/** Whether any fee has an open amount. */
export function hasOpenFee({ working }: Folding): boolean {
  return feesOwed(working) > 0;
}

export function quoteIn({ working }: Folding, quoteId: string): Quote | null {
  return working.quotes.find((quote) => quote.quoteId === quoteId) ?? null;
}

export function holdIn({ working }: Folding, holdId: string): Hold | null {
  return working.holds.find((hold) => hold.holdId === holdId) ?? null;
}
