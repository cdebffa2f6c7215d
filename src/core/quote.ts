/** A promised payoff: what pays a loan off, good through a day. */
import type { PlainDate } from './calendar.ts';
import type { Cents } from './money.ts';

export type Quote = {
  readonly quoteId: string;
  readonly kind: 'payoff' | 'settlement';
  readonly amount: Cents;
  readonly date: PlainDate;
  /** The day of the payoff that was asked for. */
  readonly payoffDate: PlainDate;
  readonly goodThrough: PlainDate;
  /** What the amount is made of; null for a settlement, which is agreed on. */
  readonly parts: QuoteParts | null;
  /** When it was quoted: only money that came after it counts. */
  readonly recordedAt: string;
  readonly received: Cents;
  readonly honouredOn: PlainDate | null;
  /** It is not honoured: money that its amount had counted did not stay, or another quote has ended the loan. */
  readonly isVoid: boolean;
};

/** They add up to the amount: credits are taken off. */
export type QuoteParts = {
  readonly principal: Cents;
  readonly interest: Cents;
  readonly fees: Cents;
  readonly prepaymentPenalty: Cents;
  readonly credits: Cents;
  /** What each day after `goodThrough` would add. */
  readonly perDiem: Cents;
};

export const QUOTE_STANDINGS = ['open', 'honoured', 'void', 'expired'] as const;

export function standingOf(
  { honouredOn, isVoid, goodThrough }: Quote,
  on: PlainDate,
): (typeof QUOTE_STANDINGS)[number] {
  if (honouredOn !== null) return 'honoured';
  if (isVoid) return 'void';
  return on > goodThrough ? 'expired' : 'open';
}
