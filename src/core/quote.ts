/** A quoted payoff: the amount that pays a loan off if it arrives by a date. */
import type { PlainDate } from './calendar.ts';
import type { Cents } from './money.ts';

export type Quote = {
  readonly quoteId: string;
  readonly kind: 'payoff' | 'settlement';
  readonly amount: Cents;
  readonly date: PlainDate;
  /** The date of the payoff that was asked for. */
  readonly payoffDate: PlainDate;
  readonly goodThrough: PlainDate;
  /** The parts of the amount; null for a settlement, which is negotiated. */
  readonly parts: QuoteParts | null;
  /** The time of the quote: only money that came after it counts. */
  readonly recordedAt: string;
  readonly received: Cents;
  readonly honouredOn: PlainDate | null;
  /** A payment that its amount counted on was returned or reversed, or another quote has ended the loan. */
  readonly isVoid: boolean;
};

/** The parts of a payoff amount; they add up to it, credits taken off. */
export type QuoteParts = {
  readonly principal: Cents;
  readonly interest: Cents;
  readonly fees: Cents;
  readonly prepaymentPenalty: Cents;
  readonly credits: Cents;
  /** Interest that each further day adds. */
  readonly perDiem: Cents;
};

export const QUOTE_STANDINGS = ['open', 'honoured', 'void', 'expired'] as const;

export function quoteStandingOf(
  { honouredOn, isVoid, goodThrough }: Quote,
  on: PlainDate,
): (typeof QUOTE_STANDINGS)[number] {
  if (honouredOn !== null) return 'honoured';
  if (isVoid) return 'void';
  return on > goodThrough ? 'expired' : 'open';
}
