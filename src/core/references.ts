/** What was folded for a reference. All of them, whatever their day: a used reference counts as used on earlier days too. */
import type { Folding } from './fold.ts';
import type { Hold } from './holds.ts';
import type { Fee, Payment, Quote } from './loan.ts';
import type { Cents } from './money.ts';

export function paymentIn({ working }: Folding, refId: string): Payment | null {
  return working.payments.find((payment) => payment.refId === refId) ?? null;
}

export function refundIn({ working }: Folding, refId: string): Cents | null {
  return working.refunds.find((refund) => refund.refId === refId)?.amount ?? null;
}

export function feeIn({ working }: Folding, feeId: string): Fee | null {
  return working.fees.find((fee) => fee.feeId === feeId) ?? null;
}

export function quoteIn({ working }: Folding, quoteId: string): Quote | null {
  return working.quotes.find((quote) => quote.quoteId === quoteId) ?? null;
}

export function holdIn({ working }: Folding, holdId: string): Hold | null {
  return working.holds.find((hold) => hold.holdId === holdId) ?? null;
}
